//! What the rooms log of a task, read back line by line.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::Api;
use axum::body::Body;
use axum::http::Request;
use crawler::Crawler;
use dispatcher::Dispatcher;
use extractor::Extractor;
use fixture::{JobSite, LoopProxy, Speaks, TestDb, local_settings};
use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::credential::{CredentialUse, How};
use shared::domain::ids::TaskId;
use shared::domain::policy::Policy;
use shared::domain::site::site_key;
use shared::house::{House, Local, LocalSettings, QueueName};
use shared::outbound::Outbound;
use shared::queue::Queue;
use shared::settings::Env;
use shared::store::policies;
use tower::ServiceExt;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use uuid::Uuid;

use crate::house::{KEY, quick};

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Kept {
    type Writer = Kept;
    fn make_writer(&'a self) -> Kept {
        self.clone()
    }
}

/// The rooms a task walks through, called by hand.
struct Rooms {
    db: TestDb,
    api: axum::Router,
    crawl: Queue,
    extract: Queue,
    crawler: Crawler,
    extractor: Extractor,
    dispatcher: Dispatcher,
    _data: tempfile::TempDir,
}

impl Rooms {
    async fn new() -> Rooms {
        Rooms::with("").await
    }

    /// Pages leave by these proxies.
    async fn with(proxies: &str) -> Rooms {
        let (db, data) = (TestDb::new().await, tempfile::tempdir().unwrap());
        db.set_policy(&quick()).await;
        let settings = LocalSettings {
            private_hosts: vec!["127.0.0.0/8".to_owned()],
            connect_limit: Duration::from_millis(500),
            outbound: Outbound::of(&Env::of([("PROXY_ENDPOINTS", proxies.to_owned())])).unwrap(),
            ..local_settings(&db, data.path())
        };
        let house = House::Local(Box::new(Local::new(settings).await.unwrap()));
        Rooms {
            api: api::router(Api::new(&house).await.unwrap()),
            crawl: house.queue(QueueName::Crawl).unwrap(),
            extract: house.queue(QueueName::Extract).unwrap(),
            crawler: Crawler::new(&house).await.unwrap(),
            extractor: Extractor::new(&house).await.unwrap(),
            dispatcher: Dispatcher::new(&house).await.unwrap(),
            db,
            _data: data,
        }
    }

    /// Hands in a page: the id of the request and of the task.
    async fn submit(&self, url: &str) -> (String, TaskId) {
        let body = json!({ "target_type": "job_posting", "target_url": url, "workspace_id": "w" });
        let request = Request::post("/api/v1/scrape").header("x-service-key", KEY);
        let answer =
            self.api.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
        let request = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
        let bytes = axum::body::to_bytes(answer.into_body(), 1024 * 1024).await.unwrap();
        let answer: Value = serde_json::from_slice(&bytes).unwrap();
        (request, answer["data"]["task_id"].as_str().unwrap().parse().unwrap())
    }

    /// Works until nothing is left.
    async fn work(&self) {
        while let Some(held) = self.crawl.receive(1, Duration::ZERO).await.unwrap().pop() {
            crawler::crawl(&self.crawler, serde_json::from_str(&held.body).unwrap()).await.unwrap();
            self.crawl.ack(&held).await.unwrap();
        }
        while let Some(held) = self.extract.receive(1, Duration::ZERO).await.unwrap().pop() {
            let job = serde_json::from_str(&held.body).unwrap();
            Box::pin(extractor::extract(&self.extractor, job)).await.unwrap();
            self.extract.ack(&held).await.unwrap();
        }
    }

    /// Before anybody goes there: a room looks at the policies once a second.
    async fn rule(&self, site: &JobSite, policy: &Policy) {
        let key = site_key(&site.url("/").parse().unwrap()).unwrap();
        let conn = self.db.pool.conn().await.unwrap();
        policies::set(&*conn, key.as_str(), policy, Clock::System.now()).await.unwrap();
    }

    /// The task was begun more than a minute ago, and the sweep comes by.
    async fn let_it_expire(&self, id: TaskId) {
        let conn = self.db.pool.conn().await.unwrap();
        let began = "update tasks set started_at = now() - interval '61 seconds' where id = $1";
        conn.execute(began, &[&id.0]).await.unwrap();
        drop(conn);
        dispatcher::sweep(&self.dispatcher).await.unwrap();
    }
}

/// How a page ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Posting,
    Again,
    Nothing,
    Status(u16),
    Forbidden,
    TooLate,
    SwitchedOff,
    RobotsSayNo,
    NoLogin,
}

impl End {
    /// How the line calls the way the page took. The proxy goes by its place in the list.
    fn way(self, by_proxy: bool) -> &'static str {
        match self {
            End::SwitchedOff | End::RobotsSayNo | End::NoLogin => "none",
            End::TooLate if by_proxy => "unknown",
            _ if by_proxy => "0",
            _ => "direct",
        }
    }
}

