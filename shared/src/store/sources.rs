//! Sources and their reads.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::boards::{Board, Certificate, Health, SourceStatus};
use crate::domain::ids::{ListingId, TaskId};

statements! {
    ADD = "insert into sources (id, system, token, url, company, created_at, next_read_at)
        values ($1, $2, $3, $4, $5, $6, $6)
        on conflict (system, token) do nothing returning id";
    FIND = "select id, system, token, url, company, status, status_reason, status_since, failures, read_every_seconds, next_read_at,
            created_at, last_read_at, last_complete_at
        from sources where id = $1";
    FIND_BOARD = "select id, system, token, url, company, status, status_reason, status_since, failures, read_every_seconds, next_read_at,
            created_at, last_read_at, last_complete_at
        from sources where system = $1 and token = $2";
    HOLD = "select id, system, token, url, company, status, status_reason, status_since, failures, read_every_seconds, next_read_at,
            created_at, last_read_at, last_complete_at
        from sources where system = $1 and token = $2 for update";
    LIST = "select id, system, token, url, company, status, status_reason, status_since, failures, read_every_seconds, next_read_at,
            created_at, last_read_at, last_complete_at
        from sources where (created_at, id) < ($1, $2) order by created_at desc, id desc limit $3";
    DUE = "select id, system, token, url, company, status, status_reason, status_since, failures, read_every_seconds, next_read_at,
            created_at, last_read_at, last_complete_at
        from sources s where status <> 'disabled' and next_read_at <= $1
          and not exists (select 1 from tasks t where t.kind = 'source_scrape' and t.url_key = s.system || ':' || s.token
            and t.status in ('pending', 'processing'))
        order by next_read_at, id limit $2";
    SET = "update sources set status = $2::text, status_reason = $3, failures = case when $2 = 'active' then 0 else failures end,
            status_since = case when status <> $2 then $4::timestamptz else status_since end, read_every_seconds = $5::int4,
            next_read_at = case when $2 = 'disabled' then null when status <> $2 then $4::timestamptz
                else least(next_read_at, $4::timestamptz + make_interval(secs => coalesce($5::int4, 21600))) end
        where id = $1";
    ASK_SOON = "update sources set next_read_at = least(next_read_at, $2)
        where system || ':' || token = $1 and status in ('active', 'suspect')
          and (last_read_at is null or last_read_at < $3)";
    PUT_OFF = "update sources set next_read_at = $2 where id = $1";
    READS = "select id, task_id, started_at, ended_at, reported_total, unique_seen, pages_ok, pages_failed, cap_suspected,
            scope, complete, reasons, error, closed, nominated, held
        from source_reads where source_id = $1 order by id desc limit $2";
    COMPLETE_COUNTS = "select unique_seen from source_reads where source_id = $1 and complete order by id desc limit $2";
    UNDER_WAY = "select id from tasks where kind = 'source_scrape' and url_key = $1
        and status in ('pending', 'processing') limit 1";
    ADD_READ = "insert into source_reads (source_id, task_id, started_at, ended_at, reported_total, unique_seen, pages_ok,
            pages_failed, cap_suspected, scope, complete, reasons, error)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        on conflict (task_id) do nothing returning id";
    NOTE_ABSENCE = "update source_reads set closed = $2, nominated = $3, held = $4 where id = $1";
    NOTE_READ = "update sources set last_read_at = $2::timestamptz, last_complete_at = case when $3 then $2 else last_complete_at end,
            status_since = case when status <> $4 then $2 else status_since end, status = $4::text, failures = $5,
            status_reason = $6, next_read_at = $7
        where id = $1";
    ACTIVE = "select count(*) from listings where source = $1 and is_active and first_seen_at < $2";
    ABSENT = "select id, verification_status = 'nominated' from listings
        where source = $1 and is_active and last_seen_at < $2 order by external_id collate \"C\" for no key update";
    BY_STATUS = "select status, count(*) from sources group by status order by status";
}

/// A board that is read.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Source {
    pub id: Uuid,
    /// The software behind the board.
    pub system: String,
    /// The board's name there.
    pub token: String,
    pub url: String,
    pub company: Option<String>,
    /// `active`, `suspect`, `quarantined` or `disabled`.
    pub status: String,
    /// Why it is not active.
    pub status_reason: Option<String>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub status_since: Option<Timestamp>,
    /// Reads in a row that were worth nothing.
    pub failures: i32,
    /// How often it is read; null is every six hours.
    pub read_every_seconds: Option<i32>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_read_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_read_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_complete_at: Option<Timestamp>,
}

