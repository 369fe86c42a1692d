//! Reads a job page from its bytes: the verdict first, then the fields. Pure, and total: any bytes give
//! a reading.

use jiff::Timestamp;

use super::fingerprint::{field_fingerprint, simhash};
use super::json_ld::{self, Found};
use super::notice::{State, Subject, Verdict, Visit, judge};
use super::page::{Page, TooComplex};
use super::posting::Posting;

/// What one fetch of a job page tells us.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub verdict: Verdict,
    /// Absent when the page has none, lists many, or turned into another posting.
    pub posting: Option<Posting>,
    /// Of the visible text; absent below three words.
    pub simhash: Option<u64>,
    /// Of the posting's own fields.
    pub fingerprint: Option<String>,
    pub too_complex: Option<TooComplex>,
}

/// Reads a page. A page over our limits is a reading too: uncertain, with nothing in it.
pub fn read_job_posting(
    bytes: &[u8],
    content_type: Option<&str>,
    requested_url: &str,
    final_url: &str,
    fetched_at: Timestamp,
) -> Reading {
    let page = match Page::parse(bytes, content_type) {
        Ok(page) => page,
        Err(over) => return refused(over),
    };
    let found = find(&page, final_url);
    let posting = match &found {
        Found::Posting(value) => Some(Posting::from_json_ld(value, final_url)),
        Found::ManyPostings(_) | Found::Nothing => None,
    };
    let subject = match (&found, &posting) {
        (_, Some(posting)) => Subject::Posting(posting),
        (Found::ManyPostings(count), None) => Subject::Many(*count),
        (_, None) => Subject::Nobody,
    };
    let verdict = judge(&page, subject, &Visit { requested_url, final_url, fetched_at });
    // what another posting says must not become ours
    let posting = posting.filter(|_| verdict.code != "identity_lost");
    Reading {
        simhash: simhash(&page.visible_text()),
        fingerprint: posting.as_ref().map(field_fingerprint),
        posting,
        verdict,
        too_complex: None,
    }
}

fn find(page: &Page, url: &str) -> Found {
    let heading = page.headings().into_iter().find(|heading| heading.level == 1);
    json_ld::find(&page.json_ld(), url, heading.as_ref().map(|heading| heading.text.as_str()))
}

fn refused(over: TooComplex) -> Reading {
    Reading {
        verdict: Verdict::new(State::Uncertain, "too_complex", over.to_string()),
        posting: None,
        simhash: None,
        fingerprint: None,
        too_complex: Some(over),
    }
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
