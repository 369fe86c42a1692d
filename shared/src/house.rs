//! The house: where the queues, blobs, gate and database of this program are. On AWS every room asks for
//! what its role allows; on one machine all rooms share the same parts.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use aws_config::SdkConfig;
use jiff::SignedDuration;
use secrecy::SecretString;
use serde::Deserialize;
use uuid::Uuid;

use crate::ai::{self, Ai};
use crate::blobs::{Blobs, FolderBlobs, S3Blobs};
use crate::clock::Clock;
use crate::domain::roles::matching::Weights;
use crate::egress::{Egress, Limits, Permission};
use crate::gate::{DynamoGate, Gate, PgGate};
use crate::outbound::{Outbound, Written};
use crate::proxies::Proxies;
use crate::queue::{Instance, MAX_RECEIVES, PgQueue, Queue, SqsQueue};
use crate::scrape::intake::MAX_QUEUE_DEPTH;
use crate::scrapers::PER_MINUTE;
use crate::settings::{Env, HouseKind};
use crate::store::Pool;
use crate::store::pool::{Plans, PoolSettings};
use crate::store::role_queue::LEASE;
use crate::tokens::Callers;

/// How long a message stays hidden on one machine; a heartbeat moves it while the work goes on.
pub const LOCAL_VISIBILITY: Duration = Duration::from_secs(15);

/// How long raw pages are kept on one machine; the evidence that points at them outlives them.
const KEEP_PAGES: SignedDuration = SignedDuration::from_hours(90 * 24);

/// What a browser showed is read within minutes, or never.
const KEEP_RENDERED: SignedDuration = SignedDuration::from_hours(24);

/// The queues there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueName {
    Crawl,
    Render,
    Extract,
    Notify,
    Match,
}

impl QueueName {
    pub const ALL: [QueueName; 5] =
        [QueueName::Crawl, QueueName::Render, QueueName::Extract, QueueName::Notify, QueueName::Match];

    pub fn word(self) -> &'static str {
        match self {
            QueueName::Crawl => "crawl",
            QueueName::Render => "render",
            QueueName::Extract => "extract",
            QueueName::Notify => "notify",
            QueueName::Match => "match",
        }
    }

    fn variable(self, dead: bool) -> String {
        format!("{}_{}QUEUE_URL", self.word().to_uppercase(), if dead { "DEAD_" } else { "" })
    }
}

pub enum House {
    Aws(Box<Aws>),
    Local(Box<Local>),
}

/// Parts are found through the environment that the template sets.
pub struct Aws {
    env: Env,
    sdk: SdkConfig,
}

/// Everything in one Postgres and one folder.
pub struct Local {
    pub url: SecretString,
    pub db: Pool,
    /// For the queues, the gate and the rooms that ask by key only.
    hot: Pool,
    pub blobs: FolderBlobs,
    pub callers: Callers,
    pub instance: Instance,
    crawl: PgQueue,
    render: PgQueue,
    extract: PgQueue,
    notify: PgQueue,
    matches: PgQueue,
    webhook_secret: SecretString,
    default_webhook_url: Option<String>,
    private_hosts: Vec<String>,
    connect_limit: Duration,
    outbound: Outbound,
    max_queue_depth: i64,
    scrapers: ScraperSettings,
    browsers: Browsers,
    ai: Option<ai::Settings>,
}

/// What the role queue goes by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScraperSettings {
    /// Roles that one key may ask for in a minute.
    pub per_minute: u32,
    /// How long a role is a scraper's after a sign of life.
    pub lease: SignedDuration,
    /// What each factor of a match counts.
    pub weights: Weights,
}

impl ScraperSettings {
    pub fn of(env: &Env) -> anyhow::Result<ScraperSettings> {
        let weights = match env.optional("MATCH_WEIGHTS") {
            None => Weights::default(),
            Some(text) => Weights::parse(&text)
                .map_err(|error| anyhow::anyhow!("MATCH_WEIGHTS is malformed: {error}"))?,
        };
        let lease: i64 = env.parsed("SCRAPER_LEASE_SECONDS", LEASE.as_secs())?;
        anyhow::ensure!((1..=86_400).contains(&lease), "SCRAPER_LEASE_SECONDS must be 1 to 86400");
        let per_minute = env.parsed("NEXT_ROLE_PER_MINUTE", PER_MINUTE)?;
        Ok(ScraperSettings { per_minute, lease: SignedDuration::from_secs(lease), weights })
    }
}

