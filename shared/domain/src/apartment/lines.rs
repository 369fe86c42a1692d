//! What the lines of a page say of a home: behind a label, or in a shape that means one thing.

use crate::contact::phone_in;
use crate::normal::Raw;
use crate::page::Page;
use crate::place;
use crate::plain_text::fold;
use crate::reading::method::Method;

const MAX_LINES: usize = 5_000;
const MAX_LINE: usize = 300;

/// Labels, folded, and the fields they stand for.
const LABELS: &[(&str, &[&str])] = &[
    (
        "rent",
        &[
            "rent",
            "monthly rent",
            "price",
            "rent range",
            "base rent",
            "starting rent",
            "starting at",
            "miete",
            "kaltmiete",
            "warmmiete",
            "gesamtmiete",
            "loyer",
            "loyer mensuel",
            "alquiler",
            "renta",
            "czynsz",
            "najemne",
            "najem",
            "cena",
            "canone",
            "huurprijs",
        ],
    ),
    (
        "bedrooms",
        &[
            "bedrooms",
            "bedroom",
            "beds",
            "bed",
            "bd",
            "schlafzimmer",
            "chambres",
            "dormitorios",
            "habitaciones",
            "sypialnie",
            "loznice",
            "camere da letto",
            "slaapkamers",
        ],
    ),
    (
        "bathrooms",
        &[
            "bathrooms",
            "bathroom",
            "baths",
            "bath",
            "ba",
            "badezimmer",
            "bader",
            "salles de bain",
            "banos",
            "lazienki",
            "koupelny",
            "bagni",
            "badkamers",
        ],
    ),
    (
        "area",
        &[
            "area",
            "size",
            "square feet",
            "square footage",
            "sq ft",
            "sqft",
            "living area",
            "floor area",
            "floor size",
            "wohnflache",
            "surface",
            "superficie",
            "powierzchnia",
            "plocha",
            "uzitna plocha",
            "woonoppervlakte",
            "living space",
        ],
    ),
    (
        "available_from",
        &[
            "available",
            "availability",
            "available from",
            "date available",
            "move in",
            "move in date",
            "verfugbar ab",
            "bezugsfrei ab",
            "frei ab",
            "disponible",
            "disponible le",
            "disponibilite",
            "dostepne od",
            "k nastehovani",
            "volne od",
            "beschikbaar per",
        ],
    ),
    (
        "pet_policy",
        &[
            "pets",
            "pet policy",
            "pets allowed",
            "haustiere",
            "animaux",
            "mascotas",
            "zwierzeta",
            "domaci mazlicci",
            "huisdieren",
        ],
    ),
    ("address", &["address", "location", "adresse", "direccion", "adres", "adresa", "lage", "indirizzo"]),
    ("phone", &["phone", "telephone", "tel", "call", "telefon", "telefono", "call us"]),
];

/// Headings of lists of amenities, folded.
const AMENITIES: &[&str] = &[
    "amenities",
    "apartment amenities",
    "community amenities",
    "features",
    "apartment features",
    "unit features",
    "community features",
    "unique features",
    "ausstattung",
    "equipements",
    "equipamiento",
    "udogodnienia",
    "vybaveni",
    "dotazioni",
    "property amenities",
    "building amenities",
    "in unit amenities",
];

pub fn offers(raw: &mut Raw, page: &Page) {
    let lines = page.lines(MAX_LINES);
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| line.len() <= MAX_LINE).collect();
    labelled(raw, &lines);
    for node in page.named("address").take(10) {
        offer_address(raw, Method::Selectors, &page.joined_text(node, ", "));
    }
    for line in lines.iter().take(2_000) {
        summary(raw, line);
        plain(raw, line);
    }
    for pair in lines.windows(2).take(2_000) {
        if is_street(pair[0]) {
            offer_address(raw, Method::TextRule, &format!("{}, {}", pair[0], pair[1]));
        }
    }
    lists(raw, page);
    let phone = lines.iter().find_map(|line| phone_in(line));
    raw.offer("phone", Method::TextRule, phone);
}

/// `Rent: $1,200` and its like, or the label on one line and the value on the next.
fn labelled(raw: &mut Raw, lines: &[&str]) {
    for (at, line) in lines.iter().enumerate() {
        let (label, value) = line.split_once(':').unwrap_or((line, ""));
        if label.len() > 40 {
            continue;
        }
        let folded = fold(label);
        let Some((field, _)) = LABELS.iter().find(|(_, names)| names.contains(&folded.as_str())) else {
            continue;
        };
        let alone = value.trim().is_empty();
        let value = Some(value.trim()).filter(|value| !value.is_empty());
        let value = value.or_else(|| lines.get(at + 1).copied()).filter(|value| value.len() <= 160);
        let Some(value) = value else { continue };
        // a heading is no label when the next line is prose or another label
        if alone && LABELS.iter().any(|(_, names)| names.contains(&fold(value).as_str())) {
            continue;
        }
        match *field {
            "address" => offer_address(raw, Method::TextRule, value),
            "rent" | "bedrooms" | "bathrooms" | "area"
                if !value.contains(|c: char| c.is_ascii_digit()) && !is_studio(value) => {}
            // `Square feet: 720` has its unit in the label
            "area" if folded.contains("sq") && value.bytes().all(|b| !b.is_ascii_alphabetic()) => {
                raw.offer("area", Method::TextRule, Some(format!("{value} sq ft")));
            }
            field => raw.offer(field, Method::TextRule, Some(value)),
        }
    }
}

