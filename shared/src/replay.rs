//! Replay: the extractors of today over pages that are stored. A dry run shows what would change; a real one keeps
//! the new readings, and the fields of listings with evidence of it. It has looked at no site, so it neither
//! refreshes nor closes: a listing that a page now seems to close is nominated for a check.
//!
//! Work goes in pieces of a few pages, each with a place to go on from, so that any number of pages is walked in
//! little memory and a run that was stopped can be resumed.

use std::fmt;
use std::str::FromStr;

use anyhow::Context;
use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::error::SqlState;

use crate::ai::company;
use crate::blobs::{BlobKey, Blobs};
use crate::domain::boards::Board;
use crate::domain::change::reread::{FieldDiff, Tally, diff};
use crate::domain::credential::is_private_page;
use crate::domain::extract::{self, Reading};
use crate::domain::ids::ListingId;
use crate::domain::listing::Event;
use crate::domain::listing::job::JobFields;
use crate::domain::notice::State;
use crate::domain::target::TargetType;
use crate::sighting::WEB;
use crate::store::listings::NewEvidence;
use crate::store::replays::{self, After, Reread, StoredPage};
use crate::store::sightings::{self, NewListing};
use crate::store::{Db, Pool, clusters};

pub use crate::store::replays::Wish;

/// Pages that are in memory at once.
const AT_ONCE: usize = 8;
/// Pages of a piece that are shown with their differences.
const EXAMPLES: usize = 20;
/// How often a piece that lost a race is tried.
const TRIES: usize = 3;

/// Where to go on: the last page that is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(After);

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}~{}~{}", self.0.at.as_microsecond(), self.0.target_type, self.0.url_key)
    }
}

impl FromStr for Cursor {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Cursor> {
        let mut parts = text.splitn(3, '~');
        let mut part = || parts.next().context("a cursor has three parts with ~ between");
        let at = Timestamp::from_microsecond(part()?.parse().context("a cursor begins with a number")?)?;
        let target_type = part()?.to_owned();
        Ok(Cursor(After { at, url_key: part()?.to_owned(), target_type }))
    }
}

/// A page that is read differently now.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Example {
    pub url: String,
    pub target_type: String,
    pub fields: Vec<FieldDiff>,
}

/// What came of a piece.
#[derive(Debug, Clone, Default, Serialize, utoipa::ToSchema)]
pub struct Piece {
    pub tally: Tally,
    pub examples: Vec<Example>,
    /// Readings that were kept; 0 in a dry run.
    pub kept: u64,
    /// Listings whose fields are others now, or that are new.
    pub listings: u64,
    /// Stored pages that are no longer there.
    pub missing: u64,
    /// None when there is nothing left.
    pub next: Option<String>,
}

/// Why nothing can be replayed of a source, where that is so: what a board's list said stands in its listings, its rows
/// have no pages of their own that were read, and one page of a list is not the list.
pub fn no_replay_of(source: &str) -> Option<String> {
    let board = source.parse::<Board>().ok()?;
    Some(format!(
        "{board} is a board: its listings come from its list, which replay does not read again. Read the board itself anew \
         (POST /api/admin/sources/{{id}}/scrape); pages of single postings are replayed by their site"
    ))
}

/// How many pages are left to do.
pub async fn left(pool: &Pool, wish: &Wish, after: Option<&Cursor>) -> anyhow::Result<i64> {
    replays::count(&*pool.conn().await?, wish, after.map(|cursor| &cursor.0)).await
}

/// The next piece.
pub async fn piece(
    pool: &Pool,
    blobs: &Blobs,
    wish: &Wish,
    after: Option<&Cursor>,
    limit: i64,
    dry_run: bool,
    now: Timestamp,
) -> anyhow::Result<Piece> {
    let pages = replays::pages(&*pool.conn().await?, wish, after.map(|cursor| &cursor.0), limit).await?;
    let mut piece = Piece::default();
    let full = i64::try_from(pages.len()).is_ok_and(|found| found == limit);
    piece.next = pages.last().filter(|_| full).map(|last| {
        let after = After {
            at: last.fetched_at,
            url_key: last.url_key.clone(),
            target_type: last.target_type.clone(),
        };
        Cursor(after).to_string()
    });
    let mut fresh = Vec::new();
    let mut pages = pages.into_iter();
    loop {
        let some: Vec<StoredPage> = pages.by_ref().take(AT_ONCE).collect();
        if some.is_empty() {
            break;
        }
        let read = futures_util::future::try_join_all(some.into_iter().map(|page| read(blobs, page))).await?;
        for (page, reading) in read {
            match reading {
                Some(reading) => {
                    count(&mut piece, &page, &reading);
                    fresh.push((page, reading));
                }
                None => piece.missing += 1,
            }
        }
    }
    if !dry_run && !fresh.is_empty() {
        // Listings are written in the order of their keys, as everywhere.
        fresh.sort_by(|(a, _), (b, _)| a.url_key.cmp(&b.url_key));
        (piece.kept, piece.listings) = keep_all(pool, &fresh, now).await?;
    }
    Ok(piece)
}

async fn read(blobs: &Blobs, page: StoredPage) -> anyhow::Result<(StoredPage, Option<Reading>)> {
    let Ok(target) = page.target_type.parse::<TargetType>() else { return Ok((page, None)) };
    let Some(body) = blobs.get(&BlobKey::stored(&page.raw_key)?).await? else { return Ok((page, None)) };
    tokio::task::spawn_blocking(move || {
        let kind = page.content_type.as_deref();
        let mut reading = extract::read(target, &body, kind, &page.url_key, &page.final_url, page.fetched_at);
        // Nobody is asked again about a page that is the same: what a model said of it stands.
        if let (TargetType::CompanyWebsite, Some(before), Some(now)) =
            (target, &page.result, &mut reading.result)
        {
            company::carry_over(before, now);
        }
        (page, Some(reading))
    })
    .await
    .context("reading a stored page")
}

