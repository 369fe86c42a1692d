//! Whatever happens on the way, no secret and nothing personal of a page reaches a log line or a metric.

use std::path::PathBuf;
use std::time::Duration;

use api::Api;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crawler::Crawler;
use extractor::Extractor;
use fixture::{JobSite, LoopProxy, Mood, Speaks, TestDb, local_settings};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::credential::{CredentialUse, How};
use shared::domain::policy::Policy;
use shared::domain::profile::Identity;
use shared::domain::site::site_key;
use shared::house::{House, Local, LocalSettings, QueueName};
use shared::outbound::Outbound;
use shared::settings::Env;
use shared::store::policies;
use shared::tokens::Callers;
use tower::ServiceExt;

use crate::house::quick;

/// One walk, and what is secret in it.
#[derive(Debug, Clone)]
struct Walk {
    /// Unlike anything else that is ever logged.
    secrets: Vec<String>,
    proxy: Option<(Speaks, Mood, bool)>,
    how: How,
    backend: (u16, bool),
    site: u16,
    profile: bool,
    broken_page: bool,
}

fn any_walk() -> impl Strategy<Value = Walk> {
    let mood = prop_oneof![
        4 => Just(Mood::Works), 1 => Just(Mood::CannotReach), 1 => Just(Mood::HangsUp), 1 => Just(Mood::Babbles)
    ];
    let speaks = prop_oneof![Just(Speaks::Http), Just(Speaks::Socks5)];
    let how = prop_oneof![Just(How::Header), Just(How::Cookie), Just(How::Basic)];
    (
        prop::collection::vec("[a-z0-9]{20}", 10),
        prop::option::weighted(0.7, (speaks, mood, prop::bool::weighted(0.8))),
        how,
        (
            prop_oneof![6 => Just(200_u16), 1 => Just(404), 1 => Just(500), 1 => Just(401)],
            prop::bool::weighted(0.9),
        ),
        prop_oneof![5 => Just(200_u16), 1 => Just(401), 1 => Just(404), 1 => Just(500), 1 => Just(302)],
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(secrets, proxy, how, backend, site, profile, broken_page)| Walk {
            secrets: secrets.into_iter().map(|secret| format!("zq{secret}")).collect(),
            proxy,
            how,
            backend,
            site,
            profile,
            broken_page,
        })
}

/// A page with people on it.
fn page(walk: &Walk) -> String {
    let (mail, name) = (&walk.secrets[6], &walk.secrets[7]);
    let email = if walk.broken_page { json!({ "no": mail }) } else { json!(format!("{mail}@example.com")) };
    let markup = json!({
        "@context": "https://schema.org/", "@type": "JobPosting", "title": format!("Clerk {name}"),
        "description": format!("<p>Write to {mail}@example.com or ask for {name}.</p>"),
        "hiringOrganization": { "@type": "Organization", "name": name, "email": email },
        "datePosted": if walk.broken_page { name.clone() } else { "2026-11-02".to_owned() },
        "baseSalary": name,
    });
    let cut = if walk.broken_page { "{\"@type\":" } else { "" };
    format!(
        "<html><head><script type=\"application/ld+json\">{markup}</script>\
         <script type=\"application/ld+json\">{cut}</script></head>\
         <body><h1>Clerk {name}</h1><a href=\"mailto:{mail}@example.com\">{mail}</a></body></html>"
    )
}

struct Bench {
    db: TestDb,
    data: tempfile::TempDir,
    log: PathBuf,
}

impl Bench {
    /// Everything logs, down to the last detail, the way the program logs.
    async fn new() -> Bench {
        let (db, data) = (TestDb::new().await, tempfile::tempdir().unwrap());
        let log = data.path().join("log");
        shared::telemetry::start_in_file(&Env::of([("LOG_LEVEL", "trace".to_owned())]), &log).unwrap();
        Bench { db, data, log }
    }

