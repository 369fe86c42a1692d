//! The phrases of notices: how pages in six languages say that a posting is closed, and how walls say
//! that they are walls. Everything is compared folded (no case, no marks, no punctuation).

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::plain_text::fold;

/// A notice is short; longer text is prose.
pub const MAX_NOTICE: usize = 200;

/// English, German, French, Spanish, Polish, Czech. Each says that it *has* closed; a phrase that also
/// fits a plan ("will be filled by") does not belong here.
const CLOSED: &[&str] = &[
    // English
    "no longer accepting applications",
    "not accepting applications anymore",
    "no longer available",
    "no longer open",
    "no longer active",
    "no longer posted",
    "has been filled",
    "has already been filled",
    "position is filled",
    "has expired",
    "job is expired",
    "posting is expired",
    "position is closed",
    "job is closed",
    "posting is closed",
    "vacancy is closed",
    "has been closed",
    "has closed",
    "applications are closed",
    "applications have closed",
    "applications are now closed",
    "application period has ended",
    "has been removed",
    "has been taken down",
    "job is no longer advertised",
    "this job is archived",
    "has been archived",
    // German
    "nicht mehr verfugbar",
    "nicht mehr aktiv",
    "nicht mehr online",
    "nicht mehr ausgeschrieben",
    "stelle ist bereits besetzt",
    "stelle wurde besetzt",
    "stelle wurde bereits besetzt",
    "stelle ist besetzt",
    "position ist bereits besetzt",
    "stellenanzeige ist abgelaufen",
    "anzeige ist abgelaufen",
    "stellenangebot ist abgelaufen",
    "bewerbungsfrist ist abgelaufen",
    "ausschreibung ist beendet",
    "bewerbungen sind nicht mehr moglich",
    "keine bewerbungen mehr",
    // French
    "n est plus disponible",
    "n est plus en ligne",
    "n est plus d actualite",
    "n est plus active",
    "a ete pourvu",
    "a ete pourvue",
    "est deja pourvu",
    "poste est pourvu",
    "offre a expire",
    "offre est expiree",
    "offre est cloturee",
    "n accepte plus de candidatures",
    "candidatures sont closes",
    "candidatures sont cloturees",
    // Spanish
    "ya no esta disponible",
    "ya no esta activa",
    "ya no se encuentra disponible",
    "ha sido cubierta",
    "ha sido cubierto",
    "oferta ha expirado",
    "oferta ha caducado",
    "oferta esta cerrada",
    "oferta ha finalizado",
    "vacante esta cerrada",
    "vacante ha sido cerrada",
    "ya no acepta candidaturas",
    "ya no se aceptan candidaturas",
    "ya no acepta solicitudes",
    "ya no se aceptan solicitudes",
    "proceso de seleccion ha finalizado",
    // Polish
    "jest juz nieaktualna",
    "jest nieaktualna",
    "jest juz nieaktualne",
    "ogloszenie jest nieaktualne",
    "oferta wygasla",
    "ogloszenie wygaslo",
    "oferta zostala zakonczona",
    "rekrutacja zostala zakonczona",
    "rekrutacja zakonczona",
    "oferta jest juz niedostepna",
    "oferta jest niedostepna",
    "nie jest juz dostepna",
    "stanowisko zostalo obsadzone",
    "nie przyjmujemy juz aplikacji",
    "termin skladania aplikacji minal",
    "oferta zostala zamknieta",
    "oferta zostala zarchiwizowana",
    // Czech
    "neni jiz aktualni",
    "jiz neni aktualni",
    "uz neni aktualni",
    "neni uz aktualni",
    "jiz neni dostupna",
    "uz neni dostupna",
    "neni jiz dostupna",
    "byla ukoncena",
    "pozice je jiz obsazena",
    "pozice je obsazena",
    "pozice byla obsazena",
    "misto bylo obsazeno",
    "misto je jiz obsazeno",
    "platnost nabidky vyprsela",
    "platnost inzeratu vyprsela",
    "nabidka vyprsela",
    "vyberove rizeni bylo ukonceno",
    "nabidka je neaktivni",
];

