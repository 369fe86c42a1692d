//! The role queue over HTTP: a role asked for and 25 jobs handed in, by 16 scrapers at once, each with a key of its own.
//! In the same turns: the service as it would obviously be built (`role_queue.py`), and our own statements driven by
//! pgbench, which is what Postgres alone would allow.
#![expect(
    clippy::disallowed_methods,
    reason = "scrapers are other people's clients, on loopback; a benchmark has no egress"
)]

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use reqwest::StatusCode;
use shared::domain::roles::scraper_key::NewKey;
use shared::store::{Pool, scraper_keys};

use super::crawl::house_of;
use super::database::{Database, scratch};
use super::process::{Guarded, say};
use super::roles_flask::Flask;
use super::roles_pgbench;
use super::rounds::{Pair, median};
use super::table::{Good, Table};

pub const CLIENTS: usize = 16;
/// Of one post, as many as the interface's own example has.
pub const JOBS: u64 = 25;
const PAIRS: u32 = 1_600;
/// The peer is slower; a second or so is enough of it.
const PEER_PAIRS: u32 = 320;
const ROUNDS: usize = 3;
const NEXT_ROLE: &str = "/api/scraper/queue/next-role";
const POST_JOBS: &str = "/api/scraper/queue/jobs";

/// What a round of pairs came to.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub pairs_a_second: f64,
    pub p99_ms: f64,
    /// Roles that two scrapers were given.
    pub doubled: usize,
}

impl Turn {
    pub fn of(pairs: usize, seconds: f64, mut ms: Vec<f64>, doubled: usize) -> Turn {
        ms.sort_by(f64::total_cmp);
        let at = (ms.len() * 99).div_ceil(100).saturating_sub(1);
        let p99_ms = ms.get(at).copied().unwrap_or(f64::NAN);
        Turn { pairs_a_second: pairs as f64 / seconds, p99_ms, doubled }
    }
}

/// A house that takes requests, and what its scrapers need.
pub struct House {
    pub base: String,
    pub keys: Vec<String>,
    pub process: Guarded,
    _data: tempfile::TempDir,
}

impl House {
    /// One that takes as many roles as a key asks for, with as many matchers as wanted.
    pub async fn start(database: &Database, pool: &Pool, matchers: usize) -> anyhow::Result<House> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let data = scratch()?;
        let process = house_of(database, data.path(), |command| {
            command
                .env("PORT", port.to_string())
                .env("NEXT_ROLE_PER_MINUTE", "1000000")
                .env("MATCHERS", matchers.to_string());
        })?;
        let mut keys = Vec::new();
        let conn = pool.conn().await?;
        for number in 0..CLIENTS {
            let key = NewKey::new(&std::array::from_fn(|_| rand::random()));
            let now = shared::clock::Clock::System.now();
            scraper_keys::create(&*conn, &format!("bench {number}"), None, &key, None, "bench", now).await?;
            keys.push(key.text);
        }
        let house = House { base: format!("http://127.0.0.1:{port}"), keys, process, _data: data };
        house.ready().await?;
        Ok(house)
    }

    async fn ready(&self) -> anyhow::Result<()> {
        let deadline = Instant::now() + Duration::from_secs(60);
        let client = reqwest::Client::new();
        while Instant::now() < deadline {
            let answer = client.get(format!("{}/readiness", self.base)).send().await;
            if answer.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("the house is not ready")
    }
}

