//! Bad input gets a clear error that names what is wrong, and changes nothing.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::bench::{Bench, KEY};

const GOOD: &str = r#"{"target_type":"job_posting","target_url":"https://example.com/1","workspace_id":"w"}"#;

/// The good request with one thing changed.
fn with(field: &str, value: Value) -> String {
    let mut body: Value = serde_json::from_str(GOOD).unwrap();
    body[field] = value;
    body.to_string()
}

#[tokio::test]
async fn every_wrong_request_says_what_is_wrong_and_leaves_no_row() {
    let bench = Bench::new().await;
    let long = format!("https://example.com/{}", "a".repeat(2_048));
    let cases = [
        ("{".to_owned(), "body", "not JSON"),
        (String::new(), "body", "not JSON"),
        ("[]".to_owned(), "body", "must be a JSON object"),
        ("\"x\"".to_owned(), "body", "must be a JSON object"),
        ("{}".to_owned(), "target_url", "is required"),
        ("{}".to_owned(), "workspace_id", "is required"),
        ("{}".to_owned(), "target_type", "is required"),
        (with("target_url", json!(7)), "target_url", "must be a string"),
        (with("target_url", json!(null)), "target_url", "is required"),
        (with("target_url", json!("  ")), "target_url", "must not be empty"),
        (with("target_url", json!("no url")), "target_url", "not a URL"),
        (with("target_url", json!("ftp://example.com/")), "target_url", "must be http or https"),
        (with("target_url", json!("javascript:alert(1)")), "target_url", "must be http or https"),
        (with("target_url", json!("file:///etc/passwd")), "target_url", "must be http or https"),
        (with("target_url", json!("https://me:pw@example.com/")), "target_url", "user name or password"),
        (with("target_url", json!("https://")), "target_url", "not a URL"),
        (with("target_url", json!(long)), "target_url", "at most 2048"),
        (with("target_type", json!("recipe")), "target_type", "not a known target type"),
        (with("target_type", json!(["job_posting"])), "target_type", "must be a string"),
        (with("workspace_id", json!({})), "workspace_id", "must be a string"),
        (with("workspace_id", json!("w\u{0}")), "workspace_id", "NUL"),
        (with("requested_fields", json!("job_title")), "requested_fields", "list of strings"),
        (with("requested_fields", json!([])), "requested_fields", "1 to 50"),
        (with("requested_fields", json!(["job_title", "shoe_size"])), "requested_fields[1]", "unknown field"),
        (with("requested_fields", json!([1])), "requested_fields[0]", "must be a string"),
        (with("tarpet_url", json!("x")), "tarpet_url", "unknown field"),
    ];
    for (body, field, message) in cases {
        let answer = bench.post("/api/v1/scrape", body.clone()).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        let json = answer.json();
        assert_eq!(
            (&json["success"], &json["error"], &json["data"]),
            (&json!(false), &json!("Validation failed"), &Value::Null)
        );
        let named = json["meta"]["errors"].as_array().unwrap().iter();
        let mut told =
            named.filter(|error| error["field"] == field).map(|error| error["message"].as_str().unwrap());
        assert!(
            told.any(|text| text.contains(message)),
            "{body}: {field} should say {message:?}: {}",
            answer.text
        );
    }
    assert_eq!(bench.rows().await, 0);
}

