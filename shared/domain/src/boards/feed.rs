//! Feeds of jobs: RSS, Atom, and the XML and JSON that boards give to each other, whose fields have few names.

use std::collections::HashMap;

use serde_json::Value;
use url::Url;

use super::answer::{Answer, ListPage, Misfit, Row};
use super::xml::{self, Piece, Record};
use super::{Listed, at, day, rows};
use crate::location::RemoteKind;
use crate::plain_text;
use crate::shape::says_nothing;

/// What a record is called, the telling names first.
const RECORDS: &[&str] =
    &["job", "position", "vacancy", "offer", "posting", "jobposting", "item", "entry", "opening"];
/// The elements around an empty list.
const ROOTS: &[&str] = &[
    "rss",
    "feed",
    "rdf",
    "jobs",
    "offers",
    "positions",
    "source",
    "vacancies",
    "workzag-jobs",
    "channel",
    "postings",
    "result",
];
/// Where feeds of news stop, whatever there is.
const CUTS: &[u64] = &[10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 250, 300, 500, 1_000];
/// Pieces that are looked at to learn the shape of a feed.
const LOOKED_AT: usize = 200_000;
const MAX_RECORDS: u64 = 50_000;
/// A feed in JSON is held whole while its list is looked for.
const MAX_OBJECTS: usize = 60_000;
/// How deep in a JSON feed its list may stand, and a field in a record.
const REACH: usize = 4;

const IDS: &[&str] =
    &["guid", "id", "referencenumber", "reference", "jobid", "job_id", "requisitionid", "requisitionnumber"];
const TITLES: &[&str] = &["title", "position", "name", "jobtitle", "job_title"];
const LINKS: &[&str] = &["link", "url", "detail-url", "joburl", "job_url", "applyurl"];
const DATES: &[&str] = &[
    "pubdate",
    "published",
    "published_at",
    "date_published",
    "date",
    "dateposted",
    "date_posted",
    "createdat",
    "created_at",
    "postdate",
    "posted",
    "posted_at",
];
const COMPANIES: &[&str] =
    &["company", "employer", "companyname", "company_name", "subcompany", "startup", "hiringorganization"];
const DEPARTMENTS: &[&str] = &["department", "category"];
const TYPES: &[&str] = &["jobtype", "jobtypes", "employmenttype", "employment_type", "schedule", "type"];
const TEXTS: &[&str] =
    &["encoded", "description", "content_html", "content", "content_text", "summary", "value", "body"];

/// Reads a feed. `own` is where it stands, to which its links are relative.
pub fn read(answer: &Answer<'_>, own: &str) -> Result<ListPage, Misfit> {
    let base = Url::parse(own).map_err(|error| Misfit::Unreadable(error.to_string()))?;
    if matches!(answer.body.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return read_json(answer.json()?, &base);
    }
    let text = answer.xml()?;
    let Some(name) = record_name(&text) else {
        let root = xml::pieces(&text).find_map(|piece| match piece {
            Piece::Start(name, ..) => Some(name.to_ascii_lowercase()),
            _ => None,
        });
        return match root {
            Some(root) if ROOTS.contains(&root.as_str()) => Ok(ListPage::default()),
            _ => Err(Misfit::Lacks("records")),
        };
    };
    let mut page = ListPage::default();
    for record in xml::records(&text, name) {
        if page.rows >= MAX_RECORDS {
            return Err(Misfit::TooMuch("records"));
        }
        page.add(Row::from(job(&record, &base)));
    }
    page.next = next(&text, name, &base);
    let news = matches!(name, "item" | "entry");
    page.cut = news && page.next.is_none() && CUTS.contains(&page.rows);
    Ok(page)
}

/// A feed in JSON: its first list of things with a title and an id or a link.
fn read_json(text: &str, base: &Url) -> Result<ListPage, Misfit> {
    rows::bounded_by(text, MAX_OBJECTS)?;
    let value: Value = serde_json::from_str(text).map_err(|error| Misfit::Unreadable(error.to_string()))?;
    let list = list_in(&value).ok_or(Misfit::Lacks("records"))?;
    let mut page = ListPage::default();
    for row in list {
        let mut record = Record::default();
        flatten(row, "", 0, &mut record);
        page.add(Row::from(job(&record, base)));
    }
    let next = at::id(&value, "next_url").and_then(|next| base.join(&next).ok());
    page.next = next.filter(|next| next.host_str() == base.host_str()).map(String::from);
    page.cut = page.next.is_none() && CUTS.contains(&page.rows);
    Ok(page)
}

