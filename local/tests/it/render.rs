//! Pages that need a browser, through the whole house.

use std::time::Duration;

use fixture::{JobSite, Receiver, posting_page};
use serde_json::{Value, json};
use shared::domain::policy::Policy;
use standardwebhooks::Webhook;

use crate::house::{HouseProcess, WEBHOOK_SECRET, quick};

/// A page that is empty until its script has run, as careers sites built on a framework are.
fn shell(title: &str) -> String {
    let page = posting_page(title);
    let script = format!("document.open(); document.write({}); document.close()", json!(page))
        .replace("</script>", "<\\/script>");
    format!("<!doctype html><title>Jobs</title><div id=\"root\"></div><script>{script}</script>")
}

fn serve(site: &JobSite, path: &str, body: &str) {
    site.answers(path, 200, &[("content-type", "text/html; charset=utf-8")], body);
}

fn hits(site: &JobSite, path: &str) -> usize {
    site.hits().iter().filter(|hit| hit.path == path).count()
}

fn target(url: &str, extra: &Value) -> Value {
    let mut target = json!({ "target_type": "job_posting", "target_url": url, "workspace_id": "tests" });
    for (name, value) in extra.as_object().unwrap() {
        target[name] = value.clone();
    }
    target
}

#[tokio::test]
async fn a_page_that_needs_a_browser_gets_one_and_its_site_is_remembered() {
    let site = JobSite::start("127.0.0.1").await;
    for number in 1..=2 {
        serve(&site, &format!("/jobs/{number}"), &shell(&format!("Lock keeper {number}")));
    }
    site.posts("/jobs/plain", "Ferryman");
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &quick()).await;
    house.start().await;
    let plain = house.scraped(&site.url("/jobs/plain")).await;
    assert_eq!(
        (&plain["data"]["result"]["job_title"], hits(&site, "/jobs/plain")),
        (&json!("Ferryman"), 1),
        "{plain}"
    );
    let first = house.scraped(&site.url("/jobs/1")).await;
    assert_eq!(first["data"]["result"]["job_title"], "Lock keeper 1", "{first}");
    assert_eq!(hits(&site, "/jobs/1"), 2, "plain, and then by a browser");
    let second = house.scraped(&site.url("/jobs/2")).await;
    assert_eq!(second["data"]["result"]["job_title"], "Lock keeper 2", "{second}");
    assert_eq!(hits(&site, "/jobs/2"), 1, "by a browser at once");
    let (_, health) = house.get("/health").await;
    assert_eq!(health["data"]["browser_pool"]["pages_processed"], 2, "{health}");
    house.terminate().await;
    assert!(left(&house).is_empty(), "{:?}", left(&house));
}

#[tokio::test]
async fn a_caller_says_how_a_page_is_made_readable() {
    let site = JobSite::start("127.0.0.1").await;
    serve(&site, "/shell", &shell("Lock keeper"));
    site.posts("/posting", "Ferryman");
    let late = format!(
        "<p>one moment</p><script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', {}), 600)</script>",
        json!("<h1 class=title>Bridge keeper</h1>")
    );
    serve(&site, "/late", &late);
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &quick()).await;
    house.start().await;
    let ask = async |path: &str, extra: Value| {
        let id = house.submit_with(target(&site.url(path), &extra)).await;
        house.ended(&id).await
    };
    let never = ask("/shell", json!({ "render": "never" })).await;
    assert_eq!((&never["data"]["status"], hits(&site, "/shell")), (&json!("failed"), 1), "{never}");
    let unchanged = ask("/shell", json!({ "render": "auto" })).await;
    assert_eq!(unchanged["data"]["status"], "completed", "what is held is as empty as it was: {unchanged}");
    let always = ask("/posting", json!({ "render": "always" })).await;
    assert_eq!((&always["data"]["status"], hits(&site, "/posting")), (&json!("completed"), 1), "{always}");
    ask("/late", json!({ "wait_for_selector": "h1.title" })).await;
    let missing = ask("/posting", json!({ "wait_for_selector": "<<<" })).await;
    assert_eq!(missing["meta"]["code"], "bad_selector", "{missing}");
    let (_, health) = house.get("/health").await;
    assert_eq!(health["data"]["browser_pool"]["pages_processed"], 4, "{health}");
    for (extra, field) in [
        (json!({ "render": "sometimes" }), "render"),
        (json!({ "max_scrolls": 21 }), "max_scrolls"),
        (json!({ "images": "yes" }), "images"),
        (json!({ "render": "never", "wait_for_selector": "h1" }), "render"),
    ] {
        let (status, answer) = house.post("/api/v1/scrape", &target(&site.url("/shell"), &extra)).await;
        assert_eq!((status, &answer["meta"]["errors"][0]["field"]), (422, &json!(field)), "{answer}");
    }
}

