//! Hand in a page and wait for it.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use shared::domain::failure::ServiceFailure;
use shared::domain::ids::{RequestId, TaskId};
use shared::domain::task::TaskStatus;
use shared::door::envelope::{Envelope, wrapped};
use shared::door::{ApiError, Who};
use shared::scrape::intake::Origin;
use shared::scrape::key;
use shared::scrape::request::{self, SyncScrapeRequest};
use shared::scrape::view::{self, TaskView};
use shared::store::tasks::{self, Task};

use crate::Stream;

/// Hand in one URL and wait for what became of it. A site's own answer, also a bad one, is a result.
#[utoipa::path(post, path = "/api/v1/scrape/sync", tag = "scrape", request_body = SyncScrapeRequest,
    security(("service" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the same task is waited for")),
    responses(
        (status = 200, description = "The task has ended", body = Envelope<TaskView>),
        (status = 401, description = "Invalid or missing service key"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong, `meta.errors` says which; or the key was used for another request"),
        (status = 429, description = "Too many requests; `Retry-After` says when"),
        (status = 502, description = "Missing credentials for provider"),
        (status = 503, description = "Task queue is full, the site's circuit is open, no browser or proxy is to be had"),
        (status = 504, description = "Time is out; the task goes on, and `meta.task_id` is its id")))]
pub async fn scrape(
    State(room): State<Stream>,
    Extension(request_id): Extension<RequestId>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let (target, patience) = request::sync(&body, &room.intake.callbacks).map_err(ApiError::Invalid)?;
    let key = key::of(&headers, &who.0, Some(&target.workspace_id), "/api/v1/scrape/sync", &body)?;
    let taken = room.intake.one(target, &Origin { request_id, key }).await?;
    let id = *taken.task_ids.first().ok_or_else(|| anyhow::anyhow!("a request makes a task"))?;
    room.waiter.ended(id, patience).await;
    let task = find(&room, id).await?;
    if !task.status.is_final() {
        return Err(ApiError::Service { failure: ServiceFailure::TaskTimeout, task_id: Some(id) });
    }
    if let Some(failure) = ours(&task) {
        return Err(ApiError::Service { failure, task_id: Some(id) });
    }
    let meta = view::meta(&task);
    let answer = wrapped(StatusCode::OK, view::task(task), meta);
    let again = taken.replayed.then_some([("idempotent-replayed", "true")]);
    Ok(match again {
        Some(header) => (header, answer).into_response(),
        None => answer,
    })
}

async fn find(room: &Stream, id: TaskId) -> Result<Task, ApiError> {
    let conn = room.intake.db.conn().await?;
    tasks::find(&*conn, id).await?.ok_or(ApiError::NotFound("Task"))
}

/// A failure that is the service's, not the site's.
fn ours(task: &Task) -> Option<ServiceFailure> {
    let code = task.error_code.as_deref().filter(|_| task.status == TaskStatus::Failed)?;
    ServiceFailure::of_code(code)
}
