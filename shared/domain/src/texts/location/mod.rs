//! Places in a line of text, by their order and the gazetteer: `Paris, TX` is in Texas, `Berlin, DE` in Germany,
//! `Cambridge` by itself nobody knows where. The line as it stood is always kept; what is not known stays null.

mod parts;

use super::gazetteer::{self, City, Country, Region};
use super::hint::Hint;
use super::work;
use crate::location::{Location, RemoteKind};
use crate::plain_text;
use parts::Part;

/// What a line of text says of where the work is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Places {
    /// Each with its own part of the line as `raw`; the country is its ISO code.
    pub places: Vec<Location>,
    pub remote: Option<RemoteKind>,
}

/// Longer text is no place but prose around one.
const MAX_TEXT: usize = 400;
const MAX_PLACES: usize = 40;

/// Reads a line that names one place or several.
pub fn read(text: &str, hint: Hint<'_>) -> Places {
    let line = plain_text::line(&text[..text.floor_char_boundary(MAX_TEXT * 4)]);
    if line.is_empty() || line.len() > MAX_TEXT {
        return Places::default();
    }
    let remote = work::remote(&line);
    let mut places: Vec<Location> = Vec::new();
    for piece in parts::pieces(&line).into_iter().take(MAX_PLACES) {
        let place = Location { raw: Some(piece.to_owned()), ..place(piece, hint) };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    // beside a place, what is none is a team or a note
    if places.iter().any(is_known) {
        places.retain(is_known);
    }
    Places { places, remote }
}

fn is_known(place: &Location) -> bool {
    place.city.is_some() || place.state_region.is_some() || place.country.is_some()
}

/// The one place of a line, with the whole line as `raw`; without parts when it names several.
pub fn one(text: &str, hint: Hint<'_>) -> Option<Location> {
    let mut read = read(text, hint);
    let raw = Some(plain_text::line(text)).filter(|line| !line.is_empty())?;
    let place = if read.places.len() == 1 { read.places.pop()? } else { Location::default() };
    Some(Location { raw: Some(raw), ..place })
}

fn place(piece: &str, hint: Hint<'_>) -> Location {
    let parts = parts::parts(piece);
    let found = resolve(&parts, hint);
    let city = found.city.map(|city| city.to_owned());
    Location {
        city,
        state_region: found.region.map(|region| match region {
            Named::Known(region) => region.written().to_owned(),
            Named::Written(text) => text.to_owned(),
        }),
        country: found.country.map(str::to_owned),
        raw: None,
    }
}

enum Named<'t> {
    Known(Region),
    Written(&'t str),
}

#[derive(Default)]
struct Found<'t> {
    city: Option<&'t str>,
    region: Option<Named<'t>>,
    country: Option<&'static str>,
}

impl<'t> Found<'t> {
    fn in_region(city: Option<&'t str>, region: Region) -> Found<'t> {
        Found { city, country: Some(region.country), region: Some(Named::Known(region)) }
    }

    fn in_country(city: Option<&'t str>, country: &'static str) -> Found<'t> {
        Found { city, country: Some(country), region: None }
    }
}

fn resolve<'t>(parts: &[Part<'t>], hint: Hint<'_>) -> Found<'t> {
    let Some((last, before)) = parts.split_last() else { return Found::default() };
    if let Some(country) = last.country().filter(|_| !last.is_doubtful()) {
        return in_country(before, country, false);
    }
    if let Some((first, after)) = parts.split_first()
        && !after.is_empty()
        && let Some(country) = first.country()
        && (!first.is_doubtful() || first.text == "US" || gazetteer::region_of("US", first.text).is_none())
    {
        return in_country(after, country, true);
    }
    if let Some((first, [city])) = parts.split_first()
        && let Some(region) = first.code()
        && last.code().is_none()
        && city.is_name()
    {
        return Found::in_region(Some(city.text), region); // `CT - Hartford`
    }
    match before.last() {
        Some(city) => city_and(city, last, before, hint),
        None => alone(last, hint),
    }
}

/// The rest of an address whose country is known; from the large to the small if it came first.
fn in_country<'t>(rest: &[Part<'t>], country: Country, large_first: bool) -> Found<'t> {
    let code = country.code;
    let mut rest: Vec<&Part<'t>> = rest.iter().filter(|part| part.is_name()).collect();
    let small_first = |rest: &[&Part<'t>]| match rest {
        [first, .., last] => last.region_in(code).is_some() && first.region_in(code).is_none(),
        _ => false,
    };
    if large_first && !small_first(&rest) {
        rest.reverse();
    }
    let Some((&last, before)) = rest.split_last() else { return Found::in_country(None, code) };
    if let Some((city, region)) = last.town_and_code(code) {
        return Found::in_region(Some(city), region);
    }
    let is_city = last.cities().iter().any(|city| city.country == code);
    match (last.region_in(code), before.last()) {
        (Some(region), Some(city)) => Found::in_region(Some(city.text), region),
        // Berlin, Geneva: a city that is a region
        (Some(region), None) if is_city => Found::in_region(Some(last.text), region),
        (Some(region), None) => Found::in_region(None, region),
        (None, None) => {
            let city = last.cities().into_iter().find(|city| city.country == code && city.first);
            match city.and_then(|city| gazetteer::region_of(code, city.region)) {
                Some(region) => Found::in_region(Some(last.text), region),
                None => Found::in_country(Some(last.text), code),
            }
        }
        // a district or a street before a known city
        (None, Some(_)) if is_city && !before.iter().any(|part| is_in(part, code)) => {
            Found::in_country(Some(last.text), code)
        }
        (None, Some(city)) => {
            Found { city: Some(city.text), region: Some(Named::Written(last.text)), country: Some(code) }
        }
    }
}

