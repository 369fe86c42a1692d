//! The posting's own block: the part of a page that speaks about this posting and no other. Whatever
//! stands in related jobs, sidebars or navigation must not be read as if it were about ours.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::page::{Heading, NodeId, Page, Piece};
use super::plain_text::{Collector, Gap, fold};
use super::tag;

/// Words in a class or id that say "this is about something else".
const ELSEWHERE: &[&str] = &[
    "related",
    "similar",
    "recommended",
    "recommendations",
    "suggested",
    "suggestions",
    "sidebar",
    "morejobs",
    "otherjobs",
    "alsoviewed",
    "alsolike",
    "breadcrumb",
    "breadcrumbs",
    "cookie",
    "cookies",
    "newsletter",
    "testimonial",
    "testimonials",
    "faq",
];

/// Headings over other postings, folded.
pub(super) const OTHERS: &[&str] = &[
    "similar jobs",
    "similar positions",
    "similar roles",
    "similar openings",
    "related jobs",
    "related positions",
    "related openings",
    "other jobs",
    "other openings",
    "other positions",
    "more jobs",
    "more openings",
    "recommended jobs",
    "jobs you may like",
    "you may also like",
    "people also viewed",
    "people also applied",
    "ahnliche stellen",
    "ahnliche jobs",
    "weitere stellen",
    "weitere jobs",
    "andere stellen",
    "offres similaires",
    "offres d emploi similaires",
    "autres offres",
    "emplois similaires",
    "ofertas similares",
    "empleos similares",
    "otras ofertas",
    "ofertas relacionadas",
    "podobne oferty",
    "inne oferty",
    "podobne ogloszenia",
    "podobne stanowiska",
    "podobne nabidky",
    "dalsi nabidky",
    "podobne pozice",
    "dalsi pozice",
];

/// A page this short with no heading at all may be nothing but a notice.
const BARE_PAGE: usize = 600;

/// Lines of a block that are looked at; an honest posting has a few hundred.
const MAX_LINES: usize = 5_000;

impl Page {
    /// The node that holds the posting: the nearest article or main around its heading, or else the
    /// widest element around it that holds no navigation, sidebar, or page header or footer.
    pub fn posting_block(&self, title: Option<&str>) -> Option<NodeId> {
        self.block_of(self.posting_heading(title).map(|heading| heading.node))
    }

    fn block_of(&self, heading: Option<NodeId>) -> Option<NodeId> {
        match heading {
            Some(heading) => Some(self.block_around(heading)),
            None => self
                .elements(Page::ROOT)
                .find(|&id| self.tag(id) == "main" || self.attribute(id, "role") == Some("main"))
                .or_else(|| {
                    (self.headings().is_empty() && self.short_text(BARE_PAGE).is_some()).then_some(Page::ROOT)
                }),
        }
    }

    /// The heading that equals the title; without one the page's `h1`.
    fn posting_heading(&self, title: Option<&str>) -> Option<Heading> {
        let headings = self.headings();
        let wanted = title.map(fold).filter(|title| !title.is_empty());
        let named = wanted.and_then(|wanted| {
            let equal = |heading: &&Heading| fold(&heading.text) == wanted;
            headings.iter().filter(equal).min_by_key(|heading| heading.level).cloned()
        });
        named.or_else(|| headings.into_iter().find(|heading| heading.level == 1))
    }

    fn block_around(&self, heading: NodeId) -> NodeId {
        let mut widest = heading;
        let furniture: Vec<NodeId> = self
            .elements(Page::ROOT)
            .filter(|&id| self.is_furniture(id) || self.tag(id) == "aside")
            .collect();
        for above in self.ancestors(heading) {
            if matches!(self.tag(above), "article" | "main")
                || self.attribute(above, "role") == Some("main")
                || self.attribute(above, "itemtype").is_some_and(|kind| kind.ends_with("/JobPosting"))
            {
                return above;
            }
            let next = furniture.partition_point(|&id| id < above);
            if furniture.get(next).is_some_and(|&id| self.holds(above, id)) && widest != heading {
                return widest;
            }
            widest = above;
        }
        widest
    }

