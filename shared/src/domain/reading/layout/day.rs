//! The day a posting says it was put up, from the text beside its label. The only place in `layout` that reads dates. A
//! day that could be two days is none, unless the page itself shows which comes first.

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use crate::domain::plain_text::fold;

/// Which number comes first in `04/05/2026`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    MonthFirst,
    DayFirst,
    Unknown,
}

/// The day a text speaks of, seen from `today`. Days that are still to come, or long past, are no posting's.
pub fn read(text: &str, today: Date, order: Order) -> Option<Date> {
    if text.len() > 120 {
        return None;
    }
    let day = absolute(text, order).or_else(|| relative(&fold(text), today))?;
    let latest = today.checked_add(1.day()).ok()?;
    (day.year() >= 1995 && day <= latest).then_some(day)
}

fn absolute(text: &str, order: Order) -> Option<Date> {
    let iso = text.get(..10).filter(|start| start.as_bytes().get(4) == Some(&b'-'));
    if let Some(day) = iso.and_then(|start| start.parse().ok()) {
        return Some(day);
    }
    numeric(text, order).or_else(|| spelled(&fold(text)))
}

/// `20.05.2026`, `5/20/2026`, `2026/05/20`, `20-05-26`.
fn numeric(text: &str, order: Order) -> Option<Date> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[from..];
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '/' | '-' | ' ')))
        .unwrap_or(rest.len());
    let run = rest[..end].trim_end();
    let mark = run.chars().find(|c| !c.is_ascii_digit() && *c != ' ')?;
    let parts: Vec<&str> = run.splitn(3, mark).map(str::trim).collect();
    let [first, second, third] = parts[..] else { return None };
    let third = third.split([' ', mark]).next()?;
    let number = |text: &str| text.parse::<i16>().ok().filter(|_| text.len() <= 4);
    let (a, b, c) = (number(first)?, number(second)?, number(third)?);
    if first.len() == 4 {
        return date(a, b, c);
    }
    let year = if third.len() == 2 { 2000 + c } else { c };
    if third.len() != 2 && third.len() != 4 {
        return None;
    }
    match (mark, order) {
        ('.', _) => date(year, b, a),
        (_, Order::MonthFirst) if a <= 12 => date(year, a, b),
        (_, Order::DayFirst) if b <= 12 => date(year, b, a),
        _ if a > 12 => date(year, b, a),
        _ if b > 12 => date(year, a, b),
        _ if a == b => date(year, a, b),
        _ => None,
    }
}

fn date(year: i16, month: i16, day: i16) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// `December 3, 2010`, `3. prosince 2010`, `Fri 3 Dec 2010`; folded.
fn spelled(text: &str) -> Option<Date> {
    let words: Vec<&str> = text.split(' ').take(12).collect();
    let number = |at: Option<usize>, most: usize| {
        let word = words.get(at?)?;
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse::<i16>().ok().filter(|_| digits.len() <= most)
    };
    words.iter().enumerate().find_map(|(at, word)| {
        let month = month(word)?;
        let skip = |from: usize| {
            if matches!(words.get(from), Some(&("de" | "of" | "del"))) { from + 1 } else { from }
        };
        let before = || {
            let back = at.checked_sub(1)?;
            let back = if matches!(words[back], "de" | "of") { back.checked_sub(1)? } else { back };
            date(number(Some(skip(at + 1)), 4).filter(|year| *year > 1900)?, month, number(Some(back), 2)?)
        };
        let after =
            || date(number(Some(at + 2), 4).filter(|year| *year > 1900)?, month, number(Some(at + 1), 2)?);
        after().or_else(before)
    })
}

fn month(word: &str) -> Option<i16> {
    const NAMES: &[&[&str]] = &[
        &[
            "january", "jan", "januar", "janner", "janvier", "enero", "ene", "stycznia", "ledna", "januari",
            "gennaio", "janeiro",
        ],
        &[
            "february",
            "feb",
            "februar",
            "fevrier",
            "febrero",
            "lutego",
            "unora",
            "februari",
            "febbraio",
            "fevereiro",
        ],
        &["march", "mar", "marz", "maerz", "mars", "marzo", "marca", "brezna", "maart", "marco"],
        &["april", "apr", "avril", "abril", "abr", "kwietnia", "dubna", "aprile"],
        &["may", "mai", "mayo", "maja", "kvetna", "mei", "maggio", "maio"],
        &["june", "jun", "juni", "juin", "junio", "czerwca", "cervna", "giugno", "junho"],
        &["july", "jul", "juli", "juillet", "julio", "lipca", "cervence", "luglio", "julho"],
        &["august", "aug", "aout", "agosto", "ago", "sierpnia", "srpna", "augustus", "augusti"],
        &["september", "sep", "sept", "septembre", "septiembre", "wrzesnia", "zari", "settembre", "setembro"],
        &[
            "october",
            "oct",
            "oktober",
            "okt",
            "octobre",
            "octubre",
            "pazdziernika",
            "rijna",
            "ottobre",
            "outubro",
        ],
        &["november", "nov", "novembre", "noviembre", "listopada", "listopadu", "novembro"],
        &[
            "december",
            "dec",
            "dezember",
            "dez",
            "decembre",
            "diciembre",
            "dic",
            "grudnia",
            "prosince",
            "dicembre",
            "dezembro",
        ],
    ];
    NAMES.iter().position(|names| names.contains(&word)).map(|at| at as i16 + 1)
}

