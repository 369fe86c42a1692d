//! Roles: one for all spellings of a title, with the names it also goes by, how each title came to it, and what an
//! admin said about that.

use std::collections::{BTreeMap, HashMap};

use anyhow::Context;
use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use super::matches;
use crate::domain::roles::{Decision, Known, Method, SUGGEST, Title, decide, likeness};

/// Roles with the same head that are looked at for a suggestion.
const LOOKED_AT: i64 = 500;
/// Names beside its own that a role keeps.
const MOST_ALIASES: i64 = 100;
/// Roles that a model may choose from.
const ASKED: usize = 8;

statements! {
    RESOLVE = "select distinct on (f.key) f.key, f.role_id, r.name, f.method from (
            select key, role_id, method::text as method, case method when 'correction' then 0 else 2 end as rank
                from role_keys where key = any($1::text[])
            union all select key, id, 'key', 1 from roles where key = any($1::text[])) f
        join roles r on r.id = f.role_id order by f.key, f.rank";
    ALIKE = "select id, name from roles where head = $1 and technologies = $2 order by candidate_count desc, id limit $3";
    INSERT = "insert into roles (name, key, head, technologies, priority, pending_since, suggested_role_id,
            suggested_score, created_at, updated_at)
        values ($1, $2, $3, $4, $5::text::role_priority, $6, $7, $8::double precision::real, $6, $6)
        on conflict (key) do nothing returning id";
    ADD_ALIASES = "insert into role_aliases (role_id, alias)
        select distinct n.role_id, n.alias from unnest($1::integer[], $2::text[]) as n(role_id, alias)
        where (select count(*) from role_aliases a where a.role_id = n.role_id) < $3
            and not exists (select 1 from roles r where r.id = n.role_id and r.name = n.alias)
        order by n.role_id, n.alias on conflict do nothing";
    RECORD = "insert into role_decisions (title, key, role_id, method, score, suggested_role_id, at)
        select n.title, n.key, n.role_id, n.method::role_method, n.score::real, n.suggested, $7
        from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::double precision[], $6::integer[])
            as n(title, key, role_id, method, score, suggested)";
    WAKE = "with done as (select id from roles where id = any($1::integer[]) and queue_status = 'completed'
            order by id for no key update)
        update roles r set queue_status = 'pending', pending_since = $2, updated_at = $2
        from done where r.id = done.id and r.queue_status = 'completed'";
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
    // A session before its role, as everywhere: whoever hands in jobs takes them in this order.
    LIVE = "select session_id from scrape_sessions where role_id = $1 and status = 'in_progress' for update";
    HOLDER = "select held_by from roles where id = $1 for no key update";
    // Whoever scrapes it now is told when they come with their jobs: their session has ended.
    RELEASE = "update scrape_sessions set status = 'released', completed_at = $2, updated_at = $2,
            duration_seconds = extract(epoch from $2 - started_at)::integer, error_message = 'Requeued by an admin'
        where session_id = $1 and status = 'in_progress'";
    REQUEUE = "update roles set queue_status = 'pending', held_by = null, pending_since = $2, updated_at = $2
        where id = $1 and queue_status <> 'pending'";
    LOCK = "select id, name, key, queue_status::text, total_jobs_scraped, candidate_count, priority::text from roles
        where id = any($1::integer[]) order by id for no key update";
    MOVE_LINKS = "insert into candidate_roles (candidate_id, role_id, at)
        select candidate_id, $2, at from candidate_roles where role_id = $1 on conflict do nothing";
    DROP_LINKS = "delete from candidate_roles where role_id = $1";
    MOVE_ALIASES = "insert into role_aliases (role_id, alias)
        select $2::integer, alias from role_aliases where role_id = $1 union select $2::integer, name from roles where id = $1
        on conflict do nothing";
    MOVE_KEYS = "update role_keys set role_id = $2 where role_id = $1";
    // What an admin said of a key is only overruled by what an admin says of it.
    ADD_KEY = "insert into role_keys (key, role_id, method, said_by, at) values ($1, $2, $3::text::role_method, $4, $5)
        on conflict (key) do update set role_id = excluded.role_id, method = excluded.method,
            said_by = excluded.said_by, at = excluded.at
        where excluded.method = 'correction' or role_keys.method <> 'correction'";
    MOVE_JOBS = "insert into role_jobs (role_id, listing_id, session_id, at)
        select $2, listing_id, session_id, at from role_jobs where role_id = $1 on conflict do nothing";
    MOVE_SESSIONS = "update scrape_sessions set role_id = $2 where role_id = $1";
    MOVE_DECISIONS = "update role_decisions set role_id = $2 where role_id = $1";
    MOVE_MATCHES = "update candidate_job_matches set role_id = $2 where role_id = $1";
    ADD_TOTAL = "update roles set total_jobs_scraped = total_jobs_scraped + $2, updated_at = $3,
            priority = greatest(priority, $4::text::role_priority) where id = $1";
    DROP_ROLE = "delete from roles where id = $1";
    DECISIONS = "select d.id, d.title, d.key, d.role_id, r.name as role_name, d.method::text, d.score, d.suggested_role_id,
            s.name as suggested_role_name, d.corrected_by, d.corrected_role_id, d.corrected_at, d.at
        from role_decisions d left join roles r on r.id = d.role_id left join roles s on s.id = d.suggested_role_id
        where d.id < $1 and ($2::integer is null or d.role_id = $2) order by d.id desc limit $3";
    DECISION = "select key from role_decisions where id = $1 for update";
    CORRECTED = "update role_decisions set corrected_by = $2, corrected_role_id = $3, corrected_at = $4
        where key = $1 and coalesce(corrected_role_id, role_id) is distinct from $3";
    // Candidates who came to the wrong role by a title with this key.
    MISLED = "select c.id, c.preferred_roles from candidate_roles cr join candidates c on c.id = cr.candidate_id
        where cr.role_id = $1 and exists (select 1 from role_decisions d where d.key = $2
            and d.title = any(c.preferred_roles)) order by c.id";
    LINK_TO = "insert into candidate_roles (candidate_id, role_id, at)
        select unnest($1::uuid[]), $2, $3 on conflict do nothing";
    UNLINK_FROM = "delete from candidate_roles where role_id = $2 and candidate_id = any($1::uuid[])";
    // The last word on each title stays: a correction finds by it whom the title misled.
    FORGET_DECISIONS = "delete from role_decisions d where d.id in (select o.id from role_decisions o where o.at < $1
            and exists (select 1 from role_decisions n where n.key = o.key and n.title = o.title and n.id > o.id)
        order by o.id limit 10000)";
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
    /// `key`, `alias`, `correction`, `model` or `new`.
    pub method: String,
    pub score: f32,
    pub suggested_role_id: Option<i32>,
    pub suggested_role_name: Option<String>,
    /// Who said since that the title belongs elsewhere.
    pub corrected_by: Option<String>,
    /// Where it belongs by that word.
    pub corrected_role_id: Option<i32>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub corrected_at: Option<Timestamp>,
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

