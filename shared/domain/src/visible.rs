//! The words a reader sees, for the SimHash, straight from the bytes of a page: one pass, no tree, no allocation
//! for a tag. The tree of `page` knows more (hidden parts, implied ends) and costs ten times as much; whether a
//! page has changed can be told without it.

use memchr::{memchr, memchr3, memmem};

use super::plain_text::{Collector, Gap, decode_entities};
use super::tag;

/// The text of a page on one line, without scripts, styles, navigation, and the header and footer of the page
/// (an article has its own, which count). Linear on any input; stops when it has `most` bytes.
pub fn visible_text(html: &str, most: usize) -> String {
    let mut scan = Scan { html, at: 0, text: Collector::default(), unseen: None, sections: 0 };
    while scan.at < html.len() && scan.text.bytes() < most {
        scan.step();
    }
    scan.text.finish()
}

struct Scan<'a> {
    html: &'a str,
    at: usize,
    text: Collector,
    /// The element whose end we wait for, and how many of its name are open.
    unseen: Option<(Name, usize)>,
    /// Open articles, sections and mains: a header in one is not the page's.
    sections: usize,
}

/// The longest name that means something here is `blockquote`.
const LONGEST: usize = 10;

/// The name of a tag in lower case; too long a name is nobody's.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Name {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Name {
    fn of(bytes: &[u8]) -> Name {
        let mut name = Name { bytes: [0; LONGEST], length: bytes.len() };
        for (to, from) in name.bytes.iter_mut().zip(bytes) {
            *to = from.to_ascii_lowercase();
        }
        name
    }

    fn as_str(&self) -> &str {
        let known = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(known).unwrap_or_default()
    }
}

impl Scan<'_> {
    /// The text up to the next tag, and the tag.
    fn step(&mut self) {
        let rest = &self.html.as_bytes()[self.at..];
        let length = memchr(b'<', rest).unwrap_or(rest.len());
        self.see(self.at, self.at + length);
        self.at += length;
        match &rest[length..] {
            [] => {}
            [b'<', b'!', b'-', b'-', ..] => self.skip_past(4, b"-->"),
            [b'<', b'!' | b'?', ..] => self.skip_past(2, b">"),
            [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                let name = self.name(2);
                self.skip_tag();
                self.end(name);
            }
            [b'<', letter, ..] if letter.is_ascii_alphabetic() => {
                let name = self.name(1);
                self.skip_tag();
                self.start(name);
            }
            _ => {
                self.see(self.at, self.at + 1); // a bare `<` is text
                self.at += 1;
            }
        }
    }

    fn see(&mut self, from: usize, to: usize) {
        if self.unseen.is_some() || from == to {
            return;
        }
        let piece = &self.html[from..to];
        let refers = |at: usize| matches!(piece.as_bytes().get(at + 1), Some(b) if b.is_ascii_alphabetic() || *b == b'#');
        if memchr::memchr_iter(b'&', piece.as_bytes()).any(refers) {
            self.text.text(&decode_entities(piece));
        } else {
            self.text.text(piece);
        }
    }

    fn name(&self, skip: usize) -> Name {
        let bytes = &self.html.as_bytes()[self.at + skip..];
        let end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'>' | b'/');
        Name::of(
            &bytes[..bytes.iter().take(LONGEST + 1).position(end).unwrap_or(bytes.len().min(LONGEST + 1))],
        )
    }

    fn skip_past(&mut self, skip: usize, mark: &[u8]) {
        let rest = &self.html.as_bytes()[self.at + skip..];
        self.at = match memmem::find(rest, mark) {
            Some(found) => self.at + skip + found + mark.len(),
            None => self.html.len(),
        };
    }

    fn skip_tag(&mut self) {
        self.at = after_tag(self.html.as_bytes(), self.at);
    }

    fn start(&mut self, name: Name) {
        let word = name.as_str();
        if let Some((unseen, depth)) = &mut self.unseen {
            *depth += usize::from(*unseen == name);
            return;
        }
        if tag::is_block(word) || word == "br" {
            self.text.gap(Gap::Space);
        }
        match word {
            // Their content is no markup: the end is the next end tag of the same name, whatever comes before.
            "script" | "style" | "title" | "textarea" | "noscript" | "iframe" | "noembed" | "noframes"
            | "xmp" => self.skip_raw(&name),
            "nav" => self.unseen = Some((name, 1)),
            "header" | "footer" if self.sections == 0 => self.unseen = Some((name, 1)),
            "article" | "section" | "main" => self.sections += 1,
            _ if tag::is_unseen(word) => self.unseen = Some((name, 1)),
            _ => {}
        }
    }

    fn end(&mut self, name: Name) {
        match &mut self.unseen {
            Some((unseen, depth)) if *unseen == name => {
                *depth -= 1;
                if *depth == 0 {
                    self.unseen = None;
                }
            }
            Some(_) => {}
            None => {
                let word = name.as_str();
                if tag::is_block(word) {
                    self.text.gap(Gap::Space);
                }
                if matches!(word, "article" | "section" | "main") {
                    self.sections = self.sections.saturating_sub(1);
                }
            }
        }
    }

    fn skip_raw(&mut self, name: &Name) {
        self.at = raw_end(self.html.as_bytes(), self.at, name.as_str().as_bytes());
        if self.at < self.html.len() {
            self.skip_tag();
        }
    }
}

