//! Which line is the posting's title: a heading, a line that the document's title and address repeat, a line whose
//! element is named for it. Several signs together, never one alone.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::evidence::is_role;
use super::label::{self, Field};
use super::lines::Line;
use super::marks::Marks;
use super::pairs::{Pair, Set};
use super::site_words::Names;
use super::where_at::{is_place, is_town};
use crate::page::{NodeId, Page};
use crate::plain_text::fold;
use crate::reading::method::Method;

/// A title has no more characters than this.
const MAX_TITLE: usize = 150;
/// Lines that are looked at for one.
const LOOKED_AT: usize = 1_500;
/// So many points, or the page has no title we can be sure of.
const ENOUGH: i32 = 45;

#[derive(Debug, Clone)]
pub struct Title {
    pub text: String,
    pub node: Option<NodeId>,
    pub line: Option<usize>,
    pub method: Method,
    pub points: i32,
}

/// Headings that name a part of a page, or a page of any posting. Folded.
const GENERIC: &[&str] = &[
    "job details",
    "job detail",
    "job description",
    "description",
    "job summary",
    "job overview",
    "careers",
    "career",
    "jobs",
    "job",
    "home",
    "job search",
    "search jobs",
    "find jobs",
    "apply",
    "apply now",
    "overview",
    "about us",
    "about the job",
    "about the company",
    "company overview",
    "job information",
    "requirements",
    "qualifications",
    "responsibilities",
    "welcome",
    "current openings",
    "open positions",
    "job openings",
    "join us",
    "join our team",
    "work with us",
    "vacancies",
    "job requirements",
    "menu",
    "search",
    "candidate portal",
    "job posting",
    "position details",
    "detail pozice",
    "volna mista",
    "kariera",
    "nabidka prace",
    "stellenangebote",
    "karriere",
    "stellenangebot",
    "offres d emploi",
    "offre d emploi",
    "recrutement",
    "empleos",
    "ofertas de empleo",
    "oferty pracy",
    "kariera praca",
    "loading",
    "sign in",
    "log in",
    "login",
    "register",
    "error",
    "not found",
    "page not found",
    "similar jobs",
    "related jobs",
    "view job",
    "jobs home",
    "career opportunities",
    "employment opportunities",
    "job opportunities",
    "job board",
    "employment opportunity",
    "job opportunity",
    "job announcement",
    "vacancy announcement",
    "vacancy notice",
    "job advertisement",
    "job vacancy",
    "uvod",
    "job listing",
    "job view",
    "contact information",
    "contact us",
    "contact",
    "about",
    "our team",
    "our services",
    "services",
    "news",
    "faq",
    "privacy policy",
    "terms of service",
    "terms of use",
    "job tools",
    "company tools",
    "latest jobs",
    "benefits",
];

pub struct Around<'a> {
    pub page: &'a Page,
    pub lines: &'a [Line],
    pub pairs: &'a [Pair],
    pub names: &'a Names,
}

