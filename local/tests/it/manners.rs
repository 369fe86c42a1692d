//! Manners, through the whole house: robots.txt, the operator's policies, the hours.

use std::time::Duration;

use fixture::JobSite;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use shared::clock::Clock;
use shared::domain::hours::AllowedHours;
use shared::domain::policy::Policy;
use shared::domain::site::site_key;
use shared::domain::task::TaskKind;
use shared::store::{policies, tasks};

use crate::house::{HouseProcess, quick};

const TOLERANCE: Duration = Duration::from_millis(2);

async fn one_site(robots: Option<&str>, policy: &Policy) -> (JobSite, HouseProcess) {
    let site = JobSite::start("127.0.0.1").await;
    if let Some(text) = robots {
        site.answers("/robots.txt", 200, &[("content-type", "text/plain")], text);
    }
    let mut house = HouseProcess::new(std::slice::from_ref(&site), policy).await;
    house.start().await;
    (site, house)
}

fn code(done: &Value) -> &str {
    done["meta"]["code"].as_str().unwrap_or_default()
}

fn files_asked(site: &JobSite) -> usize {
    site.requests().iter().filter(|hit| hit.path == "/robots.txt").count()
}

#[tokio::test]
async fn what_robots_txt_forbids_is_not_fetched_and_the_answer_names_the_line() {
    let robots = "User-agent: *\nDisallow: /\n\n# us\nUser-agent: Freshet\nDisallow: /private/\nAllow: /private/door\n";
    let (site, mut house) = one_site(Some(robots), &quick()).await;
    for path in ["/jobs/1", "/private/door/1", "/private/2", "/pr%69vate/3"] {
        site.posts(path, "Lock keeper");
    }
    for path in ["/private/2", "/pr%69vate/3"] {
        let refused = house.scraped(&site.url(path)).await;
        assert_eq!(
            (&refused["data"]["status"], code(&refused)),
            (&"failed".into(), "robots_disallowed"),
            "{refused}"
        );
        assert!(
            refused["data"]["error"].as_str().unwrap().contains("Disallow: /private/ (line 6)"),
            "{refused}"
        );
    }
    for path in ["/jobs/1", "/private/door/1"] {
        assert_eq!(house.scraped(&site.url(path)).await["data"]["status"], "completed", "{path}");
    }
    // A redirect may lead to a page we may not fetch.
    site.answers("/old", 301, &[("location", "/private/2")], "");
    assert_eq!(code(&house.scraped(&site.url("/old")).await), "robots_disallowed");
    let seen: Vec<_> = site.hits().into_iter().map(|hit| hit.path).collect();
    assert_eq!(seen, ["/jobs/1", "/private/door/1", "/old"], "and nothing else was asked for");
    assert_eq!(files_asked(&site), 1, "the file was asked for once");
    let asked = &site.requests()[0];
    assert!(
        asked.path == "/robots.txt" && asked.headers["user-agent"].to_str().unwrap().starts_with("Freshet/")
    );

    // The next start knows it still.
    house.kill();
    house.start().await;
    assert_eq!(code(&house.scraped(&site.url("/private/2")).await), "robots_disallowed");
    assert_eq!(files_asked(&site), 1);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_forbids_everything_until_it_can() {
    let (site, mut house) = one_site(None, &quick()).await;
    site.posts("/jobs/1", "Lock keeper");
    for (status, refused_as) in
        [(503, "robots_unreachable"), (429, "robots_unreachable"), (404, ""), (403, "")]
    {
        house.kill();
        site.answers("/robots.txt", status, &[], "");
        let conn = house.db.pool.conn().await.unwrap();
        // As if its time were over, and the backoff with it.
        conn.batch_execute("delete from robots; delete from gates").await.unwrap();
        drop(conn);
        house.start().await;
        let before = site.hits().len();
        let done = house.scraped(&site.url("/jobs/1")).await;
        assert_eq!(code(&done), refused_as, "{status}: {done}");
        assert_eq!(site.hits().len() - before, usize::from(refused_as.is_empty()), "{status}");
        if !refused_as.is_empty() {
            assert!(
                done["data"]["error"].as_str().unwrap().contains(&format!("it answered {status}")),
                "{done}"
            );
            // Within its short time nobody asks again, and nobody gets in.
            assert_eq!(code(&house.scraped(&site.url("/jobs/1")).await), refused_as);
        }
    }
    assert_eq!(files_asked(&site), 4);
}

/// Nobody waits for an answer: a task of another kind is tried again later instead of ending.
#[tokio::test]
async fn other_kinds_try_again_when_the_file_cannot_be_read() {
    let site = JobSite::start("127.0.0.1").await;
    site.answers("/robots.txt", 500, &[], "");
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &quick()).await;
    let mut task = fixture::page_task(&site.url("/jobs/1"));
    task.kind = TaskKind::Listing;
    let conn = house.db.pool.conn().await.unwrap();
    tasks::insert(&*conn, &task, Clock::System.now()).await.unwrap();
    house.start().await;
    let tried = async {
        loop {
            let row = tasks::find(&*conn, task.id).await.unwrap().unwrap();
            if row.attempts == 1 {
                return row;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let row = tokio::time::timeout(Duration::from_secs(30), tried).await.unwrap();
    assert!(!row.status.is_final() && row.not_before.is_some(), "{row:?}");
    assert_eq!(row.error_code.as_deref(), Some("robots_unreachable"));
    assert!(site.hits().is_empty());
}

#[tokio::test]
async fn the_file_may_be_elsewhere_each_hop_with_a_slot_of_its_own() {
    let (here, there) = (JobSite::start("127.0.0.2").await, JobSite::start("127.0.0.3").await);
    here.answers("/robots.txt", 301, &[("location", "/r/1")], "");
    here.answers("/r/1", 302, &[("location", &there.url("/rules"))], "");
    there.answers("/rules", 200, &[], "User-agent: *\nDisallow: /no");
    here.posts("/no", "No");
    here.posts("/yes", "Yes");
    let gap = Policy { min_delay_ms: 300, max_delay_ms: 300, ..quick() };
    let mut house = HouseProcess::new(&[here.clone(), there.clone()], &gap).await;
    house.start().await;
    assert_eq!(code(&house.scraped(&here.url("/no")).await), "robots_disallowed");
    assert_eq!(house.scraped(&here.url("/yes")).await["data"]["status"], "completed");
    let times: Vec<_> = here.requests().iter().map(|hit| hit.at).collect();
    assert_eq!((times.len(), there.requests().len()), (3, 1), "two hops and a page here, one hop there");
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] + TOLERANCE >= Duration::from_millis(300));
    }
    // A ring of redirects is no file, and a redirect to where we may not go is one we cannot read.
    let (ring, trap) = (JobSite::start("127.0.0.4").await, JobSite::start("127.0.0.5").await);
    ring.answers("/robots.txt", 302, &[("location", "/robots.txt")], "");
    trap.answers("/robots.txt", 302, &[("location", "http://169.254.169.254/robots.txt")], "");
    for site in [&ring, &trap] {
        site.posts("/jobs/1", "Lock keeper");
    }
    let mut house = HouseProcess::new(&[ring.clone(), trap.clone()], &quick()).await;
    house.start().await;
    assert_eq!(house.scraped(&ring.url("/jobs/1")).await["data"]["status"], "completed");
    assert_eq!(files_asked(&ring), 6, "the first and five redirects");
    assert_eq!(code(&house.scraped(&trap.url("/jobs/1")).await), "address_refused");
    assert!(trap.hits().is_empty());
}