fn is_studio(text: &str) -> bool {
    fold(text).split(' ').any(|word| matches!(word, "studio" | "efficiency"))
}

/// `2 bd | 1 ba | 850 sq ft`, `Studio – 3 Beds`, `1 Bed / 1 Bath`: pieces of a line that say what they are.
fn summary(raw: &mut Raw, line: &str) {
    if line.len() > 120 {
        return;
    }
    let parts = line.split(['|', '•', '·', '/', ';', ',']).flat_map(|part| part.split(" - ")).map(str::trim);
    let mut grouped: Vec<&str> = parts.clone().collect();
    grouped.push(line);
    for part in grouped {
        let folded = fold(part);
        let words: Vec<&str> = folded.split(' ').collect();
        let is = |names: &[&str]| words.last().is_some_and(|last| names.contains(last));
        let numbers_first = words.iter().rev().skip(1).all(|word| {
            word.bytes().all(|b| b.is_ascii_digit())
                || matches!(*word, "studio" | "to" | "sq" | "square" | "full" | "up")
        });
        let numbered = part.bytes().any(|b| b.is_ascii_digit()) && numbers_first && words.len() <= 6;
        let beds = numbered && is(&["bd", "bds", "bed", "beds", "bedroom", "bedrooms", "br"]);
        if beds || words.len() == 1 && is_studio(part) {
            raw.offer("bedrooms", Method::TextRule, Some(part));
        } else if numbered && is(&["ba", "bath", "baths", "bathroom", "bathrooms"]) {
            raw.offer("bathrooms", Method::TextRule, Some(part));
        } else if numbered
            && (is(&["sqft", "ft", "sf", "feet", "qm", "sqm", "m2"])
                || part.ends_with("m²")
                || part.ends_with("ft²"))
        {
            raw.offer("area", Method::TextRule, Some(part));
        }
    }
    let money = line.contains(['$', '€', '£']) || line.contains("Kč") || line.contains("zł");
    let lower = line.to_lowercase();
    let monthly = [
        "/mo",
        "/ mo",
        "per month",
        "a month",
        "/month",
        "pro monat",
        "/mtl",
        "par mois",
        "/mois",
        "al mes",
        "/mies",
        "měsíčně",
        "/month",
    ];
    if money && line.len() <= 60 && monthly.iter().any(|mark| lower.contains(mark)) {
        raw.offer("rent", Method::TextRule, Some(line));
    }
}

/// Short sentences that mean one thing wherever they stand.
fn plain(raw: &mut Raw, line: &str) {
    if line.len() > 100 {
        return;
    }
    let folded = fold(line);
    let begins = |phrases: &[&str]| phrases.iter().any(|phrase| folded.starts_with(phrase));
    if begins(&[
        "available now",
        "available immediately",
        "available from",
        "available on",
        "move in ready",
        "ab sofort",
        "frei ab",
        "verfugbar ab",
        "bezugsfrei",
        "disponible immediatement",
        "disponible des le",
        "dostepne od",
        "volne od",
    ]) {
        raw.offer("available_from", Method::TextRule, Some(line));
    }
    if begins(&[
        "no pets",
        "pets allowed",
        "pets welcome",
        "pet friendly",
        "pets are",
        "cats allowed",
        "dogs allowed",
        "cats and dogs",
        "cats ok",
        "dogs ok",
        "keine haustiere",
        "haustiere erlaubt",
        "animaux acceptes",
        "se admiten mascotas",
        "no se admiten mascotas",
        "pets negotiable",
        "pets considered",
    ]) {
        raw.offer("pet_policy", Method::TextRule, Some(line));
    }
}

/// The members of the first lists that stand behind a heading for amenities.
fn lists(raw: &mut Raw, page: &Page) {
    let headings = page.headings();
    for heading in headings.iter().filter(|heading| AMENITIES.contains(&fold(&heading.text).as_str())).take(5)
    {
        let next = headings.iter().find(|other| other.node > heading.node && other.level <= heading.level);
        let within = |id: &crate::page::NodeId| *id > heading.node && next.is_none_or(|next| *id < next.node);
        let mut items: Vec<String> = Vec::new();
        let mut last = None;
        for id in page.named("li").filter(within).take(200) {
            // a list in a list is the same text again
            if page.size(id) > 30 || last.is_some_and(|last| page.holds(last, id)) {
                continue;
            }
            last = Some(id);
            items.push(page.text_of(id));
        }
        items.retain(|text| !text.is_empty() && text.len() <= 80);
        items.truncate(100);
        raw.offer("amenities", Method::Selectors, Some(items.join("\n")).filter(|text| !text.is_empty()));
    }
}

/// A house number and a kind of street.
fn is_street(line: &str) -> bool {
    line.len() <= 80
        && line.starts_with(|c: char| c.is_ascii_digit())
        && fold(line).split(' ').count() >= 3
        && !place::is_postcode(line)
}

/// An address in one line: its place, its street and its postcode.
fn offer_address(raw: &mut Raw, origin: Method, text: &str) {
    let read = place::read(text);
    if read.city.is_none() || read.state_region.is_none() && read.country.is_none() {
        return;
    }
    raw.offer("address", origin, Some(text));
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let numbered =
        |part: &&&str| part.bytes().any(|b| b.is_ascii_digit()) && part.contains(char::is_alphabetic);
    let street = parts.first().filter(|part| parts.len() > 1 && numbered(part));
    raw.offer("street", origin, street.copied());
    let code =
        text.split([' ', ',']).rev().find(|word| word.len() == 5 && word.bytes().all(|b| b.is_ascii_digit()));
    raw.offer("postal_code", origin, code);
}
