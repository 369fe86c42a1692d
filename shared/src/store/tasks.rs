//! Tasks: made, released, claimed, settled. Every change is compare-and-set: on the release number before
//! a claim, on the fence after it.

use std::collections::{HashMap, HashSet};

use anyhow::Context;
use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use super::pages::{self, Page};
use crate::domain::credential::private_page_key;
use crate::domain::ids::{BatchId, ListingId, RequestId, TaskId};
use crate::domain::lineage::Lineage;
use crate::domain::site::Site;
use crate::domain::task::{Stage, TaskKind, TaskStatus};

statements! {
    INSERT = "insert into tasks
        (id, batch_id, kind, url, url_key, site, target_type, workspace_id, requested_fields, priority,
         batch_size, tracking_id, ancestry, spawn_depth, request_id, created_at)
        values ($1, $2, $3::text::task_kind, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    INSERT_NEW = "insert into tasks
        (id, batch_id, kind, url, url_key, site, target_type, workspace_id, requested_fields, priority,
         batch_size, tracking_id, ancestry, spawn_depth, request_id, created_at, pipeline_state)
        values ($1, $2, $3::text::task_kind, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        on conflict do nothing";
    FIND = "select id, batch_id, kind::text, status::text, stage::text, url, site, target_type, workspace_id,
        requested_fields, attempts, not_before, release_no, listing_id, result, meta, error_code, error,
        quarantined, created_at, started_at, ended_at
        from tasks where id = $1";
    WANTED = "select t.id, t.kind::text, t.url, t.url_key, t.site, t.target_type, t.workspace_id, t.release_no, t.attempts,
            t.pipeline_state, t.request_id, t.started_at, t.lease_until, t.batch_id,
            t.callback_url is not null as has_callback
        from unnest($1::uuid[], $2::int4[]) as q (id, release_no)
        join tasks t on t.id = q.id and t.release_no = q.release_no
        where t.stage = $3::text::task_stage and t.status in ('pending', 'processing')";
    ERRANDS = "select t.id, t.kind::text, t.url, t.url_key, t.site, t.target_type, t.workspace_id, t.release_no, t.attempts,
            t.pipeline_state, t.request_id, t.started_at, t.lease_until, t.batch_id,
            t.callback_url is not null as has_callback,
            p.site as page_site, p.status, p.final_url, p.content_type, p.etag, p.last_modified, p.content_sha256,
            p.raw_key, p.simhash, p.fetched_at
        from unnest($1::uuid[], $2::int4[]) as q (id, release_no)
        join tasks t on t.id = q.id and t.release_no = q.release_no
        left join pages p on p.url_key = t.url_key
        where t.stage = 'fetch' and t.status in ('pending', 'processing')";
    HELD = "select id, kind::text, url, url_key, site, target_type, workspace_id, release_no, attempts, pipeline_state,
            request_id, started_at, batch_id, callback_url is not null as has_callback, fence, crashes
        from tasks
        where id = $1 and release_no = $2 and fence = $3 and status = 'processing' and stage = 'fetch'";
    IS_RENDERING = "select exists (select 1 from tasks
        where site = $1 and released_at is not null and stage = 'fetch' and status = 'processing'
          and pipeline_state ? 'rendering' and lease_until > $2)";
    NOTE = "update tasks set pipeline_state = pipeline_state || $3
        where id = $1 and fence = $2 and status = 'processing'";
    CLAIM = include_str!("sql/claim_tasks.sql");
    TAKE = include_str!("sql/take_tasks.sql");
    START = include_str!("sql/start_tasks.sql");
    LOCK_SITES = "select count(pg_advisory_xact_lock(hashtextextended(site, 7)) is null)
        from (select distinct site from unnest($1::text[]) site order by site) sites";
    RELEASE = include_str!("sql/release_tasks.sql");
    EXPECT_LATER = "update tasks set released_at = $3 where id = $1 and release_no = $2 and released_at is not null";
    // A page that goes back to wait begins anew: the time it may take is the time it is worked on. Others keep their
    // beginning: what a list did not name since then is absent.
    PUT_BACK = "update tasks
        set status = 'pending', not_before = $3, released_at = null, lease_until = null, lease_owner = null,
            started_at = case when kind = 'page' then null else started_at end
        where id = $1 and release_no = $2 and stage = 'fetch'
          and (status = 'pending' or (status = 'processing' and lease_until <= $4))";
    REFUSE = "update tasks
        set status = 'failed', released_at = null, lease_until = null, lease_owner = null,
            error_code = $3, error = $4, ended_at = $5
        where id = $1 and release_no = $2 and (status = 'pending' or (status = 'processing' and lease_until <= $5))";
    HAND_ON = include_str!("sql/hand_on.sql");
    RETRY = "update tasks
        set status = 'pending', stage = 'fetch', attempts = attempts + 1, not_before = $3,
            started_at = case when kind = 'page' then null else started_at end, released_at = null,
            lease_until = null, lease_owner = null, error_code = $4, error = $5
        where id = $1 and fence = $2 and status = 'processing'";
    MOVE_SITE = "update tasks
        set status = 'pending', site = $3, pipeline_state = pipeline_state || $4,
            started_at = case when kind = 'page' then null else started_at end,
            released_at = null, lease_until = null, lease_owner = null
        where id = $1 and fence = $2 and status = 'processing' and stage = 'fetch'";
    NEXT_PAGE = "update tasks
        set status = 'pending', stage = 'fetch', site = $3, pipeline_state = $4, attempts = 0, crashes = 0,
            not_before = null, released_at = null, lease_until = null, lease_owner = null, error_code = null, error = null
        where id = $1 and fence = $2 and status = 'processing'";
    FINISH = "update tasks
        set status = $3::text::task_status, stage = $4::text::task_stage, released_at = null, lease_until = null,
            lease_owner = null, listing_id = $5, result = $6, meta = $7, error_code = $8::text, error = $9,
            quarantined = $10, ended_at = $11, attempts = attempts + case when $8::text is null then 0 else 1 end
        where id = $1 and fence = $2 and status = 'processing'";
    FINISH_ALL = include_str!("sql/finish_tasks.sql");
    PENDING_PAGES = "select count(*) from tasks where status = 'pending' and kind = 'page'";
    GIVE_BACK = "update tasks set lease_until = null, lease_owner = null
        where id = $1 and fence = $2 and status = 'processing'";
}

/// The columns of a new task, and what is added to them.
macro_rules! columns {
    ($task:ident, $now:ident $(, $more:expr)*) => {
        args![
            $task.id,
            $task.batch_id,
            $task.kind.word(),
            $task.url,
            $task.url_key,
            $task.site.as_str(),
            $task.target_type,
            $task.workspace_id,
            $task.requested_fields,
            $task.priority,
            $task.batch_size,
            $task.lineage.tracking_id,
            $task.lineage.ancestry,
            $task.lineage.depth.get(),
            $task.request_id,
            micros($now)
            $(, $more)*
        ]
    };
}

/// A task as it is made.
#[derive(Debug, Clone)]
pub struct NewTask {
    pub id: TaskId,
    pub batch_id: Option<BatchId>,
    pub kind: TaskKind,
    pub url: String,
    pub url_key: String,
    pub site: Site,
    pub target_type: String,
    pub workspace_id: Option<String>,
    pub requested_fields: Option<Vec<String>>,
    pub priority: i32,
    pub batch_size: i32,
    pub lineage: Lineage,
    pub request_id: Option<RequestId>,
}

/// A task as a caller sees it.
#[derive(Debug, Clone)]
pub struct Task {
    pub id: TaskId,
    pub batch_id: Option<BatchId>,
    pub kind: TaskKind,
    pub status: TaskStatus,
    pub stage: Stage,
    pub url: String,
    pub site: Site,
    pub target_type: String,
    pub workspace_id: Option<String>,
    pub requested_fields: Option<Vec<String>>,
    pub attempts: i32,
    pub not_before: Option<Timestamp>,
    pub release_no: i32,
    pub listing_id: Option<ListingId>,
    pub result: Option<Value>,
    pub meta: Option<Value>,
    pub error_code: Option<String>,
    pub error: Option<String>,
    pub quarantined: bool,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

/// A task that a message asks for and that still wants the work.
#[derive(Debug, Clone)]
pub struct Plan {
    pub id: TaskId,
    pub kind: TaskKind,
    pub url: String,
    pub url_key: String,
    pub site: Site,
    pub target_type: String,
    pub workspace_id: Option<String>,
    pub release_no: i32,
    pub attempts: i32,
    pub pipeline_state: Value,
    pub request_id: Option<RequestId>,
    pub batch_id: Option<BatchId>,
    pub has_callback: bool,
    /// When it was claimed first since it last waited.
    pub started_at: Option<Timestamp>,
}

/// The mark in `pipeline_state` of a page that belongs to one workspace.
const PRIVATE_TO: &str = "private_to";
/// Where `pipeline_state` keeps the way by which the page came, for the line that says how the task ended.
const PROXY_USED: &str = "proxy_used";

impl Plan {
    /// From here on the page is fetched with the workspace's login: it is kept under a key of its own, and
    /// stays apart for good, whatever is learnt later.
    pub fn keep_private(&mut self, workspace: &str) {
        if self.private_to().is_none() {
            self.pipeline_state[PRIVATE_TO] = workspace.into();
            self.url_key = private_page_key(workspace, &self.url_key);
        }
    }

    /// The workspace that the page belongs to, when it is not everybody's.
    pub fn private_to(&self) -> Option<&str> {
        self.pipeline_state[PRIVATE_TO].as_str()
    }

    /// What was learnt, with the mark of a private page, which no stage may lose.
    pub fn marked(&self, learnt: &Value) -> Value {
        let mut marked = learnt.clone();
        if let Some(workspace) = self.private_to() {
            marked[PRIVATE_TO] = workspace.into();
        }
        marked
    }
}

/// A claimed task: the fence proves that nobody else has taken it since.
#[derive(Debug, Clone)]
pub struct Visit {
    pub plan: Plan,
    pub fence: i32,
    /// Earlier workers that took this task and were never heard of again.
    pub crashes: i32,
}

impl Visit {
    /// What is fetched: the address as given, or where a redirect led.
    pub fn fetch_url(&self) -> &str {
        self.plan.pipeline_state["fetch_url"].as_str().unwrap_or(&self.plan.url)
    }

    /// The same visit, now that the way it took is known.
    #[must_use]
    pub fn by_way(mut self, way: String) -> Visit {
        self.plan.pipeline_state[PROXY_USED] = way.into();
        self
    }

    /// The way its page came: a proxy's place in the list, or a word. None: nobody has gone yet.
    pub fn way(&self) -> Option<&str> {
        self.plan.pipeline_state[PROXY_USED].as_str()
    }
}

/// How a task ends.
#[derive(Debug, Clone, Default)]
pub struct Ending {
    pub listing_id: Option<ListingId>,
    pub result: Option<Value>,
    pub meta: Option<Value>,
    pub error: Option<(String, String)>,
    pub quarantined: bool,
}

pub async fn insert(db: &impl Db, task: &NewTask, now: Timestamp) -> anyhow::Result<()> {
    run(db, INSERT, &columns!(task, now)).await.map(drop)
}

/// Makes a task with what it knows from the start, unless one like it is under way (`one_read_at_a_time`,
/// `one_check_at_a_time`). Says whether it was made.
pub async fn insert_new(db: &impl Db, task: &NewTask, state: &Value, now: Timestamp) -> anyhow::Result<bool> {
    Ok(run(db, INSERT_NEW, &columns!(task, now, state)).await? > 0)
}

pub async fn find(db: &impl Db, id: TaskId) -> anyhow::Result<Option<Task>> {
    row(db, FIND, &args![id]).await?.map(|row| task(&row)).transpose()
}

/// What a message's task wants.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// The work.
    Now(Box<Plan>),
    /// Somebody has it until then.
    Later(Timestamp),
    /// Nothing: it is done or cancelled, or a newer release is on its way.
    Nothing,
}

/// Whether the task behind a message still wants the work.
pub async fn wanted(
    db: &impl Db,
    id: TaskId,
    release_no: i32,
    stage: Stage,
    now: Timestamp,
) -> anyhow::Result<Wanted> {
    let answers = wanted_all(db, &[(id, release_no)], stage, now).await?;
    answers.into_iter().next().context("a question has an answer")
}

/// The same of many messages at once, in their order.
pub async fn wanted_all(
    db: &impl Db,
    messages: &[(TaskId, i32)],
    stage: Stage,
    now: Timestamp,
) -> anyhow::Result<Vec<Wanted>> {
    let (ids, numbers): (Vec<TaskId>, Vec<i32>) = messages.iter().copied().unzip();
    let mut found = HashMap::new();
    for row in rows(db, WANTED, &args![ids, numbers, stage.word()]).await? {
        let later = row.get::<_, Option<Timestamp>>("lease_until").filter(|until| *until > now);
        let plan = plan(&row)?;
        let key = (plan.id, plan.release_no);
        found.insert(key, later.map_or(Wanted::Now(Box::new(plan)), Wanted::Later));
    }
    Ok(messages.iter().map(|message| found.get(message).cloned().unwrap_or(Wanted::Nothing)).collect())
}

/// What the tasks behind crawl messages want, in their order, with what we hold of their pages.
pub async fn errands(
    db: &impl Db,
    messages: &[(TaskId, i32)],
    now: Timestamp,
) -> anyhow::Result<Vec<(Wanted, Option<Page>)>> {
    let (ids, numbers): (Vec<TaskId>, Vec<i32>) = messages.iter().copied().unzip();
    let mut found = HashMap::new();
    for row in rows(db, ERRANDS, &args![ids, numbers]).await? {
        let later = row.get::<_, Option<Timestamp>>("lease_until").filter(|until| *until > now);
        let plan = plan(&row)?;
        let key = (plan.id, plan.release_no);
        let held = pages::held(&row, &plan.url_key);
        found.insert(key, (later.map_or(Wanted::Now(Box::new(plan)), Wanted::Later), held));
    }
    let nothing = || (Wanted::Nothing, None);
    Ok(messages.iter().map(|message| found.get(message).cloned().unwrap_or_else(nothing)).collect())
}

impl Wanted {
    /// The plan, when there is one to carry out now.
    pub fn now(self) -> Option<Plan> {
        match self {
            Wanted::Now(plan) => Some(*plan),
            Wanted::Later(_) | Wanted::Nothing => None,
        }
    }
}

/// A wish to take a task, from now until then.
#[derive(Debug, Clone)]
pub struct Claim {
    pub plan: Plan,
    pub at: Timestamp,
    pub lease_until: Timestamp,
}

impl Claim {
    /// It is ours, with this fence and after so many crashes.
    pub fn won(self, (fence, crashes): (i32, i32)) -> Visit {
        let started_at = self.plan.started_at.or(Some(self.at));
        Visit { plan: Plan { started_at, ..self.plan }, fence, crashes }
    }
}

/// Takes the task until `lease_until`. `None`: someone else was quicker.
pub async fn claim(
    db: &impl Db,
    plan: Plan,
    stage: Stage,
    owner: Uuid,
    now: Timestamp,
    lease_until: Timestamp,
) -> anyhow::Result<Option<Visit>> {
    let claimed = claim_all(db, vec![Claim { plan, at: now, lease_until }], stage, owner).await?;
    claimed.into_iter().next().context("a claim has an answer")
}

/// Takes many tasks at once. Of two claims to one task only the first can win.
pub async fn claim_all(
    db: &impl Db,
    claims: Vec<Claim>,
    stage: Stage,
    owner: Uuid,
) -> anyhow::Result<Vec<Option<Visit>>> {
    let ids: Vec<TaskId> = claims.iter().map(|claim| claim.plan.id).collect();
    let numbers: Vec<i32> = claims.iter().map(|claim| claim.plan.release_no).collect();
    let starts: Vec<Timestamp> = claims.iter().map(|claim| claim.at).collect();
    let ends: Vec<Timestamp> = claims.iter().map(|claim| claim.lease_until).collect();
    let mut won: HashMap<TaskId, (i32, i32)> =
        rows(db, CLAIM, &args![ids, numbers, stage.word(), starts, ends, owner])
            .await?
            .iter()
            .map(|row| (row.get("id"), (row.get("fence"), row.get("crashes"))))
            .collect();
    Ok(claims.into_iter().map(|claim| won.remove(&claim.plan.id).map(|won| claim.won(won))).collect())
}

/// Takes the tasks behind messages and tells what they are, in one go. Not in the answer: those that somebody else
/// has, or that want nothing.
pub async fn take_all(
    db: &impl Db,
    messages: &[(TaskId, i32)],
    stage: Stage,
    owner: Uuid,
    at: Timestamp,
    lease_until: Timestamp,
) -> anyhow::Result<HashMap<(TaskId, i32), Visit>> {
    let (ids, numbers): (Vec<TaskId>, Vec<i32>) = messages.iter().copied().unzip();
    let (starts, ends) = (vec![at; ids.len()], vec![lease_until; ids.len()]);
    let taken = rows(db, TAKE, &args![ids, numbers, stage.word(), starts, ends, owner]).await?;
    let visit = |row: &Row| {
        let visit = Visit { plan: plan(row)?, fence: row.get("fence"), crashes: row.get("crashes") };
        Ok(((visit.plan.id, visit.plan.release_no), visit))
    };
    taken.iter().map(visit).collect()
}

/// A wish to fetch a page: the site's new state, if the site is still at that version, and the task.
pub struct Entry<'a> {
    pub site: &'a str,
    pub version: i64,
    pub state: &'a Value,
    pub expires_at: Timestamp,
    pub claim: &'a Claim,
}

