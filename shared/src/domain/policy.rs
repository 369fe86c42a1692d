//! How hard a site may be asked. One policy per site, one default.

use serde::{Deserialize, Serialize};
use thiserror::Error;

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
    /// Tasks of this site that may be in the crawl queue at once.
    pub window: u16,
    /// From the reservation of a slot to the first byte on the wire: claim, resolve, connect.
    pub connect_budget_ms: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            tokens_per_interval: 2,
            interval_seconds: 10.0,
            min_delay_ms: 500,
            max_delay_ms: 2_000,
            window: 2,
            connect_budget_ms: 7_000,
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
        if !(1..=100).contains(&self.window) {
            return bad("window", "must be 1 to 100");
        }
        if !(100..=30_000).contains(&self.connect_budget_ms) {
            return bad("connect_budget_ms", "must be 100 to 30000");
        }
        Ok(self)
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
    }
}
