//! The laws of the scrape service, each over a hundred cases and more, on the real router and a real database.

use std::collections::HashSet;

use api::Ways;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Map, Value, json};
use shared::domain::ids::TaskId;
use shared::domain::readiness::RouteHealth;
use shared::domain::target::TargetType;
use shared::domain::task::TaskStatus;
use shared::store::renderers::{self, Report};
use shared::store::tasks;
use uuid::Uuid;

use crate::bench::{Bench, KEY};
use crate::work::{Reach, result_of, target};

const CASES: u32 = 120;

/// Runs a law over many cases, all on one database.
#[expect(clippy::needless_pass_by_value, reason = "a law is written where it is called")]
fn law<T: std::fmt::Debug>(
    cases: impl Strategy<Value = T>,
    holds: impl AsyncFn(&Bench, T) -> Result<(), TestCaseError>,
) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut bench = runtime.block_on(Bench::new());
    // Room for whatever a case makes.
    bench.api.max_pending = 1_000_000;
    bench.router = api::router(bench.api.clone());
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    runner.run(&cases, |case| runtime.block_on(holds(&bench, case))).unwrap();
}

// ------------------------------------------------------------------ requests

/// A request that every rule accepts.
fn good_request() -> impl Strategy<Value = Map<String, Value>> {
    let kind = prop::sample::select(TargetType::ALL);
    let url =
        "https?://[a-z]{1,12}\\.(com|org|co\\.uk)(:8080)?/[a-z0-9/_.-]{0,30}(\\?[a-z]{1,5}=[a-z0-9]{0,8})?";
    let workspace = "[a-zA-Z0-9_-]{1,36}";
    let picks = prop::collection::vec(any::<prop::sample::Index>(), 1..5);
    let callback = "https://[a-z]{1,10}\\.(com|org)/[a-z0-9/]{0,20}";
    let optional = (prop::option::of(picks), prop::option::of(callback), prop::option::of(0..=2_592_000_i64));
    (kind, url, workspace, optional).prop_map(|(kind, url, workspace, (picks, callback, max_age))| {
        let mut request = Map::new();
        request.insert("target_type".into(), json!(kind.word()));
        request.insert("target_url".into(), json!(url));
        request.insert("workspace_id".into(), json!(workspace));
        let name = |pick: &prop::sample::Index| json!(kind.fields()[pick.index(kind.fields().len())]);
        let fields = picks.map(|picks| picks.iter().map(name).collect::<Vec<_>>());
        let optional = [
            ("requested_fields", json!(fields)),
            ("callback_url", json!(callback)),
            ("max_age", json!(max_age)),
        ];
        request.extend(
            optional
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.into(), value)),
        );
        request
    })
}

/// One way to spoil a good request: the field that must be named, and the value it gets; none takes it away.
fn harm() -> impl Strategy<Value = (&'static str, &'static str, Option<Value>)> {
    let required = prop::sample::select(vec!["target_type", "target_url", "workspace_id"]);
    let every = prop::sample::select(vec![
        "target_type",
        "target_url",
        "workspace_id",
        "requested_fields",
        "callback_url",
        "max_age",
    ]);
    let no_type = prop_oneof![Just(json!(true)), Just(json!({})), Just(json!(1.5)), Just(json!([[]]))];
    let unknown = "[a-z]{3,12}x".prop_map(|word| json!([word]));
    prop_oneof![
        required.clone().prop_map(|field| (field, field, None)),
        required.prop_map(|field| (field, field, Some(json!("  ")))),
        (every, no_type).prop_map(|(field, value)| {
            let named =
                if field == "requested_fields" && value.is_array() { "requested_fields[0]" } else { field };
            (named, field, Some(value))
        }),
        "[a-z]{1,9}x".prop_map(|word| ("target_type", "target_type", Some(json!(word)))),
        "(ftp|file|gopher|data)://[a-z]{1,9}/".prop_map(|url| ("target_url", "target_url", Some(json!(url)))),
        "[a-z ]{1,20}".prop_map(|text| ("target_url", "target_url", Some(json!(text)))),
        unknown.prop_map(|list| ("requested_fields[0]", "requested_fields", Some(list))),
        (-1_000_000..0_i64).prop_map(|age| ("max_age", "max_age", Some(json!(age)))),
        "http://[a-z]{1,9}\\.com/".prop_map(|url| ("callback_url", "callback_url", Some(json!(url)))),
        "https://(127\\.0\\.0\\.[0-9]|10\\.[0-9]\\.0\\.1|localhost)/".prop_map(|url| (
            "callback_url",
            "callback_url",
            Some(json!(url))
        )),
        Just(("colour", "colour", Some(json!("red")))),
    ]
}

