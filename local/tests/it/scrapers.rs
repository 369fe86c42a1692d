//! The role queue under fire: many scrapers, and a house that is killed again and again.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::policy::Policy;
use shared::domain::roles::scraper_key::NewKey;
use shared::egress::{Egress, Hop, Limits, Permission, Request};
use shared::store::scraper_keys;

use crate::house::HouseProcess;

const SCRAPERS: usize = 32;
const ROLES: i64 = 5_000;
const KILLS: usize = 10;
/// Jobs that each role brings: one of its own, and one that all roles share.
const JOBS: i64 = 2;

/// One scraper: asks, hands in, sends again what was not answered.
struct Scraper {
    web: Egress,
    base: String,
    key: String,
    /// The roles whose jobs were taken. One may be brought twice: by a session that came late, and by the next.
    done: Done,
}

type Done = Arc<Mutex<HashSet<i64>>>;

fn count(done: &Done) -> usize {
    done.lock().unwrap().len()
}

impl Scraper {
    /// The answer, or nothing while the house is away.
    async fn call(&self, request: Request) -> Option<(u16, Value)> {
        let answer =
            self.web.fetch(request.header("x-scraper-api-key", &self.key), |_| Hop::Stop).await.ok()?;
        let body =
            if answer.body.is_empty() { Value::Null } else { serde_json::from_slice(&answer.body).ok()? };
        // What is not to be had for the moment is asked for again.
        (answer.status != 503).then_some((answer.status, body))
    }

