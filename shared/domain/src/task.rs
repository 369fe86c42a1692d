//! The life of a task: kinds, statuses, stages, and every move between them on one screen.
//! Nothing here knows a clock or a database.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Failures of our own or of the site before a task is given up.
pub const MAX_ATTEMPTS: i32 = 3;
/// Crashes without any result before a task is set aside as poisonous.
pub const MAX_CRASHES: i32 = 3;

/// A word from the database or the wire that names no known value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{word:?} is no {what}; it is one of {known}")]
pub struct UnknownWord {
    pub what: &'static str,
    pub word: String,
    pub known: String,
}

/// Declares an enum whose variants have one snake_case word, in Postgres and on the wire alike.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident ($what:literal) { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word),+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $name {
            type Err = $crate::task::UnknownWord;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok($name::$variant),)+
                    _ => Err($crate::task::UnknownWord {
                        what: $what,
                        word: word.to_owned(),
                        known: [$($word),+].join(", "),
                    }),
                }
            }
        }
    };
}
pub(crate) use words;

words!(
    /// What a task is for.
    TaskKind ("task kind") {
        Company = "company",
        SourceDiscovery = "source_discovery",
        SourceScrape = "source_scrape",
        Listing = "listing",
        Verify = "verify",
        MarketScrape = "market_scrape",
        /// The scrape service: a caller is waiting for this one page.
        Page = "page",
    }
);

words!(
    TaskStatus ("task status") {
        Pending = "pending",
        Processing = "processing",
        Success = "success",
        Filtered = "filtered",
        Skipped = "skipped",
        Failed = "failed",
        Cancelled = "cancelled",
    }
);

words!(
    /// Which step of its pipeline a task takes next.
    Stage ("stage") {
        Fetch = "fetch",
        Extract = "extract",
        Filter = "filter",
        Analyze = "analyze",
        Save = "save",
    }
);

words!(
    /// What a set of tasks was made for.
    BatchKind ("batch kind") {
        ScrapeJob = "scrape_job",
        IngestionRun = "ingestion_run",
        MarketScrape = "market_scrape",
        SourceScrape = "source_scrape",
    }
);

/// Something that happens to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskEvent {
    /// A worker took it, with a lease.
    Claimed,
    /// Its stage is done and the next one waits.
    Advanced,
    Saved,
    Filtered,
    Skipped,
    /// It did not work; `retry` says whether it may be tried again.
    Failed {
        retry: bool,
    },
    /// It cannot run now, through no fault of its own: no attempt is used.
    PutBack,
    Cancelled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a {from} task cannot take {event:?}")]
pub struct IllegalMove {
    pub from: TaskStatus,
    pub event: TaskEvent,
}

impl TaskStatus {
    /// Every move a task can make.
    pub fn after(self, event: TaskEvent) -> Result<TaskStatus, IllegalMove> {
        use {TaskEvent as On, TaskStatus::*};
        Ok(match (self, event) {
            (Pending, On::Claimed) => Processing,
            (Pending, On::Cancelled) => Cancelled,
            // Waiting longer than a message can wait, or refused by an open circuit.
            (Pending, On::PutBack) => Pending,
            (Pending, On::Failed { retry: false }) => Failed,
            // A lease ran out: another worker may take the same task.
            (Processing, On::Claimed | On::Advanced) => Processing,
            (Processing, On::Saved) => Success,
            (Processing, On::Filtered) => Filtered,
            (Processing, On::Skipped) => Skipped,
            (Processing, On::PutBack | On::Failed { retry: true }) => Pending,
            (Processing, On::Failed { retry: false }) => Failed,
            (from, event) => return Err(IllegalMove { from, event }),
        })
    }

    pub fn is_final(self) -> bool {
        !matches!(self, TaskStatus::Pending | TaskStatus::Processing)
    }
}

impl Stage {
    pub fn next(self) -> Option<Stage> {
        match self {
            Stage::Fetch => Some(Stage::Extract),
            Stage::Extract => Some(Stage::Filter),
            Stage::Filter => Some(Stage::Analyze),
            Stage::Analyze => Some(Stage::Save),
            Stage::Save => None,
        }
    }
}

impl TaskKind {
    /// Whether a site's own failure is worth another try. For a `page` the site's answer is the result.
    pub fn retries_site_failures(self) -> bool {
        self != TaskKind::Page
    }

    /// Whether an open circuit ends the task at once: somebody is waiting for the answer.
    pub fn fails_on_open_circuit(self) -> bool {
        self == TaskKind::Page
    }
}

