//! Puts what the layout shows together into a posting. Each field with the method that found it; what is not shown
//! stays absent.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::content::{self, Content};
use super::day;
use super::evidence::{self, Kind, Signs};
use super::label::Field;
use super::lines::{self, Line};
use super::pairs::{self, Pair, Set};
use super::site_words::Names;
use super::title::{self, Around, Title};
use super::{company, where_at};
use crate::location::{Location, RemoteKind, says_remote};
use crate::normal::{self, Dropped, Raw};
use crate::notice::Visit;
use crate::page::{NodeId, Page};
use crate::place;
use crate::plain_text::fold;
use crate::posting::{Posting, ValidThrough, employment_types};
use crate::reading::meta;
use crate::reading::method::Method;
use crate::salary::Salary;
use crate::texts::hint::Hint;
use crate::texts::{gazetteer, pay};

/// What the layout of a page shows.
#[derive(Debug)]
pub enum Layout {
    Posting {
        posting: Box<Posting>,
        dropped: Vec<Dropped>,
        /// The part of the page that is about this posting.
        block: NodeId,
    },
    /// A list of about so many.
    Many(usize),
    Nothing,
}

/// Reads a page by its layout. `known` is a posting that better methods found and that has gaps: then only the gaps
/// matter, and whether it is a posting is not asked again.
pub fn read(page: &Page, visit: &Visit<'_>, known: Option<&Posting>) -> Layout {
    let lines = lines::lines(page);
    let pairs = pairs::pairs(page, &lines);
    let names = Names::of(page, visit.final_url);
    let content = content::find(page, &lines);
    let around = Around { page, lines: &lines, pairs: &pairs, names: &names };
    let title = match known.and_then(|known| known.job_title.as_deref()) {
        Some(text) => Some(where_is(&lines, text)),
        None => title::find(&around),
    };
    let at = title.as_ref().and_then(|title| title.line);
    let signs = Signs { page, lines: &lines, pairs: &pairs, names: &names, content, title: at };
    let kind = match known {
        Some(_) => Kind::Posting,
        None => evidence::judge(&signs, title.as_ref().map(|title| fold(&title.text)).as_deref()),
    };
    let title = match (kind, title) {
        (Kind::Posting, Some(title)) => title,
        (Kind::List(count), _) => return Layout::Many(count),
        _ => return Layout::Nothing,
    };
    let sheet = Sheet { around, content, title, fetched_at: visit.fetched_at };
    let (posting, dropped) = sheet.posting(visit.final_url);
    let at = sheet.title.node.or(content.map(|content| content.node)).unwrap_or(Page::ROOT);
    let block = content::block(page, &lines, at, content);
    Layout::Posting { posting: Box::new(posting), dropped, block }
}

/// The line that says a title that is known already.
fn where_is(lines: &[Line], text: &str) -> Title {
    let folded = fold(text);
    let same =
        |line: &Line| !line.folded.is_empty() && line.folded == folded && !line.elsewhere && !line.furniture;
    let line = lines
        .iter()
        .position(|line| same(line) && line.level.is_some())
        .or_else(|| lines.iter().position(same));
    let node = line.map(|at| lines[at].node);
    Title { text: text.to_owned(), node, line, method: Method::JsonLd, points: 0 }
}

struct Sheet<'a> {
    around: Around<'a>,
    content: Option<Content>,
    title: Title,
    fetched_at: Timestamp,
}

