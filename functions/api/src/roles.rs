//! Roles, as an admin keeps them: listed, made, merged, put first, scraped again; and the decisions that led to them.

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use shared::door::Who;
use shared::store::roles::{self, DecisionView, Merged, RoleFilter, RoleView};

use crate::Api;
use crate::body::{again, body, field, query};
use crate::error::ApiError;
use crate::listings::{cursor, limit, parsed};

const PRIORITIES: [&str; 4] = ["urgent", "high", "normal", "low"];
const STATUSES: [&str; 3] = ["pending", "processing", "completed"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleQuery {
    limit: Option<String>,
    cursor: Option<String>,
    status: Option<String>,
    q: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionQuery {
    limit: Option<String>,
    cursor: Option<String>,
    role_id: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RolePage {
    pub roles: Vec<RoleView>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DecisionPage {
    pub decisions: Vec<DecisionView>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleRequest {
    pub name: String,
    /// `urgent`, `high`, `normal` or `low`; normal when left out.
    pub priority: Option<String>,
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PriorityRequest {
    /// `urgent`, `high`, `normal` or `low`.
    pub priority: String,
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeRequest {
    /// The role that stays.
    pub into: i32,
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectionRequest {
    /// The role that the title belongs to.
    pub role_id: i32,
}

/// Roles, the newest first.
#[utoipa::path(get, path = "/api/admin/roles", tag = "admin", security(("admin" = [])),
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
        ("status" = Option<String>, Query, description = "`pending`, `processing` or `completed`"),
        ("q" = Option<String>, Query, description = "A part of the name")),
    responses((status = 200, description = "A page of roles", body = RolePage),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn list(
    State(api): State<Api>,
    given: Result<Query<RoleQuery>, QueryRejection>,
) -> Result<Json<RolePage>, ApiError> {
    let given = query(given)?;
    let limit = limit(given.limit.as_deref())?;
    if given.status.as_deref().is_some_and(|status| !STATUSES.contains(&status)) {
        return Err(field("status", "must be pending, processing or completed"));
    }
    if given.q.as_deref().is_some_and(|part| part.contains('\0') || part.chars().count() > 255) {
        return Err(field("q", "is longer than 255 characters, or holds a zero byte"));
    }
    let before = cursor(given.cursor.as_deref())?;
    let filter = RoleFilter { before, status: given.status, search: given.q };
    let conn = api.db.conn().await?;
    let roles = roles::list(&*conn, &filter, limit).await?;
    let full = i64::try_from(roles.len()).is_ok_and(|found| found == limit);
    let next_cursor = roles.last().filter(|_| full).map(|last| last.id.to_string());
    Ok(Json(RolePage { roles, next_cursor }))
}

/// Makes a role, or finds the one that the name already leads to.
#[utoipa::path(post, path = "/api/admin/roles", tag = "admin", security(("admin" = [])), request_body = RoleRequest,
    responses((status = 201, description = "The new role", body = RoleView),
        (status = 200, description = "There was one already", body = RoleView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn create(State(api): State<Api>, bytes: Bytes) -> Result<(StatusCode, Json<RoleView>), ApiError> {
    let wanted: RoleRequest = body(&bytes)?;
    let priority = priority(wanted.priority.as_deref().unwrap_or("normal"))?;
    if wanted.name.contains('\0') || wanted.name.chars().count() > 255 {
        return Err(field("name", "must have 1 to 255 characters"));
    }
    let conn = api.db.conn().await?;
    let made = roles::create(&*conn, &wanted.name, priority, api.clock.now()).await?;
    let (id, fresh) = made.ok_or_else(|| field("name", "names no role"))?;
    let status = if fresh { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(found(roles::find(&*conn, id).await?)?)))
}

/// One role.
#[utoipa::path(get, path = "/api/admin/roles/{id}", tag = "admin", security(("admin" = [])), params(("id" = i32, Path)),
    responses((status = 200, description = "The role", body = RoleView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Role not found"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn one(State(api): State<Api>, Path(id): Path<String>) -> Result<Json<RoleView>, ApiError> {
    let conn = api.db.conn().await?;
    Ok(Json(found(roles::find(&*conn, role_id(&id)?).await?)?))
}

/// Puts a role before or behind others.
#[utoipa::path(post, path = "/api/admin/roles/{id}/priority", tag = "admin", security(("admin" = [])),
    params(("id" = i32, Path)), request_body = PriorityRequest,
    responses((status = 200, description = "The role as it is now", body = RoleView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Role not found"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn set_priority(
    State(api): State<Api>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Result<Json<RoleView>, ApiError> {
    let id = role_id(&id)?;
    let wanted: PriorityRequest = body(&bytes)?;
    let priority = priority(&wanted.priority)?;
    let conn = api.db.conn().await?;
    if !roles::set_priority(&*conn, id, priority, api.clock.now()).await? {
        return Err(ApiError::NotFound("Role"));
    }
    Ok(Json(found(roles::find(&*conn, id).await?)?))
}

/// Lets a role wait again. A session that is under way ends as released.
#[utoipa::path(post, path = "/api/admin/roles/{id}/requeue", tag = "admin", security(("admin" = [])),
    params(("id" = i32, Path)),
    responses((status = 200, description = "The role as it is now", body = RoleView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Role not found"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn requeue(State(api): State<Api>, Path(id): Path<String>) -> Result<Json<RoleView>, ApiError> {
    let id = role_id(&id)?;
    again(async || {
        let mut conn = api.db.conn().await?;
        let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
        roles::requeue(&transaction, id, api.clock.now()).await?;
        transaction.commit().await.map_err(anyhow::Error::from)?;
        Ok(Json(found(roles::find(&*conn, id).await?)?))
    })
    .await
}

/// Makes one role of two: links, names and jobs of this one go to the other.
#[utoipa::path(post, path = "/api/admin/roles/{id}/merge", tag = "admin", security(("admin" = [])),
    params(("id" = i32, Path)), request_body = MergeRequest,
    responses((status = 200, description = "The role that stays", body = RoleView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Role not found"),
        (status = 409, description = "Somebody is scraping the role that would go"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn merge(
    State(api): State<Api>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Result<Json<RoleView>, ApiError> {
    let from = role_id(&id)?;
    let MergeRequest { into } = body(&bytes)?;
    if from == into {
        return Err(field("into", "must be another role"));
    }
    again(async || {
        let mut conn = api.db.conn().await?;
        let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
        match roles::merge(&transaction, from, into, &who.0, api.clock.now()).await? {
            Merged::Done => {}
            Merged::Unknown => return Err(ApiError::NotFound("Role")),
            Merged::Busy => {
                return Err(ApiError::Conflict("The role is being scraped; requeue it, or wait".to_owned()));
            }
        }
        transaction.commit().await.map_err(anyhow::Error::from)?;
        tracing::info!(role.from = from, role.into = into, by = who.0, "two roles were merged");
        Ok(Json(found(roles::find(&*conn, into).await?)?))
    })
    .await
}

/// How titles came to their roles, the newest first.
#[utoipa::path(get, path = "/api/admin/role-decisions", tag = "admin", security(("admin" = [])),
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
        ("role_id" = Option<i32>, Query, description = "Of this role only")),
    responses((status = 200, description = "A page of decisions", body = DecisionPage),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn decisions(
    State(api): State<Api>,
    given: Result<Query<DecisionQuery>, QueryRejection>,
) -> Result<Json<DecisionPage>, ApiError> {
    let given = query(given)?;
    let limit = limit(given.limit.as_deref())?;
    let before = cursor(given.cursor.as_deref())?;
    let role = given.role_id.as_deref().map(|word| parsed("role_id", word, "a number")).transpose()?;
    let conn = api.db.conn().await?;
    let decisions = roles::decisions(&*conn, role, before, limit).await?;
    let full = i64::try_from(decisions.len()).is_ok_and(|found| found == limit);
    let next_cursor = decisions.last().filter(|_| full).map(|last| last.id.to_string());
    Ok(Json(DecisionPage { decisions, next_cursor }))
}

/// Says where a title belongs. It is remembered for every title that is the same after cleaning.
#[utoipa::path(post, path = "/api/admin/role-decisions/{id}/correct", tag = "admin", security(("admin" = [])),
    params(("id" = i64, Path)), request_body = CorrectionRequest,
    responses((status = 200, description = "The role that the title leads to now", body = RoleView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Decision or role not found"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn correct(
    State(api): State<Api>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Result<Json<RoleView>, ApiError> {
    let id: i64 = id.parse().map_err(|_| ApiError::NotFound("Decision"))?;
    let CorrectionRequest { role_id } = body(&bytes)?;
    again(async || {
        let mut conn = api.db.conn().await?;
        let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
        if !roles::correct(&transaction, id, role_id, &who.0, api.clock.now()).await? {
            return Err(ApiError::NotFound("Decision or role"));
        }
        transaction.commit().await.map_err(anyhow::Error::from)?;
        tracing::info!(decision.id = id, role.id = role_id, by = who.0, "a decision was corrected");
        Ok(Json(found(roles::find(&*conn, role_id).await?)?))
    })
    .await
}

fn found(role: Option<RoleView>) -> Result<RoleView, ApiError> {
    role.ok_or(ApiError::NotFound("Role"))
}

fn role_id(text: &str) -> Result<i32, ApiError> {
    text.parse().map_err(|_| ApiError::NotFound("Role"))
}

fn priority(word: &str) -> Result<&'static str, ApiError> {
    let known = PRIORITIES.iter().find(|known| **known == word).copied();
    known.ok_or_else(|| field("priority", "must be urgent, high, normal or low"))
}
