//! The whole house in one process.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use api::Api;
use cleanup::Cleanup;
use crawler::Crawler;
use dispatcher::Dispatcher;
use extractor::Extractor;
use jiff::SignedDuration;
use matcher::Matcher;
use notifier::Notifier;
use renderer::Renderer;
use secrecy::SecretString;
use shared::clock::Clock;
use shared::door;
use shared::house::{Browsers, House, LOCAL_VISIBILITY, Local, LocalSettings, QueueName, ScraperSettings};
use shared::outbound::Outbound;
use shared::room;
use shared::scrape::intake::MAX_QUEUE_DEPTH;
use shared::scrapers::Scrapers;
use shared::settings::{Env, HouseKind};
use shared::store::{migrate, renderers};
use stream::Stream;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cluster::Cluster;
use crate::keys::{self, Keys};
use crate::web;

/// Everything in flight has this long to finish when we are told to stop.
const DRAIN: Duration = Duration::from_secs(30);
const SWEEP_EVERY: Duration = Duration::from_secs(10);
const ADOPT_EVERY: Duration = Duration::from_secs(5);
/// Unless CLEANUP_EVERY_SECONDS says otherwise.
const CLEAN_EVERY: u64 = 900;
/// How often the uses of scraper keys are written down, if nobody calls.
const COUNT_EVERY: Duration = Duration::from_secs(10);
/// How often it is looked whether the day has changed.
const DAY_EVERY: Duration = Duration::from_secs(60);
/// Requests under way at once, each to another site.
const CRAWLERS: usize = 64;
/// Far more than are read at once: they are saved together.
const EXTRACTORS: usize = 32;
/// Each scores whole chunks, set by set.
const MATCHERS: usize = 4;
/// Receivers that may be slow at once.
const NOTIFIERS: usize = 64;
const POOL: usize = 24;
/// How often the browsers are reported.
const REPORT_EVERY: Duration = Duration::from_secs(15);
const CONNECT_TIMEOUT_MS: u64 = 5_000;

/// A house that runs, until it is told to stop.
pub struct Running {
    pub address: SocketAddr,
    pub keys: Keys,
    /// The API, to be called without a socket.
    pub router: axum::Router,
    data: PathBuf,
    log: Option<PathBuf>,
    cluster: Option<Cluster>,
    house: Arc<House>,
    /// What they have counted is written down at the end.
    scrapers: Scrapers,
    stop: CancellationToken,
    rooms: TaskTracker,
}

/// `freshet serve`.
pub async fn run(env: &Env) -> anyhow::Result<()> {
    let running = start(env, env.list("ALLOW_PRIVATE_HOSTS")).await?;
    running.introduce(env)?;
    running.until_told().await
}

/// `freshet migrate`.
pub async fn migrate(env: &Env) -> anyhow::Result<()> {
    let url = SecretString::from(env.required("DATABASE_URL")?);
    let applied = migrate::migrate(&url).await?;
    for name in &applied {
        crate::say(&format!("applied {name}"));
    }
    crate::say(if applied.is_empty() { "the schema is current" } else { "the schema is current now" });
    Ok(())
}

