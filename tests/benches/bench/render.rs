//! A simple page in a warm browser, from the message to the stored document, beside the least it could cost.

use std::time::{Duration, Instant};

use anyhow::ensure;
use fixture::JobSite;
use jiff::SignedDuration;
use renderer::chrome::Chrome;
use renderer::pool::{Pool, PoolSettings};
use renderer::process::Browser;
use renderer::stock::Sizes;
use renderer::{Renderer, bare};
use shared::blobs::{Blobs, FolderBlobs};
use shared::clock::Clock;
use shared::domain::ids::TaskId;
use shared::domain::render::{Outcome, Sight};
use shared::domain::site::site_key;
use shared::egress::{Caps, Egress, Limits, Permission, Route};
use shared::messages::RenderJob;
use shared::outbound::USER_AGENT;
use shared::queue::{MAX_RECEIVES, PgQueue, Queue};
use uuid::Uuid;

use super::database::{Database, scratch};
use super::rounds::Pair;
use super::table::{Good, Table};

const ROUNDS: usize = 30;

pub async fn measure(table: &mut Table, database: &Database) -> anyhow::Result<()> {
    let site = JobSite::start("127.0.0.1").await;
    let kind = [("content-type", "text/html; charset=utf-8")];
    site.answers("/plain", 200, &kind, "<!doctype html><title>Jobs</title><h1>Lock keeper</h1>");
    let script = "<!doctype html><div id=root></div><script>root.innerHTML = '<h1>Lock keeper</h1>'</script>";
    site.answers("/script", 200, &kind, script);
    let (folder, queues) = (scratch()?, database.pool(2)?);
    let queue = |name: &str| {
        let visibility = Duration::from_secs(30);
        Queue::Postgres(PgQueue::new(queues.clone(), Clock::System, name, visibility, MAX_RECEIVES))
    };
    let chrome = Chrome::find(None, true)?;
    let here = vec![site.address.to_string().parse()?];
    let room = Renderer {
        pool: Pool::new(PoolSettings {
            chrome: chrome.clone(),
            sizes: Sizes { size: 1, max: 1, page_limit: 1_000 },
            wait: Duration::from_secs(30),
            folder: folder.path().join("ours"),
            user_agent: USER_AGENT.to_owned(),
            memory: 2 << 30,
        }),
        web: Egress::new(Permission::with_private_hosts(here), Limits::default())?,
        blobs: Blobs::Folder(FolderBlobs::new(folder.path().join("blobs"))?),
        render: queue("render"),
        crawl: queue("crawl"),
        clock: Clock::System,
        instance: Uuid::new_v4(),
        caps: Caps::default(),
    };
    let by = room.web.forward(Route::Direct, Caps { requests: u32::MAX, bytes: u64::MAX }).await?;
    let floor = Browser::start(&chrome, &folder.path().join("floor"), USER_AGENT).await?;
    for (what, path) in [("render: a simple page", "/plain"), ("render: a page made by a script", "/script")]
    {
        let mut rounds = Vec::new();
        for round in 0..=ROUNDS {
            let begun = Instant::now();
            let html = bare::show(&floor, &by, &site.url(path)).await?;
            let least = begun.elapsed();
            ensure!(html.contains("Lock keeper"), "the floor shows {html}");
            let begun = Instant::now();
            let (outcome, _) = renderer::show(&room, &job(&site.url(path))?).await;
            let ours = begun.elapsed();
            ensure!(matches!(outcome, Outcome::Shown { stored: true, .. }), "{outcome:?}");
            if round > 0 {
                rounds.push((ours.as_secs_f64() * 1_000.0, least.as_secs_f64() * 1_000.0));
            }
        }
        let floor = "the same browser by DevTools alone: tab, navigation, document";
        table.row(what, "ms", Good::Low, Pair::of(&rounds), floor);
    }
    table.note(format!(
        "render: medians of {ROUNDS} pages in a warm browser; ours with guard, patience and storing"
    ));
    room.close().await;
    floor.end().await;
    Ok(())
}

fn job(url: &str) -> anyhow::Result<RenderJob> {
    let now = Clock::System.now();
    Ok(RenderJob {
        task_id: TaskId::fresh(),
        release_no: 1,
        fence: 1,
        slot: 1,
        site: site_key(&url.parse()?)?,
        sight: Sight {
            url: url.to_owned(),
            face: None,
            wait_for_selector: None,
            max_scrolls: 0,
            images: false,
        },
        proxy: None,
        request_id: None,
        not_before: now,
        navigate_by: now + SignedDuration::from_secs(30),
        deadline: now + SignedDuration::from_secs(30),
    })
}
