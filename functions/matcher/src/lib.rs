//! The matcher: one message, a stretch of one run. It scores pairs of people and jobs a step at a time; a step's scores
//! and the place where the next one begins are stored together, so that a crash repeats nothing and loses nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use shared::clock::Clock;
use shared::domain::ids::ListingId;
use shared::domain::roles::factors::Rarity;
use shared::domain::roles::matching::{self as rules, Job, Person, WORTH, Weights};
use shared::house::{House, QueueName};
use shared::matching;
use shared::messages::MatchJob;
use shared::queue::Queue;
use shared::room::Verdict;
use shared::store::matches::{self, Run, Scored, Step, Work};
use shared::store::{Db, Pool};
use tracing::instrument;
use uuid::Uuid;

/// Pairs that are scored between two commits: a second of work, and memory for their explanations.
const PAIRS: usize = 20_000;
const MOST_PEOPLE: usize = 1_000;
const MOST_JOBS: i64 = 1_000;
/// After this long the rest is left to the next message, well within the function's time.
const STRETCH: Duration = Duration::from_secs(45);

/// What the matcher needs.
pub struct Matcher {
    pub db: Pool,
    pub matches: Queue,
    pub clock: Clock,
    pub weights: Weights,
    /// How long one message may go on.
    pub stretch: Duration,
}

impl Matcher {
    pub async fn new(house: &House) -> anyhow::Result<Matcher> {
        Ok(Matcher {
            db: house.db(Duration::from_secs(5)).await?,
            matches: house.queue(QueueName::Match)?,
            clock: Clock::System,
            weights: house.scrapers()?.weights,
            stretch: STRETCH,
        })
    }
}

/// One message: step after step until the run has ended or the time is up.
#[instrument(name = "matcher", skip_all, fields(run.id = %job.run_id))]
pub async fn score(room: &Matcher, job: MatchJob) -> anyhow::Result<Verdict> {
    let begun = Instant::now();
    let rarity = Arc::new(matches::rarity(&*room.db.conn().await?).await?);
    let mut jobs: Option<Arc<Vec<(ListingId, Job)>>> = None;
    loop {
        let conn = room.db.conn().await?;
        let Some(run) = matches::find_run(&*conn, job.run_id).await? else {
            return Ok(Verdict::Done); // it has ended, or what it was about is gone
        };
        if begun.elapsed() >= room.stretch {
            drop(conn);
            matching::go_on(&room.matches, run.id, run.cursor).await?;
            return Ok(Verdict::Done);
        }
        let stretch = match &run.work {
            Work::Jobs { role, listings } => {
                let jobs = match &jobs {
                    Some(jobs) => jobs.clone(),
                    None => jobs.insert(Arc::new(matches::jobs(&*conn, listings).await?)).clone(),
                };
                some_people(&*conn, *role, &run, jobs).await?
            }
            Work::Candidate(candidate) => some_jobs(&*conn, *candidate, &run).await?,
        };
        drop(conn);
        if !step(room, &run, stretch, &rarity).await? {
            return Ok(Verdict::Done); // somebody else works on this run; the sweep watches over it
        }
    }
}

/// The pairs of one step, and where the next begins.
struct Stretch {
    people: Vec<(Uuid, Person)>,
    jobs: Arc<Vec<(ListingId, Job)>>,
    /// What brought people and jobs together: one role, or one for each job.
    roles: Vec<i32>,
    cursor: Uuid,
    ended: bool,
}

async fn some_people(
    db: &impl Db,
    role: i32,
    run: &Run,
    jobs: Arc<Vec<(ListingId, Job)>>,
) -> anyhow::Result<Stretch> {
    let most = (PAIRS / jobs.len().max(1)).clamp(1, MOST_PEOPLE);
    let people = matches::people(db, role, run.cursor, i64::try_from(most)?).await?;
    let cursor = people.last().map_or(run.cursor, |(id, _)| *id);
    Ok(Stretch { ended: people.len() < most, people, jobs, roles: vec![role], cursor })
}

async fn some_jobs(db: &impl Db, candidate: Uuid, run: &Run) -> anyhow::Result<Stretch> {
    let people: Vec<_> = matches::one_person(db, candidate).await?.into_iter().collect();
    let (jobs, roles) = matches::jobs_of_candidate(db, candidate, run.cursor, MOST_JOBS).await?;
    let cursor = jobs.last().map_or(run.cursor, |(id, _)| id.0);
    let ended = i64::try_from(jobs.len())? < MOST_JOBS || people.is_empty();
    Ok(Stretch { people, jobs: Arc::new(jobs), roles, cursor, ended })
}

/// Scores and stores one step. `false`: somebody else does the same one, and wins.
async fn step(room: &Matcher, run: &Run, stretch: Stretch, rarity: &Arc<Rarity>) -> anyhow::Result<bool> {
    let now = room.clock.now();
    let Stretch { people, jobs, roles, cursor, ended } = stretch;
    let ids: Vec<Uuid> = people.iter().map(|(id, _)| *id).collect();
    let listings: Vec<ListingId> = jobs.iter().map(|(id, _)| *id).collect();
    let (rarity, weights) = (rarity.clone(), room.weights);
    // Off the threads that others wait on.
    let worth = tokio::task::spawn_blocking(move || {
        let mut worth = Vec::new();
        for (candidate, person) in &people {
            for (at, (listing, job)) in jobs.iter().enumerate() {
                let score = rules::score(person, job, &rarity, &weights, now);
                if let Some(score) = score.filter(|score| score.total >= WORTH) {
                    let role = roles.get(at).or(roles.last()).copied();
                    worth.push(Scored { candidate: *candidate, listing: *listing, role, score });
                }
            }
        }
        worth
    })
    .await
    .context("scoring")?;
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    let done = Step { people: &ids, listings: &listings, worth: &worth, cursor, ended };
    if !matches::settle(&transaction, run, &done, now).await? {
        return Ok(false);
    }
    transaction.commit().await?;
    tracing::info!(pairs = ids.len() * listings.len(), matches = worth.len(), ended, "scored");
    Ok(true)
}

/// Starts the Lambda runtime's room.
pub async fn of_lambda() -> anyhow::Result<Matcher> {
    Matcher::new(&House::of_lambda().await?).await.context("starting the matcher")
}