/// Starts the database if it is ours to start, migrates it, and starts every room.
pub async fn start(env: &Env, private_hosts: Vec<String>) -> anyhow::Result<Running> {
    let data = keys::data_folder(env);
    std::fs::create_dir_all(&data).with_context(|| format!("making {}", data.display()))?;
    let data = std::fs::canonicalize(&data)?;
    let port: u16 = env.parsed("PORT", 8080)?;
    let log = start_logging(env, &data)?;
    // Taken first: a second start on the same port fails before it touches anything.
    let listener = TcpListener::bind(("127.0.0.1", port))
        .await
        .with_context(|| format!("port {port} is taken; set PORT to another"))?;
    let keys = keys::load(env, &data)?;
    let (url, cluster) = match env.optional("DATABASE_URL") {
        Some(url) => (url, None),
        None => {
            let cluster =
                Cluster::start(&data.join("postgres"), env.optional("FRESHET_PG_BIN").map(PathBuf::from))
                    .await?;
            (cluster.url().to_owned(), Some(cluster))
        }
    };
    let url = SecretString::from(url);
    migrate::migrate(&url).await?;
    let settings = LocalSettings {
        url,
        pool_size: env.parsed("DATABASE_POOL_SIZE", POOL)?,
        data: data.clone(),
        callers: keys.callers.clone(),
        webhook_secret: keys.webhook_secret.clone(),
        default_webhook_url: env.optional("DEFAULT_WEBHOOK_URL"),
        private_hosts,
        connect_limit: Duration::from_millis(env.parsed("CONNECT_TIMEOUT_MS", CONNECT_TIMEOUT_MS)?),
        outbound: Outbound::of(env)?,
        max_queue_depth: env.parsed("MAX_QUEUE_DEPTH", MAX_QUEUE_DEPTH)?,
        scrapers: ScraperSettings::of(env)?,
        browsers: Browsers::of(env, HouseKind::Local, data.join("browsers"))?,
        ai: shared::ai::Settings::of(env)?,
    };
    let house = Arc::new(House::Local(Box::new(Local::new(settings).await?)));
    let (stop, rooms) = (CancellationToken::new(), TaskTracker::new());
    let address = listener.local_addr()?;
    let (router, scrapers) = open_rooms(&house, env, listener, &stop, &rooms).await?;
    Ok(Running { address, keys, router, data, log, cluster, house, scrapers, stop, rooms })
}

fn start_logging(env: &Env, data: &std::path::Path) -> anyhow::Result<Option<PathBuf>> {
    let path = env.optional("LOG_FILE").map_or_else(|| data.join("freshet.log"), PathBuf::from);
    if path.as_os_str() == "-" {
        shared::telemetry::start(env)?;
        return Ok(None);
    }
    shared::telemetry::start_in_file(env, &path)?;
    Ok(Some(path))
}