impl Default for ScraperSettings {
    fn default() -> Self {
        ScraperSettings { per_minute: PER_MINUTE, lease: LEASE, weights: Weights::default() }
    }
}

/// How browsers are run.
#[derive(Debug, Clone)]
pub struct Browsers {
    /// The path of one; none: the first of the usual places.
    pub program: Option<String>,
    /// Kept warm, at most, and pages until one is replaced.
    pub size: usize,
    pub max: usize,
    pub page_limit: u32,
    /// Bytes that one may hold.
    pub memory: u64,
    /// How long a page waits for one.
    pub wait: Duration,
    /// Their folders lie in here.
    pub folder: PathBuf,
    pub sandbox: bool,
}

impl Browsers {
    /// As the environment has it. On Lambda there is one, for the one message that is under way.
    pub fn of(env: &Env, kind: HouseKind, folder: PathBuf) -> anyhow::Result<Browsers> {
        let (size, max) = match kind {
            HouseKind::Aws => (1, 1),
            HouseKind::Local => (5, 20),
        };
        let mebibytes: u64 = env.parsed("BROWSER_MEMORY_MB", 1_024)?;
        Ok(Browsers {
            program: env.optional("BROWSER"),
            size: env.parsed("BROWSER_POOL_SIZE", size)?,
            max: env.parsed("BROWSER_POOL_MAX", max)?,
            page_limit: env.parsed("BROWSER_PAGE_LIMIT", 100)?,
            memory: mebibytes * 1_024 * 1_024,
            wait: Duration::from_secs(env.parsed("BROWSER_WAIT_SECONDS", 10)?),
            folder,
            sandbox: kind == HouseKind::Local && env.parsed("BROWSER_SANDBOX", true)?,
        })
    }
}

/// What `local` knows before the house stands.
pub struct LocalSettings {
    pub url: SecretString,
    pub pool_size: usize,
    pub data: PathBuf,
    pub callers: Callers,
    pub webhook_secret: SecretString,
    pub default_webhook_url: Option<String>,
    /// Hosts that egress may reach although they are not public: demos and tests.
    pub private_hosts: Vec<String>,
    pub connect_limit: Duration,
    pub outbound: Outbound,
    /// Callers of the scrape service that may wait at once.
    pub max_queue_depth: i64,
    pub scrapers: ScraperSettings,
    pub browsers: Browsers,
    /// Who fills in what pages leave open; by default nobody.
    pub ai: Option<ai::Settings>,
}

impl House {
    /// The house a Lambda function stands in.
    pub async fn of_lambda() -> anyhow::Result<House> {
        let env = Env::of_process();
        crate::telemetry::start(&env)?;
        crate::tls::install_provider();
        match env.house()? {
            HouseKind::Aws => Ok(House::Aws(Box::new(Aws::new(env).await?))),
            HouseKind::Local => {
                bail!("FRESHET_HOUSE is \"local\": run `freshet serve` instead of a Lambda function")
            }
        }
    }

    /// A name for whoever claims tasks here.
    pub fn owner(&self) -> Uuid {
        match self {
            House::Aws(_) => Uuid::new_v4(),
            House::Local(local) => local.instance.id,
        }
    }

    pub async fn db(&self, statement_timeout: Duration) -> anyhow::Result<Pool> {
        match self {
            House::Aws(aws) => aws.db(statement_timeout).await,
            House::Local(local) => Ok(local.db.clone()),
        }
    }

    /// The database for a room whose every statement asks by key.
    pub async fn hot_db(&self, statement_timeout: Duration) -> anyhow::Result<Pool> {
        match self {
            House::Aws(aws) => aws.db(statement_timeout).await,
            House::Local(local) => Ok(local.hot.clone()),
        }
    }

    pub fn queue(&self, name: QueueName) -> anyhow::Result<Queue> {
        match self {
            House::Aws(aws) => aws.queue(name, false),
            House::Local(local) => Ok(Queue::Postgres(match name {
                QueueName::Crawl => local.crawl.clone(),
                QueueName::Render => local.render.clone(),
                QueueName::Extract => local.extract.clone(),
                QueueName::Notify => local.notify.clone(),
                QueueName::Match => local.matches.clone(),
            })),
        }
    }

