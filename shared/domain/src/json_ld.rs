//! schema.org JobPosting objects in JSON-LD: finds them in any wrapping, repairs what can be repaired
//! without guessing, and says which one the page is about. Never recursive; a broken script is skipped.

use serde_json::{Map, Value};

use super::identity;
use super::page::TooComplex;
use super::plain_text::{decode_entities, fold};
use super::shape::each;
use super::url::normalise;

/// What a page's JSON-LD says about its posting.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Nothing,
    Posting(Box<Value>),
    /// Several, and none of them is the page's own: a list.
    ManyPostings(usize),
}

/// What all scripts of a page may hold together. An object takes some 600 bytes of memory however small
/// it is, so a megabyte of `{}` would become hundreds.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_OBJECTS: usize = 20_000;
const MAX_VALUES: usize = 400_000;

/// The values in a page's scripts, in order; scripts that cannot be read are left out.
pub fn values(texts: &[&str]) -> Result<Vec<Value>, TooComplex> {
    let (mut bytes, mut objects, mut values) = (0, 0, 0);
    for text in texts {
        bytes += text.len();
        if bytes > MAX_BYTES {
            return Err(TooComplex { what: "JSON-LD" });
        }
        for byte in text.bytes() {
            objects += usize::from(byte == b'{');
            values += usize::from(matches!(byte, b',' | b'[' | b'{' | b':'));
        }
    }
    if objects > MAX_OBJECTS || values > MAX_VALUES {
        return Err(TooComplex { what: "JSON-LD" });
    }
    Ok(texts.iter().flat_map(|text| parse(text)).collect())
}

/// Every object in the values, outer before inner, in order.
pub fn objects(values: &[Value]) -> Vec<&Map<String, Value>> {
    let mut found = Vec::new();
    let mut rest: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(object) => {
                found.push(object);
                rest.extend(object.values().rev());
            }
            Value::Array(values) => rest.extend(values.iter().rev()),
            _ => {}
        }
    }
    found
}

/// Finds the posting a page is about. `heading` is the page's `h1`.
pub fn find(values: Vec<Value>, page_url: &str, heading: Option<&str>) -> Found {
    let mut postings = job_postings(values);
    if postings.len() <= 1 {
        return postings.pop().map_or(Found::Nothing, |posting| Found::Posting(Box::new(posting)));
    }
    let heading = heading.map(fold);
    let by_url = only(&postings, |posting| is_at(posting, page_url));
    let chosen = by_url.or_else(|| {
        let heading = heading.as_deref().filter(|heading| !heading.is_empty())?;
        only(&postings, |posting| text_at(posting, "title").is_some_and(|title| fold(&title) == heading))
    });
    match chosen {
        Some(at) => Found::Posting(Box::new(postings.swap_remove(at))),
        None => Found::ManyPostings(postings.len()),
    }
}

/// Every distinct JobPosting in the given values, in order.
pub fn job_postings(values: Vec<Value>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for value in values {
        let mut rest = vec![value];
        while let Some(value) = rest.pop() {
            match value {
                Value::Object(object) if types(&object).any(is_job_posting) => {
                    let posting = Value::Object(object);
                    // comparing all pairs of a huge list would be quadratic; a list is a list
                    if found.len() >= 100 || !found.contains(&posting) {
                        found.push(posting);
                    }
                }
                Value::Object(object) => rest.extend(object.into_iter().rev().map(|(_, value)| value)),
                Value::Array(values) => rest.extend(values.into_iter().rev()),
                _ => {}
            }
        }
    }
    found
}

/// A property under its plain name or with a schema.org prefix; JSON nulls count as absent.
pub fn property<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let prefixed = |prefix: &str| object.get(&format!("{prefix}{name}"));
    object
        .get(name)
        .or_else(|| prefixed("schema:"))
        .or_else(|| prefixed("https://schema.org/"))
        .or_else(|| prefixed("http://schema.org/"))
        .filter(|value| !value.is_null())
}

/// The values of one JSON-LD script, repaired if need be; empty when it cannot be read.
pub fn parse(text: &str) -> Vec<Value> {
    let text = unwrap(text);
    let strict = read(text);
    if !strict.is_empty() {
        return strict;
    }
    let text = if text.starts_with("{&quot;") || text.starts_with("[{&quot;") {
        decode_entities(text)
    } else {
        text.to_owned()
    };
    read(&repair(&text))
}

/// Complete values up to the first that is broken (serde_json itself refuses more than 128 levels).
fn read(text: &str) -> Vec<Value> {
    serde_json::Deserializer::from_str(text).into_iter().map_while(Result::ok).collect()
}

