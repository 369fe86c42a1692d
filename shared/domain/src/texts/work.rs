//! How and where the work is done, as far as a text says so: full or part time, remote, hybrid or on site. A wish
//! or a possibility (`remote-friendly`, `Homeoffice möglich`) says neither.

use crate::location::RemoteKind;
use crate::plain_text::fold;

/// A kind of employment, by the word that schema.org has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Employment {
    FullTime,
    PartTime,
    Contractor,
    Temporary,
    Intern,
    Volunteer,
    PerDiem,
}

impl Employment {
    pub fn as_str(self) -> &'static str {
        match self {
            Employment::FullTime => "FULL_TIME",
            Employment::PartTime => "PART_TIME",
            Employment::Contractor => "CONTRACTOR",
            Employment::Temporary => "TEMPORARY",
            Employment::Intern => "INTERN",
            Employment::Volunteer => "VOLUNTEER",
            Employment::PerDiem => "PER_DIEM",
        }
    }
}

use Employment::{Contractor, FullTime, Intern, PartTime, PerDiem, Temporary, Volunteer};

/// Folded phrases, whole words; `(m/w/d)` and the like do not stand in their way.
const KINDS: &[(&str, Employment)] = &[
    ("full time", FullTime),
    ("fulltime", FullTime),
    ("vollzeit", FullTime),
    ("temps plein", FullTime),
    ("temps complet", FullTime),
    ("tiempo completo", FullTime),
    ("jornada completa", FullTime),
    ("tempo pieno", FullTime),
    ("tempo integral", FullTime),
    ("pelny etat", FullTime),
    ("plny uvazek", FullTime),
    ("plny pracovni uvazek", FullTime),
    ("prace na plny uvazek", FullTime),
    ("voltijds", FullTime),
    ("fulltijds", FullTime),
    ("heltid", FullTime),
    ("fuldtid", FullTime),
    ("kokoaikainen", FullTime),
    ("full time employee", FullTime),
    ("part time", PartTime),
    ("parttime", PartTime),
    ("teilzeit", PartTime),
    ("temps partiel", PartTime),
    ("tiempo parcial", PartTime),
    ("media jornada", PartTime),
    ("jornada parcial", PartTime),
    ("part time job", PartTime),
    ("tempo parziale", PartTime),
    ("meio periodo", PartTime),
    ("czesc etatu", PartTime),
    ("niepelny etat", PartTime),
    ("castecny uvazek", PartTime),
    ("zkraceny uvazek", PartTime),
    ("deeltijds", PartTime),
    ("deltid", PartTime),
    ("minijob", PartTime),
    ("contract", Contractor),
    ("contractor", Contractor),
    ("contract to hire", Contractor),
    ("corp to corp", Contractor),
    ("freelance", Contractor),
    ("freelancer", Contractor),
    ("freiberuflich", Contractor),
    ("umowa zlecenie", Contractor),
    ("kontrakt b2b", Contractor),
    ("b2b", Contractor),
    ("independant", Contractor),
    ("autonomo", Contractor),
    ("temporary", Temporary),
    ("temp", Temporary),
    ("seasonal", Temporary),
    ("fixed term", Temporary),
    ("befristet", Temporary),
    ("cdd", Temporary),
    ("interim", Temporary),
    ("temporal", Temporary),
    ("na dobe urcita", Temporary),
    ("na dobu urcitou", Temporary),
    ("doba urcita", Temporary),
    ("na czas okreslony", Temporary),
    ("brigada", Temporary),
    ("intern", Intern),
    ("internship", Intern),
    ("internships", Intern),
    ("praktikum", Intern),
    ("praktikant", Intern),
    ("praktikantin", Intern),
    ("pflichtpraktikum", Intern),
    ("stage", Intern),
    ("stagiaire", Intern),
    ("practicas", Intern),
    ("becario", Intern),
    ("staz", Intern),
    ("praktyki", Intern),
    ("tirocinio", Intern),
    ("estagio", Intern),
    ("co op", Intern),
    ("volunteer", Volunteer),
    ("ehrenamtlich", Volunteer),
    ("benevole", Volunteer),
    ("wolontariat", Volunteer),
    ("per diem", PerDiem),
    ("prn", PerDiem),
];

