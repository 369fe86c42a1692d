//! Connections: few, with time limits. A session keeps nothing but the statements it has prepared, and behind
//! a pooler not even those.

use std::ops::{Deref, DerefMut};
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context;
use deadpool_postgres::{Manager, ManagerConfig, Object, QueueMode, RecyclingMethod, StatementCache};
use secrecy::{ExposeSecret, SecretString};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::args::Db;

/// How a room talks to Postgres.
#[derive(Debug, Clone)]
pub struct PoolSettings {
    pub url: SecretString,
    pub size: usize,
    pub statement_timeout: Duration,
    /// The address is a pooler that gives each transaction another backend. It takes no start-up options,
    /// so the time limits come from the role, where `migrate` put them; and nothing is prepared under a
    /// name, because the next backend would not know it.
    pub pooled: bool,
    pub plans: Plans,
}

/// How Postgres plans what is prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Plans {
    /// Anew for the values of each call, as long as that seems to pay.
    #[default]
    Fitted,
    /// Once a connection, by index: for the statements of the hot path, which all ask by key. Planning them
    /// costs more than running them, and a plan made while a table was empty must not read it whole when it
    /// has filled.
    ByIndex,
}

/// There is no connection to be had.
#[derive(Debug, thiserror::Error)]
#[error("getting a database connection")]
pub struct Unreachable(#[source] deadpool_postgres::PoolError);

#[derive(Clone)]
pub struct Pool {
    inner: deadpool_postgres::Pool,
    pooled: bool,
}

/// A borrowed connection; derefs to its session, which is a `Db` and can open a transaction.
pub struct Conn(Session);

/// One session with the database.
pub struct Session {
    inner: Object,
    pooled: bool,
}

/// What is done in it is kept when it is committed, and undone when it is dropped.
pub struct Transaction<'a> {
    inner: deadpool_postgres::Transaction<'a>,
    pooled: bool,
}

impl Pool {
    pub fn new(settings: &PoolSettings) -> anyhow::Result<Pool> {
        let mut config = parse(settings.url.expose_secret())?;
        if !settings.pooled && config.get_options().is_none() {
            let mut options = limits_as_options(settings.statement_timeout);
            if settings.plans == Plans::ByIndex {
                options.push_str(" -c plan_cache_mode=force_generic_plan -c enable_seqscan=off");
                options.push_str(" -c enable_hashjoin=off -c enable_mergejoin=off");
            }
            config.options(options);
        }
        config.connect_timeout(Duration::from_secs(5)).application_name("freshet");
        let tls = tls(&config)?;
        let manager =
            Manager::from_config(config, tls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let pool = deadpool_postgres::Pool::builder(manager)
            .max_size(settings.size)
            // The warmest first: it has prepared what we ask, and the others may rest.
            .queue_mode(QueueMode::Lifo)
            .wait_timeout(Some(Duration::from_secs(10)))
            .create_timeout(Some(Duration::from_secs(10)))
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .build()
            .context("building the connection pool")?;
        Ok(Pool { inner: pool, pooled: settings.pooled })
    }

    pub async fn conn(&self) -> anyhow::Result<Conn> {
        let inner = self.inner.get().await.map_err(Unreachable)?;
        Ok(Conn(Session { inner, pooled: self.pooled }))
    }

    pub fn close(&self) {
        self.inner.close();
    }
}

impl Session {
    pub async fn transaction(&mut self) -> Result<Transaction<'_>, tokio_postgres::Error> {
        Ok(Transaction { inner: self.inner.transaction().await?, pooled: self.pooled })
    }
}

impl Transaction<'_> {
    pub async fn commit(self) -> Result<(), tokio_postgres::Error> {
        self.inner.commit().await
    }
}

impl Db for Session {
    fn client(&self) -> &Client {
        &self.inner
    }

    fn prepared(&self) -> Option<&StatementCache> {
        (!self.pooled).then_some(&*self.inner.statement_cache)
    }
}

impl Db for Transaction<'_> {
    fn client(&self) -> &Client {
        self.inner.client()
    }

    fn prepared(&self) -> Option<&StatementCache> {
        (!self.pooled).then_some(&*self.inner.statement_cache)
    }
}

/// A connection outside the pool prepares nothing under a name.
impl Db for Client {
    fn client(&self) -> &Client {
        self
    }

    fn prepared(&self) -> Option<&StatementCache> {
        None
    }
}

impl Deref for Conn {
    type Target = Session;
    fn deref(&self) -> &Session {
        &self.0
    }
}

impl DerefMut for Conn {
    fn deref_mut(&mut self) -> &mut Session {
        &mut self.0
    }
}

impl Deref for Session {
    type Target = Client;
    fn deref(&self) -> &Client {
        &self.inner
    }
}

/// A connection outside the pool, for work that needs a session of its own: migrations, the sign of life.
pub async fn lone(url: &SecretString) -> anyhow::Result<Client> {
    let config = parse(url.expose_secret())?;
    let (client, connection) = config
        .connect(tls(&config)?)
        .await
        .map_err(|error| anyhow::anyhow!("connecting to the database: {}", plain(&error)))?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::warn!(%error, "a database connection ended");
        }
    });
    Ok(client)
}

fn parse(url: &str) -> anyhow::Result<Config> {
    // The cause may quote the address, and with it the password.
    Config::from_str(url).map_err(|_| anyhow::anyhow!("DATABASE_URL is not a Postgres address"))
}

fn plain(error: &tokio_postgres::Error) -> String {
    use std::error::Error;
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn limits_as_options(statement_timeout: Duration) -> String {
    format!(
        "-c statement_timeout={} -c lock_timeout=1000 -c idle_in_transaction_session_timeout=10000 -c timezone=UTC -c jit=off",
        statement_timeout.as_millis()
    )
}

fn tls(config: &Config) -> anyhow::Result<MakeRustlsConnect> {
    crate::tls::install_provider();
    if config.get_ssl_mode() != SslMode::Disable {
        let (tls, _unreadable) = MakeRustlsConnect::with_native_certs()
            .map_err(|errors| anyhow::anyhow!("reading the system's certificates: {errors:?}"))?;
        return Ok(tls);
    }
    let nobody = rustls::RootCertStore::empty();
    let client = rustls::ClientConfig::builder().with_root_certificates(nobody).with_no_client_auth();
    Ok(MakeRustlsConnect::new(client))
}