pub async fn measure(table: &mut Table, database: &Database) -> anyhow::Result<()> {
    let pool = database.pool(4)?;
    let flask = Flask::new(database).await?;
    roles_pgbench::prepare(&pool).await?;
    let mut turns = Vec::new();
    let mut numbers = 0;
    for round in 0..=ROUNDS {
        let theirs = {
            let served = flask.serve(PEER_PAIRS, CLIENTS).await?;
            pairs(&served.base, &served.keys, PEER_PAIRS, &mut numbers).await?
        };
        add_roles(&pool, PAIRS).await?;
        let bare = roles_pgbench::run(database, PAIRS, round)?;
        add_roles(&pool, PAIRS).await?;
        let ours = {
            let house = House::start(database, &pool, 0).await?;
            let warm = CLIENTS as u32 * 4;
            add_roles(&pool, warm).await?;
            pairs(&house.base, &house.keys, warm, &mut numbers).await?;
            let before = database.counts(&pool).await?;
            let ours = pairs(&house.base, &house.keys, PAIRS, &mut numbers).await?;
            let after = database.counts(&pool).await?;
            let usage = super::process::Usage::of(house.process.id())?;
            say(&format!(
                "  a pair: {:.2} ms of ours, {:.2} ms of Postgres, {:.1} transactions, {:.0} KB of WAL",
                usage.cpu_seconds * 1e3 / f64::from(PAIRS + warm),
                (after.cpu_seconds - before.cpu_seconds) * 1e3 / f64::from(PAIRS),
                (after.transactions - before.transactions) / f64::from(PAIRS),
                (after.wal_bytes - before.wal_bytes) / f64::from(PAIRS) / 1024.0,
            ));
            house.process.stop()?;
            ours
        };
        say(&format!("roles, round {round}: ours {ours:.0?}, Flask {theirs:.0?}, pgbench {bare:.0?}"));
        ensure!(ours.doubled == 0, "{} roles were given twice", ours.doubled);
        sweep(&pool).await?;
        if round > 0 {
            turns.push((ours, theirs, bare));
        }
    }
    compare(table, &turns);
    Ok(())
}

/// One of the figures of a turn.
type Figure = fn(&Turn) -> f64;

fn compare(table: &mut Table, turns: &[(Turn, Turn, Turn)]) {
    let flask = "Flask, SQLAlchemy, gunicorn, `for update skip locked`, jobs in one table";
    let pgbench = "pgbench with the statements of our handlers, prepared";
    let beside = |which: usize, figure: Figure| {
        let rounds = turns.iter().map(|(ours, flask, bare)| (figure(ours), figure([flask, bare][which])));
        Pair::of(&rounds.collect::<Vec<_>>())
    };
    let rate: Figure = |turn| turn.pairs_a_second;
    let p99: Figure = |turn| turn.p99_ms;
    table.row("roles: next-role and a post of 25 jobs", "pairs/s", Good::High, beside(0, rate), flask);
    table.row("  99 % of the pairs within", "ms", Good::Low, beside(0, p99), flask);
    table.row("  the same pairs", "pairs/s", Good::High, beside(1, rate), pgbench);
    table.row("  99 % of them within", "ms", Good::Low, beside(1, p99), pgbench);
    table.note(format!(
        "roles: {CLIENTS} clients on loopback, a key each; every commit on the disk; the matcher waits (it has its own \
         row). Roles given twice: ours {}, Flask {:.0}",
        turns.iter().map(|(ours, ..)| ours.doubled).sum::<usize>(),
        median(turns.iter().map(|(_, flask, _)| flask.doubled as f64)),
    ));
}

/// Lets every client ask for a role and hand in its jobs until that many pairs are done.
async fn pairs(base: &str, keys: &[String], pairs: u32, numbers: &mut u64) -> anyhow::Result<Turn> {
    let first = *numbers;
    *numbers += u64::from(pairs) * JOBS;
    let left = Arc::new(AtomicU32::new(pairs));
    let client = reqwest::Client::new();
    let started = Instant::now();
    let mut clients = tokio::task::JoinSet::new();
    for key in keys {
        let (left, client, key, base) = (left.clone(), client.clone(), key.clone(), base.to_owned());
        clients.spawn(async move {
            let mut done = Vec::new();
            while let Some(number) = take_one(&left) {
                let begun = Instant::now();
                let asked = client.get(format!("{base}{NEXT_ROLE}")).header("x-scraper-api-key", &key);
                let answer = asked.send().await?;
                ensure!(answer.status() == StatusCode::OK, "next-role: {}", answer.status());
                let role: serde_json::Value = answer.json().await?;
                let session = role["session_id"].as_str().context("a session")?;
                let body = post(session, first + u64::from(number) * JOBS, JOBS, true);
                let posted = client
                    .post(format!("{base}{POST_JOBS}"))
                    .header("x-scraper-api-key", &key)
                    .header("content-type", "application/json");
                let answer = posted.body(body).send().await?;
                let status = answer.status();
                let answer: serde_json::Value = answer.json().await?;
                ensure!(status == StatusCode::OK && answer["jobs_imported"] == JOBS, "{status}: {answer}");
                let role = role["role"]["id"].as_i64().context("a role")?;
                done.push((role, begun.elapsed().as_secs_f64() * 1e3));
            }
            anyhow::Ok(done)
        });
    }
    let done: Vec<_> = clients.join_all().await.into_iter().collect::<anyhow::Result<Vec<_>>>()?.concat();
    let seconds = started.elapsed().as_secs_f64();
    let different: HashSet<i64> = done.iter().map(|(role, _)| *role).collect();
    let ms: Vec<f64> = done.iter().map(|(_, ms)| *ms).collect();
    Ok(Turn::of(done.len(), seconds, ms, done.len() - different.len()))
}

