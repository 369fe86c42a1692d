//! What an operator may do about messages that were given up.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::house::QueueName;
use shared::messages::CrawlJob;
use shared::queue::Outgoing;
use shared::store::dead_letters::{self, DeadLetter};
use shared::store::{Db, tasks};

use crate::Api;
use crate::error::ApiError;
use crate::listings::{cursor, limit};

#[derive(Debug, Deserialize)]
pub struct PageQuery {
    limit: Option<String>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DeadLetterPage {
    pub dead_letters: Vec<DeadLetter>,
    pub next_cursor: Option<String>,
}

/// Messages that were given up, newest first.
#[utoipa::path(get, path = "/api/admin/dead-letters", tag = "admin", security(("admin" = [])),
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before")),
    responses((status = 200, description = "A page of dead letters", body = DeadLetterPage),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong")))]
pub async fn list(
    State(api): State<Api>,
    given: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Json<DeadLetterPage>, ApiError> {
    let query = crate::body::query(given)?;
    let limit = limit(query.limit.as_deref())?;
    let before = cursor(query.cursor.as_deref())?;
    let conn = api.db.conn().await?;
    let dead_letters = dead_letters::list(&*conn, before, limit).await?;
    let full = i64::try_from(dead_letters.len()).is_ok_and(|found| found == limit);
    let next_cursor = dead_letters.last().filter(|_| full).map(|last| last.id.to_string());
    Ok(Json(DeadLetterPage { dead_letters, next_cursor }))
}

/// Sends a dead letter again: its task, if it is still open, gets a message with its present number.
#[utoipa::path(post, path = "/api/admin/dead-letters/{id}/replay", tag = "admin", security(("admin" = [])),
    params(("id" = i64, Path)),
    responses((status = 200, description = "`sent` says whether there was anything left to do"),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Dead letter not found")))]
pub async fn replay(State(api): State<Api>, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let conn = api.db.conn().await?;
    let letter =
        dead_letters::find(&*conn, letter_id(&id)?).await?.ok_or(ApiError::NotFound("Dead letter"))?;
    let body = present_body(&*conn, &letter).await?;
    drop(conn);
    if let Some(body) = &body {
        let queue = match &letter.queue {
            name if name == QueueName::Extract.word() => &api.extract,
            name if name == QueueName::Notify.word() => &api.notify,
            name if name == QueueName::Match.word() => &api.matches,
            // What was to be rendered goes to the crawler too: it needs a slot of its own.
            _ => &api.crawl,
        };
        let dedup_id = format!("replay:{}:{}", letter.id, uuid::Uuid::new_v4());
        queue.send(&[Outgoing { group: letter.group_id, dedup_id, body: body.clone() }]).await?;
    }
    // Last: a crash before this keeps the letter, and sending it twice changes nothing.
    let conn = api.db.conn().await?;
    dead_letters::take(&*conn, letter.id).await?;
    tracing::info!(dead_letter = letter.id, queue = letter.queue, sent = body.is_some(), "replayed");
    Ok(Json(json!({ "replayed": letter.id, "sent": body.is_some() })))
}

/// What to send: the letter as it was if it names no task of ours; nothing if its task has ended.
async fn present_body(db: &impl Db, letter: &DeadLetter) -> anyhow::Result<Option<String>> {
    let Ok(job) = serde_json::from_str::<CrawlJob>(&letter.body) else {
        return Ok(Some(letter.body.clone()));
    };
    let task = tasks::find(db, job.task_id).await?.filter(|task| !task.status.is_final());
    task.map(|task| Ok(serde_json::to_string(&CrawlJob { release_no: task.release_no, ..job })?)).transpose()
}

/// Drops a dead letter.
#[utoipa::path(delete, path = "/api/admin/dead-letters/{id}", tag = "admin", security(("admin" = [])),
    params(("id" = i64, Path)),
    responses((status = 200, description = "It is gone"),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Dead letter not found")))]
pub async fn discard(State(api): State<Api>, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let conn = api.db.conn().await?;
    let letter =
        dead_letters::take(&*conn, letter_id(&id)?).await?.ok_or(ApiError::NotFound("Dead letter"))?;
    tracing::info!(dead_letter = letter.id, queue = letter.queue, "discarded");
    Ok(Json(json!({ "discarded": letter.id })))
}

fn letter_id(text: &str) -> Result<i64, ApiError> {
    text.parse().map_err(|_| ApiError::NotFound("Dead letter"))
}
