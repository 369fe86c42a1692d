//! The walk by itself, fed by hand.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn answer(body: &str) -> Answer<'_> {
    Answer {
        status: 200,
        content_type: Some("application/json"),
        body: body.as_bytes(),
        url: "https://lantern.example/",
        at: "2026-11-16T12:00:00Z".parse().unwrap(),
    }
}

fn lever(ids: std::ops::Range<u64>) -> String {
    let rows: Vec<Value> = ids.map(|id| json!({ "id": id.to_string(), "text": "Cook" })).collect();
    Value::from(rows).to_string()
}

fn board(name: &str) -> Board {
    name.parse().unwrap()
}

#[test]
fn a_first_page_that_fails_is_an_error() {
    for body in ["", "{}", "<html><title>Access denied</title></html>", "[1, 2", "null"] {
        let mut walk = Walk::new(board("lever:lantern"));
        let taken = walk.take(&answer(body));
        assert!(taken.misfit.is_some(), "{body}");
        assert!(matches!(walk.ended(), Some(Ended::Failed(_))), "{body}");
        assert!(walk.next().is_none() && !walk.certificate().complete, "{body}");
    }
    let mut walk = Walk::new(board("lever:lantern"));
    walk.take(&Answer { status: 404, ..answer("[]") });
    assert_eq!(walk.ended(), Some(&Ended::Failed("the board answered 404".to_owned())));
}

#[test]
fn a_short_page_is_not_the_last_one() {
    let mut walk = Walk::new(board("lever:lantern"));
    walk.take(&answer(&lever(0..30)));
    assert!(walk.next().unwrap().url.contains("skip=30&"), "the row after the last");
    walk.take(&answer(&lever(30..31)));
    assert!(walk.ended().is_none());
    walk.take(&answer("[]"));
    assert_eq!(walk.ended(), Some(&Ended::Read));
    assert_eq!(walk.certificate().unique_seen, 31);
    assert!(walk.certificate().complete);
}

#[test]
fn a_total_that_shrinks_during_the_walk_is_held_against_it() {
    // one of the first page is taken down, the rest moves up, and one job is passed over
    let page = |ids: std::ops::Range<u64>, total: u64| {
        let rows: Vec<Value> = ids.map(|id| json!({ "id": id.to_string(), "name": "Cook" })).collect();
        json!({ "totalFound": total, "content": rows }).to_string()
    };
    let mut walk = Walk::new(board("smartrecruiters:lantern"));
    walk.take(&answer(&page(0..100, 150)));
    walk.take(&answer(&page(101..150, 149)));
    while walk.next().is_some() {
        walk.take(&answer(&page(0..0, 149)));
    }
    let certificate = walk.certificate();
    assert_eq!((certificate.unique_seen, certificate.reported_total), (149, Some(150)));
    assert_eq!(certificate.reasons, [Reason::FewerThanReported]);
}

#[test]
fn rows_that_cannot_be_told_apart_make_the_read_incomplete_and_the_others_stand() {
    let mut walk = Walk::new(board("greenhouse:lantern"));
    let body = json!({ "jobs": [{ "id": 1, "title": "Cook" }, { "title": "Nobody" }, 7, { "id": 2, "title": " " }] });
    let taken = walk.take(&answer(&body.to_string()));
    assert_eq!(taken.jobs.len(), 1);
    assert_eq!(walk.certificate().reasons, [Reason::UnreadRows]);
}

#[test]
fn a_number_that_is_not_heard_is_not_the_end_of_a_full_list() {
    let page = |ids: std::ops::Range<u64>| {
        let cards = ids.map(|id| format!("<li><a href='/jobs/{id}/cook/job'><h3>Cook</h3></a></li>"));
        format!("<ul class='iCIMS_JobsTable'>{}</ul>", cards.collect::<String>())
    };
    let twice = |ids: std::ops::Range<u64>| {
        let mut walk = Walk::new(board("icims:jobs.lantern.example"));
        walk.take(&answer(&page(ids.clone())));
        walk.take(&answer(&page(ids)));
        walk.certificate()
    };
    assert!(twice(0..7).complete, "one short page, shown for every number");
    assert!(!twice(0..20).complete, "a full page twice: the number may not have been heard");
}

