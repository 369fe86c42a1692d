//! What many sightings write: listings found and locked, made, changed and closed, with their evidence. Each
//! statement takes all of a batch, in the order of the keys, so that two batches wait for each other and never in
//! a ring.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::args::{Db, args, micros, rows, run, statements};
use super::listings::{JobFields, NewEvidence};
use crate::domain::ids::ListingId;
use crate::domain::listing::Known;
use crate::domain::listing::batch::Key;
use crate::domain::listing::home::HomeFields;

statements! {
    KNOWN = "select l.id, l.source, l.external_id, l.is_active, l.field_fingerprint, r.simhash, p.simhash
        from unnest($1::text[], $2::text[]) as k (source, external_id)
        join listings l on l.source = k.source and l.external_id = k.external_id
        left join readings r on l.source = 'web' and r.url_key = l.external_id and r.listing_id = l.id
        left join pages p on p.url_key = r.url_key
        order by l.source collate \"C\", l.external_id collate \"C\" for no key update of l";
    CREATE = include_str!("sql/create_listings.sql");
    SAVE_JOBS = include_str!("sql/save_jobs.sql");
    SAVE_HOMES = include_str!("sql/save_apartments.sql");
    SAVE_PARTIAL_JOBS = include_str!("sql/save_partial_jobs.sql");
    CHANGE = "update listings l set url = c.url, title = c.title,
            company = coalesce(c.company, case when c.partial then l.company end),
            place = coalesce(c.place, case when c.partial then l.place end),
            extractor_version = c.extractor_version, field_fingerprint = c.fingerprint
        from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::text[], $8::bool[])
            as c (id, url, title, company, place, extractor_version, fingerprint, partial)
        where l.id = c.id";
    STILL_LISTED = "update listings set last_seen_at = greatest(last_seen_at, $3), times_seen = times_seen + 1
        where id in (select id from listings where source = $1 and external_id = any($2) and is_active
            order by external_id collate \"C\" for no key update)
        returning external_id";
    SEEN = "update listings set last_seen_at = greatest(last_seen_at, $2), times_seen = times_seen + 1,
            verification_status = 'verified', is_active = true, closed_at = null, close_reason = null
        where id = any($1)";
    CLOSE = "update listings l set is_active = false, closed_at = $3, close_reason = c.reason,
            verification_status = 'verified'
        from unnest($1::uuid[], $2::text[]) as c (id, reason)
        where l.id = c.id and l.is_active";
    NOMINATE = "update listings set verification_status = 'nominated' where id = any($1) and is_active";
    ADD_EVIDENCE = include_str!("sql/add_evidence.sql");
}

/// A listing that is to be made.
pub struct NewListing<'a> {
    pub id: ListingId,
    pub source: &'a str,
    pub external_id: &'a str,
    pub job: &'a JobFields,
    pub doubtful: bool,
}

fn column<'a, R, T>(rows: &'a [R], pick: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(pick).collect()
}

/// The listings under these keys, locked until the transaction ends.
pub async fn known(
    db: &impl Db,
    keys: impl Iterator<Item = (&str, &str)>,
) -> anyhow::Result<HashMap<Key, (ListingId, Known)>> {
    let (sources, external_ids): (Vec<&str>, Vec<&str>) = keys.unzip();
    let found = rows(db, KNOWN, &args![sources, external_ids]).await?;
    let hash = |row: &tokio_postgres::Row, at: usize| row.get::<_, Option<i64>>(at).map(i64::cast_unsigned);
    let known = |row: &tokio_postgres::Row| Known {
        is_active: row.get(3),
        fingerprint: row.get(4),
        page: hash(row, 5).zip(hash(row, 6)),
    };
    Ok(found.iter().map(|row| ((row.get(1), row.get(2)), (row.get(0), known(row)))).collect())
}

