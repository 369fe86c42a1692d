//! A place written as one line of text, taken apart where the text itself leaves no doubt. A part that
//! could be two things stays unknown; the line as it stood is always kept.

use super::location::{Location, says_remote};
use super::plain_text::fold;
use super::texts::hint::Hint;
use super::texts::location;

/// Longer text is no place but prose around one.
pub const MAX_PLACE: usize = 300;

/// Reads `City, Region, Country`, `City, ST 12345`, `Country, Region, City`, `US-IL-Vernon Hills`.
pub fn read(raw: &str) -> Location {
    let mut place = coded(raw).or_else(|| listed(raw)).unwrap_or_default();
    place.raw = Some(raw.to_owned());
    place
}

/// The same, and what the gazetteer knows beside it: `Berlin` is in Germany, `San Francisco, CA` in the United States.
/// What the text says stays as it is written; a name that many places share stays alone.
pub fn known(raw: &str) -> Location {
    let mut place = read(raw);
    if place.city.is_some() && place.country.is_some() {
        return place;
    }
    let Some(found) = location::one(raw, Hint::default()) else { return place };
    let agree = |a: &Option<String>, b: &Option<String>| match (a, b) {
        (Some(a), Some(b)) => fold(a) == fold(b),
        _ => true,
    };
    let nothing = place.city.is_none() && place.state_region.is_none() && place.country.is_none();
    // a city that only the gazetteer sees in a place of many parts is as likely a part of a street
    let same = place.city.is_some() && agree(&place.city, &found.city)
        || place.city.is_none() && found.city.is_none();
    if nothing || same && agree(&place.state_region, &found.state_region) {
        place.city = place.city.or(found.city);
        place.state_region = place.state_region.or(found.state_region);
        place.country = place.country.or(found.country);
    }
    place
}

/// `US-IL-Vernon Hills`, as some boards write it.
fn coded(raw: &str) -> Option<Location> {
    let mut parts = raw.splitn(3, '-').map(str::trim);
    let (country, region, city) = (parts.next()?, parts.next()?, parts.next()?);
    let fits = matches!(country, "US" | "CA") && is_region(region) && is_town(city);
    fits.then(|| location(Some(city), Some(region), Some(country)))
}

fn listed(raw: &str) -> Option<Location> {
    // several places in one line have no single city
    if raw.contains(['\n', ';', '|', '•']) {
        return None;
    }
    let parts: Vec<&str> =
        raw.split(',').map(str::trim).filter(|part| !part.is_empty() && !is_postcode(part)).collect();
    match parts.as_slice() {
        [] => None,
        [one] if is_country(one) && !is_ambiguous(one) => Some(location(None, None, Some(one))),
        [one] => town_and_state(one),
        [country, region, city] if is_country(country) && !is_country(city) && is_town(city) => {
            Some(location(Some(city), Some(region), Some(country)))
        }
        [rest @ .., last] => Some(from_the_end(rest, last)),
    }
}

/// `Westport CT`: two words or more, the last one a state in capitals.
fn town_and_state(text: &str) -> Option<Location> {
    let (town, state) = without_postcode(text).rsplit_once(' ')?;
    let fits = state.len() == 2 && is_region(state) && is_town(town);
    fits.then(|| location(Some(town), Some(state), None))
}

/// The last part is a country or a region; what stands before it is the next smaller thing.
fn from_the_end(rest: &[&str], last: &str) -> Location {
    let last = without_postcode(last);
    let before = |skip: usize| rest.iter().rev().nth(skip).copied();
    if is_region(last) && !(is_ambiguous(last) && last.len() == 2) {
        return location(before(0).filter(|part| is_town(part)), Some(last), None);
    }
    if let Some(town) = town_and_state(last) {
        return town;
    }
    if !is_country(last) || is_ambiguous(last) {
        let city = before(0).filter(|part| rest.len() == 1 && is_town(part) && is_ambiguous(last));
        return location(city, None, None);
    }
    let region = before(0).map(without_postcode).filter(|part| is_region(part));
    match (region, before(0), before(1)) {
        (Some(region), _, city) => location(city.filter(|part| is_town(part)), Some(region), Some(last)),
        (None, Some(city), None) => location(Some(city).filter(|part| is_town(part)), None, Some(last)),
        // a street before the city, not a city before the region
        (None, Some(city), Some(street)) if street.contains(|c: char| c.is_ascii_digit()) => {
            location(Some(city).filter(|part| is_town(part)), None, Some(last))
        }
        (None, Some(region), Some(city)) => {
            location(Some(city).filter(|part| is_town(part)), Some(region), Some(last))
        }
        (None, None, _) => location(None, None, Some(last)),
    }
}

