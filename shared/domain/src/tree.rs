//! Grows a page's flat tree from tokens, within limits. Nodes stand in document order, so a subtree is
//! a range. Never recursive; every scan of the open elements is counted against a budget.

use std::collections::HashMap;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Emitter, ForwardingEmitter, Tokenizer};
use thiserror::Error;

use super::page::{Attribute, Node, NodeId, Page};
use super::tag;

pub const MAX_BYTES: usize = 10 * 1024 * 1024;
pub const MAX_DEPTH: usize = 512;
pub const MAX_ATTRIBUTES: usize = 256;
pub const MAX_NODES: usize = 300_000;
/// Steps over open elements; an honest page needs a few per tag. Stands in for a CPU limit, as do the
/// next three: each `<`, `&` and NUL costs the tokenizer its part of a microsecond, whatever follows.
const MAX_STEPS: usize = 5_000_000;
const MAX_TAGS: usize = 1_000_000;
const MAX_REFERENCES: usize = 250_000;
const MAX_NULLS: usize = 250_000;
/// Attributes of the whole page, those of them that are kept, and how much of one value is kept.
const MAX_ALL_ATTRIBUTES: usize = 1_000_000;
const MAX_KEPT: usize = 300_000;
const MAX_VALUE: usize = 64 * 1024;
/// Different names of elements; all of HTML, SVG and MathML are under 300.
const MAX_NAMES: usize = 2_000;
/// A longer name is cut; nobody has a meaning for it.
const MAX_NAME: usize = 64;
/// How far up an implied end (`<li>` after `<li>`) is looked for.
const IMPLIED_REACH: usize = 16;
const LATELY: usize = 128;

/// A page is over one of the limits: a result to keep, not a fault to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("too complex: more {what} than we read")]
pub struct TooComplex {
    pub what: &'static str,
}

/// The attributes we ever look at; all others are counted and dropped.
const KEPT: &[&str] = &[
    "id",
    "class",
    "type",
    "itemprop",
    "itemtype",
    "property",
    "name",
    "content",
    "role",
    "hidden",
    "aria-hidden",
    "href",
    "datetime",
    "lang",
    "style",
    "disabled",
    "rel",
    "data-section",
    "itemscope",
    "typeof",
    "src",
    "value",
];

/// One of [`KEPT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept(u8);

impl Kept {
    fn of(name: &[u8]) -> Option<Kept> {
        KEPT.iter().position(|kept| kept.as_bytes() == name).map(|at| Kept(at as u8))
    }

    pub fn as_str(self) -> &'static str {
        KEPT[usize::from(self.0)]
    }
}

pub fn grow(text: &str) -> Result<Page, TooComplex> {
    let count = |mark: u8| text.bytes().filter(|byte| *byte == mark).count();
    if count(b'<') > MAX_TAGS {
        return Err(TooComplex { what: "tags" });
    }
    if count(b'&') > MAX_REFERENCES {
        return Err(TooComplex { what: "references" });
    }
    if count(b'\0') > MAX_NULLS {
        return Err(TooComplex { what: "NUL characters" });
    }
    let mut tree = Tree::new();
    let mut emitter =
        CallbackEmitter::new(|event: CallbackEvent<'_>, _: html5gum::Span<()>| tree.on(&event).err());
    emitter.naively_switch_states(true);
    if let Some(Ok(over)) = Tokenizer::new_with_emitter(text, Quiet(emitter)).next() {
        return Err(over);
    }
    Ok(tree.finish())
}

/// Hears of no mistakes: nobody here asks whether a page is valid, and looking for characters that are not allowed costs the
/// tokenizer a good part of its time.
pub struct Quiet<E>(pub E);

impl<E: Emitter> ForwardingEmitter for Quiet<E> {
    type Token = E::Token;

    fn inner(&mut self) -> &mut impl Emitter<Token = E::Token> {
        &mut self.0
    }

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }
}

