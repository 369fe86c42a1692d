//! The laws of the gate as a whole: backoff and circuit, by what `reserve` and `settle` let through.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::circuit::{COOLDOWN, MEMORY, PROBE_EXPIRES, TOLERATED};
use super::gate::{MAX_SLOW_STEPS, Report, Reserve, SLOW_FOR, SiteState, Slot, reserve, settle};
use super::policy::Policy;

fn start() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

fn millis(millis: i64) -> SignedDuration {
    SignedDuration::from_millis(millis)
}

/// The first moment from `now` on at which the site may be asked.
fn next_slot(state: &SiteState, policy: &Policy, now: Timestamp) -> (Timestamp, Slot, SiteState) {
    let mut at = now;
    loop {
        match reserve(state, policy, at, 0.0) {
            (Reserve::Granted(slot), stored) => return (at, slot, stored.unwrap()),
            (Reserve::Wait(until) | Reserve::Open(until), _) => {
                assert!(until > at, "a wait ends later than it began");
                at = until;
            }
        }
    }
}

fn answered(state: &SiteState, slot: Slot, at: Timestamp, failed: bool, pushed_back: bool) -> SiteState {
    let pushback = pushed_back.then_some(None);
    settle(state, &Report { fence: slot.fence, seen_by: at, failed, pushback }, at)
}

