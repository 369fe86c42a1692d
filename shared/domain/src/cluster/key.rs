//! Company, role and place in the spelling in which they are compared. What is left out here is what boards
//! spell differently for one job; what tells two jobs apart (level, technology, field) stays.

use serde_json::Value;

use crate::identity::requisition::is_number;
use crate::plain_text::fold;

/// Forms of companies, folded; they end a name and say nothing of whose it is.
const LEGAL_FORMS: &[&str] = &[
    "inc",
    "incorporated",
    "llc",
    "llp",
    "lp",
    "ltd",
    "limited",
    "plc",
    "corp",
    "corporation",
    "co",
    "company",
    "gmbh",
    "mbh",
    "ag",
    "se",
    "kg",
    "kgaa",
    "ug",
    "ohg",
    "ev",
    "sa",
    "sas",
    "sasu",
    "sarl",
    "srl",
    "spa",
    "sl",
    "slu",
    "bv",
    "nv",
    "ab",
    "as",
    "asa",
    "aps",
    "oy",
    "oyj",
    "sro",
    "zoo",
    "spzoo",
    "pty",
    "pvt",
    "pte",
    "kk",
    "holding",
    "holdings",
    "cz",
    "hq",
];

/// A company's name without case, accents, marks and legal form: `The Kiln & Co. GmbH` is `kiln`.
pub fn company_key(name: &str) -> String {
    let name = &name[..name.floor_char_boundary(300)];
    // `s.r.o.` and `S.A.` are one word each, `Kiln.io` two.
    let joined = join_initials(name);
    let folded = fold(&joined.replace('&', " and ").replace('+', " plus "));
    let mut words: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
    if words.len() > 1 && words[0] == "the" {
        words.remove(0);
    }
    while words.len() > 1 {
        let last = words[words.len() - 1];
        let two = words.len() > 2 && matches!((words[words.len() - 2], last), ("z", "o") | ("z", "oo"));
        if two {
            words.truncate(words.len() - 2);
        } else if LEGAL_FORMS.contains(&last) || matches!(last, "and" | "sp") {
            words.pop();
        } else {
            break;
        }
    }
    words.join(" ")
}

/// `s.r.o.` → `sro`: single letters with points between them are one word.
fn join_initials(name: &str) -> String {
    name.split_whitespace()
        .map(|word| {
            let bare = word.trim_end_matches([',', ';']);
            let parts: Vec<&str> = bare.split('.').filter(|part| !part.is_empty()).collect();
            let initials = parts.len() > 1 && parts.iter().all(|part| part.chars().count() == 1);
            if initials { parts.concat() } else { word.to_owned() }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Where a listing is, in the spelling in which places are compared. Unknown parts are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    pub city: Option<String>,
    pub region: Option<String>,
    pub country: Option<String>,
    /// The place as it stood, when no city could be read from it.
    pub raw: Option<String>,
    pub remote: Option<bool>,
}

impl Place {
    pub fn of(place: Option<&Value>, remote: Option<&str>) -> Place {
        let part = |name: &str| {
            let text = place.and_then(|place| place.get(name)).and_then(Value::as_str)?;
            let folded = fold(&text[..text.floor_char_boundary(300)]);
            (!folded.is_empty()).then_some(folded)
        };
        let city = part("city");
        Place {
            region: part("state_region"),
            country: part("country").map(|country| country_key(&country).to_owned()),
            raw: if city.is_none() { part("raw") } else { None },
            city,
            remote: match remote {
                Some("remote") => Some(true),
                Some("on_site" | "hybrid") => Some(false),
                _ => None,
            },
        }
    }

    /// Whether one job may be at both. What is not known stands in nobody's way; what contradicts does.
    pub fn fits(&self, other: &Place) -> bool {
        let contradict = |a: Option<bool>, b: Option<bool>| matches!((a, b), (Some(a), Some(b)) if a != b);
        if contradict(self.remote, other.remote) {
            return false;
        }
        match (&self.city, &other.city) {
            (Some(a), Some(b)) => a == b && self.around(other),
            (Some(city), None) => other.may_be_in(city) && self.around(other),
            (None, Some(city)) => self.may_be_in(city) && self.around(other),
            (None, None) => self.raw_fits(other) && self.around(other),
        }
    }

    /// Region and country, where both say them in the same manner (a code, or a name).
    fn around(&self, other: &Place) -> bool {
        let agree = |a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(a), Some(b)) => a == b || is_code(a) != is_code(b),
            _ => true,
        };
        agree(&self.region, &other.region) && agree(&self.country, &other.country)
    }

    /// A place in words that names no city we can read: either it names this one somewhere, or none at all.
    fn may_be_in(&self, city: &str) -> bool {
        let named = |raw: &String| format!(" {raw} ").contains(&format!(" {city} "));
        self.raw.as_ref().is_none_or(|raw| named(raw) || self.is_whole(raw))
    }

    /// The words say nothing but the region, the country or that it is remote.
    fn is_whole(&self, raw: &str) -> bool {
        let known = |word: &str| {
            let of = |part: &Option<String>| {
                part.as_deref().is_some_and(|part| part.split(' ').any(|w| w == word))
            };
            of(&self.region) || of(&self.country) || country_key(word) != word || word == "remote"
        };
        country_key(raw) != raw || self.country.as_deref() == Some(raw) || raw.split(' ').all(known)
    }

    fn raw_fits(&self, other: &Place) -> bool {
        let (Some(a), Some(b)) = (&self.raw, &other.raw) else { return true };
        let within = |a: &str, b: &str| a.split(' ').all(|word| b.split(' ').any(|other| other == word));
        within(a, b) || within(b, a)
    }

    /// Every word that is part of the place.
    fn words(&self) -> impl Iterator<Item = &str> {
        [&self.city, &self.region, &self.country, &self.raw]
            .into_iter()
            .flatten()
            .flat_map(|part| part.split(' '))
    }
}

