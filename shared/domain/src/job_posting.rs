//! The reader of job postings: one method after another until nothing is missing, then the verdict. The only one whose
//! pages become listings.

use super::change::block;
use super::extract::{Extract, Reading};
use super::fingerprint::field_fingerprint;
use super::json_ld::{self, Found};
use super::normal::Dropped;
use super::notice::{Subject, Verdict, Visit, judge_in};
use super::page::{NodeId, Page, TooComplex};
use super::posting::{EXTRACTOR_VERSION, Posting};
use super::reading::items::{self, Syntax};
use super::reading::layout::{self, Layout};
use super::reading::method::Method;
use super::reading::quick;
use super::reading::state::{self, State};
use super::target::TargetType;

pub struct JobPosting;

impl Extract for JobPosting {
    fn target(&self) -> TargetType {
        TargetType::JobPosting
    }

    fn version(&self) -> &'static str {
        EXTRACTOR_VERSION
    }

    fn read_quickly(&self, text: &str, visit: &Visit<'_>) -> Option<Reading> {
        quick::read(text, visit)
    }

    fn read(&self, page: &Page, visit: &Visit<'_>) -> Result<Reading, TooComplex> {
        let (mut found, rows) = stated(page, visit)?;
        let mut block = None;
        let in_data = matches!(&found, Findings::Posting(posting, _) if posting.is_whole());
        if let Findings::Posting(posting, _) = &mut found
            && !posting.is_whole()
        {
            let known = posting.job_title.is_some().then_some(&**posting);
            match layout::read(page, visit, known) {
                Layout::Posting { posting: shown, .. } if known.is_some() => posting.fill(*shown),
                _ => {}
            }
        } else if let Findings::Nothing = found {
            match layout::read(page, visit, None) {
                Layout::Posting { posting, dropped, block: own } => {
                    found = Findings::Posting(posting, dropped);
                    block = Some(own);
                }
                Layout::Many(count) => found = Findings::Many(count),
                // rows in a state are no list that somebody sees, unless there is nothing else
                Layout::Nothing if rows > 0 => found = Findings::Many(rows),
                Layout::Nothing => {}
            }
        }
        Ok(conclude(found, page, visit, block, in_data))
    }
}

/// What the methods found together.
enum Findings {
    Posting(Box<Posting>, Vec<Dropped>),
    Many(usize),
    Nothing,
}

/// What the page states as data, by the first method that finds a posting; the next ones fill its gaps. Beside it, how
/// many postings stand in the state of its scripts when none of them is the page's own.
fn stated(page: &Page, visit: &Visit<'_>) -> Result<(Findings, usize), TooComplex> {
    let heading = page.headings().into_iter().find(|heading| heading.level == 1).map(|heading| heading.text);
    let mut found = Findings::Nothing;
    let mut rows = 0;
    for method in [Method::JsonLd, Method::Microdata, Method::Rdfa, Method::EmbeddedState] {
        let next = match method {
            Method::JsonLd => {
                json_ld::find(json_ld::values(&page.json_ld())?, visit.final_url, heading.as_deref())
            }
            Method::Microdata => in_items(page, Syntax::Microdata, visit, heading.as_deref())?,
            Method::Rdfa => in_items(page, Syntax::Rdfa, visit, heading.as_deref())?,
            _ => in_state(page, visit, heading.as_deref())?,
        };
        found = match (found, next) {
            (Findings::Nothing, Found::Posting(value)) => {
                let (posting, dropped) = Posting::from_schema(&value, visit.final_url, method);
                Findings::Posting(Box::new(posting), dropped)
            }
            (Findings::Nothing, Found::ManyPostings(count)) if method == Method::EmbeddedState => {
                rows = count;
                Findings::Nothing
            }
            (Findings::Nothing, Found::ManyPostings(count)) => Findings::Many(count),
            (Findings::Posting(mut posting, dropped), Found::Posting(value)) => {
                let (other, _) = Posting::from_schema(&value, visit.final_url, method);
                // another posting on the page must not lend ours its fields
                if is_same(&posting, &other) {
                    posting.fill(other);
                }
                Findings::Posting(posting, dropped)
            }
            (found, _) => found,
        };
        match &found {
            Findings::Posting(posting, _) if posting.is_whole() => break,
            Findings::Many(_) => break,
            _ => {}
        }
    }
    Ok((found, rows))
}

fn is_same(one: &Posting, other: &Posting) -> bool {
    use super::plain_text::fold;
    match (&one.job_title, &other.job_title) {
        (Some(one), Some(other)) => fold(one) == fold(other),
        _ => false,
    }
}

fn in_items(
    page: &Page,
    syntax: Syntax,
    visit: &Visit<'_>,
    heading: Option<&str>,
) -> Result<Found, TooComplex> {
    if !items::has_any(page, syntax) {
        return Ok(Found::Nothing);
    }
    Ok(json_ld::find(items::values(page, syntax)?, visit.final_url, heading))
}

fn in_state(page: &Page, visit: &Visit<'_>, heading: Option<&str>) -> Result<Found, TooComplex> {
    let names: Vec<String> =
        heading.map(str::to_owned).into_iter().chain(page.meta("og:title")).chain(page.title()).collect();
    Ok(match state::find(page, visit.final_url, &names)? {
        State::Posting(value) => Found::Posting(value),
        State::Many(count) => Found::ManyPostings(count),
        State::Nothing => Found::Nothing,
    })
}

/// `in_data`: the page's data said everything, and its layout was not asked.
fn conclude(
    found: Findings,
    page: &Page,
    visit: &Visit<'_>,
    block: Option<NodeId>,
    in_data: bool,
) -> Reading {
    let subject = match &found {
        Findings::Posting(posting, _) => Subject::Posting(posting),
        Findings::Many(count) => Subject::Many(*count),
        Findings::Nothing => Subject::Nobody,
    };
    let verdict = judge_in(page, subject, visit, block);
    match found {
        // what another posting says must not become ours
        Findings::Posting(_, dropped) if verdict.code == "identity_lost" => {
            Reading { dropped, ..Reading::nothing(verdict) }
        }
        Findings::Posting(posting, dropped) => {
            let (title, prose) = (posting.job_title.as_deref(), posting.description.as_deref());
            let own =
                if in_data { block::of_posting(&posting) } else { block::fingerprint(page, title, prose) };
            Reading { block: own, ..reading(*posting, dropped, verdict) }
        }
        Findings::Many(_) | Findings::Nothing => Reading::nothing(verdict),
    }
}

/// The last step of every method: what the posting's own texts say is added, then its fields are fingerprinted.
pub(super) fn reading(mut posting: Posting, dropped: Vec<Dropped>, verdict: Verdict) -> Reading {
    posting.complete();
    Reading {
        result: serde_json::to_value(&posting).ok(),
        known: posting.provenance.len(),
        dropped,
        fingerprint: Some(field_fingerprint(&posting)),
        posting: Some(posting),
        ..Reading::nothing(verdict)
    }
}
