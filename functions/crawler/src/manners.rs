//! What must hold before a site is asked for a page: the operator's policy, the hours, and robots.txt.
//!
//! The file is asked for like any page: with a slot of its own at the gate, one hop at a time. What is learnt is
//! kept before anything else happens, and the task stays pending meanwhile: a crash costs a slot, nothing more.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use shared::domain::gate::{Report, Reserve, Slot, retry_after};
use shared::domain::policy::Policy;
use shared::domain::robots;
use shared::domain::robots_access::{Access, Leave};
use shared::domain::site::{Site, site_key};
use shared::egress::{EgressError, Fetched, Hop, Request};
use shared::notify;
use shared::outbound::USER_AGENT;
use shared::room::Verdict;
use shared::store::robots::Kept;
use shared::store::tasks::{self, Plan};
use url::Url;

use crate::{Crawler, LEASE, SIT_OUT, put_off, seen_by, settle};

/// A file takes no longer than this, so that its page still fits into the same delivery.
const FILE_WITHIN: Duration = Duration::from_secs(10);
/// Past this the page is left to the next delivery.
const LONGEST_PRELUDE: SignedDuration = SignedDuration::from_secs(12);

pub enum Entry {
    /// The site may be asked, under this policy.
    Granted(Arc<Policy>),
    /// The task has been dealt with.
    Settled(Verdict),
}

/// May the page of this plan be asked for?
pub async fn enter(room: &Crawler, plan: &Plan) -> anyhow::Result<Entry> {
    let now = room.clock.now();
    let policy = room.policies.of_site(&plan.site, now).await?;
    if !policy.enabled {
        let reason = policy.reason.as_deref().unwrap_or("no reason is given");
        let text = format!("{} is switched off by policy: {reason}", plan.site);
        return refuse(room, plan, "blocked_by_policy", &text).await;
    }
    if let Some(hours) = policy.allowed_hours.filter(|hours| !hours.are_open(now)) {
        let conn = room.db.conn().await?;
        tasks::put_back(&*conn, plan, hours.next_opening(now), now).await?;
        return Ok(Entry::Settled(Verdict::Done));
    }
    let url = plan.pipeline_state["fetch_url"].as_str().unwrap_or(&plan.url);
    match Url::parse(url) {
        Ok(url) if policy.respect_robots_txt => by_robots(room, plan, &policy, &url).await,
        // An address that is none is refused at the door.
        _ => Ok(Entry::Granted(policy)),
    }
}

/// What the site's own file says, asking for it first where it is not known.
async fn by_robots(room: &Crawler, plan: &Plan, policy: &Arc<Policy>, url: &Url) -> anyhow::Result<Entry> {
    let started = room.clock.now();
    let origin = url.origin().ascii_serialization();
    loop {
        let now = room.clock.now();
        let kept = room.robots.of_origin(&origin, now).await?;
        let leave = kept.as_ref().map(|kept| kept.access.leave(url));
        let (file, hops) = match leave {
            Some(Leave::Granted(delay)) => return granted(room, plan, policy, kept.as_deref(), delay).await,
            Some(Leave::Forbidden(rule)) => {
                let text = format!("robots.txt of {origin} does not allow this address: {rule}");
                return refuse(room, plan, "robots_disallowed", &text).await;
            }
            Some(Leave::Unknown { code, why }) => {
                let text =
                    format!("robots.txt of {origin} cannot be read, so nothing there is fetched: {why}");
                return unknown(room, plan, code, &text).await;
            }
            Some(Leave::Ask { url, hops }) => (url.to_owned(), hops),
            None => (format!("{origin}/robots.txt"), 0),
        };
        if now.duration_since(started) > LONGEST_PRELUDE {
            return Ok(Entry::Settled(Verdict::Postpone(now)));
        }
        if hops == 0 && room.web.check(&file).is_err() {
            // The page is refused for the same reason, in its own words.
            return Ok(Entry::Granted(policy.clone()));
        }
        let Ok(site) = Url::parse(&file).map_err(drop).and_then(|file| site_key(&file).map_err(drop)) else {
            let lost = Access::unreadable("bad_redirect", "it redirects to something that is no address");
            room.robots.learn(&origin, lost, now).await?;
            continue;
        };
        let slot = match reserve(room, &site).await? {
            Reserve::Granted(slot) => slot,
            Reserve::Wait(until) => return put_off(room, plan, until).await.map(Entry::Settled),
            Reserve::Open(until) => return settle::circuit_open(room, plan, until).await.map(Entry::Settled),
        };
        let access = ask(room, &site, slot, &file, hops).await?;
        tracing::info!(origin, hops, said = access.word(), "asked for robots.txt");
        room.robots.learn(&origin, access, room.clock.now()).await?;
    }
}

