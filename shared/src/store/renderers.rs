//! What renderers say of their browsers. A report that is not renewed stops counting.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::args::{Db, args, micros, row, run, statements};
use crate::domain::readiness::Browsers;

/// A report older than this is about browsers that may be long gone.
pub const RECENT: SignedDuration = SignedDuration::from_mins(2);

statements! {
    REPORT = "insert into renderer_reports
            (instance, total, available, in_use, pages_processed, recycled_count, reported_at)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (instance) do update set total = excluded.total, available = excluded.available,
            in_use = excluded.in_use, pages_processed = excluded.pages_processed,
            recycled_count = excluded.recycled_count, reported_at = excluded.reported_at
        where renderer_reports.reported_at <= excluded.reported_at";
    RECENTLY = "select count(*), coalesce(sum(total), 0)::int8, coalesce(sum(available), 0)::int8,
            coalesce(sum(in_use), 0)::int8, coalesce(sum(pages_processed), 0)::int8,
            coalesce(sum(recycled_count), 0)::int8
        from renderer_reports where reported_at > $1";
    FORGET = "delete from renderer_reports where reported_at <= $1";
}

/// How the browsers of one renderer are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub total: i32,
    pub available: i32,
    pub in_use: i32,
    pub pages_processed: i64,
    pub recycled_count: i64,
}

/// Keeps a renderer's latest report.
pub async fn report(db: &impl Db, instance: Uuid, said: Report, now: Timestamp) -> anyhow::Result<()> {
    let Report { total, available, in_use, pages_processed, recycled_count } = said;
    run(db, REPORT, &args![instance, total, available, in_use, pages_processed, recycled_count, micros(now)])
        .await
        .map(drop)
}

/// The browsers of all renderers that reported lately, together.
pub async fn browsers(db: &impl Db, now: Timestamp) -> anyhow::Result<Browsers> {
    let found = row(db, RECENTLY, &args![micros(now - RECENT)]).await?;
    Ok(found.map_or(Browsers::default(), |row| Browsers {
        renderers: row.get(0),
        total: row.get(1),
        available: row.get(2),
        in_use: row.get(3),
        pages_processed: row.get(4),
        recycled_count: row.get(5),
    }))
}

/// Drops reports that no longer count.
pub async fn forget(db: &impl Db, now: Timestamp) -> anyhow::Result<u64> {
    run(db, FORGET, &args![micros(now - RECENT)]).await
}