/// What a field says that is about nothing else: `Full-time`, `Vollzeit, unbefristet`, `Part-time / Contract`.
pub fn employment(text: &str) -> Vec<Employment> {
    let mut found = Vec::new();
    if text.len() > 200 {
        return found;
    }
    let words = format!(" {} ", fold(text));
    for (phrase, kind) in KINDS {
        let at = words.find(&format!(" {phrase} "));
        let denied = at.is_some_and(|at| is_denied(&words[..at]));
        if at.is_some() && !denied && !found.contains(kind) {
            found.push(*kind);
        }
    }
    // `Freelance contract`, `Permanent contract`: the contract is not the kind
    let contract = words.contains(" contract ") && !words.contains(" contract to hire ");
    let other = ["permanent", "employment", "type", "duration", "full time", "part time"];
    if contract
        && other.iter().any(|word| words.contains(&format!(" {word} ")))
        && !words.contains(" contractor ")
    {
        found.retain(|kind| *kind != Contractor);
    }
    found.sort_unstable();
    found
}

const MAX_PROSE: usize = 100_000;

use RemoteKind::{Hybrid, OnSite, Remote};

const WORDS: &[(&str, RemoteKind)] = &[
    ("hybrid", Hybrid),
    ("hybride", Hybrid),
    ("hybrides arbeiten", Hybrid),
    ("hibrido", Hybrid),
    ("hibrida", Hybrid),
    ("ibrido", Hybrid),
    ("hybrydowa", Hybrid),
    ("hybrydowo", Hybrid),
    ("hybridni", Hybrid),
    ("partially remote", Hybrid),
    ("partly remote", Hybrid),
    ("teilweise remote", Hybrid),
    ("teilweise homeoffice", Hybrid),
    ("teletravail partiel", Hybrid),
    ("castecne z domova", Hybrid),
    ("remote", Remote),
    ("fully remote", Remote),
    ("100 remote", Remote),
    ("remotely", Remote),
    ("remoto", Remote),
    ("remota", Remote),
    ("da remoto", Remote),
    ("teletrabajo", Remote),
    ("work from home", Remote),
    ("work from anywhere", Remote),
    ("working from home", Remote),
    ("wfh", Remote),
    ("telecommute", Remote),
    ("telecommuting", Remote),
    ("telework", Remote),
    ("virtual", Remote),
    ("home based", Remote),
    ("teletravail complet", Remote),
    ("teletravail total", Remote),
    ("full remote", Remote),
    ("praca zdalna", Remote),
    ("zdalna", Remote),
    ("zdalnie", Remote),
    ("na dalku", Remote),
    ("plne z domova", Remote),
    ("on site", OnSite),
    ("onsite", OnSite),
    ("in office", OnSite),
    ("in person", OnSite),
    ("vor ort", OnSite),
    ("presentiel", OnSite),
    ("sur site", OnSite),
    ("presencial", OnSite),
    ("in sede", OnSite),
    ("stacjonarna", OnSite),
    ("stacjonarnie", OnSite),
    ("praca stacjonarna", OnSite),
    ("na pracovisti", OnSite),
    ("op locatie", OnSite),
];

/// What a text says that says nothing else: `Remote`, `fully remote`, `Hybrid`.
pub fn remote_word(text: &str) -> Option<RemoteKind> {
    let folded = fold(text);
    WORDS.iter().find(|(phrase, _)| *phrase == folded).map(|(_, kind)| *kind)
}

/// What a field or a place says: `Remote - US`, `Hybrid`, `praca zdalna`.
pub fn remote(text: &str) -> Option<RemoteKind> {
    if text.len() > 300 {
        return None;
    }
    if crate::location::says_remote(text) {
        return Some(Remote);
    }
    let words = format!(" {} ", fold(text));
    // a possibility, or a choice
    const MAYBE: &[&str] = &[
        "possible",
        "optional",
        "option",
        "friendly",
        "moglich",
        "mozna",
        "mozliwosc",
        "mozliwa",
        "mozny",
        "moznost",
        "posible",
        "possibile",
        "occasional",
        "occasionally",
        "flexible",
        "opcional",
        "nach absprache",
        "ready",
        "desktop",
        "sensing",
        "control",
    ];
    if MAYBE.iter().any(|word| words.contains(&format!(" {word} "))) {
        return None;
    }
    let said = |kind| WORDS.iter().any(|(phrase, of)| *of == kind && is_said(&words, phrase));
    match (said(Hybrid), said(Remote), said(OnSite)) {
        (true, ..) => Some(Hybrid),
        (false, true, false) => Some(Remote),
        (false, false, true) => Some(OnSite),
        _ => None,
    }
}

/// What prose says in so many words: `this is a full-time position`, `this role is fully remote`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prose {
    pub employment: Vec<Employment>,
    /// Two different things said say nothing.
    pub remote: Option<RemoteKind>,
}

