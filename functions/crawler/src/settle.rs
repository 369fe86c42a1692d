//! What is written when a request has been heard of: one transaction per outcome.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use shared::checks;
use shared::desk::Fetched;
use shared::details::{self, About};
use shared::domain::extract;
use shared::domain::fingerprint::page_simhash;
use shared::domain::gate::Report;
use shared::domain::listing::Seen;
use shared::domain::notice::State;
use shared::domain::policy::Policy;
use shared::domain::render::needed;
use shared::domain::target::TargetType;
use shared::domain::task::{Retry, Stage, TaskKind, TaskStatus, retry_after};
use shared::notify;
use shared::release;
use shared::room::Verdict;
use shared::sighting::{self, Sighting};
use shared::sources;
use shared::store::pages::{self, Page, Reading};
use shared::store::tasks::{self, Ending, HandOn, Plan, Visit};
use shared::telemetry::ended;

use crate::judge::{NewPage, Outcome};
use crate::{Crawler, SIT_OUT, render};

/// Up to this a page is hashed where it is: a fraction of a millisecond.
const SMALL: usize = 256 * 1024;

pub async fn settle(
    room: &Crawler,
    visit: &Visit,
    held: Option<&Page>,
    outcome: Outcome,
) -> anyhow::Result<()> {
    let now = room.clock.now();
    match outcome {
        Outcome::Changed(_) => Ok(()), // handed on
        Outcome::Same { rule } => match held {
            Some(page) => seen_again(room, visit, page, rule, now).await,
            None => Ok(()),
        },
        Outcome::Moved { url, site, redirects } => {
            let learnt = json!({ "fetch_url": url, "redirects": redirects });
            let conn = room.db.conn().await?;
            tasks::move_site(&*conn, visit, &site, &learnt).await?;
            drop(conn);
            if site != visit.plan.site {
                room.desk.desk.release(&site, now).await?;
            }
            Ok(())
        }
        Outcome::Gone { status } => gone(room, visit, status, now).await,
        Outcome::Refused { status, .. } => {
            let text = format!("the site answered {status}");
            fail(room, visit, &format!("http_{status}"), &text, now).await
        }
        Outcome::Forbidden { code, text } => end_failed(room, visit, &code, &text, false, now).await,
        Outcome::Unrouted { code, text } => try_again(room, visit, &code, &text, now).await,
        Outcome::Failed { code, text, .. } => fail(room, visit, &code, &text, now).await,
    }
}

/// New bytes: they are kept with what we now hold of the page, and the task goes on to the extractor.
pub async fn hand_on(
    room: &Crawler,
    visit: &Visit,
    policy: &Policy,
    page: NewPage,
    report: Report,
    now: Timestamp,
) -> anyhow::Result<Verdict> {
    let simhash = hashed(&page).await?;
    let raw_key = room.blobs.keep(page.body, &page.sha256).await?;
    let held = Page {
        url_key: visit.plan.url_key.clone(),
        site: visit.plan.site.as_str().to_owned(),
        status: i32::from(page.status),
        final_url: page.final_url,
        content_type: page.content_type,
        etag: page.etag,
        last_modified: page.last_modified,
        content_sha256: Some(page.sha256),
        raw_key: Some(raw_key.to_string()),
        simhash: simhash.map(u64::cast_signed),
        fetched_at: now,
    };
    room.desk
        .hand_on(Fetched {
            site: visit.plan.site.clone(),
            policy: policy.clone(),
            report,
            ahead: SIT_OUT,
            hand_on: to_read(visit, held, now),
            release_no: visit.plan.release_no,
            now,
        })
        .await
}

/// The SimHash of a page. A large one is read on a thread of its own, where it holds up nobody.
async fn hashed(page: &NewPage) -> anyhow::Result<Option<u64>> {
    if page.body.len() <= SMALL {
        return Ok(page_simhash(&page.body, page.content_type.as_deref()));
    }
    let (kind, body) = (page.content_type.clone(), page.body.clone());
    Ok(tokio::task::spawn_blocking(move || page_simhash(&body, kind.as_deref())).await?)
}

/// The task goes on to the extractor, with what that must know.
fn to_read(visit: &Visit, page: Page, now: Timestamp) -> HandOn {
    let learnt = json!({
        "raw_key": page.raw_key,
        "sha256": page.content_sha256,
        "status": page.status,
        "final_url": page.final_url,
        "content_type": page.content_type,
        "fetched_at": now,
        "proxy_used": visit.way(),
    });
    HandOn { id: visit.plan.id, fence: visit.fence, learnt: visit.plan.marked(&learnt), page, at: now }
}

