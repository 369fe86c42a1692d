//! The floor of the role queue: the statements that our handlers send for a role and a post of 25 jobs, taken from the
//! code that sends them, driven by pgbench. What stands in a request is made by Postgres here, from a number.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use shared::store::{Pool, clusters, imports, role_queue, scraper_keys};

use super::database::{Database, scratch};
use super::roles::{CLIENTS, JOBS, Turn, job};

type Statements = &'static [(&'static str, &'static str)];

/// Keys of its own, and one post whose texts serve all.
pub async fn prepare(pool: &Pool) -> anyhow::Result<()> {
    let conn = pool.conn().await?;
    conn.batch_execute(
        "create sequence bench_roles;
         create table bench_post (titles text[], companies text[], places jsonb[], descriptions text[], salaries jsonb[],
             posted date[], skills jsonb[], keys text[], names text[], cities text[], countries text[])",
    )
    .await?;
    let jobs: Vec<_> = (0..JOBS)
        .map(|number| shared::domain::roles::posted_job::read(&job(number), None))
        .collect::<Result<_, _>>()
        .map_err(|faults| anyhow::anyhow!("a job of ours is wrong: {faults:?}"))?;
    let titles: Vec<&str> = jobs.iter().map(|job| job.title.as_str()).collect();
    let companies: Vec<Option<&str>> = jobs.iter().map(|job| job.company.as_deref()).collect();
    let places: Vec<_> = jobs.iter().map(|job| job.place.clone()).collect();
    let descriptions: Vec<Option<&str>> = jobs.iter().map(|job| job.description.as_deref()).collect();
    let salaries: Vec<_> = jobs.iter().map(|job| job.salary.clone()).collect();
    let posted: Vec<_> = jobs.iter().map(|job| job.posted).collect();
    let skills: Vec<_> = jobs.iter().map(|job| serde_json::json!(job.skills)).collect();
    conn.execute(
        "insert into bench_post values ($1, $2, $3, $4, $5, $6, $7, array_fill('software developer'::text, '{25}'),
             array_fill('techcorp 4711'::text, '{25}'), array_fill('porto'::text, '{25}'), array_fill('pt'::text, '{25}'))",
        &[&titles, &companies, &places, &descriptions, &salaries, &posted, &skills],
    )
    .await?;
    for client in 0..CLIENTS {
        conn.execute(
            "with made as (insert into scraper_keys (name, created_by, created_at)
                 values ('pgbench', 'bench', now()) returning id)
             insert into scraper_secrets (public_id, key_id, sha256, created_at)
             select 'pgbench' || lpad($1::integer::text, 3, '0'), id, sha256('x'), now() from made",
            &[&i32::try_from(client)?],
        )
        .await?;
    }
    Ok(())
}

/// That many pairs by as many clients as everybody has.
pub fn run(database: &Database, pairs: u32, round: usize) -> anyhow::Result<Turn> {
    let folder = scratch()?;
    let script = folder.path().join("pair.sql");
    std::fs::write(&script, pair()?)?;
    let each = pairs as usize / CLIENTS;
    let output = Command::new(pgbench()?)
        .current_dir(folder.path())
        .args([
            "-n",
            "-r",
            "-M",
            "prepared",
            "-j",
            "2",
            "-l",
            "-c",
            &CLIENTS.to_string(),
            "-t",
            &each.to_string(),
        ])
        .args(["-D", &format!("base={}", (round + 1) * 100_000_000), "-D", "step=0", "-f"])
        .arg(&script)
        .arg(database.plain_url())
        .env("PGOPTIONS", "-c jit=off")
        .output()
        .context("starting pgbench")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "pgbench: {}", String::from_utf8_lossy(&output.stderr));
    let rate =
        said.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse::<f64>().ok());
    let ms = latencies(folder.path())?;
    ensure!(ms.len() == each * CLIENTS, "pgbench did {} pairs: {said}", ms.len());
    Ok(Turn::of(ms.len(), ms.len() as f64 / rate.context("a rate")?, ms, 0))
}

/// The third column of its logs, in microseconds.
fn latencies(folder: &Path) -> anyhow::Result<Vec<f64>> {
    let mut ms = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("pgbench_log")) {
            for line in std::fs::read_to_string(&path)?.lines() {
                let taken = line.split(' ').nth(2).context("a line of a log")?;
                ms.push(taken.parse::<f64>()? / 1e3);
            }
        }
    }
    Ok(ms)
}

