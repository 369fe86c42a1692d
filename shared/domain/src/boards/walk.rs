//! The walk through a list: which page comes next, when the list is at its end, and what the read is worth. One
//! state machine for every system; it is fed with answers and can be put away between two pages. It never
//! believes that a short page is the last one, that a round number is a count, or that a page seen twice is news.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, Facet, ListPage, Misfit};
use super::ask::Ask;
use super::certificate::{Certificate, Reason};
use super::paging::{Cursor, Paging, Scope, Step};
use super::seen::{Seen, hash};
use super::split;
use super::systems::adapter;
use super::{Board, Listed};

/// Pages and jobs of one walk.
const MAX_PAGES: u32 = 6_000;
const MAX_JOBS: u64 = 200_000;
/// Failed pages in a row after which the board is left alone.
const MAX_MISSES: u8 = 3;
/// Empty pages in a row before the end that a board may have shown.
const MAX_EMPTY: u8 = 2;
/// How often a part is divided again.
const MAX_DEPTH: u8 = 3;

/// A read under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Walk {
    board: Board,
    /// Parts still to be read, the present one last.
    parts: Vec<Part>,
    ended: Option<Ended>,
    seen: Seen,
    pages_ok: u32,
    pages_failed: u32,
    duplicates: u64,
    reported: Option<u64>,
    reasons: Vec<Reason>,
    /// Set when the board had to be divided.
    division: Option<Division>,
}

/// How a walk ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// The certificate says what the read is worth.
    Read,
    /// The very first page could not be read: nothing is known of the board.
    Failed(String),
}

/// One part of the board and where in it we are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Part {
    scope: Scope,
    depth: u8,
    cursor: Cursor,
    seen: Seen,
    total: Option<u64>,
    pages: u32,
    misses: u8,
    empty: u8,
    /// The ids of the page before, as one number.
    page_before: u64,
    facets: Vec<Facet>,
    /// Where to go on after a look past a suspicious total.
    probing: Option<Cursor>,
    probed: bool,
}

/// How the board was divided, and what its counts said before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Division {
    facet: String,
    parts: u32,
    sums: Vec<(String, u64)>,
}

/// What one answer brought.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Taken {
    /// Jobs that were not seen before in this walk.
    pub jobs: Vec<Listed>,
    /// Why the answer was no page.
    pub misfit: Option<Misfit>,
}

/// Why a part is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Natural,
    Wrapped,
    Failed,
}

impl Part {
    fn new(scope: Scope, depth: u8, paging: Paging) -> Part {
        Part {
            scope,
            depth,
            cursor: paging.start(),
            seen: Seen::default(),
            total: None,
            pages: 0,
            misses: 0,
            empty: 0,
            page_before: 0,
            facets: Vec::new(),
            probing: None,
            probed: false,
        }
    }

    /// All that the board says it has was seen.
    fn has_all(&self) -> bool {
        self.total.is_some_and(|total| self.seen.len() >= total)
    }

    /// The board's number is one at which boards stop, it showed no more than that, and nothing vouches for it; or
    /// its own counts prove that there is more.
    fn is_capped(&self) -> bool {
        let seen = self.seen.len();
        self.total.is_some_and(|total| {
            let round = split::is_cap(total) && seen <= total && !split::vouch(&self.facets, total);
            round || split::disprove(&self.facets, total.max(seen))
        })
    }
}

impl Walk {
    pub fn new(board: Board) -> Walk {
        let part = Part::new(Scope::default(), 0, adapter(board.system()).paging);
        Walk {
            board,
            parts: vec![part],
            ended: None,
            seen: Seen::default(),
            pages_ok: 0,
            pages_failed: 0,
            duplicates: 0,
            reported: None,
            reasons: Vec::new(),
            division: None,
        }
    }

    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The next request; none when the walk is over.
    pub fn next(&self) -> Option<Ask> {
        let part = self.parts.last().filter(|_| self.ended.is_none())?;
        let step = Step { cursor: &part.cursor, scope: &part.scope };
        Some((adapter(self.board.system()).ask)(&self.board, step))
    }

    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// Takes the answer to the latest request.
    pub fn take(&mut self, answer: &Answer<'_>) -> Taken {
        match (adapter(self.board.system()).read)(&self.board, answer) {
            Ok(page) => Taken { jobs: self.page(page), misfit: None },
            Err(misfit) => {
                self.failed(&misfit.to_string());
                Taken { jobs: Vec::new(), misfit: Some(misfit) }
            }
        }
    }