/// The file allows it. Its own request counts for the gap that it asks for.
async fn granted(
    room: &Crawler,
    plan: &Plan,
    policy: &Arc<Policy>,
    kept: Option<&Kept>,
    delay: Option<SignedDuration>,
) -> anyhow::Result<Entry> {
    let Some((delay, kept)) = delay.zip(kept) else { return Ok(Entry::Granted(policy.clone())) };
    let from = kept.read_at + delay;
    if room.clock.now() < from {
        return put_off(room, plan, from).await.map(Entry::Settled);
    }
    Ok(Entry::Granted(Arc::new(policy.spaced(Some(delay)).into_owned())))
}

/// One request for the file. A redirect to where we may not go is a file we cannot read.
async fn ask(room: &Crawler, site: &Site, slot: Slot, file: &str, hops: u32) -> anyhow::Result<Access> {
    // Directly and under our own name, whatever way the pages take: it is about us that the file speaks, and a
    // proxy's rest after the file would hold up the page.
    let request = Request::get(file)
        .header("user-agent", USER_AGENT)
        .header("accept", "text/plain,*/*;q=0.5")
        .at_most(robots::MOST_BYTES + 1);
    let fetching = room.web.fetch(request, |_| Hop::Stop);
    let fetched = tokio::time::timeout(FILE_WITHIN, fetching).await.unwrap_or(Err(EgressError::Timeout));
    let now = room.clock.now();
    let report = Report {
        fence: slot.fence,
        seen_by: seen_by(&fetched, &room.clock),
        failed: match &fetched {
            Ok(fetched) => fetched.status >= 500,
            Err(error) => error.site_failure(),
        },
        pushback: fetched.as_ref().ok().and_then(|fetched| pushback(fetched, now)),
    };
    room.gate.settle(site, &report, now).await?;
    Ok(match &fetched {
        Ok(Fetched { redirect_to: Some(next), .. }) => Access::moved(next, hops),
        Ok(fetched) => Access::of_answer(fetched.status, &fetched.body),
        Err(error) => Access::unreadable(error.code(), &error.to_string()),
    })
}

fn pushback(fetched: &Fetched, now: Timestamp) -> Option<Option<SignedDuration>> {
    let wait = || fetched.headers.retry_after.as_deref().and_then(|value| retry_after(value, now));
    matches!(fetched.status, 429 | 503).then(wait)
}

/// A slot for the file, which may be on another site than the page; short waits are sat out.
async fn reserve(room: &Crawler, site: &Site) -> anyhow::Result<Reserve> {
    let give_up = room.clock.now() + SIT_OUT;
    loop {
        let now = room.clock.now();
        let policy = room.policies.of_site(site, now).await?;
        match room.gate.reserve(site, &policy, now, rand::random::<f64>()).await? {
            Reserve::Wait(until) if until <= give_up => {
                let nap = Duration::try_from(until.duration_since(now)).unwrap_or_default();
                tokio::time::sleep(nap).await;
            }
            // Too late to connect within it: it is void.
            Reserve::Granted(slot) if room.clock.now() + room.connect_limit > slot.send_by => {
                return Ok(Reserve::Wait(slot.send_by));
            }
            decision => return Ok(decision),
        }
    }
}

/// The task ends here, and lets the site's next one out.
async fn refuse(room: &Crawler, plan: &Plan, code: &str, text: &str) -> anyhow::Result<Entry> {
    let now = room.clock.now();
    settle::refuse(room, plan, code, text, now).await?;
    room.desk.desk.release(&plan.site, now).await?;
    notify::task(&room.db, &room.notify, plan, now).await;
    Ok(Entry::Settled(Verdict::Done))
}

/// Nobody knows what the file says: the task has failed as if the site had, and may be tried again if its
/// kind is.
async fn unknown(room: &Crawler, plan: &Plan, code: &str, text: &str) -> anyhow::Result<Entry> {
    let now = room.clock.now();
    let claimed = room.desk.desk.claim(plan.clone(), now, now + LEASE).await?;
    if let Some(visit) = claimed {
        settle::fail(room, &visit, code, text, now).await?;
        room.desk.desk.release(&plan.site, now).await?;
        notify::task(&room.db, &room.notify, plan, now).await;
    }
    Ok(Entry::Settled(Verdict::Done))
}