/// Reserves and claims, both or neither for a site that has moved on. Each site is named once. For each that was
/// granted: the fence and the crashes of its task, unless someone else has it.
pub async fn start(
    db: &impl Db,
    entries: &[Entry<'_>],
    owner: Uuid,
) -> anyhow::Result<HashMap<String, Option<(i32, i32)>>> {
    fn column<'a, T>(entries: &'a [Entry<'a>], pick: impl Fn(&'a Entry<'a>) -> T) -> Vec<T> {
        entries.iter().map(pick).collect()
    }
    let granted = rows(
        db,
        START,
        &args![
            column(entries, |entry| entry.site),
            column(entries, |entry| entry.version),
            column(entries, |entry| entry.state.clone()),
            column(entries, |entry| entry.expires_at),
            column(entries, |entry| entry.claim.plan.id),
            column(entries, |entry| entry.claim.plan.release_no),
            column(entries, |entry| entry.claim.at),
            column(entries, |entry| entry.claim.lease_until),
            owner,
        ],
    )
    .await?;
    let claimed = |row: &Row| row.get::<_, Option<i32>>("fence").zip(row.get("crashes"));
    Ok(granted.iter().map(|row| (row.get("site"), claimed(row))).collect())
}

/// The task as whoever claimed it under this fence has it. `None`: it is somebody else's by now, or has ended.
pub async fn held(db: &impl Db, id: TaskId, release_no: i32, fence: i32) -> anyhow::Result<Option<Visit>> {
    let Some(row) = row(db, HELD, &args![id, release_no, fence]).await? else { return Ok(None) };
    Ok(Some(Visit { plan: plan(&row)?, fence: row.get("fence"), crashes: row.get("crashes") }))
}

/// Is a page of this site with a renderer now?
pub async fn is_rendering(db: &impl Db, site: &Site, now: Timestamp) -> anyhow::Result<bool> {
    let found = row(db, IS_RENDERING, &args![site.as_str(), micros(now)]).await?;
    Ok(found.is_some_and(|row| row.get(0)))
}

/// A claimed task goes back for the next page of its list, with a fresh set of tries. `false`: it is no longer ours.
pub async fn next_page(db: &impl Db, visit: &Visit, site: &Site, state: &Value) -> anyhow::Result<bool> {
    Ok(run(db, NEXT_PAGE, &args![visit.plan.id, visit.fence, site.as_str(), *state]).await? == 1)
}

/// Writes something down on a claimed task. `false`: it is no longer ours.
pub async fn note(db: &impl Db, visit: &Visit, learnt: &Value) -> anyhow::Result<bool> {
    Ok(run(db, NOTE, &args![visit.plan.id, visit.fence, learnt.clone()]).await? == 1)
}

/// Serialises releases of these sites until the transaction ends.
pub async fn lock_sites(db: &impl Db, sites: &[&str]) -> anyhow::Result<()> {
    run(db, LOCK_SITES, &args![sites.to_vec()]).await.map(drop)
}

/// A task that was picked to go next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released {
    pub id: TaskId,
    pub site: Site,
    pub release_no: i32,
}

