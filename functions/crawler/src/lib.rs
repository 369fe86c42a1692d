//! The crawler: one message, one task, one polite request. It fetches and stores; it reads nothing.

mod judge;
mod settle;

use std::time::Duration;

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use shared::blobs::Blobs;
use shared::clock::Clock;
use shared::domain::gate::{Report, Reserve, Slot};
use shared::domain::policy::Policy;
use shared::domain::task::{MAX_CRASHES, Stage};
use shared::egress::{Egress, EgressError, Fetched, Hop, Request};
use shared::gate::Gate;
use shared::house::{House, QueueName};
use shared::messages::CrawlJob;
use shared::queue::Queue;
use shared::release;
use shared::room::Verdict;
use shared::store::pages::{self, Page};
use shared::store::tasks::{self, Plan, Visit, Wanted};
use shared::store::{Pool, policies};
use tracing::instrument;
use uuid::Uuid;

use crate::judge::{Outcome, judge};

/// Longer than any fetch may take; a lease that outlives this belongs to a crashed worker.
const LEASE: SignedDuration = SignedDuration::from_secs(58);
/// A wait this short is sat out; a longer one hides the message.
const SIT_OUT: SignedDuration = SignedDuration::from_secs(2);
/// A wait this long goes back to the table instead of blocking the queue's group.
const HIDE_AT_MOST: SignedDuration = SignedDuration::from_mins(15);
/// How we introduce ourselves.
const USER_AGENT: &str = concat!("Freshet/", env!("CARGO_PKG_VERSION"), " (listings that are still true)");

/// What the crawler needs.
pub struct Crawler {
    pub db: Pool,
    pub gate: Gate,
    pub blobs: Blobs,
    pub web: Egress,
    pub crawl: Queue,
    pub extract: Queue,
    pub clock: Clock,
    pub owner: Uuid,
    /// Name, connection and TLS take no longer than this.
    pub connect_limit: SignedDuration,
}

impl Crawler {
    pub async fn new(house: &House) -> anyhow::Result<Crawler> {
        Ok(Crawler {
            db: house.db(Duration::from_secs(5)).await?,
            gate: house.gate()?,
            blobs: house.blobs()?,
            web: house.egress()?,
            crawl: house.queue(QueueName::Crawl)?,
            extract: house.queue(QueueName::Extract)?,
            clock: Clock::System,
            owner: house.owner(),
            connect_limit: SignedDuration::try_from(house.connect_limit()?)?,
        })
    }
}

/// One message: read, reserve, claim, fetch, settle.
#[instrument(name = "crawler", skip_all, fields(task.id = %job.task_id, domain, request.id))]
pub async fn crawl(room: &Crawler, job: CrawlJob) -> anyhow::Result<Verdict> {
    let conn = room.db.conn().await?;
    let plan =
        match tasks::wanted(&*conn, job.task_id, job.release_no, Stage::Fetch, room.clock.now()).await? {
            Wanted::Now(plan) => plan,
            Wanted::Later(until) => return Ok(Verdict::Postpone(until)),
            Wanted::Nothing => return Ok(Verdict::Done),
        };
    let policy = policies::of_site(&*conn, &plan.site).await?;
    drop(conn);
    let span = tracing::Span::current();
    span.record("domain", plan.site.as_str());
    span.record("request.id", plan.request_id.map(tracing::field::display));

    let slot = match reserve(room, &plan, &policy).await? {
        Reserve::Granted(slot) => slot,
        Reserve::Wait(until) => return put_off(room, &plan, until).await,
        Reserve::Open(until) => return settle::circuit_open(room, &plan, until).await,
    };
    let now = room.clock.now();
    let conn = room.db.conn().await?;
    let site = plan.site.clone();
    let claimed = tasks::claim(&*conn, plan, Stage::Fetch, room.owner, now, now + LEASE).await?;
    let Some(visit) = claimed else {
        return Ok(Verdict::Done); // someone else was quicker; the slot is wasted, never doubled
    };
    drop(conn);
    if let Err(error) = work(room, &visit, slot).await {
        let conn = room.db.conn().await?;
        tasks::give_back(&*conn, &visit).await?;
        return Err(error);
    }
    // After the commit; the sweep covers a crash here.
    release::site(&room.db, &room.crawl, &site, room.clock.now()).await?;
    Ok(Verdict::Done)
}

