//! Skills named in a text, by a taxonomy with aliases. A name that is also an everyday word (Go, Swift, Excel,
//! Chef) counts only beside other skills or in a phrase that speaks of skills: a missed one is better than one
//! made up. Linear on any input.

mod context;
mod table;

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use context::Link;
use table::TABLE;

/// A skill of the taxonomy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Skill(u16);

/// What kind of thing a skill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Language,
    Framework,
    Data,
    Platform,
    Tool,
    /// A method, a standard or a field of work.
    Field,
}

/// How much a name says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sure {
    /// In any case.
    Always,
    /// In exactly this case.
    Cased,
    /// Also an everyday word: beside other skills, or in a phrase that speaks of skills.
    Beside,
    /// Also a name of people, jobs or places: beside other skills only.
    Listed,
}

impl Skill {
    pub fn name(self) -> &'static str {
        TABLE[usize::from(self.0)].0
    }

    pub fn kind(self) -> Kind {
        TABLE[usize::from(self.0)].1
    }

    /// The whole taxonomy.
    pub fn all() -> impl Iterator<Item = Skill> {
        (0..TABLE.len()).map(|at| Skill(at as u16))
    }
}

impl fmt::Debug for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Skill {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Skill {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Skill, D::Error> {
        let name = String::deserialize(deserializer)?;
        canonical(&name).ok_or_else(|| serde::de::Error::custom(format!("no skill is called {name:?}")))
    }
}

/// What is read of one text.
const MAX_TEXT: usize = 200_000;
/// Names that are looked at in one text.
const MAX_SPANS: usize = 5_000;

/// A spelling, ready to be looked up.
#[derive(Debug)]
struct Spelling {
    lower: String,
    exact: &'static str,
    skill: Skill,
    sure: Sure,
}

/// All spellings, those with the same first two letters together and the longest first.
struct Index {
    spellings: Vec<Spelling>,
    ranges: Vec<(u16, u16)>,
}

const CLASSES: usize = 39;

fn class(byte: Option<&u8>) -> usize {
    match byte {
        Some(b @ b'a'..=b'z') => usize::from(b - b'a'),
        Some(b @ b'A'..=b'Z') => usize::from(b - b'A'),
        Some(b @ b'0'..=b'9') => usize::from(b - b'0') + 26,
        Some(b'.') => 36,
        Some(_) => 37,
        None => 38,
    }
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut spellings = Vec::with_capacity(TABLE.len() * 2);
    for (at, (name, _, sure, aliases)) in TABLE.iter().enumerate() {
        let skill = Skill(at as u16);
        let mut add = |exact: &'static str, sure| {
            spellings.push(Spelling { lower: exact.to_ascii_lowercase(), exact, skill, sure });
        };
        add(name, *sure);
        for alias in *aliases {
            match (alias.strip_prefix('='), alias.strip_prefix('~')) {
                (Some(exact), _) => add(exact, Sure::Cased),
                (_, Some(exact)) => add(exact, Sure::Beside),
                _ => add(alias, Sure::Always),
            }
        }
    }
    // a single letter stands in a bucket of its own: what follows it is no part of it
    let bucket = |spelling: &Spelling| {
        let bytes = spelling.lower.as_bytes();
        class(bytes.first()) * CLASSES + class(bytes.get(1))
    };
    spellings.sort_by_key(|spelling| (bucket(spelling), std::cmp::Reverse(spelling.lower.len())));
    let mut ranges = vec![(0, 0); CLASSES * CLASSES];
    for (at, spelling) in spellings.iter().enumerate() {
        let range: &mut (u16, u16) = &mut ranges[bucket(spelling)];
        if range.1 == 0 {
            range.0 = at as u16;
        }
        range.1 = at as u16 + 1;
    }
    Index { spellings, ranges }
});

impl Index {
    fn bucket(&self, first: Option<&u8>, second: Option<&u8>) -> &[Spelling] {
        let (from, to) = self.ranges[class(first) * CLASSES + class(second)];
        &self.spellings[usize::from(from)..usize::from(to)]
    }

    /// The longest spelling that stands at a place, whole.
    fn at(&self, text: &str, from: usize) -> Option<(&Spelling, usize)> {
        let bytes = text.as_bytes();
        let (first, second) = (bytes.get(from), bytes.get(from + 1));
        let long = self.bucket(first, second).iter().chain(self.bucket(first, None));
        long.filter_map(|spelling| Some((spelling, spelled(bytes, from, spelling)?)))
            .filter(|(spelling, to)| {
                spelling.sure != Sure::Cased || text.get(from..*to) == Some(spelling.exact)
            })
            .find(|(_, to)| ends(text, *to))
    }
}

/// Where a spelling that begins at `from` ends. A space in it may be a hyphen, and a version may follow.
fn spelled(bytes: &[u8], from: usize, spelling: &Spelling) -> Option<usize> {
    let written = bytes.get(from..from + spelling.lower.len())?;
    let same = |(own, read): (u8, &u8)| own == read.to_ascii_lowercase() || own == b' ' && *read == b'-';
    if !spelling.lower.bytes().zip(written).all(same) {
        return None;
    }
    let mut to = from + written.len();
    if spelling.sure == Sure::Always && written.len() >= 2 && !written.ends_with(b"#") {
        let digits = bytes[to..].iter().take(4).take_while(|b| b.is_ascii_digit()).count();
        to += if digits <= 2 { digits } else { 0 };
    }
    Some(to)
}

