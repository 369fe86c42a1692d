//! Webhook deliveries: owed when a job ends, claimed by a notifier, settled by what came of it. A job's end
//! becomes a row at most once for each address; every change after that is compare-and-set on the fence.

use anyhow::Context;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::ids::{BatchId, DeliveryId, TaskId};
use crate::domain::job::ShownStatus;
use crate::domain::task::TaskStatus;
use crate::domain::webhook::{DeliveryStatus, Summary, TaskResult};

statements! {
    CALL_BACK = "update tasks set callback_url = $2 where id = $1";
    OWE_TASKS = include_str!("sql/owe_task_webhook.sql");
    OWE_BATCH = include_str!("sql/owe_batch_webhooks.sql");
    UNNOTICED_TASKS = "select id from tasks
        where callback_url is not null and batch_id is null and noticed_at is null and ended_at is not null
        order by ended_at limit 500";
    UNNOTICED_BATCHES = "select b.id from batches b
        where b.kind = 'scrape_job' and b.noticed_at is null
          and not exists (select 1 from tasks t where t.batch_id = b.id and t.status in ('pending', 'processing'))
        order by b.created_at limit 500";
    LOST = include_str!("sql/lost_webhooks.sql");
    CLAIM = "update webhook_deliveries d set fence = fence + 1, lease_until = $3, updated_at = $2
        where id = $1 and status = 'pending' and next_at <= $2 and (lease_until is null or lease_until <= $2)
        returning id, job_id, of_batch, url, body, attempts, fence,
            exists (select 1 from webhook_endpoints_off o where o.url = d.url) as is_off";
    WAITS = "select greatest(next_at, lease_until) from webhook_deliveries where id = $1 and status = 'pending'";
    KEEP_BODY = "update webhook_deliveries set body = coalesce(body, $2) where id = $1 returning body";
    SETTLE = "update webhook_deliveries
        set status = $3::text::webhook_status, attempts = attempts + $4, next_at = $5, sent_at = $6, last_status = $7,
            last_error = $8, lease_until = null, updated_at = $6
        where id = $1 and fence = $2 and status = 'pending'
        returning id, url, attempts, sent_at";
    SWITCH_OFF = "insert into webhook_endpoints_off (url, since) values ($1, $2) on conflict (url) do nothing";
    SWITCH_ON = "delete from webhook_endpoints_off where url = $1";
    LIST = "select id, no, job_id, url, status::text, attempts, next_at, last_status, last_error, created_at, updated_at
        from webhook_deliveries
        where no < $1 and ($2::text is null or status = $2::text::webhook_status)
        order by no desc limit $3";
    REPLAY = "update webhook_deliveries
        set status = 'pending', attempts = 0, next_at = $2, sent_at = $2, lease_until = null, fence = fence + 1,
            updated_at = $2
        where id = $1
        returning id, url, attempts, sent_at";
    BATCH_CANCELLED = "select cancelled_at is not null from batches where id = $1";
    COUNT_BATCH = "select status::text, count(*), false from tasks where batch_id = $1 group by status";
    COUNT_TASK = "select status::text, 1::int8, cancelled_at is not null from tasks where id = $1";
    RESULTS_BATCH = "select id, status::text, target_type, url, requested_fields, result, error_code, error
        from tasks where batch_id = $1 order by created_at, id";
    RESULTS_TASK = "select id, status::text, target_type, url, requested_fields, result, error_code, error
        from tasks where id = $1";
}

/// A delivery that wants a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub id: DeliveryId,
    pub url: String,
    pub attempts: i32,
    pub sent_at: Timestamp,
}

/// A claimed delivery: the fence proves that nobody else has taken it since.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub id: DeliveryId,
    pub job_id: Uuid,
    pub of_batch: bool,
    pub url: String,
    /// Kept since the first attempt.
    pub body: Option<String>,
    /// Those before this one.
    pub attempts: i32,
    pub fence: i32,
    /// The address answered 410 once.
    pub is_off: bool,
}

/// What a message's delivery wants.
#[derive(Debug, Clone)]
pub enum Claim {
    Taken(Box<Claimed>),
    /// It is not due before then, or somebody has it until then.
    Later(Timestamp),
    /// It is delivered or given up.
    Nothing,
}

/// What came of a claimed delivery.
#[derive(Debug, Clone)]
pub struct Settled {
    pub status: DeliveryStatus,
    /// Whether anything was sent, or tried to be.
    pub attempted: bool,
    pub next_at: Timestamp,
    pub last_status: Option<u16>,
    pub last_error: Option<String>,
}

