//! What a sighting of a page does to its listing. The promise lives here: only evidence closes.

pub mod batch;
pub mod home;
pub mod job;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::task::words;

words!(
    /// What happened to a listing; each is a row of evidence.
    Event ("evidence event") {
        Created = "created",
        Refreshed = "refreshed",
        Nominated = "nominated",
        Verified = "verified",
        Closed = "closed",
        Reopened = "reopened",
        /// It is the same job as another listing: they are one cluster from now on.
        Merged = "merged",
        /// It left a cluster: by an admin, or because what it says has changed.
        Split = "split",
        /// Its stored page was read again by another extractor; nobody has looked at the site.
        Reread = "reread",
    }
);
/// What a page said about its listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The posting is there.
    Live,
    /// The posting is there and has passed its own date, or something else makes us doubt.
    Doubtful,
    /// The site answered 404 or 410.
    Gone,
    /// The posting's own block says that it is closed.
    SaysClosed,
    /// The page told us nothing: a bot wall, an error, a list, another job.
    Nothing,
}

/// What we knew of the listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub is_active: bool,
    pub fingerprint: String,
    /// The SimHash of its page when it was last read, and as the page is now; only of a page of its own.
    pub page: Option<(u64, u64)>,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing to write.
    Leave,
    Create {
        doubtful: bool,
    },
    /// Seen again. `changed`: its fields are others than before.
    Refresh {
        changed: bool,
    },
    Reopen {
        changed: bool,
    },
    /// Something is odd; a check is asked for, nothing is closed.
    Nominate,
    Close,
}

/// `fingerprint` is that of the fields just read, when a posting was read.
pub fn decide(known: Option<&Known>, seen: Seen, fingerprint: Option<&str>) -> Change {
    let changed = |known: &Known| fingerprint.is_some_and(|fresh| fresh != known.fingerprint);
    match (known, seen) {
        (None, Seen::Live) if fingerprint.is_some() => Change::Create { doubtful: false },
        (None, Seen::Doubtful) if fingerprint.is_some() => Change::Create { doubtful: true },
        (None, _) => Change::Leave,
        (Some(known), Seen::Live) if known.is_active => Change::Refresh { changed: changed(known) },
        (Some(known), Seen::Live) => Change::Reopen { changed: changed(known) },
        (Some(known), Seen::Gone | Seen::SaysClosed) if known.is_active => Change::Close,
        (Some(known), Seen::Doubtful | Seen::Nothing) if known.is_active => Change::Nominate,
        (Some(_), _) => Change::Leave,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_seen() -> impl Strategy<Value = Seen> {
        prop::sample::select(vec![Seen::Live, Seen::Doubtful, Seen::Gone, Seen::SaysClosed, Seen::Nothing])
    }

    proptest! {
        /// The promise: nothing but evidence that the posting is gone ever closes a listing.
        #[test]
        fn only_evidence_closes(active in any::<bool>(), seen in any_seen(), fresh in prop::option::of("[a-c]")) {
            let known = Known { is_active: active, fingerprint: "a".into(), page: None };
            let change = decide(Some(&known), seen, fresh.as_deref());
            if change == Change::Close {
                prop_assert!(active && matches!(seen, Seen::Gone | Seen::SaysClosed));
            }
            if active && matches!(seen, Seen::Gone | Seen::SaysClosed) {
                prop_assert_eq!(change, Change::Close);
            }
        }

        #[test]
        fn nothing_is_created_without_a_posting(seen in any_seen()) {
            prop_assert_eq!(decide(None, seen, None), Change::Leave);
        }
    }

    #[test]
    fn a_closed_listing_comes_back_only_when_it_is_seen_live() {
        let closed = Known { is_active: false, fingerprint: "a".into(), page: None };
        assert_eq!(decide(Some(&closed), Seen::Live, Some("b")), Change::Reopen { changed: true });
        for seen in [Seen::Doubtful, Seen::Gone, Seen::SaysClosed, Seen::Nothing] {
            assert_eq!(decide(Some(&closed), seen, Some("b")), Change::Leave);
        }
    }
}
