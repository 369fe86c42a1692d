//! A browser as a process group with a folder of its own: started with nothing of ours, ended as a whole, and
//! nothing of it left: no process, no zombie, no file.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use command_fds::{CommandFdExt, FdMapping};
use headless_chrome::protocol::cdp::Browser::GetVersion;
use rustix::process::{Pid, Signal, WaitOptions};
use serde_json::json;

use crate::chrome::Chrome;
use crate::wire::Wire;

/// A browser that does not answer by then does not start.
const START_WITHIN: Duration = Duration::from_secs(20);
/// After SIGKILL a process is gone as soon as the kernel comes round to it.
const GONE_WITHIN: Duration = Duration::from_secs(5);
const PREFIX: &str = "freshet-browser-";
const LOCK: &str = "lock";

/// A running browser. Dropped, it is ended as a group and its folder is removed.
pub struct Browser {
    pub wire: Wire,
    remains: Option<Remains>,
}

/// What must not outlive a browser.
struct Remains {
    group: Pid,
    child: Child,
    folder: PathBuf,
    /// Held as long as the folder is ours: whoever can take the lock may remove it.
    _lock: File,
}

/// Makes this process the parent of orphans, so that the children of a killed browser are ours to reap. Where
/// process 1 reaps nothing (a container, Lambda) they would stay as zombies.
pub fn adopt_orphans() {
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        tracing::warn!(%error, "orphans of browsers are left to the system");
    }
}

/// Removes the folders of browsers whose owner was killed. Returns how many.
pub fn remove_abandoned(within: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(within) else { return 0 };
    let ours = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.starts_with(PREFIX));
    let mut removed = 0;
    for entry in entries.flatten().filter(|entry| ours(&entry.file_name())) {
        // Without a lock file it is being made right now.
        let Ok(lock) = File::open(entry.path().join(LOCK)) else { continue };
        if lock.try_lock().is_ok() && std::fs::remove_dir_all(entry.path()).is_ok() {
            removed += 1;
        }
    }
    removed
}

impl Browser {
    /// Starts a browser with a folder under `within` and waits until it answers.
    pub async fn start(chrome: &Chrome, within: &Path, user_agent: &str) -> anyhow::Result<Browser> {
        std::fs::create_dir_all(within).with_context(|| format!("making {}", within.display()))?;
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(within)?.keep();
        let lock = match File::create(folder.join(LOCK)).and_then(|file| file.lock().map(|()| file)) {
            Ok(lock) => lock,
            Err(error) => {
                drop(std::fs::remove_dir_all(&folder));
                return Err(error).context("making a folder for a browser");
            }
        };
        let spawned = spawn(chrome, &folder, user_agent);
        let (mut child, to_browser, from_browser) = match spawned {
            Ok(spawned) => spawned,
            Err(error) => {
                drop(std::fs::remove_dir_all(&folder));
                return Err(error).with_context(|| format!("starting {}", chrome.program.display()));
            }
        };
        let group = Pid::from_child(&child);
        let complaint = listen_to_complaints(child.stderr.take());
        let remains = Remains { group, child, folder, _lock: lock };
        let browser = Browser { wire: Wire::open(to_browser, from_browser)?, remains: Some(remains) };
        let hello = browser.wire.call::<GetVersion>(None, json!({}));
        let answered = tokio::time::timeout(START_WITHIN, hello).await;
        let problem = match answered {
            Ok(Ok(version)) => {
                tracing::info!(pid = group.as_raw_nonzero(), version = version.product, "a browser started");
                return Ok(browser);
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("it did not answer within {} s", START_WITHIN.as_secs()),
        };
        browser.end().await;
        let said = complaint.lock().unwrap_or_else(PoisonError::into_inner).clone();
        anyhow::bail!("the browser did not start: {problem}; it said: {}", said.trim());
    }

    pub fn pid(&self) -> Option<i32> {
        self.remains.as_ref().map(|remains| remains.group.as_raw_nonzero().get())
    }

    /// Bytes of memory that its processes have for themselves.
    pub fn memory(&self) -> u64 {
        self.pid().map_or(0, memory_of_group)
    }

    pub fn watch_memory(&self) -> impl Fn() -> u64 + Send + Clone + 'static {
        let group = self.pid();
        move || group.map_or(0, memory_of_group)
    }

