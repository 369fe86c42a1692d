//! Microdata and RDFa: the items a page marks up in its own elements, as values in the shape of JSON-LD, so that one
//! reader understands all three. One pass in document order, never recursive; what it copies is bounded.

use serde_json::{Map, Value, json};

use crate::page::{NodeId, Page, TooComplex};

/// How the two name the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Microdata,
    Rdfa,
}

/// Text that all values together may hold; elements inside elements say the same text again and again.
const MAX_COPIED: usize = 4 * 1024 * 1024;
const MAX_PROPERTIES: usize = 20_000;
/// An item in an item in an item; a posting needs four.
const MAX_NESTED: usize = 16;

impl Syntax {
    fn begins(self, page: &Page, id: NodeId) -> bool {
        match self {
            Syntax::Microdata => page.attribute(id, "itemscope").is_some(),
            Syntax::Rdfa => page.attribute(id, "typeof").is_some_and(|kind| !kind.trim().is_empty()),
        }
    }

    fn kinds(self, page: &Page, id: NodeId) -> Vec<Value> {
        let name = match self {
            Syntax::Microdata => "itemtype",
            Syntax::Rdfa => "typeof",
        };
        let kinds = page.attribute(id, name).unwrap_or_default();
        kinds.split_ascii_whitespace().take(8).map(|kind| json!(kind)).collect()
    }

    fn properties(self, page: &Page, id: NodeId) -> impl Iterator<Item = &str> {
        let name = match self {
            Syntax::Microdata => "itemprop",
            Syntax::Rdfa => "property",
        };
        page.attribute(id, name).unwrap_or_default().split_ascii_whitespace().take(8)
    }
}

/// An item that is still open.
struct Open {
    end: u32,
    object: Map<String, Value>,
    /// What it is to the item around it.
    property: Option<String>,
}

/// Whether the page has items at all; most have none, and then nothing is walked twice.
pub fn has_any(page: &Page, syntax: Syntax) -> bool {
    page.elements(Page::ROOT).any(|id| syntax.begins(page, id))
}

/// The outermost items of a page, in order.
pub fn values(page: &Page, syntax: Syntax) -> Result<Vec<Value>, TooComplex> {
    let over = TooComplex { what: "marked up items" };
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let (mut copied, mut properties) = (0, 0);
    for id in page.elements(Page::ROOT) {
        close(&mut open, &mut found, id.0);
        let begins = syntax.begins(page, id);
        if begins && open.len() < MAX_NESTED {
            let property = syntax.properties(page, id).next().map(str::to_owned);
            let mut object = Map::new();
            object.insert("@type".to_owned(), Value::Array(syntax.kinds(page, id)));
            properties += 1;
            open.push(Open { end: page.end(id), object, property });
            continue;
        }
        let Some(item) = open.last_mut() else { continue };
        for name in syntax.properties(page, id) {
            let value = value_of(page, id, name);
            copied += value.len();
            properties += 1;
            if copied > MAX_COPIED || properties > MAX_PROPERTIES {
                return Err(over);
            }
            if !value.is_empty() {
                add(&mut item.object, name, Value::String(value));
            }
        }
    }
    close(&mut open, &mut found, u32::MAX);
    Ok(found)
}

/// Ends the items that do not reach the node `at`.
fn close(open: &mut Vec<Open>, found: &mut Vec<Value>, at: u32) {
    while open.last().is_some_and(|item| item.end <= at) {
        let Some(item) = open.pop() else { return };
        let value = Value::Object(item.object);
        match (item.property, open.last_mut()) {
            (Some(property), Some(around)) => add(&mut around.object, &property, value),
            _ => found.push(value),
        }
    }
}

fn add(object: &mut Map<String, Value>, name: &str, value: Value) {
    let name = name.rsplit(['/', '#']).next().unwrap_or(name);
    let name = name.strip_prefix("schema:").unwrap_or(name);
    match object.get_mut(name) {
        None => {
            object.insert(name.to_owned(), value);
        }
        Some(Value::Array(values)) => values.push(value),
        Some(one) => *one = json!([one.take(), value]),
    }
}

