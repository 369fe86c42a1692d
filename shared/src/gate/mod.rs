//! The gate: one site's state, swapped atomically, so that many instances agree on who asks it next.
//! The rules are in `domain::gate`; here they are only remembered. DynamoDB on AWS, Postgres on one machine.

mod dynamo;
mod known;
mod notes;
mod postgres;

use anyhow::bail;
use jiff::{SignedDuration, Timestamp};

pub use dynamo::DynamoGate;
use known::Known;
pub use notes::{ALL as NOTE_STATEMENTS, Note};
pub use postgres::{ALL as STATEMENTS, PgGate};
pub(crate) use postgres::{Swap, load_all, swap_all};

use crate::domain::gate::{Report, Reserve, SiteState, reserve_ahead, settle};
use crate::domain::policy::Policy;
use crate::domain::site::Site;

/// A site nobody asked for this long is forgotten.
const KEEP: SignedDuration = SignedDuration::from_hours(48);
/// Swaps that may be lost to others before we give up; each loss means that another one got through.
const TRIES: usize = 64;

/// A state with the version it was read at. Version 0: nothing is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Versioned {
    pub state: SiteState,
    pub version: i64,
}

#[derive(Clone)]
pub enum Gate {
    Dynamo(DynamoGate),
    Postgres(PgGate),
}

impl Gate {
    /// Asks for a slot. `draw` in [0, 1) picks the gap within the policy's range.
    pub async fn reserve(
        &self,
        site: &Site,
        policy: &Policy,
        now: Timestamp,
        draw: f64,
    ) -> anyhow::Result<Reserve> {
        self.reserve_ahead(site, policy, now, draw, SignedDuration::ZERO).await
    }

    /// Asks for a slot that opens within `ahead`.
    pub async fn reserve_ahead(
        &self,
        site: &Site,
        policy: &Policy,
        now: Timestamp,
        draw: f64,
        ahead: SignedDuration,
    ) -> anyhow::Result<Reserve> {
        // What we wrote ourselves a moment ago is most often still true, and a swap proves it. A refusal
        // is believed only when it was read.
        if let Some(held) = self.known().get(site, now) {
            let (decision, stored) = reserve_ahead(&held.state, policy, now, draw, ahead);
            if let Some(next) = stored
                && self.swap_known(site, held.version, next, now).await?
            {
                return Ok(decision);
            }
        }
        for _ in 0..TRIES {
            let held = self.load(site).await?;
            let (decision, stored) = reserve_ahead(&held.state, policy, now, draw, ahead);
            let Some(next) = stored else { return Ok(decision) };
            if self.swap_known(site, held.version, next, now).await? {
                return Ok(decision);
            }
        }
        bail!("the gate of {site} is too busy")
    }

    /// Tells the gate what became of a granted request.
    pub async fn settle(&self, site: &Site, report: &Report, now: Timestamp) -> anyhow::Result<SiteState> {
        let mut known = self.known().get(site, now);
        for _ in 0..TRIES {
            let held = match known.take() {
                Some(held) => held,
                None => self.load(site).await?,
            };
            let next = settle(&held.state, report, now);
            if self.swap_known(site, held.version, next.clone(), now).await? {
                return Ok(next);
            }
        }
        bail!("the gate of {site} is too busy")
    }

    /// Swaps, and remembers what the site's state is now.
    async fn swap_known(
        &self,
        site: &Site,
        version: i64,
        state: SiteState,
        now: Timestamp,
    ) -> anyhow::Result<bool> {
        let swapped = self.swap(site, version, &state, now + KEEP).await;
        match swapped {
            Ok(true) => self.known().set(site, Versioned { state, version: version + 1 }, now),
            Ok(false) | Err(_) => self.known().forget(site),
        }
        swapped
    }

    fn known(&self) -> &Known {
        match self {
            Gate::Dynamo(gate) => &gate.known,
            Gate::Postgres(gate) => &gate.known,
        }
    }

    pub async fn load(&self, site: &Site) -> anyhow::Result<Versioned> {
        match self {
            Gate::Dynamo(gate) => gate.load(site).await,
            Gate::Postgres(gate) => gate.load(site).await,
        }
    }

    /// Stores the state if the site is still at that version. `false`: somebody was quicker.
    pub async fn swap(
        &self,
        site: &Site,
        version: i64,
        state: &SiteState,
        expires_at: Timestamp,
    ) -> anyhow::Result<bool> {
        match self {
            Gate::Dynamo(gate) => gate.swap(site, version, state, expires_at).await,
            Gate::Postgres(gate) => gate.swap(site, version, state, expires_at).await,
        }
    }

    /// Counts one request of `key` in the fixed window that `now` falls into; returns the count so far.
    pub async fn count(&self, key: &str, window: SignedDuration, now: Timestamp) -> anyhow::Result<i64> {
        let start = window_start(window, now);
        match self {
            Gate::Dynamo(gate) => gate.count(key, start, start + window + window).await,
            Gate::Postgres(gate) => gate.count(key, start, start + window + window).await,
        }
    }
}

/// The start of the fixed window that `now` falls into.
pub fn window_start(window: SignedDuration, now: Timestamp) -> Timestamp {
    let length = window.as_secs().max(1);
    let second = now.as_second().div_euclid(length) * length;
    Timestamp::from_second(second).unwrap_or(now)
}
