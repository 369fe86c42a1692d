//! The days that boards write, each in the one format its system has.

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// `2026-11-02`, alone or before a time: the day as the board wrote it, in the board's own time zone.
pub fn iso(text: &str) -> Option<Date> {
    let text = text.trim();
    let day = text.get(..10)?;
    let alone = text.as_bytes().get(10).is_none_or(|next| matches!(next, b'T' | b't' | b' '));
    let day: Date = if alone { day.parse().ok()? } else { return None };
    plausible(day)
}

/// Seconds or milliseconds since 1970, as the day it was in UTC.
pub fn epoch(number: i64) -> Option<Date> {
    const LAST_SECOND: i64 = 99_999_999_999; // year 5138; more is milliseconds
    let moment = if number > LAST_SECOND {
        Timestamp::from_millisecond(number).ok()?
    } else {
        Timestamp::from_second(number).ok()?
    };
    plausible(moment.to_zoned(TimeZone::UTC).date())
}

/// `Tue, 05 Aug 2026 10:00:00 +0000`, as the day it was where it was written.
pub fn rfc2822(text: &str) -> Option<Date> {
    let parts: Vec<&str> = text.split([' ', ',']).filter(|part| !part.is_empty()).take(4).collect();
    let [day, month, year] = match parts[..] {
        [day, month, year, ..] if day.bytes().all(|b| b.is_ascii_digit()) => [day, month, year],
        [_, day, month, year] => [day, month, year],
        _ => return None,
    };
    of(year, month_number(month)?, day)
}

/// `July  3, 2026`.
pub fn month_first(text: &str) -> Option<Date> {
    let mut parts = text.split([' ', ',', '\u{a0}']).filter(|part| !part.is_empty());
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    of(year, month_number(month)?, day)
}

/// `8/5/2026`, the month first.
pub fn us(text: &str) -> Option<Date> {
    let mut parts = text.trim().split('/');
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    let year = year.get(..4)?;
    of(year, month.parse().ok()?, day)
}

/// `Posted Today`, `Posted Yesterday`, `Posted 5 Days Ago`; `30+ Days` is at least a month and no day.
pub fn ago(text: &str, at: Timestamp) -> Option<Date> {
    let text = text.to_ascii_lowercase();
    let days = if text.contains("today") {
        0
    } else if text.contains("yesterday") {
        1
    } else {
        let (before, _) = text.split_once(" day")?;
        before.rsplit(' ').next()?.parse::<i64>().ok().filter(|days| (0..3650).contains(days))?
    };
    let then = at.checked_sub(SignedDuration::from_hours(24 * days)).ok()?;
    Some(then.to_zoned(TimeZone::UTC).date())
}

fn month_number(name: &str) -> Option<i8> {
    let start = name.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| *month == start)?;
    i8::try_from(at + 1).ok()
}

fn of(year: &str, month: i8, day: &str) -> Option<Date> {
    plausible(Date::new(year.parse().ok()?, month, day.parse().ok()?).ok()?)
}

/// A board that says year 1 has no date.
fn plausible(day: Date) -> Option<Date> {
    (date(1990, 1, 1)..date(2200, 1, 1)).contains(&day).then_some(day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_format_gives_the_day_as_it_was_written() {
        let wanted = Some(date(2026, 8, 5));
        assert_eq!(iso("2026-08-05"), wanted);
        assert_eq!(iso("2026-08-05T23:55:32-04:00"), wanted);
        assert_eq!(iso("2026-08-05 09:41:37 UTC"), wanted);
        assert_eq!(epoch(1_785_931_200), wanted);
        assert_eq!(epoch(1_785_931_200_000), wanted);
        assert_eq!(rfc2822("Wed, 05 Aug 2026 23:59:00 +0200"), wanted);
        assert_eq!(rfc2822("5 Aug 2026 10:00:00 GMT"), wanted);
        assert_eq!(month_first("August  5, 2026"), wanted);
        assert_eq!(us("8/5/2026"), wanted);
        let at = "2026-08-07T01:00:00Z".parse().unwrap();
        assert_eq!(ago("Posted 2 Days Ago", at), wanted);
        assert_eq!(ago("Posted Yesterday", at), Some(date(2026, 8, 6)));
        assert_eq!(ago("Posted Today", at), Some(date(2026, 8, 7)));
    }

    #[test]
    fn what_is_no_day_stays_unknown() {
        let at = "2026-08-07T01:00:00Z".parse().unwrap();
        assert_eq!(ago("Posted 30+ Days Ago", at), None);
        assert_eq!(iso("2026-08-051"), None);
        assert_eq!(iso("0001-01-01T00:00:00"), None);
        assert_eq!(us("13/13/2026"), None);
        assert_eq!(epoch(0), None);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read_as_a_day(text in "\\PC*") {
            let _ = (iso(&text), rfc2822(&text), month_first(&text), us(&text), ago(&text, Timestamp::UNIX_EPOCH));
        }
    }
}
