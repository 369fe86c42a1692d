//! What need not be done twice: a request that is sent again, a page that was fetched a moment ago.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::domain::ids::TaskId;
use shared::store::idempotency;

use crate::bench::{Answer, Bench, KEY};
use crate::work::{Reach, result_of, target};

async fn keyed(bench: &Bench, path: &str, key: &str, body: &Value) -> Answer {
    let request = Request::post(path).header("x-service-key", KEY).header("idempotency-key", key);
    bench.call(request.body(Body::from(body.to_string())).unwrap()).await
}

fn id(answer: &Answer) -> TaskId {
    answer.json()["data"]["task_id"].as_str().unwrap_or_else(|| panic!("{}", answer.text)).parse().unwrap()
}

#[tokio::test]
async fn a_request_that_is_sent_again_does_nothing_new() {
    let bench = Bench::new().await;
    let batch = json!({ "targets": [target(0), target(1)] });
    for (path, body) in [("/api/v1/scrape", target(0)), ("/api/v1/scrape/batch", batch)] {
        let key = format!("key of {path}");
        let first = keyed(&bench, path, &key, &body).await;
        assert_eq!(first.status, StatusCode::ACCEPTED, "{}", first.text);
        assert!(!first.headers.contains_key("idempotent-replayed"));
        let rows = bench.rows().await;
        let again = keyed(&bench, path, &key, &body).await;
        assert_eq!((again.status, again.json()), (first.status, first.json()), "the same answer");
        assert_eq!(again.headers["idempotent-replayed"], "true");
        assert_eq!(bench.rows().await, rows, "and nothing new");
    }
    let other = keyed(&bench, "/api/v1/scrape", "key of /api/v1/scrape", &target(7)).await;
    assert_eq!(
        (other.status, &other.json()["meta"]["code"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("idempotency_key_reused"))
    );
    let elsewhere =
        keyed(&bench, "/api/v1/scrape/batch", "key of /api/v1/scrape", &json!({ "targets": [target(0)] }))
            .await;
    assert_eq!(elsewhere.status, StatusCode::UNPROCESSABLE_ENTITY, "another route is another request");
    let mut stranger = target(0);
    stranger["workspace_id"] = json!("another");
    assert_eq!(
        keyed(&bench, "/api/v1/scrape", "key of /api/v1/scrape", &stranger).await.status,
        StatusCode::ACCEPTED,
        "keys are a workspace's own"
    );
    let bad = keyed(&bench, "/api/v1/scrape", &"k".repeat(256), &target(0)).await;
    assert_eq!(bad.json()["meta"]["errors"][0]["field"], "Idempotency-Key");
}

#[tokio::test]
async fn twenty_at_once_under_one_key_make_one_task() {
    let bench = std::sync::Arc::new(Bench::new().await);
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let bench = bench.clone();
        crowd.spawn(async move { keyed(&bench, "/api/v1/scrape", "once", &target(0)).await });
    }
    let answers = crowd.join_all().await;
    assert!(answers.iter().all(|answer| answer.status == StatusCode::ACCEPTED));
    let ids: std::collections::HashSet<TaskId> = answers.iter().map(id).collect();
    assert_eq!(ids.len(), 1);
    let conn = bench.db.pool.conn().await.unwrap();
    let rows: i64 = conn.query_one("select count(*) from tasks", &[]).await.unwrap().get(0);
    assert_eq!(rows, 1);
}

