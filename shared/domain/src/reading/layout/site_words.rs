//! What a page calls itself: its title, its OpenGraph names, the words of its address. Values found elsewhere are
//! weighed by whether these agree with them.

use ::url::Url;

use crate::page::Page;
use crate::plain_text::{fold, line};

#[derive(Debug, Default)]
pub struct Names {
    /// The document's title.
    pub title: String,
    pub og_title: String,
    /// Folded, with a space at both ends, so that whole words can be looked for.
    titles: String,
    description: String,
    slug: String,
    site: Vec<String>,
    /// The labels of the host, without the public suffix where it is known to be short.
    host: Vec<String>,
}

impl Names {
    pub fn of(page: &Page, url: &str) -> Names {
        let title = page.title().map(|title| line(&title)).unwrap_or_default();
        let og_title = page.meta("og:title").or_else(|| page.meta("twitter:title"));
        let og_title = og_title.map(|title| line(&title)).unwrap_or_default();
        let description = page.meta("description").or_else(|| page.meta("og:description"));
        let url = Url::parse(url).ok();
        let path = url
            .as_ref()
            .map(|url| percent_encoding::percent_decode_str(url.path()).decode_utf8_lossy().into_owned());
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let site = ["og:site_name", "application-name", "apple-mobile-web-app-title"];
        Names {
            titles: format!(" {} {} ", fold(&title), fold(&og_title)),
            description: format!(" {} ", fold(&description.map(|text| line(&text)).unwrap_or_default())),
            slug: format!(" {} ", fold(&path.unwrap_or_default())),
            site: site.iter().filter_map(|name| page.meta(name)).map(|name| compact(&name)).collect(),
            host: host.split('.').filter(|label| label.len() >= 3 && *label != "www").map(compact).collect(),
            title,
            og_title,
        }
    }

    /// Whether the page's title says this.
    pub fn in_title(&self, folded: &str) -> bool {
        says(&self.titles, folded)
    }

    /// Whether the page's title begins with this.
    pub fn begins(&self, folded: &str) -> bool {
        self.titles.trim_start().starts_with(&format!("{folded} "))
    }

    pub fn in_description(&self, folded: &str) -> bool {
        says(&self.description, folded)
    }

    pub fn in_address(&self, folded: &str) -> bool {
        says(&self.slug, folded)
    }

    /// Whether the address says that it is one of a job.
    pub fn address_says_job(&self) -> bool {
        const WORDS: &[&str] = &[
            "job",
            "jobs",
            "career",
            "careers",
            "vacancy",
            "vacancies",
            "position",
            "positions",
            "opening",
            "openings",
            "viewjob",
            "jobview",
            "jobdetail",
            "jobdetails",
            "getjob",
            "stelle",
            "stellen",
            "stellenangebote",
            "stellenangebot",
            "karriere",
            "emploi",
            "emplois",
            "offre",
            "offres",
            "empleo",
            "empleos",
            "oferta",
            "ofertas",
            "praca",
            "oferty",
            "prace",
            "nabidka",
            "pozice",
            "detail pozice",
            "rpd",
            "vacature",
            "vacatures",
            "lavoro",
            "vaga",
            "vagas",
            "classifieds",
            "requisition",
            "jobseeker",
            "posting",
            "role",
            "roles",
            "jobad",
            "jobdesc",
            "stilling",
            "stillinger",
            "tyopaikka",
            "tyopaikat",
            "annuncio",
            "vacante",
        ];
        WORDS.iter().any(|word| says(&self.slug, word))
            || self.host.iter().any(|label| label.contains("job") || label.contains("career"))
    }

    /// Whether a name is that of the site, and so perhaps of a board and not of an employer.
    pub fn is_site(&self, name: &str) -> bool {
        let name = compact(name);
        let same = |own: &str| {
            own.len() >= 3
                && (name == own
                    || name.contains(own) && name.len() <= 2 * own.len()
                    || own.contains(&name) && own.len() <= 2 * name.len())
        };
        !name.is_empty() && (self.site.iter().any(|own| same(own)) || self.host.iter().any(|own| same(own)))
    }

    /// Who the page says that one works for: `Careers at Seine & Co`, `Jobs bei Seine & Co`. A board's own name is not said so.
    pub fn employer(&self) -> Option<&str> {
        const BEFORE: &[&str] = &[
            "Careers at ",
            "Career at ",
            "Jobs at ",
            "Working at ",
            "Work at ",
            "Careers with ",
            "Karriere bei ",
            "Jobs bei ",
            "Arbeiten bei ",
            "Carrières chez ",
            "Travailler chez ",
            "Emplois chez ",
            "Kariera w ",
            "Praca w firmie ",
            "Kariéra v ",
            "Werken bij ",
            "Lavora con ",
            "Trabaja en ",
            "Jobba hos ",
        ];
        [&self.title, &self.og_title].into_iter().find_map(|whole| {
            let name = BEFORE.iter().find_map(|before| whole.split_once(before).map(|(_, name)| name))?;
            let name = name.split(
                [" | ", " - ", " – ", " — ", " · "]
                    .iter()
                    .find(|mark| name.contains(**mark))
                    .copied()
                    .unwrap_or("\0"),
            );
            let name = name.into_iter().next()?.trim();
            let named = name.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
            (named && name.len() >= 2 && name.len() <= 60).then_some(name)
        })
    }

