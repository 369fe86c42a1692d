//! Reading a source: one task walks a board page by page. The crawler fetches the page the walk asks for, under the
//! gate of the host it stands on; the extractor takes it in and sends the task back for the next one. The walk is
//! kept in the task's `pipeline_state`; `domain::boards` decides everything about it.

use anyhow::Context;
use jiff::Timestamp;
use serde_json::{Value, json};
use url::Url;

use crate::domain::boards::{Board, Detail, Ended, Listed, VERSION, Walk, adapter};
use crate::domain::fingerprint::field_fingerprint;
use crate::domain::ids::{ListingId, TaskId};
use crate::domain::lineage::Lineage;
use crate::domain::listing::job::JobFields;
use crate::domain::site::{Site, site_key};
use crate::domain::task::{Stage, TaskKind, TaskStatus};
use crate::egress::Request;
use crate::store::listings::bulk::{NewListing, Why, write_many};
use crate::store::tasks::{self, Ending, NewTask, Plan, Visit};
use crate::store::{Db, sightings, sources};
use crate::{absence, details};

/// What a task that reads a board says it looks for.
pub const TARGET: &str = "source_list";
/// Why a listing was seen: its board lists it.
const RULE: &str = "listed";

/// A task that reads a board. Its `url_key` is the board's name.
pub fn task(board: &Board) -> anyhow::Result<NewTask> {
    let ask = Walk::new(board.clone()).next().context("a walk begins with a request")?;
    Ok(NewTask {
        id: TaskId::fresh(),
        batch_id: None,
        kind: TaskKind::SourceScrape,
        site: site_key(&Url::parse(&ask.url)?)?,
        url: ask.url,
        url_key: board.to_string(),
        target_type: TARGET.to_owned(),
        workspace_id: None,
        requested_fields: None,
        priority: 0,
        batch_size: 0,
        lineage: Lineage::root(),
        request_id: None,
    })
}

/// The walk that a task is on.
pub fn walk_of(plan: &Plan) -> anyhow::Result<Walk> {
    match &plan.pipeline_state["walk"] {
        Value::Null => Ok(Walk::new(plan.url_key.parse::<Board>().context("the board of a source task")?)),
        walk => serde_json::from_value(walk.clone()).context("reading the walk of a source task"),
    }
}

/// The request that the walk asks for; to where a redirect led, if one did.
pub fn request(visit: &Visit) -> anyhow::Result<Request> {
    let ask = walk_of(&visit.plan)?.next().context("the walk of a source task is over")?;
    let mut request = match &ask.body {
        Some(body) => Request::post(ask.url, body.to_string()),
        None if visit.plan.pipeline_state["redirects"].is_null() => Request::get(ask.url),
        None => Request::get(visit.fetch_url()),
    };
    for (name, value) in ask.headers {
        request = request.header(name, value);
    }
    Ok(request)
}

/// What became of a task after a page.
#[derive(Debug, PartialEq, Eq)]
pub enum Onward {
    /// It waits for its next page, on this site.
    Next(Site),
    Ended,
    /// It is somebody else's by now: nothing may be kept.
    Lost,
}

/// Sends a task on: back for the next page, or to its end with its certificate. In the caller's transaction.
pub async fn go_on(db: &impl Db, visit: &Visit, walk: &Walk, now: Timestamp) -> anyhow::Result<Onward> {
    if let Some(ask) = walk.next() {
        let site = site_key(&Url::parse(&ask.url).context("the address of the next page")?)?;
        let state = json!({ "walk": walk, "fetch_url": ask.url });
        let kept = tasks::next_page(db, visit, &site, &state).await?;
        return Ok(if kept { Onward::Next(site) } else { Onward::Lost });
    }
    let certificate = walk.certificate();
    let error = match walk.ended() {
        Some(Ended::Failed(why)) => Some(why.as_str()),
        _ => None,
    };
    let (status, ending) = match error {
        Some(why) => {
            let error = Some(("source_unreadable".to_owned(), why.to_owned()));
            (TaskStatus::Failed, Ending { error, ..Ending::default() })
        }
        None => {
            let result = Some(json!({ "source": walk.board(), "certificate": certificate }));
            (TaskStatus::Success, Ending { result, ..Ending::default() })
        }
    };
    if !tasks::finish(db, visit, status, Stage::Save, &ending, now).await? {
        return Ok(Onward::Lost);
    }
    absence::end(db, &visit.plan, walk.board(), &certificate, error, now).await?;
    tracing::info!(source = %walk.board(), "read a list: {}", certificate.in_words());
    Ok(Onward::Ended)
}

