//! Whether a value that was read is the one that was expected. Marks, case and punctuation do not count; what a board
//! prints around a value (`> Cook`, `Cook: Lantern Ltd`, `Posted: May 3`) does not make it another value.

use domain::plain_text::{decode_entities, fold};
use jiff::civil::Date;

/// How two texts compare.
fn folded(text: &str) -> String {
    fold(&decode_entities(&decode_entities(text)))
}

/// Equal, or the expected text is ours with something printed before or after it.
pub fn text(ours: &str, expected: &str) -> bool {
    let (ours, expected) = (folded(ours), folded(expected));
    !ours.is_empty() && ours == expected
}

/// A title is right when it equals one of the texts, or is the whole part before or after a separator of one.
pub fn title(ours: &str, expected: &str) -> bool {
    let decoded = decode_entities(expected);
    text(ours, expected)
        || [": ", " - ", " | ", " – "].iter().any(|separator| {
            decoded
                .match_indices(separator)
                .any(|(at, _)| text(ours, &decoded[..at]) || text(ours, &decoded[at + separator.len()..]))
        })
}

/// Every place of the expected text is in ours, or the other way round.
pub fn place(ours: &str, expected: &str) -> bool {
    if text(ours, expected) {
        return true;
    }
    let (ours, expected) = (folded(ours), folded(expected));
    // `Springfield, IL` for `Springfield, IL 62704`: the same place with and without its postcode
    let bare = |text: &str| {
        let words: Vec<&str> = text
            .split(' ')
            .filter(|word| !(word.len() >= 4 && word.bytes().all(|b| b.is_ascii_digit())))
            .collect();
        words.join(" ")
    };
    bare(&ours) == bare(&expected) && !bare(&ours).is_empty()
}

/// The day an expected text speaks of, by the forms that truth files use. Month first where it is not said.
pub fn day(text: &str) -> Option<Date> {
    const MONTHS: &[&str] =
        &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    if let Some(Ok(day)) = text.trim().get(..10).map(str::parse) {
        return Some(day);
    }
    let text = folded(text);
    let words: Vec<&str> = text.split(' ').collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<i16>().ok());
    let month = |at: usize| {
        let word = words.get(at)?;
        MONTHS.iter().position(|month| word.starts_with(month) && word.len() >= 3).map(|at| at as i8 + 1)
    };
    let small = |value: i16| i8::try_from(value).ok();
    (0..words.len()).find_map(|at| {
        let read = |year: Option<i16>, month: Option<i8>, day: Option<i16>| {
            Date::new(year.filter(|year| *year > 1990)?, month?, small(day?)?).ok()
        };
        read(number(at + 2), month(at), number(at + 1))
            .or_else(|| read(number(at + 2), month(at + 1), number(at)))
            .or_else(|| read(number(at), number(at + 1).and_then(small), number(at + 2)))
            .or_else(|| read(number(at + 2), number(at).and_then(small), number(at + 1)))
            .or_else(|| read(number(at + 2), number(at + 1).and_then(small), number(at)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_board_prints_around_a_value_does_not_matter() {
        assert!(title("Cook", "&gt; Cook") && title("Cook", "Cook: Lantern Ltd"));
        assert!(!title("Cook", "Cook Assistant") && !title("", "Cook"));
        assert!(place("Galway, IE", "Galway,  IE 90210") && !place("Galway", "Sligo"));
    }

    #[test]
    fn a_day_is_read_in_the_forms_of_truth_files() {
        let day = |text| day(text).map(|day| day.to_string());
        assert_eq!(day("Posted:&nbsp; December 3, 2010").as_deref(), Some("2010-12-03"));
        assert_eq!(day("05/20/2011").as_deref(), Some("2011-05-20"));
        assert_eq!(day("2011-05-20T10:00:00Z").as_deref(), Some("2011-05-20"));
        assert_eq!(day("today"), None);
    }
}
