//! What a page may be read as, and the fields each reading has.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::posting::Posting;
use super::task::words;

words!(
    /// What a caller wants a page read as.
    TargetType ("target type") {
        LinkedinProfile = "linkedin_profile",
        CompanyWebsite = "company_website",
        JobPosting = "job_posting",
        Apartment = "apartment",
    }
);

const LINKEDIN_PROFILE: &[&str] =
    &["name", "headline", "current_company", "location", "summary", "profile_url"];

const COMPANY_WEBSITE: &[&str] = &[
    "company_name",
    "description",
    "industry",
    "employee_count_range",
    "headquarters",
    "contact_email",
    "contact_phone",
    "website_url",
    "about",
    "mission",
    "culture",
    "founded",
    "tech_stack",
    "jobs_url",
];

const APARTMENT: &[&str] = &[
    "name",
    "description",
    "rent",
    "bedrooms",
    "bathrooms",
    "area",
    "address",
    "street",
    "postal_code",
    "available_from",
    "amenities",
    "pet_policy",
    "phone",
    "listing_url",
];

impl TargetType {
    pub fn as_str(self) -> &'static str {
        self.word()
    }

    /// Whether a page of this kind is about something that is listed, and makes or changes a listing.
    pub fn is_listing(self) -> bool {
        matches!(self, TargetType::JobPosting | TargetType::Apartment)
    }

    /// The names a request may ask for.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            TargetType::LinkedinProfile => LINKEDIN_PROFILE,
            TargetType::CompanyWebsite => COMPANY_WEBSITE,
            TargetType::JobPosting => Posting::FIELDS,
            TargetType::Apartment => APARTMENT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_reads_back_and_names_each_field_once() {
        for &kind in TargetType::ALL {
            assert_eq!(kind.word().parse(), Ok(kind));
            let mut names = kind.fields().to_vec();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), kind.fields().len(), "{kind}");
        }
        assert!("recipe".parse::<TargetType>().is_err());
    }
}
