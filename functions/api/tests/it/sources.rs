//! The boards that are read, through their doors.

use axum::http::StatusCode;
use serde_json::json;

use crate::bench::Bench;

const PATH: &str = "/api/admin/sources";

async fn added(bench: &Bench) -> String {
    let body = json!({ "board": "greenhouse:lantern", "company": "Lantern Works" });
    let source = bench.admin("POST", PATH, body.to_string()).await;
    assert_eq!(source.status, StatusCode::CREATED, "{}", source.text);
    format!("{PATH}/{}", source.json()["id"].as_str().unwrap())
}

#[tokio::test]
async fn callers_who_ask_for_the_same_read_at_once_are_told_of_one_task() {
    let bench = Bench::new().await;
    let path = format!("{}/scrape", added(&bench).await);
    let ask = || bench.admin("POST", &path, "");
    let answers = futures_util::future::join_all((0..6).map(|_| ask())).await;
    let mut tasks = Vec::new();
    let mut started = 0;
    for answer in &answers {
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
        started += usize::from(answer.json()["started"] == true);
        tasks.push(answer.json()["task_id"].clone());
    }
    tasks.dedup();
    assert_eq!((started, tasks.len()), (1, 1), "{tasks:?}");
}

#[tokio::test]
async fn an_operator_disables_enables_and_paces_a_source() {
    let bench = Bench::new().await;
    let path = added(&bench).await;
    let change = |body: serde_json::Value| bench.admin("PATCH", &path, body.to_string());
    let off = change(json!({ "status": "disabled", "reason": "they asked" })).await;
    assert_eq!(off.status, StatusCode::OK, "{}", off.text);
    assert_eq!(
        (&off.json()["status"], &off.json()["status_reason"]),
        (&json!("disabled"), &json!("they asked"))
    );
    assert!(off.json()["next_read_at"].is_null());
    let on = change(json!({ "status": "active", "read_every_seconds": 3600 })).await.json();
    assert_eq!(
        (&on["status"], &on["failures"], &on["read_every_seconds"]),
        (&json!("active"), &json!(0), &json!(3600))
    );
    assert!(on["status_reason"].is_null() && on["next_read_at"].is_string(), "{on}");
    assert!(change(json!({ "read_every_seconds": 0 })).await.json()["read_every_seconds"].is_null());
    for wrong in
        [json!({ "status": "quarantined" }), json!({ "read_every_seconds": 1 }), json!({ "speed": 1 })]
    {
        assert_eq!(change(wrong.clone()).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
}
