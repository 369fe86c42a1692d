//! A board read by the real crawler and extractor: its jobs become listings with their evidence, and each read leaves
//! its certificate.

#![expect(clippy::unwrap_used, reason = "a test, and the helpers of one")]

use std::sync::Arc;
use std::time::Duration;

use crawler::Crawler;
use extractor::Extractor;
use fixture::TestDb;
use fixture::boards::{BoardSim, Mood, Shop};
use shared::clock::Clock;
use shared::domain::boards::{Board, System};
use shared::domain::policy::Policy;
use shared::domain::task::TaskStatus;
use shared::egress::{Egress, Limits, Permission};
use shared::house::{House, LOCAL_VISIBILITY, Local, LocalSettings, QueueName};
use shared::queue::Queue;
use shared::store::sources::{self, Read};
use shared::store::{policies, tasks};
use shared::tokens::Callers;
use shared::{release, room};
use tokio_util::sync::CancellationToken;

struct Rooms {
    db: TestDb,
    crawl: Queue,
    stop: CancellationToken,
    _data: tempfile::TempDir,
    _house: Arc<House>,
}

impl Rooms {
    async fn open() -> Rooms {
        let (db, data) = (TestDb::new().await, tempfile::tempdir().unwrap());
        let policy = Policy {
            tokens_per_interval: 1_000,
            interval_seconds: 0.0,
            min_delay_ms: 0,
            max_delay_ms: 0,
            connect_budget_ms: 10_000,
            ..Policy::default()
        };
        let conn = db.pool.conn().await.unwrap();
        policies::set(&*conn, policies::DEFAULT, &policy, Clock::System.now()).await.unwrap();
        drop(conn);
        let settings = LocalSettings {
            scrapers: shared::house::ScraperSettings::default(),
            webhook_secret: "a-webhook-secret".into(),
            default_webhook_url: None,
            max_queue_depth: 500,
            ai: None,
            browsers: shared::house::Browsers::of(
                &shared::settings::Env::default(),
                shared::settings::HouseKind::Local,
                data.path().join("browsers"),
            )
            .unwrap(),
            outbound: shared::outbound::Outbound::of(&shared::settings::Env::default()).unwrap(),
            url: db.url.clone(),
            pool_size: 16,
            data: data.path().to_owned(),
            callers: Callers::new(&["a-service-key-for-tests".into()], "a-signing-key-for-tests".into())
                .unwrap(),
            private_hosts: Vec::new(),
            connect_limit: Duration::from_secs(3),
        };
        let house = Arc::new(House::Local(Box::new(Local::new(settings).await.unwrap())));
        let mut crawler = Crawler::new(&house).await.unwrap();
        let loopback = Permission::with_private_hosts(vec!["127.0.0.0/8".parse().unwrap()]);
        crawler.web = Egress::new(loopback, Limits::default()).unwrap();
        let (crawler, extractor) = (Arc::new(crawler), Arc::new(Extractor::new(&house).await.unwrap()));
        let (crawl, extract) =
            (house.queue(QueueName::Crawl).unwrap(), house.queue(QueueName::Extract).unwrap());
        let stop = CancellationToken::new();
        tokio::spawn(room::work(
            crawl.clone(),
            Clock::System,
            8,
            LOCAL_VISIBILITY,
            stop.clone(),
            move |job| {
                let crawler = crawler.clone();
                async move { Box::pin(crawler::crawl(&crawler, job)).await }
            },
        ));
        tokio::spawn(room::work(extract, Clock::System, 4, LOCAL_VISIBILITY, stop.clone(), move |job| {
            let extractor = extractor.clone();
            async move { Box::pin(extractor::extract(&extractor, job)).await }
        }));
        Rooms { db, crawl, stop, _data: data, _house: house }
    }

