//! Ways out: proxies that work, fail and rest, and the face that is shown.

use std::time::Duration;

use fixture::{JobSite, LoopProxy, Mood, Speaks};
use serde_json::Value;
use shared::domain::agent::Agent;

use crate::house::{HouseProcess, quick};

async fn house(sites: &[JobSite], proxies: &[&LoopProxy]) -> HouseProcess {
    let mut house = HouseProcess::new(sites, &quick()).await;
    for proxy in proxies {
        house.may_reach(proxy.address);
    }
    let list: Vec<_> = proxies.iter().map(|proxy| proxy.url()).collect();
    house.set("PROXY_ENDPOINTS", list.join(","));
    house.start().await;
    house
}

/// Waits until the task's row shows what the test looks for.
async fn until(house: &HouseProcess, id: &str, what: impl Fn(&tokio_postgres::Row) -> bool) {
    let id: uuid::Uuid = id.parse().unwrap();
    let look = async {
        loop {
            let conn = house.db.pool.conn().await.unwrap();
            let sql = "select status::text, attempts, error_code, released_at > now() + interval '15 s' as later \
                       from tasks where id = $1";
            if what(&conn.query_one(sql, &[&id]).await.unwrap()) {
                return;
            }
            drop(conn);
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), look).await.expect("it comes to that");
}

