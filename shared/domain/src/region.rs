//! Where a proxy stands, and what a visitor from there looks like: clock, language, place. Pure.

use serde::Serialize;

/// A place a visitor may come from. Its three marks belong together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub timezone: &'static str,
    /// The languages of its browsers, the first one first (BCP 47).
    pub languages: &'static [&'static str],
    pub latitude: f64,
    pub longitude: f64,
}

/// A country, or a part of a large one, by a short code: `de`, `us`, `us-west`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Region {
    pub code: &'static str,
    #[serde(skip)]
    pub places: &'static [Place],
}

impl Region {
    /// Upper case and underscores are forgiven; `uk` is `gb`.
    pub fn named(code: &str) -> Option<Region> {
        let code = code.trim().to_ascii_lowercase().replace('_', "-");
        let code = if code == "uk" { "gb" } else { code.as_str() };
        REGIONS.iter().find(|region| region.code == code).copied()
    }
}

const fn at(
    timezone: &'static str,
    languages: &'static [&'static str],
    latitude: f64,
    longitude: f64,
) -> Place {
    Place { timezone, languages, latitude, longitude }
}

const fn region(code: &'static str, places: &'static [Place]) -> Region {
    Region { code, places }
}

const EN_US: &[&str] = &["en-US"];

/// The regions that are known. A large country is listed whole and by its parts.
pub static REGIONS: &[Region] = &[
    region(
        "us",
        &[
            at("America/New_York", EN_US, 40.71, -74.01),
            at("America/Chicago", EN_US, 41.88, -87.63),
            at("America/Denver", EN_US, 39.74, -104.99),
            at("America/Los_Angeles", EN_US, 34.05, -118.24),
        ],
    ),
    region(
        "us-east",
        &[at("America/New_York", EN_US, 40.71, -74.01), at("America/New_York", EN_US, 38.9, -77.04)],
    ),
    region(
        "us-central",
        &[at("America/Chicago", EN_US, 41.88, -87.63), at("America/Chicago", EN_US, 32.78, -96.8)],
    ),
    region(
        "us-west",
        &[at("America/Los_Angeles", EN_US, 34.05, -118.24), at("America/Los_Angeles", EN_US, 47.61, -122.33)],
    ),
    region(
        "ca",
        &[
            at("America/Toronto", &["en-CA", "fr-CA"], 43.65, -79.38),
            at("America/Vancouver", &["en-CA"], 49.28, -123.12),
        ],
    ),
    region("mx", &[at("America/Mexico_City", &["es-MX"], 19.43, -99.13)]),
    region("br", &[at("America/Sao_Paulo", &["pt-BR"], -23.55, -46.63)]),
    region(
        "gb",
        &[at("Europe/London", &["en-GB"], 51.51, -0.13), at("Europe/London", &["en-GB"], 53.48, -2.24)],
    ),
    region("ie", &[at("Europe/Dublin", &["en-IE"], 53.35, -6.26)]),
    region(
        "de",
        &[at("Europe/Berlin", &["de-DE"], 52.52, 13.4), at("Europe/Berlin", &["de-DE"], 50.11, 8.68)],
    ),
    region("at", &[at("Europe/Vienna", &["de-AT"], 48.21, 16.37)]),
    region("ch", &[at("Europe/Zurich", &["de-CH", "fr-CH"], 47.38, 8.54)]),
    region("fr", &[at("Europe/Paris", &["fr-FR"], 48.86, 2.35)]),
    region("nl", &[at("Europe/Amsterdam", &["nl-NL"], 52.37, 4.9)]),
    region("be", &[at("Europe/Brussels", &["nl-BE", "fr-BE"], 50.85, 4.35)]),
    region("es", &[at("Europe/Madrid", &["es-ES"], 40.42, -3.7)]),
    region("pt", &[at("Europe/Lisbon", &["pt-PT"], 38.72, -9.14)]),
    region("it", &[at("Europe/Rome", &["it-IT"], 41.9, 12.5)]),
    region("pl", &[at("Europe/Warsaw", &["pl-PL"], 52.23, 21.01)]),
    region("cz", &[at("Europe/Prague", &["cs-CZ"], 50.08, 14.44)]),
    region("se", &[at("Europe/Stockholm", &["sv-SE"], 59.33, 18.07)]),
    region("no", &[at("Europe/Oslo", &["nb-NO"], 59.91, 10.75)]),
    region("dk", &[at("Europe/Copenhagen", &["da-DK"], 55.68, 12.57)]),
    region("fi", &[at("Europe/Helsinki", &["fi-FI"], 60.17, 24.94)]),
    region("in", &[at("Asia/Kolkata", &["en-IN", "hi-IN"], 19.08, 72.88)]),
    region("sg", &[at("Asia/Singapore", &["en-SG"], 1.35, 103.82)]),
    region("jp", &[at("Asia/Tokyo", &["ja-JP"], 35.68, 139.69)]),
    region("kr", &[at("Asia/Seoul", &["ko-KR"], 37.57, 126.98)]),
    region("za", &[at("Africa/Johannesburg", &["en-ZA"], -26.2, 28.05)]),
    region(
        "au",
        &[
            at("Australia/Sydney", &["en-AU"], -33.87, 151.21),
            at("Australia/Melbourne", &["en-AU"], -37.81, 144.96),
        ],
    ),
    region("nz", &[at("Pacific/Auckland", &["en-NZ"], -36.85, 174.76)]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_region_is_found_by_its_code_and_knows_real_clocks() {
        for region in REGIONS {
            assert_eq!(Region::named(region.code), Some(*region));
            for place in region.places {
                assert!(jiff::tz::TimeZone::get(place.timezone).is_ok(), "{}", place.timezone);
                assert!(!place.languages.is_empty());
                assert!(place.latitude.abs() <= 90.0 && place.longitude.abs() <= 180.0);
            }
        }
        assert_eq!(Region::named(" UK ").unwrap().code, "gb");
        assert_eq!(Region::named("us_west").unwrap().code, "us-west");
        assert_eq!(Region::named("atlantis"), None);
    }

    /// The country of a language tag is the country of its region.
    #[test]
    fn languages_are_spoken_where_they_are_listed() {
        for region in REGIONS {
            let country = region.code.split('-').next().unwrap().to_uppercase();
            for language in region.places.iter().flat_map(|place| place.languages) {
                assert_eq!(language.split_once('-').unwrap().1, country, "{}", region.code);
            }
        }
    }
}
