//! Signs and codes of currencies. A sign that several countries use means one only where the page's country is
//! known.

use super::super::hint::Hint;

const CODES: &[&str] = &[
    "AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR", "GBP",
    "HKD", "HRK", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KES", "KRW", "MAD", "MXN", "MYR", "NGN", "NOK",
    "NZD", "PEN", "PHP", "PKR", "PLN", "QAR", "RON", "RSD", "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "TWD",
    "UAH", "USD", "UYU", "VND", "ZAR",
];

/// Signs that mean one currency, the longer first.
const SIGNS: &[(&str, &str)] = &[
    ("usd$", "USD"),
    ("us$", "USD"),
    ("u$s", "USD"),
    ("cad$", "CAD"),
    ("ca$", "CAD"),
    ("aud$", "AUD"),
    ("au$", "AUD"),
    ("nz$", "NZD"),
    ("hk$", "HKD"),
    ("sg$", "SGD"),
    ("mx$", "MXN"),
    ("nt$", "TWD"),
    ("c$", "CAD"),
    ("a$", "AUD"),
    ("s$", "SGD"),
    ("r$", "BRL"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("zł", "PLN"),
    ("kč", "CZK"),
    ("kc", "CZK"),
    ("₹", "INR"),
    ("₴", "UAH"),
    ("₪", "ILS"),
    ("₩", "KRW"),
    ("₫", "VND"),
    ("₱", "PHP"),
    ("฿", "THB"),
    ("₺", "TRY"),
    ("₽", "RUB"),
    ("₦", "NGN"),
    ("euros", "EUR"),
    ("euro", "EUR"),
    ("zlotych", "PLN"),
    ("złotych", "PLN"),
    ("korun", "CZK"),
    ("pln", "PLN"),
    ("ft", "HUF"),
];

/// Signs of several currencies.
const SHARED: &[&str] = &["$", "¥", "kr.", "kr", "rs.", "rs", "fr.", "dollars"];

/// What a shared sign means in a country.
fn shared(sign: &str, hint: Hint<'_>) -> Option<&'static str> {
    let country = hint.country();
    let country = country.as_deref();
    match sign {
        "$" | "dollars" => Some(match country? {
            "US" | "PR" | "EC" | "SV" | "GU" => "USD",
            "CA" => "CAD",
            "AU" => "AUD",
            "NZ" => "NZD",
            "SG" => "SGD",
            "HK" => "HKD",
            "TW" => "TWD",
            "MX" => "MXN",
            "AR" => "ARS",
            "CL" => "CLP",
            "CO" => "COP",
            "UY" => "UYU",
            _ => return None,
        }),
        "¥" => match country? {
            "JP" => Some("JPY"),
            "CN" => Some("CNY"),
            _ => None,
        },
        "kr" | "kr." => match (country, hint.language().as_deref()) {
            (Some("SE"), _) | (None, Some("sv")) => Some("SEK"),
            (Some("NO"), _) | (None, Some("no" | "nb" | "nn")) => Some("NOK"),
            (Some("DK"), _) | (None, Some("da")) => Some("DKK"),
            (Some("IS"), _) | (None, Some("is")) => Some("ISK"),
            _ => None,
        },
        "rs" | "rs." => match country? {
            "IN" => Some("INR"),
            "PK" => Some("PKR"),
            _ => None,
        },
        "fr." => Some("CHF").filter(|_| matches!(country, Some("CH" | "LI"))),
        _ => None,
    }
}

/// What a sign, code or word for a currency means on a page of this kind.
pub fn of_sign(text: &str, hint: Hint<'_>) -> Option<&'static str> {
    let text = text.trim().to_lowercase();
    let code = CODES.iter().find(|code| code.eq_ignore_ascii_case(&text)).copied();
    let sign = || SIGNS.iter().find(|(sign, _)| *sign == text).map(|(_, code)| *code);
    code.or_else(sign).or_else(|| SHARED.contains(&text.as_str()).then(|| shared(&text, hint)).flatten())
}

/// In any case; only what is not ASCII costs anything.
fn is_same(written: &str, sign: &str) -> bool {
    written.eq_ignore_ascii_case(sign) || !written.is_ascii() && written.to_lowercase() == sign
}

/// The sign or code that ends a text, what it means, and how many bytes it takes with the spaces behind it.
pub fn before(text: &str, hint: Hint<'_>) -> Option<(Option<&'static str>, usize)> {
    let bare = text.trim_end_matches([' ', '\u{a0}', ':']);
    let ends = |sign: &str| {
        let from = bare.len().checked_sub(sign.len())?;
        let written = bare.get(from..)?;
        let same = is_same(written, sign);
        let alone = !sign.starts_with(char::is_alphabetic)
            || !bare[..from].chars().next_back().is_some_and(char::is_alphanumeric);
        (same && alone).then_some(text.len() - from)
    };
    let (code, width) = pick(ends, hint)?;
    // `CAD $99,000`: the code before the sign says which
    let rest = text[..text.len() - width].trim_end();
    let named = CODES.iter().find(|code| rest.ends_with(**code) && bare.ends_with('$'));
    match named {
        Some(named) => Some((Some(named), text.len() - (rest.len() - named.len()))),
        None => Some((code, width)),
    }
}

/// The sign or code that begins a text, what it means, and how many bytes it takes with the spaces before it.
pub fn after(text: &str, hint: Hint<'_>) -> Option<(Option<&'static str>, usize)> {
    let head = &text[..text.floor_char_boundary(24)];
    let bare = head.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let begins = |sign: &str| {
        // small letters may be longer than capitals; the length that counts is the written one
        let written = bare.get(..sign.len())?;
        let rest = &bare[sign.len()..];
        let whole = !sign.ends_with(char::is_alphabetic) || !rest.starts_with(char::is_alphabetic);
        (is_same(written, sign) && whole).then_some(head.len() - rest.len())
    };
    // `$` stands before its number; one behind it belongs to the next
    pick(begins, hint).filter(|(_, width)| {
        let sign = head[..*width].trim();
        !(matches!(sign, "$" | "£" | "€") && text[*width..].starts_with(|c: char| c.is_ascii_digit()))
    })
}

fn pick(place: impl Fn(&str) -> Option<usize>, hint: Hint<'_>) -> Option<(Option<&'static str>, usize)> {
    for (sign, code) in SIGNS {
        if let Some(width) = place(sign) {
            return Some((Some(code), width));
        }
    }
    for code in CODES {
        if let Some(width) = place(code) {
            return Some((Some(code), width));
        }
    }
    for sign in SHARED {
        if let Some(width) = place(sign) {
            return Some((shared(sign, hint), width));
        }
    }
    // South Africa writes `R 25 000`
    if hint.country().as_deref() == Some("ZA")
        && let Some(width) = place("r")
    {
        return Some((Some("ZAR"), width));
    }
    None
}
