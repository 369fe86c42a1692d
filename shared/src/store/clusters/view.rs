//! A cluster as a caller sees it: its members, what they say together, and why they are together.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use tokio_postgres::Row;

use super::super::args::{Db, args, row, rows, statements};
use crate::domain::cluster::merge::{Cluster, Known, Member, Shown};
use crate::domain::cluster::standing::Standing;
use crate::domain::ids::ListingId;

statements! {
    CLUSTER = "select coalesce(i.cluster_id, l.id) from listings l left join identities i on i.listing_id = l.id
        where l.id = $1";
    MEMBERS = "select l.id, l.source, l.url, l.title, l.company, l.place, l.is_active, l.last_seen_at,
            coalesce(i.standing::text, 'unknown') as standing, j.description, j.remote, j.employment_type, j.salary,
            j.salary_text, j.date_posted::text as date_posted, j.valid_through, j.apply_url, j.provenance
        from listings l left join identities i on i.listing_id = l.id left join jobs j on j.listing_id = l.id
        where l.id = $1 or l.id in (select listing_id from identities where cluster_id = $1) order by l.id";
    LINKS = "select a, b, rule, score, at from cluster_links
        where a = any($1::uuid[]) and b = any($1::uuid[]) order by a, b";
    SPLITS = "select a, b, reason, at from cluster_splits
        where a = any($1::uuid[]) or b = any($1::uuid[]) order by at, a, b limit 200";
}

/// One job, as all boards that list it say it.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ClusterView {
    #[schema(value_type = uuid::Uuid)]
    pub cluster_id: ListingId,
    /// By the company's own listing where it is known, else by any.
    pub is_active: bool,
    /// The member that stands for the others.
    #[schema(value_type = uuid::Uuid)]
    pub head: ListingId,
    /// For each field the best word on it, and whose it is.
    pub fields: BTreeMap<String, Shown>,
    pub members: Vec<ClusterMember>,
    pub links: Vec<LinkView>,
    /// Listings an admin keeps apart from members.
    pub splits: Vec<SplitView>,
}

#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ClusterMember {
    #[schema(value_type = uuid::Uuid)]
    pub listing_id: ListingId,
    pub source: String,
    /// `first_party`, `unknown` or `aggregator`.
    pub standing: Standing,
    pub url: String,
    pub title: String,
    pub is_active: bool,
    #[schema(value_type = String, format = DateTime)]
    pub last_seen_at: Timestamp,
}

/// Why two members are one job.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct LinkView {
    #[schema(value_type = uuid::Uuid)]
    pub a: ListingId,
    #[schema(value_type = uuid::Uuid)]
    pub b: ListingId,
    /// `requisition` (the company's own number is on both) or `body` (company, role and place, and one text).
    pub rule: String,
    /// 0 to 1.
    pub score: f64,
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct SplitView {
    #[schema(value_type = uuid::Uuid)]
    pub a: ListingId,
    #[schema(value_type = uuid::Uuid)]
    pub b: ListingId,
    pub reason: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// The cluster a listing is in; none when there is no such listing.
pub async fn of_listing(db: &impl Db, id: ListingId) -> anyhow::Result<Option<ClusterView>> {
    let Some(found) = row(db, CLUSTER, &args![id]).await? else { return Ok(None) };
    let cluster_id: ListingId = found.get(0);
    let found = rows(db, MEMBERS, &args![cluster_id]).await?;
    let cluster = Cluster::of(found.iter().map(member));
    let Some(head) = cluster.head().map(|head| head.id) else { return Ok(None) };
    let ids: Vec<ListingId> = cluster.members().map(|member| member.id).collect();
    let links = rows(db, LINKS, &args![ids]).await?;
    let splits = rows(db, SPLITS, &args![ids]).await?;
    Ok(Some(ClusterView {
        cluster_id,
        is_active: cluster.is_active(),
        head,
        fields: cluster.fields(),
        members: found.iter().map(listed).collect(),
        links: links
            .iter()
            .map(|row| LinkView {
                a: row.get(0),
                b: row.get(1),
                rule: row.get(2),
                score: row.get(3),
                at: row.get(4),
            })
            .collect(),
        splits: splits
            .iter()
            .map(|row| SplitView { a: row.get(0), b: row.get(1), reason: row.get(2), at: row.get(3) })
            .collect(),
    }))
}

fn listed(row: &Row) -> ClusterMember {
    ClusterMember {
        listing_id: row.get("id"),
        source: row.get("source"),
        standing: Standing::stored(row.get("standing")),
        url: row.get("url"),
        title: row.get("title"),
        is_active: row.get("is_active"),
        last_seen_at: row.get("last_seen_at"),
    }
}

fn member(row: &Row) -> Member {
    let text = |name: &str| row.get::<_, Option<String>>(name).map(Value::String);
    let types: Option<Vec<String>> = row.get("employment_type");
    let provenance: Option<Value> = row.get("provenance");
    let said = [
        ("title", "job_title", text("title")),
        ("company", "company_name", text("company")),
        ("url", "posting_url", text("url")),
        ("place", "location", row.get("place")),
        ("description", "description", text("description")),
        ("remote", "remote", text("remote")),
        (
            "employment_type",
            "employment_type",
            types.filter(|types| !types.is_empty()).map(|types| json!(types)),
        ),
        ("salary", "salary", row.get("salary")),
        ("salary_text", "salary_range", text("salary_text")),
        ("date_posted", "date_posted", text("date_posted")),
        ("valid_through", "valid_through", text("valid_through")),
        ("apply_url", "apply_url", text("apply_url")),
    ];
    let fields = said.into_iter().filter_map(|(name, read_as, value)| {
        let method = provenance.as_ref().and_then(|origin| origin.get(read_as)).and_then(Value::as_str);
        Some((name.to_owned(), Known { value: value?, method: method.map(str::to_owned) }))
    });
    Member {
        id: row.get("id"),
        source: row.get("source"),
        standing: Standing::stored(row.get("standing")),
        is_active: row.get("is_active"),
        seen_at: row.get("last_seen_at"),
        fields: fields.collect(),
    }
}