/// The role of each title: one that is there, or a new one named by the cleaned title. The decisions are written down,
/// the spellings become other names of the roles. Takes a transaction. `None`: there is nothing to name a role by.
/// `chosen`: what a model said of titles, by their key.
pub async fn normalise(
    db: &impl Db,
    raw: &[String],
    chosen: &BTreeMap<String, Choice>,
    now: Timestamp,
) -> anyhow::Result<Vec<Option<Normalised>>> {
    let titles: Vec<Title> = raw.iter().map(|title| Title::read(title)).collect();
    let named = |title: &Title| title.key.chars().any(char::is_alphanumeric);
    // In one order everywhere, so that two who make the same roles wait for one another and never both.
    let keys: BTreeMap<&str, &Title> =
        titles.iter().filter(|title| named(title)).map(|title| (title.key.as_str(), title)).collect();
    let mut known = resolve(db, keys.keys().copied()).await?;
    let mut suggested: HashMap<String, Option<i32>> = HashMap::new();
    for (key, title) in keys {
        if known.contains_key(key) {
            continue;
        }
        let (made, near) = match chosen.get(key) {
            Some(choice) if choose(db, key, choice, now).await? => {
                let found = resolve(db, std::iter::once(key)).await?.remove(key).context("a key was kept")?;
                (Normalised { method: Method::Model, score: choice.score, ..found }, None)
            }
            _ => create_or_find(db, title, now).await?,
        };
        known.insert(key.to_owned(), made);
        suggested.insert(key.to_owned(), near);
    }
    let spelled: Vec<(&Title, String, &Normalised)> = titles
        .iter()
        .zip(raw)
        .filter_map(|(title, raw)| {
            Some((title, raw.trim().chars().take(255).collect(), known.get(&title.key)?))
        })
        .collect();
    macro_rules! column {
        ($of:expr) => {
            spelled.iter().map($of).collect::<Vec<_>>()
        };
    }
    let (roles, aliases) = (column!(|one| one.2.role_id), column!(|one| one.1.as_str()));
    run(db, ADD_ALIASES, &args![roles, aliases, MOST_ALIASES]).await?;
    let (keys, methods) = (column!(|one| one.0.key.as_str()), column!(|one| one.2.method.word()));
    let scores = column!(|one| f64::from(one.2.score));
    let suggested = column!(|one| suggested.get(&one.0.key).copied().flatten());
    run(db, RECORD, &args![aliases, keys, roles, methods, scores, suggested, micros(now)]).await?;
    Ok(titles.iter().map(|title| known.get(&title.key).cloned()).collect())
}

