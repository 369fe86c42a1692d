//! What a page's metas say of a posting beside its names: when it was published, and the pairs that some sites leave for
//! previews.

use crate::page::Page;

/// When the page says it was published.
pub fn published(page: &Page) -> Option<String> {
    ["article:published_time", "datePublished", "dcterms.created", "DC.date.issued", "publish-date", "date"]
        .iter()
        .find_map(|name| page.meta(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_publishing_is_found_under_its_names() {
        let page =
            Page::parse(b"<meta property='article:published_time' content='2026-10-03T08:00:00Z'>", None)
                .unwrap();
        assert_eq!(published(&page).as_deref(), Some("2026-10-03T08:00:00Z"));
    }
}
