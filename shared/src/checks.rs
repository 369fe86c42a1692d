//! What is due by time: sources to be read again, and nominated listings to be looked at. Time asks; it decides
//! nothing. The dispatcher calls this with every sweep.

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::domain::boards::{Board, Listed, PACE};
use crate::domain::site::Site;
use crate::domain::task::TaskKind;
use crate::sighting::WEB;
use crate::store::checks::{self, Nominated};
use crate::store::{Db, sources, tasks};
use crate::{details, sources as reading};

/// Reads and checks that one sweep begins.
const MAX_READS: i64 = 100;
const MAX_CHECKS: i64 = 200;
/// A listing that stays doubtful is looked at again after this.
const CHECK_AGAIN: SignedDuration = SignedDuration::from_hours(24);
/// A source that was read this lately knows nothing new.
const JUST_READ: SignedDuration = SignedDuration::from_hours(1);

/// What was begun, and the sites to release after the commit.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Begun {
    pub reads: usize,
    pub checks: usize,
    pub sites: Vec<Site>,
}

/// Begins the reads and checks that are due. In the caller's transaction.
pub async fn begin(db: &impl Db, now: Timestamp) -> anyhow::Result<Begun> {
    let mut begun = Begun::default();
    for source in sources::due(db, now, MAX_READS).await? {
        // Its end says when it is read next; this is for a read that never ends.
        sources::put_off(db, source.id, now + source.pace().unwrap_or(PACE)).await?;
        let board: Board = match source.name().parse() {
            Ok(board) => board,
            Err(error) => {
                tracing::error!(source = source.name(), %error, "a source that names no board");
                continue;
            }
        };
        let task = reading::task(&board)?;
        if tasks::insert_new(db, &task, &json!({}), now).await? {
            begun.reads += 1;
            begun.sites.push(task.site);
        }
    }
    let nominated = checks::due(db, now, now + CHECK_AGAIN, MAX_CHECKS).await?;
    for listing in nominated {
        let Some((task, state)) = check_of(&listing) else { continue };
        if tasks::insert_new(db, &task, &state, now).await? {
            begun.checks += 1;
            begun.sites.push(task.site);
        }
    }
    begun.sites.sort();
    begun.sites.dedup();
    Ok(begun)
}

/// Where a listing is asked after: at its board's API, at its own page, or nowhere.
fn check_of(listing: &Nominated) -> Option<(tasks::NewTask, serde_json::Value)> {
    if listing.source == WEB {
        let task =
            details::page_check(listing.fetched.as_deref().unwrap_or(&listing.url), &listing.external_id)?;
        return Some((task, json!({})));
    }
    let board: Board = listing.source.parse().ok()?; // what somebody else brought has no board to ask
    let listed = Listed {
        external_id: listing.external_id.clone(),
        title: listing.title.clone(),
        url: Some(listing.url.clone()),
        ..Listed::default()
    };
    details::task(&board, &listed, TaskKind::Verify)
}

/// A check of a board's listing came to nothing: the board itself is asked soon.
pub async fn ask_the_source(db: &impl Db, source: &str, now: Timestamp) -> anyhow::Result<()> {
    sources::ask_soon(db, source, now, now - JUST_READ).await
}
