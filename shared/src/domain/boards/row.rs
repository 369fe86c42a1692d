//! A listed job as a posting: the same record that a page gives, so that what follows need not know where it was
//! read.

use std::collections::BTreeMap;

use super::{Board, Listed};
use crate::domain::location::Location;
use crate::domain::place;
use crate::domain::posting::{Posting, ValidThrough};
use crate::domain::url::normalise;

impl Listed {
    /// Every field known or absent. `provenance` names the board's system.
    pub fn posting(&self, board: &Board) -> Posting {
        let locations: Vec<Location> = self.places.iter().map(|text| place::read(text)).collect();
        let url = self.url.as_deref().and_then(|url| normalise(url).ok());
        let mut posting = Posting {
            job_title: (!self.title.is_empty()).then(|| self.title.clone()),
            company_name: self.company.clone(),
            location: locations.first().cloned(),
            locations,
            remote: self.remote,
            salary_range: self.salary_text.clone().or_else(|| self.salary.as_ref().map(ToString::to_string)),
            salary: self.salary.clone(),
            description: self.description.clone(),
            employment_type: self.employment_type.iter().cloned().collect(),
            date_posted: self.posted,
            valid_through: self.closes.map(ValidThrough::Day),
            posting_url: url,
            apply_url: self.apply_url.clone(),
            external_id: Some(self.external_id.clone()),
            ..Posting::default()
        };
        let origin = format!("list:{}", board.system());
        posting.provenance =
            BTreeMap::from_iter(known(&posting).into_iter().map(|name| (name.to_owned(), origin.clone())));
        posting
    }
}

/// The fields that have a value; asked for one by one, because a list has thousands of rows.
fn known(posting: &Posting) -> Vec<&'static str> {
    let said: [(&'static str, bool); 13] = [
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
        ("external_id", posting.external_id.is_some()),
    ];
    let apply = posting.apply_url.is_some().then_some("apply_url");
    said.into_iter().filter(|(_, known)| *known).map(|(name, _)| name).chain(apply).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_becomes_the_record_a_page_would_give() {
        let board: Board = "greenhouse:lantern".parse().unwrap();
        let listed = Listed {
            external_id: "7".into(),
            title: "Cook".into(),
            url: Some("http://b.example/7?utm_source=x".into()),
            places: vec!["Graz, Austria".into()],
            ..Listed::default()
        };
        let posting = listed.posting(&board);
        assert_eq!(posting.posting_url.as_deref(), Some("https://b.example/7"));
        assert_eq!(posting.location.as_ref().and_then(|place| place.raw.as_deref()), Some("Graz, Austria"));
        assert_eq!(posting.provenance.get("job_title").map(String::as_str), Some("list:greenhouse"));
        let mut stated: Vec<&str> = posting.known_fields().collect();
        stated.sort_unstable();
        assert_eq!(posting.provenance.keys().collect::<Vec<_>>(), stated);
        assert!(!posting.provenance.contains_key("remote"), "never by default");
    }
}
