//! Two at once on the same role: whoever comes second finds what the first has left, and nothing stays behind.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures_util::future::join_all;
use serde_json::json;
use shared::store::scraper_keys::ScraperKey;
use shared::store::{Db, role_queue};

use crate::bench::{Bench, posted};

/// Until somebody waits for a lock.
async fn somebody_waits(bench: &Bench) {
    let waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while bench.number(waiting).await == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// A session begins after the requeue has looked for one and before it resets the role.
#[tokio::test]
async fn a_requeue_ends_the_session_that_begins_meanwhile() {
    let bench = Bench::new().await;
    let role = bench.role("Glazier", "normal").await;
    let (key, id) = bench.scraper("one").await;
    let mut conn = bench.db.pool.conn().await.unwrap();
    let first = conn.transaction().await.unwrap();
    first.client().execute("select 1 from roles for no key update", &[]).await.unwrap();
    let path = format!("/api/admin/roles/{role}/requeue");
    let requeue = bench.admin("POST", &path, "");
    let begin = async {
        somebody_waits(&bench).await;
        let key = ScraperKey { id: id.try_into().unwrap(), name: "one".into(), allowed_sources: None };
        let (lease, now) = (role_queue::LEASE, bench.clock.now());
        role_queue::next(&first, &key, lease, now).await.unwrap().expect("the role waits");
        first.commit().await.unwrap();
    };
    let (requeued, ()) = tokio::join!(requeue, begin);
    assert_eq!(requeued.status, StatusCode::OK, "{}", requeued.text);
    assert_eq!(requeued.json()["queue_status"], "pending");
    let live = "select count(*) from scrape_sessions where status = 'in_progress'";
    assert_eq!(bench.number(live).await, 0, "no session stays behind");
    bench.next_role(&key).await;
    assert_eq!(bench.number(live).await, 1);
}

#[tokio::test]
async fn to_ask_about_the_next_role_is_not_to_take_it() {
    let bench = Bench::new().await;
    bench.role("Glazier", "normal").await;
    let (key, _) = bench.scraper("one").await;
    let refused = bench.scrape(&key, "HEAD", "next-role", "").await;
    assert_eq!(
        (refused.status, refused.headers["allow"].to_str().unwrap()),
        (StatusCode::METHOD_NOT_ALLOWED, "GET")
    );
    assert_eq!(bench.number("select count(*) from scrape_sessions").await, 0);
    let alive = bench.call(Request::head("/health").body(Body::empty()).unwrap()).await;
    assert_eq!(alive.status, StatusCode::OK, "where nothing can come of it, HEAD is answered");
    let wrong = bench.scrape(&key, "PUT", "next-role", "").await;
    assert_eq!(wrong.status, StatusCode::METHOD_NOT_ALLOWED);
    assert!(wrong.headers["allow"].to_str().unwrap().contains("GET"));
}

/// The lock is held for longer than anybody waits for one.
#[tokio::test]
async fn what_loses_to_another_goes_again() {
    let bench = Bench::new().await;
    let (from, into) = (bench.role("Glazier", "normal").await, bench.role("Baker", "normal").await);
    let mut conn = bench.db.pool.conn().await.unwrap();
    let first = conn.transaction().await.unwrap();
    first.client().execute("select 1 from roles for no key update", &[]).await.unwrap();
    let path = format!("/api/admin/roles/{from}/merge");
    let merge = bench.admin("POST", &path, json!({ "into": into }).to_string());
    let hold = async {
        somebody_waits(&bench).await;
        tokio::time::sleep(std::time::Duration::from_millis(1_300)).await;
        first.commit().await.unwrap();
    };
    let (merged, ()) = tokio::join!(merge, hold);
    assert_eq!(merged.status, StatusCode::OK, "{}", merged.text);
}

/// People who change to one another's roles, all at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn people_who_swap_their_roles_never_wait_in_a_circle() {
    let bench = Bench::new().await;
    let roles = ["Glazier", "Baker", "Cooper", "Tanner"];
    let new = json!({ "preferred_roles": roles }).to_string();
    let mut ids = Vec::new();
    for _ in 0..4 {
        let made = bench.post("/api/candidates", new.clone()).await.json();
        ids.push(made["candidate"]["id"].as_str().unwrap().to_owned());
    }
    for round in 0..6 {
        let all = ids.iter().enumerate().map(|(at, id)| {
            let wanted: Vec<&str> =
                (0..2).map(|step| roles[(at * 3 + round + step * (at + 1)) % 4]).collect();
            let request =
                Request::put(format!("/api/candidates/{id}")).header("x-service-key", crate::bench::KEY);
            bench.call(request.body(json!({ "preferred_roles": wanted }).to_string().into()).unwrap())
        });
        for answer in join_all(all).await {
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        }
        let wrong = "select count(*) from roles r where candidate_count <>
            (select count(*) from candidate_roles where role_id = r.id)";
        assert_eq!(bench.number(wrong).await, 0);
    }
    let deadlocks = "select coalesce(deadlocks, 0) from pg_stat_database where datname = current_database()";
    assert_eq!(bench.number(deadlocks).await, 0);
}