/// Whether a task that failed may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Try again after this many seconds.
    After(i64),
    Never,
}

/// When a task that has failed `attempts` times may be tried again: 30 s, 2 min, then never.
pub fn retry_after(attempts: i32) -> Retry {
    if attempts >= MAX_ATTEMPTS {
        return Retry::Never;
    }
    Retry::After(30 * 4_i64.pow(attempts.saturating_sub(1).max(0).unsigned_abs()))
}

/// The moves as a table, for `docs/states.md`.
pub fn moves_as_markdown() -> String {
    const EVENTS: [TaskEvent; 9] = [
        TaskEvent::Claimed,
        TaskEvent::Advanced,
        TaskEvent::Saved,
        TaskEvent::Filtered,
        TaskEvent::Skipped,
        TaskEvent::Failed { retry: true },
        TaskEvent::Failed { retry: false },
        TaskEvent::PutBack,
        TaskEvent::Cancelled,
    ];
    let mut lines = vec!["| from | event | to |".to_owned(), "|---|---|---|".to_owned()];
    for &from in TaskStatus::ALL {
        for event in EVENTS {
            if let Ok(to) = from.after(event) {
                let event = match event {
                    TaskEvent::Failed { retry: true } => "failed, may retry".to_owned(),
                    TaskEvent::Failed { retry: false } => "failed for good".to_owned(),
                    other => format!("{other:?}").to_lowercase(),
                };
                lines.push(format!("| {from} | {event} | {to} |"));
            }
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_event() -> impl Strategy<Value = TaskEvent> {
        prop_oneof![
            Just(TaskEvent::Claimed),
            Just(TaskEvent::Advanced),
            Just(TaskEvent::Saved),
            Just(TaskEvent::Filtered),
            Just(TaskEvent::Skipped),
            any::<bool>().prop_map(|retry| TaskEvent::Failed { retry }),
            Just(TaskEvent::PutBack),
            Just(TaskEvent::Cancelled),
        ]
    }

    proptest! {
        #[test]
        fn a_finished_task_never_moves_again(events in prop::collection::vec(any_event(), 0..40)) {
            let mut status = TaskStatus::Pending;
            let mut finished = None;
            for event in events {
                if let Ok(next) = status.after(event) {
                    prop_assert!(finished.is_none(), "moved from {status} by {event:?}");
                    status = next;
                }
                if status.is_final() {
                    finished = Some(status);
                    prop_assert!(status.after(event).is_err());
                }
            }
        }

        #[test]
        fn only_a_claimed_task_can_succeed(events in prop::collection::vec(any_event(), 0..40)) {
            let mut status = TaskStatus::Pending;
            let mut claimed = false;
            for event in events {
                if let Ok(next) = status.after(event) {
                    claimed |= event == TaskEvent::Claimed;
                    if matches!(next, TaskStatus::Success | TaskStatus::Filtered | TaskStatus::Skipped) {
                        prop_assert!(claimed);
                    }
                    status = next;
                }
            }
        }

        #[test]
        fn waits_grow_and_end(attempts in 0..20_i32) {
            match (retry_after(attempts), retry_after(attempts + 1)) {
                (Retry::After(now), Retry::After(later)) => prop_assert!(later >= now),
                (Retry::Never, later) => prop_assert_eq!(later, Retry::Never),
                (Retry::After(_), Retry::Never) => prop_assert_eq!(attempts + 1, MAX_ATTEMPTS),
            }
        }
    }

    #[test]
    fn every_word_reads_back() {
        for &status in TaskStatus::ALL {
            assert_eq!(status.word().parse(), Ok(status));
        }
        for &kind in TaskKind::ALL {
            assert_eq!(kind.word().parse(), Ok(kind));
        }
        let error = "gone".parse::<Stage>().unwrap_err().to_string();
        assert_eq!(error, "\"gone\" is no stage; it is one of fetch, extract, filter, analyze, save");
    }

    #[test]
    fn stages_run_from_fetch_to_save() {
        let mut seen = vec![Stage::Fetch];
        while let Some(next) = seen.last().and_then(|stage| stage.next()) {
            seen.push(next);
        }
        assert_eq!(seen, Stage::ALL);
    }

    /// The picture in the docs is printed from `after`; run with `UPDATE_DOCS=1` to write it anew.
    #[test]
    fn the_picture_of_states_is_true() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/states.md");
        let text =
            format!("# The life of a task\n\nPrinted from `TaskStatus::after`.\n\n{}", moves_as_markdown());
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(path).unwrap_or_default(),
            text,
            "run the test with UPDATE_DOCS=1"
        );
    }
}