/// Picks the next tasks of some sites, each up to its window, in the order they should go. Call it under
/// `lock_sites`.
pub async fn release(db: &impl Db, windows: &[(&str, u16)], now: Timestamp) -> anyhow::Result<Vec<Released>> {
    let (sites, sizes): (Vec<&str>, Vec<i64>) =
        windows.iter().map(|&(site, window)| (site, i64::from(window))).unzip();
    let mut picked = rows(db, RELEASE, &args![sites, sizes, micros(now)]).await?;
    // `update … returning` promises no order.
    picked.sort_by_key(|row| {
        let key: (i32, i32, Timestamp, TaskId) =
            (row.get("priority"), row.get("batch_size"), row.get("created_at"), row.get("id"));
        (-key.0, key.1, key.2, key.3)
    });
    let released = |row: &Row| Released {
        id: row.get("id"),
        site: Site::stored(row.get("site")),
        release_no: row.get("release_no"),
    };
    Ok(picked.iter().map(released).collect())
}

/// The message waits until then; the sweep must not take it for lost before.
pub async fn expect_later(db: &impl Db, plan: &Plan, until: Timestamp) -> anyhow::Result<()> {
    run(db, EXPECT_LATER, &args![plan.id, plan.release_no, micros(until)]).await.map(drop)
}