#[test]
fn property_38_every_line_can_be_searched_and_tells_how_a_task_ended() {
    let kept = Kept::default();
    let _guard =
        tracing::subscriber::set_default(shared::telemetry::lines(EnvFilter::new("info"), kept.clone()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let direct = runtime.block_on(Rooms::new());
    let proxy = runtime.block_on(LoopProxy::start(Speaks::Http, Some(("someone", "proxy-password"))));
    let proxied = runtime.block_on(Rooms::with(&proxy.url()));
    let [off, locked] = runtime.block_on(async {
        let sites = [JobSite::start("127.0.0.2").await, JobSite::start("127.0.0.2").await];
        for rooms in [&direct, &proxied] {
            let reason = Some("they asked us to stay away".to_owned());
            rooms.rule(&sites[0], &Policy { enabled: false, reason, ..quick() }).await;
            rooms.rule(&sites[1], &with_login()).await;
        }
        sites
    });
    let end = prop_oneof![
        3 => Just(End::Posting),
        1 => Just(End::Again),
        1 => Just(End::Nothing),
        2 => prop::sample::select(vec![400_u16, 403, 404, 410, 429, 500, 503]).prop_map(End::Status),
        1 => Just(End::Forbidden),
        1 => Just(End::TooLate),
        1 => Just(End::SwitchedOff),
        1 => Just(End::RobotsSayNo),
        1 => Just(End::NoLogin),
    ];
    let mut runner = TestRunner::new(Config { cases: 160, failure_persistence: None, ..Config::default() });
    runner
        .run(&(end, any::<bool>(), "[a-z0-9]{1,12}", "[a-z]{12,20}"), |(end, by_proxy, path, secret)| {
            // A site sees the only proxy once in half a minute, and these go there more often.
            let by_proxy = by_proxy && !matches!(end, End::Again | End::Forbidden);
            let rooms = if by_proxy { &proxied } else { &direct };
            runtime.block_on(async {
                let fresh = JobSite::start("127.0.0.1").await;
                let site = match end {
                    End::SwitchedOff => &off,
                    End::NoLogin => &locked,
                    _ => &fresh,
                };
                let (bare, query) = (format!("/jobs/{path}"), format!("/jobs/{path}?token={secret}"));
                match end {
                    End::Posting | End::Again => site.posts(&query, "Lock keeper"),
                    End::Status(status) => site.answers(&query, status, &[], "no"),
                    _ => {
                        site.answers(&query, 200, &[("content-type", "text/html")], "<p>We like rivers.</p>");
                    }
                }
                let (mut url, mut logged) = (site.url(&query), site.url(&bare));
                if end == End::RobotsSayNo {
                    site.answers("/robots.txt", 200, &[], "user-agent: *\ndisallow: /");
                }
                if end == End::Forbidden {
                    (url, logged) = (format!("http://localhost{query}"), format!("http://localhost{bare}"));
                }
                if end == End::Again {
                    rooms.submit(&url).await;
                    rooms.work().await;
                    kept.take();
                }
                let (request, id) = rooms.submit(&url).await;
                if end == End::TooLate {
                    rooms.let_it_expire(id).await;
                } else {
                    rooms.work().await;
                }
                let log = kept.take();
                let way = end.way(by_proxy);
                check(&log, &request, (end, way), &logged, &site.address.to_string(), &secret)
            })
        })
        .unwrap();
    assert!(proxy.asked().len() > 20, "only {} went by the proxy", proxy.asked().len());
}

/// Its pages want a login, and there is no backend to ask for one.
fn with_login() -> Policy {
    let name = Some("x-login".to_owned());
    let credential = CredentialUse { provider: "board".into(), how: How::Header, name, prefix: None };
    Policy { credential: Some(credential), ..quick() }
}

fn check(
    log: &str,
    request: &str,
    (end, way): (End, &str),
    url: &str,
    site: &str,
    secret: &str,
) -> Result<(), TestCaseError> {
    let lines: Vec<Value> = log
        .lines()
        .map(|line| {
            serde_json::from_str(line).map_err(|error| TestCaseError::fail(format!("{error}: {line}")))
        })
        .collect::<Result<_, _>>()?;
    prop_assert!(!lines.is_empty());
    for line in &lines {
        let fields = line.as_object().expect("an object");
        prop_assert!(fields.contains_key("request_id"), "{}", line);
        prop_assert!(line["level"].is_string(), "{}", line);
        prop_assert!(
            line["timestamp"].as_str().is_some_and(|at| at.parse::<jiff::Timestamp>().is_ok()),
            "{}",
            line
        );
    }
    prop_assert!(!log.contains(secret), "a query was logged: {}", log);
    prop_assert!(!log.contains("proxy-password"), "a proxy's login was logged: {}", log);
    let ended: Vec<&Value> = lines
        .iter()
        .filter(|line| {
            ["a task failed", "a task was completed"].contains(&line["message"].as_str().unwrap_or_default())
        })
        .collect();
    prop_assert_eq!(ended.len(), 1, "each task ends once: {}", log);
    let line = ended[0];
    prop_assert_eq!(&line["request_id"], request, "it says whose it was: {}", line);
    if matches!(end, End::Posting | End::Again) {
        prop_assert_eq!(&line["message"], "a task was completed");
        prop_assert_eq!(&line["target_domain"], site);
        prop_assert!(line["duration_ms"].as_i64().is_some_and(|took| took >= 0), "{}", line);
        prop_assert!(line["fields_extracted"].as_u64().is_some_and(|fields| fields > 3), "{}", line);
    } else {
        prop_assert_eq!(&line["message"], "a task failed");
        prop_assert_eq!(&line["target_url"], url);
        prop_assert_eq!(&line["proxy_used"], way, "{:?}: {}", end, line);
        prop_assert!(line["error_reason"].as_str().is_some_and(|why| !why.is_empty()), "{}", line);
    }
    Ok(())
}

/// A page that takes longer than a minute is given up; whoever still works on it comes too late.
#[tokio::test]
async fn a_page_that_is_not_done_in_time_fails() {
    let rooms = Rooms::new().await;
    let (_, id) = rooms.submit("https://example.com/1").await;
    let conn = rooms.db.pool.conn().await.unwrap();
    let now = Clock::System.now();
    use shared::domain::task::{Stage, TaskStatus};
    use shared::store::tasks::{self, Ending};
    let plan = tasks::wanted(&*conn, id, 1, Stage::Fetch, now).await.unwrap().now().unwrap();
    let lease = now + SignedDuration::from_secs(58);
    let visit = tasks::claim(&*conn, plan, Stage::Fetch, Uuid::new_v4(), now, lease).await.unwrap().unwrap();
    conn.execute("update tasks set started_at = now() - interval '50 seconds'", &[]).await.unwrap();
    dispatcher::sweep(&rooms.dispatcher).await.unwrap();
    assert_eq!(tasks::find(&*conn, id).await.unwrap().unwrap().status, TaskStatus::Processing);
    rooms.let_it_expire(id).await;
    let task = tasks::find(&*conn, id).await.unwrap().unwrap();
    assert_eq!((task.status, task.error_code.as_deref()), (TaskStatus::Failed, Some("task_timeout")));
    assert_eq!(task.error.as_deref(), Some("Task execution timed out"));
    let (ending, now) = (Ending::default(), Clock::System.now());
    let late = tasks::finish(&*conn, &visit, TaskStatus::Success, Stage::Save, &ending, now).await;
    assert!(!late.unwrap(), "its fence is worth nothing");
}

/// A house that is behind: a page that waits longer than a message should is still in the line, and a new message would
/// only go to its end.
#[tokio::test]
async fn a_page_in_a_long_line_keeps_its_place() {
    let rooms = Rooms::new().await;
    let site = JobSite::start("127.0.0.1").await;
    site.posts("/jobs/1", "Ferry hand");
    let (_, id) = rooms.submit(&site.url("/jobs/1")).await;
    let held = rooms.crawl.receive(1, Duration::ZERO).await.unwrap().pop().unwrap();
    crawler::crawl(&rooms.crawler, serde_json::from_str(&held.body).unwrap()).await.unwrap();
    let conn = rooms.db.pool.conn().await.unwrap();
    let number = async || {
        let row = "select release_no from tasks where id = $1 and stage = 'extract'";
        conn.query_one(row, &[&id.0]).await.unwrap().get::<_, i32>(0)
    };
    let before = number().await;
    conn.execute("update tasks set released_at = now() - interval '40 seconds'", &[]).await.unwrap();
    dispatcher::sweep(&rooms.dispatcher).await.unwrap();
    assert_eq!(number().await, before, "its message is in the queue");
    conn.execute("delete from queue_messages where queue = 'extract'", &[]).await.unwrap();
    dispatcher::sweep(&rooms.dispatcher).await.unwrap();
    assert_eq!(number().await, before + 1, "now it is lost");
    rooms.work().await;
    let ended = shared::store::tasks::find(&*conn, id).await.unwrap().unwrap();
    assert_eq!(ended.status, shared::domain::task::TaskStatus::Success);
}

/// A redirect, a retry and a browser each wait for a slot of their own, on a slow site longer than a task may run.
#[tokio::test]
async fn waiting_for_a_slot_is_not_taking_too_long() {
    let rooms = Rooms::new().await;
    let (_, id) = rooms.submit("https://example.com/1").await;
    let conn = rooms.db.pool.conn().await.unwrap();
    let now = Clock::System.now();
    use shared::domain::task::{Stage, TaskStatus};
    use shared::store::tasks;
    let plan = tasks::wanted(&*conn, id, 1, Stage::Fetch, now).await.unwrap().now().unwrap();
    let (began, lease) = (now - SignedDuration::from_secs(61), now - SignedDuration::from_secs(3));
    let visit =
        tasks::claim(&*conn, plan, Stage::Fetch, Uuid::new_v4(), began, lease).await.unwrap().unwrap();
    tasks::retry(&*conn, &visit, now + SignedDuration::from_mins(2), "proxy_failed", "no way").await.unwrap();
    dispatcher::sweep(&rooms.dispatcher).await.unwrap();
    let task = tasks::find(&*conn, id).await.unwrap().unwrap();
    assert_eq!((task.status, task.error_code.as_deref()), (TaskStatus::Pending, Some("proxy_failed")));
}