/// A read that was broken off: refused, forbidden, or given up. It leaves a read that is worth nothing, so that the
/// source does not look well. In the transaction that ends the task.
pub async fn gave_up(db: &impl Db, plan: &Plan, why: &str, now: Timestamp) -> anyhow::Result<()> {
    if plan.kind != TaskKind::SourceScrape {
        return Ok(());
    }
    let walk = walk_of(plan)?;
    absence::end(db, plan, walk.board(), &walk.certificate(), Some(why), now).await
}

/// The page that jobs were listed on.
pub struct ListedOn<'a> {
    pub task_id: TaskId,
    pub status: i32,
    pub url: &'a str,
    pub raw_key: &'a str,
}

/// What a page of a list came to.
#[derive(Debug, Default)]
pub struct Recorded {
    pub written: usize,
    /// New, or other than before: the caller assigns their clusters, last in its transaction.
    pub fresh: Vec<ListingId>,
    /// Sites that details wait on.
    pub sites: Vec<Site>,
}

/// Writes down that a board lists these jobs: each is a listing of this source, with its evidence. Rows that a list
/// names without a title wait for their pages; one that cannot be kept is said and costs no other. New and changed
/// jobs whose list leaves something out get a task that asks for it.
pub async fn record(
    db: &impl Db,
    board: &Board,
    jobs: &[Listed],
    page: &ListedOn<'_>,
    now: Timestamp,
) -> anyhow::Result<Recorded> {
    let source = board.to_string();
    let company = sources::of_board(db, board).await?.and_then(|source| source.company);
    let partial = !matches!(adapter(board.system()).detail, Detail::InList);
    let (mut listings, mut places, mut nameless): (Vec<NewListing>, Vec<usize>, Vec<usize>) =
        Default::default();
    for (at, listed) in jobs.iter().enumerate() {
        let posting = listed.posting(board, company.as_deref());
        let Some(job) = JobFields::of(&posting, Some(&field_fingerprint(&posting)), VERSION) else {
            nameless.push(at);
            continue;
        };
        let why = Why {
            rule: RULE.to_owned(),
            task_id: Some(page.task_id),
            verdict_code: Some(RULE.to_owned()),
            http_status: Some(page.status),
            final_url: Some(page.url.to_owned()),
            raw_key: Some(page.raw_key.to_owned()),
        };
        let job = JobFields { partial, ..job };
        listings.push(NewListing {
            source: source.clone(),
            external_id: listed.external_id.clone(),
            job,
            why,
        });
        places.push(at);
    }
    let outcome = write_many(db, &listings, now).await?;
    for bad in &outcome.rejected {
        let (row, field, reason) = (bad.index, bad.field, &bad.message);
        tracing::warn!(source, row, field, reason, "a listed job cannot be kept");
    }
    // What cannot be kept is there all the same: its listing, if it has one, is not absent.
    let lost = nameless.iter().copied().chain(outcome.rejected.iter().map(|bad| places[bad.index]));
    let lost: Vec<&str> = lost.map(|at| jobs[at].external_id.as_str()).collect();
    let known = sightings::still_listed(db, &source, &lost, now).await?;
    let fresh: Vec<ListingId> = outcome.created.iter().chain(&outcome.changed).map(|kept| kept.id).collect();
    let wanting = outcome.created.iter().chain(&outcome.changed).map(|kept| places[kept.index]);
    let unread = nameless.into_iter().filter(|at| !known.contains(&jobs[*at].external_id));
    // Whose board it is goes along: what is read behind the list must compare with the same fields.
    let whose = |listed: &Listed| Listed {
        company: listed.company.clone().or_else(|| company.clone()),
        ..listed.clone()
    };
    let wanting: Vec<Listed> = wanting.chain(unread).map(|at| whose(&jobs[at])).collect();
    let wanting: Vec<&Listed> = wanting.iter().collect();
    let sites = details::spawn(db, page.task_id, board, &wanting, now).await?;
    let written = outcome.created.len() + outcome.changed.len() + outcome.refreshed.len();
    Ok(Recorded { written, fresh, sites })
}
