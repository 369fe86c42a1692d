//! `Idempotency-Key`: a request with one may be sent again without doing anything twice.

use axum::http::HeaderMap;
use sha2::{Digest, Sha256};

use crate::door::{ApiError, FieldError};
use crate::store::idempotency::Keyed;

const HEADER: &str = "idempotency-key";
const LONGEST: usize = 255;

/// The key of a request, if it has one. `workspace` and `who` keep the keys of different callers apart.
pub fn of(
    headers: &HeaderMap,
    who: &str,
    workspace: Option<&str>,
    route: &str,
    body: &[u8],
) -> Result<Option<Keyed>, ApiError> {
    let Some(value) = headers.get(HEADER) else { return Ok(None) };
    let key = value.to_str().ok().filter(|key| (1..=LONGEST).contains(&key.len()));
    let Some(key) = key else {
        let wrong = format!("must be 1 to {LONGEST} printable characters");
        return Err(ApiError::Invalid(vec![FieldError::new("Idempotency-Key", wrong)]));
    };
    Ok(Some(Keyed {
        scope: format!("{who}/{}", workspace.unwrap_or_default()),
        key: key.to_owned(),
        request_sha256: fingerprint(route, body),
    }))
}

/// The same for bodies that say the same, however they are written.
fn fingerprint(route: &str, body: &[u8]) -> String {
    let said = serde_json::from_slice::<serde_json::Value>(body).map(|value| value.to_string());
    let mut hash = Sha256::new_with_prefix(route);
    hash.update([0]);
    hash.update(said.as_deref().map_or(body, str::as_bytes));
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_the_same_is_the_same() {
        let print = |body: &str| fingerprint("/a", body.as_bytes());
        assert_eq!(print(r#"{"a":1,"b":[2]}"#), print("{ \"b\" : [2],\n\"a\": 1 }"));
        assert_ne!(print(r#"{"a":1}"#), print(r#"{"a":2}"#));
        assert_ne!(fingerprint("/a", b"{}"), fingerprint("/b", b"{}"));
    }

    #[test]
    fn a_key_is_short_and_printable() {
        let ask = |key: &str| {
            let headers = HeaderMap::from_iter([(HEADER.parse().unwrap(), key.parse().unwrap())]);
            of(&headers, "who", None, "/a", b"{}")
        };
        assert!(ask("0198c0de").is_ok());
        assert!(ask(&"k".repeat(255)).is_ok());
        assert!(ask(&"k".repeat(256)).is_err());
        assert!(ask("").is_err());
        assert_eq!(of(&HeaderMap::new(), "who", None, "/a", b"{}").unwrap(), None);
    }
}