impl Prose {
    pub fn of(text: &str) -> Prose {
        let text = &text[..text.floor_char_boundary(MAX_PROSE)];
        let words = format!(" {} ", fold(text));
        let mut employment = said(&words, EMPLOYMENT_STEMS, EMPLOYED);
        employment.sort_unstable();
        employment.dedup();
        let kinds = said(&words, PLACE_STEMS, PLACED);
        let remote = kinds.first().copied().filter(|first| kinds.iter().all(|kind| kind == first));
        Prose { employment, remote }
    }
}

pub fn employment_in_prose(text: &str) -> Vec<Employment> {
    Prose::of(text).employment
}

pub fn remote_in_prose(text: &str) -> Option<RemoteKind> {
    Prose::of(text).remote
}

/// The phrases that stand in folded words. Most prose has none of the stems, and then no phrase is looked for.
fn said<T: Copy>(words: &str, stems: &[&str], phrases: &[(&str, T)]) -> Vec<T> {
    let there: Vec<&str> = stems
        .iter()
        .copied()
        .filter(|stem| memchr::memmem::find(words.as_bytes(), stem.as_bytes()).is_some())
        .collect();
    if there.is_empty() {
        return Vec::new();
    }
    let near = |phrase: &str| there.iter().any(|stem| phrase.contains(stem.trim_end()));
    phrases
        .iter()
        .filter(|(phrase, _)| near(phrase) && is_said(words, phrase))
        .map(|(_, kind)| *kind)
        .collect()
}

/// A part of each phrase below; a test holds that.
const EMPLOYMENT_STEMS: &[&str] = &[
    "time ",
    "vollzeit",
    "teilzeit",
    "temps p",
    "etat",
    "uvazek",
    "contract ",
    "temporary ",
    "seasonal ",
    "internship",
    "volunteer ",
    "per diem ",
];
const PLACE_STEMS: &[&str] = &[
    "remot",
    "hybrid",
    "hibrid",
    "hybryd",
    "site",
    "anywhere",
    "teletravail",
    "zdaln",
    "dalku",
    "stacjonarna",
    "presencial",
];

const EMPLOYED: &[(&str, Employment)] = &[
    ("full time position", FullTime),
    ("full time role", FullTime),
    ("full time job", FullTime),
    ("full time employment", FullTime),
    ("full time opportunity", FullTime),
    ("in vollzeit", FullTime),
    ("vollzeitstelle", FullTime),
    ("poste a temps plein", FullTime),
    ("na pelny etat", FullTime),
    ("na plny uvazek", FullTime),
    ("part time position", PartTime),
    ("part time role", PartTime),
    ("part time job", PartTime),
    ("in teilzeit", PartTime),
    ("teilzeitstelle", PartTime),
    ("poste a temps partiel", PartTime),
    ("contract position", Contractor),
    ("contract role", Contractor),
    ("temporary position", Temporary),
    ("temporary role", Temporary),
    ("seasonal position", Temporary),
    ("internship program", Intern),
    ("this internship", Intern),
    ("paid internship", Intern),
    ("volunteer position", Volunteer),
    ("per diem position", PerDiem),
];

const PLACED: &[(&str, RemoteKind)] = &[
    ("fully remote", Remote),
    ("100 remote", Remote),
    ("remote position", Remote),
    ("remote role", Remote),
    ("remote job", Remote),
    ("remote opportunity", Remote),
    ("role is remote", Remote),
    ("position is remote", Remote),
    ("job is remote", Remote),
    ("work from anywhere", Remote),
    ("remote first company", Remote),
    ("komplett remote", Remote),
    ("vollstandig remote", Remote),
    ("full remote", Remote),
    ("teletravail complet", Remote),
    ("100 remoto", Remote),
    ("totalmente remoto", Remote),
    ("praca w pelni zdalna", Remote),
    ("w pelni zdalnie", Remote),
    ("plne na dalku", Remote),
    ("hybrid position", Hybrid),
    ("hybrid role", Hybrid),
    ("hybrid work model", Hybrid),
    ("hybrid working model", Hybrid),
    ("hybrid schedule", Hybrid),
    ("role is hybrid", Hybrid),
    ("position is hybrid", Hybrid),
    ("hybrides arbeitsmodell", Hybrid),
    ("modele hybride", Hybrid),
    ("modalidad hibrida", Hybrid),
    ("tryb hybrydowy", Hybrid),
    ("praca hybrydowa", Hybrid),
    ("hybridni rezim", Hybrid),
    ("on site position", OnSite),
    ("onsite position", OnSite),
    ("on site role", OnSite),
    ("onsite role", OnSite),
    ("role is on site", OnSite),
    ("position is on site", OnSite),
    ("role is onsite", OnSite),
    ("position is onsite", OnSite),
    ("100 on site", OnSite),
    ("fully on site", OnSite),
    ("praca stacjonarna", OnSite),
    ("modalidad presencial", OnSite),
];

