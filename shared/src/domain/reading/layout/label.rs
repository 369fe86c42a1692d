//! What pages write before a value, in a dozen languages: which field a label names. Compared folded, as a whole: a label
//! says its field and nothing else.

/// What a label can speak of. Those after `Other` only show that a list of facts is one about a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Title,
    Company,
    Location,
    Posted,
    Until,
    Salary,
    Employment,
    Id,
    /// Another fact about a job (experience, industry, contact): not kept, but no value of the label before it either.
    Other,
}

/// The longest label worth comparing.
pub const MAX_LABEL: usize = 40;

/// The field that a folded label names.
pub fn field(folded: &str) -> Option<Field> {
    if folded.is_empty() || folded.len() > MAX_LABEL {
        return None;
    }
    TABLE.iter().find(|(_, labels)| labels.contains(&folded)).map(|(field, _)| *field)
}

const TABLE: &[(Field, &[&str])] = &[
    (
        Field::Title,
        &[
            "job title", "position title", "title", "position", "job", "job name", "role", "vacancy", "vacancy title",
            "position name", "job position", "designation", "opening", "working title", "posting title", "job posting title",
            "stellenbezeichnung", "stellentitel", "stelle", "jobtitel", "berufsbezeichnung",
            "intitule du poste", "poste", "titre du poste", "intitule", "poste a pourvoir",
            "puesto", "titulo del puesto", "cargo", "nombre del puesto", "vacante", "puesto de trabajo",
            "stanowisko", "nazwa stanowiska", "stanowisko pracy",
            "pozice", "nazev pozice", "pracovni pozice", "nazov pozicie",
            "functie", "functietitel", "vacature", "posizione", "titolo", "ruolo", "cargo da vaga", "vaga", "funcao",
            "befattning", "tjanst", "stilling", "stillingstittel",
        ],
    ),
    (
        Field::Company,
        &[
            "company", "company name", "employer", "employer name", "organization", "organisation", "hiring company",
            "hiring organization", "hiring organisation", "client", "advertiser", "posted by", "recruiter", "agency",
            "recruiting company", "organization name", "organisation name", "institution", "business name",
            "name of company", "name of employer", "job posted by", "offered by", "school district", "facility",
            "firma", "unternehmen", "arbeitgeber", "firmenname", "unternehmensname",
            "entreprise", "societe", "employeur", "nom de l entreprise", "recruteur",
            "empresa", "compania", "nombre de la empresa", "empleador", "anunciante",
            "pracodawca", "nazwa firmy", "firma zatrudniajaca",
            "spolecnost", "zamestnavatel", "nazev spolecnosti", "nazev firmy", "zadavatel", "inzerujici spolecnost",
            "spolocnost", "zamestnavatel firma",
            "bedrijf", "werkgever", "bedrijfsnaam", "azienda", "datore di lavoro", "foretag", "arbetsgivare",
            "virksomhed", "arbeidsgiver", "bedrift",
        ],
    ),
    (
        Field::Location,
        &[
            "location", "job location", "locations", "job locations", "work location", "place of work", "workplace",
            "city", "city state", "location s", "job location s", "primary location", "location city state", "where",
            "office location", "work site", "worksite", "place", "region location", "city and state", "town", "based in",
            "location of job", "location name", "position location", "duty location", "town city", "city town", "office", "duty station",
            "standort", "arbeitsort", "einsatzort", "dienstort", "ort", "arbeitsplatz", "standorte", "arbeitsstatte",
            "lieu", "lieu de travail", "localisation", "lieu du poste", "ville", "lieux", "localite",
            "ubicacion", "lugar", "lugar de trabajo", "localidad", "ciudad", "poblacion", "localizacion", "provincia",
            "lokalizacja", "miejsce pracy", "miejscowosc", "miasto", "lokalizacja stanowiska",
            "lokalita", "misto vykonu prace", "misto pracoviste", "pracoviste", "misto prace", "adresa", "mesto",
            "miesto prace", "lokalita pracoviste", "adresa pracoviste",
            "locatie", "plaats", "standplaats", "werklocatie", "sede", "luogo di lavoro", "sede di lavoro", "citta",
            "localizacao", "local", "local de trabalho", "cidade", "ort stad", "placering", "arbetsort", "plats",
            "sted", "arbeidssted", "arbejdssted",
        ],
    ),
    (
        Field::Posted,
        &[
            "date posted", "posted", "posted on", "posted date", "date of posting", "posting date", "published",
            "published on", "publication date", "date published", "publish date", "job posted", "job posted on",
            "listed", "listed on", "date listed", "list date", "post date", "posted at", "job posting date", "date added",
            "added", "added on", "open date", "opening date", "opened", "created", "created on", "date created",
            "creation date", "advertised", "advertised on", "date advertised", "active since", "job date", "online since",
            "date opened", "first posted", "ad posted", "entered", "date entered", "posted since", "issue date",
            "original post date",
            "veroffentlicht", "veroffentlicht am", "veroffentlichungsdatum", "online seit", "eingestellt am", "erstellt am",
            "anzeige vom", "eingestellt", "datum der veroffentlichung", "ausgeschrieben am", "erschienen am",
            "publiee le", "publie le", "date de publication", "publication", "mise en ligne", "date de parution",
            "mis en ligne le", "parue le", "date de l annonce", "offre publiee le",
            "publicado", "publicada", "publicado el", "publicada el", "fecha de publicacion", "fecha publicacion",
            "fecha de alta",
            "data publikacji", "opublikowano", "dodano", "data dodania", "opublikowana", "opublikowane", "dodana",
            "zverejneno", "datum zverejneni", "publikovano", "vlozeno", "datum vlozeni", "pridano", "datum publikace",
            "aktualizovano", "zverejnene", "datum zverejnenia", "pridane",
            "geplaatst", "geplaatst op", "gepubliceerd op", "plaatsingsdatum", "pubblicato", "pubblicato il",
            "data di pubblicazione", "data pubblicazione", "data de publicacao", "publicado em", "publicerad",
            "publicerad den", "publiceringsdatum", "publisert", "opslagsdato", "oprettet",
        ],
    ),
    (
        Field::Until,
        &[
            "valid through", "valid until", "closing date", "close date", "application deadline", "apply by", "deadline",
            "expires", "expires on", "expiration date", "expiry date", "apply before", "closes", "closing on", "end date",
            "applications close", "last date to apply", "job expires", "ad expires", "date closing", "filing deadline",
            "bewerbungsfrist", "bewerbungsschluss", "bewerben bis", "gultig bis", "anzeige gultig bis",
            "date limite", "date limite de candidature", "date de cloture", "postuler avant le",
            "fecha limite", "fecha de cierre", "plazo de inscripcion", "valida hasta",
            "wazna do", "oferta wazna do", "termin skladania ofert", "wazne do", "termin skladania aplikacji",
            "platnost do", "nabidka plati do", "uzaverka prihlasek", "platne do", "termin uzaverky",
            "sluitingsdatum", "reageren voor", "scadenza", "data limite", "sista ansokningsdag", "soknadsfrist",
            "ansogningsfrist",
        ],
    ),
    (
        Field::Salary,
        &[
            "salary", "base pay", "pay", "pay rate", "wage", "wages", "compensation", "salary range", "pay range", "rate",
            "remuneration", "annual salary", "hourly rate", "base salary", "salary wage", "salary rate", "hourly wage",
            "estimated salary", "salary wage range", "min max salary", "starting salary", "salary per annum", "pay scale",
            "stipend", "package", "salary package", "bill rate", "compensation range", "hiring range",
            "gehalt", "vergutung", "lohn", "entgelt", "bezahlung", "gehaltsspanne", "jahresgehalt", "monatsgehalt",
            "salaire", "remuneration annuelle", "salaire brut", "fourchette de salaire",
            "salario", "sueldo", "retribucion", "salario bruto", "rango salarial", "remuneracion",
            "wynagrodzenie", "pensja", "stawka", "placa", "widelki", "zarobki",
            "mzda", "plat", "platove ohodnoceni", "odmena", "nabizena mzda", "mzdove rozmezi", "odmenovani",
            "salaris", "stipendio", "retribuzione", "salario mensal", "lon", "lonn",
        ],
    ),
    (
        Field::Employment,
        &[
            "employment type", "job type", "employee type", "type of employment", "position type", "employment",
            "contract type", "type", "job terms", "work type", "working hours", "schedule", "employment status", "status",
            "job status", "full part time", "contract", "hours", "shift type", "time type", "job types", "tax term",
            "tax terms", "duration", "position status", "type of position", "terms", "type of job", "term", "job term",
            "full time part time", "employment term", "work schedule", "job schedule", "appointment type",
            "anstellungsart", "beschaftigungsart", "vertragsart", "arbeitszeit", "arbeitszeitmodell", "anstellung",
            "art der anstellung", "beschaftigung", "beschaftigungsverhaltnis", "umfang",
            "type de contrat", "contrat", "type d emploi", "temps de travail", "type de poste",
            "tipo de contrato", "contrato", "jornada", "jornada laboral", "tipo de empleo", "tipo de jornada",
            "rodzaj umowy", "wymiar pracy", "wymiar etatu", "typ umowy", "etat", "umowa", "forma zatrudnienia",
            "typ uvazku", "pracovni uvazek", "typ pracovniho vztahu", "typ pracovniho pomeru", "uvazek", "pracovni pomer",
            "druh pracovniho pomeru", "smluvni vztah", "typ pozice", "typ spoluprace",
            "dienstverband", "soort contract", "contratto", "tipo di contratto", "tipo de vaga", "anstallningsform",
            "omfattning", "ansettelsesform", "stillingstype",
        ],
    ),
    (
        Field::Id,
        &[
            "job id", "job number", "reference", "reference id", "reference number", "job reference", "req id",
            "requisition", "requisition id", "requisition number", "job code", "position id", "job ref", "ref",
            "posting id", "job req id", "vacancy id", "vacancy number", "position number", "job reference code", "req",
            "job no", "ref no", "requisition no", "job requisition id", "reference code", "posting number", "vacancy ref",
            "vacancy reference", "ad id", "position id number", "job reference number", "reqid", "req number",
            "referenznummer", "kennziffer", "stellen id", "job nr", "referenz", "stellennummer",
            "reference de l offre", "ref de l offre", "numero de l offre",
            "referencia", "numero de referencia", "numer referencyjny", "nr ref", "numer oferty", "nr referencyjny",
            "referencni cislo", "cislo nabidky", "id nabidky", "id pozice", "referentienummer", "riferimento",
        ],
    ),
    (
        Field::Other,
        &[
            "industry", "industries", "category", "job category", "categories", "experience", "required experience",
            "years of experience", "education", "education level", "required education", "career level", "job level",
            "level", "department", "function", "job function", "skills", "required skills", "travel", "required travel",
            "travel required", "relocation", "relocation covered", "manages others", "contact", "contact name", "phone",
            "telephone", "email", "e mail", "fax", "website", "web site", "url", "address", "county", "state", "country",
            "zip", "zip code", "postal code", "area code", "benefits", "description", "job description", "requirements",
            "job requirements", "qualifications", "responsibilities", "summary", "job summary", "overview", "other pay",
            "bonus", "commission", "start date", "available", "openings", "number of openings", "vacancies",
            "number of vacancies", "positions", "shift", "division", "business unit", "job family", "grade", "supervisor",
            "reports to", "security clearance", "clearance", "work authorization", "visa", "language", "languages",
            "minimum education", "minimum experience", "year experience", "desired education level", "required degree",
            "degree", "major", "views", "applicants", "applications", "share", "specialty", "discipline", "sector", "field",
            "telecommute", "remote", "work arrangement", "apply", "how to apply", "send resume to", "last updated",
            "updated", "date updated", "modified", "company size", "company type", "company industry", "job segment",
            "branche", "berufserfahrung", "ausbildung", "abteilung", "ansprechpartner", "kontakt", "telefon", "eintritt",
            "eintrittsdatum", "beginn", "berufsfeld", "aufgaben", "anforderungen", "karrierestufe", "sprache", "sprachen",
            "secteur", "secteur d activite", "experience requise", "niveau d etudes", "formation", "fonction", "telecopie",
            "metier", "date de debut", "nombre de postes", "competences",
            "sector empresa", "experiencia", "experiencia minima", "estudios", "estudios minimos", "categoria", "nivel",
            "area", "requisitos", "funciones", "numero de vacantes", "inscritos",
            "branza", "doswiadczenie", "wyksztalcenie", "dzial", "poziom stanowiska", "wymagania", "obowiazki",
            "kategoria", "tryb pracy", "rozpoczecie pracy", "liczba wakatow",
            "obor", "praxe", "vzdelani", "oddeleni", "pozadavky", "napln prace", "jazyky", "benefity", "vyhody",
            "kontaktni osoba", "kategorie", "nastup", "termin nastupu", "pozadovane vzdelani", "zarazeni", "vhodne pro",
            "pozadovane jazyky", "pocet volnych mist", "zadavatel inzeratu",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::plain_text::fold;

    #[test]
    fn labels_are_written_as_they_are_compared_and_name_one_field() {
        let mut seen = std::collections::HashMap::new();
        for (field, labels) in TABLE {
            for label in *labels {
                assert_eq!(fold(label), **label);
                assert!(label.len() <= MAX_LABEL, "{label}");
                assert_eq!(seen.insert(*label, *field).filter(|other| other != field), None, "{label}");
            }
        }
    }

    #[test]
    fn a_label_is_the_whole_of_it() {
        assert_eq!(field(&fold("Místo výkonu práce:")), Some(Field::Location));
        assert_eq!(field(&fold("Veröffentlicht am")), Some(Field::Posted));
        assert_eq!(field("our company"), None);
    }
}
