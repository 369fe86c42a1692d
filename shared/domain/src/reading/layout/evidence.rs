//! Is this page a posting at all, a list of them, or something else? Nothing is read from a page that does not show
//! several signs of being one.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::assemble::says_employment;
use super::content::Content;
use super::label::Field;
use super::lines::Line;
use super::marks::Marks;
use super::pairs::Pair;
use super::site_words::Names;
use super::where_at::{is_named, is_place, is_town};
use crate::page::Page;
use crate::plain_text::fold;

/// So many points, and the page is a posting.
const ENOUGH: usize = 8;
/// Links set as titles in the midst of the prose, and the page is a list.
const CARDS: usize = 5;

const APPLY: &[&str] = &[
    "apply",
    "apply now",
    "apply online",
    "apply for this job",
    "apply for job",
    "apply to this job",
    "apply to job",
    "apply here",
    "apply today",
    "easy apply",
    "quick apply",
    "apply for this position",
    "apply on company site",
    "apply on company website",
    "i m interested",
    "submit resume",
    "send resume",
    "apply for this role",
    "submit application",
    "bewerben",
    "jetzt bewerben",
    "online bewerben",
    "hier bewerben",
    "direkt bewerben",
    "auf diese stelle bewerben",
    "postuler",
    "je postule",
    "postuler maintenant",
    "postulez",
    "postuler en ligne",
    "candidater",
    "inscribirme",
    "inscribirse",
    "solicitar",
    "solicitar empleo",
    "aplicar",
    "postular",
    "postularme",
    "inscribirme en esta oferta",
    "aplikuj",
    "aplikuj teraz",
    "aplikuj szybko",
    "wyslij cv",
    "aplikuj na stanowisko",
    "odpovedet",
    "odpovedet na nabidku",
    "mam zajem",
    "poslat zivotopis",
    "reagovat na nabidku",
    "odeslat zivotopis",
    "mam zaujem",
    "solliciteer",
    "solliciteren",
    "direct solliciteren",
    "candidati",
    "candidati ora",
    "candidatar se",
    "ansok",
    "ansok nu",
    "sok jobbet",
    "sok pa stillingen",
    "sok stilling",
    "ansog",
    "ansog nu",
    "hae paikkaa",
    "hae tyopaikkaa",
    "hae nyt",
    "aplica",
    "aplica acum",
    "jelentkezem",
];

const SECTIONS: &[&str] = &[
    "job description",
    "responsibilities",
    "requirements",
    "qualifications",
    "job requirements",
    "about the job",
    "about the role",
    "job summary",
    "job details",
    "job overview",
    "what you will do",
    "what you ll do",
    "who you are",
    "your profile",
    "what we offer",
    "we offer",
    "duties",
    "essential functions",
    "position summary",
    "key responsibilities",
    "minimum qualifications",
    "preferred qualifications",
    "required skills",
    "job information",
    "about the position",
    "position description",
    "the role",
    "your role",
    "your tasks",
    "about you",
    "aufgaben",
    "ihre aufgaben",
    "deine aufgaben",
    "ihr profil",
    "dein profil",
    "anforderungen",
    "wir bieten",
    "was wir bieten",
    "stellenbeschreibung",
    "ihre qualifikationen",
    "das bringst du mit",
    "das bieten wir",
    "missions",
    "vos missions",
    "votre profil",
    "profil recherche",
    "description du poste",
    "profil",
    "nous offrons",
    "le poste",
    "requisitos",
    "funciones",
    "descripcion",
    "ofrecemos",
    "se ofrece",
    "descripcion del puesto",
    "responsabilidades",
    "wymagania",
    "obowiazki",
    "oferujemy",
    "zakres obowiazkow",
    "opis stanowiska",
    "nasze wymagania",
    "twoj zakres obowiazkow",
    "pozadavky",
    "napln prace",
    "nabizime",
    "pozadujeme",
    "pracovni nabidka",
    "koho hledame",
    "co nabizime",
    "co vas ceka",
    "popis pozice",
    "pozadujeme od vas",
    "o pozici",
    "requisitos da vaga",
    "descricao da vaga",
    "functieomschrijving",
    "wat bieden wij",
    "functie eisen",
    "om jobbet",
    "arbetsuppgifter",
    "about the team",
];

/// [`APPLY`] and [`SECTIONS`], to look lines up in.
static KNOWN_LINES: LazyLock<(HashSet<&str>, HashSet<&str>)> =
    LazyLock::new(|| (APPLY.iter().copied().collect(), SECTIONS.iter().copied().collect()));

