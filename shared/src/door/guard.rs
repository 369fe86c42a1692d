//! What stands before every handler: request id, proof of the caller, rate, body cap, and a log line.

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use jiff::SignedDuration;
use tracing::Instrument;

use super::envelope::Surface;
use super::error::ApiError;
use super::{Caller, Door, Rate};
use crate::domain::ids::RequestId;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SERVICE_KEY: HeaderName = HeaderName::from_static("x-service-key");

/// Who called: a name to count, log and scope by. Absent on a public route.
#[derive(Debug, Clone)]
pub struct Who(pub String);

/// What the table says of one route.
#[derive(Clone)]
pub struct Rules {
    pub door: Door,
    pub caller: Caller,
    pub body_cap: usize,
    pub rate: Rate,
}

/// Gives the request its id and turns errors into the shape of their surface. Outermost, so that every
/// answer has both.
pub async fn announce(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = RequestId(uuid::Uuid::new_v4());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let surface = Surface::of_path(&path);
    let span = tracing::info_span!("api", request.id = %id, %method, path);
    let mut request = request;
    request.extensions_mut().insert(id);
    async move {
        let mut response = next.run(request).await;
        if let Some(error) = response.extensions().get::<Arc<ApiError>>().cloned() {
            response = error.answer(surface);
        } else if is_unshaped(&response) {
            response = ApiError::Refused(response.status()).answer(surface);
        }
        let value = HeaderValue::try_from(id.to_string()).unwrap_or(HeaderValue::from_static("unknown"));
        response.headers_mut().insert(REQUEST_ID, value);
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        tracing::info!(
            status = response.status().as_u16(),
            duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            "answered"
        );
        response
    }
    .instrument(span)
    .await
}

/// The framework's own refusals (a path that is not UTF-8, say) are plain text.
fn is_unshaped(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let failed = response.status().is_client_error() || response.status().is_server_error();
    failed && !kind.is_some_and(|kind| kind.starts_with("application/json"))
}

/// Lets a request through to its handler, or says why not.
pub async fn admit(State(rules): State<Rules>, request: Request, next: Next) -> Result<Response, ApiError> {
    let who = prove(&rules, request.headers())?;
    if let (Rate::PerMinute(limit), Some(who)) = (rules.rate, &who) {
        within_rate(&rules.door, who, limit).await?;
    }
    let (mut parts, body) = request.into_parts();
    if let Some(who) = who {
        parts.extensions.insert(Who(who));
    }
    let cap = rules.body_cap;
    let bytes = to_bytes(body, cap).await.map_err(|_| ApiError::TooLarge { cap })?;
    Ok(next.run(Request::from_parts(parts, Body::from(bytes))).await)
}

/// Who is calling: a name to count and log by, or nobody in particular on a public route.
fn prove(rules: &Rules, headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let service = || headers.get(&SERVICE_KEY).and_then(|key| rules.door.callers.service(key.as_bytes()));
    let admin = || {
        let token = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
        let claims = rules.door.callers.admin(token.trim(), rules.door.clock.now());
        claims.map(|claims| format!("admin:{}", claims.sub))
    };
    let (found, missing) = match rules.caller {
        Caller::Public => return Ok(None),
        Caller::Service => (service(), "Invalid or missing service key"),
        Caller::Admin => (admin(), "Invalid or missing admin token"),
        Caller::ServiceOrAdmin => (service().or_else(admin), "Invalid or missing service key or admin token"),
    };
    found.map(Some).ok_or(ApiError::Unauthenticated(missing))
}

async fn within_rate(door: &Door, who: &str, limit: u32) -> Result<(), ApiError> {
    let (window, now) = (SignedDuration::from_mins(1), door.clock.now());
    let count = door.gate.count(who, window, now).await?;
    if count > i64::from(limit) {
        let ends = crate::gate::window_start(window, now) + window;
        return Err(ApiError::TooMany { limit, retry_after: ends.duration_since(now).as_secs() + 1 });
    }
    Ok(())
}
