//! A page read into a flat, bounded tree: where every question about foreign HTML is asked. It must
//! never recurse, and never do more than linear work on what it was given.

use std::borrow::Cow;

use super::plain_text::{Collector, Gap};
pub use super::tree::{MAX_ATTRIBUTES, MAX_BYTES, MAX_DEPTH, MAX_NODES, TooComplex};
use super::{charset, tag, tree};

/// A node of one page; meaningless for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn at(index: usize) -> NodeId {
        NodeId(index as u32)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// `name` is none for text. `from..to` are its bytes in `Page::text`, or an element's attributes.
#[derive(Debug)]
pub(super) struct Node {
    pub parent: NodeId,
    /// One past the last node of the subtree.
    pub end: u32,
    pub name: Option<u32>,
    pub from: u32,
    pub to: u32,
    /// No reader sees it; decided once, when it is read.
    pub unseen: bool,
    /// In an article, section or main, so that a header in it is not the page's.
    pub sectioned: bool,
}

/// `from..to` are the bytes of its value in `Page::values`. Small, because a hostile page has many.
#[derive(Debug)]
pub(super) struct Attribute {
    pub name: tree::Kept,
    pub from: u32,
    pub to: u32,
}

#[derive(Debug, Default)]
pub struct Page {
    pub(super) nodes: Vec<Node>,
    pub(super) names: Vec<Box<str>>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) values: String,
    pub(super) text: String,
}

/// A heading a reader can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    pub node: NodeId,
    pub level: u8,
    pub text: String,
}

/// What a walk over visible text meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    /// The beginning or end of an element, or a line break.
    Edge {
        block: bool,
    },
}

impl Page {
    /// Reads HTML of any quality; only size and shape can be refused.
    pub fn parse(bytes: &[u8], content_type: Option<&str>) -> Result<Page, TooComplex> {
        Page::grow(&Page::text(bytes, content_type)?)
    }

