//! Listings, what jobs add to them, and the evidence for every change of their state.

pub mod bulk;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tokio_postgres::Row;

use super::args::{Db, args, row, rows, statements};
use crate::domain::ids::{ListingId, TaskId};
use crate::domain::listing::Event;
pub use crate::domain::listing::job::JobFields;

statements! {
    FIND = "select l.id, l.kind::text, l.source, l.external_id, l.url, l.title, l.company, l.place, l.market,
            l.first_seen_at, l.last_seen_at, l.times_seen, l.verification_status::text, l.is_active, l.closed_at,
            l.close_reason, coalesce(i.cluster_id, l.id) as cluster_id, l.extractor_version,
            coalesce(j.description, a.description) as description, j.remote,
            j.employment_type, j.salary, j.salary_text, j.date_posted, j.valid_through, j.apply_url,
            coalesce(j.provenance, a.provenance) as provenance, j.requisition, j.skills,
            to_jsonb(a) - 'listing_id' - 'description' - 'provenance' as apartment
        from listings l left join jobs j on j.listing_id = l.id left join apartments a on a.listing_id = l.id left join identities i on i.listing_id = l.id
        where l.id = $1";
    LIST = "select l.id, l.kind::text, l.source, l.external_id, l.url, l.title, l.company, l.place, l.market,
            l.first_seen_at, l.last_seen_at, l.times_seen, l.verification_status::text, l.is_active, l.closed_at,
            l.close_reason, coalesce(i.cluster_id, l.id) as cluster_id, l.extractor_version,
            null::text as description, j.remote,
            j.employment_type, j.salary, j.salary_text, j.date_posted, j.valid_through, j.apply_url,
            coalesce(j.provenance, a.provenance) as provenance, j.requisition, j.skills,
            to_jsonb(a) - 'listing_id' - 'description' - 'provenance' as apartment
        from listings l left join jobs j on j.listing_id = l.id left join apartments a on a.listing_id = l.id left join identities i on i.listing_id = l.id
        where (l.first_seen_at, l.id) < ($1, $2) and ($3::bool is null or l.is_active = $3)
        order by l.first_seen_at desc, l.id desc limit $4";
    EVIDENCE = "select id, event::text, rule, verdict_code, http_status, final_url, raw_key, extractor_version,
            detail, task_id, at from evidence where listing_id = $1 and id > $2 order by id limit $3";
    EXISTS = "select 1 from listings where id = $1";
}

/// A listing as a caller sees it.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Listing {
    #[schema(value_type = uuid::Uuid)]
    pub id: ListingId,
    /// `job` or `apartment`.
    pub kind: String,
    /// Where it was read: `web` for a page of its own.
    pub source: String,
    pub external_id: String,
    pub url: String,
    pub title: String,
    pub company: Option<String>,
    /// What is known of the place; unknown parts are null.
    pub place: Option<Value>,
    pub market: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    pub first_seen_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub last_seen_at: Timestamp,
    pub times_seen: i32,
    /// `unverified`, `verified`, `nominated` (a check is due) or `unverifiable`.
    pub verification_status: String,
    pub is_active: bool,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub closed_at: Option<Timestamp>,
    /// The rule whose evidence closed it.
    pub close_reason: Option<String>,
    /// Listings of one job share it: `/api/listings/{id}/cluster` has them.
    #[schema(value_type = uuid::Uuid)]
    pub cluster_id: ListingId,
    pub extractor_version: String,
    /// Only on a single listing; lists leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub remote: Option<String>,
    pub employment_type: Vec<String>,
    pub salary: Option<Value>,
    pub salary_text: Option<String>,
    #[schema(value_type = Option<String>, format = Date)]
    pub date_posted: Option<jiff::civil::Date>,
    /// A moment or a day, as the posting says it.
    pub valid_through: Option<String>,
    pub apply_url: Option<String>,
    /// The employer's own number for the opening.
    pub requisition: Option<String>,
    /// By the names of our taxonomy.
    pub skills: Vec<String>,
    /// Of an apartment: rent, rooms, area and the like; unknown parts are null. Absent for a job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apartment: Option<Value>,
    /// For each field, how it was read.
    pub provenance: Option<Value>,
}

