//! The book of crawl policies, read and replaced whole by an operator: YAML, or JSON for those who say so.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use shared::domain::policy_book::PolicyBook;
use shared::domain::policy_text::{Place, Problem};
use shared::store::policies::{self, Changed};

use crate::Api;
use crate::envelope::plain_error;
use crate::error::ApiError;

const YAML: &str = "application/yaml";
const JSON: &str = "application/json";

/// Every policy, as it was last put in.
#[utoipa::path(get, path = "/api/admin/policies", tag = "admin", security(("admin" = [])),
    responses((status = 200, description = "The book of policies, with its version as `ETag`; JSON if `Accept` asks for it",
            content((Object = "application/yaml"), (Object = "application/json"))),
        (status = 401, description = "Invalid or missing admin token")))]
pub async fn show(State(api): State<Api>, headers: HeaderMap) -> Result<Response, ApiError> {
    let conn = api.db.conn().await?;
    // The version first: a change in between makes the tag too old, and a later edit is refused, not lost.
    let version = policies::version(&*conn).await?;
    let book = policies::book(&*conn).await?;
    Ok(answer(&book, version, says_json(&headers, &header::ACCEPT)))
}

/// Puts another book in place of the whole. A book with a mistake changes nothing.
#[utoipa::path(put, path = "/api/admin/policies", tag = "admin", security(("admin" = [])),
    request_body(content = Object, content_type = "application/yaml", description = "The book in YAML, or in JSON by its content type"),
    params(("If-Match" = Option<String>, Header, description = "The `ETag` of the book that was edited")),
    responses((status = 200, description = "The book as it holds from now on",
            content((Object = "application/yaml"), (Object = "application/json"))),
        (status = 401, description = "Invalid or missing admin token"),
        (status = 412, description = "The book has changed since `If-Match`"),
        (status = 422, description = "Mistakes, each with its line, column and field")))]
pub async fn replace(State(api): State<Api>, headers: HeaderMap, body: Bytes) -> Result<Response, ApiError> {
    let json = says_json(&headers, &header::CONTENT_TYPE);
    let book = match read(&body, json) {
        Ok(book) => book,
        Err(problems) => {
            let text =
                plain_error("The policies were not taken", about("validation_error", Some(json!(problems))));
            return Ok((StatusCode::UNPROCESSABLE_ENTITY, Json(text)).into_response());
        }
    };
    let mut conn = api.db.conn().await?;
    let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
    let version = policies::version(&transaction).await?;
    if !agrees(&headers, version) {
        return Ok(stale(Changed { now: version }));
    }
    // Compared again under the lock: two at once cannot both go.
    let expected = headers.contains_key(header::IF_MATCH).then_some(version);
    if let Err(changed) = policies::replace(&transaction, &book, expected, api.clock.now()).await? {
        return Ok(stale(changed));
    }
    let version = policies::version(&transaction).await?;
    transaction.commit().await.map_err(anyhow::Error::from)?;
    tracing::info!(version, entries = book.entries.len(), "the policies were replaced");
    Ok(answer(&book, version, json))
}

fn read(body: &[u8], json: bool) -> Result<PolicyBook, Vec<Problem>> {
    let place = |line: usize, column: usize| Place { line: line.max(1), column: column.max(1) };
    let text = std::str::from_utf8(body).map_err(|error| {
        let line = body[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        vec![Problem::new(place(line, 1), "", "is not UTF-8")]
    })?;
    if json && let Err(error) = serde_json::from_str::<Value>(text) {
        return Err(vec![Problem::new(place(error.line(), error.column()), "", error.to_string())]);
    }
    PolicyBook::parse(text)
}

fn answer(book: &PolicyBook, version: i64, json: bool) -> Response {
    let mut response = if json {
        Json(book.to_json()).into_response()
    } else {
        ([(header::CONTENT_TYPE, YAML)], book.to_yaml()).into_response()
    };
    response.headers_mut().insert(header::ETAG, tag(version));
    response
}

fn stale(changed: Changed) -> Response {
    let text = plain_error(&changed.to_string(), about("precondition_failed", None));
    let headers = [(header::ETAG, tag(changed.now))];
    (StatusCode::PRECONDITION_FAILED, headers, Json(text)).into_response()
}

fn about(code: &str, fields: Option<Value>) -> Map<String, Value> {
    let mut about = Map::from_iter([("code".to_owned(), json!(code))]);
    about.extend(fields.map(|fields| ("errors".to_owned(), fields)));
    about
}

fn tag(version: i64) -> HeaderValue {
    HeaderValue::try_from(tag_text(version)).unwrap_or(HeaderValue::from_static("\"unknown\""))
}

fn tag_text(version: i64) -> String {
    format!("\"v{version}\"")
}

/// No wish, any version, or this one.
fn agrees(headers: &HeaderMap, version: i64) -> bool {
    let Some(wish) = headers.get(header::IF_MATCH) else { return true };
    let wish = wish.to_str().unwrap_or_default();
    wish.split(',').map(str::trim).any(|tag| tag == "*" || tag == tag_text(version))
}

fn says_json(headers: &HeaderMap, name: &HeaderName) -> bool {
    headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains(JSON))
}
