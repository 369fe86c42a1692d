//! The API: every route. It validates, writes rows and answers; no page is fetched here.

mod admin;
mod docs;
mod envelope;
mod error;
mod guard;
mod health;
mod listings;
mod routes;
mod scrape;

use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use shared::clock::Clock;
use shared::gate::Gate;
use shared::house::{House, QueueName};
use shared::queue::Queue;
use shared::store::Pool;
use shared::tokens::Callers;

pub use docs::document;
pub use routes::{Caller, Rate, Route, routes};

/// What the API needs.
#[derive(Clone)]
pub struct Api {
    pub db: Pool,
    pub crawl: Queue,
    pub extract: Queue,
    pub gate: Gate,
    pub callers: Callers,
    pub clock: Clock,
    /// Callers of the scrape service that may wait at once.
    pub max_pending: i64,
}

pub const MAX_PENDING: i64 = 500;

impl Api {
    pub async fn new(house: &House) -> anyhow::Result<Api> {
        Ok(Api {
            db: house.db(Duration::from_secs(2)).await?,
            crawl: house.queue(QueueName::Crawl)?,
            extract: house.queue(QueueName::Extract)?,
            gate: house.gate()?,
            callers: house.callers().await?,
            clock: Clock::System,
            max_pending: MAX_PENDING,
        })
    }
}

/// Every route of the table, each behind its guard; anything else is not found.
pub fn router(api: Api) -> Router {
    let mut router = Router::new();
    for route in routes() {
        let rules = guard::Rules {
            api: api.clone(),
            caller: route.caller,
            body_cap: route.body_cap,
            rate: route.rate,
        };
        let handler = (route.handler)().layer(from_fn_with_state(rules, guard::admit));
        router = router.route(route.path, handler);
    }
    router
        .fallback(|| async { error::ApiError::NotFound("Route") })
        .method_not_allowed_fallback(|| async { error::ApiError::MethodNotAllowed })
        .layer(from_fn(guard::announce))
        .with_state(api)
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Router> {
    Ok(router(Api::new(&House::of_lambda().await?).await.context("starting the api")?))
}