/// What one read was worth.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Read {
    pub id: i64,
    #[schema(value_type = uuid::Uuid)]
    pub task_id: TaskId,
    #[schema(value_type = String, format = DateTime)]
    pub started_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub ended_at: Timestamp,
    pub reported_total: Option<i64>,
    pub unique_seen: i64,
    pub pages_ok: i32,
    pub pages_failed: i32,
    pub cap_suspected: bool,
    pub scope: String,
    pub complete: bool,
    pub reasons: Vec<String>,
    /// Why the first page could not be read.
    pub error: Option<String>,
    /// Listings that were not in it and were closed for that.
    pub closed: i32,
    /// Listings that were not in it and wait for a check.
    pub nominated: i32,
    /// Why it closed none: `nothing_found`, `fewer_than_usual` or `half_would_go`.
    pub held: Option<String>,
}

impl Source {
    /// Its name as the `source` of listings and as the key of its tasks.
    pub fn name(&self) -> String {
        format!("{}:{}", self.system, self.token)
    }

    pub fn health(&self) -> anyhow::Result<Health> {
        Ok(Health {
            status: self.status.parse()?,
            failures: self.failures,
            reason: self.status_reason.clone(),
        })
    }

    pub fn pace(&self) -> Option<SignedDuration> {
        self.read_every_seconds.map(|seconds| SignedDuration::from_secs(i64::from(seconds)))
    }
}

/// Adds a board. `None`: it is there already.
pub async fn add(
    db: &impl Db,
    board: &Board,
    url: &str,
    company: Option<&str>,
    now: Timestamp,
) -> anyhow::Result<Option<Uuid>> {
    let id = Uuid::now_v7();
    let added =
        row(db, ADD, &args![id, board.system().word(), board.token(), url, company, micros(now)]).await?;
    Ok(added.map(|row| row.get(0)))
}

pub async fn find(db: &impl Db, id: Uuid) -> anyhow::Result<Option<Source>> {
    Ok(row(db, FIND, &args![id]).await?.as_ref().map(source))
}

pub async fn of_board(db: &impl Db, board: &Board) -> anyhow::Result<Option<Source>> {
    Ok(row(db, FIND_BOARD, &args![board.system().word(), board.token()]).await?.as_ref().map(source))
}

/// The newest first, those after the given place in that order.
pub async fn list(db: &impl Db, after: Option<(Timestamp, Uuid)>, limit: i64) -> anyhow::Result<Vec<Source>> {
    let (at, id) = after.unwrap_or((super::listings::last_moment(), Uuid::max()));
    Ok(rows(db, LIST, &args![micros(at), id, limit]).await?.iter().map(source).collect())
}

/// The latest reads of a source.
pub async fn reads(db: &impl Db, id: Uuid, limit: i64) -> anyhow::Result<Vec<Read>> {
    Ok(rows(db, READS, &args![id, limit]).await?.iter().map(read).collect())
}

/// The read of a board that has not ended.
pub async fn under_way(db: &impl Db, board: &Board) -> anyhow::Result<Option<TaskId>> {
    Ok(row(db, UNDER_WAY, &args![board.to_string()]).await?.map(|row| row.get(0)))
}

/// The source of a board, locked until the transaction ends: its reads are judged one after the other.
pub async fn hold(db: &impl Db, board: &Board) -> anyhow::Result<Option<Source>> {
    Ok(row(db, HOLD, &args![board.system().word(), board.token()]).await?.as_ref().map(source))
}

/// Sources whose time has come and that are not being read.
pub async fn due(db: &impl Db, now: Timestamp, limit: i64) -> anyhow::Result<Vec<Source>> {
    Ok(rows(db, DUE, &args![micros(now), limit]).await?.iter().map(source).collect())
}

/// The next read is not before then.
pub async fn put_off(db: &impl Db, id: Uuid, until: Timestamp) -> anyhow::Result<()> {
    run(db, PUT_OFF, &args![id, micros(until)]).await.map(drop)
}

/// Reads a source at the next sweep, unless it was read since `unless_since`.
pub async fn ask_soon(
    db: &impl Db,
    name: &str,
    now: Timestamp,
    unless_since: Timestamp,
) -> anyhow::Result<()> {
    run(db, ASK_SOON, &args![name, micros(now), micros(unless_since)]).await.map(drop)
}

/// What an operator says of a source. A change of status takes effect at once.
pub async fn set(
    db: &impl Db,
    id: Uuid,
    status: SourceStatus,
    reason: Option<&str>,
    read_every_seconds: Option<i32>,
    now: Timestamp,
) -> anyhow::Result<()> {
    run(db, SET, &args![id, status.word(), reason, micros(now), read_every_seconds]).await.map(drop)
}