fn is_code(text: &str) -> bool {
    text.len() <= 3
}

/// The few countries that postings spell in more than one way.
fn country_key(folded: &str) -> &str {
    match folded {
        "usa" | "united states" | "united states of america" | "u s" | "u s a" | "america" => "us",
        "uk" | "united kingdom" | "great britain" | "england" => "gb",
        "deutschland" | "germany" | "deu" => "de",
        "osterreich" | "austria" | "aut" => "at",
        "schweiz" | "suisse" | "switzerland" | "che" => "ch",
        "czech republic" | "czechia" | "ceska republika" | "cesko" | "cze" => "cz",
        "polska" | "poland" | "pol" => "pl",
        "france" | "fra" => "fr",
        "espana" | "spain" | "esp" => "es",
        "canada" | "can" => "ca",
        "india" | "ind" => "in",
        "australia" | "aus" => "au",
        "netherlands" | "nederland" | "nld" => "nl",
        "ireland" | "irl" => "ie",
        other => other,
    }
}

/// Words of a title that say nothing of the role.
const NOISE: &[&str] = &[
    "job",
    "jobs",
    "hiring",
    "now",
    "urgent",
    "urgently",
    "opening",
    "vacancy",
    "position",
    "role",
    "remote",
    "hybrid",
    "onsite",
    "wfh",
    "homeoffice",
    "m",
    "w",
    "f",
    "d",
    "x",
    "h",
    "k",
    "mwd",
    "mfd",
    "mfx",
    "hf",
    "gn",
    "div",
    "divers",
    "all",
    "genders",
    "gender",
    "the",
    "a",
    "an",
    "of",
    "for",
    "in",
    "at",
    "and",
    "und",
    "et",
    "y",
    "i",
    "with",
];

/// Short forms, and what they are short for.
const SHORT: &[(&str, &str)] = &[
    ("sr", "senior"),
    ("snr", "senior"),
    ("jr", "junior"),
    ("jnr", "junior"),
    ("eng", "engineer"),
    ("engr", "engineer"),
    ("dev", "developer"),
    ("mgr", "manager"),
    ("asst", "assistant"),
    ("assoc", "associate"),
    ("admin", "administrator"),
    ("dir", "director"),
    ("vp", "vicepresident"),
    ("i", "1"),
    ("ii", "2"),
    ("iii", "3"),
    ("iv", "4"),
    ("v", "5"),
];

/// A title as a set of words in one spelling: without case, order, place, company, gender and the marks of
/// hiring. Level and technology stay: C, C++, C# and .NET are four roles.
pub fn role_key(title: &str, place: &Place, company: &str) -> String {
    let title = &title[..title.floor_char_boundary(300)];
    let (place, company): (Vec<&str>, Vec<&str>) = (place.words().collect(), company.split(' ').collect());
    let mut words: Vec<String> = Vec::new();
    let mut all: Vec<String> = Vec::new();
    let is_code = |word: &&str| is_number(word.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
    let spoken = title.split_whitespace().filter(|word| !is_code(word));
    let apart = |c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#' | '.' | '\'' | '’'));
    for piece in spoken.flat_map(|word| word.split(apart)) {
        let piece = piece.trim_end_matches(['.', '\'', '’']);
        let signs: String = piece.chars().filter(|c| matches!(c, '+' | '#')).collect();
        let dot = piece.starts_with('.');
        let Some(word) = Some(fold(piece).replace(' ', "")).filter(|word| !word.is_empty()) else { continue };
        let word = format!("{}{word}{signs}", if dot { "." } else { "" });
        let numeral = words.iter().any(|word: &String| word.len() > 1);
        let long = SHORT
            .iter()
            .find(|(short, long)| {
                *short == word && (numeral || !long.starts_with(|c: char| c.is_ascii_digit()))
            })
            .map_or(word.clone(), |(_, long)| (*long).to_owned());
        all.push(long.clone());
        let left_out = (long == word && NOISE.contains(&word.as_str()))
            // IT is a trade as well as a country.
            || (word.len() > 2 && (place.contains(&word.as_str()) || company.contains(&word.as_str())))
            || is_number_of_posting(&word);
        if !left_out {
            words.push(long);
        }
    }
    // A title of nothing but such words is its own role.
    let mut kept = if words.is_empty() { all } else { words };
    kept.sort_unstable();
    kept.dedup();
    kept.join(" ")
}

/// Codes of postings: four digits and more, with or without letters before.
fn is_number_of_posting(word: &str) -> bool {
    word.bytes().filter(u8::is_ascii_digit).count() >= 4
}
