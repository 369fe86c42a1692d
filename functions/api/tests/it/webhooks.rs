//! Webhooks: whose address is kept with a task, and what an operator may see and do.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use shared::domain::ids::DeliveryId;
use shared::domain::webhook::DeliveryStatus;
use shared::store::webhooks::{self, Claim, Settled};
use tower::ServiceExt;

use crate::bench::{Answer, Bench, KEY};

async fn as_admin(bench: &Bench, method: &str, path: &str) -> Answer {
    let token = format!("Bearer {}", bench.admin_token());
    let request = Request::builder().method(method).uri(path).header("authorization", token);
    bench.call(request.body(Body::empty()).unwrap()).await
}

/// Property 42, at the door: the address of the request is kept with its task, instead of the default.
#[test]
fn property_42_the_address_of_a_request_beats_the_default() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let bench = runtime.block_on(Bench::new());
    let mut runner = TestRunner::new(Config { cases: 100, failure_persistence: None, ..Config::default() });
    let address = || prop::option::of("https://[a-z]{1,20}\\.com/[a-zA-Z0-9/]{0,30}(\\?[a-z]=[0-9]{1,5})?");
    runner
        .run(&(address(), address()), |(own, default)| {
            let mut api = bench.api.clone();
            api.default_webhook_url = default.clone();
            let router = api::router(api);
            let mut body =
                json!({ "target_type": "job_posting", "target_url": "https://example.com/1", "workspace_id": "w" });
            if let Some(own) = &own {
                body["callback_url"] = json!(own);
            }
            let kept: Option<String> = runtime.block_on(async {
                let request = Request::post("/api/v1/scrape").header("x-service-key", KEY);
                let answer = router.oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
                assert_eq!(answer.status(), StatusCode::ACCEPTED);
                let taken: Value =
                    serde_json::from_slice(&to_bytes(answer.into_body(), 10_000).await.unwrap()).unwrap();
                let id: uuid::Uuid = taken["data"]["task_id"].as_str().unwrap().parse().unwrap();
                let conn = bench.db.pool.conn().await.unwrap();
                conn.execute("update tasks set status = 'cancelled', ended_at = now()", &[]).await.unwrap();
                conn.query_one("select callback_url from tasks where id = $1", &[&id]).await.unwrap().get(0)
            });
            let expected = if own.is_some() { own } else { default };
            prop_assert_eq!(kept, expected);
            Ok(())
        })
        .unwrap();
    runtime.block_on(async move { drop(bench) });
}

/// A delivery that has come to this.
async fn delivery(bench: &Bench, url: &str, status: DeliveryStatus) -> DeliveryId {
    let now = bench.clock.now();
    let task = fixture::page_task("https://example.com/1");
    let conn = bench.db.pool.conn().await.unwrap();
    shared::store::tasks::insert(&*conn, &task, now).await.unwrap();
    webhooks::call_back(&*conn, task.id, url).await.unwrap();
    let end = "update tasks set status = 'success', ended_at = $2 where id = $1";
    conn.execute(end, &[&task.id, &now]).await.unwrap();
    let due = webhooks::owe_tasks(&*conn, &[task.id], now).await.unwrap().pop().unwrap();
    if status != DeliveryStatus::Pending {
        let lease = now + SignedDuration::from_secs(15);
        let Claim::Taken(claimed) = webhooks::claim(&*conn, due.id, now, lease).await.unwrap() else {
            panic!("it is due")
        };
        let settled = Settled {
            status,
            attempted: true,
            next_at: now,
            last_status: Some(500),
            last_error: Some("the receiver answered 500".into()),
        };
        webhooks::settle(&*conn, &claimed, &settled, now).await.unwrap().unwrap();
    }
    due.id
}

fn ids(page: &Value) -> Vec<String> {
    let rows = page["webhooks"].as_array().unwrap();
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn webhooks_are_listed_newest_first_by_status_and_page() {
    let bench = Bench::new().await;
    let mut all = Vec::new();
    for status in
        [DeliveryStatus::Failed, DeliveryStatus::Delivered, DeliveryStatus::Failed, DeliveryStatus::Pending]
    {
        all.push(delivery(&bench, "https://hooks.example.com/1", status).await.to_string());
    }
    let page = as_admin(&bench, "GET", "/api/admin/webhooks").await.json();
    assert_eq!(ids(&page), all.iter().rev().cloned().collect::<Vec<_>>());
    assert_eq!(page["next_cursor"], Value::Null);
    let row = &page["webhooks"][1];
    assert_eq!(
        json!([row["status"], row["attempts"], row["last_status"], row["last_error"], row["url"]]),
        json!(["failed", 1, 500, "the receiver answered 500", "https://hooks.example.com/1"])
    );
    assert!(row["body"].is_null(), "what was read from pages is not in the list");

    let first = as_admin(&bench, "GET", "/api/admin/webhooks?status=failed&limit=1").await.json();
    assert_eq!(ids(&first), [all[2].clone()]);
    let cursor = first["next_cursor"].as_str().unwrap();
    let second =
        as_admin(&bench, "GET", &format!("/api/admin/webhooks?status=failed&limit=1&cursor={cursor}")).await;
    assert_eq!(ids(&second.json()), [all[0].clone()]);
    for wrong in ["status=lost", "limit=0", "limit=101", "cursor=x"] {
        let answer = as_admin(&bench, "GET", &format!("/api/admin/webhooks?{wrong}")).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_replay_starts_a_webhook_anew_and_opens_its_endpoint() {
    let bench = Bench::new().await;
    let url = "https://hooks.example.com/2";
    let id = delivery(&bench, url, DeliveryStatus::Stopped).await;
    let conn = bench.db.pool.conn().await.unwrap();
    webhooks::switch_off(&*conn, url, bench.clock.now()).await.unwrap();
    let path = format!("/api/admin/webhooks/{id}/replay");
    // Twice within the memory of the queue: both times a message goes out.
    for _ in 0..2 {
        bench.clock.advance(SignedDuration::from_secs(1));
        assert_eq!(as_admin(&bench, "POST", &path).await.json()["replayed"], id.to_string());
        let sent = bench.api.notify.receive(1, Duration::ZERO).await.unwrap();
        assert_eq!(sent.len(), 1);
        assert!(sent[0].body.contains(&id.to_string()));
        bench.api.notify.ack(&sent[0]).await.unwrap();
    }
    let row = &as_admin(&bench, "GET", "/api/admin/webhooks").await.json()["webhooks"][0];
    assert_eq!(json!([row["status"], row["attempts"]]), json!(["pending", 0]));
    let now = bench.clock.now();
    let claim = webhooks::claim(&*conn, id, now, now + SignedDuration::from_secs(15)).await.unwrap();
    assert!(matches!(claim, Claim::Taken(claimed) if !claimed.is_off), "the endpoint is on again");
    for wrong in [uuid::Uuid::new_v4().to_string(), "x".to_owned()] {
        let answer = as_admin(&bench, "POST", &format!("/api/admin/webhooks/{wrong}/replay")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
    }
}