#[test]
fn three_failures_in_a_row_leave_the_board_alone() {
    let mut walk = Walk::new(board("lever:lantern"));
    walk.take(&answer(&lever(0..100)));
    for _ in 0..3 {
        assert!(walk.next().is_some());
        walk.failed("timeout");
    }
    assert_eq!(walk.ended(), Some(&Ended::Read));
    let certificate = walk.certificate();
    assert_eq!((certificate.pages_ok, certificate.pages_failed, certificate.complete), (1, 3, false));
}

#[test]
fn the_rows_of_one_job_become_one_job_with_all_its_places() {
    let row = |place: &str| json!({ "uuid": "a", "name": "Cook", "workLocation": { "label": place } });
    let mut walk = Walk::new(board("rippling:lantern"));
    let taken = walk.take(&answer(&json!([row("Graz"), row("Linz"), row("Graz")]).to_string()));
    assert_eq!(taken.jobs.len(), 1);
    assert_eq!(taken.jobs[0].places, ["Graz", "Linz"]);
    assert_eq!(walk.certificate().duplicates, 2);
    assert!(walk.certificate().complete);
}

#[test]
fn a_feed_of_exactly_what_feeds_hold_at_most_may_be_cut() {
    let feed = |count: usize| {
        let items =
            (0..count).map(|n| format!("<item><guid>{n}</guid><title>Cook</title><link>/{n}</link></item>"));
        format!("<rss><channel>{}</channel></rss>", items.collect::<String>())
    };
    let read = |count: usize| {
        let mut walk = Walk::new(board("feed:https://lantern.example/jobs.rss"));
        walk.take(&answer(&feed(count)));
        walk.certificate()
    };
    assert!(read(17).complete);
    assert!(read(50).cap_suspected && !read(50).complete);
}

#[test]
fn an_index_of_sitemaps_is_walked_map_by_map() {
    let mut walk = Walk::new(board("sitemap:https://lantern.example/sitemap.xml"));
    let index = "<sitemapindex><sitemap><loc>https://lantern.example/a.xml</loc></sitemap>\
        <sitemap><loc>/b.xml</loc></sitemap></sitemapindex>";
    walk.take(&answer(index));
    assert_eq!(walk.next().unwrap().url, "https://lantern.example/a.xml");
    walk.take(&answer("<urlset><url><loc>https://lantern.example/about</loc></url></urlset>"));
    assert_eq!(walk.next().unwrap().url, "https://lantern.example/b.xml");
    let taken =
        walk.take(&answer("<urlset><url><loc>https://lantern.example/jobs/cook-17</loc></url></urlset>"));
    assert_eq!(taken.jobs[0].url.as_deref(), Some("https://lantern.example/jobs/cook-17"));
    assert_eq!(walk.ended(), Some(&Ended::Read));
    assert!(walk.certificate().complete);
}