fn spoiled(mut request: Map<String, Value>, field: &str, value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(value) => drop(request.insert(field.to_owned(), value)),
        None => drop(request.remove(field)),
    }
    request
}

// ------------------------------------------------------------------ answers

/// Any method, path, key and body whose answer is the envelope's to give. Most come as their route takes them,
/// or few would get past the door.
fn any_call() -> impl Strategy<Value = (Method, String, bool, String)> {
    let methods = vec![Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::PATCH];
    let id = prop_oneof![
        Just(Uuid::nil().to_string()),
        "[0-9a-f-]{0,36}",
        "[a-zA-Z0-9._~-]{1,9}",
        Just("%FF".to_owned()),
        Just("batch".to_owned()),
    ];
    let route = prop_oneof![
        Just((Method::POST, "/api/v1/scrape".to_owned())),
        Just((Method::POST, "/api/v1/scrape/batch".to_owned())),
        Just((Method::GET, "/health".to_owned())),
        Just((Method::GET, "/readiness".to_owned())),
        id.clone().prop_map(|id| (Method::GET, format!("/api/v1/scrape/{id}"))),
        id.clone().prop_map(|id| (Method::GET, format!("/api/v1/scrape/jobs/{id}"))),
        (id.clone(), "(\\?limit=[0-9]{0,3}(&cursor=[a-z]{0,3})?)?")
            .prop_map(|(id, query)| (Method::GET, format!("/api/v1/scrape/jobs/{id}/results{query}"))),
        id.clone().prop_map(|id| (Method::POST, format!("/api/v1/scrape/jobs/{id}/cancel"))),
        "/api/v1/[a-z/%]{0,12}".prop_map(|path| (Method::GET, path.replace('%', "%25"))),
    ];
    let good = || good_request().prop_map(Value::Object);
    let body = prop_oneof![
        good().prop_map(|body| body.to_string()),
        prop::collection::vec(good(), 0..4).prop_map(|targets| json!({ "targets": targets }).to_string()),
        "\\PC{0,40}",
        Just("x".repeat(600_000)),
        Just(String::new()),
    ];
    let other = prop::option::weighted(0.3, prop::sample::select(methods));
    (route, other, prop::bool::weighted(0.8), body, prop::bool::weighted(0.7)).prop_map(
        |((method, path), other, keyed, body, apt)| {
            let takes_none = method == Method::GET || path.ends_with("/cancel");
            let body = if apt && takes_none { String::new() } else { body };
            (other.unwrap_or(method), path, keyed, body)
        },
    )
}

