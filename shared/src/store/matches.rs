//! Matches, and the runs that make them. A run moves its cursor in the transaction that stores its scores, so that a
//! crash anywhere repeats nothing and loses nothing.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;
use tokio_postgres::Row;
use uuid::Uuid;

use super::args::{Db, args, micros, row, rows, run, statements};
use crate::domain::ids::ListingId;
use crate::domain::roles::Title;
use crate::domain::roles::factors::Rarity;
use crate::domain::roles::matching::{self, Job, Money, Person, Score, WORTH};

/// Ended runs are kept this long, for an operator to look at.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Less than this is nobody's salary of a year.
const LEAST_YEARLY: f64 = 5_000.0;
/// Runs whose messages are sent again at once.
const RESENT: i64 = 500;

statements! {
    ADD_JOBS_RUN = "insert into match_runs (id, role_id, listing_ids, session_id, created_at, touched_at)
        values ($1, $2, $3, $4, $5, $5)";
    ADD_CANDIDATE_RUN = "insert into match_runs (id, candidate_id, created_at, touched_at) values ($1, $2, $3, $3)";
    // Everybody who wants the role meets all its open jobs, a thousand at a time. Nobody has been told of these runs:
    // they count as untouched, and the next sweep tells the matcher.
    ADD_ROLE_RUNS = "insert into match_runs (id, role_id, listing_ids, created_at, touched_at)
        select gen_random_uuid(), $1, array_agg(n.listing_id order by n.listing_id), $2, '-infinity'
        from (select rj.listing_id, (row_number() over (order by rj.listing_id) - 1) / 1000 as part
            from role_jobs rj join listings l on l.id = rj.listing_id where rj.role_id = $1 and l.is_active) n
        where exists (select 1 from candidate_roles where role_id = $1) group by n.part";
    ADD_CANDIDATE_RUNS = "insert into match_runs (id, candidate_id, created_at, touched_at)
        select gen_random_uuid(), n.id, $2, '-infinity' from unnest($1::uuid[]) as n(id)";
    FIND_RUN = "select id, role_id, listing_ids, candidate_id, cursor, release_no from match_runs
        where id = $1 and ended_at is null";
    PEOPLE = "select c.id, c.current_title, c.skills, c.tech_stack, c.locations, c.remote, c.salary_min,
            c.salary_currency, c.preferred_roles,
            array(select r.name from candidate_roles w join roles r on r.id = w.role_id
                where w.candidate_id = c.id order by r.id) as roles
        from candidate_roles cr join candidates c on c.id = cr.candidate_id
        where cr.role_id = $1 and cr.candidate_id > $2 order by cr.candidate_id limit $3";
    PERSON = "select c.id, c.current_title, c.skills, c.tech_stack, c.locations, c.remote, c.salary_min,
            c.salary_currency, c.preferred_roles,
            array(select r.name from candidate_roles w join roles r on r.id = w.role_id
                where w.candidate_id = c.id order by r.id) as roles
        from candidates c where c.id = $1";
    // The text is only read for skills that nobody listed.
    JOBS = "select l.id, l.title, l.place, l.first_seen_at, j.remote, j.salary, j.skills, j.date_posted,
            case when j.skills = '{}' then j.description end as description
        from listings l join jobs j on j.listing_id = l.id where l.id = any($1::uuid[]) order by l.id";
    JOBS_OF_CANDIDATE = "select l.id, l.title, l.place, l.first_seen_at, j.remote, j.salary, j.skills, j.date_posted,
            case when j.skills = '{}' then j.description end as description, w.role_id
        from (select rj.listing_id, min(rj.role_id) as role_id
                from role_jobs rj join candidate_roles cr on cr.role_id = rj.role_id
                where cr.candidate_id = $1 and rj.listing_id > $2 group by rj.listing_id) w
            join listings l on l.id = w.listing_id join jobs j on j.listing_id = l.id
        where l.is_active order by l.id limit $3";
    // Who finds it taken leaves it to the other: both would score the same pairs.
    TAKE = "select 1 from match_runs where id = $1 and cursor = $2 and ended_at is null for update skip locked";
    MOVE = "update match_runs set cursor = $3, pairs_scored = pairs_scored + $4, matches_made = matches_made + $5,
            touched_at = $6, resent = 0, ended_at = case when $7 then $6::timestamptz else null end
        where id = $1 and cursor = $2 and ended_at is null";
    // Pairs of the step that are not worth it any more.
    FORGET = "delete from candidate_job_matches m
        where m.candidate_id = any($1::uuid[]) and m.listing_id = any($2::uuid[])
            and not exists (select 1 from unnest($3::uuid[], $4::uuid[]) as w(candidate_id, listing_id)
                where w.candidate_id = m.candidate_id and w.listing_id = m.listing_id)";
    // What no role leads to any more, after a candidate wants other things.
    FORGET_UNWANTED = "delete from candidate_job_matches m where m.candidate_id = $1 and not exists (
        select 1 from role_jobs rj join candidate_roles cr on cr.role_id = rj.role_id
        where cr.candidate_id = m.candidate_id and rj.listing_id = m.listing_id)";
    // A candidate or a listing that was deleted meanwhile is left out.
    SAVE = "insert into candidate_job_matches (candidate_id, listing_id, role_id, score, parts, scored_at)
        select m.candidate_id, m.listing_id, m.role_id, m.score::real, m.parts, $6
        from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::double precision[], $5::jsonb[])
            as m(candidate_id, listing_id, role_id, score, parts)
        where exists (select 1 from candidates c where c.id = m.candidate_id for key share)
            and exists (select 1 from listings l where l.id = m.listing_id for key share)
        order by m.candidate_id, m.listing_id
        on conflict (candidate_id, listing_id) do update set score = excluded.score, parts = excluded.parts,
            role_id = coalesce(excluded.role_id, candidate_job_matches.role_id), scored_at = excluded.scored_at";
    TURN_CHANGED = "with taken as (delete from changed_jobs where listing_id in (select listing_id from changed_jobs
                order by listing_id limit 1000 for update skip locked) returning listing_id)
        insert into match_runs (id, role_id, listing_ids, created_at, touched_at)
        select gen_random_uuid(), rj.role_id, array_agg(rj.listing_id order by rj.listing_id), $1, $1
        from taken join role_jobs rj on rj.listing_id = taken.listing_id group by rj.role_id
        returning id, release_no";
    // A run that waits behind others has lost nothing: each time the wait for it doubles, up to 64 times.
    RESEND = "update match_runs set release_no = release_no + 1, resent = resent + 1, touched_at = $2
        where id in (select id from match_runs where ended_at is null and touched_at <= $1
                and touched_at <= $2::timestamptz - ($2::timestamptz - $1::timestamptz) * (1 << least(resent, 6))
            order by touched_at limit $3 for update skip locked)
        returning id, release_no";
    FORGET_ENDED = "delete from match_runs where ended_at <= $1";
    RARITY = "select skill, jobs from skill_counts";
    COUNT_SKILLS = "with counted as (
            select s.skill, count(*)::integer as jobs from listings l join jobs j on j.listing_id = l.id,
                unnest(j.skills) as s(skill) where l.is_active and l.kind = 'job' group by s.skill
            union all
            select '', count(*)::integer from listings l join jobs j on j.listing_id = l.id
                where l.is_active and l.kind = 'job' and j.skills <> '{}'
        ), gone as (delete from skill_counts s where not exists (select 1 from counted c where c.skill = s.skill))
        insert into skill_counts (skill, jobs) select skill, jobs from counted order by skill
        on conflict (skill) do update set jobs = excluded.jobs";
    LIST = "select m.listing_id, m.role_id, m.score, m.parts, m.scored_at, l.title, l.company, l.place, l.url, l.source,
            l.is_active, l.last_seen_at
        from candidate_job_matches m join listings l on l.id = m.listing_id
        where m.candidate_id = $1 and (m.score < $2::double precision::real
                or (m.score = $2::double precision::real and m.listing_id > $3))
            and m.score >= $4::double precision::real and ($5 or l.is_active)
        order by m.score desc, m.listing_id limit $6";
}

