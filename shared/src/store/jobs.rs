//! Jobs of the scrape service: a batch, or a task that stands alone and is a job of one. What a job has come to
//! is counted from its tasks.

use anyhow::Context;
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, statements};
use super::tasks::{self, Task};
use crate::domain::ids::{BatchId, TaskId};
use crate::domain::job::{Counts, JobStatus};
use crate::domain::site::Site;
use crate::domain::task::TaskStatus;

statements! {
    FIND = "select id, workspace_id, callback_url, created_at, cancelled_at
        from batches where id = $1 and kind = 'scrape_job'
        union all
        select id, workspace_id, callback_url, created_at, cancelled_at
        from tasks where id = $1 and batch_id is null and kind = 'page'";
    TASKS = "select id, status::text, url, target_type, error_code, error, started_at, ended_at
        from tasks where (batch_id = $1 or (id = $1 and batch_id is null)) and kind = 'page' order by id";
    // The columns of `tasks::Task`.
    RESULTS = "select id, batch_id, kind::text, status::text, stage::text, url, site, target_type, workspace_id,
            requested_fields, attempts, not_before, release_no, listing_id, result, meta, error_code, error,
            quarantined, created_at, started_at, ended_at
        from tasks
        where (batch_id = $1 or (id = $1 and batch_id is null)) and kind = 'page'
          and status in ('success', 'filtered', 'skipped') and id > $2
        order by id limit $3";
    CANCEL = include_str!("sql/cancel_job.sql");
    ENDED_TASKS = "select id from tasks where id = any($1) and status not in ('pending', 'processing')";
    OF_TASK = "select coalesce(batch_id, id) from tasks where id = $1 and kind = 'page'";
    // Only jobs that are over: one row, or none.
    ENDED = "select count(*) filter (where status in ('success', 'filtered', 'skipped')),
            count(*) filter (where status in ('failed', 'cancelled'))
        from tasks where (batch_id = $1 or (id = $1 and batch_id is null)) and kind = 'page'
        having count(*) > 0 and count(*) filter (where status in ('pending', 'processing')) = 0";
}

/// The id of a batch, or of a task that stands alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JobId(pub Uuid);

impl From<BatchId> for JobId {
    fn from(id: BatchId) -> JobId {
        JobId(id.0)
    }
}

impl From<TaskId> for JobId {
    /// Of a task that stands alone.
    fn from(id: TaskId) -> JobId {
        JobId(id.0)
    }
}

/// A job with its tasks.
#[derive(Debug, Clone)]
pub struct Job {
    pub id: JobId,
    pub workspace_id: Option<String>,
    pub callback_url: Option<String>,
    pub created_at: Timestamp,
    pub cancelled_at: Option<Timestamp>,
    pub tasks: Vec<JobTask>,
}

/// One task of a job, without its result.
#[derive(Debug, Clone)]
pub struct JobTask {
    pub id: TaskId,
    pub status: TaskStatus,
    pub url: String,
    pub target_type: String,
    pub error_code: Option<String>,
    pub error: Option<String>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

/// What a job that is over came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobSummary {
    pub id: JobId,
    pub status: JobStatus,
    pub total: u32,
    pub completed: u32,
    pub failed: u32,
    pub workspace_id: Option<String>,
    pub callback_url: Option<String>,
    pub created_at: Timestamp,
}

impl Job {
    pub fn counts(&self) -> Counts {
        Counts::of(self.tasks.iter().map(|task| task.status))
    }

    pub fn status(&self) -> JobStatus {
        self.counts().status(self.cancelled_at.is_some())
    }

    /// When something last happened to it.
    pub fn updated_at(&self) -> Timestamp {
        let times = self.tasks.iter().flat_map(|task| [task.started_at, task.ended_at]);
        times.chain([self.cancelled_at]).flatten().fold(self.created_at, Timestamp::max)
    }
}

pub async fn find(db: &impl Db, id: JobId) -> anyhow::Result<Option<Job>> {
    let Some(found) = row(db, FIND, &args![id.0]).await? else { return Ok(None) };
    let tasks = rows(db, TASKS, &args![id.0]).await?;
    Ok(Some(Job {
        id,
        workspace_id: found.get("workspace_id"),
        callback_url: found.get("callback_url"),
        created_at: found.get("created_at"),
        cancelled_at: found.get("cancelled_at"),
        tasks: tasks.iter().map(job_task).collect::<anyhow::Result<_>>()?,
    }))
}

/// The tasks of a job that were completed, after the one named, oldest first.
pub async fn results(
    db: &impl Db,
    id: JobId,
    after: Option<TaskId>,
    limit: i64,
) -> anyhow::Result<Vec<Task>> {
    let after = after.map_or(Uuid::nil(), |id| id.0);
    rows(db, RESULTS, &args![id.0, after, limit]).await?.iter().map(tasks::task).collect()
}

/// Stops the tasks that have not begun, in one statement. Returns their sites, whose next tasks may go.
pub async fn cancel(db: &impl Db, id: JobId, now: Timestamp) -> anyhow::Result<Vec<Site>> {
    let stopped = rows(db, CANCEL, &args![id.0, micros(now)]).await?;
    let mut sites: Vec<Site> = stopped.iter().map(|row| Site::stored(row.get("site"))).collect();
    sites.sort();
    sites.dedup();
    Ok(sites)
}

/// Those of the tasks that have ended.
pub async fn ended_tasks(db: &impl Db, ids: &[TaskId]) -> anyhow::Result<Vec<TaskId>> {
    let found = rows(db, ENDED_TASKS, &args![ids.to_vec()]).await?;
    Ok(found.iter().map(|row| row.get(0)).collect())
}

/// The job a task belongs to: its batch, or itself. Nothing for tasks that no caller handed in.
pub async fn of_task(db: &impl Db, id: TaskId) -> anyhow::Result<Option<JobId>> {
    Ok(row(db, OF_TASK, &args![id]).await?.map(|row| JobId(row.get(0))))
}

/// What the job came to, once all its tasks have ended.
pub async fn ended(db: &impl Db, id: JobId) -> anyhow::Result<Option<JobSummary>> {
    let Some(counted) = row(db, ENDED, &args![id.0]).await? else { return Ok(None) };
    let Some(found) = row(db, FIND, &args![id.0]).await? else { return Ok(None) };
    let count = |at: usize| u32::try_from(counted.get::<_, i64>(at)).context("a job has few tasks");
    let counts = Counts { completed: count(0)?, failed: count(1)?, ..Counts::default() };
    let cancelled = found.get::<_, Option<Timestamp>>("cancelled_at").is_some();
    Ok(Some(JobSummary {
        id,
        status: counts.status(cancelled),
        total: counts.total(),
        completed: counts.completed,
        failed: counts.failed,
        workspace_id: found.get("workspace_id"),
        callback_url: found.get("callback_url"),
        created_at: found.get("created_at"),
    }))
}

fn job_task(row: &Row) -> anyhow::Result<JobTask> {
    Ok(JobTask {
        id: row.get("id"),
        status: row.get::<_, &str>("status").parse()?,
        url: row.get("url"),
        target_type: row.get("target_type"),
        error_code: row.get("error_code"),
        error: row.get("error"),
        started_at: row.get("started_at"),
        ended_at: row.get("ended_at"),
    })
}
