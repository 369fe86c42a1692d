//! An import of 100,000 jobs in posts of a thousand, over HTTP; beside it the least that writes the same rows: COPY into
//! a temporary table, and inserts from there. One client and one connection.
#![expect(
    clippy::disallowed_methods,
    reason = "scrapers are other people's clients, on loopback; a benchmark has no egress"
)]

use std::fmt::Write;
use std::time::Instant;

use anyhow::{Context, ensure};
use futures_util::SinkExt;
use shared::store::Pool;

use super::database::Database;
use super::process::say;
use super::roles::{House, add_roles, job, post};
use super::rounds::Pair;
use super::table::{Good, Table};

const POST: u64 = 1_000;
const POSTS: u64 = 25;
/// The first fills the caches and is forgotten: 100,000 jobs are left.
const ROUNDS: u64 = 5;
/// Away from the numbers of other groups.
const FIRST: u64 = 50_000_000;

pub async fn measure(table: &mut Table, database: &Database) -> anyhow::Result<()> {
    let pool = database.pool(2)?;
    add_roles(&pool, 2).await?;
    let house = House::start(database, &pool, 0).await?;
    let client = reqwest::Client::new();
    let asked = client.get(format!("{}/api/scraper/queue/next-role", house.base));
    let role: serde_json::Value =
        asked.header("x-scraper-api-key", &house.keys[0]).send().await?.error_for_status()?.json().await?;
    let session = role["session_id"].as_str().context("a session")?;
    let role_id = i32::try_from(role["role"]["id"].as_i64().context("a role")?)?;
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let first = FIRST + round * 2 * POSTS * POST;
        let floor = bare(&pool, first, role_id).await?;
        let ours = posted(&client, &house, session, first + POSTS * POST).await?;
        say(&format!("import, round {round}: ours {ours:.0} rows/s, COPY and insert {floor:.0}"));
        if round > 0 {
            rounds.push((ours, floor));
        }
    }
    house.process.stop()?;
    let floor = "COPY to a temporary table, then insert … on conflict into the same five tables";
    table.row("roles: import of 100,000 jobs", "rows/s", Good::High, Pair::of(&rounds), floor);
    table.note(format!(
        "import: posts of {POST} jobs by one client, one connection for the floor; a row is a job with its listing, \
         evidence, identity and link to the role"
    ));
    Ok(())
}

async fn posted(client: &reqwest::Client, house: &House, session: &str, first: u64) -> anyhow::Result<f64> {
    let bodies: Vec<String> =
        (0..POSTS).map(|number| post(session, first + number * POST, POST, false)).collect();
    let begun = Instant::now();
    for body in bodies {
        let answer = client
            .post(format!("{}/api/scraper/queue/jobs", house.base))
            .header("x-scraper-api-key", &house.keys[0])
            .body(body)
            .send()
            .await?;
        ensure!(answer.status().is_success(), "{}", answer.text().await?);
    }
    Ok((POSTS * POST) as f64 / begun.elapsed().as_secs_f64())
}

const TEMPORARY: &str =
    "create temp table bench_rows (id uuid, external_id text, url text, title text, company text,
    place jsonb, description text, salary jsonb, posted date, skills text[], fingerprint text, block bigint)";
const LISTINGS: &str = "insert into listings (id, kind, source, external_id, url, title, company, place, first_seen_at,
        last_seen_at, cluster_id, extractor_version, field_fingerprint, verification_status)
    select id, 'job', 'bench', external_id, url, title, company, place, now(), now(), id, 'bench', fingerprint, 'verified'
    from bench_rows on conflict (source, external_id) do update set title = excluded.title";
const JOBS: &str = "insert into jobs (listing_id, description, salary, date_posted, provenance, skills)
    select id, description, salary, posted, '{\"fields\": \"scraper\"}', skills from bench_rows
    on conflict (listing_id) do update set description = excluded.description";
const EVIDENCE: &str = "insert into evidence (listing_id, event, rule, final_url, extractor_version, detail, at)
    select id, 'created', 'bench', url, 'bench', '{\"session_id\": \"01980000-0000-7000-8000-000000000000\"}', now()
    from bench_rows";
const IDENTITIES: &str =
    "insert into identities (listing_id, cluster_id, company, role, city, board, standing, block,
        city_block)
    select id, id, lower(company), 'developer', 'porto', 'monster', 'aggregator', block, block from bench_rows
    on conflict (listing_id) do update set company = excluded.company";
const LINKS: &str = "insert into role_jobs (role_id, listing_id, at) select $1, id, now() from bench_rows
    on conflict do nothing";

async fn bare(pool: &Pool, first: u64, role: i32) -> anyhow::Result<f64> {
    let batches: Vec<String> =
        (0..POSTS).map(|number| lines(first + number * POST)).collect::<anyhow::Result<_>>()?;
    let mut conn = pool.conn().await?;
    conn.batch_execute(TEMPORARY).await?;
    let begun = Instant::now();
    for batch in batches {
        let transaction = conn.transaction().await?;
        let client = shared::store::Db::client(&transaction);
        client.batch_execute("truncate bench_rows").await?;
        let sink = client.copy_in("copy bench_rows from stdin").await?;
        let mut sink = std::pin::pin!(sink);
        sink.send(tokio_util::bytes::Bytes::from(batch)).await?;
        sink.finish().await?;
        for statement in [LISTINGS, JOBS, EVIDENCE, IDENTITIES] {
            client.execute(statement, &[]).await?;
        }
        client.execute(LINKS, &[&role]).await?;
        transaction.commit().await?;
    }
    let rate = (POSTS * POST) as f64 / begun.elapsed().as_secs_f64();
    conn.batch_execute("drop table bench_rows").await?;
    Ok(rate)
}

/// What COPY takes: the same jobs, read and printed beforehand.
fn lines(first: u64) -> anyhow::Result<String> {
    let mut text = String::new();
    for number in first..first + POST {
        let job = shared::domain::roles::posted_job::read(&job(number), None)
            .map_err(|faults| anyhow::anyhow!("a job of ours is wrong: {faults:?}"))?;
        let json =
            |value: &Option<serde_json::Value>| value.as_ref().map(ToString::to_string).unwrap_or_default();
        writeln!(
            text,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{{{}}}\t{:064x}\t{}",
            uuid::Uuid::now_v7(),
            job.external_id,
            job.url,
            job.title,
            job.company.unwrap_or_default(),
            json(&job.place),
            job.description.unwrap_or_default(),
            json(&job.salary),
            job.posted.map(|day| day.to_string()).unwrap_or_default(),
            job.skills.join(","),
            number,
            number * 0x9E37_79B9,
        )?;
    }
    Ok(text)
}
