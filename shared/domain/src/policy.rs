//! How hard a site may be asked, when, and how. One policy per site, one default.

use std::borrow::Cow;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::credential::CredentialUse;
use super::hours::AllowedHours;
use super::profile::Identity;

/// The crawl policy of one site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// No window of `interval_seconds` ever holds more requests than this.
    pub tokens_per_interval: u32,
    pub interval_seconds: f64,
    /// The gap between two requests is drawn anew from this range each time.
    pub min_delay_ms: u32,
    pub max_delay_ms: u32,
    /// Outside these hours tasks wait; none means all day.
    pub allowed_hours: Option<AllowedHours>,
    pub respect_robots_txt: bool,
    /// Tasks of this site that may be in the crawl queue at once.
    pub window: u16,
    /// From the reservation of a slot to the first byte on the wire: claim, resolve, connect.
    pub connect_budget_ms: u32,
    /// How pages are made readable when a task does not say.
    pub render: Rendering,
    /// A site that is off is never asked, and each of its tasks ends with the reason.
    pub enabled: bool,
    pub reason: Option<String>,
    /// Pages of this site are fetched with the caller's own login, where the backend has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<CredentialUse>,
    /// Who we say we are here; left out, what the settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rendering {
    /// Plain first, a browser when the page needs it.
    #[default]
    Auto,
    Always,
    Never,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            tokens_per_interval: 2,
            interval_seconds: 10.0,
            min_delay_ms: 500,
            max_delay_ms: 2_000,
            allowed_hours: None,
            respect_robots_txt: true,
            window: 2,
            connect_budget_ms: 7_000,
            render: Rendering::Auto,
            enabled: true,
            reason: None,
            credential: None,
            identity: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct BadPolicy {
    pub field: &'static str,
    pub problem: &'static str,
}

impl Policy {
    /// A policy that can be kept. Everything stored has passed here.
    pub fn checked(self) -> Result<Policy, BadPolicy> {
        let bad = |field, problem| Err(BadPolicy { field, problem });
        if !(1..=1_000).contains(&self.tokens_per_interval) {
            return bad("tokens_per_interval", "must be 1 to 1000");
        }
        if !(0.0..=86_400.0).contains(&self.interval_seconds) {
            return bad("interval_seconds", "must be 0 to 86400");
        }
        if self.min_delay_ms > self.max_delay_ms {
            return bad("min_delay_ms", "must not exceed max_delay_ms");
        }
        if self.max_delay_ms > 3_600_000 {
            return bad("max_delay_ms", "must be at most one hour");
        }
        if self.allowed_hours.is_some_and(|hours| !hours.are_sound()) {
            return bad("allowed_hours", "start must be 0 to 23, end 0 to 24, and they must differ");
        }
        if !(1..=100).contains(&self.window) {
            return bad("window", "must be 1 to 100");
        }
        if !(100..=30_000).contains(&self.connect_budget_ms) {
            return bad("connect_budget_ms", "must be 100 to 30000");
        }
        if self.reason.as_ref().is_some_and(|reason| reason.len() > 500) {
            return bad("reason", "must be at most 500 bytes");
        }
        if !self.enabled && self.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) {
            return bad("reason", "must say why the site is off");
        }
        if let Some(problem) = self.credential.as_ref().and_then(CredentialUse::problem) {
            return bad("credential", problem);
        }
        Ok(self)
    }

    /// The same policy with no gap shorter than the site's own wish.
    pub fn spaced(&self, crawl_delay: Option<SignedDuration>) -> Cow<'_, Policy> {
        let wish = crawl_delay.map_or(0, |delay| u32::try_from(delay.as_millis()).unwrap_or(u32::MAX));
        if wish <= self.min_delay_ms {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Policy { min_delay_ms: wish, max_delay_ms: self.max_delay_ms.max(wish), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_can_be_kept_and_nonsense_is_named() {
        assert!(Policy::default().checked().is_ok());
        let swapped = Policy { min_delay_ms: 5_000, ..Policy::default() };
        assert_eq!(swapped.checked().unwrap_err().to_string(), "min_delay_ms: must not exceed max_delay_ms");
        let unknown = serde_json::from_str::<Policy>(r#"{"tokens":3}"#).unwrap_err().to_string();
        assert!(unknown.contains("unknown field `tokens`"), "{unknown}");
        let nan = Policy { interval_seconds: f64::NAN, ..Policy::default() };
        assert!(nan.checked().is_err());
        let silent = Policy { enabled: false, ..Policy::default() };
        assert_eq!(silent.checked().unwrap_err().field, "reason");
    }

    #[test]
    fn a_crawl_delay_only_ever_widens_the_gap() {
        let policy = Policy { min_delay_ms: 500, max_delay_ms: 2_000, ..Policy::default() };
        let gaps = |millis| {
            let spaced = policy.spaced(Some(SignedDuration::from_millis(millis))).into_owned();
            (spaced.min_delay_ms, spaced.max_delay_ms)
        };
        assert_eq!(gaps(100), (500, 2_000));
        assert_eq!(gaps(1_000), (1_000, 2_000));
        assert_eq!(gaps(60_000), (60_000, 60_000));
        assert_eq!(*policy.spaced(None), policy);
    }
}
