//! A job title taken apart: what is left when seniority, level, contract, place, brackets and codes are gone, in one
//! spelling. Two titles with the same key are the same role. Linear in the length of the title, which is bounded.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::synonyms::WHOLE;
use super::technology::{MADE_WITH, TECHNOLOGIES, VENDORS, is_technology};
use super::words::{
    BUILDERS, JOINED, LEVELS, NOISE, NOISE_PHRASES, NOT_PLURAL, PROGRAMS, RUN, SAID_BY, SENIORITY, SHORT,
    STAFF_LEVEL, TENDS, UNITS,
};

/// Longer than any title; the rest is text that slipped in.
pub const MAX_TITLE: usize = 200;
const MAX_WORDS: usize = 24;
const LONGEST_PHRASE: usize = 4;

/// How senior a title says the person is. Ordered: one above another counts as near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
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

/// One word on its way: as it was written, and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    shown: String,
    plain: String,
}

impl Word {
    fn new(shown: &str) -> Word {
        Word { shown: shown.to_owned(), plain: shown.to_lowercase() }
    }

    fn known(plain: &str, shown: String) -> Word {
        Word { shown, plain: plain.to_owned() }
    }
}

/// What a phrase turns into.
#[derive(Clone, Copy)]
enum Turn {
    Into(&'static str),
    Nothing,
}

static PHRASES: LazyLock<HashMap<&'static str, Turn>> = LazyLock::new(|| {
    let mut phrases = HashMap::new();
    for (name, others) in TECHNOLOGIES {
        for spelling in others.iter().chain([name]) {
            phrases.insert(*spelling, Turn::Into(name));
        }
    }
    phrases.extend(JOINED.iter().map(|(from, to)| (*from, Turn::Into(to))));
    phrases.extend(NOISE_PHRASES.iter().map(|phrase| (*phrase, Turn::Nothing)));
    phrases
});
static SHORT_FORMS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| SHORT.iter().copied().collect());
static WHOLES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| WHOLE.iter().copied().collect());
static IS_NOISE: LazyLock<HashSet<&str>> = LazyLock::new(|| NOISE.iter().copied().collect());
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
        let mut words = joined(segments);
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
    phrased(words).into_iter().map(|word| word.plain).flat_map(parted).collect()
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
    let ending = ["er", "or", "ist", "ian", "ant", "yst", "man", "ess", "eer", "ary", "nurse", "chef", "cook"];
    word.len() > 3 && !is_technology(&word) && ending.iter().any(|end| word.ends_with(end))
}

/// The words of one part without what does not change the role.
fn clean(segment: &str, seniority: &mut Option<Seniority>) -> Vec<Word> {
    let raw: Vec<Word> =
        segment.split_whitespace().take(MAX_WORDS * 2).map(trimmed).filter(|word| !word.is_empty()).map(Word::new).collect();
    let raw = ended(numbers_gone(raw));
    let words = phrased(raw);
    let words: Vec<Word> = words.into_iter().flat_map(slashed).collect();
    let words = phrased(words);
    let words: Vec<Word> = words.into_iter().flat_map(hyphened).collect();
    let words = phrased(words);
    let words: Vec<Word> = words.into_iter().filter(|word| !IS_NOISE.contains(word.plain.as_str())).collect();
    let words = ranked(words, seniority);
    let words = lengthened(words);
    phrased(words).into_iter().flat_map(separate).map(singular).take(MAX_WORDS).collect()
}

/// Marks around a word; `.net`, `c++` and `c#` keep theirs.
fn trimmed(word: &str) -> &str {
    let word = word.trim_start_matches(|mark: char| !mark.is_alphanumeric() && !matches!(mark, '.' | '#' | '@'));
    let word = word.trim_end_matches(|mark: char| !mark.is_alphanumeric() && !matches!(mark, '+' | '#'));
    if word.starts_with('.') && !word.to_lowercase().starts_with(".net") { word.trim_start_matches('.') } else { word }
}

/// Codes, counts of years and months, and the words that belong to them.
fn numbers_gone(words: Vec<Word>) -> Vec<Word> {
    let is_unit = |word: Option<&Word>| word.is_some_and(|word| UNITS.contains(&word.plain.as_str()));
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    let mut after_number = false;
    for (at, word) in words.iter().enumerate() {
        let plain = word.plain.as_str();
        let digits = plain.chars().filter(char::is_ascii_digit).count();
        let letters = plain.chars().filter(|mark| mark.is_alphabetic()).count();
        let is_code = plain.starts_with('#') || (digits >= 3) || (digits > 0 && letters > 0 && plain.len() >= 6);
        let counts = digits > 0 && letters == 0 && (is_unit(words.get(at + 1)) || plain.ends_with('+') || plain.contains('-'));
        let glued = digits > 0 && UNITS.iter().any(|unit| plain.ends_with(unit));
        if PHRASES.contains_key(plain) {
            after_number = false;
        } else if is_code || counts || glued {
            after_number = counts || glued;
            continue;
        } else if after_number && UNITS.contains(&plain) {
            continue;
        } else {
            after_number = false;
        }
        kept.push(word.clone());
    }
    kept
}

