//! The reader of public profile pages in LinkedIn's shape: the person in the page's data, then its head,
//! then the card at its top. It reads pages it is given; whether one may be fetched is decided elsewhere.

use serde_json::{Map, Value};

use super::extract::{Extract, Reading};
use super::json_ld::{self, property, types};
use super::location::locations;
use super::normal::{self, Raw};
use super::notice::{State, Verdict, Visit, wall};
use super::page::{NodeId, Page, TooComplex};
use super::plain_text::fold;
use super::reading::method::Method;
use super::reading::stated::{data, subjects};
use super::shape::{each, known_text, raw_text};
use super::target::TargetType;
use super::url::normalise;

pub struct LinkedinProfile;

impl Extract for LinkedinProfile {
    fn target(&self) -> TargetType {
        TargetType::LinkedinProfile
    }

    fn version(&self) -> &'static str {
        "linkedin_profile/2"
    }

    fn read(&self, page: &Page, visit: &Visit<'_>) -> Result<Reading, TooComplex> {
        let data = data(page)?;
        let people = subjects(&data, |values| person(values, visit.final_url));
        let mut raw = Raw::default();
        for (method, _, person) in &people {
            stated(&mut raw, person, *method);
        }
        card(&mut raw, page);
        head(&mut raw, page);
        for (method, _, person) in &people {
            raw.offer("headline", *method, property(person, "jobTitle").and_then(known_text));
        }
        if people.is_empty() && page.meta("profile:first_name").is_none() {
            let sign = wall(page).or_else(|| sign_in(page));
            if let Some(sign) = sign {
                let reason = format!("the page is a wall: {sign}");
                return Ok(Reading::nothing(Verdict::new(State::Uncertain, "bot_wall", reason)));
            }
        }
        raw.offer("profile_url", Method::Selectors, page.canonical().filter(|url| is_profile(url)));
        raw.offer("profile_url", Method::Url, Some(visit.final_url));
        Ok(Reading::of_fields(normal::linkedin_profile(&raw)))
    }
}

/// The person whose address is the page's, else the first: those who recommend or write come after.
fn person<'v>(values: &'v [Value], page_url: &str) -> Option<&'v Map<String, Value>> {
    let named = |object: &&Map<String, Value>| {
        types(object).any(|kind| kind == "Person") && property(object, "name").and_then(known_text).is_some()
    };
    let all: Vec<_> = json_ld::objects(values).into_iter().filter(named).take(50).collect();
    let page = normalise(page_url).ok();
    let ours = |object: &&&Map<String, Value>| {
        ["url", "sameAs", "@id"].iter().any(|name| {
            let stated = property(object, name).and_then(raw_text).and_then(|url| normalise(&url).ok());
            stated.is_some() && stated == page
        })
    };
    all.iter().find(ours).or_else(|| all.first()).copied()
}

fn stated(raw: &mut Raw, person: &Map<String, Value>, method: Method) {
    let at = |name: &str| property(person, name);
    raw.offer("name", method, at("name").and_then(raw_text));
    raw.offer("current_company", method, at("worksFor").and_then(employer));
    raw.offer("location", method, at("address").and_then(|value| locations(value).into_iter().next()));
    raw.offer("summary", method, at("description").and_then(raw_text));
    raw.offer("profile_url", method, at("url").and_then(raw_text).filter(|url| is_profile(url)));
    raw.offer("profile_url", method, at("sameAs").and_then(raw_text).filter(|url| is_profile(url)));
    raw.offer("headline", method, at("headline").and_then(raw_text));
}

/// The first employer that is not over: a role with an end date is history.
fn employer(works_for: &Value) -> Option<String> {
    each(works_for).take(20).find_map(|work| {
        let ended = work
            .as_object()
            .and_then(|work| property(work, "member"))
            .into_iter()
            .flat_map(each)
            .filter_map(Value::as_object)
            .any(|role| property(role, "endDate").is_some());
        known_text(work).filter(|_| !ended)
    })
}

/// `<title>` and OpenGraph: `Name - Headline | LinkedIn`, `Summary · Location: Place · 500+ connections …`.
fn head(raw: &mut Raw, page: &Page) {
    let (first, last) = (page.meta("profile:first_name"), page.meta("profile:last_name"));
    if let (Some(first), Some(last)) = (&first, &last) {
        raw.offer("name", Method::Meta, Some(format!("{first} {last}")));
    }
    for (origin, title) in [(Method::Meta, page.meta("og:title")), (Method::Meta, page.title())] {
        let Some(title) = title else { continue };
        let Some((before, site)) = title.rsplit_once('|') else { continue };
        if fold(site) != "linkedin" {
            continue;
        }
        let (name, rest) =
            before.split_once(" - ").or_else(|| before.split_once(" – ")).unwrap_or((before, ""));
        raw.offer("name", origin, Some(name));
        raw.offer("headline", origin, Some(rest));
    }
    let Some(described) = page.meta("og:description").or_else(|| page.meta("description")) else { return };
    let mut parts = described.split(" · ");
    let place = described.split(" · ").find_map(|part| part.trim().strip_prefix("Location:"));
    let company = described.split(" · ").find_map(|part| part.trim().strip_prefix("Experience:"));
    raw.offer("location", Method::Meta, place);
    raw.offer("current_company", Method::Meta, company);
    if place.is_some() || company.is_some() {
        let about = parts.next().filter(|part| !part.contains(": ") || part.len() > 80);
        raw.offer("summary", Method::Meta, about);
    }
}

/// The card at the top of the page and the section about the person.
fn card(raw: &mut Raw, page: &Page) {
    let text = |class: &str| page.classed(class).next().map(|id| page.text_of(id));
    raw.offer("name", Method::Selectors, text("top-card-layout__title"));
    raw.offer("headline", Method::Selectors, text("top-card-layout__headline"));
    let section = |name: &str| -> Option<NodeId> {
        page.named("section")
            .chain(page.named("div"))
            .take(5_000)
            .find(|id| page.attribute(*id, "data-section") == Some(name))
    };
    let current = section("currentPositionsDetails").map(|id| page.text_of(id));
    raw.offer("current_company", Method::Selectors, current);
    raw.offer("current_company", Method::Selectors, text("top-card-link__description"));
    let place =
        page.classed("top-card__subline-item").map(|id| page.text_of(id)).find(|text| !is_count(text));
    raw.offer("location", Method::Selectors, place);
    let about = section("summary").map(|id| page.joined_text(id, "\n"));
    raw.offer(
        "summary",
        Method::Selectors,
        about.map(|text| text.strip_prefix("About\n").unwrap_or(&text).to_owned()),
    );
}

/// `500+ connections`, `1K followers`.
fn is_count(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("connection") || text.contains("follower")
}

fn is_profile(url: &str) -> bool {
    url.contains("/in/") || url.contains("/pub/")
}

/// A page that asks who we are instead of showing who they are.
fn sign_in(page: &Page) -> Option<String> {
    let title = fold(&page.title()?);
    let asks = [
        "sign up linkedin",
        "linkedin login sign in linkedin",
        "sign in linkedin",
        "security verification linkedin",
    ];
    asks.contains(&title.as_str()).then(|| "sign in".to_owned())
}

#[cfg(test)]
#[path = "linkedin_profile_tests.rs"]
mod tests;
