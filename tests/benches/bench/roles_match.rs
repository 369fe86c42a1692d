//! A thousand new jobs for ten thousand people who want their role: every pair scored, what is worth it stored. Beside
//! it the scoring alone, by one thread, of people and jobs that are in memory already.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use shared::clock::Clock;
use shared::domain::roles::matching::{self as rules, WORTH, Weights};
use shared::domain::roles::posted_job;
use shared::house::LOCAL_VISIBILITY;
use shared::matching;
use shared::messages::MatchEvent;
use shared::queue::{MAX_RECEIVES, PgQueue, Queue};
use shared::store::imports::{self, Session};
use shared::store::{Pool, matches};
use uuid::Uuid;

use super::database::Database;
use super::process::{Usage, say};
use super::roles::{House, job};
use super::rounds::Pair;
use super::table::{Good, Table};

const JOBS: u64 = 1_000;
const PEOPLE: u32 = 10_000;
const SAMPLE: usize = 300;
const FIRST: u64 = 90_000_000;
const TOO_LONG: Duration = Duration::from_secs(600);

pub async fn measure(table: &mut Table, database: &Database) -> anyhow::Result<()> {
    let pool = database.pool(2)?;
    let role = people(&pool).await?;
    let (run, listings) = new_jobs(&pool, role).await?;
    let floor = scoring(&pool, role, &listings).await?;
    let house = House::start(database, &pool, 4).await?;
    let queue =
        Queue::Postgres(PgQueue::new(pool.clone(), Clock::System, "match", LOCAL_VISIBILITY, MAX_RECEIVES));
    let begun = Instant::now();
    matching::tell(&queue, run, MatchEvent::Continued).await;
    let conn = pool.conn().await?;
    let made = loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let done = "select pairs_scored, matches_made from match_runs where id = $1 and ended_at is not null";
        if let Some(row) = conn.query_opt(done, &[&run]).await? {
            let pairs: i64 = row.get(0);
            anyhow::ensure!(pairs == i64::from(PEOPLE) * JOBS as i64, "{pairs} pairs were scored");
            break row.get::<_, i64>(1);
        }
        if begun.elapsed() > TOO_LONG {
            bail!("the run did not end");
        }
    };
    let seconds = begun.elapsed().as_secs_f64();
    let usage = Usage::of(house.process.id())?;
    house.process.stop()?;
    let ours = f64::from(PEOPLE) * JOBS as f64 / seconds;
    say(&format!("matching: {seconds:.1} s, {made} matches, {:.1} s of processor time", usage.cpu_seconds));
    table.row(
        "roles: 1,000 jobs matched with 10,000 people",
        "pairs/s",
        Good::High,
        Pair::of(&[(ours, floor)]),
        "scoring alone, one thread, nothing read and nothing stored",
    );
    table.note(format!(
        "matching: once, all 10,000,000 pairs, {seconds:.0} s; {made} of them (50 or more) stored with their reasons; \
         peak memory of the whole house {:.0} MB",
        usage.peak_mb
    ));
    Ok(())
}

/// People of all kinds who want one role.
async fn people(pool: &Pool) -> anyhow::Result<i32> {
    let conn = pool.conn().await?;
    let made = "insert into roles (name, key, head, technologies, pending_since, created_at, updated_at)
        values ('Platform Engineer', 'bench platform engineer', 'engineer', '{}', now(), now(), now()) returning id";
    let role: i32 = conn.query_one(made, &[]).await?.get(0);
    let people = "with made as (
            insert into candidates (id, current_title, skills, locations, salary_min, preferred_roles, created_at, updated_at)
            select gen_random_uuid(), (array['Baker', 'Data Analyst', 'Accountant', 'Platform Engineer', 'Nurse'])[1 + n % 5],
                array[(array['sql', 'excel', 'python', 'java', 'rust'])[1 + n % 5],
                    (array['cobol', 'aws', 'patience', 'sales', 'css', 'go', 'figma'])[1 + n % 7], 'teamwork'],
                array[(array['Oslo, Norway', 'Porto, Portugal', 'Madrid, Spain', 'Austin, TX'])[1 + n % 4]],
                40000 + n % 90 * 1000, '{}', now(), now()
            from generate_series(1, $2::integer) n returning id)
        insert into candidate_roles (candidate_id, role_id, at) select id, $1, now() from made";
    conn.execute(people, &[&role, &i32::try_from(PEOPLE)?]).await?;
    conn.batch_execute("analyze candidates, candidate_roles; checkpoint").await?;
    Ok(role)
}

async fn new_jobs(pool: &Pool, role: i32) -> anyhow::Result<(Uuid, Vec<shared::domain::ids::ListingId>)> {
    let jobs: Vec<_> = (FIRST..FIRST + JOBS)
        .map(|number| posted_job::read(&job(number), None))
        .collect::<Result<_, _>>()
        .map_err(|faults| anyhow::anyhow!("a job of ours is wrong: {faults:?}"))?;
    let now = Clock::System.now();
    let mut conn = pool.conn().await?;
    let transaction = conn.transaction().await?;
    let session = Session {
        id: Uuid::now_v7(),
        role_id: Some(role),
        role_name: "Platform Engineer".to_owned(),
        status: "in_progress".to_owned(),
        started_at: now,
        counts: imports::Counts::default(),
    };
    let written = imports::write(&transaction, &jobs, &session, now).await?;
    let run = matches::add_jobs_run(&transaction, role, &written.to_match, None, now).await?;
    transaction.commit().await?;
    Ok((run, written.to_match))
}

async fn scoring(pool: &Pool, role: i32, listings: &[shared::domain::ids::ListingId]) -> anyhow::Result<f64> {
    let conn = pool.conn().await?;
    let rarity = matches::rarity(&*conn).await?;
    let jobs = matches::jobs(&*conn, listings).await?;
    let people = matches::people(&*conn, role, Uuid::nil(), i64::try_from(SAMPLE)?).await?;
    let (weights, now) = (Weights::default(), Clock::System.now());
    let begun = Instant::now();
    let mut worth = 0_usize;
    for (_, person) in &people {
        for (_, job) in &jobs {
            let score = rules::score(person, job, &rarity, &weights, now);
            worth += usize::from(score.is_some_and(|score| score.total >= WORTH));
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let pairs = people.len() * jobs.len();
    (pairs > 0 && worth <= pairs).then_some(pairs as f64 / seconds).context("there is nobody to match")
}
