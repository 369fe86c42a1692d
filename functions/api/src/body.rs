//! Bodies and query parameters, read with errors that name the field; and writes that may lose to another.

use serde::de::DeserializeOwned;
use tokio_postgres::error::SqlState;

use crate::error::{ApiError, FieldError};

/// A JSON body of a type.
pub fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(bytes).map_err(|error| field("body", &error.to_string()))
}

/// One field is wrong.
pub fn field(name: &str, message: &str) -> ApiError {
    ApiError::Invalid(vec![FieldError::new(name, message)])
}

/// A query whose parameters are all known.
pub fn query<T>(
    query: Result<axum::extract::Query<T>, axum::extract::rejection::QueryRejection>,
) -> Result<T, ApiError> {
    query.map(|axum::extract::Query(query)| query).map_err(|error| field("query", &error.body_text()))
}

/// Times that a write which lost to another is tried.
pub const TRIES: usize = 4;

/// Two that wanted the same rows: one of them goes again.
pub fn lost_to_another(error: &ApiError) -> bool {
    let (ApiError::Internal(error) | ApiError::Unavailable(error)) = error else { return false };
    let codes =
        [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE, SqlState::LOCK_NOT_AVAILABLE];
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<tokio_postgres::Error>())
        .any(|error| error.code().is_some_and(|code| codes.contains(code)))
}
