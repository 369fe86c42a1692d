//! What a scraper brings: jobs become listings with their evidence, the session and the role move on, all in one
//! transaction. The same post sent twice answers the same and changes nothing.

use std::collections::HashMap;

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use super::clusters;
use crate::domain::ids::ListingId;
use crate::domain::roles::posted_job::{PostedJob, READ_BY};

/// As many rows as one statement takes.
const AT_ONCE: usize = 500;

statements! {
    LOCK = "select role_id, role_name, status::text, started_at from scrape_sessions
        where session_id = $1 and scraper_key_id = $2 for update";
    ANSWERED = "select answer from session_posts where session_id = $1 and sha256 = decode($2, 'hex')";
    KEEP = "insert into session_posts (session_id, sha256, answer, at) values ($1, decode($2, 'hex'), $3, $4)";
    // Of a late session: somebody else has brought the role's jobs since it began.
    DONE_SINCE = "select 1 from roles where id = $1 and last_scraped_at > $2";
    IMPORT = include_str!("sql/import_jobs.sql");
    PROGRESS = "update scrape_sessions set jobs_found = jobs_found + $2, jobs_imported = jobs_imported + $3,
            jobs_skipped = jobs_skipped + $4, updated_at = $5,
            lease_expires_at = greatest(lease_expires_at, $6) where session_id = $1
        returning jobs_found, jobs_imported, jobs_skipped";
    COMPLETE = "update scrape_sessions set status = 'completed', completed_at = $2, error_message = null,
            duration_seconds = extract(epoch from $2 - started_at)::integer
        where session_id = $1 returning duration_seconds";
    // Also a role that waits again after this session was late; one that another session holds is that session's.
    ROLE_DONE = "update roles set queue_status = 'completed', held_by = null, last_scraped_at = $3,
            total_jobs_scraped = total_jobs_scraped + $4, updated_at = $3
        where id = $1 and (held_by = $2 or (held_by is null and queue_status = 'pending'))";
    ROLE_MORE = "update roles set total_jobs_scraped = total_jobs_scraped + $2, updated_at = $3 where id = $1";
}

/// The session a post belongs to, locked until the transaction ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: Uuid,
    pub role_id: Option<i32>,
    pub role_name: String,
    pub status: String,
    pub started_at: Timestamp,
}

pub async fn lock(db: &impl Db, session: Uuid, key: i32) -> anyhow::Result<Option<Session>> {
    let found = row(db, LOCK, &args![session, key]).await?;
    Ok(found.map(|row| Session {
        id: session,
        role_id: row.get(0),
        role_name: row.get(1),
        status: row.get(2),
        started_at: row.get(3),
    }))
}

/// What this very post was answered before.
pub async fn answered(db: &impl Db, session: Uuid, sha256: &str) -> anyhow::Result<Option<Value>> {
    Ok(row(db, ANSWERED, &args![session, sha256]).await?.map(|row| row.get(0)))
}

pub async fn keep(
    db: &impl Db,
    session: Uuid,
    sha256: &str,
    answer: &Value,
    now: Timestamp,
) -> anyhow::Result<()> {
    run(db, KEEP, &args![session, sha256, *answer, micros(now)]).await.map(drop)
}

/// Whether somebody else has completed the session's role since it began.
pub async fn done_since(db: &impl Db, session: &Session) -> anyhow::Result<bool> {
    let Some(role) = session.role_id else { return Ok(false) };
    Ok(row(db, DONE_SINCE, &args![role, micros(session.started_at)]).await?.is_some())
}

/// What became of the jobs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Listings that were not there before.
    pub fresh: usize,
    /// Those, and the ones that are new to this role: they are to be matched.
    pub to_match: Vec<ListingId>,
}

/// Writes jobs whose keys are all different, and puts what is new or has changed into its cluster.
pub async fn write(
    db: &impl Db,
    jobs: &[PostedJob],
    session: &Session,
    now: Timestamp,
) -> anyhow::Result<Imported> {
    let mut jobs: Vec<&PostedJob> = jobs.iter().collect();
    jobs.sort_unstable_by(|a, b| (&a.platform, &a.external_id).cmp(&(&b.platform, &b.external_id)));
    let (mut imported, mut changed) = (Imported::default(), Vec::new());
    for some in jobs.chunks(AT_ONCE) {
        for row in write_some(db, some, session, now).await? {
            let (fresh, linked): (bool, bool) = (row.get("fresh"), row.get("linked"));
            imported.fresh += usize::from(fresh);
            if row.get("changed") {
                changed.push(row.get("id"));
            }
            if fresh || linked {
                imported.to_match.push(row.get("id"));
            }
        }
    }
    imported.to_match.sort_unstable();
    // The last thing this transaction does to listings.
    clusters::assign(db, &changed, now).await?;
    Ok(imported)
}

