//! Plain text: folded whitespace, decoded entities, markup turned into paragraphs, and a folded form
//! for comparing. Linear on any input; never fails.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};

use super::tree::Quiet;

/// What stands between two pieces of text; a stronger gap swallows a weaker one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    None,
    Space,
    Line,
    Paragraph,
}

/// Collects text with the whitespace of its source folded away and our own gaps put in.
#[derive(Debug)]
pub struct Collector {
    out: String,
    gap: Gap,
}

impl Default for Collector {
    fn default() -> Collector {
        Collector { out: String::new(), gap: Gap::None }
    }
}

impl Collector {
    pub fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    pub fn text(&mut self, text: &str) {
        let mut rest = text;
        loop {
            // whole runs at once: nearly all text is plain letters and spaces
            let spaces = rest.bytes().take_while(u8::is_ascii_whitespace).count();
            if spaces > 0 {
                self.gap(Gap::Space);
                rest = &rest[spaces..];
            }
            let plain = rest.bytes().take_while(u8::is_ascii_graphic).count();
            if plain > 0 {
                self.fill_gap();
                self.out.push_str(&rest[..plain]);
                rest = &rest[plain..];
            }
            let Some(c) = rest.chars().next() else { return };
            if c.is_ascii_graphic() || c.is_ascii_whitespace() {
                continue;
            }
            if c.is_whitespace() || c.is_control() {
                self.gap(Gap::Space);
            } else if !is_invisible(c) {
                self.fill_gap();
                self.out.push(c);
            }
            rest = &rest[c.len_utf8()..];
        }
    }

    fn fill_gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push_str(match self.gap {
                Gap::None => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
        self.gap = Gap::None;
    }

    /// Bytes collected so far.
    pub fn bytes(&self) -> usize {
        self.out.len()
    }

    pub fn finish(self) -> String {
        self.out
    }
}

/// Zero-width characters and soft hyphens: nobody sees them, and they change from render to render.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}')
}

/// One line: every run of whitespace is one space, the ends are trimmed.
pub fn squeeze(text: &str) -> String {
    let mut line = Collector::default();
    line.text(text);
    line.finish()
}

/// Decodes HTML character references once: `R&amp;D` is `R&D`, `&amp;lt;` is `&lt;`.
pub fn decode_entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| {
        if let CallbackEvent::String { value } = event {
            out.push_str(&String::from_utf8_lossy(value));
        }
        None::<Infallible>
    });
    let mut tokenizer = Tokenizer::new_with_emitter(text, Quiet(emitter));
    tokenizer.set_state(State::RcData); // references count, tags are text
    let Ok(()) = tokenizer.finish();
    out
}

/// One readable line from a JSON value or attribute: stray tags taken out, entities decoded once.
pub fn line(raw: &str) -> String {
    if is_markup(raw) {
        return squeeze(&from_html(raw));
    }
    let decoded = decode_entities(raw);
    if is_markup(&decoded) { squeeze(&from_html(&decoded)) } else { squeeze(&decoded) }
}

/// Paragraphs from a description that may be HTML, HTML escaped once more, or plain text.
pub fn paragraphs(raw: &str) -> String {
    if is_markup(raw) {
        return from_html(raw);
    }
    let decoded = decode_entities(raw);
    if is_markup(&decoded) {
        return from_html(&decoded);
    }
    let mut text = Collector::default();
    for (number, line) in decoded.lines().enumerate() {
        if line.trim().is_empty() {
            text.gap(Gap::Paragraph);
        } else if number > 0 {
            text.gap(Gap::Line);
        }
        text.text(line);
    }
    text.finish()
}

/// The text of a fragment of HTML with its paragraphs and lines kept.
pub fn from_html(html: &str) -> String {
    let mut text = Collector::default();
    let mut unseen = false; // inside script, style and the like, whose text comes as one piece
    let emitter = {
        let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| {
            match event {
                CallbackEvent::OpenStartTag { name } => {
                    text.gap(gap_of(name));
                    unseen = matches!(name, b"script" | b"style" | b"noscript" | b"iframe");
                }
                CallbackEvent::EndTag { name } => {
                    text.gap(gap_of(name));
                    unseen = false;
                }
                CallbackEvent::String { value } if !unseen => {
                    text.text(&String::from_utf8_lossy(value));
                }
                _ => {}
            }
            None::<Infallible>
        });
        emitter.naively_switch_states(true);
        emitter
    };
    let Ok(()) = Tokenizer::new_with_emitter(html, Quiet(emitter)).finish();
    text.finish()
}

fn gap_of(name: &[u8]) -> Gap {
    match name {
        b"p" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"ul" | b"ol" | b"table" | b"section"
        | b"article" | b"blockquote" | b"pre" | b"hr" => Gap::Paragraph,
        b"br" | b"li" | b"div" | b"tr" | b"dt" | b"dd" => Gap::Line,
        b"td" | b"th" => Gap::Space,
        _ => Gap::None,
    }
}

/// Whether a text holds a tag that people really put into descriptions; `a < b` and `Vec<u8>` do not.
fn is_markup(text: &str) -> bool {
    const TAGS: &[&str] = &[
        "a",
        "article",
        "b",
        "blockquote",
        "br",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "em",
        "font",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "img",
        "li",
        "ol",
        "p",
        "pre",
        "script",
        "section",
        "small",
        "span",
        "strong",
        "style",
        "sub",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "tr",
        "u",
        "ul",
    ];
    text.match_indices('<').any(|(at, _)| {
        let rest = text[at + 1..].trim_start_matches('/').as_bytes();
        let length = rest.iter().take(12).take_while(|b| b.is_ascii_alphanumeric()).count();
        let closed =
            rest.get(length).is_some_and(|b| matches!(b, b'>' | b'/' | b' ' | b'\n' | b'\t' | b'\r'));
        closed && TAGS.iter().any(|tag| rest[..length].eq_ignore_ascii_case(tag.as_bytes()))
    })
}

