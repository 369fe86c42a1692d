//! Nominated listings whose check is due.

use jiff::Timestamp;

use super::args::{Db, args, micros, rows, statements};

statements! {
    DUE = include_str!("sql/due_checks.sql");
}

/// A listing that is to be looked at.
#[derive(Debug, Clone)]
pub struct Nominated {
    pub source: String,
    pub external_id: String,
    pub url: String,
    pub title: String,
    /// The address its page was last asked for at.
    pub fetched: Option<String>,
}

/// Takes the listings whose check is due, the longest waiting first; each comes again at `again_at` if it is still
/// nominated then.
pub async fn due(
    db: &impl Db,
    now: Timestamp,
    again_at: Timestamp,
    limit: i64,
) -> anyhow::Result<Vec<Nominated>> {
    let found = rows(db, DUE, &args![micros(now), micros(again_at), limit]).await?;
    let nominated = |row: &tokio_postgres::Row| Nominated {
        source: row.get("source"),
        external_id: row.get("external_id"),
        url: row.get("url"),
        title: row.get("title"),
        fetched: row.get("fetched"),
    };
    Ok(found.iter().map(nominated).collect())
}
