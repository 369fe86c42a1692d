//! The same job on two boards is one cluster. Two listings are one job when company, role and place agree and
//! the bodies agree, or when they carry the company's own number; SimHash never decides it (`same`). Who
//! belongs together follows from all such links and from what an admin has split (`group`). What a cluster
//! says is a function of its members, in whatever order they came (`merge`).

pub mod body;
pub mod group;
pub mod key;
pub mod merge;
pub mod same;
pub mod standing;

use ::url::Url;
use serde_json::Value;

use super::identity::requisition::{self, Requisition};
use super::ids::ListingId;
use key::{Place, company_key, role_key};
use standing::{Standing, standing};

/// What a listing says of who it is.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    pub id: ListingId,
    pub source: &'a str,
    pub url: &'a str,
    pub title: &'a str,
    pub company: Option<&'a str>,
    /// As it is stored: `city`, `state_region`, `country`, `raw`.
    pub place: Option<&'a Value>,
    pub remote: Option<&'a str>,
    pub description: Option<&'a str>,
    /// The company's own number, where the board states it apart.
    pub requisition: Option<&'a str>,
}

/// The same in the form in which listings are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub id: ListingId,
    pub company: String,
    pub role: String,
    pub place: Place,
    pub requisition: Option<Requisition>,
    /// Who numbers it: the source, or for a page of its own the host.
    pub board: String,
    pub standing: Standing,
}

impl Identity {
    /// None for a listing that cannot be compared: without a company or a title there is nobody to be.
    pub fn of(facts: &Facts<'_>) -> Option<Identity> {
        let company = company_key(facts.company?);
        let place = Place::of(facts.place, facts.remote);
        let role = role_key(facts.title, &place, &company);
        if company.is_empty() || role.is_empty() {
            return None;
        }
        let url = Url::parse(facts.url).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let requisition = facts
            .requisition
            .and_then(requisition::labelled)
            .or_else(|| url.as_ref().and_then(requisition::in_url))
            .or_else(|| requisition::in_text(facts.title))
            .or_else(|| facts.description.and_then(requisition::in_text));
        let board = if facts.source == "web" { format!("web:{host}") } else { facts.source.to_owned() };
        let standing = standing(facts.source, host, &company);
        Some(Identity { id: facts.id, company, role, place, requisition, board, standing })
    }

    /// Under which the likes of it are looked up: company and role.
    pub fn block(&self) -> i64 {
        hash(&[&self.company, &self.role])
    }

    /// The city within a block; none for a place that names none, which is compared with all.
    pub fn city_block(&self) -> Option<i64> {
        self.place.city.as_deref().map(|city| hash(&[city]))
    }

    /// Company and requisition.
    pub fn requisition_block(&self) -> Option<i64> {
        self.requisition.as_ref().map(|number| hash(&[&self.company, number.as_str()]))
    }
}

/// Of a few parts, the same on every machine and in every version: it is stored.
fn hash(parts: &[&str]) -> i64 {
    use sha2::{Digest, Sha256};
    let mut sum = Sha256::new();
    for part in parts {
        sum.update((part.len() as u64).to_be_bytes());
        sum.update(part.as_bytes());
    }
    let bytes: [u8; 32] = sum.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&bytes[..8]);
    i64::from_be_bytes(first)
}

/// Which of so many locks a company's clusters are changed under. All members of a cluster share it.
pub fn company_lock(company: &str, locks: i64) -> i64 {
    hash(&[company]).rem_euclid(locks)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
