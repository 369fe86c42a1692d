//! What stands before every handler: request id, proof of the caller, rate, body cap, and a log line.

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use jiff::SignedDuration;
use tracing::Instrument;

use super::envelope::Surface;
use super::error::ApiError;
use super::{Caller, Door, Rate};
use crate::domain::ids::RequestId;
use crate::store::scraper_keys::ScraperKey;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SERVICE_KEY: HeaderName = HeaderName::from_static("x-service-key");
const SCRAPER_KEY: HeaderName = HeaderName::from_static("x-scraper-api-key");

/// What a guard or the router says of an answer, whatever it is.
const CARRIED: [&str; 4] = ["allow", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];

/// Who called: a name to count, log and scope by. Absent on a public route.
#[derive(Debug, Clone)]
pub struct Who(pub String);

/// Which scraper called; only on its routes.
#[derive(Debug, Clone)]
pub struct Scraper(pub ScraperKey);

/// What the table says of one route.
#[derive(Clone)]
pub struct Rules {
    pub door: Door,
    pub method: Method,
    pub path: &'static str,
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
        let shaped = match response.extensions().get::<Arc<ApiError>>() {
            Some(error) => Some(error.answer(surface)),
            None if is_unshaped(&response) => Some(ApiError::Refused(response.status()).answer(surface)),
            None => None,
        };
        if let Some(mut shaped) = shaped {
            // What was said beside the error holds for its shape as well.
            for name in CARRIED {
                if let (Some(value), false) =
                    (response.headers().get(name), shaped.headers().contains_key(name))
                {
                    shaped.headers_mut().insert(name, value.clone());
                }
            }
            response = shaped;
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
    // The framework lets HEAD into the handlers of GET. Only where nobody in particular asks can nothing come of it:
    // to ask for a role is to take it.
    if request.method() != rules.method && rules.caller != Caller::Public {
        let mut refused = ApiError::MethodNotAllowed.into_response();
        let allowed = HeaderValue::from_str(rules.method.as_str());
        refused.headers_mut().insert(header::ALLOW, allowed.unwrap_or(HeaderValue::from_static("GET")));
        return Ok(refused);
    }
    let (who, scraper) = match rules.caller {
        Caller::Scraper => {
            let key = prove_scraper(&rules, request.headers()).await?;
            (Some(format!("scraper:{}", key.id)), Some(Scraper(key)))
        }
        _ => (prove(&rules, request.headers())?, None),
    };
    let used = match (rules.rate, &who) {
        (Rate::PerMinute(limit), Some(who)) => Some(within_rate(&rules.door, who, limit).await?),
        // By itself, so that handing in jobs never uses up the turns to ask for a role.
        (Rate::Scraper, Some(who)) => {
            let limit = rules.door.scrapers.per_minute;
            Some(within_rate(&rules.door, &format!("{who} {}", rules.path), limit).await?)
        }
        _ => None,
    };
    let (mut parts, body) = request.into_parts();
    if let Some(who) = who {
        parts.extensions.insert(Who(who));
    }
    if let Some(scraper) = scraper {
        parts.extensions.insert(scraper);
    }
    let cap = rules.body_cap;
    let mut response = match to_bytes(body, cap).await {
        Ok(bytes) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Err(_) => ApiError::TooLarge { cap }.into_response(),
    };
    if let Some(used) = used {
        used.tell(response.headers_mut());
    }
    Ok(response)
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
        // Proven by a row, before this is asked.
        Caller::Scraper => (None, "Invalid or expired API key"),
    };
    found.map(Some).ok_or(ApiError::Unauthenticated(missing))
}

async fn prove_scraper(rules: &Rules, headers: &HeaderMap) -> Result<ScraperKey, ApiError> {
    let Some(presented) = headers.get(&SCRAPER_KEY) else {
        return Err(ApiError::Unauthenticated("API key required"));
    };
    let found = rules.door.scrapers.prove(presented.as_bytes(), rules.door.clock.now()).await?;
    found.ok_or(ApiError::Unauthenticated("Invalid or expired API key"))
}

/// How much of a minute's allowance is used.
struct Used {
    limit: u32,
    count: i64,
    resets_in: i64,
}

impl Used {
    fn tell(&self, headers: &mut HeaderMap) {
        let left = (i64::from(self.limit) - self.count).max(0);
        headers.insert("ratelimit-limit", HeaderValue::from(self.limit));
        headers.insert("ratelimit-remaining", HeaderValue::from(left));
        headers.insert("ratelimit-reset", HeaderValue::from(self.resets_in));
    }
}

async fn within_rate(door: &Door, who: &str, limit: u32) -> Result<Used, ApiError> {
    let (window, now) = (SignedDuration::from_mins(1), door.clock.now());
    let count = door.gate.count(who, window, now).await?;
    let ends = crate::gate::window_start(window, now) + window;
    let resets_in = ends.duration_since(now).as_secs() + 1;
    if count > i64::from(limit) {
        return Err(ApiError::TooMany { limit, retry_after: resets_in });
    }
    Ok(Used { limit, count, resets_in })
}
