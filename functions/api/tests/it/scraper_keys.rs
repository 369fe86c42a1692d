//! Keys of external scrapers: shown once, rotated, revoked, expired, counted.

use axum::http::StatusCode;
use jiff::SignedDuration;
use serde_json::json;

use crate::bench::Bench;

#[tokio::test]
async fn a_key_is_shown_once_and_only_its_hash_is_kept() {
    let bench = Bench::new().await;
    let (key, id) = bench.scraper("one").await;
    assert!(key.starts_with("fr_") && key.len() == 60, "{key}");
    assert_eq!(bench.scrape(&key, "GET", "stats", "").await.status, StatusCode::OK);
    let listed = bench.admin("GET", "/api/admin/scraper-keys", "").await;
    assert!(!listed.text.contains(&key[15..]), "the secret is nowhere");
    assert_eq!(listed.json()["keys"][0]["id"], id);
    let secret = &key[14..];
    let rows = format!(
        "select (select count(*) from scraper_secrets s where s::text like '%{secret}%')
            + (select count(*) from scraper_keys k where k::text like '%{secret}%')"
    );
    assert_eq!(bench.number(&rows).await, 0);
}

#[tokio::test]
async fn a_rotated_key_has_two_secrets_for_a_while_and_keeps_its_sessions() {
    let bench = Bench::new().await;
    bench.role("Glazier", "normal").await;
    let (old, id) = bench.scraper("one").await;
    let (session, _) = bench.next_role(&old).await;
    let rotate = format!("/api/admin/scraper-keys/{id}/rotate");
    let rotated = bench.admin("POST", &rotate, json!({ "grace_hours": 2 }).to_string()).await;
    assert_eq!(rotated.status, StatusCode::OK, "{}", rotated.text);
    let new = rotated.json()["api_key"].as_str().unwrap().to_owned();
    assert_eq!(rotated.json()["key"]["live_secrets"], 2);
    let opens = async |key: &str| bench.scrape(key, "GET", "stats", "").await.status == StatusCode::OK;
    assert!(opens(&old).await && opens(&new).await);
    let beat = bench.scrape(&new, "POST", &format!("sessions/{session}/heartbeat"), "").await;
    assert_eq!(beat.status, StatusCode::OK, "the session is the key's, not the secret's: {}", beat.text);
    bench.clock.advance(SignedDuration::from_hours(3));
    assert!(!opens(&old).await && opens(&new).await);
    // A third ends the first at once.
    let third = bench.admin("POST", &rotate, "").await.json()["api_key"].as_str().unwrap().to_owned();
    assert!(!opens(&old).await && opens(&new).await && opens(&third).await);
    bench.admin("POST", &format!("/api/admin/scraper-keys/{id}/revoke"), "").await;
    assert!(!opens(&new).await && !opens(&third).await);
    assert_eq!(bench.admin("POST", &rotate, "").await.status, StatusCode::NOT_FOUND, "revoked is for good");
}

#[tokio::test]
async fn a_key_expires_by_itself() {
    let bench = Bench::new().await;
    let key = bench.brief_scraper(SignedDuration::from_mins(5)).await;
    let status = async || bench.scrape(&key, "GET", "stats", "").await.status;
    assert_eq!(status().await, StatusCode::OK);
    bench.clock.advance(SignedDuration::from_mins(5));
    assert_eq!(status().await, StatusCode::UNAUTHORIZED);
    let listed = bench.admin("GET", "/api/admin/scraper-keys", "").await.json();
    assert_eq!(listed["keys"][0]["is_active"], false);
}

#[tokio::test]
async fn uses_are_counted_without_a_write_each() {
    let bench = Bench::new().await;
    let (key, _) = bench.scraper("one").await;
    let writes = "select n_tup_upd from pg_stat_xact_user_tables where relname = 'scraper_keys'";
    assert_eq!(bench.number(writes).await, 0);
    for _ in 0..50 {
        assert_eq!(bench.scrape(&key, "GET", "stats", "").await.status, StatusCode::OK);
    }
    let xmin_changes = "select usage_count from scraper_keys";
    assert_eq!(bench.number(xmin_changes).await, 1, "the first was written down, the rest has gathered");
    bench.clock.advance(SignedDuration::from_secs(10));
    bench.scrape(&key, "GET", "stats", "").await;
    assert_eq!(bench.number(xmin_changes).await, 51);
    bench.scrape(&key, "GET", "stats", "").await;
    let listed = bench.admin("GET", "/api/admin/scraper-keys", "").await.json();
    assert_eq!(listed["keys"][0]["usage_count"], 52, "who looks sees all of this process");
    assert!(listed["keys"][0]["last_used_at"].is_string());
}

