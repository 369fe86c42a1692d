//! On one machine the tasks, the queues and the gate are in one database: what a worker does before its request
//! is one transaction, and what it does after it another, each shared with all workers of the process.

use std::collections::{HashMap, HashSet};

use anyhow::Context;
use jiff::Timestamp;
use uuid::Uuid;

use super::{Ahead, Errand, Fetched, Start, Started};
use crate::domain::gate::{Reserve, SiteState, reserve_ahead, settle};
use crate::domain::ids::TaskId;
use crate::domain::site::Site;
use crate::gate::{Gate, PgGate, Swap, Versioned};
use crate::gather::Gather;
use crate::messages::{CrawlJob, CrawlMessage, ExtractJob};
use crate::queue::{Delivery, Outgoing, PgQueue};
use crate::store::Pool;
use crate::store::tasks::{self, Claim, Entry, HandOn, Wanted};

const MOST: usize = 64;

#[derive(Clone)]
pub struct Together {
    starts: Gather<Start, Option<Started>>,
    fetched: Gather<Fetched, bool>,
}

#[derive(Clone)]
struct Parts {
    db: Pool,
    gate: PgGate,
    crawl: PgQueue,
    extract: PgQueue,
    ahead: Ahead,
    owner: Uuid,
}

impl Together {
    pub fn new(
        db: &Pool,
        gate: &PgGate,
        crawl: &PgQueue,
        extract: &PgQueue,
        ahead: &Ahead,
        owner: Uuid,
    ) -> Together {
        let parts = Parts {
            db: db.clone(),
            gate: gate.clone(),
            crawl: crawl.clone(),
            extract: extract.clone(),
            ahead: ahead.clone(),
            owner,
        };
        let copy = parts.clone();
        let starts = Gather::new(MOST, move |asked| start(copy.clone(), asked));
        let fetched = Gather::new(MOST, move |done| hand_on(parts.clone(), done));
        Together { starts, fetched }
    }

    /// A slot and the task. `None`: the gate has changed under our hands; ask it alone.
    pub async fn start(&self, wish: Start) -> anyhow::Result<Option<Started>> {
        self.starts.ask(wish).await
    }

    /// Everything that follows a stored page. `false`: the gate has not heard of the request.
    pub async fn hand_on(&self, done: Fetched) -> anyhow::Result<bool> {
        self.fetched.ask(done).await
    }
}

/// The states of these sites: as we left them, else as they are stored.
async fn states<'a>(
    gate: &PgGate,
    db: &impl crate::store::Db,
    sites: impl Iterator<Item = &'a Site>,
    now: Timestamp,
) -> anyhow::Result<HashMap<Site, (Versioned, bool)>> {
    let mut found = HashMap::new();
    let mut unknown = Vec::new();
    for site in sites {
        match gate.known.get(site, now) {
            Some(state) => {
                found.insert(site.clone(), (state, true));
            }
            None => unknown.push(site.as_str()),
        }
    }
    if !unknown.is_empty() {
        unknown.sort_unstable();
        unknown.dedup();
        let read = crate::gate::load_all(db, &unknown).await?;
        found.extend(read.into_iter().map(|(site, state)| (site, (state, false))));
    }
    Ok(found)
}

