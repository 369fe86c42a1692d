//! How lists are cut into pages, and where a walk through one stands.

use serde::{Deserialize, Serialize};

/// The paging of a system. `size` is what a full page holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paging {
    /// One answer holds everything: an API without pages, or a feed.
    Whole,
    /// Rows are counted from 0.
    Offset { size: u64 },
    /// Pages are counted from `first`.
    Page { first: u64, size: u64 },
    /// The answer names what comes next: a token, a cursor or an address.
    Next,
}

/// Where the next page begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cursor {
    Offset(u64),
    Page(u64),
    /// The first page of a list that names its next one.
    Start,
    /// Several may be named at once, one a line; the first is next.
    Next(String),
}

impl Paging {
    pub fn start(self) -> Cursor {
        match self {
            Paging::Whole | Paging::Next => Cursor::Start,
            Paging::Offset { .. } => Cursor::Offset(0),
            Paging::Page { first, .. } => Cursor::Page(first),
        }
    }

    pub fn size(self) -> u64 {
        match self {
            Paging::Offset { size } | Paging::Page { size, .. } => size,
            Paging::Whole | Paging::Next => 0,
        }
    }
}

impl Cursor {
    /// The page after this one, in lists that are counted. A page that came short is followed by the row after its
    /// last; an empty or failed one is jumped over.
    pub fn after(&self, paging: Paging, rows: u64) -> Option<Cursor> {
        match (self, paging) {
            (Cursor::Offset(at), Paging::Offset { size }) => {
                let step = if rows == 0 { size } else { rows };
                Some(Cursor::Offset(at.saturating_add(step.max(1))))
            }
            (Cursor::Page(at), Paging::Page { .. }) => Some(Cursor::Page(at.saturating_add(1))),
            _ => None,
        }
    }

    /// How many rows lie before it, when that can be known.
    pub fn rows_before(&self, paging: Paging) -> Option<u64> {
        match (self, paging) {
            (Cursor::Offset(at), _) => Some(*at),
            (Cursor::Page(at), Paging::Page { first, size }) => {
                Some(at.saturating_sub(first).saturating_mul(size))
            }
            _ => None,
        }
    }

    /// The number in it; 0 where there is none.
    pub fn number(&self) -> u64 {
        match self {
            Cursor::Offset(number) | Cursor::Page(number) => *number,
            Cursor::Start | Cursor::Next(_) => 0,
        }
    }

    /// What the answer named as next.
    pub fn token(&self) -> Option<&str> {
        match self {
            Cursor::Next(tokens) => tokens.lines().next(),
            _ => None,
        }
    }

    /// What was named after that.
    pub fn rest(&self) -> Option<&str> {
        match self {
            Cursor::Next(tokens) => {
                tokens.split_once('\n').map(|(_, rest)| rest).filter(|rest| !rest.is_empty())
            }
            _ => None,
        }
    }
}

/// The part of a board that is being read: filters by facet, all of them at once. Empty is the whole board.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope(pub Vec<(String, Vec<String>)>);

impl Scope {
    /// The same, narrowed by one more facet.
    #[must_use]
    pub fn with(&self, facet: &str, values: Vec<String>) -> Scope {
        let mut narrower = self.clone();
        narrower.0.push((facet.to_owned(), values));
        narrower
    }

    pub fn has(&self, facet: &str) -> bool {
        self.0.iter().any(|(name, _)| name == facet)
    }
}

/// One page of one part of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    pub cursor: &'a Cursor,
    pub scope: &'a Scope,
}
