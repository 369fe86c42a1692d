//! The role queue through its doors: who gets which role, what becomes of jobs, and what time does.

use std::collections::HashSet;

use axum::http::StatusCode;
use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::store::{matches, role_queue};

use crate::bench::{Bench, posted};

fn post(session: &str, jobs: &[Value]) -> String {
    json!({ "session_id": session, "jobs": jobs }).to_string()
}

#[tokio::test]
async fn roles_come_by_priority_then_candidates_then_age() {
    let bench = Bench::new().await;
    let (key, _) = bench.scraper("one").await;
    assert_eq!(bench.scrape(&key, "GET", "next-role", "").await.status, StatusCode::NO_CONTENT);
    bench.role("Low", "low").await;
    bench.role("Old", "normal").await;
    bench.clock.advance(SignedDuration::from_secs(1));
    bench.role("Young", "normal").await;
    bench.role("Wanted", "normal").await;
    bench.role("First", "urgent").await;
    let body = json!({ "preferred_roles": ["Wanted"] }).to_string();
    assert_eq!(bench.post("/api/candidates", body).await.status, StatusCode::CREATED);
    let mut names = Vec::new();
    for _ in 0..5 {
        names.push(bench.next_role(&key).await.1["role"]["name"].as_str().unwrap().to_owned());
    }
    assert_eq!(names, ["First", "Wanted", "Old", "Young", "Low"]);
    assert_eq!(bench.scrape(&key, "GET", "next-role", "").await.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn next_role_says_all_a_scraper_needs() {
    let bench = Bench::new().await;
    let key = bench.scraper_of("one", &["dice", "indeed"]).await;
    bench.role("Glazier", "normal").await;
    bench.post("/api/candidates", json!({ "preferred_roles": ["Sr. Glazier (m/f/d)"] }).to_string()).await;
    let (_, next) = bench.next_role(&key).await;
    assert_eq!(next["role"]["aliases"], json!(["Sr. Glazier (m/f/d)"]));
    assert_eq!(next["role"]["candidate_count"], 1);
    assert_eq!(next["lease_expires_at"], "2026-11-16T09:00:00Z");
    assert_eq!(
        next["rate_limits"],
        json!([{ "source": "indeed", "requests_per_minute": 20 }, { "source": "dice", "requests_per_minute": 30 }])
    );
}

/// 32 scrapers at once over many roles: each role goes to one of them, none is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_role_is_never_held_by_two_and_none_is_lost() {
    let bench = Bench::new().await;
    let conn = bench.db.pool.conn().await.unwrap();
    let roles = 600;
    conn.execute(
        "insert into roles (name, key, head, technologies, pending_since, created_at, updated_at)
            select 'Role ' || n, 'role ' || n, 'role', '{}', now(), now(), now() from generate_series(1, $1::integer) n",
        &[&roles],
    )
    .await
    .unwrap();
    drop(conn);
    let api = api::Api {
        scrapers: shared::scrapers::Scrapers::new(bench.db.pool.clone(), 100_000),
        ..bench.api.clone()
    };
    let router = api::router(api);
    let keys = join_all((0..32).map(|number| {
        let bench = &bench;
        async move { bench.scraper(&format!("s{number}")).await.0 }
    }))
    .await;
    let work = keys.iter().enumerate().map(|(who, key)| {
        let (bench, router) = (&bench, router.clone());
        async move {
            let mut held = Vec::new();
            loop {
                let request = |method: &str, path: &str, body: String| {
                    axum::http::Request::builder()
                        .method(method)
                        .uri(format!("/api/scraper/queue/{path}"))
                        .header("x-scraper-api-key", key)
                        .body(axum::body::Body::from(body))
                        .unwrap()
                };
                let answer = bench.call_on(router.clone(), request("GET", "next-role", String::new())).await;
                if answer.status == StatusCode::NO_CONTENT {
                    return held;
                }
                assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
                let json = answer.json();
                let (session, role) =
                    (json["session_id"].as_str().unwrap(), json["role"]["id"].as_i64().unwrap());
                // One in seven gives up, and the role comes back for somebody.
                if (usize::try_from(role).unwrap() + who + held.len()) % 7 == 0 {
                    let path = format!("sessions/{session}/release");
                    assert_eq!(
                        bench.call_on(router.clone(), request("POST", &path, String::new())).await.status,
                        200
                    );
                    continue;
                }
                // Everybody finds one job of everybody's and one of their own.
                let jobs = [posted(1), posted(1_000 + usize::try_from(role).unwrap())];
                let done = bench.call_on(router.clone(), request("POST", "jobs", post(session, &jobs))).await;
                assert_eq!(done.status, StatusCode::OK, "{}", done.text);
                held.push(role);
            }
        }
    });
    let held: Vec<i64> = join_all(work).await.into_iter().flatten().collect();
    let different: HashSet<_> = held.iter().collect();
    assert_eq!((held.len(), different.len()), (600, 600), "each role was completed once");
    assert_eq!(bench.number("select count(*) from roles where queue_status = 'completed'").await, 600);
    let found = "select sum(jobs_found)::bigint from scrape_sessions";
    let imported = "select sum(jobs_imported)::bigint from scrape_sessions";
    assert_eq!(bench.number(found).await, 1_200);
    assert_eq!(bench.number(imported).await, 601, "what was found adds up");
    assert_eq!(bench.number("select count(*) from listings").await, 601);
    assert_eq!(bench.number("select times_seen::bigint from listings where external_id = 'd-1'").await, 600);
    assert_eq!(bench.number("select sum(total_jobs_scraped)::bigint from roles").await, 601);
}

#[tokio::test]
async fn jobs_become_listings_with_evidence_and_bad_ones_are_named() {
    let bench = Bench::new().await;
    let role = bench.role("Glazier", "normal").await;
    let key = bench.scraper_of("one", &["dice"]).await;
    let (session, _) = bench.next_role(&key).await;
    bench.clock.advance(SignedDuration::from_secs(45));
    let mut foreign = posted(7);
    foreign["platform"] = json!("indeed");
    let mut nameless = posted(8);
    nameless["title"] = Value::Null;
    let jobs = [posted(1), posted(2), posted(1), foreign, nameless, json!("job")];
    let answer = bench.scrape(&key, "POST", "jobs", post(&session, &jobs)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    let json = answer.json();
    assert_eq!(
        (json["jobs_found"].as_i64(), json["jobs_imported"].as_i64(), json["jobs_skipped"].as_i64()),
        (Some(6), Some(2), Some(4))
    );
    assert_eq!(
        (json["duration_seconds"].as_i64(), json["matching_triggered"].as_bool()),
        (Some(45), Some(true))
    );
    let faults: Vec<_> = json["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| (fault["index"].as_i64().unwrap(), fault["field"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(faults, [(3, "platform".to_owned()), (4, "title".to_owned()), (5, String::new())]);
    let listings = bench.get("/api/listings").await.json();
    let first = listings["listings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["external_id"] == "d-1")
        .unwrap()
        .clone();
    assert_eq!((first["source"].as_str(), first["place"]["city"].as_str()), (Some("dice"), Some("Porto")));
    assert!(first["salary"]["currency"].is_null(), "no currency is made up");
    let evidence =
        bench.get(&format!("/api/listings/{}/evidence", first["id"].as_str().unwrap())).await.json();
    assert_eq!(evidence["evidence"][0]["event"], "created");
    assert_eq!(evidence["evidence"][0]["detail"]["session_id"], session.as_str());
    let seen = bench.admin("GET", &format!("/api/admin/roles/{role}"), "").await.json();
    assert_eq!(
        (seen["queue_status"].as_str(), seen["total_jobs_scraped"].as_i64()),
        (Some("completed"), Some(2))
    );

    // Seen again by the next session: refreshed, not imported.
    bench.admin("POST", &format!("/api/admin/roles/{role}/requeue"), "").await;
    let (session, _) = bench.next_role(&key).await;
    bench.clock.advance(SignedDuration::from_hours(1));
    let again = bench.scrape(&key, "POST", "jobs", post(&session, &[posted(1), posted(3)])).await.json();
    assert_eq!((again["jobs_imported"].as_i64(), again["jobs_skipped"].as_i64()), (Some(1), Some(1)));
    let seen = bench.get(&format!("/api/listings/{}", first["id"].as_str().unwrap())).await.json();
    assert_eq!(seen["times_seen"], 2);
    assert_eq!(seen["last_seen_at"], "2026-11-16T09:00:45Z");
}

#[tokio::test]
async fn the_same_post_twice_answers_the_same_and_changes_nothing() {
    let bench = Bench::new().await;
    bench.role("Glazier", "normal").await;
    let (key, _) = bench.scraper("one").await;
    let (session, _) = bench.next_role(&key).await;
    let body = post(&session, &[posted(1), posted(2)]);
    let both = join_all((0..4).map(|_| bench.scrape(&key, "POST", "jobs", body.clone()))).await;
    bench.clock.advance(SignedDuration::from_hours(30));
    let later = bench.scrape(&key, "POST", "jobs", body.clone()).await;
    for answer in both.iter().chain([&later]) {
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        assert_eq!(answer.json(), both[0].json());
    }
    assert_eq!(bench.number("select sum(times_seen)::bigint from listings").await, 2);
    assert_eq!(bench.number("select count(*) from evidence").await, 2);
    assert_eq!(bench.number("select count(*) from match_runs").await, 1);
    let other = bench.scrape(&key, "POST", "jobs", post(&session, &[posted(3)])).await;
    assert_eq!(other.status, StatusCode::CONFLICT, "another post to an ended session: {}", other.text);
}

#[tokio::test]
async fn a_session_may_hand_in_its_jobs_in_parts() {
    let bench = Bench::new().await;
    let role = bench.role("Glazier", "normal").await;
    let (key, _) = bench.scraper("one").await;
    let (session, _) = bench.next_role(&key).await;
    bench.clock.advance(SignedDuration::from_mins(50));
    let part =
        json!({ "session_id": session, "jobs": [posted(1), posted(2)], "complete": false }).to_string();
    let first = bench.scrape(&key, "POST", "jobs", part).await.json();
    assert_eq!((first["completed"].as_bool(), first["jobs_imported"].as_i64()), (Some(false), Some(2)));
    // A part is a sign of life.
    bench.clock.advance(SignedDuration::from_mins(50));
    let conn = bench.db.pool.conn().await.unwrap();
    assert_eq!(role_queue::time_out(&*conn, bench.clock.now()).await.unwrap(), (0, 0));
    let rest = bench.scrape(&key, "POST", "jobs", post(&session, &[posted(2), posted(3)])).await.json();
    assert_eq!(
        (rest["completed"].as_bool(), rest["jobs_found"].as_i64(), rest["jobs_imported"].as_i64()),
        (Some(true), Some(4), Some(3))
    );
    let seen = bench.admin("GET", &format!("/api/admin/roles/{role}"), "").await.json();
    assert_eq!(seen["total_jobs_scraped"], 3);
    let too_many: Vec<Value> = (0..1_001).map(posted).collect();
    assert_eq!(
        bench.scrape(&key, "POST", "jobs", post(&session, &too_many)).await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
}

#[tokio::test]
async fn a_session_is_its_keys_alone() {
    let bench = Bench::new().await;
    bench.role("Glazier", "normal").await;
    let ((key, _), (other, _)) = (bench.scraper("one").await, bench.scraper("two").await);
    let (session, _) = bench.next_role(&key).await;
    assert_eq!(
        bench.scrape(&other, "POST", "jobs", post(&session, &[posted(1)])).await.status,
        StatusCode::NOT_FOUND
    );
    for way in ["heartbeat", "release", "fail"] {
        let answer = bench.scrape(&other, "POST", &format!("sessions/{session}/{way}"), "").await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{way}");
    }
    for (body, status) in [
        (json!({ "jobs": [] }), StatusCode::BAD_REQUEST),
        (json!({ "session_id": null, "jobs": [] }), StatusCode::BAD_REQUEST),
        (json!({ "session_id": "x", "jobs": [] }), StatusCode::NOT_FOUND),
        (json!({ "session_id": session, "jobs": {} }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "session_id": session, "complete": 1 }), StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        assert_eq!(bench.scrape(&key, "POST", "jobs", body.to_string()).await.status, status, "{body}");
    }
    assert_eq!(bench.number("select count(*) from listings").await, 0);
    assert_eq!(bench.number("select count(*) from roles where queue_status = 'processing'").await, 1);
}

#[tokio::test]
async fn released_and_failed_sessions_give_their_role_back() {
    let bench = Bench::new().await;
    bench.role("Glazier", "normal").await;
    let (key, _) = bench.scraper("one").await;
    for (way, status) in [("release", "released"), ("fail", "failed")] {
        let (session, _) = bench.next_role(&key).await;
        let body = json!({ "reason": "the board is down" }).to_string();
        let answer = bench.scrape(&key, "POST", &format!("sessions/{session}/{way}"), body).await;
        assert_eq!((answer.status, answer.json()["status"].as_str()), (StatusCode::OK, Some(status)));
        let again = bench.scrape(&key, "POST", &format!("sessions/{session}/{way}"), "").await;
        assert_eq!(again.status, StatusCode::CONFLICT);
        assert_eq!(
            bench.scrape(&key, "POST", "jobs", post(&session, &[])).await.status,
            StatusCode::CONFLICT
        );
    }
    let sessions = bench.admin("GET", "/api/scraper-monitoring/sessions?status=failed", "").await.json();
    assert_eq!(sessions["sessions"][0]["error_message"], "the board is down");
    assert_eq!(bench.number("select count(*) from roles where queue_status = 'pending'").await, 1);
}

#[tokio::test]
async fn silence_for_an_hour_gives_the_role_back_and_a_late_post_is_still_welcome() {
    let bench = Bench::new().await;
    let role = bench.role("Glazier", "normal").await;
    let ((key, _), (other, _)) = (bench.scraper("one").await, bench.scraper("two").await);
    let (session, _) = bench.next_role(&key).await;
    bench.clock.advance(SignedDuration::from_mins(59));
    bench.scrape(&key, "POST", &format!("sessions/{session}/heartbeat"), "").await;
    let conn = bench.db.pool.conn().await.unwrap();
    bench.clock.advance(SignedDuration::from_mins(59));
    assert_eq!(
        role_queue::time_out(&*conn, bench.clock.now()).await.unwrap(),
        (0, 0),
        "the heartbeat counts"
    );
    bench.clock.advance(SignedDuration::from_mins(1));
    // Two cleanups at once.
    let second = bench.db.pool.conn().await.unwrap();
    let now = bench.clock.now();
    let (a, b) = tokio::join!(role_queue::time_out(&*conn, now), role_queue::time_out(&*second, now));
    assert_eq!(a.unwrap().0 + b.unwrap().0, 1, "one of them ended it");
    let (third, _) = bench.next_role(&other).await;
    let late = bench.scrape(&key, "POST", "jobs", post(&session, &[posted(1)])).await;
    assert_eq!((late.status, late.json()["late"].as_bool()), (StatusCode::OK, Some(true)), "{}", late.text);
    let state = bench.admin("GET", &format!("/api/admin/roles/{role}"), "").await.json();
    assert_eq!(state["queue_status"], "processing", "whoever holds it now goes on");
    bench.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(bench.scrape(&other, "POST", "jobs", post(&third, &[posted(2)])).await.status, StatusCode::OK);

    // The other way round: completed by another since, the late one is refused.
    bench.admin("POST", &format!("/api/admin/roles/{role}/requeue"), "").await;
    let (session, _) = bench.next_role(&key).await;
    bench.clock.advance(SignedDuration::from_hours(2));
    assert_eq!(role_queue::time_out(&*conn, bench.clock.now()).await.unwrap(), (1, 1));
    let (fourth, _) = bench.next_role(&other).await;
    assert_eq!(
        bench.scrape(&other, "POST", "jobs", post(&fourth, &[posted(3)])).await.status,
        StatusCode::OK
    );
    let late = bench.scrape(&key, "POST", "jobs", post(&session, &[posted(4)])).await;
    assert_eq!(late.status, StatusCode::CONFLICT, "{}", late.text);
    assert_eq!(bench.number("select count(*) from listings where external_id = 'd-4'").await, 0);
}

#[tokio::test]
async fn a_late_post_completes_a_role_that_waits() {
    let bench = Bench::new().await;
    let role = bench.role("Glazier", "normal").await;
    let (key, _) = bench.scraper("one").await;
    let (session, _) = bench.next_role(&key).await;
    bench.clock.advance(SignedDuration::from_hours(2));
    let conn = bench.db.pool.conn().await.unwrap();
    role_queue::time_out(&*conn, bench.clock.now()).await.unwrap();
    let late = bench.scrape(&key, "POST", "jobs", post(&session, &[posted(1)])).await;
    assert_eq!(late.json()["late"], true, "{}", late.text);
    let state = bench.admin("GET", &format!("/api/admin/roles/{role}"), "").await.json();
    assert_eq!(state["queue_status"], "completed");
}

#[tokio::test]
async fn at_midnight_stale_roles_that_somebody_wants_wait_again() {
    let bench = Bench::new().await;
    let (key, _) = bench.scraper("one").await;
    bench.post("/api/candidates", json!({ "preferred_roles": ["Glazier"] }).to_string()).await;
    bench.role("Unwanted", "low").await;
    for _ in 0..2 {
        let (session, _) = bench.next_role(&key).await;
        bench.scrape(&key, "POST", "jobs", post(&session, &[])).await;
    }
    let (conn, second) = (bench.db.pool.conn().await.unwrap(), bench.db.pool.conn().await.unwrap());
    bench.clock.advance(SignedDuration::from_hours(23));
    assert_eq!(role_queue::reset_completed(&*conn, bench.clock.now()).await.unwrap(), 0);
    bench.clock.advance(SignedDuration::from_hours(2));
    let now = bench.clock.now();
    let (a, b) =
        tokio::join!(role_queue::reset_completed(&*conn, now), role_queue::reset_completed(&*second, now));
    assert_eq!(a.unwrap() + b.unwrap(), 1);
    assert_eq!(bench.next_role(&key).await.1["role"]["name"], "Glazier");
    matches::count_skills(&*conn).await.unwrap();
}

#[tokio::test]
async fn the_monitor_shows_sessions_figures_and_the_queue() {
    let bench = Bench::new().await;
    let ((key, id), (other, _)) = (bench.scraper("one").await, bench.scraper("two").await);
    for name in ["Glazier", "Baker", "Cooper"] {
        bench.role(name, "normal").await;
    }
    let (session, _) = bench.next_role(&key).await;
    bench.clock.advance(SignedDuration::from_secs(10));
    bench.scrape(&key, "POST", "jobs", post(&session, &[posted(1), posted(2)])).await;
    bench.next_role(&other).await;
    let stats = bench.admin("GET", "/api/scraper-monitoring/stats?hours=1", "").await.json();
    assert_eq!(stats["active_scrapers"], 1);
    assert_eq!(
        stats["totals"],
        json!({ "total_sessions": 1, "jobs_found": 2, "jobs_imported": 2, "avg_duration_seconds": 10.0 })
    );
    assert_eq!(stats["per_scraper"].as_array().unwrap().len(), 2);
    let figures = |at: usize| {
        let one = &stats["per_scraper"][at];
        ["session_count", "sessions_in_progress", "sessions_completed", "jobs_found", "jobs_skipped"]
            .map(|name| one[name].as_i64().unwrap())
    };
    let at = usize::from(stats["per_scraper"][0]["scraper_key_id"] != id);
    assert_eq!((figures(at), figures(1 - at)), ([1, 0, 1, 2, 0], [1, 1, 0, 0, 0]));
    assert_eq!(stats["per_scraper"][at]["avg_duration_seconds"], 10.0);
    assert_eq!(stats["per_scraper"][1 - at]["avg_duration_seconds"], Value::Null, "none has ended");
    assert_eq!(stats["per_hour"][0]["jobs_imported"], 2);
    let sessions = bench
        .admin("GET", &format!("/api/scraper-monitoring/sessions?scraper_key_id={id}&status=completed"), "")
        .await
        .json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(sessions["sessions"][0]["session_id"], session.as_str());
    assert_eq!(
        sessions["sessions"][0]["last_activity"], sessions["sessions"][0]["completed_at"],
        "its end was its last sign of life"
    );
    let queue = bench.admin("GET", "/api/scraper-monitoring/queue", "").await.json();
    let shown: Vec<_> = queue["queue"]
        .as_array()
        .unwrap()
        .iter()
        .map(|role| role["queue_status"].as_str().unwrap())
        .collect();
    assert_eq!(shown.len(), 2);
    let count = |roles: i64| json!({ "roles": roles, "candidates": 0 });
    assert_eq!(
        queue["counts"],
        json!({ "pending": count(1), "processing": count(1), "completed": count(1) })
    );
    let stats = bench.scrape(&key, "GET", "stats", "").await.json();
    assert_eq!(stats["queue"]["completed"], json!({ "roles": 1, "candidates": 0 }));
    assert_eq!(
        stats["last_24h"],
        json!({ "sessions_completed": 1, "jobs_imported": 2, "avg_duration_seconds": 10.0 })
    );
    for wrong in
        ["sessions?hours=0", "sessions?status=x", "stats?hours=x", "queue?limit=1000", "sessions?colour=1"]
    {
        let answer = bench.admin("GET", &format!("/api/scraper-monitoring/{wrong}"), "").await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    // Page by page, every session once.
    let first = bench.admin("GET", "/api/scraper-monitoring/sessions?limit=1", "").await.json();
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = bench
        .admin("GET", &format!("/api/scraper-monitoring/sessions?limit=1&cursor={cursor}"), "")
        .await
        .json();
    assert_ne!(first["sessions"][0]["id"], rest["sessions"][0]["id"]);
}

#[tokio::test]
async fn imports_over_time_add_up_to_the_totals() {
    let bench = Bench::new().await;
    let mut jobs = (1..).map(posted);
    // Seven scrapers in two hours: five are named, the two that brought the least are one.
    for (number, role) in
        ["Baker", "Cooper", "Dyer", "Fuller", "Glazier", "Mason", "Tanner"].into_iter().enumerate()
    {
        bench.role(role, "normal").await;
        let (key, _) = bench.scraper(&format!("scraper {number}")).await;
        let (session, _) = bench.next_role(&key).await;
        let found: Vec<_> = jobs.by_ref().take(number + 1).collect();
        bench.scrape(&key, "POST", "jobs", post(&session, &found)).await;
        if number == 3 {
            bench.clock.advance(SignedDuration::from_hours(1));
        }
    }
    let imports = async |query: &str| {
        bench.admin("GET", &format!("/api/scraper-monitoring/imports?{query}"), "").await.json()
    };
    let hourly = imports("hours=3").await;
    assert_eq!(hourly["step"], "hour");
    let rows = hourly["imports"].as_array().unwrap();
    let shown: Vec<_> = rows
        .iter()
        .map(|row| {
            let number = |name: &str| row[name].as_i64().unwrap();
            (row["scraper_name"].as_str(), number("jobs_imported"), number("sessions"))
        })
        .collect();
    assert_eq!(
        shown,
        [
            (Some("scraper 2"), 3, 1),
            (Some("scraper 3"), 4, 1),
            (None, 3, 2),
            (Some("scraper 4"), 5, 1),
            (Some("scraper 5"), 6, 1),
            (Some("scraper 6"), 7, 1),
        ]
    );
    let stats = bench.admin("GET", "/api/scraper-monitoring/stats?hours=3", "").await.json();
    let sum: i64 = shown.iter().map(|(_, imported, _)| imported).sum();
    assert_eq!(stats["totals"]["jobs_imported"], sum);
    assert_eq!(imports("hours=200").await["step"], "day");
    assert_eq!(imports("hours=200&step=hour").await["imports"], hourly["imports"]);
    for wrong in ["step=week", "hours=0", "colour=1"] {
        let answer = bench.admin("GET", &format!("/api/scraper-monitoring/imports?{wrong}"), "").await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
}
