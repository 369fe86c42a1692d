//! One posting, the whole way: POST → task → fetch → raw page → extract → listing with evidence → GET.

use fixture::{JobSite, posting_page};
use serde_json::Value;
use shared::blobs::{BlobKey, Blobs, FolderBlobs};

use crate::house::{HouseProcess, quick};

async fn one_site() -> (JobSite, HouseProcess) {
    let site = JobSite::start("127.0.0.1").await;
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &quick()).await;
    house.start().await;
    (site, house)
}

fn pairs(rows: &[(String, String)]) -> Vec<(&str, &str)> {
    rows.iter().map(|(event, rule)| (event.as_str(), rule.as_str())).collect()
}

#[tokio::test]
async fn a_posting_walks_the_whole_way_and_is_kept_true() {
    let (site, mut house) = one_site().await;
    let page = posting_page("Lock keeper");
    site.answers("/jobs/1", 200, &[("content-type", "text/html"), ("etag", "\"v1\"")], &page);
    let url = site.url("/jobs/1?utm_source=mail");
    site.answers("/jobs/1?utm_source=mail", 200, &[("content-type", "text/html"), ("etag", "\"v1\"")], &page);

    let done = house.scraped(&url).await;
    assert_eq!(done["data"]["status"], "completed", "{done}");
    let result = &done["data"]["result"];
    assert_eq!(
        (&result["job_title"], &result["company_name"]),
        (&"Lock keeper".into(), &"Weir & Sons".into())
    );
    assert_eq!(
        (&result["location"]["city"], &result["salary"]["currency"]),
        (&"Bristol".into(), &"GBP".into())
    );
    assert_eq!(done["meta"]["verdict"]["code"], "live");
    let id = done["data"]["listing_id"].as_str().unwrap().to_owned();
    let (status, listing) = house.get(&format!("/api/listings/{id}")).await;
    assert_eq!(status, 200);
    assert_eq!(
        (&listing["title"], &listing["is_active"], &listing["times_seen"]),
        (&"Lock keeper".into(), &true.into(), &1.into())
    );
    assert!(listing["description"].as_str().unwrap().contains("sluices"));

    // The raw page is in the blob store, byte for byte.
    let (_, evidence) = house.get(&format!("/api/listings/{id}/evidence")).await;
    let key = BlobKey::stored(evidence["evidence"][0]["raw_key"].as_str().unwrap()).unwrap();
    let blobs = Blobs::Folder(FolderBlobs::new(house.data.path().join("blobs")).unwrap());
    assert_eq!(blobs.get(&key).await.unwrap().unwrap(), page);

    // Unchanged by ETag: refreshed, and the stored result answers.
    let again = house.scraped(&url).await;
    assert_eq!(again["data"]["result"], *result);
    assert_eq!(again["meta"]["answered_from"], "not_modified");
    assert_eq!(site.hits().last().unwrap().headers["if-none-match"], "\"v1\"");

    // The same bytes without an ETag: refreshed as well.
    site.answers("/jobs/1?utm_source=mail", 200, &[("content-type", "text/html")], &page);
    assert_eq!(house.scraped(&url).await["meta"]["answered_from"], "identical_bytes");

    // A small true change: the salary. SimHash alone would miss it.
    site.answers(
        "/jobs/1?utm_source=mail",
        200,
        &[("content-type", "text/html")],
        &page.replace("36000", "37000"),
    );
    assert_eq!(house.scraped(&url).await["data"]["result"]["salary"]["max"], 37000.0);

    // A server error proves nothing; a notice in the posting's own block does.
    site.answers("/jobs/1?utm_source=mail", 500, &[], "oops");
    let failed = house.scraped(&url).await;
    assert_eq!((&failed["data"]["status"], &failed["meta"]["code"]), (&"failed".into(), &"http_500".into()));
    assert_eq!(house.get(&format!("/api/listings/{id}")).await.1["is_active"], true);
    let closed = page.replace("<h1>", "<p>This job is no longer available.</p><h1>");
    site.answers("/jobs/1?utm_source=mail", 200, &[("content-type", "text/html")], &closed);
    assert_eq!(house.scraped(&url).await["meta"]["verdict"]["code"], "closed_notice");
    assert_eq!(house.get(&format!("/api/listings/{id}")).await.1["is_active"], false);

    // It comes back, and then the page is gone.
    site.answers("/jobs/1?utm_source=mail", 200, &[("content-type", "text/html")], &page);
    house.scraped(&url).await;
    assert_eq!(house.get(&format!("/api/listings/{id}")).await.1["is_active"], true);
    site.answers("/jobs/1?utm_source=mail", 410, &[], "gone");
    assert_eq!(house.scraped(&url).await["meta"]["code"], "http_410");
    let (_, listing) = house.get(&format!("/api/listings/{id}")).await;
    assert_eq!((&listing["is_active"], &listing["close_reason"]), (&false.into(), &"http_410".into()));
    let told = house.events(&id).await;
    let expected = [
        ("created", "live"),
        ("refreshed", "not_modified"),
        ("refreshed", "identical_bytes"),
        ("refreshed", "live"),
        ("closed", "closed_notice"),
        ("reopened", "live"),
        ("closed", "http_410"),
    ];
    assert_eq!(pairs(&told), expected);

    // SIGTERM drains and ends well; the next start finds everything as it was left.
    assert!(house.terminate().await.success());
    house.start().await;
    assert_eq!(house.get(&format!("/api/listings/{id}")).await.1["close_reason"], "http_410");
    let (_, all) = house.get("/api/listings").await;
    assert_eq!(all["listings"].as_array().unwrap().len(), 1, "one posting, however often it was seen");
}

