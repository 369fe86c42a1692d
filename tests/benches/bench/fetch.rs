//! The floor of a crawl: one reqwest client, one request of a site at a time, the bytes thrown away.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use reqwest::Client;

use super::database::scratch;
use super::process::{Guarded, Usage, say};
use super::site::{self, Sites};

/// What fetching cost.
#[derive(Debug, Clone, Copy)]
pub struct Fetching {
    pub seconds: f64,
    pub cpu_seconds: f64,
    pub peak_mb: f64,
}

/// So often are the same pages fetched: once takes a tenth of a second, in which a busy machine is busy or not.
const TIMES: u64 = 10;

/// Fetches pages `from..from + pages` in a process of its own; what it cost to do so once.
pub fn measure(sites: &Sites, from: u64, pages: u64) -> anyhow::Result<Fetching> {
    let ports: Vec<String> = sites.ports.iter().map(u16::to_string).collect();
    let args = ["--fetch", &ports.join(","), &from.to_string(), &pages.to_string()];
    let mut process = Guarded::role(&args, |command| {
        command.stdout(Stdio::piped());
    })?;
    let output = process.child().stdout.take().context("a piped output")?;
    let said = std::io::read_to_string(output)?;
    figures(&said)
}

/// The same pages by Scrapy, once: it takes seconds.
pub fn measure_scrapy(sites: &Sites, from: u64, pages: u64) -> anyhow::Result<Fetching> {
    let ports: Vec<String> = sites.ports.iter().map(u16::to_string).collect();
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = scratch()?;
    let output = Command::new(home.join("../.venv-bench/bin/python"))
        .arg(home.join("benches/scrapy_crawl.py"))
        .args([ports.join(","), from.to_string(), pages.to_string()])
        .arg(folder.path().join("pages"))
        .stderr(Stdio::inherit())
        .output()
        .context("starting Scrapy: `scripts/setup bench` installs it")?;
    let said = String::from_utf8(output.stdout)?;
    ensure!(output.status.success(), "Scrapy failed: {said}");
    figures(&said)
}

/// Seconds, processor seconds, megabytes.
fn figures(said: &str) -> anyhow::Result<Fetching> {
    let figures: Vec<f64> = said.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [seconds, cpu_seconds, peak_mb] = figures[..] else { anyhow::bail!("the fetcher said {said:?}") };
    Ok(Fetching { seconds, cpu_seconds, peak_mb })
}

/// The role `--fetch`.
pub async fn run(ports: &str, from: u64, pages: u64) -> anyhow::Result<()> {
    let ports: Vec<u16> = ports.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let client = client()?;
    let started = Instant::now();
    let mut workers = tokio::task::JoinSet::new();
    for lane in 0..ports.len() as u64 {
        let (client, ports) = (client.clone(), ports.clone());
        workers.spawn(async move {
            let mut bytes = 0;
            for _ in 0..TIMES {
                for number in (from + lane..from + pages).step_by(ports.len()) {
                    let mut response = client.get(site::url(&ports, number)).send().await?;
                    ensure!(response.status() == 200, "page {number} answered {}", response.status());
                    while let Some(chunk) = response.chunk().await? {
                        bytes += chunk.len() as u64;
                    }
                }
            }
            Ok(bytes)
        });
    }
    let bytes: u64 = workers.join_all().await.into_iter().sum::<anyhow::Result<u64>>()?;
    let (seconds, usage) = (started.elapsed().as_secs_f64(), Usage::of(std::process::id())?);
    // A floor that did not carry the pages would flatter nobody but itself.
    ensure!(bytes > TIMES * pages * 60_000, "only {bytes} bytes came");
    let once = TIMES as f64;
    say(&format!("{} {} {}", seconds / once, usage.cpu_seconds / once, usage.peak_mb));
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the floor is what a client without our checks does")]
pub fn client() -> anyhow::Result<Client> {
    shared::tls::install_provider();
    Ok(Client::builder().no_proxy().timeout(Duration::from_secs(30)).build()?)
}
