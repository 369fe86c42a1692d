//! What an answer must look like: our own schema, told to the model in its provider's dialect and held against what
//! comes back. An answer that does not fit is none; nothing of it is repaired or guessed.

use serde_json::{Map, Value, json};

use crate::domain::plain_text::fold;

/// A record of fields, each of which may be null.
#[derive(Debug, Clone, Copy)]
pub struct Schema<'a> {
    pub name: &'static str,
    /// A change of meaning raises it, and old answers no longer count.
    pub version: u32,
    pub fields: &'a [Field<'a>],
}

#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    pub name: &'static str,
    pub kind: Kind<'a>,
    /// Told to the model.
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub enum Kind<'a> {
    /// Text that stands on the page as it is; one that does not is dropped.
    Quote {
        most: usize,
    },
    /// Text in the model's own words.
    Text {
        most: usize,
    },
    /// A number that stands on the page.
    Number {
        min: i64,
        max: i64,
    },
    Quotes {
        most: usize,
        each: usize,
    },
    /// One of these words.
    OneOf {
        words: &'a [String],
    },
}

/// The field that does not fit, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct Violation {
    pub field: String,
    pub reason: &'static str,
}

impl Schema<'_> {
    /// JSON Schema, with every field required, and nullable unless it is one of some words.
    pub fn json(&self) -> Value {
        let property = |field: &Field<'_>| {
            let mut schema = match field.kind {
                Kind::Quote { .. } | Kind::Text { .. } => json!({ "type": ["string", "null"] }),
                Kind::Number { .. } => json!({ "type": ["integer", "null"] }),
                Kind::Quotes { .. } => json!({ "type": ["array", "null"], "items": { "type": "string" } }),
                Kind::OneOf { words } => json!({ "type": "string", "enum": words }),
            };
            schema["description"] = json!(field.about);
            (field.name.to_owned(), schema)
        };
        let properties: Map<String, Value> = self.fields.iter().map(property).collect();
        json!({ "type": "object", "properties": properties, "required": self.names(), "additionalProperties": false })
    }

    /// The same in the dialect of OpenAPI, which Gemini speaks.
    pub fn open_api(&self) -> Value {
        let property = |field: &Field<'_>| {
            let mut schema = match field.kind {
                Kind::Quote { .. } | Kind::Text { .. } => json!({ "type": "STRING" }),
                Kind::Number { .. } => json!({ "type": "INTEGER" }),
                Kind::Quotes { .. } => json!({ "type": "ARRAY", "items": { "type": "STRING" } }),
                Kind::OneOf { words } => json!({ "type": "STRING", "format": "enum", "enum": words }),
            };
            schema["nullable"] = json!(!matches!(field.kind, Kind::OneOf { .. }));
            schema["description"] = json!(field.about);
            (field.name.to_owned(), schema)
        };
        let properties: Map<String, Value> = self.fields.iter().map(property).collect();
        json!({ "type": "OBJECT", "properties": properties, "required": self.names() })
    }

    fn names(&self) -> Vec<&'static str> {
        self.fields.iter().map(|field| field.name).collect()
    }

    /// The answer if it is one: every field there, of its type and within its bounds, and nothing else.
    pub fn check(&self, answer: &Value) -> Result<Map<String, Value>, Violation> {
        let wrong = |field: &str, reason| Err(Violation { field: field.to_owned(), reason });
        let Some(answer) = answer.as_object() else { return wrong("the answer", "not an object") };
        if let Some(name) = answer.keys().find(|name| self.fields.iter().all(|field| field.name != **name)) {
            let name: String = name.chars().take(60).collect();
            return wrong(&name, "not a field of the schema");
        }
        let mut checked = Map::new();
        for field in self.fields {
            let Some(value) = answer.get(field.name) else { return wrong(field.name, "missing") };
            let must_say = matches!(field.kind, Kind::OneOf { .. });
            if (must_say || !value.is_null())
                && let Err(reason) = field.kind.check(value)
            {
                return wrong(field.name, reason);
            }
            checked.insert(field.name.to_owned(), value.clone());
        }
        Ok(checked)
    }

    /// Drops every quotation that the page does not have; returns the names of the fields.
    pub fn ground(&self, answer: &mut Map<String, Value>, page: &str) -> Vec<&'static str> {
        let page = format!(" {} ", fold(page));
        let said = |text: &str| {
            let text = fold(text);
            !text.is_empty() && page.contains(&format!(" {text} "))
        };
        let mut dropped = Vec::new();
        for field in self.fields {
            let Some(value) = answer.get_mut(field.name) else { continue };
            let stands = match (field.kind, &*value) {
                (_, Value::Null) | (Kind::Text { .. } | Kind::OneOf { .. }, _) => true,
                (Kind::Quotes { .. }, Value::Array(quotes)) => {
                    let kept: Vec<Value> =
                        quotes.iter().filter(|quote| quote.as_str().is_some_and(said)).cloned().collect();
                    let all = kept.len() == quotes.len();
                    *value = if kept.is_empty() { Value::Null } else { Value::Array(kept) };
                    if !all {
                        dropped.push(field.name);
                    }
                    continue;
                }
                (_, Value::Number(number)) => said(&number.to_string()),
                (_, Value::String(text)) => said(text),
                _ => false,
            };
            if !stands {
                *value = Value::Null;
                dropped.push(field.name);
            }
        }
        dropped
    }
}

