//! Keys of external scrapers. A key has one secret, or two while it is rotated; only hashes are kept.

use anyhow::Context;
use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::roles::scraper_key::NewKey;

statements! {
    CREATE = "with made as (insert into scraper_keys (name, allowed_sources, created_by, created_at)
            values ($1, $2, $3, $4) returning id)
        insert into scraper_secrets (public_id, key_id, sha256, expires_at, created_at)
        select $5, id, decode($6, 'hex'), $7, $4 from made returning key_id";
    FIND_SECRET = "select k.id, k.name, k.allowed_sources, encode(s.sha256, 'hex') as sha256
        from scraper_secrets s join scraper_keys k on k.id = s.key_id
        where s.public_id = $1 and k.revoked_at is null and (s.expires_at is null or s.expires_at > $2)";
    LIST = "select k.id, k.name, k.allowed_sources, k.usage_count, k.last_used_at, k.revoked_at, k.created_by,
            k.created_at,
            (select s.expires_at from scraper_secrets s where s.key_id = k.id
                order by s.number desc limit 1) as expires_at,
            (select count(*) from scraper_secrets s where s.key_id = k.id
                and (s.expires_at is null or s.expires_at > $2))::integer as live_secrets,
            (select s.public_id from scraper_secrets s where s.key_id = k.id
                order by s.number desc limit 1) as public_id
        from scraper_keys k where ($1::integer is null or k.id = $1) and k.id < $3 order by k.id desc limit $4";
    // Whoever rotates first wins; the one before it is gone at once. A key that has ended stays ended.
    LOCK = "select id from scraper_keys where id = $1 and revoked_at is null for update";
    ENDS = "select expires_at from scraper_secrets where key_id = $1 and (expires_at is null or expires_at > $2)
        order by number desc limit 1";
    NEWEST_ENDS = "update scraper_secrets set expires_at = $2 where public_id = (select public_id from scraper_secrets
        where key_id = $1 order by number desc limit 1)";
    DROP_OLD = "delete from scraper_secrets where key_id = $1 and public_id <> (select public_id
        from scraper_secrets where key_id = $1 order by number desc limit 1)";
    SHORTEN = "update scraper_secrets set expires_at = least(expires_at, $2) where key_id = $1";
    ADD_SECRET = "insert into scraper_secrets (public_id, key_id, sha256, expires_at, created_at)
        values ($1, $2, decode($3, 'hex'), $4, $5)";
    REVOKE = "update scraper_keys set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id";
    USED = "update scraper_keys k set usage_count = k.usage_count + u.count,
            last_used_at = greatest(k.last_used_at, u.at)
        from unnest($1::integer[], $2::bigint[], $3::timestamptz[]) as u(id, count, at) where k.id = u.id";
}

/// Who a key belongs to and what it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScraperKey {
    pub id: i32,
    pub name: String,
    /// None: every source.
    pub allowed_sources: Option<Vec<String>>,
}

/// A key as an admin sees it: never its secret.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct KeyView {
    pub id: i32,
    pub name: String,
    /// The beginning of the newest secret, to tell keys apart.
    pub shown: String,
    pub allowed_sources: Option<Vec<String>>,
    pub is_active: bool,
    /// Two while the key is being rotated.
    pub live_secrets: i32,
    /// Counted in groups: what was used in the last seconds may be missing.
    pub usage_count: i64,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_used_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub revoked_at: Option<Timestamp>,
    pub created_by: String,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

pub async fn create(
    db: &impl Db,
    name: &str,
    allowed_sources: Option<&Vec<String>>,
    key: &NewKey,
    expires_at: Option<Timestamp>,
    created_by: &str,
    now: Timestamp,
) -> anyhow::Result<i32> {
    let (hash, allowed) = (hex::encode(key.sha256), allowed_sources.cloned());
    Ok(row(
        db,
        CREATE,
        &args![name, allowed, created_by, micros(now), key.public_id, hash, expires_at.map(micros)],
    )
    .await?
    .context("a key was made")?
    .get(0))
}

