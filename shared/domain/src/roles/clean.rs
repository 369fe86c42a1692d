//! The words of a title without what does not change the role: seniority, level, contract, place of work, codes and
//! haste go, short forms are written in full, technologies have one name.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::technology::{TECHNOLOGIES, is_technology};
use super::title::{MAX_WORDS, Seniority};
use super::words::{JOINED, LEVELS, NOISE, NOISE_PHRASES, NOT_PLURAL, SENIORITY, SHORT, STAFF_LEVEL, UNITS};

const LONGEST_PHRASE: usize = 4;

/// One word on its way: as it was written, and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub shown: String,
    pub plain: String,
}

impl Word {
    pub fn new(shown: &str) -> Word {
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
static IS_NOISE: LazyLock<HashSet<&str>> = LazyLock::new(|| NOISE.iter().copied().collect());

/// The words of one part without what does not change the role.
pub fn clean(segment: &str, seniority: &mut Option<Seniority>) -> Vec<Word> {
    let raw: Vec<Word> = segment
        .split_whitespace()
        .take(MAX_WORDS * 2)
        .map(trimmed)
        .filter(|word| !word.is_empty())
        .map(Word::new)
        .collect();
    let raw = ended(numbers_gone(&raw));
    let words = phrased(&raw);
    let words: Vec<Word> = words.into_iter().flat_map(slashed).collect();
    let words = phrased(&words);
    let words: Vec<Word> = words.into_iter().flat_map(hyphened).collect();
    let words = phrased(&words);
    let words: Vec<Word> = words.into_iter().filter(|word| !IS_NOISE.contains(word.plain.as_str())).collect();
    let words = ranked(words, seniority);
    let words = lengthened(words);
    phrased(&words).into_iter().flat_map(separate).map(singular).take(MAX_WORDS).collect()
}

/// Marks around a word; `.net`, `c++` and `c#` keep theirs.
fn trimmed(word: &str) -> &str {
    let word =
        word.trim_start_matches(|mark: char| !mark.is_alphanumeric() && !matches!(mark, '.' | '#' | '@'));
    let word = word.trim_end_matches(|mark: char| !mark.is_alphanumeric() && !matches!(mark, '+' | '#'));
    if word.starts_with('.') && !word.to_lowercase().starts_with(".net") {
        word.trim_start_matches('.')
    } else {
        word
    }
}

/// Codes, counts of years and months, and the words that belong to them.
fn numbers_gone(words: &[Word]) -> Vec<Word> {
    let is_unit = |word: Option<&Word>| word.is_some_and(|word| UNITS.contains(&word.plain.as_str()));
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    let mut after_number = false;
    for (at, word) in words.iter().enumerate() {
        let plain = word.plain.as_str();
        let digits = plain.chars().filter(char::is_ascii_digit).count();
        let letters = plain.chars().filter(|mark| mark.is_alphabetic()).count();
        let is_code =
            plain.starts_with('#') || (digits >= 3) || (digits > 0 && letters > 0 && plain.len() >= 6);
        let counts = digits > 0
            && letters == 0
            && (is_unit(words.get(at + 1)) || plain.ends_with('+') || plain.contains('-'));
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
        matches!(
            word.plain.as_str(),
            "the"
                | "ceo"
                | "cto"
                | "cfo"
                | "coo"
                | "chief"
                | "md"
                | "director"
                | "managing"
                | "vp"
                | "president"
                | "board"
                | "founder"
                | "partner"
                | "manager"
        )
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
        let named = phrased(&words[at + 1..]).into_iter().filter(|word| is_technology(&word.plain));
        let named: Vec<Word> = named.collect();
        // `nurse with dialysis training`: what it asks for may be what it is.
        let asks = words[at + 1..].iter().any(|word| {
            matches!(
                word.plain.as_str(),
                "experience"
                    | "exp"
                    | "years"
                    | "skills"
                    | "knowledge"
                    | "visa"
                    | "clearance"
                    | "benefits"
                    | "bonus"
            )
        });
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
pub fn phrased(words: &[Word]) -> Vec<Word> {
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
                let written: Vec<&str> =
                    words[at..at + length].iter().map(|word| word.shown.as_str()).collect();
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
    if SHORT_FORMS.contains_key(word.plain.as_str())
        || IS_NOISE.contains(word.plain.as_str())
        || word.plain == "e-commerce"
    {
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
        let said = said.filter(|rank| {
            !last || (*rank == Seniority::Intern && !kept.is_empty()) || matches!(plain, "sr" | "jr")
        });
        let said = said.filter(|_| count > 1);
        let level = (last && !kept.is_empty()).then(|| level_of(plain)).flatten();
        let staff = plain == "staff"
            && !last
            && (STAFF_LEVEL.contains(&head.as_str()) || matches!(head.as_str(), "dev" | "eng"));
        let associate = plain == "associate"
            && at == 0
            && count > 1
            && matches!(
                head.as_str(),
                "developer"
                    | "engineer"
                    | "programmer"
                    | "analyst"
                    | "designer"
                    | "consultant"
                    | "manager"
                    | "architect"
                    | "scientist"
            );
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
    let next: Vec<String> =
        words.iter().skip(1).map(|word| word.plain.clone()).chain([String::new()]).collect();
    let long = |at: usize, word: Word| {
        let last = at + 1 == count;
        let full = match word.plain.as_str() {
            "admin"
                if matches!(
                    next[at].as_str(),
                    "assistant" | "asst" | "clerk" | "officer" | "coordinator" | "support" | "secretary"
                ) =>
            {
                "administrative"
            }
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