/// What kind of page the signs speak for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Posting,
    /// A list of about so many.
    List(usize),
    Neither,
}

/// Lines around the title in which the facts of a job stand without labels.
const REACH: usize = 8;

pub struct Signs<'a> {
    pub page: &'a Page,
    pub lines: &'a [Line],
    pub pairs: &'a [Pair],
    pub names: &'a Names,
    pub content: Option<Content>,
    /// The line of the title.
    pub title: Option<usize>,
}

impl Signs<'_> {
    /// What stands beside the title without a label and yet says what it is.
    fn shown(&self) -> impl Iterator<Item = Field> {
        let at = self.title.unwrap_or(usize::MAX);
        let near =
            self.lines.iter().enumerate().filter(move |(own, _)| *own != at && own.abs_diff(at) <= REACH);
        let own = near.filter(|(_, line)| !line.furniture && !line.elsewhere && !line.folded.is_empty());
        own.flat_map(|(_, line)| {
            let pieces = line.pieces();
            let named = is_named(self.page, line.node);
            let whole = pieces.is_empty().then_some(line.text.as_str());
            pieces.into_iter().chain(whole).map(move |text| (text, named))
        })
        .filter_map(|(text, named)| {
            if named || is_place(text) || is_town(text) {
                Some(Field::Location)
            } else if text.split_whitespace().count() <= 4 && says_employment(text) {
                Some(Field::Employment)
            } else {
                None
            }
        })
    }
}

/// Judges a page by its signs; `title` is the folded title it seems to have.
pub fn judge(signs: &Signs<'_>, title: Option<&str>) -> Kind {
    let (inside, all) = cards(signs);
    let headed = signs.lines.iter().any(|line| {
        line.level == Some(1) && !line.link && !line.furniture && Some(line.folded.as_str()) == title
    });
    if inside >= CARDS || all >= 2 * CARDS && !headed {
        return Kind::List(all);
    }
    let Some(title) = title else { return Kind::Neither };
    let mut fields: Vec<Field> = signs
        .pairs
        .iter()
        .filter(|pair| !signs.lines[pair.label_at].elsewhere)
        .filter(|pair| pair.field != Field::Employment || says_employment(&pair.value))
        .map(|pair| pair.field)
        .chain(signs.shown())
        .collect();
    fields.sort_unstable();
    fields.dedup();
    let facts = fields.iter().filter(|field| **field != Field::Other).count();
    // a place has every shop; these only a job has
    let of_jobs = fields.iter().filter(|field| !matches!(field, Field::Other | Field::Location)).count();
    let own = |line: &&Line| !line.furniture && !line.elsewhere && !line.folded.is_empty();
    let known = &*KNOWN_LINES;
    let applies =
        signs.lines.iter().any(|line| line.link && !line.elsewhere && known.0.contains(line.folded.as_str()))
            || applies_by_form(signs.page);
    let sections =
        signs.lines.iter().filter(own).filter(|line| known.1.contains(line.folded.as_str())).count();
    let prose = signs.content.map_or(0, |content| content.weight);
    let job_word = [
        " job ",
        " jobs ",
        " career ",
        " careers ",
        " vacancy ",
        " stelle ",
        " emploi ",
        " empleo ",
        " praca ",
        " prace ",
    ];
    let titled = job_word.iter().any(|word| signs.names.in_title(word.trim()));
    let points = 2 * facts.min(4)
        + 3 * usize::from(applies)
        + 2 * sections.min(2)
        + 2 * usize::from(signs.names.address_says_job())
        + usize::from(titled)
        + 2 * usize::from(is_role(title))
        + 2 * usize::from(prose >= 400);
    // words and addresses alone are no posting: something on the page must be what only postings have
    let own = of_jobs >= 2 || applies || sections > 0;
    if points >= ENOUGH && own && (prose > 0 || facts >= 3) { Kind::Posting } else { Kind::Neither }
}

/// `<input type=submit value="Apply for job">`, which shows no text.
fn applies_by_form(page: &Page) -> bool {
    let button = |kind: &str| matches!(kind, "submit" | "button");
    page.named("input")
        .filter(|id| page.attribute(*id, "type").is_some_and(button))
        .filter_map(|id| page.attribute(id, "value"))
        .any(|text| text.len() <= 60 && KNOWN_LINES.0.contains(fold(text).as_str()))
}

