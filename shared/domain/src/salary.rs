//! Pay, as the posting states it. Unknown parts stay unknown: a missing currency is not USD, a `$` may
//! be any of twenty, an estimate is not a statement.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::json_ld::property;
use super::shape::{each, known_text};
use super::texts::hint::Hint;
use super::texts::pay;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Salary {
    pub min: Option<f64>,
    pub max: Option<f64>,
    /// ISO 4217.
    pub currency: Option<String>,
    pub period: Option<Period>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Salary {
    /// From `baseSalary` (an amount, a number or text) and the posting's own `salaryCurrency`.
    pub fn from_json(base: &Value, currency: Option<&Value>) -> Option<Salary> {
        Salary::read(base, currency, Hint::default())
    }

    /// The same where something is known of the page: the country of the job says what a `$` of its pay is.
    pub fn read(base: &Value, currency: Option<&Value>, hint: Hint<'_>) -> Option<Salary> {
        let stated = currency.and_then(known_text).and_then(|text| currency_in(&text));
        let salary = match each(base).next()? {
            Value::Object(amount) => Salary::from_amount(amount, hint),
            other => Salary::from_single(other, hint),
        };
        let mut salary = salary.ordered()?;
        salary.currency = salary.currency.or(stated);
        Some(salary)
    }

    fn from_amount(amount: &Map<String, Value>, hint: Hint<'_>) -> Salary {
        let inner = property(amount, "value").and_then(|value| each(value).next());
        let quantity = inner.and_then(Value::as_object);
        let at =
            |name| quantity.and_then(|quantity| property(quantity, name)).or_else(|| property(amount, name));
        let part = |name| at(name).and_then(known_text);
        let number = |name| at(name).and_then(amount_in);
        let mut salary = Salary { min: number("minValue"), max: number("maxValue"), ..Salary::default() };
        let single = match quantity {
            Some(quantity) => property(quantity, "value"),
            None => inner,
        };
        if let (None, None, Some(single)) = (salary.min, salary.max, single) {
            salary = Salary::from_single(single, hint);
        }
        salary.currency = part("currency").and_then(|text| currency_in(&text)).or(salary.currency);
        salary.period = part("unitText")
            .or_else(|| part("unitCode"))
            .and_then(|text| pay::period(&text))
            .or(salary.period);
        salary
    }

    fn from_single(value: &Value, hint: Hint<'_>) -> Salary {
        match value.as_f64() {
            Some(amount) => Salary { min: Some(amount), max: Some(amount), ..Salary::default() },
            None => known_text(value).and_then(|text| pay::field(&text, hint)).unwrap_or_default(),
        }
    }

    /// In whole cents, without zeros and the absurd, the smaller first; none when no amount is left.
    pub(super) fn ordered(mut self) -> Option<Salary> {
        let real = |amount: Option<f64>| {
            amount
                .map(|amount| (amount * 100.0).round() / 100.0)
                .filter(|amount| (0.01..1e12).contains(amount))
        };
        (self.min, self.max) = match (real(self.min), real(self.max)) {
            (None, None) => return None,
            (Some(min), Some(max)) if min > max => (Some(max), Some(min)),
            both => both,
        };
        Some(self)
    }
}

/// Readable, from known parts only: `50,000–60,000 EUR per year`.
impl fmt::Display for Salary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => write!(f, "{}", grouped(min))?,
            (Some(min), Some(max)) => write!(f, "{}–{}", grouped(min), grouped(max))?,
            (Some(min), None) => write!(f, "from {}", grouped(min))?,
            (None, Some(max)) => write!(f, "up to {}", grouped(max))?,
            (None, None) => return Ok(()),
        }
        if let Some(currency) = &self.currency {
            write!(f, " {currency}")?;
        }
        match self.period {
            Some(period) => write!(f, " per {}", period.as_str()),
            None => Ok(()),
        }
    }
}

