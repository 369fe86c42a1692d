//! `cargo run -p house --example role_report -- <folder of title files>`: how well titles become roles and matches.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;

fn main() -> anyhow::Result<()> {
    let folder: PathBuf = std::env::args_os().nth(1).context("name a folder of title files")?.into();
    std::io::stdout().write_all(house::eval::roles::report(&folder)?.as_bytes())?;
    Ok(())
}