/// Titles that are links: those in the part of the page where its prose is, and all.
fn cards(signs: &Signs<'_>) -> (usize, usize) {
    let inside = |line: &&Line| signs.content.is_none_or(|content| signs.page.holds(content.node, line.node));
    let card = |line: &&Line| {
        line.link
            && !line.furniture
            && !line.elsewhere
            && line.text.len() >= 6
            && (line.level.is_some() || titled(signs.page, line))
    };
    let all = || signs.lines.iter().filter(card);
    (all().filter(inside).count(), all().count())
}

fn titled(page: &Page, line: &Line) -> bool {
    static TITLES: Marks = Marks::new(&["title", "joblink", "job-link"]);
    std::iter::once(line.node)
        .chain(page.ancestors(line.node))
        .take(3)
        .any(|id| page.attribute(id, "class").is_some_and(|names| TITLES.are_in(names)))
}

/// Whether a folded title has a word for what somebody does.
pub fn is_role(folded: &str) -> bool {
    const WORDS: &[&str] = &[
        "engineer",
        "engineers",
        "developer",
        "developers",
        "manager",
        "director",
        "analyst",
        "designer",
        "architect",
        "consultant",
        "administrator",
        "technician",
        "specialist",
        "programmer",
        "assistant",
        "coordinator",
        "supervisor",
        "representative",
        "nurse",
        "teacher",
        "driver",
        "accountant",
        "officer",
        "scientist",
        "clerk",
        "lead",
        "intern",
        "internship",
        "associate",
        "executive",
        "recruiter",
        "writer",
        "editor",
        "operator",
        "mechanic",
        "electrician",
        "cook",
        "chef",
        "cashier",
        "agent",
        "advisor",
        "adviser",
        "planner",
        "buyer",
        "trainer",
        "therapist",
        "physician",
        "pharmacist",
        "attorney",
        "counsel",
        "paralegal",
        "receptionist",
        "secretary",
        "president",
        "head",
        "chief",
        "professor",
        "lecturer",
        "researcher",
        "tester",
        "owner",
        "worker",
        "inspector",
        "installer",
        "auditor",
        "controller",
        "strategist",
        "producer",
        "sales",
        "support",
        "marketing",
        "dba",
        "sdet",
        "appraiser",
        "underwriter",
        "dispatcher",
        "janitor",
        "guard",
        "caregiver",
        "tutor",
        "warden",
        "fellow",
        "trainee",
        "apprentice",
        "crew",
        "member",
        "keeper",
        "handler",
        "hand",
        "foreman",
        "surveyor",
        "welder",
        "entwickler",
        "entwicklerin",
        "ingenieur",
        "ingenieurin",
        "leiter",
        "leiterin",
        "mitarbeiter",
        "mitarbeiterin",
        "berater",
        "beraterin",
        "sachbearbeiter",
        "kaufmann",
        "kauffrau",
        "techniker",
        "fachkraft",
        "referent",
        "praktikum",
        "werkstudent",
        "developpeur",
        "developpeuse",
        "responsable",
        "charge",
        "chargee",
        "technicien",
        "comptable",
        "vendeur",
        "stage",
        "ingenieure",
        "desarrollador",
        "desarrolladora",
        "ingeniero",
        "ingeniera",
        "gerente",
        "administrativo",
        "tecnico",
        "comercial",
        "auxiliar",
        "programista",
        "kierownik",
        "specjalista",
        "inzynier",
        "asystent",
        "doradca",
        "ksiegowy",
        "kierowca",
        "pracownik",
        "analityk",
        "vyvojar",
        "vyvojarka",
        "programator",
        "programatorka",
        "inzenyr",
        "manazer",
        "manazerka",
        "specialistka",
        "technik",
        "administratorka",
        "ucetni",
        "ridic",
        "prodavac",
        "asistent",
        "asistentka",
        "obchodnik",
        "konzultant",
        "analytik",
        "vedouci",
        "estagio",
        "estagiario",
        "analista",
        "desenvolvedor",
        "gestor",
        "ontwikkelaar",
        "medewerker",
        "adviseur",
        "monteur",
        "utvecklare",
        "ingenjor",
        "chauffor",
        "sviluppatore",
        "impiegato",
        "tirocinio",
        "practitioner",
        "superintendent",
        "estimator",
    ];
    static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.iter().copied().collect());
    folded.split(' ').any(|word| KNOWN.contains(word))
}
