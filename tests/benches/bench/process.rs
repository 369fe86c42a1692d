//! Processes of ours: started in a role, measured through /proc, and never left behind.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// /proc counts processor time in hundredths of a second on every Linux.
const TICKS: f64 = 100.0;

/// Says something to the person at the terminal.
#[expect(clippy::print_stdout, reason = "this is how a benchmark speaks")]
pub fn say(text: &str) {
    println!("{text}");
}

/// What a process has cost so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    pub cpu_seconds: f64,
    pub rss_mb: f64,
    pub peak_mb: f64,
}

impl Usage {
    pub fn of(pid: u32) -> anyhow::Result<Usage> {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
        let mb = |name: &str| -> f64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.trim_end_matches("kB").trim().parse::<f64>().unwrap_or_default() / 1024.0
        };
        let stat = Stat::of(pid).with_context(|| format!("process {pid} is gone"))?;
        Ok(Usage { cpu_seconds: stat.own, rss_mb: mb("VmRSS:"), peak_mb: mb("VmHWM:") })
    }
}

/// Processor seconds of a process with all its children, alive or not.
pub fn family_cpu_seconds(pid: u32) -> f64 {
    let Some(parent) = Stat::of(pid) else { return 0.0 };
    let everyone = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let children = everyone
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(Stat::of)
        .filter(|stat| stat.parent == pid);
    parent.own + parent.ended_children + children.map(|stat| stat.own).sum::<f64>()
}

struct Stat {
    parent: u32,
    own: f64,
    ended_children: f64,
}

impl Stat {
    fn of(pid: u32) -> Option<Stat> {
        let text = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
        // The name in brackets may hold anything; the numbers come after it.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let seconds = |at: usize| fields.get(at)?.parse::<f64>().ok().map(|ticks| ticks / TICKS);
        Some(Stat {
            parent: fields.get(1)?.parse().ok()?,
            own: seconds(11)? + seconds(12)?,
            ended_children: seconds(13)? + seconds(14)?,
        })
    }
}

/// A child that dies with us.
pub struct Guarded(Child);

impl Guarded {
    pub fn new(child: Child) -> Guarded {
        Guarded(child)
    }

    /// This program again, in another role.
    pub fn role(args: &[&str], dress: impl FnOnce(&mut Command)) -> anyhow::Result<Guarded> {
        let mut command = Command::new(std::env::current_exe()?);
        // It ends when this pipe does, should we be killed.
        command.args(args).stdin(Stdio::piped());
        dress(&mut command);
        Ok(Guarded(command.spawn().with_context(|| format!("starting {args:?}"))?))
    }

    pub fn id(&self) -> u32 {
        self.0.id()
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    pub fn has_ended(&mut self) -> anyhow::Result<bool> {
        Ok(self.0.try_wait()?.is_some())
    }

    /// Asks it to stop and waits until it has.
    pub fn stop(mut self) -> anyhow::Result<()> {
        Command::new("kill").args(["-TERM", &self.id().to_string()]).status().context("asking to stop")?;
        let since = Instant::now();
        while !self.has_ended()? {
            if since.elapsed() > Duration::from_secs(40) {
                bail!("process {} does not stop", self.id());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // Fails when it has ended, and that is fine.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
