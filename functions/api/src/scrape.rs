//! The scrape service: hand in a URL, ask what became of it.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value, json};
use shared::domain::ids::{RequestId, TaskId};
use shared::domain::lineage::Lineage;
use shared::domain::posting::Posting;
use shared::domain::site::site_key;
use shared::domain::task::{TaskKind, TaskStatus};
use shared::domain::url::normalise;
use shared::release;
use shared::store::tasks::{self, NewTask, Task};
use url::Url;

use crate::Api;
use crate::envelope::{Envelope, wrapped};
use crate::error::{ApiError, FieldError};

const MAX_URL: usize = 2_048;
const MAX_WORKSPACE: usize = 128;
const TARGET_TYPES: [&str; 1] = ["job_posting"];
const KNOWN: [&str; 4] = ["target_type", "target_url", "workspace_id", "requested_fields"];

/// A page to read.
#[derive(Debug, Clone, PartialEq, utoipa::ToSchema)]
pub struct ScrapeRequest {
    /// `job_posting`.
    pub target_type: String,
    /// http or https, at most 2048 characters.
    pub target_url: String,
    pub workspace_id: String,
    /// Only these fields of the result; all of them when left out.
    pub requested_fields: Option<Vec<String>>,
}

/// A task that was taken.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Accepted {
    #[schema(value_type = uuid::Uuid)]
    pub task_id: TaskId,
    /// `queued`.
    pub status: &'static str,
}

/// A task as the scrape service shows it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TaskView {
    #[schema(value_type = uuid::Uuid)]
    pub task_id: TaskId,
    /// `queued`, `running`, `completed` or `failed`.
    pub status: &'static str,
    pub target_type: String,
    pub target_url: String,
    pub workspace_id: Option<String>,
    /// Only when completed.
    pub result: Option<Value>,
    pub error: Option<String>,
    #[schema(value_type = Option<uuid::Uuid>)]
    pub listing_id: Option<shared::domain::ids::ListingId>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: jiff::Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<jiff::Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub completed_at: Option<jiff::Timestamp>,
}

/// Hand in one URL.
#[utoipa::path(post, path = "/api/v1/scrape", tag = "scrape", request_body = ScrapeRequest,
    security(("service" = [])),
    responses(
        (status = 202, description = "Taken", body = Envelope<Accepted>),
        (status = 401, description = "Invalid or missing service key"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong; `meta.errors` says which"),
        (status = 429, description = "Too many requests; `Retry-After` says when"),
        (status = 503, description = "Task queue is full; `Retry-After` says when")))]
pub async fn submit(
    State(api): State<Api>,
    Extension(request_id): Extension<RequestId>,
    body: Bytes,
) -> Result<Response, ApiError> {
    let (request, url, url_key) = validate(&body).map_err(ApiError::Invalid)?;
    let now = api.clock.now();
    let conn = api.db.conn().await?;
    if tasks::pending_pages(&*conn).await? >= api.max_pending {
        return Err(ApiError::QueueFull { retry_after: 10 });
    }
    let site = site_key(&url)
        .map_err(|why| ApiError::Invalid(vec![FieldError::new("target_url", why.to_string())]))?;
    let task = NewTask {
        id: TaskId::fresh(),
        batch_id: None,
        kind: TaskKind::Page,
        url: request.target_url,
        url_key,
        site: site.clone(),
        target_type: request.target_type,
        workspace_id: Some(request.workspace_id),
        requested_fields: request.requested_fields,
        priority: 0,
        batch_size: 0,
        lineage: Lineage::root(),
        request_id: Some(request_id),
    };
    tasks::insert(&*conn, &task, now).await?;
    drop(conn);
    tracing::info!(task.id = %task.id, domain = site.as_str(), "a task was made");
    // The row is the truth: if this fails the sweep releases it, and the caller has its id either way.
    if let Err(error) = release::site(&api.db, &api.crawl, &site, now).await {
        tracing::warn!(task.id = %task.id, error = format!("{error:#}"), "releasing failed; the sweep will");
    }
    Ok(wrapped(StatusCode::ACCEPTED, Accepted { task_id: task.id, status: "queued" }, None))
}

/// Ask what became of a task.
#[utoipa::path(get, path = "/api/v1/scrape/{task_id}", tag = "scrape", security(("service" = [])),
    params(("task_id" = uuid::Uuid, Path, description = "From the answer to the request")),
    responses(
        (status = 200, description = "The task as it is now", body = Envelope<TaskView>),
        (status = 401, description = "Invalid or missing service key"),
        (status = 404, description = "Task not found")))]
pub async fn status(State(api): State<Api>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let id: TaskId = id.parse().map_err(|_| ApiError::NotFound("Task"))?;
    let conn = api.db.conn().await?;
    let task = tasks::find(&*conn, id).await?.filter(|task| task.kind == TaskKind::Page);
    let task = task.ok_or(ApiError::NotFound("Task"))?;
    let meta = meta(&task);
    Ok(wrapped(StatusCode::OK, view(task), meta))
}

