//! Which account of the operating system runs Postgres. Postgres refuses to run as root, so root lends it
//! another account, and owns everything but the data itself.

use std::io::ErrorKind;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

pub enum Account {
    /// We are not root: Postgres runs as we do.
    Ours,
    Lent {
        name: &'static str,
        uid: u32,
        gid: u32,
    },
}

impl Account {
    pub fn choose() -> anyhow::Result<Account> {
        if id(&["-u"])? != Some(0) {
            return Ok(Account::Ours);
        }
        for name in ["postgres", "nobody"] {
            if let (Some(uid), Some(gid)) = (id(&["-u", name])?, id(&["-g", name])?) {
                return Ok(Account::Lent { name, uid, gid });
            }
        }
        bail!(
            "Postgres refuses to run as root, and there is no account `postgres` or `nobody` to run it; \
             run as another user, or set DATABASE_URL"
        )
    }

    /// A command run by this account, with no input and without the caller's own Postgres settings. The
    /// account's other groups are dropped with the user id.
    pub fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).stdin(Stdio::null());
        for name in ["PGDATA", "PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGOPTIONS", "PGTZ"]
        {
            command.env_remove(name);
        }
        if let Account::Lent { uid, gid, .. } = self {
            command.uid(*uid).gid(*gid);
        }
        command
    }

    pub fn give(&self, path: &Path) -> anyhow::Result<()> {
        match self {
            Account::Ours => Ok(()),
            Account::Lent { name, uid, gid } => chown(path, Some(*uid), Some(*gid))
                .with_context(|| format!("giving {} to the account {name}", path.display())),
        }
    }

    /// The first folder on the way to `path` that this account cannot enter; found by trying.
    pub fn stopped_at(&self, path: &Path) -> anyhow::Result<Option<PathBuf>> {
        let Account::Lent { .. } = self else { return Ok(None) };
        let mut way: Vec<&Path> = path.ancestors().collect();
        way.reverse();
        for folder in way {
            match self.command(Path::new("/bin/sh"), folder).args(["-c", ":"]).status() {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    return Ok(Some(folder.to_owned()));
                }
                Err(error) => return Err(error).with_context(|| format!("entering {}", folder.display())),
            }
        }
        Ok(None)
    }
}

/// Runs a short command to its end; what it printed becomes the error.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("running {program}"))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("{program} failed ({})\n{}", output.status, String::from_utf8_lossy(&said).trim());
    }
    Ok(())
}

fn id(arguments: &[&str]) -> anyhow::Result<Option<u32>> {
    let output = Command::new("id").args(arguments).output().context("running id")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse().ok().filter(|_| output.status.success()))
}
