//! What the shared layer remembers and carries, against the real thing.

mod blobs;
mod egress;
mod gate;
mod pooler;
mod queue;
mod release;
mod store;
