//! The rows of a JSON answer, one at a time: a list of thousands is never held as a tree, and what stands around
//! it is passed over.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::answer::{Answer, ListPage, Misfit, Row};

/// An object takes some 600 bytes of memory however small it is.
const MAX_OBJECTS: usize = 300_000;
/// Nor may one row hold millions of small values; a long text has commas too, though not as many.
const MAX_VALUES: usize = 1_500_000;
/// Rows of one answer; the largest boards that answer at once have some thousands.
pub const MAX_ROWS: u64 = 50_000;

/// Reads the list at `path` row by row. An answer without that list does not fit.
pub fn read(
    answer: &Answer<'_>,
    path: &'static str,
    row: impl FnMut(&Value) -> Row,
) -> Result<ListPage, Misfit> {
    read_text(answer.json()?, path, row)
}

pub fn read_text(
    text: &str,
    path: &'static str,
    mut row: impl FnMut(&Value) -> Row,
) -> Result<ListPage, Misfit> {
    bounded(text)?;
    let mut page = ListPage::default();
    let mut found = false;
    let mut over = false;
    along(text, path, |value| {
        found |= matches!(value, Met::ListOfRows);
        if let Met::Row(value) = value {
            over |= page.rows >= MAX_ROWS;
            if !over {
                page.add(row(&value));
            }
        }
    })?;
    match (found, over) {
        (_, true) => Err(Misfit::TooMuch("rows")),
        (true, false) => Ok(page),
        (false, false) => Err(Misfit::Lacks(path)),
    }
}

/// The value at a path, without the rest of the answer.
pub fn pick(text: &str, path: &str) -> Option<Value> {
    bounded(text).ok()?;
    let mut found = None;
    along(text, path, |met| {
        if let Met::Other(value) = met {
            found = Some(value);
        }
    })
    .ok()?;
    found.filter(|value| !value.is_null())
}

pub fn count(text: &str, path: &str) -> Option<u64> {
    match pick(text, path)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// One whole small answer, such as a detail.
pub fn whole(answer: &Answer<'_>) -> Result<Value, Misfit> {
    let text = answer.json()?;
    bounded(text)?;
    serde_json::from_str(text).map_err(|error| Misfit::Unreadable(error.to_string()))
}

fn bounded(text: &str) -> Result<(), Misfit> {
    bounded_by(text, MAX_OBJECTS)
}

/// What a text can become in memory.
pub fn bounded_by(text: &str, objects: usize) -> Result<(), Misfit> {
    let count = |byte| memchr::memchr_iter(byte, text.as_bytes()).count();
    if count(b'{') > objects {
        return Err(Misfit::TooMuch("objects"));
    }
    if count(b',') > MAX_VALUES {
        return Err(Misfit::TooMuch("values"));
    }
    Ok(())
}

/// What stands at the end of the path.
enum Met {
    ListOfRows,
    Row(Value),
    Other(Value),
}

fn along(text: &str, path: &str, mut meet: impl FnMut(Met)) -> Result<(), Misfit> {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let mut json = serde_json::Deserializer::from_str(text);
    let way = Along { names: &names, meet: &mut meet };
    way.deserialize(&mut json)
        .and_then(|()| json.end())
        .map_err(|error| Misfit::Unreadable(error.to_string()))
}

struct Along<'p, F> {
    names: &'p [&'p str],
    meet: &'p mut F,
}

impl<'de, F: FnMut(Met)> DeserializeSeed<'de> for Along<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de, F: FnMut(Met)> Visitor<'de> for Along<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer of a job board")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((name, rest)) = self.names.split_first() else {
            let mut object = serde_json::Map::new();
            while let Some((key, value)) = map.next_entry()? {
                object.insert(key, value);
            }
            (self.meet)(Met::Other(Value::Object(object)));
            return Ok(());
        };
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if key == *name {
                map.next_value_seed(Along { names: rest, meet: &mut *self.meet })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        match self.names.split_first() {
            None => {
                (self.meet)(Met::ListOfRows);
                while let Some(value) = seq.next_element()? {
                    (self.meet)(Met::Row(value));
                }
            }
            Some((name, rest)) => {
                let wanted = name.parse::<usize>().ok();
                let mut at = 0;
                loop {
                    if Some(at) == wanted {
                        let way = Along { names: rest, meet: &mut *self.meet };
                        if seq.next_element_seed(way)?.is_none() {
                            break;
                        }
                    } else if seq.next_element::<IgnoredAny>()?.is_none() {
                        break;
                    }
                    at += 1;
                }
            }
        }
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.other(|| Value::String(text.to_owned()));
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.other(|| number.into());
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.other(|| number.into());
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.other(|| number.into());
        Ok(())
    }

    fn visit_bool<E>(self, truth: bool) -> Result<(), E> {
        self.other(|| truth.into());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

impl<F: FnMut(Met)> Along<'_, F> {
    fn other(self, value: impl FnOnce() -> Value) {
        if self.names.is_empty() {
            (self.meet)(Met::Other(value()));
        }
    }
}

/// The members of a small list beside the rows.
pub fn list(text: &str, path: &str) -> Vec<Value> {
    let mut members = Vec::new();
    let walked = along(text, path, |met| {
        if let Met::Row(value) = met
            && members.len() < MAX_MEMBERS
        {
            members.push(value);
        }
    });
    if walked.is_err() || bounded(text).is_err() { Vec::new() } else { members }
}

const MAX_MEMBERS: usize = 1_000;

/// Whether a list stands there, empty or not.
pub fn is_list(text: &str, path: &str) -> bool {
    let mut found = false;
    let walked = along(text, path, |met| found |= matches!(met, Met::ListOfRows));
    walked.is_ok() && found
}
