//! A page of a board's list that could not be had: it is tried again, and then the walk goes on without it.

use jiff::SignedDuration;
use serde_json::json;
use shared::domain::task::{Retry, retry_after};
use shared::egress::Method;
use shared::sources::{self, Onward};
use shared::store::tasks::{self, Visit};

use crate::Crawler;
use crate::judge::Outcome;

pub async fn settle(room: &Crawler, visit: &Visit, outcome: Outcome) -> anyhow::Result<()> {
    let now = room.clock.now();
    let (code, text, worth_a_try) = match outcome {
        Outcome::Changed(_) | Outcome::Same { .. } => return Ok(()), // handed on
        Outcome::Moved { url, site, redirects } => {
            if matches!(sources::request(visit)?.method, Method::Get) {
                let learnt = json!({ "fetch_url": url, "redirects": redirects });
                let conn = room.db.conn().await?;
                tasks::move_site(&*conn, visit, &site, &learnt).await?;
                drop(conn);
                return release(room, visit, &site).await;
            }
            // Some boards do so for a while when they are busy; following would ask for something else.
            ("redirected".to_owned(), "the board sent a request for data elsewhere".to_owned(), true)
        }
        Outcome::Gone { status } => (format!("http_{status}"), format!("the board answered {status}"), false),
        Outcome::Refused { status, .. } => {
            (format!("http_{status}"), format!("the board answered {status}"), true)
        }
        Outcome::Forbidden { code, text } => (code.into_owned(), text, false),
        Outcome::Unrouted { code, text } | Outcome::Failed { code, text, .. } => {
            (code.into_owned(), text, true)
        }
    };
    if worth_a_try && let Retry::After(seconds) = retry_after(visit.plan.attempts + 1) {
        let conn = room.db.conn().await?;
        return tasks::retry(&*conn, visit, now + SignedDuration::from_secs(seconds), &code, &text)
            .await
            .map(drop);
    }
    let mut walk = sources::walk_of(&visit.plan)?;
    walk.failed(&text);
    let mut conn = room.db.conn().await?;
    let transaction = conn.transaction().await?;
    let onward = sources::go_on(&transaction, visit, &walk, now).await?;
    if onward != Onward::Lost {
        transaction.commit().await?;
    } else {
        drop(transaction);
    }
    drop(conn);
    match onward {
        Onward::Next(site) => release(room, visit, &site).await,
        Onward::Ended | Onward::Lost => Ok(()),
    }
}

/// The task's own site is released by whoever settles it.
async fn release(room: &Crawler, visit: &Visit, site: &shared::domain::site::Site) -> anyhow::Result<()> {
    if *site != visit.plan.site {
        room.desk.desk.release(site, room.clock.now()).await?;
    }
    Ok(())
}
