//! Jobs of the scrape service: many URLs at once, or one; how far they are, what came of them, and enough of it.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::domain::ids::{BatchId, RequestId, TaskId};
use shared::door::Who;
use shared::notify;
use shared::scrape::intake::Origin;
use shared::scrape::key;
use shared::scrape::request::{self, BatchScrapeRequest};
use shared::scrape::view::{self, JobView, TaskView};
use shared::store::jobs::{self, Job, JobId};

use crate::Api;
use crate::envelope::{Envelope, wrapped};
use crate::error::{ApiError, FieldError};
use crate::listings::{LARGEST_PAGE, cursor, limit_or};
use crate::scrape::said_again;

/// Lambda carries 6 MB, and a page of results may be escaped once more on the way.
const MOST_BYTES: usize = 3 * 1024 * 1024;

/// A job that was taken.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct JobAccepted {
    pub job_id: uuid::Uuid,
    /// `queued`, unless every page was answered from storage: then `completed`.
    pub status: &'static str,
    pub total_tasks: usize,
    /// One per target, in the order of the targets.
    #[schema(value_type = Vec<uuid::Uuid>)]
    pub task_ids: Vec<TaskId>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct JobResults {
    pub job_id: uuid::Uuid,
    /// The completed tasks, oldest first.
    pub results: Vec<TaskView>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultsQuery {
    limit: Option<String>,
    cursor: Option<String>,
}

/// Hand in up to a hundred URLs: all are taken or none.
#[utoipa::path(post, path = "/api/v1/scrape/batch", tag = "scrape", request_body = BatchScrapeRequest,
    security(("service" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, nothing is done twice")),
    responses(
        (status = 202, description = "Taken", body = Envelope<JobAccepted>),
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
    let batch = request::batch(&body, &api.callbacks).map_err(ApiError::Invalid)?;
    let key = key::of(&headers, &who.0, batch.workspace_id(), "/api/v1/scrape/batch", &body)?;
    let taken = api.intake().many(batch, &Origin { request_id, key }).await?;
    let total_tasks = taken.task_ids.len();
    let status = if taken.answered == total_tasks { "completed" } else { "queued" };
    let meta = (taken.answered > 0).then(|| json!({ "answered_from_max_age": taken.answered }));
    let accepted =
        JobAccepted { job_id: taken.job_id, status, total_tasks, task_ids: taken.task_ids.clone() };
    Ok(said_again(&taken, wrapped(StatusCode::ACCEPTED, accepted, meta)))
}

/// How far a job is. The id of a single task is the id of a job of one.
#[utoipa::path(get, path = "/api/v1/scrape/jobs/{job_id}", tag = "scrape", security(("service" = [])),
    params(("job_id" = uuid::Uuid, Path, description = "From the answer to the request")),
    responses(
        (status = 200, description = "The job as it is now", body = Envelope<JobView>),
        (status = 401, description = "Invalid or missing service key"),
        (status = 404, description = "Job not found")))]
pub async fn status(State(api): State<Api>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let job = find(&api, job_id(&id)?).await?;
    Ok(wrapped(StatusCode::OK, view::job(job), None))
}

/// What came of a job so far: its completed tasks, oldest first. `meta.next_cursor` leads on.
#[utoipa::path(get, path = "/api/v1/scrape/jobs/{job_id}/results", tag = "scrape", security(("service" = [])),
    params(("job_id" = uuid::Uuid, Path, description = "From the answer to the request"),
        ("limit" = Option<i64>, Query, description = "1 to 100, default 100"),
        ("cursor" = Option<String>, Query, description = "`meta.next_cursor` of the page before")),
    responses(
        (status = 200, description = "A page of results", body = Envelope<JobResults>),
        (status = 401, description = "Invalid or missing service key"),
        (status = 404, description = "Job not found"),
        (status = 422, description = "A parameter is wrong")))]
pub async fn results(
    State(api): State<Api>,
    Path(id): Path<String>,
    query: Result<Query<ResultsQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let id = job_id(&id)?;
    let Query(query) =
        query.map_err(|error| ApiError::Invalid(vec![FieldError::new("query", error.body_text())]))?;
    let limit = limit_or(query.limit.as_deref(), LARGEST_PAGE)?;
    let after = cursor(query.cursor.as_deref())?;
    find(&api, id).await?;
    let conn = api.db.conn().await?;
    // One more than asked for says whether there is a next page.
    let mut found = jobs::results(&*conn, id, after, limit + 1).await?;
    drop(conn);
    let fit = fitting(found.iter().map(|task| task.result.as_ref().map_or(0, |all| all.to_string().len())));
    let page = usize::try_from(limit).unwrap_or(usize::MAX).min(fit);
    let more = found.len() > page;
    found.truncate(page);
    let next_cursor = found.last().filter(|_| more).map(|last| last.id);
    let results: Vec<TaskView> = found.into_iter().map(view::task).collect();
    let meta = json!({ "next_cursor": next_cursor, "count": results.len() });
    Ok(wrapped(StatusCode::OK, JobResults { job_id: id.0, results }, Some(meta)))
}

/// How many of these fit into one answer; at least one.
fn fitting(sizes: impl Iterator<Item = usize>) -> usize {
    let mut sum = 0;
    sizes
        .take_while(|size| {
            sum += size;
            sum <= MOST_BYTES
        })
        .count()
        .max(1)
}

/// Stop what has not begun; what is under way ends by itself. Once is enough, and more does no harm.
#[utoipa::path(post, path = "/api/v1/scrape/jobs/{job_id}/cancel", tag = "scrape", security(("service" = [])),
    params(("job_id" = uuid::Uuid, Path, description = "From the answer to the request")),
    responses(
        (status = 200, description = "The job as it is now; one that was over stays as it was", body = Envelope<JobView>),
        (status = 401, description = "Invalid or missing service key"),
        (status = 404, description = "Job not found")))]
pub async fn cancel(State(api): State<Api>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let (id, now) = (job_id(&id)?, api.clock.now());
    find(&api, id).await?;
    let conn = api.db.conn().await?;
    let sites = jobs::cancel(&*conn, id, now).await?;
    drop(conn);
    tracing::info!(job.id = %id.0, sites = sites.len(), "a job was cancelled");
    // Their places in the windows are free.
    api.intake().release(&sites, now).await;
    // Nothing of it may be under way any more; otherwise its last task tells.
    if let Err(error) = notify::batch(&api.db, &api.notify, BatchId(id.0), now).await {
        tracing::warn!(job.id = %id.0, error = format!("{error:#}"), "telling of it failed; the sweep will");
    }
    if let Err(error) = notify::tasks(&api.db, &api.notify, &[TaskId(id.0)], now).await {
        tracing::warn!(job.id = %id.0, error = format!("{error:#}"), "telling of it failed; the sweep will");
    }
    Ok(wrapped(StatusCode::OK, view::job(find(&api, id).await?), None))
}

async fn find(api: &Api, id: JobId) -> Result<Job, ApiError> {
    let conn = api.db.conn().await?;
    jobs::find(&*conn, id).await?.ok_or(ApiError::NotFound("Job"))
}

fn job_id(text: &str) -> Result<JobId, ApiError> {
    text.parse().map(JobId).map_err(|_| ApiError::NotFound("Job"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_results_fits_into_an_answer() {
        let mib = 1024 * 1024;
        assert_eq!(fitting([1, 2, 3].into_iter()), 3);
        assert_eq!(fitting([mib; 9].into_iter()), 3);
        assert_eq!(fitting([9 * mib, 1].into_iter()), 1, "one always goes");
        assert_eq!(fitting(std::iter::empty()), 1);
    }
}
