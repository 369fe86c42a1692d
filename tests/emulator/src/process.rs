//! The emulator as a process: found by `EMULATOR_URL`, or started and killed with its children.

use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use aws_config::SdkConfig;
use tempfile::TempDir;

/// It answers after about 4 seconds on an idle machine.
const START_LIMIT: Duration = Duration::from_secs(90);

/// One emulated AWS. Dropped, it takes its process group (and the functions it runs) with it;
/// one that was only found through `EMULATOR_URL` stays.
pub struct Emulator {
    endpoint: String,
    sdk: SdkConfig,
    process: Option<Own>,
}

struct Own {
    child: Child,
    /// Its log, and the unpacked functions.
    folder: TempDir,
}

impl Emulator {
    /// The emulator of this run of tests (`EMULATOR_URL`), or a fresh one where none is named.
    pub async fn ready() -> anyhow::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "a test has no settings.rs")]
        let named = std::env::var("EMULATOR_URL");
        match named {
            Ok(endpoint) if !endpoint.is_empty() => {
                let found = Self { sdk: crate::sdk_config(&endpoint), endpoint, process: None };
                found.answers().await.with_context(|| format!("no emulator at {}", found.endpoint))?;
                Ok(found)
            }
            _ => Self::start().await,
        }
    }

    /// A fresh emulator of one's own. Roles and resource policies are enforced in it.
    pub async fn start() -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("emulator-").tempdir()?;
        let port = free_port()?;
        let endpoint = format!("http://127.0.0.1:{port}");
        let child = spawn(port, &endpoint, folder.path())?;
        let mut started =
            Self { sdk: crate::sdk_config(&endpoint), endpoint, process: Some(Own { child, folder }) };
        let since = Instant::now();
        loop {
            let Err(silence) = started.answers().await else { return Ok(started) };
            if started.exited() || since.elapsed() > START_LIMIT {
                bail!("the emulator does not answer: {silence:#}\n{}", started.log());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Where it listens, for `AWS_ENDPOINT_URL`.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// SDK settings as the owner of the account: every `aws_sdk_*::Client::new` takes them.
    pub fn sdk(&self) -> &SdkConfig {
        &self.sdk
    }

    /// What the emulator and the functions in it wrote so far; empty when it is not ours.
    pub fn log(&self) -> String {
        let Some(own) = &self.process else { return String::new() };
        std::fs::read_to_string(own.folder.path().join("log")).unwrap_or_default()
    }

    async fn answers(&self) -> anyhow::Result<()> {
        self.sqs().list_queues().queue_name_prefix("none").send().await?;
        Ok(())
    }

    fn exited(&mut self) -> bool {
        self.process.as_mut().is_some_and(|own| !matches!(own.child.try_wait(), Ok(None)))
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let Some(own) = &mut self.process else { return };
        // The functions are its children: the group dies, not only the leader.
        let group = format!("-{}", own.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = own.child.wait();
    }
}

/// Functions inherit this environment, so it holds nothing of the caller's (no `DATABASE_URL`, no
/// real credentials).
fn spawn(port: u16, endpoint: &str, folder: &Path) -> anyhow::Result<Child> {
    let program = program();
    let log = std::fs::File::create(folder.join("log"))?;
    Command::new(&program)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", folder)
        .env("TMPDIR", folder)
        .env("GATEWAY_PORT", port.to_string())
        .env("BIND_HOST", "127.0.0.1")
        .env("MINISTACK_HOST", "127.0.0.1")
        .env("AWS_ENDPOINT_URL", endpoint)
        .env("AUTH", "true")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot start {}: run scripts/setup", program.display()))
}

fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/ministack")
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