struct Tree {
    page: Page,
    /// Ids of the known names, what they are, and how many elements of each are open.
    ids: HashMap<Box<[u8]>, u32>,
    kinds: Vec<tag::Kind>,
    /// Where the ids of common names are found without hashing; checked against the name itself.
    lately: [u32; LATELY],
    open: Vec<u32>,
    stack: Vec<NodeId>,
    /// The start tag being read: its name and where its attributes begin.
    starting: Option<(u32, usize)>,
    attributes: usize,
    all_attributes: usize,
    /// Which of `KEPT` this tag already has (the first one counts), and whether we are in one.
    seen: u32,
    keeping: bool,
    steps: usize,
}

impl Tree {
    fn new() -> Tree {
        let mut tree = Tree {
            page: Page::default(),
            ids: HashMap::new(),
            kinds: Vec::new(),
            lately: [0; LATELY],
            open: Vec::new(),
            stack: vec![NodeId(0)],
            starting: None,
            attributes: 0,
            all_attributes: 0,
            seen: 0,
            keeping: false,
            steps: 0,
        };
        let name = tree.intern(b"#document").ok();
        tree.page.nodes.push(Node {
            parent: NodeId(0),
            end: 0,
            name,
            from: 0,
            to: 0,
            unseen: false,
            sectioned: false,
        });
        tree
    }

    fn on(&mut self, event: &CallbackEvent<'_>) -> Result<(), TooComplex> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.starting = Some((self.intern(name)?, self.page.attributes.len()));
            }
            CallbackEvent::AttributeName { name } => self.attribute(name)?,
            CallbackEvent::AttributeValue { value } => {
                if self.keeping
                    && let Some(kept) = self.page.attributes.last_mut()
                {
                    let value = &value[..value.len().min(MAX_VALUE)];
                    self.page.values.push_str(&String::from_utf8_lossy(value));
                    kept.to = self.page.values.len() as u32;
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                if let Some((name, from)) = self.starting.take() {
                    self.start(name, from, *self_closing)?;
                }
                self.reset_attributes();
            }
            CallbackEvent::EndTag { name } => {
                self.reset_attributes();
                if let Some(name) = self.known(short(name)) {
                    self.end(name)?;
                }
            }
            CallbackEvent::String { value } => {
                if self.top_is("head") && value.iter().any(|b| !b.is_ascii_whitespace()) {
                    self.pop();
                }
                let from = self.page.text.len();
                self.page.text.push_str(&String::from_utf8_lossy(value));
                self.push(None, from, self.page.text.len())?;
            }
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
        Ok(())
    }

    /// Counted before it is kept; the attributes of end tags are counted too, and never kept.
    fn attribute(&mut self, name: &[u8]) -> Result<(), TooComplex> {
        self.attributes += 1;
        self.all_attributes += 1;
        if self.attributes > MAX_ATTRIBUTES || self.all_attributes > MAX_ALL_ATTRIBUTES {
            return Err(TooComplex { what: "attributes" });
        }
        self.keeping = false;
        if self.starting.is_some()
            && let Some(name) = Kept::of(name)
            && self.seen & (1 << name.0) == 0
        {
            if self.page.attributes.len() == MAX_KEPT {
                return Err(TooComplex { what: "attributes" });
            }
            self.seen |= 1 << name.0;
            self.keeping = true;
            let at = self.page.values.len() as u32;
            self.page.attributes.push(Attribute { name, from: at, to: at });
        }
        Ok(())
    }

    fn reset_attributes(&mut self) {
        self.attributes = 0;
        self.seen = 0;
        self.keeping = false;
    }

    fn start(&mut self, name: u32, from: usize, self_closing: bool) -> Result<(), TooComplex> {
        let kind = self.kinds[name as usize];
        if self.top_is("head") && !kind.in_head {
            self.pop();
        }
        for implied in kind.implied_ends {
            self.end_implied(implied)?;
        }
        let node = self.push(Some(name), from, self.page.attributes.len())?;
        self.page.classify(node, kind);
        let foreign = self_closing && (self.is_open("svg") || self.is_open("math"));
        if !kind.void && !foreign {
            if self.stack.len() > MAX_DEPTH {
                return Err(TooComplex { what: "depth" });
            }
            self.stack.push(node);
            self.open[name as usize] += 1;
        }
        Ok(())
    }

