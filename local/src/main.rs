//! `freshet`: every room in one process, and the operator's commands.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use local::{demo_run, keys, operate, replay, serve};
use shared::settings::Env;

/// Listings that are still true.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every room on this machine.
    Serve,
    /// The same, with a local set of job sites to crawl.
    Demo,
    /// Bring the database that DATABASE_URL names to the newest schema.
    Migrate,
    /// Read stored pages again with the extractors of today, and show what changes.
    Replay(replay::Wishes),
    /// Print the description of the API, as it is served at /openapi.json.
    Openapi,
    /// Print a token with the admin role.
    AdminToken {
        /// Whose token it is; shown in the logs.
        #[arg(long, default_value = "operator")]
        who: String,
        /// How many hours it lasts, at most 720.
        #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(i64).range(1..=720))]
        hours: i64,
    },
    /// Keys of external scrapers.
    #[command(subcommand)]
    Keys(operate::Keys),
    /// Roles that scrapers work on.
    #[command(subcommand)]
    Roles(operate::Roles),
}

#[tokio::main]
async fn main() -> ExitCode {
    let env = Env::of_process();
    let done = match Cli::parse().command {
        Command::Serve => serve::run(&env).await,
        Command::Demo => demo_run::run(&env).await,
        Command::Migrate => serve::migrate(&env).await,
        Command::Replay(wishes) => replay::run(&env, &wishes).await,
        Command::Openapi => serve::print_description(),
        Command::AdminToken { who, hours } => keys::print_admin_token(&env, &who, hours),
        Command::Keys(wish) => operate::keys(&env, wish).await,
        Command::Roles(wish) => operate::roles(&env, wish).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            local::say_error(&format!("freshet: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
