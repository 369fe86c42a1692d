//! The scrape service: hand in a URL, ask what became of it.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use shared::domain::ids::{RequestId, TaskId};
use shared::domain::task::TaskKind;
use shared::door::Who;
use shared::scrape::intake::{Origin, Taken};
use shared::scrape::key;
use shared::scrape::request::{self, ScrapeRequest};
use shared::scrape::view::{self, TaskView};
use shared::store::tasks::{self, Task};

use crate::Api;
use crate::envelope::{Envelope, wrapped};
use crate::error::ApiError;

/// A task that was taken.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Accepted {
    #[schema(value_type = uuid::Uuid)]
    pub task_id: TaskId,
    /// `queued`.
    pub status: &'static str,
}

/// Hand in one URL. With `max_age`, a page that was fetched lately for the same workspace is answered at once.
#[utoipa::path(post, path = "/api/v1/scrape", tag = "scrape", request_body = ScrapeRequest,
    security(("service" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, nothing is done twice")),
    responses(
        (status = 202, description = "Taken", body = Envelope<Accepted>),
        (status = 200, description = "Answered from storage; `meta.fetched_at` says when it was fetched", body = Envelope<TaskView>),
        (status = 401, description = "Invalid or missing service key"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong, `meta.errors` says which; or the key was used for another request"),
        (status = 429, description = "Too many requests; `Retry-After` says when"),
        (status = 503, description = "Task queue is full; `Retry-After` says when")))]
pub async fn submit(
    State(api): State<Api>,
    Extension(request_id): Extension<RequestId>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let target = request::scrape(&body, &api.callbacks).map_err(ApiError::Invalid)?;
    let key = key::of(&headers, &who.0, Some(&target.workspace_id), "/api/v1/scrape", &body)?;
    let taken = api.intake().one(target, &Origin { request_id, key }).await?;
    let task_id = *taken.task_ids.first().ok_or_else(|| anyhow::anyhow!("a request makes a task"))?;
    let answer = if taken.answered > 0 {
        let task = find(&api, task_id).await?;
        let meta = view::meta(&task);
        wrapped(StatusCode::OK, view::task(task), meta)
    } else {
        wrapped(StatusCode::ACCEPTED, Accepted { task_id, status: "queued" }, None)
    };
    Ok(said_again(&taken, answer))
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
    let task = find(&api, id).await?;
    let meta = view::meta(&task);
    Ok(wrapped(StatusCode::OK, view::task(task), meta))
}

async fn find(api: &Api, id: TaskId) -> Result<Task, ApiError> {
    let conn = api.db.conn().await?;
    let task = tasks::find(&*conn, id).await?.filter(|task| task.kind == TaskKind::Page);
    task.ok_or(ApiError::NotFound("Task"))
}

/// Marks an answer that was given before.
pub fn said_again(taken: &Taken, answer: Response) -> Response {
    if taken.replayed { ([("idempotent-replayed", "true")], answer).into_response() } else { answer }
}
