//! Every system's board on loopback, walked to its end: the certificate says what the board showed, and never more.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use fixture::boards::{BoardSim, Mood, Shop};
use shared::domain::boards::{Answer, Board, Certificate, Ended, Paging, Reason, System, Walk, adapter};
use shared::egress::{Hop, Request};

use crate::egress::{egress, loopback};

/// The name of the board in each system.
fn token(system: System) -> &'static str {
    match system {
        System::Workday => "lantern.wd5.myworkdayjobs.com/lantern/Jobs",
        System::Oracle => "lantern.fa.us2.oraclecloud.com/CX_1",
        System::Ukg => "recruiting2.ultipro.com/LAN1000/board",
        System::Eightfold | System::EightfoldPcsx => "lantern.eightfold.ai/lantern.example",
        System::Feed => "https://lantern.example/jobs.xml",
        System::Sitemap => "https://lantern.example/sitemap.xml",
        System::ListPage => "https://lantern.example/jobs#select=li.opening%20a",
        System::Icims
        | System::IcimsJibe
        | System::Phenom
        | System::BambooHr
        | System::Recruitee
        | System::Teamtailor
        | System::Personio
        | System::JazzHr
        | System::Breezy
        | System::Pinpoint => "jobs.lantern.example",
        _ => "lantern",
    }
}

/// Whether the board says how many jobs it has.
fn says_total(system: System) -> bool {
    !matches!(
        system,
        System::Lever
            | System::Icims
            | System::Ashby
            | System::Recruitee
            | System::Rippling
            | System::Breezy
            | System::Gem
            | System::Roblox
            | System::Pinpoint
            | System::Paylocity
            | System::JazzHr
            | System::ListPage
            | System::Feed
            | System::Teamtailor
            | System::Personio
            | System::Jobvite
            | System::Sitemap
    )
}

fn has_pages(system: System) -> bool {
    adapter(system).paging != Paging::Whole && system != System::Sitemap
}

fn systems(wanted: impl Fn(System) -> bool) -> impl Iterator<Item = System> {
    System::ALL.iter().copied().filter(move |system| wanted(*system))
}

struct Read {
    certificate: Certificate,
    ended: Ended,
    jobs: u64,
    asked: u64,
}

/// Walks a board to its end, through the real client, putting the walk away after each page as a task does.
async fn read(shop: Shop) -> Read {
    let sim = BoardSim::open(shop).await.unwrap();
    let client = egress(loopback());
    let mut walk = Walk::new(Board::new(shop.system, token(shop.system)).unwrap());
    let mut jobs = 0;
    while let Some(ask) = walk.next() {
        let url = sim.detour(&ask.url);
        let mut request = match &ask.body {
            Some(body) => Request::post(url, body.to_string()),
            None => Request::get(url),
        };
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        let fetched = client.fetch(request, |_| Hop::Stop).await.unwrap();
        let answer = Answer {
            status: fetched.status,
            content_type: fetched.headers.content_type.as_deref(),
            body: &fetched.body,
            url: &ask.url,
            at: "2026-11-16T12:00:00Z".parse().unwrap(),
        };
        jobs += walk.take(&answer).jobs.len() as u64;
        walk = serde_json::from_str(&serde_json::to_string(&walk).unwrap()).unwrap();
    }
    let ended = walk.ended().unwrap().clone();
    Read { certificate: walk.certificate(), ended, jobs, asked: sim.asked() }
}

fn shop(system: System, jobs: u64, mood: Mood) -> Shop {
    Shop { system, jobs, mood, facets: false }
}

#[tokio::test]
async fn an_honest_board_of_any_size_is_read_whole() {
    for system in systems(|_| true) {
        for jobs in [0, 1, 57, 3_000] {
            let read = read(shop(system, jobs, Mood::Honest)).await;
            let what = format!("{system} with {jobs}: {}", read.certificate.in_words());
            assert_eq!(read.ended, Ended::Read, "{what}");
            assert_eq!((read.certificate.unique_seen, read.jobs), (jobs, jobs), "{what}");
            // an empty answer of theirs may as well be of a company that is not there, or of a page with a new look
            let proven = jobs > 0 || !matches!(system, System::SmartRecruiters | System::ListPage);
            let reasons = if proven { Vec::new() } else { vec![Reason::Unproven] };
            assert_eq!((read.certificate.complete, &read.certificate.reasons), (proven, &reasons), "{what}");
            assert_eq!((read.certificate.pages_failed, read.certificate.cap_suspected), (0, false), "{what}");
            assert_eq!(u64::from(read.certificate.pages_ok), read.asked, "{what}");
            assert_eq!(read.certificate.scope, "all", "{what}");
            if says_total(system) {
                assert_eq!(read.certificate.reported_total, Some(jobs), "{what}");
            }
        }
    }
}

