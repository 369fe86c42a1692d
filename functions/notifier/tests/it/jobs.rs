//! Who is told what of a job: the laws, on a real database with a real receiver.

use std::collections::BTreeSet;

use fixture::Receiver;
use futures_util::FutureExt;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use shared::domain::ids::TaskId;
use shared::domain::task::TaskStatus;
use shared::domain::webhook::address;
use shared::notify;
use shared::store::tasks::{self, Wanted};
use tokio::runtime::Runtime;

use crate::bench::{Bench, verifies};

const CASES: u32 = 100;

/// One bench and one receiver for all cases of a property.
fn for_all<S: Strategy>(cases: &S, law: &impl AsyncFn(&Bench, &Receiver, S::Value)) {
    let runtime = Runtime::new().unwrap();
    let (bench, receiver) =
        runtime.block_on(async { (Bench::new().await, Receiver::start("127.0.0.1").await) });
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    runner
        .run(cases, |case| {
            runtime.block_on(law(&bench, &receiver, case));
            Ok(())
        })
        .unwrap();
    runtime.block_on(async move { drop(bench) });
}

/// What came since the last time.
async fn heard(bench: &Bench, receiver: &Receiver, path: &str) -> Vec<fixture::Call> {
    bench.work().await;
    receiver.calls_of(path)
}

/// Property 41: the full results of a job of up to a hundred tasks, one for each; of a larger one the summary
/// alone.
#[test]
fn property_41_results_are_told_up_to_a_hundred_tasks() {
    let sizes = prop_oneof![1_usize..8, 97_usize..104, 1_usize..130];
    for_all(&(sizes, any::<u64>()), &async |bench, receiver, (size, seed)| {
        let path = format!("/{}", uuid::Uuid::new_v4());
        let (batch, ids) = bench.batch(Some(&receiver.url(&path)), &vec![None; size]).await;
        let failed = |at: usize| seed.rotate_right(at as u32 % 64) & 1 == 1;
        let (good, bad): (Vec<_>, Vec<_>) = ids.iter().enumerate().partition(|(at, _)| !failed(*at));
        end_all(bench, good.into_iter().map(|(_, id)| *id).collect(), TaskStatus::Success).await;
        end_all(bench, bad.into_iter().map(|(_, id)| *id).collect(), TaskStatus::Failed).await;
        bench.tell_batch(batch).await;
        let calls = heard(bench, receiver, &path).await;
        assert_eq!(calls.len(), 1);
        let told = calls[0].json();
        assert_eq!(told["summary"]["total"], size);
        if size > 100 {
            assert_eq!(told["results"], Value::Null);
            return;
        }
        let results = told["results"].as_array().unwrap();
        let told: Vec<&str> = results.iter().map(|result| result["task_id"].as_str().unwrap()).collect();
        assert_eq!(told, ids.iter().map(TaskId::to_string).collect::<Vec<_>>(), "each once, in order");
        for (at, result) in results.iter().enumerate() {
            let id = ids[at];
            let expected = match failed(at) {
                false => json!(["completed", { "job_title": format!("Post {id}") }, null, null]),
                true => json!(["failed", null, "the site answered 500", "http_500"]),
            };
            let found = json!([result["status"], result["result"], result["error"], result["code"]]);
            assert_eq!(found, expected);
        }
    });
}

async fn end_all(bench: &Bench, ids: Vec<TaskId>, status: TaskStatus) {
    let conn = bench.db.pool.conn().await.unwrap();
    let sql = "update tasks set status = $2::text::task_status, ended_at = $3,
            result = case when $2 = 'success' then jsonb_build_object('job_title', 'Post ' || id) end,
            error = case when $2 = 'failed' then 'the site answered 500' end,
            error_code = case when $2 = 'failed' then 'http_500' end
        where id = any($1)";
    conn.execute(sql, &[&ids, &status.word(), &bench.clock.now()]).await.unwrap();
}

