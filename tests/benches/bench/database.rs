//! The Postgres the benchmarks use: a private cluster as `freshet serve` starts it, so every commit is on the
//! disk before it counts. The throw-away server of the tests would be quicker and prove less.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use local::cluster::Cluster;
use secrecy::SecretString;
use shared::store::Pool;
use shared::store::migrate::migrate;
use shared::store::pool::PoolSettings;
use tempfile::TempDir;

use super::process::family_cpu_seconds;

pub struct Database {
    pub url: SecretString,
    // In this order: the server stops before its folder goes.
    cluster: Cluster,
    _folder: TempDir,
}

/// What Postgres has counted so far.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    pub cpu_seconds: f64,
    pub transactions: f64,
    pub wal_bytes: f64,
}

impl Database {
    pub async fn start() -> anyhow::Result<Database> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let cluster = Cluster::start(&folder.path().join("postgres"), None).await?;
        let url = SecretString::from(cluster.url());
        migrate(&url).await?;
        Ok(Database { url, cluster, _folder: folder })
    }

    pub fn plain_url(&self) -> &str {
        self.cluster.url()
    }

    pub fn pool(&self, size: usize) -> anyhow::Result<Pool> {
        Pool::new(&PoolSettings {
            url: self.url.clone(),
            size,
            statement_timeout: Duration::from_secs(30),
            pooled: false,
            plans: shared::store::pool::Plans::Fitted,
        })
    }

    pub async fn counts(&self, pool: &Pool) -> anyhow::Result<Counts> {
        let conn = pool.conn().await?;
        // Backends report what they did when they are idle for a moment.
        conn.batch_execute("select pg_stat_clear_snapshot()").await?;
        let row = conn
            .query_one(
                "select xact_commit::float8, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8
                 from pg_stat_database where datname = current_database()",
                &[],
            )
            .await?;
        Ok(Counts {
            cpu_seconds: family_cpu_seconds(self.postmaster()?),
            transactions: row.get(0),
            wal_bytes: row.get(1),
        })
    }

    fn postmaster(&self) -> anyhow::Result<u32> {
        let file = self.cluster.folder().join("pg/postmaster.pid");
        let text = std::fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        Ok(text.lines().next().unwrap_or_default().trim().parse()?)
    }
}

/// A folder on the disk that `target/` is on, gone when dropped.
pub fn scratch() -> anyhow::Result<TempDir> {
    Ok(tempfile::tempdir_in(Path::new(env!("CARGO_TARGET_TMPDIR")))?)
}
