//! What seeing a page does to its listing: the rule in `domain::listing` decides, this writes it down with
//! its evidence, in the caller's transaction.

use anyhow::bail;
use jiff::Timestamp;
use serde_json::json;

use crate::domain::credential::is_private_page;
use crate::domain::ids::{ListingId, TaskId};
use crate::domain::listing::{Change, Event, Seen, decide};
use crate::store::listings::{self, JobFields, NewEvidence};
use crate::store::{Db, clusters};

/// A page that belongs to no source of its own is known by its normalised url.
pub const WEB: &str = "web";

/// One look at a page.
pub struct Sighting<'a> {
    pub task_id: TaskId,
    pub url_key: &'a str,
    pub seen: Seen,
    /// What made us say so.
    pub rule: &'a str,
    pub verdict_code: Option<&'a str>,
    pub http_status: i32,
    pub final_url: &'a str,
    pub raw_key: Option<&'a str>,
    pub extractor_version: Option<&'a str>,
    /// The fields, when a posting was read.
    pub job: Option<&'a JobFields>,
}

/// Records a sighting. Returns the listing it is about, if there is one.
pub async fn record(
    db: &impl Db,
    sighting: &Sighting<'_>,
    now: Timestamp,
) -> anyhow::Result<Option<ListingId>> {
    if is_private_page(sighting.url_key) {
        return Ok(None); // a listing is everybody's; this page is not
    }
    let fingerprint = sighting.job.map(|job| job.fingerprint.as_str());
    // Twice at most: a listing that another transaction makes meanwhile is found the second time.
    for _ in 0..2 {
        let known = listings::known(db, WEB, sighting.url_key).await?;
        let change = decide(known.as_ref().map(|(_, known)| known), sighting.seen, fingerprint);
        let Some((id, _)) = known else {
            let (Change::Create { doubtful }, Some(job)) = (change, sighting.job) else { return Ok(None) };
            let Some(id) = listings::create_job(db, WEB, sighting.url_key, job, doubtful, now).await? else {
                continue;
            };
            add(db, id, sighting, Event::Created, false, now).await?;
            if doubtful {
                add(db, id, sighting, Event::Nominated, false, now).await?;
            }
            clusters::assign(db, &[id], now).await?;
            return Ok(Some(id));
        };
        apply(db, id, change, sighting, now).await?;
        return Ok(Some(id));
    }
    bail!("the listing of a page was made and lost again")
}

async fn apply(
    db: &impl Db,
    id: ListingId,
    change: Change,
    sighting: &Sighting<'_>,
    now: Timestamp,
) -> anyhow::Result<()> {
    let (event, changed) = match change {
        Change::Leave | Change::Create { .. } => return Ok(()),
        Change::Refresh { changed } => (Event::Refreshed, changed),
        Change::Reopen { changed } => (Event::Reopened, changed),
        Change::Nominate => (Event::Nominated, false),
        Change::Close => (Event::Closed, false),
    };
    match event {
        Event::Closed => listings::close(db, id, sighting.rule, now).await?,
        Event::Nominated => listings::nominate(db, id).await?,
        _ => listings::seen(db, id, now).await?,
    }
    if let (true, Some(job)) = (changed, sighting.job) {
        listings::change_job(db, id, job).await?;
        clusters::assign(db, &[id], now).await?;
    }
    add(db, id, sighting, event, changed, now).await
}

async fn add(
    db: &impl Db,
    id: ListingId,
    sighting: &Sighting<'_>,
    event: Event,
    changed: bool,
    now: Timestamp,
) -> anyhow::Result<()> {
    let evidence = NewEvidence {
        task_id: Some(sighting.task_id),
        event,
        rule: sighting.rule,
        verdict_code: sighting.verdict_code,
        http_status: Some(sighting.http_status),
        final_url: Some(sighting.final_url),
        raw_key: sighting.raw_key,
        extractor_version: sighting.extractor_version,
        detail: changed.then(|| json!({ "fields_changed": true })),
    };
    listings::add_evidence(db, id, &evidence, now).await
}
