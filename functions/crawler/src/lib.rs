//! The crawler: one message, one task, one polite request. It fetches and stores; it reads nothing.

mod judge;
mod login;
mod manners;
mod render;
mod route;
mod settle;
mod source;

use std::time::Duration;

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use shared::blobs::Blobs;
use shared::clock::Clock;
use shared::credentials::Credentials;
use shared::desk::{CrawlDesk, Errand, Look, Start, Started};
use shared::domain::gate::{Report, Slot};
use shared::domain::policy::Policy;
use shared::domain::profile::Identity;
use shared::domain::task::{MAX_CRASHES, TaskKind};
use shared::egress::{Egress, EgressError, Fetched, Request, Route};
use shared::gate::Gate;
use shared::house::{House, QueueName};
use shared::messages::{CrawlJob, CrawlMessage, Rendered};
use shared::notify;
use shared::policies::Policies;
use shared::proxies::Proxies;
use shared::queue::Queue;
use shared::rendering::RenderMemory;
use shared::robots::RobotsFiles;
use shared::room::Verdict;
use shared::store::Pool;
use shared::store::pages::{self, Page};
use shared::store::tasks::{self, Plan, Visit};
use tracing::instrument;

use crate::judge::Outcome;
use crate::login::Login;
use crate::manners::Entry;
use crate::render::{BrowserFaces, Way};
use crate::route::Faces;

/// Longer than any fetch may take; a lease that outlives this belongs to a crashed worker.
const LEASE: SignedDuration = SignedDuration::from_secs(58);
/// A wait this short is sat out; a longer one hides the message.
const SIT_OUT: SignedDuration = SignedDuration::from_secs(2);
/// A wait this long goes back to the table instead of blocking the queue's group.
const HIDE_AT_MOST: SignedDuration = SignedDuration::from_mins(15);
/// What is looked up before a request may take so long. Then a fetch would no longer fit into a function's minute: the
/// message comes again at once, and finds all of it known.
const LOOK_UP_AT_MOST: SignedDuration = SignedDuration::from_secs(20);

/// What the crawler needs.
pub struct Crawler {
    pub db: Pool,
    pub gate: Gate,
    pub blobs: Blobs,
    pub web: Egress,
    pub crawl: Queue,
    pub extract: Queue,
    pub notify: Queue,
    /// To the renderers; none where there is no browser.
    pub render: Option<Queue>,
    pub clock: Clock,
    pub policies: Policies,
    pub robots: RobotsFiles,
    /// Name, connection and TLS take no longer than this.
    pub connect_limit: SignedDuration,
    pub desk: CrawlDesk,
    pub proxies: Proxies,
    pub credentials: Credentials,
    pub identity: Identity,
    pub faces: Faces,
    pub render_memory: RenderMemory,
    pub browser_faces: BrowserFaces,
    /// Whether browsers may go by the operator's proxies.
    pub browsers_by_proxy: bool,
}

impl Crawler {
    pub async fn new(house: &House) -> anyhow::Result<Crawler> {
        let db = house.hot_db(Duration::from_secs(5)).await?;
        let (crawl, extract) = (house.queue(QueueName::Crawl)?, house.queue(QueueName::Extract)?);
        let gate = house.gate()?;
        let outbound = house.outbound().await?;
        let web = house.egress()?.with_proxies(&outbound.proxies).context("PROXY_ENDPOINTS")?;
        Ok(Crawler {
            desk: CrawlDesk::new(&db, &gate, &crawl, &extract, house.owner()),
            policies: Policies::new(db.clone()),
            robots: RobotsFiles::new(db.clone()),
            render_memory: RenderMemory::new(db.clone()),
            browser_faces: BrowserFaces::default(),
            browsers_by_proxy: house.browser_proxies().len() == outbound.proxies.len(),
            render: Some(house.queue(QueueName::Render)?),
            db,
            gate,
            blobs: house.blobs()?,
            proxies: Proxies::new(&outbound.proxies, house.gate()?),
            credentials: Credentials::new(web.clone(), outbound.backend.as_ref(), Clock::System)?,
            identity: outbound.identity,
            faces: Faces::default(),
            web,
            crawl,
            extract,
            notify: house.queue(QueueName::Notify)?,
            clock: Clock::System,
            connect_limit: SignedDuration::try_from(house.connect_limit()?)?,
        })
    }
}

/// One message: a task to fetch, or what a browser has shown of one.
pub async fn hear(room: &Crawler, message: CrawlMessage) -> anyhow::Result<Verdict> {
    match message {
        CrawlMessage::Crawl(job) => Box::pin(crawl(room, job)).await,
        CrawlMessage::Rendered(said) => Box::pin(rendered(room, *said)).await,
    }
}