    /// The lines of the posting's own block, without those that belong to other postings, to the
    /// description's prose, or to controls. Linear.
    pub fn own_lines(&self, title: Option<&str>) -> Vec<String> {
        let heading = self.posting_heading(title).map(|heading| heading.node);
        match self.block_of(heading) {
            Some(block) => self.lines_of_block(block, heading),
            None => Vec::new(),
        }
    }

    /// The same in a block that is known.
    pub(super) fn lines_in(&self, block: NodeId, title: Option<&str>) -> Vec<String> {
        let heading = self.posting_heading(title).map(|heading| heading.node);
        self.lines_of_block(block, heading.filter(|heading| self.holds(block, *heading)))
    }

    fn lines_of_block(&self, block: NodeId, heading: Option<NodeId>) -> Vec<String> {
        let foreign = Foreign::of(self, block, heading);
        let mut lines = Vec::new();
        let mut line = Collector::default();
        let mut cut = |line: &mut Collector| {
            let text = std::mem::take(line).finish();
            if !text.is_empty() && lines.len() < MAX_LINES {
                lines.push(text);
            }
        };
        let skip = |id: NodeId| self.is_unseen(id) || foreign.holds(self, id);
        self.walk(block, skip, |piece, id| match piece {
            Piece::Text(_) if foreign.after_others(id) => {}
            Piece::Text(text) => line.text(text),
            Piece::Edge { block: true } => cut(&mut line),
            Piece::Edge { block: false } => line.gap(Gap::Space),
        });
        cut(&mut line);
        lines
    }
}

/// What inside a block is not about its posting.
struct Foreign {
    heading: Option<NodeId>,
    /// Links and headings before each node, so that a subtree is counted by two look-ups.
    links: Vec<u32>,
    headings: Vec<u32>,
    /// Parents that have at least two cards (a link and a heading of their own) of one tag.
    lists: HashMap<(NodeId, u32), u32>,
    /// Ranges from a heading such as "Similar jobs" to the end of what it stands in; apart, in order.
    others: Vec<(u32, u32)>,
}

impl Foreign {
    fn of(page: &Page, block: NodeId, heading: Option<NodeId>) -> Foreign {
        let mut foreign = Foreign {
            heading,
            links: count(page, |id| page.tag(id) == "a" && page.attribute(id, "href").is_some()),
            headings: count(page, |id| tag::heading_level(page.tag(id)).is_some()),
            lists: HashMap::new(),
            others: Vec::new(),
        };
        for id in page.elements(block) {
            if foreign.is_card(page, id) {
                *foreign.lists.entry(foreign.list_of(page, id)).or_default() += 1;
            }
            if tag::heading_level(page.tag(id)).is_some() && Some(id) != heading && is_small(page, id) {
                let text = fold(&page.text_of(id));
                if OTHERS.iter().any(|phrase| text.contains(phrase)) {
                    let (from, to) = after(page, block, id);
                    match foreign.others.last_mut() {
                        Some(last) if from < last.1 => last.1 = last.1.max(to),
                        _ => foreign.others.push((from, to)),
                    }
                }
            }
        }
        foreign
    }

    fn is_ours(&self, page: &Page, id: NodeId) -> bool {
        self.heading.is_some_and(|heading| page.holds(id, heading))
    }

    fn is_card(&self, page: &Page, id: NodeId) -> bool {
        matches!(page.tag(id), "li" | "article" | "tr" | "div" | "section" | "a")
            && !self.is_ours(page, id)
            && within(page, &self.headings, id) > 0
            && (within(page, &self.links, id) > 0 || page.tag(id) == "a")
    }