fn list_in(value: &Value) -> Option<&Vec<Value>> {
    let mut level: Vec<&Value> = vec![value];
    for _ in 0..REACH {
        let lists = level.iter().filter_map(|value| value.as_array());
        if let Some(list) = lists.clone().find(|list| list.first().is_some_and(is_record)) {
            return Some(list);
        }
        level =
            level.iter().filter_map(|value| value.as_object()).flat_map(serde_json::Map::values).collect();
    }
    // an empty list under a telling name is an empty feed
    let named = ["jobs", "items", "offers", "positions", "postings", "vacancies", "data", "results"];
    let top = value.as_array().or_else(|| named.iter().find_map(|name| value.get(*name)?.as_array()));
    top.filter(|list| list.is_empty())
}

fn is_record(value: &Value) -> bool {
    let has = |names: &[&str]| {
        value
            .as_object()
            .is_some_and(|object| object.keys().any(|key| names.contains(&key.to_ascii_lowercase().as_str())))
    };
    has(TITLES) && (has(IDS) || has(LINKS))
}

/// A row of JSON as a record: the same paths that XML would have.
fn flatten(value: &Value, path: &str, depth: usize, record: &mut Record) {
    match value {
        Value::Object(object) if depth < REACH => {
            for (name, value) in object {
                let inner = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                flatten(value, &inner, depth + 1, record);
            }
        }
        Value::Array(values) if depth < REACH => {
            values.iter().take(200).for_each(|value| flatten(value, path, depth + 1, record));
        }
        Value::String(text) => record.fields.push((path.to_owned(), text.clone())),
        Value::Number(_) | Value::Bool(_) => record.fields.push((path.to_owned(), value.to_string())),
        _ => {}
    }
}

/// The first of the known names that the feed uses for things with a title.
fn record_name(text: &str) -> Option<&'static str> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut inside: HashMap<&'static str, usize> = HashMap::new();
    let mut open: Option<&'static str> = None;
    for piece in xml::pieces(text).take(LOOKED_AT) {
        if let Piece::Start(name, ..) = piece {
            let name = name.to_ascii_lowercase();
            match RECORDS.iter().find(|record| **record == name) {
                // an offer has a position, which is its title
                Some(record) if !(TITLES.contains(record) && open.is_some()) => open = Some(record),
                _ => {
                    if let (Some(record), true) = (open, TITLES.contains(&name.as_str())) {
                        *inside.entry(record).or_default() += 1;
                    }
                }
            }
            *counts.entry(name).or_default() += 1;
        }
    }
    RECORDS.iter().copied().filter(|name| inside.contains_key(name)).max_by_key(|name| inside[name])
}

fn first<'r>(record: &'r Record, names: &[&str]) -> Option<&'r str> {
    names.iter().find_map(|wanted| {
        let mut fields = record
            .fields
            .iter()
            .filter(|(path, value)| !value.trim().is_empty() && last(path).eq_ignore_ascii_case(wanted));
        // what stands nearest to the record is about it
        let (_, value) = fields.by_ref().min_by_key(|(path, _)| path.matches('/').count())?;
        Some(value.trim())
    })
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn line(text: &str) -> Option<String> {
    let text = plain_text::line(text);
    (!says_nothing(&text)).then_some(text)
}

