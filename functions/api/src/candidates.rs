//! People who look for work: onboarded with the roles they want, changed, deleted; and the jobs that suit them.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::ai::{self, Ai};
use shared::door::Who;
use shared::matching;
use shared::messages::MatchEvent;
use shared::scrape::key;
use shared::store::candidates::{self, CandidateView, Profile, Wanted};
use shared::store::idempotency::{self, Claim, Keyed};
use shared::store::matches::{self, MatchFilter, MatchView};
use shared::store::roles::{self, Choice};
use uuid::Uuid;

use crate::Api;
use crate::body::{again, body, field, query};
use crate::error::ApiError;
use crate::listings::{limit, parsed};

const MOST_WORDS: usize = 100;
const MOST_ROLES: usize = 20;
/// The caller waits; a gateway would wait for half a minute.
const ASKING: Duration = Duration::from_secs(15);

type Choices = BTreeMap<String, Choice>;

/// A person, whole: what is left out is unknown.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CandidateRequest {
    pub name: Option<String>,
    pub current_title: Option<String>,
    pub skills: Vec<String>,
    pub tech_stack: Vec<String>,
    pub specializations: Option<String>,
    /// Where they would work.
    pub locations: Vec<String>,
    pub remote: Option<bool>,
    /// A year.
    pub salary_min: Option<f64>,
    /// Three capitals.
    pub salary_currency: Option<String>,
    /// Titles, in their own words; each becomes a role.
    pub preferred_roles: Vec<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SavedCandidate {
    pub candidate: CandidateView,
    /// What each wish became.
    pub normalised: Vec<Wanted>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CandidatePage {
    pub candidates: Vec<CandidateView>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MatchPage {
    pub matches: Vec<MatchView>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidateQuery {
    limit: Option<String>,
    cursor: Option<String>,
    role_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchQuery {
    limit: Option<String>,
    cursor: Option<String>,
    min_score: Option<String>,
    include_closed: Option<String>,
}

/// Takes a person in: their wishes become roles, and those are queued.
#[utoipa::path(post, path = "/api/candidates", tag = "candidates", security(("service" = []), ("admin" = [])),
    request_body = CandidateRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the same candidate is answered")),
    responses((status = 201, description = "The candidate", body = SavedCandidate),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn create(
    State(api): State<Api>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
    bytes: Bytes,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let profile = read(&bytes)?;
    let keyed = key::of(&headers, &who.0, None, "/api/candidates", &bytes)?;
    let id = Uuid::now_v7();
    let chosen = chosen(&api, &profile).await;
    let saved = again(|| save_once(&api, id, &profile, &chosen, Saving::New(keyed.as_ref()))).await?;
    Ok((StatusCode::CREATED, Json(saved)))
}

/// Puts another description in place of the whole.
#[utoipa::path(put, path = "/api/candidates/{id}", tag = "candidates", security(("service" = []), ("admin" = [])),
    params(("id" = Uuid, Path)), request_body = CandidateRequest,
    responses((status = 200, description = "The candidate as it is now", body = SavedCandidate),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 404, description = "Candidate not found"),
        (status = 413, description = "The body is too large"),
        (status = 422, description = "A field is wrong"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn replace(
    State(api): State<Api>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Result<Json<Value>, ApiError> {
    let id = candidate_id(&id)?;
    let profile = read(&bytes)?;
    let chosen = chosen(&api, &profile).await;
    Ok(Json(again(|| save_once(&api, id, &profile, &chosen, Saving::Known)).await?))
}

/// Candidates, the newest first.
#[utoipa::path(get, path = "/api/candidates", tag = "candidates", security(("service" = []), ("admin" = [])),
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
        ("role_id" = Option<i32>, Query, description = "Only those who want this role")),
    responses((status = 200, description = "A page of candidates", body = CandidatePage),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 422, description = "A parameter is wrong")))]
pub async fn list(
    State(api): State<Api>,
    given: Result<Query<CandidateQuery>, QueryRejection>,
) -> Result<Json<CandidatePage>, ApiError> {
    let given = query(given)?;
    let limit = limit(given.limit.as_deref())?;
    let role = given.role_id.as_deref().map(|word| parsed("role_id", word, "a number")).transpose()?;
    let before = given.cursor.as_deref().map(before).transpose()?;
    let conn = api.db.conn().await?;
    let candidates = candidates::list(&*conn, role, before, limit).await?;
    let full = i64::try_from(candidates.len()).is_ok_and(|found| found == limit);
    let cursor = |last: &CandidateView| format!("{}_{}", last.created_at.as_microsecond(), last.id);
    let next_cursor = candidates.last().filter(|_| full).map(cursor);
    Ok(Json(CandidatePage { candidates, next_cursor }))
}

/// One candidate.
#[utoipa::path(get, path = "/api/candidates/{id}", tag = "candidates", security(("service" = []), ("admin" = [])),
    params(("id" = Uuid, Path)),
    responses((status = 200, description = "The candidate", body = CandidateView),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 404, description = "Candidate not found")))]
