//! The reader of pages about homes to rent: one apartment, or a house with several. What the page states in data
//! comes first, then its head, then what its lines say behind a label or in a shape that means one thing.

mod lines;
pub mod values;

use serde_json::{Map, Value};

use super::change::block;
use super::extract::{Extract, Reading};
use super::json_ld::{self, property, types};
use super::listing;
use super::location::locations;
use super::normal::{self, Raw};
use super::notice::{State, Verdict, Visit, own_notice, wall};
use super::page::{Page, TooComplex};
use super::reading::method::Method;
use super::reading::stated::{data, subjects};
use super::shape::{each, known_text, raw_text};
use super::target::TargetType;

pub struct Apartment;

impl Extract for Apartment {
    fn target(&self) -> TargetType {
        TargetType::Apartment
    }

    fn version(&self) -> &'static str {
        "apartment/2"
    }

    fn read(&self, page: &Page, visit: &Visit<'_>) -> Result<Reading, TooComplex> {
        let data = data(page)?;
        let homes = subjects(&data, |values| home(&json_ld::objects(values)));
        let mut raw = Raw::default();
        for (method, _, home) in &homes {
            stated(&mut raw, home, *method);
        }
        if homes.is_empty()
            && let Some(sign) = wall(page)
        {
            let reason = format!("the page is a wall: {sign}");
            return Ok(Reading::nothing(Verdict::new(State::Uncertain, "bot_wall", reason)));
        }
        for (method, values) in &data {
            let home = homes.iter().find(|(of, ..)| of == method).map(|(_, _, home)| *home);
            if home.is_none() && !homes.is_empty() {
                continue; // another home's
            }
            for offer in offers(&json_ld::objects(values), home).into_iter().take(50) {
                offered(&mut raw, offer, *method);
            }
        }
        head(&mut raw, page, !homes.is_empty());
        lines::offers(&mut raw, page);
        raw.offer("listing_url", Method::Selectors, page.canonical());
        raw.offer("listing_url", Method::Url, Some(visit.final_url));
        let home = normal::apartment(&raw, visit.fetched_at);
        let mut reading = Reading::of_fields(home.clone());
        let title = home.fields.name.as_deref();
        if let Some(notice) = own_notice(page, title, home.fields.description.as_deref()) {
            reading.verdict =
                Verdict::new(State::Expired, "closed_notice", format!("the home's own block says: {notice}"));
        }
        let listing = listing::home::of(&home, self.version());
        reading.fingerprint = listing.map(|listing| listing.fingerprint);
        reading.block = block::fingerprint(page, title, home.fields.description.as_deref());
        reading.home = Some(Box::new(home));
        Ok(reading)
    }
}

/// What schema.org calls a home, the more telling first.
const KINDS: &[&str] = &[
    "Apartment",
    "ApartmentComplex",
    "SingleFamilyResidence",
    "House",
    "Residence",
    "GatedResidenceCommunity",
    "FloorPlan",
    "Accommodation",
    "Suite",
    "Room",
    "RealEstateListing",
];

fn is_kind(object: &Map<String, Value>, kind: &str) -> bool {
    types(object).any(|own| own == kind)
}

/// The home the page is about: of the most telling kind there, the one that says most.
fn home<'v>(objects: &[&'v Map<String, Value>]) -> Option<&'v Map<String, Value>> {
    KINDS.iter().find_map(|kind| {
        let of_kind = objects.iter().copied().filter(|object| is_kind(object, kind)).take(50);
        of_kind.reduce(|best, next| if next.len() > best.len() { next } else { best })
    })
}

/// The offers of the home: its own, or those of a page that has only one home's.
fn offers<'v>(
    objects: &[&'v Map<String, Value>],
    home: Option<&'v Map<String, Value>>,
) -> Vec<&'v Map<String, Value>> {
    let own: Vec<_> = home
        .and_then(|home| property(home, "offers"))
        .into_iter()
        .flat_map(each)
        .filter_map(Value::as_object)
        .collect();
    if !own.is_empty() {
        return own;
    }
    let is_offer =
        |object: &Map<String, Value>| is_kind(object, "Offer") || is_kind(object, "AggregateOffer");
    let about_home = |object: &Map<String, Value>| {
        let item =
            property(object, "itemOffered").and_then(|item| each(item).next()).and_then(Value::as_object);
        item.is_some_and(|item| KINDS.iter().any(|kind| is_kind(item, kind)))
    };
    let all: Vec<_> = objects.iter().copied().filter(|object| is_offer(object)).collect();
    match all[..] {
        [one] if home.is_some() || about_home(one) => vec![one],
        _ => all.into_iter().filter(|offer| about_home(offer)).collect(),
    }
}

fn stated(raw: &mut Raw, home: &Map<String, Value>, method: Method) {
    let at = |name: &str| property(home, name);
    raw.offer("name", method, at("name").and_then(raw_text));
    raw.offer("description", method, at("description").and_then(raw_text));
    raw.offer("bedrooms", method, at("numberOfBedrooms").and_then(|value| quantity(value, false)));
    for name in ["numberOfBathroomsTotal", "numberOfBathrooms", "numberOfFullBathrooms"] {
        raw.offer("bathrooms", method, at(name).and_then(|value| quantity(value, false)));
    }
    raw.offer("area", method, at("floorSize").and_then(|value| quantity(value, true)));
    if let Some(address) = at("address") {
        raw.offer("address", method, locations(address).into_iter().next());
        let part = |name: &str| {
            each(address).find_map(|address| property(address.as_object()?, name).and_then(known_text))
        };
        raw.offer("street", method, part("streetAddress"));
        raw.offer("postal_code", method, part("postalCode"));
    }
    raw.offer("amenities", method, at("amenityFeature").and_then(features));
    raw.offer("pet_policy", method, at("petsAllowed").and_then(said));
    raw.offer("phone", method, at("telephone").and_then(raw_text));
    raw.offer("listing_url", method, at("url").and_then(raw_text));
    if let Some(price) = at("priceRange").and_then(known_text) {
        raw.offer("rent", method, Some(price).filter(|price| price.bytes().any(|b| b.is_ascii_digit())));
    }
}

