//! Names of countries, regions and large cities, looked up in tables that are sorted once, at the first question.
//! Written for this project: the places that job boards name, not the whole world. What is not in it is not known
//! to be no place.

mod cities;
mod countries;
mod regions;

use std::sync::LazyLock;

use crate::plain_text::fold;

/// A country, by its ISO 3166 code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    pub code: &'static str,
    pub name: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    pub country: &'static str,
    /// Empty where none is in use.
    pub code: &'static str,
    pub name: &'static str,
}

impl Region {
    /// As addresses have it: the code in the countries that write it, else the name.
    pub fn written(&self) -> &'static str {
        if matches!(self.country, "US" | "CA" | "AU") { self.code } else { self.name }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct City {
    pub country: &'static str,
    /// The code of its region; empty where that does not matter.
    pub region: &'static str,
    /// The name by itself means this city.
    pub first: bool,
}

struct Tables {
    countries: Vec<(String, Country)>,
    regions: Vec<(String, Region)>,
    cities: Vec<(String, City)>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut tables = Tables { countries: Vec::new(), regions: Vec::new(), cities: Vec::new() };
    for &(code, name, others) in countries::COUNTRIES {
        let names = others.split('|').filter(|other| !other.is_empty()).chain([name]);
        tables.countries.extend(names.map(|other| (fold(other), Country { code, name })));
    }
    for &(country, code, name, others) in regions::REGIONS {
        let names = others.split('|').filter(|other| !other.is_empty()).chain([name]);
        tables.regions.extend(names.map(|other| (fold(other), Region { country, code, name })));
    }
    for &(country, region, names) in cities::CITIES {
        for name in names.split(['|', '=']) {
            let first = name.ends_with('*');
            tables.cities.push((fold(name), City { country, region, first }));
        }
    }
    tables.countries.sort_by(|a, b| a.0.cmp(&b.0));
    tables.regions.sort_by(|a, b| a.0.cmp(&b.0));
    tables.cities.sort_by(|a, b| a.0.cmp(&b.0));
    tables
});

fn all<'t, T: Copy>(table: &'t [(String, T)], name: &str) -> impl Iterator<Item = T> + use<'t, T> {
    let from = table.partition_point(|(known, _)| known.as_str() < name);
    let to = table.partition_point(|(known, _)| known.as_str() <= name);
    table[from..to].iter().map(|(_, found)| *found)
}

/// A country by any of its names, or by its code in capitals.
pub fn country(text: &str) -> Option<Country> {
    let text = text.trim();
    if text.len() == 2 && text.bytes().all(|b| b.is_ascii_uppercase()) {
        let code = if text == "UK" { "GB" } else { text };
        return of_code(code);
    }
    // three letters are a code only in capitals: `per`, `can` and `nor` are words
    let code = text.len() == 3 && text.is_ascii();
    if code && !text.bytes().all(|b| b.is_ascii_uppercase()) && !text.eq_ignore_ascii_case("usa") {
        return None;
    }
    all(&TABLES.countries, &fold(text)).next()
}

/// A country by its two letters in capitals.
pub fn of_code(code: &str) -> Option<Country> {
    let at = countries::COUNTRIES.binary_search_by(|(known, ..)| (*known).cmp(code)).ok()?;
    let (code, name, _) = countries::COUNTRIES[at];
    Some(Country { code, name })
}

/// Every region of this name.
pub fn regions(name: &str) -> Vec<Region> {
    all(&TABLES.regions, &fold(name)).collect()
}

/// The region of a country with this code.
pub fn region_of(country: &str, code: &str) -> Option<Region> {
    let row = regions::REGIONS.iter().find(|row| row.0 == country && row.1 == code && !code.is_empty())?;
    Some(Region { country: row.0, code: row.1, name: row.2 })
}

/// Every city of this name.
pub fn cities(name: &str) -> Vec<City> {
    all(&TABLES.cities, &fold(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_every_row_belongs_to_a_country() {
        assert!(countries::COUNTRIES.is_sorted_by(|a, b| a.0 < b.0));
        for (country, code, name, _) in regions::REGIONS {
            assert!(of_code(country).is_some(), "{name}");
            assert!(code.is_empty() || region_of(country, code).is_some(), "{name}");
        }
        for (country, region, names) in cities::CITIES {
            assert!(of_code(country).is_some(), "{names}");
            assert!(region.is_empty() || region_of(country, region).is_some(), "{names}");
        }
        assert!(TABLES.countries.iter().all(|(name, _)| !name.is_empty()));
    }

    #[test]
    fn a_name_means_at_most_one_city_by_itself() {
        for pair in TABLES.cities.windows(2) {
            let both = pair[0].0 == pair[1].0 && pair[0].1.first && pair[1].1.first;
            assert!(!both || pair[0].1 == pair[1].1, "{}", pair[0].0);
        }
    }

    #[test]
    fn names_are_known_in_several_languages() {
        for name in ["Germany", "DEUTSCHLAND", "Allemagne", "Niemcy", "Německo", "DE", "DEU"] {
            assert_eq!(country(name).map(|country| country.code), Some("DE"), "{name}");
        }
        for word in ["per", "can", "de", "Freedonia", "", "U"] {
            assert_eq!(country(word), None, "{word}");
        }
        assert_eq!(regions("bayern")[0].code, "BY");
        assert_eq!(cities("München")[0].region, "BY");
    }
}