#[tokio::test]
async fn a_page_that_fails_later_makes_the_read_incomplete_and_loses_only_its_rows() {
    for system in systems(has_pages) {
        for mood in [Mood::FailsOnPageTwo, Mood::WallOnPageTwo] {
            let read = read(shop(system, 3_000, mood)).await;
            let what = format!("{system} {mood:?}: {}", read.certificate.in_words());
            assert_eq!(read.ended, Ended::Read, "{what}");
            assert!(!read.certificate.complete, "{what}");
            assert!(read.certificate.reasons.contains(&Reason::PageFailed), "{what}");
            assert!(read.certificate.pages_failed >= 1 && read.certificate.unique_seen < 3_000, "{what}");
            let size = adapter(system).paging.size();
            if size > 0 {
                assert_eq!(read.certificate.unique_seen, 3_000 - size, "{what}");
            }
        }
    }
}

#[tokio::test]
async fn a_wall_with_status_200_is_an_error_and_no_empty_board() {
    for system in systems(|_| true) {
        let read = read(shop(system, 57, Mood::Wall)).await;
        let what = format!("{system}: {}", read.certificate.in_words());
        assert!(
            matches!(&read.ended, Ended::Failed(why) if why.contains("wall")),
            "{what}: {:?}",
            read.ended
        );
        assert!(!read.certificate.complete && read.certificate.unique_seen == 0, "{what}");
        assert_eq!((read.certificate.pages_ok, read.certificate.pages_failed), (0, 1), "{what}");
    }
}

#[tokio::test]
async fn a_total_that_stops_at_a_round_number_is_not_believed() {
    for system in systems(|system| has_pages(system) && says_total(system)) {
        let read = read(shop(system, 3_000, Mood::Clamps(2_000))).await;
        let what = format!("{system}: {}", read.certificate.in_words());
        // a list by token says itself where it ends, and shows no more
        assert!(!read.certificate.complete, "{what}");
        assert!(
            read.certificate.cap_suspected && read.certificate.reasons.contains(&Reason::CapSuspected),
            "{what}"
        );
        assert_eq!(
            (read.certificate.reported_total, read.certificate.unique_seen),
            (Some(2_000), 2_000),
            "{what}"
        );
    }
}

#[tokio::test]
async fn a_board_that_only_counts_wrong_is_read_past_its_number() {
    for system in systems(|system| has_pages(system) && says_total(system)) {
        let read = read(shop(system, 3_000, Mood::ClampsItsTotal(2_000))).await;
        let what = format!("{system}: {}", read.certificate.in_words());
        assert_eq!(read.certificate.unique_seen, 3_000, "{what}");
        assert!(read.certificate.complete, "{what}");
    }
}

#[tokio::test]
async fn a_list_that_begins_again_is_noticed() {
    for system in systems(has_pages) {
        let read = read(shop(system, 3_000, Mood::Wraps(1_200))).await;
        let what = format!("{system}: {}", read.certificate.in_words());
        assert_eq!(read.certificate.unique_seen, 1_200, "{what}");
        assert!(!read.certificate.complete && read.certificate.cap_suspected, "{what}");
        assert!(read.certificate.reasons.contains(&Reason::Wrapped), "{what}");
        assert!(read.asked < 400, "{what}: it stops there");
    }
}

#[tokio::test]
async fn a_large_board_with_counts_is_divided_and_read_whole() {
    for system in [System::Workday, System::Amazon] {
        for mood in [Mood::ClampsAndWraps(2_000), Mood::Clamps(2_000)] {
            let read = read(Shop { system, jobs: 3_000, mood, facets: true }).await;
            let what = format!("{system} {mood:?}: {}", read.certificate.in_words());
            assert_eq!(read.certificate.unique_seen, 3_000, "{what}");
            assert!(read.certificate.complete && !read.certificate.cap_suspected, "{what}");
            assert_ne!(read.certificate.scope, "all", "{what}");
        }
        // the control: the same board without its counts
        let read = read(Shop { system, jobs: 3_000, mood: Mood::ClampsAndWraps(2_000), facets: false }).await;
        let what = format!("{system}: {}", read.certificate.in_words());
        assert!(!read.certificate.complete && read.certificate.cap_suspected, "{what}");
        assert_eq!(read.certificate.unique_seen, 2_000, "{what}");
    }
}

#[tokio::test]
async fn counts_vouch_for_a_board_of_exactly_a_round_number() {
    let with = read(Shop { system: System::Workday, jobs: 2_000, mood: Mood::Honest, facets: true }).await;
    assert!(with.certificate.complete, "{}", with.certificate.in_words());
    let without =
        read(Shop { system: System::Workday, jobs: 2_000, mood: Mood::Honest, facets: false }).await;
    assert!(!without.certificate.complete && without.certificate.cap_suspected);
}
