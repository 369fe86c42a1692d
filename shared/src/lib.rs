//! What the rooms share.
//!
//! `domain` decides and touches nothing; the modules beside it remember and carry and decide nothing; a
//! room (`functions/*`) wires the two.

pub use domain;

pub mod blobs;
pub mod egress;
pub mod gate;
pub mod queue;
pub mod store;

pub mod absence;
pub mod ai;
pub mod checks;
pub mod clock;
pub mod credentials;
pub mod desk;
pub mod details;
pub mod door;
pub mod gather;
pub mod house;
pub mod matching;
pub mod messages;
pub mod notify;
pub mod outbound;
pub mod policies;
pub mod proxies;
pub mod release;
pub mod rendering;
pub mod replay;
pub mod robots;
pub mod room;
pub mod scrape;
pub mod scrapers;
pub mod settings;
pub mod sighting;
pub mod sources;
pub mod spawn;
pub mod telemetry;
pub mod tls;
pub mod tokens;