    /// The latest request brought no answer, and will not be made again.
    pub fn failed(&mut self, why: &str) {
        if self.ended.is_some() {
            return;
        }
        self.pages_failed += 1;
        if self.pages_ok == 0 {
            self.ended = Some(Ended::Failed(why.to_owned()));
            return;
        }
        self.because(Reason::PageFailed);
        let paging = adapter(self.board.system()).paging;
        let Some(part) = self.parts.last_mut() else { return };
        part.misses += 1;
        if let Some(back) = part.probing.take() {
            part.cursor = back; // only the look ahead failed
            return;
        }
        let next = part
            .cursor
            .after(paging, 0)
            .or_else(|| part.cursor.rest().map(|rest| Cursor::Next(rest.to_owned())));
        let past = part.total.zip(part.cursor.rows_before(paging)).is_some_and(|(total, at)| at >= total);
        match next {
            _ if part.misses >= MAX_MISSES => {
                self.parts.clear();
                self.ended = Some(Ended::Read);
            }
            Some(next) if !past && part.pages > 0 => part.cursor = next,
            _ => self.end_part(End::Failed),
        }
    }

    /// What the read is worth, at any time.
    pub fn certificate(&self) -> Certificate {
        let mut reasons = self.reasons.clone();
        if self.ended != Some(Ended::Read) {
            reasons.push(Reason::Unfinished);
        }
        let scope = match &self.division {
            None => "all".to_owned(),
            Some(division) => format!("all, by {} in {} parts", division.facet, division.parts),
        };
        Certificate {
            reported_total: self.reported,
            unique_seen: self.seen.len(),
            pages_ok: self.pages_ok,
            pages_failed: self.pages_failed,
            cap_suspected: reasons.contains(&Reason::CapSuspected),
            scope,
            complete: reasons.is_empty(),
            reasons,
            duplicates: self.duplicates,
        }
    }