/// Whether a phrase stands in folded words, and is not denied.
fn is_said(words: &str, phrase: &str) -> bool {
    let phrase = format!(" {phrase} ");
    memchr::memmem::find_iter(words.as_bytes(), &phrase).any(|at| {
        let after = &words[at + phrase.len()..];
        let off =
            ["not possible", "not available", "is not", "nicht moglich", "not an option", "not offered"];
        !is_denied(&words[..at]) && !off.iter().any(|no| after.starts_with(no))
    })
}

/// Whether the last words before a phrase deny it.
fn is_denied(before: &str) -> bool {
    const NO: &[&str] = &[
        "not", "no", "non", "isn", "without", "kein", "keine", "nicht", "pas", "sin", "nie", "bez", "neni",
        "ne", "cannot", "never",
    ];
    before.split(' ').rev().filter(|word| !word.is_empty()).take(3).any(|word| NO.contains(&word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> String {
        employment(text).into_iter().map(Employment::as_str).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn kinds_of_employment_are_known_in_several_languages() {
        for (text, expected) in [
            ("Full-time", "FULL_TIME"),
            ("Vollzeit (m/w/d), unbefristet", "FULL_TIME"),
            ("Temps plein / CDI", "FULL_TIME"),
            ("Jornada completa", "FULL_TIME"),
            ("Pełny etat", "FULL_TIME"),
            ("Plný úvazek", "FULL_TIME"),
            ("Part time or Full time", "FULL_TIME,PART_TIME"),
            ("Teilzeit", "PART_TIME"),
            ("Částečný úvazek", "PART_TIME"),
            ("Contract", "CONTRACTOR"),
            ("Contract to hire", "CONTRACTOR"),
            ("Permanent contract, full-time", "FULL_TIME"),
            ("Contract type: full time", "FULL_TIME"),
            ("Internship", "INTERN"),
            ("Befristet", "TEMPORARY"),
            ("Seasonal", "TEMPORARY"),
            ("Stage", "INTERN"),
            ("not full time", ""),
            ("internal", ""),
            ("Permanent", ""),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        let prose = "We offer a full-time position in a team of five. Contract work is handled elsewhere.";
        assert_eq!(employment_in_prose(prose), [FullTime]);
        assert_eq!(employment_in_prose("We manage contracts and full time zones."), []);
    }

    #[test]
    fn where_the_work_is_done_is_only_what_was_said() {
        for (text, expected) in [
            ("Remote", Some(Remote)),
            ("Remote - US", Some(Remote)),
            ("US (Remote)", Some(Remote)),
            ("TX - Work from home", Some(Remote)),
            ("Praca zdalna", Some(Remote)),
            ("Hybrid (2 days remote)", Some(Hybrid)),
            ("Hybrydowo", Some(Hybrid)),
            ("Télétravail partiel", Some(Hybrid)),
            ("On-site", Some(OnSite)),
            ("Presencial", Some(OnSite)),
            ("vor Ort in Graz", Some(OnSite)),
            ("Berlin", None),
            ("not remote", None),
            ("Remote possible", None),
            ("Homeoffice möglich", None),
            ("remote-friendly", None),
            ("No remote", None),
            ("Remote or on-site", None),
            ("Bentonville Home Office", None),
        ] {
            assert_eq!(remote(text), expected, "{text}");
        }
        for (text, expected) in [
            ("Good pay. This is a fully remote position.", Some(Remote)),
            ("You will manage remote sites and remote sensing data.", None),
            ("This role is hybrid, three days in Leeds.", Some(Hybrid)),
            ("This is not a remote position.", None),
            ("Choose a remote role or an on-site role.", None),
            ("This position is on-site.", Some(OnSite)),
        ] {
            assert_eq!(remote_in_prose(text), expected, "{text}");
        }
    }

    #[test]
    fn every_phrase_has_its_stem_so_that_none_is_overlooked() {
        for (phrase, _) in EMPLOYED {
            let phrase = format!(" {phrase} ");
            assert!(EMPLOYMENT_STEMS.iter().any(|stem| phrase.contains(stem)), "{phrase}");
            assert!(!employment_in_prose(&phrase).is_empty(), "{phrase}");
        }
        for (phrase, kind) in PLACED {
            assert_eq!(remote_in_prose(phrase), Some(*kind), "{phrase}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_asked(text in ".{0,200}") {
            let _ = (employment(&text), Prose::of(&text), remote(&text), remote_word(&text));
        }
    }
}
