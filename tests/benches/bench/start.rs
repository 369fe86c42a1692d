//! Cold starts: the release binaries of two rooms, from the start of the process to the first `/next`.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use emulator::{Emulator, REGION, unique};
use serde_json::{Value, json};

use super::database::Database;
use super::process::{Guarded, Usage};
use super::rounds::{Pair, median};
use super::runtime_api::RuntimeApi;
use super::table::{Good, Table};

const ROUNDS: usize = 15;

pub async fn measure(table: &mut Table, database: &Database) -> anyhow::Result<()> {
    let emulator = Emulator::ready().await?;
    let api = RuntimeApi::start().await?;
    let database_arn =
        secret(&emulator, "database", &json!({ "database_url": database.plain_url() })).await?;
    let keys = json!({ "service_keys": ["bench-service-key-0123456789abcdef"], "admin_signing_key": "bench-admin-signing-key-0123456789abcdef" });
    let callers_arn = secret(&emulator, "callers", &keys).await?;
    let environment = [
        ("FRESHET_HOUSE", "aws"),
        ("LOG_LEVEL", "info"),
        ("DATABASE_POOL_SIZE", "2"),
        ("DATABASE_SECRET_ARN", &database_arn),
        ("CALLER_SECRET_ARN", &callers_arn),
        ("CRAWL_QUEUE_URL", "http://127.0.0.1/000000000000/crawl.fifo"),
        ("RENDER_QUEUE_URL", "http://127.0.0.1/000000000000/render.fifo"),
        ("EXTRACT_QUEUE_URL", "http://127.0.0.1/000000000000/extract.fifo"),
        ("NOTIFY_QUEUE_URL", "http://127.0.0.1/000000000000/notify.fifo"),
        ("MATCH_QUEUE_URL", "http://127.0.0.1/000000000000/match.fifo"),
        ("RAW_BUCKET", "raw"),
        ("GATE_TABLE", "gate"),
        ("AWS_ENDPOINT_URL", emulator.endpoint()),
        ("AWS_REGION", REGION),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
    ];
    for room in ["api", "crawler"] {
        let mut rounds = Vec::new();
        for round in 0..=ROUNDS {
            let floor = start(&api, "examples/noop_lambda", &[]).await?;
            let ours = start(&api, room, &environment).await?;
            if round > 0 {
                rounds.push((ours, floor)); // the first one read the files from the disk
            }
        }
        let pair = |pick: fn(&Started) -> f64| {
            Pair::of(&rounds.iter().map(|(ours, floor)| (pick(ours), pick(floor))).collect::<Vec<_>>())
        };
        let noop = "lambda_runtime with a handler that does nothing";
        table.row(&format!("cold start of {room}"), "ms to /next", Good::Low, pair(|s| s.ms), noop);
        table.row("  memory then", "MB", Good::Low, pair(|s| s.rss_mb), noop);
    }
    let call = secret_call(&emulator, &database_arn).await?;
    table.note(format!(
        "cold start: one call of Secrets Manager costs {call:.1} ms on the emulator (a warm client); the api makes two, \
         the crawler one"
    ));
    Ok(())
}

struct Started {
    ms: f64,
    rss_mb: f64,
}

async fn start(api: &RuntimeApi, program: &str, environment: &[(&str, &str)]) -> anyhow::Result<Started> {
    let path = binary(program)?;
    let mut command = Command::new(&path);
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("AWS_LAMBDA_RUNTIME_API", api.address()?.to_string())
        .env("AWS_LAMBDA_FUNCTION_NAME", program)
        .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
        .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512")
        .env("AWS_LAMBDA_LOG_GROUP_NAME", "bench")
        .env("AWS_LAMBDA_LOG_STREAM_NAME", "bench")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let before = Instant::now();
    let process = Guarded::new(command.spawn().with_context(|| format!("starting {}", path.display()))?);
    let (at, open) = api.first_next().await.with_context(|| format!("starting {program}"))?;
    let started = Started { ms: (at - before).as_secs_f64() * 1e3, rss_mb: Usage::of(process.id())?.rss_mb };
    // In this order, or it would have the time to complain.
    drop(process);
    drop(open);
    Ok(started)
}

/// A release binary; this program lies beside them, in `deps`.
fn binary(program: &str) -> anyhow::Result<PathBuf> {
    let ours = std::env::current_exe()?;
    let folder = ours.parent().and_then(|deps| deps.parent()).context("the benchmark lies in target")?;
    let path = folder.join(program);
    ensure!(path.exists(), "{} is not built: run make bench", path.display());
    Ok(path)
}

async fn secret(emulator: &Emulator, purpose: &str, value: &Value) -> anyhow::Result<String> {
    let made = aws_sdk_secretsmanager::Client::new(emulator.sdk())
        .create_secret()
        .name(unique(purpose))
        .secret_string(value.to_string())
        .send()
        .await?;
    made.arn.context("a secret has an arn")
}

async fn secret_call(emulator: &Emulator, arn: &str) -> anyhow::Result<f64> {
    let client = aws_sdk_secretsmanager::Client::new(emulator.sdk());
    let mut taken = Vec::new();
    for _ in 0..9 {
        let before = Instant::now();
        client.get_secret_value().secret_id(arn).send().await?;
        taken.push(before.elapsed().as_secs_f64() * 1e3);
    }
    Ok(median(taken.into_iter()))
}