/// Back to pending until then, through no fault of its own.
pub async fn put_back(db: &impl Db, plan: &Plan, until: Timestamp, now: Timestamp) -> anyhow::Result<()> {
    run(db, PUT_BACK, &args![plan.id, plan.release_no, micros(until), now]).await.map(drop)
}

/// Ends a task that was never claimed.
pub async fn refuse(
    db: &impl Db,
    plan: &Plan,
    code: &str,
    error: &str,
    now: Timestamp,
) -> anyhow::Result<bool> {
    Ok(run(db, REFUSE, &args![plan.id, plan.release_no, code, error, micros(now)]).await? == 1)
}

/// A task whose page has been fetched, with what we now hold of the page.
#[derive(Debug, Clone)]
pub struct HandOn {
    pub id: TaskId,
    pub fence: i32,
    pub learnt: Value,
    pub page: Page,
    pub at: Timestamp,
}

/// The pages are stored and wait to be read. Returns the number of each release; `None`: the task is no
/// longer ours.
pub async fn hand_on(db: &impl Db, moves: &[HandOn]) -> anyhow::Result<Vec<Option<i32>>> {
    fn column<'a, T>(moves: &'a [HandOn], pick: impl Fn(&'a HandOn) -> T) -> Vec<T> {
        moves.iter().map(pick).collect()
    }
    let ids = column(moves, |m| m.id);
    let found = rows(
        db,
        HAND_ON,
        &args![
            ids,
            column(moves, |m| m.fence),
            column(moves, |m| m.learnt.clone()),
            column(moves, |m| micros(m.at)),
            column(moves, |m| m.page.url_key.as_str()),
            column(moves, |m| m.page.site.as_str()),
            column(moves, |m| m.page.status),
            column(moves, |m| m.page.final_url.as_str()),
            column(moves, |m| m.page.content_type.as_deref()),
            column(moves, |m| m.page.etag.as_deref()),
            column(moves, |m| m.page.last_modified.as_deref()),
            column(moves, |m| m.page.content_sha256.as_deref()),
            column(moves, |m| m.page.raw_key.as_deref()),
            column(moves, |m| m.page.simhash),
            column(moves, |m| micros(m.page.fetched_at)),
        ],
    )
    .await?;
    let mut numbers: HashMap<TaskId, i32> =
        found.iter().map(|row| (row.get("id"), row.get("release_no"))).collect();
    Ok(ids.iter().map(|id| numbers.remove(id)).collect())
}

