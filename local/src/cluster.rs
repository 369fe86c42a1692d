//! A private Postgres for one machine: made once in a folder, started, adopted after a crash, stopped.
//! It listens on loopback only and asks for a password that never leaves that folder. It never touches
//! a cluster it did not make.

mod account;
mod binaries;
mod home;
mod postmaster;

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{Client, NoTls};

use account::Account;
use binaries::Binaries;
use home::{Home, State};

const READY_WITHIN: Duration = Duration::from_secs(60);
const STOPPED_WITHIN: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(50);
const SUPERUSER: &str = "freshet";
const DATABASE: &str = "freshet";

/// Where the `freshet` database of a cluster is that another process runs. Contains the password.
pub fn url_of_running(data_dir: &Path) -> anyhow::Result<String> {
    let State { port, password } = home::state_of_running(data_dir)?;
    Ok(format!("postgres://{SUPERUSER}:{password}@127.0.0.1:{port}/{DATABASE}"))
}

/// A running Postgres that belongs to this process alone. Dropping it stops the server.
pub struct Cluster {
    ground: Ground,
    url: String,
    admin_url: String,
    /// Present when this process started the server; an adopted one is somebody else's orphan.
    child: Option<Child>,
    stopped: bool,
}

impl Cluster {
    /// Starts the cluster kept in `data_dir`, making it first if the folder is new. `pg_bin` is a folder of
    /// Postgres programs to use instead of the ones found on this machine.
    pub async fn start(data_dir: &Path, pg_bin: Option<PathBuf>) -> anyhow::Result<Cluster> {
        let data_dir = data_dir.to_owned();
        let ground = tokio::task::spawn_blocking(move || Ground::prepare(&data_dir, pg_bin.as_deref()))
            .await
            .context("preparing the Postgres folder")??;
        let mut cluster =
            Cluster { ground, url: String::new(), admin_url: String::new(), child: None, stopped: false };
        cluster.bring_up().await?;
        Ok(cluster)
    }

    /// Where the database is that another process runs in `data_dir`, for a command beside it; none when there is
    /// no cluster in that folder. Contains the password: not for logs.
    pub fn url_of_another(data_dir: &Path) -> anyhow::Result<Option<String>> {
        let state = Home::of_another(data_dir, &Account::choose()?)?;
        Ok(state.map(|state| {
            format!("postgres://{SUPERUSER}:{}@127.0.0.1:{}/{DATABASE}", state.password, state.port)
        }))
    }

    /// Where the `freshet` database is. Contains the password: not for logs.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where the `postgres` database of the same cluster is, for those who make and drop databases.
    pub fn admin_url(&self) -> &str {
        &self.admin_url
    }

    pub fn port(&self) -> u16 {
        self.ground.state.port
    }

    /// The folder the cluster really lives in; not the one asked for when Postgres could not reach that.
    pub fn folder(&self) -> &Path {
        self.ground.home.root()
    }

    /// True when the server was left running by an earlier process that died.
    pub fn was_adopted(&self) -> bool {
        self.child.is_none()
    }

    /// Stops the server and waits until it is gone. Open connections are cut, committed work is kept.
    /// An adopted server is stopped too: the lock proves that its owner is dead and that we are the next.
    pub fn stop(mut self) -> anyhow::Result<()> {
        self.shut_down()
    }

    async fn bring_up(&mut self) -> anyhow::Result<()> {
        let deadline = Instant::now() + READY_WITHIN;
        let admin = match self.adopt(deadline).await? {
            Some(client) => client,
            None => self.launch(deadline).await?,
        };
        create_database(&admin).await
    }

    /// Connects to a server left by a killed run, if there is one. A server that is on its way down is
    /// waited for.
    async fn adopt(&mut self, deadline: Instant) -> anyhow::Result<Option<Client>> {
        self.point_at(self.ground.state.port);
        while let Some(pid) = postmaster::living(&self.ground.home) {
            match connect(&self.admin_url).await {
                Ok(client) => {
                    tracing::info!(
                        pid,
                        port = self.port(),
                        "adopted the Postgres an earlier run left behind"
                    );
                    return Ok(Some(client));
                }
                Err(error) if Instant::now() > deadline => {
                    self.stopped = true; // it may be busy recovering: not ours to cut short
                    return Err(error.context(format!(
                        "Postgres (pid {pid}) of {} runs but does not answer; stop it and try again",
                        self.folder().display()
                    )));
                }
                Err(_) => sleep(LOOK_AGAIN).await,
            }
        }
        Ok(None)
    }

    /// Starts the server, again when the port was taken in between or the remains of a killed server are
    /// still going away.
    async fn launch(&mut self, deadline: Instant) -> anyhow::Result<Client> {
        loop {
            let port = free_port(self.ground.state.port)?;
            self.ground.state.port = port;
            self.ground.home.remember(&self.ground.state)?;
            self.point_at(port);
            let log_from = self.ground.home.log_len();
            let mut child = self.ground.spawn()?;
            let exit = loop {
                match connect(&self.admin_url).await {
                    Ok(client) => {
                        self.child = Some(child);
                        return Ok(client);
                    }
                    Err(error) if Instant::now() > deadline => {
                        self.child = Some(child); // so that dropping us stops it
                        return Err(error.context(format!(
                            "Postgres did not answer within {} s\n{}",
                            READY_WITHIN.as_secs(),
                            self.ground.home.log_tail(log_from)
                        )));
                    }
                    Err(_) => {}
                }
                if let Some(exit) = child.try_wait().context("watching Postgres start")? {
                    break exit;
                }
                sleep(LOOK_AGAIN).await;
            };
            let log = self.ground.home.log_tail(log_from);
            let passing = ["Address already in use", "pre-existing shared memory block"];
            if Instant::now() > deadline || !passing.iter().any(|reason| log.contains(reason)) {
                self.stopped = true; // nothing runs
                bail!("Postgres ended while starting ({exit})\n{log}");
            }
            sleep(LOOK_AGAIN * 4).await;
        }
    }

