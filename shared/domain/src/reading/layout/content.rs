//! Where the posting's prose stands: the smallest element that holds most of what is written on the page. And its own
//! block, the part of the page that speaks of it and of nothing else.

use super::lines::Line;
use crate::page::{NodeId, Page};
use crate::tag;

/// A line this long is a sentence, not a name.
const SENTENCE: usize = 60;
/// Less prose than this is no description.
pub const MIN_PROSE: usize = 200;
/// One child must hold so much of the prose to be gone into.
const SHARE: f64 = 0.72;
/// What may stand around the posting's own block and still belong to it: a notice, buttons.
const MARGIN: usize = 500;
const MARGIN_LINKS: usize = 6;

/// The element that holds the prose, and how much of it.
#[derive(Debug, Clone, Copy)]
pub struct Content {
    pub node: NodeId,
    pub weight: usize,
}

fn weight(line: &Line) -> usize {
    let counts = line.text.len() >= SENTENCE && !line.link && !line.furniture && !line.elsewhere;
    if counts { line.text.len().min(1_500) } else { 0 }
}

/// Finds the prose of a page. Linear: each element's children are looked at once.
pub fn find(page: &Page, lines: &[Line]) -> Option<Content> {
    // lines are in document order: the weight of a subtree is a difference of two sums
    let mut places: Vec<(u32, usize)> = vec![(0, 0)];
    let mut sum = 0;
    for line in lines {
        sum += weight(line);
        places.push((line.node.0 + 1, sum));
    }
    let upto = |node: u32| {
        let at = places.partition_point(|(place, _)| *place <= node);
        places.get(at.wrapping_sub(1)).map_or(0, |(_, sum)| *sum)
    };
    let within = |id: NodeId| upto(page.end(id)).saturating_sub(upto(id.0));
    let all = within(Page::ROOT);
    if all < MIN_PROSE {
        return None;
    }
    let mut node = Page::ROOT;
    let mut held = all;
    loop {
        let best = children(page, node)
            .map(|id| (within(id), id))
            .max_by_key(|(weight, id)| (*weight, std::cmp::Reverse(id.0)));
        match best {
            Some((weight, id))
                if weight as f64 >= SHARE * held as f64 && tag::is_block(page.tag(id))
                    || best.is_some_and(|(weight, _)| weight == held && held > 0) =>
            {
                (node, held) = (id, weight);
            }
            _ => break,
        }
    }
    // a single paragraph is not a description; what stands around it is
    while !matches!(
        page.tag(node),
        "div"
            | "td"
            | "section"
            | "article"
            | "main"
            | "body"
            | "span"
            | "form"
            | "center"
            | "font"
            | "table"
            | "dd"
    ) {
        match page.parent(node) {
            Some(above) if above != Page::ROOT => node = above,
            _ => break,
        }
    }
    Some(Content { node, weight: held })
}

fn children(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> {
    let end = page.end(id);
    let mut at = id.0 + 1;
    std::iter::from_fn(move || {
        while at < end {
            let child = NodeId(at);
            at = page.end(child);
            if !page.tag(child).is_empty() {
                return Some(child);
            }
        }
        None
    })
}

/// The smallest element around two nodes.
pub fn around(page: &Page, one: NodeId, other: NodeId) -> NodeId {
    if page.holds(one, other) {
        return one;
    }
    page.ancestors(one).find(|above| page.holds(*above, other)).unwrap_or(Page::ROOT)
}

/// The posting's own block: what holds title and prose, and what stands close around it. Anything with much text or many
/// links of its own is somebody else's.
pub fn block(page: &Page, lines: &[Line], title: NodeId, content: Option<Content>) -> NodeId {
    let mut block = content
        .map_or_else(|| page.parent(title).unwrap_or(title), |content| around(page, title, content.node));
    loop {
        let Some(above) = page.parent(block).filter(|above| *above != Page::ROOT) else { return block };
        let (mut letters, mut links) = (0, 0);
        let from = lines.partition_point(|line| line.node.0 < above.0);
        for line in lines[from..].iter().take_while(|line| line.node.0 < page.end(above)) {
            if page.holds(block, line.node) || line.furniture {
                continue;
            }
            letters += line.text.len();
            links += usize::from(line.link);
            if letters > MARGIN || links > MARGIN_LINKS {
                return block;
            }
        }
        block = above;
    }
}

/// The text of the description: the lines of the prose's element, without what is said elsewhere.
pub fn description(page: &Page, lines: &[Line], content: Content, without: &dyn Fn(usize) -> bool) -> String {
    let mut text = String::new();
    let from = lines.partition_point(|line| line.node.0 < content.node.0);
    for (at, line) in lines.iter().enumerate().skip(from) {
        if line.node.0 >= page.end(content.node) {
            break;
        }
        if line.furniture || line.elsewhere || line.link && line.text.len() < SENTENCE || without(at) {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line.text);
    }
    text
}
