//! `local` from outside: the private Postgres cluster, the demo site, and the whole house as a process.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, also in its helpers")]

mod api_fuzz;
mod cluster;
mod demo;
mod house;
mod kill;
mod lines;
mod logins;
mod manners;
mod no_secrets;
mod render;
mod scrapers;
mod service;
mod walk;
mod ways_out;
mod webhook;
