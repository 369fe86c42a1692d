//! What the rooms share.
//!
//! `domain` decides and touches nothing; the modules beside it remember and carry and decide nothing; a
//! room (`functions/*`) wires the two.

pub mod domain;

pub mod blobs;
pub mod egress;
pub mod gate;
pub mod queue;
pub mod store;

pub mod clock;
pub mod house;
pub mod messages;
pub mod release;
pub mod room;
pub mod settings;
pub mod sighting;
pub mod spawn;
pub mod telemetry;
pub mod tls;
pub mod tokens;