#[tokio::test]
async fn sixty_roles_a_minute_and_no_more_over_two_instances() {
    let bench = Bench::new().await;
    let (key, _) = bench.scraper("one").await;
    let other = api::router(bench.api.clone());
    let ask = async |number: usize| {
        let request = axum::http::Request::get("/api/scraper/queue/next-role")
            .header("x-scraper-api-key", &key)
            .body(axum::body::Body::empty())
            .unwrap();
        bench
            .call_on(if number.is_multiple_of(2) { bench.router.clone() } else { other.clone() }, request)
            .await
    };
    for number in 0..60 {
        let answer = ask(number).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT);
        assert_eq!(answer.headers["ratelimit-limit"], "60");
        assert_eq!(answer.headers["ratelimit-remaining"], (59 - number).to_string().as_str());
    }
    let refused = ask(60).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.headers["ratelimit-remaining"], "0");
    assert!(refused.headers["retry-after"].to_str().unwrap().parse::<i64>().unwrap() <= 61);
    // Other routes have their own.
    assert_eq!(bench.scrape(&key, "GET", "stats", "").await.status, StatusCode::OK);
    let (second, _) = bench.scraper("two").await;
    assert_eq!(bench.scrape(&second, "GET", "next-role", "").await.status, StatusCode::NO_CONTENT);
    bench.clock.advance(SignedDuration::from_mins(1));
    assert_eq!(ask(61).await.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_wrong_wish_is_named_and_makes_nothing() {
    let bench = Bench::new().await;
    for (wish, fault) in [
        (json!({}), "body"),
        (json!({ "name": "" }), "name"),
        (json!({ "name": "x".repeat(101) }), "name"),
        (json!({ "name": "x", "allowed_sources": [] }), "allowed_sources"),
        (json!({ "name": "x", "allowed_sources": ["a b"] }), "allowed_sources"),
        (json!({ "name": "x", "expires_at": "2001-01-01T00:00:00Z" }), "expires_at"),
        (json!({ "name": "x", "colour": 1 }), "body"),
    ] {
        let answer = bench.admin("POST", "/api/admin/scraper-keys", wish.to_string()).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{wish}: {}", answer.text);
        assert_eq!(answer.json()["errors"][0]["field"], fault, "{wish}");
    }
    assert_eq!(bench.number("select count(*) from scraper_keys").await, 0);
}

#[tokio::test]
async fn a_rotated_key_keeps_its_end_and_an_ended_one_stays_ended() {
    let bench = Bench::new().await;
    bench.brief_scraper(SignedDuration::from_hours(1)).await;
    let id = bench.number("select max(id)::bigint from scraper_keys").await;
    let rotate = format!("/api/admin/scraper-keys/{id}/rotate");
    let rotated = bench.admin("POST", &rotate, "").await.json();
    assert_eq!(rotated["key"]["expires_at"], "2026-11-16T09:00:00Z");
    let new = rotated["api_key"].as_str().unwrap().to_owned();
    bench.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(bench.scrape(&new, "GET", "stats", "").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(bench.admin("POST", &rotate, "").await.status, StatusCode::NOT_FOUND);
    let expire = format!("/api/admin/scraper-keys/{id}/expire");
    let body = json!({ "expires_at": null }).to_string();
    assert_eq!(bench.admin("POST", &expire, body).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_key_is_given_an_end_and_keys_are_shown_page_by_page() {
    let bench = Bench::new().await;
    let (key, id) = bench.scraper("one").await;
    bench.scraper("two").await;
    let expire = format!("/api/admin/scraper-keys/{id}/expire");
    let end = json!({ "expires_at": "2026-11-16T08:30:00Z" }).to_string();
    let shown = bench.admin("POST", &expire, end).await;
    assert_eq!(
        (shown.status, shown.json()["expires_at"].as_str()),
        (StatusCode::OK, Some("2026-11-16T08:30:00Z"))
    );
    bench.clock.advance(SignedDuration::from_mins(30));
    assert_eq!(bench.scrape(&key, "GET", "stats", "").await.status, StatusCode::UNAUTHORIZED);
    let first = bench.admin("GET", "/api/admin/scraper-keys?limit=1", "").await.json();
    assert_eq!(first["keys"][0]["name"], "two");
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest =
        bench.admin("GET", &format!("/api/admin/scraper-keys?limit=1&cursor={cursor}"), "").await.json();
    assert_eq!(rest["keys"][0]["id"], id);
}
