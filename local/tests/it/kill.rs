//! Nothing lost: the process is killed again and again in the middle of a crawl.

use std::time::{Duration, Instant};

use fixture::JobSite;
use shared::clock::Clock;
use shared::domain::policy::Policy;
use shared::domain::task::TaskKind;
use shared::store::tasks::{self, NewTask};

use crate::house::HouseProcess;

const SITES: u8 = 10;
const PAGES: usize = 30;
const KILLS: usize = 20;
const GAP: Duration = Duration::from_millis(700);
const TOLERANCE: Duration = Duration::from_millis(2);

/// Twenty SIGKILLs during 300 pages of 10 sites: every page ends in exactly one listing, and no site ever
/// sees two requests closer than the gap.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_kills_lose_nothing_double_nothing_and_break_no_gap() {
    let sites = sites(SITES, PAGES).await;
    let mut house = HouseProcess::new(&sites, &every(GAP)).await;
    hand_in(&house, &sites, PAGES).await;
    house.start().await;
    for kill in 0..KILLS {
        let life = Duration::from_millis(rand::random_range(50..1_000));
        tokio::time::sleep(life).await;
        assert!(open_tasks(&house).await > 0, "kill {kill} came after the end of the crawl");
        house.kill();
        house.start().await;
    }
    all_came_through(&house, &sites, PAGES, GAP).await;
}

const CREW: usize = 4;
const CREW_SITES: u8 = 100;
const CREW_PAGES: usize = 50;
const CREW_KILLS: usize = 50;
const CREW_GAP: Duration = Duration::from_millis(200);

/// Four processes share 100 sites with 50 pages each; one of them, at random, is killed fifty times.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_kills_among_four_processes_break_no_gap() {
    let sites = sites(CREW_SITES, CREW_PAGES).await;
    let house = HouseProcess::new(&sites, &every(CREW_GAP)).await;
    hand_in(&house, &sites, CREW_PAGES).await;
    let mut crew: Vec<_> = (0..CREW).map(|_| house.worker()).collect();
    for kill in 0..CREW_KILLS {
        tokio::time::sleep(Duration::from_millis(rand::random_range(50..350))).await;
        assert!(open_tasks(&house).await > 0, "kill {kill} came after the end of the crawl");
        let victim = rand::random_range(0..CREW);
        crew[victim].kill();
        crew[victim] = house.worker();
    }
    all_came_through(&house, &sites, CREW_PAGES, CREW_GAP).await;
}

async fn sites(count: u8, pages: usize) -> Vec<JobSite> {
    let mut sites = Vec::new();
    for number in 0..count {
        let site = JobSite::start(&format!("127.0.1.{}", number + 1)).await;
        for page in 0..pages {
            site.posts(&format!("/jobs/{page}"), &format!("Post {page} of site {number}"));
        }
        sites.push(site);
    }
    sites
}

/// One request in each gap, and no other limit.
fn every(gap: Duration) -> Policy {
    let gap = u32::try_from(gap.as_millis()).unwrap();
    Policy {
        tokens_per_interval: 1_000,
        interval_seconds: 0.0,
        min_delay_ms: gap,
        max_delay_ms: gap,
        connect_budget_ms: 1_000,
        ..Policy::default()
    }
}

/// Every page ended in exactly one listing, and no site saw two requests closer than the gap.
async fn all_came_through(house: &HouseProcess, sites: &[JobSite], pages: usize, gap: Duration) {
    let all_ended = async {
        while open_tasks(house).await > 0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(240), all_ended).await;
    assert!(ended.is_ok(), "{} tasks never ended: {}", open_tasks(house).await, left(house).await);

    let all = pages * sites.len();
    let conn = house.db.pool.conn().await.unwrap();
    let count =
        async |sql: &str| usize::try_from(conn.query_one(sql, &[]).await.unwrap().get::<_, i64>(0)).unwrap();
    assert_eq!(
        count("select count(*) from tasks where status = 'success'").await,
        all,
        "{}",
        left(house).await
    );
    assert_eq!(count("select count(*) from listings where is_active").await, all);
    assert_eq!(count("select count(distinct title) from listings").await, all);
    assert_eq!(count("select count(*) from evidence where event = 'created'").await, all);
    assert_eq!(count("select count(*) from evidence").await, all, "no task was settled twice");

    let mut closest = Duration::MAX;
    for site in sites {
        let mut times: Vec<Instant> = site.requests().iter().map(|hit| hit.at).collect();
        assert!(times.len() >= pages);
        times.sort();
        for pair in times.windows(2) {
            closest = closest.min(pair[1] - pair[0]);
        }
    }
    assert!(closest + TOLERANCE >= gap, "two requests to a site were only {closest:?} apart");
}

/// All pages at once, as rows: the sweep at the start releases them.
async fn hand_in(house: &HouseProcess, sites: &[JobSite], pages: usize) {
    let mut conn = house.db.pool.conn().await.unwrap();
    let transaction = conn.transaction().await.unwrap();
    for site in sites {
        for page in 0..pages {
            // Nobody waits for these: a page that a caller waits for is given up after a minute.
            let task = NewTask {
                kind: TaskKind::Listing,
                ..fixture::page_task(&site.url(&format!("/jobs/{page}")))
            };
            tasks::insert(&transaction, &task, Clock::System.now()).await.unwrap();
        }
    }
    transaction.commit().await.unwrap();
}

async fn open_tasks(house: &HouseProcess) -> i64 {
    let conn = house.db.pool.conn().await.unwrap();
    let open = "select count(*) from tasks where status in ('pending', 'processing')";
    conn.query_one(open, &[]).await.unwrap().get(0)
}

/// What did not succeed, for the message of a failing test.
async fn left(house: &HouseProcess) -> String {
    let conn = house.db.pool.conn().await.unwrap();
    let sql = "select concat_ws(' ', status, stage, crashes, error_code, released_at, lease_until) from tasks
        where status <> 'success' limit 10";
    let rows = conn.query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("; ")
}
