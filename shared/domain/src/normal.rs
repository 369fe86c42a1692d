//! The normaliser: from what an extractor found on a page to what a caller gets. Tags and entities go,
//! addresses and places take one form. A value that does not hold up is dropped and named, and the next
//! one found for its field is tried; the other fields stand.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::apartment::values as home;
use super::contact::{email, headcount, phone};
use super::location::Location;
use super::reading::method::Method;
use super::schema::{ApartmentResult, CompanyWebsiteResult, JobPostingResult, LinkedInProfileResult};
use super::texts::hint::Hint;
use super::texts::skills::{self, Skill};
use super::texts::{gazetteer, location};
use super::{place, plain_text, shape, url};

/// A name, title or the like; longer is something else in its place.
pub const MAX_LINE: usize = 500;
/// A description longer than this is cut; it is text for people.
pub const MAX_PROSE: usize = 200_000;
/// What is looked at for one page; a page that offers more has given enough.
const MAX_OFFERS: usize = 200;

/// A value as it was found.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Text(String),
    /// A place whose parts were stated apart.
    Place(Location),
}

impl From<String> for Found {
    fn from(text: String) -> Found {
        Found::Text(text)
    }
}

impl From<&str> for Found {
    fn from(text: &str) -> Found {
        Found::Text(text.to_owned())
    }
}

impl From<Location> for Found {
    fn from(place: Location) -> Found {
        Found::Place(place)
    }
}

/// Everything an extractor found, the most trusted first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Raw {
    offers: Vec<(&'static str, Method, Found)>,
}

impl Raw {
    /// Adds a value for a field, with the method that found it.
    pub fn offer(&mut self, field: &'static str, origin: Method, value: Option<impl Into<Found>>) {
        if let Some(value) = value
            && self.offers.len() < MAX_OFFERS
        {
            self.offers.push((field, origin, value.into()));
        }
    }
}

/// A value that was there and did not hold up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    pub field: String,
    pub reason: String,
}

/// A result with where each known field came from. On the wire the fields stand beside `provenance`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Normal<T> {
    #[serde(flatten)]
    pub fields: T,
    pub provenance: BTreeMap<String, String>,
    #[serde(skip)]
    pub dropped: Vec<Dropped>,
}

pub fn linkedin_profile(raw: &Raw) -> Normal<LinkedInProfileResult> {
    sorted(raw, |sorter| LinkedInProfileResult {
        name: sorter.field("name", text(line)),
        headline: sorter.field("headline", text(line)),
        current_company: sorter.field("current_company", text(line)),
        location: sorter.field("location", stated_place),
        summary: sorter.field("summary", text(prose)),
        profile_url: sorter.field("profile_url", text(web_address)),
    })
}

pub fn company_website(raw: &Raw) -> Normal<CompanyWebsiteResult> {
    sorted(raw, |sorter| CompanyWebsiteResult {
        company_name: sorter.field("company_name", text(line)),
        description: sorter.field("description", text(prose)),
        industry: sorter.field("industry", text(line)),
        employee_count_range: sorter.field("employee_count_range", text(headcount)),
        headquarters: sorter.field("headquarters", stated_place),
        contact_email: sorter.field("contact_email", text(email)),
        contact_phone: sorter.field("contact_phone", text(phone)),
        website_url: sorter.field("website_url", text(web_address)),
        about: sorter.field("about", text(section)),
        mission: sorter.field("mission", text(section)),
        culture: sorter.field("culture", text(section)),
        founded: sorter.field("founded", text(year)),
        tech_stack: sorter.field("tech_stack", text(skill_list)),
        jobs_url: sorter.field("jobs_url", text(web_address)),
    })
}

pub fn job_posting(raw: &Raw) -> Normal<JobPostingResult> {
    sorted(raw, |sorter| JobPostingResult {
        job_title: sorter.field("job_title", text(line)),
        company_name: sorter.field("company_name", text(line)),
        location: sorter.field("location", stated_place),
        salary_range: sorter.field("salary_range", text(line)),
        description: sorter.field("description", text(prose)),
        posting_url: sorter.field("posting_url", text(web_address)),
    })
}

/// A home. The country of its address says what a `$` of its rent is.
pub fn apartment(raw: &Raw, fetched_at: Timestamp) -> Normal<ApartmentResult> {
    sorted(raw, |sorter| {
        let address = sorter.field("address", place_with_country);
        let country = address.as_ref().and_then(|place| place.country.clone());
        let hint = Hint { country: country.as_deref(), language: None };
        ApartmentResult {
            name: sorter.field("name", text(line)),
            description: sorter.field("description", text(prose)),
            rent: sorter.field("rent", text(|raw| home::rent(raw, hint))),
            bedrooms: sorter.field("bedrooms", text(home::bedrooms)),
            bathrooms: sorter.field("bathrooms", text(home::bathrooms)),
            area: sorter.field("area", text(home::area)),
            street: sorter.field("street", text(line)),
            postal_code: sorter.field("postal_code", text(home::postal_code)),
            available_from: sorter
                .field("available_from", text(|raw| home::availability(raw, fetched_at, hint))),
            amenities: sorter.field("amenities", text(home::amenities)),
            pet_policy: sorter.field("pet_policy", text(home::pet_policy)),
            phone: sorter.field("phone", text(phone)),
            listing_url: sorter.field("listing_url", text(web_address)),
            address,
        }
    })
}

