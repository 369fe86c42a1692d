//! The two shapes an answer has: the envelope of the scrape service, and plain JSON elsewhere.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// `{success, data, error, meta}`: the answer of `/api/v1/*`, `/health` and `/readiness`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Envelope<T> {
    pub success: bool,
    pub data: Option<T>,
    pub error: Option<String>,
    pub meta: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    Envelope,
    Plain,
}

impl Surface {
    pub fn of_path(path: &str) -> Surface {
        let enveloped = path == "/api/v1" || path.starts_with("/api/v1/");
        if enveloped || path == "/health" || path == "/readiness" {
            Surface::Envelope
        } else {
            Surface::Plain
        }
    }
}

/// A good answer in the envelope.
pub fn wrapped<T: Serialize>(status: StatusCode, data: T, meta: Option<Value>) -> Response {
    (status, Json(Envelope { success: true, data: Some(data), error: None, meta })).into_response()
}

/// An error in the envelope: what a program may want to know of it is in `meta`.
pub fn wrapped_error(error: &str, about: &Map<String, Value>) -> Value {
    json!({ "success": false, "data": null, "error": error, "meta": about })
}

/// An error elsewhere, all on one level.
pub fn plain_error(error: &str, about: Map<String, Value>) -> Value {
    let mut body = json!({ "error": error });
    if let Some(fields) = body.as_object_mut() {
        fields.extend(about);
    }
    body
}
