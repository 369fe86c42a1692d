//! Messages that were given up, kept where an operator can see them.

use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;

use super::args::{Db, args, micros, row, rows, run, statements};

statements! {
    KEEP = "insert into dead_letters (queue, message_id, group_id, body, receive_count, died_at)
        values ($1, $2, $3, $4, $5, $6) on conflict (queue, message_id) do nothing";
    LIST = "select id, queue, message_id, group_id, body, receive_count, died_at from dead_letters
        where id < $1 order by id desc limit $2";
    FIND = "select id, queue, message_id, group_id, body, receive_count, died_at from dead_letters where id = $1";
    TAKE = "delete from dead_letters where id = $1
        returning id, queue, message_id, group_id, body, receive_count, died_at";
    COUNT = "select count(*) from dead_letters";
}

/// One message that was given up.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct DeadLetter {
    pub id: i64,
    /// The queue it died in.
    pub queue: String,
    pub message_id: String,
    pub group_id: String,
    pub body: String,
    pub receive_count: i32,
    #[schema(value_type = String, format = DateTime)]
    pub died_at: Timestamp,
}

/// Keeps a message; keeping it twice changes nothing.
pub async fn keep(
    db: &impl Db,
    queue: &str,
    message_id: &str,
    group_id: &str,
    body: &str,
    receive_count: i32,
    now: Timestamp,
) -> anyhow::Result<()> {
    run(db, KEEP, &args![queue, message_id, group_id, body, receive_count, micros(now)]).await.map(drop)
}

/// The newest first, those before `before`.
pub async fn list(db: &impl Db, before: Option<i64>, limit: i64) -> anyhow::Result<Vec<DeadLetter>> {
    let found = rows(db, LIST, &args![before.unwrap_or(i64::MAX), limit]).await?;
    Ok(found.iter().map(letter).collect())
}

pub async fn find(db: &impl Db, id: i64) -> anyhow::Result<Option<DeadLetter>> {
    Ok(row(db, FIND, &args![id]).await?.as_ref().map(letter))
}

/// Takes one out, to send it again or to drop it.
pub async fn take(db: &impl Db, id: i64) -> anyhow::Result<Option<DeadLetter>> {
    Ok(row(db, TAKE, &args![id]).await?.as_ref().map(letter))
}

pub async fn count(db: &impl Db) -> anyhow::Result<i64> {
    Ok(row(db, COUNT, &args![]).await?.map(|row| row.get(0)).unwrap_or_default())
}

fn letter(row: &Row) -> DeadLetter {
    DeadLetter {
        id: row.get("id"),
        queue: row.get("queue"),
        message_id: row.get("message_id"),
        group_id: row.get("group_id"),
        body: row.get("body"),
        receive_count: row.get("receive_count"),
        died_at: row.get("died_at"),
    }
}
