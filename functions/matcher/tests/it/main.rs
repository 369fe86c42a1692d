//! The matcher on a real database: every pair once, whatever happens in between.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, also in its helpers")]

use std::collections::BTreeMap;
use std::time::Duration;

use fixture::TestDb;
use futures_util::future::join_all;
use jiff::SignedDuration;
use matcher::Matcher;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::ids::ListingId;
use shared::domain::roles::matching::Weights;
use shared::domain::roles::posted_job::{self, PostedJob};
use shared::matching;
use shared::messages::{MatchEvent, MatchJob};
use shared::queue::{PgQueue, Queue};
use shared::room::Verdict;
use shared::store::candidates::{self, Profile};
use shared::store::imports::{self, Session};
use shared::store::matches::{self, MatchFilter, Step};
use shared::store::roles;
use uuid::Uuid;

struct Bench {
    db: TestDb,
    room: Matcher,
}

impl Bench {
    async fn new() -> Bench {
        let db = TestDb::new().await;
        let clock = Clock::manual("2026-11-16T08:00:00Z".parse().unwrap());
        let queue = PgQueue::new(db.pool.clone(), clock.clone(), "match", Duration::from_secs(15), 100);
        let room = Matcher {
            db: db.pool.clone(),
            matches: Queue::Postgres(queue),
            clock,
            weights: Weights::default(),
            stretch: Duration::from_secs(45),
        };
        Bench { db, room }
    }

    async fn candidate(&self, profile: &Profile) -> Uuid {
        let id = Uuid::now_v7();
        self.save(id, profile).await;
        id
    }

    async fn save(&self, id: Uuid, profile: &Profile) {
        let mut conn = self.db.pool.conn().await.unwrap();
        let transaction = conn.transaction().await.unwrap();
        candidates::save(&transaction, id, profile, &BTreeMap::new(), self.room.clock.now()).await.unwrap();
        transaction.commit().await.unwrap();
    }

    async fn role(&self) -> i32 {
        self.number("select min(id)::bigint from roles").await.try_into().unwrap()
    }

    /// Jobs for a role, as an import brings them, and the run that matches them.
    async fn jobs(&self, role: i32, jobs: &[PostedJob]) -> (Uuid, Vec<ListingId>) {
        let mut conn = self.db.pool.conn().await.unwrap();
        let transaction = conn.transaction().await.unwrap();
        let now = self.room.clock.now();
        let session = Session {
            id: Uuid::now_v7(),
            role_id: Some(role),
            role_name: "x".into(),
            status: "in_progress".into(),
            started_at: now,
            counts: imports::Counts::default(),
        };
        let written = imports::write(&transaction, jobs, &session, now).await.unwrap();
        let run = matches::add_jobs_run(&transaction, role, &written.to_match, None, now).await.unwrap();
        transaction.commit().await.unwrap();
        (run, written.to_match)
    }

    async fn score(&self, run_id: Uuid) -> Verdict {
        matcher::score(&self.room, MatchJob { event: MatchEvent::Continued, run_id }).await.unwrap()
    }

    async fn number(&self, sql: &str) -> i64 {
        self.db.pool.conn().await.unwrap().query_one(sql, &[]).await.unwrap().get(0)
    }
}

fn job(number: usize, change: &Value) -> PostedJob {
    let mut job = json!({
        "external_job_id": format!("j-{number}"), "platform": "dice", "title": "Rust Developer",
        "location": "Porto, Portugal", "skills": ["Rust", "PostgreSQL"], "job_url": format!("https://dice.com/{number}"),
        "posted_date": "2026-11-15",
    });
    for (field, value) in change.as_object().unwrap() {
        job[field] = value.clone();
    }
    posted_job::read(&job, None).unwrap()
}

fn rustacean() -> Profile {
    Profile {
        current_title: Some("Rust Engineer".into()),
        skills: vec!["rust".into(), "postgres".into()],
        locations: vec!["Porto, Portugal".into()],
        preferred_roles: vec!["Rust Developer".into()],
        ..Profile::default()
    }
}

