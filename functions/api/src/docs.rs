//! The API, described: for machines at `/openapi.json`, for people at `/`.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::Value;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::error::FieldError;
use crate::{
    Api, admin, candidates, clusters, health, jobs, keys, listings, metrics, monitoring, policies, replay,
    roles, scrape, scraper, sources, webhooks,
};

#[derive(OpenApi)]
#[openapi(
    info(title = "Freshet", description = "Listings that are still true."),
    paths(
        page, openapi, health::health, health::readiness, metrics::metrics, scrape::submit, scrape::status,
        jobs::submit, jobs::status, jobs::results, jobs::cancel,
        listings::list, listings::one, listings::evidence, clusters::one, clusters::split, clusters::unsplit,
        replay::run, admin::list, admin::replay, admin::discard,
        policies::show, policies::replace, sources::add, sources::list, sources::one,
        sources::change, sources::scrape,
        webhooks::list, webhooks::replay,
        scraper::next_role, scraper::jobs, scraper::stats, scraper::heartbeat, scraper::release, scraper::fail,
        monitoring::sessions, monitoring::stats, monitoring::queue, monitoring::imports,
        keys::create, keys::list, keys::rotate, keys::expire, keys::revoke,
        roles::list, roles::create, roles::one, roles::set_priority, roles::requeue, roles::merge, roles::decisions,
        roles::correct,
        candidates::create, candidates::list, candidates::one, candidates::replace, candidates::delete,
        candidates::list_matches
    ),
    components(schemas(FieldError)),
    modifiers(&Proofs)
)]
struct Document;

struct Proofs;

impl Modify for Proofs {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let key = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("X-Service-Key")));
        components.add_security_scheme("service", key);
        let scraper = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("X-Scraper-API-Key")));
        components.add_security_scheme("scraper", scraper);
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
        components.add_security_scheme("admin", SecurityScheme::Http(bearer));
    }
}

/// The whole description.
pub fn document() -> Value {
    shared::door::described(&Document::openapi(), &crate::routes())
}

/// This description.
#[utoipa::path(get, path = "/openapi.json", tag = "service",
    responses((status = 200, description = "The API in OpenAPI 3.1")))]
pub async fn openapi(State(api): State<Api>) -> Json<Value> {
    Json((*api.description).clone())
}

/// A page that shows this description and what is going on.
#[utoipa::path(get, path = "/", tag = "service",
    responses((status = 200, description = "A page for people", content_type = "text/html")))]
pub async fn page(State(api): State<Api>) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, api.page.policy),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, api.page.html)
}

/// The page at `/`: what it says, and what it may load.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub html: &'static [u8],
    /// Its `Content-Security-Policy`.
    pub policy: &'static str,
}

impl Page {
    /// One file without a build step; a host that has the web app serves that instead.
    pub const BUILT_IN: Page = Page {
        html: include_bytes!("page.html"),
        policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                 base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    };
}
