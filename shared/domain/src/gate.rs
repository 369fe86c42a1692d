//! The rules of one site's gate: who may ask it next, and when. Pure: the state goes in, the new state
//! comes out, and `crate::gate` swaps it in atomically.
//!
//! A time kept here is always the *latest* moment at which the site can have seen a request, so a crash
//! wastes a slot and never makes two hits too close.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::circuit::{Circuit, Pass};
use super::policy::Policy;

/// Pushed back, a site is asked at half the rate for this long.
pub const SLOW_FOR: SignedDuration = SignedDuration::from_secs(300);
pub const MAX_SLOW_STEPS: u32 = 6;
pub const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// What the gate remembers of one site.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteState {
    /// The number of the latest grant.
    pub fence: i64,
    /// The latest grants: fence, and the moment by which the site has seen the request.
    pub grants: Vec<(i64, Timestamp)>,
    /// No request before this, by spacing alone.
    pub next_at: Option<Timestamp>,
    /// No request before this, because the site said so.
    pub held_until: Option<Timestamp>,
    /// The gap drawn for the latest grant, before backoff.
    pub gap_ms: i64,
    pub slow: Option<Slow>,
    pub circuit: Circuit,
}

/// A site that pushed back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slow {
    pub steps: u32,
    pub until: Timestamp,
    /// Grants up to this one belong to the incident that made the latest step.
    pub incident: i64,
}

/// Permission for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    pub fence: i64,
    /// No byte before this.
    pub at: Timestamp,
    /// The request must be on the wire by then, or the slot is void.
    pub send_by: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserve {
    Granted(Slot),
    /// Too early; ask again then.
    Wait(Timestamp),
    /// The circuit is open until then.
    Open(Timestamp),
}

/// What became of a granted request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    pub fence: i64,
    /// The latest moment the site can have read the request: its first byte back, else the end of waiting.
    pub seen_by: Timestamp,
    /// A connect error, timeout, 5xx or bot wall.
    pub failed: bool,
    /// 429 or 503, with what `Retry-After` asked for.
    pub pushback: Option<Option<SignedDuration>>,
}

/// May a request go to the site now? `draw` in [0, 1) picks the gap within the policy's range.
/// Returns the decision, and the state to store when it is a grant.
pub fn reserve(
    state: &SiteState,
    policy: &Policy,
    now: Timestamp,
    draw: f64,
) -> (Reserve, Option<SiteState>) {
    reserve_ahead(state, policy, now, draw, SignedDuration::ZERO)
}

/// The same for a worker who can wait: a slot that opens within `ahead` is granted now, to be used from
/// `slot.at` on, so that nothing but the request itself is left to do when the moment comes.
pub fn reserve_ahead(
    state: &SiteState,
    policy: &Policy,
    now: Timestamp,
    draw: f64,
    ahead: SignedDuration,
) -> (Reserve, Option<SiteState>) {
    let probing = match state.circuit.pass(now) {
        Pass::NotBefore(until) => return (Reserve::Open(until), None),
        Pass::AsProbe => true,
        Pass::Yes => false,
    };
    let factor = slow_factor(state, now);
    let at = earliest(state, policy, factor).map_or(now, |at| at.max(now));
    if at.duration_since(now) > ahead {
        return (Reserve::Wait(at), None);
    }
    let mut next = state.clone();
    next.fence += 1;
    let send_by = at + SignedDuration::from_millis(i64::from(policy.connect_budget_ms));
    next.gap_ms = drawn_gap(policy, draw);
    next.next_at = Some(send_by + slowed(next.gap_ms, factor));
    // Those that no window reaches any more, however slow we have become, are forgotten.
    let reach = interval(policy).saturating_mul(1 << MAX_SLOW_STEPS);
    next.grants.retain(|(_, seen_by)| now.duration_since(*seen_by) < reach);
    next.grants.push((next.fence, send_by));
    let excess = next.grants.len().saturating_sub(policy.tokens_per_interval as usize);
    next.grants.drain(..excess);
    if probing {
        next.circuit.start_probe(next.fence, now);
    }
    if next.slow.is_some_and(|slow| slow.until <= now) {
        next.slow = None;
    }
    if next.held_until.is_some_and(|until| until <= now) {
        next.held_until = None;
    }
    (Reserve::Granted(Slot { fence: next.fence, at, send_by }), Some(next))
}

