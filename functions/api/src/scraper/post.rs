//! Jobs handed in: each is checked alone, the good ones become listings, session and role move on, all in one
//! transaction.

use axum::body::Bytes;
use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use shared::domain::roles::posted_job::{self, PostedJob};
use shared::door::{FieldError, Scraper};
use shared::matching;
use shared::messages::MatchEvent;
use shared::store::Db;
use shared::store::imports::{self, Counts, Session, Settled};
use shared::store::scraper_keys::ScraperKey;
use uuid::Uuid;

use crate::Api;
use crate::body::again;
use crate::error::ApiError;

/// Jobs of one post; whoever has more posts again.
const MOST_JOBS: usize = 1_000;

/// What a scraper found.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PostedJobs {
    /// Of the answer to `next-role`.
    pub session_id: Uuid,
    /// At most 1,000. Each has `external_job_id`, `platform`, `title` and `job_url`, and may have `company`,
    /// `location`, `remote`, `description`, `skills`, `salary_min`, `salary_max`, `salary_currency`, `salary_period`,
    /// `posted_date`.
    pub jobs: Vec<Value>,
    /// False when more of this session follows; true when left out.
    pub complete: Option<bool>,
}

/// What is wrong with one job.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct JobFault {
    /// Its place in the list, from 0.
    pub index: usize,
    pub field: String,
    pub message: String,
}

/// What became of a post.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PostAnswer {
    pub session_id: Uuid,
    /// Of the whole session so far: found = imported + skipped.
    pub jobs_found: i32,
    pub jobs_imported: i32,
    /// Those that were there already, repeated, or wrong.
    pub jobs_skipped: i32,
    pub duration_seconds: i32,
    pub matching_triggered: bool,
    /// Whether the session is done.
    pub completed: bool,
    /// The session had timed out; nobody else had completed the role, so the jobs were taken all the same.
    pub late: bool,
    /// The jobs of this post that were not taken, and why.
    pub errors: Vec<JobFault>,
}

