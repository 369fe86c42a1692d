//! The one-machine queue: a message sent, received and acknowledged, by 16 workers at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use shared::clock::Clock;
use shared::queue::{MAX_RECEIVES, Outgoing, PgQueue, Queue};
use shared::store::Pool;
use tokio_postgres::Statement;
use uuid::Uuid;

use super::database::Database;
use super::rounds::Pair;
use super::table::{Good, Table};

const WORKERS: usize = 16;
const MESSAGES: u32 = 3_000;
const ROUNDS: usize = 5;
/// As long as a real one.
const BODY: &str = r#"{"task_id":"01980000-0000-7000-8000-000000000000","release_no":1}"#;

pub async fn measure(table: &mut Table, database: &Database) -> anyhow::Result<()> {
    let pool = database.pool(WORKERS)?;
    prepare(&pool).await?;
    let queue = Queue::Postgres(PgQueue::new(
        pool.clone(),
        Clock::System,
        "bench",
        Duration::from_secs(30),
        MAX_RECEIVES,
    ));
    let mut rounds = Vec::new();
    for round in 0..=ROUNDS {
        let floor = bare(&pool).await?;
        let ours = through(&queue).await?;
        if round > 0 {
            rounds.push((ours, floor)); // the first one filled the caches
        }
    }
    let floor =
        "insert; update where id = (… for update skip locked); delete: prepared, one table, no groups";
    table.row("queue: send, receive, ack", "messages/s", Good::High, Pair::of(&rounds), floor);
    table.note(format!(
        "queue: {WORKERS} workers on {WORKERS} connections, every step committed to disk, a group per message"
    ));
    Ok(())
}

async fn through(queue: &Queue) -> anyhow::Result<f64> {
    let (run, left) = (Uuid::new_v4(), Arc::new(AtomicU32::new(MESSAGES)));
    let started = Instant::now();
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..WORKERS {
        let (queue, left) = (queue.clone(), left.clone());
        workers.spawn(async move {
            while let Some(number) = take_one(&left) {
                let name = format!("{run}:{number}");
                queue
                    .send(&[Outgoing { group: name.clone(), dedup_id: name, body: BODY.to_owned() }])
                    .await?;
                let received = queue.receive(1, Duration::from_secs(5)).await?;
                ensure!(received.len() == 1, "a message is missing");
                queue.ack(&received[0]).await?;
            }
            Ok(())
        });
    }
    workers.join_all().await.into_iter().collect::<anyhow::Result<Vec<()>>>()?;
    Ok(f64::from(MESSAGES) / started.elapsed().as_secs_f64())
}

async fn prepare(pool: &Pool) -> anyhow::Result<()> {
    pool.conn()
        .await?
        .batch_execute(
            "create table bench_messages (id bigint generated always as identity primary key, queue text not null,
                 body text not null, visible_at timestamptz not null);
             create index on bench_messages (queue, visible_at, id)",
        )
        .await?;
    Ok(())
}

const INSERT: &str =
    "insert into bench_messages (queue, body, visible_at) values ('bench', $1, clock_timestamp())";
const TAKE: &str = "update bench_messages set visible_at = clock_timestamp() + interval '30 s'
    where id = (select id from bench_messages where queue = 'bench' and visible_at <= clock_timestamp()
        order by visible_at, id limit 1 for update skip locked)
    returning id, body";
const DELETE: &str = "delete from bench_messages where id = $1";

async fn bare(pool: &Pool) -> anyhow::Result<f64> {
    // A statement belongs to its connection: as many of each as there are connections, kept by worker.
    let mut workers = Vec::new();
    for _ in 0..WORKERS {
        let conn = pool.conn().await?;
        let statements: [Statement; 3] =
            [conn.prepare(INSERT).await?, conn.prepare(TAKE).await?, conn.prepare(DELETE).await?];
        workers.push((conn, statements));
    }
    let left = Arc::new(AtomicU32::new(MESSAGES));
    let started = Instant::now();
    let mut busy = tokio::task::JoinSet::new();
    for (conn, [insert, take, delete]) in workers {
        let left = left.clone();
        busy.spawn(async move {
            while take_one(&left).is_some() {
                conn.execute(&insert, &[&BODY]).await?;
                let id: i64 = loop {
                    if let Some(row) = conn.query_opt(&take, &[]).await? {
                        break row.get(0);
                    }
                };
                conn.execute(&delete, &[&id]).await?;
            }
            anyhow::Ok(())
        });
    }
    busy.join_all().await.into_iter().collect::<anyhow::Result<Vec<()>>>()?;
    Ok(f64::from(MESSAGES) / started.elapsed().as_secs_f64())
}

/// The number of the next message, each given once.
fn take_one(left: &AtomicU32) -> Option<u32> {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()
}
