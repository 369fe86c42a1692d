//! Other people's readers, in a process of their own that takes turns with us: `read_pages.py` over the same pages.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::Context;

pub struct Peers {
    process: Child,
    say: ChildStdin,
    hear: BufReader<ChildStdout>,
}

impl Peers {
    /// Starts over the pages of a folder.
    pub fn start(folder: &Path) -> anyhow::Result<Peers> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = here.join("../.venv-bench/bin/python");
        let mut process = Command::new(&python)
            .arg(here.join("benches/read_pages.py"))
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {}: run scripts/setup bench", python.display()))?;
        let say = process.stdin.take().context("its input")?;
        let hear = BufReader::new(process.stdout.take().context("its output")?);
        Ok(Peers { process, say, hear })
    }

    /// One round of a reader: microseconds of processor time a page.
    pub fn round(&mut self, reader: &str) -> anyhow::Result<f64> {
        writeln!(self.say, "{reader}")?;
        let mut line = String::new();
        self.hear.read_line(&mut line)?;
        line.trim().parse().with_context(|| format!("{reader} broke off"))
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
