//! Pages that need a browser. The crawler keeps everything that counts: it reserves the slot, claims the task,
//! sends the page to a renderer, and judges and settles what came of it. A renderer that is never heard of costs
//! a slot; the lease runs out and the sweep brings the task back.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use shared::blobs::{BlobKey, content_hash};
use shared::domain::gate::{Report, Slot, retry_after};
use shared::domain::needs::needs_browser;
use shared::domain::policy::{Policy, Rendering};
use shared::domain::profile::{Identity, Kind, Profile};
use shared::domain::proxy::{Choice, Used};
use shared::domain::render::{self, Fault, Outcome as Shown, RENDERING, Sight, Wish};
use shared::domain::task::MAX_CRASHES;
use shared::domain::wall;
use shared::egress::Route;
use shared::messages::{RenderJob, Rendered};
use shared::notify;
use shared::room::Verdict;
use shared::store::pages::{self, Page};
use shared::store::renderers;
use shared::store::tasks::{self, Plan, Visit};

use crate::judge::{self, NewPage, Outcome};
use crate::login::Login;
use crate::{Crawler, SIT_OUT, is_data, settle};

/// From the slot to the navigation: a browser must be free, and may have to be started.
const BUDGET_MS: u32 = 30_000;
/// How long a page may take.
const PAGE_WITHIN: SignedDuration = SignedDuration::from_secs(25);
/// Past the deadline of any page that was sent, with time for the answer.
pub const LEASE: SignedDuration = SignedDuration::from_secs(62);

/// The way a page takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Plain,
    Browser,
}

/// Why a page that must be rendered cannot be.
pub struct Cannot {
    code: &'static str,
    text: &'static str,
}

const NO_BROWSER: Cannot = Cannot {
    code: "no_browser",
    text: "this page is to be rendered, and there is no browser here: see `scripts/setup browser`",
};
const WITH_LOGIN: Cannot = Cannot {
    code: "render_with_login",
    text: "pages behind a login are not rendered: a browser that runs foreign scripts is given no secret",
};
const BY_PROXY: Cannot = Cannot {
    code: "render_by_proxy",
    text: "pages are not rendered by way of a proxy here: the renderer has no secret to log in with",
};

/// Which way the page of this plan takes: what the caller says, else the policy, and in doubt the plain one.
pub async fn way(
    room: &Crawler,
    plan: &Plan,
    policy: &Policy,
    login: &Login,
) -> anyhow::Result<Result<Way, Cannot>> {
    if is_data(plan) {
        return Ok(Ok(Way::Plain)); // a list is data, or is read as it stands
    }
    let wish = Wish::of(&plan.pipeline_state);
    let mode = wish.render.unwrap_or(policy.render);
    let must = mode == Rendering::Always || wish.needs_browser();
    if mode == Rendering::Never {
        return Ok(Ok(Way::Plain));
    }
    let url = plan.pipeline_state["fetch_url"].as_str().unwrap_or(&plan.url);
    if room.web.check(url).is_err() {
        return Ok(Ok(Way::Plain)); // it is refused there, with its reason
    }
    let wanted = must
        || render::was_needed(&plan.pipeline_state)
        || room.render_memory.needs(&plan.site, room.clock.now()).await?;
    if !wanted {
        return Ok(Ok(Way::Plain));
    }
    match hindrance(room, login.is_worn()) {
        None => Ok(Ok(Way::Browser)),
        Some(cannot) if must => Ok(Err(cannot)),
        Some(_) => Ok(Ok(Way::Plain)),
    }
}

fn hindrance(room: &Crawler, login: bool) -> Option<Cannot> {
    if room.render.is_none() {
        return Some(NO_BROWSER);
    }
    if login {
        return Some(WITH_LOGIN);
    }
    (!room.proxies.is_empty() && !room.browsers_by_proxy).then_some(BY_PROXY)
}

/// The task ends with that cause: waiting would not help.
pub async fn cannot(room: &Crawler, plan: &Plan, why: &Cannot) -> anyhow::Result<Verdict> {
    let verdict = settle::cannot_go(room, plan, why.code, why.text, None).await?;
    notify::task(&room.db, &room.notify, plan, room.clock.now()).await;
    Ok(verdict)
}