/// The state after a granted request has been heard of.
pub fn settle(state: &SiteState, report: &Report, now: Timestamp) -> SiteState {
    let mut next = state.clone();
    if let Some(grant) = next.grants.iter_mut().find(|(fence, _)| *fence == report.fence) {
        grant.1 = report.seen_by;
    }
    if let Some(retry_after) = report.pushback {
        step_down(&mut next, report.fence, now);
        if let Some(wait) = retry_after {
            let until = now + wait.min(MAX_RETRY_AFTER);
            next.held_until = Some(next.held_until.map_or(until, |held| held.max(until)));
        }
    }
    // From the latest request on, and already slower when this answer made it so.
    if let Some((_, seen_by)) = next.grants.last() {
        next.next_at = Some(*seen_by + slowed(next.gap_ms, slow_factor(&next, now)));
    }
    next.circuit.record(report.fence, report.failed, now);
    next
}

/// One step per incident: answers to requests that were granted before the latest step are the same one.
fn step_down(state: &mut SiteState, fence: i64, now: Timestamp) {
    let running = state.slow.filter(|slow| now < slow.until);
    let steps = match running {
        Some(slow) if fence <= slow.incident => return,
        Some(slow) => (slow.steps + 1).min(MAX_SLOW_STEPS),
        None => 1,
    };
    state.slow = Some(Slow { steps, until: now + SLOW_FOR, incident: state.fence });
}

fn slow_factor(state: &SiteState, now: Timestamp) -> u32 {
    state.slow.filter(|slow| now < slow.until).map_or(1, |slow| 1 << slow.steps.min(MAX_SLOW_STEPS))
}

fn slowed(gap_ms: i64, factor: u32) -> SignedDuration {
    SignedDuration::from_millis(gap_ms.saturating_mul(i64::from(factor)))
}

fn drawn_gap(policy: &Policy, draw: f64) -> i64 {
    let spread = f64::from(policy.max_delay_ms - policy.min_delay_ms.min(policy.max_delay_ms));
    i64::from(policy.min_delay_ms) + (spread * draw.clamp(0.0, 1.0)).floor() as i64
}

fn interval(policy: &Policy) -> SignedDuration {
    SignedDuration::from_micros((policy.interval_seconds * 1e6).round() as i64)
}

/// The earliest moment that spacing, the window of N grants and the site's own word allow.
fn earliest(state: &SiteState, policy: &Policy, factor: u32) -> Option<Timestamp> {
    let interval = interval(policy).saturating_mul(i32::try_from(factor).unwrap_or(i32::MAX));
    let tokens = policy.tokens_per_interval as usize;
    let full = state.grants.len().checked_sub(tokens).map(|at| state.grants[at].1 + interval);
    [state.next_at, state.held_until, full].into_iter().flatten().max()
}