    /// Where the spent messages of a queue go.
    pub fn dead_queue(&self, name: QueueName) -> anyhow::Result<Queue> {
        match self {
            House::Aws(aws) => aws.queue(name, true),
            House::Local(local) => {
                let dead = format!("{}-dead", name.word());
                let queue = PgQueue::new(local.db.clone(), Clock::System, &dead, LOCAL_VISIBILITY, i32::MAX);
                Ok(Queue::Postgres(queue.owned_by(&local.instance)))
            }
        }
    }

    pub fn blobs(&self) -> anyhow::Result<Blobs> {
        match self {
            House::Aws(aws) => Ok(Blobs::S3(S3Blobs::new(aws.s3(), aws.env.required("RAW_BUCKET")?))),
            House::Local(local) => Ok(Blobs::Folder(local.blobs.clone())),
        }
    }

    pub fn gate(&self) -> anyhow::Result<Gate> {
        match self {
            House::Aws(aws) => {
                let client = aws_sdk_dynamodb::Client::new(&aws.sdk);
                Ok(Gate::Dynamo(DynamoGate::new(client, aws.env.required("GATE_TABLE")?)))
            }
            House::Local(local) => Ok(Gate::Postgres(PgGate::new(local.hot.clone()))),
        }
    }

    /// How long a name, a connection and TLS may take together. A site's `connect_budget_ms` must leave
    /// room for it.
    pub fn connect_limit(&self) -> anyhow::Result<Duration> {
        match self {
            House::Aws(_) => Ok(Limits::default().connect),
            House::Local(local) => Ok(local.connect_limit),
        }
    }

    pub async fn callers(&self) -> anyhow::Result<Callers> {
        match self {
            House::Aws(aws) => aws.callers().await,
            House::Local(local) => Ok(local.callers.clone()),
        }
    }

    /// What webhooks are signed with.
    pub async fn webhook_secret(&self) -> anyhow::Result<SecretString> {
        match self {
            House::Aws(aws) => Ok(aws.secret::<WebhookSecret>("WEBHOOK_SECRET_ARN").await?.webhook_secret),
            House::Local(local) => Ok(local.webhook_secret.clone()),
        }
    }

    /// Who is told of jobs that name nobody.
    pub fn default_webhook_url(&self) -> Option<String> {
        match self {
            House::Aws(aws) => aws.env.optional("DEFAULT_WEBHOOK_URL"),
            House::Local(local) => local.default_webhook_url.clone(),
        }
    }

    /// How the operator wants us to go out.
    pub async fn outbound(&self) -> anyhow::Result<Outbound> {
        match self {
            House::Aws(aws) => aws.outbound().await,
            House::Local(local) => Ok(local.outbound.clone()),
        }
    }

    /// The proxies, as every instance sees them.
    pub async fn proxies(&self) -> anyhow::Result<Proxies> {
        Ok(Proxies::new(&self.outbound().await?.proxies, self.gate()?))
    }

    /// How browsers are run here.
    pub fn browsers(&self) -> anyhow::Result<Browsers> {
        match self {
            House::Aws(aws) => Browsers::of(&aws.env, HouseKind::Aws, std::env::temp_dir()),
            House::Local(local) => Ok(local.browsers.clone()),
        }
    }

    /// The proxies that a browser may go by. On AWS none: their logins are secrets, and whoever runs foreign
    /// scripts has none (decision 22).
    pub fn browser_proxies(&self) -> Vec<crate::egress::Proxy> {
        match self {
            House::Aws(_) => Vec::new(),
            House::Local(local) => local.outbound.proxies.clone(),
        }
    }

    /// Callers of the scrape service that may wait at once.
    pub fn max_queue_depth(&self) -> anyhow::Result<i64> {
        match self {
            House::Aws(aws) => aws.env.parsed("MAX_QUEUE_DEPTH", MAX_QUEUE_DEPTH),
            House::Local(local) => Ok(local.max_queue_depth),
        }
    }

    /// What the role queue goes by.
    pub fn scrapers(&self) -> anyhow::Result<ScraperSettings> {
        match self {
            House::Aws(aws) => ScraperSettings::of(&aws.env),
            House::Local(local) => Ok(local.scrapers),
        }
    }

