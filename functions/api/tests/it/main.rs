//! The API as a caller meets it: every door, every refusal, and what is left behind.

mod bad_input;
mod bench;
mod dead_letters;
mod doors;
mod tasks;
