//! What each origin's robots.txt said when it was last asked for.

use anyhow::Context;
use jiff::Timestamp;

use super::args::{Db, args, micros, row, run, statements};
use crate::domain::robots_access::Access;

statements! {
    FIND = "select access, read_at, expires_at from robots where origin = $1 and expires_at > $2";
    KEEP = "insert into robots (origin, access, read_at, expires_at) values ($1, $2, $3, $4)
        on conflict (origin) do update
        set access = excluded.access, read_at = excluded.read_at, expires_at = excluded.expires_at
        where robots.read_at <= excluded.read_at";
    FORGET = "delete from robots where expires_at <= $1";
}

/// An answer with its dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub access: Access,
    pub read_at: Timestamp,
    pub expires_at: Timestamp,
}

impl Kept {
    /// What was learnt at that moment.
    pub fn new(access: Access, read_at: Timestamp) -> Kept {
        let read_at = micros(read_at);
        Kept { expires_at: access.expires_at(read_at), access, read_at }
    }
}

/// What is still to be believed of an origin.
pub async fn find(db: &impl Db, origin: &str, now: Timestamp) -> anyhow::Result<Option<Kept>> {
    let Some(row) = row(db, FIND, &args![origin, now]).await? else { return Ok(None) };
    let access = serde_json::from_value(row.get(0)).context("reading what a robots.txt said")?;
    Ok(Some(Kept { access, read_at: row.get(1), expires_at: row.get(2) }))
}

/// Keeps the newer of two answers.
pub async fn keep(db: &impl Db, origin: &str, kept: &Kept) -> anyhow::Result<()> {
    let access = serde_json::to_value(&kept.access)?;
    run(db, KEEP, &args![origin, access, kept.read_at, kept.expires_at]).await.map(drop)
}

/// Drops what nobody believes any more. Cleaning only.
pub async fn forget_old(db: &impl Db, now: Timestamp) -> anyhow::Result<u64> {
    run(db, FORGET, &args![now]).await
}
