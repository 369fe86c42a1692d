//! `freshet demo`: the whole house, with a local set of job sites to crawl, so that listings arrive while
//! one watches, without the internet.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, bail};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::settings::Env;
use tower::ServiceExt;

use crate::demo::DemoSite;
use crate::{demo_scraper, keys, serve};

const LOOK_EVERY: Duration = Duration::from_millis(500);
const LARGEST_ANSWER: usize = 1024 * 1024;

/// `freshet demo`.
pub async fn run(env: &Env) -> anyhow::Result<()> {
    let today = Clock::System.now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let site = DemoSite::start(today).await?;
    let hosts = site.hosts.iter().map(ToString::to_string).collect();
    let running = serve::start(env, hosts).await?;
    running.introduce(env)?;
    let key = running.keys.shown.clone().or(env.list("SERVICE_KEYS").into_iter().next());
    let key = key.context("there is no service key")?;
    let boards = site.list_urls().join("\n    ");
    crate::say(&format!("  Invented job boards to look at:\n\n    {boards}\n"));
    let service = Caller::new(&running.router, "x-service-key", key);
    let token = keys::admin_token(&running.keys.callers, "demo", 1)?;
    let admin = Caller::new(&running.router, "authorization", format!("Bearer {token}"));
    let watching = tokio::spawn(async move {
        let shown = async {
            demo_scraper::run(&service, &admin, today).await?;
            service.crawl(site).await
        };
        if let Err(error) = shown.await {
            crate::say_error(&format!("the demo stopped: {error:#}"));
        }
    });
    running.until_told().await?;
    watching.abort();
    Ok(())
}

/// Calls the API as anybody outside would, only without a socket in between.
pub struct Caller {
    router: Router,
    proof: (&'static str, String),
}

impl Caller {
    /// Somebody who proves who they are with this header.
    pub fn new(router: &Router, header: &'static str, value: String) -> Caller {
        Caller { router: router.clone(), proof: (header, value) }
    }

    /// Somebody else at the same door.
    pub fn other(&self, header: &'static str, value: &str) -> Caller {
        Caller::new(&self.router, header, value.to_owned())
    }

    /// Hands in every posting of the demo and tells what becomes of it. Keeps the site up.
    async fn crawl(&self, site: DemoSite) -> anyhow::Result<()> {
        let urls = site.posting_urls();
        crate::say(&format!(
            "  Handing in {} postings; two per site every ten seconds, as the default policy asks.\n",
            urls.len()
        ));
        let mut open = BTreeMap::new();
        for url in urls {
            let body = json!({ "target_type": "job_posting", "workspace_id": "demo", "target_url": url });
            let answer = self.call("POST", "/api/v1/scrape", Some(body)).await?;
            let id = answer["data"]["task_id"].as_str().context("an answer without a task")?.to_owned();
            open.insert(id, url.clone());
        }
        let all = open.len();
        while !open.is_empty() {
            tokio::time::sleep(LOOK_EVERY).await;
            for (id, url) in open.clone() {
                let answer = self.call("GET", &format!("/api/v1/scrape/{id}"), None).await?;
                let Some(line) = told(&answer, &url) else { continue };
                open.remove(&id);
                crate::say(&format!("  {:>2}/{all}  {line}", all - open.len()));
            }
        }
        let example = self.call("GET", "/api/listings?limit=1", None).await?;
        let id = example["listings"][0]["id"].as_str().unwrap_or_default();
        crate::say(&format!(
            "\n  All done. See them at /api/listings; why one is believed to be live at /api/listings/{id}/evidence.\n"
        ));
        std::future::pending::<()>().await;
        drop(site);
        Ok(())
    }

    /// The answer; null when there is none to give.
    pub async fn call(&self, method: &str, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let body = body.map_or(Body::empty(), |body| Body::from(body.to_string()));
        let (header, value) = &self.proof;
        let request = Request::builder().method(method).uri(path).header(*header, value).body(body)?;
        let response = self.router.clone().oneshot(request).await?;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), LARGEST_ANSWER).await?;
        let answer = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes)? };
        if !status.is_success() {
            bail!("{method} {path} answered {status}: {answer}");
        }
        Ok(answer)
    }
}

/// What became of a task, in a line; nothing while it is open.
fn told(answer: &Value, url: &str) -> Option<String> {
    let data = &answer["data"];
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    match data["status"].as_str()? {
        "completed" => {
            let (title, company) =
                (text(&data["result"]["job_title"]), text(&data["result"]["company_name"]));
            let verdict = text(&answer["meta"]["verdict"]["code"]);
            Some(format!("{title}, {company}  [{verdict}]"))
        }
        "failed" => Some(format!("{url}: {}", text(&data["error"]))),
        _ => None,
    }
}
