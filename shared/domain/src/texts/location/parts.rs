//! A line of places taken apart: the places it names, and the parts of each.

use super::super::gazetteer::{self, City, Country, Region};
use crate::place::{after_street, is_postcode, without_postcode};
use crate::plain_text::fold;

/// Words that part one place from the next.
const OR: &[&str] = &[" or ", " oder ", " ou ", " nebo ", " lub "];

/// The pieces of a line that name a place each.
pub fn pieces(line: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = line.split([';', '|', '•', '·', '\n']).collect();
    for word in OR {
        pieces = pieces.into_iter().flat_map(|piece| piece.split(word)).collect();
    }
    pieces = pieces.into_iter().flat_map(stroked).collect();
    pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()).collect()
}

/// `Berlin/Munich`, where both are known.
fn stroked(piece: &str) -> Vec<&str> {
    let known = |piece: &&str| parts(piece).last().is_some_and(Part::is_known);
    for mark in ['/', '&'] {
        let parts: Vec<&str> = piece.split(mark).map(str::trim).collect();
        if parts.len() > 1 && parts.iter().all(known) {
            return parts;
        }
    }
    vec![piece]
}

/// One part of a place, without postcode and street.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part<'t> {
    pub text: &'t str,
    /// Five digits stood behind it, as behind a state of the United States.
    pub zip: bool,
}

/// What says nothing of where: folded.
const FILLERS: &[&str] = &[
    "remote",
    "fully remote",
    "hybrid",
    "onsite",
    "on site",
    "in office",
    "virtual",
    "work from home",
    "work from hom",
    "home office",
    "homeoffice",
    "home based",
    "telecommute",
    "wfh",
    "hq",
    "headquarters",
    "head office",
    "office",
    "multiple locations",
    "multiple",
    "various locations",
    "various",
    "several locations",
    "statewide",
    "nationwide",
    "anywhere",
    "worldwide",
    "global",
    "any location",
    "locations",
    "location",
    "remoto",
    "zdalnie",
    "praca zdalna",
    "remote based",
    "area",
    "bundesweit",
    "deutschlandweit",
    "greater area",
];

/// The parts of one place in the order they were written.
pub fn parts(piece: &str) -> Vec<Part<'_>> {
    let mut written: Vec<&str> = Vec::new();
    let mut depth = 0_i32;
    for part in piece.split_inclusive([',', '(', ')', '[', ']']) {
        let (text, mark) = match part.char_indices().next_back() {
            Some((at, mark @ (',' | '(' | ')' | '[' | ']'))) => (&part[..at], mark),
            _ => (part, ' '),
        };
        let mut dashed = vec![text];
        for dash in [" - ", " – ", " — ", " -", "- "] {
            dashed = dashed.into_iter().flat_map(|part| part.split(dash)).collect();
        }
        let known = |part: &str| Part::of(part).is_some_and(|part| part.is_known());
        let larger = |part: &str| Part::of(part).is_some_and(|part| part.is_larger());
        if depth > 0 {
            dashed.retain(|part| known(part)); // `Chicago (Green St)`
        } else if dashed.len() > 1 && !gazetteer::cities(bare(dashed[0].trim())).is_empty() {
            // `Praha 8 – Karlín`: behind a city and a dash stands a district, if not a region or country
            let mut first = true;
            dashed.retain(|part| std::mem::take(&mut first) || larger(part));
        }
        written.extend(dashed.into_iter().flat_map(coded));
        depth += i32::from(matches!(mark, '(' | '[')) - i32::from(matches!(mark, ')' | ']'));
        depth = depth.max(0);
    }
    let mut parts: Vec<Part<'_>> = written.into_iter().flat_map(led).filter_map(Part::of).take(8).collect();
    // a county between a city and its state
    if parts.len() > 2 {
        parts.retain(|part| !part.text.ends_with(" County"));
    }
    parts
}

/// `US-IL-Vernon Hills`.
fn coded(part: &str) -> Vec<&str> {
    let codes: Vec<&str> = part.splitn(3, '-').map(str::trim).collect();
    let is_code = |text: &&str| matches!(text.len(), 2 | 3) && text.bytes().all(|b| b.is_ascii_uppercase());
    match codes[..] {
        [country, _, _] if is_code(&country) && gazetteer::country(country).is_some() => codes,
        [country, second]
            if is_code(&country) && gazetteer::country(country).is_some() && second.len() > 1 =>
        {
            codes
        }
        _ => vec![part],
    }
}

