//! What the shared layer remembers and carries, against the real thing.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, also in its helpers")]

mod ai;
mod blobs;
mod boards;
mod bulk;
mod clusters;
mod credentials;
mod desk;
mod egress;
mod gate;
mod gate_laws;
mod policies;
mod pooler;
mod proxies;
mod queue;
mod reading;
mod release;
mod replay;
mod store;
