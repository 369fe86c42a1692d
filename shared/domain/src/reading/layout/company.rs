//! Who offers the job: what stands after `Company:`, in an element named for it, after `at` in the page's title. A name is
//! taken when enough of these agree; the name of a board is not the name of an employer.

use super::assemble::says_employment;
use super::label::{self, Field};
use super::lines::Line;
use super::marks::Marks;
use super::pairs::Set;
use super::site_words::Says;
use super::title::{Around, Title, employer_in};
use super::where_at::{is_place, is_street, is_town};
use crate::page::{NodeId, Page};
use crate::plain_text::fold;
use crate::reading::method::Method;

const MAX_NAME: usize = 120;
const ENOUGH: i32 = 40;
/// Lines around the title among which the employer is looked for.
const REACH: usize = 12;

/// Candidates, the points each has gathered, and the best of its sources.
#[derive(Default)]
pub struct Weighed {
    found: Vec<(String, String, i32, Method, i32)>,
}

impl Weighed {
    /// Adds a source for a value; the same value twice gathers.
    pub fn add(&mut self, text: &str, points: i32, method: Method) {
        let text = bare(text);
        let folded = fold(text);
        if folded.is_empty() || self.found.len() >= 200 {
            return;
        }
        match self.found.iter_mut().find(|(other, ..)| *other == folded) {
            Some((_, _, sum, best, most)) => {
                *sum += points.min(20);
                if points > *most {
                    (*best, *most) = (method, points);
                    *sum += (points - points.min(20)).max(0);
                }
            }
            None => self.found.push((folded, text.to_owned(), points, method, points)),
        }
    }

    /// Gives or takes points by what a candidate is.
    pub fn weigh(&mut self, points: impl Fn(&str, &str, i32) -> i32) {
        for (folded, text, sum, ..) in &mut self.found {
            *sum += points(folded, text, *sum);
        }
    }

    pub fn best(self, enough: i32) -> Option<(String, Method)> {
        let best = self.found.into_iter().reduce(|best, next| if next.2 > best.2 { next } else { best })?;
        (best.2 >= enough).then_some((best.1, best.3))
    }
}

/// A value without the icons before it and the marks after it.
fn bare(text: &str) -> &str {
    let icon = |c: char| {
        !c.is_alphanumeric() && !matches!(c, '(' | '[' | '"' | '\'' | '“' | '„' | '«' | '@' | '+' | '.')
    };
    text.trim_start_matches(icon).trim_end_matches([' ', '/', '|', ',', ';', '·', '•', '-', '–', '\u{a0}'])
}

pub fn find(
    around: &Around<'_>,
    title: &Title,
    in_prose: &dyn Fn(usize) -> bool,
) -> Option<(String, Method)> {
    let mut weighed = Weighed::default();
    for pair in around.pairs.iter().filter(|pair| pair.field == Field::Company) {
        let line = &around.lines[pair.at];
        if line.elsewhere {
            continue;
        }
        let points = match (pair.set, in_prose(pair.at)) {
            (Set::Row, _) => 60,
            (Set::Apart, false) => 52,
            (Set::Apart, true) => 34,
            (Set::Line, false) => 46,
            (Set::Line, true) => 28,
        };
        weighed.add(name_of(&pair.value), points, Method::TextRule);
    }
    for (says, piece) in around.names.around(&title.text) {
        match says {
            Says::At => weighed.add(without_place(&piece), 34, Method::Meta),
            Says::Nothing => weighed.add(without_place(&piece), 18, Method::Meta),
            Says::In => {}
        }
    }
    if let Some(line) = title.line.and_then(|at| around.lines.get(at))
        && let Some((_, name)) = employer_in(&line.text)
    {
        weighed.add(name, 44, Method::Selectors);
    }
    if let Some(name) = around.names.employer() {
        weighed.add(name, 42, Method::Meta);
    }
    let own = own_house(around, title);
    if let Some(name) = own {
        weighed.add(name, 42, Method::TextRule);
    }
    for (at, line) in around.lines.iter().enumerate().take(1_500) {
        if line.folded.is_empty() || line.elsewhere || line.furniture || line.text.len() > MAX_NAME {
            continue;
        }
        let near = title.line.is_some_and(|title| at != title && at.abs_diff(title) <= REACH);
        if near && title.line.is_some_and(|title| at.abs_diff(title) <= 3) {
            pieces(around.page, line, &mut weighed);
        }
        if line.leads_with_label() || line.link && line.lead.is_some() {
            continue; // a pair, or a row of links
        }
        if is_named(around.page, line.node) && label::field(&line.folded).is_none() {
            weighed.add(name_of(&line.text), if near { 40 } else { 24 }, Method::Selectors);
        } else if near {
            let points = match title.line.map(|title| at.abs_diff(title)) {
                Some(1) => 14,
                Some(2 | 3) => 8,
                _ => 0,
            };
            let headed = if line.level.is_some() { 4 } else { 0 };
            let led = 24 * i32::from(line.link && leads_to_company(around.page, line.node));
            weighed.add(&line.text, points + headed + led, Method::Selectors);
        }
        if begins_contact(&line.folded) {
            in_contact(around, at, &mut weighed);
        }
        if let Some(name) = from_link(&line.text).filter(|_| line.link) {
            weighed.add(name, 26, Method::TextRule);
        }
        if let Some(name) = line.text.strip_prefix("About ").filter(|_| line.level.is_some() || line.strong) {
            weighed.add(name.trim_end_matches(':'), 14, Method::TextRule);
        }
    }
    let title = fold(&title.text);
    weighed.weigh(|folded, text, sum| {
        let names = around.names;
        // an employer speaks of itself
        let spoken =
            || around.lines.iter().filter(|line| line.folded.is_empty() && line.text.contains(text)).count();
        let spoken = if (18..ENOUGH).contains(&sum) { 6 * i32::from(spoken() > 0) } else { 0 };
        let addressed = 8 * i32::from(names.in_address(folded));
        let legal = 14 * i32::from(is_legal_name(folded));
        let said = 10 * i32::from(names.in_title(folded)) + 8 * i32::from(names.in_description(folded));
        // the site's own name is a board's, unless the page says that it works there
        let board = names.is_site(text) && names.employer() != Some(text) && own != Some(text);
        let board = board && !is_legal_name(folded);
        let site = -30 * i32::from(board) - 30 * i32::from(is_place(text));
        let wrong = folded == title
            || text.len() > MAX_NAME
            || is_no_name(folded)
            || text.ends_with(['.', '!', '?']) && folded.split(' ').count() > 6
            || label::field(folded).is_some()
            || !folded.contains(char::is_alphabetic);
        legal + said + spoken + addressed + site - 100 * i32::from(wrong)
    });
    weighed.best(ENOUGH)
}

