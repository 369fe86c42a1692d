//! Every error a caller can see: a status, a stable code, a sentence. The cause goes to the log.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value, json};
use thiserror::Error;
use tokio_postgres::error::SqlState;

use super::envelope::{Surface, plain_error, wrapped_error};
use crate::domain::failure::ServiceFailure;
use crate::domain::ids::TaskId;
use crate::store::pool::Unreachable;

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FieldError {
    pub field: String,
    pub message: String,
}

impl FieldError {
    pub fn new(field: &str, message: impl Into<String>) -> FieldError {
        FieldError { field: field.to_owned(), message: message.into() }
    }
}

#[derive(Debug, Error)]
pub enum ApiError {
    #[error("Validation failed")]
    Invalid(Vec<FieldError>),
    #[error("{0}")]
    Unauthenticated(&'static str),
    #[error("{0} not found")]
    NotFound(&'static str),
    #[error("This route does not take that method")]
    MethodNotAllowed,
    #[error("The body is larger than the {cap} bytes this route takes")]
    TooLarge { cap: usize },
    #[error("Too many requests")]
    TooMany { limit: u32, retry_after: i64 },
    #[error("Task queue is full")]
    QueueFull { retry_after: i64 },
    #[error("This Idempotency-Key was used for another request")]
    KeyReused,
    /// A request that lacks what it cannot do without.
    #[error("{0}")]
    BadRequest(&'static str),
    /// What is there does not allow it.
    #[error("{0}")]
    Conflict(String),
    #[error("{}", .failure.message())]
    Service { failure: ServiceFailure, task_id: Option<TaskId> },
    /// A sentence for people: what is missing before work can be taken.
    #[error("{0}")]
    NotReady(String),
    /// Turned away before it reached a handler.
    #[error("{}", .0.canonical_reason().unwrap_or("Refused"))]
    Refused(StatusCode),
    #[error("The service is not available for the moment")]
    Unavailable(#[source] anyhow::Error),
    #[error("Internal server error")]
    Internal(#[source] anyhow::Error),
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> Self {
        // No connection to be had, or a lock that others hold for too long, is trouble that passes; anything
        // else is our fault.
        let passes = error.chain().any(|cause| {
            cause.is::<Unreachable>()
                || cause.is::<std::io::Error>()
                || cause
                    .downcast_ref::<tokio_postgres::Error>()
                    .is_some_and(|error| error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE))
        });
        if passes { ApiError::Unavailable(error) } else { ApiError::Internal(error) }
    }
}

impl ApiError {
    pub fn status(&self) -> StatusCode {
        match self {
            ApiError::Invalid(_) | ApiError::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            ApiError::BadRequest(_) => StatusCode::BAD_REQUEST,
            ApiError::Conflict(_) => StatusCode::CONFLICT,
            ApiError::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            ApiError::NotFound(_) => StatusCode::NOT_FOUND,
            ApiError::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            ApiError::Service { failure, .. } => {
                StatusCode::from_u16(failure.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            }
            ApiError::Refused(status) => *status,
            ApiError::QueueFull { .. } | ApiError::NotReady(_) | ApiError::Unavailable(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            ApiError::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            ApiError::Invalid(_) => "validation_error",
            ApiError::BadRequest(_) => "bad_request",
            ApiError::Conflict(_) => "conflict",
            ApiError::Unauthenticated(_) => "unauthenticated",
            ApiError::NotFound(_) => "not_found",
            ApiError::MethodNotAllowed => "method_not_allowed",
            ApiError::TooLarge { .. } => "body_too_large",
            ApiError::TooMany { .. } => "rate_limited",
            ApiError::QueueFull { .. } => "queue_full",
            ApiError::KeyReused => "idempotency_key_reused",
            ApiError::Service { failure, .. } => failure.code(),
            ApiError::NotReady(_) => "not_ready",
            ApiError::Refused(_) => "refused",
            ApiError::Unavailable(_) => "unavailable",
            ApiError::Internal(_) => "internal",
        }
    }

    /// The name of its class, for clients that tell errors apart by it.
    pub fn class(&self) -> &'static str {
        match self {
            ApiError::Invalid(_) | ApiError::KeyReused => "ValidationError",
            ApiError::Unauthenticated(_) => "AuthenticationError",
            ApiError::NotFound("Task") => "TaskNotFoundError",
            ApiError::NotFound("Job") => "JobNotFoundError",
            ApiError::QueueFull { .. } => "QueueFullError",
            ApiError::Service { failure, .. } => failure.name(),
            _ => "ScraperError",
        }
    }

    /// What a program may want to know beside the sentence.
    fn about(&self, surface: Surface) -> Map<String, Value> {
        let mut about = Map::new();
        about.insert("code".to_owned(), json!(self.code()));
        if surface == Surface::Envelope {
            about.insert("type".to_owned(), json!(self.class()));
        }
        if let ApiError::Invalid(fields) = self {
            about.insert("errors".to_owned(), json!(fields));
        }
        if let ApiError::Service { task_id: Some(id), .. } = self {
            about.insert("task_id".to_owned(), json!(id));
        }
        about
    }

    fn retry_after(&self) -> Option<i64> {
        match self {
            ApiError::TooMany { retry_after, .. } | ApiError::QueueFull { retry_after } => Some(*retry_after),
            ApiError::Unavailable(_) | ApiError::NotReady(_) => Some(5),
            ApiError::Service { failure: ServiceFailure::PoolExhausted, .. } => Some(5),
            _ => None,
        }
    }

    /// The answer, in the shape of the surface it goes out on.
    pub fn answer(&self, surface: Surface) -> Response {
        if let ApiError::Internal(cause) | ApiError::Unavailable(cause) = self {
            tracing::error!(error = format!("{cause:#}"), code = self.code(), "a request failed");
        }
        let about = self.about(surface);
        let body = match surface {
            Surface::Envelope => wrapped_error(&self.to_string(), &about),
            Surface::Plain => plain_error(&self.to_string(), about),
        };
        let mut response = (self.status(), axum::Json(body)).into_response();
        if let Some(seconds) = self.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        if let ApiError::TooMany { limit, retry_after } = self {
            let headers = response.headers_mut();
            headers.insert("ratelimit-limit", HeaderValue::from(*limit));
            headers.insert("ratelimit-remaining", HeaderValue::from(0));
            headers.insert("ratelimit-reset", HeaderValue::from((*retry_after).max(1)));
        }
        response
    }
}

/// An error on its way out of a handler; the guard around it knows the surface and shapes the answer.
impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(std::sync::Arc::new(self));
        response
    }
}
