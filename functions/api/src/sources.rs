//! The boards that are read: added by an operator, read on demand, each read with what it was worth.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::domain::boards::{self, Board, SourceStatus};
use shared::store::sources::{self, Read, Source};
use shared::store::tasks;
use shared::{release, sources as reading};
use uuid::Uuid;

use crate::Api;
use crate::error::{ApiError, FieldError};
use crate::listings::limit;

/// Reads that are shown with a source.
const READS: i64 = 20;

#[derive(Debug, Deserialize)]
pub struct PageQuery {
    limit: Option<String>,
    cursor: Option<String>,
}

/// A board to read: its address, or its name where the address does not give it away.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSource {
    /// Where people see the board.
    pub url: Option<String>,
    /// `system:token`, such as `greenhouse:acme` or `feed:https://acme.example/jobs.rss`.
    pub board: Option<String>,
    pub company: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SourcePage {
    pub sources: Vec<Source>,
    pub next_cursor: Option<String>,
}

/// A source with its latest reads, the newest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SourceWithReads {
    #[serde(flatten)]
    pub source: Source,
    pub reads: Vec<Read>,
}

/// Adds a board.
#[utoipa::path(post, path = "/api/admin/sources", tag = "admin", security(("admin" = [])), request_body = NewSource,
    responses((status = 201, description = "The source", body = Source),
        (status = 200, description = "It was there already", body = Source),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "No board is named, or none that can be read")))]
pub async fn add(State(api): State<Api>, body: Bytes) -> Result<(StatusCode, Json<Source>), ApiError> {
    let wanted: NewSource =
        serde_json::from_slice(&body).map_err(|error| invalid("body", &format!("is no source: {error}")))?;
    let board = board_of(&wanted)?;
    let url = wanted.url.clone().unwrap_or_else(|| board.to_string());
    if url.len() > shared::domain::url::MAX_LENGTH {
        return Err(invalid("url", "is too long"));
    }
    let company = wanted.company.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let conn = api.db.conn().await?;
    let added = sources::add(&*conn, &board, &url, company, api.clock.now()).await?;
    let source = sources::of_board(&*conn, &board).await?.ok_or(ApiError::NotFound("Source"))?;
    if added.is_some() {
        tracing::info!(source = %board, "a source was added");
    }
    Ok((if added.is_some() { StatusCode::CREATED } else { StatusCode::OK }, Json(source)))
}

/// What is said outright counts before what the address says.
fn board_of(wanted: &NewSource) -> Result<Board, ApiError> {
    match (&wanted.board, &wanted.url) {
        (Some(name), _) => {
            name.parse().map_err(|error: boards::BadBoard| invalid("board", &error.to_string()))
        }
        (None, Some(url)) => match boards::of_url(url) {
            None => Err(invalid(
                "url",
                "is no board we know; name it in `board`, or give its feed, sitemap or list_page",
            )),
            Some(sign) => sign.board.ok_or_else(|| {
                let text =
                    format!("is a board of {}, and does not say which; name it in `board`", sign.system);
                invalid("url", &text)
            }),
        },
        (None, None) => Err(invalid("url", "is missing")),
    }
}

