//! Cleanup: what must not pile up. It drains the dead-letter queues into a table that an operator can read, and
//! drops what is past its time.

use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use shared::clock::Clock;
use shared::house::{House, QueueName};
use shared::queue::Queue;
use shared::store::{Pool, ai, dead_letters, idempotency, matches, renderers, robots, role_queue};
use tracing::instrument;

/// What cleanup needs.
pub struct Cleanup {
    pub db: Pool,
    /// Each queue's name with the queue its spent messages go to.
    pub dead: Vec<(QueueName, Queue)>,
    pub clock: Clock,
    /// The last day whose midnight was run here.
    pub last_day: tokio::sync::Mutex<Option<jiff::civil::Date>>,
}

/// What a run found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    pub dead_letters: usize,
    /// Sessions of scrapers that gave no sign of life, and the roles that wait again for it.
    pub sessions_timed_out: i64,
    pub roles_reset: i64,
}

/// What the run at midnight did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct NewDay {
    pub roles_reset_to_pending: u64,
    pub skills_counted: u64,
}

impl Cleanup {
    pub async fn new(house: &House) -> anyhow::Result<Cleanup> {
        let dead = QueueName::ALL.into_iter().map(|name| Ok((name, house.dead_queue(name)?)));
        Ok(Cleanup {
            db: house.db(Duration::from_secs(5)).await?,
            dead: dead.collect::<anyhow::Result<_>>()?,
            clock: Clock::System,
            last_day: tokio::sync::Mutex::default(),
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
    matches::forget(&*conn, room.clock.now()).await?;
    ai::forget(&*conn, room.clock.now()).await?;
    (cleaned.sessions_timed_out, cleaned.roles_reset) =
        role_queue::time_out(&*conn, room.clock.now()).await?;
    if cleaned.sessions_timed_out > 0 {
        let (sessions, roles) = (cleaned.sessions_timed_out, cleaned.roles_reset);
        tracing::info!(sessions, roles, "sessions without a sign of life ended");
    }
    Ok(cleaned)
}

/// At midnight: roles that were scraped a day ago wait again, and the skills of the open jobs are counted. Safe to
/// run twice, and at once.
#[instrument(name = "cleanup", skip_all)]
pub async fn new_day(room: &Cleanup) -> anyhow::Result<NewDay> {
    let conn = room.db.conn().await?;
    let roles_reset_to_pending = role_queue::reset_completed(&*conn, room.clock.now()).await?;
    let skills_counted = matches::count_skills(&*conn).await?;
    tracing::info!(roles = roles_reset_to_pending, skills = skills_counted, "a new day");
    Ok(NewDay { roles_reset_to_pending, skills_counted })
}

/// For a house with a timer instead of a calendar: the run of midnight, once a day (UTC), whoever asks how often.
pub async fn each_day(room: &Cleanup) -> anyhow::Result<Option<NewDay>> {
    let today = room.clock.now().to_zoned(jiff::tz::TimeZone::UTC).date();
    if *room.last_day.lock().await == Some(today) {
        return Ok(None);
    }
    let done = new_day(room).await?;
    *room.last_day.lock().await = Some(today);
    Ok(Some(done))
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Cleanup> {
    Cleanup::new(&House::of_lambda().await?).await.context("starting cleanup")
}
