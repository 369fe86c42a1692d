//! One slow endpoint, many quick ones.

use std::time::Duration;

use fixture::{Receiver, Reply};
use shared::clock::Clock;
use shared::room;
use tokio_util::sync::CancellationToken;

use crate::bench::Bench;

/// More deliveries to the slow endpoint than there are hands, and they came first: the quick ones are all
/// delivered while its first one still hangs.
#[tokio::test]
async fn a_slow_endpoint_delays_no_other() {
    let bench = Bench::with(Clock::System, notifier::limits()).await;
    let slow = Receiver::start("127.0.0.2").await;
    slow.answers("/hook", [Reply::Silence]);
    let mut hanging = Vec::new();
    for _ in 0..12 {
        hanging.push(bench.owed(&slow.url("/hook")).await);
    }
    let mut quick = Vec::new();
    for number in 0..10 {
        let receiver = Receiver::start(&format!("127.0.0.{}", 10 + number)).await;
        quick.push((bench.owed(&receiver.url("/hook")).await, receiver));
    }
    let (stop, notifier) = (CancellationToken::new(), bench.room.clone());
    let queue = bench.room.notify.clone();
    let work = room::work(queue, Clock::System, 4, Duration::from_secs(15), stop.clone(), move |job| {
        let notifier = notifier.clone();
        async move { notifier::notify(&notifier, job).await }
    });
    let work = tokio::spawn(work);
    for (id, receiver) in &quick {
        receiver.called(1).await;
        while bench.row(*id).await.status != "delivered" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    assert_eq!(slow.called(1).await.len(), 1, "it takes one pair of hands and no more");
    for id in hanging {
        assert_eq!(bench.row(id).await.attempts, 0, "nothing came of the slow ones yet");
    }
    work.abort();
    stop.cancel();
}
