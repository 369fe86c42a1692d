//! Clusters: one job as all boards say it, and what an operator may take apart.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use serde::Deserialize;
use shared::domain::ids::ListingId;
use shared::store::clusters::{self, ClusterView, Parted};

use crate::Api;
use crate::error::{ApiError, FieldError};

const MAX_REASON: usize = 1_000;
const MAX_OTHERS: usize = 100;

/// Which listing to part from which.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitRequest {
    #[schema(value_type = uuid::Uuid)]
    pub listing_id: String,
    /// Members of its cluster; all of them when left out.
    #[serde(default)]
    #[schema(value_type = Vec<uuid::Uuid>)]
    pub from: Vec<String>,
    /// For whoever asks later; at most 1000 characters.
    pub reason: Option<String>,
}

/// The cluster a listing is in: its members, the best word on each field with whose it is, and why they are one job.
#[utoipa::path(get, path = "/api/listings/{id}/cluster", tag = "listings",
    security(("service" = []), ("admin" = [])), params(("id" = uuid::Uuid, Path)),
    responses((status = 200, description = "The cluster; a listing like no other is alone in its own", body = ClusterView),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 404, description = "Listing not found")))]
pub async fn one(State(api): State<Api>, Path(id): Path<String>) -> Result<Json<ClusterView>, ApiError> {
    let id: ListingId = id.parse().map_err(|_| ApiError::NotFound("Listing"))?;
    let conn = api.db.conn().await?;
    clusters::of_listing(&*conn, id).await?.map(Json).ok_or(ApiError::NotFound("Listing"))
}

/// Takes a listing out of its cluster and keeps it out, whatever is read later.
#[utoipa::path(post, path = "/api/admin/clusters/split", tag = "admin", security(("admin" = [])),
    request_body = SplitRequest,
    responses((status = 200, description = "The cluster the listing is in now", body = ClusterView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Listing not found"),
        (status = 422, description = "A field is wrong, or there is nobody to part it from")))]
pub async fn split(State(api): State<Api>, body: Bytes) -> Result<Json<ClusterView>, ApiError> {
    part(&api, &body, true).await
}

/// Undoes a split: what the listings say decides again.
#[utoipa::path(post, path = "/api/admin/clusters/unsplit", tag = "admin", security(("admin" = [])),
    request_body = SplitRequest,
    responses((status = 200, description = "The cluster the listing is in now", body = ClusterView),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Listing not found"),
        (status = 422, description = "A field is wrong, or there is nothing to undo")))]
pub async fn unsplit(State(api): State<Api>, body: Bytes) -> Result<Json<ClusterView>, ApiError> {
    part(&api, &body, false).await
}

async fn part(api: &Api, body: &[u8], split: bool) -> Result<Json<ClusterView>, ApiError> {
    let (id, from, reason) = read(body)?;
    let now = api.clock.now();
    let mut conn = api.db.conn().await?;
    let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
    let parted = if split {
        clusters::split(&transaction, id, &from, reason.as_deref(), now).await?
    } else {
        clusters::unsplit(&transaction, id, &from, now).await?
    };
    match parted {
        Parted::Done => {}
        Parted::NoListing => return Err(ApiError::NotFound("Listing")),
        Parted::Nothing if split => {
            return Err(invalid("from", "there is nobody in its cluster to part it from"));
        }
        Parted::Nothing => return Err(invalid("from", "nobody has split it from these")),
    }
    let view = clusters::of_listing(&transaction, id).await?.ok_or(ApiError::NotFound("Listing"))?;
    transaction.commit().await.map_err(anyhow::Error::from)?;
    tracing::info!(listing.id = %id, split, "a cluster was changed by hand");
    Ok(Json(view))
}

fn read(body: &[u8]) -> Result<(ListingId, Vec<ListingId>, Option<String>), ApiError> {
    let wish: SplitRequest =
        serde_json::from_slice(body).map_err(|error| invalid("body", &error.to_string()))?;
    let id = |field: &str, text: &str| {
        text.parse::<ListingId>().map_err(|_| invalid(field, "must be a listing's id"))
    };
    if wish.from.len() > MAX_OTHERS {
        return Err(invalid("from", "must be 100 listings at most"));
    }
    let reason = wish.reason.filter(|reason| !reason.trim().is_empty());
    if reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_REASON || reason.contains('\0')) {
        return Err(invalid("reason", "must be 1000 characters at most, none of them zero"));
    }
    let from = wish.from.iter().map(|text| id("from", text)).collect::<Result<_, _>>()?;
    Ok((id("listing_id", &wish.listing_id)?, from, reason))
}

fn invalid(field: &str, message: &str) -> ApiError {
    ApiError::Invalid(vec![FieldError::new(field, message)])
}
