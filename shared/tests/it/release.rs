//! `release(site)`: the window, the order, the numbers.

use fixture::{TestDb, page_task as task};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use shared::clock::Clock;
use shared::domain::ids::TaskId;
use shared::domain::site::site_key;
use shared::domain::task::{Stage, TaskStatus};
use shared::messages::CrawlJob;
use shared::queue::{PgQueue, Queue};
use shared::release;
use shared::store::tasks::{self, Ending, NewTask, Visit};
use shared::store::{Db, lineages, sweep};
use url::Url;
use uuid::Uuid;

pub fn now() -> Timestamp {
    "2026-11-16T08:00:00Z".parse().unwrap()
}

/// A task that is stored and released.
pub async fn task_of(db: &TestDb, url: &str) -> (TaskId, i32) {
    let mut conn = db.pool.conn().await.unwrap();
    let one = task(url);
    tasks::insert(&*conn, &one, now()).await.unwrap();
    let transaction = conn.transaction().await.unwrap();
    let released = tasks::release(&transaction, &[(one.site.as_str(), 2)], now()).await.unwrap();
    transaction.commit().await.unwrap();
    (released[0].id, released[0].release_no)
}

/// The page of a claimed task is stored and waits to be read.
pub async fn hand_on(db: &impl Db, visit: &Visit) -> Option<i32> {
    let done = fixture::fetched(visit, now());
    tasks::hand_on(db, &[done]).await.unwrap()[0]
}

fn queue(db: &TestDb) -> Queue {
    let visibility = std::time::Duration::from_secs(15);
    Queue::Postgres(PgQueue::new(db.pool.clone(), Clock::System, "crawl", visibility, 100))
}

async fn drain(queue: &Queue) -> Vec<CrawlJob> {
    let mut jobs = Vec::new();
    while let Some(held) = queue.receive(1, std::time::Duration::ZERO).await.unwrap().pop() {
        jobs.push(serde_json::from_str(&held.body).unwrap());
        queue.ack(&held).await.unwrap();
    }
    jobs
}

