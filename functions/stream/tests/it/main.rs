//! A call that waits, as its caller meets it.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, also in its helpers")]

use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use fixture::TestDb;
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::ids::TaskId;
use shared::domain::task::{Stage, TaskStatus};
use shared::egress::Permission;
use shared::gate::{Gate, PgGate};
use shared::queue::{PgQueue, Queue};
use shared::scrape::intake::Intake;
use shared::scrape::wait::Waiter;
use shared::store::Pool;
use shared::store::tasks::{self, Ending};
use shared::tokens::Callers;
use stream::Stream;
use tower::ServiceExt;
use uuid::Uuid;

const KEY: &str = "a-service-key-for-tests";

struct Bench {
    db: TestDb,
    router: Router,
}

impl Bench {
    async fn new() -> Bench {
        let db = TestDb::new().await;
        let queue = PgQueue::new(db.pool.clone(), Clock::System, "crawl", Duration::from_secs(15), 100);
        let stream = Stream {
            intake: Intake {
                db: db.pool.clone(),
                crawl: Queue::Postgres(queue),
                clock: Clock::System,
                max_pending: 500,
                callbacks: Permission::public_only(),
                default_webhook_url: None,
            },
            waiter: Waiter::new(db.pool.clone()),
            gate: Gate::Postgres(PgGate::new(db.pool.clone())),
            callers: Callers::new(&[KEY.into()], "a-signing-key-for-tests".into()).unwrap(),
        };
        Bench { router: stream::router(stream), db }
    }

    async fn call(&self, key: Option<&str>, body: &Value) -> (StatusCode, Value) {
        let mut request = Request::post("/api/v1/scrape/sync").header("x-service-key", KEY);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let request = request.body(Body::from(body.to_string())).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = to_bytes(response.into_body(), 1024 * 1024).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap())
    }
}

fn page(number: usize, timeout: u64) -> Value {
    json!({ "target_type": "job_posting", "target_url": format!("https://example.com/{number}"), "workspace_id": "w",
        "timeout_seconds": timeout })
}

