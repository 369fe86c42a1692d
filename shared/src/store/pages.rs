//! What we hold of each page, and what was read from it.

use std::collections::HashSet;

use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::Row;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::change::Look;
use crate::domain::ids::ListingId;

statements! {
    FIND = "select site as page_site, status, final_url, content_type, etag, last_modified, content_sha256, raw_key, simhash,
            fetched_at
        from pages where url_key = $1";
    SAVE = "insert into pages (url_key, site, status, final_url, content_type, etag, last_modified, content_sha256,
            raw_key, simhash, fetched_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        on conflict (url_key) do update set site = excluded.site, status = excluded.status,
            final_url = excluded.final_url, content_type = excluded.content_type, etag = excluded.etag,
            last_modified = excluded.last_modified, content_sha256 = excluded.content_sha256,
            raw_key = excluded.raw_key, simhash = excluded.simhash, fetched_at = excluded.fetched_at
        where pages.fetched_at <= excluded.fetched_at";
    TOUCH = "update pages set fetched_at = $2 where url_key = $1 and fetched_at < $2";
    READ_ALREADY = "select url_key from readings where url_key = any($1) and target_type = $2";
    READING = "select extractor_version, content_sha256, field_fingerprint, block_fingerprint, verdict, result, listing_id
        from readings where url_key = $1 and target_type = $2";
    LOOK = "select verdict ->> 'state' = 'expired' as closed, field_fingerprint, block_fingerprint, simhash
        from readings where url_key = $1 and target_type = $2";
    SAVE_READINGS = include_str!("sql/save_readings.sql");
}

/// A page as we last held it.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub url_key: String,
    pub site: String,
    pub status: i32,
    pub final_url: String,
    pub content_type: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub content_sha256: Option<String>,
    pub raw_key: Option<String>,
    pub simhash: Option<i64>,
    pub fetched_at: Timestamp,
}

impl Page {
    /// Whether the site gave us something to ask "changed since?" with.
    pub fn has_validator(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }
}

/// What was read from a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub url_key: String,
    pub target_type: String,
    pub extractor_version: String,
    pub content_sha256: String,
    pub field_fingerprint: Option<String>,
    /// Of the posting's own block (`change::block`).
    pub block_fingerprint: Option<String>,
    pub verdict: Value,
    pub result: Option<Value>,
    pub listing_id: Option<ListingId>,
}

/// What we hold of a page.
pub async fn find(db: &impl Db, url_key: &str) -> anyhow::Result<Option<Page>> {
    let found = row(db, FIND, &args![url_key]).await?;
    Ok(found.and_then(|row| held(&row, url_key)))
}

/// The page of that key in a row that names its columns so; none where the row has no page.
pub(super) fn held(row: &Row, url_key: &str) -> Option<Page> {
    Some(Page {
        site: row.get::<_, Option<String>>("page_site")?,
        url_key: url_key.to_owned(),
        status: row.get("status"),
        final_url: row.get("final_url"),
        content_type: row.get("content_type"),
        etag: row.get("etag"),
        last_modified: row.get("last_modified"),
        content_sha256: row.get("content_sha256"),
        raw_key: row.get("raw_key"),
        simhash: row.get("simhash"),
        fetched_at: row.get("fetched_at"),
    })
}

/// Keeps a page, unless a later fetch has been kept already.
pub async fn save(db: &impl Db, page: &Page) -> anyhow::Result<()> {
    run(
        db,
        SAVE,
        &args![
            page.url_key,
            page.site,
            page.status,
            page.final_url,
            page.content_type,
            page.etag,
            page.last_modified,
            page.content_sha256,
            page.raw_key,
            page.simhash,
            micros(page.fetched_at),
        ],
    )
    .await
    .map(drop)
}

/// The page was seen again, the same as we hold it.
pub async fn touch(db: &impl Db, url_key: &str, now: Timestamp) -> anyhow::Result<()> {
    run(db, TOUCH, &args![url_key, micros(now)]).await.map(drop)
}

/// Those of the pages that have a reading of this kind.
pub async fn read_already(
    db: &impl Db,
    url_keys: &[&str],
    target_type: &str,
) -> anyhow::Result<HashSet<String>> {
    if url_keys.is_empty() {
        return Ok(HashSet::new());
    }
    let found = rows(db, READ_ALREADY, &args![url_keys.to_vec(), target_type]).await?;
    Ok(found.iter().map(|row| row.get(0)).collect())
}

pub async fn reading(db: &impl Db, url_key: &str, target_type: &str) -> anyhow::Result<Option<Reading>> {
    Ok(row(db, READING, &args![url_key, target_type]).await?.map(|row| Reading {
        url_key: url_key.to_owned(),
        target_type: target_type.to_owned(),
        extractor_version: row.get("extractor_version"),
        content_sha256: row.get("content_sha256"),
        field_fingerprint: row.get("field_fingerprint"),
        block_fingerprint: row.get("block_fingerprint"),
        verdict: row.get("verdict"),
        result: row.get("result"),
        listing_id: row.get("listing_id"),
    }))
}

/// What was kept of the last look at a page, to compare the next one with (`change::compare`, `change::spares_dear_work`).
pub async fn look(db: &impl Db, url_key: &str, target_type: &str) -> anyhow::Result<Option<Look>> {
    Ok(row(db, LOOK, &args![url_key, target_type]).await?.map(|row| Look {
        closed: row.get::<_, Option<bool>>("closed").unwrap_or_default(),
        fields: row.get("field_fingerprint"),
        block: row.get("block_fingerprint"),
        simhash: row.get::<_, Option<i64>>("simhash").map(i64::cast_unsigned),
    }))
}

/// Keeps readings, each of another page or kind, unless later ones have been kept already.
pub async fn save_readings(db: &impl Db, readings: &[&Reading], now: Timestamp) -> anyhow::Result<()> {
    fn column<'a, T>(readings: &[&'a Reading], pick: impl Fn(&'a Reading) -> T) -> Vec<T> {
        readings.iter().map(|reading| pick(reading)).collect()
    }
    run(
        db,
        SAVE_READINGS,
        &args![
            column(readings, |r| r.url_key.as_str()),
            column(readings, |r| r.target_type.as_str()),
            column(readings, |r| r.extractor_version.as_str()),
            column(readings, |r| r.content_sha256.as_str()),
            column(readings, |r| r.field_fingerprint.as_deref()),
            column(readings, |r| &r.verdict),
            column(readings, |r| r.result.as_ref()),
            column(readings, |r| r.listing_id.map(|id| id.0)),
            micros(now),
            column(readings, |r| r.block_fingerprint.as_deref()),
        ],
    )
    .await
    .map(drop)
}
