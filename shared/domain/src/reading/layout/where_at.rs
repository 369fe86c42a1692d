//! Where the job is: what stands after `Location:`, in an element named for it, after `in` in the page's title, in the
//! page's geographical metas, or as a place close to the title. Text that is no place is not taken for one.

use super::company::Weighed;
use super::label::{self, Field};
use super::marks::Marks;
use super::pairs::Set;
use super::site_words::Says;
use super::title::{Around, Title};
use crate::location::{Location, says_remote};
use crate::page::{NodeId, Page};
use crate::place;
use crate::plain_text::fold;
use crate::reading::method::Method;
use crate::texts::gazetteer;

const MAX_PLACE: usize = 120;
const ENOUGH: i32 = 40;
const REACH: usize = 8;

pub fn find(
    around: &Around<'_>,
    title: &Title,
    in_prose: &dyn Fn(usize) -> bool,
) -> Option<(String, Method)> {
    let mut weighed = Weighed::default();
    for pair in around.pairs.iter().filter(|pair| pair.field == Field::Location) {
        let line = &around.lines[pair.at];
        if line.elsewhere {
            continue;
        }
        let points = match (pair.set, in_prose(pair.at)) {
            (Set::Row, _) => 60,
            (Set::Apart, false) => 52,
            (Set::Apart, true) => 30,
            (Set::Line, false) => 44,
            (Set::Line, true) => 26,
        };
        let placed = if is_place(&pair.value) { 8 } else { 0 };
        weighed.add(place_of(&pair.value), points + placed, Method::TextRule);
    }
    for (says, piece) in around.names.around(&title.text) {
        if is_place(&piece) {
            weighed.add(&piece, if says == Says::In { 34 } else { 24 }, Method::Meta);
        }
    }
    if let Some(named) = around.page.meta("geo.placename") {
        weighed.add(&named, 30, Method::Meta);
    }
    for (at, line) in around.lines.iter().enumerate().take(1_500) {
        if line.folded.is_empty() || line.elsewhere || line.furniture || line.text.len() > MAX_PLACE {
            continue;
        }
        let near = title.line.is_some_and(|title| at != title && at.abs_diff(title) <= REACH);
        if (near && !in_prose(at) || Some(at) == title.line) && !line.leads_with_label() {
            for piece in line.pieces() {
                if is_place(piece) || is_town(piece) || is_street(piece) {
                    weighed.add(piece, 40, Method::Selectors);
                }
            }
        }
        let labelled = label::field(&line.folded).is_some() || line.leads_with_label();
        if near && !labelled && line.link && leads_to_map(around.page, line.node) {
            weighed.add(&line.text, 44, Method::Selectors);
            continue;
        }
        if is_named(around.page, line.node) && !labelled && !in_prose(at) {
            let placed = if is_place(&line.text) { 12 } else { 0 };
            weighed.add(&line.text, placed + if near { 34 } else { 18 }, Method::Selectors);
        } else if near && !labelled && !in_prose(at) && (is_place(&line.text) || is_street(&line.text)) {
            let close = title.line.is_some_and(|title| at.abs_diff(title) <= 4);
            weighed.add(&line.text, if close { 40 } else { 30 }, Method::Selectors);
        } else if near && !labelled && !in_prose(at) && !line.link && is_town(&line.text) {
            weighed.add(&line.text, 32, Method::Selectors);
        }
    }
    // `Seine AB` reads like a town in Alberta
    let employer = around.pairs.iter().find(|pair| pair.field == Field::Company && pair.set != Set::Line);
    let employer = employer.map(|pair| fold(&pair.value));
    weighed.weigh(|folded, text, _| {
        let said = 10 * i32::from(around.names.in_title(folded))
            + 8 * i32::from(around.names.in_description(folded));
        let wrong = text.len() > MAX_PLACE
            || text.ends_with(['!', '?', ':'])
            || is_no_place(folded)
            || Some(folded) == employer.as_deref()
            || label::field(folded).is_some()
            || !folded.contains(char::is_alphabetic)
            || folded.split(' ').count() > 14;
        said - 100 * i32::from(wrong)
    });
    weighed.best(ENOUGH)
}