/// It failed, and may be tried again from the start then.
pub async fn retry(
    db: &impl Db,
    visit: &Visit,
    not_before: Timestamp,
    code: &str,
    error: &str,
) -> anyhow::Result<bool> {
    Ok(run(db, RETRY, &args![visit.plan.id, visit.fence, micros(not_before), code, error]).await? == 1)
}

/// The page is elsewhere: the task goes back to be released under the key of the site that has it.
pub async fn move_site(db: &impl Db, visit: &Visit, site: &Site, learnt: &Value) -> anyhow::Result<bool> {
    let learnt = visit.plan.marked(learnt);
    Ok(run(db, MOVE_SITE, &args![visit.plan.id, visit.fence, site.as_str(), learnt]).await? == 1)
}

/// Ends a claimed task. `false`: it is no longer ours to end.
pub async fn finish(
    db: &impl Db,
    visit: &Visit,
    status: TaskStatus,
    stage: Stage,
    ending: &Ending,
    now: Timestamp,
) -> anyhow::Result<bool> {
    let (code, error) = ending.error.clone().unzip();
    Ok(run(
        db,
        FINISH,
        &args![
            visit.plan.id,
            visit.fence,
            status.word(),
            stage.word(),
            ending.listing_id,
            ending.result,
            ending.meta,
            code,
            error,
            ending.quarantined,
            micros(now),
        ],
    )
    .await?
        == 1)
}

