//! The day a short text speaks of: `Nov 2, 2026`, `2. listopadu 2026`, `vor 3 Tagen`, `30+ days ago`. A text
//! with two different days, or a day that could be another (`02/11/2026` from nowhere), has none.

mod words;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::hint::Hint;
use crate::plain_text::fold;

/// A day, and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub date: Date,
    pub precision: Precision,
    pub rule: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// This day.
    Day,
    /// Within a few days of it: `2 weeks ago`.
    About,
    /// In this month; the date is its first.
    Month,
    /// This day or one before it: `30+ days ago`.
    NoLater,
}

/// Longer text is not a date but prose.
const MAX_TEXT: usize = 300;
const MAX_TOKENS: usize = 80;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A number and how many digits it was written with.
    Number(u64, usize),
    /// In small letters, without marks.
    Word(String),
    Mark(char),
}

/// The one day in a text; relative ones are counted back from `fetched_at`, in UTC.
pub fn day(text: &str, fetched_at: Timestamp, hint: Hint<'_>) -> Option<Found> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let tokens = tokens(text);
    if let [Token::Number(number, digits)] = tokens[..] {
        return epoch(number, digits).or_else(|| compact(number, digits));
    }
    let mut found: Option<Found> = None;
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        let before = &tokens[..at];
        let here = relative(before, rest, fetched_at)
            .or_else(|| year_first(before, rest))
            .or_else(|| day_first(rest, fetched_at))
            .or_else(|| month_first(before, rest, fetched_at, hint))
            .or_else(|| numeric(before, rest, hint));
        let Some((here, used)) = here else {
            at += 1;
            continue;
        };
        match found {
            Some(before) if before.date != here.date => return None,
            Some(_) => {}
            None => found = Some(here),
        }
        at += used.max(1);
    }
    found.or_else(|| short(&tokens, fetched_at))
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((from, c)) = chars.next() {
        if tokens.len() == MAX_TOKENS {
            break;
        }
        let kind = |c: char| (c.is_ascii_digit(), c.is_alphabetic());
        if !c.is_ascii_digit() && !c.is_alphabetic() {
            if !c.is_whitespace() {
                tokens.push(Token::Mark(c));
            }
            continue;
        }
        let mut to = from + c.len_utf8();
        // combining marks belong to their letter; a sign of the Han script is a word by itself
        while let Some(&(at, next)) = chars.peek() {
            let same = kind(next) == kind(c) && !is_han(next) && !is_han(c);
            if !same && !matches!(next, '\u{300}'..='\u{36F}') {
                break;
            }
            to = at + next.len_utf8();
            chars.next();
        }
        let written = &text[from..to];
        tokens.push(match written.parse() {
            Ok(number) if c.is_ascii_digit() => Token::Number(number, written.len()),
            _ => Token::Word(fold(written)),
        });
    }
    tokens
}

fn is_han(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '년' | '월' | '일')
}