    fn list_of(&self, page: &Page, id: NodeId) -> (NodeId, u32) {
        let node = &page.nodes[id.index()];
        (node.parent, node.name.unwrap_or_default())
    }

    fn holds(&self, page: &Page, id: NodeId) -> bool {
        if self.is_ours(page, id) {
            return false;
        }
        let name = page.tag(id);
        let row = matches!(name, "li" | "tr" | "option") && within(page, &self.links, id) > 0;
        let control = matches!(name, "a" | "label" | "option")
            || name == "button" && page.attribute(id, "disabled").is_none();
        let listed = || {
            self.lists.get(&self.list_of(page, id)).is_some_and(|&cards| cards >= 2) && self.is_card(page, id)
        };
        matches!(name, "aside" | "article" | "dialog" | "blockquote")
            || row
            || control
            || page.attribute(id, "itemprop") == Some("description")
            || ["class", "id"].iter().any(|which| page.attribute(id, which).is_some_and(is_elsewhere))
            || listed()
    }

    fn after_others(&self, id: NodeId) -> bool {
        let next = self.others.partition_point(|(_, to)| *to <= id.0);
        self.others.get(next).is_some_and(|(from, _)| *from <= id.0)
    }
}

/// `job-description`, `similar_jobs`, `moreJobs`: about the prose, or about something else.
fn is_elsewhere(names: &str) -> bool {
    let words = |name: &str| {
        name.split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word.len() >= 11 && word.to_ascii_lowercase().ends_with("description"))
    };
    names.split_ascii_whitespace().any(words) || names_elsewhere(names)
}

/// Whether classes or an id say "this is about something else": `similar_jobs`, `moreJobs`.
pub(super) fn names_elsewhere(names: &str) -> bool {
    // nearly all names have none of these in them, and one search tells
    static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let words = ELSEWHERE.iter().chain(&["jobs", "viewed", "like"]);
        AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
    });
    if !MARKS.as_ref().is_some_and(|marks| marks.is_match(names)) {
        return false;
    }
    names.split_ascii_whitespace().any(|name| {
        let name = name.to_ascii_lowercase();
        let words = || name.split(|c: char| !c.is_ascii_alphanumeric());
        let whole: String = words().collect();
        words().any(|word| ELSEWHERE.contains(&word))
            || ELSEWHERE.contains(&whole.as_str())
            || ["similarjobs", "relatedjobs", "recommendedjobs"].contains(&whole.as_str())
    })
}

/// Headings can be nested in headings: only small ones are read, or the work would multiply.
fn is_small(page: &Page, id: NodeId) -> bool {
    let nodes = &page.nodes[id.index()..page.nodes[id.index()].end as usize];
    let text = nodes.iter().take(32).filter(|node| node.name.is_none());
    nodes.len() <= 32 && text.map(|node| node.to - node.from).sum::<u32>() <= 400
}

/// From a heading (or the wrapper it is alone in) to the end of the element around it.
fn after(page: &Page, block: NodeId, heading: NodeId) -> (u32, u32) {
    let mut start = heading;
    for above in page.ancestors(heading) {
        let node = &page.nodes[above.index()];
        let alone = start.0 - above.0 <= 2 && node.end - page.nodes[start.index()].end <= 1; // white space aside
        if !alone || above == block {
            return (start.0, node.end);
        }
        start = above;
    }
    (start.0, page.nodes[block.index()].end)
}

fn count(page: &Page, is: impl Fn(NodeId) -> bool) -> Vec<u32> {
    let mut seen = 0;
    let mut counts = Vec::with_capacity(page.nodes.len() + 1);
    for at in 0..page.nodes.len() {
        counts.push(seen);
        seen += u32::from(is(NodeId::at(at)));
    }
    counts.push(seen);
    counts
}

fn within(page: &Page, counts: &[u32], id: NodeId) -> u32 {
    counts[page.nodes[id.index()].end as usize] - counts[id.index()]
}
