//! Which of the days that `texts::date` reads may be a posting's own: when it was put up, and until when it stands.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::texts::date::{Precision, day};
use crate::texts::hint::Hint;

/// Longer text beside a label is not its day.
const MAX_TEXT: usize = 120;
/// `2 weeks ago` is a day or two off; `3 months ago` may be off by weeks, and is no day.
const NEAR: i32 = 35;

/// The day a posting was put up. Days that are still to come, or long past, are no posting's, and `30+ days ago` only
/// says that it is older.
pub fn posted(text: &str, fetched_at: Timestamp, hint: Hint<'_>) -> Option<Date> {
    let found = day(text, fetched_at, hint).filter(|_| text.len() <= MAX_TEXT)?;
    let today = today(fetched_at);
    let known = match found.precision {
        Precision::Day => true,
        Precision::About => today.since(found.date).is_ok_and(|age| age.get_days() <= NEAR),
        Precision::Month | Precision::NoLater => false,
    };
    let latest = today.checked_add(1.day()).ok()?;
    (known && found.date.year() >= 1995 && found.date <= latest).then_some(found.date)
}

/// The last day of a posting, which may be far ahead but is never counted back from today.
pub fn until(text: &str, fetched_at: Timestamp, hint: Hint<'_>) -> Option<Date> {
    let found = day(text, fetched_at, hint).filter(|_| text.len() <= MAX_TEXT)?;
    let horizon = today(fetched_at).checked_add(2.years()).ok()?;
    let stated = found.precision == Precision::Day && !matches!(found.rule, "relative" | "without_year");
    (stated && found.date.year() >= 1995 && found.date <= horizon).then_some(found.date)
}

fn today(fetched_at: Timestamp) -> Date {
    fetched_at.to_zoned(TimeZone::UTC).date()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> Timestamp {
        "2026-11-16T12:00:00Z".parse().unwrap()
    }

    fn on(text: &str, hint: Hint<'_>) -> Option<String> {
        posted(text, now(), hint).map(|day| day.to_string())
    }

    #[test]
    fn a_day_is_read_in_many_forms() {
        for text in [
            "2026-10-03",
            "2026-10-03T08:00:00Z",
            "October 3, 2026",
            "Oct 3rd, 2026",
            "3 October 2026",
            "Sat, 3 Oct 2026",
            "3. Oktober 2026",
            "3 octobre 2026",
            "3 de octubre de 2026",
            "3 października 2026",
            "3. října 2026",
            "03.10.2026",
            "3. 10. 2026",
            "2026/10/03",
        ] {
            assert_eq!(on(text, Hint::default()).as_deref(), Some("2026-10-03"), "{text}");
        }
        assert_eq!(on("10/03/2026", Hint::of_country("US")).as_deref(), Some("2026-10-03"));
        assert_eq!(on("03/10/2026", Hint::of_country("GB")).as_deref(), Some("2026-10-03"));
        assert_eq!(on("10/23/2026", Hint::default()).as_deref(), Some("2026-10-23"));
        assert_eq!(on("10/03/26 9:00", Hint::of_country("US")).as_deref(), Some("2026-10-03"));
    }

    #[test]
    fn what_could_be_two_days_or_none_is_none() {
        for text in [
            "10/03/2026",
            "",
            "soon",
            "3 years experience",
            "99/99/2026",
            "2031-01-01",
            "call 555 1234",
            "1/2",
            "30+ days ago",
            "more than 30 days ago",
            "vor mehr als 30 Tagen",
            "3 months ago",
            "October 2026",
        ] {
            assert_eq!(on(text, Hint::default()), None, "{text}");
        }
    }

    #[test]
    fn time_past_is_counted_from_the_visit() {
        for text in [
            "3 days ago",
            "vor 3 Tagen",
            "il y a 3 jours",
            "hace 3 días",
            "3 dni temu",
            "před 3 dny",
            "3 giorni fa",
        ] {
            assert_eq!(on(text, Hint::default()).as_deref(), Some("2026-11-13"), "{text}");
        }
        assert_eq!(on("yesterday", Hint::default()).as_deref(), Some("2026-11-15"));
        assert_eq!(on("5 hours ago", Hint::default()).as_deref(), Some("2026-11-16"));
        assert_eq!(on("2 weeks ago", Hint::default()).as_deref(), Some("2026-11-02"));
        assert_eq!(on("3 days of holiday", Hint::default()), None);
    }

    #[test]
    fn a_last_day_may_be_ahead_and_is_never_counted_back() {
        let until = |text: &str| until(text, now(), Hint::default()).map(|day| day.to_string());
        assert_eq!(until("31 January 2027").as_deref(), Some("2027-01-31"));
        for text in ["3 days ago", "2031-01-01", "31 January", "today"] {
            assert_eq!(until(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_asked(text in ".*", numbers in "[0-9./ -]{0,30}") {
            for text in [text, numbers] {
                let _ = (on(&text, Hint::of_country("US")), until(&text, now(), Hint::of_language("de")));
            }
        }
    }
}
