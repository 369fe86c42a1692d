//! An API on a database of its own, called without a socket.

use std::time::Duration;

use api::{Api, Ways, router};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use fixture::TestDb;
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::blobs::{Blobs, FolderBlobs};
use shared::clock::Clock;
use shared::domain::readiness::RouteHealth;
use shared::egress::Permission;
use shared::gate::{Gate, PgGate};
use shared::queue::{PgQueue, Queue};
use shared::scrapers::{PER_MINUTE, Scrapers};
use shared::tokens::Callers;
use tower::ServiceExt;

pub const KEY: &str = "a-service-key-for-tests";

pub struct Bench {
    pub db: TestDb,
    pub api: Api,
    pub router: Router,
    pub clock: Clock,
    /// Where its pages lie, as long as it is used.
    pub _folder: std::sync::Arc<tempfile::TempDir>,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl Bench {
    pub async fn new() -> Bench {
        let db = TestDb::new().await;
        let clock = Clock::manual("2026-11-16T08:00:00Z".parse().unwrap());
        let queue = |name| {
            Queue::Postgres(PgQueue::new(db.pool.clone(), clock.clone(), name, Duration::from_secs(15), 100))
        };
        let folder = tempfile::tempdir().unwrap();
        let api = Api {
            db: db.pool.clone(),
            crawl: queue("crawl"),
            render: queue("render"),
            extract: queue("extract"),
            notify: queue("notify"),
            matches: queue("match"),
            scrapers: Scrapers::new(db.pool.clone(), PER_MINUTE),
            ai: shared::ai::Ai::None,
            gate: Gate::Postgres(PgGate::new(db.pool.clone())),
            blobs: Blobs::Folder(FolderBlobs::new(folder.path().to_owned()).unwrap()),
            callers: Callers::new(&[KEY.into()], "a-signing-key-for-tests".into()).unwrap(),
            clock: clock.clone(),
            max_pending: 500,
            default_webhook_url: None,
            callbacks: Permission::public_only(),
            ways: Ways::Known(vec![RouteHealth::direct()]),
            description: std::sync::Arc::new(api::document()),
            page: api::Page::BUILT_IN,
        };
        Bench { router: router(api.clone()), db, api, clock, _folder: std::sync::Arc::new(folder) }
    }

    pub fn admin_token(&self) -> String {
        self.api.callers.admin_token("tester", SignedDuration::from_hours(1), self.clock.now()).unwrap()
    }

    pub async fn call(&self, request: Request<Body>) -> Answer {
        self.call_on(self.router.clone(), request).await
    }

    pub async fn call_on(&self, router: Router, request: Request<Body>) -> Answer {
        let response = router.oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, 16 * 1024 * 1024).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Answer { status: parts.status, headers: parts.headers, text }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(Request::get(path).header("x-service-key", KEY).body(Body::empty()).unwrap()).await
    }

    pub async fn post(&self, path: &str, body: impl Into<Body>) -> Answer {
        self.call(Request::post(path).header("x-service-key", KEY).body(body.into()).unwrap()).await
    }

    pub async fn submit(&self, url: &str) -> Answer {
        let body = json!({ "target_type": "job_posting", "target_url": url, "workspace_id": "w" });
        self.post("/api/v1/scrape", body.to_string()).await
    }

    /// How many rows there are in the tables a request could write to.
    pub async fn rows(&self) -> i64 {
        let conn = self.db.pool.conn().await.unwrap();
        let count = "select (select count(*) from tasks) + (select count(*) from batches)
            + (select count(*) from queue_messages) + (select count(*) from listings)";
        conn.query_one(count, &[]).await.unwrap().get(0)
    }

    /// A call of an admin.
    pub async fn admin(&self, method: &str, path: &str, body: impl Into<Body>) -> Answer {
        let token = format!("Bearer {}", self.admin_token());
        let request = Request::builder().method(method).uri(path).header("authorization", token);
        self.call(request.body(body.into()).unwrap()).await
    }

    /// A call of a scraper.
    pub async fn scrape(&self, key: &str, method: &str, path: &str, body: impl Into<Body>) -> Answer {
        let path = format!("/api/scraper/queue/{path}");
        let request = Request::builder().method(method).uri(path).header("x-scraper-api-key", key);
        self.call(request.body(body.into()).unwrap()).await
    }

    async fn new_key(&self, wanted: Value) -> (String, i64) {
        let made = self.admin("POST", "/api/admin/scraper-keys", wanted.to_string()).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
        let json = made.json();
        (json["api_key"].as_str().unwrap().to_owned(), json["key"]["id"].as_i64().unwrap())
    }

    /// A key for every source, and its id.
    pub async fn scraper(&self, name: &str) -> (String, i64) {
        self.new_key(json!({ "name": name })).await
    }

    pub async fn scraper_of(&self, name: &str, sources: &[&str]) -> String {
        self.new_key(json!({ "name": name, "allowed_sources": sources })).await.0
    }

    /// A key that does not last.
    pub async fn brief_scraper(&self, lasts: SignedDuration) -> String {
        let end = self.clock.now() + lasts;
        self.new_key(json!({ "name": "brief", "expires_at": end.to_string() })).await.0
    }

    /// A role that waits; its id.
    pub async fn role(&self, name: &str, priority: &str) -> i64 {
        let body = json!({ "name": name, "priority": priority }).to_string();
        let made = self.admin("POST", "/api/admin/roles", body).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
        made.json()["id"].as_i64().unwrap()
    }

    /// The next role for a scraper: the session, and the answer whole.
    pub async fn next_role(&self, key: &str) -> (String, Value) {
        let answer = self.scrape(key, "GET", "next-role", "").await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        let json = answer.json();
        (json["session_id"].as_str().unwrap().to_owned(), json)
    }

    /// One number out of the database.
    pub async fn number(&self, sql: &str) -> i64 {
        self.db.pool.conn().await.unwrap().query_one(sql, &[]).await.unwrap().get(0)
    }
}

/// A good job.
pub fn posted(number: usize) -> Value {
    json!({
        "external_job_id": format!("d-{number}"), "platform": "dice", "title": format!("Glazier {number}"),
        "company": "Pane & Sons", "location": "Porto, Portugal", "description": "Cut glass and fit it.",
        "skills": ["Glass cutting", "Python"], "salary_min": 20_000, "salary_max": 30_000,
        "job_url": format!("https://dice.com/jobs/{number}"), "posted_date": "2026-11-10",
    })
}