    /// Who is asked about what pages leave open. It keeps its answers and its accounts in this database.
    pub async fn ai(&self, db: &Pool) -> anyhow::Result<Ai> {
        let settings = match self {
            House::Aws(aws) => aws.ai().await?,
            House::Local(local) => local.ai.clone(),
        };
        if settings.is_none() {
            return Ok(Ai::None);
        }
        Ai::new(settings, self.egress()?, db.clone(), Clock::System)
    }

    /// The one door to the outside.
    pub fn egress(&self) -> anyhow::Result<Egress> {
        let limits = Limits { connect: self.connect_limit()?, ..Limits::default() };
        Egress::new(self.permission()?, limits)
    }

    /// Who may be reached beside the public internet. Private hosts are for demos and tests, and never on
    /// Lambda, except where an emulator says that it is one.
    pub fn permission(&self) -> anyhow::Result<Permission> {
        let hosts = match self {
            House::Aws(aws) => aws.private_hosts()?,
            House::Local(local) => local.private_hosts.clone(),
        };
        if hosts.is_empty() {
            return Ok(Permission::public_only());
        }
        tracing::warn!(
            hosts = hosts.join(","),
            "private hosts may be fetched: this is for demos and tests only"
        );
        let hosts = hosts
            .iter()
            .map(|host| host.parse())
            .collect::<Result<_, _>>()
            .context("ALLOW_PRIVATE_HOSTS is malformed")?;
        Ok(Permission::with_private_hosts(hosts))
    }
}

impl Local {
    /// Builds the parts on a migrated database.
    pub async fn new(settings: LocalSettings) -> anyhow::Result<Local> {
        let pool = |size: usize, plans: Plans| {
            Pool::new(&PoolSettings {
                url: settings.url.clone(),
                size: size.max(2),
                statement_timeout: Duration::from_secs(5),
                pooled: false,
                plans,
            })
        };
        // A third for those who ask all kinds of questions, the rest for the queues and their rooms.
        let db = pool(settings.pool_size / 3, Plans::Fitted)?;
        let hot = pool(settings.pool_size - settings.pool_size / 3, Plans::ByIndex)?;
        let instance = Instance::start(&settings.url).await?;
        let queue = |name: QueueName| {
            PgQueue::new(hot.clone(), Clock::System, name.word(), LOCAL_VISIBILITY, MAX_RECEIVES)
                .owned_by(&instance)
        };
        Ok(Local {
            crawl: queue(QueueName::Crawl),
            render: queue(QueueName::Render),
            extract: queue(QueueName::Extract),
            notify: queue(QueueName::Notify),
            matches: queue(QueueName::Match),
            blobs: FolderBlobs::new(settings.data.join("blobs"))?,
            url: settings.url,
            callers: settings.callers,
            webhook_secret: settings.webhook_secret,
            default_webhook_url: settings.default_webhook_url,
            private_hosts: settings.private_hosts,
            connect_limit: settings.connect_limit,
            outbound: settings.outbound,
            max_queue_depth: settings.max_queue_depth,
            scrapers: settings.scrapers,
            browsers: settings.browsers,
            ai: settings.ai,
            db,
            hot,
            instance,
        })
    }

    /// Ends every connection that nobody uses.
    pub fn close(&self) {
        self.db.close();
        self.hot.close();
    }

    /// Takes over what dead processes left.
    pub async fn adopt(&self) -> anyhow::Result<u64> {
        self.crawl.adopt().await
    }

    /// Drops what is past its time.
    pub async fn forget_old(&self) -> anyhow::Result<()> {
        self.crawl.forget_old().await?;
        let now = Clock::System.now();
        let gate = PgGate::new(self.db.clone());
        gate.forget_old(now).await?;
        gate.forget_notes(now).await?;
        self.blobs.forget_packs((now - KEEP_PAGES).into()).await?;
        self.blobs.forget_rendered((now - KEEP_RENDERED).into()).await?;
        Ok(())
    }
}

/// What the operator keeps in Secrets Manager.
#[derive(Deserialize)]
struct DatabaseSecret {
    database_url: SecretString,
    /// The address is a transaction pooler.
    #[serde(default)]
    pooled: bool,
}

