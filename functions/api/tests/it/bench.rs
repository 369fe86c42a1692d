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
            gate: Gate::Postgres(PgGate::new(db.pool.clone())),
            blobs: Blobs::Folder(FolderBlobs::new(folder.path().to_owned()).unwrap()),
            callers: Callers::new(&[KEY.into()], "a-signing-key-for-tests".into()).unwrap(),
            clock: clock.clone(),
            max_pending: 500,
            default_webhook_url: None,
            callbacks: Permission::public_only(),
            ways: Ways::Known(vec![RouteHealth::direct()]),
            description: std::sync::Arc::new(api::document()),
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
}
