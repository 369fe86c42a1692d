//! The words of dates, folded: months, units, and what says that a time is past.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Czech, Slovak, Swedish, Danish, Norwegian.
const MONTHS: [&str; 12] = [
    "jan january januar janner jaenner janvier janv enero ene gennaio gen janeiro januari stycznia styczen sty ledna leden januara",
    "feb february februar feber fevrier fevr fev febrero febbraio fevereiro februari lutego luty lut unora unor februara",
    "mar march marz maerz mrz mars marzo marco maart mrt marca marzec brezna brezen marts",
    "apr april avril avr abril abr aprile aprila kwietnia kwiecien kwi dubna duben",
    "may mai mayo maggio mag maio mei maja maj kvetna kveten",
    "jun june juni juin junio giugno giu junho czerwca czerwiec cze cervna cerven juna",
    "jul july juli juillet juil julio luglio lug julho lipca lipiec lip cervence cervenec jula",
    "aug august aout agosto ago augustus sierpnia sierpien sie srpna srpen augusta augusti",
    "sep sept september septembre septiembre setiembre settembre set setembro wrzesnia wrzesien wrz zari septembra",
    "oct october oktober okt octobre octubre ottobre ott outubro out pazdziernika pazdziernik paz rijna rijen oktobra",
    "nov november novembre noviembre novembro listopada listopad lis listopadu novembra",
    "dec december dezember dez decembre diciembre dic dicembre dezembro grudnia grudzien gru prosince prosinec decembra desember des",
];

pub fn month(word: &str) -> Option<u64> {
    let at = MONTHS.iter().position(|names| names.split(' ').any(|name| name == word))?;
    u64::try_from(at + 1).ok()
}

/// What may stand between a day and its month.
pub fn between(word: &str) -> bool {
    matches!(word, "st" | "nd" | "rd" | "th" | "er" | "de" | "of" | "o" | "a" | "ter" | "del")
}

const UNITS: &[(Unit, &str)] = &[
    (
        Unit::Second,
        "second seconds sec secs sekunde sekunden seconde secondes segundo segundos sekund sekundami sekundou secondi",
    ),
    (
        Unit::Minute,
        "minute minutes min mins minuten minuto minutos minuta minuty minut minutami minutou minuti minuut minuter minutter",
    ),
    (
        Unit::Hour,
        "hour hours hr hrs h std stunde stunden heure heures hora horas godzina godziny godzin godzine godz hodina \
         hodiny hodin hodinami hodinou ora ore uur uren timme timmar timer time",
    ),
    (
        Unit::Day,
        "day days d tag tage tagen jour jours dia dias dzien dni dnia den dny dnem dnu dnami giorno giorni dag dagen dagar dage \
         dager",
    ),
    (
        Unit::Week,
        "week weeks w wk wks woche wochen semaine semaines semana semanas tydzien tygodnie tygodni tyg tyden tydny \
         tydnem tydnu settimana settimane weken vecka veckor uge uger uke uker tyzdnom tyzdnami",
    ),
    (
        Unit::Month,
        "month months mo mos mth mths monat monate monaten mois mes meses miesiac miesiace miesiecy mies mesic mesice \
         mesici mesicem mesicu mese mesi maand maanden manad manader maned maneder",
    ),
    (
        Unit::Year,
        "year years yr yrs y jahr jahre jahren an ans annee annees ano anos rok lata lat roku rokem lety anno anni jaar ar",
    ),
];

pub fn unit(word: &str) -> Option<Unit> {
    let fits = |(_, names): &&(Unit, &str)| names.split(' ').any(|name| name == word);
    UNITS.iter().find(fits).filter(|_| !word.is_empty()).map(|(unit, _)| *unit)
}

/// Numbers written as words, as far as lists of jobs use them.
pub fn count(word: &str) -> Option<u64> {
    Some(match word {
        "a" | "an" | "one" | "ein" | "eine" | "einem" | "einer" | "un" | "une" | "una" | "uno" | "um"
        | "uma" | "een" | "en" | "ett" | "et" | "jeden" | "jednym" | "jednim" => 1,
        "two" | "zwei" | "deux" | "dos" | "due" | "dois" | "duas" | "twee" | "dwa" | "dva" | "dvema" => 2,
        "three" | "drei" | "trois" | "tres" | "tre" | "drie" | "trzy" | "tremi" => 3,
        "four" | "vier" | "quatre" | "cuatro" => 4,
        "five" | "funf" | "cinq" | "cinco" => 5,
        _ => return None,
    })
}

/// `today`, `yesterday`, and the day before.
pub fn named_day(phrase: &str) -> Option<i64> {
    Some(match phrase {
        "today" | "just posted" | "just now" | "posted just now" | "heute" | "gerade eben" | "soeben"
        | "hoy" | "dzisiaj" | "dzis" | "dnes" | "oggi" | "hoje" | "vandaag" | "idag" | "i dag"
        | "ahora mismo" | "przed chwila" | "prave ted" | "a l instant" | "moments ago" => 0,
        "yesterday" | "gestern" | "hier" | "ayer" | "wczoraj" | "vcera" | "ieri" | "ontem" | "gisteren"
        | "igar" | "i gar" => 1,
        "day before yesterday"
        | "vorgestern"
        | "anteayer"
        | "przedwczoraj"
        | "predevcirem"
        | "eergisteren" => 2,
        _ => return None,
    })
}

/// Before the number: `vor 3 Tagen`, `il y a 3 jours`, `hace 3 días`, `há 3 dias`, `před 3 dny`.
pub fn is_prefix(phrase: &str) -> bool {
    matches!(phrase, "vor" | "il y a" | "hace" | "ha" | "pred" | "przed" | "ca fait")
}

/// Behind the unit: `3 days ago`, `3 dni temu`, `3 giorni fa`.
pub fn is_suffix(word: &str) -> bool {
    matches!(word, "ago" | "temu" | "fa" | "atras" | "geleden" | "sedan" | "siden" | "zpet" | "old")
}

pub fn is_more(word: &str) -> bool {
    matches!(
        word,
        "over" | "more" | "mehr" | "uber" | "plus" | "mas" | "ponad" | "vice" | "mais" | "piu" | "meer"
    )
}

pub fn is_less(word: &str) -> bool {
    matches!(
        word,
        "less"
            | "under"
            | "within"
            | "last"
            | "past"
            | "weniger"
            | "unter"
            | "moins"
            | "menos"
            | "meno"
            | "mene"
    )
}
