//! What becomes of a delivery, by what its endpoint answers.

use fixture::{Receiver, Reply};
use shared::clock::Clock;
use shared::egress::Limits;
use shared::store::webhooks;

use crate::bench::{Bench, verifies};

#[tokio::test]
async fn a_good_endpoint_is_told_once_and_the_call_verifies() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    let id = bench.owed(&receiver.url("/hook?tenant=7")).await;
    assert_eq!(bench.work().await, 1);
    let calls = receiver.calls();
    assert_eq!(calls.len(), 1);
    assert!(verifies(&calls[0]), "{:?}", calls[0].headers);
    assert_eq!(calls[0].header("webhook-id"), id.to_string());
    assert_eq!(calls[0].header("webhook-timestamp"), bench.clock.now().as_second().to_string());
    assert_eq!(calls[0].header("content-type"), "application/json");
    assert_eq!(calls[0].path, "/hook?tenant=7");
    assert_eq!(calls[0].json()["summary"], serde_json::json!({ "total": 1, "completed": 1, "failed": 0 }));
    let row = bench.row(id).await;
    assert_eq!((row.status.as_str(), row.attempts, row.last_status), ("delivered", 1, Some(200)));
    bench.pass(3_600_000);
    assert_eq!(bench.work().await, 0, "nothing is left to do");
}

#[tokio::test]
async fn a_failed_attempt_is_followed_by_a_good_one_with_the_same_id_and_bytes() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    receiver.answers("/hook", [Reply::Status(500), Reply::Status(204)]);
    let id = bench.owed(&receiver.url("/hook")).await;
    bench.work().await;
    let row = bench.row(id).await;
    assert_eq!((row.status.as_str(), row.attempts, row.last_status), ("pending", 1, Some(500)));
    bench.pass(2_000);
    bench.work().await;
    let calls = receiver.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].body, calls[1].body);
    assert_eq!(calls[0].header("webhook-id"), calls[1].header("webhook-id"));
    assert_eq!(calls[0].header("x-webhook-signature"), calls[1].header("x-webhook-signature"));
    assert_ne!(calls[0].header("webhook-signature"), calls[1].header("webhook-signature"), "another time");
    assert!(calls.iter().all(verifies));
    let row = bench.row(id).await;
    assert_eq!((row.status.as_str(), row.attempts, row.last_error), ("delivered", 2, None));
}

#[tokio::test]
async fn an_endpoint_that_never_answers_well_is_tried_four_times_with_growing_pauses() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    receiver.answers("/hook", [Reply::Status(500)]);
    let id = bench.owed(&receiver.url("/hook")).await;
    bench.work().await;
    for (attempt, pause) in [(1, 2_000), (2, 4_000), (3, 8_000)] {
        assert_eq!(receiver.calls().len(), attempt);
        bench.pass(pause - 1);
        bench.work().await;
        assert_eq!(receiver.calls().len(), attempt, "a millisecond early");
        bench.pass(1);
        bench.work().await;
    }
    assert_eq!(receiver.calls().len(), 4);
    let row = bench.row(id).await;
    assert_eq!((row.status.as_str(), row.attempts), ("failed", 4));
    assert_eq!(row.last_error.as_deref(), Some("the receiver answered 500"));
    bench.pass(3_600_000);
    assert_eq!(bench.work().await, 0, "it is kept, and not sent again");

    // An admin sends it again: same id, all attempts anew.
    receiver.answers("/hook", [Reply::Status(503), Reply::Status(200)]);
    let conn = bench.db.pool.conn().await.unwrap();
    let due = webhooks::replay(&*conn, id, bench.clock.now()).await.unwrap().unwrap();
    shared::notify::send(&bench.room.notify, &[due]).await.unwrap();
    bench.work().await;
    bench.pass(2_000);
    bench.work().await;
    assert_eq!(bench.row(id).await.status, "delivered");
    assert!(receiver.calls().iter().all(|call| call.header("webhook-id") == id.to_string()));
    assert_eq!(receiver.calls().len(), 6);
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_switched_off_until_an_admin_replays() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    receiver.answers("/gone", [Reply::Status(410), Reply::Status(200)]);
    let first = bench.owed(&receiver.url("/gone")).await;
    bench.work().await;
    assert_eq!(bench.row(first).await.status, "stopped");

    let second = bench.owed(&receiver.url("/gone")).await;
    let other = bench.owed(&receiver.url("/here")).await;
    bench.work().await;
    let row = bench.row(second).await;
    assert_eq!((row.status.as_str(), row.attempts), ("stopped", 0), "nothing was sent: {:?}", row.last_error);
    assert_eq!(bench.row(other).await.status, "delivered", "only that address is off");
    assert_eq!(receiver.calls_of("/gone").len(), 1);

    bench.pass(1);
    let conn = bench.db.pool.conn().await.unwrap();
    let due = webhooks::replay(&*conn, second, bench.clock.now()).await.unwrap().unwrap();
    shared::notify::send(&bench.room.notify, &[due]).await.unwrap();
    let third = bench.owed(&receiver.url("/gone")).await;
    bench.work().await;
    assert_eq!(bench.row(second).await.status, "delivered");
    assert_eq!(bench.row(third).await.status, "delivered", "it is on again for all");
    assert_eq!(bench.row(first).await.status, "stopped", "nobody asked for this one");
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_never_followed() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    for (path, status, to) in [
        ("/moved", 307, receiver.url("/elsewhere")),
        ("/found", 302, receiver.url("/elsewhere")),
        ("/inside", 308, "http://169.254.169.254/latest/meta-data/".to_owned()),
        ("/broken", 301, "http://".to_owned()),
    ] {
        receiver.answers(path, [Reply::With(status, vec![("location", to)])]);
        let id = bench.owed(&receiver.url(path)).await;
        bench.work().await;
        let row = bench.row(id).await;
        assert_eq!((row.status.as_str(), row.last_status), ("pending", Some(i32::from(status))), "{path}");
    }
    assert!(receiver.calls_of("/elsewhere").is_empty());
}

