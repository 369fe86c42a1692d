//! Which sites need a browser, as far as is known.

use jiff::Timestamp;

use super::args::{Db, args, micros, rows, run, statements};

statements! {
    KNOWN = "select site from site_rendering where learnt_at > $1 order by learnt_at desc limit 50000";
    LEARN = "insert into site_rendering (site, reason, learnt_at) values ($1, $2, $3)
        on conflict (site) do update set reason = excluded.reason, learnt_at = excluded.learnt_at
        where site_rendering.learnt_at < excluded.learnt_at";
    FORGET = "delete from site_rendering where learnt_at <= $1";
}

/// The sites that were found to need one since then.
pub async fn known(db: &impl Db, since: Timestamp) -> anyhow::Result<Vec<String>> {
    Ok(rows(db, KNOWN, &args![micros(since)]).await?.iter().map(|row| row.get(0)).collect())
}

pub async fn learn(db: &impl Db, site: &str, reason: &str, now: Timestamp) -> anyhow::Result<()> {
    run(db, LEARN, &args![site, reason, micros(now)]).await.map(drop)
}

/// Drops what nobody believes any more. Cleaning only.
pub async fn forget(db: &impl Db, before: Timestamp) -> anyhow::Result<u64> {
    run(db, FORGET, &args![micros(before)]).await
}
