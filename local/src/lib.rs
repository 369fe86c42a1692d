//! The `freshet` program: every room in one process, and the operator's commands.

pub mod cluster;
pub mod demo;
pub mod demo_run;
mod demo_scraper;
pub mod keys;
pub mod operate;
pub mod replay;
pub mod serve;
pub mod web;

/// Says something to the person at the terminal.
#[expect(clippy::print_stdout, reason = "this is how the program speaks")]
pub fn say(text: &str) {
    println!("{text}");
}

/// Says what went wrong to the person at the terminal.
#[expect(clippy::print_stderr, reason = "this is how the program speaks")]
pub fn say_error(text: &str) {
    eprintln!("{text}");
}
