//! Pay in a text: amounts, currency, period, each only as far as it is said. A `$` from nowhere is no currency,
//! a bonus is no salary, and a text with two different pays has none.

mod amounts;
mod currency;
mod words;

pub use amounts::value_of;
pub use currency::of_sign;

use self::amounts::{Amount, amounts};
use super::hint::Hint;
use crate::salary::{Period, Salary};

/// What is read of one text.
const MAX_TEXT: usize = 200_000;

/// The pay in a text that is about nothing else: a field, a cell, the value of a label.
pub fn field(text: &str, hint: Hint<'_>) -> Option<Salary> {
    if text.len() > 500 {
        return None;
    }
    only(found(text, hint, true))
}

/// The pay in prose: an amount counts where a period or a word for pay stands by it.
pub fn prose(text: &str, hint: Hint<'_>) -> Option<Salary> {
    only(candidates(text, hint))
}

/// Every pay that prose names, each once: a posting for many places may name one for each.
pub fn candidates(text: &str, hint: Hint<'_>) -> Vec<Salary> {
    found(&text[..text.floor_char_boundary(MAX_TEXT)], hint, false)
}

/// The period that words like `per annum`, `měsíčně` or `/hr` name.
pub fn period(text: &str) -> Option<Period> {
    let text = &text[..text.floor_char_boundary(200)];
    words::period(text).or_else(|| words::period(&format!("per {text}")))
}

/// The one pay, or the first of the same pay by the month, the hour and the like.
fn only(found: Vec<Salary>) -> Option<Salary> {
    let known = |at: usize| found.get(at).and_then(|salary| salary.period);
    let apart =
        (0..found.len()).all(|at| known(at).is_some() && (0..at).all(|other| known(other) != known(at)));
    let fits = found.len() == 1 || apart && found.len() <= 3;
    found.into_iter().next().filter(|_| fits)
}

/// One amount, or two that are the ends of a range.
struct Stated<'t> {
    low: Amount<'t>,
    high: Option<Amount<'t>>,
}

impl Stated<'_> {
    fn currency(&self) -> Option<Option<&'static str>> {
        self.low.currency.or_else(|| self.high.as_ref().and_then(|high| high.currency))
    }
}

fn found(text: &str, hint: Hint<'_>, field: bool) -> Vec<Salary> {
    let mut all: Vec<Stated<'_>> = Vec::new();
    let mut rest = amounts(text, hint).into_iter().peekable();
    while let Some(low) = rest.next() {
        let high = rest.next_if(|high| words::is_range(&text[low.to..high.from]));
        all.push(Stated { low, high });
    }
    if all.iter().any(|stated| stated.currency().is_some()) {
        all.retain(|stated| stated.currency().is_some()); // `Grade 7: £45,000`
    }
    let mut found: Vec<Salary> = Vec::new();
    for salary in all.iter().filter_map(|stated| salary(text, stated, field)) {
        // the same pay twice, the second time with less said
        let said = found.iter_mut().find(|known| (known.min, known.max) == (salary.min, salary.max));
        match said {
            Some(known) => {
                known.currency = known.currency.take().or(salary.currency);
                known.period = known.period.or(salary.period);
            }
            None => found.push(salary),
        }
    }
    found
}

fn salary(text: &str, stated: &Stated<'_>, field: bool) -> Option<Salary> {
    let (low, high) = (&stated.low, stated.high.as_ref());
    let last = high.unwrap_or(low);
    let end = last.to;
    let before = words::before(text, low.from);
    let after = words::after(text, end);
    let between = high.map_or("", |high| &text[low.to..high.from]);
    if words::is_not_pay(before, after) {
        return None;
    }
    let period =
        words::period_near(after).or_else(|| words::period(between)).or_else(|| words::period(before));
    let period = period.or(low.period);
    if !field {
        let spoken = words::speaks_of_pay(before) || words::speaks_of_pay(after);
        let shaped = low.sign || last.sign;
        let clear =
            if shaped { period.is_some() || spoken } else { spoken && (last.thousands || period.is_some()) };
        if !clear || low.large || last.large {
            return None;
        }
    }
    let mut first = low.value;
    if let Some(high) = high
        && high.thousands
        && !low.thousands
        && low.value < 1_000.0
        && low.value <= high.value / 1_000.0
    {
        first *= 1_000.0; // `80-90k`
    }
    let mut second = last.value;
    if low.thousands && !last.thousands && second < 1_000.0 && second >= first / 1_000.0 {
        second *= 1_000.0; // `45k-50`
    }
    let (min, max) = match high {
        Some(_) => (Some(first), Some(second)),
        None if words::is_most(before) => (None, Some(first)),
        None if words::is_least(before) || after.starts_with('+') => (Some(first), None),
        None => (Some(first), Some(first)),
    };
    let currency = stated.currency().flatten().map(str::to_owned);
    Salary { min, max, currency, period }.ordered()
}

#[cfg(test)]
mod tests;