#[test]
fn property_01_every_answer_is_the_envelope() {
    // The same doors with nothing behind them: every look at the rows is a fault of ours.
    let broken = tokio::sync::OnceCell::new();
    let (answered, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    law((any_call(), prop::bool::weighted(0.2)), async |bench, ((method, path, keyed, body), hollow)| {
        let bench = if hollow { broken.get_or_init(hollow_bench).await } else { bench };
        let mut request = Request::builder().method(method.clone()).uri(&path);
        if keyed {
            request = request.header("x-service-key", KEY);
        }
        let answer = bench.call(request.body(Body::from(body)).unwrap()).await;
        let json: Value = serde_json::from_str(&answer.text)
            .map_err(|error| TestCaseError::fail(format!("{method} {path}: {error}: {}", answer.text)))?;
        let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
        prop_assert_eq!(keys, ["data", "error", "meta", "success"]);
        let failed = answer.status.as_u16() >= 400;
        let counted = if failed { &refused } else { &answered };
        counted.set(counted.get() + 1);
        prop_assert_eq!(&json["success"], &json!(!failed), "{} {}: {}", method, path, answer.text);
        prop_assert_eq!(json["error"].is_string(), failed);
        prop_assert_eq!(json["data"].is_null(), failed);
        prop_assert!(json["meta"].is_null() || json["meta"].is_object());
        if answer.status == StatusCode::INTERNAL_SERVER_ERROR {
            prop_assert_eq!(&json["error"], "Internal server error", "no internals: {}", answer.text);
        }
        Ok(())
    });
    assert!(answered.get() > 5 && refused.get() > 40, "{} and {}", answered.get(), refused.get());
}

async fn hollow_bench() -> Bench {
    let bench = Bench::new().await;
    let conn = bench.db.pool.conn().await.unwrap();
    conn.batch_execute("drop table tasks, batches cascade").await.unwrap();
    drop(conn);
    let answer = bench.submit("https://example.com/1").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "it is broken: {}", answer.text);
    bench
}

#[test]
fn property_02_ready_means_a_browser_and_a_way_out() {
    let reports = prop::collection::vec((0..4_i32, 0..5_i32, 0..240_i64), 0..4);
    let routes = prop::collection::vec(any::<bool>(), 0..5);
    law((reports, routes), async |bench, (reports, routes)| {
        bench.clear().await;
        let conn = bench.db.pool.conn().await.unwrap();
        let (mut recent, mut available) = (0, 0);
        for (free, busy, age) in reports {
            let said = Report { total: free + busy, available: free, in_use: busy, ..Report::default() };
            let at = bench.clock.now() - SignedDuration::from_secs(age);
            renderers::report(&*conn, Uuid::new_v4(), said, at).await.unwrap();
            if age < 120 {
                (recent, available) = (recent + 1, available + free);
            }
        }
        let health = |(index, is_healthy)| RouteHealth { index, is_healthy, ..RouteHealth::direct() };
        let api = api::Api {
            ways: Ways::Known(routes.iter().copied().enumerate().map(health).collect()),
            ..bench.api.clone()
        };
        let answer =
            bench.call_on(api::router(api), Request::get("/readiness").body(Body::empty()).unwrap()).await;
        // Nobody has reported: a browser is started when it is needed.
        let browser = recent == 0 || available > 0;
        let ready = browser && routes.contains(&true);
        let expected = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        prop_assert_eq!(answer.status, expected, "{}", answer.text);
        Ok(())
    });
}

#[test]
fn property_03_every_answer_has_an_id_of_its_own() {
    let seen = std::cell::RefCell::new(HashSet::new());
    law(prop::collection::vec(any_call(), 1..4), async |bench, calls| {
        for (method, path, keyed, body) in calls {
            let mut request = Request::builder().method(method).uri(&path);
            if keyed {
                request =
                    request.header("x-service-key", KEY).header("x-request-id", Uuid::nil().to_string());
            }
            let answer = bench.call(request.body(Body::from(body)).unwrap()).await;
            let id = answer.headers.get("x-request-id").expect("an id").to_str().unwrap();
            let id: Uuid = id.parse().map_err(|_| TestCaseError::fail(format!("{id} is no UUID")))?;
            prop_assert!(seen.borrow_mut().insert(id), "{} was given twice", id);
        }
        Ok(())
    });
}

