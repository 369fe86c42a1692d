//! The dispatcher: the sweep. Whoever makes or settles a task releases the next one; this only finds what
//! fell through: lost messages, due retries, sites with work and nothing in flight, ended jobs that were not told of.

use std::time::Duration;

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use shared::checks::{self, Begun};
use shared::clock::Clock;
use shared::domain::failure::ServiceFailure;
use shared::egress::Egress;
use shared::house::{House, QueueName};
use shared::messages::{CrawlJob, ExtractJob};
use shared::proxies::Proxies;
use shared::queue::{Held, Outgoing, Queue};
use shared::store::deadlines::{self, Expired};
use shared::store::sweep::Silent;
use shared::store::{Pool, sweep as lost};
use shared::telemetry::ended;
use shared::{matching, notify, release};
use tracing::instrument;

/// What the dispatcher needs.
pub struct Dispatcher {
    pub db: Pool,
    pub crawl: Queue,
    pub extract: Queue,
    pub notify: Queue,
    pub matches: Queue,
    pub clock: Clock,
    /// A site that has been silent for longer than this has lost its messages.
    pub silence: SignedDuration,
    /// Only where there are proxies.
    pub probes: Option<Probes>,
}

/// What it takes to try a proxy.
pub struct Probes {
    pub proxies: Proxies,
    pub web: Egress,
    pub url: String,
}

/// The longest a message is put off before the task itself waits.
const GATE_WAIT: SignedDuration = SignedDuration::from_mins(15);
/// A renderer's answer may be on its way when its lease ends.
const SLACK: SignedDuration = SignedDuration::from_secs(2);
/// Sites that are released in one transaction.
const AT_ONCE: usize = 50;

/// A page that a caller waits for has this long from its first claim to its end.
const TASK_TIMEOUT: SignedDuration = SignedDuration::from_secs(60);

/// What a sweep found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    pub sites: usize,
    pub released: usize,
    pub extracts: usize,
    pub webhooks: usize,
    pub matches: usize,
    /// Sources whose read was begun, and listings whose check was.
    pub reads: usize,
    pub checks: usize,
}

impl Dispatcher {
    pub async fn new(house: &House) -> anyhow::Result<Dispatcher> {
        // Past the visibility of the queue: six times a function's timeout on AWS, 15 s on one machine.
        let silence = match house {
            House::Aws(_) => SignedDuration::from_secs(6 * 60 + 60),
            House::Local(_) => SignedDuration::from_secs(30),
        };
        let outbound = house.outbound().await?;
        let probes = if outbound.proxies.is_empty() {
            None
        } else {
            let web = house.egress()?.with_proxies(&outbound.proxies).context("PROXY_ENDPOINTS")?;
            let proxies = Proxies::new(&outbound.proxies, house.gate()?);
            Some(Probes { proxies, web, url: outbound.probe_url })
        };
        Ok(Dispatcher {
            probes,
            db: house.db(Duration::from_secs(5)).await?,
            crawl: house.queue(QueueName::Crawl)?,
            extract: house.queue(QueueName::Extract)?,
            notify: house.queue(QueueName::Notify)?,
            matches: house.queue(QueueName::Match)?,
            clock: Clock::System,
            silence,
        })
    }
}

/// One sweep.
#[instrument(name = "dispatcher", skip_all)]
pub async fn sweep(room: &Dispatcher) -> anyhow::Result<Swept> {
    let swept = sweep_after(room, room.silence).await;
    if let Some(probes) = &room.probes
        && let Err(error) = probes.proxies.probe(&probes.web, &probes.url, room.clock.now()).await
    {
        // The sweep matters more than a proxy.
        tracing::error!(error = format!("{error:#}"), "probing the proxies failed");
    }
    swept
}

