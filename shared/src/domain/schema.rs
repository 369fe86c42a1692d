//! What callers get for each kind of page: every field known or null. The names are a contract; what is
//! not known stays null and is never left out.

use serde::{Deserialize, Serialize};

pub use super::location::Location as NormalizedLocation;
use super::posting::Posting;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkedInProfileResult {
    pub name: Option<String>,
    pub headline: Option<String>,
    pub current_company: Option<String>,
    pub location: Option<NormalizedLocation>,
    pub summary: Option<String>,
    pub profile_url: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompanyWebsiteResult {
    pub company_name: Option<String>,
    pub description: Option<String>,
    pub industry: Option<String>,
    /// `51-200`, `10001+` or one number.
    pub employee_count_range: Option<String>,
    pub headquarters: Option<NormalizedLocation>,
    pub contact_email: Option<String>,
    pub contact_phone: Option<String>,
    pub website_url: Option<String>,
}

/// The core of a posting; [`Posting`] says the same and more under the same names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobPostingResult {
    pub job_title: Option<String>,
    pub company_name: Option<String>,
    pub location: Option<NormalizedLocation>,
    pub salary_range: Option<String>,
    pub description: Option<String>,
    pub posting_url: Option<String>,
}

impl From<&Posting> for JobPostingResult {
    fn from(posting: &Posting) -> JobPostingResult {
        JobPostingResult {
            job_title: posting.job_title.clone(),
            company_name: posting.company_name.clone(),
            location: posting.location.clone(),
            salary_range: posting.salary_range.clone(),
            description: posting.description.clone(),
            posting_url: posting.posting_url.clone(),
        }
    }
}
