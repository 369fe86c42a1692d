//! Reads a page from its bytes, by the kind of page the caller said it is. Pure, and total: any bytes give
//! a reading. Here new kinds plug in: one implementation of [`Extract`] and one line in [`REGISTRY`].

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::apartment::Apartment;
use super::change::Look;
use super::company_website::CompanyWebsite;
use super::job_posting::JobPosting;
use super::linkedin_profile::LinkedinProfile;
use super::media;
use super::normal::{Dropped, Normal};
use super::notice::{State, Verdict, Visit};
use super::page::{Page, TooComplex};
use super::posting::Posting;
use super::schema::ApartmentResult;
use super::target::TargetType;

/// How pages of one kind are read.
pub trait Extract: Sync {
    fn target(&self) -> TargetType;

    /// Which reading of pages made a record. A change of meaning raises the number.
    fn version(&self) -> &'static str;

    /// The same answer without the tree of the page, where the page's text makes that possible.
    fn read_quickly(&self, _text: &str, _visit: &Visit<'_>) -> Option<Reading> {
        None
    }

    /// What the page says. It never fails for what is missing, only for what would take too much work.
    fn read(&self, page: &Page, visit: &Visit<'_>) -> Result<Reading, TooComplex>;
}

pub static REGISTRY: &[&dyn Extract] = &[&JobPosting, &CompanyWebsite, &LinkedinProfile, &Apartment];

/// The extractor for a kind of page.
pub fn extractor(target: TargetType) -> &'static dyn Extract {
    REGISTRY
        .iter()
        .copied()
        .find(|extract| extract.target() == target)
        .expect("a test holds that the registry has every target type")
}

/// What one fetch of a page tells us.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub verdict: Verdict,
    /// What the caller gets: every field of its schema, known or null, and `provenance`.
    pub result: Option<Value>,
    /// How many fields are known.
    pub known: usize,
    /// Values that were there and did not hold up.
    pub dropped: Vec<Dropped>,
    /// Only of a job posting: absent when the page has none, lists many, or turned into another posting.
    pub posting: Option<Posting>,
    /// Only of a home: what its listing says.
    pub home: Option<Box<Normal<ApartmentResult>>>,
    /// Of the posting's own fields.
    pub fingerprint: Option<String>,
    /// Of the posting's own block, without what moves by itself (`change::block`).
    pub block: Option<String>,
    pub too_complex: Option<TooComplex>,
}

impl Reading {
    pub(super) fn nothing(verdict: Verdict) -> Reading {
        Reading {
            verdict,
            result: None,
            known: 0,
            dropped: Vec::new(),
            posting: None,
            home: None,
            fingerprint: None,
            block: None,
            too_complex: None,
        }
    }

    /// A result that makes no listing. A page with little on it is still an answer: nulls.
    pub(super) fn of_fields<T: Serialize>(normal: Normal<T>) -> Reading {
        // an address of its own has every page
        const ADDRESSES: [&str; 3] = ["profile_url", "website_url", "listing_url"];
        let found = normal.provenance.keys().any(|field| !ADDRESSES.contains(&field.as_str()));
        let verdict = if found {
            Verdict::new(State::Active, "read", "the page says who it is about")
        } else {
            Verdict::new(State::Uncertain, "nothing_found", "the page carries none of the fields we look for")
        };
        let mut reading = Reading::nothing(verdict);
        reading.known = normal.provenance.len();
        reading.result = serde_json::to_value(&normal).ok();
        reading.dropped = normal.dropped;
        reading
    }

    /// What is kept of this look, to compare with another (`change`). The SimHash is of the page's bytes.
    pub fn look(&self, simhash: Option<u64>) -> Look {
        Look {
            closed: self.verdict.state == State::Expired,
            fields: self.fingerprint.clone(),
            block: self.block.clone(),
            simhash,
        }
    }

    /// The verdict as it is stored and shown, with the fields that were dropped.
    pub fn verdict_json(&self) -> Value {
        let mut verdict = json!(self.verdict);
        if !self.dropped.is_empty() {
            verdict["dropped_fields"] = json!(self.dropped);
        }
        verdict
    }
}

/// Reads a page. One that is no page, or over our limits, is a reading too: uncertain, with nothing in it.
pub fn read(
    target: TargetType,
    bytes: &[u8],
    content_type: Option<&str>,
    requested_url: &str,
    final_url: &str,
    fetched_at: Timestamp,
) -> Reading {
    if let Some(what) = media::not_a_page(bytes, content_type) {
        return Reading::nothing(Verdict::new(
            State::Uncertain,
            "not_a_page",
            format!("what came is {what}, and no page"),
        ));
    }
    let visit = Visit { requested_url, final_url, fetched_at };
    let extractor = extractor(target);
    let read = Page::text(bytes, content_type).and_then(|text| match extractor.read_quickly(&text, &visit) {
        Some(reading) => Ok(reading),
        None => Page::grow(&text).and_then(|page| extractor.read(&page, &visit)),
    });
    read.unwrap_or_else(|over| Reading {
        too_complex: Some(over),
        ..Reading::nothing(Verdict::new(State::Uncertain, "too_complex", over.to_string()))
    })
}

/// Reads a job page.
pub fn read_job_posting(
    bytes: &[u8],
    content_type: Option<&str>,
    requested_url: &str,
    final_url: &str,
    fetched_at: Timestamp,
) -> Reading {
    read(TargetType::JobPosting, bytes, content_type, requested_url, final_url, fetched_at)
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