impl Kind<'_> {
    fn check(self, value: &Value) -> Result<(), &'static str> {
        match (self, value) {
            (Kind::Quote { most } | Kind::Text { most }, Value::String(text)) => {
                if text.chars().count() <= most { Ok(()) } else { Err("too long") }
            }
            (Kind::Quote { .. } | Kind::Text { .. }, _) => Err("not a text"),
            (Kind::Number { min, max }, value) => match value.as_i64() {
                Some(number) if (min..=max).contains(&number) => Ok(()),
                Some(_) => Err("out of its bounds"),
                None => Err("not a whole number"),
            },
            (Kind::Quotes { most, each }, Value::Array(quotes)) => {
                if quotes.len() > most {
                    return Err("too many");
                }
                let fits = |quote: &Value| quote.as_str().is_some_and(|text| text.chars().count() <= each);
                if quotes.iter().all(fits) { Ok(()) } else { Err("not a list of short texts") }
            }
            (Kind::Quotes { .. }, _) => Err("not a list"),
            (Kind::OneOf { words }, Value::String(word)) => {
                if words.contains(word) {
                    Ok(())
                } else {
                    Err("none of the words")
                }
            }
            (Kind::OneOf { .. }, _) => Err("not a text"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    static SCHEMA: Schema<'static> = Schema {
        name: "lamp",
        version: 1,
        fields: &[
            Field { name: "maker", kind: Kind::Quote { most: 20 }, about: "who makes it" },
            Field { name: "year", kind: Kind::Number { min: 1800, max: 2100 }, about: "since when" },
            Field { name: "parts", kind: Kind::Quotes { most: 2, each: 10 }, about: "what it has" },
            Field { name: "gist", kind: Kind::Text { most: 40 }, about: "in short" },
        ],
    };

    fn good() -> Value {
        json!({ "maker": "Wick & Sons", "year": 1911, "parts": ["glass", "oil"], "gist": null })
    }

    #[test]
    fn an_answer_fits_whole_or_not_at_all() {
        assert!(SCHEMA.check(&good()).is_ok());
        let change = |name: &str, value: Value| {
            let mut answer = good();
            answer[name] = value;
            SCHEMA.check(&answer).unwrap_err().to_string()
        };
        assert_eq!(change("maker", json!(7)), "maker: not a text");
        assert_eq!(change("maker", json!("x".repeat(21))), "maker: too long");
        assert_eq!(change("year", json!("1911")), "year: not a whole number");
        assert_eq!(change("year", json!(3000)), "year: out of its bounds");
        assert_eq!(change("parts", json!(["a", "b", "c"])), "parts: too many");
        assert_eq!(change("parts", json!([1])), "parts: not a list of short texts");
        assert_eq!(change("price", json!(1)), "price: not a field of the schema");
        assert_eq!(SCHEMA.check(&json!({})).unwrap_err().to_string(), "maker: missing");
        assert_eq!(SCHEMA.check(&json!([])).unwrap_err().to_string(), "the answer: not an object");
    }

    #[test]
    fn what_the_page_does_not_say_is_dropped() {
        let mut answer = SCHEMA.check(&good()).unwrap();
        let dropped = SCHEMA.ground(&mut answer, "Lamps by WICK &amp; Sons: oil, brass. Since 1911.");
        assert_eq!(dropped, ["maker", "parts"], "an entity is not what a reader sees");
        assert_eq!(
            Value::Object(answer),
            json!({ "maker": null, "year": 1911, "parts": ["oil"], "gist": null })
        );
    }

    #[test]
    fn both_dialects_name_every_field() {
        let (json, open) = (SCHEMA.json(), SCHEMA.open_api());
        for field in SCHEMA.fields {
            assert!(json["properties"][field.name]["type"].is_array());
            assert_eq!(open["properties"][field.name]["nullable"], true);
        }
        assert_eq!(json["required"].as_array().unwrap().len(), SCHEMA.fields.len());
        assert_eq!(json["additionalProperties"], false);
    }

    proptest! {
        #[test]
        fn any_answer_can_be_checked(text in ".{0,60}", number in any::<i64>()) {
            for value in [json!(text), json!({ "maker": text, "year": number, "parts": [text], "gist": text })] {
                if let Ok(mut answer) = SCHEMA.check(&value) {
                    let _ = SCHEMA.ground(&mut answer, &text);
                }
            }
        }
    }
}
