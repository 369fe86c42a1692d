//! Incidents of public job platforms, replayed against boards that misbehave in the same way. The number in each name
//! is the incident's.

use fixture::boards::{Mood, PageMood};
use jiff::SignedDuration;
use shared::domain::boards::System;
use shared::domain::task::TaskStatus;

use crate::rooms::{LISTED, Rooms, open};

const CLOSED: &str = "select count(*) from listings where source = $1 and not is_active";
const NOMINATED: &str =
    "select count(*) from listings where source = $1 and is_active and verification_status = 'nominated'";
const BY_ABSENCE: &str = "select count(*) from evidence e join listings l on l.id = e.listing_id
    join source_reads r on r.id = (e.detail ->> 'read_id')::bigint
    where l.source = $1 and e.event = 'closed' and e.rule = 'absent_from_complete_list' and r.complete";
const BY_PAGE: &str = "select count(*) from evidence e join listings l on l.id = e.listing_id
    where l.source = $1 and e.event = 'closed' and e.rule = 'http_404'";

/// One board of a system says nothing about another, and what is gone from a complete read closes with its evidence.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_1_a_read_closes_nothing_outside_its_own_board() {
    let rooms = Rooms::open().await;
    let (ours, board) = open(System::Recruitee, 40, Mood::Honest).await;
    let (_theirs, other) = open(System::Recruitee, 57, Mood::Honest).await;
    rooms.read(&other).await;
    rooms.read(&board).await;
    ours.lists(35);
    let (_, read) = rooms.read(&board).await;
    assert_eq!((read.complete, read.closed, read.held.as_deref()), (true, 5, None), "{read:?}");
    assert_eq!(rooms.count(CLOSED, &board).await, 5, "what the board no longer lists");
    assert_eq!(rooms.count(BY_ABSENCE, &board).await, 5);
    assert_eq!(rooms.count(CLOSED, &other).await, 0, "outside the scope of the read");
    assert_eq!(rooms.count(LISTED, &other).await, 57);
    // and they are back when they are listed again
    ours.lists(40);
    rooms.read(&board).await;
    assert_eq!(rooms.count(CLOSED, &board).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_2_the_first_500_of_1400_rows_are_not_the_list() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::IcimsJibe, 1_400, Mood::Honest).await;
    let (_, whole) = rooms.read(&board).await;
    assert_eq!((whole.complete, whole.unique_seen), (true, 1_400), "{whole:?}");
    sim.turns(Mood::ShowsOnly(500));
    let (status, part) = rooms.read(&board).await;
    assert_eq!((status, part.unique_seen), (TaskStatus::Success, 500), "{part:?}");
    assert!(!part.complete && part.reasons.contains(&"fewer_than_reported".to_owned()), "{part:?}");
    assert_eq!((part.closed, rooms.count(CLOSED, &board).await), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_3_an_empty_feed_asks_for_page_checks_and_the_dead_close_on_page_evidence() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Recruitee, 20, Mood::Honest).await;
    rooms.read(&board).await;
    sim.turns(Mood::Empty);
    for dead in 15..20 {
        sim.page(dead, PageMood::Gone);
    }
    let (_, read) = rooms.read(&board).await;
    assert_eq!((read.complete, read.closed, read.nominated), (true, 0, 20), "{read:?}");
    assert_eq!(read.held.as_deref(), Some("nothing_found"));
    assert_eq!(rooms.source(&board).await.status, "suspect");
    let begun = rooms.later(SignedDuration::ZERO).await;
    assert_eq!(begun.checks, 20);
    assert_eq!(rooms.count(BY_PAGE, &board).await, 5, "the dead ones, by their pages");
    assert_eq!(rooms.count(CLOSED, &board).await, 5);
    assert_eq!(rooms.count(LISTED, &board).await, 15, "the others are there");
    assert_eq!(rooms.count(NOMINATED, &board).await, 0);
    // one check at a time, and none that nothing asks for
    assert_eq!(rooms.later(SignedDuration::ZERO).await.checks, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_4_the_first_run_that_finds_nothing_is_suspect() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Workday, 12, Mood::Honest).await;
    rooms.read(&board).await;
    assert_eq!(rooms.source(&board).await.status, "active");
    sim.turns(Mood::Empty);
    let (status, _) = rooms.read(&board).await;
    assert_eq!(status, TaskStatus::Success, "the board answered");
    let source = rooms.source(&board).await;
    assert_eq!((source.status.as_str(), source.failures), ("suspect", 1));
    assert_eq!(source.status_reason.as_deref(), Some("nothing was found where 12 used to be"));
    assert_eq!(rooms.count(CLOSED, &board).await, 0);
    // a board that never had a job is not suspected of hiding any
    let (_sim, empty) = open(System::Workday, 0, Mood::Honest).await;
    let (_, read) = rooms.read(&empty).await;
    assert!(read.complete, "{read:?}");
    assert_eq!(rooms.source(&empty).await.status, "active");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_5_a_read_truncated_from_11815_to_104_closes_nothing() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Recruitee, 11_815, Mood::Honest).await;
    let (_, whole) = rooms.read(&board).await;
    assert_eq!((whole.complete, whole.unique_seen), (true, 11_815), "{whole:?}");
    sim.lists(104);
    let (_, read) = rooms.read(&board).await;
    assert_eq!((read.complete, read.closed, read.unique_seen), (true, 0, 104), "{read:?}");
    assert_eq!(read.held.as_deref(), Some("fewer_than_usual"));
    assert_eq!(rooms.count(LISTED, &board).await, 11_815);
}

