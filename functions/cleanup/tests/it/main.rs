//! Cleanup on a real database: each step by itself, the daily ones once a day.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, also in its helpers")]

use cleanup::{Cleanup, NewDay};
use fixture::TestDb;
use jiff::SignedDuration;
use shared::clock::Clock;

async fn room(at: &str) -> (TestDb, Cleanup) {
    let db = TestDb::new().await;
    let clock = Clock::manual(at.parse().unwrap());
    let room =
        Cleanup { db: db.pool.clone(), dead: Vec::new(), clock, failed_at: tokio::sync::Mutex::default() };
    (db, room)
}

/// The same house after a restart.
fn again(room: &Cleanup) -> Cleanup {
    Cleanup {
        db: room.db.clone(),
        dead: Vec::new(),
        clock: room.clock.clone(),
        failed_at: tokio::sync::Mutex::default(),
    }
}

async fn run(db: &TestDb, sql: &str) {
    db.pool.conn().await.unwrap().batch_execute(sql).await.unwrap();
}

async fn number(db: &TestDb, sql: &str) -> i64 {
    db.pool.conn().await.unwrap().query_one(sql, &[]).await.unwrap().get(0)
}

const ROLE: &str = "insert into candidates (id, created_at, updated_at) values (gen_random_uuid(), now(), now());
    insert into roles (name, key, head, technologies, queue_status, last_scraped_at, pending_since, created_at, updated_at)
        values ('Glazier', 'glazier', 'glazier', '{}', 'completed', '2026-11-01', now(), now(), now());
    insert into candidate_roles (candidate_id, role_id, at) select c.id, r.id, now() from candidates c, roles r";

#[tokio::test]
async fn the_daily_steps_are_done_once_a_day_whoever_starts_how_often() {
    let (db, room) = room("2026-11-16T23:58:00Z").await;
    run(&db, ROLE).await;
    assert_eq!(cleanup::each_day(&room).await.unwrap().roles_reset_to_pending, 1, "it was off at midnight");
    run(&db, "update roles set queue_status = 'completed'").await;
    assert_eq!(cleanup::each_day(&room).await.unwrap(), NewDay::default());
    assert_eq!(cleanup::each_day(&again(&room)).await.unwrap(), NewDay::default(), "nor after a restart");
    room.clock.advance(SignedDuration::from_mins(2));
    let (other, now) = (again(&room), &room);
    let (a, b) = tokio::join!(cleanup::each_day(now), cleanup::each_day(&other));
    assert_eq!(a.unwrap().roles_reset_to_pending + b.unwrap().roles_reset_to_pending, 1, "a new day, once");
}

#[tokio::test]
async fn a_daily_step_that_fails_keeps_no_other_from_being_done_and_waits_a_while() {
    let (db, room) = room("2026-11-16T00:00:00Z").await;
    run(&db, ROLE).await;
    run(&db, "alter table skill_counts rename to gone").await;
    assert!(cleanup::each_day(&room).await.is_err());
    assert_eq!(number(&db, "select count(*) from roles where queue_status = 'pending'").await, 1);
    run(&db, "alter table gone rename to skill_counts").await;
    room.clock.advance(SignedDuration::from_mins(1));
    assert_eq!(cleanup::each_day(&room).await.unwrap(), NewDay::default(), "not every minute");
    assert_eq!(number(&db, "select count(*) from day_marks").await, 1);
    room.clock.advance(SignedDuration::from_mins(15));
    cleanup::each_day(&room).await.unwrap();
    assert_eq!(number(&db, "select count(*) from day_marks").await, 2);
}

#[tokio::test]
async fn a_step_that_fails_keeps_no_other_from_being_done() {
    let (db, room) = room("2026-11-16T08:00:00Z").await;
    run(
        &db,
        "insert into scraper_keys (name, created_by, created_at) values ('one', 'tester', now());
        insert into roles (name, key, head, technologies, pending_since, created_at, updated_at, queue_status, held_by)
            values ('Glazier', 'glazier', 'glazier', '{}', now(), now(), now(), 'processing',
                '0198c0de-7fff-7a01-8b2c-3d4e5f6a7b8c');
        insert into scrape_sessions (session_id, scraper_key_id, scraper_name, role_id, role_name, started_at, updated_at,
                lease_expires_at)
            select '0198c0de-7fff-7a01-8b2c-3d4e5f6a7b8c', k.id, 'one', r.id, r.name, '2026-11-16T06:00:00Z',
                '2026-11-16T06:00:00Z', '2026-11-16T07:00:00Z' from scraper_keys k, roles r;
        insert into match_runs (id, candidate_id, created_at, touched_at, ended_at, role_id, listing_ids)
            select gen_random_uuid(), null, '2026-11-01', '2026-11-01', '2026-11-01', id, '{}' from roles;
        alter table idempotency_keys rename to gone",
    )
    .await;
    let failed = cleanup::clean(&room).await.unwrap_err().to_string();
    assert!(failed.contains("idempotency keys"), "{failed}");
    assert_eq!(number(&db, "select count(*) from roles where queue_status = 'pending'").await, 1);
    assert_eq!(
        number(&db, "select count(*) from match_runs").await,
        0,
        "what comes after it is done as well"
    );
    let said =
        "select count(*) from scrape_sessions where error_message = 'No jobs posted within 60 minutes'";
    assert_eq!(number(&db, said).await, 1);
}