async fn write_some(
    db: &impl Db,
    jobs: &[&PostedJob],
    session: &Session,
    now: Timestamp,
) -> anyhow::Result<Vec<tokio_postgres::Row>> {
    let ids: Vec<ListingId> = jobs.iter().map(|_| ListingId::fresh()).collect();
    let texts = |field: fn(&PostedJob) -> &str| jobs.iter().map(|job| field(job)).collect::<Vec<&str>>();
    let maybe = |field: fn(&PostedJob) -> &Option<String>| {
        jobs.iter().map(|job| field(job).as_deref()).collect::<Vec<Option<&str>>>()
    };
    let values = |field: fn(&PostedJob) -> &Option<Value>| {
        jobs.iter().map(|job| field(job).clone()).collect::<Vec<Option<Value>>>()
    };
    let posted: Vec<Option<jiff::civil::Date>> = jobs.iter().map(|job| job.posted).collect();
    let skills: Vec<Value> = jobs.iter().map(|job| Value::from(job.skills.clone())).collect();
    rows(
        db,
        IMPORT,
        &args![
            ids,
            texts(|job| &job.platform),
            texts(|job| &job.external_id),
            texts(|job| &job.url),
            texts(|job| &job.title),
            maybe(|job| &job.company),
            values(|job| &job.place),
            maybe(|job| &job.description),
            maybe(|job| &job.remote),
            values(|job| &job.salary),
            posted,
            skills,
            micros(now),
            READ_BY,
            session.id,
            session.role_id,
        ],
    )
    .await
}

/// The counts of a session after a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub found: i32,
    pub imported: i32,
    pub skipped: i32,
}

/// Adds a post's counts to its session, which thereby shows a sign of life.
pub async fn progress(
    db: &impl Db,
    session: Uuid,
    counts: Counts,
    lease: SignedDuration,
    now: Timestamp,
) -> anyhow::Result<Counts> {
    let Counts { found, imported, skipped } = counts;
    let total =
        row(db, PROGRESS, &args![session, found, imported, skipped, micros(now), micros(now + lease)])
            .await?
            .context("a locked session is there")?;
    Ok(Counts { found: total.get(0), imported: total.get(1), skipped: total.get(2) })
}

/// The session and its role are done. Returns how long it took.
pub async fn complete(db: &impl Db, session: &Session, imported: i32, now: Timestamp) -> anyhow::Result<i32> {
    let done =
        row(db, COMPLETE, &args![session.id, micros(now)]).await?.context("a locked session is there")?;
    if let Some(role) = session.role_id {
        let touched = run(db, ROLE_DONE, &args![role, session.id, micros(now), i64::from(imported)]).await?;
        if touched == 0 {
            run(db, ROLE_MORE, &args![role, i64::from(imported), micros(now)]).await?;
        }
    }
    Ok(done.get(0))
}

/// The jobs of a post that are not yet complete count for the role as well.
pub async fn add_to_role(
    db: &impl Db,
    session: &Session,
    imported: i32,
    now: Timestamp,
) -> anyhow::Result<()> {
    let Some(role) = session.role_id else { return Ok(()) };
    run(db, ROLE_MORE, &args![role, i64::from(imported), micros(now)]).await.map(drop)
}

/// Of jobs with the same key the first; the places of the others.
pub fn without_repeats(jobs: Vec<(usize, PostedJob)>) -> (Vec<PostedJob>, Vec<usize>) {
    let mut seen: HashMap<(String, String), ()> = HashMap::with_capacity(jobs.len());
    let (mut kept, mut repeats) = (Vec::with_capacity(jobs.len()), Vec::new());
    for (at, job) in jobs {
        if seen.insert((job.platform.clone(), job.external_id.clone()), ()).is_none() {
            kept.push(job);
        } else {
            repeats.push(at);
        }
    }
    (kept, repeats)
}