async fn open_rooms(
    house: &Arc<House>,
    env: &Env,
    listener: TcpListener,
    stop: &CancellationToken,
    rooms: &TaskTracker,
) -> anyhow::Result<(axum::Router, Scrapers)> {
    let House::Local(local) = &**house else { bail!("this program runs the local house") };
    let dispatcher = Arc::new(Dispatcher::new(house).await?);
    let cleanup = Arc::new(Cleanup::new(house).await?);
    let daily = cleanup.clone();
    let api = Api::new(house).await?;
    let renderer = match Renderer::new(house).await {
        Ok(renderer) => Some(Arc::new(renderer)),
        Err(error) => {
            tracing::warn!(error = format!("{error:#}"), "pages are not rendered");
            crate::say(&format!("no page is rendered here: {error:#}"));
            None
        }
    };
    let mut crawler = Crawler::new(house).await?;
    if renderer.is_none() {
        crawler.render = None;
    }
    let crawler = Arc::new(crawler);
    let extractor = Arc::new(Extractor::new(house).await?);
    let notifier = Arc::new(Notifier::new(house).await?);
    let matcher = Arc::new(Matcher::new(house).await?);

    // What a killed run left is ours now.
    local.adopt().await?;
    dispatcher::sweep_after(&dispatcher, SignedDuration::from_secs(1)).await?;

    let (queue, until) = (house.queue(QueueName::Crawl)?, stop.clone());
    let width = env.parsed("CRAWLERS", CRAWLERS)?;
    rooms.spawn(room::work(queue, Clock::System, width, LOCAL_VISIBILITY, until, move |job| {
        let crawler = crawler.clone();
        async move { Box::pin(crawler::hear(&crawler, job)).await }
    }));
    if let Some(renderer) = renderer {
        show_pages(house, env, renderer, stop, rooms)?;
    }
    let (queue, until) = (house.queue(QueueName::Extract)?, stop.clone());
    let width = env.parsed("EXTRACTORS", EXTRACTORS)?;
    rooms.spawn(room::work(queue, Clock::System, width, LOCAL_VISIBILITY, until, move |job| {
        let extractor = extractor.clone();
        async move { Box::pin(extractor::extract(&extractor, job)).await }
    }));

    let (queue, until) = (house.queue(QueueName::Notify)?, stop.clone());
    let width = env.parsed("NOTIFIERS", NOTIFIERS)?;
    rooms.spawn(room::work(queue, Clock::System, width, LOCAL_VISIBILITY, until, move |job| {
        let notifier = notifier.clone();
        async move { Box::pin(notifier::notify(&notifier, job)).await }
    }));

    let (queue, until) = (house.queue(QueueName::Match)?, stop.clone());
    let width = env.parsed("MATCHERS", MATCHERS)?;
    rooms.spawn(room::work(queue, Clock::System, width, LOCAL_VISIBILITY, until, move |job| {
        let matcher = matcher.clone();
        async move { Box::pin(matcher::score(&matcher, job)).await }
    }));

    every(SWEEP_EVERY, stop, rooms, move || {
        let dispatcher = dispatcher.clone();
        async move { dispatcher::sweep(&dispatcher).await.map(drop) }
    });
    let clean_every = Duration::from_secs(env.parsed("CLEANUP_EVERY_SECONDS", CLEAN_EVERY)?.max(1));
    every(clean_every, stop, rooms, {
        let house = house.clone();
        move || {
            let (cleanup, house) = (cleanup.clone(), house.clone());
            async move {
                cleanup::clean(&cleanup).await?;
                if let House::Local(local) = &*house {
                    local.forget_old().await?;
                }
                Ok(())
            }
        }
    });
    every(DAY_EVERY, stop, rooms, move || {
        let daily = daily.clone();
        async move { cleanup::each_day(&daily).await.map(drop) }
    });
    every(ADOPT_EVERY, stop, rooms, {
        let house = house.clone();
        move || {
            let house = house.clone();
            async move {
                if let House::Local(local) = &*house {
                    local.adopt().await?;
                }
                Ok(())
            }
        }
    });
    let scrapers = api.scrapers.clone();
    every(COUNT_EVERY, stop, rooms, {
        let scrapers = scrapers.clone();
        move || {
            let scrapers = scrapers.clone();
            async move {
                scrapers.flush(Clock::System.now()).await;
                Ok(())
            }
        }
    });
    // One port for all HTTP rooms, and one description of them.
    let stream = Stream::new(house).await?;
    let api = Api { description: Arc::new(described()), page: web::page(), ..api };
    let router = door::house(api::doors(api).merge(stream::doors(stream)).merge(web::files()));
    let until = stop.clone();
    let served = router.clone();
    rooms.spawn(async move {
        if let Err(error) =
            axum::serve(listener, served).with_graceful_shutdown(until.cancelled_owned()).await
        {
            tracing::error!(%error, "the web server ended");
        }
    });
    Ok((router, scrapers))
}

/// The renderer: pages as the browsers can take them, and word of how the browsers are. They end with the room.
fn show_pages(
    house: &Arc<House>,
    env: &Env,
    renderer: Arc<Renderer>,
    stop: &CancellationToken,
    rooms: &TaskTracker,
) -> anyhow::Result<()> {
    let House::Local(local) = &**house else { bail!("this program runs the local house") };
    let (db, id) = (local.db.clone(), renderer.instance);
    let reported = renderer.clone();
    every(REPORT_EVERY, stop, rooms, move || {
        let (db, said) = (db.clone(), reported.report());
        async move { renderers::report(&*db.conn().await?, id, said, Clock::System.now()).await }
    });
    // More at once than the machine has hands for make every one of them slow.
    let usual = std::thread::available_parallelism().map_or(2, |cores| cores.get() * 2);
    let width = env.parsed("RENDERERS", usual.min(house.browsers()?.max))?;
    let (queue, until) = (house.queue(QueueName::Render)?, stop.clone());
    rooms.spawn(async move {
        let shown = renderer.clone();
        room::work_once(queue, Clock::System, width, LOCAL_VISIBILITY, until, move |job| {
            let renderer = shown.clone();
            async move { Box::pin(renderer::render(&renderer, job)).await }
        })
        .await;
        renderer.close().await;
    });
    Ok(())
}