/// What is told of a job.
#[derive(Debug, Clone)]
pub struct Job {
    pub cancelled: bool,
    pub summary: Summary,
    pub results: Vec<TaskResult>,
}

/// A delivery as an admin sees it.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct WebhookDelivery {
    /// The receiver knows it as `webhook-id`.
    #[schema(value_type = Uuid)]
    pub id: DeliveryId,
    /// The place in the list; older is smaller.
    pub no: i64,
    pub job_id: Uuid,
    pub url: String,
    /// `pending`, `delivered`, `failed` or `stopped`.
    pub status: String,
    pub attempts: i32,
    /// When a pending one is tried next.
    #[schema(value_type = String, format = DateTime)]
    pub next_at: Timestamp,
    /// The receiver's last answer.
    pub last_status: Option<i32>,
    pub last_error: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// Says who is told of a task, instead of whoever is told of its batch.
pub async fn call_back(db: &impl Db, task: TaskId, url: &str) -> anyhow::Result<()> {
    run(db, CALL_BACK, &args![task, url]).await.map(drop)
}

/// Turns the end of tasks that stand alone into deliveries, those that have an address and have ended.
pub async fn owe_tasks(db: &impl Db, tasks: &[TaskId], now: Timestamp) -> anyhow::Result<Vec<Due>> {
    Ok(rows(db, OWE_TASKS, &args![tasks.to_vec(), micros(now)]).await?.iter().map(due).collect())
}

/// Turns the end of a batch into deliveries, if it has ended.
pub async fn owe_batch(db: &impl Db, batch: BatchId, now: Timestamp) -> anyhow::Result<Vec<Due>> {
    Ok(rows(db, OWE_BATCH, &args![batch, micros(now)]).await?.iter().map(due).collect())
}

/// Ended tasks whose end nobody turned into a delivery.
pub async fn unnoticed_tasks(db: &impl Db) -> anyhow::Result<Vec<TaskId>> {
    Ok(rows(db, UNNOTICED_TASKS, &args![]).await?.iter().map(|row| row.get(0)).collect())
}

/// Ended batches whose end nobody turned into deliveries.
pub async fn unnoticed_batches(db: &impl Db) -> anyhow::Result<Vec<BatchId>> {
    Ok(rows(db, UNNOTICED_BATCHES, &args![]).await?.iter().map(|row| row.get(0)).collect())
}

/// Deliveries due before `silent_since` of which nothing was heard since then.
pub async fn lost(db: &impl Db, silent_since: Timestamp, now: Timestamp) -> anyhow::Result<Vec<Due>> {
    Ok(rows(db, LOST, &args![micros(silent_since), micros(now)]).await?.iter().map(due).collect())
}

/// Takes a delivery until `lease_until`, so that no two notifiers send it at once.
pub async fn claim(
    db: &impl Db,
    id: DeliveryId,
    now: Timestamp,
    lease_until: Timestamp,
) -> anyhow::Result<Claim> {
    if let Some(row) = row(db, CLAIM, &args![id, micros(now), micros(lease_until)]).await? {
        return Ok(Claim::Taken(Box::new(Claimed {
            id: row.get("id"),
            job_id: row.get("job_id"),
            of_batch: row.get("of_batch"),
            url: row.get("url"),
            body: row.get("body"),
            attempts: row.get("attempts"),
            fence: row.get("fence"),
            is_off: row.get("is_off"),
        })));
    }
    let waits = row(db, WAITS, &args![id]).await?;
    Ok(waits.map_or(Claim::Nothing, |row| Claim::Later(row.get(0))))
}

/// Keeps the text that is signed; the first one kept is the one for ever.
pub async fn keep_body(db: &impl Db, id: DeliveryId, body: &str) -> anyhow::Result<String> {
    let kept = row(db, KEEP_BODY, &args![id, body]).await?.context("a claimed delivery is there")?;
    Ok(kept.get(0))
}

/// What came of it. `None`: it is no longer ours to say.
pub async fn settle(
    db: &impl Db,
    delivery: &Claimed,
    settled: &Settled,
    now: Timestamp,
) -> anyhow::Result<Option<Due>> {
    let found = row(
        db,
        SETTLE,
        &args![
            delivery.id,
            delivery.fence,
            settled.status.word(),
            i32::from(settled.attempted),
            micros(settled.next_at),
            micros(now),
            settled.last_status.map(i32::from),
            settled.last_error,
        ],
    )
    .await?;
    Ok(found.as_ref().map(due))
}

