//! Roles as an admin keeps them, and how titles come to them.

use std::time::Duration;

use axum::http::StatusCode;
use fixture::{ModelServer, Says};
use serde_json::{Value, json};
use shared::ai::{Ai, Kind, Settings};
use shared::egress::{Egress, Limits, Permission};

use crate::bench::{Bench, posted};

async fn wants(bench: &Bench, titles: &[&str]) -> Value {
    let answer = bench.post("/api/candidates", json!({ "preferred_roles": titles }).to_string()).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text);
    answer.json()
}

async fn role(bench: &Bench, id: i64) -> Value {
    bench.admin("GET", &format!("/api/admin/roles/{id}"), "").await.json()
}

#[tokio::test]
async fn spellings_of_one_role_meet_and_the_decision_is_kept() {
    let bench = Bench::new().await;
    let first = wants(&bench, &["Senior Java Developer"]).await;
    let second = wants(&bench, &["Java Engineer (Remote)", "JavaScript Developer"]).await;
    let java = first["normalised"][0]["id"].as_i64().unwrap();
    assert_eq!(first["normalised"][0]["method"], "new");
    assert_eq!(first["normalised"][0]["name"], "Java Developer");
    assert_eq!(
        (second["normalised"][0]["id"].as_i64(), second["normalised"][0]["method"].as_str()),
        (Some(java), Some("key"))
    );
    assert_ne!(second["normalised"][1]["id"].as_i64(), Some(java), "Java is never JavaScript");
    let seen = role(&bench, java).await;
    assert_eq!(seen["candidate_count"], 2);
    assert_eq!(seen["aliases"], json!(["Java Engineer (Remote)", "Senior Java Developer"]));
    let decisions = bench.admin("GET", &format!("/api/admin/role-decisions?role_id={java}"), "").await.json();
    let kept: Vec<_> = decisions["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (one["title"].as_str().unwrap(), one["method"].as_str().unwrap(), one["score"].as_f64().unwrap())
        })
        .collect();
    assert_eq!(kept, [("Java Engineer (Remote)", "key", 1.0), ("Senior Java Developer", "new", 0.0)]);
}

