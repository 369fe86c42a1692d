//! Cleanup: what must not pile up. It drains the dead-letter queues into a table that an operator can read, drops what
//! is past its time, and does once a day (UTC) what is to be done once a day.

use std::time::Duration;

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use shared::clock::Clock;
use shared::house::{House, QueueName};
use shared::queue::Queue;
use shared::store::again::again;
use shared::store::{
    Pool, ai, day_marks, dead_letters, idempotency, matches, renderers, robots, role_queue, roles,
};
use tracing::instrument;

/// Decisions about titles that a later one repeats are kept this long.
const DECISIONS_KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);
/// A step of the daily run that failed is left alone for this long.
const STEP_PAUSE: SignedDuration = SignedDuration::from_mins(15);

/// What cleanup needs.
pub struct Cleanup {
    pub db: Pool,
    /// Each queue's name with the queue its spent messages go to.
    pub dead: Vec<(QueueName, Queue)>,
    pub clock: Clock,
    /// When a step of the daily run last failed here.
    pub failed_at: tokio::sync::Mutex<Option<Timestamp>>,
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
            failed_at: tokio::sync::Mutex::default(),
        })
    }
}

/// One run. Each step is done whatever becomes of the others; if one failed, so did the run.
#[instrument(name = "cleanup", skip_all)]
pub async fn clean(room: &Cleanup) -> anyhow::Result<Cleaned> {
    let (mut cleaned, mut failed) = (Cleaned::default(), Failures::default());
    for (name, queue) in &room.dead {
        let drained = drain(room, *name, queue).await;
        cleaned.dead_letters += failed.or_none(name.word(), drained).unwrap_or_default();
    }
    let now = room.clock.now();
    macro_rules! step {
        ($what:literal, $work:expr) => {
            failed.or_none($what, again(async || $work(&*room.db.conn().await?, now).await).await)
        };
    }
    // The first is what others wait for.
    if let Some((sessions, roles)) = step!("sessions", role_queue::time_out) {
        (cleaned.sessions_timed_out, cleaned.roles_reset) = (sessions, roles);
        if sessions > 0 {
            tracing::info!(sessions, roles, "sessions without a sign of life ended");
        }
    }
    step!("robots", robots::forget_old);
    step!("idempotency keys", idempotency::forget);
    step!("renderers", renderers::forget);
    step!("match runs", matches::forget);
    step!("answers of models", ai::forget);
    step!("old sessions", role_queue::forget);
    step!("old decisions", async |db, now| roles::forget_decisions(db, now - DECISIONS_KEPT).await);
    failed.answer(cleaned)
}

/// Moves every dead letter of a queue into the table. A crash between keeping and deleting keeps it once.
async fn drain(room: &Cleanup, name: QueueName, queue: &Queue) -> anyhow::Result<usize> {
    let mut kept = 0;
    loop {
        let letters = queue.receive(10, Duration::ZERO).await?;
        if letters.is_empty() {
            return Ok(kept);
        }
        for letter in letters {
            let conn = room.db.conn().await?;
            let (id, count) = (&letter.message_id, letter.receive_count);
            let now = room.clock.now();
            dead_letters::keep(&*conn, name.word(), id, &letter.group, &letter.body, count, now).await?;
            drop(conn);
            queue.ack(&letter).await?;
            tracing::warn!(queue = name.word(), message.id = letter.message_id, "a message was given up");
            kept += 1;
        }
    }
}

/// The steps of a run that failed.
#[derive(Default)]
struct Failures(Vec<String>);

impl Failures {
    fn or_none<T>(&mut self, step: &str, done: anyhow::Result<T>) -> Option<T> {
        match done {
            Ok(done) => Some(done),
            Err(error) => {
                tracing::error!(step, error = format!("{error:#}"), "a step of cleanup failed");
                self.0.push(step.to_owned());
                None
            }
        }
    }

    fn answer<T>(self, done: T) -> anyhow::Result<T> {
        if self.0.is_empty() { Ok(done) } else { anyhow::bail!("these steps failed: {}", self.0.join(", ")) }
    }
}

/// What is done once a day (UTC): roles that were scraped a day ago wait again, and the skills of the open jobs are
/// counted. Whoever asks, and how often: a step that was done today is not done again, and one that fails neither
/// undoes the other nor keeps it from being done.
#[instrument(name = "cleanup", skip_all)]
pub async fn new_day(room: &Cleanup) -> anyhow::Result<NewDay> {
    let mut failed = Failures::default();
    macro_rules! step {
        ($what:literal, $work:expr) => {{
            let done = again(async || {
                let now = room.clock.now();
                let mut conn = room.db.conn().await?;
                let transaction = conn.transaction().await?;
                let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
                if !day_marks::claim(&transaction, $what, today, now).await? {
                    return Ok(0);
                }
                let count = $work(&transaction, now).await?;
                transaction.commit().await?;
                tracing::info!(step = $what, count, "a new day");
                Ok(count)
            });
            failed.or_none($what, done.await).unwrap_or_default()
        }};
    }
    let done = NewDay {
        roles_reset_to_pending: step!("reset completed roles", role_queue::reset_completed),
        skills_counted: step!("count skills", async |db, _| matches::count_skills(db).await),
    };
    failed.answer(done)
}

/// For a house with a timer instead of a calendar: the same, asked for every minute. What failed waits a while.
pub async fn each_day(room: &Cleanup) -> anyhow::Result<NewDay> {
    let mut failed_at = room.failed_at.lock().await;
    let now = room.clock.now();
    if failed_at.is_some_and(|at| now.duration_since(at) < STEP_PAUSE) {
        return Ok(NewDay::default());
    }
    let done = new_day(room).await;
    *failed_at = done.is_err().then_some(now);
    done
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Cleanup> {
    Cleanup::new(&House::of_lambda().await?).await.context("starting cleanup")
}
