//! The operator's proxies as all instances see them: who is healthy, who rests for which site, and how each
//! has done. The rules are in `domain::proxy`; the gate remembers. Without proxies nothing here asks anybody.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::bail;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::proxy::{COOLDOWN, Candidate, Choice, Cooldowns, Health, Used, choose};
use crate::domain::readiness::RouteHealth;
use crate::domain::region::Region;
use crate::domain::site::Site;
use crate::egress::{Egress, EgressError, Fetched, Hop, Proxy, Request, Route};
use crate::gate::{Gate, Note};

/// Counts of a proxy that nobody used for this long are forgotten.
const KEEP: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Swaps that may be lost to others before we give up; each loss means that another one got through.
const TRIES: usize = 64;
/// A proxy that takes longer for one small page is not back.
const PROBE_LIMIT: Duration = Duration::from_secs(15);

pub struct Proxies {
    entries: Vec<Entry>,
    gate: Gate,
    /// Whose turn it is in this instance. They begin at different places, so that two do not walk in step.
    turn: Mutex<usize>,
}

struct Entry {
    id: String,
    protocol: String,
    region: Option<Region>,
}

/// How one proxy is doing, by its place in the list and never by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProxyFigures {
    pub index: usize,
    /// `http`, `https` or `socks5`.
    pub protocol: String,
    pub region: Option<&'static str>,
    pub healthy: bool,
    pub successes: u64,
    pub failures: u64,
}

impl From<ProxyFigures> for RouteHealth {
    fn from(figures: ProxyFigures) -> RouteHealth {
        let count = |count| i64::try_from(count).unwrap_or(i64::MAX);
        RouteHealth {
            index: figures.index,
            protocol: figures.protocol,
            region: figures.region.map(str::to_owned),
            is_healthy: figures.healthy,
            success_count: count(figures.successes),
            failure_count: count(figures.failures),
        }
    }
}

