//! The server process itself: how it is started, and whether the one named in `postmaster.pid` lives.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};

use anyhow::Context;

use super::account::Account;
use super::binaries::Binaries;
use super::home::Home;

/// For a small machine that must not lose a committed row. The rest is Postgres's default.
const SETTINGS: [&str; 15] = [
    "listen_addresses=127.0.0.1",
    "max_connections=200",
    "shared_buffers=128MB",
    "effective_cache_size=512MB",
    "work_mem=8MB",
    "maintenance_work_mem=64MB",
    "fsync=on",
    "synchronous_commit=on",
    "wal_compression=on",
    "checkpoint_timeout=15min",
    "random_page_cost=1.1",
    "jit=off",
    "timezone=UTC",
    "log_timezone=UTC",
    "logging_collector=off",
];

/// Starts the server in a process group of its own, so that Ctrl-C in the terminal reaches us and not it:
/// we drain first and stop it last.
pub fn spawn(binaries: &Binaries, account: &Account, home: &Home, port: u16) -> anyhow::Result<Child> {
    if let Some(pid) = named_pid(home)
        && is_foreign(pid, &home.pgdata())
    {
        // After a reboot another process may bear the old number; Postgres would take it for a server.
        fs::remove_file(home.pgdata().join("postmaster.pid")).context("removing a stale postmaster.pid")?;
        let socket_lock = home.pgdata().join(format!(".s.PGSQL.{port}.lock"));
        if socket_lock.exists() {
            fs::remove_file(socket_lock).context("removing a stale socket lock")?;
        }
    }
    let log = home.log()?;
    let mut command = account.command(&binaries.dir.join("postgres"), home.root());
    command.arg("-D").arg(home.pgdata()).arg("-p").arg(port.to_string());
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.arg("-c").arg(format!("unix_socket_directories={}", socket_folder(&home.pgdata())));
    command.stdout(log.try_clone()?).stderr(log).process_group(0);
    command.spawn().with_context(|| {
        format!("starting {}/postgres (can its account reach that folder?)", binaries.dir.display())
    })
}

/// The data folder is private and Postgres's own, so the socket lives there, unless its path would be longer
/// than a socket's may be or would read as a list.
pub fn socket_folder(pgdata: &Path) -> String {
    let folder = pgdata.to_string_lossy().into_owned();
    let plain = folder.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    if plain && folder.len() + "/.s.PGSQL.65535.lock".len() < 100 { folder } else { String::new() }
}

/// The process id of a server that runs on this data now.
pub fn living(home: &Home) -> Option<u32> {
    named_pid(home).filter(|pid| command_line(*pid).is_some_and(|line| names(&line, &home.pgdata())))
}

fn is_foreign(pid: u32, pgdata: &Path) -> bool {
    command_line(pid).is_some_and(|line| !names(&line, pgdata))
}

fn named_pid(home: &Home) -> Option<u32> {
    fs::read_to_string(home.pgdata().join("postmaster.pid")).ok()?.lines().next()?.trim().parse().ok()
}

/// How the process was called; none when there is no such process. `ps` where there is no /proc.
fn command_line(pid: u32) -> Option<String> {
    if Path::new("/proc/self").exists() {
        let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        return Some(String::from_utf8_lossy(&line).replace('\0', " "));
    }
    let output = Command::new("ps").args(["-ww", "-o", "command=", "-p", &pid.to_string()]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn names(command_line: &str, pgdata: &Path) -> bool {
    command_line.contains(&format!("-D {} ", pgdata.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_path_that_is_too_long_or_reads_as_a_list_is_not_used() {
        assert_eq!(socket_folder(Path::new("/srv/freshet/data/pg")), "/srv/freshet/data/pg");
        assert_eq!(socket_folder(Path::new("/srv/a,b/pg")), "");
        assert_eq!(socket_folder(&Path::new("/srv").join("x".repeat(90))), "");
    }

    #[test]
    fn a_process_that_only_mentions_a_longer_path_is_not_our_server() {
        let pgdata = Path::new("/srv/pg");
        assert!(names("/usr/bin/postgres -D /srv/pg -p 5432", pgdata));
        assert!(!names("/usr/bin/postgres -D /srv/pg2 -p 5432", pgdata));
    }
}
