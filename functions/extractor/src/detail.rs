//! What a board's API says of one job: it is added to the listing, or answers whether the job is still there.

use anyhow::Context;
use serde_json::json;
use shared::blobs::BlobKey;
use shared::checks;
use shared::details::{self, About};
use shared::domain::boards::{Answer, Life, Misfit, VERSION};
use shared::domain::listing::Seen;
use shared::domain::task::{Stage, TaskKind, TaskStatus};
use shared::room::Verdict;
use shared::sighting::{self, Sighting};
use shared::store::listings::JobFields;
use shared::store::tasks::{self, Ending, Visit};

use crate::{Extractor, Fetched, fail};

/// The evidence of a job that its board's API still knows.
const RULE: &str = "board_api";

pub async fn read(room: &Extractor, visit: &Visit) -> anyhow::Result<Verdict> {
    let fetched: Fetched =
        serde_json::from_value(visit.plan.pipeline_state.clone()).context("reading what the crawler left")?;
    let Some(about) = details::about(&visit.plan) else {
        return fail(
            room,
            visit,
            "unknown_listing",
            "the task does not say which listing it is about",
            false,
        )
        .await;
    };
    let Some(body) = room.blobs.get(&BlobKey::stored(&fetched.raw_key)?).await? else {
        return fail(room, visit, "raw_page_missing", "the stored page is no longer there", false).await;
    };
    let answer = Answer {
        status: fetched.status,
        content_type: fetched.content_type.as_deref(),
        body: &body,
        url: &fetched.final_url,
        at: fetched.fetched_at,
    };
    let said = about.read(&answer);
    match visit.plan.kind {
        TaskKind::Verify => check(room, visit, &fetched, &about, said).await,
        _ => match said {
            Ok(job) => save(room, visit, &fetched, &about, Seen::Live, Some(&job), "live").await,
            Err(misfit) => fail(room, visit, "detail_unreadable", &misfit.to_string(), false).await,
        },
    }
}

async fn check(
    room: &Extractor,
    visit: &Visit,
    fetched: &Fetched,
    about: &About,
    said: Result<JobFields, Misfit>,
) -> anyhow::Result<Verdict> {
    let (seen, life) = match about.life(fetched.status, said.is_ok(), &fetched.final_url) {
        Life::Live => (Seen::Live, "live"),
        Life::Gone => (Seen::Gone, "gone"),
        Life::Unknown => (Seen::Nothing, "unknown"),
    };
    save(room, visit, fetched, about, seen, None, life).await
}

async fn save(
    room: &Extractor,
    visit: &Visit,
    fetched: &Fetched,
    about: &About,
    seen: Seen,
    job: Option<&JobFields>,
    life: &str,
) -> anyhow::Result<Verdict> {
    let (now, source) = (room.clock.now(), about.source());
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    let sighting = Sighting {
        task_id: visit.plan.id,
        url_key: &visit.plan.url_key,
        about: Some((&source, &about.listed.external_id)),
        fills: job.is_some(),
        seen,
        rule: RULE,
        verdict_code: Some(life),
        http_status: i32::from(fetched.status),
        final_url: &fetched.final_url,
        raw_key: Some(&fetched.raw_key),
        extractor_version: Some(VERSION),
        job,
    };
    if seen == Seen::Nothing {
        checks::ask_the_source(&transaction, &source, now).await?;
    }
    let result = json!({ "source": source, "external_id": about.listed.external_id, "life": life });
    let listing_id = sighting::record(&transaction, &sighting, now).await?;
    let ending = Ending { listing_id, result: Some(result), ..Ending::default() };
    if tasks::finish(&transaction, visit, TaskStatus::Success, Stage::Save, &ending, now).await? {
        transaction.commit().await?;
    }
    Ok(Verdict::Done)
}
