//! The extractor: a stored page becomes a record. It fetches nothing.

use std::time::Duration;

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::blobs::{BlobKey, Blobs};
use shared::clock::Clock;
use shared::desk::{Desk, Look};
use shared::domain::extract::{self, Reading};
use shared::domain::listing::Seen;
use shared::domain::notice::State;
use shared::domain::posting::Posting;
use shared::domain::target::TargetType;
use shared::domain::task::{MAX_CRASHES, Stage, TaskStatus};
use shared::house::{House, QueueName};
use shared::messages::ExtractJob;
use shared::notify;
use shared::queue::Queue;
use shared::room::Verdict;
use shared::sighting::{self, Sighting};
use shared::store::Pool;
use shared::store::listings::JobFields;
use shared::store::pages;
use shared::store::tasks::{self, Ending, Visit};
use shared::telemetry::ended;
use tracing::instrument;

const LEASE: SignedDuration = SignedDuration::from_secs(58);

/// What the extractor needs.
pub struct Extractor {
    pub db: Pool,
    pub blobs: Blobs,
    pub extract: Queue,
    pub notify: Queue,
    pub clock: Clock,
    pub desk: Desk,
}

impl Extractor {
    pub async fn new(house: &House) -> anyhow::Result<Extractor> {
        let db = house.hot_db(Duration::from_secs(5)).await?;
        Ok(Extractor {
            desk: Desk::new(&db, &house.queue(QueueName::Extract)?, Stage::Extract, house.owner()),
            db,
            blobs: house.blobs()?,
            extract: house.queue(QueueName::Extract)?,
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
    let plan = match room.desk.look(job.task_id, job.release_no, started).await? {
        Look::Now(errand) => errand.plan,
        Look::Later(until) => return Ok(Verdict::Postpone(until)),
        Look::Nothing => return Ok(Verdict::Done),
    };
    let Some(visit) = room.desk.claim(plan, started, started + LEASE).await? else {
        return Ok(Verdict::Done);
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

    let Ok(target) = visit.plan.target_type.parse::<TargetType>() else {
        let text = format!("no extractor reads {:?}", visit.plan.target_type);
        return fail(room, visit, "unknown_target_type", &text, false).await;
    };
    let fetched: Fetched =
        serde_json::from_value(visit.plan.pipeline_state.clone()).context("reading what the crawler left")?;
    let Some(body) = room.blobs.get(&BlobKey::stored(&fetched.raw_key)?).await? else {
        return fail(room, visit, "raw_page_missing", "the stored page is no longer there", false).await;
    };
    let (url, kept) = (visit.plan.url.clone(), body.clone());
    let (kind, last, at) = (fetched.content_type.clone(), fetched.final_url.clone(), fetched.fetched_at);
    // Parsing is bounded but not short; it must not hold up the heartbeat of other messages.
    let reading =
        tokio::task::spawn_blocking(move || extract::read(target, &kept, kind.as_deref(), &url, &last, at))
            .await?;
    let verdict = save(room, visit, target, &fetched, &reading).await?;
    let now = room.clock.now();
    tracing::info!(
        url = shared::telemetry::loggable(&fetched.final_url),
        verdict = reading.verdict.code,
        fields_extracted = reading.known,
        duration_ms = i64::try_from(now.duration_since(started).as_millis()).unwrap_or(i64::MAX),
        "read"
    );
    Ok(verdict)
}

/// One transaction: the page, what was read, the listing with its evidence, the end of the task, and of its
/// message where that is in the same database.
async fn save(
    room: &Extractor,
    visit: &Visit,
    target: TargetType,
    fetched: &Fetched,
    reading: &Reading,
) -> anyhow::Result<Verdict> {
    let now = room.clock.now();
    let (plan, verdict) = (&visit.plan, reading.verdict_json());
    let version = extract::extractor(target).version();
    let job = reading.posting.as_ref().and_then(|posting| job_fields(posting, reading, version));
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    let sighting = Sighting {
        task_id: plan.id,
        url_key: &plan.url_key,
        seen: seen(reading, job.is_some()),
        rule: reading.verdict.code,
        verdict_code: Some(reading.verdict.code),
        http_status: i32::from(fetched.status),
        final_url: &fetched.final_url,
        raw_key: Some(&fetched.raw_key),
        extractor_version: Some(version),
        job: job.as_ref(),
    };
    let listing_id = match target {
        TargetType::JobPosting => sighting::record(&transaction, &sighting, now).await?,
        // Read as something else, a page says nothing of its listing.
        TargetType::CompanyWebsite | TargetType::LinkedinProfile | TargetType::Apartment => None,
    };
    let stored = pages::Reading {
        url_key: plan.url_key.clone(),
        target_type: plan.target_type.clone(),
        extractor_version: version.to_owned(),
        content_sha256: fetched.sha256.clone(),
        field_fingerprint: reading.fingerprint.clone(),
        verdict: verdict.clone(),
        result: reading.result.clone(),
        listing_id,
    };
    let (status, ending) = ending(listing_id, &verdict, version, reading);
    let message = ExtractJob { task_id: plan.id, release_no: plan.release_no }.outgoing()?;
    let (saved, finished, acknowledged) = futures_util::join!(
        pages::save_reading(&transaction, &stored, now),
        tasks::finish(&transaction, visit, status, Stage::Save, &ending, now),
        room.extract.ack_in(&transaction, &message),
    );
    saved?;
    if !finished? {
        return Ok(Verdict::Done); // our lease ran out and somebody else has the task: nothing of this is kept
    }
    let acknowledged = acknowledged?;
    transaction.commit().await?;
    say_how(visit, &ending, now);
    Ok(if acknowledged { Verdict::Acknowledged } else { Verdict::Done })
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

fn ending(
    listing_id: Option<shared::domain::ids::ListingId>,
    verdict: &Value,
    version: &str,
    reading: &Reading,
) -> (TaskStatus, Ending) {
    let meta = Some(json!({ "verdict": verdict, "extractor_version": version }));
    if reading.result.is_some() {
        let result = reading.result.clone();
        return (TaskStatus::Success, Ending { listing_id, result, meta, ..Ending::default() });
    }
    let code = reading.too_complex.as_ref().map_or(reading.verdict.code, |_| "too_complex");
    let error = Some((code.to_owned(), reading.verdict.reason.clone()));
    (TaskStatus::Failed, Ending { listing_id, meta, error, ..Ending::default() })
}

/// What the page says of its listing. A page that shows nothing of the posting proves nothing.
fn seen(reading: &Reading, has_job: bool) -> Seen {
    match reading.verdict.state {
        State::Active if has_job => Seen::Live,
        State::Expired => Seen::SaysClosed,
        State::Uncertain if has_job => Seen::Doubtful,
        State::Active | State::Uncertain => Seen::Nothing,
    }
}

/// A listing needs a title; everything else may be unknown.
fn job_fields(posting: &Posting, reading: &Reading, version: &str) -> Option<JobFields> {
    Some(JobFields {
        url: posting.posting_url.clone()?,
        title: posting.job_title.clone()?,
        company: posting.company_name.clone(),
        place: posting.location.as_ref().map(|place| json!(place)),
        description: posting.description.clone(),
        remote: posting.remote.and_then(|remote| json!(remote).as_str().map(str::to_owned)),
        employment_type: posting.employment_type.clone(),
        salary: posting.salary.as_ref().map(|salary| json!(salary)),
        salary_text: posting.salary_range.clone(),
        date_posted: posting.date_posted,
        valid_through: posting.valid_through.and_then(|until| json!(until).as_str().map(str::to_owned)),
        apply_url: posting.apply_url.clone(),
        provenance: json!(posting.provenance),
        extractor_version: version.to_owned(),
        fingerprint: reading.fingerprint.clone()?,
    })
}

async fn fail(
    room: &Extractor,
    visit: &Visit,
    code: &str,
    text: &str,
    quarantined: bool,
) -> anyhow::Result<Verdict> {
    let ending = Ending { error: Some((code.to_owned(), text.to_owned())), quarantined, ..Ending::default() };
    let conn = room.db.conn().await?;
    let now = room.clock.now();
    if tasks::finish(&*conn, visit, TaskStatus::Failed, Stage::Extract, &ending, now).await? {
        say_how(visit, &ending, now);
    }
    Ok(Verdict::Done)
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Extractor> {
    Extractor::new(&House::of_lambda().await?).await.context("starting the extractor")
}