/// A renderer's answer is judged and settled as if the page had been fetched.
#[instrument(name = "crawler", skip_all, fields(task.id = %said.task_id, domain, request.id))]
pub async fn rendered(room: &Crawler, said: Rendered) -> anyhow::Result<Verdict> {
    render::rendered(room, said).await
}

/// One task: read, mind the manners, reserve, claim, fetch, settle.
#[instrument(name = "crawler", skip_all, fields(task.id = %job.task_id, domain, request.id))]
pub async fn crawl(room: &Crawler, job: CrawlJob) -> anyhow::Result<Verdict> {
    let came = room.clock.now();
    let errand = match room.desk.desk.look(job.task_id, job.release_no, room.clock.now()).await? {
        Look::Now(errand) => *errand,
        Look::Later(until) => return Ok(Verdict::Postpone(until)),
        Look::Nothing => return Ok(Verdict::Done),
    };
    let Errand { mut plan, mut held } = errand;
    if is_data(&plan) {
        held = None; // each answer is news to the walk, whatever came before it
    }
    let span = tracing::Span::current();
    span.record("domain", plan.site.as_str());
    span.record("request.id", plan.request_id.map(tracing::field::display));

    let policy = match manners::enter(room, &plan).await? {
        Entry::Granted(policy) => policy,
        Entry::Settled(verdict) => return Ok(verdict),
    };
    let page = plan.url_key.clone();
    let login = match login::find(room, &mut plan, &policy).await {
        Ok(login) => login,
        Err(error) => return login::missing(room, &plan, &error).await,
    };
    if plan.url_key != page {
        // It is the workspace's own page now, and so is what we hold of it.
        held = pages::find(&*room.db.conn().await?, &plan.url_key).await?;
    }
    match route::look(room, &plan.site).await? {
        route::Look::Go => {}
        route::Look::Wait(until) => return put_off(room, &plan, until).await,
        route::Look::NoneHealthy => return route::none_healthy(room, &plan).await,
    };
    let way = match render::way(room, &plan, &policy, &login).await? {
        Ok(way) => way,
        Err(why) => return render::cannot(room, &plan, &why).await,
    };
    if room.clock.now().duration_since(came) > LOOK_UP_AT_MOST {
        return Ok(Verdict::Postpone(room.clock.now()));
    }
    let wish = Start {
        plan: plan.clone(),
        policy: if way == Way::Browser { render::patient(&policy) } else { (*policy).clone() },
        now: room.clock.now(),
        draw: rand::random(),
        ahead: SIT_OUT,
        lease: if way == Way::Browser { render::LEASE } else { LEASE },
    };
    let (slot, visit) = match room.desk.start(wish).await? {
        Started::Granted(slot, Some(visit)) => (slot, *visit),
        Started::Granted(_, None) => return Ok(Verdict::Done), // someone else was quicker
        Started::Wait(until) if render::is_in_the_way(room, &plan, until).await? => {
            return render::step_aside(room, &plan).await;
        }
        Started::Wait(until) => return put_off(room, &plan, until).await,
        Started::Open(until) => return settle::circuit_open(room, &plan, until).await,
    };
    let errand = Held { policy: &policy, login: &login, page: held.as_ref() };
    let worked = match way {
        Way::Plain => Box::pin(work(room, &visit, &errand, slot)).await,
        Way::Browser => render::hand_over(room, &visit, &policy, slot).await.map(|()| Verdict::Done),
    };
    match worked {
        Ok(verdict) => {
            notify::task(&room.db, &room.notify, &visit.plan, room.clock.now()).await;
            Ok(verdict)
        }
        Err(error) => {
            let conn = room.db.conn().await?;
            tasks::give_back(&*conn, &visit).await?;
            Err(error)
        }
    }
}

/// What a worker has in hand when it goes.
struct Held<'a> {
    policy: &'a Policy,
    login: &'a Login,
    page: Option<&'a Page>,
}

