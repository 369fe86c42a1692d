//! Roles: one for all spellings of a title, with the names it also goes by, how each title came to it, and what an
//! admin said about that.

use anyhow::Context;
use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::roles::{Decision, Known, Method, Title, decide};

/// Roles with the same head that are looked at for a suggestion.
const LOOKED_AT: i64 = 500;
/// Names beside its own that a role keeps.
const MOST_ALIASES: i64 = 100;

statements! {
    RESOLVE = "select f.role_id, r.name, f.method from (
            select role_id, method::text as method, case method when 'correction' then 0 else 2 end as rank
                from role_keys where key = $1
            union all select id, 'key', 1 from roles where key = $1) f
        join roles r on r.id = f.role_id order by f.rank limit 1";
    ALIKE = "select id, name from roles where head = $1 and technologies = $2 order by candidate_count desc, id limit $3";
    INSERT = "insert into roles (name, key, head, technologies, priority, pending_since, suggested_role_id,
            suggested_score, created_at, updated_at)
        values ($1, $2, $3, $4, $5::text::role_priority, $6, $7, $8::double precision::real, $6, $6)
        on conflict (key) do nothing returning id";
    ADD_ALIAS = "insert into role_aliases (role_id, alias) select $1, $2
        where (select count(*) from role_aliases where role_id = $1) < $3
            and not exists (select 1 from roles where id = $1 and name = $2)
        on conflict do nothing";
    RECORD = "insert into role_decisions (title, key, role_id, method, score, suggested_role_id, at)
        values ($1, $2, $3, $4::text::role_method, $5::double precision::real, $6, $7)";
    WAKE = "update roles set queue_status = 'pending', pending_since = $2, updated_at = $2
        where id = any($1::integer[]) and queue_status = 'completed'";
    LIST = "select r.id, r.name, r.key, r.queue_status::text, r.priority::text, r.candidate_count, r.total_jobs_scraped,
            r.last_scraped_at, r.pending_since, r.suggested_role_id, s.name as suggested_role_name, r.suggested_score,
            r.created_at, r.updated_at,
            coalesce((select array_agg(a.alias order by a.alias) from role_aliases a where a.role_id = r.id), '{}')
                as aliases
        from roles r left join roles s on s.id = r.suggested_role_id
        where r.id < $1 and ($2::text is null or r.queue_status = $2::text::queue_status)
            and ($3::text is null or strpos(lower(r.name), lower($3)) > 0)
            and ($4::integer is null or r.id = $4)
        order by r.id desc limit $5";
    PRIORITY = "update roles set priority = $2::text::role_priority, updated_at = $3 where id = $1 returning id";
    // Whoever scrapes it now is told when they come with their jobs: their session has ended.
    RELEASE = "update scrape_sessions set status = 'released', completed_at = $2, updated_at = $2,
            duration_seconds = extract(epoch from $2 - started_at)::integer, error_message = 'Requeued by an admin'
        where role_id = $1 and status = 'in_progress'";
    REQUEUE = "update roles set queue_status = 'pending', held_by = null, pending_since = $2, updated_at = $2
        where id = $1 and queue_status <> 'pending'";
    LOCK = "select id, name, key, queue_status::text, total_jobs_scraped from roles
        where id = any($1::integer[]) order by id for no key update";
    MOVE_LINKS = "insert into candidate_roles (candidate_id, role_id, at)
        select candidate_id, $2, at from candidate_roles where role_id = $1 on conflict do nothing";
    DROP_LINKS = "delete from candidate_roles where role_id = $1";
    MOVE_ALIASES = "insert into role_aliases (role_id, alias)
        select $2::integer, alias from role_aliases where role_id = $1 union select $2::integer, name from roles where id = $1
        on conflict do nothing";
    MOVE_KEYS = "update role_keys set role_id = $2 where role_id = $1";
    ADD_KEY = "insert into role_keys (key, role_id, method, said_by, at) values ($1, $2, $3::text::role_method, $4, $5)
        on conflict (key) do update set role_id = excluded.role_id, method = excluded.method,
            said_by = excluded.said_by, at = excluded.at";
    MOVE_JOBS = "insert into role_jobs (role_id, listing_id, session_id, at)
        select $2, listing_id, session_id, at from role_jobs where role_id = $1 on conflict do nothing";
    MOVE_SESSIONS = "update scrape_sessions set role_id = $2 where role_id = $1";
    MOVE_DECISIONS = "update role_decisions set role_id = $2 where role_id = $1";
    MOVE_MATCHES = "update candidate_job_matches set role_id = $2 where role_id = $1";
    MOVE_RUNS = "update match_runs set role_id = $2 where role_id = $1";
    ADD_TOTAL = "update roles set total_jobs_scraped = total_jobs_scraped + $2, updated_at = $3 where id = $1";
    DROP_ROLE = "delete from roles where id = $1";
    DECISIONS = "select d.id, d.title, d.key, d.role_id, r.name as role_name, d.method::text, d.score, d.suggested_role_id,
            s.name as suggested_role_name, d.corrected_by, d.at
        from role_decisions d left join roles r on r.id = d.role_id left join roles s on s.id = d.suggested_role_id
        where d.id < $1 and ($2::integer is null or d.role_id = $2) order by d.id desc limit $3";
    DECISION = "select key, title, role_id from role_decisions where id = $1 for update";
    CORRECTED = "update role_decisions set corrected_by = $2 where key = $1 and role_id is distinct from $3";
    // Candidates who came to the wrong role by this title go along.
    MISLED = "select distinct cr.candidate_id from candidate_roles cr join candidates c on c.id = cr.candidate_id
        where cr.role_id = $1 and exists (select 1 from role_decisions d where d.key = $2 and d.role_id = $1
            and d.title = any(c.preferred_roles))";
    LINK_TO = "insert into candidate_roles (candidate_id, role_id, at)
        select unnest($1::uuid[]), $2, $3 on conflict do nothing";
    UNLINK_FROM = "delete from candidate_roles where role_id = $2 and candidate_id = any($1::uuid[])";
    REDECIDE = "update role_decisions set role_id = $2, method = 'correction', score = 1 where key = $1";
}

