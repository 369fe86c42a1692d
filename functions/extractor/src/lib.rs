//! The extractor: a stored page becomes a record. It fetches nothing.

use std::time::Duration;

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::blobs::{BlobKey, Blobs};
use shared::clock::Clock;
use shared::domain::extract::{Reading, read_job_posting};
use shared::domain::listing::Seen;
use shared::domain::notice::State;
use shared::domain::posting::{EXTRACTOR_VERSION, Posting};
use shared::domain::task::{MAX_CRASHES, Stage, TaskStatus};
use shared::house::{House, QueueName};
use shared::messages::ExtractJob;
use shared::queue::Queue;
use shared::room::Verdict;
use shared::sighting::{self, Sighting};
use shared::store::Pool;
use shared::store::listings::JobFields;
use shared::store::pages::{self, Page};
use shared::store::tasks::{self, Ending, Visit, Wanted};
use tracing::instrument;
use uuid::Uuid;

const LEASE: SignedDuration = SignedDuration::from_secs(58);

/// What the extractor needs.
pub struct Extractor {
    pub db: Pool,
    pub blobs: Blobs,
    pub extract: Queue,
    pub clock: Clock,
    pub owner: Uuid,
}

impl Extractor {
    pub async fn new(house: &House) -> anyhow::Result<Extractor> {
        Ok(Extractor {
            db: house.db(Duration::from_secs(5)).await?,
            blobs: house.blobs()?,
            extract: house.queue(QueueName::Extract)?,
            clock: Clock::System,
            owner: house.owner(),
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
    etag: Option<String>,
    last_modified: Option<String>,
    fetched_at: Timestamp,
}

/// One message: claim, read the page, save what it says.
#[instrument(name = "extractor", skip_all, fields(task.id = %job.task_id, domain, request.id))]
pub async fn extract(room: &Extractor, job: ExtractJob) -> anyhow::Result<Verdict> {
    let started = room.clock.now();
    let conn = room.db.conn().await?;
    let plan = match tasks::wanted(&*conn, job.task_id, job.release_no, Stage::Extract, started).await? {
        Wanted::Now(plan) => plan,
        Wanted::Later(until) => return Ok(Verdict::Postpone(until)),
        Wanted::Nothing => return Ok(Verdict::Done),
    };
    let claimed = tasks::claim(&*conn, plan, Stage::Extract, room.owner, started, started + LEASE).await?;
    let Some(visit) = claimed else { return Ok(Verdict::Done) };
    drop(conn);
    let span = tracing::Span::current();
    span.record("domain", visit.plan.site.as_str());
    span.record("request.id", visit.plan.request_id.map(tracing::field::display));
    if let Err(error) = read(room, &visit, started).await {
        let conn = room.db.conn().await?;
        tasks::give_back(&*conn, &visit).await?;
        return Err(error);
    }
    Ok(Verdict::Done)
}

/// A claimed task: read its page and save what it says.
async fn read(room: &Extractor, visit: &Visit, started: Timestamp) -> anyhow::Result<()> {
    if visit.crashes >= MAX_CRASHES {
        let text = format!("{} workers read this page and crashed", visit.crashes);
        tracing::error!(crashes = visit.crashes, "quarantined");
        return fail(room, visit, "quarantined", &text, true).await;
    }

    let fetched: Fetched =
        serde_json::from_value(visit.plan.pipeline_state.clone()).context("reading what the crawler left")?;
    let Some(body) = room.blobs.get(&BlobKey::stored(&fetched.raw_key)?).await? else {
        return fail(room, visit, "raw_page_missing", "the stored page is no longer there", false).await;
    };
    let (url, kept) = (visit.plan.url.clone(), body.clone());
    let (kind, last, at) = (fetched.content_type.clone(), fetched.final_url.clone(), fetched.fetched_at);
    // Parsing is bounded but not short; it must not hold up the heartbeat of other messages.
    let reading =
        tokio::task::spawn_blocking(move || read_job_posting(&kept, kind.as_deref(), &url, &last, at))
            .await?;
    save(room, visit, &fetched, &reading).await?;
    let now = room.clock.now();
    tracing::info!(
        url = shared::telemetry::loggable(&fetched.final_url),
        verdict = reading.verdict.code,
        fields_extracted = reading.posting.as_ref().map_or(0, |posting| posting.provenance.len()),
        duration_ms = i64::try_from(now.duration_since(started).as_millis()).unwrap_or(i64::MAX),
        "read"
    );
    Ok(())
}

/// One transaction: the page, what was read, the listing with its evidence, the end of the task.
async fn save(room: &Extractor, visit: &Visit, fetched: &Fetched, reading: &Reading) -> anyhow::Result<()> {
    let now = room.clock.now();
    let (plan, verdict) = (&visit.plan, json!(reading.verdict));
    let result = reading.posting.as_ref().map(serde_json::to_value).transpose()?;
    let job = reading.posting.as_ref().and_then(|posting| job_fields(posting, reading));
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    pages::save(&transaction, &page(visit, fetched, reading)).await?;
    let sighting = Sighting {
        task_id: plan.id,
        url_key: &plan.url_key,
        seen: seen(reading, job.is_some()),
        rule: reading.verdict.code,
        verdict_code: Some(reading.verdict.code),
        http_status: i32::from(fetched.status),
        final_url: &fetched.final_url,
        raw_key: Some(&fetched.raw_key),
        extractor_version: Some(EXTRACTOR_VERSION),
        job: job.as_ref(),
    };
    let listing_id = sighting::record(&transaction, &sighting, now).await?;
    let stored = pages::Reading {
        url_key: plan.url_key.clone(),
        target_type: plan.target_type.clone(),
        extractor_version: EXTRACTOR_VERSION.to_owned(),
        content_sha256: fetched.sha256.clone(),
        field_fingerprint: reading.fingerprint.clone(),
        verdict: verdict.clone(),
        result: result.clone(),
        listing_id,
    };
    pages::save_reading(&transaction, &stored, now).await?;
    let (status, ending) = ending(listing_id, result, &verdict, reading);
    if tasks::finish(&transaction, visit, status, Stage::Save, &ending, now).await? {
        transaction.commit().await?;
    } // else our lease ran out and somebody else has the task: nothing of this is kept
    Ok(())
}

fn ending(
    listing_id: Option<shared::domain::ids::ListingId>,
    result: Option<Value>,
    verdict: &Value,
    reading: &Reading,
) -> (TaskStatus, Ending) {
    let meta = Some(json!({ "verdict": verdict, "extractor_version": EXTRACTOR_VERSION }));
    if result.is_some() {
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

fn page(visit: &Visit, fetched: &Fetched, reading: &Reading) -> Page {
    Page {
        url_key: visit.plan.url_key.clone(),
        site: visit.plan.site.as_str().to_owned(),
        status: i32::from(fetched.status),
        final_url: fetched.final_url.clone(),
        content_type: fetched.content_type.clone(),
        etag: fetched.etag.clone(),
        last_modified: fetched.last_modified.clone(),
        content_sha256: Some(fetched.sha256.clone()),
        raw_key: Some(fetched.raw_key.clone()),
        simhash: reading.simhash.map(u64::cast_signed),
        fetched_at: fetched.fetched_at,
    }
}

/// A listing needs a title; everything else may be unknown.
fn job_fields(posting: &Posting, reading: &Reading) -> Option<JobFields> {
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
        extractor_version: EXTRACTOR_VERSION.to_owned(),
        fingerprint: reading.fingerprint.clone()?,
    })
}

async fn fail(
    room: &Extractor,
    visit: &Visit,
    code: &str,
    text: &str,
    quarantined: bool,
) -> anyhow::Result<()> {
    let ending = Ending { error: Some((code.to_owned(), text.to_owned())), quarantined, ..Ending::default() };
    let conn = room.db.conn().await?;
    tasks::finish(&*conn, visit, TaskStatus::Failed, Stage::Extract, &ending, room.clock.now()).await?;
    Ok(())
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Extractor> {
    Extractor::new(&House::of_lambda().await?).await.context("starting the extractor")
}
