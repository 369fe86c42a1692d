//! The book of policies: what an operator writes, one entry a site and one named `default`. An entry says only
//! what differs; the rest is the default's, and what that leaves open is built in.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value};
use url::Url;

use super::policy::{BadPolicy, Policy};
use super::policy_text::{self, Node, Place, Problem};
use super::site::{Site, site_key};

/// The entry that holds for every site without one of its own, and fills the gaps of the others.
pub const DEFAULT: &str = "default";
const MOST_ENTRIES: usize = 10_000;

/// What a fresh house starts with.
pub const BUNDLED: &str = include_str!("policies.yaml");

/// Entries by site key, as sparse as they were written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PolicyBook {
    pub entries: BTreeMap<String, Map<String, Value>>,
}

/// The policy of a site, from its own entry and the default's.
pub fn merged(
    default: Option<&Map<String, Value>>,
    own: Option<&Map<String, Value>>,
) -> Result<Policy, String> {
    let mut fields = default.cloned().unwrap_or_default();
    // A site is off by its own entry, or by the default's with its reason; each word is replaced whole.
    fields.extend(own.cloned().unwrap_or_default());
    let policy: Policy = serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
    policy.checked().map_err(|error| error.to_string())
}

impl PolicyBook {
    /// Reads a book in YAML, of which JSON is a part. Every problem is named with its place; with one problem
    /// there is no book.
    pub fn parse(text: &str) -> Result<PolicyBook, Vec<Problem>> {
        let root = policy_text::read(text).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        let mut book = PolicyBook::default();
        let mut places: BTreeMap<String, Place> = BTreeMap::new();
        for (name, at, entry) in domains(&root, &mut problems) {
            let Some(fields) = entry.as_map() else {
                problems.push(Problem::new(entry.place, name, "must hold the fields of a policy"));
                continue;
            };
            match key_of(name) {
                Err(problem) => problems.push(Problem::new(*at, name, problem)),
                Ok(key) => {
                    if let Some(earlier) = places.insert(key.clone(), *at) {
                        let same = format!("is the same site as in line {}", earlier.line);
                        problems.push(Problem::new(*at, name, same));
                    }
                    let read =
                        fields.iter().filter_map(|field| read_field(name, field, &mut problems)).collect();
                    book.entries.insert(key, read);
                }
            }
        }
        if book.entries.len() > MOST_ENTRIES {
            problems.push(Problem::new(root.place, "domains", format!("must be at most {MOST_ENTRIES}")));
        }
        if problems.is_empty() {
            book.check(&root, &mut problems);
        }
        if problems.is_empty() { Ok(book) } else { Err(problems) }
    }

    /// Can every entry be kept, together with what the default adds?
    fn check(&self, root: &Node, problems: &mut Vec<Problem>) {
        let default = self.entries.get(DEFAULT);
        for (name, at, entry) in domains(root, &mut Vec::new()) {
            let Ok(key) = key_of(name) else { continue };
            let mut fields = default.cloned().unwrap_or_default();
            fields.extend(self.entries.get(&key).cloned().unwrap_or_default());
            let policy = serde_json::from_value::<Policy>(Value::Object(fields));
            let Ok(policy) = policy else { continue };
            let Err(BadPolicy { field, problem }) = policy.checked() else { continue };
            let written =
                entry.as_map().and_then(|fields| fields.iter().find(|(found, _, _)| found == field));
            let place = written.map_or(*at, |(_, _, value)| value.place);
            problems.push(Problem::new(place, &format!("{name}.{field}"), problem));
        }
    }

    /// The book as YAML. Reading it again gives the same book.
    pub fn to_yaml(&self) -> String {
        if self.entries.is_empty() {
            return "domains: {}\n".to_owned();
        }
        let mut out = "domains:\n".to_owned();
        for (name, fields) in &self.entries {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  {}:{}", key_text(name), if fields.is_empty() { " {}" } else { "" });
            write_map(&mut out, fields, 4);
        }
        out
    }

    pub fn to_json(&self) -> Value {
        let entries = self.entries.iter().map(|(name, fields)| (name.clone(), Value::Object(fields.clone())));
        serde_json::json!({ "domains": entries.collect::<Map<_, _>>() })
    }

    /// The policy that holds for a site. The error says what is wrong with its row.
    pub fn policy_of(&self, site: &Site) -> Result<Policy, String> {
        merged(self.entries.get(DEFAULT), self.entries.get(site.as_str()))
    }
}

type Entry = (String, Place, Node);

fn domains<'n>(root: &'n Node, problems: &mut Vec<Problem>) -> &'n [Entry] {
    let top = root.as_map();
    if top.is_none() {
        problems.push(Problem::new(root.place, "domains", "the document must hold \"domains\""));
    }
    let mut found: &[Entry] = &[];
    for (name, place, node) in top.unwrap_or_default() {
        match (name.as_str(), node.as_map()) {
            ("domains", Some(entries)) => found = entries,
            ("domains", None) => problems.push(Problem::new(node.place, name, "must hold one entry a site")),
            _ => {
                problems.push(Problem::new(
                    *place,
                    name,
                    "is unknown here; policies stand under \"domains\"",
                ));
            }
        }
    }
    found
}

/// One field by itself, so that a problem has one place.
fn read_field(entry: &str, (name, at, node): &Entry, problems: &mut Vec<Problem>) -> Option<(String, Value)> {
    let value = node.to_json();
    let alone = Map::from_iter([(name.clone(), value.clone())]);
    match serde_json::from_value::<Policy>(Value::Object(alone)) {
        Ok(_) => Some((name.clone(), value)),
        Err(error) => {
            let text = error.to_string();
            let unknown = text.starts_with("unknown field") && text.contains(&format!("`{name}`"));
            let place = if unknown { *at } else { node.place };
            problems.push(Problem::new(place, &format!("{entry}.{name}"), text));
            None
        }
    }
}

/// `www.indeed.com` is the site `indeed.com`.
fn key_of(name: &str) -> Result<String, &'static str> {
    const WRONG: &str = "is no domain, address with port, or \"default\"";
    // A key that was too long to be kept as it was.
    let is_hash = |hash: &str| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    if name == DEFAULT || name.strip_prefix("h:").is_some_and(is_hash) {
        return Ok(name.to_owned());
    }
    let url = Url::parse(&format!("http://{name}/")).map_err(|_| WRONG)?;
    let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let key = site_key(&url).map_err(|_| WRONG)?;
    let named = plain && url.username().is_empty() && url.password().is_none() && key.as_str() != DEFAULT;
    if named && !name.contains(['/', '?', '#', '@', '\\']) { Ok(key.to_string()) } else { Err(WRONG) }
}

fn write_map(out: &mut String, fields: &Map<String, Value>, indent: usize) {
    for (name, value) in fields {
        let _ = match value {
            Value::Object(inner) if !inner.is_empty() => {
                let written = writeln!(out, "{:indent$}{}:", "", key_text(name));
                write_map(out, inner, indent + 2);
                written
            }
            // JSON is YAML: text in quotes with its escapes, numbers and words as they are.
            value => writeln!(out, "{:indent$}{}: {value}", "", key_text(name)),
        };
    }
}

fn key_text(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let simple = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain);
    if simple { name.to_owned() } else { Value::from(name).to_string() }
}

#[cfg(test)]
#[path = "policy_book_tests.rs"]
mod tests;
