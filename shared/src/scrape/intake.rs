//! A request becomes rows: all of them or none, once however often it is sent, and no more than may wait.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_postgres::error::SqlState;

use super::request::{Batch, Target};
use crate::clock::Clock;
use crate::domain::ids::{BatchId, RequestId, TaskId};
use crate::domain::lineage::Lineage;
use crate::domain::site::Site;
use crate::domain::task::TaskKind;
use crate::door::ApiError;
use crate::egress::Permission;
use crate::queue::Queue;
use crate::release;
use crate::store::Pool;
use crate::store::idempotency::{self, Claim, Keyed};
use crate::store::intake::{self as rows, Answer, Counting, NewJob, Page, Wish};
use crate::store::tasks::NewTask;
use crate::telemetry::ended;

/// Callers of the scrape service that may wait at once.
pub const MAX_QUEUE_DEPTH: i64 = 500;
/// Single tasks may be added side by side while this many would still fit: more than Postgres has connections.
const ROOM_TO_SPARE: i64 = 100;
/// When to come back to a full queue.
const RETRY_AFTER: i64 = 10;
/// Deadlocks and the like are tried again so often.
const TRIES: usize = 3;

/// Where requests come in.
#[derive(Clone)]
pub struct Intake {
    pub db: Pool,
    pub crawl: Queue,
    pub clock: Clock,
    pub max_pending: i64,
    /// Private hosts that may be called back.
    pub callbacks: Permission,
    /// Who is told of jobs that name nobody.
    pub default_webhook_url: Option<String>,
}

/// A request's id and, if it may be sent again, its key.
#[derive(Debug, Clone)]
pub struct Origin {
    pub request_id: RequestId,
    pub key: Option<Keyed>,
}

/// What was taken. Kept with the key of the request, so that it can be said again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// The batch, or the one task.
    pub job_id: uuid::Uuid,
    pub task_ids: Vec<TaskId>,
    /// How many were answered from storage.
    pub answered: usize,
    /// Of an answered task: when its page was fetched.
    pub fetched_at: Option<Timestamp>,
    /// It was taken before, under the same key.
    #[serde(skip)]
    pub replayed: bool,
}

impl Intake {
    /// Takes one page.
    pub async fn one(&self, target: Target, origin: &Origin) -> Result<Taken, ApiError> {
        let callback_url = target.callback_url.or_else(|| self.default_webhook_url.clone());
        self.take(vec![Target { callback_url, ..target }], None, origin).await
    }

    /// Takes a job of many.
    pub async fn many(&self, batch: Batch, origin: &Origin) -> Result<Taken, ApiError> {
        let job = NewJob {
            id: BatchId::fresh(),
            size: i32::try_from(batch.targets.len()).map_err(anyhow::Error::from)?,
            workspace_id: batch.workspace_id().map(str::to_owned),
            callback_url: batch.callback_url.or_else(|| self.default_webhook_url.clone()),
        };
        self.take(batch.targets, Some(job), origin).await
    }

    async fn take(
        &self,
        targets: Vec<Target>,
        job: Option<NewJob>,
        origin: &Origin,
    ) -> Result<Taken, ApiError> {
        let now = self.clock.now();
        let mut answers = self.stored(&targets, now).await?;
        let fetched_at = answers.first().and_then(Option::as_ref).map(|answer| answer.fetched_at);
        let pages: Vec<Page> = targets
            .into_iter()
            .zip(answers.drain(..))
            .map(|(target, answer)| page(target, answer, job.as_ref(), origin.request_id))
            .collect();
        let task_ids: Vec<TaskId> = pages.iter().map(|page| page.task.id).collect();
        let job_id = job.as_ref().map(|job| job.id.0).or(task_ids.first().map(|id| id.0));
        let taken = Taken {
            job_id: job_id.unwrap_or_default(),
            task_ids,
            answered: pages.iter().filter(|page| page.answer.is_some()).count(),
            fetched_at,
            replayed: false,
        };
        let order = Order { pages, job, taken, key: origin.key.as_ref(), now };
        let taken = self.write(&order).await?;
        if !taken.replayed {
            tracing::info!(
                job.id = %taken.job_id,
                tasks = taken.task_ids.len(),
                answered = taken.answered,
                "a job was made"
            );
            for page in &order.pages {
                if let Some(answer) = &page.answer {
                    ended::completed(&page.task.site, Some(&answer.result), None, now);
                }
            }
            self.release(&order.sites(), now).await;
        }
        Ok(taken)
    }

    /// What storage holds for targets that need not be fetched anew, in their order.
    async fn stored(&self, targets: &[Target], now: Timestamp) -> anyhow::Result<Vec<Option<Answer>>> {
        let mut answers = vec![None; targets.len()];
        let mut wishes = Vec::new();
        for (place, target) in (0..).zip(targets) {
            let Some(age) = target.max_age.filter(|age| !age.is_zero()) else { continue };
            wishes.push(Wish {
                place,
                workspace_id: &target.workspace_id,
                url_key: &target.url_key,
                target_type: target.target_type.word(),
                since: now - age,
                shown: target.wish.state(),
            });
        }
        if wishes.is_empty() {
            return Ok(answers);
        }
        let conn = self.db.conn().await?;
        for (place, answer) in rows::answers(&*conn, &wishes).await? {
            let place = usize::try_from(place)?;
            if let Some(slot) = answers.get_mut(place) {
                *slot = Some(answer);
            }
        }
        Ok(answers)
    }

