//! A job posting read from its page: every field known or absent, never made up. A field that is
//! missing or malformed is absent; the others stand.

use std::collections::BTreeMap;

use ::url::Url;
use jiff::civil::Date;
use jiff::{Span, Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::json_ld::property;
use super::location::{Location, RemoteKind, locations, says_remote};
use super::normal::{self, Dropped, Raw};
use super::reading::method::Method;
use super::salary::Salary;
use super::shape::{boolean, each, known_text, raw_text};
use super::texts::hint::Hint;
use super::texts::skills::{self, Skill};
use super::texts::{date, gazetteer, work};
use super::{plain_text, url};

mod complete;

/// Which reading of pages made a record. A change of meaning raises the number.
pub const EXTRACTOR_VERSION: &str = "job_posting/5";

/// Members of a list that are read.
const MAX_LIST: usize = 100;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Posting {
    pub job_title: Option<String>,
    pub company_name: Option<String>,
    /// The first of `locations`.
    pub location: Option<Location>,
    pub locations: Vec<Location>,
    pub remote: Option<RemoteKind>,
    /// Where people must live to apply, as stated (`applicantLocationRequirements`).
    pub applicant_locations: Vec<String>,
    /// Readable, from known parts only.
    pub salary_range: Option<String>,
    pub salary: Option<Salary>,
    /// Plain text with its paragraphs.
    pub description: Option<String>,
    pub employment_type: Vec<String>,
    pub date_posted: Option<Date>,
    pub valid_through: Option<ValidThrough>,
    /// The normal form of the page's URL.
    pub posting_url: Option<String>,
    /// The URL the posting gives itself, in its normal form.
    pub stated_url: Option<String>,
    pub apply_url: Option<String>,
    pub external_id: Option<String>,
    pub direct_apply: Option<bool>,
    /// The employer's own number for the opening, where it is stated apart.
    pub requisition: Option<String>,
    pub skills: Vec<Skill>,
    /// Where each known field came from.
    pub provenance: BTreeMap<String, String>,
}

/// Until when a posting says it stands: a moment, or a day without a time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ValidThrough {
    Moment(Timestamp),
    Day(Date),
}

impl ValidThrough {
    /// Whether it is over everywhere; a day ends last at UTC-12.
    pub fn is_before(self, now: Timestamp) -> bool {
        match self {
            ValidThrough::Moment(moment) => moment < now,
            ValidThrough::Day(day) => {
                let end =
                    day.to_zoned(TimeZone::UTC).and_then(|start| start.checked_add(Span::new().hours(36)));
                end.is_ok_and(|end| end.timestamp() <= now)
            }
        }
    }
}

impl Posting {
    /// The names a request may ask for.
    pub const FIELDS: &[&str] = &[
        "job_title",
        "company_name",
        "location",
        "locations",
        "remote",
        "applicant_locations",
        "salary_range",
        "salary",
        "description",
        "employment_type",
        "date_posted",
        "valid_through",
        "posting_url",
        "stated_url",
        "apply_url",
        "external_id",
        "direct_apply",
        "requisition",
        "skills",
    ];

    /// Reads a schema.org JobPosting found on the page at `page_url`; values that do not hold up are
    /// named beside it.
    pub fn from_json_ld(value: &Value, page_url: &str) -> (Posting, Vec<Dropped>) {
        Posting::from_schema(value, page_url, Method::JsonLd)
    }