#[tokio::test]
async fn a_redirect_is_followed_under_the_key_of_the_site_it_leads_to() {
    let (here, there) = (JobSite::start("127.0.0.2").await, JobSite::start("127.0.0.3").await);
    here.answers("/old", 301, &[("location", "/moved")], "");
    here.answers("/moved", 302, &[("location", &there.url("/jobs/7"))], "");
    there.posts("/jobs/7", "Sluice mechanic");
    let mut house = HouseProcess::new(&[here.clone(), there.clone()], &quick()).await;
    house.start().await;
    let done = house.scraped(&here.url("/old")).await;
    assert_eq!(there.hits().len(), 1);
    assert_eq!(here.hits().len(), 2);
    assert_eq!(done["data"]["target_url"], here.url("/old"));
    let conn = house.db.pool.conn().await.unwrap();
    let gates: i64 = conn.query_one("select count(*) from gates", &[]).await.unwrap().get(0);
    assert_eq!(gates, 2, "each site was asked for a slot of its own");
}

#[tokio::test]
async fn what_may_not_be_fetched_is_refused_and_says_why() {
    let (site, house) = one_site().await;
    let other = JobSite::start("127.0.0.1").await;
    other.posts("/secret", "Secret");
    site.answers("/trap", 302, &[("location", &other.url("/secret"))], "");
    site.answers("/meta", 302, &[("location", "http://169.254.169.254/latest/meta-data/")], "");
    for (url, code) in [
        (other.url("/secret"), "port_refused"),
        ("http://127.0.0.1/".to_owned(), "address_refused"),
        ("http://[::1]/".to_owned(), "address_refused"),
        ("http://169.254.169.254/latest/".to_owned(), "address_refused"),
        ("http://localhost/".to_owned(), "name_refused"),
        (site.url("/trap"), "port_refused"),
        (site.url("/meta"), "address_refused"),
    ] {
        let done = house.scraped(&url).await;
        assert_eq!(
            (&done["data"]["status"], &done["meta"]["code"]),
            (&"failed".into(), &code.into()),
            "{url}: {done}"
        );
    }
    assert!(other.hits().is_empty(), "nobody ever came");
}

#[tokio::test]
async fn pages_without_a_posting_fail_with_their_reason_and_make_no_listing() {
    let (site, house) = one_site().await;
    site.answers("/empty", 200, &[("content-type", "text/html")], "");
    site.answers("/about", 200, &[("content-type", "text/html")], "<h1>About us</h1><p>We like rivers.</p>");
    site.answers("/deep", 200, &[("content-type", "text/html")], &"<div>".repeat(5_000));
    site.answers("/loop", 302, &[("location", "/loop")], "");
    for (path, code) in [
        ("/empty", "no_posting"),
        ("/about", "no_posting"),
        ("/deep", "too_complex"),
        ("/loop", "too_many_redirects"),
        ("/none", "http_404"),
    ] {
        let done = house.scraped(&site.url(path)).await;
        assert_eq!(
            (&done["data"]["status"], &done["meta"]["code"]),
            (&"failed".into(), &code.into()),
            "{path}: {done}"
        );
        assert_eq!(done["data"]["result"], Value::Null);
    }
    assert!(house.get("/api/listings").await.1["listings"].as_array().unwrap().is_empty());
}

/// Logs are JSON, carry the ids, and hold no query, key or page text.
#[tokio::test]
async fn the_log_can_be_searched_and_holds_no_secrets() {
    let (site, mut house) = one_site().await;
    site.posts("/jobs/1?token=do-not-log-me", "Lock keeper of the upper gate");
    let done = house.scraped(&site.url("/jobs/1?token=do-not-log-me")).await;
    assert_eq!(done["data"]["status"], "completed", "{done}");
    house.terminate().await;
    let log = house.log();
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    assert!(lines.iter().all(|line| line["timestamp"].is_string() && line["level"].is_string()));
    let task = done["data"]["task_id"].as_str().unwrap();
    let of_task = |line: &&Value| {
        line["spans"].as_array().is_some_and(|spans| spans.iter().any(|span| span["task.id"] == task))
    };
    let fetched =
        lines.iter().filter(of_task).find(|line| line["message"] == "fetched").expect("the fetch is logged");
    assert_eq!(fetched["url"], site.url("/jobs/1"));
    assert!(fetched["duration_ms"].is_i64() || fetched["duration_ms"].is_u64());
    let span = fetched["spans"].as_array().unwrap().iter().find(|span| span["name"] == "crawler").unwrap();
    assert!(span["request.id"].is_string(), "every room logs the request's id: {span}");
    for secret in ["do-not-log-me", crate::house::KEY, "a-signing-key-for-tests", "upper gate", "sluices"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}