/// The body of a post, as the interface's example has it.
pub fn post(session: &str, first: u64, jobs: u64, complete: bool) -> String {
    let listed: Vec<String> = (first..first + jobs).map(|number| job(number).to_string()).collect();
    format!(r#"{{"session_id":"{session}","complete":{complete},"jobs":[{}]}}"#, listed.join(","))
}

const TITLES: [&str; 8] = [
    "Senior Python Developer",
    "Data Engineer",
    "Platform Engineer",
    "Backend Developer (Go)",
    "Product Manager",
    "Site Reliability Engineer",
    "QA Engineer",
    "Frontend Developer",
];
const PLACES: [&str; 6] =
    ["San Francisco, CA", "Berlin, Germany", "Porto, Portugal", "Leeds, UK", "Austin, TX", "Lyon, France"];
const SKILLS: [&str; 10] =
    ["Python", "Django", "AWS", "PostgreSQL", "Go", "Rust", "Kubernetes", "React", "Terraform", "Kafka"];
const TEXT: &str = "You will build and run the services that our customers use every day, together with a small team \
    that likes short meetings and long walks. You write code that others can read, you measure before you tune, and \
    you say so when something takes longer. We offer a desk by the window, thirty days of holiday, a budget for books \
    and courses, and people who answer questions. You have worked with databases under load, know what an index costs, \
    and have broken production at least once. Nice to have: an ear for bad news, and patience with build systems.";

/// A job that differs from all others, by one of fifty thousand companies.
pub fn job(number: u64) -> serde_json::Value {
    let pick =
        |all: &[&str], by: u64| all[usize::try_from(by % all.len() as u64).unwrap_or_default()].to_owned();
    serde_json::json!({
        "external_job_id": format!("monster-{number}"), "platform": "monster", "title": pick(&TITLES, number / 3),
        "company": format!("TechCorp {}", number * 7_919 % 50_021), "location": pick(&PLACES, number / 5),
        "description": format!("Number {number}. {TEXT}"),
        "skills": [pick(&SKILLS, number), pick(&SKILLS, number + 1), pick(&SKILLS, number + 4)],
        "salary_min": 60_000 + number % 40 * 1_000, "salary_max": 110_000 + number % 70 * 1_000,
        "job_url": format!("https://monster.example/jobs/{number}"), "posted_date": "2026-11-15",
    })
}

/// Roles that wait.
pub async fn add_roles(pool: &Pool, roles: u32) -> anyhow::Result<()> {
    let add = "insert into roles (name, key, head, technologies, candidate_count, pending_since, created_at, updated_at)
        select 'Role ' || n, 'role ' || n, 'role', '{}', n % 50, now(), now(), now()
        from (select nextval('bench_roles') as n from generate_series(1, $1::integer)) numbers";
    let conn = pool.conn().await?;
    conn.execute(add, &[&i32::try_from(roles)?]).await?;
    conn.batch_execute("analyze roles; checkpoint").await?;
    Ok(())
}

/// What a round left for others to do is nobody's next round.
async fn sweep(pool: &Pool) -> anyhow::Result<()> {
    let rest =
        "truncate queue_messages, queue_dedup, match_runs; delete from roles where queue_status = 'pending'";
    pool.conn().await?.batch_execute(rest).await?;
    Ok(())
}

fn take_one(left: &AtomicU32) -> Option<u32> {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
        .ok()
        .map(|left| left - 1)
}
