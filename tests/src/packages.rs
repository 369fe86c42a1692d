//! The functions as `make test` packed them: `target/test-lambda/<room>/bootstrap.zip`, built for this machine.
//! A package that is missing or older than its sources is refused: it would test yesterday's code.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, ensure};

use crate::template::root;

/// The folder of the packages, after a look that each of these rooms is there and up to date.
pub fn folder<'a>(rooms: impl IntoIterator<Item = &'a str>) -> anyhow::Result<PathBuf> {
    for room in rooms {
        package(room)?;
    }
    Ok(root().join("target/test-lambda"))
}

/// A room's `bootstrap`: the very program that is in its package.
pub fn bootstrap(room: &str) -> anyhow::Result<PathBuf> {
    Ok(package(room)?.with_file_name("bootstrap"))
}

fn package(room: &str) -> anyhow::Result<PathBuf> {
    let package = root().join(format!("target/test-lambda/{room}/bootstrap.zip"));
    let packed = std::fs::metadata(&package).and_then(|found| found.modified());
    let packed =
        packed.with_context(|| format!("no package of {room}: `make test` builds it before the tests"))?;
    for sources in [format!("functions/{room}"), "shared/src".into(), "shared/migrations".into()] {
        let (changed, file) = newest(&root().join(sources))?;
        ensure!(
            changed <= packed,
            "the package of {room} is older than {}: `make test` builds it anew",
            file.display()
        );
    }
    Ok(package)
}

/// The file under a folder that was changed last.
fn newest(folder: &Path) -> anyhow::Result<(SystemTime, PathBuf)> {
    let mut latest = (SystemTime::UNIX_EPOCH, folder.to_owned());
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        let found = if entry.file_type()?.is_dir() {
            // Tests are no part of a package.
            if entry.file_name() == "tests" {
                continue;
            }
            newest(&entry.path())?
        } else {
            (entry.metadata()?.modified()?, entry.path())
        };
        latest = latest.max(found);
    }
    Ok(latest)
}
