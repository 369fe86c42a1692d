//! The demo sites, over real sockets.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use fixture::TestDb;
use jiff::civil::date;
use local::demo::DemoSite;
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

#[tokio::test]
async fn every_posting_carries_a_job_posting_that_parses() {
    let site = DemoSite::start(date(2026, 5, 4)).await.unwrap();
    assert_eq!(site.posting_urls().len(), 24);
    assert_eq!(site.hosts.iter().collect::<BTreeSet<_>>().len(), 4);
    for url in site.posting_urls() {
        let page = fetch(url, "").await;
        assert_eq!(page.status, 200, "{url}");
        let script = between(&page.body, "<script type=\"application/ld+json\">", "</script>");
        let data: Value = serde_json::from_str(script).unwrap();
        let job = job_posting(&data).unwrap_or_else(|| panic!("no JobPosting in {url}"));
        assert_eq!(job["url"], url.as_str());
        assert!(job["datePosted"].as_str().unwrap() < "2026-05-04");
        assert!(job["hiringOrganization"]["name"].is_string());
        assert!(
            job.get("jobLocation").is_some() || job["jobLocationType"] == "TELECOMMUTE",
            "{url} is nowhere"
        );
        let closed = page.body.contains("no longer accepting applications");
        assert_eq!(closed, job["validThrough"].as_str().unwrap() < "2026-05-04", "{url}");
    }
}

#[tokio::test]
async fn a_page_that_has_not_changed_answers_304() {
    let site = DemoSite::start(date(2026, 5, 4)).await.unwrap();
    for url in site.list_urls().iter().chain(site.posting_urls().first()) {
        let first = fetch(url, "").await;
        let etag = first.header("etag").expect("an ETag").to_owned();
        let second = fetch(url, &format!("If-None-Match: \"other\", W/{etag}\r\n")).await;
        assert_eq!((second.status, second.body.as_str()), (304, ""));
        assert_eq!(fetch(url, "If-None-Match: \"other\"\r\n").await.status, 200);
    }
}

#[tokio::test]
async fn a_vanishing_posting_is_there_once_and_leaves_the_list_with_its_page() {
    let site = DemoSite::start(date(2026, 5, 4)).await.unwrap();
    let url = site.posting_urls().iter().find(|url| url.ends_with("customer-support-lead")).unwrap();
    let list = format!("{}/jobs", url.split("/jobs/").next().unwrap());
    assert!(fetch(&list, "").await.body.contains("customer-support-lead"));
    let first = fetch(url, "").await;
    assert_eq!(first.status, 200);
    let again = fetch(url, &format!("If-None-Match: {}\r\n", first.header("etag").unwrap())).await;
    assert_eq!(again.status, 404);
    assert!(!fetch(&list, "").await.body.contains("customer-support-lead"));
}

#[tokio::test]
async fn robots_txt_keeps_visitors_off_the_application_forms() {
    let site = DemoSite::start(date(2026, 5, 4)).await.unwrap();
    let robots = fetch(&format!("http://{}/robots.txt", site.hosts[0]), "").await;
    assert_eq!(robots.status, 200);
    assert!(robots.body.contains("Disallow: /apply/"));
}

/// `freshet demo` as a newcomer starts it: its scraper finds, imports and matches, and a second start finds all of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demo_shows_a_scraper_at_work_once() {
    let (db, data) = (TestDb::new().await, tempfile::tempdir().unwrap());
    let mut told = Vec::new();
    for _ in 0..2 {
        let mut demo = tokio::process::Command::new(env!("CARGO_BIN_EXE_freshet"))
            .arg("demo")
            .env("DATABASE_URL", db.url.expose_secret())
            .env("FRESHET_DATA", data.path())
            .env("PORT", "0")
            .env("BROWSER", "/nowhere")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines();
        let read = async {
            let mut said = Vec::new();
            while let Some(line) = lines.next_line().await.unwrap() {
                if line.contains("Handing in") {
                    return said;
                }
                said.push(line.trim().to_owned());
            }
            panic!("it ended by itself: {said:?}");
        };
        told.push(tokio::time::timeout(Duration::from_secs(60), read).await.expect("within a minute"));
        demo.kill().await.unwrap();
    }
    let count = |said: &[String], part: &str| said.iter().filter(|line| line.contains(part)).count();
    assert!(count(&told[0], " imported") >= 3, "{:?}", told[0]);
    assert_eq!((count(&told[0], " ← "), count(&told[0], "nothing yet")), (3, 0), "{:?}", told[0]);
    assert_eq!((count(&told[1], " imported"), count(&told[1], " ← ")), (0, 3), "{:?}", told[1]);
    let conn = db.pool.conn().await.unwrap();
    let rows = "select (select count(*) from candidates), (select count(*) from scraper_keys)";
    let row = conn.query_one(rows, &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (3, 1));
}

/// Finds the JobPosting in any of the shapes sites use.
fn job_posting(value: &Value) -> Option<&Value> {
    if value["@type"] == "JobPosting" {
        return Some(value);
    }
    let parts = value.as_array().or_else(|| value["@graph"].as_array())?;
    parts.iter().find_map(job_posting)
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let text = text.split_once(start).expect("the start is there").1;
    text.split_once(end).expect("the end is there").0
}

struct Page {
    status: u16,
    head: String,
    body: String,
}

impl Page {
    fn header(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// HTTP in its smallest form: egress refuses loopback, and here it is all there is.
#[expect(clippy::disallowed_methods, reason = "the test's own server on loopback")]
async fn fetch(url: &str, headers: &str) -> Page {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let address: SocketAddr = host.parse().unwrap();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Page { status, head: head.to_owned(), body: body.to_owned() }
}