/// A run that has work left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub id: Uuid,
    pub work: Work,
    pub cursor: Uuid,
    pub release_no: i32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// These jobs for everybody of the role.
    Jobs { role: i32, listings: Vec<ListingId> },
    /// The jobs of all their roles for this candidate.
    Candidate(Uuid),
}

/// New jobs for a role. In the transaction that makes them.
pub async fn add_jobs_run(
    db: &impl Db,
    role: i32,
    listings: &[ListingId],
    session: Option<Uuid>,
    now: Timestamp,
) -> anyhow::Result<Uuid> {
    let id = Uuid::now_v7();
    run(db, ADD_JOBS_RUN, &args![id, role, listings.to_vec(), session, micros(now)]).await?;
    Ok(id)
}

/// A candidate is new or has changed. In the transaction that changes them.
pub async fn add_candidate_run(db: &impl Db, candidate: Uuid, now: Timestamp) -> anyhow::Result<Uuid> {
    let id = Uuid::now_v7();
    run(db, ADD_CANDIDATE_RUN, &args![id, candidate, micros(now)]).await?;
    Ok(id)
}

/// All open jobs of a role for everybody who wants it: two roles have become one. In that transaction.
pub async fn add_role_runs(db: &impl Db, role: i32, now: Timestamp) -> anyhow::Result<u64> {
    run(db, ADD_ROLE_RUNS, &args![role, micros(now)]).await
}

