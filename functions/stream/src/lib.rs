//! The stream: calls that outlast an API gateway. A caller hands in a page and waits for what became of it.

mod sync;

use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::http::Method;
use axum::routing::post;
use shared::clock::Clock;
use shared::door::{self, Caller, Door, Rate};
use shared::gate::Gate;
use shared::house::{House, QueueName};
use shared::scrape::intake::Intake;
use shared::scrape::wait::Waiter;
use shared::scrapers::{PER_MINUTE, Scrapers};
use shared::tokens::Callers;
use utoipa::OpenApi;

pub type Route = door::Route<Stream>;

/// What the stream needs.
#[derive(Clone)]
pub struct Stream {
    pub intake: Intake,
    pub waiter: Waiter,
    pub gate: Gate,
    pub callers: Callers,
}

impl Stream {
    pub async fn new(house: &House) -> anyhow::Result<Stream> {
        let db = house.db(Duration::from_secs(2)).await?;
        Ok(Stream {
            waiter: Waiter::new(db.clone()),
            intake: Intake {
                db,
                crawl: house.queue(QueueName::Crawl)?,
                clock: Clock::System,
                max_pending: house.max_queue_depth()?,
                callbacks: house.permission()?,
                default_webhook_url: house.default_webhook_url(),
            },
            gate: house.gate()?,
            callers: house.callers().await?,
        })
    }
}

#[derive(OpenApi)]
#[openapi(info(title = "Freshet", description = "Listings that are still true."), paths(sync::scrape))]
struct Document;

/// What this room answers.
pub fn document() -> serde_json::Value {
    door::described(&Document::openapi(), &routes())
}

pub fn routes() -> Vec<Route> {
    vec![Route {
        method: Method::POST,
        path: "/api/v1/scrape/sync",
        caller: Caller::Service,
        body_cap: 16 * 1024,
        rate: Rate::PerMinute(6_000),
        handler: || post(sync::scrape),
    }]
}

/// Every route of the table, each behind its guard.
pub fn doors(stream: Stream) -> Router {
    let door = Door {
        callers: stream.callers.clone(),
        gate: stream.gate.clone(),
        clock: stream.intake.clock.clone(),
        // No route of this room is a scraper's; who asks as one finds no door.
        scrapers: Scrapers::new(stream.intake.db.clone(), PER_MINUTE),
    };
    door::open(&door, routes(), stream)
}

/// The room alone; anything that is not in its table is not found.
pub fn router(stream: Stream) -> Router {
    door::house(doors(stream))
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Router> {
    Ok(router(Stream::new(&House::of_lambda().await?).await.context("starting the stream")?))
}
