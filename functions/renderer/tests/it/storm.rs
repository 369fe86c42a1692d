//! Two hundred pages, a tenth of which crash, hang or swell: none is lost, and nothing stays behind.

use std::time::{Duration, Instant};

use fixture::JobSite;
use futures_util::future::join_all;
use renderer::stock::Sizes;

use crate::room::{How, Part, Room, code, html, job, kill};

const WORKERS: usize = 4;
const EACH: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Good,
    KilledPage,
    KilledBrowser,
    Hangs,
    Swells,
}

fn kind(number: usize) -> Kind {
    match number % EACH {
        4 => Kind::KilledPage,
        14 => Kind::Hangs,
        24 => Kind::KilledBrowser,
        34 => Kind::Swells,
        44 => Kind::Hangs,
        _ => Kind::Good,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_pages_with_a_tenth_of_them_bad_lose_none() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/hangs", "<p>text</p><script>for (;;) {}</script>");
    html(
        &site,
        "/swells",
        "<p>text</p><script>const held = []; setInterval(() => { \
        const part = new Uint8Array(48 * 1024 * 1024); part.fill(7); held.push(part) }, 5)</script>",
    );
    for number in 0..WORKERS * EACH {
        html(
            &site,
            &format!("/page/{number}"),
            &format!("<h1>Page {number}</h1><script>document.title = 'done'</script>"),
        );
    }
    let done = join_all((0..WORKERS).map(|worker| work(worker, &site))).await;
    let (counts, times): (Vec<[usize; 5]>, Vec<Vec<Duration>>) = done.into_iter().unzip();
    let total = |at: usize| counts.iter().map(|counts| counts[at]).sum::<usize>();
    assert_eq!([0, 1, 2, 3, 4].map(total), [180, 4, 4, 8, 4], "every page has its answer");
    let mut times = times.concat();
    times.sort();
    println!("180 good pages on {WORKERS} browsers: median {:?}, slowest {:?}", times[90], times[179]);
}

/// One browser at a time, so that the one to kill is known.
async fn work(worker: usize, site: &JobSite) -> ([usize; 5], Vec<Duration>) {
    let sizes = Sizes { size: 1, max: 1, page_limit: 20 };
    let room = Room::with(&[site], How { sizes, memory_mb: 400, ..How::default() }).await;
    let (mut counts, mut times) = ([0; 5], Vec::new());
    for number in worker * EACH..(worker + 1) * EACH {
        let kind = kind(number);
        let expected = match kind {
            Kind::Good => {
                let begun = Instant::now();
                let page = room.html(&job(&site.url(&format!("/page/{number}")), 30)).await;
                assert!(page.contains(&format!("Page {number}<")), "{page}");
                times.push(begun.elapsed());
                "shown"
            }
            Kind::Hangs => {
                let outcome = room.show(&job(&site.url("/hangs"), 3)).await;
                assert_eq!(code(&outcome), "render_timeout");
                "render_timeout"
            }
            Kind::Swells => {
                let mut order = job(&site.url("/swells"), 30);
                order.sight.wait_for_selector = Some("#never".into());
                let outcome = room.show(&order).await;
                assert!(matches!(code(&outcome), "out_of_memory" | "browser_crashed"), "{outcome:?}");
                "out_of_memory"
            }
            Kind::KilledPage => killed(&room, site, number, Part::Page).await,
            Kind::KilledBrowser => killed(&room, site, number, Part::Main).await,
        };
        assert!(!expected.is_empty());
        counts[kind as usize] += 1;
    }
    assert_eq!(room.renderer.report().pages_processed, EACH as i64);
    room.end().await;
    (counts, times)
}

/// Kills that part of the browser while it shows a page that would not end.
async fn killed(room: &Room, site: &JobSite, number: usize, who: Part) -> &'static str {
    let path = format!("/hangs/{number}");
    html(site, &path, "<p>text</p><script>for (;;) {}</script>");
    let order = job(&site.url(&path), 30);
    let killing = async {
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            if site.hits().iter().any(|hit| hit.path == path) {
                kill(&room.browsers(), who);
            }
        }
    };
    let outcome = tokio::select! {
        outcome = room.show(&order) => outcome,
        () = killing => unreachable!("it goes on until the page has its answer"),
    };
    assert_eq!(code(&outcome), "browser_crashed", "{who:?}");
    "browser_crashed"
}