/// `freshet openapi`.
pub fn print_description() -> anyhow::Result<()> {
    crate::say(&serde_json::to_string_pretty(&described())?);
    Ok(())
}

/// What the rooms of this house answer, together.
fn described() -> serde_json::Value {
    let (mut all, mut more) = (api::document(), stream::document());
    for part in ["/paths", "/components/schemas"] {
        let added = more.pointer_mut(part).and_then(serde_json::Value::as_object_mut).map(std::mem::take);
        if let Some(known) = all.pointer_mut(part).and_then(serde_json::Value::as_object_mut) {
            known.extend(added.unwrap_or_default());
        }
    }
    all
}

/// Does something now and then until told to stop. A failure is logged, and the next time comes all the same.
fn every<F, W>(pause: Duration, stop: &CancellationToken, rooms: &TaskTracker, work: W)
where
    W: Fn() -> F + Send + 'static,
    F: Future<Output = anyhow::Result<()>> + Send,
{
    let stop = stop.clone();
    rooms.spawn(async move {
        let mut beat = tokio::time::interval(pause);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = beat.tick() => {}
                () = stop.cancelled() => return,
            }
            if let Err(error) = work().await {
                tracing::error!(error = format!("{error:#}"), "work by the clock failed");
            }
        }
    });
}

impl Running {
    /// Tells a newcomer where everything is and what to type.
    pub fn introduce(&self, env: &Env) -> anyhow::Result<()> {
        let token = keys::admin_token(&self.keys.callers, "local", 12)?;
        let address = self.address;
        let key = self.keys.shown.as_deref().unwrap_or("$SERVICE_KEY");
        let database = match (&self.cluster, env.optional("DATABASE_URL")) {
            (Some(cluster), _) => cluster.folder().display().to_string(),
            _ => "the database that DATABASE_URL names".to_owned(),
        };
        let log = self.log.as_ref().map_or("standard error".to_owned(), |path| path.display().to_string());
        crate::say(&format!(
            "\n  Freshet is running at  http://{address}\n  \
             sign in as admin       http://{address}/#token={token}\n  \
             data                   {}\n  \
             database               {database}\n  \
             log                    {log}\n\n  \
             Hand it a job posting:\n\n    \
             curl -s http://{address}/api/v1/scrape -H 'X-Service-Key: {key}' \\\n      \
             -d '{{\"target_type\":\"job_posting\",\"workspace_id\":\"me\",\"target_url\":\"https://example.com/jobs/1\"}}'\n\n  \
             Ctrl-C stops it; the next start goes on where this one ended.\n",
            self.data.display()
        ));
        Ok(())
    }

    /// Runs until Ctrl-C or SIGTERM, then finishes what is in flight.
    pub async fn until_told(self) -> anyhow::Result<()> {
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted?,
            _ = terminate.recv() => {}
        }
        crate::say("stopping: finishing what is in flight …");
        self.stop().await
    }

    /// Stops taking work, drains, and stops what we started.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        self.rooms.close();
        if tokio::time::timeout(DRAIN, self.rooms.wait()).await.is_err() {
            tracing::warn!("some work did not finish in time; the next start takes it over");
        }
        self.scrapers.flush(Clock::System.now()).await;
        if let House::Local(local) = &*self.house {
            local.close();
        }
        if let Some(cluster) = self.cluster {
            tokio::task::spawn_blocking(move || cluster.stop()).await??;
        }
        crate::say("stopped");
        Ok(())
    }
}
