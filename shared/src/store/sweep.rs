//! What fell through: lost messages, dead owners, sites with work and nothing in flight.

use anyhow::Context;
use jiff::Timestamp;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::ids::TaskId;
use crate::domain::site::Site;

statements! {
    STALE_FETCHES = include_str!("sql/stale_fetches.sql");
    STALE_EXTRACTS = include_str!("sql/stale_extracts.sql");
    IDLE_SITES = include_str!("sql/idle_sites.sql");
    NEXT_DEATH = "select nextval('process_deaths')";
    DROP_LEASES = include_str!("sql/drop_leases.sql");
}

/// Takes back releases whose message is lost: sites silent since `quiet_since`, tasks out since
/// `lost_since`, pages whose renderer was to be heard of before `unrendered_since`. Returns the sites to release
/// again.
pub async fn take_back_lost(
    db: &impl Db,
    quiet_since: Timestamp,
    lost_since: Timestamp,
    unrendered_since: Timestamp,
) -> anyhow::Result<Vec<Site>> {
    let mut sites: Vec<Site> = rows(db, STALE_FETCHES, &args![quiet_since, lost_since, unrendered_since])
        .await?
        .iter()
        .map(|row| Site::stored(row.get(0)))
        .collect();
    sites.sort();
    sites.dedup();
    Ok(sites)
}

/// Gives pages that wait to be read, and whose message is lost, a new number.
pub async fn renew_lost_extracts(
    db: &impl Db,
    quiet_since: Timestamp,
    now: Timestamp,
) -> anyhow::Result<Vec<(TaskId, i32)>> {
    let renewed = rows(db, STALE_EXTRACTS, &args![quiet_since, micros(now)]).await?;
    Ok(renewed.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Sites with due work and nothing in flight.
pub async fn idle_sites(db: &impl Db, now: Timestamp) -> anyhow::Result<Vec<Site>> {
    let found = rows(db, IDLE_SITES, &args![now]).await?;
    Ok(found.iter().map(|row| Site::stored(row.get(0))).collect())
}

/// The owner is dead: whatever it held may be claimed again, a little later each time it happens.
pub async fn drop_leases(db: &impl Db, owner: Uuid, now: Timestamp) -> anyhow::Result<u64> {
    let death: i64 = row(db, NEXT_DEATH, &args![]).await?.context("a sequence has a next number")?.get(0);
    run(db, DROP_LEASES, &args![owner, micros(now), death]).await
}
