//! A notifier on a database of its own, and jobs to tell of.

use std::sync::Arc;
use std::time::Duration;

use fixture::{Call, TestDb, page_task};
use jiff::SignedDuration;
use notifier::{Notifier, limits};
use shared::clock::Clock;
use shared::domain::ids::{BatchId, DeliveryId, TaskId};
use shared::domain::task::{BatchKind, TaskStatus};
use shared::domain::webhook::SigningKey;
use shared::egress::{Egress, Limits, Permission};
use shared::messages::NotifyJob;
use shared::notify;
use shared::queue::{PgQueue, Queue};
use shared::room::Verdict;
use shared::store::tasks::{self, NewTask};
use shared::store::webhooks::{self, Due, WebhookDelivery};
use shared::store::{Db, Pool, batches};
use standardwebhooks::Webhook;

pub const SECRET: &str = "whsec_c2x1aWNlcyBhbmQgbG9ja3MgYW5kIHdlaXJzIGFuZCBib2F0cw==";

pub struct Bench {
    pub db: TestDb,
    pub clock: Clock,
    pub room: Arc<Notifier>,
}

impl Bench {
    /// A notifier that may reach loopback, and waits for a receiver as long as the real one.
    pub async fn new() -> Bench {
        Bench::with(Clock::manual(Clock::System.now()), limits()).await
    }

    pub async fn with(clock: Clock, limits: Limits) -> Bench {
        let loopback = Permission::with_private_hosts(vec!["127.0.0.0/8".parse().unwrap()]);
        let db = TestDb::new().await;
        let room = Arc::new(notifier(db.pool.clone(), &clock, loopback, limits));
        Bench { db, clock, room }
    }

    /// The same house with a door that leads to the public web only.
    pub fn without_permission(&self) -> Notifier {
        notifier(self.db.pool.clone(), &self.clock, Permission::public_only(), limits())
    }

    /// Works the queue until nothing in it is due. Returns how many messages were handled.
    pub async fn work(&self) -> usize {
        self.work_as(&self.room).await
    }

    pub async fn work_as(&self, room: &Notifier) -> usize {
        let mut handled = 0;
        loop {
            let received = room.notify.receive(10, Duration::ZERO).await.unwrap();
            if received.is_empty() {
                return handled;
            }
            for message in received {
                let job: NotifyJob = serde_json::from_str(&message.body).unwrap();
                match notifier::notify(room, job).await.unwrap() {
                    Verdict::Acknowledged => {}
                    Verdict::Done => room.notify.ack(&message).await.unwrap(),
                    Verdict::Postpone(until) => {
                        let wait = until.duration_since(self.clock.now());
                        room.notify.hide(&message.receipt, wait.unsigned_abs()).await.unwrap();
                    }
                }
                handled += 1;
            }
        }
    }

    pub fn pass(&self, millis: i64) {
        self.clock.advance(SignedDuration::from_millis(millis));
    }

    /// A task that stands alone, not ended.
    pub async fn task(&self, callback: Option<&str>) -> TaskId {
        let task = page_task("https://example.com/1");
        let conn = self.db.pool.conn().await.unwrap();
        tasks::insert(&*conn, &task, self.clock.now()).await.unwrap();
        if let Some(url) = callback {
            webhooks::call_back(&*conn, task.id, url).await.unwrap();
        }
        task.id
    }

    /// A scrape job with these targets, none of them ended.
    pub async fn batch(&self, callback: Option<&str>, targets: &[Option<&str>]) -> (BatchId, Vec<TaskId>) {
        let (id, now) = (BatchId::fresh(), self.clock.now());
        let size = i32::try_from(targets.len()).unwrap();
        let mut conn = self.db.pool.conn().await.unwrap();
        let transaction = conn.transaction().await.unwrap();
        batches::insert(&transaction, id, BatchKind::ScrapeJob, size, now).await.unwrap();
        let set = "update batches set callback_url = $2 where id = $1";
        transaction.client().execute(set, &[&id, &callback]).await.unwrap();
        let mut ids = Vec::new();
        for target in targets {
            let task = NewTask { batch_id: Some(id), batch_size: size, ..page_task("https://example.com/1") };
            tasks::insert(&transaction, &task, now).await.unwrap();
            if let Some(url) = target {
                webhooks::call_back(&transaction, task.id, url).await.unwrap();
            }
            ids.push(task.id);
        }
        transaction.commit().await.unwrap();
        (id, ids)
    }

    /// The task ends so; nobody is told.
    pub async fn end(&self, task: TaskId, status: TaskStatus) {
        let good = matches!(status, TaskStatus::Success | TaskStatus::Filtered | TaskStatus::Skipped);
        let result = good.then(|| serde_json::json!({ "job_title": format!("Post {task}") }));
        let error = (status == TaskStatus::Failed).then_some("the site answered 500");
        let conn = self.db.pool.conn().await.unwrap();
        let sql = "update tasks set status = $2::text::task_status, ended_at = $3, result = $4, error = $5,
            error_code = case when $5::text is null then null else 'http_500' end where id = $1";
        conn.execute(sql, &[&task, &status.word(), &self.clock.now(), &result, &error]).await.unwrap();
    }

    /// What a room does after it has ended a task of a batch.
    pub async fn tell_batch(&self, batch: BatchId) -> usize {
        notify::batch(&self.db.pool, &self.room.notify, batch, self.clock.now()).await.unwrap()
    }

    /// A job of one that has ended well and is owed to this address, with its message in the queue.
    pub async fn owed(&self, url: &str) -> DeliveryId {
        let due = self.owed_silently(url).await;
        notify::send(&self.room.notify, std::slice::from_ref(&due)).await.unwrap();
        due.id
    }

    /// The same, and the message is lost.
    pub async fn owed_silently(&self, url: &str) -> Due {
        let task = self.task(Some(url)).await;
        self.end(task, TaskStatus::Success).await;
        let conn = self.db.pool.conn().await.unwrap();
        webhooks::owe_tasks(&*conn, &[task], self.clock.now()).await.unwrap().pop().unwrap()
    }

    pub async fn row(&self, id: DeliveryId) -> WebhookDelivery {
        let conn = self.db.pool.conn().await.unwrap();
        let all = webhooks::list(&*conn, None, None, 10_000).await.unwrap();
        all.into_iter().find(|row| row.id == id).unwrap()
    }

    pub async fn rows(&self) -> i64 {
        let conn = self.db.pool.conn().await.unwrap();
        conn.query_one("select count(*) from webhook_deliveries", &[]).await.unwrap().get(0)
    }
}

fn notifier(db: Pool, clock: &Clock, permission: Permission, limits: Limits) -> Notifier {
    let queue = PgQueue::new(db.clone(), clock.clone(), "notify", Duration::from_secs(15), 100);
    Notifier {
        db,
        web: Egress::new(permission, limits).unwrap(),
        notify: Queue::Postgres(queue),
        clock: clock.clone(),
        key: SigningKey::new(SECRET.to_owned().into()).unwrap(),
    }
}

/// What a receiver with the public library thinks of a call.
pub fn verifies(call: &Call) -> bool {
    Webhook::new(SECRET).unwrap().verify(&call.body, &call.headers).is_ok()
}
