//! Connections: few, with time limits, and nothing kept in a session.

use std::ops::{Deref, DerefMut};
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context;
use deadpool_postgres::{Manager, ManagerConfig, Object, RecyclingMethod};
use secrecy::{ExposeSecret, SecretString};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How a room talks to Postgres.
#[derive(Debug, Clone)]
pub struct PoolSettings {
    pub url: SecretString,
    pub size: usize,
    pub statement_timeout: Duration,
    /// The address is a pooler that gives each transaction another backend. It takes no start-up options,
    /// so the time limits come from the role, where `migrate` put them.
    pub pooled: bool,
}

/// There is no connection to be had.
#[derive(Debug, thiserror::Error)]
#[error("getting a database connection")]
pub struct Unreachable(#[source] deadpool_postgres::PoolError);

#[derive(Clone)]
pub struct Pool(deadpool_postgres::Pool);

/// A borrowed connection; derefs to the client, so that it is a `Db` and can open a transaction.
pub struct Conn(Object);

impl Pool {
    pub fn new(settings: &PoolSettings) -> anyhow::Result<Pool> {
        let mut config = parse(settings.url.expose_secret())?;
        if !settings.pooled && config.get_options().is_none() {
            config.options(limits_as_options(settings.statement_timeout));
        }
        config.connect_timeout(Duration::from_secs(5)).application_name("freshet");
        let tls = tls(&config)?;
        let manager =
            Manager::from_config(config, tls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let pool = deadpool_postgres::Pool::builder(manager)
            .max_size(settings.size)
            .wait_timeout(Some(Duration::from_secs(10)))
            .create_timeout(Some(Duration::from_secs(10)))
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .build()
            .context("building the connection pool")?;
        Ok(Pool(pool))
    }

    pub async fn conn(&self) -> anyhow::Result<Conn> {
        self.0.get().await.map(Conn).map_err(|error| Unreachable(error).into())
    }

    pub fn close(&self) {
        self.0.close();
    }
}

impl Deref for Conn {
    type Target = Client;
    fn deref(&self) -> &Client {
        &self.0
    }
}

impl DerefMut for Conn {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.0
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
        "-c statement_timeout={} -c lock_timeout=1000 -c idle_in_transaction_session_timeout=10000 -c timezone=UTC",
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
