//! What a company says of itself under headings of its own: about, mission, culture, technologies; and when it
//! was founded. Sections are taken by their heading, never by a guess at prose.

use crate::reading::method::Method;
use jiff::Timestamp;

use super::normal::Raw;
use super::page::{Heading, NodeId, Page};
use super::plain_text::fold;

/// Headings, folded: the whole heading, or how it begins.
const HEADINGS: &[(&str, &[&str], &[&str])] = &[
    (
        "about",
        &[
            "about",
            "about us",
            "who we are",
            "our story",
            "our company",
            "company",
            "company overview",
            "overview",
            "our history",
            "history",
            "uber uns",
            "wer wir sind",
            "unternehmen",
            "das unternehmen",
            "qui sommes nous",
            "a propos",
            "sobre nosotros",
            "quienes somos",
            "o nas",
            "o spolecnosti",
            "o firmie",
            "chi siamo",
            "over ons",
            "company profile",
            "profile",
        ],
        &["about ", "welcome to ", "uber die "],
    ),
    (
        "mission",
        &[
            "mission",
            "our mission",
            "mission statement",
            "our purpose",
            "purpose",
            "vision",
            "our vision",
            "mission and vision",
            "mission vision",
            "vision and mission",
            "unsere mission",
            "unsere vision",
            "notre mission",
            "nuestra mision",
            "mision",
            "nasza misja",
            "nase poslani",
            "nase mise",
            "la nostra missione",
            "missie",
            "why we exist",
        ],
        &["our mission", "mission "],
    ),
    (
        "culture",
        &[
            "culture",
            "our culture",
            "values",
            "our values",
            "core values",
            "our core values",
            "company culture",
            "life at",
            "what we believe",
            "our people",
            "working here",
            "unsere werte",
            "unsere kultur",
            "werte",
            "nos valeurs",
            "notre culture",
            "nuestros valores",
            "nuestra cultura",
            "nasze wartosci",
            "nase hodnoty",
            "i nostri valori",
            "mission and values",
            "mission values",
        ],
        &["life at ", "working at ", "our culture", "our values"],
    ),
    (
        "tech_stack",
        &[
            "tech stack",
            "our tech stack",
            "technology stack",
            "our stack",
            "technologies",
            "our technologies",
            "technologies we use",
            "technology",
            "tools we use",
            "the stack",
            "unser tech stack",
            "technologien",
            "technologie",
            "tecnologias",
            "nase technologie",
        ],
        &["our tech", "technologies we"],
    ),
];

/// A section is short; what is longer is the page itself.
const MAX_SECTION: usize = 12_000;
const MAX_HEADINGS: usize = 300;
/// Each section is a walk over the page.
const MAX_SECTIONS: usize = 12;

pub fn offers(raw: &mut Raw, page: &Page, fetched_at: Timestamp) {
    let headings = page.headings();
    let mut sections = 0;
    for (at, heading) in headings.iter().enumerate().take(MAX_HEADINGS) {
        let folded = fold(&heading.text);
        if folded.len() > 60 {
            continue;
        }
        let whole = HEADINGS.iter().find(|(_, names, _)| names.contains(&folded.as_str()));
        let begins =
            || HEADINGS.iter().find(|(_, _, begins)| begins.iter().any(|begin| folded.starts_with(begin)));
        let Some((field, ..)) = whole.or_else(begins) else { continue };
        sections += 1;
        if sections > MAX_SECTIONS {
            break;
        }
        raw.offer(
            field,
            Method::Selectors,
            section(page, heading, headings.get(at + 1))
                .filter(|text| *field == "tech_stack" || is_prose(text)),
        );
    }
    let year = i64::from(fetched_at.to_zoned(jiff::tz::TimeZone::UTC).year());
    let lines = page.lines(5_000);
    raw.offer("founded", Method::TextRule, lines.iter().find_map(|line| founded(line, year)));
}

