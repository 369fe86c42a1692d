//! Many listings in a few statements: a list that was read, or what a scraper of somebody else brought. Rows are
//! written in the order of their keys, at most 500 a statement; a bad row is reported and costs no other.

use std::collections::HashMap;

use anyhow::bail;
use jiff::Timestamp;
use serde_json::json;
use tokio_postgres::error::SqlState;

use super::{JobFields, NewEvidence};
use crate::domain::ids::{ListingId, TaskId};
use crate::domain::listing::batch::{Item, Rejected, check, deduplicate};
use crate::domain::listing::{Change, Event};
use crate::store::{Db, Pool, clusters, sightings};

/// Rows of one statement.
const CHUNK: usize = 500;
/// How often a transaction that lost a race is tried.
const TRIES: usize = 3;

/// A listing as somebody saw it, live.
#[derive(Debug, Clone)]
pub struct NewListing {
    pub source: String,
    pub external_id: String,
    pub job: JobFields,
    pub why: Why,
}

/// How it was seen; it becomes the evidence.
#[derive(Debug, Clone, Default)]
pub struct Why {
    /// `list_read`, `import`, …
    pub rule: String,
    pub task_id: Option<TaskId>,
    pub verdict_code: Option<String>,
    pub http_status: Option<i32>,
    pub final_url: Option<String>,
    pub raw_key: Option<String>,
}

/// A row of the batch, and the listing it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    pub index: usize,
    pub id: ListingId,
}

/// What became of each row of a batch, each in exactly one of these.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    pub created: Vec<Kept>,
    /// Known, and its fields are others now.
    pub changed: Vec<Kept>,
    /// Known, and the same.
    pub refreshed: Vec<Kept>,
    /// Rows that another row of the batch, at the second place, speaks for.
    pub skipped: Vec<(usize, usize)>,
    pub rejected: Vec<Rejected>,
}

/// Writes a batch in the caller's transaction, with evidence and clusters. Call it last in the transaction, and once
/// (`clusters::assign`). A deadlock with another batch is the caller's to try again: `import` does.
pub async fn upsert_many(db: &impl Db, listings: &[NewListing], now: Timestamp) -> anyhow::Result<Outcome> {
    let outcome = write_many(db, listings, now).await?;
    let fresh: Vec<ListingId> = outcome.created.iter().chain(&outcome.changed).map(|kept| kept.id).collect();
    clusters::assign(db, &fresh, now).await?;
    Ok(outcome)
}

/// The same without the clusters, for whoever has more to write before them.
pub async fn write_many(db: &impl Db, listings: &[NewListing], now: Timestamp) -> anyhow::Result<Outcome> {
    let (order, mut outcome) = sorted(listings);
    for chunk in order.chunks(CHUNK) {
        write(db, listings, chunk, &mut outcome, now).await?;
    }
    Ok(outcome)
}

/// Writes a batch of any size, 500 rows a transaction; one that lost a race is tried again.
pub async fn import(pool: &Pool, listings: &[NewListing], now: Timestamp) -> anyhow::Result<Outcome> {
    let (order, mut outcome) = sorted(listings);
    for chunk in order.chunks(CHUNK) {
        let mut tries = 0;
        let done = loop {
            match import_chunk(pool, listings, chunk, now).await {
                Ok(done) => break done,
                Err(error) if lost_a_race(&error) && tries + 1 < TRIES => tries += 1,
                Err(error) => return Err(error),
            }
        };
        outcome.created.extend(done.created);
        outcome.changed.extend(done.changed);
        outcome.refreshed.extend(done.refreshed);
    }
    Ok(outcome)
}

async fn import_chunk(
    pool: &Pool,
    listings: &[NewListing],
    chunk: &[usize],
    now: Timestamp,
) -> anyhow::Result<Outcome> {
    let mut conn = pool.conn().await?;
    let transaction = conn.transaction().await?;
    let mut done = Outcome::default();
    write(&transaction, listings, chunk, &mut done, now).await?;
    let fresh: Vec<ListingId> = done.created.iter().chain(&done.changed).map(|kept| kept.id).collect();
    clusters::assign(&transaction, &fresh, now).await?;
    transaction.commit().await?;
    Ok(done)
}

fn lost_a_race(error: &anyhow::Error) -> bool {
    let code = error.chain().find_map(|cause| cause.downcast_ref::<tokio_postgres::Error>()?.code().cloned());
    matches!(code, Some(SqlState::T_R_DEADLOCK_DETECTED | SqlState::T_R_SERIALIZATION_FAILURE))
}