/// Ends claimed tasks whose pages were read. Returns those that were still ours to end.
pub async fn finish_all(
    db: &impl Db,
    endings: &[(&Visit, TaskStatus, &Ending)],
    now: Timestamp,
) -> anyhow::Result<HashSet<TaskId>> {
    type One<'a> = (&'a Visit, TaskStatus, &'a Ending);
    fn column<'a, T>(endings: &[One<'a>], pick: impl Fn(&One<'a>) -> T) -> Vec<T> {
        endings.iter().map(pick).collect()
    }
    let said = |ending: &'_ Ending| ending.error.clone().unzip();
    let ended = rows(
        db,
        FINISH_ALL,
        &args![
            column(endings, |(visit, ..)| visit.plan.id),
            column(endings, |(visit, ..)| visit.fence),
            column(endings, |(_, status, _)| status.word()),
            column(endings, |(.., ending)| ending.listing_id.map(|id| id.0)),
            column(endings, |(.., ending)| ending.result.as_ref()),
            column(endings, |(.., ending)| ending.meta.as_ref()),
            column(endings, |(.., ending)| said(ending).0),
            column(endings, |(.., ending)| said(ending).1),
            micros(now),
        ],
    )
    .await?;
    Ok(ended.iter().map(|row| row.get("id")).collect())
}

