//! Label–value pairs: `<dt>Location<dd>Galway`, `<td>Location</td><td>Galway</td>`, `<b>Location</b> Galway`,
//! `Location: Galway`. A label without a value must not take the next label's.

use super::label::{self, Field, MAX_LABEL};
use super::lines::Line;
use super::marks::Marks;
use crate::page::{NodeId, Page};
use crate::plain_text::fold;

/// How a pair is set: in a structure made for it, or only in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Set {
    /// `Label: value` in a line of text.
    Line,
    /// The label is an element of its own.
    Apart,
    /// A row of a table or of a definition list.
    Row,
}

#[derive(Debug, Clone)]
pub struct Pair {
    pub field: Field,
    pub value: String,
    /// The lines of label and value.
    pub label_at: usize,
    pub at: usize,
    pub set: Set,
}

/// A value is a name, a place, a date; longer is prose.
const MAX_VALUE: usize = 150;

/// All pairs of a page, in order.
pub fn pairs(page: &Page, lines: &[Line]) -> Vec<Pair> {
    let mut found = Vec::new();
    let mut plainly = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.furniture || line.folded.is_empty() && !begins_with_label(line) {
            continue;
        }
        if let Some((pair, plain)) = whole(page, lines, at) {
            if plain {
                plainly.push(found.len());
            }
            found.push(pair);
            continue;
        }
        let pieces = line.pieces();
        if pieces.is_empty() {
            found.extend(within(line, at));
            continue;
        }
        let before = found.len();
        found.extend(
            pieces.iter().filter_map(|piece| by_colon(piece, at).or_else(|| posted_in_words(piece, at))),
        );
        if found.len() == before {
            found.extend(within(line, at));
        }
    }
    keep_lists(&mut found, &plainly);
    found
}

/// A label that nothing sets apart from its value is one among several such, or it is none. Three different ones are a list
/// of facts, as good as a table.
fn keep_lists(found: &mut Vec<Pair>, plainly: &[usize]) {
    let mut fields: Vec<Field> = plainly.iter().map(|at| found[*at].field).collect();
    fields.sort_unstable();
    fields.dedup();
    if fields.len() >= 3 {
        for at in plainly {
            found[*at].set = Set::Row;
        }
    } else if fields.len() < 2 {
        for at in plainly.iter().rev() {
            found.remove(*at);
        }
    }
}

fn begins_with_label(line: &Line) -> bool {
    line.text.len() <= MAX_LABEL + MAX_VALUE + 20
}

/// A line that is a label, with the line below or beside it, and whether nothing but their place says so.
fn whole(page: &Page, lines: &[Line], at: usize) -> Option<(Pair, bool)> {
    let label = &lines[at];
    let field = label::field(&label.folded)?;
    let column = columns(page, lines, at);
    let (value_at, set) = match column {
        Some(found) => (found, Set::Row),
        None => {
            let next = lines.get(at + 1)?;
            (at + 1, relation(page, label.node, next.node)?)
        }
    };
    let value = lines.get(value_at)?;
    // a bare word without a colon is a label only where it is set apart from what follows
    let marked = label.text.trim_end().ends_with([':', '：']) || label.strong || label.level.is_some();
    let plain = set != Set::Row && !marked && !is_labelled(page, label.node);
    if plain && !alone_together(page, lines, at) {
        return None;
    }
    let text = value.text.trim_start_matches([':', '：', ' ', '-', '–']).trim();
    // a label for the eye and one for those who do not see
    let again = text
        .split_once(':')
        .filter(|(label, _)| label.len() <= MAX_LABEL && label::field(&fold(label)) == Some(field));
    let text = again.map_or(text, |(_, value)| value.trim());
    if !is_value(text) || is_label(value) {
        return None;
    }
    Some((Pair { field, value: text.to_owned(), label_at: at, at: value_at, set }, plain))
}

/// Whether an element holds this line and the next, and nothing else.
fn alone_together(page: &Page, lines: &[Line], at: usize) -> bool {
    let Some(next) = lines.get(at + 1) else { return false };
    let around = page.ancestors(lines[at].node).take(4).find(|above| page.holds(*above, next.node));
    let Some(around) = around.filter(|id| !matches!(page.tag(*id), "body" | "html" | "#document" | ""))
    else {
        return false;
    };
    let outside = |line: Option<&Line>| line.is_none_or(|line| !page.holds(around, line.node));
    outside(at.checked_sub(1).and_then(|before| lines.get(before))) && outside(lines.get(at + 2))
}

