//! The hours of the day, UTC, in which a site may be asked.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// From `start` o'clock until `end` o'clock, `end` excluded; past midnight when `end` is the smaller one.
/// The two differ: a policy without hours is open all day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedHours {
    pub start: u8,
    pub end: u8,
}

impl AllowedHours {
    /// Hours that a clock has and that are neither all nor none by accident.
    pub fn are_sound(self) -> bool {
        self.start <= 23 && self.end <= 24 && self.start != self.end
    }

    pub fn are_open(self, now: Timestamp) -> bool {
        let hour = now.as_second().rem_euclid(DAY) / HOUR;
        let (start, end) = (i64::from(self.start), i64::from(self.end));
        if start < end { (start..end).contains(&hour) } else { hour >= start || hour < end }
    }

    /// The first moment from `now` on at which they are open.
    pub fn next_opening(self, now: Timestamp) -> Timestamp {
        if self.are_open(now) {
            return now;
        }
        let second = now.as_second();
        let midnight = second - second.rem_euclid(DAY);
        let today = midnight + i64::from(self.start) * HOUR;
        let opening = if today > second { today } else { today + DAY };
        Timestamp::from_second(opening).unwrap_or_else(|_| now + SignedDuration::from_hours(24))
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;

    fn any_hours() -> impl Strategy<Value = AllowedHours> {
        (0..=23_u8, 0..=24_u8)
            .prop_map(|(start, end)| AllowedHours { start, end })
            .prop_filter("sound", |hours| hours.are_sound())
    }

    /// The plain reading, by the calendar: walk the clock from the start until it strikes the end.
    fn open_by_the_clock(hours: AllowedHours, now: Timestamp) -> bool {
        let mut hour = hours.start;
        let shown = u8::try_from(now.to_zoned(TimeZone::UTC).hour()).unwrap();
        while hour % 24 != hours.end % 24 || hour == hours.start {
            if hour % 24 == shown {
                return true;
            }
            hour += 1;
            if hour > hours.start + 24 {
                break;
            }
        }
        false
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// Open exactly inside the window, also across midnight; and the next opening is the first
        /// moment that is inside.
        #[test]
        fn property_24_open_exactly_within_the_allowed_hours(
            hours in any_hours(), second in 0..4_000_000_000_i64, nanos in 0..1_000_000_000_i32
        ) {
            let now = Timestamp::new(second, nanos).unwrap();
            prop_assert_eq!(hours.are_open(now), open_by_the_clock(hours, now));
            let opening = hours.next_opening(now);
            prop_assert!(hours.are_open(opening) && opening >= now);
            prop_assert!(opening.duration_since(now) < SignedDuration::from_hours(24));
            if opening > now {
                prop_assert_eq!(opening.as_second() % HOUR, 0);
                prop_assert!(!hours.are_open(opening - SignedDuration::from_nanos(1)), "it opened earlier");
            }
        }
    }

    #[test]
    fn a_night_window_crosses_midnight() {
        let night = AllowedHours { start: 22, end: 6 };
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        assert!(night.are_open(at("2026-11-16T23:59:59Z")));
        assert!(night.are_open(at("2026-11-16T05:59:59.999Z")));
        assert!(!night.are_open(at("2026-11-16T06:00:00Z")));
        assert_eq!(night.next_opening(at("2026-11-16T06:00:00Z")), at("2026-11-16T22:00:00Z"));
        let day = AllowedHours { start: 6, end: 22 };
        assert_eq!(day.next_opening(at("2026-11-16T22:00:00Z")), at("2026-11-17T06:00:00Z"));
        assert!(AllowedHours { start: 0, end: 24 }.are_open(at("2026-11-16T23:59:59Z")));
        assert!(!AllowedHours { start: 7, end: 7 }.are_sound());
    }
}
