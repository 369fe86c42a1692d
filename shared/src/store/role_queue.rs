//! The queue of roles: who scrapes what, for how long, and how it ended. A role is held by one live session.

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use super::scraper_keys::ScraperKey;

/// A scraper has this long from its last sign of life, unless an operator sets another time.
pub const LEASE: SignedDuration = SignedDuration::from_mins(60);
/// Sessions are kept this long after they have ended; what they brought stays.
pub const KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);
/// What a post was answered is kept this long.
const POSTS_KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// What was scraped this long ago is stale.
pub const STALE: SignedDuration = SignedDuration::from_hours(24);

statements! {
    NEXT = include_str!("sql/next_role.sql");
    BEAT = "update scrape_sessions set lease_expires_at = greatest(lease_expires_at, $3), updated_at = $4
        where session_id = $1 and scraper_key_id = $2 and status = 'in_progress' returning lease_expires_at";
    END = include_str!("sql/end_session.sql");
    STATUS = "select status::text from scrape_sessions where session_id = $1 and scraper_key_id = $2";
    TIME_OUT = include_str!("sql/time_out_sessions.sql");
    RESET = "with stale as (select id from roles where queue_status = 'completed' and last_scraped_at < $1
            and candidate_count > 0 order by id for no key update skip locked)
        update roles r set queue_status = 'pending', pending_since = $2, updated_at = $2
        from stale where r.id = stale.id and r.queue_status = 'completed'";
    FORGET_POSTS = "delete from session_posts where ctid in (select ctid from session_posts where at < $1 limit 10000)";
    // A session that still holds a role has not ended.
    FORGET_SESSIONS = "delete from scrape_sessions where id in (select id from scrape_sessions
        where completed_at < $1 and status <> 'in_progress' order by id limit 10000)";
    QUEUE = "select queue_status::text, count(*)::bigint, coalesce(sum(candidate_count), 0)::bigint
        from roles group by queue_status";
    LAST_DAY = "select count(*)::bigint, coalesce(sum(jobs_imported), 0)::bigint,
            coalesce(avg(duration_seconds), 0)::double precision
        from scrape_sessions where started_at >= $1 and status = 'completed'";
    SESSIONS = "select id, session_id, scraper_key_id, scraper_name, role_id, role_name, status::text, started_at,
            updated_at, completed_at, lease_expires_at, duration_seconds, jobs_found, jobs_imported, jobs_skipped,
            error_message
        from scrape_sessions where started_at >= $1 and ($2::integer is null or scraper_key_id = $2)
            and ($3::text is null or status = $3::text::session_status)
            and (started_at, id) < ($4, $5)
        order by started_at desc, id desc limit $6";
    ACTIVE = "select count(distinct scraper_key_id)::bigint from scrape_sessions
        where updated_at >= $1 and status = 'in_progress'";
    TOTALS = "select count(*)::bigint, coalesce(sum(jobs_found), 0)::bigint, coalesce(sum(jobs_imported), 0)::bigint,
            coalesce(avg(duration_seconds), 0)::double precision
        from scrape_sessions where started_at >= $1 and status = 'completed'";
    PER_SCRAPER = "select scraper_name, scraper_key_id, count(*)::bigint as session_count,
            count(*) filter (where status = 'in_progress')::bigint as sessions_in_progress,
            count(*) filter (where status = 'completed')::bigint as sessions_completed,
            coalesce(sum(jobs_found), 0)::bigint as jobs_found,
            coalesce(sum(jobs_imported), 0)::bigint as jobs_imported,
            coalesce(sum(jobs_skipped), 0)::bigint as jobs_skipped,
            (avg(duration_seconds) filter (where status = 'completed'))::double precision as avg_duration_seconds,
            (array_agg(role_name order by started_at desc, id desc))[1] as last_role, max(updated_at) as last_activity
        from scrape_sessions where started_at >= $1 group by scraper_key_id, scraper_name
        order by max(updated_at) desc, scraper_key_id limit 500";
    WAITING = "select id, name, queue_status::text, priority::text, candidate_count, last_scraped_at, pending_since
        from roles where queue_status in ('pending', 'processing')
        order by priority desc, candidate_count desc, pending_since, id limit $1";
    PER_HOUR = "select date_trunc('hour', completed_at) as hour, sum(jobs_imported)::bigint as jobs_imported,
            count(*)::bigint as sessions
        from scrape_sessions where status = 'completed' and completed_at >= $1 group by 1 order by 1";
}