/// A role as an admin sees it.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct RoleView {
    pub id: i32,
    pub name: String,
    /// The cleaned title: equal for all spellings.
    pub key: String,
    pub aliases: Vec<String>,
    /// `pending`, `processing` or `completed`.
    pub queue_status: String,
    /// `urgent`, `high`, `normal` or `low`.
    pub priority: String,
    pub candidate_count: i32,
    pub total_jobs_scraped: i64,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_scraped_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    pub pending_since: Timestamp,
    /// A role that may be the same.
    pub suggested_role_id: Option<i32>,
    pub suggested_role_name: Option<String>,
    pub suggested_score: Option<f32>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// How a title came to its role.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct DecisionView {
    pub id: i64,
    pub title: String,
    pub key: String,
    pub role_id: Option<i32>,
    pub role_name: Option<String>,
    /// `key`, `alias`, `correction` or `new`.
    pub method: String,
    pub score: f32,
    pub suggested_role_id: Option<i32>,
    pub suggested_role_name: Option<String>,
    pub corrected_by: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// Where a title leads.
#[derive(Debug, Clone, PartialEq)]
pub struct Normalised {
    pub role_id: i32,
    pub name: String,
    pub method: Method,
    pub score: f32,
}

/// The role of a title: one that is there, or a new one named by the cleaned title. The decision is written down,
/// the spelling becomes another name of the role. Takes a transaction. `None`: there is nothing to name a role by.
pub async fn normalise(db: &impl Db, raw: &str, now: Timestamp) -> anyhow::Result<Option<Normalised>> {
    let title = Title::read(raw);
    if !title.key.chars().any(char::is_alphanumeric) {
        return Ok(None);
    }
    let decided = match resolve(db, &title.key).await? {
        Some(known) => (known, None),
        None => create_or_find(db, &title, now).await?,
    };
    let (Normalised { role_id, method, score, .. }, suggested) = &decided;
    let alias: String = raw.trim().chars().take(255).collect();
    run(db, ADD_ALIAS, &args![*role_id, alias, MOST_ALIASES]).await?;
    let (word, score) = (method.word(), f64::from(*score));
    run(db, RECORD, &args![alias, title.key, *role_id, word, score, *suggested, micros(now)]).await?;
    Ok(Some(decided.0))
}

async fn resolve(db: &impl Db, key: &str) -> anyhow::Result<Option<Normalised>> {
    let found = row(db, RESOLVE, &args![key]).await?;
    Ok(found.map(|row| {
        let method = match row.get::<_, &str>(2) {
            "correction" => Method::Correction,
            "alias" => Method::Alias,
            _ => Method::Key,
        };
        Normalised { role_id: row.get(0), name: row.get(1), method, score: 1.0 }
    }))
}

