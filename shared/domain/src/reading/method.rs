//! The ways a field can be found, in the order they are trusted.

use std::fmt;

/// Recorded for each field of a record as its provenance; the words are a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    JsonLd,
    Microdata,
    Rdfa,
    /// What a framework left for its scripts (`__NEXT_DATA__` and the like).
    EmbeddedState,
    /// OpenGraph and other metas, and the document's title.
    Meta,
    /// An element that says by its name what it holds (`class="job-title"`, `<time>`), or a heading.
    Selectors,
    /// What the text says in so many words: `Location: Galway`.
    TextRule,
    /// What a model was asked for, when nothing else knew it.
    Model,
    /// The page's address, which is ours; shown as `meta`, because it says something about the page and stands not in it.
    Url,
}

impl Method {
    pub const fn as_str(self) -> &'static str {
        match self {
            Method::JsonLd => "json_ld",
            Method::Microdata => "microdata",
            Method::Rdfa => "rdfa",
            Method::EmbeddedState => "embedded_state",
            Method::Selectors => "selectors",
            Method::TextRule => "text_rule",
            Method::Model => "model",
            Method::Meta | Method::Url => "meta",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_a_word_of_the_contract() {
        let words =
            ["json_ld", "microdata", "rdfa", "embedded_state", "meta", "selectors", "text_rule", "model"];
        let all = [
            Method::JsonLd,
            Method::Microdata,
            Method::Rdfa,
            Method::EmbeddedState,
            Method::Meta,
            Method::Selectors,
            Method::TextRule,
            Method::Model,
        ];
        assert_eq!(all.map(Method::as_str), words);
        assert_eq!(Method::Url.as_str(), "meta");
    }
}
