//! What follows an import or a changed candidate: a run for the matcher. The row is made in the transaction that made
//! it necessary; this tells the matcher afterwards, and the dispatcher's sweep covers a crash in between.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::messages::{MatchEvent, MatchJob};
use crate::queue::Queue;
use crate::store::{Pool, matches};

/// Tells the matcher of a new run. A failure here is not the caller's: the sweep finds the run.
pub async fn tell(queue: &Queue, run_id: Uuid, event: MatchEvent) {
    let job = MatchJob { event, run_id };
    let sent = async { queue.send(&[job.outgoing("first")?]).await };
    if let Err(error) = sent.await {
        tracing::warn!(run.id = %run_id, error = format!("{error:#}"), "telling the matcher failed; the sweep will");
    }
}

/// A run that is not done within one message goes on with the next.
pub async fn go_on(queue: &Queue, run_id: Uuid, cursor: Uuid) -> anyhow::Result<()> {
    let job = MatchJob { event: MatchEvent::Continued, run_id };
    queue.send(&[job.outgoing(&cursor.to_string())?]).await
}

/// Runs of jobs that changed, and runs whose message is lost. Returns how many messages went out.
pub async fn sweep(
    db: &Pool,
    queue: &Queue,
    silence: SignedDuration,
    now: Timestamp,
) -> anyhow::Result<usize> {
    let mut conn = db.conn().await?;
    let transaction = conn.transaction().await?;
    let due = matches::due(&transaction, silence, now).await?;
    transaction.commit().await?;
    drop(conn);
    let messages = due
        .iter()
        .map(|(run_id, number)| {
            MatchJob { event: MatchEvent::Continued, run_id: *run_id }.outgoing(&format!("sweep:{number}"))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    for some in messages.chunks(10) {
        queue.send(some).await?;
    }
    Ok(messages.len())
}
