//! Bot walls: pages that ask whether we are human, whatever their status says. A wall is no news of what stands
//! behind it, and counts against the site's circuit.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::charset;
use super::page::Page;
use super::phrase;
use super::visible::visible_text;

/// Bytes of a page that may be nothing but a wall.
const MAX_WALL: usize = 256 * 1024;
/// A wall has a telling title, or little else to say.
const LITTLE: usize = 1_500;
/// A page that shows so much at first sight, hidden parts and all, is read no further for this.
const MUCH: usize = 4 * LITTLE;

/// What every wall we know has in its bytes; most pages have none of it and are not parsed for this.
static CUES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let cues = phrase::WALL.iter().copied().chain(["not a robot"]);
    AhoCorasick::builder().ascii_case_insensitive(true).build(cues).expect("the phrases are few and short")
});

/// The phrase by which an answer shows itself as a wall.
pub fn on(bytes: &[u8], content_type: Option<&str>) -> Option<&'static str> {
    if bytes.len() > MAX_WALL || bytes.trim_ascii_start().first() != Some(&b'<') {
        return None;
    }
    if visible_text(&charset::decode(bytes, content_type), MUCH).len() >= MUCH || !CUES.is_match(bytes) {
        return None;
    }
    in_page(&Page::parse(bytes, content_type).ok()?)
}

pub fn in_page(page: &Page) -> Option<&'static str> {
    let text = page.visible_text();
    if text.len() > LITTLE {
        return None;
    }
    page.title().as_deref().and_then(phrase::wall).or_else(|| phrase::wall(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_is_told_from_a_page_that_mentions_one() {
        let wall = "<!doctype html><title>Just a moment...</title><p>Verify you are human to go on.</p>";
        assert_eq!(on(wall.as_bytes(), None), Some("just a moment"));
        assert_eq!(on("<p>I'm not a robot</p>".as_bytes(), None), Some("i m not a robot"));
        let page = format!(
            "<h1>Lamp maker</h1><p>{}</p><p>Solve the captcha to apply.</p>",
            "We make lamps. ".repeat(200)
        );
        assert_eq!(on(page.as_bytes(), None), None);
        assert_eq!(on(b"{\"message\": \"access denied\"}", None), None);
    }
}
