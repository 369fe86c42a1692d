//! A page of a board's list: its jobs become listings, and the walk goes on.

use anyhow::Context;
use jiff::Timestamp;
use shared::blobs::BlobKey;
use shared::domain::boards::{Answer, Taken};
use shared::release;
use shared::room::Verdict;
use shared::sources::{self, ListedOn, Onward};
use shared::store::clusters;
use shared::store::tasks::Visit;

use crate::{Extractor, Fetched};

pub async fn read(room: &Extractor, visit: &Visit, started: Timestamp) -> anyhow::Result<Verdict> {
    let fetched: Fetched =
        serde_json::from_value(visit.plan.pipeline_state.clone()).context("reading what the crawler left")?;
    let mut walk = sources::walk_of(&visit.plan)?;
    let (walk, taken) = match room.blobs.get(&BlobKey::stored(&fetched.raw_key)?).await? {
        None => {
            walk.failed("the stored page is no longer there");
            (walk, Taken::default())
        }
        Some(body) => {
            let (status, kind, url) =
                (fetched.status, fetched.content_type.clone(), fetched.final_url.clone());
            let at = fetched.fetched_at;
            // A list may have thousands of rows; it must not hold up the heartbeat of other messages.
            let read = move || {
                let answer = Answer { status, content_type: kind.as_deref(), body: &body, url: &url, at };
                let taken = walk.take(&answer);
                (walk, taken)
            };
            tokio::task::spawn_blocking(read).await?
        }
    };
    let now = room.clock.now();
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    let page = ListedOn {
        task_id: visit.plan.id,
        status: i32::from(fetched.status),
        url: &fetched.final_url,
        raw_key: &fetched.raw_key,
    };
    let recorded = sources::record(&transaction, walk.board(), &taken.jobs, &page, now).await?;
    let onward = sources::go_on(&transaction, visit, &walk, now).await?;
    if onward == Onward::Lost {
        return Ok(Verdict::Done); // our lease ran out and somebody else has the task: nothing of this is kept
    }
    clusters::assign(&transaction, &recorded.fresh, now).await?;
    transaction.commit().await?;
    drop(conn);
    tracing::info!(
        source = %walk.board(),
        jobs = taken.jobs.len(),
        written = recorded.written,
        misfit = taken.misfit.map(|misfit| misfit.to_string()),
        duration_ms = i64::try_from(room.clock.now().duration_since(started).as_millis()).unwrap_or(i64::MAX),
        "read a page of a list"
    );
    let mut sites = recorded.sites;
    if let Onward::Next(site) = onward {
        sites.push(site);
    }
    if !sites.is_empty() {
        release::sites(&room.db, &room.crawl, &sites, room.clock.now()).await?;
    }
    Ok(Verdict::Done)
}