/// The bytes we hold already: the stored reading answers, unless a newer extractor wants to read them.
async fn seen_again(
    room: &Crawler,
    visit: &Visit,
    page: &Page,
    rule: &'static str,
    now: Timestamp,
) -> anyhow::Result<()> {
    if let Some(why) = render::wanted_for_held(room, visit, page).await? {
        // It is still as empty as it was; a browser may see more.
        let conn = room.db.conn().await?;
        tasks::move_site(&*conn, visit, &visit.plan.site, &needed(why)).await?;
        return Ok(());
    }
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    let stored = pages::reading(&transaction, &visit.plan.url_key, &visit.plan.target_type).await?;
    let target = visit.plan.target_type.parse::<TargetType>().ok();
    let current = stored.filter(|reading| {
        target.is_some_and(|target| reading.extractor_version == extract::extractor(target).version())
            && Some(&reading.content_sha256) == page.content_sha256.as_ref()
    });
    let Some(reading) = current else {
        let done = to_read(visit, Page { fetched_at: now, ..page.clone() }, now);
        let number = tasks::hand_on(&transaction, &[done]).await?.pop().flatten();
        transaction.commit().await?;
        drop(conn);
        return match number {
            Some(release_no) => release::extract(&room.extract, visit.plan.id, release_no).await,
            None => Ok(()), // our lease ran out, and somebody else has the task
        };
    };
    pages::touch(&transaction, &visit.plan.url_key, now).await?;
    let about = details::about(&visit.plan);
    let source = about.as_ref().map(About::source).unwrap_or_default();
    let sighting = Sighting {
        task_id: visit.plan.id,
        url_key: &visit.plan.url_key,
        about: about.as_ref().map(|about| (source.as_str(), about.listed.external_id.as_str())),
        fills: false,
        seen: seen_of(&reading),
        rule,
        verdict_code: reading.verdict["code"].as_str(),
        http_status: i32::from(if rule == "not_modified" { 304_u16 } else { 200 }),
        final_url: &page.final_url,
        raw_key: page.raw_key.as_deref(),
        extractor_version: Some(&reading.extractor_version),
        job: None,
    };
    let listing_id = match target {
        // A page that shows nothing says nothing against the list that named its job.
        Some(target)
            if target.is_listing()
                && !(about.is_some()
                    && visit.plan.kind == TaskKind::Listing
                    && sighting.seen == Seen::Nothing) =>
        {
            sighting::record(&transaction, &sighting, now).await?.or(reading.listing_id)
        }
        // Read as something else, a page says nothing of its listing.
        _ => None,
    };
    let meta = json!({ "verdict": reading.verdict, "answered_from": rule });
    let ending = match &reading.result {
        Some(result) => {
            Ending { listing_id, result: Some(result.clone()), meta: Some(meta), ..Ending::default() }
        }
        None => Ending { meta: Some(meta), error: Some(no_posting(&reading.verdict)), ..Ending::default() },
    };
    let status = if reading.result.is_some() { TaskStatus::Success } else { TaskStatus::Failed };
    if tasks::finish(&transaction, visit, status, Stage::Save, &ending, now).await? {
        transaction.commit().await?;
        say_how(visit, &ending, now);
    }
    Ok(())
}

/// The line about a task that has ended.
fn say_how(visit: &Visit, ending: &Ending, now: Timestamp) {
    match &ending.error {
        Some((code, text)) => {
            ended::failed(visit.fetch_url(), visit.way().unwrap_or(ended::NONE), code, text);
        }
        None => ended::completed(&visit.plan.site, ending.result.as_ref(), visit.plan.started_at, now),
    }
}

fn seen_of(reading: &Reading) -> Seen {
    match serde_json::from_value(reading.verdict["state"].clone()) {
        Ok(State::Active) => Seen::Live,
        Ok(State::Expired) => Seen::SaysClosed,
        Ok(State::Uncertain) if reading.result.is_some() => Seen::Doubtful,
        _ => Seen::Nothing,
    }
}

fn no_posting(verdict: &Value) -> (String, String) {
    let text = |field: &str, or: &str| verdict[field].as_str().unwrap_or(or).to_owned();
    (text("code", "no_posting"), text("reason", "the page holds no job posting"))
}

/// 404 or 410: what was listed there is closed, and the task ends with the site's answer.
async fn gone(room: &Crawler, visit: &Visit, status: u16, now: Timestamp) -> anyhow::Result<()> {
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    let rule = format!("http_{status}");
    let about = details::about(&visit.plan);
    let source = about.as_ref().map(About::source).unwrap_or_default();
    let sighting = Sighting {
        task_id: visit.plan.id,
        url_key: &visit.plan.url_key,
        about: about.as_ref().map(|about| (source.as_str(), about.listed.external_id.as_str())),
        fills: false,
        // A redirect that ended in a 404 speaks of the place it led to, not of the posting.
        seen: if visit.plan.pipeline_state["redirects"].is_null() {
            details::seen_gone(&visit.plan, status)
        } else {
            Seen::Nothing
        },
        rule: &rule,
        verdict_code: Some(&rule),
        http_status: i32::from(status),
        final_url: visit.fetch_url(),
        raw_key: None,
        extractor_version: None,
        job: None,
    };
    let listing_id = sighting::record(&transaction, &sighting, now).await?;
    if about.is_some() && sighting.seen != Seen::Gone && visit.plan.kind == TaskKind::Verify {
        checks::ask_the_source(&transaction, &source, now).await?;
    }
    let text = format!("the site answered {status}: the page is gone");
    let (ends, ending) = match visit.plan.kind {
        // What a check finds out is its result.
        TaskKind::Verify => {
            let result =
                json!({ "life": if sighting.seen == Seen::Gone { "gone" } else { "unknown" }, "code": rule });
            (TaskStatus::Success, Ending { listing_id, result: Some(result), ..Ending::default() })
        }
        _ => (
            TaskStatus::Failed,
            Ending { listing_id, error: Some((rule.clone(), text)), ..Ending::default() },
        ),
    };
    if tasks::finish(&transaction, visit, ends, Stage::Fetch, &ending, now).await? {
        transaction.commit().await?;
        say_how(visit, &ending, now);
    }
    Ok(())
}

