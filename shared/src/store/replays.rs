//! Stored pages, to be read again by the extractors of today.

use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::Row;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::ids::ListingId;

statements! {
    COUNT = "select count(*) from pages p join readings r on r.url_key = p.url_key
            left join listings l on l.id = r.listing_id
        where p.raw_key is not null and p.fetched_at >= $1 and p.fetched_at < $2
            and ($3::text is null or p.site = $3 or l.source = $3) and ($4::text is null or r.target_type = $4)
            and (p.fetched_at, p.url_key, r.target_type) > ($5, $6, $7)";
    PAGES = "select p.url_key, p.final_url, p.content_type, p.content_sha256, p.raw_key, p.status, p.fetched_at,
            r.target_type, r.extractor_version, r.verdict, r.result
        from pages p join readings r on r.url_key = p.url_key left join listings l on l.id = r.listing_id
        where p.raw_key is not null and p.fetched_at >= $1 and p.fetched_at < $2
            and ($3::text is null or p.site = $3 or l.source = $3) and ($4::text is null or r.target_type = $4)
            and (p.fetched_at, p.url_key, r.target_type) > ($5, $6, $7)
        order by p.fetched_at, p.url_key, r.target_type limit $8";
    SAVE = "update readings r set extractor_version = $4, content_sha256 = $3, field_fingerprint = $5, verdict = $6,
            result = $7, read_at = greatest(r.read_at, $8), block_fingerprint = $9, simhash = p.simhash
        from pages p where r.url_key = $1 and r.target_type = $2 and p.url_key = r.url_key and p.content_sha256 = $3
            and r.read_at <= $8";
    SET_LISTING = "update readings set listing_id = $3 where url_key = $1 and target_type = $2";
    SET_VERSION = "update listings set extractor_version = $2 where id = $1 and extractor_version <> $2";
}

/// Which pages.
#[derive(Debug, Clone)]
pub struct Wish {
    pub since: Timestamp,
    pub until: Timestamp,
    /// A site, or the source of listings.
    pub source: Option<String>,
    pub target: Option<String>,
}

/// How far it has come: the last page that is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct After {
    pub at: Timestamp,
    pub url_key: String,
    pub target_type: String,
}

impl After {
    fn start(wish: &Wish) -> After {
        // Before every page of that moment.
        After { at: wish.since, url_key: String::new(), target_type: String::new() }
    }
}

/// A stored page, and what was read from it.
#[derive(Debug, Clone)]
pub struct StoredPage {
    pub url_key: String,
    pub final_url: String,
    pub content_type: Option<String>,
    pub content_sha256: Option<String>,
    pub raw_key: String,
    pub status: i32,
    pub fetched_at: Timestamp,
    pub target_type: String,
    pub extractor_version: String,
    pub verdict: Value,
    pub result: Option<Value>,
}

/// How many pages are left.
pub async fn count(db: &impl Db, wish: &Wish, after: Option<&After>) -> anyhow::Result<i64> {
    let start = After::start(wish);
    let after = after.unwrap_or(&start);
    let found = row(
        db,
        COUNT,
        &args![
            micros(wish.since),
            micros(wish.until),
            wish.source,
            wish.target,
            micros(after.at),
            after.url_key,
            after.target_type,
        ],
    )
    .await?;
    Ok(found.map_or(0, |row| row.get(0)))
}

/// The next pages, the oldest first.
pub async fn pages(
    db: &impl Db,
    wish: &Wish,
    after: Option<&After>,
    limit: i64,
) -> anyhow::Result<Vec<StoredPage>> {
    let start = After::start(wish);
    let after = after.unwrap_or(&start);
    let found = rows(
        db,
        PAGES,
        &args![
            micros(wish.since),
            micros(wish.until),
            wish.source,
            wish.target,
            micros(after.at),
            after.url_key,
            after.target_type,
            limit,
        ],
    )
    .await?;
    Ok(found.iter().map(stored).collect())
}

fn stored(row: &Row) -> StoredPage {
    StoredPage {
        url_key: row.get("url_key"),
        final_url: row.get("final_url"),
        content_type: row.get("content_type"),
        content_sha256: row.get("content_sha256"),
        raw_key: row.get("raw_key"),
        status: row.get("status"),
        fetched_at: row.get("fetched_at"),
        target_type: row.get("target_type"),
        extractor_version: row.get("extractor_version"),
        verdict: row.get("verdict"),
        result: row.get("result"),
    }
}

/// What is read from a page now.
#[derive(Debug, Clone)]
pub struct Reread<'a> {
    pub version: &'a str,
    pub fingerprint: Option<&'a str>,
    pub block: Option<&'a str>,
    pub verdict: &'a Value,
    pub result: Option<&'a Value>,
}

/// Keeps it, unless the page or its reading has become another one since `started`. Says whether it was kept.
pub async fn save(
    db: &impl Db,
    page: &StoredPage,
    reread: &Reread<'_>,
    started: Timestamp,
) -> anyhow::Result<bool> {
    let touched = run(
        db,
        SAVE,
        &args![
            page.url_key,
            page.target_type,
            page.content_sha256,
            reread.version,
            reread.fingerprint,
            reread.verdict.clone(),
            reread.result.cloned(),
            micros(started),
            reread.block,
        ],
    )
    .await?;
    Ok(touched > 0)
}

/// The listing that came of a page.
pub async fn set_listing(db: &impl Db, page: &StoredPage, id: ListingId) -> anyhow::Result<()> {
    run(db, SET_LISTING, &args![page.url_key, page.target_type, id]).await.map(drop)
}

/// Which extractor a listing's fields were last confirmed by.
pub async fn set_version(db: &impl Db, id: ListingId, version: &str) -> anyhow::Result<()> {
    run(db, SET_VERSION, &args![id, version]).await.map(drop)
}