/// Candidates whose links have changed. In the transaction that changes them.
pub async fn add_candidate_runs(db: &impl Db, candidates: &[Uuid], now: Timestamp) -> anyhow::Result<u64> {
    run(db, ADD_CANDIDATE_RUNS, &args![candidates.to_vec(), micros(now)]).await
}

pub async fn find_run(db: &impl Db, id: Uuid) -> anyhow::Result<Option<Run>> {
    let found = row(db, FIND_RUN, &args![id]).await?;
    Ok(found.and_then(|row| {
        let work = match (row.get::<_, Option<i32>>(1), row.get(2), row.get::<_, Option<Uuid>>(3)) {
            (_, _, Some(candidate)) => Work::Candidate(candidate),
            (Some(role), Some(listings), None) => Work::Jobs { role, listings },
            _ => return None,
        };
        Some(Run { id: row.get(0), work, cursor: row.get(4), release_no: row.get(5) })
    }))
}

/// The next people of a role after the cursor.
pub async fn people(db: &impl Db, role: i32, after: Uuid, limit: i64) -> anyhow::Result<Vec<(Uuid, Person)>> {
    Ok(rows(db, PEOPLE, &args![role, after, limit]).await?.iter().map(person).collect())
}

pub async fn one_person(db: &impl Db, id: Uuid) -> anyhow::Result<Option<(Uuid, Person)>> {
    Ok(row(db, PERSON, &args![id]).await?.as_ref().map(person))
}

pub async fn jobs(db: &impl Db, ids: &[ListingId]) -> anyhow::Result<Vec<(ListingId, Job)>> {
    Ok(rows(db, JOBS, &args![ids.to_vec()]).await?.iter().map(job).collect())
}

/// The next jobs that a candidate may want, after the cursor, each with the role that leads to it.
pub async fn jobs_of_candidate(
    db: &impl Db,
    candidate: Uuid,
    after: Uuid,
    limit: i64,
) -> anyhow::Result<(Vec<(ListingId, Job)>, Vec<i32>)> {
    let found = rows(db, JOBS_OF_CANDIDATE, &args![candidate, after, limit]).await?;
    Ok((found.iter().map(job).collect(), found.iter().map(|row| row.get("role_id")).collect()))
}

/// One pair that was scored.
#[derive(Debug, Clone)]
pub struct Scored {
    pub candidate: Uuid,
    pub listing: ListingId,
    /// The role that brought them together.
    pub role: Option<i32>,
    pub score: Score,
}

/// What a step of a run did.
#[derive(Debug, Clone)]
pub struct Step<'a> {
    pub people: &'a [Uuid],
    pub listings: &'a [ListingId],
    pub worth: &'a [Scored],
    pub cursor: Uuid,
    pub ended: bool,
}

