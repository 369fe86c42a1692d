//! The desk of a queue room: what it asks of the database for every page, gathered from all its workers.

mod together;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::domain::gate::{Report, Reserve, Slot};
use crate::domain::ids::TaskId;
use crate::domain::policy::Policy;
use crate::domain::site::Site;
use crate::domain::task::Stage;
use crate::gate::Gate;
use crate::gather::Gather;
use crate::queue::Queue;
use crate::release;
use crate::room::Verdict;
use crate::store::Pool;
use crate::store::pages::Page;
use crate::store::tasks::{self, Claim, HandOn, Plan, Visit, Wanted};
use together::Together;

/// As many questions as one statement answers.
const MOST: usize = 64;

/// What a crawler must know before it goes.
#[derive(Debug, Clone)]
pub struct Errand {
    pub plan: Plan,
    /// What we hold of the page.
    pub held: Option<Page>,
}

/// What a message's task wants.
#[derive(Debug, Clone)]
pub enum Look {
    Now(Box<Errand>),
    /// Somebody has it until then.
    Later(Timestamp),
    Nothing,
}

/// A wish to work on the task behind a message.
#[derive(Debug, Clone, Copy)]
struct Take {
    message: (TaskId, i32),
    at: Timestamp,
    lease: SignedDuration,
}

/// What came of it.
#[derive(Debug, Clone)]
pub enum Taken {
    Mine(Box<Visit>),
    /// Somebody has it until then.
    Later(Timestamp),
    Nothing,
}

/// A wish to fetch the page of a task.
#[derive(Debug, Clone)]
pub struct Start {
    pub plan: Plan,
    pub policy: Policy,
    pub now: Timestamp,
    /// In [0, 1): picks the gap within the policy's range.
    pub draw: f64,
    /// A slot that opens within this is taken now.
    pub ahead: SignedDuration,
    pub lease: SignedDuration,
}

#[derive(Debug, Clone)]
pub enum Started {
    /// A slot, and the task unless someone else was quicker: then the slot is wasted, never doubled.
    Granted(Slot, Option<Box<Visit>>),
    /// Too early; ask again then.
    Wait(Timestamp),
    /// The circuit is open until then.
    Open(Timestamp),
}

/// A page that was fetched and stored.
#[derive(Debug, Clone)]
pub struct Fetched {
    pub site: Site,
    pub policy: Policy,
    pub report: Report,
    /// A slot that opens within this may be taken next.
    pub ahead: SignedDuration,
    pub hand_on: HandOn,
    /// The release whose message brought us here.
    pub release_no: i32,
    pub now: Timestamp,
}

/// Errands that were read together with the message that asks for them. The claim finds out whether they still
/// hold.
#[derive(Clone, Default)]
struct Ahead(Arc<Mutex<Errands>>);

/// By task and release.
type Errands = HashMap<(TaskId, i32), Box<Errand>>;

impl Ahead {
    /// More than any room works on at once: what nobody came for may be forgotten.
    const MOST: usize = 1_024;

    fn put(&self, errands: impl Iterator<Item = Box<Errand>>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() > Ahead::MOST {
            kept.clear();
        }
        kept.extend(errands.map(|errand| ((errand.plan.id, errand.plan.release_no), errand)));
    }

    fn take(&self, id: TaskId, release_no: i32) -> Option<Box<Errand>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&(id, release_no))
    }
}

/// Cheap to clone; one per room.
#[derive(Clone)]
pub struct Desk {
    looks: Gather<(TaskId, i32, Timestamp), Look>,
    ahead: Ahead,
    takes: Gather<Take, Taken>,
    claims: Gather<Claim, Option<Visit>>,
    releases: Gather<(Site, Timestamp), ()>,
}

/// The crawler's desk: reserve, claim, hand on.
#[derive(Clone)]
pub struct CrawlDesk {
    pub desk: Desk,
    db: Pool,
    gate: Gate,
    extract: Queue,
    together: Option<Together>,
}

impl CrawlDesk {
    pub fn new(db: &Pool, gate: &Gate, crawl: &Queue, extract: &Queue, owner: Uuid) -> CrawlDesk {
        let desk = Desk::new(db, crawl, Stage::Fetch, owner);
        let together = together::of(gate, crawl, extract)
            .map(|(gate, crawl, extract)| Together::new(db, &gate, &crawl, &extract, &desk.ahead, owner));
        CrawlDesk { desk, db: db.clone(), gate: gate.clone(), extract: extract.clone(), together }
    }

    /// Reserves a slot at the site's gate, then claims the task. In this order, so that whoever is put off
    /// finds the task still pending.
    pub async fn start(&self, wish: Start) -> anyhow::Result<Started> {
        if let Some(together) = &self.together
            && let Some(started) = together.start(wish.clone()).await?
        {
            return Ok(started);
        }
        let Start { plan, policy, now, draw, ahead, lease } = wish;
        match self.gate.reserve_ahead(&plan.site, &policy, now, draw, ahead).await? {
            Reserve::Wait(until) => Ok(Started::Wait(until)),
            Reserve::Open(until) => Ok(Started::Open(until)),
            Reserve::Granted(slot) => {
                let visit = self.desk.claim(plan, now, now + lease).await?;
                Ok(Started::Granted(slot, visit.map(Box::new)))
            }
        }
    }

