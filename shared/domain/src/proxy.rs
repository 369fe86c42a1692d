//! Which proxy a request takes, and what using one means for the next. Pure: what is known of the proxies
//! comes in, a choice or the new state comes out; `crate::proxies` keeps it where all instances see it.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// A site does not see the same proxy again before this.
pub const COOLDOWN: SignedDuration = SignedDuration::from_secs(30);
/// An unhealthy proxy is tried again this often.
pub const PROBE_EVERY: SignedDuration = SignedDuration::from_secs(60);
/// Sites that a proxy may fail to reach, one after the other, before it is the proxy's own fault. One dead
/// site must not take every proxy down with it.
pub const UNREACHED_SITES: usize = 3;

/// What is known of one proxy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Health {
    pub unhealthy_since: Option<Timestamp>,
    pub probed_at: Option<Timestamp>,
    pub successes: u64,
    pub failures: u64,
    /// Sites it answered for and did not reach, since it last reached any.
    pub unreached: Vec<String>,
}

/// What became of a request through a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Used {
    /// It carried an answer of the site.
    Worked,
    /// There was no way to or into the proxy itself.
    Failed,
    /// The proxy answered, and did not open the way to the site.
    Unreached,
}

impl Health {
    pub fn is_healthy(&self) -> bool {
        self.unhealthy_since.is_none()
    }

    /// What is known after one more use, for this site.
    #[must_use]
    pub fn after(&self, used: Used, site: &str, now: Timestamp) -> Health {
        let mut next = self.clone();
        match used {
            Used::Worked => {
                next.successes += 1;
                next.unreached.clear();
            }
            Used::Failed => {
                next.failures += 1;
                next.fall(now);
            }
            Used::Unreached => {
                next.failures += 1;
                if !next.unreached.iter().any(|known| known == site) {
                    next.unreached.push(site.to_owned());
                }
                if next.unreached.len() >= UNREACHED_SITES {
                    next.fall(now);
                }
            }
        }
        next
    }

    fn fall(&mut self, now: Timestamp) {
        self.unhealthy_since.get_or_insert(now);
        self.unreached.clear();
    }

    /// Whether the next probe is due.
    pub fn wants_probe(&self, now: Timestamp) -> bool {
        let last = self.probed_at.max(self.unhealthy_since);
        !self.is_healthy() && last.is_none_or(|last| now.duration_since(last) >= PROBE_EVERY)
    }

    /// What is known after a probe. A probe is no use of the proxy: the counts stay.
    #[must_use]
    pub fn probed(&self, answered: bool, now: Timestamp) -> Health {
        let mut next = Health { probed_at: Some(now), ..self.clone() };
        if answered {
            next.unhealthy_since = None;
        }
        next
    }
}

/// When each proxy may be shown to one site again, by the proxy's id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cooldowns(pub BTreeMap<String, Timestamp>);

impl Cooldowns {
    /// After a use at `now`. What is over is forgotten.
    #[must_use]
    pub fn after_use(&self, id: &str, now: Timestamp) -> Cooldowns {
        let mut next: BTreeMap<_, _> = self
            .0
            .iter()
            .filter(|(_, until)| **until > now)
            .map(|(id, until)| (id.clone(), *until))
            .collect();
        next.insert(id.to_owned(), now + COOLDOWN);
        Cooldowns(next)
    }

    fn until(&self, id: &str, now: Timestamp) -> Option<Timestamp> {
        self.0.get(id).copied().filter(|until| *until > now)
    }
}

/// One proxy as the choice sees it.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub id: &'a str,
    pub healthy: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// No proxy is configured.
    Direct,
    /// The one at this place of the list.
    Use(usize),
    /// Every healthy one is cooling for this site; the first is free then.
    Wait(Timestamp),
    NoneHealthy,
}

/// The next proxy for a site: round robin from `turn` over those that are healthy and not cooling.
pub fn choose(proxies: &[Candidate<'_>], cooling: &Cooldowns, turn: usize, now: Timestamp) -> Choice {
    if proxies.is_empty() {
        return Choice::Direct;
    }
    let mut first_free: Option<Timestamp> = None;
    for step in 0..proxies.len() {
        let at = (turn % proxies.len() + step) % proxies.len();
        let proxy = &proxies[at];
        if !proxy.healthy {
            continue;
        }
        match cooling.until(proxy.id, now) {
            None => return Choice::Use(at),
            Some(until) => first_free = Some(first_free.map_or(until, |first| first.min(until))),
        }
    }
    first_free.map_or(Choice::NoneHealthy, Choice::Wait)
}

#[cfg(test)]
#[path = "proxy_tests.rs"]
mod tests;