#[tokio::test]
async fn a_crawl_delay_is_a_gap() {
    let (site, house) = one_site(Some("User-agent: *\nCrawl-delay: 0.9\n"), &quick()).await;
    let urls: Vec<_> = (0..3).map(|number| format!("/jobs/{number}")).collect();
    let mut ids = Vec::new();
    for path in &urls {
        site.posts(path, "Lock keeper");
        ids.push(house.submit(&site.url(path)).await);
    }
    for id in ids {
        assert_eq!(house.ended(&id).await["data"]["status"], "completed");
    }
    let times: Vec<_> = site.requests().iter().map(|hit| hit.at).collect();
    assert_eq!(times.len(), 4);
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] + TOLERANCE >= Duration::from_millis(900), "{:?}", pair[1] - pair[0]);
    }
}

/// An operator edits the policies while the house runs.
#[tokio::test]
async fn an_edited_policy_holds_within_moments() {
    let (site, house) = one_site(Some("User-agent: *\nDisallow: /\n"), &quick()).await;
    site.posts("/jobs/1", "Lock keeper");
    let url = site.url("/jobs/1");
    assert_eq!(code(&house.scraped(&url).await), "robots_disallowed");
    let key = site_key(&url.parse().unwrap()).unwrap();
    let conn = house.db.pool.conn().await.unwrap();
    let set = async |policy: Policy| {
        policies::set(&*conn, key.as_str(), &policy, Clock::System.now()).await.unwrap();
    };
    let until = async |wanted: &str| {
        let look = async {
            while code(&house.scraped(&url).await) != wanted {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), look)
            .await
            .unwrap_or_else(|_| panic!("never {wanted:?}"));
    };
    set(Policy { respect_robots_txt: false, ..quick() }).await;
    until("").await;
    assert_eq!(site.hits().len(), 1, "an operator may switch it off per site");
    set(Policy { enabled: false, reason: Some("they asked us to".into()), ..quick() }).await;
    until("blocked_by_policy").await;
    let refused = house.scraped(&url).await;
    assert!(refused["data"]["error"].as_str().unwrap().ends_with("they asked us to"), "{refused}");
}

