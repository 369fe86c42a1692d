//! The schema, the statements, and what the database itself refuses.

use std::time::Duration;

use fixture::TestDb;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use shared::domain::listing::Seen;
use shared::domain::task::{Stage, TaskStatus};
use shared::sighting::{self, Sighting};
use shared::store::listings::{self, JobFields};
use shared::store::sweep;
use shared::store::tasks::{self, Ending};
use shared::store::{migrate, policies};
use uuid::Uuid;

use fixture::page_task as task;

use crate::release::{hand_on, now, task_of};

#[tokio::test]
async fn every_statement_is_understood_by_the_schema() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    let mut count = 0;
    for (name, sql) in shared::store::statements() {
        conn.prepare(sql).await.unwrap_or_else(|error| panic!("{name}: {error}: {sql}"));
        count += 1;
    }
    assert!(count > 50, "{count} statements");
}

/// SQL lives in the store (and beside the queue and gate that are tables); a query elsewhere would escape
/// the test above.
#[test]
fn no_statement_hides_outside_the_store() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut folders = vec![root.join("shared/src"), root.join("functions"), root.join("local/src")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // Tests may look at rows as they like.
                folders.extend((!path.ends_with("tests")).then_some(path));
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                let allowed = [
                    "shared/src/store/",
                    "shared/src/queue/postgres.rs",
                    "shared/src/gate/postgres.rs",
                    "shared/src/gate/notes.rs",
                    "local/src/cluster",
                ];
                if allowed.iter().any(|prefix| name.starts_with(prefix)) {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap().to_lowercase();
                for sign in [
                    "\"select ",
                    "\"insert into ",
                    "\"update ",
                    "\"delete from ",
                    "conn.query",
                    "client.query",
                    "transaction.query",
                    "batch_execute(",
                ] {
                    if text.contains(sign) {
                        found.push(format!("{name}: {sign}"));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:?}");
}

#[tokio::test]
async fn two_migrations_at_once_do_no_harm() {
    let db = TestDb::new().await;
    let again = tokio::join!(migrate::migrate(&db.url), migrate::migrate(&db.url), migrate::migrate(&db.url));
    assert!(again.0.unwrap().is_empty() && again.1.unwrap().is_empty() && again.2.unwrap().is_empty());
    let conn = db.pool.conn().await.unwrap();
    assert!(migrate::is_current(&*conn).await.unwrap());
}

#[tokio::test]
async fn the_database_refuses_what_the_types_forbid() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    let one = task("http://127.0.0.1:1/a");
    tasks::insert(&*conn, &one, now()).await.unwrap();
    for bad in [
        "update tasks set status = 'success'",
        "update tasks set status = 'gone'",
        "update tasks set lease_until = now()",
        "update tasks set spawn_depth = 11",
        "update tasks set ended_at = now()",
        "update tasks set site = repeat('x', 129)",
        "insert into queue_messages (queue, group_id, body, sent_at, visible_at) values ('q', repeat('x', 129), '', now(), now())",
    ] {
        assert!(conn.batch_execute(bad).await.is_err(), "{bad}");
    }
}

#[tokio::test]
async fn a_claim_is_a_lease_with_a_fence() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    let (id, release_no) = task_of(&db, "http://127.0.0.1:1/a").await;
    let lease = SignedDuration::from_secs(60);
    let wanted = async |at| tasks::wanted(&*conn, id, release_no, Stage::Fetch, at).await.unwrap().now();
    let claim = async |at: Timestamp| {
        let plan = wanted(at).await?;
        tasks::claim(&*conn, plan, Stage::Fetch, Uuid::new_v4(), at, at + lease).await.unwrap()
    };
    let first = claim(now()).await.expect("free");
    assert!(claim(now() + SignedDuration::from_secs(59)).await.is_none(), "leased");
    let second = claim(now() + lease).await.expect("the lease ran out");
    assert_eq!((first.crashes, second.crashes), (0, 1));
    assert!(second.fence > first.fence);

    // The first comes back from the dead: nothing it says is heard.
    let done = Ending::default();
    assert!(!tasks::finish(&*conn, &first, TaskStatus::Success, Stage::Save, &done, now()).await.unwrap());
    assert!(hand_on(&*conn, &first).await.is_none());
    assert!(tasks::finish(&*conn, &second, TaskStatus::Success, Stage::Save, &done, now()).await.unwrap());
    assert!(!tasks::finish(&*conn, &second, TaskStatus::Failed, Stage::Save, &done, now()).await.unwrap());
    assert_eq!(tasks::find(&*conn, id).await.unwrap().unwrap().status, TaskStatus::Success);
}

