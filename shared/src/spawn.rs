//! A task that makes another one. Every spawn passes the four checks of `domain::lineage`; what they refuse
//! is logged and counted, never silent.

use anyhow::Context;
use jiff::Timestamp;
use serde_json::Value;

use crate::domain::ids::TaskId;
use crate::domain::lineage::{self, Relative, SpawnRefused};
use crate::domain::task::TaskStatus;
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

/// Makes many tasks under `parent` in one go, each with what it knows from the start and each past the same checks.
/// Returns those that were made.
pub async fn children(
    db: &impl Db,
    parent: TaskId,
    children: Vec<(NewTask, Value)>,
    now: Timestamp,
) -> anyhow::Result<Vec<NewTask>> {
    if children.is_empty() {
        return Ok(Vec::new());
    }
    let above = lineages::of_task(db, parent).await?.context("the parent of a spawn is gone")?;
    lineages::lock(db, above.tracking_id).await?;
    let ancestors: Vec<TaskId> = above.ancestry.iter().copied().chain([parent]).collect();
    let urls: Vec<&str> = children.iter().map(|(child, _)| child.url_key.as_str()).collect();
    let mut kin = lineages::kin(db, above.tracking_id, &ancestors, &urls).await?;
    let (mut made, mut refused) = (Vec::new(), Vec::new());
    for (child, state) in children {
        match lineage::spawn(parent, &above, child.kind, &child.url_key, &kin) {
            Ok(lineage) => {
                let child = NewTask { lineage, ..child };
                if tasks::insert_new(db, &child, &state, now).await? {
                    let (id, kind, url) = (child.id, child.kind, child.url_key.clone());
                    kin.push(Relative { id, kind, url, status: TaskStatus::Pending });
                    made.push(child);
                }
            }
            Err(why) => refused.push(why),
        }
    }
    if let Some(why) = refused.first() {
        tracing::warn!(parent.id = %parent, count = refused.len(), code = why.code(), "spawns were refused");
    }
    for why in refused {
        lineages::count_refusal(db, why, now).await?;
    }
    Ok(made)
}
