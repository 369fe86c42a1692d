//! What travels on the queues: ids, never page bodies.

use serde::{Deserialize, Serialize};

use crate::domain::ids::{DeliveryId, TaskId};
use crate::domain::site::Site;
use crate::domain::webhook::lane;
use crate::queue::Outgoing;
use crate::store::webhooks::Due;

/// Fetch the page of this task, if this is still its latest release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlJob {
    pub task_id: TaskId,
    pub release_no: i32,
}

/// Read the page of this task, if this is still its latest release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractJob {
    pub task_id: TaskId,
    pub release_no: i32,
}

/// Tell the receiver of this delivery, if it is still due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyJob {
    pub delivery_id: DeliveryId,
}

impl CrawlJob {
    /// Grouped by site: one request of a site at a time.
    pub fn outgoing(&self, site: &Site) -> anyhow::Result<Outgoing> {
        outgoing(site.as_str().to_owned(), self.task_id, self.release_no, self)
    }
}

impl ExtractJob {
    /// Every task is a group of its own.
    pub fn outgoing(&self) -> anyhow::Result<Outgoing> {
        outgoing(self.task_id.to_string(), self.task_id, self.release_no, self)
    }
}

impl NotifyJob {
    /// First attempts to one host go one after the other, so that a slow one keeps only its own waiting. A
    /// retry waits for its time in a group of its own: it must not hold up those behind it.
    pub fn outgoing(due: &Due) -> anyhow::Result<Outgoing> {
        let group = if due.attempts == 0 { lane(&due.url) } else { due.id.to_string() };
        Ok(Outgoing {
            group,
            // Sent anew is another message, also within the queue's memory.
            dedup_id: format!("{}:{}", due.id, due.sent_at.as_microsecond()),
            body: serde_json::to_string(&NotifyJob { delivery_id: due.id })?,
        })
    }
}

/// The release number is part of the deduplication id: a new release is never taken for an old one.
fn outgoing(group: String, task: TaskId, release_no: i32, job: &impl Serialize) -> anyhow::Result<Outgoing> {
    Ok(Outgoing { group, dedup_id: format!("{task}:{release_no}"), body: serde_json::to_string(job)? })
}