/// Ends where the title ends and the company, the boss or the demands begin. Technologies named there still count.
fn ended(words: Vec<Word>) -> Vec<Word> {
    let boss = |word: &Word| {
        matches!(word.plain.as_str(), "the" | "ceo" | "cto" | "cfo" | "coo" | "chief" | "md" | "director" | "managing" | "vp" | "president" | "board" | "founder" | "partner" | "manager")
    };
    let at = words.iter().enumerate().skip(1).position(|(at, word)| match word.plain.as_str() {
        "at" | "@" | "reporting" => true,
        "to" => words.get(at + 1).is_some_and(boss),
        "with" | "w/" => true,
        _ => false,
    });
    let Some(at) = at.map(|at| at + 1) else { return words };
    let mut kept = words[..at].to_vec();
    if words[at].plain.starts_with('w') {
        let named = phrased(words[at + 1..].to_vec()).into_iter().filter(|word| is_technology(&word.plain));
        let named: Vec<Word> = named.collect();
        // `nurse with dialysis training`: what it asks for may be what it is.
        let asks = words[at + 1..].iter().any(|word| matches!(word.plain.as_str(), "experience" | "exp" | "years" | "skills" | "knowledge" | "visa" | "clearance" | "benefits" | "bonus"));
        if named.is_empty() && !asks && at + 1 < words.len() {
            return words;
        }
        for word in named.into_iter().rev() {
            if !kept.contains(&word) {
                kept.insert(0, word);
            }
        }
    }
    kept
}

/// Every phrase that is known in its one spelling, the longest first.
fn phrased(words: Vec<Word>) -> Vec<Word> {
    let mut kept = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let longest = LONGEST_PHRASE.min(words.len() - at);
        let found = (1..=longest).rev().find_map(|length| {
            let run = &words[at..at + length];
            let phrase = run.iter().map(|word| word.plain.as_str()).collect::<Vec<_>>().join(" ");
            PHRASES.get(phrase.as_str()).map(|turn| (length, *turn))
        });
        match found {
            Some((length, Turn::Into(to))) => {
                let written: Vec<&str> = words[at..at + length].iter().map(|word| word.shown.as_str()).collect();
                kept.push(Word::known(to, written.join(" ")));
                at += length;
            }
            Some((length, Turn::Nothing)) => at += length,
            None => {
                kept.push(words[at].clone());
                at += 1;
            }
        }
    }
    kept
}

fn slashed(word: Word) -> Vec<Word> {
    split_word(word, '/')
}

/// `Machine-Learning` is two words; a known compound stays.
fn hyphened(word: Word) -> Vec<Word> {
    if SHORT_FORMS.contains_key(word.plain.as_str()) || IS_NOISE.contains(word.plain.as_str()) || word.plain == "e-commerce" {
        return vec![word];
    }
    split_word(word, '-')
}

fn split_word(word: Word, mark: char) -> Vec<Word> {
    if is_technology(&word.plain) || !word.shown.contains(mark) {
        return vec![word];
    }
    word.shown.split(mark).filter(|part| !part.is_empty()).map(Word::new).collect()
}

/// Takes out what says how senior, and remembers the highest that was said.
fn ranked(words: Vec<Word>, seniority: &mut Option<Seniority>) -> Vec<Word> {
    let count = words.len();
    let head = words.last().map(|word| word.plain.clone()).unwrap_or_default();
    let mut kept: Vec<Word> = Vec::with_capacity(count);
    for (at, word) in words.into_iter().enumerate() {
        let plain = word.plain.trim_end_matches('.');
        let last = at + 1 == count;
        let said = SENIORITY.iter().find(|(known, _)| *known == plain).map(|(_, rank)| *rank);
        // The last word is the job itself: a school's principal, a team's lead. An intern of something is not.
        let said = said.filter(|rank| !last || (*rank == Seniority::Intern && !kept.is_empty()) || matches!(plain, "sr" | "jr"));
        let said = said.filter(|_| count > 1);
        let level = (last && !kept.is_empty()).then(|| level_of(plain)).flatten();
        let staff = plain == "staff" && !last && (STAFF_LEVEL.contains(&head.as_str()) || matches!(head.as_str(), "dev" | "eng"));
        let associate = plain == "associate"
            && at == 0
            && count > 1
            && matches!(head.as_str(), "developer" | "engineer" | "programmer" | "analyst" | "designer" | "consultant" | "manager" | "architect" | "scientist");
        let rank = if staff {
            Some(Seniority::Principal)
        } else if associate {
            Some(Seniority::Junior)
        } else {
            said.or(level)
        };
        match rank {
            Some(rank) => *seniority = Some(seniority.map_or(rank, |known| known.max(rank))),
            None => kept.push(word),
        }
    }
    kept
}