fn location(city: Option<&str>, region: Option<&str>, country: Option<&str>) -> Location {
    let kept = |part: Option<&str>| part.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned);
    let city = city.map(after_street).map(without_postcode).filter(|city| !says_remote(city));
    Location { city: kept(city), state_region: kept(region), country: kept(country), raw: None }
}

/// `440 Hall of Fame Avenue Springfield` → `Springfield`: a house number, a kind of street, the town.
pub(super) fn after_street(text: &str) -> &str {
    const KINDS: &str = "|street|st|avenue|ave|road|rd|boulevard|blvd|drive|dr|lane|ln|way|highway|hwy|parkway|pkwy|\
        place|pl|court|ct|square|suite|floor|";
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return text;
    }
    let mut at = 0;
    let mut town = text;
    for word in text.split(' ') {
        at += word.len() + 1;
        let numbered = word.starts_with(|c: char| c.is_ascii_digit() || c == '#');
        if numbered || KINDS.contains(&format!("|{}|", fold(word))) {
            town = text.get(at..).unwrap_or_default();
        }
    }
    if town.is_empty() { text } else { town }
}

/// A name of letters, perhaps after a postcode (`10115 Berlin`) or a street, and short.
fn is_town(text: &str) -> bool {
    let text = without_postcode(after_street(text));
    text.chars().count() <= 60 && text.starts_with(char::is_alphabetic)
}

/// Takes groups of digits off both ends: `PA 16146`, `10115 Berlin`, `110 00 Praha`.
pub(super) fn without_postcode(text: &str) -> &str {
    let code = |word: &str| word.bytes().all(|b| b.is_ascii_digit() || b == b'-') && word.len() >= 2;
    let mut text = text.trim();
    while let Some((first, rest)) = text.split_once(' ')
        && code(first)
    {
        text = rest.trim_start();
    }
    while let Some((rest, last)) = text.rsplit_once(' ')
        && code(last)
    {
        text = rest.trim_end();
    }
    text
}

/// `94538`, `94538-1234`, `SG1 2EW`, `V6J 1M4`.
pub(super) fn is_postcode(text: &str) -> bool {
    let has = |part: &str, kind: fn(&u8) -> bool| part.len() <= 4 && part.bytes().any(|b| kind(&b));
    let lettered = text.split_once(' ').is_some_and(|(area, place)| {
        let code = |part| has(part, u8::is_ascii_digit) && has(part, u8::is_ascii_uppercase);
        code(area) && code(place)
    });
    lettered || text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'-'))
}

/// `DE` and `IN` are a country each, and Delaware and Indiana; the other codes of both lists follow a
/// city as states far more often than not.
fn is_ambiguous(text: &str) -> bool {
    matches!(text, "DE" | "IN") || fold(text) == "georgia"
}

/// A state or province of the United States or Canada, by its code in capitals or its name.
fn is_region(text: &str) -> bool {
    const CODES: &str = " AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH \
        NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR AB BC MB NB NL NS ON PE QC SK YT NT NU ";
    const NAMES: &str = "|alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|\
        hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|\
        michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|\
        new mexico|new york|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|\
        rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|\
        west virginia|wisconsin|wyoming|district of columbia|puerto rico|alberta|british columbia|\
        manitoba|new brunswick|newfoundland and labrador|nova scotia|ontario|prince edward island|\
        quebec|saskatchewan|yukon|northwest territories|nunavut|england|scotland|wales|\
        northern ireland|";
    match text.len() {
        2 => CODES.contains(&format!(" {text} ")),
        _ => NAMES.contains(&format!("|{}|", fold(text))),
    }
}