/// What an element says for a property: what it states for machines, or else what it shows.
fn value_of(page: &Page, id: NodeId, property: &str) -> String {
    let at = |name: &str| page.attribute(id, name).map(str::trim).filter(|value| !value.is_empty());
    let stated = match page.tag(id) {
        "meta" => return at("content").unwrap_or_default().to_owned(),
        "time" => at("datetime").or_else(|| at("content")),
        "data" | "meter" => at("value"),
        "img" | "audio" | "video" | "source" | "embed" | "iframe" => at("src"),
        "link" => at("href"),
        // pages put the title into a link and mean what it says
        "a" | "area" if is_address(property) => at("href"),
        _ => at("content"),
    };
    match stated {
        Some(stated) => stated.to_owned(),
        None if property.ends_with("escription") => page.paragraphs_of(id),
        None => page.text_of(id),
    }
}

fn is_address(property: &str) -> bool {
    let property = property.rsplit(['/', '#', ':']).next().unwrap_or(property);
    matches!(property, "url" | "sameAs" | "logo" | "image" | "applyUrl" | "mainEntityOfPage")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(html: &str) -> Page {
        Page::parse(html.as_bytes(), None).unwrap()
    }

    #[test]
    fn microdata_is_read_as_json_ld_would_say_it() {
        let page = parse(
            r#"<div itemscope itemtype="http://schema.org/JobPosting">
            <h1 itemprop="title">Net <b>Mender</b></h1><meta itemprop="datePosted" content="2026-10-02">
            <span itemprop="hiringOrganization" itemscope itemtype="http://schema.org/Organization">
              <a itemprop="name" href="/x">Seine &amp; Co</a><a itemprop="url" href="https://seine.example">web</a></span>
            <div itemprop="jobLocation" itemscope itemtype="http://schema.org/Place"><div itemprop="address" itemscope
              itemtype="http://schema.org/PostalAddress"><span itemprop="addressLocality">Sligo</span></div></div>
            <div itemprop="description"><p>Mend nets.</p><ul><li>patience</li></ul></div></div>
            <p itemprop="title">outside</p>"#,
        );
        let values = values(&page, Syntax::Microdata).unwrap();
        assert_eq!(
            values,
            [json!({"@type":["http://schema.org/JobPosting"],"title":"Net Mender","datePosted":"2026-10-02",
                "hiringOrganization":{"@type":["http://schema.org/Organization"],"name":"Seine & Co","url":"https://seine.example"},
                "jobLocation":{"@type":["http://schema.org/Place"],
                    "address":{"@type":["http://schema.org/PostalAddress"],"addressLocality":"Sligo"}},
                "description":"Mend nets.\npatience"})]
        );
    }

    #[test]
    fn rdfa_is_read_the_same_way_and_opengraph_is_not_taken_for_it() {
        let page = parse(
            r#"<head><meta property="og:title" content="x"></head><body vocab="https://schema.org/"><div typeof="schema:JobPosting">
            <h2 property="schema:title">Net Mender</h2><span property="employmentType" content="FULL_TIME">full</span>
            <div property="hiringOrganization" typeof="Organization"><b property="name">Seine</b></div>
            <p property="responsibilities">a</p><p property="responsibilities">b</p></div>"#,
        );
        let values = values(&page, Syntax::Rdfa).unwrap();
        assert_eq!(
            values,
            [json!({"@type":["schema:JobPosting"],"title":"Net Mender","employmentType":"FULL_TIME",
                "hiringOrganization":{"@type":["Organization"],"name":"Seine"},"responsibilities":["a","b"]})]
        );
    }

    #[test]
    fn text_that_is_said_again_on_every_level_is_refused() {
        let deep = "<div itemprop=a>".repeat(300);
        let page = parse(&format!("<section itemscope>{deep}{}", "word ".repeat(10_000)));
        assert!(values(&page, Syntax::Microdata).is_err());
    }

    proptest! {
        #[test]
        fn any_markup_gives_items(html in "(<(div|p|a|b) (itemscope|itemprop=title|typeof=JobPosting|property=name)>|</div>|</p>|x ){0,40}") {
            let page = parse(&html);
            let _ = (values(&page, Syntax::Microdata), values(&page, Syntax::Rdfa));
        }
    }
}