/// The rows that are written, by their keys; the others are in the outcome already.
fn sorted(listings: &[NewListing]) -> (Vec<usize>, Outcome) {
    let mut outcome = Outcome::default();
    let mut good = Vec::with_capacity(listings.len());
    for (index, listing) in listings.iter().enumerate() {
        let why = &listing.why;
        let said = [Some(&why.rule), why.verdict_code.as_ref(), why.final_url.as_ref(), why.raw_key.as_ref()];
        let checked = check(&listing.source, &listing.external_id, &listing.job);
        match checked {
            Err((field, message)) => outcome.rejected.push(Rejected { index, field, message }),
            Ok(()) if said.into_iter().flatten().any(|text| text.contains('\0')) => {
                outcome.rejected.push(Rejected {
                    index,
                    field: "why",
                    message: "holds a zero character".to_owned(),
                });
            }
            Ok(()) => good.push(index),
        }
    }
    let items: Vec<Item<'_>> = good.iter().map(|index| item(&listings[*index])).collect();
    let found = deduplicate(&items, &HashMap::new());
    outcome.skipped = found.skipped.iter().map(|(at, taken)| (good[*at], good[*taken])).collect();
    (found.new.iter().map(|at| good[*at]).collect(), outcome)
}

fn item(listing: &NewListing) -> Item<'_> {
    Item {
        source: &listing.source,
        external_id: &listing.external_id,
        fingerprint: &listing.job.fingerprint,
        known: listing.job.known(),
    }
}

/// One chunk, every key in it once.
async fn write(
    db: &impl Db,
    listings: &[NewListing],
    chunk: &[usize],
    outcome: &mut Outcome,
    now: Timestamp,
) -> anyhow::Result<()> {
    let mut left: Vec<usize> = chunk.to_vec();
    // Twice at most: what another transaction makes meanwhile is known the second time.
    for _ in 0..2 {
        let keys = left.iter().map(|index| key(&listings[*index]));
        let found = sightings::known(db, keys).await?;
        let known = found.iter().map(|(key, (_, known))| (key.clone(), known.clone())).collect();
        let items: Vec<Item<'_>> = left.iter().map(|index| item(&listings[*index])).collect();
        let sorted = deduplicate(&items, &known);
        let (mut told, mut written) = (Vec::new(), Vec::new());
        for (at, change) in &sorted.updates {
            let index = left[*at];
            let (source, external_id) = key(&listings[index]);
            let Some((id, _)) = found.get(&(source.to_owned(), external_id.to_owned())) else { continue };
            let (event, changed) = match change {
                Change::Reopen { changed } => (Event::Reopened, *changed),
                Change::Refresh { changed } => (Event::Refreshed, *changed),
                _ => continue,
            };
            let kept = Kept { index, id: *id };
            if changed {
                outcome.changed.push(kept);
                written.push((kept.id, &listings[index].job));
            } else {
                outcome.refreshed.push(kept);
            }
            told.push((kept.id, evidence(&listings[index], event, changed)));
        }
        sightings::seen(db, told.iter().map(|(id, _)| *id).collect(), now).await?;
        sightings::change(db, &written).await?;
        let new: Vec<(usize, sightings::NewListing<'_>)> =
            sorted.new.iter().map(|at| (left[*at], new_listing(&listings[left[*at]]))).collect();
        let (places, rows): (Vec<usize>, Vec<_>) = new.into_iter().unzip();
        let made = sightings::create(db, &rows, now).await?;
        left.clear();
        for (index, row) in places.into_iter().zip(&rows) {
            if !made.contains(&row.id) {
                left.push(index);
                continue;
            }
            outcome.created.push(Kept { index, id: row.id });
            written.push((row.id, row.job));
            told.push((row.id, evidence(&listings[index], Event::Created, false)));
        }
        sightings::save_jobs(db, &written).await?;
        sightings::add_evidence(db, &told, now).await?;
        if left.is_empty() {
            return Ok(());
        }
    }
    bail!("{} listings were made and lost again", left.len())
}

fn key(listing: &NewListing) -> (&str, &str) {
    (&listing.source, &listing.external_id)
}

fn new_listing(listing: &NewListing) -> sightings::NewListing<'_> {
    let (source, external_id) = key(listing);
    sightings::NewListing { id: ListingId::fresh(), source, external_id, job: &listing.job, doubtful: false }
}

fn evidence(listing: &NewListing, event: Event, changed: bool) -> NewEvidence<'_> {
    let why = &listing.why;
    NewEvidence {
        task_id: why.task_id,
        event,
        rule: &why.rule,
        verdict_code: why.verdict_code.as_deref(),
        http_status: why.http_status,
        final_url: why.final_url.as_deref(),
        raw_key: why.raw_key.as_deref(),
        extractor_version: Some(&listing.job.extractor_version),
        detail: changed.then(|| json!({ "fields_changed": true })),
    }
}