/// Beginnings of words, as pages write them, of which every notice has at least one in one piece of text. A page without
/// any of them closes nothing; one with some of them still has to be read.
const STEMS: &[&str] = &[
    // English
    "longer",
    "anymore",
    "filled",
    "expired",
    "closed",
    "has ended",
    "removed",
    "taken down",
    "archived",
    "deactivated",
    "unavailable",
    "withdrawn",
    "not available",
    "been paused",
    "on hold",
    "been cancel",
    // German
    "nicht mehr",
    "besetzt",
    "abgelaufen",
    "beendet",
    "keine bewerbungen",
    "deaktiviert",
    "geschlossen",
    "vergeben",
    // French
    "plus disponible",
    "est plus",
    "accepte plus",
    "pourvu",
    "expir",
    "clotur",
    "clôtur",
    "cl&ocirc;tur",
    "candidatures sont closes",
    "candidatures closes",
    "clôt",
    "archiv",
    // Spanish
    "ya no",
    "cubiert",
    "caducad",
    "cerrad",
    "finalizad",
    // Polish
    "nieaktualn",
    "wygas",
    "zakończ",
    "zakoncz",
    "zako&nacute;cz",
    "niedost",
    "nie jest ju",
    "obsadzon",
    "nie przyjmujemy",
    "aplikacji min",
    "zamkni",
    "zarchiwizowan",
    "ZAKOŃCZ",
    // Czech
    "aktuáln",
    "aktualn",
    "aktu&aacute;ln",
    "AKTUÁLN",
    "není dostupn",
    "neni dostupn",
    "již dostupn",
    "už dostupn",
    "dostupn",
    "ukončen",
    "ukoncen",
    "uko&ncaron;",
    "UKONČEN",
    "obsazen",
    "vypršel",
    "vyprsel",
    "VYPRŠEL",
    "neaktivn",
    "neaktuáln",
    "uzavřen",
    "uzavren",
    "pozastaven",
    "stažen",
    "zrušen",
    "CLÔTUR",
];

/// Badges: closed only when the line says nothing else. Never a lone "closed": opening hours say that.
const BADGES: &[&str] = &[
    "job closed",
    "job expired",
    "position closed",
    "position filled",
    "vacancy closed",
    "vacancy filled",
    "applications closed",
    "posting closed",
    "posting expired",
    "stelle besetzt",
    "anzeige abgelaufen",
    "offre expiree",
    "offre cloturee",
    "poste pourvu",
    "candidatures closes",
    "oferta cerrada",
    "oferta caducada",
    "oferta expirada",
    "vacante cubierta",
    "vacante cerrada",
    "oferta nieaktualna",
    "ogloszenie nieaktualne",
    "oferta zakonczona",
    "nabidka ukoncena",
    "inzerat ukoncen",
    "pozice obsazena",
    "nabidka neni aktualni",
];

/// What a closing sentence is about, before or in its phrase. Without one of these it may be about a benefit, a form, a page.
const ABOUT: &[&str] = &[
    "job",
    "position",
    "posting",
    "vacancy",
    "role",
    "opening",
    "listing",
    "application",
    "applications",
    "requisition",
    "opportunity",
    "advert",
    "ad",
    "stelle",
    "stellenanzeige",
    "stellenangebot",
    "anzeige",
    "ausschreibung",
    "bewerbungen",
    "bewerbungsfrist",
    "job angebot",
    "offre",
    "poste",
    "annonce",
    "candidatures",
    "emploi",
    "oferta",
    "vacante",
    "puesto",
    "empleo",
    "candidaturas",
    "solicitudes",
    "proceso",
    "posicion",
    "ogloszenie",
    "rekrutacja",
    "stanowisko",
    "aplikacji",
    "oferta pracy",
    "nabidka",
    "nabidky",
    "pozice",
    "misto",
    "inzerat",
    "inzeratu",
    "rizeni",
    "prace",
];

/// Words before the phrase that make it a condition, a plan or a doubt.
const DOUBT: &[&str] = &[
    "if", "once", "when", "until", "unless", "before", "whether", "after", "should", "may", "might", "will",
    "wenn", "falls", "sobald", "bis", "ob", "nachdem", "si", "lorsque", "quand", "jusqu", "tant", "cuando",
    "hasta", "mientras", "jesli", "jezeli", "gdy", "kiedy", "dopoki", "pokud", "jakmile", "dokud", "az",
    "jestli", "report", "zprava",
];

pub(super) const WALL: &[&str] = &[
    "verify you are human",
    "verify you are a human",
    "verifying you are human",
    "are you a robot",
    "you are not a robot",
    "i am not a robot",
    "i m not a robot",
    "are you human",
    "checking your browser",
    "just a moment",
    "attention required",
    "access denied",
    "access to this page has been denied",
    "you have been blocked",
    "unusual traffic",
    "automated access",
    "pardon our interruption",
    "enable javascript and cookies to continue",
    "captcha",
    "security check",
    "ddos protection",
    "request unsuccessful",
    "request blocked",
    "bot detection",
    "please wait while we verify",
    "human verification",
];