/// Property 42: a target's own address beats the batch's, which beats the default; each address that is left
/// hears of the job once, and no other does.
#[test]
fn property_42_the_nearest_address_is_told_instead_of_the_others() {
    let own = prop::option::of(0_usize..3);
    let cases = (prop::collection::vec(own, 1..6), any::<bool>(), any::<bool>());
    for_all(&cases, &async |bench, receiver, (targets, has_batch, has_default)| {
        let run = uuid::Uuid::new_v4();
        let url = |name: &str| receiver.url(&format!("/{run}/{name}"));
        let targets: Vec<Option<String>> =
            targets.into_iter().map(|own| own.map(|number| url(&format!("target-{number}")))).collect();
        let (batch_url, default) = (has_batch.then(|| url("batch")), has_default.then(|| url("default")));
        // The default is filled in at the door, where the settings are.
        let at_the_door = address(None, batch_url.as_deref(), default.as_deref());
        let own: Vec<Option<&str>> = targets.iter().map(Option::as_deref).collect();
        let (batch, ids) = bench.batch(at_the_door, &own).await;
        end_all(bench, ids, TaskStatus::Success).await;
        bench.tell_batch(batch).await;
        bench.work().await;
        let heard: Vec<String> = receiver
            .calls()
            .into_iter()
            .map(|call| receiver.url(&call.path))
            .filter(|at| at.contains(&run.to_string()))
            .collect();
        let told: BTreeSet<String> = heard.iter().cloned().collect();
        assert_eq!(heard.len(), told.len(), "each once");
        let mut expected = BTreeSet::new();
        for target in &targets {
            let nearest = match (target, &batch_url, &default) {
                (Some(own), ..) => own,
                (None, Some(batch), _) => batch,
                (None, None, Some(default)) => default,
                (None, None, None) => continue,
            };
            expected.insert(nearest.clone());
        }
        assert_eq!(told, expected);
    });
}

#[derive(Debug, Clone)]
struct Course {
    endings: Vec<TaskStatus>,
    /// In which order they end.
    order: Vec<prop::sample::Index>,
    /// Whether the room that ended a task lived long enough to say so.
    told: Vec<bool>,
    called_off: bool,
}

fn course() -> impl Strategy<Value = Course> {
    let ending = prop_oneof![
        4 => Just(TaskStatus::Success),
        3 => Just(TaskStatus::Failed),
        1 => Just(TaskStatus::Filtered),
        1 => Just(TaskStatus::Skipped),
    ];
    (1_usize..7, any::<bool>()).prop_flat_map(move |(size, called_off)| {
        let endings = prop::collection::vec(ending.clone(), size);
        let order = prop::collection::vec(any::<prop::sample::Index>(), size);
        let told = prop::collection::vec(prop::bool::weighted(0.8), size);
        (endings, order, told).prop_map(move |(endings, order, told)| Course {
            endings,
            order,
            told,
            called_off,
        })
    })
}

/// Property 43: a job that has come to an end, whichever, is told of once: its id, its status, its summary. Not
/// before the last of its tasks has ended, also when it was called off; and also when the room that ended the
/// last one died before it could say so.
#[test]
fn property_43_every_end_of_a_job_is_told_once() {
    for_all(&course(), &async |bench, receiver, course| {
        let path = format!("/{}", uuid::Uuid::new_v4());
        let (batch, ids) = bench.batch(Some(&receiver.url(&path)), &vec![None; course.endings.len()]).await;
        let mut left: Vec<usize> = (0..ids.len()).collect();
        let mut endings = course.endings.clone();
        for (step, (at, told)) in course.order.iter().zip(&course.told).enumerate() {
            if course.called_off && step == course.endings.len() / 2 {
                // One goes on running; those that wait are called off.
                let conn = bench.db.pool.conn().await.unwrap();
                conn.execute(
                    "update batches set cancelled_at = $2 where id = $1",
                    &[&batch, &bench.clock.now()],
                )
                .await
                .unwrap();
                for waiting in left.drain(1..) {
                    endings[waiting] = TaskStatus::Cancelled;
                    bench.end(ids[waiting], TaskStatus::Cancelled).await;
                }
                assert_eq!(bench.tell_batch(batch).await, 0, "one still runs");
            }
            if left.is_empty() {
                break;
            }
            assert_eq!(heard(bench, receiver, &path).await.len(), 0, "told before the end");
            let next = left.remove(at.index(left.len()));
            bench.end(ids[next], endings[next]).await;
            if *told {
                bench.tell_batch(batch).await;
            }
        }
        let silence = jiff::SignedDuration::from_secs(30);
        notify::sweep(&bench.db.pool, &bench.room.notify, silence, bench.clock.now()).await.unwrap();
        let calls = heard(bench, receiver, &path).await;
        assert_eq!(calls.len(), 1, "told once");
        assert!(verifies(&calls[0]));
        let good = |status: &&TaskStatus| {
            matches!(status, TaskStatus::Success | TaskStatus::Filtered | TaskStatus::Skipped)
        };
        let completed = endings.iter().filter(good).count();
        let failed = endings.len() - completed;
        let status = match (course.called_off, completed, failed) {
            (true, ..) => "cancelled",
            (false, _, 0) => "completed",
            (false, 0, _) => "failed",
            (false, ..) => "partially_completed",
        };
        let told = calls[0].json();
        assert_eq!(
            json!([told["job_id"], told["status"], told["summary"]]),
            json!([batch, status, { "total": endings.len(), "completed": completed, "failed": failed }])
        );
        assert_eq!(told.as_object().unwrap().len(), 4, "job_id, status, summary, results: {told}");
    });
}