/// Whether the text itself shows that it is a place: a country, a region, a town with one of them.
pub fn is_place(text: &str) -> bool {
    if text.len() > MAX_PLACE || text.len() < 2 {
        return false;
    }
    let read = place::read(text);
    let dashed = || text.split_once(" - ").is_some_and(|(one, other)| is_country(one) || is_country(other));
    read.country.is_some()
        || read.state_region.is_some() && read.city.is_some()
        || dashed()
        || text.split(" • ").count() > 1 && text.split(" • ").all(is_place)
}

/// A town that the gazetteer knows, alone or with the number of its region: `Hamburg`, `Brest (29)`, `Vigo, Pontevedra`.
pub fn is_town(text: &str) -> bool {
    if text.len() > 60 || !text.starts_with(char::is_uppercase) {
        return false;
    }
    let mut parts = text
        .split([',', '(', '/'])
        .flat_map(|part| part.split(" - "))
        .map(|part| part.trim_matches([' ', ')']));
    let town = parts.next().unwrap_or_default();
    let beside = |part: &str| {
        part.split(' ').count() <= 2 && part.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
    };
    parts.clone().count() <= 2 && parts.all(beside) && !gazetteer::cities(town).is_empty()
}

/// `Harbour Row 12/4, Galway`: a street with its number, and a town.
pub fn is_street(text: &str) -> bool {
    let Some((street, rest)) = text.split_once(", ") else { return false };
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 9;
    let mut words = street.split(' ');
    let numbered = words.next().is_some_and(number) || words.next_back().is_some_and(number);
    text.len() <= MAX_PLACE
        && numbered
        && street.split(' ').count() >= 2
        && rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
}

/// Whether a link shows the place on a map.
fn leads_to_map(page: &Page, id: NodeId) -> bool {
    std::iter::once(id).chain(page.ancestors(id)).take(4).find(|id| page.tag(*id) == "a").is_some_and(
        |link| {
            page.attribute(link, "href").is_some_and(|href| {
                let href = href.to_ascii_lowercase();
                ["maps.", "/maps", "mapy.", "openstreetmap", "map?"].iter().any(|mark| href.contains(mark))
            })
        },
    )
}

fn is_country(text: &str) -> bool {
    matches!(place::read(text.trim()), Location { country: Some(_), .. })
}

/// Whether a place is one of the United States, by its state or its name.
pub fn is_american(text: &str) -> bool {
    let read = place::read(text);
    let country = read.country.as_deref().map(crate::plain_text::fold);
    match country.as_deref() {
        Some(country) => {
            matches!(country, "us" | "usa" | "united states" | "united states of america" | "u s a" | "u s")
        }
        None => read.state_region.is_some_and(|state| state.len() == 2 || !state.is_empty()),
    }
}

/// The place without what boards print after it.
fn place_of(value: &str) -> &str {
    const AFTER: &[&str] =
        &[" (map", " (Map", " [map", " - Map", " View map", " View Map", " (View", " Map it", " Show map"];
    AFTER
        .iter()
        .filter_map(|mark| value.split(mark).next())
        .min_by_key(|text| text.len())
        .unwrap_or(value)
        .trim()
}

/// `class="job-location"` on the element or just above it.
pub fn is_named(page: &Page, id: NodeId) -> bool {
    std::iter::once(id).chain(page.ancestors(id)).take(3).take_while(|id| page.size(*id) <= 24).any(|id| {
        ["class", "id"].iter().any(|which| {
            page.attribute(id, which).is_some_and(|names| {
                static ABOUT: Marks = Marks::new(&["location", "address", "locality", "job-city", "jobcity"]);
                static OTHER: Marks = Marks::new(&[
                    "search",
                    "allocation",
                    "input",
                    "label",
                    "key",
                    "title",
                    "icon",
                    "bar",
                    "email",
                    "filter",
                    "map",
                ]);
                ABOUT.are_in(names) && !OTHER.are_in(names)
            })
        })
    })
}

fn is_no_place(folded: &str) -> bool {
    !says_remote(folded)
        && matches!(
            folded,
            "location"
                | "map"
                | "view map"
                | "see map"
                | "loading map"
                | "various"
                | "multiple"
                | "not specified"
                | "unspecified"
                | "n a"
                | "na"
                | "see description"
                | "see below"
                | "city"
                | "apply"
                | "home"
                | "confidential"
                | "yes"
                | "no"
                | "multiple locations"
                | "various locations"
        )
}
