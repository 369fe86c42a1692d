//! A reader of XML feeds of any quality: elements, attributes, text, CDATA. No entity but the known ones is
//! expanded, nothing is fetched, and unclosed or crossed elements do not stop it. Linear.

use crate::plain_text::decode_entities;

/// Deeper elements are passed over.
const MAX_DEPTH: usize = 64;
/// A longer name is nobody's, and all such are one.
const MAX_NAME: usize = 64;
/// Elements of one record that are kept.
const MAX_FIELDS: usize = 2_000;

/// Something in a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// The name without its prefix, the attributes as they stand, and whether it closes itself.
    Start(&'a str, &'a str, bool),
    End(&'a str),
    /// Text with its references still in it.
    Text(&'a str),
    Raw(&'a str),
}

/// The pieces of a feed in order.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || next(&mut rest))
}

fn next<'a>(rest: &mut &'a str) -> Option<Piece<'a>> {
    loop {
        if rest.is_empty() {
            return None;
        }
        let Some(tag) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            let (text, after) = rest.split_at(end);
            *rest = after;
            return Some(Piece::Text(text));
        };
        if let Some(body) = tag.strip_prefix("![CDATA[") {
            let end = body.find("]]>").unwrap_or(body.len());
            *rest = body.get(end + 3..).unwrap_or_default();
            return Some(Piece::Raw(&body[..end]));
        }
        if let Some(body) = tag.strip_prefix("!--") {
            *rest = body.find("-->").and_then(|end| body.get(end + 3..)).unwrap_or_default();
            continue;
        }
        let end = end_of_tag(tag);
        let inner = &tag[..end];
        *rest = tag.get(end + 1..).unwrap_or_default();
        if inner.starts_with(['!', '?']) {
            continue;
        }
        if let Some(name) = inner.strip_prefix('/') {
            return Some(Piece::End(local(name.trim())));
        }
        let closed = inner.ends_with('/');
        let inner = inner.trim_end_matches('/');
        let (name, attributes) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        return Some(Piece::Start(local(name), attributes, closed));
    }
}

/// Where the tag ends: a `>` outside quotes.
fn end_of_tag(tag: &str) -> usize {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if byte == open => quote = None,
            _ => {}
        }
    }
    tag.len()
}

fn local(name: &str) -> &str {
    let name = name.rsplit(':').next().unwrap_or(name);
    if name.len() > MAX_NAME { "long" } else { name }
}

/// The value of an attribute, decoded.
pub fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, tail) = after[1..].split_once(quote)?;
        if local(key.trim()).eq_ignore_ascii_case(name) {
            return Some(decode_entities(value));
        }
        rest = tail;
    }
}

/// One record of a feed: its elements by path below the record (`locations/location/city`), in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    pub fields: Vec<(String, String)>,
    /// The attributes of the elements that have some, by the same paths.
    pub attributes: Vec<(String, String)>,
}

impl Record {
    /// The first value under a path, or under any path that ends in it.
    pub fn first<'r>(&'r self, path: &'r str) -> Option<&'r str> {
        self.all(path).next()
    }

    pub fn all<'r>(&'r self, path: &'r str) -> impl Iterator<Item = &'r str> {
        let fits = move |own: &str| {
            own.strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        self.fields
            .iter()
            .filter(move |(own, _)| fits(own))
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    }
}

/// The records of a feed: every element with this name (compared without case).
pub fn records<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Record> + 'a {
    let mut feed = pieces(text);
    std::iter::from_fn(move || {
        loop {
            if let Piece::Start(tag, _, closed) = feed.next()?
                && tag.eq_ignore_ascii_case(name)
            {
                return Some(if closed { Record::default() } else { record(&mut feed, name) });
            }
        }
    })
}

fn record<'a>(feed: &mut impl Iterator<Item = Piece<'a>>, name: &str) -> Record {
    let mut record = Record::default();
    let mut open: Vec<&str> = Vec::new();
    let mut text = String::new();
    for piece in feed {
        match piece {
            Piece::Start(tag, attributes, closed) => {
                text.clear();
                if open.len() < MAX_DEPTH {
                    open.push(tag);
                    if !attributes.trim().is_empty() && record.attributes.len() < MAX_FIELDS {
                        record.attributes.push((open.join("/"), attributes.to_owned()));
                    }
                    if closed {
                        open.pop();
                    }
                }
            }
            Piece::Text(piece) => text.push_str(&decode_entities(piece)),
            Piece::Raw(piece) => text.push_str(piece),
            Piece::End(tag) => {
                if open.is_empty() && tag.eq_ignore_ascii_case(name) {
                    break;
                }
                let Some(at) = open.iter().rposition(|own| *own == tag) else {
                    if tag.eq_ignore_ascii_case(name) {
                        break; // its children were left open
                    }
                    continue;
                };
                open.truncate(at + 1);
                if record.fields.len() < MAX_FIELDS {
                    record.fields.push((open.join("/"), std::mem::take(&mut text)));
                }
                open.pop();
                text.clear();
            }
        }
    }
    record
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn records_are_read_with_cdata_references_and_prefixes() {
        let feed = "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]><jobs><!-- <job> --><job id=\"1\"><t:title>R&amp;D \
            <![CDATA[<b>]]></t:title><link href='a>b'/><at><city>Graz</city><city>Linz</city></at></job><JOB/></jobs>";
        let found: Vec<Record> = records(feed, "job").collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].first("title"), Some("R&D <b>"));
        assert_eq!(found[0].all("at/city").collect::<Vec<_>>(), ["Graz", "Linz"]);
        assert_eq!(attribute(&found[0].attributes[0].1, "href").as_deref(), Some("a>b"));
    }

    #[test]
    fn a_broken_feed_gives_what_is_in_it() {
        let found: Vec<Record> =
            records("<job><title>Cook<title></job><job><title>Potter</title>", "job").collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].first("title"), Some("Potter"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read_as_a_feed(text in "(<|>|/|job|title|!\\[CDATA\\[|\\]\\]>|&amp;|\"|'|=|é| )*") {
            for record in records(&text, "job") {
                prop_assert!(record.fields.len() <= MAX_FIELDS);
            }
        }
    }
}