proptest! {
    /// Whatever is answered, the walk ends, says no more than it saw, and survives being put away.
    #[test]
    fn any_answers_end_the_walk(
        system in prop::sample::select(System::ALL.to_vec()),
        pages in prop::collection::vec((0..5_u8, 0..120_u64, 0..3_000_u64), 1..30),
    ) {
        let token = match system {
            System::Workday | System::Ukg => "lantern.example/a/b",
            System::Oracle | System::Eightfold | System::EightfoldPcsx => "lantern.example/a",
            System::Feed | System::Sitemap | System::ListPage => "https://lantern.example/x",
            System::Greenhouse | System::Lever | System::SmartRecruiters | System::Ashby | System::Workable
            | System::Paylocity | System::Jobvite | System::Rippling | System::Gem | System::Amazon
            | System::Google | System::Apple | System::TikTok | System::Roblox => "lantern",
            _ => "lantern.example",
        };
        let mut walk = Walk::new(Board::new(system, token).unwrap());
        let mut seen = std::collections::HashSet::new();
        for (kind, from, total) in pages {
            if walk.next().is_none() {
                break;
            }
            let rows: Vec<Value> = (from..from + 20).map(|id| json!({
                "id": id.to_string(), "text": "t", "title": "t", "name": "t", "Id": id.to_string(), "Title": "t",
                "externalPath": format!("/x_{id}"), "shortcode": id.to_string(), "uuid": id.to_string(),
                "positionId": id.to_string(), "postingTitle": "t", "slug": id.to_string(), "jobOpeningName": "t",
            })).collect();
            let body = match kind {
                0 => Value::from(rows).to_string(),
                1 => json!({ "jobs": rows, "content": rows, "jobPostings": rows, "total": total, "totalFound": total,
                    "results": rows, "nextPage": from.to_string(), "opportunities": rows, "totalCount": total,
                    "items": [{ "requisitionList": rows, "TotalJobsCount": total }], "positions": rows, "count": total,
                    "offers": rows, "data": rows, "result": rows, "hits": total }).to_string(),
                2 => "<rss><item><title>a</title><guid>b</guid></item></rss>".to_owned(),
                3 => "[]".to_owned(),
                _ => "<html><a href='/jobs/1/a/job'>x</a><a href='/jobs/2/b/job'>y</a></html>".to_owned(),
            };
            seen.extend(walk.take(&answer(&body)).jobs.into_iter().map(|job| job.external_id));
            let stored = serde_json::to_string(&walk).unwrap();
            prop_assert_eq!(serde_json::from_str::<Walk>(&stored).unwrap(), walk.clone());
        }
        let certificate = walk.certificate();
        prop_assert_eq!(certificate.unique_seen, seen.len() as u64);
        prop_assert_eq!(certificate.complete, certificate.reasons.is_empty());
        if certificate.complete {
            prop_assert!(certificate.reported_total.is_none_or(|total| total <= certificate.unique_seen));
        }
    }

    /// Bytes of any kind are a page or a misfit, never a panic.
    #[test]
    fn any_bytes_can_be_an_answer(
        system in prop::sample::select(System::ALL.to_vec()),
        body in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            "(\\{|\\}|\\[|\\]|\"jobs\"|\"id\"|:|,|1|\"é\"|<job>|<title>|</job>|<url>|<loc>|window.pageData = |phApp.ddo = )*"
                .prop_map(String::into_bytes),
        ],
    ) {
        let token = match system {
            System::Feed | System::Sitemap | System::ListPage => "https://lantern.example/x",
            System::Workday | System::Ukg => "lantern.example/a/b",
            System::Oracle | System::Eightfold | System::EightfoldPcsx => "lantern.example/a",
            _ => "lantern.example",
        };
        let board = Board::new(system, token).unwrap();
        let answer = Answer { body: &body, ..answer("") };
        let _ = (adapter(system).read)(&board, &answer);
        if let Detail::Behind { read, .. } = adapter(system).detail {
            let _ = read(&board, &answer, &mut Listed::default());
        }
    }
}

/// Nothing vouches for an empty answer that any unknown name gets, or for a page that has a button for more.
#[test]
fn what_nothing_vouches_for_is_not_complete() {
    let at = "2026-11-16T12:00:00Z".parse().unwrap();
    let read = |board: &str, body: &str| {
        let mut walk = Walk::new(board.parse().unwrap());
        let url = walk.next().unwrap().url;
        walk.take(&Answer { status: 200, content_type: None, body: body.as_bytes(), url: &url, at });
        walk.certificate()
    };
    let empty = read("smartrecruiters:Nobody", r#"{"totalFound": 0, "content": []}"#);
    assert_eq!((empty.complete, empty.reasons), (false, vec![Reason::Unproven]));
    let page = "list_page:https://lantern.example/careers";
    let links =
        "<ul><li><a href='/jobs/1-cook'>Head cook</a></li><li><a href='/jobs/2-potter'>Potter</a></li></ul>";
    assert!(read(page, links).complete);
    assert!(!read(page, &format!("{links}<button>Load more jobs</button>")).complete);
    let other = "<div class='featured'><a class='x' href='/jobs/3-baker'>Our baker</a></div>";
    assert!(!read(page, &format!("{links}{other}")).complete, "another link that may be a posting");
    let chosen = "list_page:https://lantern.example/careers#select=li%20a";
    assert!(read(chosen, links).complete);
    assert!(!read(chosen, "<p>We have a new look</p>").complete);
    let index =
        "<sitemapindex><sitemap><loc>https://elsewhere.example/map.xml</loc></sitemap></sitemapindex>";
    assert!(!read("sitemap:https://lantern.example/sitemap.xml", index).complete, "maps on another host");
}
