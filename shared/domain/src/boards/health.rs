//! How a source is doing, told by its reads. Nothing here ends a source for good: one that fails, or finds nothing
//! where it used to find something, is looked at less often and is well again with the first read that works. Only an
//! operator disables one.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::task::words;

words!(
    SourceStatus ("source status") {
        Active = "active",
        /// It answers, and found nothing where it used to find something.
        Suspect = "suspect",
        /// Too many reads in a row were worth nothing: it is read once a week.
        Quarantined = "quarantined",
        /// By an operator, until an operator says otherwise.
        Disabled = "disabled",
    }
);

/// Reads in a row that are worth nothing before a source is quarantined.
pub const MAX_FAILURES: i32 = 5;
/// How often a source is read when nobody says otherwise.
pub const PACE: SignedDuration = SignedDuration::from_hours(6);
/// How often a quarantined one is tried.
pub const PROBE: SignedDuration = SignedDuration::from_hours(7 * 24);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    pub status: SourceStatus,
    /// Reads in a row that were worth nothing.
    pub failures: i32,
    /// Why it is not active.
    pub reason: Option<String>,
}

/// What a read came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard<'a> {
    /// Not even its first page could be read.
    Failed(&'a str),
    /// It succeeded with nothing; `usual` is the median of the reads before, `active` the listings that are left.
    Nothing { usual: u64, active: u64 },
    /// It found jobs.
    Jobs,
}

impl Health {
    /// How the source is after a read.
    #[must_use]
    pub fn after(&self, heard: Heard<'_>) -> Health {
        let failures = self.failures.saturating_add(1);
        let worse = |reason: String, otherwise: SourceStatus| match self.status {
            SourceStatus::Disabled => Health { failures, ..self.clone() },
            _ if failures >= MAX_FAILURES => Health {
                status: SourceStatus::Quarantined,
                failures,
                reason: Some(format!("{failures} reads in a row were worth nothing; the latest: {reason}")),
            },
            _ => Health { status: otherwise, failures, reason: Some(reason) },
        };
        match heard {
            Heard::Failed(why) => {
                let kept = self.status;
                let health = worse(format!("the read failed: {why}"), kept);
                // One that is active is not called anything else for a failure or two.
                if health.status == SourceStatus::Active { Health { reason: None, ..health } } else { health }
            }
            Heard::Nothing { usual, active } if usual > 0 || active > 0 => {
                let was = usual.max(active);
                worse(format!("nothing was found where {was} used to be"), SourceStatus::Suspect)
            }
            Heard::Nothing { .. } | Heard::Jobs if self.status == SourceStatus::Disabled => {
                Health { failures: 0, ..self.clone() }
            }
            Heard::Nothing { .. } | Heard::Jobs => {
                Health { status: SourceStatus::Active, failures: 0, reason: None }
            }
        }
    }

    /// How long until the next read; none for a source that is not read.
    pub fn wait(&self, pace: Option<SignedDuration>) -> Option<SignedDuration> {
        match self.status {
            SourceStatus::Disabled => None,
            SourceStatus::Quarantined => Some(PROBE),
            SourceStatus::Active | SourceStatus::Suspect => Some(pace.unwrap_or(PACE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn well() -> Health {
        Health { status: SourceStatus::Active, failures: 0, reason: None }
    }

    const EMPTY: Heard<'static> = Heard::Nothing { usual: 9, active: 9 };

    #[test]
    fn one_failure_changes_nothing_and_five_quarantine() {
        let mut health = well();
        for failures in 1..MAX_FAILURES {
            health = health.after(Heard::Failed("the board answered 404"));
            assert_eq!((health.status, health.failures), (SourceStatus::Active, failures));
        }
        let health = health.after(Heard::Failed("the board answered 404"));
        assert_eq!(health.status, SourceStatus::Quarantined);
        assert!(health.reason.as_deref().is_some_and(|why| why.contains("404")), "{health:?}");
        assert_eq!(health.wait(Some(SignedDuration::from_hours(1))), Some(PROBE));
        assert_eq!(health.after(Heard::Failed("again")).status, SourceStatus::Quarantined);
        assert_eq!(health.after(Heard::Jobs), well());
    }

    #[test]
    fn the_first_empty_read_of_a_board_that_had_jobs_is_suspect() {
        let first = well().after(EMPTY);
        assert_eq!(first.status, SourceStatus::Suspect);
        assert_eq!(first.wait(None), Some(PACE));
        // the median has forgotten the jobs; the listings have not
        let sixth = (0..5).fold(first, |health, _| health.after(Heard::Nothing { usual: 0, active: 9 }));
        assert_eq!(sixth.status, SourceStatus::Quarantined);
        assert_eq!(sixth.after(Heard::Jobs), well());
    }

    #[test]
    fn a_board_that_is_empty_and_has_nothing_left_is_well() {
        assert_eq!(well().after(Heard::Nothing { usual: 0, active: 0 }), well());
        assert_eq!(well().after(EMPTY).after(Heard::Nothing { usual: 0, active: 0 }), well());
    }

    #[test]
    fn what_an_operator_disabled_stays_so() {
        let disabled =
            Health { status: SourceStatus::Disabled, failures: 0, reason: Some("asked to".into()) };
        for heard in [Heard::Jobs, EMPTY, Heard::Failed("x")] {
            let after = disabled.after(heard);
            assert_eq!((after.status, after.reason.as_deref()), (SourceStatus::Disabled, Some("asked to")));
            assert_eq!(after.wait(None), None);
        }
    }
}