/// `today`, `yesterday`, `3 days ago`, `vor 2 Wochen`, `il y a 5 jours`, `hace 3 dias`, `pred 4 dny`; folded.
fn relative(text: &str, today: Date) -> Option<Date> {
    const TODAY: &[&str] = &[
        "today",
        "just now",
        "heute",
        "aujourd hui",
        "hoy",
        "dzisiaj",
        "dzis",
        "dnes",
        "vandaag",
        "oggi",
        "hoje",
        "idag",
    ];
    const YESTERDAY: &[&str] =
        &["yesterday", "gestern", "hier", "ayer", "wczoraj", "vcera", "gisteren", "ieri", "ontem", "igar"];
    if TODAY.contains(&text) {
        return Some(today);
    }
    if YESTERDAY.contains(&text) {
        return today.checked_sub(1.day()).ok();
    }
    let ago = [" ago", " temu", " geleden", " fa", " atras", " sedan"].iter().any(|end| text.ends_with(end))
        || ["vor ", "il y a ", "hace ", "pred ", "ha "].iter().any(|begin| text.starts_with(begin));
    if !ago {
        return None;
    }
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(2).find_map(|two| {
        let count: i64 = match two[0] {
            "a" | "an" | "one" | "einem" | "einer" | "un" | "una" | "une" => 1,
            number => number.parse().ok().filter(|count| *count < 1_000)?,
        };
        let back: Span = match two[1] {
            unit if unit.starts_with("day") => count.days(),
            "tag" | "tagen" | "jour" | "jours" | "dia" | "dias" | "dzien" | "dni" | "dny" | "dnem"
            | "dagen" | "dag" | "giorni" | "dagar" => count.days(),
            unit if unit.starts_with("week") => count.weeks(),
            "woche" | "wochen" | "semaine" | "semaines" | "semana" | "semanas" | "tydzien" | "tygodnie"
            | "tygodni" | "tydny" | "tydnem" | "weken" => count.weeks(),
            unit if unit.starts_with("month") => count.months(),
            "monat" | "monaten" | "mois" | "mes" | "meses" | "miesiac" | "miesiace" | "mesicem"
            | "mesici" => count.months(),
            unit if unit.starts_with("hour") || unit.starts_with("min") => Span::new(),
            "stunde" | "stunden" | "heure" | "heures" | "hora" | "horas" | "godzine" | "godziny"
            | "godzin" | "hodinami" | "hodinou" | "uur" => Span::new(),
            _ => return None,
        };
        today.checked_sub(back).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn on(text: &str, order: Order) -> Option<String> {
        read(text, "2026-11-16".parse().unwrap(), order).map(|day| day.to_string())
    }

    #[test]
    fn a_day_is_read_in_many_forms() {
        for text in [
            "2026-10-03",
            "2026-10-03T08:00:00Z",
            "October 3, 2026",
            "Oct 3rd, 2026",
            "3 October 2026",
            "Sat, 3 Oct 2026",
            "3. Oktober 2026",
            "3 octobre 2026",
            "3 de octubre de 2026",
            "3 października 2026",
            "3. října 2026",
            "03.10.2026",
            "3. 10. 2026",
            "2026/10/03",
        ] {
            assert_eq!(on(text, Order::Unknown).as_deref(), Some("2026-10-03"), "{text}");
        }
        assert_eq!(on("10/03/2026", Order::MonthFirst).as_deref(), Some("2026-10-03"));
        assert_eq!(on("03/10/2026", Order::DayFirst).as_deref(), Some("2026-10-03"));
        assert_eq!(on("10/23/2026", Order::Unknown).as_deref(), Some("2026-10-23"));
        assert_eq!(on("10/03/26 9:00", Order::MonthFirst).as_deref(), Some("2026-10-03"));
    }

    #[test]
    fn what_could_be_two_days_or_none_is_none() {
        for text in [
            "10/03/2026",
            "",
            "soon",
            "3 years experience",
            "99/99/2026",
            "2031-01-01",
            "call 555 1234",
            "1/2",
        ] {
            assert_eq!(on(text, Order::Unknown), None, "{text}");
        }
    }

    #[test]
    fn time_past_is_counted_from_the_visit() {
        for text in ["3 days ago", "vor 3 Tagen", "il y a 3 jours", "hace 3 días", "3 dni temu", "před 3 dny"]
        {
            assert_eq!(on(text, Order::Unknown).as_deref(), Some("2026-11-13"), "{text}");
        }
        assert_eq!(on("yesterday", Order::Unknown).as_deref(), Some("2026-11-15"));
        assert_eq!(on("5 hours ago", Order::Unknown).as_deref(), Some("2026-11-16"));
        assert_eq!(on("2 weeks ago", Order::Unknown).as_deref(), Some("2026-11-02"));
        assert_eq!(on("3 days of holiday", Order::Unknown), None);
    }

    proptest! {
        #[test]
        fn any_text_can_be_asked(text in ".*", numbers in "[0-9./ -]{0,30}") {
            for order in [Order::MonthFirst, Order::DayFirst, Order::Unknown] {
                let _ = (on(&text, order), on(&numbers, order));
            }
        }
    }
}
