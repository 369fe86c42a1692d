//! The end of a read: its certificate becomes a row, the listings it did not name are judged, and the source is well or
//! not. One transaction; `domain::boards::{absence, health}` decide.

use jiff::Timestamp;
use serde_json::json;

use crate::domain::boards::absence::{self, Absence, LOOK_BACK};
use crate::domain::boards::{Board, Certificate, Heard, SourceStatus};
use crate::domain::ids::ListingId;
use crate::domain::listing::Event;
use crate::store::listings::NewEvidence;
use crate::store::sources::{self, Source};
use crate::store::tasks::Plan;
use crate::store::{Db, sightings};

/// Why a listing was closed: a complete read of its board did not name it.
pub const ABSENT: &str = "absent_from_complete_list";
/// Why a check is asked for: the read did not name it, and the read is not to be believed.
pub const MISSING: &str = "missing_from_doubtful_list";
/// Rows of one statement.
const CHUNK: usize = 500;

/// Writes down the end of a read. `error` says why it failed. A board that is no source of ours leaves nothing.
pub async fn end(
    db: &impl Db,
    plan: &Plan,
    board: &Board,
    certificate: &Certificate,
    error: Option<&str>,
    now: Timestamp,
) -> anyhow::Result<()> {
    let Some(source) = sources::hold(db, board).await? else { return Ok(()) };
    let started = plan.started_at.unwrap_or(now);
    let look_back = i64::try_from(LOOK_BACK).unwrap_or(i64::MAX);
    let counts = sources::complete_counts(db, source.id, look_back).await?;
    let Some(read) = sources::add_read(db, source.id, plan.id, started, certificate, error, now).await?
    else {
        return Ok(());
    };
    let usual = absence::median(&counts);
    let heard = match error {
        Some(why) => Heard::Failed(why),
        None => {
            let active = judge(db, &source, read, plan, certificate, usual, now).await?;
            match certificate.unique_seen {
                0 => Heard::Nothing { usual: usual.unwrap_or(0), active },
                _ => Heard::Jobs,
            }
        }
    };
    let before = source.health()?;
    let health = before.after(heard);
    if health.status != before.status {
        let reason = health.reason.as_deref().unwrap_or("a read found jobs");
        match health.status {
            SourceStatus::Active => tracing::info!(source = %board, reason, "a source is well again"),
            status => tracing::warn!(source = %board, status = status.word(), reason, "a source is not well"),
        }
    }
    let next = health.wait(source.pace()).map(|wait| now + wait);
    sources::note_read(db, source.id, certificate.complete, &health, next, now).await
}

/// Judges the listings that a read did not name. Returns how many were active before it.
async fn judge(
    db: &impl Db,
    source: &Source,
    read: i64,
    plan: &Plan,
    certificate: &Certificate,
    usual: Option<u64>,
    now: Timestamp,
) -> anyhow::Result<u64> {
    let (name, started) = (source.name(), plan.started_at.unwrap_or(now));
    let active = sources::active_before(db, &name, started).await?;
    let absent = sources::absent_since(db, &name, started).await?;
    let verdict = absence::judge(certificate, usual, active, absent.len() as u64);
    let (event, rule, held) = match verdict {
        Absence::Unknown => return Ok(active),
        Absence::Close => (Event::Closed, ABSENT, None),
        Absence::Check(held) => (Event::Nominated, MISSING, Some(held.word())),
    };
    let ids: Vec<ListingId> = match event {
        Event::Closed => absent.into_iter().map(|(id, _)| id).collect(),
        _ => absent.into_iter().filter(|(_, due)| !due).map(|(id, _)| id).collect(),
    };
    let evidence = NewEvidence {
        task_id: Some(plan.id),
        event,
        rule,
        verdict_code: Some(held.unwrap_or(rule)),
        http_status: None,
        final_url: None,
        raw_key: None,
        extractor_version: None,
        detail: Some(json!({ "read_id": read, "seen": certificate.unique_seen, "scope": certificate.scope })),
    };
    for chunk in ids.chunks(CHUNK) {
        match event {
            Event::Closed => {
                let closed: Vec<(ListingId, &str)> = chunk.iter().map(|id| (*id, rule)).collect();
                sightings::close(db, &closed, now).await?;
            }
            _ => sightings::nominate(db, chunk.to_vec()).await?,
        }
        let told: Vec<(ListingId, NewEvidence<'_>)> =
            chunk.iter().map(|id| (*id, evidence.clone())).collect();
        sightings::add_evidence(db, &told, now).await?;
    }
    let (closed, nominated) = if event == Event::Closed { (ids.len(), 0) } else { (0, ids.len()) };
    if closed + nominated > 0 || held.is_some() {
        tracing::info!(source = name, read, closed, nominated, held, "listings that a read did not name");
    }
    sources::note_absence(db, read, closed, nominated, held).await?;
    Ok(active)
}
