//! The number under which a company itself keeps an opening: `R-12345`, `JR0012345`, `REQ-77`, or any number
//! that is labelled as one. Found by its shape, in an address or a text; the same number on two boards is the
//! same opening. Never guessed: a bare number in a path is somebody's id, not a requisition.

use std::fmt;

use ::url::Url;

use crate::plain_text::fold;

/// A requisition's number in one spelling: letters in upper case, then the digits, without what stood between.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Requisition(String);

impl Requisition {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A number read back from where it was put.
    pub fn stored(text: String) -> Requisition {
        Requisition(text)
    }
}

impl fmt::Display for Requisition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Letters that mark a requisition, and how many digits must follow, with a separator between and without.
const PREFIXES: &[(&str, usize, usize)] = &[
    ("R", 4, 5),
    ("JR", 3, 4),
    ("REQ", 2, 3),
    ("RQ", 3, 4),
    ("J", 5, 7),
    ("JOBREQ", 2, 3),
    ("JREQ", 2, 3),
    ("TR", 4, 5),
    ("HRQ", 3, 4),
    ("IRC", 5, 5),
    ("PRF", 4, 5),
    ("VN", 4, 5),
];

/// The most digits that are still a number of a person's making.
const MAX_DIGITS: usize = 12;

/// Parameters whose value is a requisition, whatever its shape.
const PARAMETERS: &[&str] = &[
    "reqid",
    "req_id",
    "requisitionid",
    "requisition_id",
    "jobreqid",
    "job_req_id",
    "career_job_req_id",
    "reqno",
];

/// Words before a number that say what it is, folded; the longest first where one begins another.
const LABELS: &[&str] = &[
    "requisition id",
    "requisition number",
    "requisition no",
    "requisition",
    "job requisition id",
    "job requisition",
    "req id",
    "req number",
    "req no",
    "req",
    "job id",
    "job number",
    "job no",
    "job ref",
    "job reference",
    "job code",
    "posting id",
    "posting number",
    "vacancy id",
    "vacancy number",
    "vacancy ref",
    "reference number",
    "reference code",
    "reference id",
    "reference no",
    "reference",
    "ref no",
    "ref id",
    // German
    "kennziffer",
    "referenznummer",
    "referenz nr",
    "stellen id",
    "stellennummer",
    "job nr",
    // French
    "reference de l offre",
    "reference du poste",
    "numero de reference",
    // Spanish
    "numero de referencia",
    "codigo de la oferta",
    // Polish
    "numer referencyjny",
    "nr referencyjny",
    "nr ref",
    // Czech
    "cislo pozice",
    "referencni cislo",
];

/// How far into a text a number is looked for; it stands at the head of a posting or at its end.
const WINDOW: usize = 2_000;

/// The requisition an address names: a parameter made for it, or a part of the path in its shape.
pub fn in_url(url: &Url) -> Option<Requisition> {
    let named = url
        .query_pairs()
        .find(|(name, _)| PARAMETERS.iter().any(|parameter| name.eq_ignore_ascii_case(parameter)));
    if let Some(number) = named.and_then(|(_, value)| labelled(&value)) {
        return Some(number);
    }
    // `Cook-in-Graz_R-12345-1`: the number ends the segment; `-1` counts its postings.
    url.path().rsplit('/').filter(|segment| !segment.is_empty()).find_map(ending)
}

/// The requisition a text names: behind a label, or by its shape alone.
pub fn in_text(text: &str) -> Option<Requisition> {
    let head = &text[..text.floor_char_boundary(WINDOW)];
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(WINDOW)).max(head.len())..];
    [head, tail].into_iter().find_map(|part| part.lines().find_map(after_label).or_else(|| by_shape(part)))
}

/// A value that is known to be a requisition: any short word with digits enough.
pub fn labelled(value: &str) -> Option<Requisition> {
    let value = value.trim().trim_matches(['#', ':', '(', ')', '.', ',']);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let fits = value.is_ascii()
        && (3..=24).contains(&value.len())
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'/' | b'.'))
        && value.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
        && digits >= 3
        && !looks_like_a_date(value);
    if !fits {
        return None;
    }
    whole(value).or_else(|| {
        let plain: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
        Some(Requisition(plain.to_ascii_uppercase()))
    })
}

/// `2026-11-16`, `16.11.2026`, `11/2026`, or a year by itself.
fn looks_like_a_date(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '.', '/']).collect();
    let year = |part: &str| part.len() == 4 && (part.starts_with("19") || part.starts_with("20"));
    let numbers = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    numbers && parts.len() <= 3 && parts.iter().any(|part| year(part)) && parts.iter().all(|p| p.len() <= 4)
}

