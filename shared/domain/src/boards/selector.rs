//! A selector that an operator gives for a page of links: the part of CSS that chooses a place
//! (`ul.jobs > li a.title, #openings a`). The nearest fitting element around counts.

use thiserror::Error;

use crate::page::{NodeId, Page};

const MAX_LENGTH: usize = 300;
const MAX_PARTS: usize = 12;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the selector cannot be read at {0:?}; it is made of tag, .class, #id, [name], [name=value], spaces, > and commas"
)]
pub struct BadSelector(String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector(Vec<Vec<Part>>);

/// One element of the way down, and whether it must be the direct child of the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Part {
    direct: bool,
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
    attributes: Vec<(String, Option<String>)>,
}

impl Selector {
    pub fn parse(text: &str) -> Result<Selector, BadSelector> {
        if text.len() > MAX_LENGTH {
            return Err(BadSelector(text.chars().take(20).collect()));
        }
        let ways: Result<Vec<Vec<Part>>, BadSelector> = text.split(',').map(way).collect();
        Ok(Selector(ways?))
    }

    /// Whether it chooses the node, or the node stands in what it chooses (a card that is one link).
    pub fn chooses(&self, page: &Page, node: NodeId) -> bool {
        self.0.iter().any(|way| fits(page, node, way))
    }
}

fn fits(page: &Page, node: NodeId, way: &[Part]) -> bool {
    let Some((last, rest)) = way.split_last() else { return false };
    if !is(page, node, last) {
        return false;
    }
    let (mut at, mut direct) = (node, last.direct);
    for part in rest.iter().rev() {
        let above = if direct {
            page.parent(at).filter(|&id| is(page, id, part))
        } else {
            page.ancestors(at).find(|&id| is(page, id, part))
        };
        let Some(above) = above else { return false };
        (at, direct) = (above, part.direct);
    }
    true
}

fn is(page: &Page, node: NodeId, part: &Part) -> bool {
    let class = || page.attribute(node, "class").unwrap_or_default();
    part.tag.as_deref().is_none_or(|tag| page.tag(node) == tag)
        && part.id.as_deref().is_none_or(|id| page.attribute(node, "id") == Some(id))
        && part.classes.iter().all(|wanted| class().split_ascii_whitespace().any(|own| own == wanted))
        && part.attributes.iter().all(|(name, wanted)| match (page.attribute(node, name), wanted) {
            (Some(own), Some(wanted)) => own == wanted,
            (own, None) => own.is_some(),
            (None, Some(_)) => false,
        })
}

fn way(text: &str) -> Result<Vec<Part>, BadSelector> {
    let bad = || BadSelector(text.trim().to_owned());
    let mut parts: Vec<Part> = Vec::new();
    let mut direct = false;
    for word in text.replace('>', " > ").split_whitespace() {
        if word == ">" {
            if direct || parts.is_empty() {
                return Err(bad());
            }
            direct = true;
            continue;
        }
        if parts.len() == MAX_PARTS {
            return Err(bad());
        }
        parts.push(Part { direct: std::mem::take(&mut direct), ..part(word).ok_or_else(bad)? });
    }
    if direct || parts.is_empty() { Err(bad()) } else { Ok(parts) }
}

fn part(word: &str) -> Option<Part> {
    let mut part = Part::default();
    let mut rest = word;
    while let Some(mark) = rest.chars().next() {
        if mark == '[' {
            let (inner, after) = rest[1..].split_once(']')?;
            let (name, value) = match inner.split_once('=') {
                Some((name, value)) => (name, Some(value.trim_matches(['"', '\'']).to_owned())),
                None => (inner, None),
            };
            part.attributes.push((Some(name).filter(|name| is_name(name))?.to_ascii_lowercase(), value));
            rest = after;
            continue;
        }
        let body = if matches!(mark, '.' | '#') { &rest[1..] } else { rest };
        let end = body.find(['.', '#', '[']).unwrap_or(body.len());
        let (name, after) = body.split_at(end);
        match mark {
            '.' if is_name(name) => part.classes.push(name.to_owned()),
            '#' if is_name(name) => part.id = Some(name.to_owned()),
            '*' if name == "*" => {}
            _ if is_name(name) && rest.len() == word.len() => part.tag = Some(name.to_ascii_lowercase()),
            _ => return None,
        }
        rest = after;
    }
    Some(part)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_selector_chooses_what_it_says() {
        let html = "<ul class='x jobs'><li><a id=1 href=/a>A</a></li><li><p><a id=2 class=title href=/b>B</a></p></li>\
            </ul><a id=3 href=/c>C</a>";
        let page = Page::parse(html.as_bytes(), None).unwrap();
        let chosen = |text: &str| -> Vec<String> {
            let selector = Selector::parse(text).unwrap();
            let anchors =
                page.elements(Page::ROOT).filter(|&id| page.tag(id) == "a" && selector.chooses(&page, id));
            anchors.filter_map(|id| page.attribute(id, "id").map(str::to_owned)).collect()
        };
        assert_eq!(chosen("ul.jobs a"), ["1", "2"]);
        assert_eq!(chosen("ul.jobs > li > a"), ["1"]);
        assert_eq!(chosen("a.title, #3"), ["2", "3"]);
        assert_eq!(chosen("li a[href='/b']"), ["2"]);
        assert!(chosen(".absent a").is_empty());
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in ["", "a:hover", "> a", "a >", "a > > b", "a..b", "li a[", ","] {
            assert!(Selector::parse(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_tried(text in "[a-z.#\\[\\]=>, *'\"é]*") {
            let _ = Selector::parse(&text);
        }
    }
}