/// (healthy, successes, failures) of a proxy, by what the gate keeps.
async fn kept(house: &HouseProcess) -> Vec<Value> {
    let conn = house.db.pool.conn().await.unwrap();
    let rows = conn.query("select value from gate_notes where key like 'proxy#%'", &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_page_comes_through_whichever_proxy_works() {
    let sites = [JobSite::start("127.0.0.2").await, JobSite::start("127.0.0.3").await];
    let works = LoopProxy::start(Speaks::Socks5, Some(("someone", "secret-word"))).await;
    let broken = LoopProxy::start(Speaks::Http, Some(("other", "secret-word"))).await;
    broken.is_in(Mood::HangsUp);
    let mut house = house(&sites, &[&works, &broken]).await;
    for site in &sites {
        site.posts("/jobs/1", "Lock keeper");
        let done = house.scraped(&site.url("/jobs/1")).await;
        assert_eq!(done["data"]["status"], "completed", "{done}");
    }
    assert_eq!(works.asked(), sites.each_ref().map(|site| site.address.to_string()));
    assert!(broken.visitors() <= 1, "once it has failed it is left alone");
    assert!(sites[0].hits()[0].headers["user-agent"].to_str().unwrap().starts_with("Freshet/"));
    let successes: u64 = kept(&house).await.iter().map(|health| health["successes"].as_u64().unwrap()).sum();
    assert_eq!(successes, 2);
    house.terminate().await;
    let log = house.log();
    assert!(log.contains("\"proxy_used\":\"0\"") && !log.contains("secret-word"), "{log}");
}

#[tokio::test]
async fn a_proxy_that_fails_is_not_the_sites_fault() {
    let site = JobSite::start("127.0.0.2").await;
    site.posts("/jobs/1", "Lock keeper");
    let proxy = LoopProxy::start(Speaks::Http, None).await;
    proxy.is_in(Mood::CannotReach);
    let house = house(std::slice::from_ref(&site), &[&proxy]).await;
    let id = house.submit(&site.url("/jobs/1")).await;
    until(&house, &id, |row| {
        row.get::<_, i32>("attempts") == 1
            && row.get::<_, Option<String>>("error_code").as_deref() == Some("proxy_refused")
            && row.get::<_, String>("status") == "pending"
    })
    .await;
    let conn = house.db.pool.conn().await.unwrap();
    let circuit: Value = conn.query_one("select state->'circuit' from gates", &[]).await.unwrap().get(0);
    assert_eq!(
        circuit["recent"],
        serde_json::json!([false]),
        "the circuit heard of robots.txt, and of no failure"
    );
    assert!(site.hits().is_empty());
    assert_eq!(
        kept(&house).await[0]["unhealthy_since"],
        Value::Null,
        "one dead site is not the proxy's fault"
    );
}

#[tokio::test]
async fn with_every_proxy_down_a_waiting_caller_is_told() {
    let sites = [JobSite::start("127.0.0.2").await, JobSite::start("127.0.0.3").await];
    let proxy = LoopProxy::start(Speaks::Socks5, None).await;
    proxy.is_in(Mood::Babbles);
    let house = house(&sites, &[&proxy]).await;
    let first = house.submit(&sites[0].url("/jobs/1")).await;
    until(&house, &first, |row| row.get::<_, i32>("attempts") == 1).await;
    let second = house.scraped(&sites[1].url("/jobs/1")).await;
    assert_eq!(
        (&second["data"]["status"], &second["meta"]["code"]),
        (&"failed".into(), &"no_healthy_proxies".into()),
        "{second}"
    );
    assert!(sites.iter().all(|site| site.hits().is_empty()));
}

#[tokio::test]
async fn a_resting_proxy_is_waited_for() {
    let site = JobSite::start("127.0.0.2").await;
    site.posts("/jobs/1", "Lock keeper");
    site.posts("/jobs/2", "Lock keeper");
    let proxy = LoopProxy::start(Speaks::Http, None).await;
    let house = house(std::slice::from_ref(&site), &[&proxy]).await;
    assert_eq!(house.scraped(&site.url("/jobs/1")).await["data"]["status"], "completed");
    let second = house.submit(&site.url("/jobs/2")).await;
    until(&house, &second, |row| row.get::<_, Option<bool>>("later") == Some(true)).await;
    until(&house, &second, |row| row.get::<_, String>("status") == "pending").await;
    assert_eq!(site.hits().len(), 1, "the site has just seen the only proxy");
}

#[tokio::test]
async fn a_profile_is_shown_only_where_the_operator_says_so() {
    let site = JobSite::start("127.0.0.2").await;
    let proxy = LoopProxy::start(Speaks::Http, None).await;
    let mut house = HouseProcess::new(std::slice::from_ref(&site), &quick()).await;
    house.may_reach(proxy.address);
    house.set("PROXY_ENDPOINTS", format!("[{{\"url\":\"{}\",\"region\":\"jp\"}}]", proxy.url()));
    house.set("IDENTITY", "profile");
    house.start().await;
    site.posts("/jobs/1", "Lock keeper");
    assert_eq!(house.scraped(&site.url("/jobs/1")).await["data"]["status"], "completed");
    let seen = site.hits().remove(0).headers;
    let agent = Agent::of(seen["user-agent"].to_str().unwrap()).expect("one of the curated list");
    assert!(
        seen["accept-language"].to_str().unwrap().starts_with("ja-JP"),
        "it comes from where the proxy is"
    );
    assert_eq!(seen.contains_key("sec-ch-ua"), agent.is_chromium());
}

#[tokio::test]
async fn a_bad_proxy_setting_stops_the_start_and_is_not_shown() {
    for (setting, expected) in [
        ("http://a.example.com,ftp://me:hunter2@b.example.com", "PROXY_ENDPOINTS: entry 1: the scheme"),
        ("http://me:hunter2@10.1.2.3:3128", "PROXY_ENDPOINTS: entry 0: it is not a public host"),
    ] {
        let db = fixture::TestDb::new().await;
        let data = tempfile::tempdir().unwrap();
        let env = shared::settings::Env::of([
            ("DATABASE_URL", secrecy::ExposeSecret::expose_secret(&db.url).to_owned()),
            ("FRESHET_DATA", data.path().display().to_string()),
            ("PORT", "0".to_owned()),
            ("PROXY_ENDPOINTS", setting.to_owned()),
        ]);
        let error = local::serve::start(&env, Vec::new()).await.err().expect("it does not start");
        let said = format!("{error:#}");
        assert!(said.contains(expected) && !said.contains("hunter2"), "{said}");
    }
}