/// The phrase by which a short line says that its posting is closed.
pub fn closed_notice(line: &str) -> Option<&'static str> {
    if !may_close(line) || line.chars().count() > MAX_NOTICE {
        return None;
    }
    let whole = fold(line);
    if let Some(badge) = BADGES.iter().find(|badge| **badge == whole) {
        return Some(badge);
    }
    line.split_inclusive(['.', '!', '?', '…', ';', '|', '•']).find_map(|sentence| {
        if sentence.trim_end().ends_with('?') {
            return None; // "Is this job no longer available?" asks
        }
        let sentence = format!(" {} ", fold(sentence));
        CLOSED.iter().copied().find(|phrase| {
            sentence.find(&format!(" {phrase} ")).is_some_and(|at| {
                let (before, so_far) = (&sentence[..=at], &sentence[..at + phrase.len() + 2]);
                has_any(so_far, ABOUT) && !has_any(before, DOUBT)
            })
        })
    })
}

/// Whether a text has a word without which nothing is said to be closed.
pub(super) fn may_close(text: &str) -> bool {
    static WORDS: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(STEMS).ok());
    WORDS.as_ref().is_none_or(|words| words.is_match(text))
}

/// Whether a piece of text ends in the first word of a phrase, so that the next piece may end it.
pub(super) fn may_go_on(text: &str) -> bool {
    const FIRST: &[&str] = &["nicht", "keine", "ya", "taken", "nie"];
    let last = text.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    FIRST.iter().any(|word| word.eq_ignore_ascii_case(last))
}

/// The phrase by which a page says that it is a wall.
pub fn wall(text: &str) -> Option<&'static str> {
    let text = format!(" {} ", fold(text));
    WALL.iter().copied().find(|phrase| text.contains(&format!(" {phrase} ")))
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(&format!(" {word} ")))
}

/// Notices in every language, for the tests of whoever looks for them.
#[cfg(test)]
pub(super) const EXAMPLES: &[&str] = &[
    "No longer accepting applications",
    "Sorry, this job is no longer available.",
    "This position has been filled. Have a look at our other openings!",
    "THIS POSTING HAS EXPIRED",
    "Applications are now closed",
    "This vacancy is closed",
    "Diese Stelle ist leider nicht mehr verfügbar.",
    "Die Stelle wurde bereits besetzt",
    "Diese Stellenanzeige ist abgelaufen",
    "Die Bewerbungsfrist ist abgelaufen.",
    "Cette offre n’est plus disponible",
    "Le poste a été pourvu.",
    "Cette offre est expirée",
    "Les candidatures sont clôturées",
    "Esta oferta ya no está disponible",
    "La vacante está cerrada",
    "El puesto ha sido cubierto",
    "Esta oferta ha caducado",
    "Ta oferta pracy jest już nieaktualna",
    "Ogłoszenie wygasło",
    "Rekrutacja została zakończona",
    "To stanowisko zostało obsadzone",
    "Nabídka již není aktuální",
    "Tato pozice je již obsazena",
    "Platnost inzerátu vypršela",
    "Výběrové řízení bylo ukončeno",
    "Position filled",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn closed_is_understood_in_six_languages() {
        for line in EXAMPLES {
            assert!(closed_notice(line).is_some(), "{line}");
        }
    }

    #[test]
    fn plans_conditions_questions_and_other_subjects_are_not_notices() {
        for line in [
            "This position will be filled by the end of the month.",
            "The ad stays online until the position has been filled.",
            "If this job is no longer available, write to us.",
            "Once the position is filled we remove the posting.",
            "Is this job no longer available?",
            "Report: this job is no longer available",
            "We work closed to the customer",
            "Our previous coffee machine is no longer available",
            "Die Anzeige bleibt online, bis die Stelle besetzt ist.",
            "Pokud nabídka již není aktuální, dejte nám vědět",
            "Sales closed won",
            "Closed",
            "Sunday: closed",
            "This page is no longer available, but the job is",
        ] {
            assert_eq!(closed_notice(line), None, "{line}");
        }
    }

    #[test]
    fn long_text_is_prose_and_no_notice() {
        let long = format!("This position has been filled. {}", "word ".repeat(40));
        assert_eq!(closed_notice(&long), None);
    }

    #[test]
    fn phrases_are_written_as_they_are_compared() {
        for phrase in CLOSED.iter().chain(BADGES).chain(ABOUT).chain(DOUBT).chain(WALL) {
            assert_eq!(fold(phrase), **phrase);
        }
    }

    proptest! {
        #[test]
        fn any_line_can_be_asked(line in ".*") {
            let _ = (closed_notice(&line), wall(&line));
        }
    }
}