/// A claimed task: fetch it when its moment has come, keep the page, settle, and let the site's next task
/// out. The sweep covers a crash in between.
async fn work(room: &Crawler, visit: &Visit, held: &Held<'_>, slot: Slot) -> anyhow::Result<Verdict> {
    let site = &visit.plan.site;
    if visit.crashes >= MAX_CRASHES {
        settle::quarantine(room, visit).await?;
        room.desk.desk.release(site, room.clock.now()).await?;
        return Ok(Verdict::Done);
    }
    sit_out(room, slot.at).await;
    // Connecting may take its whole limit, and the request must be on the wire by `send_by`.
    if room.clock.now() + room.connect_limit > slot.send_by {
        // Too late to use the slot: it is void, and the task waits for another.
        let conn = room.db.conn().await?;
        tasks::move_site(&*conn, visit, site, &serde_json::json!({})).await?;
        drop(conn);
        room.desk.desk.release(site, room.clock.now()).await?;
        return Ok(Verdict::Done);
    }
    let (route, outcome, report) = fetch(room, visit, held, slot).await?;
    let visit = &visit.clone().by_way(route::word(route));
    match (outcome, report) {
        (Outcome::Changed(page), report) => {
            if let Some(why) = render::wanted_for(room, visit, held.policy, held.login, &page) {
                render::put_back(room, visit, why, &report).await?;
                return Ok(Verdict::Done);
            }
            settle::hand_on(room, visit, held.policy, *page, report, room.clock.now()).await
        }
        (outcome, report) => {
            // When no way out worked, nobody asked the site: its gate keeps the worst case, and its circuit
            // learns nothing.
            if !matches!(outcome, Outcome::Unrouted { .. }) {
                room.gate.settle(site, &report, room.clock.now()).await?;
            }
            match visit.plan.kind {
                TaskKind::SourceScrape => source::settle(room, visit, outcome).await?,
                _ => settle::settle(room, visit, held.page, outcome).await?,
            }
            room.desk.desk.release(site, room.clock.now()).await?;
            Ok(Verdict::Done)
        }
    }
}

/// A board's API is asked, and not a page for people.
fn is_data(plan: &Plan) -> bool {
    plan.kind == TaskKind::SourceScrape || plan.target_type == shared::details::TARGET
}

/// Waits until then, and never less: the timer counts on another clock than the gate.
async fn sit_out(room: &Crawler, until: Timestamp) {
    loop {
        let left = until.duration_since(room.clock.now());
        match Duration::try_from(left) {
            Ok(left) if !left.is_zero() => tokio::time::sleep(left).await,
            _ => return,
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

/// Fetches the page; by which way, what it means, and what the gate must hear of it.
async fn fetch(
    room: &Crawler,
    visit: &Visit,
    held: &Held<'_>,
    slot: Slot,
) -> anyhow::Result<(Route, Outcome, Report)> {
    let Held { policy, login, page: held } = *held;
    let started = room.clock.now();
    // Every hop is a request of its own, with its own slot, so no redirect is followed here.
    let condition = held.filter(|page| page.raw_key.is_some() && page.final_url == visit.fetch_url());
    let request = match visit.plan.kind {
        TaskKind::SourceScrape => shared::sources::request(visit)?,
        _ if is_data(&visit.plan) => shared::details::request(visit)?,
        _ => login.worn_by(request(visit, condition)),
    };
    let (route, fetched) = route::fetch(room, &visit.plan.site, policy, &slot, request).await?;
    let now = room.clock.now();
    login.heard(room, &fetched);
    let outcome = judge::judge(visit, held, condition.is_some_and(Page::has_validator), &fetched, now);
    let report = Report {
        fence: slot.fence,
        seen_by: seen_by(&fetched, &room.clock),
        failed: outcome.is_site_failure() || fetched.as_ref().is_ok_and(judge::is_wall),
        pushback: outcome.pushback(),
    };
    tracing::info!(
        url = shared::telemetry::loggable(visit.fetch_url()),
        outcome = outcome.word(),
        proxy_used = route::word(route),
        status = fetched.as_ref().map(|f| f.status).unwrap_or_default(),
        duration_ms = i64::try_from(now.duration_since(started).as_millis()).unwrap_or(i64::MAX),
        "fetched"
    );
    Ok((route, outcome, report))
}

/// The latest moment at which the site can have read the request. The first byte back came after that. How long
/// ago that was is asked first and what time it is then: whatever comes between makes the moment later, never
/// earlier.
fn seen_by(fetched: &Result<Fetched, EgressError>, clock: &Clock) -> Timestamp {
    let ago = fetched.as_ref().map(|fetched| fetched.first_byte.elapsed()).unwrap_or_default();
    clock.now() - SignedDuration::try_from(ago).unwrap_or_default()
}

/// A conditional request when we hold the bytes that the condition speaks of.
fn request(visit: &Visit, condition: Option<&Page>) -> Request {
    let mut request = Request::get(visit.fetch_url());
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
