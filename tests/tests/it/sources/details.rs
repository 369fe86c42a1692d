//! What a list leaves out is asked for, once, and stays; checks at the board's API; what ends a read early.

use fixture::boards::{Mood, PageMood};
use jiff::SignedDuration;
use shared::clock::Clock;
use shared::domain::boards::System;
use shared::domain::policy::Policy;
use shared::domain::site::site_key;
use shared::domain::task::TaskStatus;
use shared::store::policies;

use crate::rooms::{LISTED, Rooms, open};

const DESCRIBED: &str = "select count(*) from listings l join jobs j on j.listing_id = l.id
    where l.source = $1 and l.is_active and j.description like '%by hand%' and j.date_posted = '2026-08-05'";

/// Workday lists without descriptions: each new job is asked for once, under its own lineage, and a later read neither
/// loses what was learnt nor asks again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_list_leaves_out_is_asked_for_once_and_stays() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Workday, 25, Mood::Honest).await;
    rooms.read(&board).await;
    rooms.quiet().await;
    assert_eq!(sim.asked_for_jobs(), 25);
    assert_eq!(rooms.count(DESCRIBED, &board).await, 25);
    assert_eq!(rooms.count(LISTED, &board).await, 25, "the same listings, not new ones");
    let spawned =
        "select count(*) from tasks where kind = 'listing' and status = 'success' and spawn_depth = 1
        and pipeline_state -> 'about' ->> 'board' = $1 and priority < 0";
    assert_eq!(rooms.count(spawned, &board).await, 25);
    rooms.read(&board).await;
    rooms.quiet().await;
    assert_eq!(sim.asked_for_jobs(), 25, "nothing is new, nothing is asked for");
    assert_eq!(rooms.count(DESCRIBED, &board).await, 25, "and nothing is lost");
    let rewritten = "select count(*) from evidence e join listings l on l.id = e.listing_id
        where l.source = $1 and e.rule = 'listed' and e.detail is not null";
    assert_eq!(rooms.count(rewritten, &board).await, 0, "the list says what it said");
}

/// A sitemap names addresses only; its pages make the listings, and a page that is no posting is asked for once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sitemap_ends_in_listings() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Sitemap, 12, Mood::Honest).await;
    sim.page(11, PageMood::Wall);
    let (_, read) = rooms.read(&board).await;
    assert_eq!((read.complete, read.unique_seen), (true, 12), "{read:?}");
    rooms.quiet().await;
    assert_eq!(rooms.count(LISTED, &board).await, 11);
    assert_eq!(rooms.count(DESCRIBED, &board).await, 11);
    let asked = sim.asked_for_jobs();
    let (_, read) = rooms.read(&board).await;
    rooms.quiet().await;
    assert_eq!((read.closed, rooms.count(LISTED, &board).await), (0, 11), "listed is not absent");
    assert_eq!(sim.asked_for_jobs(), asked);
    sim.lists(9);
    let (_, read) = rooms.read(&board).await;
    assert_eq!((read.complete, read.closed), (true, 2), "{read:?}");
}

/// A check at the API: 404 closes, life refreshes, trouble leaves it as it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_asks_the_boards_own_api() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Workday, 6, Mood::Honest).await;
    rooms.read(&board).await;
    rooms.quiet().await;
    sim.turns(Mood::Empty);
    rooms.read(&board).await;
    sim.page(4, PageMood::Gone);
    sim.page(5, PageMood::Refuses(503));
    assert_eq!(rooms.later(SignedDuration::ZERO).await.checks, 6);
    let state =
        "select count(*) from listings where source = $1 and is_active and verification_status = 'verified'";
    assert_eq!(rooms.count(state, &board).await, 4);
    let closed = "select count(*) from listings where source = $1 and close_reason = 'http_404'";
    assert_eq!(rooms.count(closed, &board).await, 1);
    let doubtful =
        "select count(*) from listings where source = $1 and is_active and verification_status = 'nominated'";
    assert_eq!(rooms.count(doubtful, &board).await, 1);
    assert_eq!(rooms.later(SignedDuration::ZERO).await.checks, 0, "not again before a day is over");
    assert_eq!(rooms.later(SignedDuration::from_hours(25)).await.checks, 1);
}

/// A source whose host the operator has switched off: the read ends, leaves its row, and counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_that_is_refused_leaves_its_row() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Recruitee, 3, Mood::Honest).await;
    let site = site_key(&sim.origin.parse().unwrap()).unwrap();
    let off = Policy { enabled: false, reason: Some("they asked".into()), ..Policy::default() };
    let conn = rooms.db.pool.conn().await.unwrap();
    policies::set(&*conn, site.as_str(), &off, Clock::System.now()).await.unwrap();
    drop(conn);
    let (status, read) = rooms.read(&board).await;
    assert_eq!((status, read.complete, sim.asked()), (TaskStatus::Failed, false, 0));
    assert!(read.error.as_deref().is_some_and(|why| why.contains("switched off")), "{read:?}");
    assert_eq!(rooms.source(&board).await.failures, 1);
}

/// Sources are read when their time has come, and not before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_is_read_at_its_own_pace() {
    let rooms = Rooms::open().await;
    let (sim, board) = open(System::Recruitee, 3, Mood::Honest).await;
    rooms.read(&board).await;
    assert_eq!(rooms.later(SignedDuration::from_hours(5)).await.reads, 0);
    assert_eq!(rooms.later(SignedDuration::from_hours(7)).await.reads, 1);
    assert_eq!(sim.asked(), 2);
    let conn = rooms.db.pool.conn().await.unwrap();
    conn.execute("update sources set read_every_seconds = 600", &[]).await.unwrap();
    drop(conn);
    rooms.read(&board).await;
    assert_eq!(rooms.later(SignedDuration::from_mins(11)).await.reads, 1);
}