impl Sheet<'_> {
    fn posting(&self, url: &str) -> (Posting, Vec<Dropped>) {
        let page = self.around.page;
        let in_prose = |at: usize| self.in_prose(at);
        let company = company::find(&self.around, &self.title, &in_prose);
        let place = where_at::find(&self.around, &self.title, &in_prose);
        let pay = self.best(Field::Salary);
        let country = place.as_ref().and_then(|(text, _)| country_of(text));
        let hint = Hint { country, language: language(page) };
        let salary = pay.and_then(|pair| pay::field(&pair.value, hint));
        let mut raw = Raw::default();
        raw.offer("job_title", self.title.method, Some(self.title.text.as_str()));
        if let Some((name, method)) = &company {
            raw.offer("company_name", *method, Some(name.as_str()));
        }
        if let Some((text, method)) = &place {
            raw.offer("location", *method, Some(text.as_str()));
        }
        let stated = salary.as_ref().map(Salary::to_string);
        let in_words =
            pay.map(|pair| pair.value.clone()).filter(|text| text.contains(|c: char| matches!(c, '1'..='9')));
        raw.offer("salary_range", Method::TextRule, stated.or(in_words));
        raw.offer("description", Method::TextRule, self.description());
        raw.offer(
            "description",
            Method::Meta,
            page.meta("og:description").filter(|text| text.len() >= content::MIN_PROSE),
        );
        raw.offer("posting_url", Method::Url, Some(url));
        let core = normal::job_posting(&raw);
        let mut provenance = core.provenance;
        let mut say = |name: &str, method: Method| {
            provenance.insert(name.to_owned(), method.as_str().to_owned());
        };
        let posted = self.posted(hint);
        let until = self.best(Field::Until).and_then(|pair| day::until(&pair.value, self.fetched_at, hint));
        let employment = self
            .best_where(Field::Employment, |pair| says_employment(&pair.value))
            .map(|pair| employment_types(&Value::String(pair.value.clone())));
        let id = self.best(Field::Id).map(|pair| pair.value.clone()).filter(|id| is_id(id));
        let location = core.fields.location.filter(|place| *place != Location::default());
        let remote =
            place.as_ref().filter(|(text, _)| text.split([',', '(', '-', '–', '/']).any(says_remote));
        let mut posting = Posting {
            job_title: core.fields.job_title,
            company_name: core.fields.company_name,
            salary_range: core.fields.salary_range,
            description: core.fields.description,
            posting_url: core.fields.posting_url,
            locations: location.iter().cloned().collect(),
            location,
            remote: remote.map(|_| RemoteKind::Remote),
            salary,
            employment_type: employment.unwrap_or_default(),
            date_posted: posted.map(|(day, _)| day),
            valid_through: until.map(ValidThrough::Day),
            external_id: id,
            ..Posting::default()
        };
        if let Some(method) = posted.map(|(_, method)| method) {
            say("date_posted", method);
        }
        if let Some((_, method)) = &place {
            say("locations", *method);
        }
        for name in ["salary", "employment_type", "valid_through", "external_id", "remote"] {
            say(name, Method::TextRule);
        }
        let known: Vec<&str> = posting.known_fields().collect();
        provenance.retain(|name, _| known.contains(&name.as_str()));
        posting.provenance = provenance;
        (posting, core.dropped)
    }

    /// Whether a line is part of the description's own text.
    fn in_prose(&self, at: usize) -> bool {
        let line = &self.around.lines[at];
        let Some(content) = self.content else { return false };
        let close = self.title.line.is_some_and(|title| at.abs_diff(title) <= 4);
        self.around.page.holds(content.node, line.node) && !close
    }

    /// The pair of a field that is set best; of equals the first.
    fn best(&self, field: Field) -> Option<&Pair> {
        self.best_where(field, |_| true)
    }

    fn best_where(&self, field: Field, fits: impl Fn(&Pair) -> bool) -> Option<&Pair> {
        let lines = self.around.lines;
        let rank = |pair: &Pair| (pair.set == Set::Row, !self.in_prose(pair.at), pair.set);
        let pairs = self
            .around
            .pairs
            .iter()
            .filter(|pair| pair.field == field && !lines[pair.at].elsewhere && fits(pair));
        pairs.reduce(|best, next| if rank(next) > rank(best) { next } else { best })
    }

    fn posted(&self, hint: Hint<'_>) -> Option<(Date, Method)> {
        let lines = self.around.lines;
        let read = |text: &str| day::posted(text, self.fetched_at, hint);
        let mut labelled: Vec<(i32, Date)> = Vec::new();
        for pair in
            self.around.pairs.iter().filter(|pair| pair.field == Field::Posted && !lines[pair.at].elsewhere)
        {
            let exact = self.time_of(pair).and_then(read);
            let Some(day) = exact.or_else(|| read(&pair.value)) else { continue };
            let near = self.title.line.is_some_and(|title| pair.at.abs_diff(title) <= 8);
            let points = match pair.set {
                Set::Row => 3,
                Set::Apart => 2,
                Set::Line => 1,
            } + 2 * i32::from(!self.in_prose(pair.at))
                + 2 * i32::from(near);
            labelled.push((points, day));
        }
        let labelled = labelled.into_iter().reduce(|best, next| if next.0 > best.0 { next } else { best });
        labelled
            .map(|(_, day)| (day, Method::TextRule))
            .or_else(|| self.time_element().map(|day| (day, Method::Selectors)))
            .or_else(|| {
                meta::published(self.around.page).and_then(|text| read(&text)).map(|day| (day, Method::Meta))
            })
    }

    /// `<time datetime=2026-10-03>Posted 6 weeks ago</time>` says which day it was.
    fn time_of(&self, pair: &Pair) -> Option<&str> {
        let page = self.around.page;
        let node = self.around.lines[pair.at].node;
        let time =
            std::iter::once(node).chain(page.ancestors(node)).take(3).find(|id| page.tag(*id) == "time")?;
        page.attribute(time, "datetime")
    }

    /// The only `<time datetime>` near the title.
    fn time_element(&self) -> Option<Date> {
        let page = self.around.page;
        let title = self.title.node?;
        let block = content::block(page, self.around.lines, title, self.content);
        let mut times = page
            .named("time")
            .filter(|id| page.holds(block, *id) && !page.is_unseen(*id))
            .filter_map(|id| day::posted(page.attribute(id, "datetime")?, self.fetched_at, Hint::default()));
        times.next().filter(|first| times.all(|other| other == *first))
    }

    fn description(&self) -> Option<String> {
        let content = self.content?;
        let pairs = self.around.pairs;
        let rows: Vec<usize> = pairs
            .iter()
            .filter(|pair| pair.set == Set::Row)
            .flat_map(|pair| [pair.label_at, pair.at])
            .collect();
        let without = |at: usize| Some(at) == self.title.line || rows.contains(&at);
        let text = content::description(self.around.page, self.around.lines, content, &without);
        (text.len() >= content::MIN_PROSE).then_some(text)
    }
}

