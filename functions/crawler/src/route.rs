//! The way a request takes, and the face it shows: direct under our own name, unless the operator set
//! proxies or profiles.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use shared::domain::gate::Slot;
use shared::domain::policy::Policy;
use shared::domain::profile::{Identity, Kind, Profile};
use shared::domain::proxy::{Choice, PROBE_EVERY};
use shared::domain::region::Region;
use shared::domain::site::Site;
use shared::egress::{EgressError, Fetched, Hop, Request, Route};
use shared::outbound::USER_AGENT;
use shared::proxies;
use shared::room::Verdict;
use shared::store::tasks::Plan;

use crate::{Crawler, SIT_OUT, settle};

/// Ways tried with one slot, while it lasts: a proxy that fails before the site has heard of us uses none up.
const WAYS: usize = 3;

/// The latest profile that was shown, so that the next one differs.
#[derive(Default)]
pub struct Faces(Mutex<Option<Profile>>);

impl Faces {
    fn next(&self, region: Option<Region>) -> Profile {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = Profile::draw(Kind::Any, region, rand::random(), latest.as_ref());
        *latest = Some(drawn.clone());
        drawn
    }
}

pub enum Look {
    Go,
    Wait(Timestamp),
    NoneHealthy,
}

/// Is there a way to the site now? Asked before its slot is, so that no slot is wasted on a wait.
pub async fn look(room: &Crawler, site: &Site) -> anyhow::Result<Look> {
    let give_up = room.clock.now() + SIT_OUT;
    loop {
        let now = room.clock.now();
        match room.proxies.look(site, now).await? {
            Choice::Direct | Choice::Use(_) => return Ok(Look::Go),
            Choice::NoneHealthy => return Ok(Look::NoneHealthy),
            Choice::Wait(until) if until <= give_up => {
                tokio::time::sleep(until.duration_since(now).unsigned_abs()).await;
            }
            Choice::Wait(until) => return Ok(Look::Wait(until)),
        }
    }
}

/// Every proxy is down: whoever waits is told, the others wait for the next probe.
pub async fn none_healthy(room: &Crawler, plan: &Plan) -> anyhow::Result<Verdict> {
    let until = room.clock.now() + PROBE_EVERY;
    tracing::warn!("no healthy proxies");
    settle::cannot_go(room, plan, "no_healthy_proxies", "No healthy proxies available", Some(until)).await
}

/// Sends the request by the next way, and by another when that one fails on this side of the site.
pub async fn fetch(
    room: &Crawler,
    site: &Site,
    policy: &Policy,
    slot: &Slot,
    request: Request,
) -> anyhow::Result<(Route, Result<Fetched, EgressError>)> {
    let failed = |reason: &str| Err(EgressError::ProxyFailed { reason: reason.to_owned() });
    let mut latest = (Route::Direct, failed("none of them is free for this site"));
    for way in 0..WAYS {
        let now = room.clock.now();
        if way > 0 && now + room.connect_limit > slot.send_by {
            return Ok(latest); // connecting may take its whole limit, and the slot would be over
        }
        let route = match room.proxies.take(site, now).await? {
            Choice::Direct => Route::Direct,
            Choice::Use(at) => Route::Proxy(at),
            Choice::Wait(_) => return Ok(latest),
            Choice::NoneHealthy => return Ok((latest.0, failed("none of them is healthy"))),
        };
        let dressed = dress(room, policy, route, request.clone()).via(route);
        let fetched = room.web.fetch(dressed, |_| Hop::Stop).await;
        if let Some(used) = proxies::used(&fetched) {
            room.proxies.report(route, used, site, room.clock.now()).await?;
        }
        let again = fetched.as_ref().is_err_and(EgressError::is_route_failure);
        latest = (route, fetched);
        if !again {
            break;
        }
    }
    Ok(latest)
}

/// Who we say we are: the site's policy decides, else the settings.
fn dress(room: &Crawler, policy: &Policy, route: Route, request: Request) -> Request {
    match policy.identity.unwrap_or(room.identity) {
        Identity::Own => request
            .header("user-agent", USER_AGENT)
            .header("accept", "text/html,application/xhtml+xml,*/*;q=0.5"),
        Identity::Profile => {
            let face = room.faces.next(room.proxies.region(route));
            face.headers().into_iter().fold(request, |request, (name, value)| request.header(name, value))
        }
    }
}

/// For the log: a proxy by its place, never by its name.
pub fn word(route: Route) -> String {
    match route {
        Route::Direct => "direct".to_owned(),
        Route::Proxy(at) => at.to_string(),
    }
}
