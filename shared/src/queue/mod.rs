//! The queue: FIFO by group, one message of a group in flight, five minutes of deduplication that survive
//! deletion. On AWS it is SQS FIFO; on one machine a Postgres table with the same semantics and limits.

mod inbox;
mod postgres;
mod sqs;

use std::time::Duration;

use anyhow::ensure;

use crate::store::args::Db;

pub use postgres::{ALL as STATEMENTS, Instance, PgQueue};
pub use sqs::SqsQueue;

/// SQS remembers a deduplication id this long, even when its message is deleted.
pub const DEDUP_WINDOW: Duration = Duration::from_secs(300);
pub const MAX_GROUP: usize = 128;
pub const MAX_BODY: usize = 256 * 1024;
/// A message can be hidden for at most twelve hours.
pub const MAX_HIDDEN: Duration = Duration::from_secs(12 * 3600);
/// Deliveries before a message is given up. High, because postponing counts as a delivery too; the real
/// attempts are counted in the task's row.
pub const MAX_RECEIVES: i32 = 100;

/// A message as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    pub group: String,
    pub dedup_id: String,
    pub body: String,
}

/// A message as it is delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub message_id: String,
    /// The proof of this delivery; void when the message becomes visible again.
    pub receipt: String,
    pub group: String,
    pub body: String,
    pub receive_count: i32,
}

/// Whether a message is still on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    Yes,
    /// Others wait there; it may be among them.
    Perhaps,
    No,
}

/// One queue, in the cloud or on this machine.
#[derive(Clone)]
pub enum Queue {
    Sqs(SqsQueue),
    Postgres(PgQueue),
}

impl Queue {
    /// Sends messages in order. Those whose deduplication id was seen in the last five minutes are dropped.
    pub async fn send(&self, messages: &[Outgoing]) -> anyhow::Result<()> {
        for message in messages {
            ensure!(
                (1..=MAX_GROUP).contains(&message.group.len()),
                "a queue group has 1 to {MAX_GROUP} characters, not {}",
                message.group.len()
            );
            ensure!(
                (1..=128).contains(&message.dedup_id.len()),
                "a deduplication id has 1 to 128 characters"
            );
            ensure!(
                (1..=MAX_BODY).contains(&message.body.len()),
                "a message has 1 to {MAX_BODY} bytes, not {}",
                message.body.len()
            );
        }
        match self {
            Queue::Sqs(queue) => queue.send(messages).await,
            Queue::Postgres(queue) => queue.send(messages).await,
        }
    }

    /// Up to `most` messages, waiting up to `wait` for the first. SQS hands out no more than ten at a time.
    pub async fn receive(&self, most: usize, wait: Duration) -> anyhow::Result<Vec<Delivery>> {
        match self {
            Queue::Sqs(queue) => queue.receive(most.clamp(1, 10), wait).await,
            Queue::Postgres(queue) => queue.receive(most.clamp(1, 64), wait).await,
        }
    }

    /// The message is done. With a void receipt nothing happens.
    pub async fn ack(&self, delivery: &Delivery) -> anyhow::Result<()> {
        self.ack_receipt(&delivery.receipt).await
    }

    pub(crate) async fn ack_receipt(&self, receipt: &str) -> anyhow::Result<()> {
        match self {
            Queue::Sqs(queue) => queue.ack(receipt).await,
            Queue::Postgres(queue) => queue.ack(receipt).await,
        }
    }

    /// Acknowledges messages that this process holds as part of a transaction, where the queue is in the same
    /// database. `false`: it is not, and each message must be acknowledged by itself.
    pub async fn ack_in(&self, db: &impl Db, messages: &[Outgoing]) -> anyhow::Result<bool> {
        match self {
            Queue::Postgres(queue) if queue.is_owned() => {
                queue.ack_in(db, messages).await?;
                Ok(true)
            }
            Queue::Postgres(_) | Queue::Sqs(_) => Ok(false),
        }
    }

    /// Hides the message, and blocks its group, for that long from now: to put it off, or to keep it while
    /// the work goes on. Errs when the receipt is void.
    pub async fn hide(&self, receipt: &str, how_long: Duration) -> anyhow::Result<()> {
        let how_long = how_long.min(MAX_HIDDEN);
        match self {
            Queue::Sqs(queue) => queue.hide(receipt, how_long).await,
            Queue::Postgres(queue) => queue.hide(receipt, how_long).await,
        }
    }

    /// Which of these messages are still in it. A table can tell; SQS only says whether anything waits there.
    pub async fn holds(&self, messages: &[Outgoing]) -> anyhow::Result<Vec<Held>> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        match self {
            Queue::Sqs(queue) => {
                let held = if queue.waiting().await? > 0 { Held::Perhaps } else { Held::No };
                Ok(vec![held; messages.len()])
            }
            Queue::Postgres(queue) => queue.holds(messages).await,
        }
    }

    /// How many messages are in it, in flight or not.
    pub async fn depth(&self) -> anyhow::Result<i64> {
        match self {
            Queue::Sqs(queue) => queue.depth().await,
            Queue::Postgres(queue) => queue.depth().await,
        }
    }
}