/// Without a browser the house stands, plain pages come through, and whoever asks for one is told.
#[tokio::test]
async fn a_house_without_a_browser_says_so() {
    let site = JobSite::start("127.0.0.1").await;
    site.posts("/posting", "Ferryman");
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &quick()).await;
    house.set("BROWSER", "/nowhere/chromium");
    house.start().await;
    assert_eq!(house.scraped(&site.url("/posting")).await["data"]["status"], "completed");
    let id = house.submit_with(target(&site.url("/posting"), &json!({ "render": "always" }))).await;
    let told = house.ended(&id).await;
    assert_eq!(
        (&told["data"]["status"], &told["meta"]["code"]),
        (&json!("failed"), &json!("no_browser")),
        "{told}"
    );
    assert_eq!(house.get("/readiness").await.0, 200);
}

const GAP: Duration = Duration::from_millis(1_500);

/// Killed while a browser shows a page: the page comes again with a slot of its own, no navigation is closer to
/// another than the gap, and nothing of the killed run's browser is left.
#[tokio::test]
async fn a_kill_during_a_rendering_loses_no_page_and_breaks_no_gap() {
    let site = JobSite::start("127.0.0.1").await;
    for number in 0..3 {
        let page = format!(
            "{}<script>const end = Date.now() + 900; while (Date.now() < end) {{}}</script>",
            posting_page(&format!("Lock keeper {number}"))
        );
        serve(&site, &format!("/jobs/{number}"), &page);
    }
    let gap = u32::try_from(GAP.as_millis()).unwrap();
    let policy = Policy { min_delay_ms: gap, max_delay_ms: gap, ..quick() };
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &policy).await;
    house.start().await;
    let conn = house.db.pool.conn().await.unwrap();
    for number in 0..3 {
        // Nobody waits for these: a page that a caller waits for is given up after a minute.
        let task = shared::store::tasks::NewTask {
            kind: shared::domain::task::TaskKind::Listing,
            ..fixture::page_task(&site.url(&format!("/jobs/{number}")))
        };
        shared::store::tasks::insert(&*conn, &task, shared::clock::Clock::System.now()).await.unwrap();
    }
    conn.execute("update tasks set pipeline_state = '{\"render\": {\"render\": \"always\"}}'", &[])
        .await
        .unwrap();
    drop(conn);
    let came = async {
        while site.hits().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), came).await.expect("a browser comes");
    house.kill();
    // It hangs up, and the browser ends by itself.
    let gone = async {
        while !running(&house).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.expect("no browser outlives its house");
    house.start().await;
    let ended = async {
        loop {
            let conn = house.db.pool.conn().await.unwrap();
            let sql = "select count(*) from tasks where status in ('pending', 'processing')";
            if conn.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(240), ended).await.expect("every page ends");
    let conn = house.db.pool.conn().await.unwrap();
    let done = conn.query_one("select count(*) from tasks where status = 'success'", &[]).await.unwrap();
    assert_eq!(done.get::<_, i64>(0), 3);
    let mut times: Vec<_> = site.requests().iter().map(|hit| hit.at).collect();
    times.sort();
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] + Duration::from_millis(2) >= GAP, "only {:?} apart", pair[1] - pair[0]);
    }
    house.terminate().await;
    assert!(left(&house).is_empty(), "{:?}", left(&house));
}

/// Processes of browsers of this house, by the folder they were started in; what is dead is not there.
fn running(house: &HouseProcess) -> Vec<i32> {
    let folder = house.data.path().canonicalize().unwrap().join("browsers");
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|place| place.starts_with(&folder))
        })
        .collect()
}