impl Period {
    pub fn as_str(self) -> &'static str {
        match self {
            Period::Hour => "hour",
            Period::Day => "day",
            Period::Week => "week",
            Period::Month => "month",
            Period::Year => "year",
        }
    }
}

fn currency_in(text: &str) -> Option<String> {
    let sign = || pay::of_sign(text, Hint::default());
    let inside =
        || text.split(|c: char| !c.is_alphanumeric()).find_map(|word| pay::of_sign(word, Hint::default()));
    sign().or_else(inside).map(str::to_owned)
}

fn amount_in(value: &Value) -> Option<f64> {
    if let Some(amount) = value.as_f64() {
        return Some(amount);
    }
    let salary = pay::field(&known_text(value)?, Hint::default())?;
    salary.min.filter(|min| Some(*min) == salary.max)
}

/// `50000` → `50,000`; cents only where there are some.
fn grouped(amount: f64) -> String {
    let text = if amount.fract() == 0.0 { format!("{amount:.0}") } else { format!("{amount:.2}") };
    let (whole, cents) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + cents
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn shown(base: &Value) -> Option<String> {
        Salary::from_json(base, None).map(|salary| salary.to_string())
    }

    #[test]
    fn pay_is_read_in_every_shape() {
        let range = |min: Value, max: Value| {
            json!({"@type":"MonetaryAmount","currency":"EUR","value":
                {"@type":"QuantitativeValue","minValue":min,"maxValue":max,"unitText":"YEAR"}})
        };
        let expected = Some("50,000–60,000 EUR per year".to_owned());
        assert_eq!(shown(&range(json!(50000), json!(60000.0))), expected);
        assert_eq!(shown(&range(json!("50,000"), json!("60.000"))), expected);
        assert_eq!(shown(&range(json!("60 000"), json!("50k"))), expected);
        assert_eq!(shown(&json!("€50,000 - €60,000 per year")), expected);
        assert_eq!(
            shown(&json!({"currency":"EUR","minValue":50000,"maxValue":60000,"unitText":"YEAR"})),
            expected
        );
        assert_eq!(
            shown(&json!({"currency":"CZK","value":{"value":250.5,"unitText":"HOUR"}})).as_deref(),
            Some("250.50 CZK per hour")
        );
        assert_eq!(shown(&json!({"currency":"PLN","value":"9000"})).as_deref(), Some("9,000 PLN"));
        assert_eq!(shown(&json!({"value":{"minValue":18.5}})).as_deref(), Some("from 18.50"));
        assert_eq!(
            shown(&json!({"value":{"maxValue":"1.234,56","minValue":0}})).as_deref(),
            Some("up to 1,234.56")
        );
        assert_eq!(shown(&json!(42000)).as_deref(), Some("42,000"));
    }

    #[test]
    fn unknown_parts_stay_unknown() {
        let dollars = Salary::from_json(&json!("$50,000 - $60,000"), None).unwrap();
        assert_eq!((dollars.currency, dollars.period), (None, None));
        for nothing in [
            json!("competitive"),
            json!({"currency":"USD"}),
            json!({"value":{"minValue":0,"maxValue":0}}),
            json!(null),
            json!(true),
            json!([]),
            json!("1 or 2 or 3, who knows"),
            json!({"value":{"minValue":"NaN"}}),
            json!(-5),
            json!(1e300),
            json!(1e-300),
        ] {
            assert_eq!(Salary::from_json(&nothing, None), None, "{nothing}");
        }
        let stated = Salary::from_json(&json!(100), Some(&json!("sek"))).unwrap();
        assert_eq!(stated.currency.as_deref(), Some("SEK"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read_as_pay(text in ".*") {
            let _ = shown(&json!(text));
        }

        #[test]
        fn a_plain_number_is_read_as_it_is(amount in 1u32..10_000_000) {
            let salary = Salary::from_json(&json!(amount.to_string()), None).unwrap();
            prop_assert_eq!(salary.min, Some(f64::from(amount)));
        }
    }
}