pub async fn one(State(api): State<Api>, Path(id): Path<String>) -> Result<Json<CandidateView>, ApiError> {
    let conn = api.db.conn().await?;
    candidates::find(&*conn, candidate_id(&id)?).await?.map(Json).ok_or(ApiError::NotFound("Candidate"))
}

/// Forgets a person, with links and matches.
#[utoipa::path(delete, path = "/api/candidates/{id}", tag = "candidates", security(("service" = []), ("admin" = [])),
    params(("id" = Uuid, Path)),
    responses((status = 204, description = "Gone"),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 404, description = "Candidate not found"),
        (status = 429, description = "Too many requests; `Retry-After` says when")))]
pub async fn delete(State(api): State<Api>, Path(id): Path<String>) -> Result<StatusCode, ApiError> {
    let id = candidate_id(&id)?;
    again(|| delete_once(&api, id)).await
}

async fn delete_once(api: &Api, id: Uuid) -> Result<StatusCode, ApiError> {
    let mut conn = api.db.conn().await?;
    let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
    if !candidates::delete(&transaction, id).await? {
        return Err(ApiError::NotFound("Candidate"));
    }
    transaction.commit().await.map_err(anyhow::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The jobs that suit a candidate, the best first, each with what made its score.
#[utoipa::path(get, path = "/api/candidates/{id}/matches", tag = "candidates",
    security(("service" = []), ("admin" = [])),
    params(("id" = Uuid, Path), ("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
        ("min_score" = Option<f64>, Query, description = "0 to 100; 50 and above are kept at all"),
        ("include_closed" = Option<bool>, Query, description = "Also jobs that are closed")),
    responses((status = 200, description = "A page of matches", body = MatchPage),
        (status = 401, description = "Invalid or missing service key or admin token"),
        (status = 404, description = "Candidate not found"),
        (status = 422, description = "A parameter is wrong")))]
pub async fn list_matches(
    State(api): State<Api>,
    Path(id): Path<String>,
    given: Result<Query<MatchQuery>, QueryRejection>,
) -> Result<Json<MatchPage>, ApiError> {
    let id = candidate_id(&id)?;
    let given = query(given)?;
    let limit = limit(given.limit.as_deref())?;
    let min_score: Option<f64> =
        given.min_score.as_deref().map(|word| parsed("min_score", word, "a number")).transpose()?;
    if min_score.is_some_and(|score| !(0.0..=100.0).contains(&score)) {
        return Err(field("min_score", "must be 0 to 100"));
    }
    let closed = given.include_closed.as_deref().map(|word| parsed("include_closed", word, "true or false"));
    let after = given.cursor.as_deref().map(after).transpose()?;
    let filter = MatchFilter { after, min_score, closed: closed.transpose()?.unwrap_or_default() };
    let conn = api.db.conn().await?;
    if candidates::find(&*conn, id).await?.is_none() {
        return Err(ApiError::NotFound("Candidate"));
    }
    let matches = matches::list(&*conn, id, &filter, limit).await?;
    let full = i64::try_from(matches.len()).is_ok_and(|found| found == limit);
    let next_cursor =
        matches.last().filter(|_| full).map(|last| format!("{}_{}", last.score, last.listing_id));
    Ok(Json(MatchPage { matches, next_cursor }))
}

/// Whether a candidate is made, perhaps by a request that is sent again, or changed.
#[derive(Clone, Copy)]
enum Saving<'a> {
    New(Option<&'a Keyed>),
    Known,
}

/// What a model says of titles that are alike to a role but not sure to be it, by their keys. Asked before the
/// transaction begins; whatever goes wrong, the cleaned title decides.
async fn chosen(api: &Api, profile: &Profile) -> Choices {
    let mut chosen = Choices::new();
    if matches!(api.ai, Ai::None) {
        return chosen;
    }
    let ask = async {
        for title in &profile.preferred_roles {
            let conn = api.db.conn().await?;
            let found = roles::alike(&*conn, title).await?;
            drop(conn);
            let Some(alike) = found else { continue };
            let shown: Vec<(Choice, &str)> =
                alike.roles.iter().map(|(choice, name)| (*choice, name.as_str())).collect();
            match api.ai.choose_role(None, title, &shown).await? {
                Some(Ok(ai::Choice::Existing(choice))) => drop(chosen.insert(alike.key, choice)),
                Some(Err(error)) => tracing::warn!(code = error.code(), "a model chose no role"),
                Some(Ok(ai::Choice::New(_))) | None => {}
            }
        }
        anyhow::Ok(())
    };
    match tokio::time::timeout(ASKING, ask).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(error = format!("{error:#}"), "asking for roles failed"),
        Err(_) => tracing::warn!("asking for roles took too long"),
    }
    chosen
}