#[derive(Deserialize)]
struct CallerSecret {
    service_keys: Vec<SecretString>,
    admin_signing_key: SecretString,
}

#[derive(Deserialize)]
struct WebhookSecret {
    webhook_secret: SecretString,
}

#[derive(Deserialize)]
struct AiSecret {
    ai_api_key: SecretString,
}

impl Aws {
    async fn new(env: Env) -> anyhow::Result<Aws> {
        let http = aws_smithy_http_client::Builder::new()
            .tls_provider(aws_smithy_http_client::tls::Provider::Rustls(
                aws_smithy_http_client::tls::rustls_provider::CryptoMode::Ring,
            ))
            .build_https();
        let sdk = aws_config::defaults(aws_config::BehaviorVersion::latest()).http_client(http).load().await;
        Ok(Aws { env, sdk })
    }

    fn queue(&self, name: QueueName, dead: bool) -> anyhow::Result<Queue> {
        let url = self.env.required(&name.variable(dead))?;
        Ok(Queue::Sqs(SqsQueue::new(aws_sdk_sqs::Client::new(&self.sdk), url)))
    }

    fn s3(&self) -> aws_sdk_s3::Client {
        // An emulator has no names per bucket.
        let path_style = self.sdk.endpoint_url().is_some();
        let config = aws_sdk_s3::config::Builder::from(&self.sdk).force_path_style(path_style).build();
        aws_sdk_s3::Client::from_conf(config)
    }

    async fn db(&self, statement_timeout: Duration) -> anyhow::Result<Pool> {
        let secret: DatabaseSecret = self.secret("DATABASE_SECRET_ARN").await?;
        Pool::new(&PoolSettings {
            url: secret.database_url,
            size: self.env.parsed("DATABASE_POOL_SIZE", 2)?,
            statement_timeout,
            pooled: secret.pooled,
            plans: Plans::Fitted,
        })
    }

    async fn callers(&self) -> anyhow::Result<Callers> {
        let secret: CallerSecret = self.secret("CALLER_SECRET_ARN").await?;
        Callers::new(&secret.service_keys, secret.admin_signing_key)
    }

    /// Without a secret of its own there is nothing to read, and no start waits for it.
    async fn outbound(&self) -> anyhow::Result<Outbound> {
        let own = self.env.optional("OUTBOUND_SECRET_ARN");
        if own.is_none() || own == self.env.optional("DATABASE_SECRET_ARN") {
            return Written::default().checked();
        }
        self.secret::<Written>("OUTBOUND_SECRET_ARN").await?.checked()
    }

    /// Where no provider is named there is no key to read.
    async fn ai(&self) -> anyhow::Result<Option<ai::Settings>> {
        if !ai::Settings::wanted(&self.env) {
            return Ok(None);
        }
        let secret: AiSecret = self.secret("AI_SECRET_ARN").await?;
        ai::Settings::with_key(&self.env, secret.ai_api_key).map(Some)
    }

    async fn secret<T: serde::de::DeserializeOwned>(&self, variable: &str) -> anyhow::Result<T> {
        let arn = self.env.required(variable)?;
        let found = aws_sdk_secretsmanager::Client::new(&self.sdk)
            .get_secret_value()
            .secret_id(arn)
            .send()
            .await
            .with_context(|| format!("reading the secret that {variable} names"))?;
        let text =
            found.secret_string().with_context(|| format!("the secret that {variable} names has no text"))?;
        // The cause would quote the secret.
        serde_json::from_str(text)
            .map_err(|_| anyhow::anyhow!("the secret that {variable} names has the wrong shape"))
    }

    fn private_hosts(&self) -> anyhow::Result<Vec<String>> {
        let hosts = self.env.list("ALLOW_PRIVATE_HOSTS");
        // Only an emulator answers on loopback; real Lambda never does.
        let emulated =
            self.sdk.endpoint_url().and_then(|url| url::Url::parse(url).ok()).is_some_and(
                |url| matches!(url.host(), Some(url::Host::Ipv4(address)) if address.is_loopback()),
            );
        if !hosts.is_empty() && !emulated {
            bail!("ALLOW_PRIVATE_HOSTS is set: private hosts are never fetched from Lambda");
        }
        Ok(hosts)
    }
}