#[tokio::test]
async fn what_is_alike_is_suggested_and_an_admin_may_merge() {
    let bench = Bench::new().await;
    let (key, _) = bench.scraper("one").await;
    let old = wants(&bench, &["Orthodontic Assistant"]).await["normalised"][0]["id"].as_i64().unwrap();
    let new = wants(&bench, &["Orthodontics Assistant"]).await;
    let both = wants(&bench, &["Orthodontic Assistant", "Orthodontics Assistant"]).await;
    let new = new["normalised"][0]["id"].as_i64().unwrap();
    assert_eq!(role(&bench, new).await["suggested_role_id"], old);
    assert_eq!(role(&bench, new).await["suggested_role_name"], "Orthodontic Assistant");
    let decisions = bench.admin("GET", &format!("/api/admin/role-decisions?role_id={new}"), "").await.json();
    let first = decisions["decisions"].as_array().unwrap().last().unwrap();
    assert_eq!(first["suggested_role_name"], "Orthodontic Assistant");
    // Somebody scrapes the one that would go.
    let (session, next) = bench.next_role(&key).await;
    let held = next["role"]["id"].as_i64().unwrap();
    let merge = |from: i64, into: i64| {
        let bench = &bench;
        async move {
            bench
                .admin("POST", &format!("/api/admin/roles/{from}/merge"), json!({ "into": into }).to_string())
                .await
        }
    };
    assert_eq!(merge(held, old + new - held).await.status, StatusCode::CONFLICT);
    bench.scrape(&key, "POST", &format!("sessions/{session}/release"), "").await;

    let merged = merge(new, old).await;
    assert_eq!(merged.status, StatusCode::OK, "{}", merged.text);
    assert_eq!(merged.json()["candidate_count"], 3, "who wanted both counts once");
    assert_eq!(merged.json()["aliases"], json!(["Orthodontics Assistant"]));
    assert_eq!(role(&bench, new).await["code"], "not_found");
    let again = wants(&bench, &["Senior Orthodontics Assistant"]).await;
    assert_eq!(
        (again["normalised"][0]["id"].as_i64(), again["normalised"][0]["method"].as_str()),
        (Some(old), Some("alias"))
    );
    let candidate = both["candidate"]["id"].as_str().unwrap();
    let shown = bench.get(&format!("/api/candidates/{candidate}")).await.json();
    assert_eq!(shown["roles"], json!([{ "id": old, "name": "Orthodontic Assistant" }]));
    assert_eq!(merge(old, old).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(merge(old, 9_999).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_correction_is_remembered_and_takes_people_along() {
    let bench = Bench::new().await;
    let wrong = wants(&bench, &["Bread Maker"]).await["normalised"][0]["id"].as_i64().unwrap();
    let baker = bench.role("Baker", "normal").await;
    let decisions = bench.admin("GET", "/api/admin/role-decisions", "").await.json();
    let decision = decisions["decisions"][0]["id"].as_i64().unwrap();
    let path = format!("/api/admin/role-decisions/{decision}/correct");
    let corrected = bench.admin("POST", &path, json!({ "role_id": baker }).to_string()).await;
    assert_eq!(corrected.status, StatusCode::OK, "{}", corrected.text);
    assert_eq!(role(&bench, baker).await["candidate_count"], 1);
    assert_eq!(role(&bench, wrong).await["candidate_count"], 0);
    let next = wants(&bench, &["Junior Bread Maker"]).await;
    assert_eq!(
        (next["normalised"][0]["id"].as_i64(), next["normalised"][0]["method"].as_str()),
        (Some(baker), Some("correction"))
    );
    assert_eq!(
        bench.admin("POST", &path, json!({ "role_id": 9_999 }).to_string()).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn roles_are_listed_made_put_first_and_requeued() {
    let bench = Bench::new().await;
    let (key, _) = bench.scraper("one").await;
    let ids = [bench.role("Glazier", "low").await, bench.role("Baker", "low").await];
    let again =
        bench.admin("POST", "/api/admin/roles", json!({ "name": "senior glazier" }).to_string()).await;
    assert_eq!(
        (again.status, again.json()["id"].as_i64()),
        (StatusCode::OK, Some(ids[0])),
        "there is one already"
    );
    let first = bench
        .admin(
            "POST",
            &format!("/api/admin/roles/{}/priority", ids[1]),
            json!({ "priority": "urgent" }).to_string(),
        )
        .await;
    assert_eq!(first.json()["priority"], "urgent");
    let (session, next) = bench.next_role(&key).await;
    assert_eq!(next["role"]["id"], ids[1]);
    let requeued = bench.admin("POST", &format!("/api/admin/roles/{}/requeue", ids[1]), "").await;
    assert_eq!(requeued.json()["queue_status"], "pending");
    let beat = bench.scrape(&key, "POST", &format!("sessions/{session}/heartbeat"), "").await;
    assert_eq!(beat.status, StatusCode::CONFLICT, "its session has ended");
    let found = bench.admin("GET", "/api/admin/roles?q=GLAZ&status=pending", "").await.json();
    assert_eq!(found["roles"].as_array().unwrap().len(), 1);
    let page = bench.admin("GET", "/api/admin/roles?limit=1", "").await.json();
    let rest = bench
        .admin(
            "GET",
            &format!("/api/admin/roles?limit=1&cursor={}", page["next_cursor"].as_str().unwrap()),
            "",
        )
        .await
        .json();
    assert_eq!(
        (page["roles"][0]["id"].as_i64(), rest["roles"][0]["id"].as_i64()),
        (Some(ids[1]), Some(ids[0]))
    );
    for (path, body) in [
        ("roles", json!({ "name": "" })),
        ("roles", json!({ "name": "???" })),
        ("roles", json!({ "name": "x", "priority": "soon" })),
        ("roles", json!({ "name": "x".repeat(256) })),
    ] {
        let answer = bench.admin("POST", &format!("/api/admin/{path}"), body.to_string()).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
    }
    assert_eq!(bench.admin("POST", "/api/admin/roles/77/requeue", "").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_correction_leaves_what_another_title_asks_for_and_what_was_decided() {
    let bench = Bench::new().await;
    let baker = bench.role("Baker", "normal").await;
    // An admin said that the second title leads to the first one's role.
    let both = wants(&bench, &["Bread Maker", "Loaf Shaper"]).await;
    let (maker, shaper) =
        (both["normalised"][0]["id"].as_i64().unwrap(), both["normalised"][1]["id"].as_i64().unwrap());
    let of_title = async |title: &str| {
        let all = bench.admin("GET", "/api/admin/role-decisions", "").await.json();
        all["decisions"].as_array().unwrap().iter().find(|one| one["title"] == title).unwrap().clone()
    };
    let correct = async |title: &str, role: i64| {
        let path = format!("/api/admin/role-decisions/{}/correct", of_title(title).await["id"]);
        let done = bench.admin("POST", &path, json!({ "role_id": role }).to_string()).await;
        assert_eq!(done.status, StatusCode::OK, "{}", done.text);
    };
    correct("Loaf Shaper", maker).await;
    assert_eq!(role(&bench, shaper).await["candidate_count"], 0);
    assert_eq!(role(&bench, maker).await["candidate_count"], 1);
    correct("Loaf Shaper", baker).await;
    assert_eq!(role(&bench, baker).await["candidate_count"], 1);
    assert_eq!(role(&bench, maker).await["candidate_count"], 1, "their other title still asks for it");
    let decided = of_title("Loaf Shaper").await;
    assert_eq!((decided["role_id"].as_i64(), decided["method"].as_str()), (Some(shaper), Some("new")));
    assert_eq!(decided["corrected_role_id"], baker);
    assert!(bench.number("select count(*) from match_runs where candidate_id is not null").await >= 2);
}

#[tokio::test]
async fn a_merge_keeps_what_an_admin_said_and_wakes_the_role_that_stays() {
    let bench = Bench::new().await;
    let (key, _) = bench.scraper("one").await;
    let baker = bench.role("Baker", "normal").await;
    let maker = wants(&bench, &["Bread Maker"]).await["normalised"][0]["id"].as_i64().unwrap();
    let decisions = bench.admin("GET", "/api/admin/role-decisions", "").await.json();
    let path = format!("/api/admin/role-decisions/{}/correct", decisions["decisions"][0]["id"]);
    bench.admin("POST", &path, json!({ "role_id": baker }).to_string()).await;
    let cook = bench.role("Cook", "low").await;
    for _ in 0..3 {
        let (session, _) = bench.next_role(&key).await;
        let jobs = json!({ "session_id": session, "jobs": [posted(1)] }).to_string();
        bench.scrape(&key, "POST", "jobs", jobs).await;
    }
    bench.admin("POST", &format!("/api/admin/roles/{maker}/requeue"), "").await;
    assert_eq!(role(&bench, cook).await["queue_status"], "completed");
    let merge = format!("/api/admin/roles/{maker}/merge");
    let merged = bench.admin("POST", &merge, json!({ "into": cook }).to_string()).await;
    assert_eq!(merged.status, StatusCode::OK, "{}", merged.text);
    assert_eq!(merged.json()["queue_status"], "pending", "what waited goes on waiting");
    assert_eq!(merged.json()["priority"], "normal", "the greater of the two");
    let next = wants(&bench, &["Bread Maker"]).await;
    assert_eq!(next["normalised"][0]["id"], baker, "the correction stands");
}

/// A bench whose API asks this model.
async fn asking(server: &ModelServer) -> Bench {
    let bench = Bench::new().await;
    let web =
        Egress::new(Permission::with_private_hosts(vec!["127.0.0.0/8".parse().unwrap()]), Limits::default());
    let settings = Settings {
        kind: Kind::OpenAi,
        model: "small-1".to_owned(),
        base_url: server.url.clone(),
        key: "a-key-of-a-model".into(),
        timeout: Duration::from_millis(500),
        daily_budget: 1_000_000,
        price_in: 1.0,
        price_out: 5.0,
    };
    let ai = Ai::new(Some(settings), web.unwrap(), bench.db.pool.clone(), bench.clock.clone()).unwrap();
    let api = api::Api { ai, ..bench.api.clone() };
    Bench { router: api::router(api.clone()), api, ..bench }
}

#[tokio::test]
async fn a_model_is_asked_which_role_a_title_means_and_a_failure_leaves_the_title() {
    let says = |choice: &str| Says::Record(json!({ "choice": choice, "new_name": null }));
    let server = ModelServer::start(Kind::OpenAi, "role", says("r1")).await;
    let bench = asking(&server).await;
    let first = wants(&bench, &["Orthodontic Assistant"]).await["normalised"][0].clone();
    assert_eq!(server.asked(), 0, "there was nothing to choose from");

    let chosen = wants(&bench, &["Orthodontics Assistant"]).await["normalised"][0].clone();
    assert_eq!((&chosen["id"], &chosen["method"]), (&first["id"], &json!("model")), "{chosen}");
    assert_eq!(server.asked(), 1);
    let body = server.last().body.to_string();
    assert!(
        body.contains("r1: Orthodontic Assistant") && body.contains("Title: Orthodontics Assistant"),
        "{body}"
    );
    let id = first["id"].as_i64().unwrap();
    let decisions = bench.admin("GET", &format!("/api/admin/role-decisions?role_id={id}"), "").await.json();
    let newest = &decisions["decisions"][0];
    assert_eq!(newest["method"], "model", "{newest}");
    assert!(newest["score"].as_f64().is_some_and(|score| (0.5..1.0).contains(&score)), "{newest}");

    // What was chosen once is known.
    let before = server.asked();
    let again = wants(&bench, &["Senior Orthodontics Assistant"]).await["normalised"][0].clone();
    assert_eq!((&again["id"], server.asked()), (&first["id"], before));

    // A model that fails, or answers what was not asked, leaves the title as it is: a role of its own.
    for (says, title) in [
        (Says::Status(500), "Orthodontia Assistant"),
        (Says::Silence, "Orthodontica Assistant"),
        (says("r9"), "Orthodontico Assistant"),
    ] {
        server.now_says(says);
        let before = server.asked();
        let own = wants(&bench, &[title]).await["normalised"][0].clone();
        assert!(server.asked() > before, "{title} was asked about");
        assert_eq!(own["method"], "new", "{own}");
        assert_ne!(own["id"], first["id"]);
    }
}