/// `About Seine & Co` over a part of the posting's own text that speaks of Seine & Co: who writes so is the employer.
fn own_house<'a>(around: &Around<'a>, title: &Title) -> Option<&'a str> {
    let headings = around.lines.iter().enumerate().filter(|(at, line)| {
        (line.level.is_some() || line.strong) && !line.furniture && !line.elsewhere && Some(*at) > title.line
    });
    headings
        .filter_map(|(_, line)| line.text.strip_prefix("About "))
        .map(|name| name.trim_end_matches([':', ' ']))
        .find(|name| {
            let named = name.starts_with(char::is_uppercase) && name.split(' ').count() <= 5;
            named && around.lines.iter().any(|line| line.folded.is_empty() && line.text.contains(name))
        })
}

/// `Gdańsk, Seine Sp. z o.o.` is a place and a name.
fn without_place(piece: &str) -> &str {
    let place = |text: &str| is_place(text) || is_town(text);
    match piece.split_once(", ") {
        Some((one, other)) if place(one) && !place(other) && !place(piece) => other,
        _ => piece,
    }
}

/// Facts side by side under the title, of which the first is often the employer: `Seine & Co · Galway · Full-time`.
fn pieces(page: &Page, line: &Line, weighed: &mut Weighed) {
    let pieces = line.pieces();
    for (at, piece) in pieces.iter().enumerate() {
        let fact = label::field(&fold(piece)).is_some()
            || piece.contains(':')
            || is_place(piece)
            || is_town(piece)
            || says_employment(piece)
            || piece.bytes().filter(u8::is_ascii_digit).count() > 3;
        if fact {
            continue;
        }
        let others = pieces.iter().enumerate().filter(|(other, _)| *other != at);
        // beside a place or a kind of employment stands who offers it
        let among_facts =
            others.into_iter().any(|(_, other)| is_place(other) || is_town(other) || says_employment(other));
        let led = at == 0 && leads_to_company(page, line.node);
        let points = 10 * i32::from(at == 0) + 22 * i32::from(among_facts) + 24 * i32::from(led);
        weighed.add(piece, points, Method::Selectors);
    }
}

/// A link to the company's page on this board: `/company/seine`, `/empresa/seine`.
fn leads_to_company(page: &Page, id: NodeId) -> bool {
    const SEGMENTS: &[&str] = &[
        "company",
        "companies",
        "employer",
        "employers",
        "firma",
        "firmen",
        "unternehmen",
        "arbeitgeber",
        "entreprise",
        "entreprises",
        "societe",
        "empresa",
        "empresas",
        "azienda",
        "aziende",
        "bedrijf",
        "bedrijven",
        "pracodawca",
        "pracodawcy",
        "firmy",
        "spolecnost",
        "foretag",
        "organization",
        "organisations",
        "organizations",
        "cmp",
        "profile",
    ];
    let link = std::iter::once(id).chain(page.ancestors(id)).take(4).find(|id| page.tag(*id) == "a");
    let href = link.and_then(|link| page.attribute(link, "href")).unwrap_or_default().to_ascii_lowercase();
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let mut segments = path.split('/').skip_while(|segment| !SEGMENTS.contains(segment));
    segments.next().is_some() && segments.next().is_some_and(|name| !name.is_empty())
}