/// The site's policy with time to find a browser within the slot. Should we die, the site is left alone for
/// longer, never shorter.
pub fn patient(policy: &Policy) -> Policy {
    Policy { connect_budget_ms: policy.connect_budget_ms.max(BUDGET_MS), ..policy.clone() }
}

/// Why a plain page should be shown in a browser instead, if it should and can.
pub fn wanted_for(
    room: &Crawler,
    visit: &Visit,
    policy: &Policy,
    login: &Login,
    page: &NewPage,
) -> Option<&'static str> {
    let wish = Wish::of(&visit.plan.pipeline_state);
    let auto = wish.render.unwrap_or(policy.render) == Rendering::Auto;
    let auto = auto && !is_data(&visit.plan);
    if !auto || render::was_needed(&visit.plan.pipeline_state) || hindrance(room, login.is_worn()).is_some() {
        return None;
    }
    needs_browser(&page.body, page.content_type.as_deref())
}

/// The same of a page that we hold and that has not changed, when nothing could be read from it.
pub async fn wanted_for_held(
    room: &Crawler,
    visit: &Visit,
    held: &Page,
) -> anyhow::Result<Option<&'static str>> {
    let plan = &visit.plan;
    let mode = Wish::of(&plan.pipeline_state).render;
    let mode = mode.unwrap_or(room.policies.of_site(&plan.site, room.clock.now()).await?.render);
    let login = plan.private_to().is_some();
    if mode != Rendering::Auto || render::was_needed(&plan.pipeline_state) || hindrance(room, login).is_some()
    {
        return Ok(None);
    }
    let Some(key) = &held.raw_key else { return Ok(None) };
    let conn = room.db.conn().await?;
    let reading = pages::reading(&*conn, &plan.url_key, &plan.target_type).await?;
    drop(conn);
    if reading.is_none_or(|reading| reading.result.is_some()) {
        return Ok(None);
    }
    let Some(body) = room.blobs.get(&BlobKey::stored(key)?).await? else { return Ok(None) };
    Ok(needs_browser(&body, held.content_type.as_deref()))
}

/// The plain page says nothing: the task goes back, and comes again with a slot for a browser.
pub async fn put_back(room: &Crawler, visit: &Visit, why: &str, report: &Report) -> anyhow::Result<()> {
    let site = &visit.plan.site;
    room.gate.settle(site, report, room.clock.now()).await?;
    let conn = room.db.conn().await?;
    tasks::move_site(&*conn, visit, site, &render::needed(why)).await?;
    drop(conn);
    tracing::info!(why, "the page needs a browser");
    room.desk.desk.release(site, room.clock.now()).await
}

/// A claimed task with its slot: sends the page to a renderer.
pub async fn hand_over(room: &Crawler, visit: &Visit, policy: &Policy, slot: Slot) -> anyhow::Result<()> {
    let site = &visit.plan.site;
    let Some(queue) = &room.render else { anyhow::bail!("there is no queue to renderers") };
    if visit.crashes >= MAX_CRASHES {
        settle::quarantine(room, visit).await?;
        return room.desk.desk.release(site, room.clock.now()).await;
    }
    let now = room.clock.now();
    let proxy = match room.proxies.take(site, now).await? {
        Choice::Direct => None,
        Choice::Use(at) => Some(at),
        // Taken since we looked: the slot is wasted, and the task waits for another.
        Choice::Wait(_) | Choice::NoneHealthy => return back(room, visit).await,
    };
    let conn = room.db.conn().await?;
    let ours = tasks::note(&*conn, visit, &json!({ RENDERING: true })).await?;
    drop(conn);
    if !ours {
        return Ok(());
    }
    let wish = Wish::of(&visit.plan.pipeline_state);
    let job = RenderJob {
        task_id: visit.plan.id,
        release_no: visit.plan.release_no,
        fence: visit.fence,
        slot: slot.fence,
        site: site.clone(),
        sight: Sight {
            url: visit.fetch_url().to_owned(),
            face: face(room, policy, proxy),
            wait_for_selector: wish.wait_for_selector,
            max_scrolls: wish.max_scrolls,
            images: wish.images,
        },
        proxy,
        request_id: visit.plan.request_id,
        not_before: slot.at,
        navigate_by: slot.send_by - room.connect_limit,
        deadline: slot.send_by.min(now + SignedDuration::from_millis(i64::from(BUDGET_MS))) + PAGE_WITHIN,
    };
    queue.send(&[job.outgoing()?]).await
}