#[tokio::test]
async fn several_mistakes_are_told_at_once() {
    let bench = Bench::new().await;
    let answer = bench.post("/api/v1/scrape", r#"{"target_url":1,"x":2}"#).await;
    let fields: Vec<_> = answer.json()["meta"]["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["field"].clone())
        .collect();
    assert_eq!(fields, ["x", "target_type", "workspace_id", "target_url"]);
}

#[tokio::test]
async fn a_body_over_the_cap_is_refused_whole() {
    let bench = Bench::new().await;
    let answer = bench.post("/api/v1/scrape", with("workspace_id", json!("w".repeat(17_000)))).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(answer.json()["meta"]["code"], "body_too_large");
    assert_eq!(bench.rows().await, 0);
}

#[tokio::test]
async fn a_missing_or_wrong_key_is_refused_before_anything_is_read() {
    let bench = Bench::new().await;
    for key in [None, Some(""), Some("wrong"), Some("a-service-key-for-tests ")] {
        let mut request = Request::post("/api/v1/scrape");
        if let Some(key) = key {
            request = request.header("x-service-key", key);
        }
        let answer = bench.call(request.body(Body::from(GOOD)).unwrap()).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{key:?}");
        let json = answer.json();
        assert_eq!(json["error"], "Invalid or missing service key");
        assert_eq!(json["success"], false);
    }
    assert_eq!(bench.rows().await, 0);
}

#[tokio::test]
async fn unknown_ids_paths_and_methods_are_told_apart() {
    let bench = Bench::new().await;
    let nobody = uuid::Uuid::new_v4();
    for (path, what) in [
        (format!("/api/v1/scrape/{nobody}"), "Task not found"),
        ("/api/v1/scrape/not-an-id".to_owned(), "Task not found"),
        (format!("/api/listings/{nobody}"), "Listing not found"),
        ("/api/listings/1".to_owned(), "Listing not found"),
        (format!("/api/listings/{nobody}/evidence"), "Listing not found"),
        ("/api/v1/nothing".to_owned(), "Route not found"),
        ("/nothing".to_owned(), "Route not found"),
    ] {
        let answer = bench.get(&path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(answer.json()["error"], what, "{path}");
    }
    let wrong = bench
        .call(Request::delete("/api/v1/scrape").header("x-service-key", KEY).body(Body::empty()).unwrap());
    assert_eq!(wrong.await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_wrong_parameter_is_named() {
    let bench = Bench::new().await;
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=1_2", "cursor"),
        ("active=perhaps", "active"),
        ("colour=red", "query"),
    ] {
        let answer = bench.get(&format!("/api/listings?{query}")).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
        assert_eq!(answer.json()["errors"][0]["field"], field, "{query}: {}", answer.text);
    }
}

/// Properties 1, 3 and 5: whatever is posted, the answer is the envelope, has an id of its own, and a
/// request that is refused leaves nothing.
#[test]
fn any_body_gets_the_envelope() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let bench = runtime.block_on(Bench::new());
    let value = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|v| json!(v)),
        any::<i64>().prop_map(|v| json!(v)),
        "\\PC{0,20}".prop_map(|v| json!(v)),
        Just(json!("job_posting")),
        Just(json!(["job_title"])),
        Just(json!("https://example.com/a")),
    ];
    let names =
        prop::sample::select(vec!["target_type", "target_url", "workspace_id", "requested_fields", "other"]);
    let body = prop_oneof![
        prop::collection::hash_map(names, value, 0..5).prop_map(|map| json!(map).to_string()),
        "\\PC{0,40}",
    ];
    let seen = std::cell::RefCell::new(std::collections::HashSet::new());
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    runner
        .run(&body, |body| {
            let (before, answer, after) = runtime.block_on(async {
                (bench.rows().await, bench.post("/api/v1/scrape", body.clone()).await, bench.rows().await)
            });
            let json = answer.json();
            let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
            prop_assert_eq!(keys, ["data", "error", "meta", "success"]);
            let good = answer.status.is_success();
            prop_assert_eq!(&json["success"], &json!(good));
            prop_assert_eq!(json["error"].is_null(), good);
            prop_assert!(
                good == (answer.status == StatusCode::ACCEPTED) && good == (after > before),
                "{}",
                body
            );
            prop_assert!(good || answer.status == StatusCode::UNPROCESSABLE_ENTITY);
            let id: uuid::Uuid = answer.headers["x-request-id"].to_str().unwrap().parse().unwrap();
            prop_assert!(seen.borrow_mut().insert(id));
            Ok(())
        })
        .unwrap();
}