    fn point_at(&mut self, port: u16) {
        let password = &self.ground.state.password;
        // The socket where there is one: what goes through it passes no network stack.
        let at = |database| match postmaster::socket_folder(&self.ground.home.pgdata()).as_str() {
            "" => format!("postgres://{SUPERUSER}:{password}@127.0.0.1:{port}/{database}?sslmode=disable"),
            folder => format!(
                "postgres://{SUPERUSER}:{password}@/{database}?host={folder}&port={port}&sslmode=disable"
            ),
        };
        (self.url, self.admin_url) = (at(DATABASE), at("postgres"));
    }

    fn shut_down(&mut self) -> anyhow::Result<()> {
        if std::mem::replace(&mut self.stopped, true) {
            return Ok(());
        }
        for mode in ["fast", "immediate"] {
            if self.has_ended()? {
                return Ok(());
            }
            if let Err(error) = self.ground.ask_to_stop(mode) {
                // It may have ended in between, which the wait below finds out.
                tracing::debug!(error = format!("{error:#}"), mode, "pg_ctl could not pass the word");
            }
            let deadline = Instant::now() + STOPPED_WITHIN;
            while Instant::now() < deadline {
                if self.has_ended()? {
                    return Ok(());
                }
                std::thread::sleep(LOOK_AGAIN / 5);
            }
        }
        bail!("Postgres in {} does not stop", self.folder().display())
    }

    /// We look ourselves: pg_ctl would wait for ever for a killed child of ours that nobody has reaped.
    fn has_ended(&mut self) -> anyhow::Result<bool> {
        match &mut self.child {
            Some(child) => Ok(child.try_wait().context("looking at Postgres")?.is_some()),
            None => Ok(postmaster::living(&self.ground.home).is_none()),
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Err(error) = self.shut_down() {
            tracing::warn!(error = format!("{error:#}"), "Postgres could not be stopped");
        }
    }
}

/// What a server needs to stand on: who runs it, which programs, which folder, which port and password.
struct Ground {
    account: Account,
    binaries: Binaries,
    home: Home,
    state: State,
}

impl Ground {
    fn prepare(data_dir: &Path, pg_bin: Option<&Path>) -> anyhow::Result<Ground> {
        let account = Account::choose()?;
        let home = Home::open(data_dir, &account)?;
        let binaries = Binaries::find(pg_bin, home.major_version()?)?;
        if let (Account::Lent { name, .. }, Some(closed)) = (&account, account.stopped_at(&binaries.dir)?) {
            bail!(
                "Postgres must run as {name}, who cannot enter {} on the way to its programs in {}; install \
                 Postgres with the system's packages, or run as another user than root",
                closed.display(),
                binaries.dir.display()
            );
        }
        let state = match home.major_version()? {
            Some(major) if major != binaries.major => bail!(
                "{} was made by Postgres {major}, but {} is Postgres {}; install Postgres {major} (FRESHET_PG_BIN \
                 names its folder), or move the data away to begin anew",
                home.pgdata().display(),
                binaries.dir.display(),
                binaries.major
            ),
            Some(_) => home.recall()?,
            None => {
                let password = hex::encode(rand::random::<[u8; 16]>());
                let state = State { port: free_port(0)?, password };
                home.remember(&state)?;
                tracing::info!(folder = %home.root().display(), version = binaries.major, "making a private Postgres");
                binaries.initdb(&account, &home, &state.password)?;
                state
            }
        };
        Ok(Ground { account, binaries, home, state })
    }

    fn spawn(&self) -> anyhow::Result<Child> {
        postmaster::spawn(&self.binaries, &self.account, &self.home, self.state.port)
    }

    fn ask_to_stop(&self, mode: &str) -> anyhow::Result<()> {
        let mut command = self.account.command(&self.binaries.dir.join("pg_ctl"), self.home.root());
        command.args(["stop", "--silent", "--no-wait", "--mode", mode, "--pgdata"]);
        account::run(command.arg(self.home.pgdata())).context("stopping Postgres")
    }
}

/// A free loopback port; the one used last time if nobody took it.
fn free_port(last: u16) -> anyhow::Result<u16> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|socket| socket.local_addr());
    let address = bind(last).or_else(|_| bind(0)).context("looking for a free port on 127.0.0.1")?;
    Ok(address.port())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a pool cannot be made before the server stands; one query, time limit here"
)]
async fn connect(url: &str) -> anyhow::Result<Client> {
    let attempt = async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        client.simple_query("select 1").await?;
        anyhow::Ok(client)
    };
    timeout(Duration::from_secs(5), attempt)
        .await
        .context("no answer in 5 s")?
        .context("connecting to Postgres")
}

async fn create_database(admin: &Client) -> anyhow::Result<()> {
    let found = admin.query_opt("select 1 from pg_database where datname = $1", &[&DATABASE]).await;
    if found.context("looking for the freshet database")?.is_none() {
        admin.batch_execute("create database freshet").await.context("creating the freshet database")?;
    }
    Ok(())
}