/// Nothing goes to this address any more.
pub async fn switch_off(db: &impl Db, url: &str, now: Timestamp) -> anyhow::Result<()> {
    run(db, SWITCH_OFF, &args![url, micros(now)]).await.map(drop)
}

/// The newest first, those before `before`, of one status or of all.
pub async fn list(
    db: &impl Db,
    status: Option<DeliveryStatus>,
    before: Option<i64>,
    limit: i64,
) -> anyhow::Result<Vec<WebhookDelivery>> {
    let word = status.map(DeliveryStatus::word);
    let found = rows(db, LIST, &args![before.unwrap_or(i64::MAX), word, limit]).await?;
    Ok(found.iter().map(delivery).collect())
}

/// Starts a delivery anew, whatever became of it: same id, same bytes, all its attempts. An address that was
/// switched off is on again.
pub async fn replay(db: &impl Db, id: DeliveryId, now: Timestamp) -> anyhow::Result<Option<Due>> {
    let Some(row) = row(db, REPLAY, &args![id, micros(now)]).await? else { return Ok(None) };
    let due = due(&row);
    run(db, SWITCH_ON, &args![due.url]).await?;
    Ok(Some(due))
}

/// The job that a delivery speaks of; the results only while there are few enough.
pub async fn job(db: &impl Db, delivery: &Claimed) -> anyhow::Result<Job> {
    let (count, results) =
        if delivery.of_batch { (COUNT_BATCH, RESULTS_BATCH) } else { (COUNT_TASK, RESULTS_TASK) };
    let (mut summary, mut cancelled) = (Summary::default(), false);
    for row in rows(db, count, &args![delivery.job_id]).await? {
        let status: TaskStatus = row.get::<_, &str>(0).parse()?;
        summary.add(status, u32::try_from(row.get::<_, i64>(1))?);
        // Of a job of one; that of a batch is on the batch.
        cancelled |= row.get::<_, bool>(2) || (!delivery.of_batch && status == TaskStatus::Cancelled);
    }
    if delivery.of_batch {
        cancelled = row(db, BATCH_CANCELLED, &args![delivery.job_id]).await?.is_some_and(|row| row.get(0));
    }
    let mut told = Vec::new();
    if summary.has_results() {
        for row in rows(db, results, &args![delivery.job_id]).await? {
            told.push(result(&row)?);
        }
    }
    Ok(Job { cancelled, summary, results: told })
}

fn due(row: &Row) -> Due {
    Due { id: row.get("id"), url: row.get("url"), attempts: row.get("attempts"), sent_at: row.get("sent_at") }
}

fn delivery(row: &Row) -> WebhookDelivery {
    WebhookDelivery {
        id: row.get("id"),
        no: row.get("no"),
        job_id: row.get("job_id"),
        url: row.get("url"),
        status: row.get("status"),
        attempts: row.get("attempts"),
        next_at: row.get("next_at"),
        last_status: row.get("last_status"),
        last_error: row.get("last_error"),
        created_at: row.get("created_at"),
        updated_at: row.get("updated_at"),
    }
}

fn result(row: &Row) -> anyhow::Result<TaskResult> {
    let status: TaskStatus = row.get::<_, &str>("status").parse()?;
    let fields: Option<Vec<String>> = row.get("requested_fields");
    let result: Option<Value> = row.get("result");
    let shown = ShownStatus::from(status);
    let failed = shown == ShownStatus::Failed;
    let error = match status {
        TaskStatus::Cancelled => Some("cancelled".to_owned()),
        _ => row.get("error"),
    };
    Ok(TaskResult {
        task_id: row.get("id"),
        status: shown,
        target_type: row.get("target_type"),
        target_url: row.get("url"),
        result: result.filter(|_| !failed).map(|result| chosen(result, fields.as_deref())),
        error: error.filter(|_| failed),
        code: row.get::<_, Option<String>>("error_code").filter(|_| failed),
    })
}

/// Only the fields that were asked for, as the status route shows them.
fn chosen(result: Value, fields: Option<&[String]>) -> Value {
    match (result, fields) {
        (Value::Object(all), Some(fields)) => {
            fields.iter().map(|field| (field.clone(), all.get(field).cloned().unwrap_or_default())).collect()
        }
        (result, _) => result,
    }
}