/// `Label: value`, or a label in the first inline element of the line.
fn within(line: &Line, at: usize) -> Option<Pair> {
    let text = line.text.as_str();
    let by_lead = line.lead.and_then(|lead| Some((text.get(..lead)?, text.get(lead..)?)));
    let by_lead = by_lead.and_then(|parts| pair(parts, at, Set::Apart));
    by_lead.or_else(|| by_colon(text, at)).or_else(|| posted_in_words(text, at))
}

/// `Label: value`, `Label - value`.
fn by_colon(text: &str, at: usize) -> Option<Pair> {
    let colon = || {
        let found = text.find([':', '：']).filter(|found| *found <= MAX_LABEL)?;
        let length = text[found..].chars().next().map_or(1, char::len_utf8);
        Some((&text[..found], &text[found + length..]))
    };
    let dash = || {
        [" - ", " – ", " — "]
            .iter()
            .find_map(|mark| text.split_once(mark))
            .filter(|(label, _)| label.len() <= MAX_LABEL)
    };
    colon()
        .and_then(|parts| pair(parts, at, Set::Line))
        .or_else(|| dash().and_then(|parts| pair(parts, at, Set::Line)))
}

fn pair((label, value): (&str, &str), at: usize, set: Set) -> Option<Pair> {
    let field = label::field(&fold(label))?;
    let value = value.trim_start_matches([':', '：', ' ', '-', '–', '\u{a0}']).trim();
    // several facts in one line: `Location: Galway | Posted: today`
    let value = value.split(" | ").next().unwrap_or(value).trim();
    // in a line of prose a lone `Date:` may be any day's
    let sure = set != Set::Line || fold(label) != "date";
    (sure && is_value(value)).then(|| Pair { field, value: value.to_owned(), label_at: at, at, set })
}

