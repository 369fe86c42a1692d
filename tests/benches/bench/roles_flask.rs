//! The peer of the role queue: `role_queue.py` behind gunicorn, in a database of its own on the same Postgres.
#![expect(
    clippy::disallowed_methods,
    reason = "scrapers are other people's clients, on loopback; a benchmark has no egress"
)]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use super::database::Database;
use super::process::Guarded;

pub struct Flask {
    url: String,
}

/// It takes requests until it is dropped.
pub struct Served {
    pub base: String,
    pub keys: Vec<String>,
    _gunicorn: Guarded,
}

impl Flask {
    pub async fn new(database: &Database) -> anyhow::Result<Flask> {
        database.pool(1)?.conn().await?.batch_execute("create database bench_flask").await?;
        // A socket's address has no host, and a database before its question mark.
        let (server, how) = database.plain_url().split_once('?').context("how to reach the server")?;
        let (server, _) = server.rsplit_once('/').context("a database")?;
        let (_, server) = server.split_once("://").context("a scheme")?;
        Ok(Flask { url: format!("postgresql+psycopg2://{server}/bench_flask?{how}") })
    }

    /// Tables with that many waiting roles and keys, and four processes of four threads: as many as there are clients.
    pub async fn serve(&self, roles: u32, keys: usize) -> anyhow::Result<Served> {
        let made = self
            .python("python")
            .args(["role_queue.py", &roles.to_string(), &keys.to_string()])
            .status()
            .context("starting Python: run scripts/setup bench")?;
        ensure!(made.success(), "the peer's tables were not made");
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let gunicorn = self
            .python("gunicorn")
            .args(["--workers", "4", "--threads", "4", "--keep-alive", "30", "--log-level", "error"])
            .args(["--bind", &format!("127.0.0.1:{port}"), "role_queue:app"])
            .stdin(Stdio::null())
            .spawn()
            .context("starting gunicorn")?;
        let served = Served {
            base: format!("http://127.0.0.1:{port}"),
            keys: (0..keys).map(|number| format!("key-{number}")).collect(),
            _gunicorn: Guarded::new(gunicorn),
        };
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if reqwest::get(&served.base).await.is_ok() {
                return Ok(served);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("the peer does not answer")
    }

    fn python(&self, program: &str) -> Command {
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new(here.join("../.venv-bench/bin").join(program));
        command.current_dir(here.join("benches")).env("DATABASE_URL", &self.url);
        command
    }
}
