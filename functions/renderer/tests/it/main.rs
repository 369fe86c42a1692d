//! The renderer with a real browser, on pages of its own.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod guard;
mod layer;
mod lives;
mod room;
mod shows;
mod storm;
