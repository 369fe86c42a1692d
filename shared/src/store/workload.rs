//! How much waits, how much is being worked on, and what came of it, counted from the rows.

use anyhow::Context;
use jiff::Timestamp;

use super::args::{Db, args, micros, row, rows, statements};

statements! {
    // Whatever is being worked on is out, and what is out has an index.
    NOW = "select
        (select count(*) from tasks where status = 'pending'),
        (select count(*) from tasks where status = 'pending' and kind = 'page'),
        (select count(*) from tasks
         where released_at is not null and status = 'processing' and lease_until > $1)";
    MEAN_DURATION = "select (extract(epoch from avg(ended_at - started_at)) * 1000)::float8
        from tasks where ended_at > $1 and started_at is not null";
    SITES = "select site, count(*) filter (where status in ('success', 'filtered', 'skipped')),
            count(*) filter (where status = 'failed'),
            coalesce(extract(epoch from avg(ended_at - started_at)) * 1000, 0)::float8
        from tasks where ended_at > $1 group by site order by count(*) desc, site limit 50";
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workload {
    /// Tasks that wait.
    pub queue_depth: i64,
    /// Those among them that a caller of the scrape service handed in.
    pub waiting_pages: i64,
    /// Tasks that a worker holds.
    pub active_workers: i64,
    /// Of tasks that ended in the window; nothing when none did.
    pub mean_duration_ms: Option<f64>,
}

/// What ended at one site.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteWork {
    pub site: String,
    pub completed: i64,
    pub failed: i64,
    pub mean_duration_ms: f64,
}

/// The workload now; durations of what ended since `since`.
pub async fn workload(db: &impl Db, since: Timestamp, now: Timestamp) -> anyhow::Result<Workload> {
    let counts = row(db, NOW, &args![micros(now)]).await?.context("a count has a row")?;
    let mean = row(db, MEAN_DURATION, &args![micros(since)]).await?.context("a mean has a row")?;
    Ok(Workload {
        queue_depth: counts.get(0),
        waiting_pages: counts.get(1),
        active_workers: counts.get(2),
        mean_duration_ms: mean.get(0),
    })
}

/// The fifty sites at which most ended since then.
pub async fn sites(db: &impl Db, since: Timestamp) -> anyhow::Result<Vec<SiteWork>> {
    let found = rows(db, SITES, &args![micros(since)]).await?;
    let site = |row: &tokio_postgres::Row| SiteWork {
        site: row.get(0),
        completed: row.get(1),
        failed: row.get(2),
        mean_duration_ms: row.get(3),
    };
    Ok(found.iter().map(site).collect())
}