fn count(piece: &mut Piece, page: &StoredPage, reading: &Reading) {
    let diffs = diff(page.result.as_ref(), reading.result.as_ref());
    piece.tally.count(page.result.as_ref(), reading.result.as_ref(), &diffs);
    piece.tally.verdict(page.verdict["code"].as_str().unwrap_or("none"), reading.verdict.code);
    if !diffs.is_empty() && piece.examples.len() < EXAMPLES {
        piece.examples.push(Example {
            url: page.url_key.clone(),
            target_type: page.target_type.clone(),
            fields: diffs,
        });
    }
}

async fn keep_all(
    pool: &Pool,
    fresh: &[(StoredPage, Reading)],
    now: Timestamp,
) -> anyhow::Result<(u64, u64)> {
    let mut tries = 0;
    loop {
        match keep_once(pool, fresh, now).await {
            Err(error) if lost_a_race(&error) && tries + 1 < TRIES => tries += 1,
            done => return done,
        }
    }
}

fn lost_a_race(error: &anyhow::Error) -> bool {
    let code = error.chain().find_map(|cause| cause.downcast_ref::<tokio_postgres::Error>()?.code().cloned());
    matches!(code, Some(SqlState::T_R_DEADLOCK_DETECTED | SqlState::T_R_SERIALIZATION_FAILURE))
}

async fn keep_once(
    pool: &Pool,
    fresh: &[(StoredPage, Reading)],
    now: Timestamp,
) -> anyhow::Result<(u64, u64)> {
    let mut conn = pool.conn().await?;
    let transaction = conn.transaction().await?;
    let (mut kept, mut changed) = (0, Vec::new());
    for (page, reading) in fresh {
        let Ok(target) = page.target_type.parse::<TargetType>() else { continue };
        let version = extract::extractor(target).version();
        let verdict = reading.verdict_json();
        let reread = Reread {
            version,
            fingerprint: reading.fingerprint.as_deref(),
            block: reading.block.as_deref(),
            verdict: &verdict,
            result: reading.result.as_ref(),
        };
        if !replays::save(&transaction, page, &reread, now).await? {
            continue; // a newer page, or a newer reading, has come meanwhile
        }
        kept += 1;
        if target == TargetType::JobPosting && !is_private_page(&page.url_key) {
            changed.extend(keep_listing(&transaction, page, reading, version, now).await?);
        }
    }
    clusters::assign(&transaction, &changed, now).await?;
    transaction.commit().await?;
    Ok((kept, changed.len() as u64))
}

/// The listing of a page, when its fields are others now or it is new.
async fn keep_listing(
    db: &impl Db,
    page: &StoredPage,
    reading: &Reading,
    version: &str,
    now: Timestamp,
) -> anyhow::Result<Option<ListingId>> {
    let job = reading
        .posting
        .as_ref()
        .and_then(|posting| JobFields::of(posting, reading.fingerprint.as_deref(), version));
    let evidence = |event, detail| NewEvidence {
        task_id: None,
        event,
        rule: "replay",
        verdict_code: Some(reading.verdict.code),
        http_status: Some(page.status),
        final_url: Some(&page.final_url),
        raw_key: Some(&page.raw_key),
        extractor_version: Some(version),
        detail,
    };
    let expired = reading.verdict.state == State::Expired;
    let known = sightings::known(db, std::iter::once((WEB, page.url_key.as_str()))).await?;
    match (known.into_values().next(), job) {
        (Some((id, known)), _) if expired => {
            if known.is_active {
                sightings::nominate(db, vec![id]).await?;
                sightings::add_evidence(db, &[(id, evidence(Event::Nominated, None))], now).await?;
            }
            Ok(None)
        }
        (Some((id, known)), Some(job)) if known.fingerprint != job.fingerprint => {
            sightings::change(db, &[(id, &job)]).await?;
            sightings::save_jobs(db, &[(id, &job)]).await?;
            let fields = diff(page.result.as_ref(), reading.result.as_ref());
            let detail = serde_json::json!({
                "fields_changed": true, "from_version": page.extractor_version,
                "fields": fields.iter().map(|diff| &diff.field).collect::<Vec<_>>(),
            });
            sightings::add_evidence(db, &[(id, evidence(Event::Reread, Some(detail)))], now).await?;
            Ok(Some(id))
        }
        (Some((id, _)), Some(_)) => {
            replays::set_version(db, id, version).await?;
            Ok(None)
        }
        // A posting that no extractor saw before. It was there when the page was fetched; whether it still is, a check tells.
        (None, Some(job)) if !expired => {
            let id = ListingId::fresh();
            let new = NewListing { id, source: WEB, external_id: &page.url_key, job: &job, doubtful: true };
            if sightings::create(db, &[new], page.fetched_at).await?.is_empty() {
                return Ok(None);
            }
            sightings::save_jobs(db, &[(id, &job)]).await?;
            let told = [Event::Created, Event::Nominated].map(|event| (id, evidence(event, None)));
            sightings::add_evidence(db, &told, now).await?;
            replays::set_listing(db, page, id).await?;
            Ok(Some(id))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_told_apart_from_a_site() {
        assert!(no_replay_of("greenhouse:lantern").is_some_and(|why| why.contains("anew")));
        assert_eq!(no_replay_of("lantern.example"), None);
        assert_eq!(no_replay_of("web"), None);
    }
}
