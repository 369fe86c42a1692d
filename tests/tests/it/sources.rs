//! A board read by the real crawler and extractor: its jobs become listings with their evidence, each read leaves its
//! certificate, and what is not in a read is closed, checked or left alone.

mod details;
mod incidents;

use crate::rooms::{EVIDENCE, LISTED, Rooms, open};
use fixture::boards::Mood;
use shared::domain::boards::System;
use shared::domain::task::TaskStatus;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_becomes_listings_with_evidence_and_a_certificate() {
    let rooms = Rooms::open().await;
    for (system, requests) in [(System::Workday, 3), (System::Recruitee, 1)] {
        let (sim, board) = open(system, 57, Mood::Honest).await;
        let (status, read) = rooms.read(&board).await;
        assert_eq!(status, TaskStatus::Success, "{system}: {read:?}");
        assert_eq!((read.unique_seen, read.complete, read.pages_failed), (57, true, 0), "{system}: {read:?}");
        assert_eq!(sim.asked(), requests, "{system}");
        assert_eq!(rooms.count(LISTED, &board).await, 57, "{system}");
        assert_eq!(rooms.count(EVIDENCE, &board).await, 57, "{system}");
        // once more: seen again, nothing made anew
        let (_, again) = rooms.read(&board).await;
        assert!(again.complete, "{system}: {again:?}");
        assert_eq!(rooms.count(LISTED, &board).await, 57, "{system}");
        assert_eq!(rooms.count(EVIDENCE, &board).await, 114, "{system}");
        let seen_twice = "select count(*) from listings where source = $1 and times_seen >= 2";
        assert_eq!(rooms.count(seen_twice, &board).await, 57, "{system}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_with_a_hole_adds_and_says_so_and_a_wall_closes_nothing() {
    let rooms = Rooms::open().await;
    let (_sim, board) = open(System::Workday, 57, Mood::WallOnPageTwo).await;
    let (status, read) = rooms.read(&board).await;
    assert_eq!((status, read.complete, read.unique_seen), (TaskStatus::Success, false, 37), "{read:?}");
    assert!(read.reasons.contains(&"page_failed".to_owned()), "{read:?}");
    assert_eq!(rooms.count(LISTED, &board).await, 37);

    let (_sim, board) = open(System::Recruitee, 57, Mood::Wall).await;
    let (status, read) = rooms.read(&board).await;
    assert_eq!((status, read.complete, read.unique_seen), (TaskStatus::Failed, false, 0), "{read:?}");
    assert!(read.error.as_deref().is_some_and(|why| why.contains("wall")), "{read:?}");
}