/// One row of evidence.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Evidence {
    pub id: i64,
    /// `created`, `refreshed`, `nominated`, `verified`, `closed`, `reopened`, `merged`, `split` or `reread`.
    pub event: String,
    /// Which rule said so.
    pub rule: String,
    pub verdict_code: Option<String>,
    pub http_status: Option<i32>,
    pub final_url: Option<String>,
    pub raw_key: Option<String>,
    pub extractor_version: Option<String>,
    pub detail: Option<Value>,
    #[schema(value_type = Option<uuid::Uuid>)]
    pub task_id: Option<TaskId>,
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// Evidence as it is written.
#[derive(Debug, Clone)]
pub struct NewEvidence<'a> {
    pub task_id: Option<TaskId>,
    pub event: Event,
    pub rule: &'a str,
    pub verdict_code: Option<&'a str>,
    pub http_status: Option<i32>,
    pub final_url: Option<&'a str>,
    pub raw_key: Option<&'a str>,
    pub extractor_version: Option<&'a str>,
    pub detail: Option<Value>,
}

pub async fn find(db: &impl Db, id: ListingId) -> anyhow::Result<Option<Listing>> {
    Ok(row(db, FIND, &args![id]).await?.as_ref().map(listing))
}

/// The newest first, those after the given place in that order.
pub async fn list(
    db: &impl Db,
    after: Option<(Timestamp, ListingId)>,
    active: Option<bool>,
    limit: i64,
) -> anyhow::Result<Vec<Listing>> {
    let (at, id) = after.unwrap_or((last_moment(), ListingId(uuid::Uuid::max())));
    Ok(rows(db, LIST, &args![at, id, active, limit]).await?.iter().map(listing).collect())
}

/// The evidence for a listing, oldest first; `None` when there is no such listing.
pub async fn evidence(
    db: &impl Db,
    id: ListingId,
    after: i64,
    limit: i64,
) -> anyhow::Result<Option<Vec<Evidence>>> {
    let found = rows(db, EVIDENCE, &args![id, after, limit]).await?;
    if found.is_empty() && row(db, EXISTS, &args![id]).await?.is_none() {
        return Ok(None);
    }
    Ok(Some(found.iter().map(one_evidence).collect()))
}

/// Later than anything stored, and within what Postgres can hold.
pub(super) fn last_moment() -> Timestamp {
    Timestamp::from_second(4_102_444_800).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn listing(row: &Row) -> Listing {
    Listing {
        id: row.get("id"),
        kind: row.get("kind"),
        source: row.get("source"),
        external_id: row.get("external_id"),
        url: row.get("url"),
        title: row.get("title"),
        company: row.get("company"),
        place: row.get("place"),
        market: row.get("market"),
        first_seen_at: row.get("first_seen_at"),
        last_seen_at: row.get("last_seen_at"),
        times_seen: row.get("times_seen"),
        verification_status: row.get("verification_status"),
        is_active: row.get("is_active"),
        closed_at: row.get("closed_at"),
        close_reason: row.get("close_reason"),
        cluster_id: row.get("cluster_id"),
        extractor_version: row.get("extractor_version"),
        description: row.get("description"),
        remote: row.get("remote"),
        employment_type: row.get::<_, Option<Vec<String>>>("employment_type").unwrap_or_default(),
        salary: row.get("salary"),
        salary_text: row.get("salary_text"),
        date_posted: row.get("date_posted"),
        valid_through: row.get("valid_through"),
        apply_url: row.get("apply_url"),
        requisition: row.get("requisition"),
        skills: row.get::<_, Option<Vec<String>>>("skills").unwrap_or_default(),
        apartment: row.get("apartment"),
        provenance: row.get("provenance"),
    }
}

fn one_evidence(row: &Row) -> Evidence {
    Evidence {
        id: row.get("id"),
        event: row.get("event"),
        rule: row.get("rule"),
        verdict_code: row.get("verdict_code"),
        http_status: row.get("http_status"),
        final_url: row.get("final_url"),
        raw_key: row.get("raw_key"),
        extractor_version: row.get("extractor_version"),
        detail: row.get("detail"),
        task_id: row.get("task_id"),
        at: row.get("at"),
    }
}
