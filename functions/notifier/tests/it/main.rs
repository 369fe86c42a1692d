//! The notifier against real endpoints on loopback and a real Postgres. Time is the test's, except where a
//! slow receiver is what is tested.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, also in its helpers")]

mod attempts;
mod bench;
mod guard;
mod jobs;
mod lanes;
mod sweep;
