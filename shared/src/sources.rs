//! Reading a source: one task walks a board page by page. The crawler fetches the page the walk asks for, under the
//! gate of the host it stands on; the extractor takes it in and sends the task back for the next one. The walk is
//! kept in the task's `pipeline_state`; `domain::boards` decides everything about it.

use anyhow::Context;
use jiff::Timestamp;
use serde_json::{Value, json};
use url::Url;

use crate::domain::boards::{Board, Ended, Listed, VERSION, Walk};
use crate::domain::fingerprint::field_fingerprint;
use crate::domain::ids::TaskId;
use crate::domain::lineage::Lineage;
use crate::domain::listing::{Change, Event, Seen, decide};
use crate::domain::posting::Posting;
use crate::domain::site::{Site, site_key};
use crate::domain::task::{Stage, TaskKind, TaskStatus};
use crate::egress::Request;
use crate::store::Db;
use crate::store::listings::{self, JobFields, NewEvidence};
use crate::store::sources;
use crate::store::tasks::{self, Ending, NewTask, Plan, Visit};

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
    let started = visit.plan.started_at.unwrap_or(now);
    sources::add_read(db, walk.board(), visit.plan.id, started, &certificate, error, now).await?;
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
    tracing::info!(source = %walk.board(), "read a list: {}", certificate.in_words());
    let ended = tasks::finish(db, visit, status, Stage::Save, &ending, now).await?;
    Ok(if ended { Onward::Ended } else { Onward::Lost })
}

/// The page that jobs were listed on.
pub struct ListedOn<'a> {
    pub task_id: TaskId,
    pub status: i32,
    pub url: &'a str,
    pub raw_key: &'a str,
}

/// Writes down that a board lists these jobs: each is a listing of this source, with its evidence. Rows that a list
/// names without a title wait for their pages. Returns how many were written.
pub async fn record(
    db: &impl Db,
    board: &Board,
    jobs: &[Listed],
    page: &ListedOn<'_>,
    now: Timestamp,
) -> anyhow::Result<usize> {
    let source = board.to_string();
    // In one order everywhere, so that two reads never wait for each other.
    let mut jobs: Vec<&Listed> = jobs.iter().collect();
    jobs.sort_by(|a, b| a.external_id.cmp(&b.external_id));
    let mut written = 0;
    for job in jobs {
        if let Some(fields) = job_fields(&job.posting(board)) {
            record_one(db, &source, &job.external_id, &fields, page, now).await?;
            written += 1;
        }
    }
    Ok(written)
}

async fn record_one(
    db: &impl Db,
    source: &str,
    external_id: &str,
    job: &JobFields,
    page: &ListedOn<'_>,
    now: Timestamp,
) -> anyhow::Result<()> {
    // Twice at most: a listing that another transaction makes meanwhile is found the second time.
    for _ in 0..2 {
        let known = listings::known(db, source, external_id).await?;
        let change = decide(known.as_ref().map(|(_, known)| known), Seen::Live, Some(&job.fingerprint));
        let (id, event, changed) = match (known, change) {
            (Some((id, _)), Change::Reopen { changed }) => (id, Event::Reopened, changed),
            (Some((id, _)), Change::Refresh { changed }) => (id, Event::Refreshed, changed),
            (Some(_), _) => return Ok(()),
            (None, _) => match listings::create_job(db, source, external_id, job, false, now).await? {
                Some(id) => (id, Event::Created, false),
                None => continue,
            },
        };
        if event != Event::Created {
            listings::seen(db, id, now).await?;
        }
        if changed {
            listings::change_job(db, id, job).await?;
        }
        let evidence = NewEvidence {
            task_id: Some(page.task_id),
            event,
            rule: RULE,
            verdict_code: Some(RULE),
            http_status: Some(page.status),
            final_url: Some(page.url),
            raw_key: Some(page.raw_key),
            extractor_version: Some(VERSION),
            detail: changed.then(|| json!({ "fields_changed": true })),
        };
        return listings::add_evidence(db, id, &evidence, now).await;
    }
    anyhow::bail!("the listing of a listed job was made and lost again")
}

/// A listing needs a title and an address; everything else may be unknown.
fn job_fields(posting: &Posting) -> Option<JobFields> {
    Some(JobFields {
        url: posting.posting_url.clone()?,
        title: posting.job_title.clone()?,
        company: posting.company_name.clone(),
        place: posting.location.as_ref().map(|place| json!(place)),
        description: posting.description.clone(),
        remote: posting.remote.map(|remote| remote.as_str().to_owned()),
        employment_type: posting.employment_type.clone(),
        salary: posting.salary.as_ref().map(|salary| json!(salary)),
        salary_text: posting.salary_range.clone(),
        date_posted: posting.date_posted,
        valid_through: posting.valid_through.and_then(|until| json!(until).as_str().map(str::to_owned)),
        apply_url: posting.apply_url.clone(),
        provenance: json!(posting.provenance),
        extractor_version: VERSION.to_owned(),
        fingerprint: field_fingerprint(posting),
    })
}