/// A site that has failed often enough to be left alone since `start()`.
fn cut_off(policy: &Policy) -> SiteState {
    let mut state = SiteState { fence: 6, ..SiteState::default() };
    for fence in 1..=6 {
        let report = Report { fence, seen_by: start(), failed: true, pushback: None };
        state = settle(&state, &report, start());
    }
    assert_eq!(reserve(&state, policy, start(), 0.0).0, Reserve::Open(start() + COOLDOWN));
    state
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// A 429 halves the rate, from the very next request on, for five minutes; each further incident halves
    /// it again; five quiet minutes bring it back. This holds for the delay and for the window alike.
    #[test]
    fn property_26_pushback_halves_the_rate_and_time_restores_it(
        delay in 1..3_000_u32, interval in 0..20_u32, by_window in any::<bool>(),
        steps in prop::collection::vec((0..200_000_i64, prop::bool::weighted(0.3)), 1..25)
    ) {
        let policy = Policy {
            tokens_per_interval: if by_window { 1 } else { 1_000 },
            interval_seconds: f64::from(interval),
            min_delay_ms: delay,
            max_delay_ms: delay,
            ..Policy::default()
        };
        let usual = if by_window { i64::from(delay).max(i64::from(interval) * 1_000) } else { i64::from(delay) };
        let (mut state, mut now) = (SiteState::default(), start());
        // The model: how often the rate is halved, and until when.
        let (mut halved, mut until) = (0_u32, start());
        let mut latest: Option<Timestamp> = None;
        for (pause, pushed_back) in steps {
            let (at, slot, stored) = next_slot(&state, &policy, now + millis(pause));
            if let Some(before) = latest {
                // Asked at every moment in between: the backoff may run out while we wait.
                let slow = i64::from(1_u32 << halved);
                let slowed = before + millis(usual * slow);
                let restored = (before + millis(usual)).max(until);
                let due = if halved == 0 { slowed } else { slowed.min(restored) };
                prop_assert!(at >= due.max(now + millis(pause)), "{} after {}", at, before);
                prop_assert!(at <= slowed.max(now + millis(pause)), "it waits longer than it must");
            }
            state = answered(&stored, slot, at, false, pushed_back);
            if at >= until {
                halved = 0;
            }
            if pushed_back {
                (halved, until) = ((halved + 1).min(MAX_SLOW_STEPS), at + SLOW_FOR);
            }
            (now, latest) = (at, Some(at));
        }
        // And left alone for five minutes it is asked at its usual rate again.
        let quiet = now + SLOW_FOR + millis(usual * 64);
        let (at, slot, stored) = next_slot(&state, &policy, quiet);
        prop_assert_eq!(at, quiet);
        state = answered(&stored, slot, at, false, false);
        prop_assert_eq!(next_slot(&state, &policy, at).0, at + millis(usual));
    }

    /// Incidents 10 and 12: while answers of one burst come in, the rate falls once and never rises.
    #[test]
    fn property_26_a_burst_is_one_incident(burst in 2..12_usize, pushes in prop::collection::vec(any::<bool>(), 12)) {
        let policy = Policy { tokens_per_interval: 1_000, interval_seconds: 0.0, min_delay_ms: 0, max_delay_ms: 0, ..Policy::default() };
        let (mut state, mut slots) = (SiteState::default(), Vec::new());
        let mut now = start();
        for _ in 0..burst {
            let (at, slot, stored) = next_slot(&state, &policy, now);
            (state, now) = (stored, at);
            slots.push(slot);
        }
        let pushed = slots.iter().zip(&pushes).filter(|(_, pushed)| **pushed).count();
        for (slot, pushed) in slots.iter().zip(&pushes) {
            now += millis(1);
            state = answered(&state, *slot, now, false, *pushed);
        }
        prop_assert_eq!(state.slow.map_or(0, |slow| slow.steps), u32::from(pushed > 0));
    }

    /// Through the gate: cut off exactly when more than five of the last ten answers failed.
    #[test]
    fn property_27_only_the_latest_answers_count(answers in prop::collection::vec(prop::bool::weighted(0.45), 1..60)) {
        let policy = Policy { min_delay_ms: 0, max_delay_ms: 0, interval_seconds: 0.0, ..Policy::default() };
        let (mut state, mut now) = (SiteState::default(), start());
        for (number, failed) in answers.iter().enumerate() {
            let (at, slot, stored) = next_slot(&state, &policy, now);
            state = answered(&stored, slot, at, *failed, false);
            now = at;
            let recent = &answers[(number + 1).saturating_sub(MEMORY)..=number];
            let expected = recent.iter().filter(|failed| **failed).count() > TOLERATED;
            let open = matches!(reserve(&state, &policy, now, 0.0).0, Reserve::Open(_));
            prop_assert_eq!(open, expected);
            if open {
                break;
            }
        }
    }

    /// While it is open nobody goes, whatever else is asked or heard of.
    #[test]
    fn property_28_an_open_circuit_refuses_at_once(
        asks in prop::collection::vec(0..119_999_i64, 1..40), late in prop::collection::vec((1..7_i64, any::<bool>()), 0..6)
    ) {
        let policy = Policy { min_delay_ms: 0, max_delay_ms: 0, interval_seconds: 0.0, ..Policy::default() };
        let mut state = cut_off(&policy);
        for (fence, failed) in late {
            let report = Report { fence, seen_by: start(), failed, pushback: None };
            state = settle(&state, &report, start());
        }
        for after in asks {
            let (decision, stored) = reserve(&state, &policy, start() + millis(after), 0.0);
            prop_assert_eq!(decision, Reserve::Open(start() + COOLDOWN));
            prop_assert!(stored.is_none(), "nothing changes by asking");
        }
    }

    /// After the cooldown one request goes as the probe. If it works the circuit closes with a clean memory;
    /// if it fails, it is open for another cooldown; if it is never heard of, its place is free in time.
    #[test]
    fn property_29_the_probe_decides(
        late in 0..300_000_i64, takes in 0..89_999_i64, answer in prop::option::of(any::<bool>()),
        others in prop::collection::vec(0..1_000_i64, 0..5), afterwards in prop::collection::vec(any::<bool>(), 5)
    ) {
        let policy = Policy { min_delay_ms: 0, max_delay_ms: 0, interval_seconds: 0.0, connect_budget_ms: 100, ..Policy::default() };
        let began = start() + COOLDOWN + millis(late);
        let (Reserve::Granted(probe), Some(mut state)) = reserve(&cut_off(&policy), &policy, began, 0.0) else {
            return Err(TestCaseError::fail("no probe"));
        };
        for other in others {
            let turned_away = reserve(&state, &policy, began + millis(other * takes / 1_000), 0.0).0;
            prop_assert_eq!(turned_away, Reserve::Open(began + PROBE_EXPIRES), "a second one went");
        }
        let ended = began + millis(takes);
        let Some(failed) = answer else {
            let again = reserve(&state, &policy, began + PROBE_EXPIRES, 0.0).0;
            prop_assert!(matches!(again, Reserve::Granted(slot) if slot.fence > probe.fence));
            return Ok(());
        };
        state = answered(&state, probe, ended, failed, false);
        if failed {
            prop_assert_eq!(reserve(&state, &policy, ended, 0.0).0, Reserve::Open(ended + COOLDOWN));
            return Ok(());
        }
        // Closed, and with nothing held against it: five failures more do not open it.
        for failed in afterwards {
            let (at, slot, stored) = next_slot(&state, &policy, ended);
            state = answered(&stored, slot, at, failed, false);
            prop_assert!(!matches!(reserve(&state, &policy, at, 0.0).0, Reserve::Open(_)));
        }
    }
}