#[tokio::test]
async fn new_jobs_are_matched_to_everybody_of_the_role_with_the_reasons() {
    let bench = Bench::new().await;
    let ada = bench.candidate(&rustacean()).await;
    let baker = Profile { preferred_roles: vec!["Baker".into()], ..Profile::default() };
    let other = bench.candidate(&baker).await;
    let role = bench.role().await;
    let pastry = json!({ "title": "Pastry Chef", "skills": ["Baking"], "location": "Oslo, Norway" });
    let (run, _) = bench.jobs(role, &[job(1, &json!({})), job(2, &pastry)]).await;
    assert_eq!(bench.score(run).await, Verdict::Done);
    let conn = bench.db.pool.conn().await.unwrap();
    let found = matches::list(&*conn, ada, &MatchFilter::default(), 10).await.unwrap();
    assert_eq!(found.len(), 1, "what does not suit is not kept");
    assert!(found[0].score > 90.0, "{found:?}");
    let parts = found[0].parts.as_array().unwrap();
    let skills = parts.iter().find(|part| part["factor"] == "skills").unwrap();
    assert_eq!(skills["words"], json!(["postgresql", "rust"]));
    assert_eq!(matches::list(&*conn, other, &MatchFilter::default(), 10).await.unwrap(), []);
    assert_eq!(bench.number("select pairs_scored from match_runs").await, 2);
    // The same message again finds nothing to do.
    assert_eq!(bench.score(run).await, Verdict::Done);
    assert_eq!(bench.number("select pairs_scored from match_runs").await, 2);
}

/// Many messages of the same run at once, each cut short: the pairs add up, each scored once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_pair_is_scored_once_however_often_it_is_cut_short() {
    let mut bench = Bench::new().await;
    for _ in 0..23 {
        bench.candidate(&rustacean()).await;
    }
    let role = bench.role().await;
    let jobs: Vec<PostedJob> = (0..3_000).map(|number| job(number, &json!({}))).collect();
    let (run, listings) = bench.jobs(role, &jobs).await;
    assert_eq!(listings.len(), 3_000);
    // A step is a few people of these; a message ends before its first one, or after one.
    bench.room.stretch = Duration::ZERO;
    assert_eq!(bench.score(run).await, Verdict::Done);
    assert_eq!(bench.number("select pairs_scored from match_runs").await, 0, "the time was up at once");
    assert!(bench.room.matches.depth().await.unwrap() > 0, "and the rest was left to the next message");
    bench.room.stretch = Duration::from_secs(45);
    // Killed in the middle of its work, again and again; and four deliveries of the same message at once.
    for wait in [1, 50, 200, 400] {
        drop(tokio::time::timeout(Duration::from_millis(wait), bench.score(run)).await);
    }
    while bench.number("select count(*) from match_runs where ended_at is null").await > 0 {
        join_all((0..4).map(|_| bench.score(run))).await;
    }
    assert_eq!(bench.number("select pairs_scored from match_runs").await, 23 * 3_000);
    assert_eq!(bench.number("select matches_made from match_runs").await, 23 * 3_000);
    assert_eq!(bench.number("select count(*) from candidate_job_matches").await, 23 * 3_000);
    assert_eq!(bench.number("select count(*) from match_runs where ended_at is null").await, 0);
}

#[tokio::test]
async fn a_candidate_who_changes_is_scored_again() {
    let bench = Bench::new().await;
    let ada = bench.candidate(&rustacean()).await;
    let role = bench.role().await;
    let (run, _) = bench.jobs(role, &[job(1, &json!({})), job(2, &json!({}))]).await;
    bench.score(run).await;
    assert_eq!(bench.number("select count(*) from candidate_job_matches").await, 2);
    let wants = async |profile: Profile| {
        bench.save(ada, &profile).await;
        let conn = bench.db.pool.conn().await.unwrap();
        let run = matches::add_candidate_run(&*conn, ada, bench.room.clock.now()).await.unwrap();
        bench.score(run).await;
    };
    let elsewhere =
        Profile { skills: vec!["Juggling".into()], locations: vec!["Oslo, Norway".into()], ..rustacean() };
    wants(elsewhere).await;
    assert_eq!(bench.number("select count(*) from candidate_job_matches").await, 0, "no longer worth it");
    wants(rustacean()).await;
    assert_eq!(bench.number("select count(*) from candidate_job_matches").await, 2);
    wants(Profile { preferred_roles: vec!["Baker".into()], ..rustacean() }).await;
    assert_eq!(bench.number("select count(*) from candidate_job_matches").await, 0, "wants something else");
}

#[tokio::test]
async fn a_match_says_which_role_led_to_it_also_after_the_candidate_changed() {
    let bench = Bench::new().await;
    let ada = bench.candidate(&rustacean()).await;
    let role = bench.role().await;
    let (run, _) = bench.jobs(role, &[job(1, &json!({}))]).await;
    bench.score(run).await;
    let named = "select count(*) from candidate_job_matches where role_id is not null";
    assert_eq!(bench.number(named).await, 1);
    bench.save(ada, &Profile { name: Some("Ada".into()), ..rustacean() }).await;
    let conn = bench.db.pool.conn().await.unwrap();
    let run = matches::add_candidate_run(&*conn, ada, bench.room.clock.now()).await.unwrap();
    bench.score(run).await;
    assert_eq!(bench.number(named).await, 1);
}

