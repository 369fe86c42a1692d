//! A listed job as a posting: the same record that a page gives, so that what follows need not know where it was
//! read.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Board, Listed, System};
use crate::location::Location;
use crate::place;
use crate::posting::{Posting, ValidThrough, employment_types};
use crate::reading::method::Method;
use crate::url::normalise;

impl Listed {
    /// Every field known or absent. `company` is whose board it is: the company of a row that names none.
    pub fn posting(&self, board: &Board, company: Option<&str>) -> Posting {
        let locations: Vec<Location> = self.places.iter().map(|text| place::known(text)).collect();
        let url = self.url.as_deref().and_then(|url| normalise(url).ok());
        let stated = self.employment_type.clone().map(Value::String);
        let mut posting = Posting {
            job_title: (!self.title.is_empty()).then(|| self.title.clone()),
            company_name: self.company.clone().or_else(|| company.map(str::to_owned)),
            location: locations.first().cloned(),
            locations,
            remote: self.remote,
            salary_range: self.salary_text.clone().or_else(|| self.salary.as_ref().map(ToString::to_string)),
            salary: self.salary.clone(),
            description: self.description.clone(),
            employment_type: stated.as_ref().map(employment_types).unwrap_or_default(),
            date_posted: self.posted,
            valid_through: self.closes.map(ValidThrough::Day),
            posting_url: url,
            apply_url: self.apply_url.clone(),
            external_id: Some(self.external_id.clone()),
            requisition: self.requisition.clone(),
            ..Posting::default()
        };
        let method = method_of(board.system());
        posting.provenance = BTreeMap::from_iter(
            known(&posting).into_iter().map(|name| (name.to_owned(), method.as_str().to_owned())),
        );
        if self.company.is_none() && company.is_some() {
            // the board's, not the row's
            posting.provenance.insert("company_name".to_owned(), Method::Meta.as_str().to_owned());
        }
        posting.complete();
        posting
    }
}

/// How a list says what it says: as data for scripts, as a feed about pages, or as elements of a page.
fn method_of(system: System) -> Method {
    match system {
        System::Feed | System::Sitemap => Method::Meta,
        System::ListPage => Method::Selectors,
        _ => Method::EmbeddedState,
    }
}

/// The fields that have a value; asked for one by one, because a list has thousands of rows.
fn known(posting: &Posting) -> Vec<&'static str> {
    let said: [(&'static str, bool); 15] = [
        ("job_title", posting.job_title.is_some()),
        ("company_name", posting.company_name.is_some()),
        ("location", posting.location.is_some()),
        ("locations", !posting.locations.is_empty()),
        ("remote", posting.remote.is_some()),
        ("salary_range", posting.salary_range.is_some()),
        ("salary", posting.salary.is_some()),
        ("description", posting.description.is_some()),
        ("employment_type", !posting.employment_type.is_empty()),
        ("date_posted", posting.date_posted.is_some()),
        ("valid_through", posting.valid_through.is_some()),
        ("posting_url", posting.posting_url.is_some()),
        ("apply_url", posting.apply_url.is_some()),
        ("external_id", posting.external_id.is_some()),
        ("requisition", posting.requisition.is_some()),
    ];
    said.into_iter().filter(|(_, known)| *known).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cook() -> Listed {
        Listed {
            external_id: "7".into(),
            title: "Cook".into(),
            url: Some("http://b.example/7?utm_source=x".into()),
            places: vec!["Graz, Austria".into()],
            ..Listed::default()
        }
    }

    #[test]
    fn a_row_becomes_the_record_a_page_would_give() {
        let board: Board = "greenhouse:lantern".parse().unwrap();
        let posting = cook().posting(&board, None);
        assert_eq!(posting.posting_url.as_deref(), Some("https://b.example/7"));
        assert_eq!(posting.location.as_ref().and_then(|place| place.raw.as_deref()), Some("Graz, Austria"));
        assert_eq!(posting.provenance.get("job_title").map(String::as_str), Some("embedded_state"));
        let mut stated: Vec<&str> = posting.known_fields().collect();
        stated.sort_unstable();
        assert_eq!(posting.provenance.keys().collect::<Vec<_>>(), stated);
        assert!(!posting.provenance.contains_key("remote"), "never by default");
        assert_eq!(posting.company_name, None, "nobody said it");
    }

    #[test]
    fn the_company_of_a_board_is_that_of_rows_that_name_none() {
        let board: Board = "lever:lantern".parse().unwrap();
        let row = cook().posting(&board, Some("Lantern Ltd"));
        assert_eq!(row.company_name.as_deref(), Some("Lantern Ltd"));
        assert_eq!(row.provenance["company_name"], "meta");
        let own = Listed { company: Some("Wick & Sons".into()), ..cook() };
        assert_eq!(own.posting(&board, Some("Lantern Ltd")).company_name.as_deref(), Some("Wick & Sons"));
    }

    #[test]
    fn words_of_a_list_are_read_as_those_of_a_page() {
        let board: Board = "ashby:lantern".parse().unwrap();
        let listed = Listed {
            places: vec!["Berlin".into()],
            employment_type: Some("Vollzeit".into()),
            salary_text: Some("€50K – €60K per year".into()),
            description: Some("Hybrid position. We use Rust and PostgreSQL.".into()),
            requisition: Some("R-12345".into()),
            ..cook()
        };
        let row = listed.posting(&board, None);
        let place = row.location.as_ref().unwrap();
        assert_eq!((place.city.as_deref(), place.country.as_deref()), (Some("Berlin"), Some("DE")));
        assert_eq!(row.employment_type, ["FULL_TIME"]);
        assert_eq!(
            row.salary.as_ref().map(ToString::to_string).as_deref(),
            Some("50,000–60,000 EUR per year")
        );
        assert_eq!(row.salary_range.as_deref(), Some("€50K – €60K per year"), "as it was written");
        assert_eq!(row.remote.map(|kind| kind.as_str()), Some("hybrid"));
        assert_eq!(row.requisition.as_deref(), Some("R-12345"));
        assert_eq!(row.provenance["skills"], "text_rule");
        for (written, kind) in
            [("Full-time", "FULL_TIME"), ("FULL_TIME", "FULL_TIME"), ("FullTime", "FULL_TIME")]
        {
            let listed = Listed { employment_type: Some(written.into()), ..cook() };
            assert_eq!(listed.posting(&board, None).employment_type, [kind], "{written}");
        }
    }
}
