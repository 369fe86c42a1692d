//! What a read means for the listings it did not name. Absence counts only under a complete certificate, and even
//! then two guards look at the numbers: a board that suddenly lists far less than it did has more likely been
//! truncated than emptied. What a guard holds back is asked after, page by page.

use serde::{Deserialize, Serialize};

use super::Certificate;

/// Complete reads that a new one is compared with.
pub const LOOK_BACK: usize = 5;
/// A read below this share of the usual closes nothing, in percent.
const ENOUGH: u64 = 70;

/// What becomes of the active listings that a read did not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    /// The read was not complete: it says nothing about what it did not name.
    Unknown,
    /// They are gone.
    Close,
    /// The numbers are not to be believed: each is checked where it stands.
    Check(Held),
}

/// Why a complete read closes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// Nothing was found where something used to be.
    NothingFound,
    /// More than 30 % below the median of the latest complete reads.
    FewerThanUsual,
    /// More than half of the active listings would go.
    HalfWouldGo,
}

impl Held {
    pub fn word(self) -> &'static str {
        match self {
            Held::NothingFound => "nothing_found",
            Held::FewerThanUsual => "fewer_than_usual",
            Held::HalfWouldGo => "half_would_go",
        }
    }
}

/// The middle of the latest complete reads; of two middles the larger, which guards more.
pub fn median(counts: &[u64]) -> Option<u64> {
    let mut counts = counts.get(..counts.len().min(LOOK_BACK)).unwrap_or(counts).to_vec();
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied()
}

/// `usual` is the median of the complete reads before this one, `active` the listings of this source that were
/// active before it began, `absent` those of them that it did not name.
pub fn judge(certificate: &Certificate, usual: Option<u64>, active: u64, absent: u64) -> Absence {
    let seen = certificate.unique_seen;
    if seen == 0 && (usual.unwrap_or(0) > 0 || active > 0) {
        return Absence::Check(Held::NothingFound);
    }
    if !certificate.complete {
        return Absence::Unknown;
    }
    let expected = usual.unwrap_or(0);
    if u128::from(seen) * 100 < u128::from(expected) * u128::from(ENOUGH) {
        return Absence::Check(Held::FewerThanUsual);
    }
    if absent.saturating_mul(2) > active {
        return Absence::Check(Held::HalfWouldGo);
    }
    Absence::Close
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(seen: u64, complete: bool) -> Certificate {
        Certificate {
            reported_total: None,
            unique_seen: seen,
            pages_ok: 1,
            pages_failed: 0,
            cap_suspected: false,
            scope: "all".into(),
            complete,
            reasons: Vec::new(),
            duplicates: 0,
        }
    }

    #[test]
    fn a_few_absent_from_a_complete_read_are_gone() {
        assert_eq!(judge(&read(98, true), Some(100), 100, 2), Absence::Close);
        assert_eq!(judge(&read(98, false), Some(100), 100, 2), Absence::Unknown);
    }

    #[test]
    fn a_sudden_drop_closes_nothing() {
        assert_eq!(judge(&read(70, true), Some(100), 100, 30), Absence::Close, "30 % below is allowed");
        assert_eq!(judge(&read(69, true), Some(100), 100, 31), Absence::Check(Held::FewerThanUsual));
        assert_eq!(
            judge(&read(104, true), Some(11_815), 11_815, 11_711),
            Absence::Check(Held::FewerThanUsual)
        );
    }

    #[test]
    fn more_than_half_never_goes_at_once() {
        assert_eq!(judge(&read(60, true), None, 100, 50), Absence::Close);
        assert_eq!(judge(&read(60, true), None, 100, 51), Absence::Check(Held::HalfWouldGo));
        assert_eq!(judge(&read(2, true), Some(1), 1, 1), Absence::Check(Held::HalfWouldGo));
    }

    #[test]
    fn nothing_where_there_was_something_is_asked_after_even_when_the_read_has_holes() {
        assert_eq!(judge(&read(0, true), Some(9), 0, 0), Absence::Check(Held::NothingFound));
        assert_eq!(judge(&read(0, false), Some(9), 9, 9), Absence::Check(Held::NothingFound));
        assert_eq!(judge(&read(0, true), Some(0), 3, 3), Absence::Check(Held::NothingFound));
        assert_eq!(judge(&read(0, true), None, 0, 0), Absence::Close, "a board that never had a job");
    }

    #[test]
    fn the_median_is_of_the_latest_five() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7]), Some(7));
        assert_eq!(median(&[1, 9]), Some(9));
        assert_eq!(median(&[0, 100, 100, 100, 100, 1, 1, 1, 1]), Some(100));
    }

    proptest! {
        /// The promise: whatever the numbers, only a complete read closes, never more than half, never from nothing.
        #[test]
        fn only_a_complete_and_believable_read_closes(
            seen in 0_u64..300, complete: bool, usual in prop::option::of(0_u64..300), active in 0_u64..300, part in 0_u64..300
        ) {
            let absent = part.min(active);
            if judge(&read(seen, complete), usual, active, absent) == Absence::Close {
                prop_assert!(complete && absent * 2 <= active);
                prop_assert!(seen * 100 >= usual.unwrap_or(0) * 70);
                prop_assert!(seen > 0 || active == 0);
            }
        }
    }
}
