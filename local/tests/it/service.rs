//! The scrape service on one port: a job of many, and a call that waits.

use std::time::Duration;

use fixture::JobSite;
use serde_json::{Value, json};

use crate::house::{HouseProcess, quick};

fn target(url: &str) -> Value {
    json!({ "target_type": "job_posting", "target_url": url, "workspace_id": "tests" })
}

/// Waits until the job is over.
async fn over(house: &HouseProcess, id: &str) -> Value {
    let look = async {
        loop {
            let (_, job) = house.get(&format!("/api/v1/scrape/jobs/{id}")).await;
            if !matches!(job["data"]["status"].as_str(), Some("queued" | "running")) {
                return job["data"].clone();
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), look).await.expect("the job ends within a minute")
}

#[tokio::test]
async fn a_mixed_job_ends_in_part_and_each_failure_names_its_cause() {
    let site = JobSite::start("127.0.0.1").await;
    for number in 0..5 {
        site.posts(&format!("/jobs/{number}"), &format!("Lock keeper {number}"));
    }
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &quick()).await;
    house.start().await;
    let mut urls: Vec<String> = (0..5).map(|number| site.url(&format!("/jobs/{number}"))).collect();
    urls.extend([site.url("/nothing"), "http://169.254.169.254/".to_owned(), "http://localhost/".to_owned()]);
    let body = json!({ "targets": urls.iter().map(|url| target(url)).collect::<Vec<_>>() });
    let (status, made) = house.post("/api/v1/scrape/batch", &body).await;
    assert_eq!(status, 202, "{made}");
    let id = made["data"]["job_id"].as_str().unwrap();
    let job = over(&house, id).await;
    assert_eq!(
        (&job["status"], &job["completed_tasks"]),
        (&json!("partially_completed"), &json!(5)),
        "{job}"
    );
    let codes: Vec<&str> =
        job["tasks"].as_array().unwrap().iter().filter_map(|task| task["code"].as_str()).collect();
    assert_eq!(codes, ["http_404", "address_refused", "name_refused"]);
    let (_, results) = house.get(&format!("/api/v1/scrape/jobs/{id}/results")).await;
    assert_eq!(results["meta"]["count"], 5);
    assert_eq!(results["data"]["results"][4]["result"]["job_title"], "Lock keeper 4");
}

#[tokio::test]
async fn a_call_that_waits_gets_its_answer_on_the_same_port() {
    let site = JobSite::start("127.0.0.1").await;
    site.posts("/jobs/1", "Lock keeper");
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &quick()).await;
    house.start().await;
    let (status, answer) = house.post("/api/v1/scrape/sync", &target(&site.url("/jobs/1"))).await;
    assert_eq!((status, &answer["data"]["status"]), (200, &json!("completed")), "{answer}");
    assert_eq!(answer["data"]["result"]["job_title"], "Lock keeper");
    let (_, described) = house.get("/openapi.json").await;
    for path in ["/api/v1/scrape", "/api/v1/scrape/sync", "/api/v1/scrape/batch"] {
        assert!(described["paths"][path]["post"].is_object(), "{path} is described");
    }
    let (status, answer) = house.get("/api/v1/scrape/sync").await;
    assert_eq!((status, &answer["meta"]["code"]), (405, &json!("method_not_allowed")));
    // Fetched a moment ago for this workspace: nobody goes there again.
    let mut again = target(&site.url("/jobs/1"));
    again["max_age"] = json!(600);
    let (status, answer) = house.post("/api/v1/scrape/sync", &again).await;
    assert_eq!((status, &answer["meta"]["answered_from"]), (200, &json!("max_age")), "{answer}");
    assert_eq!(site.hits().len(), 1);
}