/// Even when the truncated reads go on until the median has forgotten: more than half never goes at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_5_nor_do_many_truncated_reads() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Recruitee, 200, Mood::Honest).await;
    rooms.read(&board).await;
    sim.lists(40);
    for _ in 0..6 {
        let (_, read) = rooms.read(&board).await;
        assert!(read.complete && read.closed == 0 && read.held.is_some(), "{read:?}");
    }
    assert_eq!(rooms.count(LISTED, &board).await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_6_six_empty_reads_quarantine_and_the_weekly_probe_brings_it_back() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Recruitee, 9, Mood::Honest).await;
    rooms.read(&board).await;
    sim.turns(Mood::Empty);
    for _ in 0..6 {
        rooms.read(&board).await;
    }
    let source = rooms.source(&board).await;
    assert_eq!(source.status, "quarantined");
    let wait = source.next_read_at.unwrap().duration_since(source.last_read_at.unwrap());
    assert_eq!(wait, SignedDuration::from_hours(7 * 24));
    assert_eq!(rooms.count(CLOSED, &board).await, 0);
    assert_eq!(rooms.later(SignedDuration::from_hours(24)).await.reads, 0, "it is left alone for a week");
    sim.turns(Mood::Honest);
    let asked = sim.asked();
    assert_eq!(rooms.later(SignedDuration::from_hours(8 * 24)).await.reads, 1);
    assert_eq!(sim.asked(), asked + 1);
    let source = rooms.source(&board).await;
    assert_eq!((source.status.as_str(), source.failures, source.status_reason), ("active", 0, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_7_one_404_disables_nothing() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Recruitee, 9, Mood::Honest).await;
    rooms.read(&board).await;
    sim.turns(Mood::Lost);
    let (status, read) = rooms.read(&board).await;
    assert_eq!((status, read.complete), (TaskStatus::Failed, false), "{read:?}");
    let source = rooms.source(&board).await;
    assert_eq!((source.status.as_str(), source.failures), ("active", 1));
    assert_eq!(rooms.count(LISTED, &board).await, 9);
    sim.turns(Mood::Honest);
    rooms.read(&board).await;
    assert_eq!(rooms.source(&board).await.failures, 0);
    sim.turns(Mood::Lost);
    for _ in 0..5 {
        rooms.read(&board).await;
    }
    assert_eq!(rooms.source(&board).await.status, "quarantined", "five in a row");
    assert_eq!(rooms.count(CLOSED, &board).await, 0);
}

