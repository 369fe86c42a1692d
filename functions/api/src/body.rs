//! Bodies and query parameters, read with errors that name the field; and writes that may lose to another.

use serde::de::DeserializeOwned;
use shared::store::again::{TRIES, lost_to_another};

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

/// Does a write, again if it lost to another. `work` begins anew each time: a whole transaction.
pub async fn again<T, F>(mut work: impl FnMut() -> F) -> Result<T, ApiError>
where
    F: Future<Output = Result<T, ApiError>>,
{
    for _ in 1..TRIES {
        match work().await {
            Err(ApiError::Internal(error) | ApiError::Unavailable(error)) if lost_to_another(&error) => {}
            done => return done,
        }
    }
    work().await
}
