use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

const SITES: [&str; 4] = ["a.com", "b.com", "c.com", "d.com"];

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

/// What happens to a pool of proxies.
#[derive(Debug, Clone)]
enum Step {
    Wait(i64),
    /// A request to a site; what becomes of it is said in case a proxy is found.
    Ask(usize, Used),
    /// A probe of every proxy that wants one.
    Probe(bool),
}

fn any_step() -> impl Strategy<Value = Step> {
    let used = prop_oneof![4 => Just(Used::Worked), 1 => Just(Used::Failed), 1 => Just(Used::Unreached)];
    prop_oneof![
        2 => (0..45_i64).prop_map(Step::Wait),
        5 => (0..SITES.len(), used).prop_map(|(site, used)| Step::Ask(site, used)),
        1 => any::<bool>().prop_map(Step::Probe),
    ]
}

/// A pool as `crate::proxies` drives it, with a journal of its own to compare against.
struct Pool {
    ids: Vec<String>,
    health: Vec<Health>,
    cooling: HashMap<usize, Cooldowns>,
    turn: usize,
    now: i64,
}

impl Pool {
    fn new(size: usize) -> Pool {
        Pool {
            ids: (0..size).map(|n| format!("p{n}")).collect(),
            health: vec![Health::default(); size],
            cooling: HashMap::new(),
            turn: 0,
            now: 0,
        }
    }

    fn choose(&self, site: usize) -> Choice {
        let candidates: Vec<_> = self
            .ids
            .iter()
            .zip(&self.health)
            .map(|(id, health)| Candidate { id, healthy: health.is_healthy() })
            .collect();
        let none = Cooldowns::default();
        choose(&candidates, self.cooling.get(&site).unwrap_or(&none), self.turn, at(self.now))
    }

