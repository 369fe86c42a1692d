//! The values of a home to rent, each read from the text it was found as: rent, rooms, area, availability, pets.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::plain_text::{self, fold};
use crate::salary::Salary;
use crate::shape;
use crate::texts::date::{self, Precision};
use crate::texts::hint::Hint;
use crate::texts::pay;

/// What a home costs: the same parts as pay has.
pub type Rent = Salary;

type Checked<T> = Result<Option<T>, &'static str>;

/// One number, or from one to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Extent {
    pub min: f64,
    pub max: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Area {
    pub min: f64,
    pub max: f64,
    pub unit: AreaUnit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AreaUnit {
    SquareFeet,
    SquareMetres,
}

/// On the wire `"now"` or a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Availability {
    Now,
    #[serde(untagged)]
    Day(Date),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PetPolicy {
    /// Null where it depends.
    pub allowed: Option<bool>,
    /// As it is said.
    pub text: String,
}

/// `$1,450 - $2,100 / month`, `980 € Kaltmiete`.
pub fn rent(raw: &str, hint: Hint<'_>) -> Checked<Rent> {
    let text = plain_text::line(raw);
    if shape::says_nothing(&text) || is_on_request(&text) {
        return Ok(None);
    }
    let rent = pay::field(&text, hint).ok_or("not a rent")?;
    let fits = |amount: Option<f64>| amount.is_none_or(|amount| (10.0..10_000_000.0).contains(&amount));
    if fits(rent.min) && fits(rent.max) { Ok(Some(rent)) } else { Err("not a rent") }
}

/// `Call for pricing` says nothing.
fn is_on_request(text: &str) -> bool {
    let folded = fold(text);
    ["call for", "contact for", "contact us", "on request", "auf anfrage", "sur demande", "inquire"]
        .iter()
        .any(|phrase| folded.contains(phrase))
}

/// `Studio – 2 bd`, `1-3 beds`, `2`.
pub fn bedrooms(raw: &str) -> Checked<Extent> {
    let text = plain_text::line(raw);
    let studio =
        ["studio", "bachelor", "efficiency"].iter().any(|word| fold(&text).split(' ').any(|w| w == *word));
    extent(&text, studio, 20.0).map_err(|_| "not a number of bedrooms")
}

/// `1`, `1.5`, `1 - 2.5 ba`.
pub fn bathrooms(raw: &str) -> Checked<Extent> {
    extent(&plain_text::line(raw), false, 20.0).map_err(|_| "not a number of bathrooms")
}

fn extent(text: &str, from_zero: bool, most: f64) -> Checked<Extent> {
    if shape::says_nothing(text) {
        return Ok(None);
    }
    let numbers = numbers(text).ok_or("")?;
    let (min, max) = match (numbers[..].first(), numbers.len()) {
        (None, _) if from_zero => (0.0, 0.0),
        (Some(one), 1) if from_zero => (0.0, *one),
        (Some(one), 1) => (*one, *one),
        (Some(low), 2) => (*low, numbers[1]),
        _ => return Err(""),
    };
    if min <= max && max <= most { Ok(Some(Extent { min, max })) } else { Err("") }
}

/// The numbers of a short text; none when there are more than a range has.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let tail = &rest[at..];
        let end = tail
            .char_indices()
            .find(|(at, c)| {
                let inside =
                    matches!(c, '.' | ',') && tail[at + 1..].starts_with(|c: char| c.is_ascii_digit());
                !c.is_ascii_digit() && !inside
            })
            .map_or(tail.len(), |(at, _)| at);
        found.push(pay::value_of(&tail[..end])?);
        if found.len() > 2 {
            return None;
        }
        rest = &tail[end..];
        // `1½`
        if rest.starts_with('½')
            && let Some(last) = found.last_mut()
        {
            *last += 0.5;
        }
    }
    Some(found)
}

/// `650 - 1,020 sq ft`, `58,5 m²`. Without a unit it is not known.
pub fn area(raw: &str) -> Checked<Area> {
    let text = plain_text::line(raw);
    if shape::says_nothing(&text) {
        return Ok(None);
    }
    let lower = text.to_lowercase();
    let feet = ["sq ft", "sq. ft", "sqft", "sf", "square feet", "square foot", "ft²", "ft2", "sq.ft"];
    let metres = ["m²", "m2", "qm", "sqm", "sq m", "square met", "mq", "metrů", "quadratmeter"];
    let unit = if feet.iter().any(|unit| lower.contains(unit)) {
        AreaUnit::SquareFeet
    } else if metres.iter().any(|unit| lower.contains(unit)) {
        AreaUnit::SquareMetres
    } else {
        return Err("an area without a unit");
    };
    let cut = lower.replace("m2", "m²").replace("ft2", "ft²");
    let extent = extent(&cut, false, 1e6).map_err(|_| "not an area")?;
    match extent.filter(|extent| extent.min >= 1.0) {
        Some(Extent { min, max }) => Ok(Some(Area { min, max, unit })),
        None => Err("not an area"),
    }
}

