//! Tasks about one listing of a board: what its list leaves out (`listing`), and whether it is still there (`verify`).
//! Such a task knows from the start which listing it is about; it asks the board's API where there is one, and reads
//! the job's own page where there is not.

use anyhow::Context;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::{Host, Url};

use crate::domain::boards::{Answer, Board, Detail, Life, Listed, Misfit, VERSION, adapter};
use crate::domain::fingerprint::field_fingerprint;
use crate::domain::ids::TaskId;
use crate::domain::lineage::Lineage;
use crate::domain::listing::Seen;
use crate::domain::listing::job::JobFields;
use crate::domain::site::{Site, site_key};
use crate::domain::target::TargetType;
use crate::domain::task::TaskKind;
use crate::domain::url::normalise;
use crate::egress::Request;
use crate::spawn;
use crate::store::tasks::{NewTask, Plan, Visit};
use crate::store::{Db, pages};

/// What a task says it looks for when it asks a board's API for one job.
pub const TARGET: &str = "source_detail";
/// Where `pipeline_state` keeps which listing a task is about.
const ABOUT: &str = "about";
/// Below reads and whatever somebody waits for.
const DETAIL_PRIORITY: i32 = -10;
const CHECK_PRIORITY: i32 = -5;
/// Tasks that one page of a list may make; the others come with the next read.
const MAX_SPAWNS: usize = 5_000;

/// The job of a board that a task is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub board: Board,
    /// As the list had it; of a check only what it takes to ask.
    pub listed: Listed,
}

impl About {
    pub fn source(&self) -> String {
        self.board.to_string()
    }

    /// What was read on the job's page, with what the list said where the page says nothing. The list has the last
    /// word on the title and the address, and its fingerprint stays: what the next read of the list compares with.
    pub fn fill(&self, page: JobFields) -> JobFields {
        let posting = self.listed.posting(&self.board, None);
        let Some(list) = JobFields::of(&posting, Some(&field_fingerprint(&posting)), VERSION) else {
            return page; // a list of bare addresses
        };
        JobFields {
            url: list.url,
            title: list.title,
            company: page.company.or(list.company),
            place: page.place.or(list.place),
            description: page.description.or(list.description),
            remote: page.remote.or(list.remote),
            employment_type: if page.employment_type.is_empty() {
                list.employment_type
            } else {
                page.employment_type
            },
            salary: page.salary.or(list.salary),
            salary_text: page.salary_text.or(list.salary_text),
            date_posted: page.date_posted.or(list.date_posted),
            valid_through: page.valid_through.or(list.valid_through),
            apply_url: page.apply_url.or(list.apply_url),
            requisition: page.requisition.or(list.requisition),
            skills: if page.skills.is_empty() { list.skills } else { page.skills },
            provenance: merged(list.provenance, page.provenance),
            extractor_version: page.extractor_version,
            fingerprint: list.fingerprint,
            home: None,
            partial: false,
        }
    }

    /// Reads the answer of the board's API about this job.
    pub fn read(&self, answer: &Answer<'_>) -> Result<JobFields, Misfit> {
        let Detail::Behind { read, .. } = adapter(self.board.system()).detail else {
            return Err(Misfit::Lacks("detail"));
        };
        let before = field_fingerprint(&self.listed.posting(&self.board, None));
        let mut listed = self.listed.clone();
        read(&self.board, answer, &mut listed)?;
        JobFields::of(&listed.posting(&self.board, None), Some(&before), VERSION)
            .ok_or(Misfit::Lacks("title"))
    }

    /// What the API's answer says of the job's life.
    pub fn life(&self, status: u16, fits: bool, url: &str) -> Life {
        adapter(self.board.system()).liveness.judge(status, fits, url)
    }
}

/// Fields read later count before those read earlier.
fn merged(mut list: Value, page: Value) -> Value {
    if let (Value::Object(list), Value::Object(page)) = (&mut list, page) {
        list.extend(page);
    }
    list
}

/// The listing that a task is about, where that is a board's.
pub fn about(plan: &Plan) -> Option<About> {
    serde_json::from_value(plan.pipeline_state.get(ABOUT)?.clone()).ok()
}

/// What 404 or 410 says to this task. A job that its list names and whose page is gone is doubtful; a check of the API
/// counts as far as the API can be believed.
pub fn seen_gone(plan: &Plan, status: u16) -> Seen {
    match (about(plan), plan.kind) {
        (Some(_), TaskKind::Listing) => Seen::Doubtful,
        (Some(about), _) if plan.target_type == TARGET => match about.life(status, false, &plan.url) {
            Life::Gone => Seen::Gone,
            Life::Live | Life::Unknown => Seen::Nothing,
        },
        _ => Seen::Gone,
    }
}