    /// Writes the order, counting roughly while there is plenty of room and exactly otherwise.
    async fn write(&self, order: &Order<'_>) -> Result<Taken, ApiError> {
        let alone = order.pages.len() == 1 && self.max_pending > ROOM_TO_SPARE;
        let mut counting = if alone { Counting::Roughly } else { Counting::Exactly };
        let mut tries = 0;
        loop {
            tries += 1;
            match self.attempt(order, counting).await {
                Ok(Written::Yes) => return Ok(order.taken.clone()),
                Ok(Written::Before(taken)) => return Ok(taken),
                Ok(Written::OtherRequest) => return Err(ApiError::KeyReused),
                Ok(Written::Full) if counting == Counting::Exactly => {
                    return Err(ApiError::QueueFull { retry_after: RETRY_AFTER });
                }
                Ok(Written::Full) => counting = Counting::Exactly,
                Err(error) if tries < TRIES && is_collision(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// One transaction.
    async fn attempt(&self, order: &Order<'_>, counting: Counting) -> anyhow::Result<Written> {
        let mut conn = self.db.conn().await?;
        let transaction = conn.transaction().await?;
        if let Some(keyed) = order.key {
            match idempotency::claim(&transaction, keyed, &json!(order.taken), order.now).await? {
                Claim::Ours => {}
                Claim::OtherRequest => return Ok(Written::OtherRequest),
                Claim::Answered(answer) => return replay(answer).map(Written::Before),
            }
        }
        let most = match counting {
            Counting::Roughly => self.max_pending - ROOM_TO_SPARE,
            Counting::Exactly => self.max_pending,
        };
        rows::lock(&transaction, counting).await?;
        if let Some(job) = &order.job {
            rows::insert_job(&transaction, job, order.now).await?;
        }
        if !rows::insert_pages(&transaction, &order.pages, most, order.now).await? {
            return Ok(Written::Full);
        }
        transaction.commit().await?;
        Ok(Written::Yes)
    }

    /// The rows are the truth: if this fails the sweep releases them, and the caller has its ids either way.
    pub async fn release(&self, sites: &[Site], now: Timestamp) {
        if sites.is_empty() {
            return;
        }
        if let Err(error) = release::sites(&self.db, &self.crawl, sites, now).await {
            tracing::warn!(
                sites = sites.len(),
                error = format!("{error:#}"),
                "releasing failed; the sweep will"
            );
        }
    }
}

struct Order<'a> {
    pages: Vec<Page>,
    job: Option<NewJob>,
    taken: Taken,
    key: Option<&'a Keyed>,
    now: Timestamp,
}

impl Order<'_> {
    /// The sites that have work now.
    fn sites(&self) -> Vec<Site> {
        let waiting = self.pages.iter().filter(|page| page.answer.is_none());
        let mut sites: Vec<Site> = waiting.map(|page| page.task.site.clone()).collect();
        sites.sort();
        sites.dedup();
        sites
    }
}

/// What became of one attempt.
enum Written {
    Yes,
    Full,
    Before(Taken),
    OtherRequest,
}

fn replay(answer: Value) -> anyhow::Result<Taken> {
    Ok(Taken { replayed: true, ..serde_json::from_value(answer)? })
}

fn page(target: Target, answer: Option<Answer>, job: Option<&NewJob>, request_id: RequestId) -> Page {
    let answer = answer
        .map(|answer| Answer { meta: Some(said_so(answer.meta.as_ref(), answer.fetched_at)), ..answer });
    let task = NewTask {
        id: TaskId::fresh(),
        batch_id: job.map(|job| job.id),
        kind: TaskKind::Page,
        url: target.url,
        url_key: target.url_key,
        site: target.site,
        target_type: target.target_type.word().to_owned(),
        workspace_id: Some(target.workspace_id),
        requested_fields: target.requested_fields,
        priority: 0,
        batch_size: job.map_or(0, |job| job.size),
        lineage: Lineage::root(),
        request_id: Some(request_id),
    };
    Page { task, callback_url: target.callback_url, answer, wish: target.wish }
}

/// What was known of the page, and that it was not fetched again.
fn said_so(meta: Option<&Value>, fetched_at: Timestamp) -> Value {
    let mut meta = meta.cloned().filter(Value::is_object).unwrap_or_else(|| json!({}));
    meta["answered_from"] = json!("max_age");
    meta["fetched_at"] = json!(fetched_at);
    meta
}

/// Two writers were in each other's way; the next try finds the way free.
fn is_collision(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<tokio_postgres::Error>()).any(|error| {
        matches!(error.code(), Some(&SqlState::T_R_DEADLOCK_DETECTED | &SqlState::T_R_SERIALIZATION_FAILURE))
    })
}
