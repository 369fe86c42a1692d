//! The `freshet` program as a process: started, called over HTTP, killed, started again.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use fixture::{JobSite, TestDb};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::policy::Policy;
use shared::egress::{Egress, Hop, Limits, Permission, Request};
use shared::store::policies;

pub const KEY: &str = "a-service-key-for-tests";

/// A house that a test may kill.
pub struct HouseProcess {
    pub db: TestDb,
    pub data: tempfile::TempDir,
    port: u16,
    hosts: String,
    child: Option<Child>,
    web: Egress,
}

impl HouseProcess {
    /// A house on a database of its own that may fetch from these sites under this policy.
    pub async fn new(sites: &[JobSite], policy: &Policy) -> HouseProcess {
        let db = TestDb::new().await;
        let conn = db.pool.conn().await.unwrap();
        policies::set(&*conn, policies::DEFAULT, policy, Clock::System.now()).await.unwrap();
        drop(conn);
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let hosts = sites.iter().map(|site| site.address.to_string()).collect::<Vec<_>>().join(",");
        let ours = vec![format!("127.0.0.1:{port}").parse().unwrap()];
        let web = Egress::new(Permission::with_private_hosts(ours), Limits::default()).unwrap();
        HouseProcess { db, data: tempfile::tempdir().unwrap(), port, hosts, child: None, web }
    }

    /// Starts the process and waits until it is ready.
    pub async fn start(&mut self) {
        let child = Command::new(env!("CARGO_BIN_EXE_freshet"))
            .arg("serve")
            .env("DATABASE_URL", self.db.url.expose_secret())
            .env("FRESHET_DATA", self.data.path())
            .env("PORT", self.port.to_string())
            .env("SERVICE_KEYS", KEY)
            .env("ADMIN_SIGNING_KEY", "a-signing-key-for-tests")
            .env("ALLOW_PRIVATE_HOSTS", &self.hosts)
            .env("CONNECT_TIMEOUT_MS", "500")
            .stdout(Stdio::null())
            .spawn()
            .expect("starting freshet");
        self.child = Some(child);
        let ready = async {
            while self.try_call(Request::get(self.url("/readiness"))).await.is_none() {
                let ended = self.child.as_mut().unwrap().try_wait().unwrap();
                assert!(ended.is_none(), "freshet ended by itself: {ended:?}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), ready).await.expect("freshet is ready within a minute");
    }

    /// SIGKILL: no goodbye.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// SIGTERM: drains and ends.
    pub async fn terminate(&mut self) -> ExitStatus {
        let mut child = self.child.take().unwrap();
        let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    async fn try_call(&self, request: Request) -> Option<(u16, Value)> {
        let answer = self.web.fetch(request.header("x-service-key", KEY), |_| Hop::Stop).await.ok()?;
        Some((answer.status, serde_json::from_slice(&answer.body).ok()?))
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        self.try_call(Request::get(self.url(path))).await.expect("an answer")
    }

    /// Hands in a page; returns the task's id.
    pub async fn submit(&self, url: &str) -> String {
        let body = json!({ "target_type": "job_posting", "target_url": url, "workspace_id": "tests" });
        let request = Request::post(self.url("/api/v1/scrape"), body.to_string());
        let (status, answer) = self.try_call(request).await.expect("an answer");
        assert_eq!(status, 202, "{answer}");
        answer["data"]["task_id"].as_str().unwrap().to_owned()
    }

    /// Waits until the task has ended.
    pub async fn ended(&self, id: &str) -> Value {
        let look = async {
            loop {
                let (_, answer) = self.get(&format!("/api/v1/scrape/{id}")).await;
                if matches!(answer["data"]["status"].as_str(), Some("completed" | "failed")) {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), look).await.expect("the task ends within a minute")
    }

    pub async fn scraped(&self, url: &str) -> Value {
        let id = self.submit(url).await;
        self.ended(&id).await
    }

    /// The events in a listing's evidence, with their rules, oldest first.
    pub async fn events(&self, listing: &str) -> Vec<(String, String)> {
        let (_, answer) = self.get(&format!("/api/listings/{listing}/evidence")).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        answer["evidence"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (text(&row["event"]), text(&row["rule"])))
            .collect()
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(Path::new(self.data.path()).join("freshet.log")).unwrap_or_default()
    }
}

impl Drop for HouseProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A policy that does not make a test wait.
pub fn quick() -> Policy {
    Policy {
        tokens_per_interval: 1_000,
        interval_seconds: 0.0,
        min_delay_ms: 0,
        max_delay_ms: 0,
        connect_budget_ms: 2_000,
        ..Policy::default()
    }
}
