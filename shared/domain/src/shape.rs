//! The shapes a JSON-LD value comes in: text, number, `{"@value"}`, `{"name"}`, a list of any of them.

use serde_json::Value;

use super::plain_text;

/// How far `{"@value": {"@value": …}}` is followed.
const REACH: usize = 6;

/// The value itself, or the members of a list.
pub fn each(value: &Value) -> std::slice::Iter<'_, Value> {
    match value {
        Value::Array(values) => values.iter(),
        value => std::slice::from_ref(value).iter(),
    }
}

/// The text of a value as it stands.
pub fn raw_text(value: &Value) -> Option<String> {
    let mut value = value;
    for _ in 0..REACH {
        value = match value {
            Value::String(text) => return Some(text.clone()),
            Value::Number(number) => return Some(number.to_string()),
            Value::Array(values) => {
                values.iter().find(|value| !value.is_null() && value.as_str() != Some(""))?
            }
            Value::Object(object) => ["@value", "name", "value"].iter().find_map(|name| object.get(*name))?,
            Value::Null | Value::Bool(_) => return None,
        };
    }
    None
}

/// One line of text that says something: not empty, and not a word for "nothing".
pub fn known_text(value: &Value) -> Option<String> {
    let text = plain_text::line(&raw_text(value)?);
    (!says_nothing(&text)).then_some(text)
}

/// Empty, a word that stands for "nothing", or a value masked with asterisks.
pub fn says_nothing(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|b| matches!(b, b'*' | b' ')) || is_word_for_nothing(text)
}

fn is_word_for_nothing(text: &str) -> bool {
    matches!(
        text.to_ascii_lowercase().as_str(),
        "" | "-"
            | "--"
            | "n/a"
            | "na"
            | "null"
            | "none"
            | "undefined"
            | "unknown"
            | "not specified"
            | "not available"
    )
}

pub fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(known) => Some(*known),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_read_in_every_shape() {
        for value in [json!("a"), json!({"@value":"a"}), json!([null, "", "a"]), json!({"name":["a","b"]})] {
            assert_eq!(known_text(&value).as_deref(), Some("a"), "{value}");
        }
        assert_eq!(known_text(&json!(7)).as_deref(), Some("7"));
        assert_eq!(known_text(&json!({"other":"a"})), None);
        assert_eq!(known_text(&json!("undefined")), None);
    }

    #[test]
    fn a_value_in_a_value_in_a_value_ends() {
        let mut value = json!("a");
        for _ in 0..100 {
            value = json!({ "@value": value });
        }
        assert_eq!(known_text(&value), None);
    }
}
