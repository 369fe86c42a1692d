//! The reader of job postings: the verdict first, then the fields. The only one whose pages become listings.

use super::extract::{Extract, Reading};
use super::fingerprint::field_fingerprint;
use super::json_ld::{self, Found};
use super::notice::{Subject, Visit, judge};
use super::page::{Page, TooComplex};
use super::posting::{EXTRACTOR_VERSION, Posting};
use super::target::TargetType;

pub struct JobPosting;

impl Extract for JobPosting {
    fn target(&self) -> TargetType {
        TargetType::JobPosting
    }

    fn version(&self) -> &'static str {
        EXTRACTOR_VERSION
    }

    fn read(&self, page: &Page, visit: &Visit<'_>) -> Result<Reading, TooComplex> {
        let found = find(page, visit.final_url)?;
        let (posting, dropped) = match &found {
            Found::Posting(value) => {
                let (posting, dropped) = Posting::from_json_ld(value, visit.final_url);
                (Some(posting), dropped)
            }
            Found::ManyPostings(_) | Found::Nothing => (None, Vec::new()),
        };
        let subject = match (&found, &posting) {
            (_, Some(posting)) => Subject::Posting(posting),
            (Found::ManyPostings(count), None) => Subject::Many(*count),
            (_, None) => Subject::Nobody,
        };
        let verdict = judge(page, subject, visit);
        // what another posting says must not become ours
        let posting = posting.filter(|_| verdict.code != "identity_lost");
        Ok(Reading {
            result: posting.as_ref().and_then(|posting| serde_json::to_value(posting).ok()),
            known: posting.as_ref().map_or(0, |posting| posting.provenance.len()),
            dropped,
            fingerprint: posting.as_ref().map(field_fingerprint),
            posting,
            ..Reading::nothing(verdict)
        })
    }
}

fn find(page: &Page, url: &str) -> Result<Found, TooComplex> {
    let heading = page.headings().into_iter().find(|heading| heading.level == 1);
    let values = json_ld::values(&page.json_ld())?;
    Ok(json_ld::find(values, url, heading.as_ref().map(|heading| heading.text.as_str())))
}
