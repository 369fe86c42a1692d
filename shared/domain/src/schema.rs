//! What callers get for each kind of page: every field known or null. The names are a contract; what is
//! not known stays null and is never left out.

use serde::{Deserialize, Serialize};

use super::apartment::values::{Area, Availability, Extent, PetPolicy, Rent};
pub use super::location::Location as NormalizedLocation;
use super::posting::Posting;
use super::texts::skills::Skill;

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
    /// What it says of itself, its aim and its ways, under headings of its own.
    pub about: Option<String>,
    pub mission: Option<String>,
    pub culture: Option<String>,
    /// The year.
    pub founded: Option<i16>,
    pub tech_stack: Option<Vec<Skill>>,
    /// Where its open positions are listed.
    pub jobs_url: Option<String>,
}

/// A home to rent, or a house with several. `address` has the place; street and postcode stand apart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApartmentResult {
    pub name: Option<String>,
    pub description: Option<String>,
    pub rent: Option<Rent>,
    /// A studio has none: 0.
    pub bedrooms: Option<Extent>,
    pub bathrooms: Option<Extent>,
    pub area: Option<Area>,
    pub address: Option<NormalizedLocation>,
    pub street: Option<String>,
    pub postal_code: Option<String>,
    pub available_from: Option<Availability>,
    pub amenities: Option<Vec<String>>,
    pub pet_policy: Option<PetPolicy>,
    pub phone: Option<String>,
    pub listing_url: Option<String>,
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