/// Property 43 for a task that stands alone: a job of one, under the task's own id.
#[test]
fn property_43_a_standalone_task_is_a_job_of_one() {
    let endings = prop::sample::select(vec![
        TaskStatus::Success,
        TaskStatus::Filtered,
        TaskStatus::Skipped,
        TaskStatus::Failed,
        TaskStatus::Cancelled,
    ]);
    for_all(&(endings, any::<bool>()), &async |bench, receiver, (ending, told)| {
        let path = format!("/{}", uuid::Uuid::new_v4());
        let id = bench.task(Some(&receiver.url(&path))).await;
        let now = bench.clock.now();
        let conn = bench.db.pool.conn().await.unwrap();
        let wanted = tasks::wanted(&*conn, id, 0, shared::domain::task::Stage::Fetch, now).await.unwrap();
        let Wanted::Now(plan) = wanted else { panic!("it is pending") };
        drop(conn);
        notify::task(&bench.db.pool, &bench.room.notify, &plan, now).await;
        assert!(heard(bench, receiver, &path).await.is_empty(), "it has not ended");
        bench.end(id, ending).await;
        if told {
            notify::task(&bench.db.pool, &bench.room.notify, &plan, now).await;
        }
        let silence = jiff::SignedDuration::from_secs(30);
        notify::sweep(&bench.db.pool, &bench.room.notify, silence, now).await.unwrap();
        let calls = heard(bench, receiver, &path).await;
        assert_eq!(calls.len(), 1);
        let (status, good) = match ending {
            TaskStatus::Cancelled => ("cancelled", 0),
            TaskStatus::Failed => ("failed", 0),
            _ => ("completed", 1),
        };
        let told = calls[0].json();
        assert_eq!(
            json!([told["job_id"], told["status"], told["summary"]]),
            json!([id, status, { "total": 1, "completed": good, "failed": 1 - good }])
        );
        assert_eq!(told["results"][0]["error"].is_null(), good == 1, "a failure names its cause: {told}");
    });
}

/// A task that nobody wants to hear of is not looked at: nothing is waited for.
#[tokio::test]
async fn a_task_without_an_address_costs_nothing() {
    let bench = Bench::new().await;
    let conn = bench.db.pool.conn().await.unwrap();
    for (callback, costs) in [(None, false), (Some("https://example.com/hook"), true)] {
        let (id, now) = (bench.task(callback).await, bench.clock.now());
        let plan = tasks::wanted(&*conn, id, 0, shared::domain::task::Stage::Fetch, now).await;
        let plan = plan.unwrap().now().unwrap();
        let told = notify::task(&bench.db.pool, &bench.room.notify, &plan, now).now_or_never();
        assert_eq!(told.is_none(), costs, "{callback:?}");
    }
}

/// Only the fields that were asked for are told.
#[tokio::test]
async fn a_webhook_shows_the_fields_that_were_asked_for() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    let id = bench.task(Some(&receiver.url("/hook"))).await;
    let conn = bench.db.pool.conn().await.unwrap();
    conn.execute("update tasks set requested_fields = '{job_title,salary}' where id = $1", &[&id])
        .await
        .unwrap();
    bench.end(id, TaskStatus::Success).await;
    let due = shared::store::webhooks::owe_tasks(&*conn, &[id], bench.clock.now()).await.unwrap();
    notify::send(&bench.room.notify, &due).await.unwrap();
    bench.work().await;
    let told = receiver.calls()[0].json();
    assert_eq!(told["results"][0]["result"], json!({ "job_title": format!("Post {id}"), "salary": null }));
}