/// A new role, unless another transaction makes the same one first.
async fn create_or_find(
    db: &impl Db,
    title: &Title,
    now: Timestamp,
) -> anyhow::Result<(Normalised, Option<i32>)> {
    let decision = nearest(db, title).await?;
    match insert(db, title, "normal", &decision, now).await? {
        Some(role_id) => {
            let made =
                Normalised { role_id, name: name_of(title), method: Method::New, score: decision.score };
            Ok((made, decision.suggested))
        }
        None => Ok((resolve(db, &title.key).await?.context("another made this role")?, None)),
    }
}

/// The role that is most like this title, among those with the same head and the same technologies.
async fn nearest(db: &impl Db, title: &Title) -> anyhow::Result<Decision<i32>> {
    let technologies: Vec<String> = title.technologies.iter().cloned().collect();
    let found = rows(db, ALIKE, &args![title.head, technologies, LOOKED_AT]).await?;
    let titles: Vec<(i32, Title)> = found.iter().map(|row| (row.get(0), Title::read(row.get(1)))).collect();
    let known: Vec<Known<'_, i32>> =
        titles.iter().map(|(role, title)| Known { role: *role, title }).collect();
    let mut decision = decide(title, &known);
    // A name whose key was taken by an admin's word is not equal any more.
    decision.suggested = decision.suggested.or(decision.role);
    Ok(decision)
}

async fn insert(
    db: &impl Db,
    title: &Title,
    priority: &str,
    decision: &Decision<i32>,
    now: Timestamp,
) -> anyhow::Result<Option<i32>> {
    let technologies: Vec<String> = title.technologies.iter().cloned().collect();
    let score = decision.suggested.map(|_| f64::from(decision.score));
    Ok(row(
        db,
        INSERT,
        &args![
            name_of(title),
            title.key,
            title.head,
            technologies,
            priority,
            micros(now),
            decision.suggested,
            score
        ],
    )
    .await?
    .map(|row| row.get(0)))
}

fn name_of(title: &Title) -> String {
    let name: String = title.name.chars().take(255).collect();
    if name.trim().is_empty() { title.key.chars().take(255).collect() } else { name }
}

/// Makes a role. The one that is there when its key is taken, and whether it is new.
pub async fn create(
    db: &impl Db,
    name: &str,
    priority: &str,
    now: Timestamp,
) -> anyhow::Result<Option<(i32, bool)>> {
    let title = Title::read(name);
    if !title.key.chars().any(char::is_alphanumeric) {
        return Ok(None);
    }
    if let Some(known) = resolve(db, &title.key).await? {
        return Ok(Some((known.role_id, false)));
    }
    let decision = nearest(db, &title).await?;
    match insert(db, &title, priority, &decision, now).await? {
        Some(id) => Ok(Some((id, true))),
        None => Ok(resolve(db, &title.key).await?.map(|known| (known.role_id, false))),
    }
}

/// Completed roles wait again; what is under way stays.
pub async fn wake(db: &impl Db, roles: &[i32], now: Timestamp) -> anyhow::Result<u64> {
    run(db, WAKE, &args![roles.to_vec(), micros(now)]).await
}

/// Which roles to show.
#[derive(Debug, Clone, Default)]
pub struct RoleFilter {
    pub before: Option<i32>,
    pub status: Option<String>,
    /// A part of the name.
    pub search: Option<String>,
}

/// The newest first.
pub async fn list(db: &impl Db, filter: &RoleFilter, limit: i64) -> anyhow::Result<Vec<RoleView>> {
    let before = filter.before.unwrap_or(i32::MAX);
    let found = rows(db, LIST, &args![before, filter.status, filter.search, None::<i32>, limit]).await?;
    Ok(found.iter().map(view).collect())
}

pub async fn find(db: &impl Db, id: i32) -> anyhow::Result<Option<RoleView>> {
    let none = None::<String>;
    Ok(row(db, LIST, &args![i32::MAX, none, none, Some(id), 1_i64]).await?.as_ref().map(view))
}

pub async fn set_priority(db: &impl Db, id: i32, priority: &str, now: Timestamp) -> anyhow::Result<bool> {
    Ok(row(db, PRIORITY, &args![id, priority, micros(now)]).await?.is_some())
}

/// The role waits again, whatever it did. Takes a transaction.
pub async fn requeue(db: &impl Db, id: i32, now: Timestamp) -> anyhow::Result<()> {
    run(db, RELEASE, &args![id, micros(now)]).await?;
    run(db, REQUEUE, &args![id, micros(now)]).await.map(drop)
}

/// What came of a wish to merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merged {
    Done,
    Unknown,
    /// Somebody scrapes the one that would go.
    Busy,
}