/// The country of a place, by its ISO code: what `04/05/2026` and `$` mean there.
fn country_of(text: &str) -> Option<&'static str> {
    let known = place::known(text).country;
    let code = known.and_then(|country| gazetteer::country(&country)).map(|country| country.code);
    code.or_else(|| where_at::is_american(text).then_some("US"))
}

/// The language a page says it is in; `en` alone may be from anywhere.
fn language(page: &Page) -> Option<&str> {
    page.named("html")
        .find_map(|id| page.attribute(id, "lang"))
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// Whether a value speaks of how somebody is employed, and not of something else under the same label.
pub(super) fn says_employment(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "full",
        "part",
        "contract",
        "contractor",
        "permanent",
        "temporary",
        "temp",
        "intern",
        "internship",
        "freelance",
        "seasonal",
        "volunteer",
        "direct",
        "fulltime",
        "parttime",
        "vollzeit",
        "teilzeit",
        "festanstellung",
        "befristet",
        "unbefristet",
        "praktikum",
        "werkstudent",
        "cdi",
        "cdd",
        "interim",
        "stage",
        "alternance",
        "temps",
        "indefinido",
        "temporal",
        "jornada",
        "practicas",
        "umowa",
        "etat",
        "staz",
        "uvazek",
        "hpp",
        "dpp",
        "dpc",
        "ico",
        "brigada",
        "fulltid",
        "deltid",
        "voltijd",
        "deeltijd",
        "employee",
        "per",
    ];
    text.len() <= 80 && fold(text).split(' ').any(|word| WORDS.contains(&word))
}

fn is_id(text: &str) -> bool {
    text.len() <= 40 && text.contains(|c: char| c.is_ascii_digit()) && text.split_whitespace().count() <= 3
}
