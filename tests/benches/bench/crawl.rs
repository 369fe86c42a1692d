//! A crawl without delays, from the rows in the table to the listings in the table.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use shared::clock::Clock;
use shared::domain::ids::TaskId;
use shared::domain::lineage::Lineage;
use shared::domain::policy::Policy;
use shared::domain::site::site_key;
use shared::domain::task::TaskKind;
use shared::domain::url::normalise;
use shared::store::tasks::NewTask;
use shared::store::{Pool, policies, tasks};
use url::Url;

use super::database::{Database, scratch};
use super::fetch;
use super::process::{Guarded, Usage};
use super::rounds::{Pair, median};
use super::site::Sites;
use super::table::{Good, Table};

const SITES: usize = 20;
const PAGES: u64 = 2_000;
const ROUNDS: u64 = 3;
const TOO_LONG: Duration = Duration::from_secs(120);

/// What one crawl cost.
struct Crawl {
    seconds: f64,
    house: Usage,
    postgres_cpu: f64,
    transactions: f64,
    wal_bytes: f64,
}

pub async fn measure(table: &mut Table, database: &Database) -> anyhow::Result<()> {
    let sites = Sites::start(SITES)?;
    let pool = database.pool(2)?;
    // No site waits: what is left is our own work. One request of a site at a time stays the rule, so the
    // usual window of two (one under way, one next) is wide enough.
    let policy = Policy {
        tokens_per_interval: 1_000,
        interval_seconds: 0.0,
        min_delay_ms: 0,
        max_delay_ms: 0,
        ..Policy::default()
    };
    policies::set(&*pool.conn().await?, policies::DEFAULT, &policy, Clock::System.now()).await?;
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let from = round * PAGES;
        let floor = fetch::measure(&sites, from, PAGES)?;
        rounds.push((crawl(database, &pool, &sites, from).await?, floor));
    }
    let thousands = PAGES as f64 / 1_000.0;
    let pair = |ours: fn(&Crawl) -> f64, floor: fn(&fetch::Fetching) -> f64, scale: f64| {
        Pair::of(&rounds.iter().map(|(c, f)| (ours(c) * scale, floor(f) * scale)).collect::<Vec<_>>())
    };
    let reqwest = "one reqwest client, same pages and concurrency, bytes thrown away";
    let rate = pair(|c| 1.0 / c.seconds, |f| 1.0 / f.seconds, PAGES as f64);
    table.row("crawl, read and store a page", "pages/s", Good::High, rate, reqwest);
    let cpu = pair(|c| c.house.cpu_seconds, |f| f.cpu_seconds, 1.0 / thousands);
    table.row("  our processor time", "s/1,000 pages", Good::Low, cpu, reqwest);
    let all = pair(|c| c.house.cpu_seconds + c.postgres_cpu, |f| f.cpu_seconds, 1.0 / thousands);
    table.row("  with that of Postgres", "s/1,000 pages", Good::Low, all, reqwest);
    table.row(
        "  memory at its peak",
        "MB",
        Good::Low,
        pair(|c| c.house.peak_mb, |f| f.peak_mb, 1.0),
        reqwest,
    );
    let each = |pick: fn(&Crawl) -> f64| median(rounds.iter().map(|(c, _)| pick(c) / PAGES as f64));
    table.note(format!(
        "crawl: {PAGES} new pages of 67 KB on {SITES} loopback sites, no delays, one request of a site at a time; \
         {:.1} transactions and {:.0} KB of WAL a page; Postgres with fsync and synchronous_commit on, pages \
         compressed and synced to files",
        each(|c| c.transactions),
        each(|c| c.wal_bytes) / 1024.0
    ));
    Ok(())
}

/// Hands the tasks in, starts the house, and waits until the last one has ended.
async fn crawl(database: &Database, pool: &Pool, sites: &Sites, from: u64) -> anyhow::Result<Crawl> {
    insert(pool, sites, from).await?;
    let before = database.counts(pool).await?;
    let data = scratch()?;
    let mut house = start_house(database, data.path())?;
    let deadline = Instant::now() + TOO_LONG;
    let conn = pool.conn().await?;
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let open: i64 =
            conn.query_one("select count(*) from tasks where ended_at is null", &[]).await?.get(0);
        if open == 0 {
            break;
        }
        if house.has_ended()? || Instant::now() > deadline {
            let log = std::fs::read_to_string(data.path().join("freshet.log")).unwrap_or_default();
            bail!(
                "{open} tasks did not end; the end of the log:\n{}",
                log[log.len().saturating_sub(3_000)..].trim()
            );
        }
    }
    let usage = Usage::of(house.id())?;
    house.stop()?; // so that its connections report what they did
    let after = database.counts(pool).await?;
    let row = conn
        .query_one(
            "select count(*) filter (where status = 'success' and listing_id is not null),
                 extract(epoch from max(ended_at) - min(started_at))::float8
             from (select * from tasks order by created_at desc limit $1) newest",
            &[&i64::try_from(PAGES)?],
        )
        .await?;
    let (good, seconds): (i64, f64) = (row.get(0), row.get(1));
    ensure!(good == i64::try_from(PAGES)?, "only {good} of {PAGES} pages became listings");
    Ok(Crawl {
        seconds,
        house: usage,
        postgres_cpu: after.cpu_seconds - before.cpu_seconds,
        transactions: after.transactions - before.transactions,
        wal_bytes: after.wal_bytes - before.wal_bytes,
    })
}

async fn insert(pool: &Pool, sites: &Sites, from: u64) -> anyhow::Result<()> {
    let mut conn = pool.conn().await?;
    let transaction = conn.transaction().await?;
    let now = Clock::System.now();
    for number in from..from + PAGES {
        let url = sites.url(number);
        let task = NewTask {
            id: TaskId::fresh(),
            batch_id: None,
            kind: TaskKind::Listing,
            url_key: normalise(&url)?,
            site: site_key(&Url::parse(&url)?)?,
            url,
            target_type: "job_posting".to_owned(),
            workspace_id: None,
            requested_fields: None,
            priority: 0,
            batch_size: 0,
            lineage: Lineage::root(),
            request_id: None,
        };
        tasks::insert(&transaction, &task, now).await?;
    }
    transaction.commit().await?;
    conn.batch_execute("analyze; checkpoint").await?;
    Ok(())
}

/// The role `--house`: its first sweep finds the rows and releases them.
fn start_house(database: &Database, data: &Path) -> anyhow::Result<Guarded> {
    Guarded::role(&["--house"], |command| {
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("DATABASE_URL", database.plain_url())
            .env("FRESHET_DATA", data)
            .env("PORT", "0")
            .env("ALLOW_PRIVATE_HOSTS", "127.0.0.1")
            .stdout(Stdio::null());
    })
}
