//! The circuit of one site: cut off after too many failures, tried again by exactly one probe.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How many of the latest answers are looked at.
pub const MEMORY: usize = 10;
/// More failures than this among them open the circuit.
pub const TOLERATED: usize = 5;
pub const COOLDOWN: SignedDuration = SignedDuration::from_secs(120);
/// A probe that was never reported gives its place up after this.
pub const PROBE_EXPIRES: SignedDuration = SignedDuration::from_secs(90);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Phase {
    Closed,
    Open {
        since: Timestamp,
        until: Timestamp,
    },
    /// The request with this fence decides; nobody else goes before it is heard of or expires.
    HalfOpen {
        since: Timestamp,
        probe: i64,
        expires: Timestamp,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circuit {
    pub phase: Phase,
    /// The latest answers while closed, oldest first; `true` is a failure.
    pub recent: Vec<bool>,
}

/// May a request go?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    Yes,
    /// As the one probe.
    AsProbe,
    NotBefore(Timestamp),
}

impl Default for Circuit {
    fn default() -> Self {
        Circuit { phase: Phase::Closed, recent: Vec::new() }
    }
}

impl Circuit {
    pub fn pass(&self, now: Timestamp) -> Pass {
        match self.phase {
            Phase::Closed => Pass::Yes,
            Phase::Open { until, .. } if now < until => Pass::NotBefore(until),
            Phase::HalfOpen { expires, .. } if now < expires => Pass::NotBefore(expires),
            Phase::Open { .. } | Phase::HalfOpen { .. } => Pass::AsProbe,
        }
    }

    /// The request with this fence goes as the probe.
    pub fn start_probe(&mut self, fence: i64, now: Timestamp) {
        if let Phase::Open { since, .. } | Phase::HalfOpen { since, .. } = self.phase {
            self.phase = Phase::HalfOpen { since, probe: fence, expires: now + PROBE_EXPIRES };
        }
    }

    /// What became of the request with this fence.
    pub fn record(&mut self, fence: i64, failed: bool, now: Timestamp) {
        match self.phase {
            Phase::Closed => {
                self.recent.push(failed);
                let excess = self.recent.len().saturating_sub(MEMORY);
                self.recent.drain(..excess);
                if self.recent.iter().filter(|failed| **failed).count() > TOLERATED {
                    self.recent.clear();
                    self.phase = Phase::Open { since: now, until: now + COOLDOWN };
                }
            }
            Phase::HalfOpen { since, probe, .. } if probe == fence => {
                self.phase =
                    if failed { Phase::Open { since, until: now + COOLDOWN } } else { Phase::Closed };
            }
            // Late news of requests from before the circuit opened changes nothing.
            Phase::Open { .. } | Phase::HalfOpen { .. } => {}
        }
    }

    /// Since when we cannot see this site, if we cannot.
    pub fn blind_since(&self) -> Option<Timestamp> {
        match self.phase {
            Phase::Closed => None,
            Phase::Open { since, .. } | Phase::HalfOpen { since, .. } => Some(since),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// Property 27: it opens exactly when more than five of the latest ten failed.
        #[test]
        fn property_27_it_opens_when_failures_exceed_five_of_the_last_ten(answers in prop::collection::vec(any::<bool>(), 0..60)) {
            let mut circuit = Circuit::default();
            let mut window: Vec<bool> = Vec::new();
            for (fence, failed) in answers.into_iter().enumerate() {
                window.push(failed);
                if window.len() > MEMORY {
                    window.remove(0);
                }
                circuit.record(i64::try_from(fence).unwrap(), failed, at(0));
                let expected = window.iter().filter(|f| **f).count() > TOLERATED;
                prop_assert_eq!(circuit.phase != Phase::Closed, expected);
                if expected {
                    break;
                }
            }
        }

        /// Properties 28 and 29: open refuses, half-open takes one probe, the probe decides.
        #[test]
        fn property_29_exactly_one_probe_goes_and_decides(wait in 0..400_i64, later in 0..200_i64, works in any::<bool>()) {
            let mut circuit = Circuit::default();
            for fence in 0..6 {
                circuit.record(fence, true, at(0));
            }
            match circuit.pass(at(wait)) {
                Pass::NotBefore(until) => {
                    prop_assert!(wait < 120);
                    prop_assert_eq!(until, at(120));
                }
                Pass::AsProbe => {
                    prop_assert!(wait >= 120);
                    circuit.start_probe(7, at(wait));
                    let second = circuit.pass(at(wait + later));
                    if later < 90 {
                        prop_assert_eq!(second, Pass::NotBefore(at(wait + 90)));
                    } else {
                        prop_assert_eq!(second, Pass::AsProbe);
                    }
                    circuit.record(3, false, at(wait));
                    prop_assert!(circuit.blind_since() == Some(at(0)), "a stale answer must not close it");
                    circuit.record(7, !works, at(wait));
                    prop_assert_eq!(circuit.pass(at(wait)) == Pass::Yes, works);
                }
                Pass::Yes => prop_assert!(false, "an open circuit let a request through"),
            }
        }
    }

    #[test]
    fn a_probe_that_crashed_does_not_hold_the_place_for_ever() {
        let mut circuit = Circuit { phase: Phase::Open { since: at(0), until: at(120) }, recent: vec![] };
        circuit.start_probe(1, at(120));
        assert!(matches!(circuit.pass(at(209)), Pass::NotBefore(_)));
        assert_eq!(circuit.pass(at(210)), Pass::AsProbe);
        circuit.start_probe(2, at(210));
        circuit.record(1, false, at(211));
        assert!(circuit.blind_since().is_some(), "the first probe lost its right when the second started");
    }
}
