//! The renderer: one message, one page in a browser. It has no database and no secrets: the crawler has
//! reserved the slot and judges what came of it.
//!
//! A navigation is made at most once for its message, and never outside its slot.

#[doc(hidden)]
pub mod bare;
pub mod chrome;
pub mod page;
pub mod pool;
pub mod process;
pub mod stock;
mod watch;
mod wire;

use std::time::{Duration, Instant};

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use shared::blobs::{BlobKey, Blobs};
use shared::clock::Clock;
use shared::domain::failure::ServiceFailure;
use shared::domain::render::{Fault, Outcome};
use shared::egress::{Caps, Egress, Route};
use shared::house::{House, QueueName};
use shared::messages::{RenderJob, Rendered};
use shared::outbound::USER_AGENT;
use shared::queue::Queue;
use shared::room::Verdict;
use shared::store::renderers::Report;
use tracing::instrument;
use uuid::Uuid;

use crate::chrome::Chrome;
use crate::page::{Seen, Showing, Shown, Trouble};
use crate::pool::{Loan, NoBrowser, Pool, PoolSettings};
use crate::stock::{Condition, Sizes};

pub use crate::watch::Answer;

/// How often a page's memory is looked at while it is shown.
const WEIGH_EVERY: Duration = Duration::from_millis(250);

/// What the renderer needs.
pub struct Renderer {
    pub pool: Pool,
    pub web: Egress,
    pub blobs: Blobs,
    pub render: Queue,
    pub crawl: Queue,
    pub clock: Clock,
    pub instance: Uuid,
    pub caps: Caps,
}

impl Renderer {
    pub async fn new(house: &House) -> anyhow::Result<Renderer> {
        let settings = house.browsers()?;
        let chrome = Chrome::find(settings.program.as_deref(), settings.sandbox)?;
        let sizes = Sizes { size: settings.size, max: settings.max, page_limit: settings.page_limit }.sound();
        let pool = Pool::new(PoolSettings {
            chrome,
            sizes,
            wait: settings.wait,
            folder: settings.folder,
            user_agent: USER_AGENT.to_owned(),
            memory: settings.memory,
        });
        let web = house.egress()?.with_proxies(&house.browser_proxies()).context("PROXY_ENDPOINTS")?;
        Ok(Renderer {
            pool,
            web,
            blobs: house.blobs()?,
            render: house.queue(QueueName::Render)?,
            crawl: house.queue(QueueName::Crawl)?,
            clock: Clock::System,
            instance: house.owner(),
            caps: Caps::default(),
        })
    }

    /// How the browsers are.
    pub fn report(&self) -> Report {
        self.pool.report()
    }

