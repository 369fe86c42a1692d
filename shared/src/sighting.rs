//! What seeing a page does to its listing: the rule in `domain::listing` decides, this writes it down with
//! its evidence, in the caller's transaction.

use anyhow::ensure;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::domain::change::Size;
use crate::domain::credential::is_private_page;
use crate::domain::fingerprint::distance;
use crate::domain::ids::{ListingId, TaskId};
use crate::domain::listing::{Change, Event, Seen, decide};
use crate::store::listings::{JobFields, NewEvidence};
use crate::store::sightings::{self, NewListing};
use crate::store::{Db, clusters};

/// A page that belongs to no source of its own is known by its normalised url.
pub const WEB: &str = "web";

/// One look at a page.
pub struct Sighting<'a> {
    pub task_id: TaskId,
    pub url_key: &'a str,
    /// Source and external id, when it is a board's listing that was looked at and not the page for its own sake.
    pub about: Option<(&'a str, &'a str)>,
    /// It adds what a list left out: its fields are written whatever they were before.
    pub fills: bool,
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

impl<'a> Sighting<'a> {
    /// The key of the listing it is about.
    fn key(&self) -> (&'a str, &'a str) {
        self.about.unwrap_or((WEB, self.url_key))
    }
}

/// Records one sighting. Returns the listing it is about, if there is one.
pub async fn record(
    db: &impl Db,
    sighting: &Sighting<'_>,
    now: Timestamp,
) -> anyhow::Result<Option<ListingId>> {
    Ok(record_all(db, std::slice::from_ref(sighting), now).await?.pop().flatten())
}

