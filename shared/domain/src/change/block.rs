//! The fingerprint of a posting's own block: its text without what moves by itself (how long ago, how many
//! applied, numbers of sessions) and without the other postings around it.

use sha2::{Digest, Sha256};

use crate::page::Page;
use crate::plain_text::fold;
use crate::posting::Posting;

/// Words beside a number that counts by itself, folded: ages and audiences, in the languages we read.
const COUNTED: &[&str] = &[
    "ago",
    "applicant",
    "applicants",
    "applied",
    "applications",
    "views",
    "viewed",
    "view",
    "people",
    "candidates",
    "clicks",
    "visits",
    "posted",
    "updated",
    "online",
    "left",
    "remaining",
    "yesterday",
    "today",
    "just",
    "vor",
    "tagen",
    "stunden",
    "wochen",
    "heute",
    "gestern",
    "bewerber",
    "bewerbungen",
    "aufrufe",
    "veroffentlicht",
    "publie",
    "publiee",
    "jours",
    "heures",
    "semaines",
    "hier",
    "candidatures",
    "vues",
    "hace",
    "dias",
    "horas",
    "semanas",
    "ayer",
    "hoy",
    "candidatos",
    "visitas",
    "publicado",
    "temu",
    "dni",
    "godzin",
    "tygodni",
    "dzisiaj",
    "wczoraj",
    "aplikacji",
    "wyswietlen",
    "dodano",
    "pred",
    "dny",
    "hodinami",
    "tydny",
    "dnes",
    "vcera",
    "zobrazeni",
    "uchazecu",
    "zverejneno",
];

/// A line that only counts is short.
const SHORT_LINE: usize = 90;

/// Of the block around a title, and of the description where it was read; none when there are no words.
pub fn fingerprint(page: &Page, title: Option<&str>, description: Option<&str>) -> Option<String> {
    let lines = page.own_lines(title);
    of_lines(lines.iter().map(String::as_str).chain(description.into_iter().flat_map(str::lines)))
}

/// Of a posting whose data says everything: its own words, and nothing of the page around them.
pub fn of_posting(posting: &Posting) -> Option<String> {
    let texts = [&posting.job_title, &posting.company_name, &posting.salary_range, &posting.description];
    let places = posting.locations.iter().filter_map(|place| place.raw.as_deref());
    of_lines(texts.into_iter().flatten().flat_map(|text| text.lines()).chain(places))
}

/// Of the lines of a block.
pub fn of_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut sum = Sha256::new();
    let mut words = 0_usize;
    for line in lines.filter_map(still) {
        words += line.split(' ').count();
        sum.update((line.len() as u64).to_be_bytes());
        sum.update(line.as_bytes());
    }
    (words >= 3).then(|| hex::encode(sum.finalize()))
}

/// What of a line stays while the posting stays.
fn still(line: &str) -> Option<String> {
    let folded = fold(line);
    if folded.is_empty() || is_token(line.trim()) {
        return None;
    }
    let counts = folded.len() <= SHORT_LINE && folded.split(' ').any(|word| COUNTED.contains(&word));
    (!counts).then_some(folded)
}

/// One long word of letters and digits in turn: a session, a nonce.
fn is_token(line: &str) -> bool {
    line.len() >= 16
        && line.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'=' | b'.'))
        && line.bytes().filter(u8::is_ascii_digit).count() >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Option<String> {
        of_lines(lines.iter().copied())
    }

    #[test]
    fn what_counts_by_itself_is_left_out() {
        let once = of(&[
            "Potter",
            "Posted 3 days ago",
            "150 applicants",
            "Make bowls and fire them",
            "9f86d081884c7d659a2f",
        ]);
        let later = of(&[
            "Potter",
            "Posted 4 days ago",
            "180 applicants",
            "Make bowls and  fire them",
            "60303ae22b998861bce3",
        ]);
        assert!(once.is_some());
        assert_eq!(once, later);
        assert_eq!(
            of(&["Inzerát", "Dodáno", "před 3 dny", "tři slova tady"]),
            of(&["Inzerát", "Dodáno", "před 9 dny", "tři slova tady"])
        );
    }

    #[test]
    fn what_the_posting_says_is_not() {
        let once = of(&["Potter", "30,000 a year", "Make bowls and fire them"]);
        assert_ne!(once, of(&["Potter", "32,000 a year", "Make bowls and fire them"]));
        assert_ne!(once, of(&["Head potter", "30,000 a year", "Make bowls and fire them"]));
        assert_ne!(
            once,
            of(&["Potter", "30,000 a year", "Make bowls and fire them", "This position is closed"])
        );
        assert_eq!(of(&["", "two words"]), None);
    }
}
