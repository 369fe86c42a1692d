//! Requests to the scrape service as they become rows: one statement for one page or a hundred.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::args::{Db, args, micros, rows, run, statements};
use crate::domain::ids::{BatchId, ListingId};
use crate::domain::render;
use crate::domain::task::{BatchKind, Stage, TaskStatus};
use crate::store::tasks::NewTask;

statements! {
    // Whoever adds a single task while there is plenty of room only keeps out those who must count exactly.
    LOCK_SHARED = "select pg_advisory_xact_lock_shared(hashtextextended('pages', 19))";
    LOCK_ALONE = "select pg_advisory_xact_lock(hashtextextended('pages', 19))";
    INSERT_JOB = "insert into batches (id, kind, size, workspace_id, callback_url, created_at)
        values ($1, $2::text::batch_kind, $3, $4::text, $5::text, $6)";
    INSERT_PAGES = include_str!("sql/insert_pages.sql");
    FIND_ANSWERS = include_str!("sql/find_answers.sql");
}

/// A page that a caller handed in.
#[derive(Debug, Clone)]
pub struct Page {
    pub task: NewTask,
    pub callback_url: Option<String>,
    /// It need not be fetched: this is the answer.
    pub answer: Option<Answer>,
    /// How it is to be made readable.
    pub wish: render::Wish,
}

/// What was read from a page before.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub listing_id: Option<ListingId>,
    pub result: Value,
    pub meta: Option<Value>,
    pub fetched_at: Timestamp,
}

/// Tasks that were handed in together.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub id: BatchId,
    pub size: i32,
    pub workspace_id: Option<String>,
    pub callback_url: Option<String>,
}

/// A page that is wanted no older than this.
#[derive(Debug, Clone)]
pub struct Wish<'a> {
    pub place: i32,
    pub workspace_id: &'a str,
    pub url_key: &'a str,
    pub target_type: &'a str,
    pub since: Timestamp,
    /// How it is to be shown, as a row has it: an empty object when nothing was said.
    pub shown: Value,
}

/// How exactly the waiting tasks must be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Beside others, with room to spare for all of them.
    Roughly,
    /// Nobody else adds any meanwhile.
    Exactly,
}

/// Holds the count still until the transaction ends.
pub async fn lock(db: &impl Db, counting: Counting) -> anyhow::Result<()> {
    let lock = match counting {
        Counting::Roughly => LOCK_SHARED,
        Counting::Exactly => LOCK_ALONE,
    };
    run(db, lock, &args![]).await.map(drop)
}

pub async fn insert_job(db: &impl Db, job: &NewJob, now: Timestamp) -> anyhow::Result<()> {
    let kind = BatchKind::ScrapeJob.word();
    run(db, INSERT_JOB, &args![job.id, kind, job.size, job.workspace_id, job.callback_url, micros(now)])
        .await
        .map(drop)
}

/// Adds the pages if no more than `most` tasks wait then. Returns whether it did.
pub async fn insert_pages(db: &impl Db, pages: &[Page], most: i64, now: Timestamp) -> anyhow::Result<bool> {
    let waiting = i64::try_from(pages.iter().filter(|page| page.answer.is_none()).count())?;
    let now = micros(now);
    let mut sorted: Vec<&Page> = pages.iter().collect();
    sorted.sort_by_key(|page| page.task.id);
    let records: Value = sorted.into_iter().map(|page| record(page, now)).collect();
    Ok(run(db, INSERT_PAGES, &args![records, waiting, most, now]).await? > 0)
}

fn record(page: &Page, now: Timestamp) -> Value {
    let task = &page.task;
    let (status, stage) = match page.answer {
        Some(_) => (TaskStatus::Success, Stage::Save),
        None => (TaskStatus::Pending, Stage::Fetch),
    };
    let mut record = json!({
        "id": task.id,
        "batch_id": task.batch_id,
        "status": status.word(),
        "stage": stage.word(),
        "url": task.url,
        "url_key": task.url_key,
        "site": task.site.as_str(),
        "target_type": task.target_type,
        "workspace_id": task.workspace_id,
        "requested_fields": task.requested_fields,
        "callback_url": page.callback_url,
        "batch_size": task.batch_size,
        "tracking_id": task.lineage.tracking_id,
        "request_id": task.request_id,
        "pipeline_state": page.wish.state(),
    });
    if let Some(answer) = &page.answer {
        record["pipeline_state"]["fetched_at"] = json!(answer.fetched_at);
        record["listing_id"] = json!(answer.listing_id);
        record["result"] = answer.result.clone();
        record["meta"] = json!(answer.meta);
        record["ended_at"] = json!(now);
    }
    record
}

/// What storage holds for these wishes, by their place.
pub async fn answers(db: &impl Db, wishes: &[Wish<'_>]) -> anyhow::Result<Vec<(i32, Answer)>> {
    if wishes.is_empty() {
        return Ok(Vec::new());
    }
    let places: Vec<i32> = wishes.iter().map(|wish| wish.place).collect();
    let workspaces: Vec<&str> = wishes.iter().map(|wish| wish.workspace_id).collect();
    let keys: Vec<&str> = wishes.iter().map(|wish| wish.url_key).collect();
    let types: Vec<&str> = wishes.iter().map(|wish| wish.target_type).collect();
    let since: Vec<Timestamp> = wishes.iter().map(|wish| micros(wish.since)).collect();
    let shown: Vec<&Value> = wishes.iter().map(|wish| &wish.shown).collect();
    let found = rows(db, FIND_ANSWERS, &args![places, workspaces, keys, types, since, shown]).await?;
    let answer = |row: &tokio_postgres::Row| Answer {
        listing_id: row.get("listing_id"),
        result: row.get("result"),
        meta: row.get("meta"),
        fetched_at: row.get("fetched_at"),
    };
    Ok(found.iter().map(|row| (row.get("place"), answer(row))).collect())
}
