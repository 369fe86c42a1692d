//! How a queue room is run: on Lambda by an SQS event, on one machine by a loop. Both call the same handler.

use std::future::Future;
use std::time::Duration;

use aws_lambda_events::event::sqs::SqsEvent;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::queue::{Delivery, Queue};

/// What a room made of a message. An `Err` beside it is only for our own faults: the message comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Done,
    /// Done, and the message is gone already, with the transaction that settled its task.
    Acknowledged,
    /// Not before then; the group stays blocked meanwhile.
    Postpone(Timestamp),
}

/// Answers one SQS delivery. Bodies are read one by one, so that an unreadable one fails alone.
pub async fn sqs_event<J, F>(
    event: SqsEvent,
    queue: &Queue,
    clock: &Clock,
    handle: impl Fn(J) -> F,
) -> anyhow::Result<Value>
where
    J: DeserializeOwned,
    F: Future<Output = anyhow::Result<Verdict>>,
{
    let mut failed = Vec::new();
    for record in event.records {
        let id = record.message_id.unwrap_or_default();
        let verdict = match serde_json::from_str(record.body.as_deref().unwrap_or_default()) {
            Ok(job) => handle(job).await,
            Err(error) => Err(anyhow::anyhow!("the message cannot be read: {error}")),
        };
        match verdict {
            Ok(Verdict::Done | Verdict::Acknowledged) => {}
            Ok(Verdict::Postpone(until)) => {
                // Hidden until then and reported as failed: the group waits and no compute is billed.
                queue.hide(record.receipt_handle.as_deref().unwrap_or_default(), wait(until, clock)).await?;
                failed.push(json!({ "itemIdentifier": id }));
            }
            Err(error) => {
                tracing::error!(
                    message.id = id,
                    error = format!("{error:#}"),
                    "a message failed and comes again"
                );
                failed.push(json!({ "itemIdentifier": id }));
            }
        }
    }
    Ok(json!({ "batchItemFailures": failed }))
}

/// The same for work that must not be done twice: the message is gone before it is begun. What is lost with a
/// crash is for the row's lease to find.
pub async fn sqs_event_once<J, F>(
    mut event: SqsEvent,
    queue: &Queue,
    clock: &Clock,
    handle: impl Fn(J) -> F,
) -> anyhow::Result<Value>
where
    J: DeserializeOwned,
    F: Future<Output = anyhow::Result<Verdict>>,
{
    let mut kept = Vec::new();
    for record in std::mem::take(&mut event.records) {
        let receipt = record.receipt_handle.as_deref().unwrap_or_default();
        match take_out(queue, receipt, Duration::from_secs(60)).await {
            Ok(()) => event.records.push(record),
            Err(error) => {
                let id = record.message_id.unwrap_or_default();
                tracing::warn!(message.id = id, error = format!("{error:#}"), "a message stays for later");
                kept.push(json!({ "itemIdentifier": id }));
            }
        }
    }
    sqs_event(event, queue, clock, handle).await?;
    // Of those that were taken out, none is left that could come again.
    Ok(json!({ "batchItemFailures": kept }))
}

/// When a message is done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ack {
    /// When the work is done: it may be done twice.
    After,
    /// Before the work begins: it is done at most once.
    Before,
}

/// Works a queue with up to `width` messages at once until told to stop; then finishes what it holds.
pub async fn work<J, H, F>(
    queue: Queue,
    clock: Clock,
    width: usize,
    visibility: Duration,
    stop: CancellationToken,
    handle: H,
) where
    J: DeserializeOwned,
    H: Fn(J) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = anyhow::Result<Verdict>> + Send + 'static,
{
    work_by(queue, clock, width, visibility, Ack::After, stop, handle).await;
}

/// The same for work that must not be done twice.
pub async fn work_once<J, H, F>(
    queue: Queue,
    clock: Clock,
    width: usize,
    visibility: Duration,
    stop: CancellationToken,
    handle: H,
) where
    J: DeserializeOwned,
    H: Fn(J) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = anyhow::Result<Verdict>> + Send + 'static,
{
    work_by(queue, clock, width, visibility, Ack::Before, stop, handle).await;
}

