//! Numbered laws through the real gate on Postgres, with several workers asking at once. Time is simulated;
//! the contention is real.

use fixture::TestDb;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use shared::domain::gate::{Report, Reserve, Slot};
use shared::domain::policy::Policy;
use shared::domain::site::{Site, site_key};
use shared::gate::{Gate, PgGate};
use tokio::runtime::Runtime;
use uuid::Uuid;

const WORKERS: usize = 4;
const CASES: u32 = 100;

struct Bench {
    runtime: Runtime,
    db: TestDb,
}

impl Bench {
    fn new() -> Bench {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let db = runtime.block_on(TestDb::new());
        Bench { runtime, db }
    }

    fn gate(&self) -> Gate {
        Gate::Postgres(PgGate::new(self.db.pool.clone()))
    }

    /// Runs the law on fresh cases, all on one database, each on sites of its own.
    fn holds<S: Strategy>(
        &self,
        cases: S,
        law: impl Fn(&Runtime, Gate, S::Value) -> Result<(), TestCaseError>,
    ) {
        let mut runner = TestRunner::new(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(CASES)
        });
        let _inside = self.runtime.enter();
        runner.run(&cases, |case| law(&self.runtime, self.gate(), case)).unwrap();
    }
}

fn start() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

fn millis(millis: i64) -> SignedDuration {
    SignedDuration::from_millis(millis)
}

fn fresh_site() -> Site {
    site_key(&format!("https://s{}.com/", Uuid::new_v4().simple()).parse().unwrap()).unwrap()
}

/// All workers ask at the same moment; what each was told.
async fn all_ask(gate: &Gate, site: &Site, policy: &Policy, at: Timestamp) -> Vec<Reserve> {
    let mut crowd = tokio::task::JoinSet::new();
    for worker in 0..WORKERS {
        let (gate, site, policy) = (gate.clone(), site.clone(), policy.clone());
        let draw = worker as f64 / WORKERS as f64;
        crowd.spawn(async move { gate.reserve(&site, &policy, at, draw).await.unwrap() });
    }
    crowd.join_all().await
}

fn granted(answers: &[Reserve]) -> Vec<Slot> {
    let slot = |answer: &Reserve| match answer {
        Reserve::Granted(slot) => Some(*slot),
        _ => None,
    };
    answers.iter().filter_map(slot).collect()
}

async fn report(gate: &Gate, site: &Site, slot: Slot, at: Timestamp, failed: bool) {
    let report = Report { fence: slot.fence, seen_by: at, failed, pushback: None };
    gate.settle(site, &report, at).await.unwrap();
}

/// No window of the interval holds more than N requests, however many ask at once; and a busy site takes
/// nothing from a quiet one.
#[test]
fn property_22_many_workers_keep_the_rate_of_each_site() {
    let bench = Bench::new();
    let policy =
        (1..4_u32, 0..6_u32, 0..800_u32, 0..800_u32).prop_map(|(tokens, seconds, min, more)| Policy {
            tokens_per_interval: tokens,
            interval_seconds: f64::from(seconds),
            min_delay_ms: min,
            max_delay_ms: min + more,
            connect_budget_ms: 100,
            ..Policy::default()
        });
    let rounds = prop::collection::vec((0..2_500_i64, 0..=100_i64, prop::bool::weighted(0.2)), 4..12);
    bench.holds((policy, rounds), |runtime, gate, (policy, rounds)| {
        runtime.block_on(async {
            let (busy, quiet) = (fresh_site(), fresh_site());
            let (mut now, mut reads) = (start(), Vec::new());
            for (pause, read_after, crashes) in rounds {
                now += millis(pause);
                let slots = granted(&all_ask(&gate, &busy, &policy, now).await);
                prop_assert!(slots.len() <= 1 || policy.min_delay_ms == 0, "{} at one moment", slots.len());
                for slot in slots {
                    let read = now + millis(read_after);
                    reads.push(read);
                    if !crashes {
                        report(&gate, &busy, slot, read, false).await;
                    }
                }
            }
            let quiet = gate.reserve(&quiet, &policy, now, 0.5).await.unwrap();
            prop_assert!(matches!(quiet, Reserve::Granted(_)), "a busy site holds up another");
            reads.sort_unstable();
            let interval = millis(i64::from(policy.interval_seconds as u32) * 1_000);
            for window in reads.windows(policy.tokens_per_interval as usize + 1) {
                prop_assert!(window[window.len() - 1].duration_since(window[0]) >= interval, "{:?}", reads);
            }
            for pair in reads.windows(2) {
                prop_assert!(
                    pair[1].duration_since(pair[0]) >= millis(i64::from(policy.min_delay_ms)),
                    "{:?}",
                    reads
                );
            }
            Ok(())
        })
    });
}

