//! One contract, two gates: DynamoDB (against an emulator) and Postgres. The rules themselves are tested
//! where they live, in `domain::gate`; here, that many instances agree on them.

use emulator::Emulator;
use fixture::TestDb;
use jiff::{SignedDuration, Timestamp};
use shared::domain::circuit::Phase;
use shared::domain::gate::{Report, Reserve, SiteState};
use shared::domain::policy::Policy;
use shared::domain::site::{Site, site_key};
use shared::gate::{DynamoGate, Gate, PgGate};

struct Bench {
    gate: Gate,
    _db: Option<TestDb>,
}

async fn on_postgres() -> Bench {
    let db = TestDb::new().await;
    Bench { gate: Gate::Postgres(PgGate::new(db.pool.clone())), _db: Some(db) }
}

async fn on_dynamo() -> Bench {
    let emulator = Emulator::ready().await.unwrap();
    let table = emulator.create_gate_table().await.unwrap();
    Bench { gate: Gate::Dynamo(DynamoGate::new(emulator.dynamodb(), table)), _db: None }
}

macro_rules! contract {
    ($($law:ident),+ $(,)?) => {
        mod postgres {
            $(#[tokio::test] async fn $law() { super::$law(super::on_postgres().await).await; })+
        }
        mod dynamo {
            $(#[tokio::test] async fn $law() { super::$law(super::on_dynamo().await).await; })+
        }
    };
}

contract!(
    a_swap_with_an_old_version_is_refused,
    a_crowd_gets_exactly_one_slot,
    sites_do_not_know_each_other,
    a_slot_that_was_heard_of_frees_the_next,
    exactly_one_of_a_crowd_is_the_probe,
    requests_are_counted_exactly_by_a_crowd,
    a_new_window_counts_anew,
);

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn site(name: &str) -> Site {
    site_key(&format!("https://{name}.com/").parse().unwrap()).unwrap()
}

async fn a_swap_with_an_old_version_is_refused(bench: Bench) {
    let (gate, site) = (&bench.gate, site("swap"));
    let state = |fence| SiteState { fence, ..SiteState::default() };
    assert_eq!(gate.load(&site).await.unwrap().version, 0);
    assert!(gate.swap(&site, 0, &state(1), at(60)).await.unwrap());
    assert!(!gate.swap(&site, 0, &state(9), at(60)).await.unwrap(), "it exists already");
    let held = gate.load(&site).await.unwrap();
    assert!(gate.swap(&site, held.version, &state(2), at(60)).await.unwrap());
    assert!(!gate.swap(&site, held.version, &state(9), at(60)).await.unwrap(), "somebody was quicker");
    assert_eq!(gate.load(&site).await.unwrap().state.fence, 2);
}

async fn a_crowd_gets_exactly_one_slot(bench: Bench) {
    let site = site("crowd");
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let (gate, site) = (bench.gate.clone(), site.clone());
        crowd.spawn(async move { gate.reserve(&site, &Policy::default(), at(0), 0.5).await.unwrap() });
    }
    let granted =
        crowd.join_all().await.into_iter().filter(|answer| matches!(answer, Reserve::Granted(_))).count();
    assert_eq!(granted, 1);
}

async fn sites_do_not_know_each_other(bench: Bench) {
    for name in ["one", "two", "three"] {
        let answer = bench.gate.reserve(&site(name), &Policy::default(), at(0), 0.5).await.unwrap();
        assert!(matches!(answer, Reserve::Granted(_)), "{name}: {answer:?}");
    }
}

async fn a_slot_that_was_heard_of_frees_the_next(bench: Bench) {
    let (gate, site) = (&bench.gate, site("heard"));
    let policy = Policy { min_delay_ms: 3_000, max_delay_ms: 3_000, ..Policy::default() };
    let Reserve::Granted(slot) = gate.reserve(&site, &policy, at(0), 0.0).await.unwrap() else {
        panic!("free")
    };
    // Until it is heard of, the worst is assumed: connect budget and gap.
    assert_eq!(gate.reserve(&site, &policy, at(1), 0.0).await.unwrap(), Reserve::Wait(at(10)));
    let report = Report { fence: slot.fence, seen_by: at(1), failed: false, pushback: None };
    gate.settle(&site, &report, at(1)).await.unwrap();
    assert_eq!(gate.reserve(&site, &policy, at(1), 0.0).await.unwrap(), Reserve::Wait(at(4)));
    assert!(matches!(gate.reserve(&site, &policy, at(4), 0.0).await.unwrap(), Reserve::Granted(_)));
}

async fn exactly_one_of_a_crowd_is_the_probe(bench: Bench) {
    let (gate, site) = (&bench.gate, site("probe"));
    let mut open = SiteState::default();
    open.circuit.phase = Phase::Open { since: at(0), until: at(120) };
    assert!(gate.swap(&site, 0, &open, at(9_999)).await.unwrap());
    assert_eq!(gate.reserve(&site, &Policy::default(), at(119), 0.0).await.unwrap(), Reserve::Open(at(120)));
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let (gate, site) = (gate.clone(), site.clone());
        crowd.spawn(async move { gate.reserve(&site, &Policy::default(), at(120), 0.5).await.unwrap() });
    }
    let answers = crowd.join_all().await;
    assert_eq!(answers.iter().filter(|answer| matches!(answer, Reserve::Granted(_))).count(), 1);
    assert_eq!(answers.iter().filter(|answer| matches!(answer, Reserve::Open(_))).count(), 11);
}

async fn requests_are_counted_exactly_by_a_crowd(bench: Bench) {
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..30 {
        let gate = bench.gate.clone();
        crowd.spawn(async move { gate.count("key", SignedDuration::from_mins(1), at(0)).await.unwrap() });
    }
    let mut counts = crowd.join_all().await;
    counts.sort_unstable();
    assert_eq!(counts, (1..=30).collect::<Vec<_>>());
}

async fn a_new_window_counts_anew(bench: Bench) {
    let minute = SignedDuration::from_mins(1);
    let start = shared::gate::window_start(minute, at(0));
    assert_eq!(bench.gate.count("key", minute, start).await.unwrap(), 1);
    assert_eq!(bench.gate.count("key", minute, start + SignedDuration::from_secs(59)).await.unwrap(), 2);
    assert_eq!(bench.gate.count("key", minute, start + minute).await.unwrap(), 1);
    assert_eq!(bench.gate.count("other", minute, start).await.unwrap(), 1);
}