/// What a model said of a title: the role it belongs to, and how sure it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    pub role_id: i32,
    pub score: f32,
}

/// Keeps a model's word as another key of the role, unless the role is gone meanwhile.
async fn choose(db: &impl Db, key: &str, choice: &Choice, now: Timestamp) -> anyhow::Result<bool> {
    if rows(db, LOCK, &args![vec![choice.role_id]]).await?.is_empty() {
        return Ok(false);
    }
    let by = None::<String>;
    run(db, ADD_KEY, &args![key, choice.role_id, "alias", by, micros(now)]).await.map(|_| true)
}

/// Roles that a title might belong to although its key says nothing of it: alike enough to ask, with the same head and
/// the same technologies. Nothing for a title whose role is known. The best first. A model may be asked among them,
/// outside of any transaction; what it says goes to [`normalise`] under the key.
pub async fn alike(db: &impl Db, raw: &str) -> anyhow::Result<Option<Alike>> {
    let title = Title::read(raw);
    let named = title.key.chars().any(char::is_alphanumeric);
    if !named || resolve_one(db, &title.key).await?.is_some() {
        return Ok(None);
    }
    let mut near: Vec<(f32, i32, String)> = peers(db, &title)
        .await?
        .into_iter()
        .map(|(id, name, other)| (likeness(&title, &other), id, name))
        .filter(|(score, ..)| *score >= SUGGEST)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    near.truncate(ASKED);
    let roles =
        near.into_iter().map(|(score, role_id, name)| (Choice { role_id, score }, name)).collect::<Vec<_>>();
    Ok((!roles.is_empty()).then_some(Alike { key: title.key, roles }))
}

/// A title and the roles that are alike, each as it would be chosen, with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Alike {
    pub key: String,
    pub roles: Vec<(Choice, String)>,
}

/// Where keys lead.
async fn resolve(
    db: &impl Db,
    keys: impl Iterator<Item = &str>,
) -> anyhow::Result<HashMap<String, Normalised>> {
    let keys: Vec<&str> = keys.collect();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let found = rows(db, RESOLVE, &args![keys]).await?;
    Ok(found
        .iter()
        .map(|row| {
            let method = match row.get::<_, &str>(3) {
                "correction" => Method::Correction,
                "alias" => Method::Alias,
                _ => Method::Key,
            };
            (row.get(0), Normalised { role_id: row.get(1), name: row.get(2), method, score: 1.0 })
        })
        .collect())
}

async fn resolve_one(db: &impl Db, key: &str) -> anyhow::Result<Option<Normalised>> {
    Ok(resolve(db, std::iter::once(key)).await?.remove(key))
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
        None => Ok((resolve_one(db, &title.key).await?.context("another made this role")?, None)),
    }
}

/// Roles with the same head and the same technologies.
async fn peers(db: &impl Db, title: &Title) -> anyhow::Result<Vec<(i32, String, Title)>> {
    let technologies: Vec<String> = title.technologies.iter().cloned().collect();
    let found = rows(db, ALIKE, &args![title.head, technologies, LOOKED_AT]).await?;
    let read = |row: &Row| (row.get(0), row.get(1), Title::read(row.get(1)));
    Ok(found.iter().map(read).collect())
}