    /// What the titles say around the posting's own title, piece by piece.
    pub fn around(&self, title: &str) -> Vec<(Says, String)> {
        let mut pieces = Vec::new();
        for whole in [&self.title, &self.og_title] {
            let Some((before, after)) = split_around(whole, title) else { continue };
            cut(after, &mut pieces);
            cut(before, &mut pieces);
        }
        pieces
    }
}

/// How a piece of a title is introduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// `at Lantern Ltd`.
    At,
    /// `in Galway`.
    In,
    Nothing,
}

/// Whether whole words stand in a text that has a space at both ends.
fn says(text: &str, folded: &str) -> bool {
    let bytes = text.as_bytes();
    !folded.is_empty()
        && folded.len() + 2 <= text.len()
        && memchr::memmem::find_iter(bytes, folded)
            .any(|at| at > 0 && bytes[at - 1] == b' ' && bytes.get(at + folded.len()) == Some(&b' '))
}

/// Letters and digits only.
fn compact(text: &str) -> String {
    fold(text).replace(' ', "")
}

/// What stands before and after a title in a longer one, without regard to case.
fn split_around<'t>(whole: &'t str, title: &str) -> Option<(&'t str, &'t str)> {
    let lower = whole.to_lowercase();
    // where lower case changes lengths, places cannot be compared
    if title.is_empty() || lower.len() != whole.len() {
        return None;
    }
    let at = lower.find(&title.to_lowercase())?;
    Some((whole.get(..at)?, whole.get(at + title.len()..)?))
}

/// Cuts a rest of a title into its pieces.
fn cut(text: &str, pieces: &mut Vec<(Says, String)>) {
    const MARKS: &[&str] = &["-", "–", "—", "|", "·", "»", "::", ":", "@", "/", ">", "•|", "~"];
    let mut says = Says::Nothing;
    let mut piece: Vec<&str> = Vec::new();
    let mut flush = |piece: &mut Vec<&str>, says: Says| {
        let text = piece.join(" ");
        let text = text.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '\'' | '"' | ',' | ';' | '(' | ')' | '[' | ']')
        });
        if !text.is_empty() && pieces.len() < 20 {
            pieces.push((says, text.to_owned()));
        }
        piece.clear();
    };
    for word in text.split_whitespace() {
        let lower = word.to_lowercase();
        let next = match lower.as_str() {
            "at" | "by" | "bei" | "chez" | "bij" | "presso" => Some(Says::At),
            "in" | "em" | "à" => Some(Says::In),
            "job" | "jobs" | "job:" | "jobs:" | "careers" | "career" | "vacancy" | "posted" | "position"
            | "'" | "is" | "hiring" => Some(Says::Nothing),
            mark if MARKS.contains(&mark) => Some(Says::Nothing),
            _ => None,
        };
        if let Some(next) = next {
            flush(&mut piece, says);
            says = next;
            continue;
        }
        let ends = word.ends_with(':') || word.ends_with('|');
        piece.push(word.trim_end_matches([':', '|']));
        if ends {
            flush(&mut piece, says);
            says = Says::Nothing;
        }
    }
    flush(&mut piece, says);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(whole: &str, title: &str) -> Vec<(Says, String)> {
        Names { title: whole.to_owned(), ..Names::default() }.around(title)
    }

    #[test]
    fn a_title_is_taken_apart_around_the_posting_s_own() {
        let piece = |says, text: &str| (says, text.to_owned());
        assert_eq!(
            around("Net Mender job in Sligo, IE: Fishing careers - Harbour Jobs", "Net Mender"),
            [piece(Says::In, "Sligo, IE"), piece(Says::Nothing, "Fishing"), piece(Says::Nothing, "Harbour")]
        );
        assert_eq!(
            around("'Net Mender' in Sligo, IE job posted by Seine & Co", "net mender"),
            [piece(Says::In, "Sligo, IE"), piece(Says::At, "Seine & Co")]
        );
        assert_eq!(around("Seine & Co - Net Mender", "Net Mender"), [piece(Says::Nothing, "Seine & Co")]);
        assert_eq!(around("Careers", "Net Mender"), []);
    }

    #[test]
    fn a_site_is_known_by_its_host_and_by_what_it_says() {
        let names =
            Names { host: vec!["harbourjobs".into()], site: vec!["lofts".into()], ..Names::default() };
        assert!(names.is_site("HarbourJobs.ie") && names.is_site("Lofts") && !names.is_site("Seine & Co"));
    }
}
