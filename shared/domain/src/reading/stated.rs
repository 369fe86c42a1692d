//! What a page states as data in schema.org's words, method by method: for the readers of companies, homes and people.
//! One reader understands all methods, because all are brought into the shape of JSON-LD.

use serde_json::{Map, Value};

use super::items::{self, Syntax};
use super::method::Method;
use super::state;
use crate::json_ld::{self, property};
use crate::page::{Page, TooComplex};
use crate::plain_text::fold;
use crate::shape::known_text;

/// The data of a page, the most trusted method first; a method that says nothing is left out.
pub fn data(page: &Page) -> Result<Vec<(Method, Vec<Value>)>, TooComplex> {
    let mut found = vec![(Method::JsonLd, json_ld::values(&page.json_ld())?)];
    for (method, syntax) in [(Method::Microdata, Syntax::Microdata), (Method::Rdfa, Syntax::Rdfa)] {
        if items::has_any(page, syntax) {
            found.push((method, items::values(page, syntax)?));
        }
    }
    found.push((Method::EmbeddedState, state::typed(page)));
    found.retain(|(_, values)| !values.is_empty());
    Ok(found)
}

/// What `pick` finds by each method, as long as it is the one that the first of them found: another company's or home's
/// data must not fill the gaps of ours.
pub fn subjects<'v>(
    data: &'v [(Method, Vec<Value>)],
    pick: impl Fn(&'v [Value]) -> Option<&'v Map<String, Value>>,
) -> Vec<(Method, &'v [Value], &'v Map<String, Value>)> {
    let mut found: Vec<(Method, &[Value], &Map<String, Value>)> = Vec::new();
    for (method, values) in data {
        let Some(object) = pick(values) else { continue };
        let same = |first: &Map<String, Value>| name(first).is_some() && name(first) == name(object);
        if found.first().is_none_or(|(_, _, first)| same(first)) {
            found.push((*method, values, object));
        }
    }
    found
}

fn name(object: &Map<String, Value>) -> Option<String> {
    property(object, "name").and_then(known_text).map(|name| fold(&name)).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(values: &[Value]) -> Option<&Map<String, Value>> {
        json_ld::objects(values).into_iter().find(|object| object.contains_key("name"))
    }

    #[test]
    fn only_the_same_subject_fills_the_gaps_of_the_first() {
        let page = Page::parse(
            br#"<script type="application/ld+json">{"@type":"Organization","name":"Seine & Co"}</script>
            <div itemscope itemtype="http://schema.org/Organization"><b itemprop="name">Another</b></div>
            <div typeof="Organization"><b property="name">SEINE &amp; CO</b><i property="telephone">1</i></div>
            <script>window.__STATE__ = {"org":{"@type":"Organization","name":"Seine & Co","email":"a@seine.example",
            "description":"We mend nets for boats of every size, by hand and in time."}}</script>"#,
            None,
        )
        .unwrap();
        let data = data(&page).unwrap();
        let methods: Vec<Method> = subjects(&data, named).iter().map(|(method, ..)| *method).collect();
        assert_eq!(methods, [Method::JsonLd, Method::Rdfa, Method::EmbeddedState]);
    }
}
