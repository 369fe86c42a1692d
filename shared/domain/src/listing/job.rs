//! A job as it is written: what a listing carries, and what jobs add to it.

use serde_json::{Value, json};

use super::home::HomeFields;
use crate::posting::Posting;

/// The fields of a job. Unknown ones are none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobFields {
    pub url: String,
    pub title: String,
    pub company: Option<String>,
    pub place: Option<Value>,
    pub description: Option<String>,
    pub remote: Option<String>,
    pub employment_type: Vec<String>,
    pub salary: Option<Value>,
    pub salary_text: Option<String>,
    pub date_posted: Option<jiff::civil::Date>,
    pub valid_through: Option<String>,
    pub apply_url: Option<String>,
    /// The employer's own number for the opening.
    pub requisition: Option<String>,
    /// By the names of the taxonomy.
    pub skills: Vec<String>,
    pub provenance: Value,
    pub extractor_version: String,
    pub fingerprint: String,
    /// Of a home: then the listing is an apartment, and nothing that only jobs have is written.
    pub home: Option<Box<HomeFields>>,
    /// A list said it, and more stands behind: what it leaves out stays as it was.
    pub partial: bool,
}

impl JobFields {
    /// Of a posting read from its page. A listing needs a title; everything else may be unknown.
    pub fn of(posting: &Posting, fingerprint: Option<&str>, version: &str) -> Option<JobFields> {
        Some(JobFields {
            url: posting.posting_url.clone()?,
            title: posting.job_title.clone()?,
            company: posting.company_name.clone(),
            place: posting.location.as_ref().map(|place| json!(place)),
            description: posting.description.clone(),
            remote: posting.remote.and_then(|remote| json!(remote).as_str().map(str::to_owned)),
            employment_type: posting.employment_type.clone(),
            salary: posting.salary.as_ref().map(|salary| json!(salary)),
            salary_text: posting.salary_range.clone(),
            date_posted: posting.date_posted,
            valid_through: posting.valid_through.and_then(|until| json!(until).as_str().map(str::to_owned)),
            apply_url: posting.apply_url.clone(),
            requisition: posting.requisition.clone(),
            skills: posting.skills.iter().map(|skill| skill.name().to_owned()).collect(),
            provenance: json!(posting.provenance),
            extractor_version: version.to_owned(),
            fingerprint: fingerprint?.to_owned(),
            home: None,
            partial: false,
        })
    }

    /// The listing's kind.
    pub fn kind(&self) -> &'static str {
        if self.home.is_some() { "apartment" } else { "job" }
    }

    /// How many fields say something.
    pub fn known(&self) -> usize {
        let said = [
            self.company.is_some(),
            self.place.is_some(),
            self.description.is_some(),
            self.remote.is_some(),
            !self.employment_type.is_empty(),
            self.salary.is_some(),
            self.salary_text.is_some(),
            self.date_posted.is_some(),
            self.valid_through.is_some(),
            self.apply_url.is_some(),
            self.requisition.is_some(),
            !self.skills.is_empty(),
        ];
        said.into_iter().filter(|known| *known).count()
    }
}