/// A value that may be true, false, or words.
fn said(value: &Value) -> Option<String> {
    match value {
        Value::Bool(known) => Some(known.to_string()),
        other => known_text(other),
    }
}

/// `{"value": 2}`, `{"minValue": 1, "maxValue": 3, "unitCode": "FTK"}`, `"2"`, as one text.
fn quantity(value: &Value, with_unit: bool) -> Option<String> {
    let value = each(value).next()?;
    let Some(object) = value.as_object() else { return known_text(value) };
    let part = |name: &str| property(object, name).and_then(known_text);
    let amount = match (part("minValue"), part("maxValue")) {
        (Some(low), Some(high)) => format!("{low} - {high}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => part("value")?,
    };
    let unit = part("unitCode").or_else(|| part("unitText")).unwrap_or_default();
    let unit = match unit.to_ascii_uppercase().as_str() {
        "FTK" | "SQFT" | "SQUAREFEET" => "sq ft",
        "MTK" | "SQM" => "m²",
        _ => unit.as_str(),
    };
    Some(if with_unit { format!("{amount} {unit}") } else { amount })
}

/// The amenities that are there, a line each.
fn features(value: &Value) -> Option<String> {
    let name = |feature: &Value| match feature {
        Value::Object(object) => {
            let off = property(object, "value").is_some_and(|value| {
                matches!(value, Value::Bool(false))
                    || value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("false"))
            });
            property(object, "name").and_then(known_text).filter(|_| !off)
        }
        other => known_text(other),
    };
    let names: Vec<String> = each(value).take(200).filter_map(name).collect();
    (!names.is_empty()).then(|| names.join("\n"))
}

/// The rent of an offer, as text with its currency and period.
fn offered(raw: &mut Raw, offer: &Map<String, Value>, method: Method) {
    let at = |name: &str| property(offer, name);
    let inner = at("priceSpecification").and_then(|value| each(value).next()).and_then(Value::as_object);
    let part =
        |name: &str| at(name).or_else(|| inner.and_then(|inner| property(inner, name))).and_then(known_text);
    let low = part("lowPrice").or_else(|| part("minPrice"));
    let high = part("highPrice").or_else(|| part("maxPrice"));
    let amount = match (low, high, part("price")) {
        (Some(low), Some(high), _) => Some(format!("{low} - {high}")),
        (Some(low), None, None) => Some(format!("from {low}")),
        (None, Some(high), None) => Some(format!("up to {high}")),
        (_, _, price) => price,
    };
    let currency = part("priceCurrency").unwrap_or_default();
    let unit = part("unitCode").or_else(|| part("unitText")).unwrap_or_default();
    let period = match unit.to_ascii_uppercase().as_str() {
        "MON" | "MONTH" | "P1M" => "per month",
        "WEE" | "WEEK" => "per week",
        "DAY" => "per day",
        "ANN" | "YEAR" => "per year",
        _ => "",
    };
    raw.offer("rent", method, amount.map(|amount| format!("{amount} {currency} {period}")));
    raw.offer("available_from", method, part("availabilityStarts").or_else(|| part("validFrom")));
    let stock = part("availability").map(|text| text.rsplit('/').next().unwrap_or_default().to_owned());
    raw.offer("available_from", method, stock.filter(|text| text == "InStock"));
    let item = at("itemOffered").and_then(|item| each(item).next()).and_then(Value::as_object);
    if let Some(item) = item {
        stated(raw, item, method);
    }
}

/// OpenGraph, for what the data leaves open; a name from the head only where data says that there is a home.
fn head(raw: &mut Raw, page: &Page, told: bool) {
    for (field, name) in [
        ("rent", "og:price:amount"),
        ("rent", "product:price:amount"),
        ("street", "og:street-address"),
        ("postal_code", "og:postal-code"),
        ("phone", "og:phone_number"),
    ] {
        let mut value = page.meta(name);
        if field == "rent" {
            let currency = page.meta("og:price:currency").or_else(|| page.meta("product:price:currency"));
            value = value.map(|value| format!("{value} {}", currency.unwrap_or_default()));
        }
        raw.offer(field, Method::Meta, value);
    }
    let place: Vec<String> =
        ["og:locality", "og:region", "og:country-name"].iter().filter_map(|name| page.meta(name)).collect();
    raw.offer("address", Method::Meta, Some(place.join(", ")).filter(|place| !place.is_empty()));
    let heading = page.headings().into_iter().find(|heading| heading.level == 1).map(|heading| heading.text);
    raw.offer("name", Method::Selectors, heading.filter(|text| text.chars().count() <= 120));
    raw.offer("name", Method::Meta, page.meta("og:title").filter(|_| told));
    raw.offer("description", Method::Meta, page.meta("og:description").or_else(|| page.meta("description")));
}

#[cfg(test)]
mod tests;
