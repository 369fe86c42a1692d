//! Handing in a page and asking what became of it.

use std::time::Duration;

use axum::http::StatusCode;
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::domain::ids::TaskId;
use shared::domain::task::{Stage, TaskStatus};
use shared::messages::CrawlJob;
use shared::store::tasks::{self, Ending, Visit};
use uuid::Uuid;

use crate::bench::Bench;

async fn claimed(bench: &Bench, job: CrawlJob) -> Visit {
    let (conn, now) = (bench.db.pool.conn().await.unwrap(), bench.clock.now());
    let plan =
        tasks::wanted(&*conn, job.task_id, job.release_no, Stage::Fetch, now).await.unwrap().now().unwrap();
    let lease = now + SignedDuration::from_secs(60);
    tasks::claim(&*conn, plan, Stage::Fetch, Uuid::new_v4(), now, lease).await.unwrap().unwrap()
}

async fn status(bench: &Bench, id: TaskId) -> Value {
    bench.get(&format!("/api/v1/scrape/{id}")).await.json()
}

/// Properties 6 and 7: queued at first; the result is there if and only if it is completed.
#[tokio::test]
async fn a_task_is_shown_as_it_is() {
    let bench = Bench::new().await;
    let made = bench.submit("https://example.com/1?utm_source=x").await;
    assert_eq!(made.status, StatusCode::ACCEPTED);
    assert_eq!(made.json()["data"]["status"], "queued");
    let message = bench.api.crawl.receive(1, Duration::ZERO).await.unwrap().remove(0);
    assert_eq!(message.group, "example.com");
    let job: CrawlJob = serde_json::from_str(&message.body).unwrap();
    assert_eq!(made.json()["data"]["task_id"], json!(job.task_id));
    let shown = status(&bench, job.task_id).await;
    assert_eq!(shown["data"]["status"], "queued");
    assert_eq!(shown["data"]["target_url"], "https://example.com/1?utm_source=x", "as given");
    let visit = claimed(&bench, job).await;
    assert_eq!(visit.plan.url_key, "https://example.com/1", "known by its normal form");
    let running = status(&bench, job.task_id).await;
    assert_eq!((&running["data"]["status"], &running["data"]["result"]), (&json!("running"), &Value::Null));
    let conn = bench.db.pool.conn().await.unwrap();
    let ending = Ending {
        result: Some(json!({ "job_title": "Lock keeper", "company_name": null })),
        ..Ending::default()
    };
    tasks::finish(&*conn, &visit, TaskStatus::Success, Stage::Save, &ending, bench.clock.now())
        .await
        .unwrap();
    let done = status(&bench, job.task_id).await;
    assert_eq!(
        (&done["data"]["status"], &done["data"]["result"]["job_title"]),
        (&json!("completed"), &json!("Lock keeper"))
    );
}

#[tokio::test]
async fn a_failure_names_its_cause_and_has_no_result() {
    let bench = Bench::new().await;
    bench.submit("https://example.com/1").await;
    let message = bench.api.crawl.receive(1, Duration::ZERO).await.unwrap().remove(0);
    let job: CrawlJob = serde_json::from_str(&message.body).unwrap();
    let visit = claimed(&bench, job).await;
    let conn = bench.db.pool.conn().await.unwrap();
    let error = Some(("timeout".to_owned(), "it took too long".to_owned()));
    let ending = Ending { error, result: Some(json!({ "job_title": "half" })), ..Ending::default() };
    tasks::finish(&*conn, &visit, TaskStatus::Failed, Stage::Fetch, &ending, bench.clock.now())
        .await
        .unwrap();
    let shown = status(&bench, job.task_id).await;
    assert_eq!(shown["success"], true, "the question was answered");
    assert_eq!(
        (&shown["data"]["status"], &shown["data"]["error"]),
        (&json!("failed"), &json!("it took too long"))
    );
    assert_eq!((&shown["data"]["result"], &shown["meta"]["code"]), (&Value::Null, &json!("timeout")));
}

#[tokio::test]
async fn only_the_fields_that_were_asked_for_come_back() {
    let bench = Bench::new().await;
    let body = json!({ "target_type": "job_posting", "target_url": "https://example.com/1", "workspace_id": "w",
        "requested_fields": ["job_title", "company_name"] });
    bench.post("/api/v1/scrape", body.to_string()).await;
    let message = bench.api.crawl.receive(1, Duration::ZERO).await.unwrap().remove(0);
    let job: CrawlJob = serde_json::from_str(&message.body).unwrap();
    let visit = claimed(&bench, job).await;
    let conn = bench.db.pool.conn().await.unwrap();
    let ending = Ending {
        result: Some(json!({ "job_title": "Lock keeper", "description": "long" })),
        ..Ending::default()
    };
    tasks::finish(&*conn, &visit, TaskStatus::Success, Stage::Save, &ending, bench.clock.now())
        .await
        .unwrap();
    let shown = status(&bench, job.task_id).await;
    assert_eq!(shown["data"]["result"], json!({ "job_title": "Lock keeper", "company_name": null }));
}

#[tokio::test]
async fn when_the_queue_is_full_the_caller_is_told_to_come_back() {
    let bench = Bench::new().await;
    let mut api = bench.api.clone();
    api.max_pending = 2;
    let bench = Bench { router: api::router(api.clone()), api, ..bench };
    for number in 0..2 {
        assert_eq!(bench.submit(&format!("https://example.com/{number}")).await.status, StatusCode::ACCEPTED);
    }
    let before = bench.rows().await;
    let full = bench.submit("https://example.com/3").await;
    assert_eq!(full.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(full.json()["error"], "Task queue is full");
    assert!(full.headers.contains_key("retry-after"));
    assert_eq!(bench.rows().await, before);
}