    fn because(&mut self, reason: Reason) {
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn page(&mut self, page: ListPage) -> Vec<Listed> {
        let paging = adapter(self.board.system()).paging;
        if self.ended.is_some() || self.parts.is_empty() {
            return Vec::new();
        }
        self.pages_ok += 1;
        if page.unread > 0 {
            self.because(Reason::UnreadRows);
        }
        if page.unproven {
            self.because(Reason::Unproven);
        }
        let at_top = self.division.is_none();
        let Some(part) = self.parts.last_mut() else { return Vec::new() };
        part.misses = 0;
        if part.probing.is_some() {
            self.probed(&page, paging);
            return Vec::new();
        }
        part.pages += 1;
        part.total = part.total.max(page.total);
        if at_top {
            self.reported = self.reported.max(page.total);
        }
        if part.pages == 1 {
            part.facets.clone_from(&page.facets);
        }
        let mut facts = Facts {
            rows: page.rows,
            repeats: !page.jobs.is_empty(),
            pages: page.pages,
            signature: signature(&page),
        };
        let alone = part.pages == 1 && page.next.is_none();
        let round = paging == Paging::Whole && page.total.is_none() && split::is_cap(page.rows);
        if (page.cut && alone) || round {
            self.because(Reason::CapSuspected);
        }
        let (fresh_here, jobs) = self.keep(page.jobs);
        facts.repeats &= fresh_here == 0;
        self.decide(paging, &facts, page.next);
        jobs
    }

    /// Notes the ids of a page. Gives how many are new to the part, and the jobs that are new to the walk, each
    /// once.
    fn keep(&mut self, jobs: Vec<Listed>) -> (u64, Vec<Listed>) {
        let mut fresh_here = 0;
        let mut fresh: Vec<Listed> = Vec::with_capacity(jobs.len());
        let mut place: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
        let Some(part) = self.parts.last_mut() else { return (0, fresh) };
        for job in jobs {
            fresh_here += u64::from(part.seen.add(&job.external_id));
            if self.seen.add(&job.external_id) {
                place.insert(job.external_id.clone(), fresh.len());
                fresh.push(job);
            } else {
                self.duplicates += 1;
                if let Some(twin) = place.get(&job.external_id).and_then(|at| fresh.get_mut(*at)) {
                    twin.merge(job);
                }
            }
        }
        (fresh_here, fresh)
    }

    /// Where to go after a page that was read.
    fn decide(&mut self, paging: Paging, page: &Facts, next: Option<String>) {
        if self.pages_ok >= MAX_PAGES || self.seen.len() >= MAX_JOBS {
            self.because(Reason::OurLimit);
            self.parts.clear();
            self.ended = Some(Ended::Read);
            return;
        }
        let Some(part) = self.parts.last_mut() else { return };
        let before = std::mem::replace(&mut part.page_before, page.signature);
        let end = match paging {
            Paging::Whole => Some(End::Natural),
            Paging::Next => {
                let rest = part.cursor.rest().map(str::to_owned);
                let again = next.is_some() && part.cursor.token() == next.as_deref();
                part.empty = if page.rows == 0 && rest.is_none() { part.empty + 1 } else { 0 };
                let lost = again || (page.repeats && rest.is_none()) || part.empty > MAX_EMPTY;
                match [rest, next].into_iter().flatten().collect::<Vec<_>>() {
                    tokens if tokens.is_empty() => Some(End::Natural),
                    _ if lost => Some(End::Wrapped),
                    tokens => {
                        part.cursor = Cursor::Next(tokens.join("\n"));
                        None
                    }
                }
            }
            Paging::Offset { .. } | Paging::Page { .. } => {
                let end = counted(part, paging, page, before);
                if end.is_none()
                    && let Some(cursor) = part.cursor.after(paging, page.rows)
                {
                    part.cursor = cursor;
                }
                end
            }
        };
        match end {
            Some(end) => self.end_part(end),
            None => self.look_ahead(paging),
        }
    }

    /// A total at which boards stop counting, on the first page: one look past it tells a board that goes on from
    /// one that stops or begins again. Only worth it where the board can be divided.
    fn look_ahead(&mut self, paging: Paging) {
        let Some(part) = self.parts.last_mut() else { return };
        let Some(total) = part.total.filter(|_| part.pages == 1 && !part.probed && part.is_capped()) else {
            return;
        };
        if part.depth >= MAX_DEPTH || split::divide(&part.scope, &part.facets, total).is_none() {
            return;
        }
        let past = match paging {
            Paging::Offset { .. } => Cursor::Offset(total),
            Paging::Page { first, size } => Cursor::Page(first + total.div_ceil(size.max(1))),
            Paging::Whole | Paging::Next => return,
        };
        part.probed = true;
        part.probing = Some(std::mem::replace(&mut part.cursor, past));
    }

    /// The page past the total is only looked at: what is on it comes again when the walk gets there.
    fn probed(&mut self, page: &ListPage, _: Paging) {
        let Some(part) = self.parts.last_mut() else { return };
        let goes_on = page.jobs.iter().any(|job| !part.seen.has(&job.external_id));
        if let Some(back) = part.probing.take() {
            part.cursor = back;
        }
        if !goes_on {
            self.end_part(End::Wrapped);
        }
    }

    fn end_part(&mut self, end: End) {
        let Some(part) = self.parts.pop() else { return };
        let capped = part.is_capped();
        if end != End::Failed && (capped || end == End::Wrapped) && self.divide(&part) {
            return;
        }
        match end {
            End::Failed => self.because(Reason::PageFailed),
            End::Wrapped => {
                self.because(Reason::Wrapped);
                self.because(Reason::CapSuspected);
            }
            End::Natural if capped => self.because(Reason::CapSuspected),
            End::Natural if part.total.is_some() && !part.has_all() => {
                self.because(Reason::FewerThanReported);
            }
            End::Natural => {}
        }
        if self.parts.is_empty() {
            self.check_sums();
            self.ended = Some(Ended::Read);
        }
    }

    fn divide(&mut self, part: &Part) -> bool {
        if part.depth >= MAX_DEPTH {
            return false;
        }
        let cap = part.total.unwrap_or_else(|| part.seen.len()).max(1);
        let Some((facet, scopes)) = split::divide(&part.scope, &part.facets, cap) else { return false };
        let paging = adapter(self.board.system()).paging;
        let count = u32::try_from(scopes.len()).unwrap_or(u32::MAX);
        match &mut self.division {
            Some(division) => division.parts += count - 1,
            None => {
                let sums = part.facets.iter().map(|facet| (facet.name.clone(), split::sum(facet))).collect();
                self.division = Some(Division { facet, parts: count, sums });
            }
        }
        self.parts.extend(scopes.into_iter().rev().map(|scope| Part::new(scope, part.depth + 1, paging)));
        true
    }

    /// A board read in parts is whole when a count it was not divided by comes to the same number, or none comes
    /// to more.
    fn check_sums(&mut self) {
        let Some(division) = &self.division else { return };
        let seen = self.seen.len();
        let agrees = division.sums.iter().any(|(name, sum)| *name != division.facet && *sum == seen);
        let most = division.sums.iter().map(|(_, sum)| *sum).max().unwrap_or(0);
        if !agrees && most > seen {
            self.because(Reason::CountsDisagree);
        }
    }
}

/// What matters of a page for where to go next.
struct Facts {
    rows: u64,
    /// It names jobs, and all of them were seen before.
    repeats: bool,
    pages: Option<u64>,
    signature: u64,
}

/// Whether a counted list is at its end after this page.
fn counted(part: &mut Part, paging: Paging, page: &Facts, before: u64) -> Option<End> {
    let row = part.cursor.rows_before(paging).unwrap_or(0);
    if page.rows == 0 {
        part.empty += 1;
        let short_of_total = part.total.is_some_and(|total| row < total);
        return (!short_of_total || part.empty > MAX_EMPTY).then_some(End::Natural);
    }
    part.empty = 0;
    if page.repeats && part.pages > 1 {
        // Boards without a total show their last page for every later number. When that happens on the very
        // second page and the first was full, the number may simply not have been heard.
        let last_again = part.total.is_none() && page.signature == before;
        let unheard = part.pages == 2 && page.rows >= paging.size();
        let all_seen = part.has_all() && !part.is_capped();
        return Some(if (last_again && !unheard) || all_seen { End::Natural } else { End::Wrapped });
    }
    let number = part.cursor.number();
    let first = match paging {
        Paging::Page { first, .. } => first,
        _ => 0,
    };
    let last_page = page.pages.is_some_and(|pages| {
        matches!(part.cursor, Cursor::Page(_)) && number.saturating_sub(first).saturating_add(1) >= pages
    });
    let at_end = part.has_all() && !part.is_capped() && !past_a_cap(part);
    (last_page || at_end).then_some(End::Natural)
}

/// The board said a round number and goes on past it: only its end is the end.
fn past_a_cap(part: &Part) -> bool {
    part.total.is_some_and(|total| split::is_cap(total) && !split::vouch(&part.facets, total))
}

/// The ids of a page, in order, as one number.
fn signature(page: &ListPage) -> u64 {
    page.jobs.iter().fold(page.rows, |sum, job| {
        sum.rotate_left(5).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hash(&job.external_id)
    })
}