fn job(record: &Record, base: &Url) -> Option<Listed> {
    let link = link(record, base);
    let id = first(record, IDS).map(str::to_owned).or_else(|| link.clone());
    let job = Listed::new(id, first(record, TITLES).and_then(line))?;
    let remote = ["remotestatus", "remote", "workplacetype"].iter().find_map(|name| {
        let word = first(record, &[name])?;
        let truth = word.eq_ignore_ascii_case("true") || word == "1" || word.eq_ignore_ascii_case("fully");
        if truth { Some(RemoteKind::Remote) } else { RemoteKind::from_json(&word.into()) }
    });
    Some(Listed {
        posted: first(record, DATES).and_then(date),
        closes: first(record, &["expirationdate", "closingdate", "validthrough", "expires"]).and_then(date),
        company: first(record, COMPANIES).and_then(line),
        department: first(record, DEPARTMENTS).and_then(line),
        employment_type: first(record, TYPES).and_then(line),
        remote,
        salary_text: first(record, &["salary"]).and_then(line),
        description: description(record),
        apply_url: first(record, &["apply-url", "applyurl"]).map(str::to_owned),
        ..job.at(places(record)).with_url(link)
    })
}

/// `link` as text, or as Atom writes it.
fn link(record: &Record, base: &Url) -> Option<String> {
    let atom = || {
        let links = record.attributes.iter().filter(|(path, _)| last(path).eq_ignore_ascii_case("link"));
        let mut links =
            links.filter(|(_, own)| xml::attribute(own, "rel").is_none_or(|rel| rel == "alternate"));
        links.find_map(|(_, own)| xml::attribute(own, "href"))
    };
    let text = first(record, LINKS).map(plain_text::decode_entities).or_else(atom)?;
    let url = base.join(text.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

/// Each format is told by its shape.
fn date(text: &str) -> Option<jiff::civil::Date> {
    day::iso(text).or_else(|| day::rfc2822(text)).or_else(|| day::us(text)).or_else(|| day::month_first(text))
}

/// Places as wholes, or put together from their parts.
fn places(record: &Record) -> Vec<String> {
    let named = |names: &[&str]| -> Vec<String> {
        let fields = record
            .fields
            .iter()
            .filter(|(path, _)| names.iter().any(|name| last(path).eq_ignore_ascii_case(name)));
        fields.filter_map(|(_, value)| line(value)).collect()
    };
    let (cities, regions, countries) = (named(&["city"]), named(&["state", "region"]), named(&["country"]));
    if let [city] = &cities[..] {
        let parts: Vec<&String> =
            std::iter::once(city).chain(regions.first()).chain(countries.first()).collect();
        let whole: Vec<&str> = parts.into_iter().map(String::as_str).collect();
        return vec![whole.join(", ")];
    }
    if !cities.is_empty() {
        return cities;
    }
    for names in [&["location"][..], &["office"], &["place"], &["locations"], &["cities"]] {
        let whole = named(names);
        if !whole.is_empty() {
            return whole;
        }
    }
    let wide: Vec<String> = regions.into_iter().take(1).chain(countries.into_iter().take(1)).collect();
    if wide.is_empty() { wide } else { vec![wide.join(", ")] }
}

/// The parts of a description, with their headings where they have some.
fn description(record: &Record) -> Option<String> {
    let parts: Vec<&str> = record.all("jobDescription/value").collect();
    if !parts.is_empty() {
        let names: Vec<&str> = record.all("jobDescription/name").collect();
        let named = parts.iter().enumerate().filter_map(|(at, part)| {
            let body = at::prose_of(part)?;
            Some(
                names
                    .get(at)
                    .and_then(|name| line(name))
                    .map_or(body.clone(), |name| format!("{name}\n\n{body}")),
            )
        });
        return Some(named.collect::<Vec<_>>().join("\n\n")).filter(|text| !text.is_empty());
    }
    first(record, TEXTS).and_then(at::prose_of)
}

/// The feed that goes on, as RFC 5005 says it: before the first record, on the same host.
fn next(text: &str, record: &str, base: &Url) -> Option<String> {
    for piece in xml::pieces(text) {
        match piece {
            Piece::Start(name, ..) if name.eq_ignore_ascii_case(record) => return None,
            Piece::Start(name, attributes, _)
                if name.eq_ignore_ascii_case("link")
                    && xml::attribute(attributes, "rel").as_deref() == Some("next") =>
            {
                let url = base.join(&xml::attribute(attributes, "href")?).ok()?;
                return (url.host_str() == base.host_str()).then(|| url.into());
            }
            _ => {}
        }
    }
    None
}
