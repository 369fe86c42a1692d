//! Every error a caller can see: a status, a stable code, a sentence. The cause goes to the log.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use shared::store::pool::Unreachable;
use thiserror::Error;

use crate::envelope::{Surface, plain_error, wrapped_error};

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
    #[error("The service is not available for the moment")]
    Unavailable(#[source] anyhow::Error),
    #[error("Internal server error")]
    Internal(#[source] anyhow::Error),
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> Self {
        // No connection to be had is the database's trouble, and passes; anything else is our fault.
        let unreachable =
            error.chain().any(|cause| cause.is::<Unreachable>() || cause.is::<std::io::Error>());
        if unreachable { ApiError::Unavailable(error) } else { ApiError::Internal(error) }
    }
}

impl ApiError {
    pub fn status(&self) -> StatusCode {
        match self {
            ApiError::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ApiError::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            ApiError::NotFound(_) => StatusCode::NOT_FOUND,
            ApiError::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            ApiError::QueueFull { .. } | ApiError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            ApiError::Invalid(_) => "validation_error",
            ApiError::Unauthenticated(_) => "unauthenticated",
            ApiError::NotFound(_) => "not_found",
            ApiError::MethodNotAllowed => "method_not_allowed",
            ApiError::TooLarge { .. } => "body_too_large",
            ApiError::TooMany { .. } => "rate_limited",
            ApiError::QueueFull { .. } => "queue_full",
            ApiError::Unavailable(_) => "unavailable",
            ApiError::Internal(_) => "internal",
        }
    }

    /// The answer, in the shape of the surface it goes out on.
    pub fn answer(&self, surface: Surface) -> Response {
        if let ApiError::Internal(cause) | ApiError::Unavailable(cause) = self {
            tracing::error!(error = format!("{cause:#}"), code = self.code(), "a request failed");
        }
        let fields = match self {
            ApiError::Invalid(fields) => Some(json!(fields)),
            _ => None,
        };
        let body = match surface {
            Surface::Envelope => wrapped_error(&self.to_string(), self.code(), fields),
            Surface::Plain => plain_error(&self.to_string(), self.code(), fields),
        };
        let mut response = (self.status(), axum::Json(body)).into_response();
        let wait = match self {
            ApiError::TooMany { retry_after, .. } | ApiError::QueueFull { retry_after } => Some(*retry_after),
            ApiError::Unavailable(_) => Some(5),
            _ => None,
        };
        if let Some(seconds) = wait {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
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