fn view(task: Task) -> TaskView {
    let status = match task.status {
        TaskStatus::Pending => "queued",
        TaskStatus::Processing => "running",
        TaskStatus::Success | TaskStatus::Filtered | TaskStatus::Skipped => "completed",
        TaskStatus::Failed | TaskStatus::Cancelled => "failed",
    };
    let error = match task.status {
        TaskStatus::Failed => task.error,
        TaskStatus::Cancelled => Some("cancelled".to_owned()),
        _ => None,
    };
    TaskView {
        task_id: task.id,
        status,
        target_type: task.target_type,
        target_url: task.url,
        workspace_id: task.workspace_id,
        result: task
            .result
            .filter(|_| status == "completed")
            .map(|all| chosen(all, task.requested_fields.as_deref())),
        error,
        listing_id: task.listing_id,
        created_at: task.created_at,
        started_at: task.started_at,
        completed_at: task.ended_at,
    }
}

fn meta(task: &Task) -> Option<Value> {
    let mut meta = task.meta.clone().unwrap_or_else(|| json!({}));
    if task.status == TaskStatus::Failed {
        meta["code"] = json!(task.error_code);
        if task.quarantined {
            meta["quarantined"] = json!(true);
        }
    }
    meta.as_object().is_some_and(|meta| !meta.is_empty()).then_some(meta)
}

/// Only the fields that were asked for.
fn chosen(result: Value, fields: Option<&[String]>) -> Value {
    match (result, fields) {
        (Value::Object(all), Some(fields)) => Value::Object(
            fields.iter().map(|field| (field.clone(), all.get(field).cloned().unwrap_or_default())).collect(),
        ),
        (result, _) => result,
    }
}

/// The request, or everything that is wrong with it.
fn validate(body: &[u8]) -> Result<(ScrapeRequest, Url, String), Vec<FieldError>> {
    let one = |field: &str, message: String| vec![FieldError::new(field, message)];
    let value: Value =
        serde_json::from_slice(body).map_err(|error| one("body", format!("not JSON: {error}")))?;
    let Value::Object(fields) = value else {
        return Err(one("body", "must be a JSON object".to_owned()));
    };
    let mut errors = Vec::new();
    let unknown = fields.keys().filter(|name| !KNOWN.contains(&name.as_str()));
    errors.extend(unknown.map(|name| FieldError::new(name, "unknown field")));
    let target_type = text(&fields, "target_type", 64, &mut errors);
    if let Some(word) = target_type.as_deref().filter(|word| !TARGET_TYPES.contains(word)) {
        let known = TARGET_TYPES.join(", ");
        errors.push(FieldError::new(
            "target_type",
            format!("{word:?} is not a known target type; known: {known}"),
        ));
    }
    let workspace_id = text(&fields, "workspace_id", MAX_WORKSPACE, &mut errors);
    let requested_fields = requested(&fields, &mut errors);
    let target_url = text(&fields, "target_url", MAX_URL, &mut errors);
    let parsed = target_url.as_deref().and_then(|url| address(url, &mut errors));
    match (target_type, workspace_id, target_url, parsed) {
        (Some(target_type), Some(workspace_id), Some(target_url), Some((url, url_key)))
            if errors.is_empty() =>
        {
            Ok((ScrapeRequest { target_type, target_url, workspace_id, requested_fields }, url, url_key))
        }
        _ => Err(errors),
    }
}

fn text(
    fields: &Map<String, Value>,
    name: &str,
    longest: usize,
    errors: &mut Vec<FieldError>,
) -> Option<String> {
    let problem = match fields.get(name) {
        None | Some(Value::Null) => "is required".to_owned(),
        Some(Value::String(text)) if text.trim().is_empty() => "must not be empty".to_owned(),
        Some(Value::String(text)) if text.contains('\0') => "must not hold a NUL character".to_owned(),
        Some(Value::String(text)) if text.len() > longest => {
            format!("must have at most {longest} characters")
        }
        Some(Value::String(text)) => return Some(text.clone()),
        Some(_) => "must be a string".to_owned(),
    };
    errors.push(FieldError::new(name, problem));
    None
}

fn requested(fields: &Map<String, Value>, errors: &mut Vec<FieldError>) -> Option<Vec<String>> {
    let name = "requested_fields";
    let items = match fields.get(name) {
        None | Some(Value::Null) => return None,
        Some(Value::Array(items)) if !items.is_empty() && items.len() <= 50 => items,
        Some(Value::Array(_)) => {
            errors.push(FieldError::new(name, "must name 1 to 50 fields"));
            return None;
        }
        Some(_) => {
            errors.push(FieldError::new(name, "must be a list of strings"));
            return None;
        }
    };
    let mut wanted = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match item.as_str() {
            Some(field) if Posting::FIELDS.contains(&field) => wanted.push(field.to_owned()),
            Some(field) => {
                let known = Posting::FIELDS.join(", ");
                errors.push(FieldError::new(
                    &format!("{name}[{at}]"),
                    format!("unknown field {field:?}; known: {known}"),
                ));
            }
            None => errors.push(FieldError::new(&format!("{name}[{at}]"), "must be a string")),
        }
    }
    Some(wanted)
}

fn address(text: &str, errors: &mut Vec<FieldError>) -> Option<(Url, String)> {
    let mut bad = |message: String| {
        errors.push(FieldError::new("target_url", message));
        None
    };
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return bad(format!("not a URL: {error}")),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return bad(format!("must be http or https, not {:?}", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return bad("must not hold a user name or password".to_owned());
    }
    if let Err(why) = site_key(&url) {
        return bad(why.to_string());
    }
    match normalise(text) {
        Ok(key) => Some((url, key.to_string())),
        Err(why) => bad(why.to_string()),
    }
}
