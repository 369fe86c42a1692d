//! A job title taken apart: what is left when seniority, level, contract, place, brackets and codes are gone, in one
//! spelling. Two titles with the same key are the same role. Linear in the length of the title, which is bounded.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::clean::{Word, clean, phrased};
use super::synonyms::WHOLE;
use super::technology::{MADE_WITH, VENDORS, is_technology};
use super::words::{BUILDERS, PROGRAMS, RUN, SAID_BY, SHORT, TENDS};

/// Longer than any title; the rest is text that slipped in.
pub const MAX_TITLE: usize = 200;
pub(super) const MAX_WORDS: usize = 24;

/// How senior a title says the person is. Ordered: one above another counts as near.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Seniority {
    Intern,
    Junior,
    Middle,
    Senior,
    Lead,
    Principal,
}

impl Seniority {
    pub fn word(self) -> &'static str {
        match self {
            Seniority::Intern => "intern",
            Seniority::Junior => "junior",
            Seniority::Middle => "middle",
            Seniority::Senior => "senior",
            Seniority::Lead => "lead",
            Seniority::Principal => "principal",
        }
    }
}

/// A title, cleaned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    /// The same for every spelling of one role. Empty when nothing was left.
    pub key: String,
    /// The cleaned title as a person would write it.
    pub name: String,
    /// The noun that says what the person is: `developer`, `nurse`.
    pub head: String,
    /// What stands before the head and is no technology, in order of the alphabet.
    pub about: Vec<String>,
    pub technologies: BTreeSet<String>,
    pub seniority: Option<Seniority>,
}

static WHOLES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| WHOLE.iter().copied().collect());
/// Words that occupations are named with; a place or a company is not among them.
static VOCABULARY: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let written = WHOLE.iter().flat_map(|(from, to)| from.split(' ').chain(to.split(' ')));
    let short = SHORT.iter().flat_map(|(from, to)| to.split(' ').chain([*from]));
    written.chain(short).chain(PROGRAMS.iter().copied()).collect()
});

impl Title {
    /// Reads a title. Never fails: what cannot be read is its own key.
    pub fn read(raw: &str) -> Title {
        let text: String = raw.chars().take(MAX_TITLE).map(plain_mark).collect();
        let (text, bracketed) = without_brackets(&text);
        let mut seniority = None;
        let mut segments: Vec<Vec<Word>> = Vec::new();
        for segment in segments_of(&text) {
            let cleaned = clean(segment, &mut seniority);
            if !cleaned.is_empty() {
                segments.push(cleaned);
            }
        }
        let mut words = joined(&segments);
        for inside in &bracketed {
            let found = clean(inside, &mut None);
            let named = found.into_iter().filter(|word| is_technology(&word.plain));
            for word in named {
                if !words.iter().any(|known| known.plain == word.plain) {
                    words.insert(0, word);
                }
            }
        }
        if words.is_empty() {
            words = raw.split_whitespace().take(MAX_WORDS).map(Word::new).collect();
        }
        words.truncate(MAX_WORDS);
        Title::of_words(&words, seniority)
    }

    fn of_words(words: &[Word], seniority: Option<Seniority>) -> Title {
        let mut name: Vec<&str> = words.iter().map(|word| word.shown.as_str()).collect();
        name.dedup();
        let mut plain: Vec<String> = words.iter().map(|word| word.plain.clone()).collect();
        plain = head_last(plain);
        // A synonym may be the left side of another; three steps reach the end of every chain there is.
        for _ in 0..3 {
            plain = unified(plain);
            match WHOLES.get(plain.join(" ").as_str()) {
                Some(to) if *to != plain.join(" ") => plain = expanded(to),
                _ => break,
            }
        }
        let head = plain.last().cloned().unwrap_or_default();
        let before = &plain[..plain.len().saturating_sub(1)];
        let technologies = before.iter().filter(|word| is_technology(word)).cloned().collect();
        let mut about: Vec<String> = before.iter().filter(|word| !is_technology(word)).cloned().collect();
        about.sort_unstable();
        about.dedup();
        let key = key_of(&technologies, &about, &head);
        Title { key, name: shown(&name), head, about, technologies, seniority }
    }
}