async fn work_by<J, H, F>(
    queue: Queue,
    clock: Clock,
    width: usize,
    visibility: Duration,
    ack: Ack,
    stop: CancellationToken,
    handle: H,
) where
    J: DeserializeOwned,
    H: Fn(J) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = anyhow::Result<Verdict>> + Send + 'static,
{
    if width == 0 {
        return;
    }
    let places = std::sync::Arc::new(tokio::sync::Semaphore::new(width));
    let tracker = TaskTracker::new();
    loop {
        let place = tokio::select! {
            place = places.clone().acquire_owned() => place,
            () = stop.cancelled() => break,
        };
        let Ok(place) = place else { break };
        // As many messages as there are free places, one place each.
        let most = 1 + places.available_permits().min(63);
        let received = tokio::select! {
            received = queue.receive(most, Duration::from_secs(5)) => received,
            () = stop.cancelled() => break,
        };
        let deliveries = match received {
            Ok(deliveries) => deliveries,
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "receiving failed; trying again");
                tokio::time::sleep(Duration::from_secs(1)).await;
                continue;
            }
        };
        let mut place = Some(place);
        for delivery in deliveries {
            let place = match place.take() {
                Some(place) => place,
                None => match places.clone().acquire_owned().await {
                    Ok(place) => place,
                    Err(_) => break,
                },
            };
            let (queue, clock, handle) = (queue.clone(), clock.clone(), handle.clone());
            tracker.spawn(async move {
                one(&queue, &clock, visibility, ack, &delivery, handle).await;
                drop(place);
            });
        }
    }
    tracker.close();
    tracker.wait().await;
}

/// One message: its handler, with a heartbeat that keeps it hidden meanwhile.
async fn one<J, H, F>(
    queue: &Queue,
    clock: &Clock,
    visibility: Duration,
    ack: Ack,
    delivery: &Delivery,
    handle: H,
) where
    J: DeserializeOwned,
    H: Fn(J) -> F,
    F: Future<Output = anyhow::Result<Verdict>>,
{
    if ack == Ack::Before && serde_json::from_str::<J>(&delivery.body).is_ok() {
        return once(queue, visibility, delivery, handle).await;
    }
    let job = match serde_json::from_str(&delivery.body) {
        Ok(job) => job,
        Err(error) => {
            // Left alone, it comes again until it is a dead letter for an operator to see.
            tracing::error!(message.id = delivery.message_id, %error, "a message cannot be read");
            return;
        }
    };
    let work = handle(job);
    tokio::pin!(work);
    let mut beat = tokio::time::interval(visibility / 3);
    beat.tick().await;
    let verdict = loop {
        tokio::select! {
            verdict = &mut work => break verdict,
            _ = beat.tick() => {
                if let Err(error) = queue.hide(&delivery.receipt, visibility).await {
                    tracing::warn!(message.id = delivery.message_id, error = format!("{error:#}"), "the heartbeat failed");
                }
            }
        }
    };
    let settled = match verdict {
        Ok(Verdict::Done) => queue.ack(delivery).await,
        Ok(Verdict::Acknowledged) => Ok(()),
        Ok(Verdict::Postpone(until)) => queue.hide(&delivery.receipt, wait(until, clock)).await,
        Err(error) => {
            tracing::error!(
                message.id = delivery.message_id,
                error = format!("{error:#}"),
                "a message failed and comes again"
            );
            queue.hide(&delivery.receipt, Duration::from_secs(2)).await
        }
    };
    if let Err(error) = settled {
        tracing::warn!(
            message.id = delivery.message_id,
            error = format!("{error:#}"),
            "settling a message failed"
        );
    }
}

/// One message that is gone before its work begins.
async fn once<J, H, F>(queue: &Queue, visibility: Duration, delivery: &Delivery, handle: H)
where
    J: DeserializeOwned,
    H: Fn(J) -> F,
    F: Future<Output = anyhow::Result<Verdict>>,
{
    let id = &delivery.message_id;
    if let Err(error) = take_out(queue, &delivery.receipt, visibility).await {
        tracing::warn!(message.id = id, error = format!("{error:#}"), "a message stays for later");
        return;
    }
    let Ok(work) = serde_json::from_str(&delivery.body).map(handle) else { return };
    if let Err(error) = work.await {
        tracing::error!(message.id = id, error = format!("{error:#}"), "a message failed");
    }
}

/// The message is gone, and it was ours: a receipt that is void fails here.
async fn take_out(queue: &Queue, receipt: &str, visibility: Duration) -> anyhow::Result<()> {
    queue.hide(receipt, visibility).await?;
    queue.ack_receipt(receipt).await
}

fn wait(until: Timestamp, clock: &Clock) -> Duration {
    Duration::try_from(until.duration_since(clock.now())).unwrap_or_default()
}
