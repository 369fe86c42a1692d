//! The crawler's desk on one machine: what a settled page brings with it.

use std::time::Duration;

use fixture::{TestDb, page_task as task};
use jiff::SignedDuration;
use shared::clock::Clock;
use shared::desk::{CrawlDesk, Fetched, Look, Start, Started};
use shared::domain::gate::Report;
use shared::domain::policy::Policy;
use shared::gate::{Gate, PgGate};
use shared::messages::CrawlJob;
use shared::queue::{Delivery, Instance, PgQueue, Queue};
use shared::release;
use shared::room::Verdict;
use shared::store::tasks;

const VISIBILITY: Duration = Duration::from_secs(15);
const AHEAD: SignedDuration = SignedDuration::from_secs(2);

struct House {
    db: TestDb,
    crawl: Queue,
    desk: CrawlDesk,
    policy: Policy,
}

impl House {
    async fn new(policy: Policy) -> House {
        let db = TestDb::new().await;
        let instance = Instance::start(&db.url).await.unwrap();
        let queue = |name| {
            let queue = PgQueue::new(db.pool.clone(), Clock::System, name, VISIBILITY, 100);
            Queue::Postgres(queue.owned_by(&instance))
        };
        let (crawl, extract) = (queue("crawl"), queue("extract"));
        let gate = Gate::Postgres(PgGate::new(db.pool.clone()));
        let desk = CrawlDesk::new(&db.pool, &gate, &crawl, &extract, instance.id);
        House { db, crawl, desk, policy }
    }

    /// One page of the delivery's task, from the look to the hand-on.
    async fn work(&self, delivery: &Delivery, failed: bool) {
        let job: CrawlJob = serde_json::from_str(&delivery.body).unwrap();
        let now = Clock::System.now();
        let Look::Now(errand) = self.desk.desk.look(job.task_id, job.release_no, now).await.unwrap() else {
            panic!("the task wants its work");
        };
        let wish = Start {
            plan: errand.plan,
            policy: self.policy.clone(),
            now,
            draw: 0.0,
            ahead: AHEAD,
            lease: SignedDuration::from_secs(58),
        };
        let Started::Granted(slot, Some(visit)) = self.desk.start(wish).await.unwrap() else {
            panic!("the site is free");
        };
        let now = Clock::System.now();
        let report = Report { fence: slot.fence, seen_by: now, failed, pushback: None };
        let done = Fetched {
            site: visit.plan.site.clone(),
            policy: self.policy.clone(),
            report,
            ahead: AHEAD,
            hand_on: fixture::fetched(&visit, now),
            release_no: visit.plan.release_no,
            now,
        };
        assert_eq!(self.desk.hand_on(done).await.unwrap(), Verdict::Acknowledged);
    }

    /// The gate's version at a site: how often it was written.
    async fn version(&self, site: &str) -> i64 {
        let conn = self.db.pool.conn().await.unwrap();
        conn.query_one("select version from gates where site = $1", &[&site]).await.unwrap().get(0)
    }

    async fn receive(&self) -> Vec<Delivery> {
        self.crawl.receive(10, Duration::ZERO).await.unwrap()
    }
}

fn quick() -> Policy {
    Policy {
        tokens_per_interval: 1_000,
        interval_seconds: 0.0,
        min_delay_ms: 0,
        max_delay_ms: 0,
        ..Policy::default()
    }
}

#[tokio::test]
async fn a_settled_page_brings_the_next_of_its_site() {
    let house = House::new(quick()).await;
    let now = Clock::System.now();
    let site = task("http://127.0.0.1:1/").site;
    let conn = house.db.pool.conn().await.unwrap();
    let mut wanted = Vec::new();
    for number in 0..40 {
        let one = task(&format!("http://127.0.0.1:1/{number}"));
        wanted.push(one.id);
        tasks::insert(&*conn, &one, now + SignedDuration::from_millis(number)).await.unwrap();
    }
    release::site(&house.db.pool, &house.crawl, &site, Clock::System.now()).await.unwrap();
    let mut worked = Vec::new();
    while let Some(delivery) = house.receive().await.pop() {
        assert_eq!(delivery.receive_count, 1, "each is handed out once");
        let job: CrawlJob = serde_json::from_str(&delivery.body).unwrap();
        worked.push(job.task_id);
        // While it is held, nobody gets another of the site, neither from the table nor from what was taken ahead.
        assert!(house.receive().await.is_empty());
        house.work(&delivery, false).await;
    }
    assert_eq!(worked, wanted, "all of them, in order, with turns in between");
    // One write for each grant, and one for news that no grant followed: twice in line, and at the end.
    assert_eq!(house.version(site.as_str()).await, 43);
    let rows = conn.query("select 1 from queue_messages where queue = 'crawl'", &[]).await.unwrap();
    assert!(rows.is_empty(), "no message is left behind");
}

#[tokio::test]
async fn bad_news_is_told_to_the_gate_at_once() {
    let house = House::new(quick()).await;
    let site = task("http://127.0.0.1:1/").site;
    let conn = house.db.pool.conn().await.unwrap();
    for number in 0..2 {
        let one = task(&format!("http://127.0.0.1:1/{number}"));
        tasks::insert(&*conn, &one, Clock::System.now()).await.unwrap();
    }
    release::site(&house.db.pool, &house.crawl, &site, Clock::System.now()).await.unwrap();
    let delivery = house.receive().await.remove(0);
    house.work(&delivery, true).await;
    assert_eq!(house.version(site.as_str()).await, 2, "the grant, and the failure");
    let failures: i64 = conn
        .query_one(
            "select count(*) from gates, jsonb_array_elements(state->'circuit'->'recent') r where r = 'true'",
            &[],
        )
        .await
        .unwrap()
        .get(0);
    assert_eq!(failures, 1);
}

#[tokio::test]
async fn news_that_no_grant_follows_at_once_is_stored() {
    // The next slot is further away than a worker would wait: others must be able to read when it comes.
    let house = House::new(Policy { min_delay_ms: 5_000, max_delay_ms: 5_000, ..quick() }).await;
    let site = task("http://127.0.0.1:1/").site;
    let conn = house.db.pool.conn().await.unwrap();
    for number in 0..2 {
        let one = task(&format!("http://127.0.0.1:1/{number}"));
        tasks::insert(&*conn, &one, Clock::System.now()).await.unwrap();
    }
    release::site(&house.db.pool, &house.crawl, &site, Clock::System.now()).await.unwrap();
    let delivery = house.receive().await.remove(0);
    house.work(&delivery, false).await;
    assert_eq!(house.version(site.as_str()).await, 2);
}
