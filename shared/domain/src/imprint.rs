//! What a company's page says about itself in plain words: its footer, its contact block, its title.
//! Only short lines that say what they are; prose is left alone.

use crate::reading::method::Method;
use url::Url;

use super::contact::{email_in, phone_in};
use super::normal::Raw;
use super::page::Page;
use super::place;
use super::plain_text::fold;

/// Lines that are looked at, and how long one may be.
const MAX_LINES: usize = 5_000;
const MAX_LINE: usize = 300;

pub fn offers(raw: &mut Raw, page: &Page, page_url: &str) {
    let lines = page.lines(MAX_LINES);
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| line.len() <= MAX_LINE).collect();
    names(raw, page, &lines, page_url);
    labelled(raw, &lines);
    for address in page.named("address").take(20) {
        let text = page.joined_text(address, ", ");
        raw.offer("headquarters", Method::Selectors, found_place(&text));
    }
    for pair in lines.windows(2) {
        raw.offer("headquarters", Method::TextRule, street_then_town(pair[0], pair[1]));
    }
    raw.offer("headquarters", Method::TextRule, lines.iter().find_map(|line| found_place(line)));
    raw.offer("contact_email", Method::TextRule, lines.iter().find_map(|line| email_in(line)));
    let spoken = lines.iter().filter(|line| says_phone(line)).find_map(|line| phone_in(line));
    raw.offer(
        "contact_phone",
        Method::TextRule,
        spoken.or_else(|| lines.iter().find_map(|line| phone_in(line))),
    );
}

/// `Industry: Boats` and its like.
fn labelled(raw: &mut Raw, lines: &[&str]) {
    const LABELS: &[(&str, &[&str])] = &[
        ("industry", &["industry", "sector", "branche", "secteur", "sector de actividad", "branza", "obor"]),
        (
            "employee_count_range",
            &["company size", "employees", "number of employees", "team size", "mitarbeiter"],
        ),
        ("headquarters", &["headquarters", "head office", "hauptsitz", "siege social", "sede", "sidlo"]),
    ];
    for (at, line) in lines.iter().enumerate() {
        let (label, value) = line.split_once(':').unwrap_or((line, ""));
        if label.len() > 40 {
            continue;
        }
        let label = fold(label);
        let Some((field, _)) = LABELS.iter().find(|(_, names)| names.contains(&label.as_str())) else {
            continue;
        };
        let value = Some(value.trim()).filter(|value| !value.is_empty());
        // the value stands on the next line when the label stands alone
        let value = value.or_else(|| lines.get(at + 1).copied()).filter(|value| value.len() <= 120);
        let is_place =
            |value: &&str| place::read(value).city.is_some() || place::read(value).country.is_some();
        raw.offer(field, Method::TextRule, value.filter(|value| *field != "headquarters" || is_place(value)));
    }
    let sized = lines.iter().find(|line| {
        let line = line.to_ascii_lowercase();
        line.len() <= 60
            && line.ends_with(" employees")
            && line.bytes().next().is_some_and(|b| b.is_ascii_digit())
    });
    raw.offer("employee_count_range", Method::TextRule, sized.copied());
}

/// The name by the page's title and its copyright line, each only when something else agrees.
fn names(raw: &mut Raw, page: &Page, lines: &[&str], page_url: &str) {
    let host =
        Url::parse(page_url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let core = fold(host.strip_prefix("www.").unwrap_or(&host).split('.').next().unwrap_or_default())
        .replace(' ', "");
    let title = page.title().unwrap_or_default();
    let segments: Vec<&str> = segments(&title);
    let in_host = segments.iter().find(|segment| {
        let squeezed = fold(segment).replace(' ', "");
        squeezed.len() >= 3 && core.len() >= 3 && (squeezed.contains(&core) || core.contains(&squeezed))
    });
    raw.offer("company_name", Method::Meta, in_host.copied());
    let owner = lines.iter().rev().take(200).find_map(|line| copyright_owner(line));
    let owner_in_title = owner.as_ref().and_then(|owner| {
        let owner = fold(owner);
        segments.iter().find(|segment| {
            let segment = fold(segment);
            segment.len() >= 3 && (owner.contains(&segment) || segment.contains(&owner))
        })
    });
    raw.offer("company_name", Method::Meta, owner_in_title.copied());
    raw.offer("company_name", Method::Selectors, owner);
    if let [one] = segments[..] {
        raw.offer("company_name", Method::Meta, Some(one).filter(|one| one.len() <= 40 && !is_common(one)));
    }
    // `Contact us | Lantern Ltd`: what is left when the page's own name is taken away
    let left: Vec<&&str> = segments.iter().filter(|segment| !is_common(segment)).collect();
    if let [one] = left[..] {
        raw.offer("company_name", Method::Meta, Some(*one).filter(|_| segments.len() == 2));
    }
}

/// The parts of a title between ` | `, ` - ` and the like.
fn segments(title: &str) -> Vec<&str> {
    let mut parts = vec![title];
    for mark in [" | ", " - ", " – ", " — ", " :: ", " » ", " · ", ": ", "|"] {
        parts = parts.into_iter().flat_map(|part| part.split(mark)).collect();
    }
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).take(12).collect()
}