/// The matcher has read who wants the role when the role is merged away.
#[tokio::test]
async fn a_merge_in_the_middle_of_a_run_loses_no_pair() {
    let bench = Bench::new().await;
    bench.candidate(&rustacean()).await;
    let wants_other = Profile { preferred_roles: vec!["Ferrous Developer".into()], ..rustacean() };
    bench.candidate(&wants_other).await;
    let (from, into) = (bench.role().await, bench.number("select max(id)::bigint from roles").await);
    let into = i32::try_from(into).unwrap();
    let (run, listings) = bench.jobs(from, &[job(1, &json!({}))]).await;
    let mut conn = bench.db.pool.conn().await.unwrap();
    let begun = matches::find_run(&*conn, run).await.unwrap().unwrap();
    let now = bench.room.clock.now();
    let merge = conn.transaction().await.unwrap();
    roles::merge(&merge, from, into, "tester", now).await.unwrap();
    merge.commit().await.unwrap();
    // Nobody is left in the role that it read, so that it takes the run for done.
    let step = Step { people: &[], listings: &listings, worth: &[], cursor: begun.cursor, ended: true };
    let settle = conn.transaction().await.unwrap();
    assert!(!matches::settle(&settle, &begun, &step, now).await.unwrap(), "there is no such run any more");
    drop(settle);
    drop(conn);
    let silence = SignedDuration::from_mins(5);
    assert_eq!(matching::sweep(&bench.db.pool, &bench.room.matches, silence, now).await.unwrap(), 1);
    let message = bench.room.matches.receive(1, Duration::ZERO).await.unwrap().pop().unwrap();
    matcher::score(&bench.room, serde_json::from_str(&message.body).unwrap()).await.unwrap();
    assert_eq!(
        bench.number("select count(*) from candidate_job_matches").await,
        2,
        "everybody meets every job"
    );
}

#[tokio::test]
async fn a_job_that_changes_is_scored_again_by_the_sweep() {
    let bench = Bench::new().await;
    bench.candidate(&rustacean()).await;
    let role = bench.role().await;
    let (run, _) = bench.jobs(role, &[job(1, &json!({}))]).await;
    bench.score(run).await;
    let changed = json!({ "title": "Pastry Chef", "skills": ["Baking"], "location": "Oslo, Norway" });
    let (same_run, to_match) = bench.jobs(role, &[job(1, &changed)]).await;
    assert_eq!(to_match, [], "it is not new to the role");
    bench.score(same_run).await;
    assert_eq!(bench.number("select count(*) from changed_jobs").await, 1);
    let silence = SignedDuration::from_mins(5);
    let sent =
        matching::sweep(&bench.db.pool, &bench.room.matches, silence, bench.room.clock.now()).await.unwrap();
    assert_eq!(sent, 1);
    let message = bench.room.matches.receive(1, Duration::ZERO).await.unwrap().pop().unwrap();
    let job: MatchJob = serde_json::from_str(&message.body).unwrap();
    matcher::score(&bench.room, job).await.unwrap();
    assert_eq!(bench.number("select count(*) from candidate_job_matches").await, 0);
}

#[tokio::test]
async fn a_lost_message_is_sent_again() {
    let bench = Bench::new().await;
    bench.candidate(&rustacean()).await;
    let role = bench.role().await;
    bench.jobs(role, &[job(1, &json!({}))]).await;
    let silence = SignedDuration::from_mins(5);
    let sweep = async || {
        matching::sweep(&bench.db.pool, &bench.room.matches, silence, bench.room.clock.now()).await.unwrap()
    };
    assert_eq!(sweep().await, 0, "its message may be on its way");
    bench.room.clock.advance(SignedDuration::from_mins(5));
    assert_eq!(sweep().await, 1);
    assert_eq!(sweep().await, 0);
    bench.room.clock.advance(SignedDuration::from_mins(5));
    assert_eq!(sweep().await, 0, "it may wait behind others: each time it is given longer");
    bench.room.clock.advance(SignedDuration::from_mins(5));
    assert_eq!(sweep().await, 1, "and again, as another message");
    assert_eq!(bench.room.matches.depth().await.unwrap(), 2);
}

#[tokio::test]
async fn who_is_deleted_meanwhile_is_left_out() {
    let bench = Bench::new().await;
    let ada = bench.candidate(&rustacean()).await;
    let role = bench.role().await;
    let (run, _) = bench.jobs(role, &[job(1, &json!({}))]).await;
    let mut conn = bench.db.pool.conn().await.unwrap();
    let transaction = conn.transaction().await.unwrap();
    assert!(candidates::delete(&transaction, ada).await.unwrap());
    transaction.commit().await.unwrap();
    assert_eq!(bench.score(run).await, Verdict::Done);
    assert_eq!(bench.number("select count(*) from candidate_job_matches").await, 0);
}
