//! Reads the fields of a JSON object and remembers everything that is wrong with them, by name.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::door::FieldError;

/// More mistakes than this are not told one by one.
const MOST_ERRORS: usize = 100;

/// An object under inspection. `prefix` says where it is: `targets[3].`
pub struct Fields<'o, 'e> {
    object: &'o Map<String, Value>,
    prefix: String,
    errors: &'e mut Vec<FieldError>,
}

/// The object of a body.
pub fn object(body: &[u8]) -> Result<Map<String, Value>, Vec<FieldError>> {
    let wrong = |message: String| vec![FieldError::new("body", message)];
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(wrong("must be a JSON object".to_owned())),
        Err(error) => Err(wrong(format!("not JSON: {error}"))),
    }
}

impl<'o, 'e> Fields<'o, 'e> {
    /// Looks at an object that may have these fields and no others.
    pub fn new(
        object: &'o Map<String, Value>,
        prefix: String,
        known: &[&str],
        errors: &'e mut Vec<FieldError>,
    ) -> Fields<'o, 'e> {
        let mut fields = Fields { object, prefix, errors };
        let unknown: Vec<&String> = object.keys().filter(|name| !known.contains(&name.as_str())).collect();
        for name in unknown {
            fields.wrong(name, "unknown field");
        }
        fields
    }

    pub fn wrong(&mut self, name: &str, message: impl Into<String>) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(FieldError::new(&format!("{}{name}", self.prefix), message));
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    fn value(&self, name: &str) -> Option<&'o Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// A text that must be there.
    pub fn text(&mut self, name: &str, longest: usize) -> Option<String> {
        if !self.has(name) {
            self.wrong(name, "is required");
            return None;
        }
        self.optional_text(name, longest)
    }

    pub fn optional_text(&mut self, name: &str, longest: usize) -> Option<String> {
        let problem = match self.value(name)? {
            Value::String(text) if text.trim().is_empty() => "must not be empty".to_owned(),
            Value::String(text) if text.contains('\0') => "must not hold a NUL character".to_owned(),
            Value::String(text) if text.len() > longest => format!("must have at most {longest} characters"),
            Value::String(text) => return Some(text.clone()),
            _ => "must be a string".to_owned(),
        };
        self.wrong(name, problem);
        None
    }

    pub fn optional_number(&mut self, name: &str, range: RangeInclusive<i64>) -> Option<i64> {
        let value = self.value(name)?;
        let number = value.as_i64().filter(|number| range.contains(number));
        if number.is_none() {
            self.wrong(name, format!("must be a whole number from {} to {}", range.start(), range.end()));
        }
        number
    }

    pub fn optional_truth(&mut self, name: &str) -> Option<bool> {
        let truth = self.value(name)?.as_bool();
        if truth.is_none() {
            self.wrong(name, "must be true or false");
        }
        truth
    }

    /// A list of strings; each that `judge` objects to is named with its place.
    pub fn optional_words(
        &mut self,
        name: &str,
        most: usize,
        judge: impl Fn(&str) -> Result<(), String>,
    ) -> Option<Vec<String>> {
        let items = match self.value(name)? {
            Value::Array(items) if !items.is_empty() && items.len() <= most => items,
            Value::Array(_) => {
                self.wrong(name, format!("must name 1 to {most} fields"));
                return None;
            }
            _ => {
                self.wrong(name, "must be a list of strings");
                return None;
            }
        };
        let mut words = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let judged = item.as_str().ok_or_else(|| "must be a string".to_owned());
            match judged.and_then(|word| judge(word).map(|()| word)) {
                Ok(word) => words.push(word.to_owned()),
                Err(problem) => self.wrong(&format!("{name}[{at}]"), problem),
            }
        }
        Some(words)
    }

    /// A list that must be there, with so many members.
    pub fn list(&mut self, name: &str, range: RangeInclusive<usize>) -> Option<&'o [Value]> {
        match self.value(name) {
            None => self.wrong(name, "is required"),
            Some(Value::Array(items)) if range.contains(&items.len()) => return Some(items),
            Some(Value::Array(items)) => {
                let (least, most) = (range.start(), range.end());
                self.wrong(name, format!("must have {least} to {most} members, not {}", items.len()));
            }
            Some(_) => self.wrong(name, "must be a list"),
        }
        None
    }
}