pub fn postal_code(raw: &str) -> Checked<String> {
    let text = plain_text::line(raw);
    if shape::says_nothing(&text) {
        return Ok(None);
    }
    let written = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-'));
    let fits = (3..=10).contains(&text.len()) && written && text.bytes().any(|b| b.is_ascii_digit());
    if fits { Ok(Some(text)) } else { Err("not a postcode") }
}

/// `Available now`, `ab sofort`, `Available Dec 1, 2026`.
pub fn availability(raw: &str, fetched_at: Timestamp, hint: Hint<'_>) -> Checked<Availability> {
    let text = plain_text::line(raw);
    if shape::says_nothing(&text) {
        return Ok(None);
    }
    let folded = format!(" {} ", fold(&text));
    let now = [
        " now ",
        " immediately ",
        " immediate ",
        " today ",
        " sofort ",
        " immediat ",
        " immediatement ",
        " inmediata ",
        " od zaraz ",
        " ihned ",
        " instock ",
        " in stock ",
        " subito ",
    ];
    if now.iter().any(|word| folded.contains(word)) && !folded.contains(" not ") {
        return Ok(Some(Availability::Now));
    }
    let found = date::day(&text, fetched_at, hint).filter(|found| found.precision == Precision::Day);
    let mut date = found.ok_or("not a day")?;
    // a day without a year is the next one
    let day = fetched_at.to_zoned(jiff::tz::TimeZone::UTC).date();
    if date.rule == "without_year" && date.date < day {
        date.date = date.date.checked_add(jiff::Span::new().years(1)).map_err(|_| "not a day")?;
    }
    Ok(Some(Availability::Day(date.date)))
}

const MAX_AMENITIES: usize = 80;

/// Lines, each an amenity.
pub fn amenities(raw: &str) -> Checked<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for line in raw.lines().map(plain_text::line) {
        let name =
            line.trim_matches(|c: char| matches!(c, '•' | '-' | '*' | '·' | ',' | '✓') || c.is_whitespace());
        let said = (2..=80).contains(&name.chars().count()) && name.contains(char::is_alphabetic);
        if said && !shape::says_nothing(name) && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
        if found.len() == MAX_AMENITIES {
            break;
        }
    }
    Ok((!found.is_empty()).then_some(found))
}

/// `true`, `No pets`, `Cats welcome, two at most`.
pub fn pet_policy(raw: &str) -> Checked<PetPolicy> {
    let text = plain_text::line(raw);
    if shape::says_nothing(&text) {
        return Ok(None);
    }
    if text.chars().count() > 500 {
        return Err("longer than a rule for pets");
    }
    let words = format!(" {} ", fold(&text));
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(&format!(" {phrase} ")));
    let no = has(&[
        "false",
        "no",
        "no pets",
        "not allowed",
        "no dogs or cats",
        "pets not allowed",
        "keine haustiere",
        "nicht erlaubt",
        "not permitted",
        "non admis",
        "interdits",
        "no se admiten",
        "nie",
        "zakaz",
    ]);
    let some = has(&[
        "cats",
        "dogs",
        "case by case",
        "conditional",
        "restrictions",
        "limit",
        "fee",
        "deposit",
        "nach absprache",
        "auf anfrage",
        "small",
    ]);
    let yes = has(&[
        "true",
        "yes",
        "allowed",
        "welcome",
        "friendly",
        "permitted",
        "ok",
        "erlaubt",
        "acceptes",
        "admiten",
        "dozwolone",
        "povoleno",
        "considered",
    ]);
    let allowed = match (no, some, yes) {
        (true, false, _) => Some(false),
        (false, _, true) => Some(true),
        (false, true, false) | (true, true, _) => None,
        (false, false, false) => return Err("no rule for pets"),
    };
    let text = match text.as_str() {
        "true" | "True" => "pets allowed".to_owned(),
        "false" | "False" => "no pets".to_owned(),
        _ => text,
    };
    Ok(Some(PetPolicy { allowed, text }))
}
