//! What travels on the queues: ids, never page bodies.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::ids::{DeliveryId, ListingId, RequestId, TaskId};
use crate::domain::render::{Outcome, Sight};
use crate::domain::site::Site;
use crate::domain::webhook::lane;
use crate::queue::Outgoing;
use crate::store::renderers::Report;
use crate::store::webhooks::Due;

/// Fetch the page of this task, if this is still its latest release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlJob {
    pub task_id: TaskId,
    pub release_no: i32,
}

/// What the crawler is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CrawlMessage {
    Rendered(Box<Rendered>),
    Crawl(CrawlJob),
}

/// Show this page in a browser. The slot is reserved and the task is claimed: the crawler answers for both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RenderJob {
    pub task_id: TaskId,
    pub release_no: i32,
    /// Of the claim. What is stored and answered goes under it.
    pub fence: i32,
    /// The grant of the site's gate that this navigation uses up.
    pub slot: i64,
    pub site: Site,
    pub sight: Sight,
    /// The proxy at this place of the list; none is the direct way.
    pub proxy: Option<usize>,
    /// The slot opens then.
    pub not_before: Timestamp,
    /// Past this the slot is void, and the page is not asked for.
    pub navigate_by: Timestamp,
    /// Past this nobody waits for it.
    pub deadline: Timestamp,
    /// Of the request that the task came with, for the log.
    pub request_id: Option<RequestId>,
}

/// What came of a rendering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rendered {
    pub task_id: TaskId,
    pub release_no: i32,
    pub fence: i32,
    pub slot: i64,
    pub site: Site,
    pub proxy: Option<usize>,
    /// The latest moment at which the site can have seen the navigation.
    pub seen_by: Timestamp,
    pub rendered: Outcome,
    /// How the browsers of that renderer are.
    pub browsers: Report,
    pub instance: Uuid,
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

/// Score the pairs of this run, from where it stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchJob {
    pub event: MatchEvent,
    pub run_id: Uuid,
}

/// What a run is about. The row says what is to be done; this is for whoever reads along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", content = "data")]
pub enum MatchEvent {
    #[serde(rename = "jobs/imported")]
    JobsImported {
        job_ids: Vec<ListingId>,
        global_role_id: i32,
        role_name: String,
        session_id: Uuid,
        source: String,
    },
    /// A candidate is new or has changed.
    #[serde(rename = "candidates/changed")]
    CandidateChanged { candidate_id: Uuid },
    /// A run goes on: more of it, or its message was lost.
    #[serde(rename = "matches/continued")]
    Continued,
}

impl MatchJob {
    /// Every run is a group of its own. `step` tells its messages apart.
    pub fn outgoing(&self, step: &str) -> anyhow::Result<Outgoing> {
        let dedup_id = format!("{}:{step}", self.run_id);
        Ok(Outgoing { group: self.run_id.to_string(), dedup_id, body: serde_json::to_string(self)? })
    }
}

impl CrawlJob {
    /// Grouped by site: one request of a site at a time.
    pub fn outgoing(&self, site: &Site) -> anyhow::Result<Outgoing> {
        outgoing(site.as_str().to_owned(), self.task_id, self.release_no, self)
    }
}

impl RenderJob {
    /// Grouped by site, as its fetch is.
    pub fn outgoing(&self) -> anyhow::Result<Outgoing> {
        let dedup_id = format!("{}:{}:{}", self.task_id, self.release_no, self.fence);
        Ok(Outgoing { group: self.site.as_str().to_owned(), dedup_id, body: serde_json::to_string(self)? })
    }
}

impl Rendered {
    /// In a group of its own: it must not wait behind the site's next task.
    pub fn outgoing(&self) -> anyhow::Result<Outgoing> {
        let dedup_id = format!("{}:{}:{}:rendered", self.task_id, self.release_no, self.fence);
        Ok(Outgoing { group: self.task_id.to_string(), dedup_id, body: serde_json::to_string(self)? })
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
