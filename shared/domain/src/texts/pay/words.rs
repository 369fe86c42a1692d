//! The words around an amount: period, direction, whether it is pay at all.

use crate::plain_text::fold;
use crate::salary::Period;

/// What stands before an amount, within its line or sentence.
pub fn before(text: &str, from: usize) -> &str {
    let window = &text[text.ceil_char_boundary(from.saturating_sub(80))..from];
    let cut = [". ", "! ", "? ", "\n", "•", ";"]
        .iter()
        .filter_map(|mark| Some(window.rfind(mark)? + mark.len()))
        .max();
    window.get(cut.unwrap_or(0)..).unwrap_or(window)
}

/// What stands behind an amount, within its line or sentence.
pub fn after(text: &str, to: usize) -> &str {
    let window = &text[to..text.floor_char_boundary(to + 60)];
    let cut = ["! ", "? ", "\n", "•", ";"].iter().filter_map(|mark| window.find(mark)).min();
    let window = &window[..cut.unwrap_or(window.len())];
    // the point of `p.a.` and `mies.` ends no sentence
    let stop = window.match_indices(". ").find(|(at, _)| {
        let word = window[..*at].rsplit([' ', '/']).next().unwrap_or_default();
        !matches!(
            word.to_ascii_lowercase().as_str(),
            "p.a" | "mies" | "mo" | "hr" | "yr" | "ann" | "std" | "mtl"
        )
    });
    &window[..stop.map_or(window.len(), |(at, _)| at)]
}

/// Whether the text between two amounts makes them a range.
pub fn is_range(between: &str) -> bool {
    if between.len() > 40 || between.contains(['\n', ';']) {
        return false;
    }
    let bare = between.trim();
    if matches!(bare, "-" | "–" | "—" | "−" | "~" | "to" | "--" | "‑" | "/-") {
        return true;
    }
    // `per year - USD$…`, `/yr to …`: words of periods and currencies may stand between
    let mut joined = false;
    let known = |word: &str| {
        matches!(
            word,
            "per" | "an" | "a" | "p" | "pa" | "gross" | "brutto" | "usd" | "eur" | "gbp" | "cad" | "aud"
        ) || unit(word).is_some()
    };
    let marks = bare.contains(['-', '–', '—']);
    let all = fold(bare).split(' ').filter(|word| !word.is_empty()).all(|word| {
        let joint = matches!(word, "to" | "bis" | "and" | "az" | "do" | "und" | "hasta" | "al" | "tot");
        joined |= joint || matches!(word, "a" | "e" | "i" | "y");
        joint || known(word) || matches!(word, "e" | "i" | "y")
    });
    let clean = bare
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '–' | '—' | '/' | '.' | '\u{a0}'));
    all && clean && (joined || marks)
}

fn unit(word: &str) -> Option<Period> {
    Some(match word {
        "hour" | "hourly" | "hr" | "hrs" | "hours" | "hur" | "stunde" | "std" | "stundlich"
        | "stundenlohn" | "heure" | "horaire" | "hora" | "godzina" | "godzine" | "godz" | "h" | "hodina"
        | "hodinu" | "hod" | "hodinove" | "ora" | "uur" | "ph" | "timme" | "hodinova" => Period::Hour,
        "day" | "daily" | "tag" | "taglich" | "tagessatz" | "jour" | "dia" | "diario" | "dzien"
        | "dziennie" | "den" | "denne" | "giorno" | "dag" | "pd" | "md" | "manday" | "diem" => Period::Day,
        "week" | "weekly" | "wk" | "wee" | "woche" | "wochentlich" | "semaine" | "semana" | "tydzien"
        | "tygodniowo" | "tyden" | "tydne" | "settimana" | "pw" => Period::Week,
        "month" | "monthly" | "mo" | "mth" | "mon" | "monat" | "monatlich" | "monatsgehalt" | "mois"
        | "mensuel" | "mensual" | "mensuales" | "mes" | "miesiac" | "miesiecznie" | "mies" | "mesic"
        | "mesicne" | "mesicni" | "mese" | "mensile" | "maand" | "pcm" | "pm" | "manad" | "maned"
        | "bruttomonatsgehalt" => Period::Month,
        "year" | "yearly" | "annual" | "annually" | "annum" | "ann" | "yr" | "yrs" | "pa" | "jahr"
        | "jahrlich" | "jahresgehalt" | "bruttojahresgehalt" | "jahresbruttogehalt" | "annuel" | "ano"
        | "anual" | "anuales" | "rok" | "rocznie" | "rocne" | "anno" | "jaar" | "lpa" | "ctc" => Period::Year,
        _ => return None,
    })
}