async fn end(db: &TestDb, job: CrawlJob, at: Timestamp) {
    let conn = db.pool.conn().await.unwrap();
    let plan =
        tasks::wanted(&*conn, job.task_id, job.release_no, Stage::Fetch, at).await.unwrap().now().unwrap();
    let lease = at + SignedDuration::from_secs(60);
    let visit = tasks::claim(&*conn, plan, Stage::Fetch, Uuid::new_v4(), at, lease).await.unwrap().unwrap();
    assert!(
        tasks::finish(&*conn, &visit, TaskStatus::Success, Stage::Save, &Ending::default(), at)
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn a_site_never_has_more_in_flight_than_its_window() {
    let (db, at) = (TestDb::new().await, now());
    let (queue, site) = (queue(&db), task("http://127.0.0.1:1/").site);
    let conn = db.pool.conn().await.unwrap();
    for number in 0..9 {
        tasks::insert(&*conn, &task(&format!("http://127.0.0.1:1/{number}")), at).await.unwrap();
    }
    // Many releasers at once still make one window of two.
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (pool, queue, site) = (db.pool.clone(), queue.clone(), site.clone());
        crowd.spawn(async move { release::site(&pool, &queue, &site, at).await.unwrap() });
    }
    assert_eq!(crowd.join_all().await.into_iter().sum::<usize>(), 2);
    let mut done = 0;
    loop {
        let jobs = drain(&queue).await;
        assert!(jobs.len() <= 2);
        if jobs.is_empty() {
            break;
        }
        for job in jobs {
            end(&db, job, at).await;
            done += 1;
            assert!(release::site(&db.pool, &queue, &site, at).await.unwrap() <= 1);
        }
    }
    assert_eq!(done, 9, "ack by ack, all of them go");
}

/// Priority, then standalone before batches and small before large, then age. Property 36.
#[test]
fn tasks_go_in_their_order() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let db = runtime.block_on(TestDb::new());
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let many = prop::collection::vec((0..3_i32, 0..3_i32, 0..4_i64), 1..20);
    let number = std::cell::Cell::new(0);
    runner
        .run(&many, |rows| {
            number.set(number.get() + 1);
            let url = format!("http://127.0.0.1:{}/", 1000 + number.get());
            runtime.block_on(async {
                let mut conn = db.pool.conn().await.unwrap();
                let mut expected = Vec::new();
                for (priority, batch_size, age) in rows {
                    let one = NewTask { priority, batch_size, ..task(&url) };
                    let made = now() + SignedDuration::from_secs(age);
                    tasks::insert(&*conn, &one, made).await.unwrap();
                    expected.push((-priority, batch_size, made, one.id));
                }
                expected.sort();
                let site = site_key(&Url::parse(&url).unwrap()).unwrap();
                let mut went = Vec::new();
                let at = now() + SignedDuration::from_secs(60);
                loop {
                    let transaction = conn.transaction().await.unwrap();
                    let window = u16::try_from(went.len()).unwrap() + 3;
                    let released =
                        tasks::release(&transaction, &[(site.as_str(), window)], at).await.unwrap();
                    transaction.commit().await.unwrap();
                    if released.is_empty() {
                        break;
                    }
                    went.extend(released.into_iter().map(|next| next.id));
                }
                assert_eq!(went, expected.into_iter().map(|row| row.3).collect::<Vec<_>>());
            });
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn a_task_that_must_wait_is_not_released_before_then() {
    let db = TestDb::new().await;
    let (id, release_no) = task_of(&db, "http://127.0.0.1:1/a").await;
    let mut conn = db.pool.conn().await.unwrap();
    let plan = tasks::wanted(&*conn, id, release_no, Stage::Fetch, now()).await.unwrap().now().unwrap();
    let until = now() + SignedDuration::from_hours(2);
    tasks::put_back(&*conn, &plan, until, now()).await.unwrap();
    let site = plan.site.clone();
    let mut release = async |at| {
        let transaction = conn.transaction().await.unwrap();
        let released = tasks::release(&transaction, &[(site.as_str(), 2)], at).await.unwrap();
        transaction.commit().await.unwrap();
        released.into_iter().map(|next| (next.id, next.release_no)).collect::<Vec<_>>()
    };
    assert!(release(until - SignedDuration::from_secs(1)).await.is_empty());
    assert_eq!(release(until).await, [(id, release_no + 1)], "and then with a new number");
    let conn = db.pool.conn().await.unwrap();
    let stale = tasks::wanted(&*conn, id, release_no, Stage::Fetch, until).await.unwrap().now();
    assert!(stale.is_none(), "a message with the old number is dropped");
}

#[tokio::test]
async fn a_lost_message_is_found_by_silence_and_a_slow_one_is_not() {
    let db = TestDb::new().await;
    let (id, release_no) = task_of(&db, "http://127.0.0.1:1/a").await;
    let conn = db.pool.conn().await.unwrap();
    let lost = async |after: i64| {
        let at = now() + SignedDuration::from_secs(after);
        let (quiet, out) = (at - SignedDuration::from_secs(30), at - SignedDuration::from_mins(20));
        let silent = sweep::silent_fetches(&*conn, quiet, out, at).await.unwrap();
        sweep::take_back(&*conn, &silent).await.unwrap()
    };
    assert!(lost(29).await.is_empty());
    // Put off by the gate for ten minutes: silence until then is no loss.
    let plan = tasks::wanted(&*conn, id, release_no, Stage::Fetch, now()).await.unwrap().now().unwrap();
    tasks::expect_later(&*conn, &plan, now() + SignedDuration::from_mins(10)).await.unwrap();
    assert!(lost(620).await.is_empty());
    assert_eq!(lost(631).await, std::slice::from_ref(&plan.site));
    assert_eq!(sweep::idle_sites(&*conn, now()).await.unwrap(), [plan.site]);
}

#[tokio::test]
async fn a_page_that_waits_to_be_read_gets_a_new_message_when_its_own_is_lost() {
    let db = TestDb::new().await;
    let (id, release_no) = task_of(&db, "http://127.0.0.1:1/a").await;
    let conn = db.pool.conn().await.unwrap();
    let plan = tasks::wanted(&*conn, id, release_no, Stage::Fetch, now()).await.unwrap().now().unwrap();
    let lease = now() + SignedDuration::from_secs(60);
    let visit =
        tasks::claim(&*conn, plan, Stage::Fetch, Uuid::new_v4(), now(), lease).await.unwrap().unwrap();
    let number = hand_on(&*conn, &visit).await.unwrap();
    let renew = async |since| {
        let silent = sweep::silent_extracts(&*conn, since).await.unwrap();
        sweep::renew_extracts(&*conn, &silent, now()).await.unwrap()
    };
    assert!(renew(now() - SignedDuration::from_secs(1)).await.is_empty());
    assert_eq!(renew(now() + SignedDuration::from_secs(1)).await, [(id, number + 1)]);
    let later = now() + SignedDuration::from_secs(9);
    let other = sweep::silent_fetches(&*conn, later, now(), now()).await.unwrap().pop();
    assert_eq!(other, None, "it is no longer the crawler's");
}

/// Eight workers of one lineage find the same link at once: one child, seven refusals, all counted.
#[tokio::test]
async fn a_crowd_spawns_a_link_once_and_every_refusal_is_counted() {
    let db = TestDb::new().await;
    let parent = task("http://127.0.0.1:1/board");
    tasks::insert(&*db.pool.conn().await.unwrap(), &parent, now()).await.unwrap();
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (pool, parent) = (db.pool.clone(), parent.id);
        crowd.spawn(async move {
            let mut conn = pool.conn().await.unwrap();
            let transaction = conn.transaction().await.unwrap();
            let child = task("http://127.0.0.1:1/jobs/1");
            let spawned = shared::spawn::child(&transaction, parent, child, now()).await.unwrap();
            transaction.commit().await.unwrap();
            spawned
        });
    }
    let spawned = crowd.join_all().await;
    let children: Vec<TaskId> = spawned.iter().filter_map(|result| result.as_ref().ok()).copied().collect();
    assert_eq!(children.len(), 1);
    let conn = db.pool.conn().await.unwrap();
    let inherited = lineages::of_task(&*conn, children[0]).await.unwrap().unwrap();
    assert_eq!(inherited.ancestry, [parent.id]);
    assert_eq!((inherited.tracking_id, inherited.depth.get()), (parent.lineage.tracking_id, 1));
    // The child may not lead back to where it came from.
    let back =
        shared::spawn::child(&*conn, children[0], task("http://127.0.0.1:1/board"), now()).await.unwrap();
    assert_eq!(back.unwrap_err().code(), "circular");
    let counted = lineages::refusals(&*conn).await.unwrap();
    assert_eq!(counted, [("already_under_way".to_owned(), 7), ("circular".to_owned(), 1)]);
}