/// Clamped at 2,000 and begun again: noticed, and read in parts where the board can be divided.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_8_a_clamped_total_that_wraps_is_noticed() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Workday, 3_000, Mood::ClampsAndWraps(2_000)).await;
    let (_, read) = rooms.read(&board).await;
    assert!(!read.complete && read.cap_suspected, "{read:?}");
    assert_eq!((read.unique_seen, read.closed), (2_000, 0));
    sim.counts(true);
    let (_, read) = rooms.read(&board).await;
    assert!(read.complete, "{read:?}");
    assert_eq!((read.unique_seen, read.closed), (3_000, 0), "{read:?}");
    assert_eq!(rooms.count(LISTED, &board).await, 3_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_9_a_429_on_page_two_is_tried_again_and_closes_nothing() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::IcimsJibe, 60, Mood::Honest).await;
    rooms.read(&board).await;
    sim.turns(Mood::BusyOnPageTwo);
    let asked = sim.asked();
    let (_, read) = rooms.read(&board).await;
    assert!(!read.complete && read.reasons.contains(&"page_failed".to_owned()), "{read:?}");
    assert_eq!(read.pages_failed, 1);
    assert!(sim.asked() >= asked + 8, "six pages, and two more tries for one: {}", sim.asked() - asked);
    assert_eq!((read.closed, rooms.count(CLOSED, &board).await), (0, 0));
    assert_eq!(rooms.count(LISTED, &board).await, 60);
}

/// The page of a dead job leads to a similar one that lives: it proves nothing, and the board is asked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_13_a_page_that_leads_to_another_job_is_uncertain_and_then_the_source_is_asked() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Recruitee, 10, Mood::Honest).await;
    rooms.read(&board).await;
    sim.turns(Mood::Empty);
    rooms.read(&board).await;
    sim.page(9, PageMood::LeadsTo(3));
    long_ago(&rooms).await;
    rooms.later(SignedDuration::ZERO).await;
    let one = "select count(*) from listings where source = $1 and external_id = '1009' and is_active
        and verification_status = 'nominated'";
    assert_eq!(rooms.count(one, &board).await, 1, "neither live nor closed");
    let source = rooms.source(&board).await;
    assert!(
        source.next_read_at <= source.last_read_at.map(|at| at + SignedDuration::from_hours(3)),
        "asked soon"
    );
    sim.turns(Mood::Honest);
    sim.lists(9);
    rooms.later(SignedDuration::ZERO).await;
    let closed = "select count(*) from listings where source = $1 and external_id = '1009' and not is_active
        and close_reason = 'absent_from_complete_list'";
    assert_eq!(rooms.count(closed, &board).await, 1, "the board has the last word");
}

/// As if the latest reads had been two hours ago.
async fn long_ago(rooms: &Rooms) {
    let conn = rooms.db.pool.conn().await.unwrap();
    conn.execute("update sources set last_read_at = last_read_at - interval '2 hours'", &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_15_a_wall_closes_nothing_on_a_list_or_on_a_page() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Recruitee, 6, Mood::Honest).await;
    rooms.read(&board).await;
    sim.turns(Mood::Wall);
    let (status, read) = rooms.read(&board).await;
    assert_eq!((status, read.complete), (TaskStatus::Failed, false), "{read:?}");
    assert!(read.error.as_deref().is_some_and(|why| why.contains("wall")), "{read:?}");
    sim.turns(Mood::Empty);
    rooms.read(&board).await;
    for job in 0..4 {
        sim.page(job, PageMood::Wall);
    }
    sim.page(4, PageMood::Refuses(403));
    sim.page(5, PageMood::Gone);
    rooms.later(SignedDuration::ZERO).await;
    assert_eq!(rooms.count(CLOSED, &board).await, 1, "only the one that is gone");
    assert_eq!(rooms.count(NOMINATED, &board).await, 5, "the others are doubtful");
}

/// A wall counts for the site's circuit: after six of them the board is left alone. An honest board never is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incident_15_walls_open_the_circuit_of_their_site() {
    let rooms = Rooms::open().await;
    for (mood, waits) in [(Mood::Wall, true), (Mood::Honest, false)] {
        let (sim, board) = open(System::Recruitee, 6, mood).await;
        for _ in 0..6 {
            rooms.read(&board).await;
        }
        assert_eq!(sim.asked(), 6, "{mood:?}");
        let task = shared::sources::task(&board).unwrap();
        let put_back = rooms.is_put_back(&task).await;
        assert_eq!(put_back, waits, "{mood:?}");
        assert_eq!(sim.asked(), if waits { 6 } else { 7 }, "{mood:?}");
    }
}