fn pgbench() -> anyhow::Result<PathBuf> {
    let setup = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/setup");
    let output = Command::new(setup).arg("--pgbench").output().context("asking for pgbench")?;
    ensure!(output.status.success(), "there is no pgbench: run scripts/setup bench");
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

/// One transaction of pgbench: everything that comes to the database between a scraper's question for a role and the
/// answer to its post.
fn pair() -> anyhow::Result<String> {
    let number = ":n::bigint * 32";
    let session = format!("('f' || lpad(to_hex({number}), 31, '0'))::uuid");
    let of_each = |expression: &str| format!("array(select {expression} from generate_series(1, {JOBS}) g)");
    let ids = of_each(&format!("lpad(to_hex({number} + g), 32, '0')::uuid"));
    let externals = of_each(&format!("'pgbench-' || ({number} + g)"));
    let urls = of_each(&format!("'https://monster.example/jobs/' || ({number} + g)"));
    let blocks = of_each(&format!("hashint8extended({number} + g, 1)"));
    let locks = of_each(&format!("hashint8({number} + g) & 511"));
    let own = of_each(&format!("hashint8({number} + g) & 2147483647"));
    let constant = |text: &str| format!("array_fill({text}, '{{{JOBS}}}')");
    let texts = |column: &str| format!("(select {column} from bench_post)");
    let (now, soon) = ("now()", "now() + interval '1 hour'");
    let nothing = constant("null::text");
    let hash = format!("encode(sha256(int8send({number})), 'hex')");
    let answer = r#"'{"late": false, "errors": [], "completed": true, "jobs_found": 25, "jobs_skipped": 0,
        "jobs_imported": 25, "duration_seconds": 0, "matching_triggered": true}'::jsonb"#;
    let message = format!(
        r#"array['{{"event": "jobs_imported", "source": "scraper", "job_ids": ' || array_to_json({ids})::text || '}}']"#
    );
    let key = "'pgbench' || lpad(:client_id::text, 3, '0')";

    let mut script = String::from("\\set n :base + :client_id * 100000 + :step\n\\set step :step + 1\n");
    let mut add = |all: Statements, name: &str, values: &[&str], end: &str| -> anyhow::Result<()> {
        let (_, sql) = all
            .iter()
            .find(|(full, _)| full.ends_with(&format!("::{name}")))
            .with_context(|| name.to_owned())?;
        writeln!(script, "{}{end}", filled(sql, values)?)?;
        Ok(())
    };
    let count = |what: &str| format!("'pgbench ' || :client_id || '{what}'");
    let minute = "date_trunc('minute', now())";
    add(scraper_keys::ALL, "FIND_SECRET", &[key, now], " \\gset key_")?;
    add(shared::gate::STATEMENTS, "COUNT", &[&count(" next"), minute, soon], ";")?;
    add(
        role_queue::ALL,
        "NEXT",
        &[&session, ":key_id::integer", ":key_name::text", now, soon],
        " \\gset role_",
    )?;
    add(scraper_keys::ALL, "FIND_SECRET", &[key, now], ";")?;
    add(shared::gate::STATEMENTS, "COUNT", &[&count(""), minute, soon], ";")?;
    add(&[("::BEGIN", "begin")], "BEGIN", &[], ";")?;
    add(imports::ALL, "LOCK", &[&session, ":key_id::integer"], ";")?;
    add(imports::ALL, "ANSWERED", &[&session, &hash], ";")?;
    let import: [&str; 16] = [
        &ids,
        &constant("'monster'::text"),
        &externals,
        &urls,
        &texts("titles"),
        &texts("companies"),
        &texts("places"),
        &texts("descriptions"),
        &nothing,
        &texts("salaries"),
        &texts("posted"),
        &texts("skills"),
        now,
        "'scraper-import/2'",
        &session,
        ":role_id::integer",
    ];
    add(imports::ALL, "IMPORT", &import, ";")?;
    let settled: [&str; 14] = [
        &session,
        ":role_id::integer",
        "25",
        "25",
        "0",
        now,
        soon,
        "true",
        "0",
        "25",
        "gen_random_uuid()",
        &ids,
        &hash,
        answer,
    ];
    add(imports::ALL, "SETTLE", &settled, ";")?;
    add(clusters::ALL, "LOCK_FEW", &["25452", &locks, "25453", &own], ";")?;
    let identities: [&str; 14] = [
        &ids,
        &texts("names"),
        &texts("keys"),
        &texts("cities"),
        &nothing,
        &texts("countries"),
        &nothing,
        &constant("false"),
        &nothing,
        &constant("'monster'::text"),
        &constant("'aggregator'::text"),
        &blocks,
        &blocks,
        &constant("null::bigint"),
    ];
    add(clusters::ALL, "SAVE", &identities, ";")?;
    add(clusters::ALL, "CANDIDATES", &[&ids, &blocks, &blocks, &constant("null::bigint")], ";")?;
    add(&[("::COMMIT", "commit")], "COMMIT", &[], ";")?;
    let group = format!("array[({session})::text]");
    add(shared::queue::STATEMENTS, "SEND", &["'match'", &group, &group, &message, now, soon], ";")?;
    Ok(script)
}

/// A statement with values in the place of `$1`, `$2` …
fn filled(sql: &str, values: &[&str]) -> anyhow::Result<String> {
    let (mut text, mut rest) = (String::new(), sql);
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let number: usize = rest[at + 1..at + 1 + digits].parse()?;
        write!(text, "({})", values.get(number - 1).with_context(|| format!("${number} of {sql}"))?)?;
        rest = &rest[at + 1 + digits..];
    }
    text.push_str(rest);
    Ok(text)
}