/// The best line, if it is good enough.
pub fn find(around: &Around<'_>) -> Option<Title> {
    let value =
        |field: Field| around.pairs.iter().find(|pair| pair.field == field).map(|pair| pair.value.as_str());
    let company = value(Field::Company).unwrap_or_default();
    let others: Vec<String> =
        [company, value(Field::Location).unwrap_or_default()].iter().map(|text| fold(text)).collect();
    let only_h1 = around
        .lines
        .iter()
        .filter(|line| line.level == Some(1) && !line.furniture && !line.elsewhere)
        .count()
        == 1;
    let headed = |line: &Line| line.level.is_some() && !line.furniture && !line.elsewhere;
    let first = around
        .lines
        .iter()
        .position(headed)
        .filter(|_| !around.lines.iter().any(|line| line.level == Some(1)));
    let named = around.pairs.iter().any(|pair| pair.field == Field::Title && pair.set == Set::Row);
    let over = first_facts(around.pairs).filter(|_| !named).and_then(|facts| {
        let headings = (facts.saturating_sub(4)..facts).filter(|at| headed(&around.lines[*at]));
        headings.min_by_key(|at| around.lines[*at].level)
    });
    let mut best: Option<Title> = None;
    for (at, line) in around.lines.iter().enumerate().take(LOOKED_AT) {
        if line.folded.is_empty() || line.elsewhere || line.text.len() > MAX_TITLE {
            continue;
        }
        // the title's element may share its line with a button
        let lead = line.lead.and_then(|lead| line.text.get(..lead)).map(str::trim);
        for text in [Some(line.text.as_str()), lead].into_iter().flatten() {
            let text = without_company(text, company);
            let folded = if text.len() == line.text.len() { line.folded.clone() } else { fold(text) };
            let placed = |rest: &str| is_place(rest.trim()) || is_town(rest.trim());
            let whole = text.len() == line.text.len()
                || around.names.in_title(&folded)
                || line.level.is_some() && line.text.strip_prefix(text).is_some_and(placed);
            let Some(mut points) = points(around, line, &folded).filter(|_| whole) else { continue };
            if others.contains(&folded) {
                points -= 60;
            }
            // of a heading that has its place in an element of its own, the rest is the title
            if text.len() < line.text.len() && line.text.strip_prefix(text).is_some_and(placed) {
                points += 1;
            }
            if line.level == Some(1) && only_h1 {
                points += 8;
            }
            if Some(at) == first && line.level != Some(1) {
                points += 12;
            }
            if Some(at) == over {
                points += 15;
            }
            let method = if line.level.is_some() { Method::Selectors } else { Method::TextRule };
            if best.as_ref().is_none_or(|best| points > best.points) {
                let (text, node) = (text.to_owned(), Some(line.node));
                best = Some(Title { text, node, line: Some(at), method, points });
            }
        }
    }
    let best = labelled(around, best);
    best.filter(|title| title.points >= ENOUGH).or_else(|| from_meta(around)).map(without_employer)
}

/// `Net Mender at Seine & Co`: what a title says after `at`, if it is a name.
pub fn employer_in(text: &str) -> Option<(&str, &str)> {
    let (title, name) =
        [" at ", " @ ", " bei ", " chez ", " bij "].iter().find_map(|mark| text.rsplit_once(mark))?;
    let capital = |word: &str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let small = |word: &str| matches!(word, "&" | "and" | "of" | "the" | "und" | "et" | "de" | "der" | "van");
    let words = || name.split_whitespace();
    let named = words().next().is_some_and(capital)
        && words().all(|word| capital(word) || small(word))
        && words().count() <= 6
        && name.len() >= 3;
    let fits = named && title.trim().len() >= 3 && !is_role(&fold(name)) && !is_place(name);
    fits.then(|| (title.trim(), name.trim()))
}

fn without_employer(mut title: Title) -> Title {
    if let Some((own, _)) = employer_in(&title.text) {
        title.text = own.to_owned();
    }
    title
}

/// Where a list of at least three facts begins: what stands over it names what they are about.
fn first_facts(pairs: &[Pair]) -> Option<usize> {
    let mut set = pairs.iter().filter(|pair| pair.set != Set::Line);
    let first = set.next()?;
    let mut fields: Vec<Field> = set.take(12).map(|pair| pair.field).chain([first.field]).collect();
    fields.sort_unstable();
    fields.dedup();
    (fields.len() >= 3).then_some(first.label_at)
}

/// What the page says after `Job title:`, where that is as good.
fn labelled(around: &Around<'_>, best: Option<Title>) -> Option<Title> {
    let pairs =
        around.pairs.iter().filter(|pair| pair.field == Field::Title && !around.lines[pair.at].elsewhere);
    pairs
        .map(|pair| {
            let folded = fold(&pair.value);
            let set = match pair.set {
                Set::Row => 50,
                Set::Apart => 35,
                Set::Line => 28,
            };
            let agrees = 25 * i32::from(around.names.in_title(&folded)) + 10 * i32::from(is_role(&folded));
            // `<h2>Vacancy: Net Mender</h2>`
            let large = match around.lines[pair.at].level {
                Some(1 | 2) => 24,
                Some(_) => 18,
                None => 0,
            };
            let points = if is_generic(&folded) { 0 } else { set + agrees + large };
            // where the title stands large, its company and place stand with it
            let shown = around
                .lines
                .iter()
                .position(|line| line.folded == folded && line.level.is_some() && !line.elsewhere);
            let at = shown.unwrap_or(pair.at);
            Title {
                text: pair.value.clone(),
                node: Some(around.lines[at].node),
                line: Some(at),
                method: Method::TextRule,
                points,
            }
        })
        .chain(best)
        .reduce(|best, next| if next.points > best.points { next } else { best })
}

