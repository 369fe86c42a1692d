//! The folder of a cluster: `pg` (Postgres's own), `cluster.json` (port and password, 0600),
//! `postgres.log`, and `lock`, which lets one process at a time have it.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::account::Account;

const LOG_KEPT: u64 = 8 * 1024 * 1024;
const STATE_FILE: &str = "cluster.json";

/// What must be known to talk to the server. No `Debug`: it holds the password.
#[derive(Serialize, Deserialize)]
pub struct State {
    pub port: u16,
    pub password: String,
}

pub struct Home {
    root: PathBuf,
    /// Held, not read: a kill gives it back too.
    lock: File,
}

impl Drop for Home {
    fn drop(&mut self) {
        // Closing is not enough: a child that another thread is just starting holds a copy until it execs.
        if let Err(error) = self.lock.unlock() {
            tracing::debug!(%error, "the lock goes when the file is closed");
        }
    }
}

impl Home {
    /// Makes the folder if need be and takes its lock.
    pub fn open(wanted: &Path, account: &Account) -> anyhow::Result<Home> {
        let root = reachable(wanted, account)?;
        let lock = take_lock(&root)?;
        Ok(Home { root, lock })
    }

    /// How to talk to the server that another process keeps in this folder; none when nobody has made one.
    pub fn of_another(wanted: &Path, account: &Account) -> anyhow::Result<Option<State>> {
        let file = reachable(wanted, account)?.join(STATE_FILE);
        match fs::read(&file) {
            Ok(text) => {
                serde_json::from_slice(&text).map(Some).with_context(|| format!("reading {}", file.display()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("reading {}", file.display())),
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn pgdata(&self) -> PathBuf {
        self.root.join("pg")
    }

    /// Which Postgres made the data; none when there is no data yet.
    pub fn major_version(&self) -> anyhow::Result<Option<u32>> {
        let file = self.pgdata().join("PG_VERSION");
        match fs::read_to_string(&file) {
            Ok(text) => Ok(Some(text.trim().parse().with_context(|| format!("reading {}", file.display()))?)),
            Err(error) if error.kind() == ErrorKind::NotFound && !self.pgdata().exists() => Ok(None),
            Err(error) => Err(error).with_context(|| {
                format!("{} is not a Postgres cluster of ours; move it away", self.pgdata().display())
            }),
        }
    }

    pub fn recall(&self) -> anyhow::Result<State> {
        let file = self.state_file();
        let text = fs::read(&file).with_context(|| {
            format!(
                "{} holds the port and the password of the cluster beside it, and cannot be read",
                file.display()
            )
        })?;
        serde_json::from_slice(&text).with_context(|| format!("reading {}", file.display()))
    }

    pub fn remember(&self, state: &State) -> anyhow::Result<()> {
        let next = self.root.join("cluster.json.new");
        write_private(&next, &serde_json::to_string(state)?)?;
        fs::rename(&next, self.state_file()).context("keeping the port and the password")
    }

    fn state_file(&self) -> PathBuf {
        self.root.join(STATE_FILE)
    }

    /// The log, to be appended to. A long one is put aside first.
    pub fn log(&self) -> anyhow::Result<File> {
        let path = self.log_path();
        if self.log_len() > LOG_KEPT {
            fs::rename(&path, path.with_extension("log.old"))
                .context("putting the old Postgres log aside")?;
        }
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
        file.with_context(|| format!("opening {}", path.display()))
    }

    pub fn log_path(&self) -> PathBuf {
        self.root.join("postgres.log")
    }

    pub fn log_len(&self) -> u64 {
        fs::metadata(self.log_path()).map_or(0, |file| file.len())
    }

    /// The last lines written after `from`, for people who must find out why it did not start.
    pub fn log_tail(&self, from: u64) -> String {
        let mut text = Vec::new();
        if let Ok(mut log) = File::open(self.log_path()) {
            let from = if from > self.log_len() { 0 } else { from }; // put aside in between
            let read = log.seek(SeekFrom::Start(from)).and_then(|_| log.read_to_end(&mut text));
            read.unwrap_or_default();
        }
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        let shown = lines[lines.len().saturating_sub(20)..].join("\n");
        format!("the end of {}:\n{shown}", self.log_path().display())
    }
}

/// What a server that another process runs in this folder, or in the one instead of it, has to be told.
pub fn state_of_running(wanted: &Path) -> anyhow::Result<State> {
    let wanted = fs::canonicalize(wanted).with_context(|| format!("finding {}", wanted.display()))?;
    let found = [wanted.clone(), instead_of(&wanted)].into_iter().map(|root| root.join("cluster.json"));
    let file = found.into_iter().find(|file| file.exists());
    let file = file.with_context(|| format!("there is no database in {}", wanted.display()))?;
    let text = fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("reading {}", file.display()))
}

/// Where a cluster lives whose own folder cannot be reached.
fn instead_of(wanted: &Path) -> PathBuf {
    let digest = Sha256::digest(wanted.as_os_str().as_encoded_bytes());
    Path::new("/var/tmp").join(format!("freshet-{}", hex::encode(&digest[..6])))
}

/// The wanted folder, or one under /var/tmp when the lent account cannot get there (a project in /root).
fn reachable(wanted: &Path, account: &Account) -> anyhow::Result<PathBuf> {
    let mode = if matches!(account, Account::Ours) { 0o700 } else { 0o711 };
    make_folder(wanted, mode)?;
    let wanted = fs::canonicalize(wanted).with_context(|| format!("finding {}", wanted.display()))?;
    let Account::Lent { name, uid, .. } = account else { return Ok(wanted) };
    let closed = match account.stopped_at(&wanted)? {
        None => return Ok(wanted),
        Some(closed) if closed == wanted => {
            // The folder is the cluster's own: it may be walked through, not looked into.
            fs::set_permissions(&wanted, Permissions::from_mode(mode))
                .context("opening the cluster's folder")?;
            return Ok(wanted);
        }
        Some(closed) => closed,
    };
    let instead = instead_of(&wanted);
    make_folder(&instead, mode)?;
    let found = fs::symlink_metadata(&instead)?;
    // Anyone may write in /var/tmp: a folder that somebody else put there first is not ours to trust.
    if !found.is_dir() || found.uid() != 0 || found.mode() & 0o022 != 0 {
        bail!("{} exists and is not root's; move it away", instead.display());
    }
    if let Some(closed) = account.stopped_at(&instead)? {
        bail!(
            "Postgres must run as {name} (uid {uid}), who cannot enter {}; open it with `chmod o+x`, or run \
             as another user than root",
            closed.display()
        );
    }
    tracing::warn!(
        "Postgres runs as {name}, who cannot enter {}: its data is in {} instead",
        closed.display(),
        instead.display()
    );
    Ok(instead)
}

pub fn make_folder(path: &Path, mode: u32) -> anyhow::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("making {}", parent.display()))?;
    }
    match DirBuilder::new().mode(mode).create(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("making {}", path.display()))
        }
        _ => Ok(()),
    }
}

pub fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.with_context(|| format!("writing {}", path.display()))
}

fn take_lock(root: &Path) -> anyhow::Result<File> {
    let path = root.join("lock");
    let mut options = OpenOptions::new();
    let mut file =
        options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path).with_context(
            || format!("opening {} (does the folder belong to another user?)", path.display()),
        )?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            file.read_to_string(&mut holder).unwrap_or_default();
            let holder = holder.trim();
            bail!(
                "another freshet (pid {holder}) is using the Postgres in {}; stop it first",
                root.display()
            );
        }
        Err(TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("locking {}", path.display()));
        }
    }
    file.set_len(0)?;
    file.write_all(std::process::id().to_string().as_bytes())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_folder_is_free_as_soon_as_its_holder_lets_go_even_while_children_start() {
        let folder = tempfile::tempdir().unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    Command::new("true").status().unwrap();
                }
            });
            let tries: Vec<bool> =
                (0..2000).map(|_| Home::open(folder.path(), &Account::Ours).is_ok()).collect();
            done.store(true, Ordering::Relaxed);
            assert!(
                tries.iter().all(|opened| *opened),
                "{} of 2000 refused",
                tries.iter().filter(|ok| !**ok).count()
            );
        });
    }
}