/// Names of pages, not of companies.
fn is_common(segment: &str) -> bool {
    const NAMES: &[&str] = &[
        "home",
        "homepage",
        "home page",
        "contact",
        "contact us",
        "contacts",
        "contact information",
        "about",
        "about us",
        "company",
        "our company",
        "team",
        "our team",
        "kontakt",
        "uber uns",
        "o nas",
        "impressum",
        "welcome",
        "locations",
        "our locations",
        "services",
        "products",
        "careers",
        "jobs",
        "untitled",
        "untitled document",
        "index",
        "startseite",
        "accueil",
        "inicio",
        "contacto",
        "nous contacter",
    ];
    NAMES.contains(&fold(segment).as_str())
}

/// `© 2011–2026 Lantern Ltd. All rights reserved.` → `Lantern Ltd`.
fn copyright_owner(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let at = ["©", "copyright", "(c)"].iter().filter_map(|mark| lower.find(mark)).min()?;
    let rest = line.get(at..)?; // lower case may be longer; then the line is skipped
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = strip_word(rest, "copyright").trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest =
        strip_word(rest, "c)").trim_start_matches(|c: char| c.is_ascii_digit() || !c.is_alphanumeric());
    let rest = strip_word(rest, "by ").trim_start();
    let lower = rest.to_lowercase();
    let ends = [
        "all rights",
        "all right reserved",
        " | ",
        ". ",
        "™",
        "®",
        "©",
        " – ",
        " - ",
        "copyright",
        "powered by",
        "site by",
    ];
    let end = ends.iter().filter_map(|mark| lower.find(mark)).min().unwrap_or(rest.len());
    let owner = rest.get(..end)?;
    let owner = owner.trim_matches(|c: char| {
        c.is_whitespace() || c.is_ascii_digit() || matches!(c, ',' | '.' | '|' | '-' | ':')
    });
    let fits = (3..=60).contains(&owner.chars().count()) && owner.starts_with(char::is_alphanumeric);
    fits.then(|| owner.to_owned())
}

fn strip_word<'t>(text: &'t str, word: &str) -> &'t str {
    match text.get(..word.len()) {
        Some(begin) if begin.eq_ignore_ascii_case(word) => &text[word.len()..],
        _ => text,
    }
}

fn says_phone(line: &str) -> bool {
    let line = line.to_lowercase();
    ["phone", "tel", "call", "tél", "toll"].iter().any(|word| line.contains(word))
}

/// A line that is an address with a state and a postcode, or ends in a country, and little else.
fn found_place(line: &str) -> Option<String> {
    let line = up_to_zip(line.trim());
    if line.len() > 160 {
        return None;
    }
    let place = place::read(line);
    let postcode = line.rsplit(' ').take(2).any(|word| word.bytes().any(|b| b.is_ascii_digit()));
    let coded = place.state_region.is_some() && postcode;
    let named = place.country.is_some() && line.contains(',');
    (place.city.is_some() && (coded || named)).then(|| line.to_owned())
}

/// `… Germantown, WI 53022 (262) 253-2282` → `… Germantown, WI 53022`.
fn up_to_zip(line: &str) -> &str {
    let bytes = line.as_bytes();
    let zip = bytes.windows(9).position(|w| {
        matches!(w[0], b' ' | b',')
            && w[1].is_ascii_uppercase()
            && w[2].is_ascii_uppercase()
            && w[3] == b' '
            && w[4..].iter().all(u8::is_ascii_digit)
    });
    match zip.map(|at| at + 9) {
        Some(end) if !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) => {
            line.get(..end).unwrap_or(line)
        }
        _ => line,
    }
}

/// `101 Chestnut Street` above `Sharon, PA 16146`.
fn street_then_town(street: &str, town: &str) -> Option<String> {
    let numbered = street.len() <= 80 && street.bytes().next().is_some_and(|b| b.is_ascii_digit());
    let town = found_place(town)?;
    Some(if numbered { format!("{street}, {town}") } else { town })
}