    /// Until there is nothing left to do for anybody.
    async fn work(self) {
        loop {
            if count(&self.done) >= usize::try_from(ROLES).unwrap() {
                return;
            }
            let next = format!("{}/api/scraper/queue/next-role", self.base);
            let Some((status, work)) = self.call(Request::get(next)).await else {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            assert!(matches!(status, 200 | 204), "{status} {work}");
            if status == 204 {
                // What an answer that was lost has taken comes back when its lease ends.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
            let (session, role) =
                (work["session_id"].as_str().unwrap(), work["role"]["id"].as_i64().unwrap());
            let body = json!({ "session_id": session, "jobs": [job(role), job(0)] }).to_string();
            loop {
                let post = Request::post(format!("{}/api/scraper/queue/jobs", self.base), body.clone());
                let Some((status, answer)) = self.call(post).await else {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                };
                // 409: it took so long that another has brought this role's jobs since.
                assert!(matches!(status, 200 | 409), "{status} {answer}");
                if status == 200 {
                    assert_eq!(answer["jobs_found"], JOBS, "{answer}");
                    self.done.lock().unwrap().insert(role);
                }
                break;
            }
        }
    }
}

fn job(number: i64) -> Value {
    json!({
        "external_job_id": format!("j-{number}"), "platform": "dice", "title": format!("Role {number}"),
        "company": format!("Maker {number}"), "job_url": format!("https://dice.com/jobs/{number}"),
    })
}

/// 32 scrapers over 5,000 roles, ten kills: no role is ever held by two, none is lost, and the counts add up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_kills_under_32_scrapers_lose_no_role_and_give_none_twice() {
    let mut house = HouseProcess::new(&[], &Policy::default()).await;
    house.set("NEXT_ROLE_PER_MINUTE", "1000000");
    house.set("SCRAPER_LEASE_SECONDS", "4");
    house.set("CLEANUP_EVERY_SECONDS", "1");
    house.set("BROWSER", "/nowhere");
    let conn = house.db.pool.conn().await.unwrap();
    conn.execute(
        "insert into roles (name, key, head, technologies, pending_since, created_at, updated_at)
            select 'Role ' || n, 'role ' || n, 'role', '{}', now(), now(), now() from generate_series(1, $1::bigint) n",
        &[&ROLES],
    )
    .await
    .unwrap();
    house.start().await;
    let done = Done::default();
    let base = house.url("");
    let mut scrapers = Vec::new();
    for number in 0..SCRAPERS {
        let key = NewKey::new(&rand::random());
        let name = format!("scraper {number}");
        scraper_keys::create(&*conn, &name, None, &key, None, "tests", Clock::System.now()).await.unwrap();
        let ours = vec![base.trim_start_matches("http://").parse().unwrap()];
        let web = Egress::new(Permission::with_private_hosts(ours), Limits::default()).unwrap();
        let scraper = Scraper { web, base: base.clone(), key: key.text, done: done.clone() };
        scrapers.push(tokio::spawn(scraper.work()));
    }
    let step = usize::try_from(ROLES).unwrap() / (KILLS + 1);
    for kill in 1..=KILLS {
        // In the middle of the work, wherever that is.
        while count(&done) < kill * step {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        house.kill();
        house.start().await;
    }
    let all = async {
        for scraper in scrapers {
            scraper.await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(120), all).await.expect("every role is done");

    let number = async |sql: &str| conn.query_one(sql, &[]).await.unwrap().get::<_, i64>(0);
    assert_eq!(number("select count(*) from roles where queue_status = 'completed'").await, ROLES);
    assert_eq!(number("select count(*) from scrape_sessions where status = 'in_progress'").await, 0);
    // The history of the queue: from when to when each session held its role.
    let twice = "select count(*) from scrape_sessions a join scrape_sessions b on a.role_id = b.role_id and a.id < b.id
        and a.started_at < coalesce(b.timed_out_at, b.completed_at)
        and b.started_at < coalesce(a.timed_out_at, a.completed_at)";
    assert_eq!(number(twice).await, 0, "a role was held by two at once");
    let completed = number("select count(*) from scrape_sessions where status = 'completed'").await;
    assert!(completed >= ROLES);
    let mut sums = BTreeMap::new();
    for field in ["jobs_found", "jobs_imported", "jobs_skipped"] {
        sums.insert(field, number(&format!("select sum({field})::bigint from scrape_sessions")).await);
    }
    assert_eq!(sums["jobs_found"], completed * JOBS, "what was found is what was posted");
    assert_eq!(sums["jobs_imported"], ROLES + 1);
    assert_eq!(sums["jobs_imported"] + sums["jobs_skipped"], sums["jobs_found"]);
    assert_eq!(number("select count(*) from listings").await, ROLES + 1);
    assert_eq!(number("select sum(times_seen)::bigint from listings").await, completed * JOBS);
    assert_eq!(number("select sum(total_jobs_scraped)::bigint from roles").await, ROLES + 1);
    house.kill();
}

/// The examples of docs/scrapers.md, run as they stand there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_examples_for_authors_of_scrapers_run() {
    let page = include_str!("../../../docs/scrapers.md");
    let block = |language: &str| {
        let begin = format!("```{language}\n");
        let from = page.find(&begin).unwrap() + begin.len();
        page[from..from + page[from..].find("```").unwrap()].to_owned()
    };
    let mut house = HouseProcess::new(&[], &Policy::default()).await;
    house.set("BROWSER", "/nowhere");
    house.start().await;
    let conn = house.db.pool.conn().await.unwrap();
    let now = Clock::System.now();
    let key = NewKey::new(&rand::random());
    scraper_keys::create(&*conn, "example", None, &key, None, "tests", now).await.unwrap();
    let run = async |program: &str, flag: &str, text: String| {
        let mut command = tokio::process::Command::new(program);
        command
            .arg(flag)
            .arg(text)
            .env("FRESHET_URL", house.url(""))
            .env("SCRAPER_KEY", &key.text)
            .env("ONCE", "1");
        let ended = command.kill_on_drop(true).output().await.unwrap();
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(ended.status.success(), "{program}: {said} {}", String::from_utf8_lossy(&ended.stderr));
        said
    };
    for name in ["Glazier", "Baker", "Cooper"] {
        shared::store::roles::create(&*conn, name, "normal", now).await.unwrap();
    }
    let said = run("bash", "-c", block("sh")).await;
    let answer: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(
        (answer["jobs_imported"].as_i64(), answer["completed"].as_bool()),
        (Some(1), Some(true)),
        "{said}"
    );
    let said = run("python3", "-c", block("python")).await;
    assert_eq!(said.lines().count(), 2, "one answer for each role that was left: {said}");
    let done = "select count(*) from roles where queue_status = 'completed'";
    assert_eq!(conn.query_one(done, &[]).await.unwrap().get::<_, i64>(0), 3);
    house.kill();
}

/// Two thousand people, two hundred new jobs, and a house that is killed in the middle of its steps: every pair is
/// scored once. What a step stores and what it counts are one transaction, so a step that was done twice would show.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_matcher_killed_at_random_scores_every_pair_once() {
    const PEOPLE: i64 = 2_000;
    const NEW_JOBS: i64 = 200;
    let mut house = HouseProcess::new(&[], &Policy::default()).await;
    house.set("BROWSER", "/nowhere");
    let conn = house.db.pool.conn().await.unwrap();
    let now = Clock::System.now();
    let key = NewKey::new(&rand::random());
    scraper_keys::create(&*conn, "matching", None, &key, None, "tests", now).await.unwrap();
    let made = shared::store::roles::create(&*conn, "Platform Engineer", "normal", now).await.unwrap();
    let (role, _) = made.unwrap();
    conn.execute(
        "with made as (
            insert into candidates (id, current_title, skills, locations, created_at, updated_at)
            select gen_random_uuid(), (array['Baker', 'Nurse', 'Platform Engineer'])[1 + n % 3],
                array[(array['sql', 'excel', 'python'])[1 + n % 3]], array['Porto, Portugal'], now(), now()
            from generate_series(1, $2::bigint) n returning id)
        insert into candidate_roles (candidate_id, role_id, at) select id, $1, now() from made",
        &[&role, &PEOPLE],
    )
    .await
    .unwrap();
    house.start().await;
    let ours = vec![house.url("").trim_start_matches("http://").parse().unwrap()];
    let web = Egress::new(Permission::with_private_hosts(ours), Limits::default()).unwrap();
    let scraper = Scraper { web, base: house.url(""), key: key.text, done: Done::default() };
    let (_, work) = scraper.call(Request::get(house.url("/api/scraper/queue/next-role"))).await.unwrap();
    let jobs: Vec<Value> = (1..=NEW_JOBS)
        .map(|number| {
            let mut job = job(number);
            job["title"] = json!("Platform Engineer");
            job["skills"] = json!(["Python", "Kubernetes"]);
            job
        })
        .collect();
    let body = json!({ "session_id": work["session_id"], "jobs": jobs }).to_string();
    let posted = scraper.call(Request::post(house.url("/api/scraper/queue/jobs"), body)).await.unwrap();
    assert_eq!((posted.0, posted.1["jobs_imported"].as_i64()), (200, Some(NEW_JOBS)), "{}", posted.1);

    let progress = async || {
        let row = conn
            .query_one("select pairs_scored, matches_made, ended_at is not null from match_runs", &[])
            .await
            .unwrap();
        (row.get::<_, i64>(0), row.get::<_, i64>(1), row.get::<_, bool>(2))
    };
    let mut kills = 0;
    let all = async {
        let mut seen = 0;
        loop {
            let (pairs, _, ended) = progress().await;
            if ended {
                return;
            }
            // It has come on since the last time: somewhere in the next step it dies.
            if pairs > seen && kills < 6 {
                seen = pairs;
                let within = rand::random::<u64>() % 120;
                tokio::time::sleep(Duration::from_millis(within)).await;
                house.kill();
                house.start().await;
                kills += 1;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), all).await.expect("the run ends");
    assert!(kills >= 3, "it was killed {kills} times only");
    let (pairs, made, _) = progress().await;
    assert_eq!(pairs, PEOPLE * NEW_JOBS, "every pair once");
    let stored: i64 = conn.query_one("select count(*) from candidate_job_matches", &[]).await.unwrap().get(0);
    assert_eq!(stored, made, "what was made is what is stored");
    assert!(stored >= PEOPLE / 3 * NEW_JOBS / 2, "{stored} matches");
    house.kill();
}