/// Stores what a step scored and moves the cursor. Takes a transaction. `false`: somebody else did this step;
/// nothing may be committed.
pub async fn settle(db: &impl Db, from: &Run, step: &Step<'_>, now: Timestamp) -> anyhow::Result<bool> {
    if row(db, TAKE, &args![from.id, from.cursor]).await?.is_none() {
        return Ok(false);
    }
    let pairs = i64::try_from(step.people.len() * step.listings.len())?;
    let made = i64::try_from(step.worth.len())?;
    let moved =
        run(db, MOVE, &args![from.id, from.cursor, step.cursor, pairs, made, micros(now), step.ended])
            .await?;
    if moved == 0 {
        return Ok(false);
    }
    if pairs > 0 {
        let (people, listings): (Vec<Uuid>, Vec<ListingId>) =
            step.worth.iter().map(|pair| (pair.candidate, pair.listing)).unzip();
        run(db, FORGET, &args![step.people.to_vec(), step.listings.to_vec(), people, listings]).await?;
    }
    for some in step.worth.chunks(2_000) {
        let roles: Vec<Option<i32>> = some.iter().map(|pair| pair.role).collect();
        let people: Vec<Uuid> = some.iter().map(|pair| pair.candidate).collect();
        let listings: Vec<ListingId> = some.iter().map(|pair| pair.listing).collect();
        let scores: Vec<f64> = some.iter().map(|pair| f64::from(pair.score.total)).collect();
        let parts: Vec<Value> =
            some.iter().map(|pair| serde_json::to_value(&pair.score.parts)).collect::<Result<_, _>>()?;
        run(db, SAVE, &args![people, listings, roles, scores, parts, micros(now)]).await?;
    }
    if let (Work::Candidate(candidate), true) = (&from.work, step.ended) {
        run(db, FORGET_UNWANTED, &args![*candidate]).await?;
    }
    Ok(true)
}

