//! How browsers live and end: what they are given, when they are replaced, and that nothing of them stays.

use std::collections::BTreeSet;
use std::time::Duration;

use fixture::JobSite;
use renderer::process::remove_abandoned;
use renderer::stock::Sizes;
use shared::domain::render::Outcome;

use crate::room::{How, Part, Room, code, html, job, kill, part, processes};

const LOOP: &str = "<p>text</p><script>for (;;) {}</script>";

/// Its environment, its open ports, and who may speak to it.
#[tokio::test]
async fn a_browser_gets_nothing_of_ours_and_opens_no_door() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/page", "<p>text</p>");
    let room = Room::new(&[&site]).await;
    room.html(&job(&site.url("/page"), 20)).await;
    let pids = processes(&room.browsers());
    assert!(pids.len() >= 2, "a browser and its helpers: {pids:?}");
    let known: BTreeSet<&str> = [
        "HOME",
        "TMPDIR",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "PATH",
        "LANG",
        "TZ",
        "LD_LIBRARY_PATH",
        "FONTCONFIG_PATH",
        // What Chromium sets for its own children.
        "CHROME_DESKTOP",
        "GOOGLE_API_KEY",
        "DBUS_SESSION_BUS_ADDRESS",
        "LC_ALL",
        "NO_AT_BRIDGE",
    ]
    .into();
    let sockets = listening();
    // What it has, its helpers have; their own is overwritten with their titles.
    for pid in part(&room.browsers(), Part::Main) {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
        for pair in String::from_utf8_lossy(&environ).split('\0').filter(|pair| pair.contains('=')) {
            let name = pair.split('=').next().unwrap_or_default();
            assert!(known.contains(name), "{name} has got through");
        }
    }
    for pid in &pids {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        for link in files.filter_map(|file| std::fs::read_link(file.path()).ok()) {
            assert!(!sockets.contains(&link.display().to_string()), "process {pid} listens");
        }
    }
    room.end().await;
}

/// Every listening TCP socket, as a descriptor's link names it.
fn listening() -> BTreeSet<String> {
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let lines = tables.iter().flat_map(|table| table.lines().skip(1));
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    words
        .filter(|words| words.get(3) == Some(&"0A"))
        .filter_map(|words| words.get(9).map(|inode| format!("socket:[{inode}]")))
        .collect()
}

#[tokio::test]
async fn a_browser_is_replaced_after_its_pages() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/page", "<p>text</p>");
    let sizes = Sizes { size: 1, max: 1, page_limit: 2 };
    let room = Room::with(&[&site], How { sizes, ..How::default() }).await;
    let mut mains = Vec::new();
    for _ in 0..4 {
        room.html(&job(&site.url("/page"), 20)).await;
        mains.extend(part(&room.browsers(), Part::Main));
    }
    let report = room.renderer.report();
    assert_eq!((report.pages_processed, report.recycled_count), (4, 2), "{mains:?}");
    room.end().await;
}

#[tokio::test]
async fn who_finds_no_browser_free_is_told_so_in_time() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/loop", LOOP);
    html(&site, "/page", "<p>text</p>");
    let how = How {
        sizes: Sizes { size: 1, max: 1, page_limit: 100 },
        wait: Duration::from_millis(1_500),
        ..How::default()
    };
    let room = Room::with(&[&site], how).await;
    room.html(&job(&site.url("/page"), 20)).await;
    let (hanging, waiting) = (job(&site.url("/loop"), 6), job(&site.url("/page"), 20));
    let late = async {
        while site.hits().iter().all(|hit| hit.path != "/loop") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        room.show(&waiting).await
    };
    let (hung, late) = tokio::join!(room.show(&hanging), late);
    assert_eq!((code(&hung), code(&late)), ("render_timeout", "pool_exhausted"));
    assert!(room.html(&job(&site.url("/page"), 20)).await.contains("text"), "and the next one is shown");
    room.end().await;
}

#[tokio::test]
async fn a_killed_browser_is_an_answer_and_the_next_page_is_shown() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/loop", LOOP);
    html(&site, "/page", "<p>text</p>");
    let room = Room::new(&[&site]).await;
    for who in [Part::Page, Part::Main] {
        let order = job(&site.url("/loop"), 60);
        let before = site.hits().len();
        let mut killed = false;
        let mut showing = std::pin::pin!(room.show(&order));
        let outcome = loop {
            tokio::select! {
                outcome = &mut showing => break outcome,
                () = tokio::time::sleep(Duration::from_millis(20)) => {}
            }
            // The site may be asked before there is a process for the page, and that of the empty page before it is
            // not the one meant; there is only one browser.
            if site.hits().len() > before && !(killed && who == Part::Main) {
                killed |= kill(&room.browsers(), who);
            }
        };
        assert!(killed, "{who:?}: {outcome:?}");
        assert_eq!(code(&outcome), "browser_crashed", "{who:?}: {outcome:?}");
        assert!(room.html(&job(&site.url("/page"), 60)).await.contains("text"));
    }
    room.end().await;
}

/// Whoever wanted the page is gone: so is the browser that was showing it.
#[tokio::test]
async fn a_page_that_is_given_up_leaves_nothing() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/loop", LOOP);
    let room = Room::new(&[&site]).await;
    let order = job(&site.url("/loop"), 60);
    let given_up = tokio::time::timeout(Duration::from_secs(3), room.show(&order)).await;
    assert!(given_up.is_err());
    room.end().await;
}

/// A folder whose owner was killed is removed by the next start; one that is in use stays.
#[tokio::test]
async fn abandoned_folders_are_removed_and_others_are_not() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/page", "<p>text</p>");
    let room = Room::new(&[&site]).await;
    room.html(&job(&site.url("/page"), 20)).await;
    let left = room.browsers().join("freshet-browser-left");
    std::fs::create_dir_all(left.join("profile")).unwrap();
    std::fs::write(left.join("lock"), "").unwrap();
    assert_eq!(remove_abandoned(&room.browsers()), 1);
    assert!(!left.exists());
    assert!(room.html(&job(&site.url("/page"), 20)).await.contains("text"), "the living one is untouched");
    room.end().await;
}

/// The message is judged by its row: what a renderer says goes back with the claim it was sent under.
#[tokio::test]
async fn an_answer_goes_back_to_the_crawler() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/page", "<p>text</p>");
    let room = Room::new(&[&site]).await;
    let order = job(&site.url("/page"), 20);
    renderer::render(&room.renderer, order.clone()).await.unwrap();
    let received = room.renderer.crawl.receive(1, Duration::from_secs(1)).await.unwrap().remove(0);
    let said: shared::messages::CrawlMessage = serde_json::from_str(&received.body).unwrap();
    let shared::messages::CrawlMessage::Rendered(said) = said else { panic!("{}", received.body) };
    assert_eq!((said.task_id, said.fence, said.slot), (order.task_id, order.fence, order.slot));
    assert!(matches!(said.rendered, Outcome::Shown { status: 200, stored: true, .. }), "{said:?}");
    assert_eq!((said.browsers.pages_processed, said.browsers.in_use), (1, 0));
    room.end().await;
}