/// A role that was handed to a scraper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub session_id: Uuid,
    pub role_id: i32,
    pub name: String,
    pub aliases: Vec<String>,
    pub candidate_count: i32,
    pub lease_expires_at: Timestamp,
}

/// What became of a wish to end or prolong a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched<T> {
    Done(T),
    /// It is not this key's, or not there.
    Unknown,
    /// It has ended, as this word says.
    Ended(String),
}

/// Hands the first role in order to exactly one scraper.
pub async fn next(
    db: &impl Db,
    key: &ScraperKey,
    lease: SignedDuration,
    now: Timestamp,
) -> anyhow::Result<Option<Held>> {
    let (session_id, until) = (Uuid::now_v7(), micros(now + lease));
    let found = row(db, NEXT, &args![session_id, key.id, key.name, micros(now), until]).await?;
    Ok(found.map(|row| Held {
        session_id,
        role_id: row.get("id"),
        name: row.get("name"),
        aliases: row.get("aliases"),
        candidate_count: row.get("candidate_count"),
        lease_expires_at: until,
    }))
}

/// A sign of life: the lease begins anew.
pub async fn beat(
    db: &impl Db,
    session: Uuid,
    key: i32,
    lease: SignedDuration,
    now: Timestamp,
) -> anyhow::Result<Touched<Timestamp>> {
    match row(db, BEAT, &args![session, key, micros(now + lease), micros(now)]).await? {
        Some(row) => Ok(Touched::Done(row.get(0))),
        None => untouched(db, session, key).await,
    }
}

/// Ends a session without jobs: `released` or `failed`. Its role waits again.
pub async fn end(
    db: &impl Db,
    session: Uuid,
    key: i32,
    status: &'static str,
    reason: Option<&str>,
    now: Timestamp,
) -> anyhow::Result<Touched<()>> {
    let reason = reason.map(str::to_owned);
    let ended = row(db, END, &args![session, key, status, reason, micros(now)]).await?.context("a count")?;
    if ended.get::<_, i32>(0) == 1 { Ok(Touched::Done(())) } else { untouched(db, session, key).await }
}

async fn untouched<T>(db: &impl Db, session: Uuid, key: i32) -> anyhow::Result<Touched<T>> {
    Ok(match row(db, STATUS, &args![session, key]).await? {
        Some(row) => Touched::Ended(row.get(0)),
        None => Touched::Unknown,
    })
}

/// Ends sessions that gave no sign of life in time. Returns how many sessions ended and how many roles wait again.
pub async fn time_out(db: &impl Db, now: Timestamp) -> anyhow::Result<(i64, i64)> {
    let (mut sessions, mut roles) = (0, 0);
    loop {
        let found = row(db, TIME_OUT, &args![micros(now)]).await?.context("a count")?;
        let ended = i64::from(found.get::<_, i32>(0));
        (sessions, roles) = (sessions + ended, roles + i64::from(found.get::<_, i32>(1)));
        if ended < 1_000 {
            return Ok((sessions, roles));
        }
    }
}

/// Lets roles that were scraped a day ago, and that somebody wants, wait again.
pub async fn reset_completed(db: &impl Db, now: Timestamp) -> anyhow::Result<u64> {
    run(db, RESET, &args![micros(now - STALE), micros(now)]).await
}