/// Runs for jobs whose fields changed, and runs that nobody touched since `silence`: each with its number.
pub async fn due(db: &impl Db, silence: SignedDuration, now: Timestamp) -> anyhow::Result<Vec<(Uuid, i32)>> {
    let mut due = rows(db, TURN_CHANGED, &args![micros(now)]).await?;
    due.extend(rows(db, RESEND, &args![micros(now - silence), micros(now), RESENT]).await?);
    Ok(due.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Drops runs that ended long ago.
pub async fn forget(db: &impl Db, now: Timestamp) -> anyhow::Result<u64> {
    run(db, FORGET_ENDED, &args![micros(now - KEPT)]).await
}

/// How rare each skill is among the jobs that are open.
pub async fn rarity(db: &impl Db) -> anyhow::Result<Rarity> {
    let mut counts = Vec::new();
    let mut jobs = 0;
    for row in rows(db, RARITY, &args![]).await? {
        let (skill, count): (String, i32) = (row.get(0), row.get(1));
        let count = u32::try_from(count).unwrap_or_default();
        if skill.is_empty() {
            jobs = count;
        } else {
            counts.push((skill, count));
        }
    }
    Ok(Rarity::of_counts(counts, jobs))
}

/// Counts the skills of all open jobs anew.
pub async fn count_skills(db: &impl Db) -> anyhow::Result<u64> {
    run(db, COUNT_SKILLS, &args![]).await
}

/// A match as a caller sees it.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct MatchView {
    #[schema(value_type = uuid::Uuid)]
    pub listing_id: ListingId,
    pub role_id: Option<i32>,
    /// 0 to 100.
    pub score: f32,
    /// The factors that made it: `factor`, `score`, `weight`, `words`.
    pub parts: Value,
    pub title: String,
    pub company: Option<String>,
    pub place: Option<Value>,
    pub url: String,
    pub source: String,
    pub is_active: bool,
    #[schema(value_type = String, format = DateTime)]
    pub last_seen_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub scored_at: Timestamp,
}

/// Which matches to show.
#[derive(Debug, Clone, Default)]
pub struct MatchFilter {
    /// Those after this one: lower, or as high and later in the order of ids.
    pub after: Option<(f64, Uuid)>,
    pub min_score: Option<f64>,
    /// Also those of closed jobs.
    pub closed: bool,
}

/// The best first.
pub async fn list(
    db: &impl Db,
    candidate: Uuid,
    filter: &MatchFilter,
    limit: i64,
) -> anyhow::Result<Vec<MatchView>> {
    let (score, id) = filter.after.unwrap_or((101.0, Uuid::nil()));
    let least = filter.min_score.unwrap_or(f64::from(WORTH));
    let found = rows(db, LIST, &args![candidate, score, id, least, filter.closed, limit]).await?;
    Ok(found
        .iter()
        .map(|row| MatchView {
            listing_id: row.get("listing_id"),
            role_id: row.get("role_id"),
            score: row.get("score"),
            parts: row.get("parts"),
            title: row.get("title"),
            company: row.get("company"),
            place: row.get("place"),
            url: row.get("url"),
            source: row.get("source"),
            is_active: row.get("is_active"),
            last_seen_at: row.get("last_seen_at"),
            scored_at: row.get("scored_at"),
        })
        .collect())
}

fn person(row: &Row) -> (Uuid, Person) {
    let texts = |name: &str| row.get::<_, Vec<String>>(name);
    let mut titles: Vec<String> = row.get::<_, Option<String>>("current_title").into_iter().collect();
    titles.extend(texts("preferred_roles"));
    titles.extend(texts("roles"));
    let titles: Vec<Title> = titles.iter().map(|title| Title::read(title)).collect();
    let (skills, stack) = (texts("skills"), texts("tech_stack"));
    let least: Option<f64> = row.get("salary_min");
    let person = Person {
        seniority: titles.iter().filter_map(|title| title.seniority).max(),
        titles,
        skills: matching::skills(skills.iter().chain(&stack).map(String::as_str)),
        places: texts("locations").iter().map(|place| place.as_str().into()).collect(),
        remote: row.get("remote"),
        salary: least.map(|least| Money {
            least: Some(least),
            most: None,
            currency: row.get("salary_currency"),
        }),
    };
    (row.get("id"), person)
}

fn job(row: &Row) -> (ListingId, Job) {
    let stated: Vec<String> = row.get("skills");
    let mut skills = matching::skills(stated.iter().map(String::as_str));
    if skills.is_empty()
        && let Some(text) = row.get::<_, Option<String>>("description")
    {
        skills = matching::skills_in(&text);
    }
    // `Embedded Engineer (Rust)` asks for Rust, whatever its list leaves out.
    let title: &str = row.get("title");
    skills.extend(matching::skills_in(title));
    let place: Option<Value> = row.get("place");
    // One place, or several.
    let places = match &place {
        Some(Value::Array(places)) => places.as_slice(),
        Some(place) => std::slice::from_ref(place),
        None => &[],
    };
    let places = places.iter().filter_map(|place| place.get("raw").and_then(Value::as_str));
    let places = places.filter(|place| !place.trim().is_empty()).map(Into::into).collect();
    let remote: Option<String> = row.get("remote");
    let salary: Option<Value> = row.get("salary");
    let posted: Option<jiff::civil::Date> = row.get("date_posted");
    let seen: Timestamp = row.get("first_seen_at");
    let since =
        posted.and_then(|day| day.to_zoned(jiff::tz::TimeZone::UTC).ok()).map_or(seen, |day| day.timestamp());
    let job = Job {
        title: Title::read(title),
        skills,
        places,
        remote: remote.as_deref().map(|kind| kind == "remote"),
        salary: salary.as_ref().and_then(money),
        since: Some(since),
    };
    (row.get("id"), job)
}

/// A salary as it would be for a year of full work. Without a time it is taken for a year's when it is large enough to
/// be one; a small amount may be for an hour or a month, and says nothing.
fn money(salary: &Value) -> Option<Money> {
    let a_year = match salary.get("period").and_then(Value::as_str) {
        Some("year") => 1.0,
        Some("month") => 12.0,
        Some("week") => 52.0,
        Some("day") => 260.0,
        Some("hour") => 2_080.0,
        Some(_) => return None,
        None => {
            let given = ["max", "min"].iter().find_map(|name| salary.get(*name).and_then(Value::as_f64))?;
            if given < LEAST_YEARLY {
                return None;
            }
            1.0
        }
    };
    let amount = |name: &str| salary.get(name).and_then(Value::as_f64).map(|amount| amount * a_year);
    let currency = salary.get("currency").and_then(Value::as_str).map(str::to_owned);
    Some(Money { least: amount("min"), most: amount("max"), currency })
}
