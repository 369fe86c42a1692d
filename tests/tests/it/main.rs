//! The house as a whole: its template and binaries on an emulated AWS, its rooms against boards, hostile servers and
//! addresses nobody may reach.

#![expect(clippy::unwrap_used, reason = "a test, and the helpers of one")]

mod aws_walk;
mod events;
mod hostile;
mod properties;
mod refused;
mod rooms;
mod sources;
mod template;
