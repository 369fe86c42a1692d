//! Keys of external scrapers: made, listed, rotated and revoked by an admin. A secret is shown once.

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use shared::domain::roles::scraper_key::NewKey;
use shared::door::Who;
use shared::store::scraper_keys::{self, KeyView};

use crate::Api;
use crate::body::{body, field, query};
use crate::error::ApiError;
use crate::listings::{cursor, limit_or};

/// How long the old secret of a rotated key lasts, unless it is said.
const GRACE_HOURS: i64 = 24;
const MOST_SOURCES: usize = 100;
const KEYS: i64 = 100;

#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyRequest {
    /// What the scraper is called in reports; 1 to 100 characters.
    pub name: String,
    /// The platforms it may import from; all when left out.
    pub allowed_sources: Option<Vec<String>>,
    /// When it ends by itself; never when left out.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateRequest {
    /// How long the present secret still opens, 0 to 720 hours; 24 when left out.
    pub grace_hours: Option<i64>,
    /// Another end; the key keeps its own when left out.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

/// A key with its secret, which is never shown again.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ShownKey {
    pub api_key: String,
    pub key: KeyView,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct KeyList {
    pub keys: Vec<KeyView>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyQuery {
    limit: Option<String>,
    cursor: Option<String>,
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpiryRequest {
    /// Never by itself when null.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

/// Makes a key.
#[utoipa::path(post, path = "/api/admin/scraper-keys", tag = "admin", security(("admin" = [])),
    request_body = KeyRequest,
    responses((status = 201, description = "The key with its secret, shown this once", body = ShownKey),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn create(
    State(api): State<Api>,
    Extension(who): Extension<Who>,
    bytes: Bytes,
) -> Result<(StatusCode, Json<ShownKey>), ApiError> {
    let wanted: KeyRequest = body(&bytes)?;
    let now = api.clock.now();
    let name = wanted.name.trim();
    if !(1..=100).contains(&name.chars().count()) || name.contains('\0') {
        return Err(field("name", "must have 1 to 100 characters"));
    }
    let sources = sources(wanted.allowed_sources)?;
    ends_later(wanted.expires_at, now)?;
    let new = NewKey::new(&rand::random());
    let conn = api.db.conn().await?;
    let id =
        scraper_keys::create(&*conn, name, sources.as_ref(), &new, wanted.expires_at, &who.0, now).await?;
    let key = scraper_keys::one(&*conn, id, now).await?.ok_or(ApiError::NotFound("Key"))?;
    tracing::info!(key.id = id, by = who.0, "a scraper key was made");
    Ok((StatusCode::CREATED, Json(ShownKey { api_key: new.text, key })))
}

/// Keys, the newest first.
#[utoipa::path(get, path = "/api/admin/scraper-keys", tag = "admin", security(("admin" = [])),
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 100"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before")),
    responses((status = 200, description = "The keys, without their secrets", body = KeyList),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn list(
    State(api): State<Api>,
    given: Result<Query<KeyQuery>, QueryRejection>,
) -> Result<Json<KeyList>, ApiError> {
    let given = query(given)?;
    let limit = limit_or(given.limit.as_deref(), KEYS)?;
    let before = cursor(given.cursor.as_deref())?;
    let now = api.clock.now();
    api.scrapers.flush(now).await;
    let conn = api.db.conn().await?;
    let keys = scraper_keys::list(&*conn, before, limit, now).await?;
    let full = i64::try_from(keys.len()).is_ok_and(|found| found == limit);
    let next_cursor = keys.last().filter(|_| full).map(|last| last.id.to_string());
    Ok(Json(KeyList { keys, next_cursor }))
}

/// Says when a key ends by itself.
#[utoipa::path(post, path = "/api/admin/scraper-keys/{id}/expire", tag = "admin", security(("admin" = [])),
    params(("id" = i32, Path)), request_body = ExpiryRequest,
    responses((status = 200, description = "The key as it is now", body = KeyView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Key not found, or ended"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn expire(
    State(api): State<Api>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Result<Json<KeyView>, ApiError> {
    let (id, now) = (key_id(&id)?, api.clock.now());
    let ExpiryRequest { expires_at } = body(&bytes)?;
    ends_later(expires_at, now)?;
    let mut conn = api.db.conn().await?;
    let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
    if !scraper_keys::expire(&transaction, id, expires_at, now).await? {
        return Err(ApiError::NotFound("Key"));
    }
    transaction.commit().await.map_err(anyhow::Error::from)?;
    tracing::info!(key.id = id, by = who.0, "a scraper key was given an end");
    scraper_keys::one(&*conn, id, now).await?.map(Json).ok_or(ApiError::NotFound("Key"))
}

/// Gives a key another secret; the present one opens a while longer.
#[utoipa::path(post, path = "/api/admin/scraper-keys/{id}/rotate", tag = "admin", security(("admin" = [])),
    params(("id" = i32, Path)), request_body(content = Option<RotateRequest>, description = "May be left out"),
    responses((status = 200, description = "The new secret, shown this once", body = ShownKey),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Key not found, or revoked"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn rotate(
    State(api): State<Api>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Result<Json<ShownKey>, ApiError> {
    let id = key_id(&id)?;
    let empty = bytes.iter().all(u8::is_ascii_whitespace);
    let wanted: RotateRequest = if empty { RotateRequest::default() } else { body(&bytes)? };
    let now = api.clock.now();
    ends_later(wanted.expires_at, now)?;
    let hours = wanted.grace_hours.unwrap_or(GRACE_HOURS);
    if !(0..=720).contains(&hours) {
        return Err(field("grace_hours", "must be 0 to 720"));
    }
    let new = NewKey::new(&rand::random());
    let mut conn = api.db.conn().await?;
    let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
    let until = now + SignedDuration::from_hours(hours);
    if !scraper_keys::rotate(&transaction, id, &new, wanted.expires_at, until, now).await? {
        return Err(ApiError::NotFound("Key"));
    }
    transaction.commit().await.map_err(anyhow::Error::from)?;
    let key = scraper_keys::one(&*conn, id, now).await?.ok_or(ApiError::NotFound("Key"))?;
    tracing::info!(key.id = id, by = who.0, "a scraper key was rotated");
    Ok(Json(ShownKey { api_key: new.text, key }))
}

/// Ends a key at once and for good.
#[utoipa::path(post, path = "/api/admin/scraper-keys/{id}/revoke", tag = "admin", security(("admin" = [])),
    params(("id" = i32, Path)),
    responses((status = 200, description = "The key as it is now", body = KeyView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Key not found"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn revoke(
    State(api): State<Api>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
) -> Result<Json<KeyView>, ApiError> {
    let (id, now) = (key_id(&id)?, api.clock.now());
    let conn = api.db.conn().await?;
    if !scraper_keys::revoke(&*conn, id, now).await? {
        return Err(ApiError::NotFound("Key"));
    }
    tracing::info!(key.id = id, by = who.0, "a scraper key was revoked");
    scraper_keys::one(&*conn, id, now).await?.map(Json).ok_or(ApiError::NotFound("Key"))
}

fn key_id(text: &str) -> Result<i32, ApiError> {
    text.parse().map_err(|_| ApiError::NotFound("Key"))
}

fn ends_later(expires_at: Option<Timestamp>, now: Timestamp) -> Result<(), ApiError> {
    let century = SignedDuration::from_hours(24 * 36_500);
    match expires_at {
        Some(end) if end <= now => Err(field("expires_at", "must be in the future")),
        Some(end) if end.duration_since(now) > century => {
            Err(field("expires_at", "must be within a hundred years"))
        }
        _ => Ok(()),
    }
}

/// In small letters, as platforms are compared.
fn sources(given: Option<Vec<String>>) -> Result<Option<Vec<String>>, ApiError> {
    let Some(given) = given else { return Ok(None) };
    let fits = |source: &String| {
        (1..=64).contains(&source.len())
            && source.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
    };
    let mut sources: Vec<String> = given.iter().map(|source| source.trim().to_lowercase()).collect();
    if sources.is_empty() || sources.len() > MOST_SOURCES || !sources.iter().all(fits) {
        return Err(field(
            "allowed_sources",
            "must be a list of 1 to 100 platforms, as [\"dice\"]; leave it out for all",
        ));
    }
    sources.sort();
    sources.dedup();
    Ok(Some(sources))
}