/// How many jobs the latest complete reads named, the newest first.
pub async fn complete_counts(db: &impl Db, id: Uuid, limit: i64) -> anyhow::Result<Vec<u64>> {
    let counts = rows(db, COMPLETE_COUNTS, &args![id, limit]).await?;
    Ok(counts.iter().map(|row| u64::try_from(row.get::<_, i64>(0)).unwrap_or(0)).collect())
}

/// Writes down what a read was worth; once for its task. `None`: it is written already.
pub async fn add_read(
    db: &impl Db,
    source: Uuid,
    task_id: TaskId,
    started_at: Timestamp,
    certificate: &Certificate,
    error: Option<&str>,
    now: Timestamp,
) -> anyhow::Result<Option<i64>> {
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let pages = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    let reasons: Vec<&str> = certificate.reasons.iter().map(|reason| reason.word()).collect();
    let added = row(
        db,
        ADD_READ,
        &args![
            source,
            task_id,
            micros(started_at),
            micros(now),
            certificate.reported_total.map(count),
            count(certificate.unique_seen),
            pages(certificate.pages_ok),
            pages(certificate.pages_failed),
            certificate.cap_suspected,
            certificate.scope,
            certificate.complete,
            reasons,
            error,
        ],
    )
    .await?;
    Ok(added.map(|row| row.get(0)))
}

/// What a read did to the listings that it did not name.
pub async fn note_absence(
    db: &impl Db,
    read: i64,
    closed: usize,
    nominated: usize,
    held: Option<&str>,
) -> anyhow::Result<()> {
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    run(db, NOTE_ABSENCE, &args![read, count(closed), count(nominated), held]).await.map(drop)
}

/// How the source is after a read, and when it is read again.
pub async fn note_read(
    db: &impl Db,
    id: Uuid,
    complete: bool,
    health: &Health,
    next_read_at: Option<Timestamp>,
    now: Timestamp,
) -> anyhow::Result<()> {
    run(
        db,
        NOTE_READ,
        &args![
            id,
            micros(now),
            complete,
            health.status.word(),
            health.failures,
            health.reason,
            next_read_at.map(micros)
        ],
    )
    .await
    .map(drop)
}

/// Active listings of a source that were there before then.
pub async fn active_before(db: &impl Db, name: &str, then: Timestamp) -> anyhow::Result<u64> {
    let count: i64 = row(db, ACTIVE, &args![name, micros(then)]).await?.map_or(0, |row| row.get(0));
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Active listings of a source that nobody has seen since then, locked until the transaction ends; and whether a
/// check of each is due already.
pub async fn absent_since(
    db: &impl Db,
    name: &str,
    then: Timestamp,
) -> anyhow::Result<Vec<(ListingId, bool)>> {
    let found = rows(db, ABSENT, &args![name, micros(then)]).await?;
    Ok(found.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// How many sources there are of each status.
pub async fn by_status(db: &impl Db) -> anyhow::Result<Vec<(String, i64)>> {
    Ok(rows(db, BY_STATUS, &args![]).await?.iter().map(|row| (row.get(0), row.get(1))).collect())
}

fn source(row: &Row) -> Source {
    Source {
        id: row.get("id"),
        system: row.get("system"),
        token: row.get("token"),
        url: row.get("url"),
        company: row.get("company"),
        status: row.get("status"),
        status_reason: row.get("status_reason"),
        status_since: row.get("status_since"),
        failures: row.get("failures"),
        read_every_seconds: row.get("read_every_seconds"),
        next_read_at: row.get("next_read_at"),
        created_at: row.get("created_at"),
        last_read_at: row.get("last_read_at"),
        last_complete_at: row.get("last_complete_at"),
    }
}

fn read(row: &Row) -> Read {
    Read {
        id: row.get("id"),
        task_id: row.get("task_id"),
        started_at: row.get("started_at"),
        ended_at: row.get("ended_at"),
        reported_total: row.get("reported_total"),
        unique_seen: row.get("unique_seen"),
        pages_ok: row.get("pages_ok"),
        pages_failed: row.get("pages_failed"),
        cap_suspected: row.get("cap_suspected"),
        scope: row.get("scope"),
        complete: row.get("complete"),
        reasons: row.get("reasons"),
        error: row.get("error"),
        closed: row.get("closed"),
        nominated: row.get("nominated"),
        held: row.get("held"),
    }
}