/// Records sightings in one go, each as if it came alone and in this order. Returns the listing each is about, if
/// there is one.
pub async fn record_all(
    db: &impl Db,
    sightings: &[Sighting<'_>],
    now: Timestamp,
) -> anyhow::Result<Vec<Option<ListingId>>> {
    let (mut about, mut fresh) = (vec![None; sightings.len()], Vec::new());
    // A listing is everybody's; the page of one workspace is not.
    let mut left: Vec<usize> =
        (0..sightings.len()).filter(|&place| !is_private_page(sightings[place].url_key)).collect();
    // A page seen twice waits for its second round, and so does a listing that another transaction made meanwhile:
    // that one is found then.
    let mut rounds = 0..=sightings.len();
    while !left.is_empty() {
        ensure!(rounds.next().is_some(), "the listing of a page was made and lost again");
        left.sort_by_key(|&place| (sightings[place].key(), place));
        let mut round = left.clone();
        round.dedup_by_key(|place| sightings[*place].key());
        let again = once(db, sightings, &round, &mut about, &mut fresh, now).await?;
        left.retain(|place| again.contains(place) || !round.contains(place));
    }
    clusters::assign(db, &fresh, now).await?;
    Ok(about)
}

/// One round: each page once, in the order of the keys. Returns those whose listing was made by somebody else.
async fn once(
    db: &impl Db,
    sightings: &[Sighting<'_>],
    round: &[usize],
    about: &mut [Option<ListingId>],
    fresh: &mut Vec<ListingId>,
    now: Timestamp,
) -> anyhow::Result<Vec<usize>> {
    let keys = round.iter().map(|&place| sightings[place].key());
    let known = sightings::known(db, keys).await?;
    let mut writing = Writing::default();
    let mut made = Vec::new();
    for &place in round {
        let sighting = &sightings[place];
        let fingerprint = sighting.job.map(|job| job.fingerprint.as_str());
        let key = sighting.key();
        let found = known.get(&(key.0.to_owned(), key.1.to_owned()));
        let change = decide(found.map(|(_, known)| known), sighting.seen, fingerprint);
        match (found, change, sighting.job) {
            (Some((id, known)), change, _) => {
                writing.apply(*id, change, sighting, known.page);
                about[place] = Some(*id);
            }
            (None, Change::Create { doubtful }, Some(job)) => {
                let id = ListingId::fresh();
                made.push((place, NewListing { id, source: key.0, external_id: key.1, job, doubtful }));
            }
            (None, ..) => {}
        }
    }
    let (places, new): (Vec<usize>, Vec<NewListing<'_>>) = made.into_iter().unzip();
    let created = sightings::create(db, &new, now).await?;
    let mut again = Vec::new();
    for (place, new) in places.into_iter().zip(&new) {
        if !created.contains(&new.id) {
            again.push(place);
            continue;
        }
        about[place] = Some(new.id);
        writing.jobs.push((new.id, new.job));
        writing.add(new.id, &sightings[place], Event::Created, None);
        if new.doubtful {
            writing.add(new.id, &sightings[place], Event::Nominated, None);
        }
    }
    // New, or other than before: whose job it is must be asked again.
    fresh.extend(writing.jobs.iter().map(|(id, _)| *id));
    writing.write(db, now).await?;
    Ok(again)
}

/// What has changed since the last reading: whether the fields have, which alone decides, and how much of the page,
/// which is for people. Nothing when nothing has.
fn detail(changed: bool, page: Option<(u64, u64)>) -> Option<Value> {
    let bits = page.map(|(before, now)| distance(before, now));
    let size = bits.map(|bits| json!({ "bits": bits, "size": Size::of(bits).word() }));
    match (changed, bits) {
        (false, None | Some(0)) => None,
        _ => Some(json!({ "fields_changed": changed, "page_change": size })),
    }
}

/// What a round writes, statement by statement.
#[derive(Default)]
struct Writing<'a> {
    seen: Vec<ListingId>,
    closed: Vec<(ListingId, &'a str)>,
    nominated: Vec<ListingId>,
    changed: Vec<(ListingId, &'a JobFields)>,
    jobs: Vec<(ListingId, &'a JobFields)>,
    evidence: Vec<(ListingId, NewEvidence<'a>)>,
}

impl<'a> Writing<'a> {
    fn apply(&mut self, id: ListingId, change: Change, sighting: &Sighting<'a>, page: Option<(u64, u64)>) {
        let (event, changed) = match change {
            Change::Leave | Change::Create { .. } => return,
            Change::Refresh { changed } => (Event::Refreshed, changed || sighting.fills),
            Change::Reopen { changed } => (Event::Reopened, changed || sighting.fills),
            Change::Nominate => (Event::Nominated, false),
            Change::Close => (Event::Closed, false),
        };
        match event {
            Event::Closed => self.closed.push((id, sighting.rule)),
            Event::Nominated => self.nominated.push(id),
            _ => self.seen.push(id),
        }
        if let (true, Some(job)) = (changed, sighting.job) {
            self.changed.push((id, job));
            self.jobs.push((id, job));
        }
        // only a reading compares; other sightings have not looked into the page
        let page = page.filter(|_| sighting.extractor_version.is_some());
        self.add(id, sighting, event, detail(changed, page));
    }

    fn add(&mut self, id: ListingId, sighting: &Sighting<'a>, event: Event, detail: Option<Value>) {
        let evidence = NewEvidence {
            task_id: Some(sighting.task_id),
            event,
            rule: sighting.rule,
            verdict_code: sighting.verdict_code,
            http_status: Some(sighting.http_status),
            final_url: Some(sighting.final_url),
            raw_key: sighting.raw_key,
            extractor_version: sighting.extractor_version,
            detail,
        };
        self.evidence.push((id, evidence));
    }

    /// None of these needs the answer of another: they go out in one breath.
    async fn write(self, db: &impl Db, now: Timestamp) -> anyhow::Result<()> {
        let (seen, closed, nominated, changed, jobs, evidence) = futures_util::join!(
            sightings::seen(db, self.seen, now),
            sightings::close(db, &self.closed, now),
            sightings::nominate(db, self.nominated),
            sightings::change(db, &self.changed),
            sightings::save_jobs(db, &self.jobs),
            sightings::add_evidence(db, &self.evidence, now),
        );
        seen.and(closed).and(nominated).and(changed).and(jobs).and(evidence)
    }
}
