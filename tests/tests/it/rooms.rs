//! The crawler and the extractor as `local` runs them, over a database of their own, and boards on loopback for them
//! to read.

use std::sync::Arc;
use std::time::Duration;

use crawler::Crawler;
use extractor::Extractor;
use fixture::boards::{BoardSim, Mood, Shop};
use fixture::{TestDb, local_settings, page_task, without_gaps};
use jiff::SignedDuration;
use shared::checks::Begun;
use shared::clock::Clock;
use shared::domain::boards::{Board, System};
use shared::domain::ids::TaskId;
use shared::domain::policy::Policy;
use shared::domain::task::TaskStatus;
use shared::egress::{Egress, Limits, Permission};
use shared::house::{House, LOCAL_VISIBILITY, Local, LocalSettings, QueueName};
use shared::queue::Queue;
use shared::store::sources::{self, Read, Source};
use shared::store::tasks::{self, NewTask, Task};
use shared::{release, room};
use tokio_util::sync::CancellationToken;

pub struct Rooms {
    pub db: TestDb,
    pub crawl: Queue,
    stop: CancellationToken,
    _data: tempfile::TempDir,
    _house: Arc<House>,
}

impl Rooms {
    /// Rooms that reach loopback.
    pub async fn open() -> Rooms {
        let loopback = Permission::with_private_hosts(vec!["127.0.0.0/8".parse().unwrap()]);
        Rooms::behind(Egress::new(loopback, Limits::default()).unwrap(), Duration::from_secs(3)).await
    }