/// A claimed task: fetch it, keep the page, settle.
async fn work(room: &Crawler, visit: &Visit, slot: Slot) -> anyhow::Result<()> {
    if visit.crashes >= MAX_CRASHES {
        return settle::quarantine(room, visit).await;
    }
    let conn = room.db.conn().await?;
    let held = pages::find(&*conn, &visit.plan.url_key).await?;
    // Connecting may take its whole limit, and the request must be on the wire by `send_by`.
    if room.clock.now() + room.connect_limit > slot.send_by {
        // Too late to use the slot: it is void, and the task waits for another.
        tasks::move_site(&*conn, visit, &visit.plan.site, &serde_json::json!({})).await?;
        return Ok(());
    }
    drop(conn);
    let outcome = fetch(room, visit, held.as_ref(), slot).await?;
    if let Outcome::Changed(page) = &outcome {
        room.blobs.put(&page.key, &page.body).await?;
    }
    settle::settle(room, visit, held.as_ref(), &outcome).await
}

/// A slot at the site's gate; short waits are sat out.
async fn reserve(room: &Crawler, plan: &Plan, policy: &Policy) -> anyhow::Result<Reserve> {
    let give_up = room.clock.now() + SIT_OUT;
    loop {
        let now = room.clock.now();
        let decision = room.gate.reserve(&plan.site, policy, now, rand::random::<f64>()).await?;
        match decision {
            Reserve::Wait(until) if until <= give_up => {
                let nap = Duration::try_from(until.duration_since(now)).unwrap_or_default();
                tokio::time::sleep(nap).await;
            }
            decision => return Ok(decision),
        }
    }
}

/// Too early: the message waits, or the task does.
async fn put_off(room: &Crawler, plan: &Plan, until: Timestamp) -> anyhow::Result<Verdict> {
    let now = room.clock.now();
    let conn = room.db.conn().await?;
    if until.duration_since(now) <= HIDE_AT_MOST {
        tasks::expect_later(&*conn, plan, until).await?;
        return Ok(Verdict::Postpone(until));
    }
    tasks::put_back(&*conn, plan, until, now).await?;
    Ok(Verdict::Done)
}

/// Fetches the page and tells the gate what became of the request.
async fn fetch(room: &Crawler, visit: &Visit, held: Option<&Page>, slot: Slot) -> anyhow::Result<Outcome> {
    let started = room.clock.now();
    // Every hop is a request of its own, with its own slot, so no redirect is followed here.
    let condition = held.filter(|page| page.raw_key.is_some() && page.final_url == visit.fetch_url());
    let fetched = room.web.fetch(request(visit, condition), |_| Hop::Stop).await;
    let now = room.clock.now();
    let outcome = judge(visit, held, condition.is_some_and(Page::has_validator), &fetched, now);
    let report = Report {
        fence: slot.fence,
        seen_by: seen_by(&fetched, now),
        failed: outcome.is_site_failure(),
        pushback: outcome.pushback(),
    };
    room.gate.settle(&visit.plan.site, &report, now).await?;
    tracing::info!(
        url = shared::telemetry::loggable(visit.fetch_url()),
        outcome = outcome.word(),
        status = fetched.as_ref().map(|f| f.status).unwrap_or_default(),
        duration_ms = i64::try_from(now.duration_since(started).as_millis()).unwrap_or(i64::MAX),
        "fetched"
    );
    Ok(outcome)
}

/// The latest moment at which the site can have read the request. The first byte back came after that.
fn seen_by(fetched: &Result<Fetched, EgressError>, now: Timestamp) -> Timestamp {
    let ago = fetched.as_ref().map(|fetched| fetched.first_byte.elapsed()).unwrap_or_default();
    now - SignedDuration::try_from(ago).unwrap_or_default()
}

/// A conditional request when we hold the bytes that the condition speaks of.
fn request(visit: &Visit, condition: Option<&Page>) -> Request {
    let mut request = Request::get(visit.fetch_url())
        .header("user-agent", USER_AGENT)
        .header("accept", "text/html,application/xhtml+xml,*/*;q=0.5");
    if let Some(page) = condition {
        if let Some(etag) = &page.etag {
            request = request.header("if-none-match", etag);
        }
        if let Some(date) = &page.last_modified {
            request = request.header("if-modified-since", date);
        }
    }
    request
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Crawler> {
    Crawler::new(&House::of_lambda().await?).await.context("starting the crawler")
}