/// Whether a name ends here: no letter goes on, and it is no part of a host or file name.
fn ends(text: &str, to: usize) -> bool {
    let mut rest = text.get(to..).unwrap_or_default().chars();
    match rest.next() {
        Some('.') => !rest.next().is_some_and(|c| c.is_lowercase() || c.is_ascii_digit()),
        Some(c) => !c.is_alphanumeric() && !matches!(c, '_' | '#' | '@'),
        None => true,
    }
}

/// A name found in a text.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: usize,
    to: usize,
    skill: Skill,
    sure: Sure,
    /// Spelled as in the table, and not merely in small letters.
    exact: bool,
}

/// The skills a text names, each once, in order.
pub fn find(text: &str) -> Vec<Skill> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let spans = spans(text);
    let mut found: Vec<Skill> = Vec::new();
    let mut seen = vec![false; TABLE.len()];
    let mut begin = 0;
    while begin < spans.len() {
        let mut end = begin + 1;
        let mut links = Vec::new();
        while let Some(next) = spans.get(end) {
            let link = context::link(text, spans[end - 1], *next);
            if link == Link::None {
                break;
            }
            links.push(link);
            end += 1;
        }
        for span in counted(text, &spans[begin..end], &links) {
            if !std::mem::replace(&mut seen[usize::from(span.skill.0)], true) {
                found.push(span.skill);
            }
        }
        begin = end;
    }
    found
}

/// The skills that some texts name, each once: the end of one is no neighbour of the next one's beginning.
pub fn find_in<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> Vec<Skill> {
    let mut found: Vec<Skill> = Vec::new();
    for skill in texts.into_iter().flatten().flat_map(find) {
        if !found.contains(&skill) {
            found.push(skill);
        }
    }
    found
}

/// The skill of a name or alias in any case, for lists that hold nothing but skills.
pub fn canonical(name: &str) -> Option<Skill> {
    let name = name.trim();
    if name.is_empty() || name.len() > 60 {
        return None;
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = words.join(" ");
    let bytes = name.as_bytes();
    let long = INDEX.bucket(bytes.first(), bytes.get(1));
    let long = long.iter().chain(INDEX.bucket(bytes.first(), None));
    let mut whole = long.filter(|spelling| spelled(bytes, 0, spelling) == Some(bytes.len()));
    whole.next().map(|spelling| spelling.skill)
}

/// Every name in the text, the longest at each place, none inside another.
fn spans(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() && spans.len() < MAX_SPANS {
        if !begins(text, at) {
            at += 1;
            continue;
        }
        match INDEX.at(text, at) {
            Some((spelling, to)) => {
                let written = text.get(at..to).unwrap_or_default();
                let exact = written == spelling.exact;
                let lower = written.bytes().all(|b| !b.is_ascii_uppercase());
                let sure = spelling.sure;
                let everyday = matches!(sure, Sure::Beside | Sure::Listed);
                if !everyday || (exact || lower) && !context::is_other(text, at, to) {
                    spans.push(Span { from: at, to, skill: spelling.skill, sure, exact });
                }
                at = to.max(at + 1);
            }
            None => at += 1,
        }
    }
    spans
}

/// Whether a word begins here.
fn begins(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let starts = match bytes[at] {
        b'.' => bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic),
        b => b.is_ascii_alphanumeric(),
    };
    if !starts {
        return false;
    }
    match text[..at].chars().next_back() {
        Some('.') => at < 2 || !bytes[at - 2].is_ascii_alphanumeric(),
        Some(c) => !c.is_alphanumeric() && !matches!(c, '_' | '@'),
        None => true,
    }
}

/// Which names of a run of neighbours are meant as skills.
fn counted<'s>(text: &str, run: &'s [Span], links: &[Link]) -> Vec<&'s Span> {
    let sure = |span: &Span| matches!(span.sure, Sure::Always | Sure::Cased);
    let spoken_of: Vec<bool> =
        run.iter().map(|span| !sure(span) && span.exact && context::speaks_of(text, *span)).collect();
    let listed = run
        .windows(2)
        .zip(links)
        .any(|(pair, link)| *link == Link::Mark && pair.iter().all(|s| s.exact && s.sure == Sure::Beside));
    let carried = run.iter().any(sure) || spoken_of.iter().any(|spoken| *spoken) || listed;
    let meant = |(at, span): (usize, &'s Span)| {
        let before = at.checked_sub(1).map(|before| links[before]);
        let after = links.get(at).copied();
        let linked = before.is_some() || after.is_some();
        let meant = if sure(span) {
            true
        } else if span.exact {
            spoken_of[at] || carried && linked
        } else {
            // in small letters it must stand between the marks of a list
            let open = before == Some(Link::Mark) || before.is_none() && context::opens(text, span.from);
            let close = after == Some(Link::Mark) || after.is_none() && context::closes(text, span.to);
            carried && linked && open && close
        };
        meant.then_some(span)
    };
    run.iter().enumerate().filter_map(meant).collect()
}

#[cfg(test)]
mod tests;
