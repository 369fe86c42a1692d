//! The line that says how a task ended: one for each, wherever it ends.

use jiff::Timestamp;
use serde_json::Value;

use super::loggable;
use crate::domain::site::Site;

/// The way of a page that took no proxy.
pub const DIRECT: &str = "direct";
/// The way of a page that nobody went for.
pub const NONE: &str = "none";
/// The way of a page that somebody went for and did not come back from.
pub const UNKNOWN: &str = "unknown";

/// A task was completed. `began` is when it was first claimed.
pub fn completed(site: &Site, result: Option<&Value>, began: Option<Timestamp>, now: Timestamp) {
    let took = began.map_or(0, |began| now.duration_since(began).as_millis());
    tracing::info!(
        target_domain = site.as_str(),
        duration_ms = i64::try_from(took).unwrap_or(i64::MAX),
        fields_extracted = result.map_or(0, known_fields),
        "a task was completed"
    );
}

/// A task failed. `proxy_used` is the proxy's place in the list, or one of the words above.
pub fn failed(url: &str, proxy_used: &str, code: &str, reason: &str) {
    tracing::warn!(
        target_url = loggable(url),
        proxy_used,
        error_code = code,
        error_reason = reason,
        "a task failed"
    );
}

/// Fields that have a value. Where they came from is no field.
fn known_fields(result: &Value) -> usize {
    let known = |value: &Value| match value {
        Value::Null => false,
        Value::Array(values) => !values.is_empty(),
        _ => true,
    };
    let fields = result.as_object().into_iter().flatten();
    fields.filter(|(name, value)| *name != "provenance" && known(value)).count()
}
