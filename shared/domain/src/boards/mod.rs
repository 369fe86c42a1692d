//! Job boards: which system a board runs on, what to ask of it, how to read its answers, and whether it was seen
//! whole. Pure: nothing here fetches. A system is one small file; what systems share (paging, feeds, dates) stands
//! beside it. An adapter must never invent a value, and never call a list complete.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

use super::task::words;

pub mod absence;
mod answer;
mod ask;
mod at;
mod certificate;
mod day;
mod detect;
mod feed;
mod health;
mod links;
mod listed;
mod liveness;
mod markup;
mod paging;
mod row;
mod rows;
mod seen;
mod selector;
mod split;
mod systems;
mod token;
mod walk;
mod xml;

pub use answer::{Answer, Facet, FacetValue, ListPage, Misfit, Row};
pub use ask::{Ask, Method};
pub use certificate::{Certificate, Reason};
pub use detect::{Confidence, Proof, Sign, in_page, is_hosted, of_url};
pub use health::{Health, Heard, PACE, SourceStatus};
pub use listed::Listed;
pub use liveness::{Life, Liveness};
pub use paging::{Cursor, Paging, Scope, Step};
pub use systems::{Adapter, Detail, adapter};
pub use token::BadToken;
pub use walk::{Ended, Taken, Walk};

/// Which reading of lists made a record. A change of meaning raises the number.
pub const VERSION: &str = "boards/1";

words!(
    /// The software behind a board; one adapter each.
    System ("job board system") {
        Workday = "workday",
        SmartRecruiters = "smartrecruiters",
        Oracle = "oracle",
        Greenhouse = "greenhouse",
        Ukg = "ukg",
        Icims = "icims",
        IcimsJibe = "icims_jibe",
        Ashby = "ashby",
        Phenom = "phenom",
        BambooHr = "bamboohr",
        Lever = "lever",
        Workable = "workable",
        Recruitee = "recruitee",
        Teamtailor = "teamtailor",
        Personio = "personio",
        JazzHr = "jazzhr",
        Paylocity = "paylocity",
        Breezy = "breezy",
        Eightfold = "eightfold",
        EightfoldPcsx = "eightfold_pcsx",
        Jobvite = "jobvite",
        Rippling = "rippling",
        Pinpoint = "pinpoint",
        Gem = "gem",
        Amazon = "amazon",
        Google = "google",
        Apple = "apple",
        TikTok = "tiktok",
        Roblox = "roblox",
        /// RSS, Atom, and the XML feeds of jobs that boards give to each other.
        Feed = "feed",
        /// A sitemap whose pages carry their own postings.
        Sitemap = "sitemap",
        /// A page of links to postings.
        ListPage = "list_page",
    }
);

/// One board: a system, and the name the board has there. `Board::new` is the only way to one, so a token that
/// is in a board can be put into an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Board {
    system: System,
    token: String,
}

impl Board {
    pub fn new(system: System, token: &str) -> Result<Board, BadToken> {
        Ok(Board { system, token: token::check(system, token)? })
    }

    pub fn system(&self) -> System {
        self.system
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The n-th part of a token that has several (`host/tenant/site`).
    fn part(&self, number: usize) -> &str {
        self.token.split('/').nth(number).unwrap_or_default()
    }
}

/// `greenhouse:acme`: the name of the board as a source of listings.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.system, self.token)
    }
}

/// Why a text names no board.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadBoard {
    #[error("{0:?} is no board: it is written system:token")]
    Shape(String),
    #[error(transparent)]
    System(#[from] super::task::UnknownWord),
    #[error(transparent)]
    Token(#[from] BadToken),
}

impl FromStr for Board {
    type Err = BadBoard;

    fn from_str(text: &str) -> Result<Board, BadBoard> {
        let (system, token) = text.split_once(':').ok_or_else(|| BadBoard::Shape(text.to_owned()))?;
        Ok(Board::new(system.parse()?, token)?)
    }
}

impl TryFrom<String> for Board {
    type Error = BadBoard;

    fn try_from(text: String) -> Result<Board, BadBoard> {
        text.parse()
    }
}

impl From<Board> for String {
    fn from(board: Board) -> String {
        board.to_string()
    }
}

#[cfg(test)]
#[path = "adapter_tests.rs"]
mod adapter_tests;
#[cfg(test)]
#[path = "walk_tests.rs"]
mod walk_tests;
