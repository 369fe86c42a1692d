//! What a posting says without a field for it: where the work is done, how somebody is employed, what is paid, which
//! skills are named. Read from the posting's own texts by rules, recorded as `text_rule`; what a field states is never
//! changed.

use super::Posting;
use crate::location::RemoteKind;
use crate::plain_text::fold;
use crate::reading::method::Method;
use crate::texts::gazetteer;
use crate::texts::hint::Hint;
use crate::texts::work::{self, Prose};
use crate::texts::{pay, skills};

impl Posting {
    /// Fills what the posting's texts say in so many words. The last step of every reading, page or list.
    pub fn complete(&mut self) {
        let prose = self.description.as_deref().map(Prose::of).unwrap_or_default();
        if self.remote.is_none()
            && let Some(kind) = self.place_says().or_else(|| self.title_says()).or(prose.remote)
        {
            self.remote = Some(kind);
            self.by_rule("remote");
        }
        if self.employment_type.is_empty() && !prose.employment.is_empty() {
            self.employment_type = prose.employment.iter().map(|kind| kind.as_str().to_owned()).collect();
            self.by_rule("employment_type");
        }
        self.complete_pay();
        if self.skills.is_empty() {
            self.skills = skills::find_in([self.job_title.as_deref(), self.description.as_deref()]);
            if !self.skills.is_empty() {
                self.by_rule("skills");
            }
        }
    }

    /// Pay that stands in words, in a field of its own or in the description.
    fn complete_pay(&mut self) {
        if self.salary.is_some() {
            return;
        }
        let country = self.country();
        let hint = Hint { country, ..Hint::default() };
        let found = match (&self.salary_range, &self.description) {
            (Some(words), _) => pay::field(words, hint),
            (None, Some(prose)) => pay::prose(prose, hint),
            (None, None) => None,
        };
        let Some(salary) = found else { return };
        if self.salary_range.is_none() {
            self.salary_range = Some(salary.to_string());
            self.by_rule("salary_range");
        }
        self.salary = Some(salary);
        self.by_rule("salary");
    }

    /// The country of the posting's first place, by its ISO code.
    pub fn country(&self) -> Option<&'static str> {
        let stated = self.location.as_ref()?.country.as_deref()?;
        gazetteer::country(stated).map(|country| country.code)
    }

    /// `Remote - US`, `Hybrid, Berlin`. Places that say different things say nothing.
    fn place_says(&self) -> Option<RemoteKind> {
        let mut said = self.locations.iter().filter_map(|place| work::remote(place.raw.as_deref()?));
        let first = said.next()?;
        said.all(|other| other == first).then_some(first)
    }

    /// `Cook (Remote)`, `Cook - hybrid`: a part of the title that says nothing else. `Hybrid Cloud Engineer` is no such.
    fn title_says(&self) -> Option<RemoteKind> {
        let title = self.job_title.as_deref()?;
        let parts = title.split(['(', ')', '[', ']', '|', ',']).flat_map(|part| part.split(" - "));
        parts.map(str::trim).filter(|part| fold(part).split(' ').count() <= 2).find_map(work::remote_word)
    }

    fn by_rule(&mut self, field: &str) {
        self.provenance.insert(field.to_owned(), Method::TextRule.as_str().to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place;

    fn posting(place: &str, description: &str) -> Posting {
        let location = place::known(place);
        let mut posting = Posting {
            job_title: Some("Net Mender".into()),
            locations: vec![location.clone()],
            location: Some(location),
            description: Some(description.into()),
            ..Posting::default()
        };
        posting.complete();
        posting
    }

    #[test]
    fn what_the_text_says_becomes_fields_with_their_origin() {
        let read = posting(
            "Austin, TX",
            "This is a full-time position. This role is fully remote.\nSalary: $70,000 - $90,000 per year.\nYou know Rust, SQL and C++.",
        );
        assert_eq!(read.remote, Some(RemoteKind::Remote));
        assert_eq!(read.employment_type, ["FULL_TIME"]);
        assert_eq!(read.salary_range.as_deref(), Some("70,000–90,000 USD per year"));
        let names: Vec<&str> = read.skills.iter().map(|skill| skill.name()).collect();
        assert!(["Rust", "SQL", "C++"].iter().all(|name| names.contains(name)), "{names:?}");
        for field in ["remote", "employment_type", "salary", "salary_range", "skills"] {
            assert_eq!(read.provenance[field], "text_rule", "{field}");
        }
    }

    #[test]
    fn a_title_names_skills_too() {
        let mut posting = Posting {
            job_title: Some("Embedded Engineer (Rust)".into()),
            description: Some("SQL is a plus. Firmware for buoys.".into()),
            ..Posting::default()
        };
        posting.complete();
        assert_eq!(posting.skills.iter().map(|skill| skill.name()).collect::<Vec<_>>(), ["Rust", "SQL"]);
    }

    #[test]
    fn nothing_is_made_up() {
        let read = posting("Harbour Row", "Mend nets. $5,000 bonus. Homeoffice possible.");
        assert_eq!((read.remote, read.salary, read.salary_range), (None, None, None));
        assert!(read.employment_type.is_empty() && read.skills.is_empty() && read.provenance.is_empty());
        let dollars = posting("Harbour Row", "Pay: $20 per hour");
        assert_eq!(dollars.salary.and_then(|salary| salary.currency), None, "a $ from nowhere");
    }

    #[test]
    fn a_field_is_never_changed_and_twice_is_once() {
        let mut stated = Posting {
            remote: Some(RemoteKind::OnSite),
            employment_type: vec!["PART_TIME".into()],
            salary_range: Some("by agreement".into()),
            ..posting("Berlin", "This is a full-time position, fully remote, 100,000 EUR per year.")
        };
        stated.salary = None;
        stated.complete();
        assert_eq!(stated.remote, Some(RemoteKind::OnSite));
        assert_eq!(stated.employment_type, ["PART_TIME"]);
        assert_eq!(stated.salary, None, "prose does not speak for a field");
        let once = stated.clone();
        stated.complete();
        assert_eq!(stated, once);
    }

    #[test]
    fn a_title_says_remote_only_in_a_part_of_its_own() {
        let of = |title: &str| {
            let mut posting = Posting { job_title: Some(title.into()), ..Posting::default() };
            posting.complete();
            posting.remote
        };
        assert_eq!(of("Cook (Remote)"), Some(RemoteKind::Remote));
        assert_eq!(of("Cook - hybrid"), Some(RemoteKind::Hybrid));
        for title in ["Hybrid Cloud Engineer", "Remote Sensing Scientist", "Cook", "Engineer - Hybrid Cloud"]
        {
            assert_eq!(of(title), None, "{title}");
        }
    }
}
