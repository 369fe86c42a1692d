//! YAML (and so JSON) with the place of everything in it, so that a mistake can be pointed at. Anchors, aliases
//! and tags are refused: nothing here needs them, and a few lines of aliases unfold to gigabytes.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use serde::Serialize;
use serde_json::{Map, Number, Value};

const DEEPEST: usize = 16;

/// Where something stands: both count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub line: usize,
    pub column: usize,
    pub field: String,
    pub message: String,
}

impl Problem {
    pub fn new(place: Place, field: &str, message: impl Into<String>) -> Problem {
        Problem { line: place.line, column: place.column, field: field.to_owned(), message: message.into() }
    }
}

/// A part of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub place: Place,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// As written; only without quotes may it be a number, a truth or nothing.
    Scalar {
        text: String,
        quoted: bool,
    },
    Sequence(Vec<Node>),
    Map(Vec<(String, Place, Node)>),
}

impl Node {
    pub fn as_map(&self) -> Option<&[(String, Place, Node)]> {
        match &self.kind {
            Kind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    pub fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Scalar { text, quoted: true } => Value::from(text.as_str()),
            Kind::Scalar { text, quoted: false } => plain_value(text),
            Kind::Sequence(nodes) => nodes.iter().map(Node::to_json).collect(),
            Kind::Map(entries) => {
                let entries = entries.iter().map(|(name, _, node)| (name.clone(), node.to_json()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }
}

/// A word without quotes, by the core schema of YAML 1.2.
fn plain_value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Value::from(whole);
    }
    let numeric = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let number = text.parse::<f64>().ok().filter(|_| numeric).and_then(Number::from_f64);
    number.map_or_else(|| Value::from(text), Value::Number)
}

/// An unfinished collection, and the name that waits for its value.
struct Open {
    node: Node,
    name: Option<(String, Place)>,
}

/// Reads one document.
pub fn read(text: &str) -> Result<Node, Problem> {
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| unreadable(&error))?;
        let place = place_of(&span);
        let refused = |what: &str| Err(Problem::new(place, "", format!("{what} are not taken here")));
        let done = match event {
            Event::Alias(_) => return refused("aliases"),
            Event::Scalar(_, _, anchor, _)
            | Event::SequenceStart(anchor, _)
            | Event::MappingStart(anchor, _)
                if anchor != 0 =>
            {
                return refused("anchors");
            }
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => {
                return refused("tags");
            }
            Event::DocumentStart(_) if root.is_some() => return refused("several documents"),
            Event::Scalar(text, style, ..) => {
                let quoted = style != ScalarStyle::Plain;
                Some(Node { place, kind: Kind::Scalar { text: text.into_owned(), quoted } })
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() == DEEPEST {
                    return Err(Problem::new(place, "", format!("is nested deeper than {DEEPEST}")));
                }
                let map = matches!(event, Event::MappingStart(..));
                let kind = if map { Kind::Map(Vec::new()) } else { Kind::Sequence(Vec::new()) };
                open.push(Open { node: Node { place, kind }, name: None });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|ended| ended.node),
            _ => None,
        };
        if let Some(node) = done {
            match open.last_mut() {
                Some(parent) => put(parent, node)?,
                None => root = Some(node),
            }
        }
    }
    let start = Place { line: 1, column: 1 };
    root.ok_or_else(|| Problem::new(start, "", "the document is empty"))
}

/// A finished node becomes a name, a value or an element of the collection around it.
fn put(parent: &mut Open, node: Node) -> Result<(), Problem> {
    match &mut parent.node.kind {
        Kind::Sequence(nodes) => nodes.push(node),
        Kind::Map(entries) => match parent.name.take() {
            Some((name, place)) => entries.push((name, place, node)),
            None => {
                let Kind::Scalar { text, .. } = node.kind else {
                    return Err(Problem::new(node.place, "", "a name must be a single word"));
                };
                if entries.iter().any(|(earlier, _, _)| *earlier == text) {
                    return Err(Problem::new(node.place, &text, "stands here twice"));
                }
                parent.name = Some((text, node.place));
            }
        },
        Kind::Scalar { .. } => {}
    }
    Ok(())
}

fn place_of(span: &Span) -> Place {
    Place { line: span.start.line(), column: span.start.col() + 1 }
}

fn unreadable(error: &ScanError) -> Problem {
    let place = Place { line: error.marker().line(), column: error.marker().col() + 1 };
    Problem::new(place, "", format!("cannot be read: {}", error.info()))
}