/// For comparing: lower case, no diacritics, words of letters and digits with one space between.
pub fn fold(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(text.len());
    let (mut gap, mut at) = (false, 0);
    while let Some(&byte) = bytes.get(at) {
        // nearly every letter of nearly every page
        if byte.is_ascii() {
            at += 1;
            match PLAIN[usize::from(byte)] {
                0 => gap = true,
                letter => {
                    if gap && !out.is_empty() {
                        out.push(b' ');
                    }
                    gap = false;
                    out.push(letter);
                }
            }
            continue;
        }
        let Some(whole) = text[at..].chars().next() else { break };
        at += whole.len_utf8();
        for c in whole.to_lowercase() {
            if matches!(c, '\u{300}'..='\u{36F}') || is_invisible(c) {
                continue;
            }
            if !c.is_alphanumeric() {
                gap = true;
                continue;
            }
            if gap && !out.is_empty() {
                out.push(b' ');
            }
            gap = false;
            match bare(c) {
                Some(letters) => out.extend_from_slice(letters.as_bytes()),
                None => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }
    String::from_utf8(out).unwrap_or_default()
}

/// What becomes of each plain letter: itself in lower case, or nothing where it parts words.
static PLAIN: [u8; 128] = {
    let mut table = [0; 128];
    let mut at = 0;
    while at < 128 {
        let byte = at as u8;
        if byte.is_ascii_alphanumeric() {
            table[at] = byte.to_ascii_lowercase();
        }
        at += 1;
    }
    table
};

/// The Latin letters of the languages we read notices in, without their marks.
fn bare(c: char) -> Option<&'static str> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' | 'ă' | 'ā' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'č' => "c",
        'ď' | 'đ' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' | 'ē' => "e",
        'ì' | 'í' | 'î' | 'ï' | 'ī' => "i",
        'ł' | 'ľ' | 'ĺ' => "l",
        'ñ' | 'ń' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' => "o",
        'œ' => "oe",
        'ř' | 'ŕ' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ţ' | 'ț' => "t",
        'ù' | 'ú' | 'û' | 'ü' | 'ů' | 'ű' | 'ū' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn entities_are_decoded_exactly_once() {
        assert_eq!(line("R&amp;D &ndash; Brno"), "R&D – Brno");
        assert_eq!(line("&amp;lt;"), "&lt;");
        assert_eq!(line("Senior Vec<u8> wrangler, 3 < 5"), "Senior Vec<u8> wrangler, 3 < 5");
        assert_eq!(line("<b>Cook</b><br>Chef &amp;lt;"), "Cook Chef &lt;");
        assert_eq!(line("&lt;b&gt;Cook&lt;/b&gt; R&amp;amp;D"), "Cook R&D", "escaped as a whole");
    }

    #[test]
    fn a_description_keeps_its_paragraphs_in_every_dress() {
        let expected = "We bake.\n\nYou bring:\n\nflour\npatience & time";
        let html = "<p>We  bake.</p><p>You\nbring:</p><ul><li>flour</li><li>patience &amp; time</li></ul>";
        assert_eq!(paragraphs(html), expected);
        let escaped = html.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert_eq!(paragraphs(&escaped), expected);
        assert_eq!(paragraphs("We bake.\r\n\r\n\r\nYou bring"), "We bake.\n\nYou bring");
        assert_eq!(paragraphs("<div>a<script>evil()</script><style>x{}</style>b</div>"), "ab");
    }

    #[test]
    fn markup_that_is_talked_about_stays() {
        assert_eq!(paragraphs("<p>Write &lt;p&gt; tags</p>"), "Write <p> tags");
    }

    proptest! {
        #[test]
        fn folding_goes_by_letters_whatever_stands_beside_them(text in "[a-zA-Z0-9 .,&\\-\u{300}ßÉçİŁž漢\u{200b}\u{ad}]{0,40}|.*") {
            let mut words: Vec<String> = vec![String::new()];
            for c in text.chars().flat_map(char::to_lowercase) {
                if matches!(c, '\u{300}'..='\u{36F}') || is_invisible(c) {
                    continue;
                }
                match (c.is_alphanumeric(), words.last_mut()) {
                    (true, Some(word)) => match bare(c) {
                        Some(letters) => word.push_str(letters),
                        None => word.push(c),
                    },
                    _ => words.push(String::new()),
                }
            }
            words.retain(|word| !word.is_empty());
            prop_assert_eq!(fold(&text), words.join(" "));
        }
    }

    #[test]
    fn folding_drops_case_marks_and_punctuation() {
        assert_eq!(fold("  Příliš ŽLUŤOUČKÝ—kůň! "), "prilis zlutoucky kun");
        assert_eq!(fold("Straße / łódź"), "strasse lodz");
        assert_eq!(fold("e\u{301}te\u{301}"), "ete");
    }

    proptest! {
        #[test]
        fn squeezing_twice_changes_nothing(text in ".*") {
            let once = squeeze(&text);
            prop_assert_eq!(squeeze(&once), once.clone());
        }

        #[test]
        fn any_text_can_be_read_as_a_description(text in ".*") {
            let _ = (paragraphs(&text), line(&text), fold(&text));
        }
    }
}
