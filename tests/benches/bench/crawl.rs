//! A crawl without delays, from the rows in the table to the stored pages, and on to the listings.

use std::path::Path;
use std::process::{Command, Stdio};
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
use super::process::{Guarded, Usage, say};
use super::rounds::{Pair, median};
use super::site::Sites;
use super::table::{Good, Table};

const SITES: usize = 20;
const PAGES: u64 = 5_000;
const ROUNDS: u64 = 3;
/// Enough to see whether memory grows with the pages.
const MANY_PAGES: u64 = 20_000;
const TOO_LONG: Duration = Duration::from_secs(120);

/// What one crawl cost.
struct Crawl {
    seconds: f64,
    house: Usage,
    postgres_cpu: f64,
    transactions: f64,
    wal_bytes: f64,
}

/// How far the pages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Fetched, hashed, stored; the tasks wait to be read.
    Stored,
    /// Read as well: every page a listing with its evidence.
    Listed,
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
    let (mut stored, mut listed, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    let mut from = 0;
    for _ in 0..ROUNDS {
        let floor = fetch::measure(&sites, from, PAGES)?;
        let ours = crawl(database, &pool, &sites, from, PAGES, Way::Stored).await?;
        let scrapy = fetch::measure_scrapy(&sites, from, PAGES)?;
        say(&format!(
            "  beside it: Scrapy {:.0} pages/s, {:.2} s/1,000; the bare client {:.0} pages/s, {:.2} s/1,000",
            PAGES as f64 / scrapy.seconds,
            scrapy.cpu_seconds * 1e3 / PAGES as f64,
            PAGES as f64 / floor.seconds,
            floor.cpu_seconds * 1e3 / PAGES as f64,
        ));
        memory.push(ours.house.peak_mb);
        stored.push((ours, scrapy, floor));
        from += PAGES;
        let floor = fetch::measure(&sites, from, PAGES)?;
        listed.push((crawl(database, &pool, &sites, from, PAGES, Way::Listed).await?, floor));
        from += PAGES;
    }
    let long = crawl(database, &pool, &sites, from, MANY_PAGES, Way::Stored).await?;
    compare(table, &stored, &listed);
    let each = |pick: fn(&Crawl) -> f64| median(stored.iter().map(|(c, _, _)| pick(c) / PAGES as f64));
    table.note(format!(
        "crawl: {PAGES} new pages of 67 KB on {SITES} loopback sites, no delays, one request of a site at a time; \
         {:.1} transactions and {:.1} KB of WAL a page; Postgres with fsync and synchronous_commit on, pages \
         compressed and flushed to disk. Scrapy appends the bytes to a file and keeps no rows",
        each(|c| c.transactions),
        each(|c| c.wal_bytes) / 1024.0
    ));
    table.note(format!(
        "crawl: peak memory {:.0} MB over {PAGES} pages, {:.0} MB over {MANY_PAGES}",
        median(memory.into_iter()),
        long.house.peak_mb
    ));
    Ok(())
}

type Stored = (Crawl, fetch::Fetching, fetch::Fetching);

fn compare(table: &mut Table, stored: &[Stored], listed: &[(Crawl, fetch::Fetching)]) {
    let thousands = PAGES as f64 / 1_000.0;
    let scrapy = "a tuned Scrapy, same pages and concurrency, bytes appended to a file";
    let reqwest = "one reqwest client, same pages and concurrency, bytes thrown away";
    let with_postgres = |c: &Crawl| c.house.cpu_seconds + c.postgres_cpu;
    let beside = |ours: &dyn Fn(&Crawl) -> f64, theirs: &dyn Fn(&fetch::Fetching) -> f64, which: usize| {
        let rounds = stored.iter().map(|(c, scrapy, bare)| (ours(c), theirs([scrapy, bare][which])));
        Pair::of(&rounds.collect::<Vec<_>>())
    };
    let rate = |c: &Crawl| PAGES as f64 / c.seconds;
    let their_rate = |f: &fetch::Fetching| PAGES as f64 / f.seconds;
    let cpu = |c: &Crawl| with_postgres(c) / thousands;
    let own_cpu = |c: &Crawl| c.house.cpu_seconds / thousands;
    let their_cpu = |f: &fetch::Fetching| f.cpu_seconds / thousands;
    let (peak, their_peak) = (|c: &Crawl| c.house.peak_mb, |f: &fetch::Fetching| f.peak_mb);
    table.row(
        "crawl: fetch, SimHash, store a page",
        "pages/s",
        Good::High,
        beside(&rate, &their_rate, 0),
        scrapy,
    );
    table.row("  processor time with Postgres", "s/1,000", Good::Low, beside(&cpu, &their_cpu, 0), scrapy);
    table.row("  memory at its peak", "MB", Good::Low, beside(&peak, &their_peak, 0), scrapy);
    table.row("  the same crawl", "pages/s", Good::High, beside(&rate, &their_rate, 1), reqwest);
    table.row("  our processor time", "s/1,000", Good::Low, beside(&own_cpu, &their_cpu, 1), reqwest);
    table.row("  with that of Postgres", "s/1,000", Good::Low, beside(&cpu, &their_cpu, 1), reqwest);
    let whole = |ours: &dyn Fn(&Crawl) -> f64, theirs: &dyn Fn(&fetch::Fetching) -> f64| {
        Pair::of(&listed.iter().map(|(c, f)| (ours(c), theirs(f))).collect::<Vec<_>>())
    };
    table.row(
        "crawl to listing: read and listed too",
        "pages/s",
        Good::High,
        whole(&rate, &their_rate),
        reqwest,
    );
    table.row("  processor time with Postgres", "s/1,000", Good::Low, whole(&cpu, &their_cpu), reqwest);
}

