//! Punctual and never early: 100 sites with a gap, four processes, and what the sites saw of it.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use shared::clock::Clock;
use shared::domain::policy::Policy;
use shared::store::policies;
use tokio::time::sleep_until;

use super::crawl::{house_of, insert_urls};
use super::database::{Database, scratch};
use super::fetch::client;
use super::process::{Guarded, say};
use super::rounds::{Pair, median};
use super::site::{Sites, small_url};
use super::table::{Good, Table};

const SITES: usize = 100;
const PAGES: u64 = 50;
const GAP: Duration = Duration::from_millis(200);
const CREW: usize = 4;
const ROUNDS: usize = 3;
/// A gap counts as short beyond this.
const TOLERANCE: Duration = Duration::from_millis(2);
const TOO_LONG: Duration = Duration::from_secs(120);

/// What the sites saw.
struct Seen {
    /// From the first request to the last, over the least that the gaps allow.
    makespan: f64,
    short: usize,
    closest: Duration,
}

pub async fn measure(table: &mut Table, database: &Database) -> anyhow::Result<()> {
    let pool = database.pool(2)?;
    let gap = u32::try_from(GAP.as_millis())?;
    let policy = Policy {
        tokens_per_interval: 1_000,
        interval_seconds: 0.0,
        min_delay_ms: gap,
        max_delay_ms: gap,
        ..Policy::default()
    };
    policies::set(&*pool.conn().await?, policies::DEFAULT, &policy, Clock::System.now()).await?;
    let mut rounds = Vec::new();
    for round in 0..ROUNDS as u64 {
        let sites = Sites::start(SITES)?;
        spaced(&sites)?;
        let floor = seen(&sites.stamps().await?)?;
        let sites = Sites::start(SITES)?;
        crew(database, &pool, &sites, round).await?;
        rounds.push((seen(&sites.stamps().await?)?, floor));
    }
    let pair =
        Pair::of(&rounds.iter().map(|(ours, floor)| (ours.makespan, floor.makespan)).collect::<Vec<_>>());
    table.row(
        "100 sites, gap 0.2 s, 4 processes: makespan",
        "× ideal",
        Good::Low,
        pair,
        "one process, a loop a site that counts from the send",
    );
    let short =
        |pick: fn(&(Seen, Seen)) -> &Seen| rounds.iter().map(|round| pick(round).short).sum::<usize>();
    let closest = |pick: fn(&(Seen, Seen)) -> &Seen| {
        median(rounds.iter().map(|round| pick(round).closest.as_secs_f64() * 1e3))
    };
    table.note(format!(
        "gaps: of {} gaps in {ROUNDS} rounds {} were short by more than 2 ms (closest pair {:.1} ms apart); of the \
         floor's {} (closest {:.1} ms). Stamped by the sites when the head of a request is read",
        SITES as u64 * (PAGES - 1) * ROUNDS as u64,
        short(|round| &round.0),
        closest(|round| &round.0),
        short(|round| &round.1),
        closest(|round| &round.1),
    ));
    Ok(())
}

/// All pages as rows, then four whole houses.
async fn crew(
    database: &Database,
    pool: &shared::store::Pool,
    sites: &Sites,
    round: u64,
) -> anyhow::Result<()> {
    let urls = (0..SITES as u64 * PAGES).map(|number| small_url(&sites.ports, round * 1_000_000 + number));
    insert_urls(pool, urls).await?;
    let data = scratch()?;
    let mut houses = Vec::new();
    for _ in 0..CREW {
        houses.push(house_of(database, data.path(), |_| {})?);
    }
    let deadline = Instant::now() + TOO_LONG;
    let conn = pool.conn().await?;
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let open: i64 =
            conn.query_one("select count(*) from tasks where ended_at is null", &[]).await?.get(0);
        if open == 0 {
            break;
        }
        if Instant::now() > deadline {
            bail!("{open} tasks did not end");
        }
    }
    for house in houses {
        house.stop()?;
    }
    let good: i64 = conn.query_one("select count(*) from tasks where status = 'success'", &[]).await?.get(0);
    ensure!(good == i64::try_from(SITES as u64 * PAGES)?, "only {good} pages became listings");
    conn.batch_execute("truncate tasks, queue_messages, queue_dedup, gates").await?;
    Ok(())
}

fn seen(stamps: &[(u16, u64)]) -> anyhow::Result<Seen> {
    let mut by_site = std::collections::HashMap::<u16, Vec<u64>>::new();
    for (site, at) in stamps {
        by_site.entry(*site).or_default().push(*at);
    }
    ensure!(by_site.len() == SITES, "only {} sites were asked", by_site.len());
    let (mut short, mut closest) = (0, u64::MAX);
    for times in by_site.values_mut() {
        times.sort_unstable();
        ensure!(times.len() as u64 == PAGES, "a site was asked {} times", times.len());
        for pair in times.windows(2) {
            closest = closest.min(pair[1] - pair[0]);
            short += usize::from(Duration::from_micros(pair[1] - pair[0]) + TOLERANCE < GAP);
        }
    }
    let first = stamps.iter().map(|stamp| stamp.1).min().unwrap_or_default();
    let last = stamps.iter().map(|stamp| stamp.1).max().unwrap_or_default();
    let ideal = GAP.as_secs_f64() * (PAGES - 1) as f64;
    Ok(Seen { makespan: (last - first) as f64 / 1e6 / ideal, short, closest: Duration::from_micros(closest) })
}

fn spaced(sites: &Sites) -> anyhow::Result<()> {
    let ports: Vec<String> = sites.ports.iter().map(u16::to_string).collect();
    let mut process = Guarded::role(&["--spaced", &ports.join(",")], |command| {
        command.stdout(Stdio::piped());
    })?;
    let output = process.child().stdout.take().context("a piped output")?;
    let said = std::io::read_to_string(output)?;
    ensure!(said.trim() == "done", "the loop said {said:?}");
    Ok(())
}

/// The role `--spaced`: the floor.
pub async fn run_spaced(ports: &str) -> anyhow::Result<()> {
    let ports: Vec<u16> = ports.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let client = client()?;
    let mut sites = tokio::task::JoinSet::new();
    for lane in 0..ports.len() as u64 {
        let (client, ports) = (client.clone(), ports.clone());
        sites.spawn(async move {
            for page in 0..PAGES {
                let sent = tokio::time::Instant::now();
                let url = small_url(&ports, page * ports.len() as u64 + lane);
                let mut response = client.get(url).send().await?;
                while response.chunk().await?.is_some() {}
                sleep_until(sent + GAP).await;
            }
            anyhow::Ok(())
        });
    }
    sites.join_all().await.into_iter().collect::<anyhow::Result<()>>()?;
    say("done");
    Ok(())
}
