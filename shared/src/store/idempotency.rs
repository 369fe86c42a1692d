//! Requests that may be sent again: what was answered to them, for a day.

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::args::{Db, args, micros, row, run, statements};

/// How long a key is remembered.
pub const KEPT: SignedDuration = SignedDuration::from_hours(24);

statements! {
    // Two that come at once meet here: the second waits until the first has committed, and then finds its row.
    CLAIM = "insert into idempotency_keys (scope, key, request_sha256, answer, expires_at)
        values ($1, $2, $3, $4, $6)
        on conflict (scope, key) do update
            set request_sha256 = excluded.request_sha256, answer = excluded.answer, expires_at = excluded.expires_at
            where idempotency_keys.expires_at <= $5
        returning key";
    FIND = "select request_sha256, answer from idempotency_keys where scope = $1 and key = $2";
    FORGET = "delete from idempotency_keys where expires_at <= $1";
}

/// A request that carries a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    /// Who asked, and for which workspace: a key means nothing to others.
    pub scope: String,
    pub key: String,
    /// Of the route and the body.
    pub request_sha256: String,
}

/// What a key leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// It is new: what is done in this transaction is what the key will answer.
    Ours,
    /// It was answered before.
    Answered(Value),
    /// It was used for another request.
    OtherRequest,
}

/// Takes the key for this request, in the transaction that carries the request out.
pub async fn claim(db: &impl Db, keyed: &Keyed, answer: &Value, now: Timestamp) -> anyhow::Result<Claim> {
    let (now, expires) = (micros(now), micros(now + KEPT));
    let Keyed { scope, key, request_sha256 } = keyed;
    let ours = row(db, CLAIM, &args![*scope, *key, *request_sha256, *answer, now, expires]).await?;
    if ours.is_some() {
        return Ok(Claim::Ours);
    }
    let found = row(db, FIND, &args![*scope, *key]).await?.context("a key that was taken is there")?;
    let same = found.get::<_, &str>(0) == request_sha256;
    Ok(if same { Claim::Answered(found.get(1)) } else { Claim::OtherRequest })
}

/// Drops keys that are past their time.
pub async fn forget(db: &impl Db, now: Timestamp) -> anyhow::Result<u64> {
    run(db, FORGET, &args![micros(now)]).await
}
