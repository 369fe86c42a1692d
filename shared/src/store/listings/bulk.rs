//! Many listings in a few statements: a list that was read, or what a scraper of somebody else brought. Rows are
//! written in the order of their keys, at most 500 a statement; a bad row is reported and costs no other.

use std::collections::HashMap;

use anyhow::bail;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio_postgres::error::SqlState;
use uuid::Uuid;

use super::JobFields;
use crate::domain::ids::{ListingId, TaskId};
use crate::domain::listing::batch::{Item, Key, Rejected, check, deduplicate};
use crate::domain::listing::{Change, Event, Known};
use crate::store::args::{Db, args, micros, rows, run, statements};
use crate::store::{Pool, clusters};

/// Rows of one statement.
const CHUNK: usize = 500;
/// How often a transaction that lost a race is tried.
const TRIES: usize = 3;

statements! {
    KNOWN = "select l.id, l.source, l.external_id, l.is_active, l.field_fingerprint
        from unnest($1::text[], $2::text[]) as n (source, external_id)
        join listings l on l.source = n.source and l.external_id = n.external_id
        order by l.source collate \"C\", l.external_id collate \"C\" for no key update of l";
    INSERT = include_str!("../sql/insert_listings.sql");
    SAVE_JOBS = include_str!("../sql/save_jobs.sql");
    CHANGE = "update listings l set url = n.url, title = n.title, company = n.company, place = n.place,
            extractor_version = n.version, field_fingerprint = n.fingerprint
        from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::text[])
            as n (id, url, title, company, place, version, fingerprint) where l.id = n.id";
    SEEN = "update listings set last_seen_at = greatest(last_seen_at, $2), times_seen = times_seen + 1,
            verification_status = 'verified', is_active = true, closed_at = null, close_reason = null
        where id = any($1::uuid[])";
    TELL = "insert into evidence (listing_id, task_id, event, rule, verdict_code, http_status, final_url, raw_key,
            extractor_version, detail, at)
        select n.id, n.task, n.event::evidence_event, n.rule, n.code, n.status, n.url, n.raw_key, n.version, n.detail, $11
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::text[], $8::text[],
            $9::text[], $10::jsonb[]) as n (id, task, event, rule, code, status, url, raw_key, version, detail)
        order by n.id
        on conflict (listing_id, task_id, event) where task_id is not null do nothing";
}

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
    let (order, mut outcome) = sorted(listings);
    for chunk in order.chunks(CHUNK) {
        write(db, listings, chunk, &mut outcome, now).await?;
    }
    let fresh: Vec<ListingId> = outcome.created.iter().chain(&outcome.changed).map(|kept| kept.id).collect();
    clusters::assign(db, &fresh, now).await?;
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
        let (ids, known) = known(db, listings, &left).await?;
        let items: Vec<Item<'_>> = left.iter().map(|index| item(&listings[*index])).collect();
        let found = deduplicate(&items, &known);
        let mut told = Vec::new();
        let mut written = Vec::new();
        for (at, change) in &found.updates {
            let index = left[*at];
            let key = (listings[index].source.clone(), listings[index].external_id.clone());
            let Some(id) = ids.get(&key) else { continue };
            let (event, changed) = match change {
                Change::Reopen { changed } => (Event::Reopened, *changed),
                Change::Refresh { changed } => (Event::Refreshed, *changed),
                _ => continue,
            };
            let kept = Kept { index, id: *id };
            if changed {
                outcome.changed.push(kept);
                written.push(kept);
            } else {
                outcome.refreshed.push(kept);
            }
            told.push((kept, event, changed));
        }
        let seen: Vec<ListingId> = told.iter().map(|(kept, ..)| kept.id).collect();
        if !seen.is_empty() {
            run(db, SEEN, &args![seen, micros(now)]).await?;
        }
        change(db, listings, &written).await?;
        let new: Vec<usize> = found.new.iter().map(|at| left[*at]).collect();
        let created = insert(db, listings, &new, now).await?;
        left = new.into_iter().filter(|index| !created.iter().any(|kept| kept.index == *index)).collect();
        outcome.created.extend(&created);
        told.extend(created.iter().map(|kept| (*kept, Event::Created, false)));
        written.extend(&created);
        save_jobs(db, listings, &written).await?;
        tell(db, listings, &told, now).await?;
        if left.is_empty() {
            return Ok(());
        }
    }
    bail!("{} listings were made and lost again", left.len())
}

