//! What a scraper brings: jobs become listings with their evidence, the session and the role move on, all in one
//! transaction. The same post sent twice answers the same and changes nothing.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows_fitted, run, statements};
use super::clusters;
use crate::domain::cluster::Facts;
use crate::domain::ids::ListingId;
use crate::domain::roles::posted_job::{PostedJob, READ_BY};

/// As many rows as one statement takes.
const AT_ONCE: usize = 1_000;
/// As many as a plan for any number is good for.
const FEW: usize = 100;

statements! {
    LOCK = "select role_id, role_name, status::text, started_at, jobs_found, jobs_imported, jobs_skipped
        from scrape_sessions where session_id = $1 and scraper_key_id = $2 for update";
    ANSWERED = "select answer from session_posts where session_id = $1 and sha256 = decode($2, 'hex')";
    // Of a late session: somebody else has brought the role's jobs since it began.
    DONE_SINCE = "select 1 from roles where id = $1 and last_scraped_at > $2";
    IMPORT = include_str!("sql/import_jobs.sql");
    SETTLE = include_str!("sql/settle_post.sql");
}

/// The session a post belongs to, locked until the transaction ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: Uuid,
    pub role_id: Option<i32>,
    pub role_name: String,
    pub status: String,
    pub started_at: Timestamp,
    /// What its posts have brought before.
    pub counts: Counts,
}

pub async fn lock(db: &impl Db, session: Uuid, key: i32) -> anyhow::Result<Option<Session>> {
    let found = row(db, LOCK, &args![session, key]).await?;
    Ok(found.map(|row| Session {
        id: session,
        role_id: row.get(0),
        role_name: row.get(1),
        status: row.get(2),
        started_at: row.get(3),
        counts: Counts { found: row.get(4), imported: row.get(5), skipped: row.get(6) },
    }))
}

/// What this very post was answered before.
pub async fn answered(db: &impl Db, session: Uuid, sha256: &str) -> anyhow::Result<Option<Value>> {
    Ok(row(db, ANSWERED, &args![session, sha256]).await?.map(|row| row.get(0)))
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
    /// New listings, each with the place of its job.
    new: Vec<(ListingId, usize)>,
    /// Listings that were there and have changed.
    changed: Vec<ListingId>,
}

/// Writes jobs whose keys are all different. [`place`] puts what is new or has changed into its cluster.
pub async fn write(
    db: &impl Db,
    jobs: &[PostedJob],
    session: &Session,
    now: Timestamp,
) -> anyhow::Result<Imported> {
    let mut sorted: Vec<(usize, &PostedJob)> = jobs.iter().enumerate().collect();
    sorted
        .sort_unstable_by(|(_, a), (_, b)| (&a.platform, &a.external_id).cmp(&(&b.platform, &b.external_id)));
    let mut imported = Imported::default();
    for some in sorted.chunks(AT_ONCE) {
        let ids: Vec<ListingId> = some.iter().map(|_| ListingId::fresh()).collect();
        let places: HashMap<ListingId, usize> =
            ids.iter().zip(some).map(|(id, (place, _))| (*id, *place)).collect();
        let some: Vec<&PostedJob> = some.iter().map(|(_, job)| *job).collect();
        for row in write_some(db, &ids, &some, session, now).await? {
            let (id, fresh, linked): (ListingId, bool, bool) =
                (row.get("id"), row.get("fresh"), row.get("linked"));
            imported.fresh += usize::from(fresh);
            if row.get("changed") {
                match places.get(&id) {
                    Some(place) => imported.new.push((id, *place)),
                    None => imported.changed.push(id),
                }
            }
            if fresh || linked {
                imported.to_match.push(id);
            }
        }
    }
    imported.to_match.sort_unstable();
    Ok(imported)
}

/// Puts what was written into its cluster. The last thing a transaction does: from here on others may wait for it.
pub async fn place(
    db: &impl Db,
    jobs: &[PostedJob],
    imported: &Imported,
    now: Timestamp,
) -> anyhow::Result<()> {
    let new: Vec<Facts<'_>> = imported
        .new
        .iter()
        .filter_map(|(id, place)| Some((*id, jobs.get(*place)?)))
        .map(|(id, job)| Facts {
            id,
            source: &job.platform,
            url: &job.url,
            title: &job.title,
            company: job.company.as_deref(),
            place: job.place.as_ref(),
            remote: job.remote.as_deref(),
            description: job.description.as_deref(),
            requisition: None,
        })
        .collect();
    clusters::assign_with(db, &new, &imported.changed, now).await
}

async fn write_some(
    db: &impl Db,
    ids: &[ListingId],
    jobs: &[&PostedJob],
    session: &Session,
    now: Timestamp,
) -> anyhow::Result<Vec<tokio_postgres::Row>> {
    let texts = |field: fn(&PostedJob) -> &str| jobs.iter().map(|job| field(job)).collect::<Vec<&str>>();
    let maybe = |field: fn(&PostedJob) -> &Option<String>| {
        jobs.iter().map(|job| field(job).as_deref()).collect::<Vec<Option<&str>>>()
    };
    let values = |field: fn(&PostedJob) -> &Option<Value>| {
        jobs.iter().map(|job| field(job).clone()).collect::<Vec<Option<Value>>>()
    };
    let posted: Vec<Option<jiff::civil::Date>> = jobs.iter().map(|job| job.posted).collect();
    let skills: Vec<Value> = jobs.iter().map(|job| Value::from(job.skills.clone())).collect();
    // A plan for any number of jobs is one for few of them: it compares each with each.
    let fit = jobs.len() > FEW;
    rows_fitted(
        db,
        fit,
        IMPORT,
        &args![
            ids.to_vec(),
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

/// What a session has brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub found: i32,
    pub imported: i32,
    pub skipped: i32,
}

impl Counts {
    #[must_use]
    pub fn and(self, more: Counts) -> Counts {
        Counts {
            found: self.found.saturating_add(more.found),
            imported: self.imported.saturating_add(more.imported),
            skipped: self.skipped.saturating_add(more.skipped),
        }
    }
}

/// What is left to write when the jobs of a post are.
#[derive(Debug)]
pub struct Settled<'a> {
    /// Of the whole session.
    pub total: Counts,
    /// Of this post.
    pub imported: i32,
    pub complete: bool,
    pub duration_seconds: i32,
    pub lease: SignedDuration,
    /// The run that matches these listings; there is none when there are none.
    pub run: Uuid,
    pub to_match: &'a [ListingId],
    pub sha256: &'a str,
    pub answer: &'a Value,
}

/// Session and role move on, the matcher gets its work, the answer is kept.
pub async fn settle(
    db: &impl Db,
    session: &Session,
    done: &Settled<'_>,
    now: Timestamp,
) -> anyhow::Result<()> {
    let Counts { found, imported, skipped } = done.total;
    run(
        db,
        SETTLE,
        &args![
            session.id,
            session.role_id,
            found,
            imported,
            skipped,
            micros(now),
            micros(now + done.lease),
            done.complete,
            done.duration_seconds,
            i64::from(done.imported),
            done.run,
            done.to_match.to_vec(),
            done.sha256,
            done.answer,
        ],
    )
    .await
    .map(drop)
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