/// `Contact information`, under which the employer stands with an address.
fn begins_contact(folded: &str) -> bool {
    const HEADINGS: &[&str] = &[
        "contact information",
        "contact info",
        "contact details",
        "company information",
        "company info",
        "employer information",
        "about the employer",
        "about the company",
        "about this company",
        "recruiter information",
        "kontakt",
        "kontaktdaten",
        "contact details of the employer",
        "coordonnees",
        "datos de contacto",
        "dane kontaktowe",
        "kontaktni udaje",
        "o spolecnosti",
    ];
    HEADINGS.contains(&folded)
}

/// The first line under such a heading, when an address follows it or a link to all its jobs: a person has neither.
fn in_contact(around: &Around<'_>, at: usize, weighed: &mut Weighed) {
    let Some(name) = around.lines.get(at + 1).filter(|line| !line.folded.is_empty()) else { return };
    let following = || around.lines.iter().skip(at + 2).take(4);
    let addressed = following().any(|line| is_place(&line.text) || is_street(&line.text));
    let all_jobs = following()
        .any(|line| line.link && (line.folded.contains("jobs") || line.folded.contains("company")));
    let points = 18 + 14 * i32::from(addressed) + 14 * i32::from(all_jobs) + 8 * i32::from(name.link);
    weighed.add(&name.text, points, Method::TextRule);
}

/// The name without what boards print after it.
fn name_of(value: &str) -> &str {
    const AFTER: &[&str] = &[
        " (View all jobs",
        " (view all jobs",
        " - View",
        " View all",
        " view all",
        " (more jobs",
        " See all",
        " [more",
        " (View",
    ];
    let value = AFTER
        .iter()
        .filter_map(|mark| value.split(mark).next())
        .min_by_key(|text| text.len())
        .unwrap_or(value)
        .trim();
    ["at ", "@ ", "bei ", "chez "].iter().find_map(|before| value.strip_prefix(before)).unwrap_or(value)
}

/// `See all jobs at Seine & Co`, `More jobs from Seine & Co`.
fn from_link(text: &str) -> Option<&str> {
    const BEFORE: &[&str] = &[
        "See all jobs at ",
        "View all jobs at ",
        "More jobs at ",
        "All jobs at ",
        "More jobs from ",
        "View all jobs from ",
        "See all jobs from ",
        "All jobs from ",
        "Learn more about ",
        "Learn More about ",
        "Alle Jobs bei ",
        "Jobs bei ",
        "Toutes les offres de ",
        "Todas las ofertas de ",
    ];
    let name = BEFORE.iter().find_map(|before| text.strip_prefix(before))?;
    (!name.starts_with("this ") && name.len() <= MAX_NAME).then_some(name)
}

/// `class="company-name"` on the element or just above it.
fn is_named(page: &Page, id: NodeId) -> bool {
    std::iter::once(id).chain(page.ancestors(id)).take(3).take_while(|id| page.size(*id) <= 24).any(|id| {
        ["class", "id"].iter().any(|which| {
            page.attribute(id, which).is_some_and(|names| {
                static ABOUT: Marks =
                    Marks::new(&["company", "employer", "organization", "organisation", "hiring-org"]);
                static OTHER: Marks = Marks::new(&[
                    "widget",
                    "nav",
                    "menu",
                    "footer",
                    "login",
                    "search",
                    "btn",
                    "button",
                    "link",
                    "description",
                    "size",
                    "industry",
                    "logo",
                    "tool",
                    "about",
                    "profile",
                    "type",
                    "address",
                    "location",
                    "info",
                    "rating",
                ]);
                ABOUT.are_in(names) && !OTHER.are_in(names)
            })
        })
    })
}

/// `GmbH`, `s.r.o.`: only companies are called so.
fn is_legal_name(folded: &str) -> bool {
    const FORMS: &[&str] = &[
        "inc",
        "llc",
        "ltd",
        "gmbh",
        "ag",
        "corp",
        "corporation",
        "company",
        "co",
        "plc",
        "s r o",
        "a s",
        "sa",
        "sas",
        "sarl",
        "spa",
        "srl",
        "bv",
        "nv",
        "ab",
        "as",
        "oy",
        "sp z o o",
        "s l",
        "sl",
        "kg",
        "se",
        "group",
        "limited",
        "llp",
        "lp",
        "pty ltd",
        "associates",
    ];
    let spaced = format!(" {folded} ");
    FORMS.iter().any(|form| spaced.ends_with(&format!(" {form} ")))
}

/// What stands where a name is expected and is none.
fn is_no_name(folded: &str) -> bool {
    matches!(
        folded,
        "confidential"
            | "unspecified"
            | "not specified"
            | "n a"
            | "na"
            | "none"
            | "anonymous"
            | "company confidential"
            | "view profile"
            | "more"
            | "learn more"
            | "apply"
            | "apply now"
            | "home"
            | "back"
            | "print"
            | "share"
            | "save"
            | "company"
            | "employer"
            | "website"
            | "send email now"
            | "yes"
            | "no"
            | "remote"
            | "full time"
            | "part time"
            | "confidential company"
            | "login to view"
            | "posted by"
            | "careers"
            | "jobs"
    )
}