/// How many callers of the scrape service are waiting.
pub async fn pending_pages(db: &impl Db) -> anyhow::Result<i64> {
    let found = row(db, PENDING_PAGES, &args![]).await?.context("a count has a row")?;
    Ok(found.get(0))
}

/// The worker failed through a fault of ours: the task may be claimed again at once, and it is no crash.
pub async fn give_back(db: &impl Db, visit: &Visit) -> anyhow::Result<()> {
    run(db, GIVE_BACK, &args![visit.plan.id, visit.fence]).await.map(drop)
}

pub(super) fn task(row: &Row) -> anyhow::Result<Task> {
    Ok(Task {
        id: row.get("id"),
        batch_id: row.get("batch_id"),
        kind: row.get::<_, &str>("kind").parse()?,
        status: row.get::<_, &str>("status").parse()?,
        stage: row.get::<_, &str>("stage").parse()?,
        url: row.get("url"),
        site: Site::stored(row.get("site")),
        target_type: row.get("target_type"),
        workspace_id: row.get("workspace_id"),
        requested_fields: row.get("requested_fields"),
        attempts: row.get("attempts"),
        not_before: row.get("not_before"),
        release_no: row.get("release_no"),
        listing_id: row.get("listing_id"),
        result: row.get("result"),
        meta: row.get("meta"),
        error_code: row.get("error_code"),
        error: row.get("error"),
        quarantined: row.get("quarantined"),
        created_at: row.get("created_at"),
        started_at: row.get("started_at"),
        ended_at: row.get("ended_at"),
    })
}

fn plan(row: &Row) -> anyhow::Result<Plan> {
    let pipeline_state: Value = row.get("pipeline_state");
    let url_key: String = row.get("url_key");
    let url_key = match pipeline_state[PRIVATE_TO].as_str() {
        Some(workspace) => private_page_key(workspace, &url_key),
        None => url_key,
    };
    Ok(Plan {
        id: row.get("id"),
        kind: row.get::<_, &str>("kind").parse()?,
        url: row.get("url"),
        url_key,
        site: Site::stored(row.get("site")),
        target_type: row.get("target_type"),
        workspace_id: row.get("workspace_id"),
        release_no: row.get("release_no"),
        attempts: row.get("attempts"),
        pipeline_state,
        request_id: row.get("request_id"),
        batch_id: row.get("batch_id"),
        has_callback: row.get("has_callback"),
        started_at: row.get("started_at"),
    })
}