/// `USA Wilmington` is two parts; `Remote Oregon` and `Work at home-Texas` are one.
fn led(part: &str) -> Vec<&str> {
    const LEADS: &[&str] =
        &["remote", "virtual", "field", "work at home", "work from home", "hybrid", "home based"];
    let mut part = part.trim();
    for lead in LEADS {
        if let (Some(begin), Some(rest)) = (part.get(..lead.len()), part.get(lead.len()..))
            && begin.eq_ignore_ascii_case(lead)
            && rest.starts_with([' ', '-', ':'])
        {
            part = rest.trim_start_matches([' ', '-', ':']);
            break;
        }
    }
    match part.split_once(' ') {
        Some((first @ ("USA" | "US" | "UK"), rest)) if !rest.trim().is_empty() => vec![first, rest.trim()],
        _ => vec![part],
    }
}

/// Without postcode, street, district number, and the words for a wider area.
fn bare(part: &str) -> &str {
    if is_postcode(part) {
        return "";
    }
    let mut part = without_postcode(after_street(part));
    while let Some((first, rest)) = part.split_once(' ')
        && first.bytes().any(|b| b.is_ascii_digit())
    {
        part = rest.trim_start();
    }
    while let Some((rest, last)) = part.rsplit_once(' ')
        && (last.bytes().any(|b| b.is_ascii_digit())
            || matches!(last, "Area" | "area" | "Metro" | "Metropolitan" | "Bay"))
    {
        part = rest.trim_end();
    }
    let part =
        part.strip_prefix("Greater ").filter(|rest| !gazetteer::cities(rest).is_empty()).unwrap_or(part);
    part.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | '-' | '–' | '*'))
}

fn is_filler(part: &str) -> bool {
    let folded = fold(part);
    if FILLERS.contains(&folded.as_str()) {
        return true;
    }
    // `2 Locations`, `5+ more`
    let words: Vec<&str> = folded.split(' ').collect();
    matches!(words[..], [number, "locations" | "location" | "more" | "cities" | "offices"] if number.bytes().all(|b| b.is_ascii_digit()))
        || folded.bytes().all(|b| b.is_ascii_digit() || b == b' ')
}

impl<'t> Part<'t> {
    /// None for what says nothing of where.
    fn of(written: &'t str) -> Option<Part<'t>> {
        let text = bare(written.trim());
        let digits = written.trim().rsplit([' ', '-']).find(|word| word.len() == 5);
        let zip = digits.is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
        (!text.is_empty() && !is_filler(text)).then_some(Part { text, zip })
    }

    /// A region or a country.
    fn is_larger(&self) -> bool {
        self.country().is_some() || self.code().is_some() || !self.regions().is_empty()
    }

    fn is_known(&self) -> bool {
        self.is_larger() || !self.cities().is_empty() || self.town_and_code("US").is_some()
    }

    pub fn country(&self) -> Option<Country> {
        gazetteer::country(self.text)
    }

    /// A state or province by the code that is written by itself.
    pub fn code(&self) -> Option<Region> {
        let text = self.text;
        let shaped = matches!(text.len(), 2 | 3) && text.bytes().all(|b| b.is_ascii_uppercase());
        let own = |country| gazetteer::region_of(country, text).filter(|_| shaped);
        own("US").or_else(|| own("CA")).or_else(|| own("AU").filter(|_| text.len() == 3))
    }

    /// A country that is also a state: by its code, or by its name.
    pub fn is_doubtful(&self) -> bool {
        self.code().is_some() || fold(self.text) == "georgia"
    }

    pub fn regions(&self) -> Vec<Region> {
        gazetteer::regions(self.text)
    }

    /// The region of a country by its name or code.
    pub fn region_in(&self, country: &str) -> Option<Region> {
        let code = self.text.to_ascii_uppercase();
        let coded = (2..=3).contains(&self.text.len()) && (self.text == code || self.text.len() == 3);
        self.regions()
            .into_iter()
            .find(|region| region.country == country)
            .or_else(|| gazetteer::region_of(country, &code).filter(|_| coded))
    }

    pub fn cities(&self) -> Vec<City> {
        gazetteer::cities(self.text)
    }

    /// `Westport CT`: a name and a code of the country behind it.
    pub fn town_and_code(&self, country: &str) -> Option<(&'t str, Region)> {
        let (town, code) = self.text.rsplit_once(' ')?;
        let shaped = code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase());
        let region = gazetteer::region_of(country, code).filter(|_| shaped)?;
        Part { text: town, zip: false }.is_name().then_some((town, region))
    }

    /// Whether it can be the name of a town.
    pub fn is_name(&self) -> bool {
        self.text.chars().count() <= 60
            && self.text.starts_with(char::is_alphabetic)
            && self.text.split(' ').count() <= 6
            && !self.text.bytes().any(|b| b.is_ascii_digit())
    }
}