#[tokio::test]
async fn a_key_is_remembered_for_a_day_and_only_with_what_it_did() {
    let bench = Bench::new().await;
    let first = id(&keyed(&bench, "/api/v1/scrape", "day", &target(0)).await);
    bench.clock.advance(SignedDuration::from_secs(24 * 3600 - 1));
    assert_eq!(id(&keyed(&bench, "/api/v1/scrape", "day", &target(0)).await), first);
    bench.clock.advance(SignedDuration::from_secs(1));
    assert_ne!(id(&keyed(&bench, "/api/v1/scrape", "day", &target(0)).await), first, "a new day");
    bench.clock.advance(SignedDuration::from_hours(25));
    let conn = bench.db.pool.conn().await.unwrap();
    assert_eq!(idempotency::forget(&*conn, bench.clock.now()).await.unwrap(), 1);
    // A request that was refused took no key with it.
    let api = api::Api { max_pending: 0, ..bench.api.clone() };
    let full = Bench { router: api::router(api), ..bench };
    assert_eq!(
        keyed(&full, "/api/v1/scrape", "full", &target(0)).await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
    let bench = Bench { router: api::router(full.api.clone()), ..full };
    assert_eq!(keyed(&bench, "/api/v1/scrape", "full", &target(0)).await.status, StatusCode::ACCEPTED);
}

fn aged(number: usize, seconds: i64) -> Value {
    let mut body = target(number);
    body["max_age"] = json!(seconds);
    body
}

#[tokio::test]
async fn a_page_fetched_lately_for_the_same_workspace_is_answered_at_once() {
    let bench = Bench::new().await;
    let first = bench.post("/api/v1/scrape", aged(0, 600).to_string()).await;
    assert_eq!(first.status, StatusCode::ACCEPTED, "nothing is stored yet");
    let first = id(&first);
    bench.bring(first, Reach::Completed).await;
    let fetched_at = bench.clock.now();
    bench.clock.advance(SignedDuration::from_secs(300));
    let answer = bench.post("/api/v1/scrape", aged(0, 600).to_string()).await;
    let json = answer.json();
    assert_eq!(
        (answer.status, &json["data"]["status"]),
        (StatusCode::OK, &json!("completed")),
        "{}",
        answer.text
    );
    assert_eq!(json["data"]["result"], result_of(first));
    assert_eq!(json["meta"]["answered_from"], "max_age");
    assert_eq!(json["meta"]["fetched_at"], json!(fetched_at));
    assert_ne!(id(&answer), first, "it is a task of its own");
    let shown = bench.get(&format!("/api/v1/scrape/{}", id(&answer))).await.json();
    assert_eq!(
        (&shown["data"]["result"], &shown["meta"]["answered_from"]),
        (&result_of(first), &json!("max_age"))
    );
    let job = bench.get(&format!("/api/v1/scrape/jobs/{}", id(&answer))).await.json();
    assert_eq!(job["data"]["status"], "completed");

    // An answer from storage does not make the page any younger.
    bench.clock.advance(SignedDuration::from_secs(301));
    assert_eq!(bench.post("/api/v1/scrape", aged(0, 600).to_string()).await.status, StatusCode::ACCEPTED);
    assert_eq!(bench.post("/api/v1/scrape", aged(0, 900).to_string()).await.status, StatusCode::OK);
    assert_eq!(
        bench.post("/api/v1/scrape", target(0).to_string()).await.status,
        StatusCode::ACCEPTED,
        "without max_age it is fetched"
    );
    assert_eq!(bench.post("/api/v1/scrape", aged(0, 0).to_string()).await.status, StatusCode::ACCEPTED);
}

/// What a browser would have shown is not answered by a page that was read without one.
#[tokio::test]
async fn a_page_shown_in_another_way_answers_nobody_who_said_how() {
    let bench = Bench::new().await;
    let plain = bench.post("/api/v1/scrape", target(0).to_string()).await;
    bench.bring(id(&plain), Reach::Completed).await;
    let mut shown = aged(0, 600);
    shown["render"] = json!("always");
    let first = bench.post("/api/v1/scrape", shown.to_string()).await;
    assert_eq!(first.status, StatusCode::ACCEPTED, "nobody has shown it in a browser");
    bench.bring(id(&first), Reach::Completed).await;
    assert_eq!(bench.post("/api/v1/scrape", shown.to_string()).await.status, StatusCode::OK);
    assert_eq!(bench.post("/api/v1/scrape", aged(0, 600).to_string()).await.status, StatusCode::OK);
}

#[tokio::test]
async fn what_was_read_for_others_as_something_else_or_not_at_all_answers_nobody() {
    let bench = Bench::new().await;
    for (number, reach) in [(0, Reach::Completed), (1, Reach::Failed), (2, Reach::Running)] {
        let made = bench.post("/api/v1/scrape", target(number).to_string()).await;
        bench.bring(id(&made), reach).await;
    }
    let mut stranger = aged(0, 600);
    stranger["workspace_id"] = json!("another");
    let mut other = aged(0, 600);
    other["target_type"] = json!("company_website");
    for body in [stranger, other, aged(1, 600), aged(2, 600), aged(3, 600)] {
        assert_eq!(
            bench.post("/api/v1/scrape", body.to_string()).await.status,
            StatusCode::ACCEPTED,
            "{body}"
        );
    }
    // Where the address only differs in what tracks, it is the same page.
    let mut tracked = aged(0, 600);
    tracked["target_url"] = json!(format!("{}?utm_source=x", tracked["target_url"].as_str().unwrap()));
    assert_eq!(bench.post("/api/v1/scrape", tracked.to_string()).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_batch_takes_from_storage_what_is_there() {
    let bench = Bench::new().await;
    let made = bench.post("/api/v1/scrape", target(0).to_string()).await;
    bench.bring(id(&made), Reach::Completed).await;
    let body = json!({ "targets": [target(0), target(1)], "max_age": 60 });
    let answer = bench.post("/api/v1/scrape/batch", body.to_string()).await.json();
    assert_eq!(
        (&answer["data"]["status"], &answer["meta"]["answered_from_max_age"]),
        (&json!("queued"), &json!(1))
    );
    let job = bench
        .get(&format!("/api/v1/scrape/jobs/{}", answer["data"]["job_id"].as_str().unwrap()))
        .await
        .json();
    assert_eq!((&job["data"]["status"], &job["data"]["completed_tasks"]), (&json!("running"), &json!(1)));
    let body = json!({ "targets": [target(0)], "max_age": 60 });
    let answer = bench.post("/api/v1/scrape/batch", body.to_string()).await.json();
    assert_eq!(answer["data"]["status"], "completed");
}
