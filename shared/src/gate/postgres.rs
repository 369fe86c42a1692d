//! The gate on one machine: a row per site with a version.

use std::collections::{HashMap, HashSet};

use anyhow::Context;
use jiff::Timestamp;

use super::{Known, Versioned};
use crate::domain::gate::SiteState;
use crate::domain::site::Site;
use crate::gather::Gather;
use crate::store::Pool;
use crate::store::args::{Db, args, micros, row, rows, run, statements};
use crate::store::tasks::{Claim, Entry};

statements! {
    LOAD = "select site, state, version from gates where site = any($1::text[])";
    SWAP = include_str!("../store/sql/swap_gates.sql");
    // A count is not worth a wait for the disk: what a crash of Postgres loses of it, somebody may ask once more.
    COUNT = "with at_ease as (select set_config('synchronous_commit', 'off', true))
        insert into request_counts (key, window_start, count, expires_at)
        select $1::text, $2::timestamptz, 1, $3::timestamptz from at_ease
        on conflict (key, window_start) do update set count = request_counts.count + 1
        returning count";
    FORGET_GATES = "delete from gates where expires_at <= $1";
    FORGET_COUNTS = "delete from request_counts where expires_at <= $1";
}

#[derive(Clone)]
pub struct PgGate {
    pub(super) db: Pool,
    pub(crate) known: Known,
    swaps: Gather<Swap, bool>,
}

/// One site's new state, if the site is still at that version.
#[derive(Clone)]
pub(crate) struct Swap {
    pub site: Site,
    pub version: i64,
    pub state: SiteState,
    stored: serde_json::Value,
    expires_at: Timestamp,
}

impl Swap {
    pub fn new(site: &Site, version: i64, state: SiteState, now: Timestamp) -> anyhow::Result<Swap> {
        Swap::until(site, version, state, now + super::KEEP)
    }

    /// Together with the task that the slot is for.
    pub fn with<'a>(&'a self, claim: &'a Claim) -> Entry<'a> {
        Entry {
            site: self.site.as_str(),
            version: self.version,
            state: &self.stored,
            expires_at: self.expires_at,
            claim,
        }
    }

    fn until(site: &Site, version: i64, state: SiteState, end: Timestamp) -> anyhow::Result<Swap> {
        let stored = serde_json::to_value(&state)?;
        Ok(Swap { site: site.clone(), version, state, stored, expires_at: micros(end) })
    }
}

/// As many sites as one statement swaps.
const MOST: usize = 64;

impl PgGate {
    pub fn new(db: Pool) -> PgGate {
        let pool = db.clone();
        let swaps = Gather::new(MOST, move |swaps: Vec<Swap>| {
            let pool = pool.clone();
            async move { swap_all(&*pool.conn().await?, &swaps).await }
        });
        PgGate { db, known: Known::default(), swaps }
    }

    pub(super) async fn load(&self, site: &Site) -> anyhow::Result<Versioned> {
        let conn = self.db.conn().await?;
        let found = load_all(&*conn, &[site.as_str()]).await?.remove(site);
        found.context("every site has a state")
    }

    pub(super) async fn swap(
        &self,
        site: &Site,
        version: i64,
        state: &SiteState,
        expires_at: Timestamp,
    ) -> anyhow::Result<bool> {
        self.swaps.ask(Swap::until(site, version, state.clone(), expires_at)?).await
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

/// The states of these sites; one that is not stored has the first.
pub(crate) async fn load_all(db: &impl Db, sites: &[&str]) -> anyhow::Result<HashMap<Site, Versioned>> {
    let none = || Versioned { state: SiteState::default(), version: 0 };
    let mut states: HashMap<Site, Versioned> =
        sites.iter().map(|site| (Site::stored((*site).to_owned()), none())).collect();
    for row in rows(db, LOAD, &args![sites.to_vec()]).await? {
        let state = serde_json::from_value(row.get("state")).context("reading a site's gate")?;
        states.insert(Site::stored(row.get("site")), Versioned { state, version: row.get("version") });
    }
    Ok(states)
}

/// Swaps many sites at once. Of two swaps of one site only the first can win.
pub(crate) async fn swap_all(db: &impl Db, swaps: &[Swap]) -> anyhow::Result<Vec<bool>> {
    let mut seen = HashSet::new();
    let mut firsts: Vec<&Swap> = swaps.iter().filter(|swap| seen.insert(&swap.site)).collect();
    // In one order everywhere, so that two processes wait for one another and never both.
    firsts.sort_unstable_by_key(|swap| swap.site.as_str());
    let sites: Vec<&str> = firsts.iter().map(|swap| swap.site.as_str()).collect();
    let versions: Vec<i64> = firsts.iter().map(|swap| swap.version).collect();
    let states: Vec<serde_json::Value> = firsts.iter().map(|swap| swap.stored.clone()).collect();
    let ends: Vec<Timestamp> = firsts.iter().map(|swap| swap.expires_at).collect();
    let swapped = rows(db, SWAP, &args![sites, versions, states, ends]).await?;
    let mut won: HashSet<String> = swapped.iter().map(|row| row.get(0)).collect();
    Ok(swaps.iter().map(|swap| won.remove(swap.site.as_str())).collect())
}
