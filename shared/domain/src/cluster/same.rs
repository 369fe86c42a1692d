//! Whether two listings are one job. A link is only made for reasons that can be shown; everything that
//! contradicts comes first.

use super::Identity;
use super::body::{AGREES, Body};
use super::standing::Standing;
use crate::ids::ListingId;

/// Why two listings are linked, the surer first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The company's own number is on both.
    Requisition,
    /// Company, role and place, and one body.
    Body,
}

impl Rule {
    pub fn word(self) -> &'static str {
        match self {
            Rule::Requisition => "requisition",
            Rule::Body => "body",
        }
    }

    /// Read back from where it was put.
    pub fn stored(word: &str) -> Option<Rule> {
        [Rule::Requisition, Rule::Body].into_iter().find(|rule| rule.word() == word)
    }
}

/// Two listings that are one job, by their smaller and their larger id.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    pub a: ListingId,
    pub b: ListingId,
    pub rule: Rule,
    /// 0 to 1.
    pub score: f64,
}

impl Link {
    pub fn new(one: ListingId, other: ListingId, rule: Rule, score: f64) -> Link {
        Link { a: one.min(other), b: one.max(other), rule, score }
    }
}

/// What keeps two listings apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Apart {
    Company,
    Place,
    /// Each has a number of its own.
    Requisition,
    /// The company's own board lists them side by side.
    SameBoard,
    Role,
    /// One of them has too little text to compare.
    NoBody,
    Body,
}

impl Apart {
    pub fn word(self) -> &'static str {
        match self {
            Apart::Company => "company",
            Apart::Place => "place",
            Apart::Requisition => "requisition",
            Apart::SameBoard => "same_board",
            Apart::Role => "role",
            Apart::NoBody => "no_body",
            Apart::Body => "body",
        }
    }
}

/// What can be said without the bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Glance {
    Apart(Apart),
    Linked(Link),
    AskBodies,
}

/// What forbids two listings in one cluster, however they are linked.
pub fn contradiction(a: &Identity, b: &Identity) -> Option<Apart> {
    if a.company != b.company {
        return Some(Apart::Company);
    }
    if !a.place.fits(&b.place) {
        return Some(Apart::Place);
    }
    let same_board = a.board == b.board;
    if let (Some(one), Some(other)) = (&a.requisition, &b.requisition)
        && one != other
        && (same_board || same_series(one.as_str(), other.as_str()))
    {
        return Some(Apart::Requisition);
    }
    (same_board && a.standing == Standing::FirstParty).then_some(Apart::SameBoard)
}

/// Numbers with the same letters before them are of one count; a bare number may be a board's own.
fn same_series(a: &str, b: &str) -> bool {
    let letters = |text: &str| text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (one, other) = (&a[..letters(a)], &b[..letters(b)]);
    !one.is_empty() && one == other
}

pub fn glance(a: &Identity, b: &Identity) -> Glance {
    if let Some(why) = contradiction(a, b) {
        return Glance::Apart(why);
    }
    if a.requisition.is_some() && a.requisition == b.requisition {
        return Glance::Linked(Link::new(a.id, b.id, Rule::Requisition, 1.0));
    }
    if a.role != b.role { Glance::Apart(Apart::Role) } else { Glance::AskBodies }
}

/// The whole judgement.
pub fn judge(a: &Identity, a_body: &Body, b: &Identity, b_body: &Body) -> Result<Link, Apart> {
    match glance(a, b) {
        Glance::Apart(why) => Err(why),
        Glance::Linked(link) => Ok(link),
        Glance::AskBodies => match a_body.agreement(b_body) {
            None => Err(Apart::NoBody),
            Some(score) if score < AGREES => Err(Apart::Body),
            Some(score) => Ok(Link::new(a.id, b.id, Rule::Body, score)),
        },
    }
}