/// Makes one role of two: links, names, keys and jobs of `from` go to `into`. Takes a transaction.
pub async fn merge(
    db: &impl Db,
    from: i32,
    into: i32,
    said_by: &str,
    now: Timestamp,
) -> anyhow::Result<Merged> {
    let both = rows(db, LOCK, &args![vec![from, into]]).await?;
    let find = |id: i32| both.iter().find(|row| row.get::<_, i32>(0) == id);
    let (Some(gone), Some(_)) = (find(from), find(into)) else { return Ok(Merged::Unknown) };
    if from == into {
        return Ok(Merged::Unknown);
    }
    if gone.get::<_, &str>(3) == "processing" {
        return Ok(Merged::Busy);
    }
    let (key, total): (String, i64) = (gone.get(2), gone.get(4));
    let moved = run(db, MOVE_LINKS, &args![from, into]).await?;
    run(db, DROP_LINKS, &args![from]).await?;
    for statement in
        [MOVE_ALIASES, MOVE_KEYS, MOVE_JOBS, MOVE_SESSIONS, MOVE_DECISIONS, MOVE_MATCHES, MOVE_RUNS]
    {
        run(db, statement, &args![from, into]).await?;
    }
    run(db, ADD_TOTAL, &args![into, total, micros(now)]).await?;
    run(db, DROP_ROLE, &args![from]).await?;
    run(db, ADD_KEY, &args![key, into, "alias", said_by, micros(now)]).await?;
    if moved > 0 {
        wake(db, &[into], now).await?;
    }
    Ok(Merged::Done)
}

/// An admin says where a title belongs; it is remembered for every title with the same key, and those who came by it
/// go along. Takes a transaction. `false`: there is no such decision, or no such role.
pub async fn correct(
    db: &impl Db,
    decision: i64,
    role: i32,
    said_by: &str,
    now: Timestamp,
) -> anyhow::Result<bool> {
    let Some(found) = row(db, DECISION, &args![decision]).await? else { return Ok(false) };
    let (key, wrong): (String, Option<i32>) = (found.get(0), found.get(2));
    let known = rows(db, LOCK, &args![wrong.into_iter().chain([role]).collect::<Vec<i32>>()]).await?;
    if !known.iter().any(|row| row.get::<_, i32>(0) == role) {
        return Ok(false);
    }
    run(db, ADD_KEY, &args![key, role, "correction", said_by, micros(now)]).await?;
    run(db, CORRECTED, &args![key, said_by, role]).await?;
    if let Some(wrong) = wrong.filter(|wrong| *wrong != role) {
        let misled: Vec<uuid::Uuid> =
            rows(db, MISLED, &args![wrong, key]).await?.iter().map(|row| row.get(0)).collect();
        if !misled.is_empty() {
            run(db, LINK_TO, &args![misled, role, micros(now)]).await?;
            run(db, UNLINK_FROM, &args![misled, wrong]).await?;
            wake(db, &[role], now).await?;
        }
    }
    run(db, REDECIDE, &args![key, role]).await?;
    Ok(true)
}

/// The newest first.
pub async fn decisions(
    db: &impl Db,
    role: Option<i32>,
    before: Option<i64>,
    limit: i64,
) -> anyhow::Result<Vec<DecisionView>> {
    let found = rows(db, DECISIONS, &args![before.unwrap_or(i64::MAX), role, limit]).await?;
    Ok(found
        .iter()
        .map(|row| DecisionView {
            id: row.get("id"),
            title: row.get("title"),
            key: row.get("key"),
            role_id: row.get("role_id"),
            role_name: row.get("role_name"),
            method: row.get("method"),
            score: row.get("score"),
            suggested_role_id: row.get("suggested_role_id"),
            suggested_role_name: row.get("suggested_role_name"),
            corrected_by: row.get("corrected_by"),
            at: row.get("at"),
        })
        .collect())
}

fn view(row: &Row) -> RoleView {
    RoleView {
        id: row.get("id"),
        name: row.get("name"),
        key: row.get("key"),
        aliases: row.get("aliases"),
        queue_status: row.get("queue_status"),
        priority: row.get("priority"),
        candidate_count: row.get("candidate_count"),
        total_jobs_scraped: row.get("total_jobs_scraped"),
        last_scraped_at: row.get("last_scraped_at"),
        pending_since: row.get("pending_since"),
        suggested_role_id: row.get("suggested_role_id"),
        suggested_role_name: row.get("suggested_role_name"),
        suggested_score: row.get("suggested_score"),
        created_at: row.get("created_at"),
        updated_at: row.get("updated_at"),
    }
}