    fn take(&mut self, site: usize) -> Choice {
        let choice = self.choose(site);
        if let Choice::Use(n) = choice {
            self.turn = n + 1;
            let cooling = self.cooling.entry(site).or_default();
            *cooling = cooling.after_use(&self.ids[n], at(self.now));
        }
        choice
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Each request goes to a site of its own, so that no cooldown stands in the way of the order.
    #[test]
    fn property_18_round_robin_skips_the_unhealthy(
        healthy in prop::collection::vec(any::<bool>(), 1..12), start in 0..100_usize, rounds in 1..4_usize
    ) {
        let ids: Vec<_> = (0..healthy.len()).map(|n| n.to_string()).collect();
        let candidates: Vec<_> =
            ids.iter().zip(&healthy).map(|(id, healthy)| Candidate { id, healthy: *healthy }).collect();
        let well: Vec<_> = (0..healthy.len()).filter(|n| healthy[*n]).collect();
        let (mut turn, mut order) = (start, Vec::new());
        for _ in 0..well.len() * rounds {
            let Choice::Use(n) = choose(&candidates, &Cooldowns::default(), turn, at(0)) else {
                prop_assert!(false, "a healthy one was not found");
                unreachable!()
            };
            prop_assert!(healthy[n], "{n} is unhealthy");
            order.push(n);
            turn = n + 1;
        }
        if well.is_empty() {
            prop_assert_eq!(choose(&candidates, &Cooldowns::default(), turn, at(0)), Choice::NoneHealthy);
        }
        // The healthy ones in the order of the list, each once a round, from the first at or after the turn.
        let begin = well.iter().position(|n| *n >= start % healthy.len()).unwrap_or(0);
        let expected: Vec<_> = (0..order.len()).map(|step| well[(begin + step) % well.len()]).collect();
        prop_assert_eq!(order, expected);
    }

    #[test]
    fn property_19_a_failed_proxy_is_left_alone_until_a_probe_restores_it(
        size in 1..6_usize, steps in prop::collection::vec(any_step(), 1..80)
    ) {
        let mut pool = Pool::new(size);
        let mut broken = vec![false; size];
        // When it fell or was last probed.
        let mut since = vec![0; size];
        for step in steps {
            match step {
                Step::Wait(seconds) => pool.now += seconds,
                Step::Ask(site, used) => {
                    let choice = pool.take(site);
                    let Choice::Use(n) = choice else {
                        prop_assert_eq!(choice == Choice::NoneHealthy, broken.iter().all(|broken| *broken));
                        continue;
                    };
                    prop_assert!(!broken[n], "proxy {n} was used although it had failed");
                    pool.health[n] = pool.health[n].after(used, SITES[site], at(pool.now));
                    prop_assert!(used != Used::Failed || !pool.health[n].is_healthy());
                    broken[n] = !pool.health[n].is_healthy();
                    since[n] = pool.now;
                }
                Step::Probe(answered) => for (n, (broken, since)) in broken.iter_mut().zip(&mut since).enumerate() {
                    let due = *broken && pool.now - *since >= 60;
                    prop_assert_eq!(pool.health[n].wants_probe(at(pool.now)), due, "proxy {}", n);
                    if due {
                        pool.health[n] = pool.health[n].probed(answered, at(pool.now));
                        prop_assert_eq!(pool.health[n].is_healthy(), answered);
                        (*broken, *since) = (!answered, pool.now);
                    }
                },
            }
        }
    }

    #[test]
    fn property_20_a_site_does_not_see_a_proxy_again_within_the_cooldown(
        size in 1..6_usize, steps in prop::collection::vec(any_step(), 1..80)
    ) {
        let mut pool = Pool::new(size);
        let mut used_at: HashMap<(usize, usize), i64> = HashMap::new();
        for step in steps {
            match step {
                Step::Wait(seconds) => pool.now += seconds,
                Step::Probe(_) => {}
                Step::Ask(site, _) => match pool.take(site) {
                    Choice::Use(n) => {
                        if let Some(last) = used_at.insert((n, site), pool.now) {
                            prop_assert!(pool.now - last >= 30, "proxy {n} after {} s", pool.now - last);
                        }
                    }
                    // All are cooling: the wait is no longer than it must be.
                    Choice::Wait(until) => {
                        let first = (0..size).map(|n| used_at[&(n, site)] + 30).min().unwrap();
                        prop_assert_eq!(until, at(first));
                        prop_assert!(first > pool.now);
                    }
                    other => prop_assert!(false, "{other:?}"),
                },
            }
        }
    }

    #[test]
    fn property_21_counts_are_what_was_recorded(
        steps in prop::collection::vec((prop::sample::select(SITES.as_slice()), any::<u8>()), 0..100)
    ) {
        let (mut health, mut worked, mut failed) = (Health::default(), 0, 0);
        for (n, (site, kind)) in steps.into_iter().enumerate() {
            let now = at(i64::try_from(n).unwrap());
            let used = match kind % 4 {
                0 | 1 => Used::Worked,
                2 => Used::Failed,
                _ => Used::Unreached,
            };
            if used == Used::Worked { worked += 1 } else { failed += 1 }
            health = health.after(used, site, now);
            if kind > 200 {
                health = health.probed(true, now); // a probe counts as nothing
            }
            prop_assert_eq!((health.successes, health.failures), (worked, failed));
        }
    }
}

#[test]
fn without_proxies_the_way_is_direct() {
    assert_eq!(choose(&[], &Cooldowns::default(), 7, at(0)), Choice::Direct);
}

/// However often it is asked for, one dead site is not the proxy's fault; three different ones are.
#[test]
fn one_dead_site_does_not_take_a_proxy_down() {
    let mut health = Health::default();
    for second in 0..20 {
        health = health.after(Used::Unreached, "dead.com", at(second));
        health = health.after(Used::Unreached, "gone.com", at(second));
    }
    assert!(health.is_healthy());
    assert!(!health.after(Used::Unreached, "third.com", at(30)).is_healthy());
    let proven = health.after(Used::Worked, "live.com", at(30));
    assert!(proven.after(Used::Unreached, "third.com", at(31)).is_healthy(), "it has worked since");
}

#[test]
fn a_probe_is_due_a_minute_after_the_fall_and_after_each_other() {
    let down = Health::default().after(Used::Failed, "a.com", at(0));
    assert!(!down.wants_probe(at(59)));
    assert!(down.wants_probe(at(60)));
    let still = down.probed(false, at(60));
    assert!(!still.is_healthy() && !still.wants_probe(at(119)) && still.wants_probe(at(120)));
    let up = still.probed(true, at(120));
    assert!(up.is_healthy() && !up.wants_probe(at(10_000)));
    assert!(!Health::default().wants_probe(at(0)), "a healthy one needs none");
}

#[test]
fn what_is_over_is_forgotten() {
    let first = Cooldowns::default().after_use("a", at(0));
    let second = first.after_use("b", at(30));
    assert_eq!(second.0.keys().collect::<Vec<_>>(), ["b"]);
}
