//! The notifier: one message, one attempt to tell a receiver how a job ended. It signs and sends; what is
//! true of the job it reads from the rows.

use std::time::Duration;

use anyhow::Context;
use jiff::SignedDuration;
use shared::clock::Clock;
use shared::domain::webhook::{self, Answer, DeliveryStatus, Next, Payload, SigningKey};
use shared::egress::{Egress, EgressError, Hop, Limits, Request};
use shared::house::{House, QueueName};
use shared::messages::NotifyJob;
use shared::notify;
use shared::queue::Queue;
use shared::room::Verdict;
use shared::store::webhooks::{self, Claim, Claimed, Settled};
use shared::store::{Db, Pool};
use shared::telemetry::loggable;
use tracing::instrument;

/// Longer than an attempt may take; a lease that outlives this belongs to a crashed notifier.
const LEASE: SignedDuration = SignedDuration::from_secs(15);
const USER_AGENT: &str = concat!("Freshet/", env!("CARGO_PKG_VERSION"), " (webhooks)");

/// What the notifier needs.
pub struct Notifier {
    pub db: Pool,
    pub web: Egress,
    pub notify: Queue,
    pub clock: Clock,
    pub key: SigningKey,
}

impl Notifier {
    pub async fn new(house: &House) -> anyhow::Result<Notifier> {
        Ok(Notifier {
            db: house.db(Duration::from_secs(5)).await?,
            web: Egress::new(house.permission()?, Limits { connect: house.connect_limit()?, ..limits() })?,
            notify: house.queue(QueueName::Notify)?,
            clock: Clock::System,
            key: SigningKey::new(house.webhook_secret().await?).context("WEBHOOK_SECRET")?,
        })
    }
}

/// How much of our time a receiver may take.
pub fn limits() -> Limits {
    Limits { total: webhook::TIMEOUT, redirects: 0, ..Limits::default() }
}

/// One message: claim, send, settle.
#[instrument(name = "notifier", skip_all, fields(delivery.id = %job.delivery_id, job.id))]
pub async fn notify(room: &Notifier, job: NotifyJob) -> anyhow::Result<Verdict> {
    let now = room.clock.now();
    let conn = room.db.conn().await?;
    let delivery = match webhooks::claim(&*conn, job.delivery_id, now, now + LEASE).await? {
        Claim::Taken(delivery) => delivery,
        Claim::Later(until) => return Ok(Verdict::Postpone(until)),
        Claim::Nothing => return Ok(Verdict::Done),
    };
    tracing::Span::current().record("job.id", tracing::field::display(delivery.job_id));
    if delivery.is_off {
        return stop(room, &*conn, &delivery).await;
    }
    let body = body(&*conn, &delivery).await?;
    drop(conn);
    let answer = send(room, &delivery, &body).await;
    settle(room, &delivery, &answer).await?;
    Ok(Verdict::Done)
}

/// The text as it was first made, or as it is made now and kept before it is sent.
async fn body(db: &impl Db, delivery: &Claimed) -> anyhow::Result<String> {
    if let Some(kept) = &delivery.body {
        return Ok(kept.clone());
    }
    let job = webhooks::job(db, delivery).await?;
    let payload = Payload::new(delivery.job_id, job.cancelled, job.summary, job.results);
    webhooks::keep_body(db, delivery.id, &payload.text()?).await
}

/// One attempt. The address passes the same door as every other, and must be https unless it is on the list
/// of private hosts.
async fn send(room: &Notifier, delivery: &Claimed, body: &str) -> Answer {
    let refused = |error: EgressError| Answer::Refused { code: error.code(), text: error.to_string() };
    match room.web.check(&delivery.url) {
        Ok(target) if target.url().scheme() == "https" || target.is_private() => {}
        Ok(target) => {
            return refused(EgressError::SchemeRefused { scheme: target.url().scheme().to_owned() });
        }
        Err(error) => return refused(error),
    }
    let mut request = Request::post(&delivery.url, body.to_owned())
        .header("content-type", "application/json")
        .header("user-agent", USER_AGENT)
        .without_body();
    for (name, value) in room.key.headers(delivery.id, room.clock.now(), body.as_bytes()) {
        request = request.header(name, value);
    }
    match room.web.fetch(request, |_| Hop::Stop).await {
        Ok(answer) => Answer::Status { status: answer.status, retry_after: answer.headers.retry_after },
        Err(error) if error.is_refusal() => refused(error),
        Err(error) => Answer::Silence { code: error.code(), text: error.to_string() },
    }
}

/// Writes down what came of an attempt, and sends the message for the next one.
async fn settle(room: &Notifier, delivery: &Claimed, answer: &Answer) -> anyhow::Result<()> {
    let now = room.clock.now();
    let attempt = delivery.attempts + 1;
    let next = webhook::next(answer, attempt, now);
    let (status, next_at) = match next {
        Next::Delivered => (DeliveryStatus::Delivered, now),
        Next::Retry(at) => (DeliveryStatus::Pending, at),
        Next::Failed => (DeliveryStatus::Failed, now),
        Next::Stopped => (DeliveryStatus::Stopped, now),
    };
    let (last_status, last_error) = match answer {
        Answer::Status { status, .. } if next == Next::Delivered => (Some(*status), None),
        Answer::Status { status, .. } => (Some(*status), Some(format!("the receiver answered {status}"))),
        Answer::Silence { code, text } | Answer::Refused { code, text } => {
            (None, Some(format!("{code}: {text}")))
        }
    };
    let settled = Settled { status, attempted: true, next_at, last_status, last_error };
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    let due = webhooks::settle(&transaction, delivery, &settled, now).await?;
    if due.is_some() && next == Next::Stopped {
        webhooks::switch_off(&transaction, &delivery.url, now).await?;
    }
    transaction.commit().await?;
    drop(conn);
    tracing::info!(
        url = loggable(&delivery.url),
        outcome = status.word(),
        status = settled.last_status,
        error = settled.last_error,
        attempt,
        "notified"
    );
    // After the commit; the sweep covers a crash here.
    if let (Next::Retry(_), Some(due)) = (next, due) {
        notify::send(&room.notify, &[due]).await?;
    }
    Ok(())
}

/// The address answered 410 before: nothing is sent.
async fn stop(room: &Notifier, db: &impl Db, delivery: &Claimed) -> anyhow::Result<Verdict> {
    let now = room.clock.now();
    let settled = Settled {
        status: DeliveryStatus::Stopped,
        attempted: false,
        next_at: now,
        last_status: None,
        last_error: Some("the endpoint is switched off: it answered 410 before".to_owned()),
    };
    webhooks::settle(db, delivery, &settled, now).await?;
    Ok(Verdict::Done)
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Notifier> {
    Notifier::new(&House::of_lambda().await?).await.context("starting the notifier")
}