/// Drops ended sessions and answers of long ago.
pub async fn forget(db: &impl Db, now: Timestamp) -> anyhow::Result<u64> {
    let posts = run(db, FORGET_POSTS, &args![micros(now - POSTS_KEPT)]).await?;
    Ok(posts + run(db, FORGET_SESSIONS, &args![micros(now - KEPT)]).await?)
}

/// Roles and the candidates who want them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct QueueCount {
    pub roles: i64,
    pub candidates: i64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct QueueCounts {
    pub pending: QueueCount,
    pub processing: QueueCount,
    pub completed: QueueCount,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct LastDay {
    pub sessions_completed: i64,
    pub jobs_imported: i64,
    pub avg_duration_seconds: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct QueueStatistics {
    pub queue: QueueCounts,
    pub last_24h: LastDay,
}

/// How many roles wait, are under way and are done.
pub async fn counts(db: &impl Db) -> anyhow::Result<QueueCounts> {
    let mut queue = QueueCounts::default();
    for row in rows(db, QUEUE, &args![]).await? {
        let count = QueueCount { roles: row.get(1), candidates: row.get(2) };
        match row.get::<_, &str>(0) {
            "pending" => queue.pending = count,
            "processing" => queue.processing = count,
            _ => queue.completed = count,
        }
    }
    Ok(queue)
}

pub async fn statistics(db: &impl Db, now: Timestamp) -> anyhow::Result<QueueStatistics> {
    let queue = counts(db).await?;
    let day = row(db, LAST_DAY, &args![micros(now - STALE)]).await?.context("a count")?;
    let last_24h = LastDay {
        sessions_completed: day.get(0),
        jobs_imported: day.get(1),
        avg_duration_seconds: hundredths(day.get(2)),
    };
    Ok(QueueStatistics { queue, last_24h })
}

fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// A session as the monitor shows it.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct SessionView {
    pub id: i64,
    pub session_id: Uuid,
    pub scraper_key_id: i32,
    pub scraper_name: String,
    pub role_id: Option<i32>,
    pub role_name: String,
    /// `in_progress`, `completed`, `failed`, `timeout` or `released`.
    pub status: String,
    #[schema(value_type = String, format = DateTime)]
    pub started_at: Timestamp,
    /// The last sign of life: the start, a heartbeat, jobs, or the end.
    #[schema(value_type = String, format = DateTime)]
    pub last_activity: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub completed_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    pub lease_expires_at: Timestamp,
    pub duration_seconds: Option<i32>,
    pub jobs_found: i32,
    pub jobs_imported: i32,
    pub jobs_skipped: i32,
    pub error_message: Option<String>,
}

/// Which sessions to show.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    pub key: Option<i32>,
    pub status: Option<String>,
    /// Those before this one.
    pub before: Option<(Timestamp, i64)>,
}

/// The newest first.
pub async fn sessions(
    db: &impl Db,
    since: Timestamp,
    filter: &SessionFilter,
    limit: i64,
) -> anyhow::Result<Vec<SessionView>> {
    let last = Timestamp::from_second(4_102_444_800).unwrap_or(Timestamp::UNIX_EPOCH);
    let (at, id) = filter.before.unwrap_or((last, i64::MAX));
    let found =
        rows(db, SESSIONS, &args![micros(since), filter.key, filter.status, micros(at), id, limit]).await?;
    Ok(found.iter().map(session).collect())
}