/// A task about one job, and what it knows from the start. None where the job has no address of its own.
pub fn task(board: &Board, listed: &Listed, kind: TaskKind) -> Option<(NewTask, Value)> {
    let about = json!({ ABOUT: About { board: board.clone(), listed: listed.clone() } });
    let (url, url_key, target) = match adapter(board.system()).detail {
        Detail::Behind { ask, .. } => {
            let url = ask(board, listed)?.url;
            (url.clone(), url, TARGET)
        }
        Detail::InList | Detail::OnPage => {
            let url = reachable(listed.url.as_deref()?)?;
            let key = normalise(&url).ok()?;
            (url, key, TargetType::JobPosting.word())
        }
    };
    let site = site_key(&Url::parse(&url).ok()?).ok()?;
    let priority = if kind == TaskKind::Verify { CHECK_PRIORITY } else { DETAIL_PRIORITY };
    Some((bare_task(kind, url, url_key, site, target, priority), about))
}

/// A check of a page that belongs to no board.
pub fn page_check(url: &str, url_key: &str) -> Option<NewTask> {
    let url = reachable(url)?;
    let site = site_key(&Url::parse(&url).ok()?).ok()?;
    let target = TargetType::JobPosting.word();
    Some(bare_task(TaskKind::Verify, url, url_key.to_owned(), site, target, CHECK_PRIORITY))
}

fn bare_task(
    kind: TaskKind,
    url: String,
    url_key: String,
    site: Site,
    target: &str,
    priority: i32,
) -> NewTask {
    NewTask {
        id: TaskId::fresh(),
        batch_id: None,
        kind,
        url,
        url_key,
        site,
        target_type: target.to_owned(),
        workspace_id: None,
        requested_fields: None,
        priority,
        batch_size: 0,
        lineage: Lineage::root(),
        request_id: None,
    }
}

/// Listings carry their address with https; a literal address is not served over TLS.
fn reachable(url: &str) -> Option<String> {
    let mut parsed = Url::parse(url).ok()?;
    if !matches!(parsed.host()?, Host::Domain(_)) {
        parsed.set_scheme("http").ok()?;
    }
    Some(parsed.into())
}

/// The request of a task about one job.
pub fn request(visit: &Visit) -> anyhow::Result<Request> {
    if !visit.plan.pipeline_state["redirects"].is_null() {
        return Ok(Request::get(visit.fetch_url()));
    }
    let about = about(&visit.plan).context("a task about a board's job says which")?;
    let Detail::Behind { ask, .. } = adapter(about.board.system()).detail else {
        return Ok(Request::get(visit.fetch_url()));
    };
    let ask = ask(&about.board, &about.listed).context("the board's API is asked for one job")?;
    let mut request = match &ask.body {
        Some(body) => Request::post(ask.url, body.to_string()),
        None => Request::get(ask.url),
    };
    for (name, value) in ask.headers {
        request = request.header(name, value);
    }
    Ok(request)
}

/// Makes tasks for what a list leaves out of these jobs, under the task that read the list. Returns the sites to
/// release after the commit.
pub async fn spawn(
    db: &impl Db,
    parent: TaskId,
    board: &Board,
    jobs: &[&Listed],
    now: Timestamp,
) -> anyhow::Result<Vec<Site>> {
    if matches!(adapter(board.system()).detail, Detail::InList) {
        return Ok(Vec::new());
    }
    let lacks = |job: &&&Listed| job.title.is_empty() || job.description.is_none() || job.posted.is_none();
    let mut wanted: Vec<(NewTask, Value)> =
        jobs.iter().filter(lacks).filter_map(|job| task(board, job, TaskKind::Listing)).collect();
    // The pages of a sitemap that turned out to be no postings are not asked for again.
    let bare: Vec<&str> = match jobs.iter().any(|job| job.title.is_empty()) {
        true => wanted.iter().map(|(task, _)| task.url_key.as_str()).collect(),
        false => Vec::new(),
    };
    let read = pages::read_already(db, &bare, TargetType::JobPosting.word()).await?;
    wanted.retain(|(task, _)| !read.contains(&task.url_key));
    if wanted.len() > MAX_SPAWNS {
        tracing::warn!(source = %board, left_out = wanted.len() - MAX_SPAWNS, "more details than one page may ask for");
        wanted.truncate(MAX_SPAWNS);
    }
    let made = spawn::children(db, parent, wanted, now).await?;
    let mut sites: Vec<Site> = made.into_iter().map(|task| task.site).collect();
    sites.sort();
    sites.dedup();
    Ok(sites)
}
