//! One contract, two queues: SQS FIFO (against an emulator) and the Postgres table. Every test below runs
//! on both.

use std::collections::HashSet;
use std::time::Duration;

use emulator::Emulator;
use fixture::TestDb;
use shared::clock::Clock;
use shared::queue::{Delivery, Held, Instance, Outgoing, PgQueue, Queue, SqsQueue};

/// A queue with its dead-letter queue, and what keeps it alive.
struct Bench {
    queue: Queue,
    dead: Queue,
    _db: Option<TestDb>,
}

const VISIBILITY: Duration = Duration::from_secs(2);
const MAX_RECEIVES: u32 = 3;
const AT_ONCE: Duration = Duration::ZERO;
const A_WHILE: Duration = Duration::from_secs(6);

async fn on_postgres() -> Bench {
    let db = TestDb::new().await;
    let max = i32::try_from(MAX_RECEIVES).unwrap();
    let queue = PgQueue::new(db.pool.clone(), Clock::System, "crawl", VISIBILITY, max);
    let dead = PgQueue::new(db.pool.clone(), Clock::System, "crawl-dead", VISIBILITY, i32::MAX);
    Bench { queue: Queue::Postgres(queue), dead: Queue::Postgres(dead), _db: Some(db) }
}

async fn on_sqs() -> Bench {
    let emulator = Emulator::ready().await.unwrap();
    let made = emulator.create_fifo_queue("contract", VISIBILITY, MAX_RECEIVES).await.unwrap();
    let queue = |url| Queue::Sqs(SqsQueue::new(emulator.sqs(), url));
    Bench { queue: queue(made.url), dead: queue(made.dead_url), _db: None }
}

