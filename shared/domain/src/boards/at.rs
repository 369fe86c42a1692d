//! Reading a row of JSON by path: `location/name`, `items/0`. What is not there, or says nothing, is absent.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::day;
use crate::location::RemoteKind;
use crate::plain_text;
use crate::salary::Salary;
use crate::shape::known_text;

/// A description is cut here.
const MAX_DESCRIPTION: usize = 100_000;

pub fn value<'v>(row: &'v Value, path: &str) -> Option<&'v Value> {
    let mut at = row;
    for name in path.split('/') {
        at = match at {
            Value::Object(object) => object.get(name)?,
            Value::Array(values) => values.get(name.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    (!at.is_null()).then_some(at)
}

/// One readable line.
pub fn text(row: &Value, path: &str) -> Option<String> {
    match value(row, path)? {
        scalar @ (Value::String(_) | Value::Number(_)) => known_text(scalar),
        _ => None,
    }
}

/// As it stands: ids and codes.
pub fn id(row: &Value, path: &str) -> Option<String> {
    match value(row, path)? {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// An absolute address.
pub fn link(row: &Value, path: &str) -> Option<String> {
    id(row, path).filter(|url| url.starts_with("https://") || url.starts_with("http://"))
}

pub fn truth(row: &Value, path: &str) -> Option<bool> {
    match value(row, path)? {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) => number.as_u64().map(|number| number != 0),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

pub fn number(row: &Value, path: &str) -> Option<u64> {
    match value(row, path)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The members of a list; none where there is no list.
pub fn each<'v>(row: &'v Value, path: &str) -> std::slice::Iter<'v, Value> {
    match value(row, path) {
        Some(Value::Array(values)) => values.iter(),
        _ => [].iter(),
    }
}

/// The same field of every member of a list.
pub fn texts(row: &Value, list: &str, field: &str) -> Vec<String> {
    each(row, list)
        .filter_map(|member| if field.is_empty() { known_text(member) } else { text(member, field) })
        .collect()
}

/// Known parts of a place, from the narrowest to the widest, each once.
pub fn joined(row: &Value, paths: &[&str]) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in paths.iter().filter_map(|path| text(row, path)) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A description in HTML, escaped HTML or plain text, as plain text.
pub fn prose(row: &Value, path: &str) -> Option<String> {
    prose_of(value(row, path)?.as_str()?)
}

pub fn prose_of(raw: &str) -> Option<String> {
    let raw = cut(raw, MAX_DESCRIPTION * 4);
    let text = plain_text::paragraphs(raw);
    let text = cut(&text, MAX_DESCRIPTION).trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Several parts of a description, one after the other.
pub fn prose_parts(row: &Value, paths: &[&str]) -> Option<String> {
    let parts: Vec<String> = paths.iter().filter_map(|path| prose(row, path)).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// A day from an ISO date or moment, or from a count of seconds or milliseconds.
pub fn date(row: &Value, path: &str) -> Option<Date> {
    match value(row, path)? {
        Value::String(text) => day::iso(text),
        Value::Number(number) => day::epoch(number.as_i64()?),
        _ => None,
    }
}

pub fn remote(row: &Value, path: &str) -> Option<RemoteKind> {
    RemoteKind::from_json(value(row, path)?)
}

/// Remote when a flag says so; a flag that is down says nothing about the rest.
pub fn remote_if(row: &Value, path: &str) -> Option<RemoteKind> {
    (truth(row, path) == Some(true)).then_some(RemoteKind::Remote)
}

/// Pay from its parts.
pub fn pay(
    min: Option<&Value>,
    max: Option<&Value>,
    currency: Option<String>,
    unit: Option<String>,
) -> Option<Salary> {
    let text = |part: Option<String>| part.map_or(Value::Null, Value::String);
    let (currency, unit) = (text(currency), text(unit));
    let stated =
        json!({ "currency": currency, "value": { "minValue": min, "maxValue": max, "unitText": unit } });
    Salary::from_json(&stated, None)
}

/// How long ago Workday and its like say: `Posted Today`, `Posted 5 Days Ago`. `30+` is no day.
pub fn days_ago(text: &str, at: Timestamp) -> Option<Date> {
    day::ago(text, at)
}
