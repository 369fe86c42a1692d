//! What follows the end of a job: its deliveries become rows, and the notifier hears of them. Whoever ended a
//! task calls this after the commit; the dispatcher's sweep covers a crash in between.

use jiff::{SignedDuration, Timestamp};

use crate::domain::ids::{BatchId, TaskId};
use crate::domain::task::TaskKind;
use crate::messages::NotifyJob;
use crate::queue::Queue;
use crate::store::tasks::Plan;
use crate::store::webhooks::{self, Due};
use crate::store::{Db, Pool};

/// The task may have ended, and its job with it. A task that nobody wants to hear of costs nothing. A failure
/// here is not the task's: the sweep finds what was left.
pub async fn task(db: &Pool, queue: &Queue, plan: &Plan, now: Timestamp) {
    let told = match plan.batch_id {
        Some(batch_id) if plan.kind == TaskKind::Page => batch(db, queue, batch_id, now).await,
        None if plan.has_callback => tasks(db, queue, &[plan.id], now).await,
        _ => return,
    };
    if let Err(error) = told {
        tracing::warn!(
            task.id = %plan.id,
            error = format!("{error:#}"),
            "announcing the end of a job failed; the sweep will"
        );
    }
}

/// Tasks that stand alone may have ended. Returns how many deliveries came of it.
pub async fn tasks(db: &Pool, queue: &Queue, ids: &[TaskId], now: Timestamp) -> anyhow::Result<usize> {
    let due = webhooks::owe_tasks(&*db.conn().await?, ids, now).await?;
    send(queue, &due).await
}

/// The batch may have ended, because its last task did or because it was called off. Returns how many
/// deliveries came of it.
pub async fn batch(db: &Pool, queue: &Queue, batch: BatchId, now: Timestamp) -> anyhow::Result<usize> {
    let due = webhooks::owe_batch(&*db.conn().await?, batch, now).await?;
    send(queue, &due).await
}

/// Finds ended jobs that nobody announced, and deliveries whose message is lost: those that have been due
/// for as long as `silence`. Returns how many messages went out.
pub async fn sweep(
    db: &Pool,
    queue: &Queue,
    silence: SignedDuration,
    now: Timestamp,
) -> anyhow::Result<usize> {
    let conn = db.conn().await?;
    let mut due = webhooks::lost(&*conn, now - silence, now).await?;
    due.extend(unannounced(&*conn, now).await?);
    drop(conn);
    send(queue, &due).await
}

async fn unannounced(db: &impl Db, now: Timestamp) -> anyhow::Result<Vec<Due>> {
    let mut due = Vec::new();
    let tasks = webhooks::unnoticed_tasks(db).await?;
    if !tasks.is_empty() {
        due.extend(webhooks::owe_tasks(db, &tasks, now).await?);
    }
    for batch in webhooks::unnoticed_batches(db).await? {
        due.extend(webhooks::owe_batch(db, batch, now).await?);
    }
    Ok(due)
}

/// Tells the notifier.
pub async fn send(queue: &Queue, due: &[Due]) -> anyhow::Result<usize> {
    let messages = due.iter().map(NotifyJob::outgoing).collect::<anyhow::Result<Vec<_>>>()?;
    queue.send(&messages).await?;
    Ok(messages.len())
}