/// Each law becomes two tests, one per form.
macro_rules! contract {
    ($($law:ident),+ $(,)?) => {
        mod postgres {
            $(#[tokio::test] async fn $law() { super::$law(super::on_postgres().await).await; })+
        }
        mod sqs {
            $(#[tokio::test] async fn $law() { super::$law(super::on_sqs().await).await; })+
        }
    };
}

contract!(
    a_group_keeps_its_order_and_has_one_in_flight,
    what_was_deleted_is_no_longer_held,
    groups_do_not_wait_for_each_other,
    an_id_is_remembered_after_its_message_is_gone,
    an_id_counts_within_its_group_only,
    a_message_left_alone_comes_again_and_is_counted,
    a_hidden_message_blocks_its_group_until_then,
    a_heartbeat_keeps_a_message_hidden,
    a_void_receipt_does_nothing,
    a_message_received_too_often_dies_and_frees_its_group,
    a_batch_is_sent_in_order,
    what_is_too_long_is_refused,
    two_receivers_never_hold_the_same_group,
);

fn message(group: &str, id: &str) -> Outgoing {
    Outgoing { group: group.into(), dedup_id: id.into(), body: format!("{group}/{id}") }
}

async fn one(queue: &Queue, wait: Duration) -> Option<Delivery> {
    queue.receive(1, wait).await.unwrap().into_iter().next()
}

async fn a_group_keeps_its_order_and_has_one_in_flight(bench: Bench) {
    let queue = &bench.queue;
    for id in ["1", "2", "3"] {
        queue.send(&[message("a", id)]).await.unwrap();
    }
    for id in ["1", "2", "3"] {
        let held = one(queue, A_WHILE).await.expect("the next in order");
        assert_eq!(held.body, format!("a/{id}"));
        assert_eq!((held.group.as_str(), held.receive_count), ("a", 1));
        assert!(one(queue, AT_ONCE).await.is_none(), "the group has one in flight");
        queue.ack(&held).await.unwrap();
    }
    assert!(one(queue, AT_ONCE).await.is_none());
    assert_eq!(queue.depth().await.unwrap(), 0);
}

/// SQS can say only whether anything waits there; both know when nothing does.
async fn what_was_deleted_is_no_longer_held(bench: Bench) {
    let queue = &bench.queue;
    let both = [message("a", "1"), message("b", "1")];
    queue.send(&both).await.unwrap();
    let held = queue.holds(&both).await.unwrap();
    assert!(held.iter().all(|held| *held != Held::No), "{held:?}");
    for _ in 0..2 {
        let delivered = one(queue, A_WHILE).await.expect("two were sent");
        queue.ack(&delivered).await.unwrap();
    }
    assert_eq!(queue.holds(&both).await.unwrap(), [Held::No, Held::No]);
    assert_eq!(queue.holds(&[]).await.unwrap(), []);
}

async fn groups_do_not_wait_for_each_other(bench: Bench) {
    bench
        .queue
        .send(&[message("a", "1"), message("a", "2"), message("b", "1"), message("c", "1")])
        .await
        .unwrap();
    let mut groups = Vec::new();
    while let Some(held) = one(&bench.queue, AT_ONCE).await {
        groups.push(held.group);
    }
    groups.sort();
    assert_eq!(groups, ["a", "b", "c"]);
}

async fn an_id_is_remembered_after_its_message_is_gone(bench: Bench) {
    bench.queue.send(&[message("a", "1")]).await.unwrap();
    bench.queue.send(&[message("a", "1")]).await.unwrap();
    let held = one(&bench.queue, A_WHILE).await.unwrap();
    bench.queue.ack(&held).await.unwrap();
    bench.queue.send(&[message("a", "1")]).await.unwrap();
    assert!(one(&bench.queue, AT_ONCE).await.is_none(), "five minutes have not passed");
    bench.queue.send(&[message("a", "2")]).await.unwrap();
    assert_eq!(one(&bench.queue, A_WHILE).await.unwrap().body, "a/2");
}

async fn an_id_counts_within_its_group_only(bench: Bench) {
    bench.queue.send(&[message("a", "1"), message("b", "1")]).await.unwrap();
    let found = bench.queue.receive(10, A_WHILE).await.unwrap();
    let mut groups: Vec<_> = found.iter().map(|held| held.group.clone()).collect();
    groups.extend(one(&bench.queue, AT_ONCE).await.map(|held| held.group));
    groups.sort();
    assert_eq!(groups, ["a", "b"]);
}

async fn a_message_left_alone_comes_again_and_is_counted(bench: Bench) {
    bench.queue.send(&[message("a", "1"), message("a", "2")]).await.unwrap();
    let first = one(&bench.queue, A_WHILE).await.unwrap();
    let again = one(&bench.queue, A_WHILE).await.expect("visible again");
    assert_eq!((again.body.as_str(), again.receive_count), ("a/1", 2));
    assert_ne!(again.receipt, first.receipt);
}

async fn a_hidden_message_blocks_its_group_until_then(bench: Bench) {
    bench.queue.send(&[message("a", "1"), message("a", "2")]).await.unwrap();
    let held = one(&bench.queue, A_WHILE).await.unwrap();
    let put_off = std::time::Instant::now();
    bench.queue.hide(&held.receipt, Duration::from_secs(4)).await.unwrap();
    let again = one(&bench.queue, Duration::from_secs(8)).await.expect("back after the wait");
    assert_eq!(again.body, "a/1", "the second never passes the first");
    // Rounded by the emulator to whole seconds.
    assert!(put_off.elapsed() >= Duration::from_millis(2_900), "came back after {:?}", put_off.elapsed());
}

async fn a_heartbeat_keeps_a_message_hidden(bench: Bench) {
    bench.queue.send(&[message("a", "1")]).await.unwrap();
    let held = one(&bench.queue, A_WHILE).await.unwrap();
    for _ in 0..4 {
        assert!(one(&bench.queue, Duration::from_secs(1)).await.is_none(), "hidden while the heart beats");
        bench.queue.hide(&held.receipt, VISIBILITY).await.unwrap();
    }
    bench.queue.ack(&held).await.unwrap();
    assert_eq!(bench.queue.depth().await.unwrap(), 0);
}

async fn a_void_receipt_does_nothing(bench: Bench) {
    bench.queue.send(&[message("a", "1")]).await.unwrap();
    let stale = one(&bench.queue, A_WHILE).await.unwrap();
    let fresh = one(&bench.queue, A_WHILE).await.expect("visible again");
    bench.queue.ack(&stale).await.unwrap();
    assert_eq!(bench.queue.depth().await.unwrap(), 1, "the message belongs to the second receiver");
    assert!(bench.queue.hide(&stale.receipt, VISIBILITY).await.is_err());
    bench.queue.ack(&fresh).await.unwrap();
    assert_eq!(bench.queue.depth().await.unwrap(), 0);
}

async fn a_message_received_too_often_dies_and_frees_its_group(bench: Bench) {
    bench.queue.send(&[message("a", "bad"), message("a", "good")]).await.unwrap();
    for round in 1..=MAX_RECEIVES {
        let held = one(&bench.queue, A_WHILE).await.expect("delivered again");
        assert_eq!((held.body.as_str(), held.receive_count), ("a/bad", i32::try_from(round).unwrap()));
    }
    let next = one(&bench.queue, A_WHILE).await.expect("the group goes on");
    assert_eq!(next.body, "a/good");
    let dead = one(&bench.dead, A_WHILE).await.expect("a dead letter");
    assert_eq!((dead.body.as_str(), dead.group.as_str()), ("a/bad", "a"));
    bench.dead.ack(&dead).await.unwrap();
    assert_eq!(bench.dead.depth().await.unwrap(), 0);
}

async fn a_batch_is_sent_in_order(bench: Bench) {
    let batch: Vec<_> = (0..25).map(|n| message("a", &format!("{n:02}"))).collect();
    bench.queue.send(&batch).await.unwrap();
    for expected in &batch {
        let held = one(&bench.queue, A_WHILE).await.expect("the next of the batch");
        assert_eq!(held.body, expected.body);
        bench.queue.ack(&held).await.unwrap();
    }
}

async fn what_is_too_long_is_refused(bench: Bench) {
    let long_group = Outgoing { group: "g".repeat(129), ..message("a", "1") };
    let long_id = Outgoing { dedup_id: "d".repeat(129), ..message("a", "1") };
    let long_body = Outgoing { body: "b".repeat(256 * 1024 + 1), ..message("a", "1") };
    let no_group = message("", "1");
    for refused in [long_group, long_id, long_body, no_group] {
        assert!(bench.queue.send(&[message("fine", "1"), refused]).await.is_err());
    }
    assert_eq!(bench.queue.depth().await.unwrap(), 0, "nothing of a refused batch is sent");
    bench.queue.send(&[Outgoing { group: "g".repeat(128), ..message("a", "1") }]).await.unwrap();
}

async fn two_receivers_never_hold_the_same_group(bench: Bench) {
    let batch: Vec<_> = (0..40).map(|n| message(&format!("g{}", n % 4), &n.to_string())).collect();
    bench.queue.send(&batch).await.unwrap();
    let held = std::sync::Arc::new(std::sync::Mutex::new(HashSet::new()));
    let done = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut receivers = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (queue, held, done) = (bench.queue.clone(), held.clone(), done.clone());
        receivers.spawn(async move {
            while let Some(delivery) = one(&queue, Duration::from_secs(1)).await {
                assert!(
                    held.lock().unwrap().insert(delivery.group.clone()),
                    "{} is held twice",
                    delivery.group
                );
                tokio::task::yield_now().await;
                held.lock().unwrap().remove(&delivery.group);
                done.lock().unwrap().push(delivery.body.clone());
                queue.ack(&delivery).await.unwrap();
            }
        });
    }
    receivers.join_all().await;
    let done = done.lock().unwrap();
    assert_eq!(done.len(), 40);
    for group in 0..4 {
        let order: Vec<_> = done.iter().filter(|body| body.starts_with(&format!("g{group}/"))).collect();
        let expected: Vec<_> =
            batch.iter().filter(|m| m.group == format!("g{group}")).map(|m| &m.body).collect();
        assert_eq!(order, expected);
    }
}

/// Only the one-machine form: what a dead process held is free at once, what a living one holds is not.
#[tokio::test]
async fn what_a_dead_process_held_is_adopted() {
    let db = TestDb::new().await;
    let long = Duration::from_secs(3600);
    let queue = |instance: &Instance| {
        PgQueue::new(db.pool.clone(), Clock::System, "crawl", long, 100).owned_by(instance)
    };
    let (alive, dying) = (Instance::start(&db.url).await.unwrap(), Instance::start(&db.url).await.unwrap());
    let (ours, theirs) = (queue(&alive), queue(&dying));
    Queue::Postgres(ours.clone()).send(&[message("a", "1"), message("b", "1")]).await.unwrap();
    let lost = one(&Queue::Postgres(theirs.clone()), A_WHILE).await.unwrap();
    let kept = one(&Queue::Postgres(ours.clone()), A_WHILE).await.unwrap();

    let third = Instance::start(&db.url).await.unwrap();
    assert_eq!(queue(&third).adopt().await.unwrap(), 0, "both live");
    drop((dying, theirs));
    let adopted = async {
        while queue(&third).adopt().await.unwrap() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), adopted).await.expect("adopted");
    let again = one(&Queue::Postgres(queue(&third)), A_WHILE).await.expect("free again");
    assert_eq!(again.body, lost.body);
    assert_ne!(again.body, kept.body);
}

#[tokio::test]
async fn an_id_may_be_used_again_after_five_minutes() {
    let db = TestDb::new().await;
    let clock = Clock::manual("2026-11-16T08:00:00Z".parse().unwrap());
    let queue = Queue::Postgres(PgQueue::new(db.pool.clone(), clock.clone(), "crawl", VISIBILITY, 100));
    queue.send(&[message("a", "1")]).await.unwrap();
    clock.advance(jiff::SignedDuration::from_secs(299));
    queue.send(&[message("a", "1")]).await.unwrap();
    assert_eq!(queue.depth().await.unwrap(), 1);
    clock.advance(jiff::SignedDuration::from_secs(1));
    queue.send(&[message("a", "1")]).await.unwrap();
    assert_eq!(queue.depth().await.unwrap(), 2);
}