async fn start(parts: Parts, wishes: Vec<Start>) -> anyhow::Result<Vec<Option<Started>>> {
    let now = wishes.iter().map(|wish| wish.now).max().context("somebody asked")?;
    let conn = parts.db.conn().await?;
    let states = states(&parts.gate, &*conn, wishes.iter().map(|wish| &wish.plan.site), now).await?;
    let (mut answers, mut swaps, mut claims, mut taken) =
        (Vec::new(), Vec::new(), Vec::new(), HashSet::new());
    for wish in &wishes {
        let site = &wish.plan.site;
        let Some((held, from_memory)) = states.get(site).filter(|_| taken.insert(site.clone())) else {
            answers.push(None); // two wishes for one site: the second asks alone
            continue;
        };
        let (decision, next) = reserve_ahead(&held.state, &wish.policy, now, wish.draw, wish.ahead);
        answers.push(match (decision, next) {
            (Reserve::Granted(slot), Some(state)) => {
                swaps.push(Swap::new(site, held.version, state, now)?);
                claims.push(Claim { plan: wish.plan.clone(), at: now, lease_until: now + wish.lease });
                Some(Started::Granted(slot, None))
            }
            // A refusal is believed only when it was read.
            _ if *from_memory => None,
            (Reserve::Wait(until), _) => Some(Started::Wait(until)),
            (Reserve::Open(until), _) => Some(Started::Open(until)),
            (Reserve::Granted(_), None) => None,
        });
    }
    if swaps.is_empty() {
        return Ok(answers);
    }
    let mut entries: Vec<Entry<'_>> =
        swaps.iter().zip(&claims).map(|(swap, claim)| swap.with(claim)).collect();
    entries.sort_unstable_by_key(|entry| entry.site);
    let granted = tasks::start(&*conn, &entries, parts.owner).await?;
    let won: Vec<bool> = swaps.iter().map(|swap| granted.contains_key(swap.site.as_str())).collect();
    remember(&parts.gate, swaps, &won, now);
    let mut claims = claims.into_iter();
    Ok(answers
        .into_iter()
        .map(|answer| match answer {
            Some(Started::Granted(slot, _)) => {
                let claim = claims.next()?;
                let claimed = granted.get(claim.plan.site.as_str())?;
                Some(Started::Granted(slot, claimed.map(|won| Box::new(claim.won(won)))))
            }
            other => other,
        })
        .collect())
}

fn remember(gate: &PgGate, swaps: Vec<Swap>, won: &[bool], now: Timestamp) {
    for (swap, won) in swaps.into_iter().zip(won) {
        if *won {
            gate.known.set(&swap.site, Versioned { state: swap.state, version: swap.version + 1 }, now);
        } else {
            gate.known.forget(&swap.site);
        }
    }
}

async fn hand_on(parts: Parts, done: Vec<Fetched>) -> anyhow::Result<Vec<bool>> {
    let now = done.iter().map(|one| one.now).max().context("somebody asked")?;
    let mut conn = parts.db.conn().await?;
    let states = states(&parts.gate, &*conn, done.iter().map(|one| &one.site), now).await?;
    let moves: Vec<HandOn> = done.iter().map(|one| one.hand_on.clone()).collect();
    let mut windows: Vec<(&str, u16)> =
        done.iter().map(|one| (one.site.as_str(), one.policy.window)).collect();
    windows.sort_unstable();
    windows.dedup_by_key(|window| window.0);
    let names: Vec<&str> = windows.iter().map(|window| window.0).collect();
    let heard_of = done
        .iter()
        .map(|one| CrawlJob { task_id: one.hand_on.id, release_no: one.release_no }.outgoing(&one.site))
        .collect::<anyhow::Result<Vec<Outgoing>>>()?;

    let transaction = conn.transaction().await?;
    // None of these needs the answer of another: they go out in one breath.
    let (numbers, acked, locked) = futures_util::join!(
        tasks::hand_on(&transaction, &moves),
        parts.crawl.ack_in(&transaction, &heard_of),
        tasks::lock_sites(&transaction, &names),
    );
    let numbers = numbers?;
    acked.and(locked)?;
    let to_read = moves
        .iter()
        .zip(&numbers)
        .filter_map(|(one, number)| Some(ExtractJob { task_id: one.id, release_no: (*number)? }.outgoing()))
        .collect::<anyhow::Result<Vec<Outgoing>>>()?;
    let next = tasks::release(&transaction, &windows, now).await?;
    let to_fetch = next
        .iter()
        .map(|next| CrawlJob { task_id: next.id, release_no: next.release_no }.outgoing(&next.site))
        .collect::<anyhow::Result<Vec<Outgoing>>>()?;
    let (read, fetch, taken) = futures_util::join!(
        parts.extract.send_in(&transaction, &to_read),
        parts.crawl.send_in(&transaction, &to_fetch),
        // The site's next message is ours as well, with what its task wants.
        parts.crawl.take_next_in(&transaction, &names),
    );
    read.and(fetch)?;
    let (asked, taken) = taken?;
    let mut told = Told::default();
    for one in &done {
        let goes_on = taken.iter().any(|delivery| delivery.group == one.site.as_str());
        told.hear(one, states.get(&one.site).map(|(held, _)| held), goes_on, now)?;
    }
    let jobs = crawl_jobs(&taken);
    let (won, errands) = futures_util::join!(
        async {
            if told.swaps.is_empty() {
                return Ok(Vec::new());
            }
            crate::gate::swap_all(&transaction, &told.swaps).await
        },
        async {
            if jobs.is_empty() {
                return Ok(Vec::new());
            }
            tasks::errands(&transaction, &jobs, now).await
        },
    );
    let (won, errands) = (won?, errands?);
    transaction.commit().await?;

    parts.ahead.put(errands.into_iter().filter_map(|(wanted, held)| match wanted {
        Wanted::Now(plan) => Some(Box::new(Errand { plan: *plan, held })),
        Wanted::Later(_) | Wanted::Nothing => None,
    }));
    for (site, state) in told.kept {
        parts.gate.known.set(&site, state, now);
    }
    remember(&parts.gate, told.swaps, &won, now);
    parts.crawl.taken(&asked, taken);
    parts.extract.stirred();
    parts.crawl.stirred();
    let mut won = won.into_iter();
    Ok(told
        .heard
        .into_iter()
        .map(|heard| match heard {
            Heard::Kept => true,
            Heard::Swapped => won.next().unwrap_or_default(),
            Heard::Not => false,
        })
        .collect())
}

