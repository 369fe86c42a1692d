//! People who look for work, and the roles they want.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use super::roles::{self, Choice};
use crate::domain::roles::keywords::search_keywords;

statements! {
    SAVE = "insert into candidates (id, name, current_title, skills, tech_stack, specializations, locations, remote,
            salary_min, salary_currency, preferred_roles, search_keywords, created_at, updated_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
        on conflict (id) do update set name = excluded.name, current_title = excluded.current_title,
            skills = excluded.skills, tech_stack = excluded.tech_stack,
            specializations = excluded.specializations, locations = excluded.locations, remote = excluded.remote,
            salary_min = excluded.salary_min, salary_currency = excluded.salary_currency,
            preferred_roles = excluded.preferred_roles, search_keywords = excluded.search_keywords,
            updated_at = excluded.updated_at";
    LOCK = "select 1 from candidates where id = $1 for update";
    LINK = "insert into candidate_roles (candidate_id, role_id, at)
        select $1, role_id, $3 from unnest($2::integer[]) as r(role_id) on conflict do nothing returning role_id";
    UNLINK = "delete from candidate_roles where candidate_id = $1 and role_id <> all($2::integer[])";
    // Those that are wanted and those that were, all at once and in order, as everywhere: two who change or delete
    // never wait for one another in a circle.
    LOCK_ROLES = "select id from roles where id = any($2::integer[])
            or id in (select role_id from candidate_roles where candidate_id = $1)
        order by id for no key update";
    DELETE = "delete from candidates where id = $1";
    LIST = "select c.id, c.name, c.current_title, c.skills, c.tech_stack, c.specializations, c.locations, c.remote,
            c.salary_min, c.salary_currency, c.preferred_roles, c.search_keywords, c.created_at, c.updated_at,
            coalesce((select jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name) order by r.id)
                from candidate_roles cr join roles r on r.id = cr.role_id where cr.candidate_id = c.id), '[]') as roles
        from candidates c where (c.created_at, c.id) < ($1, $2) and ($3::uuid is null or c.id = $3)
            and ($4::integer is null or exists (select 1 from candidate_roles cr
                where cr.candidate_id = c.id and cr.role_id = $4))
        order by c.created_at desc, c.id desc limit $5";
}

/// A candidate as it is written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    pub name: Option<String>,
    pub current_title: Option<String>,
    pub skills: Vec<String>,
    pub tech_stack: Vec<String>,
    pub specializations: Option<String>,
    pub locations: Vec<String>,
    pub remote: Option<bool>,
    pub salary_min: Option<f64>,
    pub salary_currency: Option<String>,
    pub preferred_roles: Vec<String>,
}

/// A role that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Wanted {
    pub id: i32,
    pub name: String,
    /// How the title came to it: `key`, `alias`, `correction`, `model` or `new`.
    pub method: &'static str,
    pub title: String,
}

/// A candidate as a caller sees it.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct CandidateView {
    pub id: Uuid,
    pub name: Option<String>,
    pub current_title: Option<String>,
    pub skills: Vec<String>,
    pub tech_stack: Vec<String>,
    pub specializations: Option<String>,
    pub locations: Vec<String>,
    pub remote: Option<bool>,
    /// A year.
    pub salary_min: Option<f64>,
    pub salary_currency: Option<String>,
    /// As they were given.
    pub preferred_roles: Vec<String>,
    pub search_keywords: Vec<String>,
    /// What they became: `id` and `name` of each.
    pub roles: serde_json::Value,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// Whether there is such a candidate; locked until the transaction ends.
pub async fn lock(db: &impl Db, id: Uuid) -> anyhow::Result<bool> {
    Ok(row(db, LOCK, &args![id]).await?.is_some())
}

/// Makes or changes a candidate with the links to the roles they want. Takes a transaction. `chosen`: what a model said
/// of their titles.
pub async fn save(
    db: &impl Db,
    id: Uuid,
    profile: &Profile,
    chosen: &BTreeMap<String, Choice>,
    now: Timestamp,
) -> anyhow::Result<Vec<Wanted>> {
    let keywords = search_keywords(
        profile.current_title.as_deref(),
        &profile.skills,
        &profile.tech_stack,
        profile.specializations.as_deref(),
    );
    run(
        db,
        SAVE,
        &args![
            id,
            profile.name,
            profile.current_title,
            profile.skills,
            profile.tech_stack,
            profile.specializations,
            profile.locations,
            profile.remote,
            profile.salary_min,
            profile.salary_currency,
            profile.preferred_roles,
            keywords,
            micros(now),
        ],
    )
    .await?;
    let found = roles::normalise(db, &profile.preferred_roles, chosen, now).await?;
    let wanted: Vec<Wanted> = profile
        .preferred_roles
        .iter()
        .zip(found)
        .filter_map(|(title, role)| {
            let role = role?;
            let method = role.method.word();
            Some(Wanted { id: role.role_id, name: role.name, method, title: title.clone() })
        })
        .collect();
    let mut ids: Vec<i32> = wanted.iter().map(|role| role.id).collect();
    ids.sort_unstable();
    ids.dedup();
    rows(db, LOCK_ROLES, &args![id, ids]).await?;
    let new: Vec<i32> =
        rows(db, LINK, &args![id, ids, micros(now)]).await?.iter().map(|row| row.get(0)).collect();
    run(db, UNLINK, &args![id, ids]).await?;
    // Only who is new to a role asks for it to be scraped again.
    roles::wake(db, &new, now).await?;
    Ok(wanted)
}

/// Deletes a candidate with links and matches. Takes a transaction.
pub async fn delete(db: &impl Db, id: Uuid) -> anyhow::Result<bool> {
    if !lock(db, id).await? {
        return Ok(false);
    }
    rows(db, LOCK_ROLES, &args![id, Vec::<i32>::new()]).await?;
    Ok(run(db, DELETE, &args![id]).await? > 0)
}

/// The newest first.
pub async fn list(
    db: &impl Db,
    role: Option<i32>,
    before: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> anyhow::Result<Vec<CandidateView>> {
    let last = Timestamp::from_second(4_102_444_800).unwrap_or(Timestamp::UNIX_EPOCH);
    let (at, id) = before.unwrap_or((last, Uuid::max()));
    Ok(rows(db, LIST, &args![micros(at), id, None::<Uuid>, role, limit]).await?.iter().map(view).collect())
}

pub async fn find(db: &impl Db, id: Uuid) -> anyhow::Result<Option<CandidateView>> {
    let last = Timestamp::from_second(4_102_444_800).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(row(db, LIST, &args![last, Uuid::max(), Some(id), None::<i32>, 1_i64]).await?.as_ref().map(view))
}

fn view(row: &Row) -> CandidateView {
    CandidateView {
        id: row.get("id"),
        name: row.get("name"),
        current_title: row.get("current_title"),
        skills: row.get("skills"),
        tech_stack: row.get("tech_stack"),
        specializations: row.get("specializations"),
        locations: row.get("locations"),
        remote: row.get("remote"),
        salary_min: row.get("salary_min"),
        salary_currency: row.get("salary_currency"),
        preferred_roles: row.get("preferred_roles"),
        search_keywords: row.get("search_keywords"),
        roles: row.get("roles"),
        created_at: row.get("created_at"),
        updated_at: row.get("updated_at"),
    }
}