/// A failure that may be worth another try, by the kind of the task and how often it was tried.
pub async fn fail(
    room: &Crawler,
    visit: &Visit,
    code: &str,
    text: &str,
    now: Timestamp,
) -> anyhow::Result<()> {
    if visit.plan.kind.retries_site_failures() {
        return try_again(room, visit, code, text, now).await;
    }
    end_failed(room, visit, code, text, false, now).await
}

/// Another try, as long as there is one left. A failure of our own is worth it for every kind.
async fn try_again(
    room: &Crawler,
    visit: &Visit,
    code: &str,
    text: &str,
    now: Timestamp,
) -> anyhow::Result<()> {
    if let Retry::After(seconds) = retry_after(visit.plan.attempts + 1) {
        let conn = room.db.conn().await?;
        tasks::retry(&*conn, visit, now + SignedDuration::from_secs(seconds), code, text).await?;
        return Ok(());
    }
    end_failed(room, visit, code, text, false, now).await
}

async fn end_failed(
    room: &Crawler,
    visit: &Visit,
    code: &str,
    text: &str,
    quarantined: bool,
    now: Timestamp,
) -> anyhow::Result<()> {
    let ending = Ending { error: Some((code.to_owned(), text.to_owned())), quarantined, ..Ending::default() };
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    if tasks::finish(&transaction, visit, TaskStatus::Failed, Stage::Fetch, &ending, now).await? {
        sources::gave_up(&transaction, &visit.plan, text, now).await?;
        transaction.commit().await?;
        say_how(visit, &ending, now);
    }
    Ok(())
}

/// Ends a task that nobody has claimed. A source that cannot be read hears of it.
pub async fn refuse(
    room: &Crawler,
    plan: &Plan,
    code: &str,
    text: &str,
    now: Timestamp,
) -> anyhow::Result<()> {
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    if tasks::refuse(&transaction, plan, code, text, now).await? {
        sources::gave_up(&transaction, plan, text, now).await?;
        transaction.commit().await?;
        ended::failed(&plan.url, ended::NONE, code, text);
    }
    Ok(())
}

/// Every worker that took it was never heard of again.
pub async fn quarantine(room: &Crawler, visit: &Visit) -> anyhow::Result<()> {
    let text = format!("{} workers took this task and crashed", visit.crashes);
    tracing::error!(task.id = %visit.plan.id, crashes = visit.crashes, "quarantined");
    let visit = visit.clone().by_way(ended::UNKNOWN.to_owned());
    end_failed(room, &visit, "quarantined", &text, true, room.clock.now()).await
}

/// We cannot go, through no fault of the site: a caller who waits is told at once, and so is everybody when
/// waiting would not help.
pub async fn cannot_go(
    room: &Crawler,
    plan: &Plan,
    code: &str,
    text: &str,
    until: Option<Timestamp>,
) -> anyhow::Result<Verdict> {
    let now = room.clock.now();
    match until.filter(|_| !plan.kind.fails_on_open_circuit()) {
        Some(until) => tasks::put_back(&*room.db.conn().await?, plan, until, now).await?,
        None => {
            refuse(room, plan, code, text, now).await?;
            release::site(&room.db, &room.crawl, &plan.site, now).await?;
            notify::task(&room.db, &room.notify, plan, now).await;
        }
    }
    Ok(Verdict::Done)
}

/// The site is cut off: a caller who waits is told at once, everything else waits without using a try.
pub async fn circuit_open(room: &Crawler, plan: &Plan, until: Timestamp) -> anyhow::Result<Verdict> {
    let now = room.clock.now();
    if plan.kind.fails_on_open_circuit() {
        refuse(room, plan, "circuit_open", "Circuit breaker open for target domain", now).await?;
        room.desk.desk.release(&plan.site, now).await?;
        notify::task(&room.db, &room.notify, plan, now).await;
    } else {
        tasks::put_back(&*room.db.conn().await?, plan, until, now).await?;
    }
    Ok(Verdict::Done)
}
