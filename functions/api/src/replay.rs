//! Replay through the API: a piece at a time, each with the place where the next begins. No page is fetched.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use jiff::Timestamp;
use serde::Deserialize;
use shared::domain::target::TargetType;
use shared::replay::{self, Cursor, Piece, Wish};

use crate::Api;
use crate::error::{ApiError, FieldError};

const PAGES: i64 = 25;
const MOST_PAGES: i64 = 100;

/// Which stored pages to read again.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// Pages fetched from then on.
    #[schema(value_type = String, format = DateTime)]
    pub since: String,
    /// And before then; now when left out.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub until: Option<String>,
    /// A site (`example.com`), or the source of listings (`web`).
    pub source: Option<String>,
    pub target_type: Option<String>,
    /// True unless said otherwise: nothing is written.
    pub dry_run: Option<bool>,
    /// `next` of the piece before.
    pub cursor: Option<String>,
    /// Pages of a piece, 1 to 100, default 25.
    pub limit: Option<i64>,
}

/// Reads stored pages again with the extractors of today: how fields would change and how often each is known,
/// and, unless it is a dry run, the new readings and the fields of listings. It closes nothing.
#[utoipa::path(post, path = "/api/admin/replay", tag = "admin", security(("admin" = [])),
    request_body = ReplayRequest,
    responses((status = 200, description = "A piece of the replay; go on with `next` until it is null", body = Piece),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 422, description = "A field is wrong")))]
pub async fn run(State(api): State<Api>, body: Bytes) -> Result<Json<Piece>, ApiError> {
    let wish: ReplayRequest =
        serde_json::from_slice(&body).map_err(|error| invalid("body", &error.to_string()))?;
    let now = api.clock.now();
    let moment = |field: &str, text: &str| {
        text.parse::<Timestamp>().map_err(|_| invalid(field, "must be a moment such as 2026-11-16T00:00:00Z"))
    };
    let target = wish.target_type.as_deref().map(str::parse::<TargetType>).transpose();
    let cursor = wish.cursor.as_deref().map(str::parse::<Cursor>).transpose();
    let cursor = cursor.map_err(|_| invalid("cursor", "must be `next` of an answer"))?;
    let limit = wish.limit.unwrap_or(PAGES);
    if !(1..=MOST_PAGES).contains(&limit) {
        return Err(invalid("limit", "must be 1 to 100"));
    }
    if wish.source.as_ref().is_some_and(|source| source.contains('\0')) {
        return Err(invalid("source", "must be a site or a source"));
    }
    if let Some(why) = wish.source.as_deref().and_then(replay::no_replay_of) {
        return Err(invalid("source", &why));
    }
    let pages = Wish {
        since: moment("since", &wish.since)?,
        until: wish.until.as_deref().map(|text| moment("until", text)).transpose()?.unwrap_or(now),
        source: wish.source,
        target: target
            .map_err(|error| invalid("target_type", &error.to_string()))?
            .map(|t| t.as_str().to_owned()),
    };
    let dry_run = wish.dry_run.unwrap_or(true);
    let piece = replay::piece(&api.db, &api.blobs, &pages, cursor.as_ref(), limit, dry_run, now).await?;
    tracing::info!(
        pages = piece.tally.pages,
        differ = piece.tally.differ,
        kept = piece.kept,
        dry_run,
        "replayed"
    );
    Ok(Json(piece))
}

fn invalid(field: &str, message: &str) -> ApiError {
    ApiError::Invalid(vec![FieldError::new(field, message)])
}
