//! Tasks that a caller waits for end in time, one way or the other.

use jiff::{SignedDuration, Timestamp};

use super::args::{Db, args, micros, rows, statements};
use crate::domain::failure::ServiceFailure;
use crate::domain::ids::{RequestId, TaskId};
use crate::domain::site::Site;

statements! {
    EXPIRE = include_str!("sql/expire_pages.sql");
}

/// A task that was given up.
#[derive(Debug, Clone)]
pub struct Expired {
    pub id: TaskId,
    pub site: Site,
    pub url: String,
    pub request_id: Option<RequestId>,
    /// The way its page came, once it had come.
    pub way: Option<String>,
}

/// Ends pages that began longer ago than `limit` and have not ended. A worker that comes late finds its fence
/// worth nothing.
pub async fn expire(db: &impl Db, limit: SignedDuration, now: Timestamp) -> anyhow::Result<Vec<Expired>> {
    let (code, text) = (ServiceFailure::TaskTimeout.code(), ServiceFailure::TaskTimeout.message());
    let ended = rows(db, EXPIRE, &args![micros(now - limit), micros(now), code, text]).await?;
    let expired = |row: &tokio_postgres::Row| Expired {
        id: row.get("id"),
        site: Site::stored(row.get("site")),
        url: row.get("url"),
        request_id: row.get("request_id"),
        way: row.get("way"),
    };
    Ok(ended.iter().map(expired).collect())
}
