//! The second reader: a model fills in what a company's page left open, when the operator has one. Nothing waits for it
//! longer than the task's lease allows, nothing fails with it, and a page behind a login is never shown to it.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use shared::ai::Ai;
use shared::ai::company::{self, Asked, Shown};
use shared::domain::credential::is_private_page;
use shared::domain::extract::Reading;
use shared::domain::notice::{State, Verdict};
use shared::domain::target::TargetType;
use shared::store::tasks::Visit;

use crate::{Extractor, LEASE};

/// What saving may take; with less than this and a second left nobody is asked.
const TO_SAVE: SignedDuration = SignedDuration::from_secs(15);
const SHORTEST: SignedDuration = SignedDuration::from_secs(1);

/// Whether this page may be shown to a model at all.
pub fn may_ask(room: &Extractor, visit: &Visit, target: TargetType) -> bool {
    matches!(room.ai, Ai::Provider { .. })
        && target == TargetType::CompanyWebsite
        && !is_private_page(&visit.plan.url_key)
}

/// Fills in what is open and gives what the task's `meta` shows of it; none when nobody was asked.
pub async fn fill(
    room: &Extractor,
    visit: &Visit,
    started: Timestamp,
    shown: Option<&Shown>,
    reading: &mut Reading,
) -> Option<Value> {
    let (shown, result) = (shown?, reading.result.as_mut()?);
    let left = started + LEASE - TO_SAVE;
    let left = left.duration_since(room.clock.now());
    if left < SHORTEST {
        tracing::warn!(outcome = "ai_no_time", "no model was asked: the lease is nearly over");
        return Some(json!({ "outcome": "ai_no_time" }));
    }
    let ai = room.ai.within(Duration::try_from(left).unwrap_or_default());
    let asked = match company::ask(&ai, visit.plan.id, &visit.plan.url_key, result, shown).await {
        Ok(asked) => asked?,
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "no model was asked");
            return Some(json!({ "outcome": "ai_failed" }));
        }
    };
    log(&asked);
    let filled = asked.fill(result);
    reading.known += filled;
    if filled > 0 && reading.verdict.code == "nothing_found" {
        let reason = "the page says who it is about".to_owned();
        reading.verdict = Verdict { state: State::Active, code: "read", reason };
    }
    Some(asked.meta(&ai))
}

fn log(asked: &Asked) {
    let Asked { fields, outcome, reason, tokens, micros } = asked;
    let (fields, tokens_in, tokens_out) = (fields.len(), tokens.input, tokens.output);
    match reason {
        Some(reason) => {
            tracing::warn!(
                outcome,
                reason,
                tokens_in,
                tokens_out,
                micros,
                "the page is read without a model"
            );
        }
        None => tracing::info!(outcome, fields, tokens_in, tokens_out, micros, "a model was asked"),
    }
}