/// `Posted 3 days ago`, `Posted on May 4, 2026`, `Offre publiée le 4 mai 2026`: a label and its value in one phrase.
fn posted_in_words(text: &str, at: usize) -> Option<Pair> {
    /// Words that a phrase for a day may begin with; the longest label counts.
    const LONGEST: usize = 4;
    if text.len() > 60 {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins = |count: &usize| {
        let label = fold(&words[..*count].join(" "));
        label != "date" && label::field(&label) == Some(Field::Posted)
    };
    let count = (1..=LONGEST.min(words.len().saturating_sub(1))).rev().find(begins)?;
    let value = words[count..].join(" ");
    let dated = value.bytes().any(|b| b.is_ascii_digit()) || words.len() - count <= 3;
    (dated && is_value(&value)).then_some(Pair {
        field: Field::Posted,
        value,
        label_at: at,
        at,
        set: Set::Line,
    })
}

fn is_value(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_VALUE
        && !text.ends_with(':')
        && text.contains(char::is_alphanumeric)
}

fn is_label(line: &Line) -> bool {
    line.text.trim_end().ends_with(':')
        || (label::field(&line.folded).is_some() && (line.strong || line.level.is_some()))
}

/// How a value stands to its label; none when they do not belong together.
fn relation(page: &Page, label: NodeId, value: NodeId) -> Option<Set> {
    let cell = |id| enclosing(page, id, &["td", "th"]);
    let row = |id| enclosing(page, id, &["tr"]);
    let term = enclosing(page, label, &["dt"]);
    if let Some(term) = term {
        let described = enclosing(page, value, &["dd"]);
        let list = |id| page.ancestors(id).take(8).find(|above| page.tag(*above) == "dl");
        return (described.is_some() && list(term) == list(value)).then_some(Set::Row);
    }
    match (cell(label), cell(value)) {
        (Some(one), Some(other)) if one == other => Some(Set::Apart),
        (Some(_), Some(_)) if row(label) == row(value) => Some(Set::Row),
        (Some(_), _) => None,
        (None, _) => near(page, label, value).then_some(Set::Apart),
    }
}

/// Whether the smallest element around both is close above both.
fn near(page: &Page, label: NodeId, value: NodeId) -> bool {
    const REACH: usize = 4;
    let around = page.ancestors(label).take(REACH).find(|above| page.holds(*above, value));
    let Some(around) = around else { return page.holds(label, value) };
    let climbs = |from: NodeId| {
        std::iter::once(from)
            .chain(page.ancestors(from))
            .take(REACH + 2)
            .position(|id| id == around)
            .is_some()
    };
    !matches!(page.tag(around), "body" | "html" | "#document") && climbs(value)
        || page.parent(label) == page.parent(value)
        || page.parent(value).is_some_and(|above| page.parent(label) == Some(above))
}

fn enclosing(page: &Page, id: NodeId, names: &[&str]) -> Option<NodeId> {
    const REACH: usize = 8;
    std::iter::once(id)
        .chain(page.ancestors(id))
        .take(REACH)
        .take_while(|id| page.tag(*id) != "table" && page.tag(*id) != "dl")
        .find(|id| names.contains(&page.tag(*id)))
}

/// Whether the element says by its own name that it is a label.
fn is_labelled(page: &Page, id: NodeId) -> bool {
    std::iter::once(id).chain(page.parent(id)).any(|id| {
        matches!(page.tag(id), "dt" | "th" | "label" | "b" | "strong" | "em" | "i" | "small")
            || ["class", "id"].iter().any(|which| {
                static LABELS: Marks = Marks::new(&[
                    "label", "key", "caption", "heading", "head", "title", "hidden", "term", "name",
                ]);
                page.attribute(id, which).is_some_and(|names| LABELS.are_in(names))
            })
    })
}

/// A row of labels over a row of values: the value in the same column.
fn columns(page: &Page, lines: &[Line], at: usize) -> Option<usize> {
    let row = |line: &Line| enclosing(page, line.node, &["tr"]);
    let own = row(&lines[at])?;
    // a row of its own with at least two labels and nothing but labels
    let before = lines[..at].iter().rev().take(20).take_while(|line| row(line) == Some(own)).count();
    let first = at - before;
    let length = lines[first..].iter().take(20).take_while(|line| row(line) == Some(own)).count();
    let all = lines[first..first + length].iter().all(|line| label::field(&line.folded).is_some());
    if length < 2 || !all {
        return None;
    }
    let below = row(lines.get(first + length)?)?;
    let same_table = page.parent(below) == page.parent(own);
    let values = lines[first + length..].iter().take(20).take_while(|line| row(line) == Some(below)).count();
    (same_table && values == length).then_some(at + length)
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::*;

    fn of(html: &str) -> Vec<(Field, String, Set)> {
        let page = Page::parse(html.as_bytes(), None).unwrap();
        pairs(&page, &lines(&page)).into_iter().map(|pair| (pair.field, pair.value, pair.set)).collect()
    }

    fn sligo(set: Set) -> Vec<(Field, String, Set)> {
        vec![(Field::Location, "Sligo".to_owned(), set)]
    }

    #[test]
    fn a_pair_is_found_in_every_setting() {
        assert_eq!(of("<dl><dt>Location<dd>Sligo</dl>"), sligo(Set::Row));
        assert_eq!(of("<table><tr><td>Location:</td><td><a href=x>Sligo</a></td></table>"), sligo(Set::Row));
        assert_eq!(of("<table><tr><th>Location<td>Sligo</table>"), sligo(Set::Row));
        assert_eq!(of("<p><b>Location</b> Sligo</p>"), sligo(Set::Apart));
        assert_eq!(of("<li><span>Standort</span><span>Sligo</span></li>"), sligo(Set::Apart));
        assert_eq!(of("<p>Lieu : Sligo</p>"), sligo(Set::Line));
        assert_eq!(of("<div><h4>Miejsce pracy</h4><p>Sligo</p></div>"), sligo(Set::Apart));
        assert_eq!(of("<div><div class=label>Lokalita</div><div>Sligo</div></div>"), sligo(Set::Apart));
        assert_eq!(of("<p>Posted 3 days ago</p>"), [(Field::Posted, "3 days ago".to_owned(), Set::Line)]);
    }

    #[test]
    fn a_row_of_labels_over_a_row_of_values_is_read_by_column() {
        let html = "<table><tr><th>Location<th>Salary<tr><td>Sligo<td>12 EUR</table>";
        assert_eq!(
            of(html),
            [(Field::Location, "Sligo".to_owned(), Set::Row), (Field::Salary, "12 EUR".to_owned(), Set::Row)]
        );
    }

    #[test]
    fn a_label_without_a_value_takes_no_other_s() {
        assert_eq!(of("<table><tr><td>Location:<td><tr><td>Fax:<td>1</table>").len(), 1);
        assert_eq!(of("<dl><dt>Location<dt>Salary<dd>12</dl>"), [(Field::Salary, "12".to_owned(), Set::Row)]);
        assert_eq!(of("<p>Location</p><p>is everything, they say</p>"), []);
    }
}
