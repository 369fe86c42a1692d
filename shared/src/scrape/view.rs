//! Tasks and jobs as the scrape service shows them.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::ids::{ListingId, TaskId};
use crate::domain::job::ShownStatus;
use crate::domain::task::TaskStatus;
use crate::store::jobs::{Job, JobTask};
use crate::store::tasks::Task;

/// A task as the scrape service shows it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TaskView {
    #[schema(value_type = uuid::Uuid)]
    pub task_id: TaskId,
    /// The job it belongs to; a task that stands alone is its own.
    pub job_id: uuid::Uuid,
    /// `queued`, `running`, `completed` or `failed`.
    pub status: &'static str,
    pub target_type: String,
    pub target_url: String,
    pub workspace_id: Option<String>,
    /// Only when completed.
    pub result: Option<Value>,
    pub error: Option<String>,
    #[schema(value_type = Option<uuid::Uuid>)]
    pub listing_id: Option<ListingId>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub completed_at: Option<Timestamp>,
}

/// A job and how far it is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct JobView {
    pub job_id: uuid::Uuid,
    /// `queued`, `running`, `completed`, `partially_completed`, `failed` or `cancelled`.
    pub status: &'static str,
    pub total_tasks: u32,
    pub queued_tasks: u32,
    pub running_tasks: u32,
    pub completed_tasks: u32,
    pub failed_tasks: u32,
    pub workspace_id: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    pub tasks: Vec<JobTaskView>,
}

/// One task of a job; its result is at `…/results`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct JobTaskView {
    #[schema(value_type = uuid::Uuid)]
    pub task_id: TaskId,
    pub target_type: String,
    pub target_url: String,
    /// `queued`, `running`, `completed` or `failed`.
    pub status: &'static str,
    pub error: Option<String>,
    /// A stable name for the error.
    pub code: Option<String>,
}

pub fn task(task: Task) -> TaskView {
    let shown = ShownStatus::from(task.status);
    let completed = shown == ShownStatus::Completed;
    TaskView {
        task_id: task.id,
        job_id: task.batch_id.map_or(task.id.0, |batch| batch.0),
        status: shown.word(),
        target_type: task.target_type,
        target_url: task.url,
        workspace_id: task.workspace_id,
        result: task.result.filter(|_| completed).map(|all| chosen(all, task.requested_fields.as_deref())),
        error: problem(task.status, task.error),
        listing_id: task.listing_id,
        created_at: task.created_at,
        started_at: task.started_at,
        completed_at: task.ended_at,
    }
}

/// What a program may want to know of a task beside its result.
pub fn meta(task: &Task) -> Option<Value> {
    let mut meta = task.meta.clone().unwrap_or_else(|| json!({}));
    if task.status == TaskStatus::Failed {
        meta["code"] = json!(task.error_code);
        if task.quarantined {
            meta["quarantined"] = json!(true);
        }
    }
    meta.as_object().is_some_and(|meta| !meta.is_empty()).then_some(meta)
}

pub fn job(job: Job) -> JobView {
    let counts = job.counts();
    JobView {
        job_id: job.id.0,
        status: job.status().word(),
        total_tasks: counts.total(),
        queued_tasks: counts.queued,
        running_tasks: counts.running,
        completed_tasks: counts.completed,
        failed_tasks: counts.failed,
        created_at: job.created_at,
        updated_at: job.updated_at(),
        workspace_id: job.workspace_id,
        tasks: job.tasks.into_iter().map(job_task).collect(),
    }
}

fn job_task(task: JobTask) -> JobTaskView {
    let failed = task.status == TaskStatus::Failed;
    JobTaskView {
        task_id: task.id,
        target_type: task.target_type,
        target_url: task.url,
        status: ShownStatus::from(task.status).word(),
        error: problem(task.status, task.error),
        code: task.error_code.filter(|_| failed),
    }
}

fn problem(status: TaskStatus, error: Option<String>) -> Option<String> {
    match status {
        TaskStatus::Failed => error,
        TaskStatus::Cancelled => Some("cancelled".to_owned()),
        _ => None,
    }
}

/// Only the fields that were asked for.
fn chosen(result: Value, fields: Option<&[String]>) -> Value {
    match (result, fields) {
        (Value::Object(all), Some(fields)) => Value::Object(
            fields.iter().map(|field| (field.clone(), all.get(field).cloned().unwrap_or_default())).collect(),
        ),
        (result, _) => result,
    }
}