/// `Retry-After` in seconds or as a date. Zero, the past and rubbish ask for nothing; a day is the most.
pub fn retry_after(value: &str, now: Timestamp) -> Option<SignedDuration> {
    let value = value.trim();
    let wait = if value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty() {
        SignedDuration::from_secs(value.parse::<i64>().unwrap_or(i64::MAX).min(MAX_RETRY_AFTER.as_secs()))
    } else {
        let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
        date.duration_since(now)
    };
    (wait > SignedDuration::ZERO).then(|| wait.min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(1_800_000_000_000 + millis).unwrap()
    }

    fn millis(from: Timestamp, to: Timestamp) -> i64 {
        to.duration_since(from).as_millis().try_into().unwrap()
    }

    fn any_policy() -> impl Strategy<Value = Policy> {
        (1..5_u32, 0..8_u32, 0..3_000_u32, 0..3_000_u32).prop_map(|(tokens, seconds, min, more)| Policy {
            tokens_per_interval: tokens,
            interval_seconds: f64::from(seconds),
            min_delay_ms: min,
            max_delay_ms: min + more,
            ..Policy::default()
        })
    }

    /// One worker's try: how long after the reservation the site reads the request, whether the worker
    /// lives to report it, and how long until the next try.
    #[derive(Debug, Clone)]
    struct Try {
        pause: i64,
        read_after: i64,
        heard_after: i64,
        crashes: bool,
        pushes_back: bool,
        draw: f64,
        ahead: i64,
    }

    fn any_try() -> impl Strategy<Value = Try> {
        (
            0..6_000_i64,
            0..=7_000_i64,
            0..3_000_i64,
            prop::bool::weighted(0.2),
            prop::bool::weighted(0.1),
            0.0..1.0,
            prop_oneof![Just(0_i64), 1..2_000_i64],
        )
            .prop_map(|(pause, read_after, heard_after, crashes, pushes_back, draw, ahead)| Try {
                pause,
                read_after,
                heard_after,
                crashes,
                pushes_back,
                draw,
                ahead,
            })
    }

    /// Plays the tries; returns when the site read each request.
    fn play(policy: &Policy, tries: &[Try]) -> Vec<i64> {
        let (mut state, mut now, mut reads) = (SiteState::default(), 0_i64, Vec::new());
        for step in tries {
            now += step.pause;
            let ahead = SignedDuration::from_millis(step.ahead);
            let (decision, stored) = reserve_ahead(&state, policy, at(now), step.draw, ahead);
            let Reserve::Granted(slot) = decision else { continue };
            state = stored.unwrap();
            assert!(slot.at >= at(now) && slot.at <= at(now) + ahead);
            now = millis(at(0), slot.at);
            let read = now + step.read_after.min(millis(at(now), slot.send_by));
            reads.push(read);
            if !step.crashes {
                let heard = read + step.heard_after;
                let pushback = step.pushes_back.then_some(None);
                let report = Report { fence: slot.fence, seen_by: at(heard), failed: false, pushback };
                state = settle(&state, &report, at(heard));
                now = now.max(heard);
            }
        }
        reads
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// Property 22: no window of the interval ever holds more than N requests, crash or not.
        #[test]
        fn property_22_no_window_holds_more_than_n(policy in any_policy(), tries in prop::collection::vec(any_try(), 1..80)) {
            let mut reads = play(&policy, &tries);
            reads.sort_unstable();
            let interval = (policy.interval_seconds * 1e3) as i64;
            for window in reads.windows(policy.tokens_per_interval as usize + 1) {
                prop_assert!(window[window.len() - 1] - window[0] >= interval, "{reads:?}");
            }
        }

        /// Property 17: the site never sees two requests closer than the smallest delay.
        #[test]
        fn property_17_no_two_requests_are_closer_than_the_delay(policy in any_policy(), tries in prop::collection::vec(any_try(), 1..80)) {
            let mut reads = play(&policy, &tries);
            reads.sort_unstable();
            for pair in reads.windows(2) {
                prop_assert!(pair[1] - pair[0] >= i64::from(policy.min_delay_ms), "{reads:?}");
            }
        }

        /// Property 17: the delay is drawn from its range.
        #[test]
        fn property_17_a_drawn_delay_is_within_its_range(policy in any_policy(), draw in 0.0..1.0_f64) {
            let gap = drawn_gap(&policy, draw);
            prop_assert!(gap >= i64::from(policy.min_delay_ms) && gap <= i64::from(policy.max_delay_ms));
        }

        #[test]
        fn retry_after_is_clamped_and_rubbish_is_ignored(text in "\\PC{0,30}") {
            if let Some(wait) = retry_after(&text, at(0)) {
                prop_assert!(wait > SignedDuration::ZERO && wait <= MAX_RETRY_AFTER);
            }
        }

        /// Incident 10: however many answers of one burst push back, the rate falls by one step.
        #[test]
        fn a_burst_is_one_step(burst in 1..20_i64) {
            let mut state = SiteState { fence: burst, ..SiteState::default() };
            for fence in 1..=burst {
                let report = Report { fence, seen_by: at(0), failed: false, pushback: Some(None) };
                state = settle(&state, &report, at(fence));
            }
            prop_assert_eq!(state.slow.unwrap().steps, 1);
        }
    }

    /// Incident 11: zero and rubbish change nothing; ten years become a day.
    #[test]
    fn what_retry_after_may_ask_for() {
        let now = at(0);
        assert_eq!(retry_after("120", now), Some(SignedDuration::from_secs(120)));
        assert_eq!(retry_after("0", now), None);
        assert_eq!(retry_after("-5", now), None);
        assert_eq!(retry_after("soon", now), None);
        assert_eq!(retry_after("", now), None);
        assert_eq!(retry_after("315360000", now), Some(MAX_RETRY_AFTER));
        assert_eq!(retry_after("99999999999999999999999", now), Some(MAX_RETRY_AFTER));
        assert_eq!(retry_after("Fri, 15 Jan 2027 08:01:00 GMT", now), Some(SignedDuration::from_secs(60)));
        assert_eq!(retry_after("Fri, 15 Jan 2021 08:01:00 GMT", now), None);
    }

    #[test]
    fn a_site_that_names_a_time_is_left_alone_until_then() {
        let (_, stored) = reserve(&SiteState::default(), &Policy::default(), at(0), 0.0);
        let hold = Some(Some(SignedDuration::from_secs(600)));
        let state = settle(
            &stored.unwrap(),
            &Report { fence: 1, seen_by: at(5), failed: false, pushback: hold },
            at(5),
        );
        assert_eq!(reserve(&state, &Policy::default(), at(6_000), 0.0).0, Reserve::Wait(at(600_005)));
        assert!(matches!(reserve(&state, &Policy::default(), at(600_005), 0.0).0, Reserve::Granted(_)));
    }
}