/// Makes listings. Those that are missing in the answer were made by another transaction; read them again.
pub async fn create(
    db: &impl Db,
    new: &[NewListing<'_>],
    now: Timestamp,
) -> anyhow::Result<HashSet<ListingId>> {
    if new.is_empty() {
        return Ok(HashSet::new());
    }
    let made = rows(
        db,
        CREATE,
        &args![
            column(new, |n| n.id),
            column(new, |n| n.source),
            column(new, |n| n.external_id),
            column(new, |n| n.job.url.as_str()),
            column(new, |n| n.job.title.as_str()),
            column(new, |n| n.job.company.as_deref()),
            column(new, |n| n.job.place.as_ref()),
            column(new, |n| n.job.extractor_version.as_str()),
            column(new, |n| n.job.fingerprint.as_str()),
            micros(now),
            column(new, |n| if n.doubtful { "nominated" } else { "verified" }),
            column(new, |n| n.job.kind()),
        ],
    )
    .await?;
    Ok(made.iter().map(|row| row.get(0)).collect())
}

/// Writes what jobs and homes add to their listings. What a list leaves out stays as it was.
pub async fn save_jobs(db: &impl Db, listings: &[(ListingId, &JobFields)]) -> anyhow::Result<()> {
    let homes: Vec<(ListingId, &JobFields, &HomeFields)> =
        listings.iter().filter_map(|(id, fields)| Some((*id, *fields, fields.home.as_deref()?))).collect();
    if !homes.is_empty() {
        save_homes(db, &homes).await?;
    }
    let jobs = listings.iter().copied().filter(|(_, fields)| fields.home.is_none());
    let (partial, whole): (Vec<_>, Vec<_>) = jobs.partition(|(_, job)| job.partial);
    save_some(db, SAVE_JOBS, &whole).await?;
    save_some(db, SAVE_PARTIAL_JOBS, &partial).await
}

async fn save_some(
    db: &impl Db,
    statement: &'static str,
    jobs: &[(ListingId, &JobFields)],
) -> anyhow::Result<()> {
    if jobs.is_empty() {
        return Ok(());
    }
    run(
        db,
        statement,
        &args![
            column(jobs, |(id, _)| *id),
            column(jobs, |(_, job)| job.description.as_deref()),
            column(jobs, |(_, job)| job.remote.as_deref()),
            column(jobs, |(_, job)| job.employment_type.join("\u{1f}")),
            column(jobs, |(_, job)| job.salary.as_ref()),
            column(jobs, |(_, job)| job.salary_text.as_deref()),
            column(jobs, |(_, job)| job.date_posted),
            column(jobs, |(_, job)| job.valid_through.as_deref()),
            column(jobs, |(_, job)| job.apply_url.as_deref()),
            column(jobs, |(_, job)| &job.provenance),
            column(jobs, |(_, job)| job.requisition.as_deref()),
            column(jobs, |(_, job)| job.skills.join("\u{1f}")),
        ],
    )
    .await
    .map(drop)
}

async fn save_homes(db: &impl Db, homes: &[(ListingId, &JobFields, &HomeFields)]) -> anyhow::Result<()> {
    run(
        db,
        SAVE_HOMES,
        &args![
            column(homes, |(id, ..)| *id),
            column(homes, |(_, of, _)| of.description.as_deref()),
            column(homes, |(.., home)| home.rent.as_ref()) as Vec<Option<&Value>>,
            column(homes, |(.., home)| home.bedrooms.as_ref()) as Vec<Option<&Value>>,
            column(homes, |(.., home)| home.bathrooms.as_ref()) as Vec<Option<&Value>>,
            column(homes, |(.., home)| home.area.as_ref()) as Vec<Option<&Value>>,
            column(homes, |(.., home)| home.street.as_deref()),
            column(homes, |(.., home)| home.postal_code.as_deref()),
            column(homes, |(.., home)| home.available_from.as_ref()) as Vec<Option<&Value>>,
            column(homes, |(.., home)| home.amenities.join("\u{1f}")),
            column(homes, |(.., home)| home.pet_policy.as_ref()) as Vec<Option<&Value>>,
            column(homes, |(.., home)| home.phone.as_deref()),
            column(homes, |(_, of, _)| &of.provenance),
        ],
    )
    .await
    .map(drop)
}

/// Writes the fields of jobs that changed.
pub async fn change(db: &impl Db, jobs: &[(ListingId, &JobFields)]) -> anyhow::Result<()> {
    if jobs.is_empty() {
        return Ok(());
    }
    run(
        db,
        CHANGE,
        &args![
            column(jobs, |(id, _)| *id),
            column(jobs, |(_, job)| job.url.as_str()),
            column(jobs, |(_, job)| job.title.as_str()),
            column(jobs, |(_, job)| job.company.as_deref()),
            column(jobs, |(_, job)| job.place.as_ref()),
            column(jobs, |(_, job)| job.extractor_version.as_str()),
            column(jobs, |(_, job)| job.fingerprint.as_str()),
            column(jobs, |(_, job)| job.partial),
        ],
    )
    .await
    .map(drop)
}

/// A list names them, and says no more than that: they are not absent. Returns which of them are listings.
pub async fn still_listed(
    db: &impl Db,
    source: &str,
    external_ids: &[&str],
    now: Timestamp,
) -> anyhow::Result<HashSet<String>> {
    if external_ids.is_empty() {
        return Ok(HashSet::new());
    }
    let found = rows(db, STILL_LISTED, &args![source, external_ids.to_vec(), micros(now)]).await?;
    Ok(found.iter().map(|row| row.get(0)).collect())
}

/// They were seen live: refreshed, and open again if they were closed.
pub async fn seen(db: &impl Db, ids: Vec<ListingId>, now: Timestamp) -> anyhow::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    run(db, SEEN, &args![ids, micros(now)]).await.map(drop)
}

/// Closes listings, each for a reason that is evidence.
pub async fn close(db: &impl Db, closed: &[(ListingId, &str)], now: Timestamp) -> anyhow::Result<()> {
    if closed.is_empty() {
        return Ok(());
    }
    let (ids, reasons): (Vec<ListingId>, Vec<&str>) = closed.iter().copied().unzip();
    run(db, CLOSE, &args![ids, reasons, micros(now)]).await.map(drop)
}

/// Asks for checks.
pub async fn nominate(db: &impl Db, ids: Vec<ListingId>) -> anyhow::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    run(db, NOMINATE, &args![ids]).await.map(drop)
}

pub async fn add_evidence(
    db: &impl Db,
    evidence: &[(ListingId, NewEvidence<'_>)],
    now: Timestamp,
) -> anyhow::Result<()> {
    if evidence.is_empty() {
        return Ok(());
    }
    run(
        db,
        ADD_EVIDENCE,
        &args![
            column(evidence, |(id, _)| *id),
            column(evidence, |(_, e)| e.task_id.map(|id| id.0)) as Vec<Option<Uuid>>,
            column(evidence, |(_, e)| e.event.word()),
            column(evidence, |(_, e)| e.rule),
            column(evidence, |(_, e)| e.verdict_code),
            column(evidence, |(_, e)| e.http_status),
            column(evidence, |(_, e)| e.final_url),
            column(evidence, |(_, e)| e.raw_key),
            column(evidence, |(_, e)| e.extractor_version),
            column(evidence, |(_, e)| e.detail.as_ref()) as Vec<Option<&Value>>,
            micros(now),
        ],
    )
    .await
    .map(drop)
}