#[test]
fn property_04_a_service_gets_in_with_its_key_and_only_with_it() {
    // By their paths, not by what the table says of them: a route left open by mistake must show here.
    let services: Vec<_> = api::routes()
        .into_iter()
        .filter(|route| route.path.starts_with("/api/v1/"))
        .map(|route| (route.method, route.path))
        .collect();
    let key = prop_oneof![
        2 => Just(Some(KEY.to_owned())),
        1 => Just(None),
        2 => "[ -~]{0,40}".prop_map(Some),
        2 => (0..KEY.len()).prop_map(|end| Some(KEY[..end].to_owned())),
        1 => "[a-z0-9]{1,5}".prop_map(|more| Some(format!("{KEY}{more}"))),
        1 => Just(Some(KEY.to_uppercase())),
    ];
    law((prop::sample::select(services), key), async |bench, ((method, path), key)| {
        let path = path.replace("{task_id}", "x").replace("{job_id}", "x");
        let mut request = Request::builder().method(method).uri(&path);
        if let Some(key) = &key {
            request = request.header("x-service-key", key);
        }
        let answer = bench.call(request.body(Body::empty()).unwrap()).await;
        let ours = key.as_deref() == Some(KEY);
        prop_assert_eq!(answer.status != StatusCode::UNAUTHORIZED, ours, "{:?} at {}", key, path);
        if !ours {
            prop_assert_eq!(&answer.json()["error"], "Invalid or missing service key");
        }
        Ok(())
    });
}

#[test]
fn property_05_what_is_wrong_is_named() {
    let batch = prop::option::of((1..6_usize, any::<prop::sample::Index>()));
    law((good_request(), harm(), batch), async |bench, (request, (named, field, value), batch)| {
        let before = bench.rows().await;
        let bad = Value::Object(spoiled(request.clone(), field, value));
        let (path, body, named) = match batch {
            None => ("/api/v1/scrape", bad, named.to_owned()),
            Some((size, place)) => {
                let mut targets = vec![Value::Object(request); size];
                let place = place.index(size);
                targets[place] = bad;
                ("/api/v1/scrape/batch", json!({ "targets": targets }), format!("targets[{place}].{named}"))
            }
        };
        let answer = bench.post(path, body.to_string()).await;
        prop_assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}: {}", body, answer.text);
        let json = answer.json();
        let errors = json["meta"]["errors"].as_array().unwrap();
        prop_assert!(errors.iter().all(|error| error["field"].is_string() && error["message"].is_string()));
        prop_assert!(
            errors.iter().any(|error| error["field"] == named.as_str()),
            "{}: {}",
            named,
            answer.text
        );
        prop_assert_eq!(bench.rows().await, before, "a request that is refused leaves nothing");
        Ok(())
    });
}

#[test]
fn property_06_a_task_that_is_taken_is_queued() {
    law(good_request(), async |bench, request| {
        let answer = bench.post("/api/v1/scrape", Value::Object(request.clone()).to_string()).await;
        prop_assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
        let json = answer.json();
        prop_assert_eq!(&json["data"]["status"], "queued");
        let id: Result<TaskId, _> = json["data"]["task_id"].as_str().unwrap().parse();
        let conn = bench.db.pool.conn().await.unwrap();
        let task = tasks::find(&*conn, id.unwrap()).await.unwrap().expect("the row");
        prop_assert_eq!((task.status, json!(task.url)), (TaskStatus::Pending, request["target_url"].clone()));
        Ok(())
    });
}

// ------------------------------------------------------------------ tasks and jobs

fn any_reach() -> impl Strategy<Value = Reach> {
    prop::sample::select(Reach::ALL.to_vec())
}

#[test]
fn property_07_status_shows_the_row() {
    law(prop::collection::vec(any_reach(), 1..6), async |bench, reaches| {
        bench.clear().await;
        for (number, reach) in reaches.into_iter().enumerate() {
            let made = bench.post("/api/v1/scrape", target(number).to_string()).await.json();
            let id: TaskId = made["data"]["task_id"].as_str().unwrap().parse().unwrap();
            bench.bring(id, reach).await;
            let shown = bench.get(&format!("/api/v1/scrape/{id}")).await.json();
            prop_assert_eq!(&shown["data"]["status"], reach.word());
            let result = &shown["data"]["result"];
            prop_assert_eq!(!result.is_null(), reach == Reach::Completed, "{}", shown);
            prop_assert_eq!(shown["data"]["error"].is_string(), reach == Reach::Failed);
            if reach == Reach::Completed {
                prop_assert_eq!(result, &result_of(id));
            }
        }
        Ok(())
    });
}