async fn known(
    db: &impl Db,
    listings: &[NewListing],
    wanted: &[usize],
) -> anyhow::Result<(HashMap<Key, ListingId>, HashMap<Key, Known>)> {
    let sources: Vec<&str> = wanted.iter().map(|index| listings[*index].source.as_str()).collect();
    let external: Vec<&str> = wanted.iter().map(|index| listings[*index].external_id.as_str()).collect();
    let found = rows(db, KNOWN, &args![sources, external]).await?;
    let key = |row: &tokio_postgres::Row| (row.get(1), row.get(2));
    let ids = found.iter().map(|row| (key(row), row.get(0))).collect();
    let known = found.iter().map(|row| (key(row), Known { is_active: row.get(3), fingerprint: row.get(4) }));
    Ok((ids, known.collect()))
}

/// Those that were made; one that is missing was made by somebody else first.
async fn insert(
    db: &impl Db,
    listings: &[NewListing],
    new: &[usize],
    now: Timestamp,
) -> anyhow::Result<Vec<Kept>> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let kept: Vec<Kept> = new.iter().map(|index| Kept { index: *index, id: ListingId::fresh() }).collect();
    let of = |kept: &Kept| &listings[kept.index];
    let made = rows(
        db,
        INSERT,
        &args![
            kept.iter().map(|one| one.id).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).source.as_str()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).external_id.as_str()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).job.url.as_str()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).job.title.as_str()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).job.company.as_deref()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).job.place.clone()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).job.extractor_version.as_str()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).job.fingerprint.as_str()).collect::<Vec<_>>(),
            micros(now),
        ],
    )
    .await?;
    let made: std::collections::HashSet<ListingId> = made.iter().map(|row| row.get(0)).collect();
    Ok(kept.into_iter().filter(|one| made.contains(&one.id)).collect())
}

async fn change(db: &impl Db, listings: &[NewListing], kept: &[Kept]) -> anyhow::Result<()> {
    if kept.is_empty() {
        return Ok(());
    }
    let of = |kept: &Kept| &listings[kept.index].job;
    run(
        db,
        CHANGE,
        &args![
            kept.iter().map(|one| one.id).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).url.as_str()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).title.as_str()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).company.as_deref()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).place.clone()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).extractor_version.as_str()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).fingerprint.as_str()).collect::<Vec<_>>(),
        ],
    )
    .await
    .map(drop)
}

async fn save_jobs(db: &impl Db, listings: &[NewListing], kept: &[Kept]) -> anyhow::Result<()> {
    if kept.is_empty() {
        return Ok(());
    }
    let of = |kept: &Kept| &listings[kept.index].job;
    run(
        db,
        SAVE_JOBS,
        &args![
            kept.iter().map(|one| one.id).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).description.as_deref()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).remote.as_deref()).collect::<Vec<_>>(),
            kept.iter().map(|one| json!(of(one).employment_type)).collect::<Vec<Value>>(),
            kept.iter().map(|one| of(one).salary.clone()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).salary_text.as_deref()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).date_posted).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).valid_through.as_deref()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).apply_url.as_deref()).collect::<Vec<_>>(),
            kept.iter().map(|one| of(one).provenance.clone()).collect::<Vec<Value>>(),
        ],
    )
    .await
    .map(drop)
}

async fn tell(
    db: &impl Db,
    listings: &[NewListing],
    told: &[(Kept, Event, bool)],
    now: Timestamp,
) -> anyhow::Result<()> {
    if told.is_empty() {
        return Ok(());
    }
    let of = |kept: &Kept| &listings[kept.index];
    run(
        db,
        TELL,
        &args![
            told.iter().map(|(one, ..)| one.id).collect::<Vec<_>>(),
            told.iter().map(|(one, ..)| of(one).why.task_id.map(|id| id.0)).collect::<Vec<Option<Uuid>>>(),
            told.iter().map(|(_, event, _)| event.word()).collect::<Vec<_>>(),
            told.iter().map(|(one, ..)| of(one).why.rule.as_str()).collect::<Vec<_>>(),
            told.iter().map(|(one, ..)| of(one).why.verdict_code.as_deref()).collect::<Vec<_>>(),
            told.iter().map(|(one, ..)| of(one).why.http_status).collect::<Vec<_>>(),
            told.iter().map(|(one, ..)| of(one).why.final_url.as_deref()).collect::<Vec<_>>(),
            told.iter().map(|(one, ..)| of(one).why.raw_key.as_deref()).collect::<Vec<_>>(),
            told.iter().map(|(one, ..)| of(one).job.extractor_version.as_str()).collect::<Vec<_>>(),
            told.iter()
                .map(|(.., changed)| changed.then(|| json!({ "fields_changed": true })))
                .collect::<Vec<Option<Value>>>(),
            micros(now),
        ],
    )
    .await
    .map(drop)
}