    /// Walks one page through the API, crawler and extractor. Returns the task's id and the metrics.
    async fn walk(&self, walk: &Walk) -> (String, String) {
        let [user, password, backend_key, value, service_key, token, ..] = &walk.secrets[..] else {
            panic!("ten secrets")
        };
        let (site, backend) = (JobSite::start("127.0.0.1").await, JobSite::start("127.0.0.2").await);
        let next = format!("/next?code={token}");
        site.answers(
            &format!("/jobs/1?t={token}"),
            walk.site,
            &[("content-type", "text/html"), ("location", &next)],
            &page(walk),
        );
        let login = if walk.backend.1 {
            json!({ "data": { "value": value, "username": "u", "password": value } }).to_string()
        } else {
            format!("{value} is not what was asked for")
        };
        backend.answers("/api/v1/workspaces/w/credentials/board", walk.backend.0, &[], &login);
        let mut hosts = vec![site.address.to_string(), backend.address.to_string()];
        let mut proxies = String::new();
        if let Some((speaks, mood, right)) = walk.proxy {
            let proxy = LoopProxy::start(speaks, Some((user, password))).await;
            proxy.is_in(mood);
            hosts.push(proxy.address.to_string());
            let url = proxy.url();
            proxies = if right { url } else { url.replace(&format!(":{password}@"), &format!(":{value}@")) };
        }
        let outbound = Outbound::of(&Env::of([
            ("PROXY_ENDPOINTS", proxies),
            ("BACKEND_API_URL", backend.url("")),
            ("BACKEND_SERVICE_KEY", backend_key.clone()),
            ("IDENTITY", if walk.profile { "profile" } else { "own" }.to_owned()),
        ]))
        .unwrap();
        assert_eq!(outbound.identity == Identity::Profile, walk.profile);
        let settings = LocalSettings {
            pool_size: 4,
            callers: Callers::new(&[service_key.clone().into()], "a-signing-key-for-tests".into()).unwrap(),
            private_hosts: hosts,
            connect_limit: Duration::from_millis(1_000),
            outbound,
            ..local_settings(&self.db, self.data.path())
        };
        let house = House::Local(Box::new(Local::new(settings).await.unwrap()));
        self.allow(&site, walk.how).await;
        let router = api::router(Api::new(&house).await.unwrap());
        let mut crawler = Crawler::new(&house).await.unwrap();
        crawler.credentials = crawler.credentials.with_pauses([Duration::from_millis(1); 3]);
        let extractor = Extractor::new(&house).await.unwrap();

        let asked = json!({ "target_type": "job_posting", "workspace_id": "w",
            "target_url": site.url(&format!("/jobs/1?t={token}")) });
        let request = Request::post("/api/v1/scrape").header("x-service-key", service_key);
        let answer =
            router.clone().oneshot(request.body(Body::from(asked.to_string())).unwrap()).await.unwrap();
        assert_eq!(answer.status(), 202);
        let answer: Value =
            serde_json::from_slice(&to_bytes(answer.into_body(), 1 << 20).await.unwrap()).unwrap();
        for (queue, crawls) in [(QueueName::Crawl, true), (QueueName::Extract, false)] {
            for message in house.queue(queue).unwrap().receive(10, Duration::ZERO).await.unwrap() {
                if crawls {
                    crawler::crawl(&crawler, serde_json::from_str(&message.body).unwrap()).await.unwrap();
                } else {
                    let job = serde_json::from_str(&message.body).unwrap();
                    Box::pin(extractor::extract(&extractor, job)).await.unwrap();
                }
            }
        }
        let metrics = router.oneshot(Request::get("/metrics").body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(metrics.status(), 200);
        let metrics = to_bytes(metrics.into_body(), 1 << 20).await.unwrap();
        let id = answer["data"]["task_id"].as_str().unwrap().to_owned();
        (id, String::from_utf8(metrics.to_vec()).unwrap())
    }

    async fn allow(&self, site: &JobSite, how: How) {
        let name = (how != How::Basic).then(|| "x-login".to_owned());
        let credential = Some(CredentialUse { provider: "board".into(), how, name, prefix: None });
        let key = site_key(&site.url("/").parse().unwrap()).unwrap();
        let conn = self.db.pool.conn().await.unwrap();
        let policy = Policy { credential, connect_budget_ms: 4_000, ..quick() };
        policies::set(&*conn, key.as_str(), &policy, Clock::System.now()).await.unwrap();
    }
}

#[test]
fn property_39_no_log_line_and_no_metric_holds_a_secret() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let bench = runtime.block_on(Bench::new());
    let read = std::cell::Cell::new(0);
    let fetched = std::cell::Cell::new(0);
    let mut runner =
        TestRunner::new(ProptestConfig { max_shrink_iters: 20, ..ProptestConfig::with_cases(100) });
    runner
        .run(&any_walk(), |walk| {
            let (id, metrics) = runtime.block_on(bench.walk(&walk));
            let log = std::fs::read(&bench.log).unwrap();
            let new = String::from_utf8_lossy(&log[read.get()..]).into_owned();
            read.set(log.len());
            prop_assert!(new.contains(&id) && metrics.contains("freshet_tasks"), "the walk was written down");
            fetched.set(fetched.get() + usize::from(new.contains("\"message\":\"fetched\"")));
            let (user, password) = (&walk.secrets[0], &walk.secrets[1]);
            let pairs = [format!("{user}:{password}"), format!("u:{}", walk.secrets[3])];
            let encoded = pairs.iter().map(|pair| BASE64_STANDARD.encode(pair));
            for secret in walk.secrets.iter().cloned().chain(encoded) {
                let line = new.lines().find(|line| line.contains(&secret));
                prop_assert!(line.is_none(), "the log holds {secret}: {}", line.unwrap_or_default());
                prop_assert!(!metrics.contains(&secret), "the metrics hold {secret}");
            }
            Ok(())
        })
        .unwrap();
    assert!(fetched.get() > 40, "only {} walks came as far as the site", fetched.get());
}
