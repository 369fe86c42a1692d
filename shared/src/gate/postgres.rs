//! The gate on one machine: a row per site with a version.

use anyhow::Context;
use jiff::Timestamp;

use super::Versioned;
use crate::domain::gate::SiteState;
use crate::domain::site::Site;
use crate::store::Pool;
use crate::store::args::{args, micros, row, run, statements};

statements! {
    LOAD = "select state, version from gates where site = $1";
    FIRST = "insert into gates (site, state, version, expires_at) values ($1, $2, 1, $3) on conflict do nothing";
    SWAP = "update gates set state = $3, version = version + 1, expires_at = $4 where site = $1 and version = $2";
    COUNT = "insert into request_counts (key, window_start, count, expires_at) values ($1, $2, 1, $3)
        on conflict (key, window_start) do update set count = request_counts.count + 1
        returning count";
    FORGET_GATES = "delete from gates where expires_at <= $1";
    FORGET_COUNTS = "delete from request_counts where expires_at <= $1";
}

#[derive(Clone)]
pub struct PgGate {
    db: Pool,
}

impl PgGate {
    pub fn new(db: Pool) -> PgGate {
        PgGate { db }
    }

    pub(super) async fn load(&self, site: &Site) -> anyhow::Result<Versioned> {
        let conn = self.db.conn().await?;
        let Some(row) = row(&*conn, LOAD, &args![site.as_str()]).await? else {
            return Ok(Versioned { state: SiteState::default(), version: 0 });
        };
        let state = serde_json::from_value(row.get(0)).context("reading a site's gate")?;
        Ok(Versioned { state, version: row.get(1) })
    }

    pub(super) async fn swap(
        &self,
        site: &Site,
        version: i64,
        state: &SiteState,
        expires_at: Timestamp,
    ) -> anyhow::Result<bool> {
        let conn = self.db.conn().await?;
        let state = serde_json::to_value(state)?;
        let expires_at = micros(expires_at);
        let touched = if version == 0 {
            run(&*conn, FIRST, &args![site.as_str(), state, expires_at]).await?
        } else {
            run(&*conn, SWAP, &args![site.as_str(), version, state, expires_at]).await?
        };
        Ok(touched == 1)
    }

    pub(super) async fn count(
        &self,
        key: &str,
        start: Timestamp,
        expires_at: Timestamp,
    ) -> anyhow::Result<i64> {
        let conn = self.db.conn().await?;
        let counted =
            row(&*conn, COUNT, &args![key, start, expires_at]).await?.context("a count has a row")?;
        Ok(i64::from(counted.get::<_, i32>(0)))
    }

    /// Drops what is past its time. Cleaning only.
    pub async fn forget_old(&self, now: Timestamp) -> anyhow::Result<u64> {
        let conn = self.db.conn().await?;
        let gates = run(&*conn, FORGET_GATES, &args![now]).await?;
        Ok(gates + run(&*conn, FORGET_COUNTS, &args![now]).await?)
    }
}
