//! The role queue, as external scrapers see it: ask for a role, say that you are alive, hand in what you found.

mod post;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::domain::roles::boards::{self, BoardLimit};
use shared::door::{FieldError, Scraper};
use shared::store::role_queue::{self, QueueStatistics, Touched};
use uuid::Uuid;

use crate::Api;
use crate::error::ApiError;

pub use post::jobs;
// What the description is made of.
pub use post::__path_jobs;

const MOST_REASON: usize = 1_000;

/// A role to scrape.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct NextRole {
    /// Hand it back with the jobs.
    pub session_id: Uuid,
    pub role: RoleToScrape,
    /// Until then the role is yours; a heartbeat moves it.
    #[schema(value_type = String, format = DateTime)]
    pub lease_expires_at: Timestamp,
    /// How often to ask the boards, at most.
    pub rate_limits: Vec<BoardLimit>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RoleToScrape {
    pub id: i32,
    pub name: String,
    pub aliases: Vec<String>,
    pub candidate_count: i32,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Lease {
    pub session_id: Uuid,
    #[schema(value_type = String, format = DateTime)]
    pub lease_expires_at: Timestamp,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct EndedSession {
    pub session_id: Uuid,
    /// `released` or `failed`.
    pub status: &'static str,
}

/// Why a session ends without jobs.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
pub struct Ending {
    /// For whoever looks at the session later.
    pub reason: Option<String>,
    /// The same under another name.
    pub error: Option<String>,
}

/// The next role in the queue, for this scraper alone.
#[utoipa::path(get, path = "/api/scraper/queue/next-role", tag = "scraper", security(("scraper" = [])),
    responses((status = 200, description = "A role, and the session it is scraped in", body = NextRole),
        (status = 204, description = "Queue empty"),
        (status = 401, description = "API key required, or invalid or expired"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn next_role(
    State(api): State<Api>,
    Extension(Scraper(key)): Extension<Scraper>,
) -> Result<Response, ApiError> {
    let conn = api.db.conn().await?;
    let Some(held) = role_queue::next(&*conn, &key, api.scrapers.lease, api.clock.now()).await? else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    tracing::info!(session.id = %held.session_id, role.id = held.role_id, scraper = key.id, "a role was handed out");
    let next = NextRole {
        session_id: held.session_id,
        role: RoleToScrape {
            id: held.role_id,
            name: held.name,
            aliases: held.aliases,
            candidate_count: held.candidate_count,
        },
        lease_expires_at: held.lease_expires_at,
        rate_limits: boards::limits(key.allowed_sources.as_deref()),
    };
    Ok(Json(next).into_response())
}

/// Still at it: the lease begins anew.
#[utoipa::path(post, path = "/api/scraper/queue/sessions/{session_id}/heartbeat", tag = "scraper",
    security(("scraper" = [])), params(("session_id" = Uuid, Path)),
    responses((status = 200, description = "The lease as it is now", body = Lease),
        (status = 401, description = "API key required, or invalid or expired"),
        (status = 404, description = "Session not found"),
        (status = 409, description = "The session has ended"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn heartbeat(
    State(api): State<Api>,
    Extension(Scraper(key)): Extension<Scraper>,
    Path(session): Path<String>,
) -> Result<Json<Lease>, ApiError> {
    let session_id = session_id(&session)?;
    let conn = api.db.conn().await?;
    let lease_expires_at =
        done(role_queue::beat(&*conn, session_id, key.id, api.scrapers.lease, api.clock.now()).await?)?;
    Ok(Json(Lease { session_id, lease_expires_at }))
}

/// Gives a role back unscraped.
#[utoipa::path(post, path = "/api/scraper/queue/sessions/{session_id}/release", tag = "scraper",
    security(("scraper" = [])), params(("session_id" = Uuid, Path)),
    request_body(content = Option<Ending>, description = "Why; may be left out"),
    responses((status = 200, description = "The role waits again", body = EndedSession),
        (status = 401, description = "API key required, or invalid or expired"),
        (status = 404, description = "Session not found"),
        (status = 409, description = "The session has ended"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "The reason is no text"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn release(
    State(api): State<Api>,
    Extension(Scraper(key)): Extension<Scraper>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<Json<EndedSession>, ApiError> {
    end(&api, key.id, &session, "released", &body).await
}

/// Says that a role could not be scraped.
#[utoipa::path(post, path = "/api/scraper/queue/sessions/{session_id}/fail", tag = "scraper",
    security(("scraper" = [])), params(("session_id" = Uuid, Path)),
    request_body(content = Option<Ending>, description = "Why; may be left out"),
    responses((status = 200, description = "The role waits again", body = EndedSession),
        (status = 401, description = "API key required, or invalid or expired"),
        (status = 404, description = "Session not found"),
        (status = 409, description = "The session has ended"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "The reason is no text"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn fail(
    State(api): State<Api>,
    Extension(Scraper(key)): Extension<Scraper>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<Json<EndedSession>, ApiError> {
    end(&api, key.id, &session, "failed", &body).await
}

/// How the queue is, for whoever wants to know whether to ask.
#[utoipa::path(get, path = "/api/scraper/queue/stats", tag = "scraper", security(("scraper" = [])),
    responses((status = 200, description = "Roles by state, and the last day", body = QueueStatistics),
        (status = 401, description = "API key required, or invalid or expired"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn stats(State(api): State<Api>) -> Result<Json<QueueStatistics>, ApiError> {
    let conn = api.db.conn().await?;
    Ok(Json(role_queue::statistics(&*conn, api.clock.now()).await?))
}

async fn end(
    api: &Api,
    key: i32,
    session: &str,
    status: &'static str,
    body: &[u8],
) -> Result<Json<EndedSession>, ApiError> {
    let session_id = session_id(session)?;
    let reason = reason(body)?;
    let conn = api.db.conn().await?;
    done(role_queue::end(&*conn, session_id, key, status, reason.as_deref(), api.clock.now()).await?)?;
    tracing::info!(session.id = %session_id, status, reason, "a session ended without jobs");
    Ok(Json(EndedSession { session_id, status }))
}

fn reason(body: &[u8]) -> Result<Option<String>, ApiError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let wrong = |message: String| ApiError::Invalid(vec![FieldError::new("reason", message)]);
    let value: Value =
        serde_json::from_slice(body).map_err(|error| wrong(format!("the body is not JSON: {error}")))?;
    if value.is_null() {
        return Ok(None);
    }
    if !value.is_object() {
        return Err(wrong("the body must be an object".to_owned()));
    }
    let ending: Ending = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    if [&ending.reason, &ending.error].into_iter().flatten().any(|reason| reason.contains('\0')) {
        return Err(wrong("holds a zero byte".to_owned()));
    }
    let reason = ending.reason.or(ending.error);
    Ok(reason.map(|reason| reason.chars().take(MOST_REASON).collect()))
}

fn done<T>(touched: Touched<T>) -> Result<T, ApiError> {
    match touched {
        Touched::Done(done) => Ok(done),
        Touched::Unknown => Err(ApiError::NotFound("Session")),
        Touched::Ended(status) => Err(ApiError::Conflict(format!("The session has ended: {status}"))),
    }
}

fn session_id(text: &str) -> Result<Uuid, ApiError> {
    text.parse().map_err(|_| ApiError::NotFound("Session"))
}