async fn save_once(
    api: &Api,
    id: Uuid,
    profile: &Profile,
    chosen: &Choices,
    saving: Saving<'_>,
) -> Result<Value, ApiError> {
    let now = api.clock.now();
    let mut conn = api.db.conn().await?;
    let transaction = conn.transaction().await.map_err(anyhow::Error::from)?;
    if matches!(saving, Saving::Known) && !candidates::lock(&transaction, id).await? {
        return Err(ApiError::NotFound("Candidate"));
    }
    let normalised = candidates::save(&transaction, id, profile, chosen, now).await?;
    let run = matches::add_candidate_run(&transaction, id, now).await?;
    let candidate = candidates::find(&transaction, id).await?.ok_or(ApiError::NotFound("Candidate"))?;
    let saved =
        serde_json::to_value(SavedCandidate { candidate, normalised }).map_err(anyhow::Error::from)?;
    if let Saving::New(Some(keyed)) = saving {
        match idempotency::claim(&transaction, keyed, &saved, now).await? {
            Claim::Ours => {}
            // Nothing of this one is kept.
            Claim::Answered(before) => return Ok(before),
            Claim::OtherRequest => return Err(ApiError::KeyReused),
        }
    }
    transaction.commit().await.map_err(anyhow::Error::from)?;
    drop(conn);
    matching::tell(&api.matches, run, MatchEvent::CandidateChanged { candidate_id: id }).await;
    Ok(saved)
}

fn read(bytes: &[u8]) -> Result<Profile, ApiError> {
    let given: CandidateRequest = body(bytes)?;
    let text = |name: &str, value: Option<String>, most: usize| match value {
        Some(value) if value.contains('\0') => Err(field(name, "holds a zero byte")),
        Some(value) if value.chars().count() > most => {
            Err(field(name, &format!("is longer than {most} characters")))
        }
        value => Ok(value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())),
    };
    let list = |name: &str, values: Vec<String>, most: usize, length: usize| {
        if values.len() > most {
            return Err(field(name, &format!("has more than {most} entries")));
        }
        if values.iter().any(|value| value.contains('\0') || value.chars().count() > length) {
            return Err(field(
                name,
                &format!("has an entry of more than {length} characters, or with a zero byte"),
            ));
        }
        let values = values.into_iter().map(|value| value.trim().to_owned());
        Ok(values.filter(|value| !value.is_empty()).collect::<Vec<_>>())
    };
    if given.salary_min.is_some_and(|amount| !(0.0..=1e12).contains(&amount)) {
        return Err(field("salary_min", "is not an amount"));
    }
    let fits = |code: &String| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
    if given.salary_currency.as_ref().is_some_and(|code| !fits(code)) {
        return Err(field("salary_currency", "must be a code of three capitals, as EUR"));
    }
    let preferred_roles = list("preferred_roles", given.preferred_roles, MOST_ROLES, 255)?;
    if let Some(at) = preferred_roles.iter().position(|title| !title.chars().any(char::is_alphanumeric)) {
        return Err(field(&format!("preferred_roles[{at}]"), "names no role"));
    }
    Ok(Profile {
        name: text("name", given.name, 200)?,
        current_title: text("current_title", given.current_title, 255)?,
        skills: list("skills", given.skills, MOST_WORDS, 100)?,
        tech_stack: list("tech_stack", given.tech_stack, MOST_WORDS, 100)?,
        specializations: text("specializations", given.specializations, 500)?,
        locations: list("locations", given.locations, MOST_ROLES, 300)?,
        remote: given.remote,
        salary_min: given.salary_min,
        salary_currency: given.salary_currency,
        preferred_roles,
    })
}

fn candidate_id(text: &str) -> Result<Uuid, ApiError> {
    text.parse().map_err(|_| ApiError::NotFound("Candidate"))
}

fn before(cursor: &str) -> Result<(Timestamp, Uuid), ApiError> {
    let read = || {
        let (at, id) = cursor.split_once('_')?;
        Some((Timestamp::from_microsecond(at.parse().ok()?).ok()?, id.parse().ok()?))
    };
    read().ok_or_else(|| field("cursor", "must be a cursor of an answer"))
}

fn after(cursor: &str) -> Result<(f64, Uuid), ApiError> {
    let read = || {
        let (score, id) = cursor.split_once('_')?;
        // As it was stored: a real, whose shortest text reads back to itself.
        let score: f32 = score.parse().ok()?;
        Some((f64::from(score), id.parse().ok()?)).filter(|_| score.is_finite())
    };
    read().ok_or_else(|| field("cursor", "must be a cursor of an answer"))
}