    /// Ends every browser.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// One message: show the page, keep what stands there, and tell the crawler.
#[instrument(name = "renderer", skip_all, fields(task.id = %job.task_id, domain = job.site.as_str(), request.id))]
pub async fn render(room: &Renderer, job: RenderJob) -> anyhow::Result<Verdict> {
    tracing::Span::current().record("request.id", job.request_id.map(tracing::field::display));
    let started = room.clock.now();
    let (outcome, seen_by) = Box::pin(show(room, &job)).await;
    let now = room.clock.now();
    tracing::info!(
        url = shared::telemetry::loggable(&job.sight.url),
        outcome = word(&outcome),
        duration_ms = i64::try_from(now.duration_since(started).as_millis()).unwrap_or(i64::MAX),
        "rendered"
    );
    let rendered = Rendered {
        task_id: job.task_id,
        release_no: job.release_no,
        fence: job.fence,
        slot: job.slot,
        site: job.site,
        proxy: job.proxy,
        seen_by,
        rendered: outcome,
        browsers: room.report(),
        instance: room.instance,
    };
    room.crawl.send(&[rendered.outgoing()?]).await?;
    Ok(Verdict::Done)
}

/// What came of it, and by when the site had seen the navigation.
pub async fn show(room: &Renderer, job: &RenderJob) -> (Outcome, Timestamp) {
    let deadline = instant_of(job.deadline, &room.clock);
    let mut loan = match room.pool.lend().await {
        Ok(loan) => loan,
        Err(error) => return (no_browser(&error), room.clock.now()),
    };
    // The slot is the crawler's word that the site may be asked from then to then.
    let early = job.not_before.duration_since(room.clock.now());
    tokio::time::sleep(early.try_into().unwrap_or_default()).await;
    if room.clock.now() > job.navigate_by {
        loan.give_back(Condition::Sound);
        return (Outcome::Late, room.clock.now());
    }
    loan.shows();
    let visit = visit(room, job, &loan, deadline).await;
    loan.give_back(visit.condition);
    let now = room.clock.now();
    let ago = visit.seen.map(|seen| seen.elapsed()).unwrap_or_default();
    let seen_by = now - SignedDuration::try_from(ago).unwrap_or_default();
    (keep(room, job, visit.result).await, seen_by)
}

struct Visit {
    result: Result<Seen, Trouble>,
    /// When the site had certainly seen the navigation.
    seen: Option<Instant>,
    /// How the browser is after it.
    condition: Condition,
}

impl Visit {
    /// It ended before the site was asked.
    fn none(trouble: Trouble) -> Visit {
        let condition = if trouble.broken { Condition::Broken } else { Condition::Sound };
        Visit { result: Err(trouble), seen: None, condition }
    }
}

/// Shows the page in a browser on loan.
async fn visit(room: &Renderer, job: &RenderJob, loan: &Loan, deadline: Instant) -> Visit {
    let Some(browser) = loan.browser() else { return Visit::none(Trouble::crashed()) };
    let showing = Showing {
        sight: &job.sight,
        route: job.proxy.map_or(Route::Direct, Route::Proxy),
        caps: room.caps,
        deadline,
    };
    let mut shown = match before(deadline, Shown::open(&browser.wire, &room.web, &showing)).await {
        Ok(shown) => shown,
        Err(trouble) => return Visit::none(trouble),
    };
    let (most, weigh, crash) = (loan.most_memory(), browser.watch_memory(), shown.crash());
    let result = tokio::select! {
        result = before(deadline, shown.look(&showing)) => result,
        () = crash => Err(Trouble::crashed()),
        () = browser.wire.closed() => Err(Trouble::crashed()),
        () = overweight(most, weigh) => Err(Trouble::too_much_memory()),
    };
    let seen = shown.seen();
    let broken = result.as_ref().is_err_and(|trouble| trouble.broken);
    // A browser that does not let go of a page is not lent again.
    let closed = !broken && before(deadline, async { Ok(shown.close().await?) }).await.is_ok();
    let condition = if closed { loan.condition() } else { Condition::Broken };
    Visit { result, seen, condition }
}

async fn before<T>(deadline: Instant, work: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    tokio::time::timeout_at(deadline.into(), work).await.unwrap_or_else(|_| Err(Trouble::timeout()))
}

/// Returns when the browser holds more than it may.
async fn overweight(most: u64, weigh: impl Fn() -> u64 + Send + Clone + 'static) {
    loop {
        tokio::time::sleep(WEIGH_EVERY).await;
        let weigh = weigh.clone();
        if tokio::task::spawn_blocking(weigh).await.is_ok_and(|held| held > most) {
            return;
        }
    }
}

/// Stores the page and says what the crawler must know.
async fn keep(room: &Renderer, job: &RenderJob, result: Result<Seen, Trouble>) -> Outcome {
    let (answer, html) = match result {
        Ok(Seen::Moved(url)) => return Outcome::Moved { url: url.into() },
        Ok(Seen::Page { answer, html }) => (answer, html),
        Err(Trouble { code, text, fault, .. }) => return failed(code, &text, fault),
    };
    let Answer { status, url: final_url, retry_after } = answer;
    let stored = (200..300).contains(&status);
    if stored {
        let key = BlobKey::of_render(job.task_id, job.fence);
        if let Err(error) = room.blobs.put(&key, html.as_bytes()).await {
            tracing::error!(error = format!("{error:#}"), "a rendered page could not be stored");
            return failed("not_stored", "the rendered page could not be stored", Fault::Ours);
        }
    }
    Outcome::Shown { status, final_url, retry_after, stored }
}

fn no_browser(error: &NoBrowser) -> Outcome {
    let code = match error {
        NoBrowser::Exhausted => ServiceFailure::PoolExhausted.code(),
        NoBrowser::NotStarted(_) => "no_browser",
    };
    failed(code, &error.to_string(), Fault::Ours)
}

fn failed(code: &str, text: &str, fault: Fault) -> Outcome {
    Outcome::Failed { code: code.to_owned(), text: text.to_owned(), fault }
}

fn word(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Shown { .. } => "shown",
        Outcome::Moved { .. } => "moved",
        Outcome::Failed { code, .. } => code,
        Outcome::Late => "late",
    }
}

/// The same moment on the clock that timers count by.
fn instant_of(moment: Timestamp, clock: &Clock) -> Instant {
    let left = moment.duration_since(clock.now());
    Instant::now() + Duration::try_from(left).unwrap_or_default()
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Renderer> {
    Renderer::new(&House::of_lambda().await?).await.context("starting the renderer")
}