fn date(year: u64, month: u64, day: u64) -> Option<Date> {
    let year = i16::try_from(year).ok().filter(|year| (1990..=2100).contains(year))?;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn exact(date: Date, rule: &'static str) -> Found {
    Found { date, precision: Precision::Day, rule }
}

/// Seconds or milliseconds since 1970.
fn epoch(number: u64, digits: usize) -> Option<Found> {
    let number = i64::try_from(number).ok()?;
    let moment = match digits {
        10 => Timestamp::from_second(number),
        13 => Timestamp::from_millisecond(number),
        _ => return None,
    };
    let date = today(moment.ok()?);
    (1990..=2100).contains(&date.year()).then(|| exact(date, "epoch"))
}

/// `20261102`.
fn compact(number: u64, digits: usize) -> Option<Found> {
    let date = date(number / 10_000, number / 100 % 100, number % 100).filter(|_| digits == 8)?;
    Some(exact(date, "iso"))
}

fn today(moment: Timestamp) -> Date {
    moment.to_zoned(TimeZone::UTC).date()
}

fn is_mark(token: Option<&Token>, marks: &[char]) -> bool {
    matches!(token, Some(Token::Mark(mark)) if marks.contains(mark))
}

/// `2026-11-02`, `2026/11/02`, `2026.11.02`, `2026年11月2日`, `2026-Nov-02`.
fn year_first(before: &[Token], rest: &[Token]) -> Option<(Found, usize)> {
    let Token::Number(year, 4) = rest.first()? else { return None };
    if let (Token::Word(first), Token::Number(month, 1..=2), Token::Word(second), Token::Number(day, 1..=2)) =
        (rest.get(1)?, rest.get(2)?, rest.get(3)?, rest.get(4)?)
    {
        let han = matches!(first.as_str(), "年" | "년") && matches!(second.as_str(), "月" | "월");
        return han.then(|| date(*year, *month, *day)).flatten().map(|date| (exact(date, "iso"), 6));
    }
    if is_mark(before.last(), &['-', '/', '.']) {
        return None; // the end of something longer
    }
    let mark = rest.get(1).filter(|mark| is_mark(Some(mark), &['-', '/', '.']))?;
    if rest.get(3) != Some(mark) {
        return None;
    }
    let month = match rest.get(2)? {
        Token::Number(month, 1..=2) => *month,
        Token::Word(name) => words::month(name)?,
        _ => return None,
    };
    let Token::Number(day, 1..=2) = rest.get(4)? else { return None };
    Some((exact(date(*year, month, *day)?, "iso"), 5))
}

/// `2. November 2026`, `2nd of Nov 2026`, `02-Nov-2026`, `2 de noviembre de 2026`, `2 Nov`.
fn day_first(rest: &[Token], fetched_at: Timestamp) -> Option<(Found, usize)> {
    let Token::Number(day, 1..=2) = rest.first()? else { return None };
    let mut at = 1;
    while let Some(token) = rest.get(at).filter(|_| at <= 3) {
        let between = match token {
            Token::Mark(mark) => matches!(mark, '.' | '-' | '/' | ',' | 'º' | '°' | 'ª' | '’'),
            Token::Word(word) => words::between(word),
            Token::Number(..) => false,
        };
        if !between {
            break;
        }
        at += 1;
    }
    let Token::Word(name) = rest.get(at)? else { return None };
    let month = words::month(name)?;
    let (year, used) = year_after(&rest[at + 1..]);
    dated(year, month, *day, fetched_at).map(|found| (found, at + 1 + used))
}

/// `Nov 2, 2026`, `November 2nd 2026`, `Nov 02`, `November 2026`.
fn month_first(
    before: &[Token],
    rest: &[Token],
    fetched_at: Timestamp,
    hint: Hint<'_>,
) -> Option<(Found, usize)> {
    let Token::Word(name) = rest.first()? else { return None };
    let month = words::month(name)?;
    let spanish = || hint.language().is_some_and(|language| matches!(language.as_str(), "es" | "it" | "pt"));
    if matches!(name.as_str(), "ago" | "set" | "out") && !spanish() {
        return None; // `3 days ago, 10:30`
    }
    let mut at = 1;
    while is_mark(rest.get(at), &['.', '-', '/', ',']) && at <= 2
        || matches!(rest.get(at), Some(Token::Word(word)) if word == "de")
    {
        at += 1;
    }
    match rest.get(at)? {
        Token::Number(day, 1..=2) if *day >= 1 => {
            // the hour of a time is no day
            if is_mark(rest.get(at + 1), &[':']) {
                return None;
            }
            let suffix = matches!(rest.get(at + 1), Some(Token::Word(word)) if words::between(word));
            let (year, used) = year_after(&rest[at + 1 + usize::from(suffix)..]);
            let used = at + 1 + usize::from(suffix) + used;
            dated(year, month, *day, fetched_at).map(|found| (found, used))
        }
        Token::Number(year, 4) if !matches!(before.last(), Some(Token::Number(..) | Token::Mark('.'))) => {
            let found = Found { date: date(*year, month, 1)?, precision: Precision::Month, rule: "month" };
            Some((found, at + 1))
        }
        _ => None,
    }
}

/// The year that follows a day and a month, and how many tokens it takes.
fn year_after(rest: &[Token]) -> (Option<u64>, usize) {
    let mut at = 0;
    while let Some(token) = rest.get(at).filter(|_| at <= 2) {
        match token {
            Token::Number(year, 4) => return (Some(*year), at + 1),
            Token::Number(year, 2) if is_mark(rest.get(at.wrapping_sub(1)), &['-', '/', '\'', '’']) => {
                return (Some(2000 + year), at + 1);
            }
            Token::Mark('.' | ',' | '-' | '/' | '\'' | '’') => at += 1,
            Token::Word(word) if matches!(word.as_str(), "de" | "of" | "del" | "r") => at += 1,
            _ => break,
        }
    }
    (None, 0)
}

/// A day of a named month. Without a year it is the latest one that is not in the future.
fn dated(year: Option<u64>, month: u64, day: u64, fetched_at: Timestamp) -> Option<Found> {
    if let Some(year) = year {
        return date(year, month, day).map(|date| exact(date, "named_month"));
    }
    let today = today(fetched_at);
    let latest = today.checked_add(Span::new().days(1)).ok()?;
    let this = u64::try_from(today.year()).ok()?;
    let found = [this + 1, this, this.checked_sub(1)?]
        .into_iter()
        .find_map(|year| date(year, month, day).filter(|date| *date <= latest))?;
    Some(Found { date: found, precision: Precision::Day, rule: "without_year" })
}

/// `02.11.2026` has the day first; `02/11/2026` only where the page's country or language says so.
fn numeric(before: &[Token], rest: &[Token], hint: Hint<'_>) -> Option<(Found, usize)> {
    let (Token::Number(first, 1..=2), Token::Number(second, 1..=2), Token::Number(year, digits @ (2 | 4))) =
        (rest.first()?, rest.get(2)?, rest.get(4)?)
    else {
        return None;
    };
    let mark = rest.get(1).filter(|mark| is_mark(Some(mark), &['.', '/', '-']))?;
    let longer = |token: Option<&Token>| token == Some(mark) && !matches!(mark, Token::Mark('.'));
    let group = matches!(mark, Token::Mark('.')) && matches!(rest.get(6), Some(Token::Number(..)));
    if rest.get(3) != Some(mark)
        || longer(rest.get(5))
        || group && is_mark(rest.get(5), &['.'])
        || before.last() == Some(mark)
    {
        return None;
    }
    let year = match (digits, mark) {
        (4, _) => *year,
        (_, Token::Mark('.' | '/')) => 2000 + year,
        _ => return None,
    };
    let days_first = match (first, second) {
        (13..=31, 1..=12) => true,
        (1..=12, 13..=31) => false,
        (first, second) if first == second => true,
        _ if matches!(mark, Token::Mark('.')) => true,
        _ => order(hint)?,
    };
    let (day, month) = if days_first { (*first, *second) } else { (*second, *first) };
    let rule = if matches!(mark, Token::Mark('.')) { "dotted" } else { "numeric" };
    Some((exact(date(year, month, day)?, rule), 5))
}

/// Whether the day stands before the month where the page is from.
fn order(hint: Hint<'_>) -> Option<bool> {
    match hint.country().as_deref() {
        Some("US" | "PH" | "PR" | "FM" | "GU") => return Some(false),
        // both are in use, or neither
        Some("CA" | "CN" | "JP" | "KR" | "TW" | "HU" | "LT" | "MN" | "ZA" | "KE" | "GH") => return None,
        Some(_) => return Some(true),
        None => {}
    }
    match hint.language()?.as_str() {
        "en" | "zh" | "ja" | "ko" | "hu" | "lt" | "mn" => None,
        _ => Some(true),
    }
}

/// `3 days ago`, `vor 3 Tagen`, `il y a 3 jours`, `yesterday`.
fn relative(before: &[Token], rest: &[Token], fetched_at: Timestamp) -> Option<(Found, usize)> {
    let word = |at: usize| match rest.get(at) {
        Some(Token::Word(word)) => word.as_str(),
        _ => "",
    };
    let back = |days: i64| today(fetched_at).checked_sub(Span::new().try_days(days).ok()?).ok();
    for length in [3, 2, 1] {
        let phrase: Vec<&str> = (0..length).map(word).collect();
        if phrase.iter().any(|word| word.is_empty()) {
            continue;
        }
        if let Some(days) = words::named_day(&phrase.join(" ")) {
            return Some((exact(back(days)?, "relative"), length));
        }
    }
    // `aujourd'hui` and `avant-hier` have a mark in them
    if word(0) == "aujourd" && word(2) == "hui" {
        return Some((exact(back(0)?, "relative"), 3));
    }
    if word(0) == "avant" && word(2) == "hier" {
        return Some((exact(back(2)?, "relative"), 3));
    }
    // a prefix says that the time is past, or a suffix does
    let prefix = (1..=3).rev().find(|length| {
        let phrase: Vec<&str> = (0..*length).map(word).collect();
        words::is_prefix(&phrase.join(" "))
    });
    let mut at = prefix.unwrap_or(0);
    let mut more = matches!(before.last(), Some(Token::Word(word)) if words::is_more(word));
    while words::is_more(word(at)) || matches!(word(at), "als" | "de" | "than" | "che" | "niz" | "dan" | "do")
    {
        more |= words::is_more(word(at));
        at += 1;
        if at > 6 {
            return None;
        }
    }
    if is_mark(rest.get(at), &['+', '>']) {
        more = true;
        at += 1;
    }
    let count = match rest.get(at)? {
        Token::Number(count, 1..=4) => Some(*count),
        Token::Word(word) => words::count(word),
        _ => return None,
    };
    if count.is_some() {
        at += 1;
    }
    if is_mark(rest.get(at), &['+']) {
        more = true;
        at += 1;
    }
    let unit = words::unit(word(at))?;
    at += 1;
    let suffix = words::is_suffix(word(at));
    // `a week` alone, or `day` alone, says nothing
    if prefix.is_none() && !suffix || count.is_none() && !suffix && prefix.is_none() {
        return None;
    }
    let less = |token: &Token| matches!(token, Token::Word(word) if words::is_less(word));
    let counted_before = matches!(before.last(), Some(Token::Number(..))); // and refused
    if before.iter().rev().take(3).any(less) || count.is_none() && counted_before {
        return None;
    }
    let found = counted(count.unwrap_or(1), unit, more, fetched_at)?;
    Some((found, at + usize::from(suffix)))
}

fn counted(count: u64, unit: words::Unit, more: bool, fetched_at: Timestamp) -> Option<Found> {
    use words::Unit;
    let count = i64::try_from(count).ok().filter(|count| *count <= 10_000)?;
    let seconds = |each: i64| {
        let moment = fetched_at.as_second().checked_sub(count.checked_mul(each)?)?;
        Some(today(Timestamp::from_second(moment).ok()?))
    };
    let (date, precision) = match unit {
        Unit::Second => (seconds(1)?, Precision::Day),
        Unit::Minute => (seconds(60)?, Precision::Day),
        Unit::Hour => (seconds(3_600)?, Precision::Day),
        Unit::Day => (seconds(86_400)?, Precision::Day),
        Unit::Week => (seconds(7 * 86_400)?, Precision::About),
        Unit::Month => {
            (today(fetched_at).checked_sub(Span::new().try_months(count).ok()?).ok()?, Precision::About)
        }
        Unit::Year => {
            (today(fetched_at).checked_sub(Span::new().try_years(count).ok()?).ok()?, Precision::About)
        }
    };
    let precision = if more { Precision::NoLater } else { precision };
    (date.year() >= 1990).then_some(Found { date, precision, rule: "relative" })
}

/// `3d`, `2w`, `30d+` when nothing else stands there, as compact lists write it.
fn short(tokens: &[Token], fetched_at: Timestamp) -> Option<Found> {
    let (count, unit, more) = match tokens {
        [Token::Number(count, 1..=3), Token::Word(unit)] => (count, unit, false),
        [Token::Number(count, 1..=3), Token::Word(unit), Token::Mark('+')]
        | [Token::Number(count, 1..=3), Token::Mark('+'), Token::Word(unit)] => (count, unit, true),
        _ => return None,
    };
    let unit = match unit.as_str() {
        "h" => words::Unit::Hour,
        "d" => words::Unit::Day,
        "w" => words::Unit::Week,
        "mo" => words::Unit::Month,
        _ => return None,
    };
    counted(*count, unit, more, fetched_at)
}

#[cfg(test)]
mod tests;
