//! The `freshet` program as a process: started, called over HTTP, killed, started again.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use fixture::{JobSite, TestDb, without_gaps};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use shared::domain::policy::Policy;
use shared::egress::{Egress, Hop, Limits, Permission, Request};

pub use fixture::SERVICE_KEY as KEY;
pub const WEBHOOK_SECRET: &str = "whsec_YSB3ZWJob29rIHNlY3JldCBmb3IgdGhlIGhvdXNlIQ==";

/// A house that a test may kill.
pub struct HouseProcess {
    pub db: TestDb,
    pub data: tempfile::TempDir,
    port: u16,
    hosts: String,
    child: Option<Child>,
    web: Egress,
    /// Further settings for the process.
    settings: Vec<(&'static str, String)>,
}

impl HouseProcess {
    /// A house on a database of its own that may fetch from these sites under this policy.
    pub async fn new(sites: &[JobSite], policy: &Policy) -> HouseProcess {
        let db = TestDb::new().await;
        db.set_policy(policy).await;
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let hosts = sites.iter().map(|site| site.address.to_string()).collect::<Vec<_>>().join(",");
        let ours = vec![format!("127.0.0.1:{port}").parse().unwrap()];
        let web = Egress::new(Permission::with_private_hosts(ours), Limits::default()).unwrap();
        HouseProcess {
            db,
            data: tempfile::tempdir().unwrap(),
            port,
            hosts,
            child: None,
            web,
            settings: Vec::new(),
        }
    }

    /// A further setting, from the next start on.
    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.settings.push((name, value.into()));
    }

    /// It may reach this address too, from the next start on.
    pub fn may_reach(&mut self, address: std::net::SocketAddr) {
        self.hosts = format!("{},{address}", self.hosts);
    }

    /// Another process of the same house, on any port.
    pub fn worker(&self) -> Worker {
        Worker(self.spawn(0))
    }

    fn spawn(&self, port: u16) -> Child {
        Command::new(env!("CARGO_BIN_EXE_freshet"))
            .arg("serve")
            .env("DATABASE_URL", self.db.url.expose_secret())
            .env("FRESHET_DATA", self.data.path())
            .env("PORT", port.to_string())
            .env("SERVICE_KEYS", KEY)
            .env("ADMIN_SIGNING_KEY", "a-signing-key-for-tests")
            .env("WEBHOOK_SECRET", WEBHOOK_SECRET)
            .env("ALLOW_PRIVATE_HOSTS", &self.hosts)
            .env("CONNECT_TIMEOUT_MS", "500")
            .envs(self.settings.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::null())
            .spawn()
            .expect("starting freshet")
    }

    /// Starts the process and waits until it is ready.
    pub async fn start(&mut self) {
        self.child = Some(self.spawn(self.port));
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

    pub async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.try_call(Request::post(self.url(path), body.to_string())).await.expect("an answer")
    }

    /// Hands in a page; returns the task's id.
    pub async fn submit(&self, url: &str) -> String {
        self.submit_for("tests", url).await
    }

    /// Hands in a page for a workspace; returns the task's id.
    pub async fn submit_for(&self, workspace: &str, url: &str) -> String {
        self.submit_with(
            json!({ "target_type": "job_posting", "target_url": url, "workspace_id": workspace }),
        )
        .await
    }

    /// Hands in a request as it is; returns the task's id.
    pub async fn submit_with(&self, body: Value) -> String {
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

/// A process that does not outlive its test.
pub struct Worker(Child);

impl Worker {
    /// SIGKILL: no goodbye.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Fails when it has ended, and that is fine.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Drop for HouseProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A policy that does not make a test wait.
pub fn quick() -> Policy {
    Policy { connect_budget_ms: 2_000, ..without_gaps() }
}