/// The boards that are read, the newest first.
#[utoipa::path(get, path = "/api/admin/sources", tag = "admin", security(("admin" = [])),
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before")),
    responses((status = 200, description = "A page of sources", body = SourcePage),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong")))]
pub async fn list(
    State(api): State<Api>,
    given: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Json<SourcePage>, ApiError> {
    let query = crate::body::query(given)?;
    let limit = limit(query.limit.as_deref())?;
    let after = query.cursor.as_deref().map(after).transpose()?;
    let conn = api.db.conn().await?;
    let sources = sources::list(&*conn, after, limit).await?;
    let full = i64::try_from(sources.len()).is_ok_and(|found| found == limit);
    let next_cursor = sources
        .last()
        .filter(|_| full)
        .map(|last| format!("{}_{}", last.created_at.as_microsecond(), last.id));
    Ok(Json(SourcePage { sources, next_cursor }))
}

/// One source, and what its latest reads were worth.
#[utoipa::path(get, path = "/api/admin/sources/{id}", tag = "admin", security(("admin" = [])),
    params(("id" = uuid::Uuid, Path)),
    responses((status = 200, description = "The source with its reads", body = SourceWithReads),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Source not found")))]
pub async fn one(State(api): State<Api>, Path(id): Path<String>) -> Result<Json<SourceWithReads>, ApiError> {
    let conn = api.db.conn().await?;
    let source = found(sources::find(&*conn, source_id(&id)?).await?)?;
    let reads = sources::reads(&*conn, source.id, READS).await?;
    Ok(Json(SourceWithReads { source, reads }))
}

/// Reads a source now. One read at a time: a read under way is answered instead.
#[utoipa::path(post, path = "/api/admin/sources/{id}/scrape", tag = "admin", security(("admin" = [])),
    params(("id" = uuid::Uuid, Path)),
    responses((status = 202, description = "`task_id` of the read; `started` says whether it is a new one"),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Source not found")))]
pub async fn scrape(
    State(api): State<Api>,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let now = api.clock.now();
    let conn = api.db.conn().await?;
    let source = found(sources::find(&*conn, source_id(&id)?).await?)?;
    let board: Board =
        source.name().parse().map_err(|error: boards::BadBoard| ApiError::Internal(error.into()))?;
    let task = reading::task(&board)?;
    // Two callers at once: one makes the task, and both are told of it. One that ends in between is made anew.
    for _ in 0..3 {
        if let Some(task_id) = sources::under_way(&*conn, &board).await? {
            return Ok((StatusCode::ACCEPTED, Json(json!({ "task_id": task_id, "started": false }))));
        }
        if tasks::insert_new(&*conn, &task, &json!({}), now).await? {
            drop(conn);
            // After the row: the sweep covers a crash in between.
            release::site(&api.db, &api.crawl, &task.site, now).await?;
            return Ok((StatusCode::ACCEPTED, Json(json!({ "task_id": task.id, "started": true }))));
        }
    }
    Err(ApiError::Internal(anyhow::anyhow!("reads of {board} begin and end faster than they can be told of")))
}

/// What an operator may say of a source.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceChange {
    /// `active` (a quarantined one too, at once) or `disabled`.
    pub status: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// 60 to 2,592,000; 0 is the house's own pace.
    pub read_every_seconds: Option<i32>,
}

/// Enables or disables a source, or sets how often it is read. Enabled, it is read at the next sweep.
#[utoipa::path(patch, path = "/api/admin/sources/{id}", tag = "admin", security(("admin" = [])),
    params(("id" = uuid::Uuid, Path)), request_body = SourceChange,
    responses((status = 200, description = "The source", body = Source),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Source not found"),
        (status = 422, description = "A value is wrong")))]
pub async fn change(
    State(api): State<Api>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Source>, ApiError> {
    let wanted: SourceChange =
        serde_json::from_slice(&body).map_err(|error| invalid("body", &format!("is no change: {error}")))?;
    let id = source_id(&id)?;
    let conn = api.db.conn().await?;
    let source = found(sources::find(&*conn, id).await?)?;
    let now = source.health()?;
    let (status, reason) = match wanted.status.as_deref() {
        None => (now.status, now.reason),
        Some("active") => (SourceStatus::Active, None),
        Some("disabled") => {
            let reason = wanted.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
            (SourceStatus::Disabled, Some(reason.unwrap_or("disabled by an operator").to_owned()))
        }
        Some(_) => return Err(invalid("status", "must be active or disabled")),
    };
    let every = match wanted.read_every_seconds {
        None => source.read_every_seconds,
        Some(0) => None,
        Some(seconds @ 60..=2_592_000) => Some(seconds),
        Some(_) => return Err(invalid("read_every_seconds", "must be 0, or 60 to 2592000")),
    };
    sources::set(&*conn, id, status, reason.as_deref(), every, api.clock.now()).await?;
    tracing::info!(source = source.name(), status = status.word(), "an operator changed a source");
    Ok(Json(found(sources::find(&*conn, id).await?)?))
}

fn found(source: Option<Source>) -> Result<Source, ApiError> {
    source.ok_or(ApiError::NotFound("Source"))
}

fn source_id(text: &str) -> Result<Uuid, ApiError> {
    text.parse().map_err(|_| ApiError::NotFound("Source"))
}

fn after(cursor: &str) -> Result<(Timestamp, Uuid), ApiError> {
    let read = || {
        let (at, id) = cursor.split_once('_')?;
        Some((Timestamp::from_microsecond(at.parse().ok()?).ok()?, id.parse().ok()?))
    };
    read().ok_or_else(|| invalid("cursor", "must be a cursor of an answer"))
}

fn invalid(field: &str, message: &str) -> ApiError {
    ApiError::Invalid(vec![FieldError::new(field, message)])
}
