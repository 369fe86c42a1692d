//! The extractor: a stored page becomes a record. It fetches no page; the one thing it may ask is a model, for what a
//! company's page left open.

mod detail;
mod save;
mod second;
mod source;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use shared::ai::Ai;
use shared::ai::company::Shown;
use shared::blobs::{BlobKey, Blobs};
use shared::clock::Clock;
use shared::desk::{Desk, Taken};
use shared::details;
use shared::domain::extract;
use shared::domain::target::TargetType;
use shared::domain::task::{MAX_CRASHES, Stage, TaskKind, TaskStatus};
use shared::house::{House, QueueName};
use shared::messages::ExtractJob;
use shared::notify;
use shared::queue::Queue;
use shared::room::Verdict;
use shared::sources;
use shared::store::Pool;
use shared::store::tasks::{self, Ending, Visit};
use shared::telemetry::ended;
use tokio::sync::Semaphore;
use tracing::instrument;

use crate::save::{Save, Saves};

const LEASE: SignedDuration = SignedDuration::from_secs(58);

/// What the extractor needs.
pub struct Extractor {
    pub db: Pool,
    pub blobs: Blobs,
    /// A list sends its task back for the next page.
    pub crawl: Queue,
    pub extract: Queue,
    pub notify: Queue,
    pub clock: Clock,
    pub desk: Desk,
    pub ai: Ai,
    saves: Saves,
    /// As many pages are in memory and read at once as there are cores; many more may wait to be saved together.
    readers: Arc<Semaphore>,
}

impl Extractor {
    pub async fn new(house: &House) -> anyhow::Result<Extractor> {
        let db = house.hot_db(Duration::from_secs(5)).await?;
        let extract = house.queue(QueueName::Extract)?;
        let ai = house.ai(&db).await?;
        Ok(Extractor {
            desk: Desk::new(&db, &extract, Stage::Extract, house.owner()),
            saves: save::together(&db, &extract, &Clock::System),
            readers: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from))),
            db,
            ai,
            blobs: house.blobs()?,
            crawl: house.queue(QueueName::Crawl)?,
            extract,
            notify: house.queue(QueueName::Notify)?,
            clock: Clock::System,
        })
    }
}

/// What the crawler left in the task's `pipeline_state`.
#[derive(Debug, Deserialize)]
struct Fetched {
    raw_key: String,
    sha256: String,
    status: u16,
    final_url: String,
    content_type: Option<String>,
    fetched_at: Timestamp,
}

/// One message: claim, read the page, save what it says.
#[instrument(name = "extractor", skip_all, fields(task.id = %job.task_id, domain, request.id))]
pub async fn extract(room: &Extractor, job: ExtractJob) -> anyhow::Result<Verdict> {
    let started = room.clock.now();
    let visit = match room.desk.take(job.task_id, job.release_no, started, LEASE).await? {
        Taken::Mine(visit) => *visit,
        Taken::Later(until) => return Ok(Verdict::Postpone(until)),
        Taken::Nothing => return Ok(Verdict::Done),
    };
    let span = tracing::Span::current();
    span.record("domain", visit.plan.site.as_str());
    span.record("request.id", visit.plan.request_id.map(tracing::field::display));
    match read(room, &visit, started).await {
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

/// A claimed task: read its page and save what it says.
async fn read(room: &Extractor, visit: &Visit, started: Timestamp) -> anyhow::Result<Verdict> {
    if visit.crashes >= MAX_CRASHES {
        let text = format!("{} workers read this page and crashed", visit.crashes);
        tracing::error!(crashes = visit.crashes, "quarantined");
        return fail(room, visit, "quarantined", &text, true).await;
    }

    if visit.plan.kind == TaskKind::SourceScrape {
        return Box::pin(source::read(room, visit, started)).await;
    }
    if visit.plan.target_type == details::TARGET {
        return Box::pin(detail::read(room, visit)).await;
    }
    let Ok(target) = visit.plan.target_type.parse::<TargetType>() else {
        let text = format!("no extractor reads {:?}", visit.plan.target_type);
        return fail(room, visit, "unknown_target_type", &text, false).await;
    };
    let fetched: Fetched =
        serde_json::from_value(visit.plan.pipeline_state.clone()).context("reading what the crawler left")?;
    let reader = room.readers.clone().acquire_owned().await?;
    let Some(body) = room.blobs.get(&BlobKey::stored(&fetched.raw_key)?).await? else {
        return fail(room, visit, "raw_page_missing", "the stored page is no longer there", false).await;
    };
    let (url, kept) = (visit.plan.url.clone(), body.clone());
    let (kind, last, at) = (fetched.content_type.clone(), fetched.final_url.clone(), fetched.fetched_at);
    // Parsing is bounded but not short; it must not hold up the heartbeat of other messages.
    let may_ask = second::may_ask(room, visit, target);
    let (mut reading, shown) = tokio::task::spawn_blocking(move || {
        let reading = extract::read(target, &kept, kind.as_deref(), &url, &last, at);
        let result = reading.result.as_ref().filter(|_| may_ask);
        let shown = result.and_then(|result| Shown::of(&kept, kind.as_deref(), result));
        (reading, shown)
    })
    .await?;
    drop((reader, body));
    let asked = second::fill(room, visit, started, shown.as_ref(), &mut reading).await;
    let save = Arc::new(Save::new(visit, target, &fetched, &reading, asked));
    let saved = room.saves.ask(save.clone()).await?;
    let now = room.clock.now();
    if saved.is_some() {
        say_how(visit, save.ending(), now);
    }
    tracing::info!(
        url = shared::telemetry::loggable(&fetched.final_url),
        verdict = reading.verdict.code,
        fields_extracted = reading.known,
        duration_ms = i64::try_from(now.duration_since(started).as_millis()).unwrap_or(i64::MAX),
        "read"
    );
    // Without a verdict our lease ran out, and somebody else has the task.
    Ok(saved.unwrap_or(Verdict::Done))
}

/// The line about a task that has ended.
fn say_how(visit: &Visit, ending: &Ending, now: Timestamp) {
    match &ending.error {
        Some((code, text)) => {
            ended::failed(visit.fetch_url(), visit.way().unwrap_or(ended::UNKNOWN), code, text);
        }
        None => ended::completed(&visit.plan.site, ending.result.as_ref(), visit.plan.started_at, now),
    }
}

async fn fail(
    room: &Extractor,
    visit: &Visit,
    code: &str,
    text: &str,
    quarantined: bool,
) -> anyhow::Result<Verdict> {
    let ending = Ending { error: Some((code.to_owned(), text.to_owned())), quarantined, ..Ending::default() };
    let mut conn = room.db.conn().await?;
    let now = room.clock.now();
    let transaction = conn.transaction().await?;
    if tasks::finish(&transaction, visit, TaskStatus::Failed, Stage::Extract, &ending, now).await? {
        sources::gave_up(&transaction, &visit.plan, text, now).await?;
        transaction.commit().await?;
        say_how(visit, &ending, now);
    }
    Ok(Verdict::Done)
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Extractor> {
    Extractor::new(&House::of_lambda().await?).await.context("starting the extractor")
}