/// Folders of browsers of this house.
fn left(house: &HouseProcess) -> Vec<String> {
    let folder = house.data.path().join("browsers");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// A hundred targets of every kind: the job ends in part, each failure names its cause, and whoever asked to be told
/// is told by a signed message that a library of somebody else accepts.
#[tokio::test]
async fn a_hundred_mixed_targets_end_in_part_and_each_failure_names_its_cause() {
    let mut sites = Vec::new();
    for number in 1..=4 {
        sites.push(JobSite::start(&format!("127.0.2.{number}")).await);
    }
    let receiver = Receiver::start("127.0.0.1").await;
    // They take the request and never answer.
    let silent = [silent("127.0.2.11").await, silent("127.0.2.12").await];
    let mut house = HouseProcess::new(&sites, &quick()).await;
    house.may_reach(receiver.address);
    silent.iter().for_each(|address| house.may_reach(*address));
    let robots = "User-agent: *\nDisallow: /private/\n";
    let mut wanted: Vec<(String, &str)> = Vec::new();
    for number in 0..60 {
        let site = &sites[number % 3];
        site.posts(&format!("/jobs/{number}"), &format!("Lock keeper {number}"));
        wanted.push((site.url(&format!("/jobs/{number}")), "completed"));
    }
    for number in 0..10 {
        serve(&sites[3], &format!("/shell/{number}"), &shell(&format!("Ferryman {number}")));
        wanted.push((sites[3].url(&format!("/shell/{number}")), "completed"));
        wanted.push((sites[1].url(&format!("/nothing/{number}")), "http_404"));
        sites[2].answers("/robots.txt", 200, &[("content-type", "text/plain")], robots);
        wanted.push((sites[2].url(&format!("/private/{number}")), "robots_disallowed"));
    }
    for number in 0..8 {
        wanted.push((format!("http://10.0.0.{}/jobs", number + 1), "address_refused"));
    }
    wanted.extend(silent.map(|address| (format!("http://{address}/jobs"), "timeout")));
    assert_eq!(wanted.len(), 100);
    house.start().await;
    let targets: Vec<Value> = wanted.iter().map(|(url, _)| target(url, &json!({}))).collect();
    let body = json!({ "targets": targets, "callback_url": receiver.url("/hook") });
    let (status, made) = house.post("/api/v1/scrape/batch", &body).await;
    assert_eq!(status, 202, "{made}");
    let calls = tokio::time::timeout(Duration::from_secs(120), receiver.called(1)).await.expect("it is told");
    Webhook::new(WEBHOOK_SECRET)
        .unwrap()
        .verify(&calls[0].body, &calls[0].headers)
        .expect("a good signature");
    let told = calls[0].json();
    assert_eq!((&told["job_id"], &told["status"]), (&made["data"]["job_id"], &json!("partially_completed")));
    let (_, job) =
        house.get(&format!("/api/v1/scrape/jobs/{}", made["data"]["job_id"].as_str().unwrap())).await;
    assert_eq!(job["data"]["completed_tasks"], 70, "{job}");
    for (task, (url, expected)) in job["data"]["tasks"].as_array().unwrap().iter().zip(&wanted) {
        let found = task["code"].as_str().or(task["status"].as_str()).unwrap();
        assert_eq!(found, *expected, "{url}: {task}");
        if *expected != "completed" {
            assert!(task["error"].as_str().is_some_and(|text| text.len() > 10), "{task}");
        }
    }
    assert_eq!(told["results"].as_array().unwrap().len(), 100);
}

/// A listener that takes connections, lets robots.txt be missing, and says nothing to anything else.
async fn silent(ip: &str) -> std::net::SocketAddr {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind((ip, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = vec![0; 4096];
                let read = stream.read(&mut head).await.unwrap_or_default();
                if head[..read].starts_with(b"GET /robots.txt") {
                    let missing = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                    drop(stream.write_all(missing).await);
                    return;
                }
                tokio::time::sleep(Duration::from_secs(600)).await;
                drop(stream);
            });
        }
    });
    address
}