/// Where the tag that begins at `at` ends; a `>` in a quoted value is no end.
pub(super) fn after_tag(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr3(b'>', b'"', b'\'', rest)) {
        let mark = at + found;
        at = mark + 1;
        if bytes[mark] == b'>' {
            return at;
        }
        // Only after `=` does a quote open a value; elsewhere it is a letter like any other.
        if bytes[..mark].iter().rev().find(|b| !b.is_ascii_whitespace()) == Some(&b'=') {
            match memchr(bytes[mark], &bytes[at..]) {
                Some(end) => at += end + 1,
                None => break,
            }
        }
    }
    bytes.len()
}

/// Where the end tag of an element stands whose content is no markup (`script`, `title`).
pub(super) fn raw_end(bytes: &[u8], from: usize, name: &[u8]) -> usize {
    let mut from = from;
    while let Some(found) = memmem::find(&bytes[from..], b"</") {
        let at = from + found + 2;
        let end = at + name.len();
        let same = bytes.get(at..end).is_some_and(|tag| tag.eq_ignore_ascii_case(name));
        let over = bytes.get(end).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'));
        if same && over {
            return at - 2;
        }
        from = at;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::Page;

    fn text(html: &str) -> String {
        visible_text(html, usize::MAX)
    }

    #[test]
    fn a_page_without_its_furniture() {
        let html = "<!doctype html><html><head><title>T</title><style>p{}</style><script>if (a<b) '</p>'</script></head>
            <body><header>Top</header><nav><ul><li>Menu<nav>inner</nav>still</ul></nav>
            <article><header>By A</header><p>Good &amp; cheap<br>bread</p><!-- <p>not this --></article>
            se<svg><text>pic</text></svg>en<FOOTER>Imprint</FOOTER>end</body></html>";
        assert_eq!(text(html), "By A Good & cheap bread seen end");
    }

    #[test]
    fn quotes_close_tags_only_where_they_are_values() {
        assert_eq!(text("<a title=\"x > y\">one</a>"), "one");
        assert_eq!(text("<a title = 'x > y'>one</a>"), "one");
        assert_eq!(text("<a title=it's>one</a> two's"), "one two's");
        assert_eq!(text("<a \" b>one</a>"), "one");
        assert_eq!(text("3 < 5 <> </> R&D &lt;b&gt;"), "3 < 5 <> </> R&D <b>");
    }

    #[test]
    fn what_never_ends_swallows_the_rest() {
        for open in ["<script>", "<!-- ", "<p title=\"", "<nav>", "<title>", "<textarea>"] {
            assert_eq!(text(&format!("seen {open} unseen")), "seen", "{open}");
        }
    }

    /// Well-formed markup reads the same here and in the tree.
    fn markup() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "[a-zA-Z ,.é]{1,12}",
            Just("&amp;".to_owned()),
            Just("<br>".to_owned()),
            Just("<script>let a = '<p>'</script>".to_owned()),
            Just("<!-- no -->".to_owned()),
            Just("<img alt=\"a > b\" src=x>".to_owned()),
        ];
        leaf.prop_recursive(5, 64, 6, |inner| {
            let names = ["div", "span", "b", "nav", "header", "footer", "article", "section", "ul", "svg"];
            (prop::sample::select(names.to_vec()), prop::collection::vec(inner, 0..6))
                .prop_map(|(name, parts)| format!("<{name} class='c'>{}</{name}>", parts.concat()))
        })
    }

    proptest! {
        #[test]
        fn well_formed_pages_read_as_in_the_tree(body in markup()) {
            let html = format!("<html><head><title>t</title></head><body>{body}</body></html>");
            prop_assert_eq!(text(&html), Page::parse(html.as_bytes(), None).unwrap().visible_text());
        }

        #[test]
        fn any_text_can_be_scanned(html in ".*", tags in "[<>/!\"'= a-c&#-]{0,60}") {
            let _ = (text(&html), text(&tags));
        }
    }
}