/// The live key that this id names, with the hash to compare.
pub async fn find(
    db: &impl Db,
    public_id: &str,
    now: Timestamp,
) -> anyhow::Result<Option<(ScraperKey, Vec<u8>)>> {
    let Some(found) = row(db, FIND_SECRET, &args![public_id, micros(now)]).await? else { return Ok(None) };
    let key = ScraperKey { id: found.get(0), name: found.get(1), allowed_sources: found.get(2) };
    Ok(Some((key, hex::decode(found.get::<_, String>(3)).context("a stored hash")?)))
}

/// The newest first, those made before this one.
pub async fn list(
    db: &impl Db,
    before: Option<i32>,
    limit: i64,
    now: Timestamp,
) -> anyhow::Result<Vec<KeyView>> {
    let before = before.unwrap_or(i32::MAX);
    let found = rows(db, LIST, &args![None::<i32>, micros(now), before, limit]).await?;
    Ok(found.iter().map(|row| view(row, now)).collect())
}

pub async fn one(db: &impl Db, id: i32, now: Timestamp) -> anyhow::Result<Option<KeyView>> {
    Ok(row(db, LIST, &args![Some(id), micros(now), i32::MAX, 1_i64]).await?.map(|row| view(&row, now)))
}

/// Gives a key another secret; the present one lasts until `old_until`, any older one ends now. The key ends when it
/// would have ended, unless another time is given. Takes a transaction. `false`: there is no such live key.
pub async fn rotate(
    db: &impl Db,
    id: i32,
    key: &NewKey,
    expires_at: Option<Timestamp>,
    old_until: Timestamp,
    now: Timestamp,
) -> anyhow::Result<bool> {
    if row(db, LOCK, &args![id]).await?.is_none() {
        return Ok(false);
    }
    let Some(ends) = row(db, ENDS, &args![id, micros(now)]).await? else { return Ok(false) };
    let expires_at = expires_at.or_else(|| ends.get(0));
    run(db, DROP_OLD, &args![id]).await?;
    run(db, SHORTEN, &args![id, micros(old_until)]).await?;
    let hash = hex::encode(key.sha256);
    run(db, ADD_SECRET, &args![key.public_id, id, hash, expires_at.map(micros), micros(now)]).await?;
    Ok(true)
}

/// Says when a key ends by itself: all its secrets, the newest one then. Takes a transaction. `false`: there is no such
/// live key.
pub async fn expire(
    db: &impl Db,
    id: i32,
    expires_at: Option<Timestamp>,
    now: Timestamp,
) -> anyhow::Result<bool> {
    if row(db, LOCK, &args![id]).await?.is_none() || row(db, ENDS, &args![id, micros(now)]).await?.is_none() {
        return Ok(false);
    }
    if let Some(end) = expires_at {
        run(db, SHORTEN, &args![id, micros(end)]).await?;
    }
    run(db, NEWEST_ENDS, &args![id, expires_at.map(micros)]).await?;
    Ok(true)
}

/// Ends a key with all its secrets, at once and for good.
pub async fn revoke(db: &impl Db, id: i32, now: Timestamp) -> anyhow::Result<bool> {
    Ok(row(db, REVOKE, &args![id, micros(now)]).await?.is_some())
}

/// Adds what was counted elsewhere.
pub async fn used(db: &impl Db, uses: &[(i32, i64, Timestamp)]) -> anyhow::Result<()> {
    let ids: Vec<i32> = uses.iter().map(|(id, ..)| *id).collect();
    let counts: Vec<i64> = uses.iter().map(|(_, count, _)| *count).collect();
    let times: Vec<Timestamp> = uses.iter().map(|(.., at)| micros(*at)).collect();
    run(db, USED, &args![ids, counts, times]).await.map(drop)
}

fn view(row: &Row, now: Timestamp) -> KeyView {
    let expires_at: Option<Timestamp> = row.get("expires_at");
    let revoked_at: Option<Timestamp> = row.get("revoked_at");
    KeyView {
        id: row.get("id"),
        name: row.get("name"),
        shown: format!("fr_{}_…", row.get::<_, Option<String>>("public_id").unwrap_or_default()),
        allowed_sources: row.get("allowed_sources"),
        is_active: revoked_at.is_none() && expires_at.is_none_or(|end| end > now),
        live_secrets: row.get("live_secrets"),
        usage_count: row.get("usage_count"),
        last_used_at: row.get("last_used_at"),
        expires_at,
        revoked_at,
        created_by: row.get("created_by"),
        created_at: row.get("created_at"),
    }
}