    /// The same for a posting that another method says in the shape of JSON-LD.
    pub fn from_schema(value: &Value, page_url: &str, method: Method) -> (Posting, Vec<Dropped>) {
        let origin = method.as_str();
        let empty = Map::new();
        let object = value.as_object().unwrap_or(&empty);
        let at = |name: &str| property(object, name);
        let text = |name: &str| at(name).and_then(known_text);
        let locations = at("jobLocation").map(locations).unwrap_or_default();
        let said_in_place = || locations.iter().any(|place| place.raw.as_deref().is_some_and(starts_remote));
        let country = locations.first().and_then(|place| gazetteer::country(place.country.as_deref()?));
        let hint = Hint { country: country.map(|country| country.code), ..Hint::default() };
        let salary = at("baseSalary").and_then(|base| Salary::read(base, at("salaryCurrency"), hint));
        let stated_pay = salary.as_ref().map(Salary::to_string);
        let mut raw = Raw::default();
        raw.offer("job_title", method, at("title").and_then(raw_text));
        raw.offer("job_title", method, at("name").and_then(raw_text));
        raw.offer("company_name", method, at("hiringOrganization").and_then(raw_text));
        raw.offer("location", method, locations.first().cloned());
        raw.offer("salary_range", method, stated_pay.or_else(|| at("baseSalary").and_then(pay_in_words)));
        raw.offer("description", method, at("description").and_then(raw_text));
        raw.offer("posting_url", Method::Url, Some(page_url));
        let core = normal::job_posting(&raw);
        let mut posting = Posting {
            job_title: core.fields.job_title,
            company_name: core.fields.company_name,
            remote: at("jobLocationType")
                .and_then(RemoteKind::from_json)
                .or_else(|| said_in_place().then_some(RemoteKind::Remote)),
            applicant_locations: at("applicantLocationRequirements")
                .map(|value| each(value).take(MAX_LIST).filter_map(known_text).collect())
                .unwrap_or_default(),
            salary_range: core.fields.salary_range,
            salary,
            description: core.fields.description,
            employment_type: at("employmentType").map(employment_types).unwrap_or_default(),
            date_posted: text("datePosted").and_then(|text| day(&text, hint)),
            valid_through: text("validThrough").and_then(|text| valid_through(&text, hint)),
            posting_url: core.fields.posting_url,
            stated_url: at("url")
                .and_then(raw_text)
                .and_then(|stated| web_url(&stated, page_url))
                .and_then(|stated| url::normalise(&stated).ok()),
            apply_url: apply_url(object, page_url),
            external_id: at("identifier").and_then(identifier),
            direct_apply: at("directApply").and_then(boolean),
            requisition: None,
            skills: at("skills").map(named_skills).unwrap_or_default(),
            location: core.fields.location,
            locations,
            provenance: BTreeMap::new(),
        };
        posting.provenance = posting
            .known_fields()
            .map(|name| {
                (
                    name.to_owned(),
                    if name == "posting_url" { Method::Url.as_str() } else { origin }.to_owned(),
                )
            })
            .collect();
        (posting, core.dropped)
    }

    /// Whether what a listing lives by is known, so that nothing more has to be looked for.
    pub fn is_whole(&self) -> bool {
        self.job_title.is_some()
            && self.company_name.is_some()
            && (self.location.is_some() || self.remote.is_some())
            && self.date_posted.is_some()
            && self.description.is_some()
    }

    /// Takes from another reading of the same page what this one does not know. What is known stays.
    pub fn fill(&mut self, other: Posting) {
        let mut taken: Vec<&str> = Vec::new();
        let mut take = |names: &[&'static str], missing: bool, there: bool| {
            let takes = missing && there;
            if takes {
                taken.extend(names);
            }
            takes
        };
        macro_rules! fill {
            ($($field:ident),+) => {$(
                if take(&[stringify!($field)], self.$field.is_none(), other.$field.is_some()) {
                    self.$field = other.$field;
                }
            )+};
        }
        fill!(
            job_title,
            company_name,
            remote,
            description,
            date_posted,
            valid_through,
            posting_url,
            stated_url
        );
        fill!(apply_url, external_id, direct_apply, requisition);
        // what belongs together comes from one place
        if take(
            &["location", "locations"],
            self.location.is_none() && self.locations.is_empty(),
            other.location.is_some(),
        ) {
            (self.location, self.locations) = (other.location, other.locations);
        }
        if take(
            &["salary", "salary_range"],
            self.salary_range.is_none() && self.salary.is_none(),
            other.salary_range.is_some(),
        ) {
            (self.salary, self.salary_range) = (other.salary, other.salary_range);
        }
        if take(&["employment_type"], self.employment_type.is_empty(), !other.employment_type.is_empty()) {
            self.employment_type = other.employment_type;
        }
        if take(
            &["applicant_locations"],
            self.applicant_locations.is_empty(),
            !other.applicant_locations.is_empty(),
        ) {
            self.applicant_locations = other.applicant_locations;
        }
        if take(&["skills"], self.skills.is_empty(), !other.skills.is_empty()) {
            self.skills = other.skills;
        }
        for name in taken {
            if let Some(origin) = other.provenance.get(name) {
                self.provenance.insert(name.to_owned(), origin.clone());
            }
        }
    }

    /// The names of the fields that have a value.
    pub fn known_fields(&self) -> impl Iterator<Item = &'static str> {
        let value = serde_json::to_value(self).unwrap_or_default();
        Posting::FIELDS.iter().copied().filter(move |name| match &value[*name] {
            Value::Null => false,
            Value::Array(values) => !values.is_empty(),
            _ => true,
        })
    }
}

