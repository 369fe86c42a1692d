//! What a read of a list is worth. Absence counts only under a complete one.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::task::words;

words!(
    /// Why a read is not complete.
    Reason ("reason") {
        /// A page after the first could not be read.
        PageFailed = "page_failed",
        /// The board says it has more than it showed.
        FewerThanReported = "fewer_than_reported",
        /// The board says a number at which boards stop counting, and showed no more.
        CapSuspected = "cap_suspected",
        /// The list began again, or a page came twice, before its end.
        Wrapped = "wrapped",
        /// Rows without an id or a title: jobs that we cannot tell apart.
        UnreadRows = "unread_rows",
        /// The board was read in parts, and no independent count agrees with their sum.
        CountsDisagree = "counts_disagree",
        /// The list is longer than we read.
        OurLimit = "our_limit",
        /// Nothing vouches for the list being whole: it is empty without saying so, or only part of it may be shown.
        Unproven = "unproven",
        /// The walk has not come to its end.
        Unfinished = "unfinished",
    }
);

/// A read of a list, as it is stored with the read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// The most that the board ever said during the walk; none where it says nothing.
    pub reported_total: Option<u64>,
    /// Different jobs.
    pub unique_seen: u64,
    pub pages_ok: u32,
    pub pages_failed: u32,
    pub cap_suspected: bool,
    /// What was read: `all`, or how the board was divided to read all of it.
    pub scope: String,
    pub complete: bool,
    /// Empty exactly when it is complete.
    pub reasons: Vec<Reason>,
    /// Rows that named a job once more.
    pub duplicates: u64,
}

impl Certificate {
    /// For the log: `57 of 57 in 3 pages, complete`.
    pub fn in_words(&self) -> String {
        let of = self.reported_total.map(|total| format!(" of {total}")).unwrap_or_default();
        let end = if self.complete {
            "complete".to_owned()
        } else {
            let reasons: Vec<&str> = self.reasons.iter().map(|reason| reason.word()).collect();
            format!("incomplete: {}", reasons.join(", "))
        };
        format!("{}{of} in {} pages, {end}", self.unique_seen, self.pages_ok)
    }
}