impl Proxies {
    pub fn new(list: &[Proxy], gate: Gate) -> Proxies {
        let entries: Vec<_> = list
            .iter()
            .map(|proxy| Entry {
                id: proxy.id(),
                protocol: proxy.protocol().to_owned(),
                region: proxy.region,
            })
            .collect();
        Proxies { entries, gate, turn: Mutex::new(rand::random_range(0..1_000)) }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Where the way out of a route stands, if that is known.
    pub fn region(&self, route: Route) -> Option<Region> {
        match route {
            Route::Direct => None,
            Route::Proxy(at) => self.entries.get(at)?.region,
        }
    }

    /// What `take` would say now. Takes nothing.
    pub async fn look(&self, site: &Site, now: Timestamp) -> anyhow::Result<Choice> {
        if self.entries.is_empty() {
            return Ok(Choice::Direct);
        }
        let known = self.known(Some(site)).await?;
        let turn = *self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.choice(&known, site, turn, now)
    }

    /// Takes the next proxy for this site; the site does not see it again before its cooldown is over.
    pub async fn take(&self, site: &Site, now: Timestamp) -> anyhow::Result<Choice> {
        if self.entries.is_empty() {
            return Ok(Choice::Direct);
        }
        for _ in 0..TRIES {
            let known = self.known(Some(site)).await?;
            let choice = {
                let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
                let choice = self.choice(&known, site, *turn, now)?;
                if let Choice::Use(at) = choice {
                    *turn = at + 1;
                }
                choice
            };
            let Choice::Use(at) = choice else { return Ok(choice) };
            let key = rest_key(site);
            let (resting, version) = read::<Cooldowns>(&known, &key)?;
            let next = serde_json::to_value(resting.after_use(&self.entries[at].id, now))?;
            if self.gate.swap_note(&key, version, &next, now + COOLDOWN + COOLDOWN).await? {
                return Ok(choice);
            }
        }
        bail!("the proxies of {site} are too busy")
    }

    /// Writes down what became of a request by this route.
    pub async fn report(&self, route: Route, used: Used, site: &Site, now: Timestamp) -> anyhow::Result<()> {
        let Some(entry) = self.entry(route) else { return Ok(()) };
        self.change(entry, now, |health| Some(health.after(used, site.as_str(), now))).await.map(drop)
    }

    /// How each proxy is doing. Costs nothing when there is none.
    pub async fn figures(&self) -> anyhow::Result<Vec<ProxyFigures>> {
        if self.entries.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.known(None).await?;
        let figures = self.entries.iter().enumerate().map(|(index, entry)| {
            let (health, _) = read::<Health>(&known, &health_key(&entry.id))?;
            Ok(ProxyFigures {
                index,
                protocol: entry.protocol.clone(),
                region: entry.region.map(|region| region.code),
                healthy: health.is_healthy(),
                successes: health.successes,
                failures: health.failures,
            })
        });
        figures.collect()
    }

    /// Tries the unhealthy ones whose probe is due, all at once; returns how many came back. Many may call
    /// it: each probe goes once.
    pub async fn probe(&self, web: &Egress, url: &str, now: Timestamp) -> anyhow::Result<usize> {
        let tries = (0..self.entries.len()).map(|at| self.probe_one(at, web, url, now));
        let restored = futures_util::future::try_join_all(tries).await?;
        Ok(restored.into_iter().filter(|restored| *restored).count())
    }

    async fn probe_one(&self, at: usize, web: &Egress, url: &str, now: Timestamp) -> anyhow::Result<bool> {
        let entry = &self.entries[at];
        let due = |health: &Health| health.wants_probe(now).then(|| health.probed(false, now));
        if !self.change(entry, now, due).await? {
            return Ok(false);
        }
        let request = Request::get(url).header("user-agent", crate::outbound::USER_AGENT);
        let asked = web.fetch(request.via(Route::Proxy(at)), |_| Hop::Stop);
        let answered = matches!(tokio::time::timeout(PROBE_LIMIT, asked).await, Ok(Ok(_)));
        tracing::info!(proxy = at, answered, "probed a proxy");
        if answered {
            self.change(entry, now, |health| Some(health.probed(true, now))).await?;
        }
        Ok(answered)
    }

    fn entry(&self, route: Route) -> Option<&Entry> {
        match route {
            Route::Direct => None,
            Route::Proxy(at) => self.entries.get(at),
        }
    }

    /// The health of all, and who rests for the site.
    async fn known(&self, site: Option<&Site>) -> anyhow::Result<HashMap<String, Note>> {
        let health = self.entries.iter().map(|entry| health_key(&entry.id));
        let keys: Vec<_> = health.chain(site.map(rest_key)).collect();
        self.gate.notes(&keys).await
    }

    fn choice(
        &self,
        known: &HashMap<String, Note>,
        site: &Site,
        turn: usize,
        now: Timestamp,
    ) -> anyhow::Result<Choice> {
        let mut candidates = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let (health, _) = read::<Health>(known, &health_key(&entry.id))?;
            candidates.push(Candidate { id: &entry.id, healthy: health.is_healthy() });
        }
        let (resting, _) = read::<Cooldowns>(known, &rest_key(site))?;
        Ok(choose(&candidates, &resting, turn, now))
    }

    /// Changes what is known of one proxy, unless the rule sees nothing to change.
    async fn change(
        &self,
        entry: &Entry,
        now: Timestamp,
        rule: impl Fn(&Health) -> Option<Health>,
    ) -> anyhow::Result<bool> {
        let key = health_key(&entry.id);
        for _ in 0..TRIES {
            let known = self.gate.notes(std::slice::from_ref(&key)).await?;
            let (health, version) = read::<Health>(&known, &key)?;
            let Some(next) = rule(&health) else { return Ok(false) };
            if self.gate.swap_note(&key, version, &serde_json::to_value(next)?, now + KEEP).await? {
                return Ok(true);
            }
        }
        bail!("the counts of a proxy are too busy")
    }
}

/// What a fetch says about the proxy it went through. A failure of the site says nothing.
pub fn used(fetched: &Result<Fetched, EgressError>) -> Option<Used> {
    match fetched {
        Ok(_) => Some(Used::Worked),
        Err(EgressError::ProxyFailed { .. }) => Some(Used::Failed),
        Err(EgressError::ProxyRefused { .. }) => Some(Used::Unreached),
        Err(_) => None,
    }
}

fn health_key(id: &str) -> String {
    format!("proxy#{id}")
}

fn rest_key(site: &Site) -> String {
    format!("rest#{site}")
}

fn read<T: DeserializeOwned + Default>(known: &HashMap<String, Note>, key: &str) -> anyhow::Result<(T, i64)> {
    match known.get(key) {
        None => Ok((T::default(), 0)),
        Some(note) => Ok((serde_json::from_value(note.value.clone())?, note.version)),
    }
}