/// What the gates are told of requests that went well.
#[derive(Default)]
struct Told {
    swaps: Vec<Swap>,
    kept: Vec<(Site, Versioned)>,
    heard: Vec<Heard>,
}

enum Heard {
    Swapped,
    Kept,
    Not,
}

impl Told {
    /// When the site's next task is ours and its slot will be granted at once, the news can wait for that grant:
    /// what is stored until then only makes others wait longer, and a crash in between too. News that must slow
    /// others down never waits.
    fn hear(
        &mut self,
        one: &Fetched,
        held: Option<&Versioned>,
        goes_on: bool,
        now: Timestamp,
    ) -> anyhow::Result<()> {
        let twice = self.swaps.iter().any(|swap| swap.site == one.site)
            || self.kept.iter().any(|(site, _)| *site == one.site);
        let Some(held) = held.filter(|_| !twice) else {
            self.heard.push(Heard::Not);
            return Ok(());
        };
        let state = settle(&held.state, &one.report, now);
        let sees = |state: &SiteState| state.circuit.blind_since().is_none();
        let went_well =
            !one.report.failed && one.report.pushback.is_none() && sees(&held.state) && sees(&state);
        let granted = || {
            let (decision, _) = reserve_ahead(&state, &one.policy, now, 0.0, one.ahead / 2);
            matches!(decision, Reserve::Granted(_))
        };
        if goes_on && held.version > 0 && went_well && granted() {
            self.kept.push((one.site.clone(), Versioned { state, version: held.version }));
            self.heard.push(Heard::Kept);
        } else {
            self.swaps.push(Swap::new(&one.site, held.version, state, now)?);
            self.heard.push(Heard::Swapped);
        }
        Ok(())
    }
}

/// The tasks and releases that these messages name.
fn crawl_jobs(taken: &[Delivery]) -> Vec<(TaskId, i32)> {
    let job = |delivery: &Delivery| match serde_json::from_str(&delivery.body) {
        Ok(CrawlMessage::Crawl(job)) => Some((job.task_id, job.release_no)),
        Ok(CrawlMessage::Rendered(_)) | Err(_) => None,
    };
    taken.iter().filter_map(job).collect()
}

/// The parts of a house that is all in one database.
pub fn of(
    gate: &Gate,
    crawl: &crate::queue::Queue,
    extract: &crate::queue::Queue,
) -> Option<(PgGate, PgQueue, PgQueue)> {
    use crate::queue::Queue;
    match (gate, crawl, extract) {
        (Gate::Postgres(gate), Queue::Postgres(crawl), Queue::Postgres(extract)) if crawl.is_owned() => {
            Some((gate.clone(), crawl.clone(), extract.clone()))
        }
        _ => None,
    }
}