/// A fault of ours is no crash; a worker that died is one, and its task comes back later each time.
#[tokio::test]
async fn a_lease_given_back_counts_as_nothing_and_a_dead_owner_as_a_crash() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    let (id, release_no) = task_of(&db, "http://127.0.0.1:1/a").await;
    let owner = Uuid::new_v4();
    let claim = async |at: Timestamp| {
        let plan = tasks::wanted(&*conn, id, release_no, Stage::Fetch, at).await.unwrap().now()?;
        let lease = at + SignedDuration::from_secs(60);
        tasks::claim(&*conn, plan, Stage::Fetch, owner, at, lease).await.unwrap()
    };
    for _ in 0..5 {
        let visit = claim(now()).await.expect("free again at once");
        assert_eq!(visit.crashes, 0);
        tasks::give_back(&*conn, &visit).await.unwrap();
    }
    let mut at = now();
    for crashes in 0..3 {
        assert_eq!(claim(at).await.expect("free").crashes, crashes);
        sweep::drop_leases(&*conn, owner, at).await.unwrap();
        let wait = SignedDuration::from_secs(2 * i64::from(crashes + 1).pow(2));
        assert!(claim(at + wait - SignedDuration::from_millis(1)).await.is_none());
        at += wait;
    }
    assert_eq!(claim(at).await.unwrap().crashes, 3, "the crawler sets it aside now");
    // A death that it had no part in clears it: whatever kills the house is something else.
    sweep::drop_leases(&*conn, Uuid::new_v4(), at).await.unwrap();
    sweep::drop_leases(&*conn, owner, at).await.unwrap();
    assert_eq!(claim(at + SignedDuration::from_secs(2)).await.unwrap().crashes, 1);
}

#[tokio::test]
async fn of_a_crowd_exactly_one_claims() {
    let db = TestDb::new().await;
    let (id, release_no) = task_of(&db, "http://127.0.0.1:1/a").await;
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let pool = db.pool.clone();
        crowd.spawn(async move {
            let conn = pool.conn().await.unwrap();
            let Some(plan) = tasks::wanted(&*conn, id, release_no, Stage::Fetch, now()).await.unwrap().now()
            else {
                return false;
            };
            let until = now() + SignedDuration::from_secs(60);
            tasks::claim(&*conn, plan, Stage::Fetch, Uuid::new_v4(), now(), until).await.unwrap().is_some()
        });
    }
    assert_eq!(crowd.join_all().await.into_iter().filter(|claimed| *claimed).count(), 1);
}

fn job(fingerprint: &str) -> JobFields {
    JobFields {
        url: "https://a.example/1".into(),
        title: "Lock keeper".into(),
        extractor_version: "job_posting/1".into(),
        fingerprint: fingerprint.into(),
        provenance: json!({}),
        ..JobFields::default()
    }
}

fn sighting<'a>(seen: Seen, job: Option<&'a JobFields>, task: shared::domain::ids::TaskId) -> Sighting<'a> {
    Sighting {
        task_id: task,
        url_key: "https://a.example/1",
        about: None,
        fills: false,
        seen,
        rule: "live",
        verdict_code: Some("live"),
        http_status: 200,
        final_url: "https://a.example/1",
        raw_key: None,
        extractor_version: None,
        job,
    }
}

/// A listing's whole life, told by its evidence.
#[tokio::test]
async fn a_listing_is_created_refreshed_nominated_closed_and_reopened_with_evidence() {
    let db = TestDb::new().await;
    let mut conn = db.pool.conn().await.unwrap();
    let (first, second) = (job("a"), job("b"));
    let looks = [
        (Seen::Live, Some(&first)),
        (Seen::Live, Some(&first)),
        (Seen::Live, Some(&second)),
        (Seen::Nothing, None),
        (Seen::Gone, None),
        (Seen::Gone, None),
        (Seen::Live, Some(&second)),
    ];
    let mut id = None;
    for (seen, job) in looks {
        let transaction = conn.transaction().await.unwrap();
        let look = sighting(seen, job, shared::domain::ids::TaskId::fresh());
        id = sighting::record(&transaction, &look, now()).await.unwrap();
        transaction.commit().await.unwrap();
    }
    let id = id.unwrap();
    let told = listings::evidence(&*conn, id, 0, 100).await.unwrap().unwrap();
    let events: Vec<_> = told.iter().map(|row| row.event.as_str()).collect();
    assert_eq!(events, ["created", "refreshed", "refreshed", "nominated", "closed", "reopened"]);
    let listing = listings::find(&*conn, id).await.unwrap().unwrap();
    assert!(listing.is_active && listing.closed_at.is_none());
    assert_eq!(listing.times_seen, 4);
}