    /// Adds the board if it is new, reads it, and gives how the task ended and what the read was worth.
    async fn read(&self, board: &Board) -> (TaskStatus, Read) {
        let now = Clock::System.now();
        let conn = self.db.pool.conn().await.unwrap();
        sources::add(&*conn, board, "https://lantern.example/careers", None, now).await.unwrap();
        let source = sources::of_board(&*conn, board).await.unwrap().unwrap();
        let task = shared::sources::task(board).unwrap();
        tasks::insert(&*conn, &task, now).await.unwrap();
        drop(conn);
        release::site(&self.db.pool, &self.crawl, &task.site, now).await.unwrap();
        let ended = async {
            loop {
                let conn = self.db.pool.conn().await.unwrap();
                let found = tasks::find(&*conn, task.id).await.unwrap().unwrap();
                if found.status.is_final() {
                    let reads = sources::reads(&*conn, source.id, 1).await.unwrap();
                    return (found.status, reads.into_iter().next().expect("a read"));
                }
                drop(conn);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), ended).await.expect("the read ends")
    }

    async fn count(&self, sql: &str, board: &Board) -> i64 {
        let conn = self.db.pool.conn().await.unwrap();
        conn.query_one(sql, &[&board.to_string()]).await.unwrap().get(0)
    }
}

impl Drop for Rooms {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

const LISTED: &str = "select count(*) from listings where source = $1 and is_active";
const EVIDENCE: &str = "select count(*) from evidence e join listings l on l.id = e.listing_id
    where l.source = $1 and e.rule = 'listed'";

async fn open(system: System, jobs: u64, mood: Mood) -> (BoardSim, Board) {
    let sim = BoardSim::open(Shop { system, jobs, mood, facets: false }).await.unwrap();
    let token = match system {
        System::Workday => format!("{}/lantern/Jobs", sim.host()),
        _ => sim.host().to_owned(),
    };
    let board = Board::new(system, &token).unwrap();
    (sim, board)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_becomes_listings_with_evidence_and_a_certificate() {
    let rooms = Rooms::open().await;
    for (system, requests) in [(System::Workday, 3), (System::Recruitee, 1)] {
        let (sim, board) = open(system, 57, Mood::Honest).await;
        let (status, read) = rooms.read(&board).await;
        assert_eq!(status, TaskStatus::Success, "{system}: {read:?}");
        assert_eq!((read.unique_seen, read.complete, read.pages_failed), (57, true, 0), "{system}: {read:?}");
        assert_eq!(sim.asked(), requests, "{system}");
        assert_eq!(rooms.count(LISTED, &board).await, 57, "{system}");
        assert_eq!(rooms.count(EVIDENCE, &board).await, 57, "{system}");
        // once more: seen again, nothing made anew
        let (_, again) = rooms.read(&board).await;
        assert!(again.complete, "{system}: {again:?}");
        assert_eq!(rooms.count(LISTED, &board).await, 57, "{system}");
        assert_eq!(rooms.count(EVIDENCE, &board).await, 114, "{system}");
        let seen_twice = "select count(*) from listings where source = $1 and times_seen = 2";
        assert_eq!(rooms.count(seen_twice, &board).await, 57, "{system}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_with_a_hole_adds_and_says_so_and_a_wall_closes_nothing() {
    let rooms = Rooms::open().await;
    let (_sim, board) = open(System::Workday, 57, Mood::WallOnPageTwo).await;
    let (status, read) = rooms.read(&board).await;
    assert_eq!((status, read.complete, read.unique_seen), (TaskStatus::Success, false, 37), "{read:?}");
    assert!(read.reasons.contains(&"page_failed".to_owned()), "{read:?}");
    assert_eq!(rooms.count(LISTED, &board).await, 37);

    let (_sim, board) = open(System::Recruitee, 57, Mood::Wall).await;
    let (status, read) = rooms.read(&board).await;
    assert_eq!((status, read.complete, read.unique_seen), (TaskStatus::Failed, false, 0), "{read:?}");
    assert!(read.error.as_deref().is_some_and(|why| why.contains("wall")), "{read:?}");
}