/// A country by its English or own name, or its ISO code in capitals.
fn is_country(text: &str) -> bool {
    const CODES: &str = " AE AR AT AU BD BE BG BR BY CA CH CL CN CO CR CY CZ DE DK DO DZ EC EE EG ES FI FR GB GE GH \
        GR GT HK HR HU ID IE IL IN IS IT JO JP KE KR KZ LB LI LK LT LU LV MA MD MT MX MY NG NL NO NZ PA PE PH PK PL PT \
        PY QA RO RS RU SA SE SG SI SK SV TH TN TR TW TZ UA UG UK US UY VE VN ZA USA UAE GBR DEU FRA AUT CZE POL ESP ";
    const NAMES: &str = "|argentina|australia|austria|osterreich|bahrain|bangladesh|belarus|belgium|belgique|belgie|\
        bolivia|bosnia and herzegovina|brazil|brasil|bulgaria|cambodia|canada|chile|china|colombia|\
        costa rica|croatia|hrvatska|cyprus|czech republic|czechia|cesko|ceska republika|denmark|\
        danmark|dominican republic|ecuador|egypt|estonia|eesti|ethiopia|finland|suomi|france|\
        georgia|germany|deutschland|ghana|greece|guatemala|hong kong|hungary|magyarorszag|iceland|\
        india|indonesia|ireland|israel|italy|italia|japan|jordan|kazakhstan|kenya|kuwait|latvia|\
        lebanon|liechtenstein|lithuania|luxembourg|malaysia|malta|mexico|moldova|montenegro|morocco|\
        nepal|netherlands|the netherlands|nederland|new zealand|nigeria|north macedonia|norway|\
        norge|oman|pakistan|panama|paraguay|peru|philippines|poland|polska|portugal|qatar|romania|\
        russia|russian federation|saudi arabia|senegal|serbia|singapore|slovakia|slovensko|slovenia|\
        south africa|south korea|republic of korea|spain|espana|sri lanka|sweden|sverige|\
        switzerland|schweiz|suisse|svizzera|taiwan|tanzania|thailand|tunisia|turkey|turkiye|uganda|\
        ukraine|united arab emirates|united kingdom|great britain|united states|\
        united states of america|u s a|u s|u k|uruguay|uzbekistan|venezuela|vietnam|zambia|zimbabwe|";
    match text.len() {
        2 | 3 if text.bytes().all(|b| b.is_ascii_uppercase()) => CODES.contains(&format!(" {text} ")),
        _ => NAMES.contains(&format!("|{}|", fold(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(raw: &str) -> [String; 3] {
        let place = read(raw);
        assert_eq!(place.raw.as_deref(), Some(raw));
        [place.city, place.state_region, place.country].map(|part| part.unwrap_or_else(|| "-".to_owned()))
    }

    #[test]
    fn a_line_is_taken_apart_where_it_is_plain() {
        assert_eq!(parts("Munich, Bavaria, Germany"), ["Munich", "Bavaria", "Germany"]);
        assert_eq!(parts("Graz, AT"), ["Graz", "-", "AT"]);
        assert_eq!(parts("Praha, Česká republika"), ["Praha", "-", "Česká republika"]);
        assert_eq!(parts("San Francisco, CA"), ["San Francisco", "CA", "-"]);
        assert_eq!(parts("New York, New York, United States"), ["New York", "New York", "United States"]);
        assert_eq!(parts("101 Chestnut Street, Sharon, PA 16146"), ["Sharon", "PA", "-"]);
        assert_eq!(parts("12 Quay Lane, 10115 Berlin, Germany"), ["Berlin", "-", "Germany"]);
        assert_eq!(parts("1 Lamp Road, Sharon, PA 16146, USA"), ["Sharon", "PA", "USA"]);
        assert_eq!(parts("US-IL-Vernon Hills"), ["Vernon Hills", "IL", "US"]);
        assert_eq!(parts("United States, Michigan, Detroit"), ["Detroit", "Michigan", "United States"]);
        assert_eq!(parts("Westport CT"), ["Westport", "CT", "-"]);
        assert_eq!(parts("Germany"), ["-", "-", "Germany"]);
        assert_eq!(parts("1 Johnson Place, Woodmere NY, 11598"), ["Woodmere", "NY", "-"]);
        assert_eq!(parts("440 Hall of Fame Avenue Springfield, MA 01105"), ["Springfield", "MA", "-"]);
        assert_eq!(parts("7 Quay, Stevenage, Hertfordshire, SG1 2EW, United Kingdom")[0], "Stevenage");
    }

    #[test]
    fn what_could_be_two_things_stays_unknown() {
        assert_eq!(parts("Berlin, DE"), ["Berlin", "-", "-"]);
        assert_eq!(parts("Berlin"), ["-", "-", "-"]);
        assert_eq!(parts("Greater Harbour Area"), ["-", "-", "-"]);
        assert_eq!(parts("Edison, NJ • Elizabeth, NJ"), ["-", "-", "-"]);
        assert_eq!(parts("Remote, Germany"), ["-", "-", "Germany"]);
        assert_eq!(parts("Georgia"), ["-", "-", "-"]);
        assert_eq!(parts(", , "), ["-", "-", "-"]);
    }
}
