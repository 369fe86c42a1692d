//! What stands around a name: whether two names are neighbours in a list, and whether the words beside one
//! speak of skills.

use super::{Span, Sure};

/// How two names hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    None,
    /// By a word: `Go and Docker`.
    Word,
    /// By a mark: `Go, Docker`.
    Mark,
}

/// Words between the members of a list.
const JOINTS: &[&str] = &[
    "and", "or", "und", "oder", "sowie", "et", "ou", "y", "e", "o", "u", "a", "i", "oraz", "lub", "nebo",
    "og", "och", "en",
];

/// What stands between two names.
pub fn link(text: &str, before: Span, after: Span) -> Link {
    let Some(gap) = text.get(before.to..after.from) else { return Link::None };
    if gap.len() > 24 {
        return Link::None;
    }
    if gap.trim().is_empty() {
        // `SAP Go Live`: a short word behind another is no list
        let short = [before, after].iter().any(|span| span.sure == Sure::Beside && span.to - span.from <= 2);
        return match (gap.contains('\n'), short) {
            (true, _) => Link::Mark,
            (false, true) => Link::None,
            (false, false) => Link::Word,
        };
    }
    let mut marked = false;
    let pieces = gap.split(|c: char| {
        let mark = matches!(c, ',' | '/' | '|' | '&' | '+' | '(' | ')' | ';' | '•' | '·' | ':' | '\n' | '\\');
        marked |= mark;
        mark || c.is_whitespace()
    });
    let mut words = 0;
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        let version = piece.trim_start_matches('v');
        let version = version.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'x'));
        let joint = JOINTS.iter().any(|joint| piece.eq_ignore_ascii_case(joint));
        if !version && !joint && !matches!(piece, "-" | "–") {
            return Link::None;
        }
        words += usize::from(joint);
    }
    if marked && words == 0 { Link::Mark } else { Link::Word }
}

/// Whether a list may begin before this place.
pub fn opens(text: &str, from: usize) -> bool {
    let before = text[..from].trim_end_matches(' ').chars().next_back();
    before.is_none_or(|c| matches!(c, ',' | ';' | '/' | '|' | '(' | ':' | '\n' | '•' | '·'))
}

/// Whether a list may end after this place.
pub fn closes(text: &str, to: usize) -> bool {
    let after = text[to..].trim_start_matches(' ').chars().next();
    after.is_none_or(|c| matches!(c, ',' | ';' | '/' | '|' | ')' | '.' | '\n' | '•' | '·'))
}

/// Whether an everyday word is surely something else: `R&D`, `C-level`, `Spring 2025`, `Vitamin C`.
pub fn is_other(text: &str, from: usize, to: usize) -> bool {
    const BEFORE: &[&str] = &[
        "vitamin",
        "class",
        "series",
        "grade",
        "hepatitis",
        "plan",
        "type",
        "level",
        "section",
        "category",
        "tier",
        "block",
        "building",
        "°",
        "schedule",
        "appendix",
        "part",
    ];
    let after = &text[to..];
    if let Some(word) = after.strip_prefix('-') {
        let word = word.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        return !word.is_empty() && !AFTER.contains(&word.as_str()) && word != "based";
    }
    if after.starts_with(['+', '\'', '’']) && after.len() > 1 {
        return true;
    }
    let rest = after.trim_start_matches(' ');
    if to - from == 1 && rest.starts_with('&') {
        return true;
    }
    let year = rest.len() < after.len()
        && rest.starts_with("20")
        && rest.bytes().take(4).filter(u8::is_ascii_digit).count() == 4;
    year || word_before(text, from).is_some_and(|word| BEFORE.contains(&word.to_lowercase().as_str()))
}

