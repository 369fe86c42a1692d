//! Webhooks: to whom, what is said, how it is signed, and what follows from the answer. Nothing here sends
//! anything or knows the time by itself.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use thiserror::Error;
use uuid::Uuid;

use super::gate::retry_after;
use super::ids::{DeliveryId, TaskId};
use super::job::{Counts, JobStatus, ShownStatus};
use super::task::{TaskStatus, words};

/// A job of more tasks than this is told of without their results.
pub const MOST_RESULTS: u32 = 100;
/// One attempt, from the name to the status line.
pub const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);
/// The first attempt is made at once; these are the seconds before the others.
pub const PAUSES: [i64; 3] = [2, 4, 8];
const SHORTEST_SECRET: usize = 16;
/// What marks a secret whose rest is base64, as the Standard Webhooks libraries take it.
const PREFIX: &str = "whsec_";

words!(
    DeliveryStatus ("delivery status") {
        Pending = "pending",
        Delivered = "delivered",
        /// Every attempt failed; kept for an admin to replay.
        Failed = "failed",
        /// The endpoint said that it is gone for good.
        Stopped = "stopped",
    }
);

/// Where the news of a target goes: its own address beats the batch's, which beats the default.
pub fn address<'a>(
    target: Option<&'a str>,
    batch: Option<&'a str>,
    default: Option<&'a str>,
) -> Option<&'a str> {
    target.or(batch).or(default)
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub total: u32,
    pub completed: u32,
    pub failed: u32,
}

impl Summary {
    /// Counts tasks of one status. One that has not ended counts in the total alone.
    pub fn add(&mut self, status: TaskStatus, count: u32) {
        self.total += count;
        match status.into() {
            ShownStatus::Completed => self.completed += count,
            ShownStatus::Failed => self.failed += count,
            ShownStatus::Queued | ShownStatus::Running => {}
        }
    }

    pub fn has_results(&self) -> bool {
        self.total <= MOST_RESULTS
    }
}

/// What became of one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskResult {
    pub task_id: TaskId,
    /// `completed` or `failed`.
    pub status: ShownStatus,
    pub target_type: String,
    pub target_url: String,
    /// Only when completed.
    pub result: Option<Value>,
    pub error: Option<String>,
    /// The stable name of the error.
    pub code: Option<String>,
}

/// What a receiver is told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Payload {
    pub job_id: Uuid,
    pub status: JobStatus,
    pub summary: Summary,
    pub results: Option<Vec<TaskResult>>,
}

impl Payload {
    pub fn new(job_id: Uuid, cancelled: bool, summary: Summary, results: Vec<TaskResult>) -> Payload {
        let Summary { total, completed, failed } = summary;
        let counts = Counts { queued: 0, running: total - completed - failed, completed, failed };
        let status = counts.status(cancelled);
        Payload { job_id, status, summary, results: summary.has_results().then_some(results) }
    }

    /// The text that is signed, sent and kept. Made once: a second serialisation may differ in a byte.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadSecret {
    #[error("a webhook secret needs at least {SHORTEST_SECRET} characters")]
    Short,
    #[error("what follows \"whsec_\" in a webhook secret is base64")]
    NotBase64,
}

/// What webhooks are signed with. It does not print.
pub struct SigningKey {
    /// The secret as its owner writes it.
    whole: SecretString,
    /// The same as Standard Webhooks reads it.
    standard: SecretSlice<u8>,
}

impl SigningKey {
    pub fn new(secret: SecretString) -> Result<SigningKey, BadSecret> {
        let text = secret.expose_secret();
        if text.len() < SHORTEST_SECRET {
            return Err(BadSecret::Short);
        }
        let standard = match text.strip_prefix(PREFIX) {
            Some(rest) => STANDARD.decode(rest).map_err(|_| BadSecret::NotBase64)?,
            None => text.as_bytes().to_vec(),
        };
        Ok(SigningKey { standard: standard.into(), whole: secret })
    }

    /// A secret of this form from 32 random bytes.
    pub fn secret(random: [u8; 32]) -> String {
        format!("{PREFIX}{}", STANDARD.encode(random))
    }

    /// The headers of one attempt. Every attempt has the same id and body, and its own time.
    pub fn headers(&self, id: DeliveryId, at: Timestamp, body: &[u8]) -> [(&'static str, String); 4] {
        let (id, seconds) = (id.to_string(), at.as_second().to_string());
        let plain = mac(self.whole.expose_secret().as_bytes(), &[body]);
        let standard =
            mac(self.standard.expose_secret(), &[id.as_bytes(), b".", seconds.as_bytes(), b".", body]);
        [
            ("x-webhook-signature", hex::encode(plain)),
            ("webhook-signature", format!("v1,{}", STANDARD.encode(standard))),
            ("webhook-id", id),
            ("webhook-timestamp", seconds),
        ]
    }
}

fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Status {
        status: u16,
        retry_after: Option<String>,
    },
    /// No answer: not reached, or too slow.
    Silence {
        code: &'static str,
        text: String,
    },
    /// We do not send there, and would not the next time either.
    Refused {
        code: &'static str,
        text: String,
    },
}

/// What follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Delivered,
    Retry(Timestamp),
    Failed,
    /// 410: nothing goes to this address any more.
    Stopped,
}

/// What follows from the answer to attempt number `attempt` (the first is 1). A redirect is no answer: the
/// address that was given is the one that must take it.
pub fn next(answer: &Answer, attempt: i32, now: Timestamp) -> Next {
    let asked = match answer {
        Answer::Status { status: 200..=299, .. } => return Next::Delivered,
        Answer::Status { status: 410, .. } => return Next::Stopped,
        Answer::Refused { .. } => return Next::Failed,
        // As of a site: at most a day, and nonsense asks for nothing.
        Answer::Status { retry_after: text, .. } => text.as_deref().and_then(|text| retry_after(text, now)),
        Answer::Silence { .. } => None,
    };
    let pause = usize::try_from(attempt - 1).ok().and_then(|at| PAUSES.get(at));
    match pause {
        Some(&seconds) => {
            let own = SignedDuration::from_secs(seconds);
            Next::Retry(now + asked.map_or(own, |asked| asked.max(own)))
        }
        None => Next::Failed,
    }
}

/// The queue's group for first attempts: one endpoint's host. One that is slow keeps its own waiting and
/// nobody else's.
pub fn lane(url: &str) -> String {
    let host = url::Url::parse(url).ok().and_then(|url| {
        Some(format!("{}:{}", url.host_str()?, url.port_or_known_default().unwrap_or_default()))
    });
    match host {
        Some(host) if host.len() <= 120 => format!("to:{host}"),
        other => {
            let hash = Sha256::digest(other.as_deref().unwrap_or(url).as_bytes());
            format!("h:{}", hex::encode(&hash[..16]))
        }
    }
}

#[cfg(test)]
#[path = "webhook_tests.rs"]
mod tests;