/// The first period that a text names. Letters that are also other things count only behind a stroke or a `per`.
pub fn period(text: &str) -> Option<Period> {
    let folded = fold(text);
    let mut last = "";
    let lower = text.to_lowercase().replace('\\', "/").replace("/ ", "/");
    let slashed = |word: &str| lower.match_indices('/').any(|(at, _)| lower[at + 1..].starts_with(word));
    for word in folded.split(' ') {
        let spoken = matches!(
            last,
            "per"
                | "a"
                | "an"
                | "pro"
                | "par"
                | "al"
                | "por"
                | "la"
                | "na"
                | "za"
                | "im"
                | "je"
                | "all"
                | "p"
                | "each"
                | "every"
        );
        let found = match word {
            // `p.a.` folds into two letters
            "a" if last == "p" => Some(Period::Year),
            "h" if last == "p" => Some(Period::Hour),
            "m" if last == "p" => Some(Period::Month),
            "an" if matches!(last, "par") || slashed("an") => Some(Period::Year),
            "h" | "mon" | "den" | "md" | "mes" | "day" | "week" | "ora" | "hod" | "dag" | "dia" | "tag"
            | "rok" | "pm" | "ph" | "mo" | "year" | "ano" | "hours" | "yrs" | "hrs" | "wee" | "ann"
            | "hur" | "anno" | "month" | "hour" | "jour" | "week's" | "jahr" | "monat" | "mois"
            | "stunde" | "heure" | "semana" | "hora" => unit(word).filter(|_| spoken || slashed(word)),
            "pd" | "pw" => unit(word).filter(|_| text.len() <= 4),
            word => unit(word),
        };
        if found.is_some() {
            return found;
        }
        last = word;
    }
    None
}

/// The period right behind an amount, before the next amount.
pub fn period_near(after: &str) -> Option<Period> {
    let end = after.find(['$', '€', '£']).unwrap_or(after.len());
    period(&after[..end])
}

/// Whether an amount is something else than pay: a bonus, a turnover, a benefit.
pub fn is_not_pay(before: &str, after: &str) -> bool {
    const OTHER: &[&str] = &[
        "bonus",
        "bonuses",
        "ote",
        "commission",
        "commissions",
        "signing",
        "equity",
        "stock",
        "relocation",
        "referral",
        "revenue",
        "revenues",
        "funding",
        "raised",
        "budget",
        "sales",
        "assets",
        "tuition",
        "allowance",
        "stipend",
        "insurance",
        "deductible",
        "contribution",
        "grant",
        "award",
        "prize",
        "discount",
        "reimbursement",
        "turnover",
        "valuation",
        "investment",
        "provision",
        "pramie",
        "umsatz",
        "prime",
        "fee",
        "fees",
        "quota",
        "portfolio",
        "incentive",
        "incentives",
        "shares",
        "donation",
        "donated",
        "savings",
        "prowizja",
        "premia",
        "bond",
        "loan",
        "deposit",
        "rate=",
        "spend",
        "customers",
        "accounts",
    ];
    let is = |word: &str| OTHER.contains(&word);
    let after = after.split([',', '(', ')', '+', ':']).next().unwrap_or_default();
    let after = after.split(" plus ").next().unwrap_or_default().split(" and ").next().unwrap_or_default();
    let (before, after) = (fold(before), fold(after));
    let pay = |word: &str| PAY.contains(&word);
    // the nearer word says what it is
    let said_before = before.rsplit(' ').take(9).find(|word| is(word) || pay(word)).is_some_and(is);
    let said_after =
        after.split(' ').take(3).find(|word| is(word) || pay(word) || unit(word).is_some()).is_some_and(is);
    let sign_on = after.starts_with("sign on") || before.ends_with("sign on");
    said_before || said_after || sign_on
}

/// Words for pay, folded.
const PAY: &[&str] = &[
    "salary",
    "salaries",
    "pay",
    "paid",
    "pays",
    "paying",
    "compensation",
    "wage",
    "wages",
    "rate",
    "earn",
    "earning",
    "earnings",
    "base",
    "gehalt",
    "jahresgehalt",
    "monatsgehalt",
    "vergutung",
    "lohn",
    "stundenlohn",
    "verdienst",
    "entgelt",
    "bruttojahresgehalt",
    "salaire",
    "remuneration",
    "sueldo",
    "salario",
    "retribucion",
    "wynagrodzenie",
    "placa",
    "stawka",
    "pensja",
    "mzda",
    "plat",
    "odmena",
    "stipendio",
    "retribuzione",
    "ral",
    "remuneracao",
    "salariale",
    "lon",
    "salaris",
    "package",
    "ctc",
    "gage",
    "mzdove",
    "platove",
];

pub fn speaks_of_pay(text: &str) -> bool {
    fold(text).split(' ').any(|word| PAY.contains(&word))
}

/// `up to`, `bis zu`, `jusqu'à`.
pub fn is_most(before: &str) -> bool {
    ends_with(
        before,
        &[
            "up to", "upto", "bis zu", "bis", "max", "maximum", "jusqu a", "hasta", "fino a", "ate", "az",
            "az do", "do", "under", "tot",
        ],
    )
}

/// `from`, `ab`, `od`, `at least`.
pub fn is_least(before: &str) -> bool {
    ends_with(
        before,
        &[
            "from",
            "ab",
            "od",
            "min",
            "minimum",
            "at least",
            "starting at",
            "starts at",
            "start at",
            "starting from",
            "starting",
            "mindestens",
            "a partir de",
            "desde",
            "a partire da",
            "over",
            "more than",
            "vanaf",
            "from about",
        ],
    )
}

fn ends_with(before: &str, phrases: &[&str]) -> bool {
    let before = fold(before);
    phrases
        .iter()
        .any(|phrase| before.strip_suffix(phrase).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))
}