    /// The characters of a page.
    pub(super) fn text<'b>(bytes: &'b [u8], content_type: Option<&str>) -> Result<Cow<'b, str>, TooComplex> {
        if bytes.len() > MAX_BYTES {
            return Err(TooComplex { what: "bytes" });
        }
        let text = charset::decode(bytes, content_type);
        // a byte of an old charset can become three
        if text.len() > MAX_BYTES {
            return Err(TooComplex { what: "bytes" });
        }
        Ok(text)
    }

    pub(super) fn grow(text: &str) -> Result<Page, TooComplex> {
        tree::grow(text)
    }

    pub const ROOT: NodeId = NodeId(0);

    /// The texts of the page's JSON-LD scripts, as they stand.
    pub fn json_ld(&self) -> Vec<&str> {
        self.elements(Page::ROOT)
            .filter(|&id| self.tag(id) == "script" && self.attribute(id, "type").is_some_and(is_json_ld))
            .filter_map(|id| self.only_text(id))
            .collect()
    }

    /// The document's title (not one of an inline picture).
    pub fn title(&self) -> Option<String> {
        let id = self.elements(Page::ROOT).find(|&id| self.tag(id) == "title")?;
        Some(super::plain_text::squeeze(self.only_text(id)?)).filter(|title| !title.is_empty())
    }

    /// The headings a reader sees, in order, without those of navigation and page header.
    pub fn headings(&self) -> Vec<Heading> {
        let mut headings = Vec::new();
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let id = NodeId::at(at);
            if node.name.is_some() && self.is_unseen(id) {
                at = node.end as usize;
                continue;
            }
            at += 1;
            if let Some(level) = tag::heading_level(self.tag(id)) {
                let text = self.text_of(id);
                if !text.is_empty() {
                    headings.push(Heading { node: id, level, text });
                }
                at = node.end as usize; // a heading inside a heading is the same text again
            }
        }
        headings
    }

    /// What a reader sees, on one line: no scripts, navigation, page header or footer, hidden parts.
    pub fn visible_text(&self) -> String {
        self.text_of(Page::ROOT)
    }

    /// The visible text under a node, on one line.
    pub fn text_of(&self, root: NodeId) -> String {
        let mut text = Collector::default();
        self.walk(
            root,
            |id| self.is_unseen(id),
            |piece, _| match piece {
                Piece::Text(piece) => text.text(piece),
                Piece::Edge { block: true } => text.gap(Gap::Space),
                Piece::Edge { block: false } => {}
            },
        );
        text.finish()
    }

    /// Goes through a subtree in document order, leaving out what `skip` names.
    pub(super) fn walk<'a>(
        &'a self,
        root: NodeId,
        skip: impl Fn(NodeId) -> bool,
        mut meet: impl FnMut(Piece<'a>, NodeId),
    ) {
        let mut open: Vec<(u32, bool)> = Vec::new(); // where an element ends, and whether it is a block
        let mut at = root.index();
        let end = self.nodes.get(at).map_or(0, |node| node.end as usize);
        while at < end {
            let (id, node) = (NodeId::at(at), &self.nodes[at]);
            while let Some(&(_, block)) = open.last().filter(|(end, _)| *end as usize <= at) {
                meet(Piece::Edge { block }, id);
                open.pop();
            }
            if node.name.is_none() {
                meet(Piece::Text(&self.text[node.from as usize..node.to as usize]), id);
            } else if id != root && skip(id) {
                meet(Piece::Edge { block: tag::is_block(self.tag(id)) }, id);
                at = node.end as usize;
                continue;
            } else {
                let name = self.tag(id);
                let block = tag::is_block(name) || name == "br";
                meet(Piece::Edge { block }, id);
                open.push((node.end, block));
            }
            at += 1;
        }
    }

    /// The element's name; empty for text.
    pub fn tag(&self, id: NodeId) -> &str {
        self.nodes[id.index()].name.map_or("", |name| &self.names[name as usize])
    }

    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        let node = &self.nodes[id.index()];
        node.name?;
        let own = &self.attributes[node.from as usize..node.to as usize];
        let found = own.iter().find(|attribute| attribute.name.as_str() == name)?;
        self.values.get(found.from as usize..found.to as usize)
    }

    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != Page::ROOT).then(|| self.nodes[id.index()].parent)
    }

    /// Whether `inner` is `outer` or stands inside it.
    pub fn holds(&self, outer: NodeId, inner: NodeId) -> bool {
        (outer.0..self.nodes[outer.index()].end).contains(&inner.0)
    }

    /// The elements of a subtree in document order, without its root.
    pub(super) fn elements(&self, root: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        (root.0 + 1..self.nodes[root.index()].end)
            .map(NodeId)
            .filter(|id| self.nodes[id.index()].name.is_some())
    }

    /// From the parent upwards.
    pub(super) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// Scripts and styles, hidden elements, and the furniture around the content.
    pub(super) fn is_unseen(&self, id: NodeId) -> bool {
        self.nodes[id.index()].unseen
    }

    /// Decides `unseen` and `sectioned` for an element whose parent is already decided.
    pub(super) fn classify(&mut self, id: NodeId, kind: tag::Kind) {
        let node = &self.nodes[id.index()];
        let inherited = self.nodes[node.parent.index()].sectioned;
        // most elements have nothing to ask for
        let bare = node.from == node.to;
        let main = !bare && self.attribute(id, "role") == Some("main");
        let unseen = kind.unseen
            || kind.furniture && self.is_furniture(id)
            || !bare && (self.is_hidden(id) || self.is_furniture(id));
        let sectioned = inherited || main || kind.section;
        let node = &mut self.nodes[id.index()];
        (node.unseen, node.sectioned) = (unseen, sectioned);
    }

    fn is_hidden(&self, id: NodeId) -> bool {
        const CLASSES: &[&str] = &["hidden", "is-hidden", "d-none", "display-none", "ng-hide", "hide"];
        self.attribute(id, "hidden").is_some()
            || self.attribute(id, "aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true"))
            || self
                .attribute(id, "class")
                .is_some_and(|value| value.split_ascii_whitespace().any(|class| CLASSES.contains(&class)))
            || self.attribute(id, "style").is_some_and(hides)
    }

    /// Navigation, and the header and footer of the page (an article has its own, which count).
    pub(super) fn is_furniture(&self, id: NodeId) -> bool {
        match (self.tag(id), self.attribute(id, "role")) {
            ("nav", _) | (_, Some("navigation" | "banner" | "contentinfo")) => true,
            ("header" | "footer", _) => !self.nodes[self.nodes[id.index()].parent.index()].sectioned,
            _ => false,
        }
    }

    pub(super) fn only_text(&self, id: NodeId) -> Option<&str> {
        let node = self.nodes.get(id.index() + 1)?;
        (node.parent == id && node.name.is_none()).then(|| &self.text[node.from as usize..node.to as usize])
    }
}

/// `application/ld+json`, in any case, with or without parameters.
fn is_json_ld(kind: &str) -> bool {
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
}

fn hides(style: &str) -> bool {
    style.split(';').any(|rule| {
        rule.split_once(':').is_some_and(|(name, value)| {
            let begins = |word: &str| {
                value.trim().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            };
            let name = name.trim();
            name.eq_ignore_ascii_case("display") && begins("none")
                || name.eq_ignore_ascii_case("visibility") && begins("hidden")
        })
    })
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
