//! The API: every route but the one that waits. It validates, writes rows and answers; no page is fetched here.

mod admin;
mod body;
mod candidates;
mod clusters;
mod docs;
mod health;
mod jobs;
mod keys;
mod listings;
mod metrics;
mod monitoring;
mod policies;
mod replay;
mod roles;
mod routes;
mod scrape;
mod scraper;
mod sources;
mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use shared::ai::Ai;
use shared::blobs::Blobs;
use shared::clock::Clock;
use shared::domain::readiness::RouteHealth;
use shared::door::{self, Door};
use shared::egress::Permission;
use shared::gate::Gate;
use shared::house::{House, QueueName};
use shared::proxies::Proxies;
use shared::queue::Queue;
use shared::scrape::intake::Intake;
use shared::scrapers::Scrapers;
use shared::store::Pool;
use shared::tokens::Callers;

pub use docs::{Page, document};
pub use routes::{Caller, Rate, Route, routes};

// What every HTTP room has at its door, by the names this room calls it.
use shared::door::{envelope, error};

/// What the API needs.
#[derive(Clone)]
pub struct Api {
    pub db: Pool,
    pub crawl: Queue,
    pub render: Queue,
    pub extract: Queue,
    pub notify: Queue,
    pub matches: Queue,
    pub gate: Gate,
    /// Only to read stored pages again.
    pub blobs: Blobs,
    pub callers: Callers,
    pub scrapers: Scrapers,
    /// Who is asked which role a title means, where the title alone does not say it.
    pub ai: Ai,
    pub clock: Clock,
    /// Callers of the scrape service that may wait at once.
    pub max_pending: i64,
    /// Who is told of jobs that name nobody.
    pub default_webhook_url: Option<String>,
    /// Private hosts that may be called back.
    pub callbacks: Permission,
    pub ways: Ways,
    /// What the host answers: this room alone, or together with others on one port.
    pub description: Arc<serde_json::Value>,
    pub page: Page,
}

/// The ways to the web: the operator's proxies, as every instance sees them, or as a test says.
#[derive(Clone)]
pub enum Ways {
    Proxies(Arc<Proxies>),
    Known(Vec<RouteHealth>),
}

impl Api {
    pub async fn new(house: &House) -> anyhow::Result<Api> {
        let db = house.db(Duration::from_secs(2)).await?;
        let allowed = house.scrapers()?;
        Ok(Api {
            scrapers: Scrapers::new(db.clone(), allowed.per_minute).with_lease(allowed.lease),
            ai: house.ai(&db).await?,
            db,
            crawl: house.queue(QueueName::Crawl)?,
            render: house.queue(QueueName::Render)?,
            extract: house.queue(QueueName::Extract)?,
            notify: house.queue(QueueName::Notify)?,
            matches: house.queue(QueueName::Match)?,
            gate: house.gate()?,
            blobs: house.blobs()?,
            callers: house.callers().await?,
            clock: Clock::System,
            max_pending: house.max_queue_depth()?,
            default_webhook_url: house.default_webhook_url(),
            callbacks: house.permission()?,
            ways: Ways::Proxies(Arc::new(house.proxies().await?)),
            description: Arc::new(document()),
            page: Page::BUILT_IN,
        })
    }

    fn intake(&self) -> Intake {
        Intake {
            db: self.db.clone(),
            crawl: self.crawl.clone(),
            clock: self.clock.clone(),
            max_pending: self.max_pending,
            callbacks: self.callbacks.clone(),
            default_webhook_url: self.default_webhook_url.clone(),
        }
    }
}

/// Every route of the table, each behind its guard.
pub fn doors(api: Api) -> Router {
    let door = Door {
        callers: api.callers.clone(),
        gate: api.gate.clone(),
        clock: api.clock.clone(),
        scrapers: api.scrapers.clone(),
    };
    door::open(&door, routes(), api)
}

/// The room alone; anything that is not in its table is not found.
pub fn router(api: Api) -> Router {
    door::house(doors(api))
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Router> {
    Ok(router(Api::new(&House::of_lambda().await?).await.context("starting the api")?))
}