    /// Closes the nearest open `implied.closes` unless a wall stands before it.
    fn end_implied(&mut self, implied: &tag::Implied) -> Result<(), TooComplex> {
        if !implied.closes.iter().any(|name| self.is_open(name)) {
            return Ok(());
        }
        for at in (1..self.stack.len()).rev().take(IMPLIED_REACH) {
            self.step()?;
            let name = self.page.tag(self.stack[at]);
            if implied.closes.contains(&name) {
                self.pop_to(at);
                return Ok(());
            }
            if implied.walls.contains(&name) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A stray end tag is ignored, and so is one that would reach out of a table cell, or an inline
    /// one (`</b>`) that would tear a block open.
    fn end(&mut self, name: u32) -> Result<(), TooComplex> {
        if self.open[name as usize] == 0 {
            return Ok(());
        }
        let kind = self.kinds[name as usize];
        for at in (1..self.stack.len()).rev() {
            self.step()?;
            let Some(between) = self.page.nodes[self.stack[at].index()].name else { continue };
            if between == name {
                self.pop_to(at);
                return Ok(());
            }
            let between = self.kinds[between as usize];
            if between.wall && !kind.table_part || between.block && !kind.block {
                return Ok(());
            }
        }
        Ok(())
    }

    fn push(&mut self, name: Option<u32>, from: usize, to: usize) -> Result<NodeId, TooComplex> {
        if self.page.nodes.len() >= MAX_NODES {
            return Err(TooComplex { what: "nodes" });
        }
        let id = NodeId::at(self.page.nodes.len());
        let parent = self.stack.last().copied().unwrap_or(NodeId(0));
        let end = id.0 + 1;
        self.page.nodes.push(Node {
            parent,
            end,
            name,
            from: from as u32,
            to: to as u32,
            unseen: false,
            sectioned: false,
        });
        Ok(id)
    }

    fn pop(&mut self) {
        if self.stack.len() > 1 {
            self.pop_to(self.stack.len() - 1);
        }
    }

    fn pop_to(&mut self, at: usize) {
        let end = self.page.nodes.len() as u32;
        for id in self.stack.drain(at..) {
            let node = &mut self.page.nodes[id.index()];
            node.end = end;
            if let Some(name) = node.name {
                self.open[name as usize] -= 1;
            }
        }
    }

    fn step(&mut self) -> Result<(), TooComplex> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(TooComplex { what: "steps" }) } else { Ok(()) }
    }

    fn top_is(&self, name: &str) -> bool {
        self.stack.last().is_some_and(|id| self.page.tag(*id) == name)
    }

    fn is_open(&self, name: &str) -> bool {
        self.ids.get(name.as_bytes()).is_some_and(|&id| self.open[id as usize] > 0)
    }

    /// The id of a name that was seen before.
    fn known(&mut self, name: &[u8]) -> Option<u32> {
        let (first, last) =
            (name.first().copied().unwrap_or_default(), name.last().copied().unwrap_or_default());
        let place = (name.len() * 67 + usize::from(first) * 7 + usize::from(last)) % LATELY;
        let id = self.lately[place];
        if self.page.names.get(id as usize).is_some_and(|known| known.as_bytes() == name) {
            return Some(id);
        }
        let id = self.ids.get(name).copied()?;
        self.lately[place] = id;
        Some(id)
    }

    fn intern(&mut self, name: &[u8]) -> Result<u32, TooComplex> {
        let name = short(name);
        if let Some(id) = self.known(name) {
            return Ok(id);
        }
        if self.page.names.len() == MAX_NAMES {
            return Err(TooComplex { what: "names" });
        }
        let id = self.page.names.len() as u32;
        let text: Box<str> = String::from_utf8_lossy(name).into();
        self.kinds.push(tag::Kind::of(&text));
        self.page.names.push(text);
        self.open.push(0);
        self.ids.insert(name.into(), id);
        Ok(id)
    }

    fn finish(mut self) -> Page {
        self.pop_to(1);
        self.page.nodes[0].end = self.page.nodes.len() as u32;
        self.page
    }
}

fn short(name: &[u8]) -> &[u8] {
    &name[..name.len().min(MAX_NAME)]
}
