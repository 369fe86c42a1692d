//! A page as the lines a reader sees, each with what its elements say about it. One pass; everything else in `layout`
//! looks at lines.

use crate::block::OTHERS;
use crate::page::{NodeId, Page};
use crate::plain_text::{Collector, Gap, fold};
use crate::tag;

use super::label::{self, Field, MAX_LABEL};

/// Lines that are looked at; an honest posting with its frame has under a thousand.
const MAX_LINES: usize = 8_000;
/// A longer line is prose: it is no name, no label and no place, and needs no folded form.
pub const MAX_NAME: usize = 180;

/// More elements side by side are a menu or prose.
const MAX_CUTS: usize = 12;

#[derive(Debug, Clone)]
pub struct Line {
    pub text: String,
    /// For comparing; empty for prose.
    pub folded: String,
    /// The element around its first text, and where its text ends in the page.
    pub node: NodeId,
    pub last: NodeId,
    /// In a heading, and of which level.
    pub level: Option<u8>,
    /// All of it is a link, or a button.
    pub link: bool,
    /// All of it is set apart (`b`, `strong`, `th`, `dt`, `label`).
    pub strong: bool,
    /// How long the part is that its first inline element holds, when more follows.
    pub lead: Option<usize>,
    /// Where one inline element ends and another one, beside it, begins.
    pub cuts: Vec<usize>,
    /// In navigation, or the header or footer of the page.
    pub furniture: bool,
    /// In a sidebar, among similar jobs, or the like.
    pub elsewhere: bool,
}

impl Line {
    /// `<span>Location</span><span>Galway</span>`: a label and its value, and so neither.
    pub fn leads_with_label(&self) -> bool {
        let lead = self.lead.and_then(|lead| self.text.get(..lead));
        let colon =
            || self.text.split_once(':').map(|(label, _)| label).filter(|label| label.len() <= MAX_LABEL);
        lead.or_else(colon).is_some_and(|label| label::field(&fold(label)).is_some())
    }

    /// The facts that stand side by side in this line, each in an element of its own or parted by a mark
    /// (`Seine & Co · Galway · Full-time`); none where it is one thing.
    pub fn pieces(&self) -> Vec<&str> {
        const MARKS: &[char] = &['·', '•', '|', '∙', '⋅', '‧', '\u{2502}'];
        if self.folded.is_empty() || self.cuts.is_empty() && !self.text.contains(MARKS) {
            return Vec::new();
        }
        let edges = self.cuts.iter().copied().chain([self.text.len()]);
        let mut from = 0;
        let mut pieces: Vec<&str> = Vec::new();
        for to in edges {
            let part = self.text.get(from..to).unwrap_or_default();
            pieces.extend(
                part.split(MARKS).map(str::trim).filter(|piece| piece.contains(char::is_alphanumeric)),
            );
            from = to;
        }
        if pieces.len() < 2 { Vec::new() } else { pieces }
    }
}

/// The lines of a page that somebody sees.
pub fn lines(page: &Page) -> Vec<Line> {
    let mut reader = Reader::default();
    let blocks: Vec<bool> = page.names.iter().map(|name| tag::is_block(name) || &**name == "br").collect();
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut sides: Vec<(u32, u32)> = Vec::new();
    let mut at = 0;
    while let Some(node) = page.nodes.get(at) {
        let id = NodeId::at(at);
        while let Some(&(_, block)) = open.last().filter(|(end, _)| *end as usize <= at) {
            reader.edge(block);
            open.pop();
        }
        let Some(name) = node.name else {
            reader.text(page, id, &page.text[node.from as usize..node.to as usize]);
            at += 1;
            continue;
        };
        let block = blocks[name as usize];
        let furniture = node.unseen && page.is_furniture(id);
        reader.edge(block);
        if node.unseen && !furniture {
            at = node.end as usize;
            continue;
        }
        if furniture {
            reader.furniture_until = reader.furniture_until.max(node.end);
        }
        if at as u32 >= reader.elsewhere_until && block && (page.tag(id) == "aside" || is_elsewhere(page, id))
        {
            reader.elsewhere_until = node.end;
            if is_side(page, id) {
                sides.push((at as u32, node.end));
            }
        }
        open.push((node.end, block));
        at += 1;
        if reader.lines.len() >= MAX_LINES {
            break;
        }
    }
    reader.edge(true);
    for (from, to) in sides {
        take_facts(&mut reader.lines, from, to);
    }
    mark_others(&mut reader.lines);
    reader.lines
}

/// What follows a line such as "Similar jobs" is about other postings, as far as it is links and little between them.
fn mark_others(lines: &mut [Line]) {
    const BETWEEN: usize = 3;
    let mut at = 0;
    while at < lines.len() {
        let begins = lines[at].folded.len() <= 60
            && !lines[at].elsewhere
            && OTHERS.iter().any(|phrase| lines[at].folded.starts_with(phrase));
        at += 1;
        if !begins {
            continue;
        }
        let (mut end, mut between) = (at, 0);
        for (next, line) in lines.iter().enumerate().skip(at) {
            between = if line.link { 0 } else { between + 1 };
            if between > BETWEEN || line.text.len() > MAX_NAME {
                break;
            }
            if line.link {
                end = next + 1;
            }
        }
        for line in &mut lines[at..end] {
            line.elsewhere = true;
        }
        at = end.max(at);
    }
}

