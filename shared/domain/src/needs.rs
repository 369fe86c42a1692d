//! Does a page need a browser to say anything? Judged by its bytes, without a tree: most pages have said enough
//! after a few lines, and then it costs nothing more. Pure.

use memchr::{memchr, memchr2_iter};

/// A page with this many words says something by itself.
const ENOUGH_WORDS: usize = 60;
/// With hardly any words at all, scripts are reason enough.
const HARDLY_ANY: usize = 12;
/// A shell is short, or its scripts are long; no more than this is looked at.
const LOOKED_AT: usize = 512 * 1024;

/// The empty places that frameworks fill.
const PLACES: [&str; 14] = [
    "id=\"root\"",
    "id='root'",
    "id=root",
    "id=\"app\"",
    "id='app'",
    "id=app",
    "id=\"__next\"",
    "id=\"__nuxt\"",
    "id=\"___gatsby\"",
    "id=\"svelte\"",
    "<app-root",
    "ng-app",
    "ng-version",
    "data-reactroot",
];

/// Why the page needs a browser, if it does.
pub fn needs_browser(body: &[u8], content_type: Option<&str>) -> Option<&'static str> {
    let is_html = content_type.is_none_or(|kind| kind.to_ascii_lowercase().contains("html"));
    if !is_html || body.starts_with(b"%PDF") {
        return None;
    }
    let seen = Seen::of(&body[..body.len().min(LOOKED_AT)]);
    if seen.words >= ENOUGH_WORDS || !seen.scripts || seen.says_posting {
        return None;
    }
    if seen.asks_for_script {
        return Some("asks_for_javascript");
    }
    if seen.place {
        return Some("empty_framework_shell");
    }
    (seen.words < HARDLY_ANY).then_some("empty_shell")
}

/// What a walk over the bytes has met.
#[derive(Debug, Default)]
struct Seen {
    words: usize,
    /// Scripts that run.
    scripts: bool,
    /// Structured data that says what the page is about.
    says_posting: bool,
    place: bool,
    asks_for_script: bool,
}

impl Seen {
    fn of(body: &[u8]) -> Seen {
        let mut seen = Seen::default();
        let mut rest = body;
        while !rest.is_empty() {
            let text = memchr(b'<', rest).unwrap_or(rest.len());
            seen.words += words(&rest[..text]);
            if seen.words >= ENOUGH_WORDS {
                return seen;
            }
            rest = &rest[text..];
            rest = match rest {
                [b'<', b'!', b'-', b'-', ..] => after(rest, b"-->"),
                [b'<', ..] => seen.tag(rest),
                _ => rest,
            };
        }
        seen
    }

    /// Takes in one tag, with what belongs to it and is not text; returns what follows.
    fn tag<'b>(&mut self, rest: &'b [u8]) -> &'b [u8] {
        let end = memchr(b'>', rest).map_or(rest.len(), |at| at + 1);
        let tag = String::from_utf8_lossy(&rest[..end.min(2_048)]).to_ascii_lowercase();
        let name = tag[1..].split(|c: char| c.is_whitespace() || c == '>' || c == '/').next().unwrap_or("");
        self.place |= PLACES.iter().any(|place| tag.contains(place));
        let inner = &rest[end..];
        let close: &[u8] = match name {
            "script" => b"</script",
            "style" => b"</style",
            "noscript" => b"</noscript",
            "template" => b"</template",
            "title" => b"</title",
            _ => return inner,
        };
        let length = find(inner, close).unwrap_or(inner.len());
        let held = &inner[..length];
        match name {
            "script" if tag.contains("json") => self.says_posting |= find(held, b"JobPosting").is_some(),
            "script" => self.scripts = true,
            "noscript" => self.asks_for_script |= find(held, b"javascript").is_some(),
            _ => {}
        }
        &inner[length..]
    }
}

fn after<'b>(rest: &'b [u8], end: &[u8]) -> &'b [u8] {
    find(rest, end).map_or(&[], |at| &rest[at + end.len()..])
}

/// Without regard to case, as names in HTML are.
fn find(hay: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let fits =
        |at: &usize| hay[*at..].get(..needle.len()).is_some_and(|part| part.eq_ignore_ascii_case(needle));
    memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), hay).find(fits)
}

fn words(text: &[u8]) -> usize {
    let is_word = |word: &&[u8]| word.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    text.split(u8::is_ascii_whitespace).filter(is_word).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn why(html: &str) -> Option<&'static str> {
        needs_browser(html.as_bytes(), Some("text/html; charset=utf-8"))
    }

    fn prose(words: usize) -> String {
        "sluice ".repeat(words)
    }

    #[test]
    fn shells_need_a_browser() {
        assert_eq!(
            why(
                "<!doctype html><title>Jobs at Weir</title><div id=\"root\"></div><script src=/main.js></script>"
            ),
            Some("empty_framework_shell")
        );
        assert_eq!(
            why("<p>Loading, please wait a moment while we look for jobs that may suit you well</p>\
                 <noscript>You need to enable JavaScript to run this app.</noscript><script>go()</script>"),
            Some("asks_for_javascript")
        );
        assert_eq!(why("<body><script src=a.js></script></body>"), Some("empty_shell"));
        assert_eq!(
            why("<!-- <p>a comment</p> --><app-root></app-root><script type=module src=x></script>"),
            Some("empty_framework_shell")
        );
    }

    #[test]
    fn pages_that_say_something_do_not() {
        assert_eq!(why(&format!("<div id=root>{}</div><script src=a.js></script>", prose(60))), None);
        assert_eq!(why("<p>Gone fishing</p>"), None, "no script would say more");
        let posting = "<div id=\"root\"></div><script src=a.js></script>\
            <script type=\"application/ld+json\">{\"@type\":\"JobPosting\"}</script>";
        assert_eq!(why(posting), None);
        assert_eq!(needs_browser(b"{\"id\":\"root\"}", Some("application/json")), None);
        assert_eq!(needs_browser(b"%PDF-1.7 <script>", None), None);
        let long =
            format!("<p>{}</p><noscript>Please enable JavaScript</noscript><script>x</script>", prose(80));
        assert_eq!(why(&long), None);
    }

    #[test]
    fn words_of_scripts_and_styles_are_no_words() {
        let html = format!("<style>{0}</style><script>{0}</script><div id=app></div>", prose(500));
        assert_eq!(why(&html), Some("empty_framework_shell"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged(body in prop::collection::vec(any::<u8>(), 0..2_000)) {
            needs_browser(&body, None);
        }

        #[test]
        fn any_tags_are_judged(parts in prop::collection::vec("<(script|/script|p|!--|noscript|-->)[ >]?[a-z< ]{0,6}", 0..60)) {
            needs_browser(parts.concat().as_bytes(), Some("text/html"));
        }
    }
}