fn is_in(part: &Part<'_>, country: &str) -> bool {
    part.cities().iter().any(|city| city.country == country)
}

/// A city and what stands behind it, where no country is sure.
fn city_and<'t>(city: &Part<'t>, last: &Part<'t>, before: &[Part<'t>], hint: Hint<'_>) -> Found<'t> {
    let name = Some(city.text).filter(|_| city.is_name());
    let known = city.cities();
    if let Some(region) = last.code() {
        let there = |city: &City| city.country == region.country && city.region == region.code;
        let abroad = last.country().filter(|country| known.iter().any(|city| city.country == country.code));
        return match abroad {
            _ if known.iter().any(there) => Found::in_region(name, region),
            Some(country) => with_region(name, &known, country.code),
            // `DE` and `IN` are countries as often as states
            None if matches!(last.text, "DE" | "IN") && !last.zip => match hint.country().as_deref() {
                Some("US") => Found::in_region(name, region),
                Some(code) if Some(code) == last.country().map(|country| country.code) => {
                    Found::in_country(name, last.country().map_or("", |country| country.code))
                }
                _ => Found { city: name, ..Found::default() },
            },
            None => Found::in_region(name, region),
        };
    }
    if let Some((town, region)) = last.town_and_code("US").or_else(|| last.town_and_code("CA")) {
        return Found::in_region(Some(town), region);
    }
    // Georgia, Luxembourg and the like
    if let Some(country) = last.country()
        && known.iter().any(|city| city.country == country.code)
    {
        return with_region(name, &known, country.code);
    }
    let regions = last.regions();
    let there = |region: &&Region| {
        known.iter().any(|city| city.country == region.country && city.region == region.code)
    };
    if let Some(region) = regions.iter().find(there) {
        return Found::in_region(name, *region);
    }
    let hinted = hint.country();
    let doubtful = last.country().is_some();
    if let Some(region) = regions.iter().find(|region| Some(region.country) == hinted.as_deref()) {
        return Found::in_region(name, *region);
    }
    let large = last.cities().into_iter().find(|city| city.first);
    match (&regions[..], large) {
        ([region], None) if !doubtful => Found::in_region(name, *region),
        // `Kreuzberg, Berlin`
        (_, Some(large)) => with_region(Some(last.text), &[large], large.country),
        // a code in small letters counts where the city agrees: `Bangalore, In`
        ([], None) if last.text.len() == 2 => {
            let code = last.text.to_ascii_uppercase();
            match known.iter().find(|city| city.country == code) {
                Some(city) => with_region(name, &known, city.country),
                None => Found::default(),
            }
        }
        (_, None) if doubtful => Found { city: name, ..Found::default() },
        _ if before.len() == 1 => alone(city, hint),
        _ => Found::default(),
    }
}

/// A city in a country, with its region where the gazetteer has it.
fn with_region<'t>(name: Option<&'t str>, known: &[City], country: &'static str) -> Found<'t> {
    let mut there = known.iter().filter(|city| city.country == country);
    let only = there.next().filter(|first| first.first || there.next().is_none());
    match only.and_then(|city| gazetteer::region_of(country, city.region)) {
        Some(region) => Found::in_region(name, region),
        None => Found::in_country(name, country),
    }
}

/// One name and nothing else.
fn alone<'t>(part: &Part<'t>, hint: Hint<'_>) -> Found<'t> {
    if let Some((town, region)) = part.town_and_code("US").or_else(|| part.town_and_code("CA")) {
        return Found::in_region(Some(town), region);
    }
    let hinted = hint.country();
    if let Some(region) = part.code() {
        let sure = part.zip || part.country().is_none() || hinted.as_deref() == Some(region.country);
        return if sure { Found::in_region(None, region) } else { Found::default() };
    }
    let cities = part.cities();
    let near: Vec<City> =
        cities.iter().copied().filter(|city| Some(city.country) == hinted.as_deref()).collect();
    if let [city] = near[..] {
        return with_region(Some(part.text), &[city], city.country);
    }
    let regions = part.regions();
    if let Some(city) = cities.iter().find(|city| city.first) {
        return with_region(Some(part.text), &[*city], city.country);
    }
    if !cities.is_empty() {
        let same = cities.iter().all(|city| city.country == cities[0].country) && cities.len() > 1;
        let country = same.then_some(cities[0].country);
        return Found { city: Some(part.text), country, region: None };
    }
    match (&regions[..], part.country()) {
        // the state or the capital: the country is the same
        ([region], None) if region.name == "Washington" => Found::in_country(None, region.country),
        ([region], None) => Found::in_region(None, *region),
        (_, Some(country)) if hinted.as_deref() == Some(country.code) => {
            Found::in_country(None, country.code)
        }
        (regions, _) => match regions.iter().find(|region| Some(region.country) == hinted.as_deref()) {
            Some(region) => Found::in_region(None, *region),
            None => Found::default(),
        },
    }
}

#[cfg(test)]
mod tests;