/// Points of a line; none when it cannot be a title.
fn points(around: &Around<'_>, line: &Line, folded: &str) -> Option<i32> {
    let names = around.names;
    if folded.len() < 3
        || is_generic(folded)
        || label::field(folded).is_some()
        || !folded.contains(char::is_alphabetic)
    {
        return None;
    }
    let said = names.in_title(folded);
    let named = class_points(around.page, line);
    if line.level.is_none() && !said && named == 0 {
        return None;
    }
    let mut points = match line.level {
        Some(1) => 34,
        Some(2) => 24,
        Some(3) => 18,
        Some(_) => 8,
        None => 0,
    };
    let words = folded.split(' ').count();
    if said {
        points += 22 + 4 * i32::try_from(words.min(6)).unwrap_or(6);
        points += 6 * i32::from(names.begins(folded));
    }
    points += named;
    points += 8 * i32::from(names.in_address(folded) && words >= 2);
    points += 8 * i32::from(line.level.is_some() && employer_in(&line.text).is_some());
    points += 10 * i32::from(is_role(folded));
    points += 5 * i32::from(line.strong);
    points -= 18 * i32::from(line.link);
    points -= 14 * i32::from(line.furniture);
    points -= 20 * i32::from(line.text.ends_with([':', '?', '…']));
    points -= 15 * i32::from(line.text.ends_with('.') && words > 6);
    points -= 40 * i32::from(names.is_site(&line.text));
    points -= 20 * i32::from(words > 14);
    points -= 30 * i32::from(counts_jobs(folded));
    Some(points)
}

fn is_generic(folded: &str) -> bool {
    static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| GENERIC.iter().copied().collect());
    KNOWN.contains(folded)
}

/// `25 jobs in Galway`, `Jobs in Galway`.
fn counts_jobs(folded: &str) -> bool {
    let counted = folded.split(' ').any(|word| {
        matches!(word, "jobs" | "results" | "stellen" | "offres" | "ofertas" | "ofert" | "nabidek" | "pozic")
    });
    counted && folded.starts_with(|c: char| c.is_ascii_digit())
        || folded.starts_with("jobs in ")
        || folded.starts_with("jobs at ")
}

/// `class="job-title"` on the element or close above it.
fn class_points(page: &Page, line: &Line) -> i32 {
    static STRONG: Marks = Marks::new(&[
        "jobtitle",
        "job-title",
        "job_title",
        "positiontitle",
        "position-title",
        "posting-headline",
        "postingtitle",
        "vacancy-title",
        "offer-title",
        "jobname",
        "job-name",
    ]);
    static TITLE: Marks = Marks::new(&["title"]);
    static SUBTITLE: Marks = Marks::new(&["subtitle", "sub-title"]);
    let mut points = 0;
    for id in std::iter::once(line.node).chain(page.ancestors(line.node)).take(3) {
        if page.size(id) > 40 {
            break;
        }
        for which in ["class", "id"] {
            let Some(names) = page.attribute(id, which) else { continue };
            if STRONG.are_in(names) {
                return 26;
            }
            if TITLE.are_in(names) && !SUBTITLE.are_in(names) {
                points = points.max(8);
            }
        }
    }
    points
}

/// `Net Mender: Seine & Co` is the title and the company.
fn without_company<'t>(text: &'t str, company: &str) -> &'t str {
    if company.len() < 2 {
        return text;
    }
    let Some(rest) = text.strip_suffix(company) else { return text };
    let rest = rest.trim_end();
    for mark in [":", " -", " –", " —", " |", " at", " @", ",", " bei", " chez"] {
        if let Some(title) = rest.strip_suffix(mark) {
            return title.trim_end();
        }
    }
    text
}

/// Where no line is good enough: OpenGraph's title, which pages without a heading still give.
fn from_meta(around: &Around<'_>) -> Option<Title> {
    let names = around.names;
    let own = |text: &str| -> Option<String> {
        let text = text
            .split([" | ", " – ", " — "].iter().find(|mark| text.contains(**mark)).copied().unwrap_or("\0"))
            .next()?
            .trim();
        let folded = fold(text);
        let fits = folded.len() >= 3
            && text.len() <= MAX_TITLE
            && !is_generic(&folded)
            && !names.is_site(text)
            && !counts_jobs(&folded)
            && (is_role(&folded) || names.in_address(&folded));
        fits.then(|| text.to_owned())
    };
    let text = own(&names.og_title).or_else(|| own(&names.title))?;
    Some(Title { text, node: None, line: None, method: Method::Meta, points: ENOUGH })
}
