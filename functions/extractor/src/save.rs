//! What was read is saved for many pages at once: one transaction, one flush to disk.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::ensure;
use serde_json::{Value, json};
use shared::checks;
use shared::clock::Clock;
use shared::details::{self, About};
use shared::domain::extract::{self, Reading};
use shared::domain::listing::{Seen, home};
use shared::domain::notice::State;
use shared::domain::target::TargetType;
use shared::domain::task::{TaskKind, TaskStatus};
use shared::gather::Gather;
use shared::messages::ExtractJob;
use shared::queue::{Outgoing, Queue};
use shared::room::Verdict;
use shared::sighting::{self, Sighting};
use shared::store::Pool;
use shared::store::listings::JobFields;
use shared::store::pages;
use shared::store::tasks::{self, Ending, Visit};

use crate::Fetched;

/// As many pages as one transaction saves.
const MOST: usize = 64;

/// Answers with what becomes of the message; with nothing when the task is no longer ours.
pub type Saves = Gather<Arc<Save>, Option<Verdict>>;

/// Where all workers of this process save.
pub fn together(db: &Pool, extract: &Queue, clock: &Clock) -> Saves {
    let (db, extract, clock) = (db.clone(), extract.clone(), clock.clone());
    Gather::new(MOST, move |pages| save(db.clone(), extract.clone(), clock.clone(), pages))
}

/// A page that was read, and all that is to be written of it.
pub struct Save {
    visit: Visit,
    status: u16,
    final_url: String,
    raw_key: String,
    version: &'static str,
    /// Read as something else than a posting or a home, a page says nothing of its listing.
    is_listing: bool,
    /// The board's listing that the page was asked for, with its source.
    about: Option<(String, About)>,
    seen: Seen,
    code: &'static str,
    job: Option<JobFields>,
    reading: pages::Reading,
    ends: TaskStatus,
    ending: Ending,
}

impl Save {
    pub fn new(
        visit: &Visit,
        target: TargetType,
        fetched: &Fetched,
        reading: &Reading,
        asked: Option<Value>,
    ) -> Save {
        let (plan, verdict) = (&visit.plan, reading.verdict_json());
        let version = extract::extractor(target).version();
        let job = match (&reading.posting, &reading.home) {
            (Some(posting), _) => JobFields::of(posting, reading.fingerprint.as_deref(), version),
            (None, Some(home)) => home::of(home, version),
            (None, None) => None,
        };
        let about = details::about(plan);
        let job = match (&about, job) {
            (Some(about), Some(job)) => Some(about.fill(job)),
            (_, job) => job,
        };
        let seen = seen(reading, job.is_some());
        // A page that shows nothing says nothing against the list that named its job.
        let silent = about.is_some() && plan.kind == TaskKind::Listing && seen == Seen::Nothing;
        let (ends, ending) = ending(&verdict, version, reading, asked);
        Save {
            visit: visit.clone(),
            status: fetched.status,
            final_url: fetched.final_url.clone(),
            raw_key: fetched.raw_key.clone(),
            version,
            is_listing: target.is_listing() && !silent,
            about: about.map(|about| (about.source(), about)),
            seen,
            code: reading.verdict.code,
            job,
            reading: pages::Reading {
                url_key: plan.url_key.clone(),
                target_type: plan.target_type.clone(),
                extractor_version: version.to_owned(),
                content_sha256: fetched.sha256.clone(),
                field_fingerprint: reading.fingerprint.clone(),
                block_fingerprint: reading.block.clone(),
                verdict,
                result: reading.result.clone(),
                listing_id: None,
            },
            ends,
            ending,
        }
    }

    /// How the task ends.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    fn sighting(&self) -> Sighting<'_> {
        Sighting {
            task_id: self.visit.plan.id,
            url_key: &self.visit.plan.url_key,
            about: self
                .about
                .as_ref()
                .map(|(source, about)| (source.as_str(), about.listed.external_id.as_str())),
            fills: self.about.is_some() && self.visit.plan.kind == TaskKind::Listing,
            seen: self.seen,
            rule: self.code,
            verdict_code: Some(self.code),
            http_status: i32::from(self.status),
            final_url: &self.final_url,
            raw_key: Some(&self.raw_key),
            extractor_version: Some(self.version),
            // A check says whether it is there; what it says is the list's and the detail's to tell.
            job: self
                .job
                .as_ref()
                .filter(|_| self.about.is_none() || self.visit.plan.kind == TaskKind::Listing),
        }
    }
}