/// Does the gate make us wait only because it does not know yet when a browser's navigation is made? Then the wait
/// is shorter than it looks.
pub async fn is_in_the_way(room: &Crawler, plan: &Plan, until: Timestamp) -> anyhow::Result<bool> {
    let now = room.clock.now();
    if until.duration_since(now) <= SIT_OUT {
        return Ok(false);
    }
    tasks::is_rendering(&*room.db.conn().await?, &plan.site, now).await
}

/// The task waits in the table, and not as a message that blocks its site: whoever settles the rendered page
/// releases it.
pub async fn step_aside(room: &Crawler, plan: &Plan) -> anyhow::Result<Verdict> {
    let now = room.clock.now();
    let conn = room.db.conn().await?;
    tasks::put_back(&*conn, plan, now, now).await?;
    let still = tasks::is_rendering(&*conn, &plan.site, room.clock.now()).await?;
    drop(conn);
    if !still {
        room.desk.desk.release(&plan.site, room.clock.now()).await?;
    }
    Ok(Verdict::Done)
}

/// The browsers' faces, each unlike the one before.
#[derive(Default)]
pub struct BrowserFaces(Mutex<Option<Profile>>);

/// Our own, unless the site's policy or the settings want a drawn one.
fn face(room: &Crawler, policy: &Policy, proxy: Option<usize>) -> Option<Profile> {
    if policy.identity.unwrap_or(room.identity) == Identity::Own {
        return None;
    }
    let region = room.proxies.region(proxy.map_or(Route::Direct, Route::Proxy));
    let mut latest = room.browser_faces.0.lock().unwrap_or_else(PoisonError::into_inner);
    let drawn = Profile::draw(Kind::Chromium, region, rand::random(), latest.as_ref());
    *latest = Some(drawn.clone());
    Some(drawn)
}

async fn back(room: &Crawler, visit: &Visit) -> anyhow::Result<()> {
    let site = &visit.plan.site;
    let conn = room.db.conn().await?;
    tasks::move_site(&*conn, visit, site, &json!({})).await?;
    drop(conn);
    room.desk.desk.release(site, room.clock.now()).await
}

/// A renderer has answered.
pub async fn rendered(room: &Crawler, said: Rendered) -> anyhow::Result<Verdict> {
    let now = room.clock.now();
    let conn = room.db.conn().await?;
    renderers::report(&*conn, said.instance, said.browsers, now).await?;
    let visit = tasks::held(&*conn, said.task_id, said.release_no, said.fence).await?;
    drop(conn);
    let key = BlobKey::of_render(said.task_id, said.fence);
    let Some(visit) = visit else {
        // Given up meanwhile, or taken by somebody else: what it brought is nobody's.
        room.blobs.remove(&key).await?;
        return Ok(Verdict::Done);
    };
    let span = tracing::Span::current();
    span.record("domain", visit.plan.site.as_str());
    span.record("request.id", visit.plan.request_id.map(tracing::field::display));
    if let Some(used) = used(&said.rendered) {
        let route = said.proxy.map_or(Route::Direct, Route::Proxy);
        room.proxies.report(route, used, &visit.plan.site, now).await?;
    }
    if said.rendered == Shown::Late {
        back(room, &visit).await?;
        return Ok(Verdict::Done);
    }
    Box::pin(take(room, &visit, &said, &key)).await?;
    room.blobs.remove(&key).await?;
    notify::task(&room.db, &room.notify, &visit.plan, room.clock.now()).await;
    Ok(Verdict::Done)
}

