//! Families of tasks, and the spawns that were refused.

use jiff::Timestamp;
use tokio_postgres::Row;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::ids::{TaskId, TrackingId};
use crate::domain::lineage::{Lineage, Relative, SpawnDepth, SpawnRefused};

statements! {
    // Two workers of one lineage that find the same link must not both spawn it.
    LOCK = "select pg_advisory_xact_lock(hashtextextended($1, 17))";
    FAMILY = "select id, kind::text, url_key, status::text from tasks where tracking_id = $1";
    KIN = "select id, kind::text, url_key, status::text from tasks
        where tracking_id = $1 and (id = any($2) or url_key = any($3))";
    LINEAGE = "select tracking_id, ancestry, spawn_depth from tasks where id = $1";
    COUNT_REFUSAL = "insert into spawn_refusals (code, count, last_at) values ($1, 1, $2)
        on conflict (code) do update set count = spawn_refusals.count + 1, last_at = excluded.last_at";
    REFUSALS = "select code, count from spawn_refusals order by code";
}

/// Serialises spawning within one lineage until the transaction ends.
pub async fn lock(db: &impl Db, tracking_id: TrackingId) -> anyhow::Result<()> {
    run(db, LOCK, &args![tracking_id.to_string()]).await.map(drop)
}

/// Every task of a lineage, as the spawn checks see it.
pub async fn family(db: &impl Db, tracking_id: TrackingId) -> anyhow::Result<Vec<Relative>> {
    rows(db, FAMILY, &args![tracking_id]).await?.iter().map(relative).collect()
}

/// Those tasks of a lineage that the checks of some spawns look at: the ones above, and the ones of the same urls.
pub async fn kin(
    db: &impl Db,
    tracking_id: TrackingId,
    above: &[TaskId],
    urls: &[&str],
) -> anyhow::Result<Vec<Relative>> {
    rows(db, KIN, &args![tracking_id, above.to_vec(), urls.to_vec()]).await?.iter().map(relative).collect()
}

fn relative(row: &Row) -> anyhow::Result<Relative> {
    Ok(Relative {
        id: row.get(0),
        kind: row.get::<_, &str>(1).parse()?,
        url: row.get(2),
        status: row.get::<_, &str>(3).parse()?,
    })
}

pub async fn of_task(db: &impl Db, id: TaskId) -> anyhow::Result<Option<Lineage>> {
    let found = row(db, LINEAGE, &args![id]).await?;
    Ok(found.map(|row| Lineage {
        tracking_id: row.get(0),
        ancestry: row.get(1),
        depth: SpawnDepth::stored(row.get(2)),
    }))
}

pub async fn count_refusal(db: &impl Db, refused: SpawnRefused, now: Timestamp) -> anyhow::Result<()> {
    run(db, COUNT_REFUSAL, &args![refused.code(), micros(now)]).await.map(drop)
}

/// How often each check refused a spawn.
pub async fn refusals(db: &impl Db) -> anyhow::Result<Vec<(String, i64)>> {
    Ok(rows(db, REFUSALS, &args![]).await?.iter().map(|row| (row.get(0), row.get(1))).collect())
}
