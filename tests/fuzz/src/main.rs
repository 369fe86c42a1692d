//! `make fuzz`: every target for a while, with the kept corpus. Ends with an error when a reader panicked, broke a
//! law, or took too long; the input that did it is in `tests/fuzz/found`.
#![expect(clippy::print_stdout, reason = "it is a program for a terminal")]

use std::time::Duration;

use clap::Parser;

#[derive(Parser)]
struct Args {
    /// How long each target is run.
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// Only this target.
    #[arg(long)]
    target: Option<String>,
    /// The same seed gives the same inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Add inputs that showed something new to the corpus.
    #[arg(long)]
    keep: bool,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let mut broken = 0;
    let mut executions = 0;
    for target in fuzz::all().filter(|target| args.target.as_deref().is_none_or(|name| name == target.name)) {
        let report = fuzz::run(target, Duration::from_secs(args.seconds), args.seed, args.keep)?;
        println!("{report}");
        broken += report.found.len();
        executions += report.executions;
    }
    println!("{executions} executions in all, {broken} of them broke a reader");
    anyhow::ensure!(broken == 0, "{broken} inputs broke a reader; they are in tests/fuzz/found");
    Ok(())
}