/// LinkedIn is off from the start, and the answer says why. Nothing is asked: there is no network here.
#[tokio::test]
async fn linkedin_is_off_by_default() {
    let (_, house) = one_site(None, &quick()).await;
    let refused = house.scraped("https://www.linkedin.com/in/somebody").await;
    assert_eq!(code(&refused), "blocked_by_policy");
    let said = refused["data"]["error"].as_str().unwrap();
    assert!(said.starts_with("linkedin.com is switched off") && said.contains("written agreement"), "{said}");
}

#[tokio::test]
async fn outside_its_hours_a_task_waits_for_the_next_opening() {
    let hour = |now: Timestamp| u8::try_from(now.to_zoned(TimeZone::UTC).hour()).unwrap();
    let opens = (hour(Clock::System.now()) + 2) % 24;
    let hours = AllowedHours { start: opens, end: (opens + 1) % 24 };
    let (site, house) = one_site(None, &Policy { allowed_hours: Some(hours), ..quick() }).await;
    site.posts("/jobs/1", "Lock keeper");
    let id = house.submit(&site.url("/jobs/1")).await;
    let conn = house.db.pool.conn().await.unwrap();
    let waits = async {
        loop {
            let row = tasks::find(&*conn, id.parse().unwrap()).await.unwrap().unwrap();
            if let Some(until) = row.not_before {
                return (row, until);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let (row, until) = tokio::time::timeout(Duration::from_secs(30), waits).await.unwrap();
    assert_eq!(until, hours.next_opening(Clock::System.now()));
    assert_eq!((row.attempts, row.error_code), (0, None), "it is no fault");
    assert_eq!(house.get(&format!("/api/v1/scrape/{id}")).await.1["data"]["status"], "queued");
    assert!(site.requests().is_empty(), "not even for robots.txt");
}

/// Larger than any page may be: its beginning is read all the same, and obeyed.
#[tokio::test]
async fn a_huge_file_is_read_up_to_its_limit() {
    let robots = format!("User-agent: *\nDisallow: /no\n{}", "# and so on\n".repeat(600_000));
    assert!(robots.len() > 6 * 1024 * 1024);
    let (site, house) = one_site(Some(&robots), &quick()).await;
    site.posts("/yes", "Yes");
    assert_eq!(code(&house.scraped(&site.url("/no")).await), "robots_disallowed");
    assert_eq!(house.scraped(&site.url("/yes")).await["data"]["status"], "completed");
}
