//! What an operator may do about messages that were given up.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use shared::store::dead_letters;

use crate::bench::{Answer, Bench};

async fn as_admin(bench: &Bench, method: &str, path: &str) -> Answer {
    let token = format!("Bearer {}", bench.admin_token());
    let request = Request::builder().method(method).uri(path).header("authorization", token);
    bench.call(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_dead_letter_is_listed_replayed_or_discarded_once() {
    let bench = Bench::new().await;
    let conn = bench.db.pool.conn().await.unwrap();
    for number in 1..=3 {
        let id = format!("m{number}");
        for _ in 0..2 {
            dead_letters::keep(
                &*conn,
                "extract",
                &id,
                "group",
                &format!("body {number}"),
                100,
                bench.clock.now(),
            )
            .await
            .unwrap();
        }
    }
    let listed = as_admin(&bench, "GET", "/api/admin/dead-letters?limit=2").await.json();
    let letters = listed["dead_letters"].as_array().unwrap();
    assert_eq!(letters.len(), 2);
    let next = format!("/api/admin/dead-letters?limit=2&cursor={}", listed["next_cursor"].as_str().unwrap());
    let rest = as_admin(&bench, "GET", &next).await.json();
    assert_eq!(rest["dead_letters"].as_array().unwrap().len(), 1, "kept twice, listed once");

    let id = letters[0]["id"].as_i64().unwrap();
    let replay = format!("/api/admin/dead-letters/{id}/replay");
    assert_eq!(as_admin(&bench, "POST", &replay).await.json()["replayed"], id);
    assert_eq!(as_admin(&bench, "POST", &replay).await.status, StatusCode::NOT_FOUND);
    let again = bench.api.extract.receive(10, Duration::ZERO).await.unwrap();
    assert_eq!(again.len(), 1);
    assert_eq!((again[0].body.as_str(), again[0].group.as_str()), ("body 3", "group"));

    let id = letters[1]["id"].as_i64().unwrap();
    let discard = format!("/api/admin/dead-letters/{id}");
    assert_eq!(as_admin(&bench, "DELETE", &discard).await.json()["discarded"], id);
    assert_eq!(as_admin(&bench, "DELETE", &discard).await.status, StatusCode::NOT_FOUND);
    assert_eq!(dead_letters::count(&*conn).await.unwrap(), 1);
}