#[tokio::test]
async fn every_answer_says_how_many_turns_are_left() {
    let bench = Bench::new().await;
    bench.role("Glazier", "normal").await;
    let (key, _) = bench.scraper("one").await;
    let (session, _) = bench.next_role(&key).await;
    let unknown = bench.scrape(&key, "POST", "sessions/x/heartbeat", "").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert_eq!(unknown.headers["ratelimit-limit"], "6000");
    let large = bench.scrape(&key, "POST", &format!("sessions/{session}/release"), "x".repeat(20_000)).await;
    assert_eq!(large.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(large.headers.contains_key("ratelimit-remaining"), "{:?}", large.headers);
    let beat = bench.scrape(&key, "POST", &format!("sessions/{session}/heartbeat"), "{}").await;
    assert_eq!(beat.status, StatusCode::OK, "an empty object is no fault: {}", beat.text);
}

#[tokio::test]
async fn the_same_job_of_two_platforms_is_one_cluster() {
    let bench = Bench::new().await;
    bench.role("Glazier", "normal").await;
    bench.role("Baker", "normal").await;
    let (key, _) = bench.scraper("one").await;
    let text = "Cut glass to measure, carry it up the stairs and fit it into old frames without breaking the putty. \
        You keep the workshop's book, look after the two apprentices and drive the van on Fridays when the market is \
        held by the river. We pay on time, lend you good tools and close at four.";
    for platform in ["dice", "monster"] {
        let (session, _) = bench.next_role(&key).await;
        let mut job = posted(1);
        job["platform"] = json!(platform);
        job["description"] = json!(text);
        job["job_url"] = json!(format!("http://www.{platform}.com/jobs/1?utm_source=feed"));
        let answer = bench
            .scrape(&key, "POST", "jobs", json!({ "session_id": session, "jobs": [job] }).to_string())
            .await;
        assert_eq!(answer.json()["jobs_imported"], 1, "{}", answer.text);
    }
    let listings = bench.get("/api/listings").await.json();
    let (one, other) = (&listings["listings"][0], &listings["listings"][1]);
    assert_ne!(one["source"], other["source"]);
    assert_eq!(one["cluster_id"], other["cluster_id"], "{listings}");
    assert_eq!(one["url"], "https://www.monster.com/jobs/1", "one spelling of an address");
}

#[tokio::test]
async fn what_a_second_post_leaves_out_stays_known() {
    let bench = Bench::new().await;
    let role = bench.role("Glazier", "normal").await;
    let (key, _) = bench.scraper("one").await;
    let (session, _) = bench.next_role(&key).await;
    let body = format!(r#"{{"session_id":"{session}","jobs":[{}]}}"#, posted(1));
    let first = bench.scrape(&key, "POST", "jobs", body.clone()).await;
    let turned = format!(r#"{{ "jobs": [{}], "session_id": "{session}" }}"#, posted(1));
    let again = bench.scrape(&key, "POST", "jobs", turned).await;
    assert_eq!(
        (again.status, again.json()),
        (StatusCode::OK, first.json()),
        "the same, written in another order"
    );
    bench.admin("POST", &format!("/api/admin/roles/{role}/requeue"), "").await;
    let (session, _) = bench.next_role(&key).await;
    let mut bare = posted(1);
    for field in ["skills", "description", "salary_min", "salary_max", "posted_date"] {
        bare.as_object_mut().unwrap().remove(field);
    }
    bench.scrape(&key, "POST", "jobs", json!({ "session_id": session, "jobs": [bare] }).to_string()).await;
    assert_eq!(bench.number("select cardinality(skills)::bigint from jobs").await, 2);
    let changed = "select count(*) from evidence where (detail ->> 'changed')::boolean";
    assert_eq!(bench.number(changed).await, 0, "nothing that is stored has changed");
    assert_eq!(bench.number("select count(*) from changed_jobs").await, 0);
}
