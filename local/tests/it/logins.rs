//! Pages behind a login: fetched with the workspace's own, and kept apart from everybody else's.

use fixture::{JobSite, posting_page};
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::credential::{CredentialUse, How};
use shared::domain::policy::Policy;
use shared::domain::site::site_key;
use shared::store::policies;

use crate::house::{HouseProcess, quick};

const BACKEND_KEY: &str = "a-key-for-the-backend";

fn bearer() -> CredentialUse {
    CredentialUse {
        provider: "board".into(),
        how: How::Header,
        name: Some("authorization".into()),
        prefix: Some("Bearer ".into()),
    }
}

/// A house whose backend knows the logins of `w1` and `w2`, and a site that wants one.
async fn walled(using: CredentialUse) -> (JobSite, JobSite, HouseProcess) {
    let (site, backend) = (JobSite::start("127.0.0.1").await, JobSite::start("127.0.0.2").await);
    for workspace in ["w1", "w2"] {
        let login = json!({ "data": { "value": format!("of-{workspace}"), "username": "me", "password": workspace } });
        let path = format!("/api/v1/workspaces/{workspace}/credentials/board");
        backend.answers(&path, 200, &[], &login.to_string());
    }
    let mut house = HouseProcess::new(&[site.clone(), backend.clone()], &quick()).await;
    house.set("BACKEND_API_URL", backend.url(""));
    house.set("BACKEND_SERVICE_KEY", BACKEND_KEY);
    with_login(&house, &site, Some(using)).await;
    house.start().await;
    (site, backend, house)
}

async fn with_login(house: &HouseProcess, site: &JobSite, credential: Option<CredentialUse>) {
    let key = site_key(&site.url("/").parse().unwrap()).unwrap();
    let policy = Policy { credential, ..quick() };
    let conn = house.db.pool.conn().await.unwrap();
    policies::set(&*conn, key.as_str(), &policy, Clock::System.now()).await.unwrap();
    // A running house compares its copy once a second.
    tokio::time::sleep(std::time::Duration::from_millis(1_300)).await;
}

async fn count(house: &HouseProcess, sql: &str) -> i64 {
    house.db.pool.conn().await.unwrap().query_one(sql, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn what_one_workspace_sees_behind_a_login_nobody_else_is_shown() {
    let (site, backend, house) = walled(bearer()).await;
    // The trap: a site that gives every visitor the same validator.
    let page = |title: &str| {
        let headers = [("content-type", "text/html"), ("etag", "\"same\"")];
        site.answers("/jobs/1", 200, &headers, &posting_page(title));
    };
    let url = site.url("/jobs/1");
    let scraped = async |workspace: &str| {
        let id = house.submit_for(workspace, &url).await;
        house.ended(&id).await
    };
    page("For the first alone");
    let first = scraped("w1").await;
    assert_eq!(first["data"]["result"]["job_title"], "For the first alone", "{first}");
    assert_eq!(site.hits()[0].headers["authorization"], "Bearer of-w1");
    assert_eq!(backend.hits()[0].headers["x-service-key"], BACKEND_KEY);

    // Another workspace: no condition is sent, nothing held answers.
    page("For the second alone");
    let second = scraped("w2").await;
    assert_eq!(second["data"]["result"]["job_title"], "For the second alone", "{second}");
    let hits = site.hits();
    assert_eq!(hits[1].headers["authorization"], "Bearer of-w2");
    assert!(!hits[1].headers.contains_key("if-none-match"), "another's page is not ours to compare with");

    // The first again: its own bytes are held, and its own reading answers, not the second's.
    let again = scraped("w1").await;
    assert_eq!(site.hits()[2].headers["if-none-match"], "\"same\"");
    assert_eq!(again["data"]["result"]["job_title"], "For the first alone", "{again}");

    // The wall comes down: what everybody sees starts from nothing.
    with_login(&house, &site, None).await;
    page("For everybody");
    let open = scraped("w1").await;
    let last = site.hits().pop().unwrap();
    assert!(!last.headers.contains_key("authorization") && !last.headers.contains_key("if-none-match"));
    assert_eq!(open["data"]["result"]["job_title"], "For everybody", "{open}");

    // Of all this, one listing: the public one.
    let (_, all) = house.get("/api/listings").await;
    let titles: Vec<_> = all["listings"].as_array().unwrap().iter().map(|row| &row["title"]).collect();
    assert_eq!(titles, ["For everybody"]);
    for private in [&first, &second, &again] {
        assert_eq!(private["data"]["listing_id"], Value::Null, "{private}");
    }
    assert_eq!(count(&house, "select count(*) from pages").await, 3);
    assert_eq!(count(&house, "select count(*) from evidence").await, 1);

    // And a 404 behind the wall says nothing of the open page.
    with_login(&house, &site, Some(bearer())).await;
    site.answers("/jobs/1", 404, &[], "not for you");
    assert_eq!(scraped("w2").await["meta"]["code"], "http_404");
    assert_eq!(count(&house, "select count(*) from listings where is_active").await, 1);
}

#[tokio::test]
async fn a_login_does_not_follow_a_redirect_to_another_origin() {
    let using = CredentialUse { how: How::Cookie, name: Some("session".into()), prefix: None, ..bearer() };
    let (site, _, mut house) = walled(using).await;
    let other = JobSite::start("127.0.0.3").await;
    house.may_reach(other.address);
    house.terminate().await;
    house.start().await;
    other.posts("/jobs/2", "Elsewhere");
    site.answers("/here", 302, &[("location", "/there")], "");
    site.answers("/there", 302, &[("location", &other.url("/jobs/2"))], "");
    let id = house.submit_for("w1", &site.url("/here")).await;
    let done = house.ended(&id).await;
    let seen: Vec<_> = site.hits().iter().map(|hit| hit.headers.get("cookie").cloned()).collect();
    assert_eq!(seen, [Some("session=of-w1".parse().unwrap()), Some("session=of-w1".parse().unwrap())]);
    let hits = other.hits();
    assert_eq!(hits.len(), 1, "{done}");
    assert!(!hits[0].headers.contains_key("cookie"));
    // Where a login led may be as secret as what it shows.
    assert_eq!(count(&house, "select count(*) from listings").await, 0);
    assert_eq!(count(&house, "select count(*) from pages where url_key not like 'private:%'").await, 0);
}

#[tokio::test]
async fn without_its_login_a_task_fails_and_says_why() {
    let using = CredentialUse { how: How::Basic, name: None, prefix: None, ..bearer() };
    let (site, backend, house) = walled(using).await;
    site.posts("/jobs/1", "Behind the wall");
    let id = house.submit_for("stranger", &site.url("/jobs/1")).await;
    let done = house.ended(&id).await;
    assert_eq!(
        (&done["data"]["status"], &done["meta"]["code"]),
        (&"failed".into(), &"credential_not_found".into())
    );
    assert!(done["data"]["error"].as_str().unwrap().starts_with("Missing credentials"), "{done}");
    assert!(site.hits().is_empty(), "nobody goes without");

    // A login that the site does not take is asked for anew.
    let asked = backend.hits().len();
    site.answers("/jobs/1", 401, &[], "who?");
    for _ in 0..2 {
        let id = house.submit_for("w1", &site.url("/jobs/1")).await;
        assert_eq!(house.ended(&id).await["meta"]["code"], "http_401");
    }
    assert_eq!(site.hits()[0].headers["authorization"], "Basic bWU6dzE=");
    assert_eq!(backend.hits().len() - asked, 2);
}