    /// Everything leaves by this door.
    pub async fn behind(web: Egress, connect_limit: Duration) -> Rooms {
        let (db, data) = (TestDb::new().await, tempfile::tempdir().unwrap());
        db.set_policy(&Policy { connect_budget_ms: 10_000, ..without_gaps() }).await;
        let settings = LocalSettings { pool_size: 16, connect_limit, ..local_settings(&db, data.path()) };
        let house = Arc::new(House::Local(Box::new(Local::new(settings).await.unwrap())));
        let mut crawler = Crawler::new(&house).await.unwrap();
        crawler.web = web;
        let (crawler, extractor) = (Arc::new(crawler), Arc::new(Extractor::new(&house).await.unwrap()));
        let (crawl, extract) =
            (house.queue(QueueName::Crawl).unwrap(), house.queue(QueueName::Extract).unwrap());
        let stop = CancellationToken::new();
        tokio::spawn(room::work(
            crawl.clone(),
            Clock::System,
            64,
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

    /// Hands a page in and waits for its end: `ok`, or the code it failed with.
    pub async fn outcome(&self, url: &str) -> String {
        let task = page_task(url);
        let conn = self.db.pool.conn().await.unwrap();
        tasks::insert(&*conn, &task, Clock::System.now()).await.unwrap();
        drop(conn);
        release::site(&self.db.pool, &self.crawl, &task.site, Clock::System.now()).await.unwrap();
        let look = async {
            loop {
                let conn = self.db.pool.conn().await.unwrap();
                let found = tasks::find(&*conn, task.id).await.unwrap().unwrap();
                drop(conn);
                match found.status {
                    TaskStatus::Pending | TaskStatus::Processing => {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                    TaskStatus::Success => return "ok".to_owned(),
                    _ => return found.error_code.unwrap_or_default(),
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(120), look)
            .await
            .unwrap_or_else(|_| "never ended".to_owned())
    }

    /// Adds the board if it is new, reads it, and gives how the task ended and what the read was worth.
    pub async fn read(&self, board: &Board) -> (TaskStatus, Read) {
        let now = Clock::System.now();
        let conn = self.db.pool.conn().await.unwrap();
        sources::add(&*conn, board, "https://lantern.example/careers", None, now).await.unwrap();
        let task = shared::sources::task(board).unwrap();
        tasks::insert(&*conn, &task, now).await.unwrap();
        drop(conn);
        let ended = self.ended(task.id).await;
        let conn = self.db.pool.conn().await.unwrap();
        let source = self.source(board).await;
        let reads = sources::reads(&*conn, source.id, 1).await.unwrap();
        let read = reads.into_iter().next().expect("a read");
        assert_eq!(read.task_id, task.id, "every end of a read leaves its row");
        (ended.status, read)
    }

    pub async fn source(&self, board: &Board) -> Source {
        let conn = self.db.pool.conn().await.unwrap();
        sources::of_board(&*conn, board).await.unwrap().expect("a source")
    }

    /// Waits for the end of a task; time passes quickly for one that waits for its next try.
    pub async fn ended(&self, id: TaskId) -> Task {
        let ended = async {
            loop {
                let conn = self.db.pool.conn().await.unwrap();
                let hurry = "update tasks set not_before = null where id = $1 and not_before is not null";
                conn.execute(hurry, &[&id.0]).await.unwrap();
                let found = tasks::find(&*conn, id).await.unwrap().unwrap();
                if found.status.is_final() {
                    return found;
                }
                drop(conn);
                let now = Clock::System.now();
                release::site(&self.db.pool, &self.crawl, &found.site, now).await.unwrap();
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(120), ended).await.expect("the task ends")
    }

    /// Makes a task and says whether it is put back for later, and not carried out.
    pub async fn is_put_back(&self, task: &NewTask) -> bool {
        let now = Clock::System.now();
        let conn = self.db.pool.conn().await.unwrap();
        tasks::insert(&*conn, task, now).await.unwrap();
        drop(conn);
        release::site(&self.db.pool, &self.crawl, &task.site, now).await.unwrap();
        let decided = async {
            loop {
                let conn = self.db.pool.conn().await.unwrap();
                let found = tasks::find(&*conn, task.id).await.unwrap().unwrap();
                if found.status.is_final() || found.not_before.is_some() {
                    return found.not_before.is_some();
                }
                drop(conn);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), decided).await.expect("it is one or the other")
    }

    /// The dispatcher's look at what is due, as if so much time had passed; every task it begins is carried out.
    pub async fn later(&self, by: SignedDuration) -> Begun {
        let mut conn = self.db.pool.conn().await.unwrap();
        let now = Clock::System.now() + by;
        let transaction = conn.transaction().await.unwrap();
        let begun = shared::checks::begin(&transaction, now).await.unwrap();
        transaction.commit().await.unwrap();
        drop(conn);
        self.quiet().await;
        begun
    }

    /// Waits until no task is open.
    pub async fn quiet(&self) {
        let quiet = async {
            loop {
                let conn = self.db.pool.conn().await.unwrap();
                let open = "select id from tasks where status in ('pending', 'processing') limit 1";
                let Some(row) = conn.query_opt(open, &[]).await.unwrap() else { return };
                drop(conn);
                self.ended(row.get(0)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(180), quiet).await.expect("the tasks end");
    }

    pub async fn count(&self, sql: &str, board: &Board) -> i64 {
        let conn = self.db.pool.conn().await.unwrap();
        conn.query_one(sql, &[&board.to_string()]).await.unwrap().get(0)
    }
}

impl Drop for Rooms {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

pub const LISTED: &str = "select count(*) from listings where source = $1 and is_active";
pub const EVIDENCE: &str = "select count(*) from evidence e join listings l on l.id = e.listing_id
    where l.source = $1 and e.rule = 'listed'";

pub async fn open(system: System, jobs: u64, mood: Mood) -> (BoardSim, Board) {
    let sim = BoardSim::open(Shop { system, jobs, mood, facets: false }).await.unwrap();
    let token = match system {
        System::Workday => format!("{}/lantern/Jobs", sim.host()),
        System::Sitemap => format!("{}/sitemap.xml", sim.origin),
        System::Feed => format!("{}/feed.atom", sim.origin),
        System::ListPage => format!("{}/careers", sim.origin),
        _ => sim.host().to_owned(),
    };
    let board = Board::new(system, &token).unwrap();
    (sim, board)
}
