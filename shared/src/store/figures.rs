//! Numbers for `/health` and `/metrics`, counted from the rows, so that every instance says the same.

use super::args::{Db, args, row, rows, statements};

statements! {
    BY_STATUS = "select status::text, stage::text, count(*) from tasks
        where status in ('pending', 'processing') or ended_at > $1 group by 1, 2 order by 1, 2";
    DURATION = "select count(*), coalesce(sum(extract(epoch from ended_at - started_at)), 0)::float8
        from tasks where ended_at > $1 and started_at is not null";
    LISTINGS = "select count(*) filter (where is_active), count(*) filter (where not is_active) from listings";
    SITES = "select site, count(*) filter (where released_at is not null), count(*) from tasks
        where status in ('pending', 'processing') group by site order by 3 desc, 1 limit 50";
}

#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// (status, stage, tasks): everything open, and what ended in the window.
    pub tasks: Vec<(String, String, i64)>,
    pub ended: i64,
    pub busy_seconds: f64,
    pub listings_active: i64,
    pub listings_closed: i64,
    /// (site, in flight, open), the busiest first.
    pub sites: Vec<(String, i64, i64)>,
    pub dead_letters: i64,
    /// (check, spawns it refused).
    pub refused_spawns: Vec<(String, i64)>,
}

/// The figures since `since`.
pub async fn since(db: &impl Db, since: jiff::Timestamp) -> anyhow::Result<Figures> {
    let tasks = rows(db, BY_STATUS, &args![since]).await?;
    let duration = row(db, DURATION, &args![since]).await?;
    let listings = row(db, LISTINGS, &args![]).await?;
    let sites = rows(db, SITES, &args![]).await?;
    Ok(Figures {
        tasks: tasks.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect(),
        ended: duration.as_ref().map(|row| row.get(0)).unwrap_or_default(),
        busy_seconds: duration.as_ref().map(|row| row.get(1)).unwrap_or_default(),
        listings_active: listings.as_ref().map(|row| row.get(0)).unwrap_or_default(),
        listings_closed: listings.as_ref().map(|row| row.get(1)).unwrap_or_default(),
        sites: sites.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect(),
        dead_letters: super::dead_letters::count(db).await?,
        refused_spawns: super::lineages::refusals(db).await?,
    })
}
