//! Batches: tasks that belong together. What a batch has come to is counted from its tasks.

use jiff::Timestamp;

use super::args::{Db, args, micros, run, statements};
use crate::domain::ids::BatchId;
use crate::domain::task::BatchKind;

statements! {
    INSERT = "insert into batches (id, kind, size, created_at) values ($1, $2::text::batch_kind, $3, $4)";
}

pub async fn insert(
    db: &impl Db,
    id: BatchId,
    kind: BatchKind,
    size: i32,
    now: Timestamp,
) -> anyhow::Result<()> {
    run(db, INSERT, &args![id, kind.word(), size, micros(now)]).await.map(drop)
}
