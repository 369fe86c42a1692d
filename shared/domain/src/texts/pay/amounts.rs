//! Numbers in a text that may be money: with any grouping, with a sign or code beside them, in thousands or lakhs.

use super::super::hint::Hint;
use super::currency;
use crate::salary::Period;

/// A number with what stands right beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount<'t> {
    /// With its sign or code.
    pub from: usize,
    pub to: usize,
    pub value: f64,
    /// A sign or code stands there; whether it means one currency is another matter.
    pub sign: bool,
    pub currency: Option<Option<&'static str>>,
    /// Written with `k` or its like.
    pub thousands: bool,
    /// In millions: the money of companies.
    pub large: bool,
    pub period: Option<Period>,
    pub written: &'t str,
}

const MAX_AMOUNTS: usize = 200;

pub fn amounts<'t>(text: &'t str, hint: Hint<'_>) -> Vec<Amount<'t>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Amount<'t>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < MAX_AMOUNTS {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let to = number_end(text, at);
        if let Some(amount) = amount(text, at, to, found.last().map_or(0, |last| last.to), hint) {
            at = amount.to.max(to);
            found.push(amount);
        } else {
            at = to;
        }
    }
    found
}

/// Digits in groups of three, and cents.
fn number_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let digits = |at: usize| bytes[at..].iter().take(20).take_while(|b| b.is_ascii_digit()).count();
    let mut to = from + digits(from);
    let first = to - from;
    let mut grouped: Option<&str> = None;
    loop {
        let rest = &text[to..];
        let Some(mark) = rest.chars().next() else { return to };
        let width = mark.len_utf8();
        let group = digits(to + width);
        let space = matches!(mark, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}');
        let separator = &rest[..width];
        let goes_on = match mark {
            // only whole groups of three, all parted by the same mark
            _ if space => group == 3 && first <= 3 && grouped.is_none_or(|mark| mark == separator),
            '\'' | '’' => group == 3,
            ',' | '.' => {
                group > 0 && (grouped.is_none_or(|mark| mark == separator) && group == 3 || group <= 2)
            }
            _ => false,
        };
        if !goes_on {
            return to;
        }
        to += width + group;
        // India groups by two: `6,00,000`
        let lakhs =
            mark == ',' && group == 2 && bytes.get(to) == Some(&b',') && matches!(digits(to + 1), 2 | 3);
        if group != 3 && !lakhs {
            return to;
        }
        grouped = Some(separator);
    }
}

fn amount<'t>(text: &'t str, at: usize, end: usize, last: usize, hint: Hint<'_>) -> Option<Amount<'t>> {
    let before = &text[text.ceil_char_boundary(at.saturating_sub(12)).max(last)..at];
    let joined = before.chars().next_back();
    // part of a word, a version, a percentage or a negative number
    if joined.is_some_and(|c| c == '#' || c == '_' || c == '.') {
        return None;
    }
    let mut value = value_of(&text[at..end])?;
    let mut to = end;
    let (factor, width) = factor(&text[to..]);
    to += width;
    value *= factor;
    let (leading, from) = match currency::before(before, hint) {
        Some((code, width)) => (Some(code), at - width),
        None => (None, at),
    };
    if leading.is_none() && joined.is_some_and(char::is_alphabetic) {
        return None;
    }
    let trailing = currency::after(&text[to..], hint);
    if let Some((_, width)) = trailing {
        to += width;
    } else {
        let glued = factor == 1.0 && text[to..].starts_with(char::is_alphabetic);
        if glued || text[to..].trim_start().starts_with('%') {
            return None;
        }
    }
    // `401k` is a pension
    if value == 401_000.0 && leading.is_none() && trailing.is_none() {
        return None;
    }
    let lakhs = factor == 100_000.0 || factor == 10_000_000.0;
    let rupees = lakhs.then_some(Some("INR"));
    let per_year = lakhs && text[end..to].to_ascii_lowercase().contains("lpa");
    let currency = match (leading, trailing.map(|(code, _)| code)) {
        // `US$ 100 USD`, `$100 CAD`: the clearer one counts
        (Some(None), Some(code)) => Some(code),
        (Some(code), _) => Some(code),
        (None, code) => code.or(rupees),
    };
    Some(Amount {
        from,
        to,
        value,
        sign: currency.is_some(),
        currency,
        thousands: factor == 1_000.0 || lakhs,
        large: factor > 1_000.0 && !lakhs,
        period: per_year.then_some(Period::Year),
        written: &text[from..to],
    })
}

/// What a number is multiplied by, and how many bytes say so.
fn factor(rest: &str) -> (f64, usize) {
    const FACTORS: &[(&str, f64)] = &[
        ("thousand", 1e3),
        ("tsd.", 1e3),
        ("tsd", 1e3),
        ("tys.", 1e3),
        ("tys", 1e3),
        ("tis.", 1e3),
        ("tis", 1e3),
        ("mil", 1e3),
        ("k", 1e3),
        ("lpa", 1e5),
        ("lakhs", 1e5),
        ("lakh", 1e5),
        ("lacs", 1e5),
        ("lac", 1e5),
        ("crore", 1e7),
        ("million", 1e6),
        ("millionen", 1e6),
        ("mio.", 1e6),
        ("mio", 1e6),
        ("mln", 1e6),
        ("mm", 1e6),
        ("m", 1e6),
        ("billion", 1e9),
        ("bn", 1e9),
        ("b", 1e9),
    ];
    let trimmed = rest.trim_start_matches([' ', '\u{a0}']);
    let space = rest.len() - trimmed.len();
    for (word, factor) in FACTORS {
        let Some(written) = trimmed.get(..word.len()) else { continue };
        let after = trimmed[word.len()..].chars().next();
        let whole = after.is_none_or(|c| !c.is_alphabetic());
        // `45 k` is written; `45 m` is a length, `45 b` nothing
        let near = space == 0 || word.len() >= 3 || *word == "k" && space == 1;
        if written.eq_ignore_ascii_case(word) && whole && near && space <= 2 {
            return (*factor, space + word.len());
        }
    }
    (1.0, 0)
}

/// `50,000`, `50.000`, `50 000`, `50'000`, `18.50`, `1.234,56`.
pub fn value_of(written: &str) -> Option<f64> {
    let last = written.rfind(['.', ',']);
    let decimal = last.filter(|&at| {
        let separator = &written[at..=at];
        let other = if separator == "." { ',' } else { '.' };
        written.matches(separator).count() == 1 && (written.contains(other) || written.len() - at - 1 != 3)
    });
    let plain: String = written
        .char_indices()
        .filter_map(|(at, c)| if c.is_ascii_digit() { Some(c) } else { (Some(at) == decimal).then_some('.') })
        .collect();
    plain.parse().ok()
}
