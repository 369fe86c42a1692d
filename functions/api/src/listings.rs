//! Listings, and why each is in the state it is in.

use axum::Json;
use axum::extract::{Path, Query, State};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use shared::domain::ids::ListingId;
use shared::store::listings::{self, Evidence, Listing};

use crate::Api;
use crate::error::{ApiError, FieldError};

const PAGE: i64 = 50;
pub const LARGEST_PAGE: i64 = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    limit: Option<String>,
    cursor: Option<String>,
    active: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ListingPage {
    pub listings: Vec<Listing>,
    /// Hand it back as `cursor` for the next page; null on the last.
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct EvidencePage {
    pub evidence: Vec<Evidence>,
    pub next_cursor: Option<String>,
}

/// The newest listings first.
#[utoipa::path(get, path = "/api/listings", tag = "listings",
    security(("service" = []), ("admin" = [])),
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
        ("active" = Option<bool>, Query, description = "Only open (true) or only closed (false) listings")),
    responses((status = 200, description = "A page of listings", body = ListingPage),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 422, description = "A parameter is wrong")))]
pub async fn list(
    State(api): State<Api>,
    query: Result<Query<ListQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<ListingPage>, ApiError> {
    let query = parameters(query)?;
    let limit = limit(query.limit.as_deref())?;
    let active = query.active.as_deref().map(|word| parsed("active", word, "true or false")).transpose()?;
    let after = query.cursor.as_deref().map(after).transpose()?;
    let conn = api.db.conn().await?;
    let listings = listings::list(&*conn, after, active, limit).await?;
    let full = i64::try_from(listings.len()).is_ok_and(|found| found == limit);
    let next_cursor = listings
        .last()
        .filter(|_| full)
        .map(|last| format!("{}_{}", last.first_seen_at.as_microsecond(), last.id));
    Ok(Json(ListingPage { listings, next_cursor }))
}

/// One listing, whole.
#[utoipa::path(get, path = "/api/listings/{id}", tag = "listings",
    security(("service" = []), ("admin" = [])), params(("id" = uuid::Uuid, Path)),
    responses((status = 200, description = "The listing", body = Listing),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 404, description = "Listing not found")))]
pub async fn one(State(api): State<Api>, Path(id): Path<String>) -> Result<Json<Listing>, ApiError> {
    let conn = api.db.conn().await?;
    listings::find(&*conn, listing_id(&id)?).await?.map(Json).ok_or(ApiError::NotFound("Listing"))
}

/// Why a listing is in the state it is in, oldest first.
#[utoipa::path(get, path = "/api/listings/{id}/evidence", tag = "listings",
    security(("service" = []), ("admin" = [])),
    params(("id" = uuid::Uuid, Path), ("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before")),
    responses((status = 200, description = "The evidence", body = EvidencePage),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 404, description = "Listing not found"),
        (status = 422, description = "A parameter is wrong")))]
pub async fn evidence(
    State(api): State<Api>,
    Path(id): Path<String>,
    query: Result<Query<ListQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<EvidencePage>, ApiError> {
    let id = listing_id(&id)?;
    let query = parameters(query)?;
    let limit = limit(query.limit.as_deref())?;
    let after = cursor(query.cursor.as_deref())?;
    let conn = api.db.conn().await?;
    let found = listings::evidence(&*conn, id, after.unwrap_or_default(), limit).await?;
    let evidence = found.ok_or(ApiError::NotFound("Listing"))?;
    let full = i64::try_from(evidence.len()).is_ok_and(|found| found == limit);
    let next_cursor = evidence.last().filter(|_| full).map(|last| last.id.to_string());
    Ok(Json(EvidencePage { evidence, next_cursor }))
}

fn listing_id(text: &str) -> Result<ListingId, ApiError> {
    text.parse().map_err(|_| ApiError::NotFound("Listing"))
}

fn parameters(
    query: Result<Query<ListQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<ListQuery, ApiError> {
    query.map(|Query(query)| query).map_err(|error| invalid("query", &error.body_text()))
}

/// How many rows, from the query.
pub fn limit(text: Option<&str>) -> Result<i64, ApiError> {
    limit_or(text, PAGE)
}

/// The same, with another number when the query names none.
pub fn limit_or(text: Option<&str>, default: i64) -> Result<i64, ApiError> {
    let limit = text.map_or(Ok(default), |text| parsed("limit", text, "a number from 1 to 100"))?;
    if (1..=LARGEST_PAGE).contains(&limit) { Ok(limit) } else { Err(invalid("limit", "must be 1 to 100")) }
}

/// The `next_cursor` of the page before. It comes back as it was given: a number without a sign, and without zeros before
/// it.
pub fn cursor<T: std::str::FromStr>(text: Option<&str>) -> Result<Option<T>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    let padded = text.starts_with(['0', '+', '-']) && text[1..].bytes().all(|byte| byte.is_ascii_digit());
    if text.len() > 1 && padded {
        return Err(invalid("cursor", "must be a cursor of an answer"));
    }
    parsed("cursor", text, "a cursor of an answer").map(Some)
}

/// A parameter of a type, or an error that says what it must be.
pub fn parsed<T: std::str::FromStr>(field: &str, text: &str, what: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| invalid(field, &format!("must be {what}")))
}

fn after(cursor: &str) -> Result<(Timestamp, ListingId), ApiError> {
    let read = || {
        let (at, id) = cursor.split_once('_')?;
        Some((Timestamp::from_microsecond(at.parse().ok()?).ok()?, id.parse().ok()?))
    };
    read().ok_or_else(|| invalid("cursor", "must be a cursor of an answer"))
}

fn invalid(field: &str, message: &str) -> ApiError {
    ApiError::Invalid(vec![FieldError::new(field, message)])
}