/// A place with the ISO code of its country, where the gazetteer knows it.
fn place_with_country(found: &Found) -> Checked<Location> {
    let place = match found {
        Found::Place(place) if *place == Location::default() => return Ok(None),
        Found::Place(place) => place.clone(),
        Found::Text(raw) => {
            let line = plain_text::line(raw);
            if shape::says_nothing(&line) {
                return Ok(None);
            }
            match location::one(&line, Hint::default()) {
                Some(place) if place.city.is_some() || place.country.is_some() => return Ok(Some(place)),
                _ => return Err("no place that is known"),
            }
        }
    };
    let written = place.raw.clone().unwrap_or_default();
    let code = |country: &String| gazetteer::country(country).map(|known| known.code.to_owned());
    let country =
        place.country.as_ref().and_then(code).or_else(|| location::one(&written, Hint::default())?.country);
    Ok(Some(Location { country: country.or(place.country.clone()), ..place }))
}

/// `Ok(None)`: the page says nothing. `Err`: it says something that cannot be right.
type Checked<T> = Result<Option<T>, &'static str>;

struct Sorter<'r> {
    raw: &'r Raw,
    provenance: BTreeMap<String, String>,
    dropped: Vec<Dropped>,
}

fn sorted<T>(raw: &Raw, fill: impl FnOnce(&mut Sorter<'_>) -> T) -> Normal<T> {
    let mut sorter = Sorter { raw, provenance: BTreeMap::new(), dropped: Vec::new() };
    let fields = fill(&mut sorter);
    Normal { fields, provenance: sorter.provenance, dropped: sorter.dropped }
}

impl Sorter<'_> {
    /// The first value that holds up. A field is reported as dropped only when none does.
    fn field<T>(&mut self, field: &'static str, check: impl Fn(&Found) -> Checked<T>) -> Option<T> {
        let mut reason = None;
        for (_, origin, found) in self.raw.offers.iter().filter(|(name, ..)| *name == field) {
            match check(found) {
                Ok(Some(value)) => {
                    self.provenance.insert(field.to_owned(), origin.as_str().to_owned());
                    return Some(value);
                }
                Ok(None) => {}
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        let dropped = reason.map(|why| Dropped { field: field.to_owned(), reason: why.to_owned() });
        self.dropped.extend(dropped);
        None
    }
}

fn text<T>(check: impl Fn(&str) -> Checked<T>) -> impl Fn(&Found) -> Checked<T> {
    move |found| match found {
        Found::Text(text) => check(text),
        Found::Place(_) => Err("a place where text belongs"),
    }
}

/// One line without tags; words that say "nothing" are nothing.
pub fn line(raw: &str) -> Checked<String> {
    let text = plain_text::line(raw);
    if shape::says_nothing(&text) {
        return Ok(None);
    }
    if text.chars().count() > MAX_LINE {
        return Err("longer than 500 characters");
    }
    Ok(Some(text))
}

/// Text with its paragraphs.
pub fn prose(raw: &str) -> Checked<String> {
    let mut text = plain_text::paragraphs(raw);
    text.truncate(text.floor_char_boundary(MAX_PROSE));
    text.truncate(text.trim_end().len());
    Ok((!shape::says_nothing(&text)).then_some(text))
}

/// The first paragraphs of a section; a page's whole text is not one.
fn section(raw: &str) -> Checked<String> {
    const MOST: usize = 4_000;
    let mut text = plain_text::paragraphs(raw);
    if text.len() > MOST {
        let end = text.floor_char_boundary(MOST);
        let end = text[..end].rfind(['\n', '.']).map_or(end, |at| at + 1);
        text.truncate(end);
    }
    Ok((!shape::says_nothing(&text)).then(|| text.trim_end().to_owned()))
}

/// The one year in `1998`, `1998-04-01`, `Founded in 1998`.
fn year(raw: &str) -> Checked<i16> {
    let mut years = raw.split(|c: char| !c.is_ascii_digit()).filter(|word| word.len() == 4);
    let year = years.next().and_then(|word| word.parse().ok()).filter(|year| (1200..=2100).contains(year));
    year.map(Some).ok_or("not a year")
}

/// The skills a text names.
fn skill_list(raw: &str) -> Checked<Vec<Skill>> {
    let found = skills::find(&plain_text::paragraphs(raw));
    Ok((!found.is_empty()).then_some(found))
}

/// https, without tracking parameters. A host without its scheme is understood.
pub fn web_address(raw: &str) -> Checked<String> {
    let text = plain_text::decode_entities(raw.trim());
    if text.is_empty() {
        return Ok(None);
    }
    let bare = !text.contains(':') && text.split('/').next().is_some_and(|host| host.contains('.'));
    let address = match text.strip_prefix("//") {
        Some(rest) => format!("https://{rest}"),
        None if bare => format!("https://{text}"),
        None => text,
    };
    url::normalise(&address).map(Some).map_err(|_| "not a web address")
}

fn stated_place(found: &Found) -> Checked<Location> {
    match found {
        Found::Place(place) if *place == Location::default() => Ok(None),
        Found::Place(place) => Ok(Some(place.clone())),
        Found::Text(raw) => written_place(raw),
    }
}

/// The parts of a written place; `raw` is the text as it was found.
pub fn written_place(raw: &str) -> Checked<Location> {
    let text = plain_text::line(raw);
    if shape::says_nothing(&text) {
        return Ok(None);
    }
    if text.chars().count() > place::MAX_PLACE {
        return Err("longer than a place");
    }
    Ok(Some(Location { raw: Some(raw.to_owned()), ..place::known(&text) }))
}

#[cfg(test)]
#[path = "normal_tests.rs"]
mod tests;