fn starts_remote(raw: &str) -> bool {
    says_remote(raw.split([',', '(', '-', '–', '/']).next().unwrap_or_default())
}

/// Pay that is stated in words and cannot be read as numbers.
fn pay_in_words(base: &Value) -> Option<String> {
    let text = match base {
        Value::String(_) => known_text(base)?,
        Value::Object(amount) => {
            property(amount, "value").filter(|value| value.is_string()).and_then(known_text)?
        }
        _ => return None,
    };
    (text.len() <= 200 && text.contains(|c: char| c.is_alphabetic() || matches!(c, '1'..='9')))
        .then_some(text)
}

/// The kinds of employment by schema.org's words, in whatever language they are written; other words as they stand.
pub(super) fn employment_types(value: &Value) -> Vec<String> {
    let mut types = Vec::new();
    for text in each(value).take(MAX_LIST).filter_map(known_text) {
        for part in text.split([',', ';', '|']).map(str::trim).filter(|part| !part.is_empty()).take(20) {
            let name = part.rsplit('/').next().filter(|_| part.starts_with("http")).unwrap_or(part);
            let stated = match work::employment(&name.replace('_', " ")) {
                kinds if kinds.is_empty() && name.eq_ignore_ascii_case("other") => vec!["OTHER".to_owned()],
                kinds if kinds.is_empty() => vec![part.to_owned()],
                kinds => kinds.into_iter().map(|kind| kind.as_str().to_owned()).collect(),
            };
            for kind in stated {
                if !types.contains(&kind) {
                    types.push(kind);
                }
            }
        }
    }
    types
}

/// `skills` in the words of the taxonomy; what it does not know is left out.
fn named_skills(value: &Value) -> Vec<Skill> {
    let listed: Vec<String> = each(value).take(MAX_LIST).filter_map(known_text).collect();
    let mut found = skills::find(&listed.join(", "));
    found.extend(listed.iter().filter_map(|name| skills::canonical(name)));
    found.sort_unstable();
    found.dedup();
    found
}

/// `2026-11-02`, alone or before a time, or a day in words; one that could be two days is none.
fn day(text: &str, hint: Hint<'_>) -> Option<Date> {
    if let Some(day) = text.get(..10).and_then(|start| start.replace('/', "-").parse().ok()) {
        return Some(day);
    }
    // data has no moment to count back from
    let found = date::day(text, Timestamp::UNIX_EPOCH, hint)?;
    (found.precision == date::Precision::Day && found.rule != "relative").then_some(found.date)
}

fn valid_through(text: &str, hint: Hint<'_>) -> Option<ValidThrough> {
    let moment = text.parse::<Timestamp>().ok().map(ValidThrough::Moment);
    moment.or_else(|| day(text, hint).map(ValidThrough::Day))
}

fn identifier(value: &Value) -> Option<String> {
    let value = each(value).next()?;
    match value {
        Value::Object(object) => {
            property(object, "value").or_else(|| object.get("@value")).and_then(known_text)
        }
        other => known_text(other),
    }
}

fn apply_url(object: &Map<String, Value>, page_url: &str) -> Option<String> {
    let target = || {
        let action = each(property(object, "potentialAction")?).find_map(Value::as_object)?;
        let kind = action.get("@type").and_then(raw_text)?;
        let target = property(action, "target").filter(|_| kind.ends_with("ApplyAction"))?;
        match each(target).next()? {
            Value::Object(entry) => {
                property(entry, "urlTemplate").or_else(|| property(entry, "url")).and_then(raw_text)
            }
            other => raw_text(other),
        }
    };
    let contact = || property(property(object, "applicationContact")?.as_object()?, "url").and_then(raw_text);
    let own = || property(object, "applyUrl").and_then(raw_text);
    target().or_else(contact).or_else(own).and_then(|text| web_url(&text, page_url))
}

/// An absolute http or https URL, resolved against the page.
pub(super) fn web_url(text: &str, page_url: &str) -> Option<String> {
    let text = plain_text::decode_entities(text.trim());
    let absolute = Url::parse(page_url).ok()?.join(&text).ok()?;
    let fits = matches!(absolute.scheme(), "http" | "https") && absolute.as_str().len() <= url::MAX_LENGTH;
    (fits && !text.is_empty()).then(|| absolute.into())
}

#[cfg(test)]
#[path = "posting_tests.rs"]
mod tests;
