//! What readers ask of a page beside its posting: its metas, its links, its lines. Each answer is one walk.

use super::page::{NodeId, Page, Piece};
use super::plain_text::{Collector, Gap};

/// Lines of one element that are kept; a description has a few hundred.
const MAX_PARAGRAPHS: usize = 5_000;

impl Page {
    /// The content of a `<meta>` by its `property` or `name`.
    pub fn meta(&self, name: &str) -> Option<String> {
        let is = |id: &NodeId| {
            ["property", "name"].iter().any(|which| {
                self.attribute(*id, which).is_some_and(|value| value.trim().eq_ignore_ascii_case(name))
            })
        };
        self.named("meta")
            .filter(is)
            .filter_map(|id| self.attribute(id, "content"))
            .find(|content| !content.trim().is_empty())
            .map(str::to_owned)
    }

    /// The address the page gives itself.
    pub fn canonical(&self) -> Option<&str> {
        let is =
            |id: &NodeId| self.attribute(*id, "rel").is_some_and(|rel| rel.eq_ignore_ascii_case("canonical"));
        self.named("link").filter(is).find_map(|id| self.attribute(id, "href"))
    }

    /// Every link with its target.
    pub fn links(&self) -> impl Iterator<Item = (NodeId, &str)> {
        self.named("a").filter_map(|id| Some((id, self.attribute(id, "href")?)))
    }

    /// The elements of this name, in order.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = NodeId> + 'a {
        self.elements(Page::ROOT).filter(move |&id| self.tag(id) == name)
    }

    /// The elements with this class, in order.
    pub fn classed<'a>(&'a self, class: &'a str) -> impl Iterator<Item = NodeId> + 'a {
        self.elements(Page::ROOT).filter(move |&id| {
            self.attribute(id, "class")
                .is_some_and(|all| all.split_ascii_whitespace().any(|one| one == class))
        })
    }

    /// The texts of scripts that hold data or run, as they stand; not those of JSON-LD.
    pub(super) fn data_scripts(&self) -> impl Iterator<Item = &str> {
        let kinds = ["", "application/json", "text/javascript", "application/javascript", "module"];
        let holds = move |id: &NodeId| {
            let kind = self.attribute(*id, "type").unwrap_or_default();
            kinds.iter().any(|known| kind.trim().eq_ignore_ascii_case(known))
        };
        self.named("script").filter(holds).filter_map(|id| self.only_text(id))
    }

    /// The lines under a node, one below the other.
    pub(super) fn paragraphs_of(&self, root: NodeId) -> String {
        self.lines_of(root, MAX_PARAGRAPHS).join("\n")
    }

    /// Whether any text that a reader may see has a word of a closing notice.
    pub(super) fn may_be_closed(&self) -> bool {
        let mut at = 0;
        // texts one after the other are one piece: a phrase may be partly in bold
        let (mut from, mut to) = (0, 0);
        let closes = |from: u32, to: u32| super::phrase::may_close(&self.text[from as usize..to as usize]);
        while let Some(node) = self.nodes.get(at) {
            if node.name.is_some() && node.unseen {
                at = node.end as usize;
                continue;
            }
            if node.name.is_none() && node.from == to {
                to = node.to;
            } else if node.name.is_none() {
                if closes(from, to) {
                    return true;
                }
                (from, to) = (node.from, node.to);
            }
            at += 1;
        }
        closes(from, to)
    }

    /// One past the last node of an element.
    pub(super) fn end(&self, id: NodeId) -> u32 {
        self.nodes[id.index()].end
    }

    /// How many nodes an element holds, itself included.
    pub fn size(&self, id: NodeId) -> usize {
        self.nodes[id.index()].end as usize - id.index()
    }

    /// The visible text, unless it is longer than so many bytes: then it is not read to its end.
    pub fn short_text(&self, most: usize) -> Option<String> {
        let mut seen = 0;
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if node.name.is_some() && self.is_unseen(NodeId::at(at)) {
                at = node.end as usize;
                continue;
            }
            if node.name.is_none() {
                let text = &self.text[node.from as usize..node.to as usize];
                let letters = text.bytes().filter(|b| !b.is_ascii_whitespace());
                seen += letters.take(most + 1).count();
            }
            if seen > most {
                return None;
            }
            at += 1;
        }
        Some(self.visible_text()).filter(|text| text.len() <= most)
    }

    /// The lines a visitor sees, page header and footer included.
    pub fn lines(&self, most: usize) -> Vec<String> {
        self.lines_of(Page::ROOT, most)
    }

    /// The lines under a node, joined.
    pub fn joined_text(&self, root: NodeId, between: &str) -> String {
        self.lines_of(root, 200).join(between)
    }

    fn lines_of(&self, root: NodeId, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = Collector::default();
        let mut cut = |line: &mut Collector| {
            let text = std::mem::take(line).finish();
            if !text.is_empty() && lines.len() < most {
                lines.push(text);
            }
        };
        let skip = |id: NodeId| self.is_unseen(id) && !self.is_furniture(id);
        self.walk(root, skip, |piece, _| match piece {
            Piece::Text(text) => line.text(text),
            Piece::Edge { block: true } => cut(&mut line),
            Piece::Edge { block: false } => line.gap(Gap::None),
        });
        cut(&mut line);
        lines
    }
}
