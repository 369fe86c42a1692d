//! What an operator may see and do about webhooks.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::domain::ids::DeliveryId;
use shared::domain::webhook::DeliveryStatus;
use shared::notify;
use shared::store::webhooks::{self, WebhookDelivery};

use crate::Api;
use crate::error::ApiError;
use crate::listings::{cursor, limit, parsed};

#[derive(Debug, Deserialize)]
pub struct WebhookQuery {
    status: Option<String>,
    limit: Option<String>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct WebhookPage {
    pub webhooks: Vec<WebhookDelivery>,
    pub next_cursor: Option<String>,
}

/// Webhooks, newest first.
#[utoipa::path(get, path = "/api/admin/webhooks", tag = "admin", security(("admin" = [])),
    params(("status" = Option<String>, Query, description = "`pending`, `delivered`, `failed` or `stopped`"),
        ("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before")),
    responses((status = 200, description = "A page of webhooks", body = WebhookPage),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A parameter is wrong")))]
pub async fn list(
    State(api): State<Api>,
    given: Result<Query<WebhookQuery>, QueryRejection>,
) -> Result<Json<WebhookPage>, ApiError> {
    let query = crate::body::query(given)?;
    let limit = limit(query.limit.as_deref())?;
    let word = |word: &str| parsed::<DeliveryStatus>("status", word, "pending, delivered, failed or stopped");
    let status = query.status.as_deref().map(word).transpose()?;
    let before = cursor(query.cursor.as_deref())?;
    let conn = api.db.conn().await?;
    let webhooks = webhooks::list(&*conn, status, before, limit).await?;
    let full = i64::try_from(webhooks.len()).is_ok_and(|found| found == limit);
    let next_cursor = webhooks.last().filter(|_| full).map(|last| last.no.to_string());
    Ok(Json(WebhookPage { webhooks, next_cursor }))
}

/// Sends a webhook again, whatever became of it: the same id and bytes, and all its attempts. An endpoint that
/// was switched off is on again.
#[utoipa::path(post, path = "/api/admin/webhooks/{id}/replay", tag = "admin", security(("admin" = [])),
    params(("id" = uuid::Uuid, Path)),
    responses((status = 200, description = "It is on its way"),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 404, description = "Webhook not found")))]
pub async fn replay(State(api): State<Api>, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let id: DeliveryId = id.parse().map_err(|_| ApiError::NotFound("Webhook"))?;
    let mut conn = api.db.conn().await?;
    let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
    let due = webhooks::replay(&transaction, id, api.clock.now()).await?;
    let due = due.ok_or(ApiError::NotFound("Webhook"))?;
    transaction.commit().await.map_err(anyhow::Error::from)?;
    drop(conn);
    tracing::info!(delivery.id = %id, "a webhook is sent again");
    // The row is the truth: if this fails the sweep sends it.
    if let Err(error) = notify::send(&api.notify, &[due]).await {
        tracing::warn!(delivery.id = %id, error = format!("{error:#}"), "telling the notifier failed");
    }
    Ok(Json(json!({ "replayed": id })))
}
