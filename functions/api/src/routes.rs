//! The one table of routes: what may be called, by whom, with how large a body and how often. A request
//! that is not in the table is not answered.

use axum::http::Method;
use axum::routing::{delete, get, patch, post, put};

use crate::{
    Api, admin, candidates, clusters, docs, health, jobs, keys, listings, metrics, monitoring, policies,
    replay, roles, scrape, scraper, sources, webhooks,
};

pub use shared::door::{Caller, Rate};

pub type Route = shared::door::Route<Api>;

const NO_BODY: usize = 0;
const WRITES: Rate = Rate::PerMinute(6_000);
const ADMIN_RATE: Rate = Rate::PerMinute(600);
/// Signs of life, and jobs: many more than roles.
const SCRAPER_RATE: Rate = Rate::PerMinute(6_000);
/// Also what is sent to routes that need nothing: `{}` is no fault.
const SMALL: usize = 16 * 1024;
/// A post of jobs: as much as Lambda carries.
const JOBS: usize = 4 * 1024 * 1024;

pub fn routes() -> Vec<Route> {
    use Caller::{Admin, Public, Scraper, Service, ServiceOrAdmin};
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
        row(Method::POST, "/api/v1/scrape/jobs/{job_id}/cancel", Service, SMALL, WRITES, || {
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
        row(Method::POST, "/api/admin/dead-letters/{id}/replay", Admin, SMALL, ADMIN_RATE, || {
            post(admin::replay)
        }),
        row(Method::DELETE, "/api/admin/dead-letters/{id}", Admin, NO_BODY, ADMIN_RATE, || {
            delete(admin::discard)
        }),
        row(Method::GET, "/api/admin/policies", Admin, NO_BODY, ADMIN_RATE, || get(policies::show)),
        row(Method::PUT, "/api/admin/policies", Admin, 256 * 1024, ADMIN_RATE, || put(policies::replace)),
        row(Method::GET, "/api/admin/sources", Admin, NO_BODY, ADMIN_RATE, || get(sources::list)),
        row(Method::POST, "/api/admin/sources", Admin, 16 * 1024, ADMIN_RATE, || post(sources::add)),
        row(Method::GET, "/api/admin/sources/{id}", Admin, NO_BODY, ADMIN_RATE, || get(sources::one)),
        row(Method::PATCH, "/api/admin/sources/{id}", Admin, SMALL, ADMIN_RATE, || patch(sources::change)),
        row(Method::POST, "/api/admin/sources/{id}/scrape", Admin, SMALL, ADMIN_RATE, || {
            post(sources::scrape)
        }),
        row(Method::GET, "/api/admin/webhooks", Admin, NO_BODY, ADMIN_RATE, || get(webhooks::list)),
        row(Method::POST, "/api/admin/webhooks/{id}/replay", Admin, SMALL, ADMIN_RATE, || {
            post(webhooks::replay)
        }),
        row(Method::GET, "/api/scraper/queue/next-role", Scraper, NO_BODY, Rate::Scraper, || {
            get(scraper::next_role)
        }),
        row(Method::POST, "/api/scraper/queue/jobs", Scraper, JOBS, SCRAPER_RATE, || post(scraper::jobs)),
        row(Method::GET, "/api/scraper/queue/stats", Scraper, NO_BODY, SCRAPER_RATE, || get(scraper::stats)),
        row(
            Method::POST,
            "/api/scraper/queue/sessions/{session_id}/heartbeat",
            Scraper,
            SMALL,
            SCRAPER_RATE,
            || post(scraper::heartbeat),
        ),
        row(
            Method::POST,
            "/api/scraper/queue/sessions/{session_id}/release",
            Scraper,
            SMALL,
            SCRAPER_RATE,
            || post(scraper::release),
        ),
        row(
            Method::POST,
            "/api/scraper/queue/sessions/{session_id}/fail",
            Scraper,
            SMALL,
            SCRAPER_RATE,
            || post(scraper::fail),
        ),
        row(Method::GET, "/api/scraper-monitoring/sessions", Admin, NO_BODY, ADMIN_RATE, || {
            get(monitoring::sessions)
        }),
        row(Method::GET, "/api/scraper-monitoring/stats", Admin, NO_BODY, ADMIN_RATE, || {
            get(monitoring::stats)
        }),
        row(Method::GET, "/api/scraper-monitoring/queue", Admin, NO_BODY, ADMIN_RATE, || {
            get(monitoring::queue)
        }),
        row(Method::GET, "/api/scraper-monitoring/imports", Admin, NO_BODY, ADMIN_RATE, || {
            get(monitoring::imports)
        }),
        row(Method::POST, "/api/admin/scraper-keys", Admin, SMALL, ADMIN_RATE, || post(keys::create)),
        row(Method::GET, "/api/admin/scraper-keys", Admin, NO_BODY, ADMIN_RATE, || get(keys::list)),
        row(Method::POST, "/api/admin/scraper-keys/{id}/rotate", Admin, SMALL, ADMIN_RATE, || {
            post(keys::rotate)
        }),
        row(Method::POST, "/api/admin/scraper-keys/{id}/expire", Admin, SMALL, ADMIN_RATE, || {
            post(keys::expire)
        }),
        row(Method::POST, "/api/admin/scraper-keys/{id}/revoke", Admin, SMALL, ADMIN_RATE, || {
            post(keys::revoke)
        }),
        row(Method::GET, "/api/admin/roles", Admin, NO_BODY, ADMIN_RATE, || get(roles::list)),
        row(Method::POST, "/api/admin/roles", Admin, SMALL, ADMIN_RATE, || post(roles::create)),
        row(Method::GET, "/api/admin/roles/{id}", Admin, NO_BODY, ADMIN_RATE, || get(roles::one)),
        row(Method::POST, "/api/admin/roles/{id}/priority", Admin, SMALL, ADMIN_RATE, || {
            post(roles::set_priority)
        }),
        row(Method::POST, "/api/admin/roles/{id}/requeue", Admin, SMALL, ADMIN_RATE, || post(roles::requeue)),
        row(Method::POST, "/api/admin/roles/{id}/merge", Admin, SMALL, ADMIN_RATE, || post(roles::merge)),
        row(Method::GET, "/api/admin/role-decisions", Admin, NO_BODY, ADMIN_RATE, || get(roles::decisions)),
        row(Method::POST, "/api/admin/role-decisions/{id}/correct", Admin, SMALL, ADMIN_RATE, || {
            post(roles::correct)
        }),
        row(Method::POST, "/api/candidates", ServiceOrAdmin, 64 * 1024, WRITES, || post(candidates::create)),
        row(Method::GET, "/api/candidates", ServiceOrAdmin, NO_BODY, Rate::Unlimited, || {
            get(candidates::list)
        }),
        row(Method::GET, "/api/candidates/{id}", ServiceOrAdmin, NO_BODY, Rate::Unlimited, || {
            get(candidates::one)
        }),
        row(Method::PUT, "/api/candidates/{id}", ServiceOrAdmin, 64 * 1024, WRITES, || {
            put(candidates::replace)
        }),
        row(Method::DELETE, "/api/candidates/{id}", ServiceOrAdmin, NO_BODY, WRITES, || {
            delete(candidates::delete)
        }),
        row(Method::GET, "/api/candidates/{id}/matches", ServiceOrAdmin, NO_BODY, Rate::Unlimited, || {
            get(candidates::list_matches)
        }),
    ]
}
