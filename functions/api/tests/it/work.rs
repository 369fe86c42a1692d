//! Stands in for the rooms that do the work: claims tasks and ends them, by the store's own moves.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::domain::ids::TaskId;
use shared::domain::task::{Stage, TaskStatus};
use shared::messages::CrawlJob;
use shared::release;
use shared::store::tasks::{self, Ending, Visit};
use uuid::Uuid;

use crate::bench::Bench;

/// How far a task is to be brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Queued,
    Running,
    Completed,
    Failed,
}

impl Reach {
    pub const ALL: [Reach; 4] = [Reach::Queued, Reach::Running, Reach::Completed, Reach::Failed];

    pub fn word(self) -> &'static str {
        match self {
            Reach::Queued => "queued",
            Reach::Running => "running",
            Reach::Completed => "completed",
            Reach::Failed => "failed",
        }
    }
}

impl Bench {
    /// Takes a task, if it may be taken.
    pub async fn try_claim(&self, id: TaskId) -> Option<Visit> {
        let (conn, now) = (self.db.pool.conn().await.unwrap(), self.clock.now());
        let task = tasks::find(&*conn, id).await.unwrap().unwrap();
        let wanted = tasks::wanted(&*conn, id, task.release_no, task.stage, now).await.unwrap();
        let lease = now + SignedDuration::from_secs(50);
        tasks::claim(&*conn, wanted.now()?, task.stage, Uuid::new_v4(), now, lease).await.unwrap()
    }

    pub async fn claim(&self, id: TaskId) -> Visit {
        self.try_claim(id).await.expect("the task may be taken")
    }

    pub async fn finish(&self, visit: &Visit, status: TaskStatus) -> bool {
        let conn = self.db.pool.conn().await.unwrap();
        let error = (status == TaskStatus::Failed)
            .then(|| ("http_500".to_owned(), "the site answered 500".to_owned()));
        // Also what failed may have been read in part.
        let result = Some(result_of(visit.plan.id));
        let ending = Ending { error, result, ..Ending::default() };
        tasks::finish(&*conn, visit, status, Stage::Save, &ending, self.clock.now()).await.unwrap()
    }

    /// Brings a task that waits so far.
    pub async fn bring(&self, id: TaskId, reach: Reach) -> Option<Visit> {
        if reach == Reach::Queued {
            return None;
        }
        let visit = self.claim(id).await;
        match reach {
            Reach::Completed => assert!(self.finish(&visit, TaskStatus::Success).await),
            Reach::Failed => assert!(self.finish(&visit, TaskStatus::Failed).await),
            Reach::Queued | Reach::Running => {}
        }
        Some(visit)
    }

    /// The next message of the crawl queue, acknowledged.
    pub async fn delivered(&self) -> Option<CrawlJob> {
        let held = self.api.crawl.receive(1, Duration::ZERO).await.unwrap().pop()?;
        self.api.crawl.ack(&held).await.unwrap();
        Some(serde_json::from_str(&held.body).unwrap())
    }

    pub async fn release(&self, visit: &Visit) {
        release::site(&self.db.pool, &self.api.crawl, &visit.plan.site, self.clock.now()).await.unwrap();
    }

    /// Forgets all tasks, so that one database serves many cases.
    pub async fn clear(&self) {
        let conn = self.db.pool.conn().await.unwrap();
        conn.batch_execute("truncate tasks, batches, queue_messages, queue_dedup, idempotency_keys, renderer_reports cascade")
            .await
            .unwrap();
    }

    /// Hands in a job; the ids of the job and its tasks.
    pub async fn job(&self, targets: &[Value]) -> (Uuid, Vec<TaskId>) {
        let answer = self.post("/api/v1/scrape/batch", json!({ "targets": targets }).to_string()).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        let data = &answer.json()["data"];
        let ids = data["task_ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().parse().unwrap());
        (data["job_id"].as_str().unwrap().parse().unwrap(), ids.collect())
    }
}

/// A result that belongs to this task and no other.
pub fn result_of(id: TaskId) -> Value {
    json!({ "job_title": format!("Keeper {id}"), "company_name": null })
}

/// A good target at one of a few sites.
pub fn target(number: usize) -> Value {
    json!({
        "target_type": "job_posting",
        "target_url": format!("https://site{}.com/{number}", number % 3),
        "workspace_id": "w",
    })
}