#[tokio::test]
async fn an_endpoint_may_ask_for_more_time() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    let later = |after: &str| Reply::With(429, vec![("retry-after", after.to_owned())]);
    receiver.answers("/busy", [later("90"), later("1000000000"), Reply::Status(200)]);
    let id = bench.owed(&receiver.url("/busy")).await;
    bench.work().await;
    bench.pass(89_999);
    bench.work().await;
    assert_eq!(receiver.calls().len(), 1, "it asked for 90 s");
    bench.pass(1);
    bench.work().await;
    assert_eq!(receiver.calls().len(), 2);
    // Longer than a day is a day, and longer than a message can wait.
    bench.pass(23 * 3_600_000);
    bench.work().await;
    assert_eq!(receiver.calls().len(), 2);
    bench.pass(3_600_000);
    bench.work().await;
    assert_eq!(bench.row(id).await.status, "delivered");
}

#[tokio::test]
async fn a_receiver_that_does_not_answer_in_time_has_failed_one_that_talks_on_has_not() {
    let limits = Limits { total: std::time::Duration::from_millis(300), ..notifier::limits() };
    let bench = Bench::with(Clock::manual(Clock::System.now()), limits).await;
    let receiver = Receiver::start("127.0.0.1").await;
    receiver.answers("/silent", [Reply::Silence]);
    receiver.answers("/endless", [Reply::Endless(200)]);
    let silent = bench.owed(&receiver.url("/silent")).await;
    let endless = bench.owed(&receiver.url("/endless")).await;
    bench.work().await;
    let row = bench.row(silent).await;
    assert_eq!((row.status.as_str(), row.last_status), ("pending", None));
    assert!(row.last_error.unwrap().starts_with("timeout"));
    assert_eq!(bench.row(endless).await.status, "delivered", "its status was good, and we read no more");
    assert_eq!(notifier::limits().total, std::time::Duration::from_secs(10));
}

#[tokio::test]
async fn nobody_there_is_tried_again() {
    let bench = Bench::new().await;
    let id = bench.owed("http://127.0.0.1:1/hook").await;
    bench.work().await;
    let row = bench.row(id).await;
    assert_eq!(row.status, "pending");
    assert!(row.last_error.unwrap().starts_with("connect_failed"));
}

#[tokio::test]
async fn two_notifiers_never_send_the_same_delivery_at_once() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    let id = bench.owed(&receiver.url("/hook")).await;
    let job = shared::messages::NotifyJob { delivery_id: id };
    let all = (0..8).map(|_| notifier::notify(&bench.room, job));
    let mut verdicts = Vec::new();
    for verdict in futures_util::future::join_all(all).await {
        verdicts.push(verdict.unwrap());
    }
    assert_eq!(receiver.calls().len(), 1);
    assert_eq!(bench.row(id).await.attempts, 1);
}

/// A notifier that dies while it sends leaves a lease. When it is over the delivery goes out again, under the
/// same id, and the attempt that nobody heard of is not counted.
#[tokio::test]
async fn a_notifier_that_dies_costs_time_and_loses_nothing() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    let id = bench.owed(&receiver.url("/hook")).await;
    let conn = bench.db.pool.conn().await.unwrap();
    let now = bench.clock.now();
    let lease = now + jiff::SignedDuration::from_secs(15);
    let dead = webhooks::claim(&*conn, id, now, lease).await.unwrap();
    assert!(matches!(dead, webhooks::Claim::Taken(_)));
    bench.work().await;
    assert!(receiver.calls().is_empty(), "somebody has it");
    bench.pass(15_000);
    bench.work().await;
    assert_eq!(receiver.calls().len(), 1);
    let row = bench.row(id).await;
    assert_eq!((row.status.as_str(), row.attempts), ("delivered", 1));

    // The dead one wakes up and reports; its fence no longer counts.
    let webhooks::Claim::Taken(dead) = dead else { unreachable!() };
    let late = webhooks::Settled {
        status: shared::domain::webhook::DeliveryStatus::Failed,
        attempted: true,
        next_at: now,
        last_status: None,
        last_error: None,
    };
    assert!(webhooks::settle(&*conn, &dead, &late, now).await.unwrap().is_none());
    assert_eq!(bench.row(id).await.status, "delivered");
}