/// Takes off what was once put around scripts to hide them from old browsers and XML.
fn unwrap(text: &str) -> &str {
    const BEFORE: &[&str] = &[
        "\u{FEFF}",
        "<!--",
        "//<![CDATA[",
        "// <![CDATA[",
        "/*<![CDATA[*/",
        "/* <![CDATA[ */",
        "<![CDATA[",
        "//",
    ];
    const AFTER: &[&str] = &["-->", "//]]>", "// ]]>", "/*]]>*/", "/* ]]> */", "]]>", ";", "//"];
    let mut text = text.trim();
    while let Some(rest) = BEFORE.iter().find_map(|wrapper| text.strip_prefix(wrapper)) {
        text = rest.trim_start();
    }
    while let Some(rest) = AFTER.iter().find_map(|wrapper| text.strip_suffix(wrapper)) {
        text = rest.trim_end();
    }
    text
}

/// Raw control characters inside strings are escaped, `\'` is `'`, a comma before a closing bracket
/// goes. An unescaped quote is left alone: where the string ends is then anyone's guess.
fn repair(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut in_string = false;
    let mut comma: Option<usize> = None; // a comma with nothing but white space after it so far
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (in_string, c) {
            (true, '\\') => match chars.next() {
                Some('\'') => out.push('\''),
                Some(next) => out.extend(['\\', next]),
                None => out.push('\\'),
            },
            (true, '"') | (false, '"') => {
                in_string = !in_string;
                comma = None;
                out.push(c);
            }
            (true, '\n') => out.push_str("\\n"),
            (true, '\u{0}'..='\u{1F}') => {
                let digit = |value: u32| char::from_digit(value, 16).unwrap_or('0');
                out.push_str("\\u00");
                out.extend([digit(u32::from(c) >> 4), digit(u32::from(c) & 15)]);
            }
            (true, _) => out.push(c),
            (false, ',') => {
                comma = Some(out.len());
                out.push(c);
            }
            (false, '}' | ']') => {
                if let Some(at) = comma.take() {
                    out.truncate(at);
                }
                out.push(c);
            }
            (false, c) if c.is_whitespace() || c.is_control() => out.push(' '),
            (false, _) => {
                comma = None;
                out.push(c);
            }
        }
    }
    out
}

fn is_job_posting(name: &str) -> bool {
    name.eq_ignore_ascii_case("JobPosting")
}

/// The names of an object's types, without any vocabulary in front.
pub fn types(object: &Map<String, Value>) -> impl Iterator<Item = &str> {
    object
        .get("@type")
        .into_iter()
        .flat_map(each)
        .filter_map(Value::as_str)
        .map(|kind| kind.rsplit(['/', ':', '#']).next().unwrap_or_default())
}

/// Whether a posting's `url` or `@id` is the page, or its identifier is the id in the page's URL.
fn is_at(posting: &Value, page_url: &str) -> bool {
    let Ok(page) = normalise(page_url) else { return false };
    let own = |name| text_at(posting, name).and_then(|url| normalise(&url).ok());
    if [own("url"), own("@id")]
        .into_iter()
        .flatten()
        .any(|url| url.trim_end_matches('/') == page.trim_end_matches('/'))
    {
        return true;
    }
    let id = ::url::Url::parse(&page).ok().as_ref().and_then(identity::id_of);
    let identifier = match posting.get("identifier") {
        Some(Value::Object(object)) => property(object, "value"),
        other => other,
    };
    let identifier = match identifier {
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) => text.to_ascii_lowercase(),
        _ => return false,
    };
    id.is_some_and(|id| id == identifier)
}

fn text_at(posting: &Value, name: &str) -> Option<String> {
    Some(decode_entities(property(posting.as_object()?, name)?.as_str()?))
}