fn key_of(technologies: &BTreeSet<String>, about: &[String], head: &str) -> String {
    let words = technologies.iter().map(String::as_str).chain(about.iter().map(String::as_str));
    words.chain([head]).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Phrases of a table stay phrases: `machine learning` is two words here as everywhere.
fn expanded(text: &str) -> Vec<String> {
    let words: Vec<Word> = text.split(' ').map(Word::new).collect();
    phrased(&words).into_iter().map(|word| word.plain).flat_map(parted).collect()
}

/// A technology of two words stays one; anything else is its words.
fn parted(word: String) -> Vec<String> {
    if is_technology(&word) { vec![word] } else { word.split(' ').map(str::to_owned).collect() }
}

/// One mark for each that means the same.
fn plain_mark(mark: char) -> char {
    match mark {
        '–' | '—' | '−' | '‑' | '‐' => '-',
        '’' | '‘' | '`' => '\'',
        '“' | '”' => '"',
        '•' | '·' | '¦' => '|',
        '／' => '/',
        mark if mark.is_whitespace() || mark.is_control() => ' ',
        mark => mark,
    }
}

/// The text outside of brackets, and what stood inside.
fn without_brackets(text: &str) -> (String, Vec<String>) {
    let (mut outside, mut inside) = (String::with_capacity(text.len()), Vec::new());
    let mut depth = 0usize;
    for mark in text.chars() {
        match mark {
            '(' | '[' | '{' => {
                depth += 1;
                if depth == 1 {
                    inside.push(String::new());
                    outside.push(' ');
                }
            }
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            mark if depth == 0 => outside.push(mark),
            mark => {
                if let Some(last) = inside.last_mut() {
                    last.push(mark);
                }
            }
        }
    }
    (outside, inside)
}

/// The parts that marks hold apart. A dash parts only when it stands alone.
fn segments_of(text: &str) -> Vec<&str> {
    text.split(['|', ',', ';', ':', '*', '!', '"'])
        .flat_map(|part| part.split(" - "))
        .flat_map(|part| part.split(" -- "))
        .flat_map(|part| part.split(" @ "))
        .flat_map(alternatives)
        .collect()
}

/// `Cleaner / Housekeeping Attendant` are two names of one thing; the first is enough if it is whole.
fn alternatives(text: &str) -> Vec<&str> {
    match text.split_once(" / ") {
        Some((first, _)) if first.split_whitespace().last().is_some_and(names_a_person) => vec![first],
        _ => vec![text],
    }
}

/// Whether a word ends as the names of occupations do.
fn names_a_person(word: &str) -> bool {
    let word = word.to_lowercase();
    let ending =
        ["er", "or", "ist", "ian", "ant", "yst", "man", "ess", "eer", "ary", "nurse", "chef", "cook"];
    word.len() > 3 && !is_technology(&word) && ending.iter().any(|end| word.ends_with(end))
}

/// One title out of its parts: the first that names a person, and what the others add to it.
fn joined(segments: &[Vec<Word>]) -> Vec<Word> {
    let names = |words: &Vec<Word>| words.last().is_some_and(|word| names_a_person(&word.plain));
    let main = segments.iter().position(names).unwrap_or(0);
    let mut words = segments.get(main).cloned().unwrap_or_default();
    let bare = words.len() == 1;
    for (at, tail) in segments.iter().enumerate() {
        if at == main
            || tail
                .iter()
                .any(|word| names_a_person(&word.plain) && !VOCABULARY.contains(word.plain.as_str()))
        {
            continue;
        }
        let says_part = |word: &Word| is_technology(&word.plain) || PROGRAMS.contains(&word.plain.as_str());
        let adds = tail.iter().all(says_part)
            || (bare
                && !names(tail)
                && tail.iter().all(|word| VOCABULARY.contains(word.plain.as_str()) || says_part(word)));
        if adds {
            let new: Vec<Word> = tail
                .iter()
                .filter(|word| !words.iter().any(|known| known.plain == word.plain))
                .cloned()
                .collect();
            words.splice(0..0, new);
        }
    }
    words
}

/// `Director of Marketing` is a marketing director.
fn head_last(mut words: Vec<String>) -> Vec<String> {
    if let Some(at) = words.iter().position(|word| word == "of")
        && at == 1
        && matches!(
            words[0].as_str(),
            "manager" | "director" | "supervisor" | "coordinator" | "teacher" | "professor"
        )
        && words.len() > 2
    {
        let head = words.remove(0);
        words.remove(0);
        words.push(head);
    }
    words
}

/// One head for all who build programs, and nothing said twice.
fn unified(mut words: Vec<String>) -> Vec<String> {
    let Some(mut head) = words.pop() else { return words };
    // Of a framework and its language, the language.
    let named: HashSet<String> = words.iter().cloned().collect();
    for word in &mut words {
        if let Some((_, language)) = MADE_WITH.iter().find(|(framework, _)| framework == word) {
            *word = (*language).to_owned();
        }
    }
    words.retain(|word| !VENDORS.iter().any(|(vendor, of)| vendor == word && named.contains(*of)));
    if head == "executive" {
        head = match words.last().map(String::as_str) {
            None | Some("account" | "chief" | "legal") => head,
            Some("sales") => "representative".to_owned(),
            Some(_) => "specialist".to_owned(),
        };
    } else if head == "expert" && !words.is_empty() {
        head = "specialist".to_owned();
    }
    if BUILDERS.contains(&head.as_str()) {
        let written = |word: &String| is_technology(word) && !RUN.contains(&word.as_str());
        let is_program = |word: &String| written(word) || PROGRAMS.contains(&word.as_str());
        let tends = words.iter().any(|word| TENDS.contains(&word.as_str()));
        if !tends && words.iter().any(is_program) {
            head = "developer".to_owned();
        }
        let others =
            |word: &str, words: &[String]| words.iter().any(|other| other != word && is_program(other));
        for vague in ["software", "application", "computer"] {
            if others(vague, &words) {
                words.retain(|word| word != vague);
            }
        }
        if words.iter().any(written) {
            words.retain(|word| word != "web");
        }
        let named: HashSet<String> = words.iter().cloned().collect();
        words.retain(|word| {
            let said = SAID_BY.iter().find(|(part, _)| part == word);
            !said.is_some_and(|(_, by)| by.iter().any(|by| named.contains(*by)))
        });
    }
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words.push(head);
    words
}

/// As a person writes it: shouting is lowered, the rest is left.
fn shown(words: &[&str]) -> String {
    let text = words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>().join(" ");
    let shouts =
        text.len() > 4 && !text.chars().any(char::is_lowercase) && text.contains(' ') | (text.len() > 6);
    let raised = |word: &str| {
        let mut marks = word.chars();
        marks
            .next()
            .map(|first| first.to_uppercase().chain(marks.flat_map(char::to_lowercase)).collect::<String>())
    };
    let quiet = !text.chars().any(char::is_uppercase);
    if shouts || quiet { text.split(' ').filter_map(raised).collect::<Vec<_>>().join(" ") } else { text }
}

#[cfg(test)]
#[path = "title_tests.rs"]
mod tests;