/// A column beside the posting in which each fact of a job is named once is the posting's own.
fn take_facts(lines: &mut [Line], from: u32, to: u32) {
    let begin = lines.partition_point(|line| line.node.0 < from);
    let end = lines.partition_point(|line| line.node.0 < to);
    let named = |line: &Line| {
        let colon =
            line.text.split_once(':').map(|(label, _)| label).filter(|label| label.len() <= MAX_LABEL);
        label::field(&line.folded).or_else(|| label::field(&fold(colon?)))
    };
    let mut fields: Vec<Field> =
        lines[begin..end].iter().filter_map(named).filter(|field| *field != Field::Other).collect();
    let count = fields.len();
    fields.sort_unstable();
    fields.dedup();
    if fields.len() >= 2 && fields.len() == count {
        for line in &mut lines[begin..end] {
            line.elsewhere = false;
        }
    }
}

/// A column at the side, and not by its name one of other postings.
fn is_side(page: &Page, id: NodeId) -> bool {
    const OTHER: &[&str] = &[
        "related",
        "similar",
        "recommend",
        "suggest",
        "more",
        "other",
        "also",
        "cookie",
        "newsletter",
        "crumb",
    ];
    let other = |names: &str| OTHER.iter().any(|word| names.to_ascii_lowercase().contains(word));
    !["class", "id"].iter().any(|which| page.attribute(id, which).is_some_and(other))
}

fn is_elsewhere(page: &Page, id: NodeId) -> bool {
    ["class", "id"].iter().any(|which| page.attribute(id, which).is_some_and(crate::block::names_elsewhere))
}

#[derive(Default)]
struct Reader {
    lines: Vec<Line>,
    text: Collector,
    /// Of the line being read.
    first: Option<NodeId>,
    last: Option<NodeId>,
    plain_link: bool,
    plain_strong: bool,
    level: Option<u8>,
    lead: Option<usize>,
    /// The element of the latest text, and the edges between elements side by side.
    latest: Option<NodeId>,
    cuts: Vec<usize>,
    furniture_until: u32,
    elsewhere_until: u32,
}

impl Reader {
    fn edge(&mut self, block: bool) {
        if !block {
            self.text.gap(Gap::None);
            return;
        }
        let text = std::mem::take(&mut self.text).finish();
        let (first, last) = (self.first.take(), self.last.take());
        if let (Some(node), Some(last), false) = (first, last, text.is_empty()) {
            let folded = if text.len() <= MAX_NAME { fold(&text) } else { String::new() };
            self.lines.push(Line {
                lead: self.lead.filter(|lead| *lead < text.len()),
                cuts: std::mem::take(&mut self.cuts),
                folded,
                node,
                last,
                level: self.level,
                link: !self.plain_link,
                strong: !self.plain_strong,
                furniture: node.0 < self.furniture_until,
                elsewhere: node.0 < self.elsewhere_until,
                text,
            });
        }
        (self.plain_link, self.plain_strong, self.level, self.lead) = (false, false, None, None);
        self.latest = None;
        self.cuts.clear();
    }

    fn text(&mut self, page: &Page, id: NodeId, text: &str) {
        if text.trim().is_empty() {
            self.text.text(text);
            return;
        }
        let parent = page.parent(id).unwrap_or(Page::ROOT);
        if self.lead.is_none()
            && self.first.is_some_and(|first| first != parent && !page.holds(first, parent))
        {
            self.lead = Some(self.text.bytes());
        }
        if self.cuts.len() < MAX_CUTS
            && self.latest.is_some_and(|latest| !page.holds(latest, parent) && !page.holds(parent, latest))
        {
            self.cuts.push(self.text.bytes());
        }
        self.latest = Some(parent);
        self.first.get_or_insert(parent);
        self.last = Some(id);
        let (mut link, mut strong) = (false, false);
        for above in std::iter::once(parent).chain(page.ancestors(parent)).take(12) {
            let name = page.tag(above);
            link |= matches!(name, "a" | "button");
            strong |= matches!(name, "b" | "strong" | "th" | "dt" | "label");
            self.level = self.level.or(tag::heading_level(name));
            if tag::is_block(name) {
                break;
            }
        }
        self.plain_link |= !link;
        self.plain_strong |= !strong;
        self.text.text(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Vec<Line> {
        lines(&Page::parse(html.as_bytes(), None).unwrap())
    }

    #[test]
    fn a_line_knows_what_its_elements_say() {
        let lines =
            of("<nav>Menu</nav><h1>Net <i>Mender</i></h1><p><b>Place:</b> Sligo<br><a href=x>Apply</a></p>
            <div class='similar-jobs'><p>Cook</p></div><script>x</script><div hidden>no</div>");
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["Menu", "Net Mender", "Place: Sligo", "Apply", "Cook"]);
        assert!(lines[0].furniture && lines[4].elsewhere && lines[3].link);
        assert_eq!(lines[1].level, Some(1));
        assert_eq!(lines[2].lead, Some("Place:".len()));
        assert!(!lines[2].strong);
    }
}
