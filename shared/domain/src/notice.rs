//! The verdict on a page: is its posting still open? Only a notice in the posting's own block closes
//! it. Time, silence, redirects and walls make us uncertain, never sure.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::page::{NodeId, Page};
use super::plain_text::fold;
use super::posting::Posting;
use super::{identity, phrase};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Active,
    Expired,
    Uncertain,
}

/// What a page says about its posting, by a stable code and in a sentence for the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    pub state: State,
    pub code: &'static str,
    pub reason: String,
}

impl Verdict {
    pub(super) fn new(state: State, code: &'static str, reason: impl Into<String>) -> Verdict {
        Verdict { state, code, reason: reason.into() }
    }
}

/// Whom the page's data speaks of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject<'a> {
    Posting(&'a Posting),
    /// A list of so many.
    Many(usize),
    Nobody,
}

/// How we came to the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit<'a> {
    pub requested_url: &'a str,
    /// After redirects.
    pub final_url: &'a str,
    pub fetched_at: Timestamp,
}

/// A wall has little to say.
const MAX_WALL: usize = 1_500;

/// Judges a page. The order matters: a wall or a foreign posting must not speak for ours, and a notice
/// is believed before the data, which sites leave in place.
pub fn judge(page: &Page, subject: Subject<'_>, visit: &Visit<'_>) -> Verdict {
    judge_in(page, subject, visit, None)
}

/// The same where the posting's own block is known already.
pub(super) fn judge_in(
    page: &Page,
    subject: Subject<'_>,
    visit: &Visit<'_>,
    block: Option<NodeId>,
) -> Verdict {
    let posting = match subject {
        Subject::Posting(posting) => Some(posting),
        Subject::Many(_) | Subject::Nobody => None,
    };
    if posting.is_none()
        && let Some(sign) = wall(page)
    {
        return Verdict::new(State::Uncertain, "bot_wall", format!("the page is a wall: {sign}"));
    }
    if !identity::is_kept(visit.requested_url, visit.final_url, posting) {
        let reason = "the final URL no longer carries the posting that was asked for";
        return Verdict::new(State::Uncertain, "identity_lost", reason);
    }
    if let Some(notice) = closed_notice(page, posting, block) {
        return Verdict::new(
            State::Expired,
            "closed_notice",
            format!("the posting's own block says: {notice}"),
        );
    }
    match subject {
        Subject::Many(count) => {
            Verdict::new(State::Uncertain, "list_page", format!("the page lists {count} postings"))
        }
        Subject::Posting(posting) => standing(posting, visit),
        Subject::Nobody => {
            Verdict::new(State::Uncertain, "no_posting", "the page carries no posting we can read")
        }
    }
}

/// What a posting says of itself, where no notice closes it.
pub(super) fn standing(posting: &Posting, visit: &Visit<'_>) -> Verdict {
    if posting.job_title.is_none() {
        return Verdict::new(State::Uncertain, "no_posting", "the posting on the page has no title");
    }
    if posting.valid_through.is_some_and(|until| until.is_before(visit.fetched_at)) {
        let reason = "the posting says it was valid until an earlier time";
        return Verdict::new(State::Uncertain, "valid_through_passed", reason);
    }
    Verdict::new(State::Active, "live", "the posting is on its page and no notice closes it")
}

/// The same for what is no posting: the line around its title that closes it.
pub(super) fn own_notice(page: &Page, title: Option<&str>, prose: Option<&str>) -> Option<String> {
    title?; // without one nobody knows whose notice it is
    closing_line(page, title, prose, None)
}

/// The line of the posting's own block that closes it. A line that is part of the posting's own
/// description is prose, wherever the page shows it.
fn closed_notice(page: &Page, posting: Option<&Posting>, block: Option<NodeId>) -> Option<String> {
    let title = posting.and_then(|posting| posting.job_title.as_deref());
    closing_line(page, title, posting.and_then(|posting| posting.description.as_deref()), block)
}

fn closing_line(
    page: &Page,
    title: Option<&str>,
    description: Option<&str>,
    block: Option<NodeId>,
) -> Option<String> {
    if !page.may_be_closed() {
        return None; // nearly every page, and nothing has to be known about its blocks
    }
    let lines = match block {
        Some(block) => page.lines_in(block, title),
        None => page.own_lines(title),
    };
    let mut candidates = lines.into_iter().filter(|line| phrase::closed_notice(line).is_some()).peekable();
    candidates.peek()?; // folding the description is the dear part
    let prose = description.map(fold).unwrap_or_default();
    candidates.take(50).find(|line| !prose.contains(&fold(line)))
}

/// A challenge instead of a page: little text, and a phrase or an element that gives it away.
pub(super) fn wall(page: &Page) -> Option<String> {
    let text = page.short_text(4 * MAX_WALL).filter(|text| text.chars().count() <= MAX_WALL)?;
    let title = page.title().unwrap_or_default();
    if let Some(sign) = phrase::wall(&format!("{title}. {text}")) {
        return Some(sign.to_owned());
    }
    let marked = |name: &str| {
        ["captcha", "challenge-form", "challenge-running", "cf-wrapper"]
            .iter()
            .find(|mark| name.contains(**mark))
            .copied()
    };
    page.elements(Page::ROOT)
        .filter_map(|id| {
            page.attribute(id, "id").and_then(marked).or_else(|| page.attribute(id, "class").and_then(marked))
        })
        .next()
        .map(str::to_owned)
}

#[cfg(test)]
#[path = "notice_tests.rs"]
mod tests;