/// The role that is most like this title, among those with the same head and the same technologies.
async fn nearest(db: &impl Db, title: &Title) -> anyhow::Result<Decision<i32>> {
    let titles = peers(db, title).await?;
    let known: Vec<Known<'_, i32>> =
        titles.iter().map(|(role, _, title)| Known { role: *role, title }).collect();
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
    if let Some(known) = resolve_one(db, &title.key).await? {
        return Ok(Some((known.role_id, false)));
    }
    let decision = nearest(db, &title).await?;
    match insert(db, &title, priority, &decision, now).await? {
        Some(id) => Ok(Some((id, true))),
        None => Ok(resolve_one(db, &title.key).await?.map(|known| (known.role_id, false))),
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

/// The role waits again, whatever it did. Takes a transaction. The role is locked before it is decided what to end, so
/// that no session can begin in between and stay behind.
pub async fn requeue(db: &impl Db, id: i32, now: Timestamp) -> anyhow::Result<()> {
    rows(db, LIVE, &args![id]).await?;
    let Some(role) = row(db, HOLDER, &args![id]).await? else { return Ok(()) };
    if let Some(holder) = role.get::<_, Option<Uuid>>(0) {
        run(db, RELEASE, &args![holder, micros(now)]).await?;
    }
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
    let (key, total, priority): (String, i64, String) = (gone.get(2), gone.get(4), gone.get(6));
    let waited = gone.get::<_, &str>(3) == "pending" || gone.get::<_, i32>(5) > 0;
    run(db, MOVE_LINKS, &args![from, into]).await?;
    run(db, DROP_LINKS, &args![from]).await?;
    for statement in [MOVE_ALIASES, MOVE_KEYS, MOVE_JOBS, MOVE_SESSIONS, MOVE_DECISIONS, MOVE_MATCHES] {
        run(db, statement, &args![from, into]).await?;
    }
    run(db, ADD_TOTAL, &args![into, total, micros(now), priority]).await?;
    // Its open runs go with it; everybody and every job of the role that stays meet anew below.
    run(db, DROP_ROLE, &args![from]).await?;
    run(db, ADD_KEY, &args![key, into, "alias", said_by, micros(now)]).await?;
    matches::add_role_runs(db, into, now).await?;
    if waited {
        wake(db, &[into], now).await?;
    }
    Ok(Merged::Done)
}

/// An admin says where a title belongs; it is remembered for every title with the same key, and those who came by it
/// go along, unless another of their titles leads to the old role as well. What was decided stays to be read. Takes a
/// transaction. `false`: there is no such decision, or no such role.
pub async fn correct(
    db: &impl Db,
    decision: i64,
    role: i32,
    said_by: &str,
    now: Timestamp,
) -> anyhow::Result<bool> {
    let Some(found) = row(db, DECISION, &args![decision]).await? else { return Ok(false) };
    let key: String = found.get(0);
    // Where the key leads now, which may be another role than when it was decided.
    let wrong = resolve_one(db, &key).await?.map(|known| known.role_id);
    let known = rows(db, LOCK, &args![wrong.into_iter().chain([role]).collect::<Vec<i32>>()]).await?;
    if !known.iter().any(|row| row.get::<_, i32>(0) == role) {
        return Ok(false);
    }
    run(db, ADD_KEY, &args![key, role, "correction", said_by, micros(now)]).await?;
    run(db, CORRECTED, &args![key, said_by, role, micros(now)]).await?;
    let Some(wrong) = wrong.filter(|wrong| *wrong != role) else { return Ok(true) };
    let misled: Vec<(Uuid, Vec<String>)> =
        rows(db, MISLED, &args![wrong, key]).await?.iter().map(|row| (row.get(0), row.get(1))).collect();
    if misled.is_empty() {
        return Ok(true);
    }
    let leave = no_longer_wanting(db, wrong, &misled).await?;
    let misled: Vec<Uuid> = misled.into_iter().map(|(id, _)| id).collect();
    run(db, LINK_TO, &args![misled, role, micros(now)]).await?;
    run(db, UNLINK_FROM, &args![leave, wrong]).await?;
    wake(db, &[role], now).await?;
    matches::add_candidate_runs(db, &misled, now).await?;
    Ok(true)
}

/// Of these people those none of whose titles leads to the role.
async fn no_longer_wanting(
    db: &impl Db,
    role: i32,
    people: &[(Uuid, Vec<String>)],
) -> anyhow::Result<Vec<Uuid>> {
    let keys: HashMap<&str, String> = people
        .iter()
        .flat_map(|(_, titles)| titles)
        .map(|title| (title.as_str(), Title::read(title).key))
        .collect();
    let leads = resolve(db, keys.values().map(String::as_str)).await?;
    let still = |title: &String| {
        keys.get(title.as_str()).and_then(|key| leads.get(key)).is_some_and(|known| known.role_id == role)
    };
    Ok(people.iter().filter(|(_, titles)| !titles.iter().any(still)).map(|(id, _)| *id).collect())
}

/// Drops decisions of long ago that a later one on the same title repeats. At most 10,000 at once.
pub async fn forget_decisions(db: &impl Db, before: Timestamp) -> anyhow::Result<u64> {
    run(db, FORGET_DECISIONS, &args![micros(before)]).await
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
            corrected_role_id: row.get("corrected_role_id"),
            corrected_at: row.get("corrected_at"),
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