fn session(row: &Row) -> SessionView {
    SessionView {
        id: row.get("id"),
        session_id: row.get("session_id"),
        scraper_key_id: row.get("scraper_key_id"),
        scraper_name: row.get("scraper_name"),
        role_id: row.get("role_id"),
        role_name: row.get("role_name"),
        status: row.get("status"),
        started_at: row.get("started_at"),
        last_activity: row.get("updated_at"),
        completed_at: row.get("completed_at"),
        lease_expires_at: row.get("lease_expires_at"),
        duration_seconds: row.get("duration_seconds"),
        jobs_found: row.get("jobs_found"),
        jobs_imported: row.get("jobs_imported"),
        jobs_skipped: row.get("jobs_skipped"),
        error_message: row.get("error_message"),
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Totals {
    pub total_sessions: i64,
    pub jobs_found: i64,
    pub jobs_imported: i64,
    pub avg_duration_seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ScraperStats {
    pub scraper_name: String,
    pub scraper_key_id: i32,
    pub session_count: i64,
    pub sessions_in_progress: i64,
    pub sessions_completed: i64,
    pub jobs_found: i64,
    pub jobs_imported: i64,
    pub jobs_skipped: i64,
    /// Of completed sessions; null when there are none.
    pub avg_duration_seconds: Option<f64>,
    pub last_role: Option<String>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_activity: Option<Timestamp>,
}

/// What was imported in one hour.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Hour {
    #[schema(value_type = String, format = DateTime)]
    pub hour: Timestamp,
    pub jobs_imported: i64,
    pub sessions: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct MonitoringStats {
    /// Scrapers with a session that gave a sign of life in the last ten minutes.
    pub active_scrapers: i64,
    pub totals: Totals,
    pub per_scraper: Vec<ScraperStats>,
    pub per_hour: Vec<Hour>,
}

pub async fn monitoring(db: &impl Db, since: Timestamp, now: Timestamp) -> anyhow::Result<MonitoringStats> {
    let active =
        row(db, ACTIVE, &args![micros(now - SignedDuration::from_mins(10))]).await?.context("a count")?;
    let totals = row(db, TOTALS, &args![micros(since)]).await?.context("a count")?;
    let per_scraper = rows(db, PER_SCRAPER, &args![micros(since)]).await?;
    let per_hour = rows(db, PER_HOUR, &args![micros(since)]).await?;
    Ok(MonitoringStats {
        active_scrapers: active.get(0),
        totals: Totals {
            total_sessions: totals.get(0),
            jobs_found: totals.get(1),
            jobs_imported: totals.get(2),
            avg_duration_seconds: hundredths(totals.get(3)),
        },
        per_scraper: per_scraper
            .iter()
            .map(|row| ScraperStats {
                scraper_name: row.get("scraper_name"),
                scraper_key_id: row.get("scraper_key_id"),
                session_count: row.get("session_count"),
                sessions_in_progress: row.get("sessions_in_progress"),
                sessions_completed: row.get("sessions_completed"),
                jobs_found: row.get("jobs_found"),
                jobs_imported: row.get("jobs_imported"),
                jobs_skipped: row.get("jobs_skipped"),
                avg_duration_seconds: row.get::<_, Option<f64>>("avg_duration_seconds").map(hundredths),
                last_role: row.get("last_role"),
                last_activity: row.get("last_activity"),
            })
            .collect(),
        per_hour: per_hour
            .iter()
            .map(|row| Hour { hour: row.get(0), jobs_imported: row.get(1), sessions: row.get(2) })
            .collect(),
    })
}

/// A role in the queue.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Waiting {
    pub id: i32,
    pub name: String,
    pub queue_status: String,
    pub priority: String,
    pub candidate_count: i32,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_scraped_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    pub pending_since: Timestamp,
}

/// What waits and what is under way, in the order it is handed out.
pub async fn waiting(db: &impl Db, limit: i64) -> anyhow::Result<Vec<Waiting>> {
    let found = rows(db, WAITING, &args![limit]).await?;
    Ok(found
        .iter()
        .map(|row| Waiting {
            id: row.get("id"),
            name: row.get("name"),
            queue_status: row.get("queue_status"),
            priority: row.get("priority"),
            candidate_count: row.get("candidate_count"),
            last_scraped_at: row.get("last_scraped_at"),
            pending_since: row.get("pending_since"),
        })
        .collect())
}