fn level_of(plain: &str) -> Option<Seniority> {
    let digit = plain.strip_prefix(['l', 'p', 't', 'e', 'm']).filter(|rest| rest.len() == 1).unwrap_or(plain);
    LEVELS.iter().find(|(known, _)| *known == plain || *known == digit).map(|(_, rank)| *rank)
}

/// Short forms in full.
fn lengthened(words: Vec<Word>) -> Vec<Word> {
    let count = words.len();
    let next: Vec<String> = words.iter().skip(1).map(|word| word.plain.clone()).chain([String::new()]).collect();
    let long = |at: usize, word: Word| {
        let last = at + 1 == count;
        let full = match word.plain.as_str() {
            "admin" if matches!(next[at].as_str(), "assistant" | "asst" | "clerk" | "officer" | "coordinator" | "support" | "secretary") => "administrative",
            "admin" => "administrator",
            "tech" if last && count > 1 => "technician",
            "tech" => "technical",
            "&" => "and",
            plain => match SHORT_FORMS.get(plain) {
                Some(full) => full,
                None => return word,
            },
        };
        Word::known(full, word.shown)
    };
    words.into_iter().enumerate().map(|(at, word)| long(at, word)).collect()
}

/// A form that became two words is two words from here on; the first carries what was written.
fn separate(word: Word) -> Vec<Word> {
    if is_technology(&word.plain) {
        return vec![word];
    }
    let mut shown = Some(word.shown);
    word.plain.split(' ').map(|part| Word::known(part, shown.take().unwrap_or_default())).collect()
}

fn singular(word: Word) -> Word {
    let plain = word.plain.as_str();
    let kept = plain.len() <= 3
        || is_technology(plain)
        || !plain.ends_with('s')
        || ["ss", "us", "is", "ics", "ous"].iter().any(|end| plain.ends_with(end))
        || NOT_PLURAL.contains(&plain);
    let plain = if kept {
        plain.to_owned()
    } else if let Some(stem) = plain.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        format!("{stem}y")
    } else {
        plain[..plain.len() - 1].trim_end_matches('\'').to_owned()
    };
    Word { shown: word.shown, plain }
}

/// One title out of its parts: the first that names a person, and what the others add to it.
fn joined(segments: Vec<Vec<Word>>) -> Vec<Word> {
    let names = |words: &Vec<Word>| words.last().is_some_and(|word| names_a_person(&word.plain));
    let main = segments.iter().position(names).unwrap_or(0);
    let mut words = segments.get(main).cloned().unwrap_or_default();
    let bare = words.len() == 1;
    for (at, tail) in segments.iter().enumerate() {
        if at == main || tail.iter().any(|word| names_a_person(&word.plain) && !VOCABULARY.contains(word.plain.as_str())) {
            continue;
        }
        let says_part = |word: &Word| is_technology(&word.plain) || PROGRAMS.contains(&word.plain.as_str());
        let adds = tail.iter().all(says_part)
            || (bare && !names(tail) && tail.iter().all(|word| VOCABULARY.contains(word.plain.as_str()) || says_part(word)));
        if adds {
            let new: Vec<Word> = tail.iter().filter(|word| !words.iter().any(|known| known.plain == word.plain)).cloned().collect();
            words.splice(0..0, new);
        }
    }
    words
}

/// `Director of Marketing` is a marketing director.
fn head_last(mut words: Vec<String>) -> Vec<String> {
    if let Some(at) = words.iter().position(|word| word == "of")
        && at == 1
        && matches!(words[0].as_str(), "manager" | "director" | "supervisor" | "coordinator" | "teacher" | "professor")
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
        let others = |word: &str, words: &[String]| words.iter().any(|other| other != word && is_program(other));
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
    let shouts = text.len() > 4 && !text.chars().any(char::is_lowercase) && text.contains(' ') | (text.len() > 6);
    let raised = |word: &str| {
        let mut marks = word.chars();
        marks.next().map(|first| first.to_uppercase().chain(marks.flat_map(char::to_lowercase)).collect::<String>())
    };
    let quiet = !text.chars().any(char::is_uppercase);
    if shouts || quiet { text.split(' ').filter_map(raised).collect::<Vec<_>>().join(" ") } else { text }
}

#[cfg(test)]
#[path = "title_tests.rs"]
mod tests;
