//! What fell through: lost messages, dead owners, sites with work and nothing in flight.

use anyhow::Context;
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::ids::TaskId;
use crate::domain::site::Site;

statements! {
    SILENT_FETCHES = include_str!("sql/silent_fetches.sql");
    SILENT_EXTRACTS = include_str!("sql/silent_extracts.sql");
    TAKE_BACK = include_str!("sql/take_back_fetches.sql");
    RENEW_EXTRACTS = include_str!("sql/renew_extracts.sql");
    IDLE_SITES = include_str!("sql/idle_sites.sql");
    NEXT_DEATH = "select nextval('process_deaths')";
    DROP_LEASES = include_str!("sql/drop_leases.sql");
}

/// A task that is out and has not been heard of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silent {
    pub id: TaskId,
    pub site: Site,
    pub release_no: i32,
    pub heard_at: Timestamp,
    /// A renderer had it, and its time is over.
    pub unrendered: bool,
}

fn silent(row: &Row) -> Silent {
    Silent {
        id: row.get("id"),
        site: Site::stored(row.get("site")),
        release_no: row.get("release_no"),
        heard_at: row.get("heard_at"),
        unrendered: row.get("unrendered"),
    }
}

/// Tasks that are out to be fetched: of sites silent since `quiet_since`, out since `lost_since`, or with a renderer
/// that was to be heard of before `unrendered_since`.
pub async fn silent_fetches(
    db: &impl Db,
    quiet_since: Timestamp,
    lost_since: Timestamp,
    unrendered_since: Timestamp,
) -> anyhow::Result<Vec<Silent>> {
    let found = rows(db, SILENT_FETCHES, &args![quiet_since, lost_since, unrendered_since]).await?;
    Ok(found.iter().map(silent).collect())
}

/// Tasks whose pages wait to be read, silent since then.
pub async fn silent_extracts(db: &impl Db, quiet_since: Timestamp) -> anyhow::Result<Vec<Silent>> {
    Ok(rows(db, SILENT_EXTRACTS, &args![quiet_since]).await?.iter().map(silent).collect())
}

/// Takes back releases whose message is lost. Returns the sites to release again.
pub async fn take_back(db: &impl Db, lost: &[Silent]) -> anyhow::Result<Vec<Site>> {
    let (ids, numbers, times) = columns(lost);
    let taken = rows(db, TAKE_BACK, &args![ids, numbers, times]).await?;
    let mut sites: Vec<Site> = taken.iter().map(|row| Site::stored(row.get(0))).collect();
    sites.sort();
    sites.dedup();
    Ok(sites)
}

/// Gives pages that wait to be read, and whose message is lost, a new number.
pub async fn renew_extracts(
    db: &impl Db,
    lost: &[Silent],
    now: Timestamp,
) -> anyhow::Result<Vec<(TaskId, i32)>> {
    let (ids, numbers, times) = columns(lost);
    let renewed = rows(db, RENEW_EXTRACTS, &args![ids, numbers, times, micros(now)]).await?;
    Ok(renewed.iter().map(|row| (row.get(0), row.get(1))).collect())
}

fn columns(lost: &[Silent]) -> (Vec<TaskId>, Vec<i32>, Vec<Timestamp>) {
    let ids = lost.iter().map(|task| task.id).collect();
    let numbers = lost.iter().map(|task| task.release_no).collect();
    (ids, numbers, lost.iter().map(|task| task.heard_at).collect())
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
