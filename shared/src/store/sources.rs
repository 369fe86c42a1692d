//! Sources and their reads.

use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::boards::{Board, Certificate};
use crate::domain::ids::TaskId;

statements! {
    ADD = "insert into sources (id, system, token, url, company, created_at) values ($1, $2, $3, $4, $5, $6)
        on conflict (system, token) do nothing returning id";
    FIND = "select id, system, token, url, company, status, failures, created_at, last_read_at, last_complete_at
        from sources where id = $1";
    FIND_BOARD = "select id, system, token, url, company, status, failures, created_at, last_read_at, last_complete_at
        from sources where system = $1 and token = $2";
    LIST = "select id, system, token, url, company, status, failures, created_at, last_read_at, last_complete_at
        from sources where (created_at, id) < ($1, $2) order by created_at desc, id desc limit $3";
    READS = "select task_id, started_at, ended_at, reported_total, unique_seen, pages_ok, pages_failed, cap_suspected,
            scope, complete, reasons, error
        from source_reads where source_id = $1 order by id desc limit $2";
    UNDER_WAY = "select id from tasks where kind = 'source_scrape' and url_key = $1
        and status in ('pending', 'processing') limit 1";
    ADD_READ = "insert into source_reads (source_id, task_id, started_at, ended_at, reported_total, unique_seen, pages_ok,
            pages_failed, cap_suspected, scope, complete, reasons, error)
        select id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 from sources where system = $1 and token = $2
        on conflict (task_id) do nothing";
    NOTE_READ = "update sources set last_read_at = $3, failures = case when $4 then failures + 1 else 0 end,
            last_complete_at = case when $5 then $3 else last_complete_at end
        where system = $1 and token = $2";
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
    /// `active`, `quarantined` or `disabled`.
    pub status: String,
    /// Reads in a row that failed.
    pub failures: i32,
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

/// Writes down what a read was worth; once for its task.
pub async fn add_read(
    db: &impl Db,
    board: &Board,
    task_id: TaskId,
    started_at: Timestamp,
    certificate: &Certificate,
    error: Option<&str>,
    now: Timestamp,
) -> anyhow::Result<()> {
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let pages = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    let reasons: Vec<&str> = certificate.reasons.iter().map(|reason| reason.word()).collect();
    let (system, token) = (board.system().word(), board.token());
    run(
        db,
        ADD_READ,
        &args![
            system,
            token,
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
    run(db, NOTE_READ, &args![system, token, micros(now), error.is_some(), certificate.complete])
        .await
        .map(drop)
}

fn source(row: &Row) -> Source {
    Source {
        id: row.get("id"),
        system: row.get("system"),
        token: row.get("token"),
        url: row.get("url"),
        company: row.get("company"),
        status: row.get("status"),
        failures: row.get("failures"),
        created_at: row.get("created_at"),
        last_read_at: row.get("last_read_at"),
        last_complete_at: row.get("last_complete_at"),
    }
}

fn read(row: &Row) -> Read {
    Read {
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
    }
}