/// Hands in jobs and completes the session.
#[utoipa::path(post, path = "/api/scraper/queue/jobs", tag = "scraper", request_body = PostedJobs,
    security(("scraper" = [])),
    responses((status = 200, description = "What became of them. The same post sent again answers the same", body = PostAnswer),
        (status = 400, description = "session_id required, or the body is not JSON"),
        (status = 401, description = "API key required, or invalid or expired"),
        (status = 404, description = "Session not found"),
        (status = 409, description = "The session has ended"),
        (status = 413, description = "The body is larger than 4 MB"),
        (status = 422, description = "`jobs` is not a list of at most 1,000"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn jobs(
    State(api): State<Api>,
    Extension(Scraper(key)): Extension<Scraper>,
    body: Bytes,
) -> Result<Json<PostAnswer>, ApiError> {
    let post = read(&body, &key)?;
    let (answer, run) = again(|| take(&api, &key, &post)).await?;
    // After the commit; the sweep covers a crash here.
    if let Some((run_id, event)) = run {
        matching::tell(&api.matches, run_id, event).await;
    }
    Ok(Json(answer))
}

/// A post, read.
struct Post {
    session_id: Uuid,
    complete: bool,
    found: usize,
    good: Vec<PostedJob>,
    errors: Vec<JobFault>,
    sha256: String,
}

fn read(body: &[u8], key: &ScraperKey) -> Result<Post, ApiError> {
    let invalid = |field: &str, message: &str| ApiError::Invalid(vec![FieldError::new(field, message)]);
    let value: Value =
        serde_json::from_slice(body).map_err(|_| ApiError::BadRequest("The body is not JSON"))?;
    let session_id = match value.get("session_id") {
        None | Some(Value::Null) => return Err(ApiError::BadRequest("session_id required")),
        Some(Value::String(text)) if text.trim().is_empty() => {
            return Err(ApiError::BadRequest("session_id required"));
        }
        Some(given) => {
            given.as_str().and_then(|text| text.parse().ok()).ok_or(ApiError::NotFound("Session"))?
        }
    };
    let complete = match value.get("complete") {
        None | Some(Value::Null) => true,
        Some(Value::Bool(complete)) => *complete,
        Some(_) => return Err(invalid("complete", "must be true or false")),
    };
    let none = Vec::new();
    let given = match value.get("jobs") {
        None | Some(Value::Null) => &none,
        Some(Value::Array(jobs)) => jobs,
        Some(_) => return Err(invalid("jobs", "must be a list")),
    };
    if given.len() > MOST_JOBS {
        return Err(invalid(
            "jobs",
            "has more than 1,000 entries; send `complete: false` and post the rest after it",
        ));
    }
    let (mut read, mut errors) = (Vec::with_capacity(given.len()), Vec::new());
    for (index, job) in given.iter().enumerate() {
        match posted_job::read(job, key.allowed_sources.as_deref()) {
            Ok(job) => read.push((index, job)),
            Err(faults) => errors.extend(faults.into_iter().map(|fault| JobFault {
                index,
                field: fault.field.to_owned(),
                message: fault.message,
            })),
        }
    }
    let (good, _) = imports::without_repeats(read);
    // The same for bodies that say the same, however they are written.
    let sha256 = hex(&Sha256::digest(value.to_string()));
    Ok(Post { session_id, complete, found: given.len(), good, errors, sha256 })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

type Taken = (PostAnswer, Option<(Uuid, MatchEvent)>);

async fn take(api: &Api, key: &ScraperKey, post: &Post) -> Result<Taken, ApiError> {
    let mut conn = api.db.conn().await?;
    let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
    let session =
        imports::lock(&transaction, post.session_id, key.id).await?.ok_or(ApiError::NotFound("Session"))?;
    if let Some(answer) = imports::answered(&transaction, session.id, &post.sha256).await? {
        let answer = serde_json::from_value(answer).map_err(anyhow::Error::from)?;
        return Ok((answer, None));
    }
    let late = admit(&transaction, &session).await?;
    let taken = write(api, &transaction, &session, post, late).await?;
    transaction.commit().await.map_err(anyhow::Error::from)?;
    let PostAnswer { jobs_found, jobs_imported, jobs_skipped, completed, .. } = taken.0;
    tracing::info!(
        session.id = %session.id, scraper = key.id, jobs_found, jobs_imported, jobs_skipped, completed, late,
        "jobs were handed in"
    );
    Ok(taken)
}

/// Whether the session may still bring jobs; `true` when it comes late.
async fn admit(db: &impl Db, session: &Session) -> Result<bool, ApiError> {
    match session.status.as_str() {
        "in_progress" => Ok(false),
        "timeout" if imports::done_since(db, session).await? => {
            Err(ApiError::Conflict("The session timed out, and the role has been completed since".to_owned()))
        }
        "timeout" => Ok(true),
        status => Err(ApiError::Conflict(format!("The session has ended: {status}"))),
    }
}

async fn write(
    api: &Api,
    db: &impl Db,
    session: &Session,
    post: &Post,
    late: bool,
) -> Result<Taken, ApiError> {
    let now = api.clock.now();
    let written = imports::write(db, &post.good, session, now).await?;
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    let imported = number(written.fresh);
    let counts = Counts { found: number(post.found), imported, skipped: number(post.found) - imported };
    let total = session.counts.and(counts);
    let duration_seconds =
        i32::try_from(now.duration_since(session.started_at).as_secs()).unwrap_or(i32::MAX).max(0);
    let run_id = Uuid::now_v7();
    let run = session.role_id.filter(|_| !written.to_match.is_empty()).map(|role| {
        let event = MatchEvent::JobsImported {
            job_ids: written.to_match.clone(),
            global_role_id: role,
            role_name: session.role_name.clone(),
            session_id: session.id,
            source: "scraper".to_owned(),
        };
        (run_id, event)
    });
    let answer = PostAnswer {
        session_id: session.id,
        jobs_found: total.found,
        jobs_imported: total.imported,
        jobs_skipped: total.skipped,
        duration_seconds,
        matching_triggered: run.is_some(),
        completed: post.complete,
        late,
        errors: post.errors.clone(),
    };
    let kept = serde_json::to_value(&answer).map_err(anyhow::Error::from)?;
    let settled = Settled {
        total,
        imported,
        complete: post.complete,
        duration_seconds,
        lease: api.scrapers.lease,
        run: run_id,
        to_match: &written.to_match,
        sha256: &post.sha256,
        answer: &kept,
    };
    imports::settle(db, session, &settled, now).await?;
    imports::place(db, &post.good, &written, now).await?;
    Ok((answer, run))
}
