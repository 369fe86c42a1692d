//! What the dispatcher's sweep finds.

use fixture::Receiver;
use jiff::SignedDuration;
use shared::domain::ids::TaskId;
use shared::domain::task::TaskStatus;
use shared::notify;

use crate::bench::Bench;

async fn sweep(bench: &Bench) -> usize {
    let silence = SignedDuration::from_secs(30);
    notify::sweep(&bench.db.pool, &bench.room.notify, silence, bench.clock.now()).await.unwrap()
}

/// The process died between the end of the job and the delivery, or between the delivery and its message.
#[tokio::test]
async fn a_crash_at_any_point_loses_no_webhook_and_doubles_none() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    let url = receiver.url("/hook");
    // Ended, and nobody turned it into a delivery.
    let alone = bench.task(Some(&url)).await;
    bench.end(alone, TaskStatus::Failed).await;
    let (batch, targets) = bench.batch(Some(&url), &[None, None]).await;
    for target in &targets {
        bench.end(*target, TaskStatus::Success).await;
    }
    // A delivery, and its message was never sent.
    let lost = bench.owed_silently(&url).await;
    // Not ended, or nobody to tell: nothing to do.
    bench.task(Some(&url)).await;
    let silent = bench.task(None).await;
    bench.end(silent, TaskStatus::Success).await;
    let (_, open) = bench.batch(Some(&url), &[None, None]).await;
    bench.end(open[0], TaskStatus::Success).await;

    assert_eq!(sweep(&bench).await, 2, "the lost one may still be on its way");
    bench.work().await;
    let mut told: Vec<_> = receiver.calls().iter().map(|call| call.json()["job_id"].clone()).collect();
    told.sort_by_key(ToString::to_string);
    let mut expected = vec![serde_json::json!(alone), serde_json::json!(batch)];
    expected.sort_by_key(ToString::to_string);
    assert_eq!(told, expected);

    bench.pass(31_000);
    assert_eq!(sweep(&bench).await, 1);
    assert_eq!(sweep(&bench).await, 0, "once is enough for the next half minute");
    bench.work().await;
    assert_eq!(bench.row(lost.id).await.status, "delivered");
    bench.pass(31_000);
    assert_eq!(sweep(&bench).await, 0);
    assert_eq!((bench.rows().await, receiver.calls().len()), (3, 3));
}

#[tokio::test]
async fn a_lost_retry_is_sent_again() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    receiver.answers("/hook", [fixture::Reply::Status(500), fixture::Reply::Status(200)]);
    let id = bench.owed(&receiver.url("/hook")).await;
    bench.work().await;
    let conn = bench.db.pool.conn().await.unwrap();
    conn.execute("delete from queue_messages", &[]).await.unwrap();
    bench.pass(31_000);
    assert_eq!(sweep(&bench).await, 0, "it has been due for 29 s only");
    bench.pass(2_000);
    assert_eq!(sweep(&bench).await, 1);
    bench.work().await;
    assert_eq!(bench.row(id).await.status, "delivered");
}

/// Telling of the same end again, by whoever and how often, makes no second row.
#[tokio::test]
async fn the_end_of_a_job_becomes_a_row_once() {
    let bench = Bench::new().await;
    let (batch, targets) = bench.batch(Some("https://example.com/hook"), &[None; 3]).await;
    assert_eq!(bench.tell_batch(batch).await, 0, "nothing has ended");
    for target in &targets {
        bench.end(*target, TaskStatus::Success).await;
    }
    let all = (0..8).map(|_| bench.tell_batch(batch));
    let told: usize = futures_util::future::join_all(all).await.into_iter().sum();
    assert_eq!((told, bench.rows().await), (1, 1));
    let conn = bench.db.pool.conn().await.unwrap();
    let nobody = TaskId::fresh();
    let due = shared::store::webhooks::owe_tasks(&*conn, &[nobody], bench.clock.now()).await.unwrap();
    assert!(due.is_empty());
}