#[tokio::test]
async fn a_crowd_that_sees_a_new_posting_makes_one_listing() {
    let db = TestDb::new().await;
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let pool = db.pool.clone();
        crowd.spawn(async move {
            let job = job("a");
            let mut conn = pool.conn().await.unwrap();
            let transaction = conn.transaction().await.unwrap();
            let look = sighting(Seen::Live, Some(&job), shared::domain::ids::TaskId::fresh());
            let id = sighting::record(&transaction, &look, now()).await.unwrap().unwrap();
            transaction.commit().await.unwrap();
            id
        });
    }
    let ids: std::collections::HashSet<_> = crowd.join_all().await.into_iter().collect();
    assert_eq!(ids.len(), 1);
    let conn = db.pool.conn().await.unwrap();
    let listing = listings::find(&*conn, *ids.iter().next().unwrap()).await.unwrap().unwrap();
    assert_eq!(listing.times_seen, 8);
}

#[tokio::test]
async fn a_policy_that_cannot_be_kept_is_not_stored() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    let site = shared::domain::site::site_key(&"https://a.com/".parse().unwrap()).unwrap();
    let slow = shared::domain::policy::Policy { window: 7, ..Default::default() };
    policies::set(&*conn, policies::DEFAULT, &slow, now()).await.unwrap();
    assert_eq!(policies::of_site(&*conn, &site).await.unwrap(), slow);
    let own = shared::domain::policy::Policy { window: 9, ..Default::default() };
    policies::set(&*conn, site.as_str(), &own, now()).await.unwrap();
    assert_eq!(policies::of_site(&*conn, &site).await.unwrap(), own);
    let never = shared::domain::policy::Policy { window: 0, ..Default::default() };
    assert!(policies::set(&*conn, site.as_str(), &never, now()).await.is_err());
    assert_eq!(policies::of_site(&*conn, &site).await.unwrap(), own);
}

/// The whole store through PgBouncer in transaction mode, where every transaction may meet another backend.
#[tokio::test]
async fn a_transaction_pooler_does_no_harm() {
    let db = TestDb::new().await;
    let bouncer = crate::pooler::Pooler::start(&db.url).await;
    let pool = bouncer.pool(4);
    let mut crowd = tokio::task::JoinSet::new();
    for number in 0..40 {
        let pool = pool.clone();
        crowd.spawn(async move {
            let mut conn = pool.conn().await.unwrap();
            let transaction = conn.transaction().await.unwrap();
            let one = task(&format!("http://127.0.0.1:1/{number}"));
            tasks::insert(&transaction, &one, now()).await.unwrap();
            tasks::lock_sites(&transaction, &[one.site.as_str()]).await.unwrap();
            tasks::release(&transaction, &[(one.site.as_str(), 100)], now()).await.unwrap();
            transaction.commit().await.unwrap();
            assert!(tasks::find(&*conn, one.id).await.unwrap().is_some());
        });
    }
    tokio::time::timeout(Duration::from_secs(60), crowd.join_all()).await.expect("no connection hangs");
}

/// Once known by its requisition, a job of Workday keeps its listing under the path that boards name it by now.
#[tokio::test]
async fn a_workday_listing_of_before_gets_the_id_of_its_path() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    let board = "workday:lantern.wd5.myworkdayjobs.com/lantern/Jobs";
    let page = |rest: &str| format!("https://lantern.wd5.myworkdayjobs.com/Jobs{rest}");
    for (source, id, url) in [
        (board, "R-1", page("/job/Graz/Cook_R-1?source=x")),
        (board, "R-2", page("/job/Graz/Baker_R-2")),
        (board, "/job/Graz/Baker_R-2", page("/job/Graz/Baker_R-2")),
        (board, "R-3", page("/elsewhere/R-3")),
        ("greenhouse:lantern", "R-1", page("/job/Graz/Cook_R-1")),
    ] {
        conn.execute(
            "insert into listings (id, kind, source, external_id, url, title, first_seen_at, last_seen_at, cluster_id,
                 extractor_version, field_fingerprint)
             values ($1, 'job', $2, $3, $4, 'Cook', '2026-11-01', '2026-11-02', $1, 'boards/1', 'f')",
            &[&Uuid::new_v4(), &source, &id, &url],
        )
        .await
        .unwrap();
    }
    // A second time changes nothing.
    for _ in 0..2 {
        conn.batch_execute(include_str!("../../migrations/V51__workday_ids.sql")).await.unwrap();
        let rows = conn
            .query("select source, external_id from listings order by source, external_id collate \"C\"", &[])
            .await;
        let ids: Vec<(String, String)> = rows.unwrap().iter().map(|row| (row.get(0), row.get(1))).collect();
        let ids: Vec<(&str, &str)> = ids.iter().map(|(source, id)| (source.as_str(), id.as_str())).collect();
        assert_eq!(
            ids,
            [
                ("greenhouse:lantern", "R-1"),
                (board, "/job/Graz/Baker_R-2"),
                (board, "/job/Graz/Cook_R-1"),
                (board, "R-2"),
                (board, "R-3"),
            ]
        );
    }
}