/// A line such as `Job ID: 4711 · Graz`: the word after a label and a colon, a number sign or the word itself.
fn after_label(line: &str) -> Option<Requisition> {
    if line.len() > 400 || !line.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    // A label ends with a mark, or the line is nothing but label and number.
    for (at, _) in line.match_indices([':', '#']) {
        let (before, rest) =
            (fold(&line[..at]), line[at + 1..].trim_start_matches([':', '#', ' ', '\u{a0}']));
        let is_label = LABELS.iter().any(|label| {
            before.strip_suffix(label).is_some_and(|start| start.is_empty() || start.ends_with(' '))
        });
        if is_label && let Some(number) = rest.split_whitespace().next().and_then(labelled) {
            return Some(number);
        }
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let (last, label) = words.split_last()?;
    (words.len() <= 5 && LABELS.contains(&fold(&label.join(" ")).as_str())).then(|| labelled(last)).flatten()
}

/// A word in the shape of a requisition, anywhere in a text.
fn by_shape(text: &str) -> Option<Requisition> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')));
    words.filter(|word| (4..=24).contains(&word.len())).find_map(whole)
}

/// The end of a path's segment: `cook-R-12345`, `cook-jr0012345-2`.
fn ending(segment: &str) -> Option<Requisition> {
    let starts = segment.rmatch_indices(['-', '_']).take(4).map(|(at, _)| at + 1).chain([0]);
    starts.filter_map(|at| segment.get(at..)).find_map(whole)
}

/// Whether a word is a requisition by its shape alone.
pub fn is_number(word: &str) -> bool {
    whole(word).is_some()
}

/// A word that is a requisition from end to end: letters, at most one separator, digits, and perhaps the
/// count of the posting (`-1`).
fn whole(word: &str) -> Option<Requisition> {
    let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (prefix, rest) = (word.get(..letters)?.to_ascii_uppercase(), word.get(letters..)?);
    let apart = rest.starts_with(['-', '_']);
    let rest = if apart { &rest[1..] } else { rest };
    let count = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, after) = (rest.get(..count)?, rest.get(count..)?);
    let (_, with, without) = PREFIXES.iter().find(|(known, ..)| *known == prefix)?;
    let enough = count >= if apart { *with } else { *without };
    let posting = after.strip_prefix(['-', '_']).unwrap_or(after);
    let ends = after.is_empty()
        || (after.len() > posting.len()
            && (1..=2).contains(&posting.len())
            && posting.bytes().all(|b| b.is_ascii_digit()));
    (enough && count <= MAX_DIGITS && ends).then(|| Requisition(format!("{prefix}{digits}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(text: &str) -> Option<String> {
        in_url(&Url::parse(text).unwrap()).map(|number| number.0)
    }

    fn text(text: &str) -> Option<String> {
        in_text(text).map(|number| number.0)
    }

    #[test]
    fn an_address_names_it_by_its_shape() {
        let is = |address: &str, number: &str| assert_eq!(url(address).as_deref(), Some(number), "{address}");
        is("https://kiln.wd5.example/en-US/Ext/job/Graz/Head-Potter_R-2126706-1", "R2126706");
        is("https://kiln.wd5.example/job/Graz/Head-Potter_JR0012345", "JR0012345");
        is("https://kiln.example/jobs/head-potter-req-4711", "REQ4711");
        is("https://kiln.example/jobs/REQ_4711/head-potter", "REQ4711");
        is("https://kiln.example/apply?lang=de&jobReqId=90210", "90210");
        is("https://kiln.example/job/potter_J-00318632", "J00318632");
        for none in [
            "https://kiln.example/jobs/4711",
            "https://kiln.example/jobs/r-1",
            "https://kiln.example/jobs/head-potter-2026",
            "https://kiln.example/?reqid=none",
            "https://kiln.example/jr/senior-potter",
        ] {
            assert_eq!(url(none), None, "{none}");
        }
    }

    #[test]
    fn a_text_names_it_by_a_label_or_its_shape() {
        let is = |said: &str, number: &str| assert_eq!(text(said).as_deref(), Some(number), "{said}");
        is("Head potter\nJob ID: 4711 · Graz", "4711");
        is("We fire bowls.\nRequisition #: JR-0012345", "JR0012345");
        is("Kennziffer: KI/2026-17", "KI202617");
        is("Référence : AB-9001", "AB9001");
        is("Numer referencyjny 77123", "77123");
        is("Please quote R-48213 when you apply.", "R48213");
        for none in [
            "Reference: available on request",
            "Job reference: 2026-11-16",
            "Founded 1998, 4500 people",
            "Call 555-0199, ask for R2",
            "Req: five years of clay",
            "",
        ] {
            assert_eq!(text(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn every_spelling_of_one_number_is_one(prefix in "JR|REQ|R", digits in "[1-9][0-9]{4,7}") {
            let spellings = [
                format!("{prefix}{digits}"), format!("{prefix}-{digits}"), format!("{prefix}_{digits}"),
                format!("{}-{digits}-1", prefix.to_lowercase()),
            ];
            for spelling in spellings {
                let found = url(&format!("https://a.example/job/Some-Title_{spelling}"));
                prop_assert_eq!(found, Some(format!("{prefix}{digits}")), "{}", spelling);
            }
        }

        #[test]
        fn any_text_is_searched_without_harm(said in "\\PC{0,300}", far in 0_usize..3_000) {
            in_text(&said);
            in_text(&format!("{said}{}{said}", "é".repeat(far)));
        }
    }
}