/// Hands the tasks in, starts the house, and waits until the last one has come as far as it should.
async fn crawl(
    database: &Database,
    pool: &Pool,
    sites: &Sites,
    from: u64,
    pages: u64,
    way: Way,
) -> anyhow::Result<Crawl> {
    insert(pool, sites, from, pages).await?;
    let before = database.counts(pool).await?;
    let data = scratch()?;
    let mut house = start_house(database, data.path(), way)?;
    let deadline = Instant::now() + TOO_LONG;
    let conn = pool.conn().await?;
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        // Cheap while there is much to do: looking must not be what is measured.
        let waiting = "select exists (select 1 from tasks where status = 'pending' and released_at is null)";
        if conn.query_one(waiting, &[]).await?.get(0) && Instant::now() < deadline && !house.has_ended()? {
            continue;
        }
        let open = match way {
            Way::Stored => "select count(*) from tasks where ended_at is null and stage = 'fetch'",
            Way::Listed => "select count(*) from tasks where ended_at is null",
        };
        let open: i64 = conn.query_one(open, &[]).await?.get(0);
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
            "select count(*) filter (where case when $2 then newest.status = 'success' and listing_id is not null
                     else stage = 'extract' and newest.status = 'processing' end
                     and p.simhash is not null and p.raw_key is not null),
                 extract(epoch from coalesce(max(ended_at), max(released_at)) - min(started_at))::float8
             from (select * from tasks order by created_at desc limit $1) newest join pages p using (url_key)",
            &[&i64::try_from(pages)?, &(way == Way::Listed)],
        )
        .await?;
    let (good, seconds): (i64, f64) = (row.get(0), row.get(1));
    let postgres_cpu = after.cpu_seconds - before.cpu_seconds;
    say(&format!(
        "{way:?}: {:.0} pages/s; processor {:.2} + {:.2} s/1,000 with Postgres; {:.1} transactions a page",
        pages as f64 / seconds,
        usage.cpu_seconds * 1e3 / pages as f64,
        postgres_cpu * 1e3 / pages as f64,
        (after.transactions - before.transactions) / pages as f64,
    ));
    ensure!(good == i64::try_from(pages)?, "only {good} of {pages} pages came through");
    // The next crawl must not find the rests of this one.
    conn.batch_execute("truncate tasks, queue_messages, queue_dedup").await?;
    Ok(Crawl {
        seconds,
        house: usage,
        postgres_cpu,
        transactions: after.transactions - before.transactions,
        wal_bytes: after.wal_bytes - before.wal_bytes,
    })
}

async fn insert(pool: &Pool, sites: &Sites, from: u64, pages: u64) -> anyhow::Result<()> {
    insert_urls(pool, (from..from + pages).map(|number| sites.url(number))).await
}

/// A task for each page.
pub async fn insert_urls(pool: &Pool, urls: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let mut conn = pool.conn().await?;
    let transaction = conn.transaction().await?;
    let now = Clock::System.now();
    for url in urls {
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
fn start_house(database: &Database, data: &Path, way: Way) -> anyhow::Result<Guarded> {
    house_of(database, data, |command| {
        if way == Way::Stored {
            command.env("EXTRACTORS", "0");
        }
    })
}

/// A whole house in a process of its own.
pub fn house_of(
    database: &Database,
    data: &Path,
    dress: impl FnOnce(&mut Command),
) -> anyhow::Result<Guarded> {
    Guarded::role(&["--house"], |command| {
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("DATABASE_URL", database.plain_url())
            .env("FRESHET_DATA", data)
            .env("PORT", "0")
            .env("ALLOW_PRIVATE_HOSTS", "127.0.0.1")
            .stdout(Stdio::null());
        dress(command);
    })
}
