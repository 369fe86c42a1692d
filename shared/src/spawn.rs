//! A task that makes another one. Every spawn passes the four checks of `domain::lineage`; what they refuse
//! is logged and counted, never silent.

use anyhow::Context;
use jiff::Timestamp;

use crate::domain::ids::TaskId;
use crate::domain::lineage::{self, SpawnRefused};
use crate::store::tasks::{self, NewTask};
use crate::store::{Db, lineages};

/// Makes `child` under `parent`, in the caller's transaction; the child's own lineage is replaced by the
/// one it inherits. The caller releases the child's site after the commit.
pub async fn child(
    db: &impl Db,
    parent: TaskId,
    child: NewTask,
    now: Timestamp,
) -> anyhow::Result<Result<TaskId, SpawnRefused>> {
    let above = lineages::of_task(db, parent).await?.context("the parent of a spawn is gone")?;
    lineages::lock(db, above.tracking_id).await?;
    let family = lineages::family(db, above.tracking_id).await?;
    match lineage::spawn(parent, &above, child.kind, &child.url_key, &family) {
        Ok(lineage) => {
            let child = NewTask { lineage, ..child };
            tasks::insert(db, &child, now).await?;
            Ok(Ok(child.id))
        }
        Err(refused) => {
            tracing::warn!(parent.id = %parent, kind = child.kind.word(), code = refused.code(), %refused, "a spawn was refused");
            lineages::count_refusal(db, refused, now).await?;
            Ok(Err(refused))
        }
    }
}