/// One transaction: what was read, the listings with their evidence, the ends of the tasks, and of their messages
/// where those are in the same database. A task that is no longer ours keeps nothing: in a crowd it fails the
/// whole batch, and then each is saved alone.
async fn save(
    db: Pool,
    extract: Queue,
    clock: Clock,
    saves: Vec<Arc<Save>>,
) -> anyhow::Result<Vec<Option<Verdict>>> {
    let now = clock.now();
    let mut conn = db.conn().await?;
    let transaction = conn.transaction().await?;
    let postings: Vec<usize> = (0..saves.len()).filter(|&place| saves[place].is_listing).collect();
    let sightings: Vec<Sighting<'_>> = postings.iter().map(|&place| saves[place].sighting()).collect();
    let about = sighting::record_all(&transaction, &sightings, now).await?;
    for save in saves.iter().filter(|save| save.visit.plan.kind == TaskKind::Verify) {
        if let (Some((source, _)), Seen::Nothing | Seen::Doubtful) = (&save.about, save.seen) {
            checks::ask_the_source(&transaction, source, now).await?;
        }
    }
    let mut listings = vec![None; saves.len()];
    for (place, listing) in postings.into_iter().zip(about) {
        listings[place] = listing;
    }
    let readings: Vec<pages::Reading> = saves
        .iter()
        .zip(&listings)
        .map(|(save, listing_id)| pages::Reading { listing_id: *listing_id, ..save.reading.clone() })
        .collect();
    let endings: Vec<Ending> = saves
        .iter()
        .zip(&listings)
        .map(|(save, listing_id)| Ending { listing_id: *listing_id, ..save.ending.clone() })
        .collect();
    // Of two readings of one page the last counts.
    let mut kept = HashSet::new();
    let readings: Vec<&pages::Reading> = readings
        .iter()
        .rev()
        .filter(|reading| kept.insert((&reading.url_key, &reading.target_type)))
        .collect();
    let ends: Vec<(&Visit, TaskStatus, &Ending)> =
        saves.iter().zip(&endings).map(|(save, ending)| (&save.visit, save.ends, ending)).collect();
    let messages = saves
        .iter()
        .map(|save| {
            let plan = &save.visit.plan;
            ExtractJob { task_id: plan.id, release_no: plan.release_no }.outgoing()
        })
        .collect::<anyhow::Result<Vec<Outgoing>>>()?;
    let (saved, finished, acknowledged) = futures_util::join!(
        pages::save_readings(&transaction, &readings, now),
        tasks::finish_all(&transaction, &ends, now),
        extract.ack_in(&transaction, &messages),
    );
    saved?;
    let (finished, acknowledged) = (finished?, acknowledged?);
    if finished.len() < saves.len() {
        ensure!(saves.len() == 1, "a lease ran out before its page was saved");
        return Ok(vec![None]); // somebody else has the task: nothing of this is kept
    }
    transaction.commit().await?;
    let verdict = if acknowledged { Verdict::Acknowledged } else { Verdict::Done };
    Ok(vec![Some(verdict); saves.len()])
}

/// What was asked of a model is shown with the rest.
fn ending(verdict: &Value, version: &str, reading: &Reading, asked: Option<Value>) -> (TaskStatus, Ending) {
    let mut meta = json!({ "verdict": verdict, "extractor_version": version });
    if let Some(asked) = asked {
        meta["ai"] = asked;
    }
    let meta = Some(meta);
    if reading.result.is_some() {
        let result = reading.result.clone();
        return (TaskStatus::Success, Ending { result, meta, ..Ending::default() });
    }
    let code = reading.too_complex.as_ref().map_or(reading.verdict.code, |_| "too_complex");
    let error = Some((code.to_owned(), reading.verdict.reason.clone()));
    (TaskStatus::Failed, Ending { meta, error, ..Ending::default() })
}

/// What the page says of its listing. A page that shows nothing of the posting proves nothing.
fn seen(reading: &Reading, has_job: bool) -> Seen {
    match reading.verdict.state {
        State::Active if has_job => Seen::Live,
        State::Expired => Seen::SaysClosed,
        State::Uncertain if has_job => Seen::Doubtful,
        State::Active | State::Uncertain => Seen::Nothing,
    }
}
