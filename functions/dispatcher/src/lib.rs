//! The dispatcher: the sweep. Whoever makes or settles a task releases the next one; this only finds what
//! fell through: lost messages, due retries, sites with work and nothing in flight.

use std::time::Duration;

use anyhow::Context;
use jiff::SignedDuration;
use serde::Serialize;
use shared::clock::Clock;
use shared::house::{House, QueueName};
use shared::queue::Queue;
use shared::release;
use shared::store::{Pool, sweep as lost};
use tracing::instrument;

/// What the dispatcher needs.
pub struct Dispatcher {
    pub db: Pool,
    pub crawl: Queue,
    pub extract: Queue,
    pub clock: Clock,
    /// A site that has been silent for longer than this has lost its messages.
    pub silence: SignedDuration,
}

/// The longest a message is put off before the task itself waits.
const GATE_WAIT: SignedDuration = SignedDuration::from_mins(15);

/// What a sweep found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    pub sites: usize,
    pub released: usize,
    pub extracts: usize,
}

impl Dispatcher {
    pub async fn new(house: &House) -> anyhow::Result<Dispatcher> {
        // Past the visibility of the queue: six times a function's timeout on AWS, 15 s on one machine.
        let silence = match house {
            House::Aws(_) => SignedDuration::from_secs(6 * 60 + 60),
            House::Local(_) => SignedDuration::from_secs(30),
        };
        Ok(Dispatcher {
            db: house.db(Duration::from_secs(5)).await?,
            crawl: house.queue(QueueName::Crawl)?,
            extract: house.queue(QueueName::Extract)?,
            clock: Clock::System,
            silence,
        })
    }
}

/// One sweep.
#[instrument(name = "dispatcher", skip_all)]
pub async fn sweep(room: &Dispatcher) -> anyhow::Result<Swept> {
    sweep_after(room, room.silence).await
}

/// A sweep that takes messages for lost after this much silence. The next start of a killed program
/// need not wait: nobody else holds any.
pub async fn sweep_after(room: &Dispatcher, silence: SignedDuration) -> anyhow::Result<Swept> {
    let now = room.clock.now();
    let conn = room.db.conn().await?;
    let mut sites = lost::take_back_lost(&*conn, now - silence, now - silence - GATE_WAIT).await?;
    let renewed = lost::renew_lost_extracts(&*conn, now - silence, now).await?;
    sites.extend(lost::idle_sites(&*conn, now).await?);
    drop(conn);
    sites.sort();
    sites.dedup();
    let mut swept = Swept { sites: sites.len(), extracts: renewed.len(), released: 0 };
    for (task_id, release_no) in renewed {
        release::extract(&room.extract, task_id, release_no).await?;
    }
    for site in sites {
        match release::site(&room.db, &room.crawl, &site, now).await {
            Ok(released) => swept.released += released,
            // One site's trouble must not keep the others waiting.
            Err(error) => {
                tracing::error!(domain = site.as_str(), error = format!("{error:#}"), "releasing failed");
            }
        }
    }
    if swept != Swept::default() {
        tracing::info!(sites = swept.sites, released = swept.released, extracts = swept.extracts, "swept");
    }
    Ok(swept)
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Dispatcher> {
    Dispatcher::new(&House::of_lambda().await?).await.context("starting the dispatcher")
}