/// The task that was made for a page, as soon as it is there.
async fn made(db: &Pool, number: usize) -> TaskId {
    let url = format!("https://example.com/{number}");
    loop {
        let conn = db.conn().await.unwrap();
        if let Some(row) = conn.query_opt("select id from tasks where url = $1", &[&url]).await.unwrap() {
            return TaskId(row.get(0));
        }
        drop(conn);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn end(db: &Pool, id: TaskId, error: Option<&str>) {
    let (conn, now) = (db.conn().await.unwrap(), Clock::System.now());
    let lease = now + SignedDuration::from_secs(50);
    // The api may be about to release it, under a new number.
    let visit = loop {
        let task = tasks::find(&*conn, id).await.unwrap().unwrap();
        let plan = tasks::wanted(&*conn, id, task.release_no, Stage::Fetch, now).await.unwrap().now();
        let Some(plan) = plan else { continue };
        if let Some(visit) =
            tasks::claim(&*conn, plan, Stage::Fetch, Uuid::new_v4(), now, lease).await.unwrap()
        {
            break visit;
        }
    };
    let (status, ending) = match error {
        Some(code) => (
            TaskStatus::Failed,
            Ending { error: Some((code.to_owned(), "no".to_owned())), ..Ending::default() },
        ),
        None => {
            (TaskStatus::Success, Ending { result: Some(json!({ "job_title": id })), ..Ending::default() })
        }
    };
    assert!(tasks::finish(&*conn, &visit, status, Stage::Save, &ending, now).await.unwrap());
}

#[tokio::test]
async fn a_caller_gets_what_became_of_its_page() {
    let bench = Bench::new().await;
    let worker = async {
        let id = made(&bench.db.pool, 1).await;
        end(&bench.db.pool, id, None).await;
        id
    };
    let request = page(1, 60);
    let ((status, answer), id) = tokio::join!(bench.call(None, &request), worker);
    assert_eq!((status, &answer["data"]["status"]), (StatusCode::OK, &json!("completed")), "{answer}");
    assert_eq!(answer["data"]["result"], json!({ "job_title": id }));
}

/// The site's own answer is a result; what is ours to answer for has a status of its own.
#[tokio::test]
async fn a_failure_is_told_by_whose_it_is() {
    let bench = Bench::new().await;
    let cases = [
        ("http_404", 200, "ScraperError"),
        ("circuit_open", 503, "CircuitOpenError"),
        ("pool_exhausted", 503, "PoolExhaustedError"),
        ("no_healthy_proxies", 503, "NoHealthyProxiesError"),
        ("credential_not_found", 502, "CredentialNotFoundError"),
        ("task_timeout", 504, "TaskTimeoutError"),
    ];
    for (number, (code, expected, class)) in cases.into_iter().enumerate() {
        let worker = async {
            let id = made(&bench.db.pool, number).await;
            end(&bench.db.pool, id, Some(code)).await;
            id
        };
        let request = page(number, 60);
        let ((status, answer), id) = tokio::join!(bench.call(None, &request), worker);
        assert_eq!((status.as_u16(), &answer["meta"]["code"]), (expected, &json!(code)), "{answer}");
        if expected == 200 {
            assert_eq!(
                (&answer["data"]["status"], &answer["data"]["error"]),
                (&json!("failed"), &json!("no"))
            );
        } else {
            assert_eq!((&answer["meta"]["type"], &answer["meta"]["task_id"]), (&json!(class), &json!(id)));
        }
    }
}

#[tokio::test]
async fn when_time_is_out_the_task_goes_on() {
    let bench = Bench::new().await;
    let (status, answer) = bench.call(Some("again"), &page(1, 5)).await;
    assert_eq!((status, &answer["error"]), (StatusCode::GATEWAY_TIMEOUT, &json!("Task execution timed out")));
    let id: TaskId = answer["meta"]["task_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(made(&bench.db.pool, 1).await, id);
    end(&bench.db.pool, id, None).await;
    // Asked again under the same key, it is the same task, and it is there at once.
    let (status, answer) = bench.call(Some("again"), &page(1, 5)).await;
    assert_eq!((status, &answer["data"]["task_id"]), (StatusCode::OK, &json!(id)));
    let (status, answer) = bench.call(Some("again"), &page(2, 5)).await;
    assert_eq!((status.as_u16(), &answer["meta"]["code"]), (422, &json!("idempotency_key_reused")));
    // And with max_age nobody waits at all.
    let mut aged = page(1, 5);
    aged["max_age"] = json!(60);
    let (status, answer) = bench.call(None, &aged).await;
    assert_eq!((status, &answer["meta"]["answered_from"]), (StatusCode::OK, &json!("max_age")), "{answer}");
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let bench = Bench::new().await;
    for (seconds, good) in [(4, false), (121, false)] {
        let (status, answer) = bench.call(None, &page(1, seconds)).await;
        assert_eq!(status == StatusCode::UNPROCESSABLE_ENTITY, !good);
        assert_eq!(answer["meta"]["errors"][0]["field"], "timeout_seconds");
    }
    let request = Request::post("/api/v1/scrape/sync").body(Body::from(page(1, 5).to_string())).unwrap();
    assert_eq!(bench.router.clone().oneshot(request).await.unwrap().status(), StatusCode::UNAUTHORIZED);
}

/// Two hundred callers cost no more questions than one: each look is one query for all of them.
#[tokio::test]
async fn many_who_wait_ask_with_one_voice() {
    let db = TestDb::new().await;
    let waiter = Waiter::new(db.pool.clone());
    let conn = db.pool.conn().await.unwrap();
    let mut ids = Vec::new();
    for number in 0..200 {
        let task = fixture::page_task(&format!("https://example.com/{number}"));
        tasks::insert(&*conn, &task, Clock::System.now()).await.unwrap();
        ids.push(task.id);
    }
    let mut callers = tokio::task::JoinSet::new();
    for id in &ids {
        let (waiter, id) = (waiter.clone(), *id);
        callers.spawn(async move { waiter.ended(id, Duration::from_secs(60)).await });
    }
    // Between two looks there is a pause of 50 ms at least, however many wait.
    let since = Instant::now();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let most = u64::try_from(since.elapsed().as_millis()).unwrap() / 50 + 3;
    assert!(waiter.looks() <= most, "{} looks, {most} at most", waiter.looks());
    conn.execute("update tasks set status = 'success', ended_at = created_at", &[]).await.unwrap();
    assert!(callers.join_all().await.into_iter().all(|ended| ended));
    assert!(
        !waiter.ended(TaskId(Uuid::new_v4()), Duration::from_millis(120)).await,
        "a task that never ends"
    );
}

#[test]
fn the_description_names_exactly_the_routes_of_the_table() {
    let document = stream::document();
    let paths = document["paths"].as_object().unwrap();
    let described: Vec<_> = paths
        .iter()
        .flat_map(|(path, item)| {
            item.as_object().unwrap().keys().map(move |method| (method.to_uppercase(), path.clone()))
        })
        .collect();
    let table: Vec<_> =
        stream::routes().iter().map(|route| (route.method.to_string(), route.path.to_owned())).collect();
    assert_eq!(described, table);
}
