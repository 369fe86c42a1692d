//! Cleanup: what must not pile up. It drains the dead-letter queues into a table that an operator can read, and
//! drops what is past its time.

use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use shared::clock::Clock;
use shared::house::{House, QueueName};
use shared::queue::Queue;
use shared::store::{Pool, dead_letters, idempotency, renderers, robots};
use tracing::instrument;

/// What cleanup needs.
pub struct Cleanup {
    pub db: Pool,
    /// Each queue's name with the queue its spent messages go to.
    pub dead: Vec<(QueueName, Queue)>,
    pub clock: Clock,
}

/// What a run found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    pub dead_letters: usize,
}

impl Cleanup {
    pub async fn new(house: &House) -> anyhow::Result<Cleanup> {
        let dead = QueueName::ALL.into_iter().map(|name| Ok((name, house.dead_queue(name)?)));
        Ok(Cleanup {
            db: house.db(Duration::from_secs(5)).await?,
            dead: dead.collect::<anyhow::Result<_>>()?,
            clock: Clock::System,
        })
    }
}

/// Moves every dead letter into the table. A crash between keeping and deleting keeps it once.
#[instrument(name = "cleanup", skip_all)]
pub async fn clean(room: &Cleanup) -> anyhow::Result<Cleaned> {
    let mut cleaned = Cleaned::default();
    for (name, queue) in &room.dead {
        loop {
            let letters = queue.receive(10, Duration::ZERO).await?;
            if letters.is_empty() {
                break;
            }
            for letter in letters {
                let conn = room.db.conn().await?;
                let (id, count) = (&letter.message_id, letter.receive_count);
                dead_letters::keep(
                    &*conn,
                    name.word(),
                    id,
                    &letter.group,
                    &letter.body,
                    count,
                    room.clock.now(),
                )
                .await?;
                drop(conn);
                queue.ack(&letter).await?;
                tracing::warn!(queue = name.word(), message.id = letter.message_id, "a message was given up");
                cleaned.dead_letters += 1;
            }
        }
    }
    let conn = room.db.conn().await?;
    robots::forget_old(&*conn, room.clock.now()).await?;
    idempotency::forget(&*conn, room.clock.now()).await?;
    renderers::forget(&*conn, room.clock.now()).await?;
    Ok(cleaned)
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Cleanup> {
    Cleanup::new(&House::of_lambda().await?).await.context("starting cleanup")
}