    /// Tells the gate of the request, hands the stored page on to be read, and lets the site's next task out.
    /// Where all of this is one transaction, the message goes with it.
    pub async fn hand_on(&self, done: Fetched) -> anyhow::Result<Verdict> {
        if let Some(together) = &self.together {
            if !together.hand_on(done.clone()).await? {
                self.gate.settle(&done.site, &done.report, done.now).await?;
            }
            return Ok(Verdict::Acknowledged);
        }
        self.gate.settle(&done.site, &done.report, done.now).await?;
        let conn = self.db.conn().await?;
        let number = tasks::hand_on(&*conn, std::slice::from_ref(&done.hand_on)).await?.pop().flatten();
        drop(conn);
        // Without a number our lease ran out, and somebody else has the task.
        if let Some(release_no) = number {
            release::extract(&self.extract, done.hand_on.id, release_no).await?;
        }
        self.desk.release(&done.site, done.now).await?;
        Ok(Verdict::Done)
    }
}

impl Desk {
    /// A desk for the tasks of one stage, claimed in the name of `owner`.
    pub fn new(db: &Pool, crawl: &Queue, stage: Stage, owner: Uuid) -> Desk {
        let pool = db.clone();
        let looks = Gather::new(MOST, move |asked| look(pool.clone(), asked, stage));
        let pool = db.clone();
        let takes = Gather::new(MOST, move |asked| take(pool.clone(), asked, stage, owner));
        let pool = db.clone();
        let claims = Gather::new(MOST, move |claims: Vec<Claim>| {
            let pool = pool.clone();
            async move { tasks::claim_all(&*pool.conn().await?, claims, stage, owner).await }
        });
        let (pool, crawl) = (db.clone(), crawl.clone());
        let releases = Gather::new(MOST, move |asked: Vec<(Site, Timestamp)>| {
            let (pool, crawl) = (pool.clone(), crawl.clone());
            async move {
                let Some(now) = asked.iter().map(|(_, at)| *at).max() else { return Ok(Vec::new()) };
                let sites: Vec<Site> = asked.iter().map(|(site, _)| site.clone()).collect();
                release::sites(&pool, &crawl, &sites, now).await?;
                Ok(vec![(); asked.len()])
            }
        });
        Desk { looks, ahead: Ahead::default(), takes, claims, releases }
    }

    /// What the task behind a message wants, with all that is known of it.
    pub async fn look(&self, id: TaskId, release_no: i32, now: Timestamp) -> anyhow::Result<Look> {
        if let Some(errand) = self.ahead.take(id, release_no) {
            return Ok(Look::Now(errand));
        }
        self.looks.ask((id, release_no, now)).await
    }

    /// Takes the task behind a message for that long.
    pub async fn take(
        &self,
        id: TaskId,
        release_no: i32,
        at: Timestamp,
        lease: SignedDuration,
    ) -> anyhow::Result<Taken> {
        self.takes.ask(Take { message: (id, release_no), at, lease }).await
    }

    /// Takes the task until then. `None`: someone else was quicker.
    pub async fn claim(
        &self,
        plan: Plan,
        at: Timestamp,
        lease_until: Timestamp,
    ) -> anyhow::Result<Option<Visit>> {
        self.claims.ask(Claim { plan, at, lease_until }).await
    }

    /// Releases the next tasks of a site.
    pub async fn release(&self, site: &Site, now: Timestamp) -> anyhow::Result<()> {
        self.releases.ask((site.clone(), now)).await
    }
}

async fn look(db: Pool, asked: Vec<(TaskId, i32, Timestamp)>, stage: Stage) -> anyhow::Result<Vec<Look>> {
    let Some(now) = asked.iter().map(|(_, _, at)| *at).max() else { return Ok(Vec::new()) };
    let messages: Vec<(TaskId, i32)> =
        asked.into_iter().map(|(id, release_no, _)| (id, release_no)).collect();
    let conn = db.conn().await?;
    let found = if stage == Stage::Fetch {
        tasks::errands(&*conn, &messages, now).await?
    } else {
        let wanted = tasks::wanted_all(&*conn, &messages, stage, now).await?;
        wanted.into_iter().map(|wanted| (wanted, None)).collect()
    };
    let look = |(wanted, held)| match wanted {
        Wanted::Now(plan) => Look::Now(Box::new(Errand { plan: *plan, held })),
        Wanted::Later(until) => Look::Later(until),
        Wanted::Nothing => Look::Nothing,
    };
    Ok(found.into_iter().map(look).collect())
}

async fn take(db: Pool, asked: Vec<Take>, stage: Stage, owner: Uuid) -> anyhow::Result<Vec<Taken>> {
    let Some(at) = asked.iter().map(|take| take.at).max() else { return Ok(Vec::new()) };
    let lease = asked.iter().map(|take| take.lease).min().unwrap_or_default();
    let messages: Vec<(TaskId, i32)> = asked.iter().map(|take| take.message).collect();
    let conn = db.conn().await?;
    let mut mine = tasks::take_all(&*conn, &messages, stage, owner, at, at + lease).await?;
    let missed: Vec<(TaskId, i32)> =
        messages.iter().copied().filter(|message| !mine.contains_key(message)).collect();
    let mut others = HashMap::new();
    if !missed.is_empty() {
        others.extend(missed.iter().copied().zip(tasks::wanted_all(&*conn, &missed, stage, at).await?));
    }
    // Of two askers with one message only the first has it.
    Ok(messages
        .iter()
        .map(|message| match (mine.remove(message), others.get(message)) {
            (Some(visit), _) => Taken::Mine(Box::new(visit)),
            (None, Some(Wanted::Later(until))) => Taken::Later(*until),
            // Free again since we asked: the message comes back at once.
            (None, Some(Wanted::Now(_))) => Taken::Later(at),
            (None, Some(Wanted::Nothing) | None) => Taken::Nothing,
        })
        .collect())
}