#[test]
fn property_08_a_batch_makes_one_task_per_target() {
    // Small numbers repeat: the same page twice is two tasks.
    let numbers = prop_oneof![Just(100_usize), 4..30_usize]
        .prop_flat_map(|most| prop::collection::vec(0..most, 1..=100));
    law(numbers, async |bench, numbers| {
        bench.clear().await;
        let (size, targets) = (numbers.len(), numbers.into_iter().map(target).collect::<Vec<Value>>());
        let answer = bench.post("/api/v1/scrape/batch", json!({ "targets": targets }).to_string()).await;
        prop_assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
        let data = &answer.json()["data"];
        let id: Uuid = data["job_id"].as_str().unwrap().parse().expect("a UUID");
        prop_assert_eq!(&data["total_tasks"], &json!(size));
        let conn = bench.db.pool.conn().await.unwrap();
        let urls = conn.query("select url from tasks where batch_id = $1 order by id", &[&id]).await.unwrap();
        let urls: Vec<Value> = urls.iter().map(|row| json!(row.get::<_, &str>(0))).collect();
        let wanted: Vec<Value> = targets.iter().map(|target| target["target_url"].clone()).collect();
        prop_assert_eq!(urls, wanted, "each target once, in their order");
        let job = bench.get(&format!("/api/v1/scrape/jobs/{id}")).await.json();
        prop_assert_eq!(&job["data"]["total_tasks"], &json!(size));
        prop_assert_eq!(&job["data"]["status"], "queued");
        Ok(())
    });
}

/// Property 9 itself is beside `Counts::status`; here the same rule is seen through the door.
#[test]
fn property_09_the_status_of_a_job_is_seen_through_the_door() {
    law((prop::collection::vec(any::<bool>(), 1..12), any::<bool>()), async |bench, (ends, alone)| {
        bench.clear().await;
        let (id, tasks, ends) = if alone {
            let made = bench.post("/api/v1/scrape", target(0).to_string()).await.json();
            let id: TaskId = made["data"]["task_id"].as_str().unwrap().parse().unwrap();
            (id.0, vec![id], ends[..1].to_vec())
        } else {
            let (id, tasks) = bench.job(&(0..ends.len()).map(target).collect::<Vec<_>>()).await;
            (id, tasks, ends)
        };
        for (task, well) in tasks.iter().zip(&ends) {
            bench.bring(*task, if *well { Reach::Completed } else { Reach::Failed }).await;
        }
        let job = bench.get(&format!("/api/v1/scrape/jobs/{id}")).await.json();
        let expected = match (ends.contains(&true), ends.contains(&false)) {
            (true, false) => "completed",
            (false, _) => "failed",
            (true, true) => "partially_completed",
        };
        prop_assert_eq!(&job["data"]["status"], expected, "{}", job);
        Ok(())
    });
}

