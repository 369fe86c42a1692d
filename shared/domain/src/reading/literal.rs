//! Data written as a JavaScript literal, read as JSON: names without quotes, single quotes, `undefined`, `!0`, commas too
//! many. Never evaluates: a call or an expression ends the reading. Linear; depth is serde_json's to limit.

use serde_json::Value;

/// The literal at the beginning of a text, and how many bytes it takes. None when it never ends.
pub fn extent(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'"' | b'\'' | b'`' => at = string_end(bytes, at)?,
            b'(' | b';' if depth == 0 => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the string that begins at `from` has its closing quote.
fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let quote = *bytes.get(from)?;
    let mut at = from + 1;
    loop {
        let found = at + memchr::memchr2(quote, b'\\', bytes.get(at..)?)?;
        if bytes[found] == quote {
            return Some(found);
        }
        at = found + 2;
    }
}

/// A literal as JSON.
pub fn read(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    serde_json::from_str(&relax(text)?).ok()
}

/// The same data in JSON's spelling; none where there is code.
fn relax(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' | b'`' => {
                let end = string_end(bytes, at)?;
                string(&mut out, &text[at + 1..end]);
                at = end + 1;
            }
            b'{' | b'[' | b':' => {
                out.push(byte as char);
                at += 1;
            }
            b'}' | b']' => {
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
                out.push(byte as char);
                at += 1;
            }
            b',' => {
                out.push(',');
                at += 1;
            }
            b if b.is_ascii_whitespace() => {
                out.push(' ');
                at += 1;
            }
            b'!' => {
                out.push_str(match bytes.get(at + 1)? {
                    b'0' => "true",
                    b'1' => "false",
                    _ => return None,
                });
                at += 2;
            }
            b'/' => {
                let (skip, mark): (usize, &[u8]) = match bytes.get(at + 1)? {
                    b'/' => (2, b"\n"),
                    b'*' => (2, b"*/"),
                    _ => return None,
                };
                let rest = &bytes[at + skip..];
                at += skip + memchr::memmem::find(rest, mark)? + mark.len();
            }
            _ => at = word(&mut out, text, at)?,
        }
    }
    Some(out)
}

/// A name, a number or a word of the language; returns where it ends.
fn word(out: &mut String, text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let length = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-' | '+')))
        .unwrap_or(rest.len());
    let word = rest.get(..length).filter(|word| !word.is_empty())?;
    let end = at + length;
    if text[end..].trim_start().starts_with(':') {
        string(out, word);
        return Some(end);
    }
    match word {
        "true" | "false" | "null" => out.push_str(word),
        "undefined" | "NaN" | "Infinity" => out.push_str("null"),
        "void" if text[end..].starts_with(" 0") => {
            out.push_str("null");
            return Some(end + 2);
        }
        _ => {
            let number: f64 = word.parse().ok().filter(|number: &f64| number.is_finite())?;
            match word.parse::<i64>() {
                Ok(whole) => out.push_str(&whole.to_string()),
                Err(_) => out.push_str(&number.to_string()),
            }
        }
    }
    Some(end)
}

/// Writes a string of JavaScript as one of JSON.
fn string(out: &mut String, inside: &str) {
    out.push('"');
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\u{0}'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            '\\' => match chars.next() {
                Some(c @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u')) => out.extend(['\\', c]),
                Some('x') => {
                    let digits: String = chars.by_ref().take(2).collect();
                    out.push_str(&format!("\\u00{digits}"));
                }
                Some('\n') | None => {}
                Some(other) => out.push(other),
            },
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_literal_is_read_where_it_is_only_data() {
        let text = "{a:1,'b':\"x\",c:[!0,!1,undefined,void 0,],d:'it\\'s \\x41 \"q\"', e : {f:-2.5}, // end\n /* x */ g:`t`,}";
        let expected =
            json!({"a":1,"b":"x","c":[true,false,null,null],"d":"it's A \"q\"","e":{"f":-2.5},"g":"t"});
        assert_eq!(read(text), Some(expected));
        assert_eq!(read("{a:b}"), None, "a name of something else");
        assert_eq!(read("{a:f(1)}"), None, "a call");
    }

    #[test]
    fn where_a_literal_ends_is_known_through_its_strings() {
        assert_eq!(extent("{a:'}',b:[1]};next()"), Some(13));
        assert_eq!(extent("{a:'"), None);
        assert_eq!(extent("f({})"), None);
    }

    proptest! {
        #[test]
        fn any_text_can_be_tried(text in ".*", literal in "[\\[{][a-c'\"`:,!0/*\\\\ \\]}\\[{é]{0,40}") {
            let _ = (read(&text), extent(&text), read(&literal), extent(&literal));
        }

        #[test]
        fn json_stays_what_it_is(text in ".*") {
            let value = json!({ "a": [text, 1, null] });
            let relaxed = relax(&value.to_string()).and_then(|text| serde_json::from_str::<Value>(&text).ok());
            prop_assert_eq!(relaxed, Some(value));
        }
    }
}
