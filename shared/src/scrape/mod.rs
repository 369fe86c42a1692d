//! The scrape service between its doors and its rows: what both the api and the stream room need. Requests are
//! read and judged here, become rows here, and are shown from here.

mod fields;
pub mod intake;
pub mod key;
pub mod request;
pub mod view;
pub mod wait;