#[test]
fn property_10_results_are_the_completed_tasks() {
    law((prop::collection::vec(any_reach(), 1..14), 1..7_usize), async |bench, (reaches, limit)| {
        bench.clear().await;
        let (id, tasks) = bench.job(&(0..reaches.len()).map(target).collect::<Vec<_>>()).await;
        for (task, reach) in tasks.iter().zip(&reaches) {
            bench.bring(*task, *reach).await;
        }
        let job = bench.get(&format!("/api/v1/scrape/jobs/{id}")).await.json();
        let all = bench.get(&format!("/api/v1/scrape/jobs/{id}/results")).await.json();
        let whole = all["data"]["results"].as_array().unwrap();
        prop_assert_eq!(&job["data"]["completed_tasks"], &json!(whole.len()));
        prop_assert_eq!(&all["meta"]["next_cursor"], &Value::Null);
        let wanted: Vec<Value> = tasks
            .iter()
            .zip(&reaches)
            .filter(|(_, reach)| **reach == Reach::Completed)
            .map(|(id, _)| json!(id))
            .collect();
        let got: Vec<Value> = whole.iter().map(|task| task["task_id"].clone()).collect();
        prop_assert_eq!(&got, &wanted);
        for task in whole {
            prop_assert_eq!(&task["status"], "completed");
            prop_assert_eq!(&task["result"], &result_of(task["task_id"].as_str().unwrap().parse().unwrap()));
        }
        // Page by page it is the same.
        let (mut paged, mut cursor) = (Vec::new(), String::new());
        loop {
            let page =
                bench.get(&format!("/api/v1/scrape/jobs/{id}/results?limit={limit}{cursor}")).await.json();
            let results = page["data"]["results"].as_array().unwrap();
            prop_assert!(results.len() <= limit);
            paged.extend(results.iter().map(|task| task["task_id"].clone()));
            prop_assert!(paged.len() <= wanted.len(), "a page was given twice");
            let Some(next) = page["meta"]["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        prop_assert_eq!(paged, wanted);
        Ok(())
    });
}

#[test]
fn property_11_cancelling_stops_what_waits_and_nothing_else() {
    let open =
        |reaches: &Vec<Reach>| reaches.iter().any(|reach| matches!(reach, Reach::Queued | Reach::Running));
    let jobs = prop::collection::vec(any_reach(), 1..10).prop_filter("a job that is not over", open);
    law((jobs, any::<bool>()), async |bench, (reaches, alone)| {
        bench.clear().await;
        let reaches = if alone {
            reaches
                .into_iter()
                .filter(|reach| matches!(reach, Reach::Queued | Reach::Running))
                .take(1)
                .collect()
        } else {
            reaches
        };
        let (id, tasks) = if alone {
            let made = bench.post("/api/v1/scrape", target(0).to_string()).await.json();
            let id: TaskId = made["data"]["task_id"].as_str().unwrap().parse().unwrap();
            (id.0, vec![id])
        } else {
            bench.job(&(0..reaches.len()).map(target).collect::<Vec<_>>()).await
        };
        let mut visits = Vec::new();
        for (task, reach) in tasks.iter().zip(&reaches) {
            visits.push(bench.bring(*task, *reach).await);
        }
        let path = format!("/api/v1/scrape/jobs/{id}/cancel");
        let cancelled = bench.post(&path, "").await;
        prop_assert_eq!(cancelled.status, StatusCode::OK, "{}", cancelled.text);
        prop_assert_eq!(&cancelled.json()["data"]["status"], "cancelled");
        prop_assert_eq!(
            bench.post(&path, "").await.json()["data"].clone(),
            cancelled.json()["data"].clone(),
            "once is enough"
        );
        for ((task, reach), visit) in tasks.iter().zip(&reaches).zip(&visits) {
            let conn = bench.db.pool.conn().await.unwrap();
            let row = tasks::find(&*conn, *task).await.unwrap().unwrap();
            drop(conn);
            match reach {
                Reach::Queued => {
                    prop_assert_eq!(row.status, TaskStatus::Cancelled);
                    prop_assert!(bench.try_claim(*task).await.is_none(), "nobody can begin it");
                }
                Reach::Running => {
                    prop_assert_eq!(row.status, TaskStatus::Processing);
                    prop_assert!(
                        bench.finish(visit.as_ref().unwrap(), TaskStatus::Success).await,
                        "it ends by itself"
                    );
                }
                Reach::Completed => prop_assert_eq!(row.status, TaskStatus::Success),
                Reach::Failed => prop_assert_eq!(row.status, TaskStatus::Failed),
            }
        }
        let after = bench.get(&format!("/api/v1/scrape/jobs/{id}")).await.json();
        prop_assert_eq!(&after["data"]["status"], "cancelled", "also when the last one has ended");
        Ok(())
    });
}

// ------------------------------------------------------------------ the queue

#[test]
fn property_36_smaller_jobs_go_first_and_single_tasks_before_jobs() {
    let sizes = prop::collection::vec(prop_oneof![Just(0_usize), 1..9_usize], 1..7);
    law(sizes, async |bench, sizes| {
        bench.clear().await;
        let at_one_site = |number: usize| json!({ "target_type": "job_posting", "workspace_id": "w", "target_url": format!("https://one.example.com/{number}") });
        let mut expected = Vec::new();
        for size in sizes {
            if size == 0 {
                let made = bench.post("/api/v1/scrape", at_one_site(0).to_string()).await.json();
                expected.push((0, made["data"]["task_id"].as_str().unwrap().parse::<TaskId>().unwrap()));
            } else {
                let (_, ids) = bench.job(&(0..size).map(at_one_site).collect::<Vec<_>>()).await;
                expected.extend(ids.into_iter().map(|id| (size, id)));
            }
        }
        // All of them at once: none has gone out yet.
        let mut conn = bench.db.pool.conn().await.unwrap();
        conn.execute("update tasks set released_at = null", &[]).await.unwrap();
        expected.sort();
        let site = { tasks::find(&*conn, expected[0].1).await.unwrap().unwrap().site };
        let mut went = Vec::new();
        while went.len() < expected.len() {
            let transaction = conn.transaction().await.unwrap();
            let window = u16::try_from(went.len()).unwrap() + 2;
            let released =
                tasks::release(&transaction, &[(site.as_str(), window)], bench.clock.now()).await.unwrap();
            transaction.commit().await.unwrap();
            prop_assert!(!released.is_empty());
            went.extend(released.into_iter().map(|next| next.id));
        }
        prop_assert_eq!(went, expected.into_iter().map(|(_, id)| id).collect::<Vec<_>>());
        Ok(())
    });
}

/// Something that happens to the queue.
#[derive(Debug, Clone, Copy)]
enum Step {
    One,
    Many(usize),
    Begin,
    /// The page is fetched and waits to be read: nobody holds it.
    HandOn,
    End,
    PutBack,
}

#[test]
fn property_37_the_figures_are_the_queue() {
    let step = prop_oneof![
        2 => Just(Step::One), 1 => (1..5_usize).prop_map(Step::Many), 4 => Just(Step::Begin),
        1 => Just(Step::HandOn), 2 => Just(Step::End), 1 => Just(Step::PutBack),
    ];
    law(prop::collection::vec(step, 1..16), async |bench, steps| {
        bench.clear().await;
        let (mut depth, mut made, mut held) = (0_i64, 0, Vec::new());
        for step in steps {
            match step {
                Step::One => {
                    bench.post("/api/v1/scrape", target(made).to_string()).await;
                    (depth, made) = (depth + 1, made + 1);
                }
                Step::Many(size) => {
                    bench.job(&(made..made + size).map(target).collect::<Vec<_>>()).await;
                    (depth, made) = (depth + size as i64, made + size);
                }
                Step::Begin => {
                    if let Some(job) = bench.delivered().await {
                        held.push(bench.claim(job.task_id).await);
                        depth -= 1;
                    }
                }
                Step::HandOn => {
                    if let Some(visit) = held.pop() {
                        let conn = bench.db.pool.conn().await.unwrap();
                        let done = fixture::fetched(&visit, bench.clock.now());
                        tasks::hand_on(&*conn, &[done]).await.unwrap();
                        drop(conn);
                        bench.release(&visit).await;
                    }
                }
                Step::End => {
                    if let Some(visit) = held.pop() {
                        prop_assert!(bench.finish(&visit, TaskStatus::Success).await);
                        bench.release(&visit).await;
                    }
                }
                Step::PutBack => {
                    if let Some(visit) = held.pop() {
                        let conn = bench.db.pool.conn().await.unwrap();
                        tasks::retry(&*conn, &visit, bench.clock.now(), "timeout", "slow").await.unwrap();
                        depth += 1;
                    }
                }
            }
            let active = held.len() as i64;
            let health = bench.get("/health").await.json();
            prop_assert_eq!(&health["data"]["queue"]["depth"], &json!(depth));
            prop_assert_eq!(&health["data"]["queue"]["active_workers"], &json!(active));
            let metrics = bench.get("/metrics").await.text;
            for line in
                [format!("freshet_waiting_tasks{{}} {depth}"), format!("freshet_active_workers{{}} {active}")]
            {
                prop_assert!(metrics.lines().any(|said| said == line), "{} is not in {}", line, metrics);
            }
        }
        Ok(())
    });
}
