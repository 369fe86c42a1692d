//! The API as a caller meets it: every door, every refusal, and what is left behind.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, also in its helpers")]

mod bad_input;
mod bench;
mod candidates;
mod clusters;
mod dead_letters;
mod doors;
mod jobs;
mod policies;
mod properties;
mod repeats;
mod role_queue;
mod role_races;
mod roles;
mod scraper_keys;
mod sources;
mod tasks;
mod webhooks;
mod work;
