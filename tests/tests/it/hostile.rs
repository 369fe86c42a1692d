//! The hostile web against the real crawler and extractor: every case ends, in bounded time and memory, with
//! the right code, and the worker goes on with the very same site.

use std::sync::Arc;
use std::time::Duration;

use fixture::JobSite;
use house::hostile::shapes::SHAPES;
use house::hostile::{Case, Server, cases, good_page};
use shared::clock::Clock;
use shared::domain::extract::read;
use shared::domain::target::TargetType;
use shared::egress::{Egress, EgressError, Hop, Limits, Permission, Request};

mod memory;

use memory::Memory;

use crate::rooms::Rooms;

/// What a page may cost.
const MOST_GROWTH: usize = 64 * 1024 * 1024;
const MOST_CPU: Duration = Duration::from_millis(500);
/// Our own code is not optimised in a test; what it does is the same.
const UNOPTIMISED: u32 = if cfg!(debug_assertions) { 8 } else { 1 };

/// Shorter than in the program, so that two dozen silent servers do not take half a minute.
fn short() -> Limits {
    Limits { connect: Duration::from_secs(3), total: Duration::from_secs(12), ..Limits::default() }
}

async fn start_all() -> Vec<Server> {
    let mut servers = Vec::new();
    for case in cases() {
        servers.push(Server::start(case).await);
    }
    servers
}

/// Only these servers may be reached: a redirect to any other private address is refused.
fn door(addresses: impl Iterator<Item = String>, limits: Limits) -> Egress {
    let hosts = addresses.map(|address| address.parse().unwrap()).collect();
    Egress::new(Permission::with_private_hosts(hosts), limits).unwrap()
}

/// All at once, as on a real day: none of them may hold up or spoil another.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_misbehaving_server_ends_with_its_code_and_the_worker_goes_on() {
    let servers = start_all().await;
    assert!(servers.len() >= 40);
    let healthy = JobSite::start("127.0.0.1").await;
    healthy.posts("/jobs/1", "Lock Keeper");
    let addresses = servers.iter().map(|server| server.address).chain([healthy.address]);
    let limits = short();
    let web = door(addresses.map(|address| address.to_string()), limits.clone());
    let rooms = Arc::new(Rooms::behind(web, limits.connect).await);
    let tried = servers.into_iter().map(|server| {
        let rooms = rooms.clone();
        tokio::spawn(async move {
            let code = rooms.outcome(&server.url()).await;
            // a site that answers before it is asked has no good page to go on with
            let after = match server.good_url() {
                Some(url) => rooms.outcome(&url).await,
                None => "ok".to_owned(),
            };
            (server.case, code, after)
        })
    });
    let mut wrong = Vec::new();
    for tried in tried.collect::<Vec<_>>() {
        let (case, code, after) = tried.await.unwrap();
        if code != case.code || after != "ok" {
            wrong.push(format!("{}: {code} instead of {}, then {after}", case.name, case.code));
        }
    }
    assert!(wrong.is_empty(), "{} cases went wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(rooms.outcome(&healthy.url("/jobs/1")).await, "ok", "the worker goes on");
}

/// One after the other, fetched and read as the rooms do it, with the memory of this process watched.
#[tokio::test]
async fn no_misbehaving_server_makes_us_take_more_than_64_mib() {
    let limits = Limits {
        connect: Duration::from_millis(300),
        total: Duration::from_millis(600),
        ..Limits::default()
    };
    let servers = start_all().await;
    let web = door(servers.iter().map(|server| server.address.to_string()), limits);
    let mut wrong = Vec::new();
    for server in &servers {
        let memory = Memory::watch();
        let fetched = web.fetch(Request::get(server.url()), |_| Hop::Stop).await;
        if let Ok(fetched) = &fetched {
            let kind = fetched.headers.content_type.as_deref();
            let url = fetched.final_url.as_str();
            drop(read(TargetType::JobPosting, &fetched.body, kind, url, url, Clock::System.now()));
        }
        let growth = memory.growth();
        if growth > MOST_GROWTH {
            wrong.push(format!("{}: {} MiB", server.case.name, growth >> 20));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Without the limits a bomb comes through: what stops it above is the limits.
#[tokio::test]
async fn with_the_limits_off_a_bomb_goes_off() {
    let case: &Case = cases().find(|case| case.name == "gzip_bomb").unwrap();
    let server = Server::start(case).await;
    let fetch = async |limits: Limits| {
        let web = door([server.address.to_string()].into_iter(), limits);
        web.fetch(Request::get(server.url()), |_| Hop::Stop).await.map(|fetched| fetched.body.len())
    };
    assert_eq!(fetch(Limits { ratio: u64::MAX, ..Limits::default() }).await, Ok(2 * 1024 * 1024));
    assert_eq!(fetch(Limits::default()).await, Err(EgressError::RatioExceeded { ratio: 100 }));
}

/// Each in its turn, read as each kind of page, with the thread's processor time and the process's memory
/// watched. What holds the time down is the reader's own budget; the clock is here to catch a budget that
/// no longer fits.
#[test]
fn every_hostile_page_is_read_or_refused_within_its_budget() {
    assert!(SHAPES.len() >= 30);
    let mut wrong = Vec::new();
    let (mut slowest, mut largest) = ((Duration::ZERO, ""), (0, ""));
    for shape in SHAPES {
        let page = (shape.make)();
        let url = "https://jobs.example.com/jobs/1";
        for &target in TargetType::ALL {
            let memory = Memory::watch();
            let before = processor_time();
            let reading =
                read(target, &page, Some("text/html"), url, url, "2026-11-16T00:00:00Z".parse().unwrap());
            let spent = processor_time() - before;
            let growth = memory.growth();
            slowest = slowest.max((spent, shape.name));
            largest = largest.max((growth, shape.name));
            if target == TargetType::JobPosting && reading.verdict.code != shape.code {
                wrong.push(format!("{}: {} instead of {}", shape.name, reading.verdict.code, shape.code));
            }
            if spent > MOST_CPU * UNOPTIMISED || growth > MOST_GROWTH {
                wrong.push(format!("{} as {target}: {spent:?}, {} MiB", shape.name, growth >> 20));
            }
            // the tree is the same for every reader
            if reading.too_complex.is_some_and(|over| over.what != "JSON-LD") {
                break;
            }
        }
    }
    println!(
        "slowest: {} in {:?}; largest: {} with {} MiB",
        slowest.1,
        slowest.0,
        largest.1,
        largest.0 >> 20
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let good = read(
        TargetType::JobPosting,
        good_page().as_bytes(),
        None,
        "https://jobs.example.com/1",
        "https://jobs.example.com/1",
        "2026-11-16T00:00:00Z".parse().unwrap(),
    );
    assert_eq!(good.verdict.code, "live");
}

/// At the limits of the program itself: thirty seconds, and not one more.
#[tokio::test(flavor = "multi_thread")]
async fn a_drip_ends_at_the_real_limit() {
    let case: &Case = cases().find(|case| case.name == "dripping_body").unwrap();
    let server = Server::start(case).await;
    let web = door([server.address.to_string()].into_iter(), Limits::default());
    let rooms = Rooms::behind(web, Limits::default().connect).await;
    let started = std::time::Instant::now();
    assert_eq!(rooms.outcome(&server.url()).await, "timeout");
    let taken = started.elapsed();
    assert!(taken >= Duration::from_secs(29) && taken < Duration::from_secs(40), "{taken:?}");
    assert_eq!(rooms.outcome(&server.good_url().unwrap()).await, "ok");
}

fn processor_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}
