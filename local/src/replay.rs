//! `freshet replay`: the extractors of today over the pages that are stored. It shows which fields would change and
//! how often each is known, before and after; without `--dry-run` it writes, and it never closes a listing.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Args;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use secrecy::SecretString;
use shared::blobs::{Blobs, FolderBlobs};
use shared::clock::Clock;
use shared::domain::change::reread::{FieldDiff, Tally};
use shared::domain::target::TargetType;
use shared::replay::{self, Cursor, Wish};
use shared::settings::Env;
use shared::store::migrate;
use shared::store::pool::{Plans, Pool, PoolSettings};

use crate::cluster::Cluster;
use crate::{keys, say, say_error};

/// Pages of a piece: what is lost when the command is stopped.
const PIECE: i64 = 100;
/// How often the state of the work is told.
const TELL_EVERY: Duration = Duration::from_secs(5);
/// Pages whose differences are printed.
const EXAMPLES: usize = 20;

/// What to read again.
#[derive(Debug, Clone, Args)]
pub struct Wishes {
    /// Pages fetched from then on: a day (2026-11-01) or a moment (2026-11-01T12:00:00Z).
    #[arg(long)]
    pub since: String,
    /// And before then.
    #[arg(long)]
    pub until: Option<String>,
    /// Only pages of this site (example.com), or of listings of this source (web).
    #[arg(long)]
    pub source: Option<String>,
    /// Only pages read as this: `job_posting`, `company_website`, `linkedin_profile`.
    #[arg(long)]
    pub target: Option<TargetType>,
    /// Show what would change, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Go on where an earlier run ended; it said where.
    #[arg(long)]
    pub after: Option<String>,
}

pub async fn run(env: &Env, wishes: &Wishes) -> anyhow::Result<()> {
    let clock = Clock::System;
    let wish = Wish {
        since: moment(&wishes.since).context("--since")?,
        until: wishes.until.as_deref().map_or(Ok(clock.now()), moment).context("--until")?,
        source: wishes.source.clone(),
        target: wishes.target.map(|target| target.as_str().to_owned()),
    };
    if let Some(why) = wish.source.as_deref().and_then(replay::no_replay_of) {
        bail!("{why}");
    }
    let after = wishes.after.as_deref().map(str::parse::<Cursor>).transpose().context("--after")?;
    let data = keys::data_folder(env);
    ensure!(data.is_dir(), "there is no data in {}; FRESHET_DATA names another folder", data.display());
    let data = std::fs::canonicalize(&data)?;
    let (url, _cluster) = database(env, &data).await?;
    let pool = Pool::new(&PoolSettings {
        url,
        size: 2,
        statement_timeout: Duration::from_secs(120),
        pooled: false,
        plans: Plans::Fitted,
    })?;
    let conn = pool.conn().await?;
    ensure!(
        migrate::is_current(&*conn).await?,
        "the database has another schema; run `freshet migrate` first"
    );
    drop(conn);
    let blobs = Blobs::Folder(FolderBlobs::new(data.join("blobs"))?);
    walk(&pool, &blobs, &wish, after, wishes.dry_run, &clock).await
}

/// The database that is named, that this machine's house is using now, or that it left.
async fn database(env: &Env, data: &std::path::Path) -> anyhow::Result<(SecretString, Option<Cluster>)> {
    if let Some(url) = env.optional("DATABASE_URL") {
        return Ok((url.into(), None));
    }
    let folder = data.join("postgres");
    match Cluster::start(&folder, env.optional("FRESHET_PG_BIN").map(PathBuf::from)).await {
        Ok(cluster) => Ok((cluster.url().to_owned().into(), Some(cluster))),
        // A house is running: its database is open to us too.
        Err(error) => match Cluster::url_of_another(&folder)? {
            Some(url) => Ok((url.into(), None)),
            None => Err(error),
        },
    }
}

async fn walk(
    pool: &Pool,
    blobs: &Blobs,
    wish: &Wish,
    mut after: Option<Cursor>,
    dry_run: bool,
    clock: &Clock,
) -> anyhow::Result<()> {
    let total = replay::left(pool, wish, after.as_ref()).await?;
    say_error(&format!("replay: {total} stored pages{}", if dry_run { ", nothing is written" } else { "" }));
    let (mut tally, mut shown, mut kept, mut listings, mut missing) = (Tally::default(), 0, 0, 0, 0);
    let mut told = Instant::now();
    loop {
        let done = replay::piece(pool, blobs, wish, after.as_ref(), PIECE, dry_run, clock.now());
        let piece = tokio::select! {
            piece = done => piece?,
            _ = tokio::signal::ctrl_c() => {
                say_error(&stopped(after.as_ref()));
                break;
            }
        };
        for example in &piece.examples {
            if shown < EXAMPLES {
                say(&format!("{} ({})", example.url, example.target_type));
                example.fields.iter().for_each(|field| say(&line(field)));
                shown += 1;
            }
        }
        tally.add(&piece.tally);
        kept += piece.kept;
        listings += piece.listings;
        missing += piece.missing;
        let Some(next) = piece.next else { break };
        after = Some(next.parse()?);
        if told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            say_error(&format!(
                "replay: {} of {total} pages, {} read differently; --after '{next}'",
                tally.pages + missing,
                tally.differ
            ));
        }
    }
    say(&format!("\n{}", tally.table()));
    say(&format!(
        "\n{} pages read again, {} differently, {missing} no longer stored; {kept} readings and {listings} listings written",
        tally.pages, tally.differ
    ));
    Ok(())
}

fn stopped(after: Option<&Cursor>) -> String {
    match after {
        Some(cursor) => format!("replay: stopped; go on with --after '{cursor}'"),
        None => "replay: stopped before the first pages were done".to_owned(),
    }
}

fn line(diff: &FieldDiff) -> String {
    let sign = match (diff.before.is_null(), diff.after.is_null()) {
        (true, _) => "+",
        (_, true) => "-",
        _ => "~",
    };
    format!("  {sign} {:<20} {} → {}", diff.field, diff.before, diff.after)
}

/// A moment, or the beginning of a day in UTC.
fn moment(text: &str) -> anyhow::Result<Timestamp> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment);
    }
    let day: Date = text
        .parse()
        .with_context(|| format!("{text:?} is neither a day (2026-11-01) nor a moment (…T12:00:00Z)"))?;
    Ok(day.to_zoned(TimeZone::UTC)?.timestamp())
}
