//! People and the roles they want: the count is the number of links, always.

use axum::http::StatusCode;
use futures_util::future::join_all;
use serde_json::json;

use crate::bench::Bench;

const COUNTS: &str =
    "select count(*) from roles r where r.candidate_count <> (select count(*) from candidate_roles c
    where c.role_id = r.id)";

#[tokio::test]
async fn a_person_is_taken_in_shown_changed_and_forgotten() {
    let bench = Bench::new().await;
    let body = json!({
        "name": "Ada", "current_title": "Glazier", "skills": ["a", "b", "c", "d", "e", "f"], "tech_stack": ["b", "x"],
        "specializations": "stained glass", "locations": ["Porto, Portugal"], "remote": false, "salary_min": 30_000,
        "salary_currency": "EUR", "preferred_roles": ["Glazier", "Senior Glazier", "Glass Artist"],
    });
    let made = bench.post("/api/candidates", body.to_string()).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    let made = made.json();
    assert_eq!(
        made["candidate"]["search_keywords"],
        json!(["Glazier", "a", "b", "c", "d", "e", "x", "stained glass"])
    );
    assert_eq!(made["candidate"]["roles"].as_array().unwrap().len(), 2, "two of the wishes are one role");
    assert_eq!(bench.number("select count(*) from match_runs where candidate_id is not null").await, 1);
    let path = format!("/api/candidates/{}", made["candidate"]["id"].as_str().unwrap());
    let changed = bench
        .call(
            axum::http::Request::put(&path)
                .header("x-service-key", crate::bench::KEY)
                .body(json!({ "preferred_roles": ["Baker"] }).to_string().into())
                .unwrap(),
        )
        .await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text);
    assert_eq!(changed.json()["candidate"]["roles"][0]["name"], "Baker");
    assert!(changed.json()["candidate"]["name"].is_null(), "what is left out is unknown");
    assert_eq!(bench.number(COUNTS).await, 0);
    assert_eq!(bench.get("/api/candidates").await.json()["candidates"].as_array().unwrap().len(), 1);
    let delete = || {
        axum::http::Request::delete(&path)
            .header("x-service-key", crate::bench::KEY)
            .body(axum::body::Body::empty())
            .unwrap()
    };
    assert_eq!(bench.call(delete()).await.status, StatusCode::NO_CONTENT);
    assert_eq!(bench.call(delete()).await.status, StatusCode::NOT_FOUND);
    assert_eq!(bench.number(COUNTS).await, 0);
    assert_eq!(bench.number("select sum(candidate_count)::bigint from roles").await, 0);
}

#[tokio::test]
async fn a_completed_role_waits_again_when_somebody_new_wants_it() {
    let bench = Bench::new().await;
    let (key, _) = bench.scraper("one").await;
    let want = || bench.post("/api/candidates", json!({ "preferred_roles": ["Glazier"] }).to_string());
    want().await;
    let (session, _) = bench.next_role(&key).await;
    want().await;
    let processing = "select count(*) from roles where queue_status = 'processing'";
    assert_eq!(bench.number(processing).await, 1, "what is under way stays");
    bench.scrape(&key, "POST", "jobs", json!({ "session_id": session, "jobs": [] }).to_string()).await;
    want().await;
    assert_eq!(bench.number("select count(*) from roles where queue_status = 'pending'").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_count_is_the_number_of_links_whatever_happens_at_once() {
    let bench = Bench::new().await;
    let titles = ["Glazier", "Baker", "Cooper", "Potter", "Weaver"];
    let come_and_go = (0..40_usize).map(|number| {
        let bench = &bench;
        async move {
            let mut wishes: Vec<&str> = (0..3).map(|step| titles[(number + step * 2) % 5]).collect();
            if number % 2 == 0 {
                wishes.reverse();
            }
            let made = bench.post("/api/candidates", json!({ "preferred_roles": wishes }).to_string()).await;
            assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
            let path = format!("/api/candidates/{}", made.json()["candidate"]["id"].as_str().unwrap());
            let request = match number % 4 {
                0 => axum::http::Request::delete(&path)
                    .header("x-service-key", crate::bench::KEY)
                    .body(axum::body::Body::empty()),
                1 => axum::http::Request::put(&path)
                    .header("x-service-key", crate::bench::KEY)
                    .body(json!({ "preferred_roles": ["Weaver", "Glazier"] }).to_string().into()),
                _ => return,
            };
            let answer = bench.call(request.unwrap()).await;
            assert!(answer.status.is_success(), "{}: {}", answer.status, answer.text);
        }
    });
    join_all(come_and_go).await;
    assert_eq!(bench.number(COUNTS).await, 0);
    assert_eq!(bench.number("select count(*) from roles").await, 5);
    assert_eq!(bench.number("select count(*) from candidates").await, 30);
    let conn = bench.db.pool.conn().await.unwrap();
    let moved = conn.execute("update candidate_roles set role_id = role_id", &[]).await;
    assert!(moved.is_err(), "a link is never moved");
}

#[tokio::test]
async fn a_wrong_person_is_named_and_changes_nothing() {
    let bench = Bench::new().await;
    for (body, fault) in [
        (json!({ "preferred_roles": "Baker" }), "body"),
        (json!({ "preferred_roles": ["Baker", "!!"] }), "preferred_roles[1]"),
        (json!({ "preferred_roles": vec!["Baker"; 21] }), "preferred_roles"),
        (json!({ "salary_min": -1 }), "salary_min"),
        (json!({ "salary_currency": "euro" }), "salary_currency"),
        (json!({ "name": "x\u{0}" }), "name"),
        (json!({ "skills": ["x".repeat(101)] }), "skills"),
        (json!({ "age": 3 }), "body"),
    ] {
        let answer = bench.post("/api/candidates", body.to_string()).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert_eq!(answer.json()["errors"][0]["field"], fault, "{body}");
    }
    assert_eq!(
        bench.number("select (select count(*) from candidates) + (select count(*) from roles)").await,
        0
    );
    assert_eq!(bench.get("/api/candidates/x").await.status, StatusCode::NOT_FOUND);
    assert_eq!(bench.get("/api/candidates?limit=0").await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_candidate_sent_again_under_its_key_is_made_once() {
    let bench = Bench::new().await;
    let send = async |key: &str, body: &str| {
        let request = axum::http::Request::post("/api/candidates")
            .header("x-service-key", crate::bench::KEY)
            .header("idempotency-key", key);
        bench.call(request.body(body.to_owned().into()).unwrap()).await
    };
    let first = send("one", r#"{"name":"Ada","preferred_roles":["Glazier"]}"#).await;
    let again = send("one", r#"{ "preferred_roles": ["Glazier"], "name": "Ada" }"#).await;
    assert_eq!((again.status, again.json()), (StatusCode::CREATED, first.json()));
    assert_eq!(bench.number("select count(*) from candidates").await, 1);
    assert_eq!(bench.number("select count(*) from match_runs").await, 1);
    assert_eq!(send("one", r#"{"name":"Eva"}"#).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_ne!(send("two", r#"{"name":"Ada","preferred_roles":["Glazier"]}"#).await.json(), first.json());
}