/// The position of the one that fits, if exactly one does.
fn only(postings: &[Value], fits: impl Fn(&Value) -> bool) -> Option<usize> {
    let mut fitting = postings.iter().enumerate().filter(|(_, posting)| fits(posting)).map(|(at, _)| at);
    fitting.next().filter(|_| fitting.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const URL: &str = "https://jobs.example/jobs/7";

    fn find(texts: &[&str], url: &str, heading: Option<&str>) -> Found {
        super::find(values(texts).unwrap(), url, heading)
    }

    fn title(text: &str) -> Option<String> {
        match find(&[text], URL, None) {
            Found::Posting(posting) => posting["title"].as_str().map(str::to_owned),
            _ => None,
        }
    }

    #[test]
    fn a_posting_is_found_in_every_wrapping() {
        let posting = r#"{"@type":"JobPosting","title":"Cook"}"#;
        for text in [
            posting.to_owned(),
            format!("[{{\"@type\":\"Organization\"}},{posting}]"),
            format!(r#"{{"@context":"https://schema.org","@graph":[{{"@type":"WebPage"}},{posting}]}}"#),
            format!(r#"{{"@type":"WebPage","mainEntity":{posting}}}"#),
            format!(r#"{{"@type":"ItemList","itemListElement":[{{"@type":"ListItem","item":{posting}}}]}}"#),
            format!("<!--\n{posting}\n-->"),
            format!("//<![CDATA[\n{posting}\n//]]>"),
            format!("/*<![CDATA[*/{posting}/*]]>*/;"),
            posting.replace("\"JobPosting\"", r#"["Thing","JobPosting"]"#),
            posting.replace("\"JobPosting\"", r#""http://schema.org/JobPosting""#),
            posting.replace("\"JobPosting\"", r#""schema:JobPosting""#),
            posting.replace('"', "&quot;"),
        ] {
            assert_eq!(title(&text).as_deref(), Some("Cook"), "{text}");
        }
        assert_eq!(find(&[r#"{"@type":"JobPostings"}"#, "{}", ""], URL, None), Found::Nothing);
    }

    #[test]
    fn what_can_be_repaired_safely_is() {
        let broken = "{\"@type\":\"JobPosting\",\"title\":\"Line\ncook\t\\'a la carte\\', \",\"x\":[1,2,],}";
        assert_eq!(title(broken).as_deref(), Some("Line\ncook\t'a la carte', "));
        assert_eq!(title(r#"{"@type":"JobPosting","title":"a ,} b",}"#).as_deref(), Some("a ,} b"));
    }

    #[test]
    fn what_would_need_a_guess_is_skipped_and_the_next_script_counts() {
        let broken = r#"{"@type":"JobPosting","title":"The "best" cook"}"#;
        assert_eq!(title(broken), None);
        let good = r#"{"@type":"JobPosting","title":"Cook"}"#;
        assert!(matches!(find(&[broken, good], URL, None), Found::Posting(_)));
    }

    #[test]
    fn of_many_the_page_s_own_is_taken_by_url_then_identifier_then_heading() {
        let many = r#"[{"@type":"JobPosting","title":"A","url":"https://jobs.example/jobs/6"},
            {"@type":"JobPosting","title":"B","url":"http://jobs.example/jobs/7/?utm_source=x"},
            {"@type":"JobPosting","title":"C &amp; D","identifier":{"@type":"PropertyValue","value":8}}]"#;
        assert_eq!(title(many).as_deref(), Some("B"));
        let at = |url, heading| match find(&[many], url, heading) {
            Found::Posting(posting) => posting["title"].as_str().map(str::to_owned).unwrap(),
            other => format!("{other:?}"),
        };
        assert_eq!(at("https://jobs.example/job-8", None), "C &amp; D");
        assert_eq!(at("https://jobs.example/x", Some("c & d")), "C &amp; D");
        assert_eq!(at("https://jobs.example/jobs", Some("Jobs")), "ManyPostings(3)");
    }

    #[test]
    fn the_same_posting_twice_is_one() {
        let posting = r#"{"@type":"JobPosting","title":"Cook"}"#;
        assert!(matches!(find(&[posting, posting], URL, None), Found::Posting(_)));
    }

    #[test]
    fn deep_json_is_refused_without_harm() {
        assert!(parse(&"[".repeat(1_000_000)).is_empty());
        assert!(parse(&"{\"a\":".repeat(200_000)).is_empty());
        let deep = format!("{}{}{}", "[".repeat(100), r#"{"@type":"JobPosting"}"#, "]".repeat(100));
        assert_eq!(job_postings(values(&[&deep]).unwrap()).len(), 1);
    }

    #[test]
    fn more_than_a_page_can_mean_is_refused_before_it_takes_memory() {
        assert!(values(&[&"{},".repeat(MAX_OBJECTS + 1)]).is_err());
        assert!(values(&[&"0,".repeat(MAX_VALUES + 1)]).is_err());
        let half = format!("\"{}\"", "x".repeat(MAX_BYTES / 2));
        assert!(values(&[&half]).is_ok() && values(&[&half, &half]).is_err());
    }

    proptest! {
        #[test]
        fn any_text_can_be_searched(text in ".*") {
            let _ = find(&[&text], URL, Some(&text));
        }

        #[test]
        fn valid_json_is_never_changed_by_the_repair(title in ".*") {
            let value = serde_json::json!({ "@type": "JobPosting", "title": title });
            let repaired: Value = serde_json::from_str(&repair(&value.to_string())).unwrap();
            prop_assert_eq!(repaired, value);
        }
    }
}
