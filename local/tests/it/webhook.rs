//! Webhooks of the whole house: told once, also when it is killed in between.

use std::time::Duration;

use fixture::{Call, JobSite, Receiver, Reply};
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use crate::house::{HouseProcess, WEBHOOK_SECRET, quick};

async fn with_receiver() -> (JobSite, Receiver, HouseProcess) {
    let (site, receiver) = (JobSite::start("127.0.0.1").await, Receiver::start("127.0.0.1").await);
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &quick()).await;
    house.may_reach(receiver.address);
    house.start().await;
    (site, receiver, house)
}

fn request(url: &str, callback_url: &str) -> Value {
    json!({ "target_type": "job_posting", "target_url": url, "workspace_id": "tests", "callback_url": callback_url })
}

fn verified(call: &Call) {
    Webhook::new(WEBHOOK_SECRET).unwrap().verify(&call.body, &call.headers).expect("a good signature");
}

/// (status, attempts) of the only delivery there is.
async fn delivery(house: &HouseProcess) -> (String, i32) {
    let conn = house.db.pool.conn().await.unwrap();
    let found = conn.query_one("select status::text, attempts from webhook_deliveries", &[]).await;
    found.map_or(("none".to_owned(), 0), |row| (row.get(0), row.get(1)))
}

async fn until(house: &HouseProcess, status: &str, attempts: i32) {
    let look = async {
        while delivery(house).await != (status.to_owned(), attempts) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), look).await;
    assert!(waited.is_ok(), "it is {:?}", delivery(house).await);
}

#[tokio::test]
async fn whoever_hands_in_a_page_is_told_what_became_of_it() {
    let (site, receiver, mut house) = with_receiver().await;
    site.posts("/jobs/1", "Lock keeper");
    let good =
        house.submit_with(request(&site.url("/jobs/1"), &receiver.url("/good?token=do-not-log-me"))).await;
    let bad = house.submit_with(request(&site.url("/none"), &receiver.url("/bad"))).await;
    // Nobody to tell.
    house.scraped(&site.url("/jobs/1")).await;
    let calls = receiver.called(2).await;
    calls.iter().for_each(verified);
    let of = |path: &str| calls.iter().find(|call| call.path.starts_with(path)).unwrap().json();
    let told = of("/good");
    assert_eq!(
        json!([told["job_id"], told["status"], told["results"][0]["result"]["job_title"]]),
        json!([good, "completed", "Lock keeper"])
    );
    let told = of("/bad");
    assert_eq!(
        json!([told["job_id"], told["status"], told["results"][0]["code"]]),
        json!([bad, "failed", "http_404"])
    );
    house.terminate().await;
    let log = house.log();
    assert!(log.contains("\"notified\""), "the deliveries are in the log");
    for secret in [WEBHOOK_SECRET, &WEBHOOK_SECRET[6..], "do-not-log-me", "Lock keeper"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    assert_eq!(receiver.calls().len(), 2);
}

/// Killed after the first attempt failed and before the second: told after the restart, once more and under
/// the same id.
#[tokio::test]
async fn a_kill_between_two_attempts_loses_no_webhook() {
    let (site, receiver, mut house) = with_receiver().await;
    site.posts("/jobs/1", "Lock keeper");
    receiver.answers("/hook", [Reply::Status(500), Reply::Status(200)]);
    house.submit_with(request(&site.url("/jobs/1"), &receiver.url("/hook"))).await;
    until(&house, "pending", 1).await;
    house.kill();
    house.start().await;
    until(&house, "delivered", 2).await;
    let calls = receiver.calls();
    assert_eq!(calls.len(), 2);
    calls.iter().for_each(verified);
    assert_eq!(calls[0].header("webhook-id"), calls[1].header("webhook-id"));
    assert_eq!(calls[0].body, calls[1].body);
}

/// Killed while the receiver is being told: nobody knows whether it heard, so it is told again.
#[tokio::test]
async fn a_kill_during_an_attempt_tells_again_under_the_same_id() {
    let (site, receiver, mut house) = with_receiver().await;
    site.posts("/jobs/1", "Lock keeper");
    receiver.answers("/hook", [Reply::Silence, Reply::Status(200)]);
    house.submit_with(request(&site.url("/jobs/1"), &receiver.url("/hook"))).await;
    receiver.called(1).await;
    house.kill();
    house.start().await;
    until(&house, "delivered", 1).await;
    let calls = receiver.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].header("webhook-id"), calls[1].header("webhook-id"));
    assert_eq!(calls[0].body, calls[1].body);
}
