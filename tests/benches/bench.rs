//! `make bench`: what we do beside the least it could cost, both measured in the same run.
//!
//! Every figure and its floor take turns (floor, ours, floor, ours …), so that a busy machine slows both.
//! `cargo bench -p house -- crawl queue` runs only those groups. The program starts itself again in four
//! roles, so that each has its own processor time and memory: `--site` serves the pages, `--fetch` and
//! `--spaced` are floors of a crawl, `--house` is the whole of `freshet serve`.

mod bench {
    pub mod boards;
    pub mod crawl;
    pub mod database;
    pub mod fetch;
    pub mod gaps;
    pub mod page;
    pub mod peers;
    pub mod plain;
    pub mod process;
    pub mod queue;
    pub mod reading;
    pub mod render;
    pub mod roles;
    pub mod roles_flask;
    pub mod roles_import;
    pub mod roles_match;
    pub mod roles_pgbench;
    pub mod rounds;
    pub mod runtime_api;
    pub mod site;
    pub mod start;
    pub mod table;
}

use anyhow::bail;
use bench::database::Database;
use bench::table::Table;
use bench::{
    boards, crawl, fetch, gaps, queue, reading, render, roles, roles_import, roles_match, site, start,
};
use shared::settings::Env;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|role| ["--site", "--fetch", "--spaced", "--house"].contains(&role.as_str()))
    {
        end_with_parent();
    }
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--site", sites] => site::serve(sites.parse()?).await,
        ["--fetch", ports, from, pages] => fetch::run(ports, from.parse()?, pages.parse()?).await,
        ["--spaced", ports] => gaps::run_spaced(ports).await,
        ["--house"] => local::serve::run(&Env::of_process()).await,
        // cargo adds `--bench`; every other word names a group.
        words => {
            let groups: Vec<_> = words.iter().filter(|word| !word.starts_with("--")).collect();
            let mut terminate = signal(SignalKind::terminate())?;
            tokio::select! {
                done = measure(&groups) => done,
                // Dropping the work stops the processes it started.
                _ = tokio::signal::ctrl_c() => bail!("interrupted"),
                _ = terminate.recv() => bail!("told to stop"),
            }
        }
    }
}

/// A killed benchmark closes the pipe that is our input, and leaves nobody behind.
fn end_with_parent() {
    std::thread::spawn(|| {
        drop(std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
        std::process::exit(1);
    });
}

async fn measure(only: &[&&str]) -> anyhow::Result<()> {
    let wanted = |group: &str| only.is_empty() || only.iter().any(|word| **word == group);
    shared::tls::install_provider();
    let mut table = Table::default();
    if wanted("reading") {
        reading::measure(&mut table)?;
    }
    if wanted("boards") {
        boards::measure(&mut table)?;
    }
    if ["crawl", "gaps", "queue", "roles", "render", "start"].into_iter().any(wanted) {
        let database = Database::start().await?;
        if wanted("crawl") {
            crawl::measure(&mut table, &database).await?;
        }
        if wanted("gaps") {
            gaps::measure(&mut table, &database).await?;
        }
        if wanted("queue") {
            queue::measure(&mut table, &database).await?;
        }
        if wanted("roles") {
            roles::measure(&mut table, &database).await?;
            roles_import::measure(&mut table, &database).await?;
            roles_match::measure(&mut table, &database).await?;
        }
        if wanted("render") {
            render::measure(&mut table, &database).await?;
        }
        if wanted("start") {
            start::measure(&mut table, &database).await?;
        }
    }
    table.print()
}