/// A sweep that takes messages for lost after this much silence. The next start of a killed program
/// need not wait: nobody else holds any.
pub async fn sweep_after(room: &Dispatcher, silence: SignedDuration) -> anyhow::Result<Swept> {
    let now = room.clock.now();
    let conn = room.db.conn().await?;
    let late = deadlines::expire(&*conn, TASK_TIMEOUT, now).await?;
    let far_too_long = now - silence - GATE_WAIT;
    let fetches = lost::silent_fetches(&*conn, now - silence, far_too_long, now - SLACK).await?;
    let fetches = lost_of(&room.crawl, fetches, far_too_long, crawl_message).await?;
    let mut sites = lost::take_back(&*conn, &fetches).await?;
    let extracts = lost::silent_extracts(&*conn, now - silence).await?;
    let extracts = lost_of(&room.extract, extracts, far_too_long, extract_message).await?;
    let renewed = lost::renew_extracts(&*conn, &extracts, now).await?;
    sites.extend(lost::idle_sites(&*conn, now).await?);
    drop(conn);
    let begun = begin(room, now).await;
    sites.extend(begun.sites);
    sites.extend(late.iter().map(|task| task.site.clone()));
    late.iter().for_each(|task| say_late(room, task));
    sites.sort();
    sites.dedup();
    let mut swept = Swept {
        sites: sites.len(),
        extracts: renewed.len(),
        reads: begun.reads,
        checks: begun.checks,
        ..Swept::default()
    };
    for (task_id, release_no) in renewed {
        release::extract(&room.extract, task_id, release_no).await?;
    }
    for some in sites.chunks(AT_ONCE) {
        match release::sites(&room.db, &room.crawl, some, now).await {
            Ok(released) => swept.released += released,
            // The trouble of a few sites must not keep the others waiting.
            Err(error) => {
                let sites = some.iter().map(shared::domain::site::Site::as_str).collect::<Vec<_>>().join(" ");
                tracing::error!(sites, error = format!("{error:#}"), "releasing failed");
            }
        }
    }
    swept.webhooks = notify::sweep(&room.db, &room.notify, silence, now).await?;
    swept.matches = matching::sweep(&room.db, &room.matches, silence, now).await?;
    if swept != Swept::default() {
        tracing::info!(
            sites = swept.sites,
            released = swept.released,
            extracts = swept.extracts,
            webhooks = swept.webhooks,
            matches = swept.matches,
            reads = swept.reads,
            checks = swept.checks,
            "swept"
        );
    }
    Ok(swept)
}

/// Those of the silent whose message is no longer in its queue. In a long line silence is no loss: a new message would
/// only go to its end. Where the queue cannot tell, a task that has been out far too long is taken for lost.
async fn lost_of(
    queue: &Queue,
    silent: Vec<Silent>,
    far_too_long: Timestamp,
    message: fn(&Silent) -> anyhow::Result<Outgoing>,
) -> anyhow::Result<Vec<Silent>> {
    let messages = silent.iter().map(message).collect::<anyhow::Result<Vec<_>>>()?;
    let held = queue.holds(&messages).await?;
    let is_lost = |task: &Silent, held| match held {
        _ if task.unrendered => true, // its message was deleted before it was worked on
        Held::Yes => false,
        Held::Perhaps => task.heard_at < far_too_long,
        Held::No => true,
    };
    Ok(silent
        .into_iter()
        .zip(held)
        .filter(|(task, held)| is_lost(task, *held))
        .map(|(task, _)| task)
        .collect())
}

fn crawl_message(task: &Silent) -> anyhow::Result<Outgoing> {
    CrawlJob { task_id: task.id, release_no: task.release_no }.outgoing(&task.site)
}

fn extract_message(task: &Silent) -> anyhow::Result<Outgoing> {
    ExtractJob { task_id: task.id, release_no: task.release_no }.outgoing()
}

/// Begins what time asks for. The sweep matters more: what cannot be begun now is due at the next one.
async fn begin(room: &Dispatcher, now: jiff::Timestamp) -> Begun {
    let begun = async {
        let mut conn = room.db.conn().await?;
        let transaction = conn.transaction().await?;
        let begun = checks::begin(&transaction, now).await?;
        transaction.commit().await?;
        anyhow::Ok(begun)
    };
    begun.await.unwrap_or_else(|error| {
        tracing::error!(error = format!("{error:#}"), "beginning reads and checks failed");
        Begun::default()
    })
}

/// The line about a task that took too long. Without proxies there is only one way it can have gone.
fn say_late(room: &Dispatcher, task: &Expired) {
    let request = task.request_id.map(tracing::field::display);
    let span = tracing::info_span!("task", task.id = %task.id, request.id = request);
    let failure = ServiceFailure::TaskTimeout;
    let lost = if room.probes.is_some() { ended::UNKNOWN } else { ended::DIRECT };
    let way = task.way.as_deref().unwrap_or(lost);
    span.in_scope(|| ended::failed(&task.url, way, failure.code(), failure.message()));
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Dispatcher> {
    Dispatcher::new(&House::of_lambda().await?).await.context("starting the dispatcher")
}