/// Judges and settles, as if the page had been fetched.
async fn take(room: &Crawler, visit: &Visit, said: &Rendered, key: &BlobKey) -> anyhow::Result<()> {
    let (site, now) = (&visit.plan.site, room.clock.now());
    let held = pages::find(&*room.db.conn().await?, &visit.plan.url_key).await?;
    let outcome = match &said.rendered {
        Shown::Shown { status, final_url, stored: true, .. } => match room.blobs.get(key).await? {
            Some(body) => judge::changed(held.as_ref(), page(*status, final_url, body)),
            None => {
                Outcome::Unrouted { code: "not_stored".into(), text: "the rendered page is gone".to_owned() }
            }
        },
        Shown::Shown { status, retry_after: value, .. } => {
            judge::answered(*status, value.as_deref().and_then(|value| retry_after(value, now)))
        }
        Shown::Moved { url } => moved(room, visit, url),
        Shown::Failed { code, text, fault } => failed(code, text, *fault),
        Shown::Late => return Ok(()),
    };
    let report = Report {
        fence: said.slot,
        seen_by: said.seen_by.min(now),
        failed: outcome.is_site_failure() || shows_wall(&outcome),
        pushback: outcome.pushback(),
    };
    tracing::info!(
        url = shared::telemetry::loggable(visit.fetch_url()),
        outcome = outcome.word(),
        "a rendered page was taken in"
    );
    if let (Shown::Shown { .. }, Some(why)) =
        (&said.rendered, visit.plan.pipeline_state["needs_browser"].as_str())
    {
        room.render_memory.learn(site, why, now).await?;
    }
    match outcome {
        Outcome::Changed(page) => {
            let policy = room.policies.of_site(site, now).await?;
            // The message that this answers is a renderer's, and is acknowledged by itself.
            settle::hand_on(room, visit, &policy, *page, report, now).await.map(drop)
        }
        outcome => {
            // Where nobody asked the site, its gate keeps the worst case.
            if !matches!(outcome, Outcome::Unrouted { .. } | Outcome::Forbidden { .. }) {
                room.gate.settle(site, &report, now).await?;
            }
            settle::settle(room, visit, held.as_ref(), outcome).await?;
            room.desk.desk.release(site, now).await
        }
    }
}

fn shows_wall(outcome: &Outcome) -> bool {
    let page = match outcome {
        Outcome::Changed(page) => page,
        _ => return false,
    };
    wall::on(&page.body, page.content_type.as_deref()).is_some()
}

fn page(status: u16, final_url: &str, body: bytes::Bytes) -> NewPage {
    NewPage {
        sha256: content_hash(&body),
        body,
        status,
        final_url: final_url.to_owned(),
        // The browser writes it down in one charset, whatever it came in.
        content_type: Some("text/html; charset=utf-8".to_owned()),
        // What they speak of are the bytes that came over the wire, and we do not hold those.
        etag: None,
        last_modified: None,
    }
}

fn moved(room: &Crawler, visit: &Visit, url: &str) -> Outcome {
    match room.web.check(url) {
        Ok(target) => judge::moved(visit, target.url()),
        Err(error) => Outcome::Forbidden { code: error.code().into(), text: error.to_string() },
    }
}

fn failed(code: &str, text: &str, fault: Fault) -> Outcome {
    let (code, text): (Cow<'static, str>, _) = (code.to_owned().into(), text.to_owned());
    match fault {
        Fault::Refused => Outcome::Forbidden { code, text },
        Fault::Site => Outcome::Failed { code, text, site_failure: true },
        // A caller who waits is told at once that no browser is free.
        Fault::Page | Fault::Ours
            if code == "pool_exhausted" || code == "no_browser" || fault == Fault::Page =>
        {
            Outcome::Failed { code, text, site_failure: false }
        }
        Fault::Route | Fault::Ours | Fault::Page => Outcome::Unrouted { code, text },
    }
}

/// What the answer says of the proxy it came by.
fn used(shown: &Shown) -> Option<Used> {
    match shown {
        Shown::Shown { .. } | Shown::Moved { .. } => Some(Used::Worked),
        Shown::Failed { code, .. } if code == "proxy_failed" => Some(Used::Failed),
        Shown::Failed { code, .. } if code == "proxy_refused" => Some(Used::Unreached),
        Shown::Failed { .. } | Shown::Late => None,
    }
}