/// What one does with a skill, or has in it; followed by `in`, `with`, `of` and the like.
const HELD: &[&str] = &[
    "experience",
    "experienced",
    "proficiency",
    "proficient",
    "knowledge",
    "skills",
    "skill",
    "skilled",
    "expertise",
    "expert",
    "fluency",
    "fluent",
    "familiarity",
    "familiar",
    "background",
    "programming",
    "coding",
    "written",
    "developing",
    "developed",
    "development",
    "built",
    "apps",
    "applications",
    "services",
    "code",
    "understanding",
    "command",
    "years",
    "write",
    "writing",
    "software",
    "scripting",
    "programs",
    "develop",
    "erfahrung",
    "kenntnisse",
    "erfahrungen",
    "programmierung",
    "experiencia",
    "conocimientos",
    "connaissance",
    "experience",
    "doświadczenie",
    "zkušenosti",
    "znalost",
    "znajomość",
];
const BETWEEN: &[&str] = &["in", "with", "of", "using", "mit", "en", "con", "de", "w", "s", "z", "on"];

/// Words right before a name that make it a skill.
const BEFORE: &[&str] = &[
    "programming",
    "language",
    "languages",
    "framework",
    "embedded",
    "advanced",
    "using",
    "stack",
    "skills",
    "coding",
    "technologies",
    "tools",
    "développeur",
    "desarrollador",
    "programador",
    "programista",
    "programátor",
    "vývojář",
    "entwickler",
    "développeuse",
    "desarrolladora",
    "modern",
];

/// Words for people, behind which a name may stand after a mark: `Engineer (Go)`.
const PEOPLE: &[&str] =
    &["developer", "engineer", "programmer", "entwickler", "developers", "engineers", "architect"];

/// Words right behind a name that make it a skill.
const AFTER: &[&str] = &[
    "developer",
    "developers",
    "engineer",
    "engineers",
    "programmer",
    "programmers",
    "programming",
    "language",
    "framework",
    "frameworks",
    "library",
    "libraries",
    "code",
    "codebase",
    "apps",
    "microservices",
    "backend",
    "api",
    "apis",
    "components",
    "hooks",
    "scripts",
    "scripting",
    "knowledge",
    "development",
    "entwickler",
    "entwicklerin",
    "kenntnisse",
    "programmierer",
    "programmierung",
    "skills",
    "macros",
    "spreadsheets",
    "spreadsheet",
    "formulas",
    "pivot",
    "charts",
    "manifests",
    "cookbooks",
    "workbooks",
    "data",
    "warehouse",
    "sql",
    "architect",
    "expert",
];

/// Whether the words beside an everyday word speak of skills.
pub fn speaks_of(text: &str, span: Span) -> bool {
    let before = words_before(text, span.from);
    let word = |at: usize| before.get(at).map(String::as_str).unwrap_or_default();
    let held = BETWEEN.contains(&word(0)) && (HELD.contains(&word(1)) || HELD.contains(&word(2)));
    if span.sure == Sure::Listed {
        return held && HELD.contains(&word(1)) && word(1) != "years";
    }
    let next = text[span.to..].trim_start_matches(['-', ' ']);
    let next = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let rest = &text[span.to..];
    let near = rest.starts_with(' ') || rest.starts_with('-');
    if near && AFTER.contains(&next.as_str()) {
        return true;
    }
    const ELSE: &[&str] = &["to", "out", "a", "the", "beyond", "live", "well", "quickly", "up"];
    if near && ELSE.contains(&next.as_str()) {
        return false;
    }
    held || BEFORE.contains(&word(0)) || PEOPLE.contains(&word(0))
}

/// The last word before a place, if nothing but spaces stands between.
fn word_before(text: &str, from: usize) -> Option<&str> {
    let before = &text[text.floor_char_boundary(from.saturating_sub(40))..from];
    before.split_whitespace().next_back()
}

/// Up to three words before a place, the nearest first, within its sentence.
fn words_before(text: &str, from: usize) -> Vec<String> {
    let before = &text[text.floor_char_boundary(from.saturating_sub(60))..from];
    let mut words = Vec::new();
    for word in before.split_whitespace().rev() {
        if word.ends_with(['.', '!', '?']) {
            break;
        }
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if !bare.is_empty() {
            words.push(bare.to_lowercase());
        }
        if words.len() == 3 {
            break;
        }
    }
    words
}