/// What stands between a heading and the next.
fn section(page: &Page, heading: &Heading, next: Option<&Heading>) -> Option<String> {
    let mut text = String::new();
    let mut pieces: Vec<NodeId> = Vec::new();
    for name in ["p", "li", "dd", "blockquote"] {
        let inside =
            page.named(name).filter(|id| *id > heading.node && next.is_none_or(|next| *id < next.node));
        pieces.extend(inside.take(100));
    }
    pieces.sort_unstable();
    let mut last: Option<NodeId> = None;
    for id in pieces {
        // a paragraph in a list item is the same text again; on a hostile page it is the whole page again
        if last.is_some_and(|last| page.holds(last, id)) {
            continue;
        }
        last = Some(id);
        let piece = page.text_of(id);
        if !piece.is_empty() {
            text.push_str(if text.is_empty() { "" } else { "\n\n" });
            text.push_str(&piece);
        }
        if text.len() > MAX_SECTION {
            break;
        }
    }
    (!text.is_empty()).then_some(text)
}

/// Whether any line has the length of a sentence; a list of links has none.
fn is_prose(text: &str) -> bool {
    text.lines().any(|line| line.split_whitespace().count() >= 5)
}

/// `Founded in 1998`, `established 1911`, `seit 1974`: a year behind a word that means a beginning.
fn founded(line: &str, this_year: i64) -> Option<String> {
    const WORDS: &[&str] = &[
        "founded",
        "established",
        "est",
        "since",
        "incorporated",
        "gegrundet",
        "seit",
        "grundungsjahr",
        "fondee",
        "fonde",
        "depuis",
        "fundada",
        "desde",
        "zalozena",
        "zalozeno",
        "od roku",
        "zalozony",
        "zalozona",
        "fondata",
        "opgericht",
        "began",
        "started",
    ];
    if line.len() > 400 {
        return None;
    }
    let folded = fold(line);
    let words: Vec<&str> = folded.split(' ').collect();
    for (at, word) in words.iter().enumerate() {
        let year =
            word.parse::<i64>().ok().filter(|year| word.len() == 4 && (1600..=this_year).contains(year));
        let Some(year) = year else { continue };
        let before = &words[at.saturating_sub(4)..at];
        // `since` means the beginning only right before the year, and not in `customers since 2010`
        let near = before.last().is_some_and(|last| {
            matches!(*last, "in" | "im" | "en" | "w" | "v" | "roku" | "year" | "anno" | "of")
                || WORDS.contains(last)
        });
        let said = before.iter().rev().take(3).any(|word| WORDS.contains(word));
        let weak = before
            .iter()
            .any(|word| matches!(*word, "since" | "seit" | "depuis" | "desde" | "began" | "started" | "od"));
        let own = !weak || words.len() <= 12;
        if near && said && own {
            return Some(year.to_string());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal;

    #[test]
    fn a_year_counts_behind_a_word_for_a_beginning() {
        for (line, year) in [
            ("Founded in 1998 by two bakers", Some("1998")),
            ("Candles, hand-dipped since 1911.", Some("1911")),
            ("Gegründet 1974 in Graz", Some("1974")),
            ("Firma założona w 2004 roku", Some("2004")),
            ("© 2026 Lantern Ltd", None),
            ("Founded in 2999", None),
            (
                "We have served over one thousand happy customers in the whole county since 2010, every day",
                None,
            ),
            ("Room 1998", None),
        ] {
            assert_eq!(founded(line, 2026).as_deref(), year, "{line}");
        }
    }

    #[test]
    fn sections_are_taken_by_their_headings() {
        let html = "<h1>Lantern</h1><h2>Our mission</h2><p>Every harbour shall have its light.</p><ul><li><p>Day and night, all year.</p></li></ul>
            <h2>Our values</h2><p>Patience, oil, and clean glass.</p><h2>Tech stack</h2><ul><li>Rust</li><li>PostgreSQL</li><li>Docker</li></ul>
            <h2>News</h2><p>Nothing new under the lamp.</p>";
        let page = Page::parse(html.as_bytes(), None).unwrap();
        let mut raw = Raw::default();
        offers(&mut raw, &page, "2026-11-16T00:00:00Z".parse().unwrap());
        let fields = normal::company_website(&raw).fields;
        assert_eq!(
            fields.mission.as_deref(),
            Some("Every harbour shall have its light.\n\nDay and night, all year.")
        );
        assert_eq!(fields.culture.as_deref(), Some("Patience, oil, and clean glass."));
        let stack: Vec<_> = fields.tech_stack.unwrap().iter().map(|skill| skill.name()).collect();
        assert_eq!(stack, ["Rust", "PostgreSQL", "Docker"]);
        assert_eq!(fields.about, None);
    }
}
