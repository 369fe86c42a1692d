//! Label–value pairs: `<dt>Location<dd>Galway`, `<td>Location</td><td>Galway</td>`, `<b>Location</b> Galway`,
//! `Location: Galway`. A label without a value must not take the next label's.

use super::label::{self, Field, MAX_LABEL};
use super::lines::Line;
use super::marks::Marks;
use crate::domain::page::{NodeId, Page};
use crate::domain::plain_text::fold;

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
    for (at, line) in lines.iter().enumerate() {
        if line.furniture || line.folded.is_empty() && !begins_with_label(line) {
            continue;
        }
        if let Some(pair) = whole(page, lines, at).or_else(|| within(line, at)) {
            found.push(pair);
        }
    }
    found
}

fn begins_with_label(line: &Line) -> bool {
    line.text.len() <= MAX_LABEL + MAX_VALUE + 20
}

/// A line that is a label, with the line below or beside it.
fn whole(page: &Page, lines: &[Line], at: usize) -> Option<Pair> {
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
    if set != Set::Row && !marked && !is_labelled(page, label.node) {
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
    Some(Pair { field, value: text.to_owned(), label_at: at, at: value_at, set })
}

/// `Label: value`, or a label in the first inline element of the line.
fn within(line: &Line, at: usize) -> Option<Pair> {
    let text = line.text.as_str();
    let by_lead = line.lead.and_then(|lead| Some((text.get(..lead)?, text.get(lead..)?)));
    let by_colon = text.find([':', '：']).filter(|at| *at <= MAX_LABEL).map(|at| {
        let length = text[at..].chars().next().map_or(1, char::len_utf8);
        (&text[..at], &text[at + length..])
    });
    let pair = |(label, value): (&str, &str), set| {
        let field = label::field(&fold(label))?;
        let value = value.trim_start_matches([':', '：', ' ', '-', '–', '\u{a0}']).trim();
        // several facts in one line: `Location: Galway | Posted: today`
        let value = value.split(" | ").next().unwrap_or(value).trim();
        // in a line of prose a lone `Date:` may be any day's
        let sure = set != Set::Line || fold(label) != "date";
        (sure && is_value(value)).then(|| Pair { field, value: value.to_owned(), label_at: at, at, set })
    };
    by_lead
        .and_then(|parts| pair(parts, Set::Apart))
        .or_else(|| by_colon.and_then(|parts| pair(parts, Set::Line)))
        .or_else(|| posted_in_words(line, at))
}

/// `Posted 3 days ago`, `Posted on May 4, 2026`: a label and its value in one phrase.
fn posted_in_words(line: &Line, at: usize) -> Option<Pair> {
    const BEGINS: &[&str] = &[
        "posted on ",
        "posted ",
        "published on ",
        "published ",
        "listed on ",
        "listed ",
        "job posted ",
        "added on ",
        "added ",
        "veroffentlicht am ",
        "veroffentlicht ",
        "online seit ",
        "publiee le ",
        "publie le ",
        "publiee ",
        "publie ",
        "publicado el ",
        "publicada el ",
        "publicado ",
        "publicada ",
        "opublikowano ",
        "dodano ",
        "dodana ",
        "zverejneno ",
        "vlozeno ",
        "pridano ",
        "geplaatst op ",
        "pubblicato il ",
        "publicado em ",
        "publicerad ",
    ];
    let begin = BEGINS.iter().find(|begin| line.folded.starts_with(**begin))?;
    let spoken = line.folded.get(begin.len()..)?;
    let dated = spoken.bytes().any(|b| b.is_ascii_digit()) || spoken.split(' ').count() <= 3;
    if !dated || line.text.len() > 60 {
        return None;
    }
    // the folded words before the value are as many as in the line itself
    let words = begin.trim_end().split(' ').count();
    let value: Vec<&str> = line.text.split_whitespace().skip(words).collect();
    let value = value.join(" ");
    is_value(&value).then_some(Pair { field: Field::Posted, value, label_at: at, at, set: Set::Line })
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
