//! Who is scraping what, for the operator.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use shared::store::import_figures::{self, Imported, Step};
use shared::store::role_queue::{self, MonitoringStats, QueueCounts, SessionFilter, SessionView, Waiting};

use crate::Api;
use crate::body::{field, query};
use crate::error::ApiError;
use crate::listings::{limit_or, parsed};

const STATUSES: [&str; 5] = ["in_progress", "completed", "failed", "timeout", "released"];
const SESSIONS: i64 = 100;
const ROLES: i64 = 50;
/// A month is as far back as anybody looks.
const MOST_HOURS: i64 = 744;
/// Beyond three days a chart by the hour has more bars than a screen has room for.
const HOURLY: i64 = 72;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionQuery {
    scraper_key_id: Option<String>,
    status: Option<String>,
    hours: Option<String>,
    limit: Option<String>,
    cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatsQuery {
    hours: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueQuery {
    limit: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportsQuery {
    hours: Option<String>,
    step: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SessionPage {
    pub sessions: Vec<SessionView>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RoleQueue {
    pub queue: Vec<Waiting>,
    /// Of all roles, also those that do not fit into the list.
    pub counts: QueueCounts,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Imports {
    pub step: Step,
    /// Where the figures begin.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    pub imports: Vec<Imported>,
}

/// Sessions, the newest first.
#[utoipa::path(get, path = "/api/scraper-monitoring/sessions", tag = "monitoring", security(("admin" = [])),
    params(("scraper_key_id" = Option<i32>, Query, description = "Of this key only"),
        ("status" = Option<String>, Query, description = "`in_progress`, `completed`, `failed`, `timeout` or `released`"),
        ("hours" = Option<i64>, Query, description = "How far back, 1 to 744; default 24"),
        ("limit" = Option<i64>, Query, description = "1 to 100, default 100"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before")),
    responses((status = 200, description = "A page of sessions", body = SessionPage),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn sessions(
    State(api): State<Api>,
    given: Result<Query<SessionQuery>, QueryRejection>,
) -> Result<Json<SessionPage>, ApiError> {
    let given = query(given)?;
    let since = api.clock.now() - hours(given.hours.as_deref())?;
    let limit = limit_or(given.limit.as_deref(), SESSIONS)?;
    if given.status.as_deref().is_some_and(|status| !STATUSES.contains(&status)) {
        return Err(field("status", "must be in_progress, completed, failed, timeout or released"));
    }
    let key =
        given.scraper_key_id.as_deref().map(|word| parsed("scraper_key_id", word, "a number")).transpose()?;
    let before = given.cursor.as_deref().map(before).transpose()?;
    let filter = SessionFilter { key, status: given.status, before };
    let conn = api.db.conn().await?;
    let sessions = role_queue::sessions(&*conn, since, &filter, limit).await?;
    let full = i64::try_from(sessions.len()).is_ok_and(|found| found == limit);
    let cursor = |last: &SessionView| format!("{}_{}", last.started_at.as_microsecond(), last.id);
    let next_cursor = sessions.last().filter(|_| full).map(cursor);
    Ok(Json(SessionPage { sessions, next_cursor }))
}

/// The scrapers, together and one by one.
#[utoipa::path(get, path = "/api/scraper-monitoring/stats", tag = "monitoring", security(("admin" = [])),
    params(("hours" = Option<i64>, Query, description = "How far back, 1 to 744; default 24")),
    responses((status = 200, description = "Figures", body = MonitoringStats),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn stats(
    State(api): State<Api>,
    given: Result<Query<StatsQuery>, QueryRejection>,
) -> Result<Json<MonitoringStats>, ApiError> {
    let now = api.clock.now();
    let since = now - hours(query(given)?.hours.as_deref())?;
    let conn = api.db.conn().await?;
    Ok(Json(role_queue::monitoring(&*conn, since, now).await?))
}

/// What waits and what is under way, in the order it is handed out.
#[utoipa::path(get, path = "/api/scraper-monitoring/queue", tag = "monitoring", security(("admin" = [])),
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50")),
    responses((status = 200, description = "The queue", body = RoleQueue),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn queue(
    State(api): State<Api>,
    given: Result<Query<QueueQuery>, QueryRejection>,
) -> Result<Json<RoleQueue>, ApiError> {
    let limit = limit_or(query(given)?.limit.as_deref(), ROLES)?;
    let conn = api.db.conn().await?;
    let (queue, counts) = (role_queue::waiting(&*conn, limit).await?, role_queue::counts(&*conn).await?);
    Ok(Json(RoleQueue { queue, counts }))
}

/// What was imported over time, by scraper: of completed sessions that started in these hours.
#[utoipa::path(get, path = "/api/scraper-monitoring/imports", tag = "monitoring", security(("admin" = [])),
    params(("hours" = Option<i64>, Query, description = "How far back, 1 to 744; default 24"),
        ("step" = Option<String>, Query, description = "`hour` or `day` (of UTC); hours up to 72 hours when left out")),
    responses((status = 200, description = "Figures, oldest first; steps without any are left out", body = Imports),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn imports(
    State(api): State<Api>,
    given: Result<Query<ImportsQuery>, QueryRejection>,
) -> Result<Json<Imports>, ApiError> {
    let given = query(given)?;
    let back = hours(given.hours.as_deref())?;
    let step = match given.step.as_deref() {
        Some("hour") => Step::Hour,
        Some("day") => Step::Day,
        Some(_) => return Err(field("step", "must be hour or day")),
        None if back.as_hours() <= HOURLY => Step::Hour,
        None => Step::Day,
    };
    let since = api.clock.now() - back;
    let conn = api.db.conn().await?;
    Ok(Json(Imports { step, since, imports: import_figures::imports(&*conn, since, step).await? }))
}

fn hours(hours: Option<&str>) -> Result<SignedDuration, ApiError> {
    let hours: i64 = hours.map_or(Ok(24), |word| parsed("hours", word, "a number from 1 to 744"))?;
    if !(1..=MOST_HOURS).contains(&hours) {
        return Err(field("hours", "must be 1 to 744"));
    }
    Ok(SignedDuration::from_hours(hours))
}

fn before(cursor: &str) -> Result<(Timestamp, i64), ApiError> {
    let read = || {
        let (at, id) = cursor.split_once('_')?;
        Some((Timestamp::from_microsecond(at.parse().ok()?).ok()?, id.parse().ok()?))
    };
    read().ok_or_else(|| field("cursor", "must be a cursor of an answer"))
}
