//! Bodies and query parameters, read with errors that name the field; and writes that may lose to another.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shared::store::again::{TRIES, lost_to_another};

use crate::error::{ApiError, FieldError};

/// A JSON body of a type. Objects only: a list of its fields' values is not what anybody meant.
pub fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let wrong = |error: serde_json::Error| field("body", &error.to_string());
    let value: Value = serde_json::from_slice(bytes).map_err(wrong)?;
    if !value.is_object() {
        return Err(field("body", "must be an object"));
    }
    serde_json::from_value(whole(value)).map_err(wrong)
}

/// To JSON 3.0 is the number 3; to a field that counts as well.
fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            // Up to where every whole number has a float of its own.
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => json!(float as i64),
            _ => Value::Number(number),
        },
        Value::Array(values) => values.into_iter().map(whole).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, whole(value))).collect(),
        other => other,
    }
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