    /// Ends it, and waits until nothing of it is left.
    pub async fn end(mut self) {
        self.wire.close();
        if let Some(remains) = self.remains.take() {
            // Fails only when the runtime is going down, and then the drop inside has done the work.
            drop(tokio::task::spawn_blocking(move || remains.remove()).await);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.wire.close();
        if let Some(remains) = self.remains.take() {
            kill(remains.group);
            std::thread::spawn(move || remains.remove());
        }
    }
}

impl Remains {
    fn remove(mut self) {
        kill(self.group);
        drop(self.child.wait());
        let until = Instant::now() + GONE_WITHIN;
        loop {
            // Its orphans are our children now.
            while let Ok(Some(_)) = rustix::process::waitpgid(self.group, WaitOptions::NOHANG) {}
            if members(self.group.as_raw_nonzero().get()).is_empty() {
                break;
            }
            if Instant::now() > until {
                tracing::warn!(group = self.group.as_raw_nonzero(), "a killed browser is still there");
                break;
            }
            kill(self.group);
            std::thread::sleep(Duration::from_millis(2));
        }
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            tracing::warn!(folder = %self.folder.display(), %error, "the folder of a browser stays");
        }
    }
}

/// A group that is gone already is as good as killed.
fn kill(group: Pid) {
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

/// The browser reads from its descriptor 3 and writes to 4.
fn spawn(chrome: &Chrome, folder: &Path, user_agent: &str) -> anyhow::Result<(Child, OwnedFd, OwnedFd)> {
    let (theirs_in, ours_out) = std::io::pipe()?;
    let (ours_in, theirs_out) = std::io::pipe()?;
    let mut command = Command::new(&chrome.program);
    command
        .args(chrome.flags(folder, user_agent))
        .env_clear()
        .envs(chrome.environment(folder))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .fd_mappings(vec![
            FdMapping { parent_fd: theirs_in.into(), child_fd: 3 },
            FdMapping { parent_fd: theirs_out.into(), child_fd: 4 },
        ])?;
    let child = command.spawn()?;
    // Dropped with the command: only the browser holds its ends.
    Ok((child, ours_out.into(), ours_in.into()))
}

/// Reads what the browser writes to its standard error, and keeps the end of it.
fn listen_to_complaints(stderr: Option<std::process::ChildStderr>) -> Arc<Mutex<String>> {
    const KEPT: usize = 2_000;
    let said = Arc::new(Mutex::new(String::new()));
    let Some(mut stderr) = stderr else { return said };
    let heard = Arc::clone(&said);
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut chunk) {
            let mut said = heard.lock().unwrap_or_else(PoisonError::into_inner);
            said.push_str(&String::from_utf8_lossy(&chunk[..read]));
            let start = said.ceil_char_boundary(said.len().saturating_sub(KEPT));
            said.drain(..start);
        }
    });
    said
}

/// The processes of a group, zombies too.
pub fn members(group: i32) -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| group_of(*pid) == Some(group)).collect()
}

/// The fifth word of `stat`; the second, the name, may hold anything and ends at the last bracket.
fn group_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}

fn memory_of_group(group: i32) -> u64 {
    members(group).into_iter().map(memory_of).sum()
}

/// What it shares with others (the program itself) is not counted.
fn memory_of(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kib = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').split_whitespace().next()?.parse::<u64>().ok()
    };
    (kib("RssAnon").unwrap_or_default() + kib("RssShmem").unwrap_or_default()) * 1024
}