fn quick() -> Policy {
    Policy {
        tokens_per_interval: 1_000,
        interval_seconds: 0.0,
        min_delay_ms: 0,
        max_delay_ms: 0,
        connect_budget_ms: 100,
        ..Policy::default()
    }
}

/// Six failures in a row, one after the other; returns when the last was heard of.
async fn cut_off(gate: &Gate, site: &Site) -> Timestamp {
    let mut now = start();
    for _ in 0..6 {
        let Reserve::Granted(slot) = gate.reserve(site, &quick(), now, 0.0).await.unwrap() else {
            panic!("a closed circuit lets requests through")
        };
        report(gate, site, slot, now, true).await;
    }
    now += millis(0);
    now
}

/// While a circuit is open nobody gets through, of however many.
#[test]
fn property_28_an_open_circuit_refuses_every_worker() {
    let bench = Bench::new();
    bench.holds(prop::collection::vec(0..120_000_i64, 1..4), |runtime, gate, asks| {
        runtime.block_on(async {
            let site = fresh_site();
            let opened = cut_off(&gate, &site).await;
            for after in asks {
                for answer in all_ask(&gate, &site, &quick(), opened + millis(after)).await {
                    prop_assert_eq!(answer, Reserve::Open(opened + SignedDuration::from_secs(120)));
                }
            }
            Ok(())
        })
    });
}

/// Of many workers exactly one is the probe, and what it finds decides for all.
#[test]
fn property_29_one_worker_probes_and_decides() {
    let bench = Bench::new();
    let cases = (0..100_000_i64, 0..80_000_i64, prop::option::of(any::<bool>()));
    bench.holds(cases, |runtime, gate, (late, takes, answer)| {
        runtime.block_on(async {
            let site = fresh_site();
            let began = cut_off(&gate, &site).await + SignedDuration::from_secs(120) + millis(late);
            let probes = granted(&all_ask(&gate, &site, &quick(), began).await);
            prop_assert_eq!(probes.len(), 1, "exactly one probe");
            let Some(failed) = answer else {
                // Never heard of: its permission expires, and again exactly one goes.
                let again = began + SignedDuration::from_secs(90);
                prop_assert!(granted(&all_ask(&gate, &site, &quick(), again - millis(1)).await).is_empty());
                prop_assert_eq!(granted(&all_ask(&gate, &site, &quick(), again).await).len(), 1);
                return Ok(());
            };
            let ended = began + millis(takes);
            report(&gate, &site, probes[0], ended, failed).await;
            let after = all_ask(&gate, &site, &quick(), ended).await;
            if failed {
                let until = ended + SignedDuration::from_secs(120);
                prop_assert!(after.iter().all(|answer| *answer == Reserve::Open(until)), "{:?}", after);
            } else {
                prop_assert!(!after.iter().any(|answer| matches!(answer, Reserve::Open(_))), "{:?}", after);
                // The memory is clean: five more failures leave it closed.
                let mut now = ended + millis(1_000);
                for _ in 0..5 {
                    let Reserve::Granted(slot) = gate.reserve(&site, &quick(), now, 0.0).await.unwrap()
                    else {
                        return Err(TestCaseError::fail("closed, and yet it refuses"));
                    };
                    report(&gate, &site, slot, now, true).await;
                    now += millis(1);
                }
                let still = gate.reserve(&site, &quick(), now, 0.0).await.unwrap();
                prop_assert!(matches!(still, Reserve::Granted(_)), "{:?}", still);
            }
            Ok(())
        })
    });
}
