//! The one table of routes: what may be called, by whom, with how large a body and how often. A request
//! that is not in the table is not answered.

use axum::http::Method;
use axum::routing::{delete, get, post, put};

use crate::{
    Api, admin, clusters, docs, health, jobs, listings, metrics, policies, replay, scrape, webhooks,
};

pub use shared::door::{Caller, Rate};

pub type Route = shared::door::Route<Api>;

const NO_BODY: usize = 0;
const WRITES: Rate = Rate::PerMinute(6_000);
const ADMIN_RATE: Rate = Rate::PerMinute(600);

pub fn routes() -> Vec<Route> {
    use Caller::{Admin, Public, Service, ServiceOrAdmin};
    let row = |method, path, caller, body_cap, rate, handler| Route {
        method,
        path,
        caller,
        body_cap,
        rate,
        handler,
    };
    vec![
        row(Method::GET, "/", Public, NO_BODY, Rate::Unlimited, || get(docs::page)),
        row(Method::GET, "/health", Public, NO_BODY, Rate::Unlimited, || get(health::health)),
        row(Method::GET, "/readiness", Public, NO_BODY, Rate::Unlimited, || get(health::readiness)),
        row(Method::GET, "/metrics", Public, NO_BODY, Rate::Unlimited, || get(metrics::metrics)),
        row(Method::GET, "/openapi.json", Public, NO_BODY, Rate::Unlimited, || get(docs::openapi)),
        row(Method::POST, "/api/v1/scrape", Service, 16 * 1024, WRITES, || post(scrape::submit)),
        row(Method::GET, "/api/v1/scrape/{task_id}", Service, NO_BODY, Rate::Unlimited, || {
            get(scrape::status)
        }),
        row(Method::POST, "/api/v1/scrape/batch", Service, 512 * 1024, WRITES, || post(jobs::submit)),
        row(Method::GET, "/api/v1/scrape/jobs/{job_id}", Service, NO_BODY, Rate::Unlimited, || {
            get(jobs::status)
        }),
        row(Method::GET, "/api/v1/scrape/jobs/{job_id}/results", Service, NO_BODY, Rate::Unlimited, || {
            get(jobs::results)
        }),
        row(Method::POST, "/api/v1/scrape/jobs/{job_id}/cancel", Service, NO_BODY, WRITES, || {
            post(jobs::cancel)
        }),
        row(Method::GET, "/api/listings", ServiceOrAdmin, NO_BODY, Rate::Unlimited, || get(listings::list)),
        row(Method::GET, "/api/listings/{id}", ServiceOrAdmin, NO_BODY, Rate::Unlimited, || {
            get(listings::one)
        }),
        row(Method::GET, "/api/listings/{id}/evidence", ServiceOrAdmin, NO_BODY, Rate::Unlimited, || {
            get(listings::evidence)
        }),
        row(Method::GET, "/api/listings/{id}/cluster", ServiceOrAdmin, NO_BODY, Rate::Unlimited, || {
            get(clusters::one)
        }),
        row(Method::POST, "/api/admin/clusters/split", Admin, 16 * 1024, ADMIN_RATE, || {
            post(clusters::split)
        }),
        row(Method::POST, "/api/admin/clusters/unsplit", Admin, 16 * 1024, ADMIN_RATE, || {
            post(clusters::unsplit)
        }),
        row(Method::POST, "/api/admin/replay", Admin, 16 * 1024, ADMIN_RATE, || post(replay::run)),
        row(Method::GET, "/api/admin/dead-letters", Admin, NO_BODY, ADMIN_RATE, || get(admin::list)),
        row(Method::POST, "/api/admin/dead-letters/{id}/replay", Admin, NO_BODY, ADMIN_RATE, || {
            post(admin::replay)
        }),
        row(Method::DELETE, "/api/admin/dead-letters/{id}", Admin, NO_BODY, ADMIN_RATE, || {
            delete(admin::discard)
        }),
        row(Method::GET, "/api/admin/policies", Admin, NO_BODY, ADMIN_RATE, || get(policies::show)),
        row(Method::PUT, "/api/admin/policies", Admin, 256 * 1024, ADMIN_RATE, || put(policies::replace)),
        row(Method::GET, "/api/admin/webhooks", Admin, NO_BODY, ADMIN_RATE, || get(webhooks::list)),
        row(Method::POST, "/api/admin/webhooks/{id}/replay", Admin, NO_BODY, ADMIN_RATE, || {
            post(webhooks::replay)
        }),
    ]
}
