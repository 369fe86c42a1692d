//! On one machine the tasks, the queues and the gate are in one database: what a worker does before its request
//! is one transaction, and what it does after it another, each shared with all workers of the process.

use std::collections::{HashMap, HashSet};

use anyhow::Context;
use jiff::Timestamp;
use uuid::Uuid;

use super::{Fetched, Start, Started};
use crate::domain::gate::{Reserve, reserve_ahead, settle};
use crate::domain::site::Site;
use crate::gate::{Gate, PgGate, Swap, Versioned};
use crate::gather::Gather;
use crate::messages::{CrawlJob, ExtractJob};
use crate::queue::{Outgoing, PgQueue};
use crate::store::Pool;
use crate::store::tasks::{self, Claim, Entry, HandOn};

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
    owner: Uuid,
}

impl Together {
    pub fn new(db: &Pool, gate: &PgGate, crawl: &PgQueue, extract: &PgQueue, owner: Uuid) -> Together {
        let parts = Parts {
            db: db.clone(),
            gate: gate.clone(),
            crawl: crawl.clone(),
            extract: extract.clone(),
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
    let (mut swaps, mut heard) = (Vec::new(), Vec::new());
    for one in &done {
        let fresh = !swaps.iter().any(|swap: &Swap| swap.site == one.site);
        match states.get(&one.site).filter(|_| fresh) {
            Some((held, _)) => {
                swaps.push(Swap::new(&one.site, held.version, settle(&held.state, &one.report, now), now)?);
                heard.push(true);
            }
            None => heard.push(false),
        }
    }
    let moves: Vec<HandOn> = done.iter().map(|one| one.hand_on.clone()).collect();
    let mut windows: Vec<(&str, u16)> = done.iter().map(|one| (one.site.as_str(), one.window)).collect();
    windows.sort_unstable();
    windows.dedup_by_key(|window| window.0);
    let names: Vec<&str> = windows.iter().map(|window| window.0).collect();
    let heard_of = done
        .iter()
        .map(|one| CrawlJob { task_id: one.hand_on.id, release_no: one.release_no }.outgoing(&one.site))
        .collect::<anyhow::Result<Vec<Outgoing>>>()?;

    let transaction = conn.transaction().await?;
    // None of these needs the answer of another: they go out in one breath.
    let (won, numbers, acked, locked) = futures_util::join!(
        crate::gate::swap_all(&transaction, &swaps),
        tasks::hand_on(&transaction, &moves),
        parts.crawl.ack_in(&transaction, &heard_of),
        tasks::lock_sites(&transaction, &names),
    );
    let (won, numbers) = (won?, numbers?);
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
    let (read, fetch) = futures_util::join!(
        parts.extract.send_in(&transaction, &to_read),
        parts.crawl.send_in(&transaction, &to_fetch),
    );
    read.and(fetch)?;
    transaction.commit().await?;

    parts.extract.stirred();
    parts.crawl.stirred();
    remember(&parts.gate, swaps, &won, now);
    let mut won = won.into_iter();
    Ok(heard.into_iter().map(|heard| heard && won.next().unwrap_or_default()).collect())
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
