//! Which sites need a browser, as a room sees it: a copy in the process, read anew now and then, so that no page
//! pays for it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::domain::site::Site;
use crate::store::{Pool, rendering};

/// Believed this long; then a plain page is looked at again.
pub const BELIEVED_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
const FRESH_FOR: SignedDuration = SignedDuration::from_secs(30);

#[derive(Clone)]
pub struct RenderMemory {
    db: Pool,
    copy: Arc<Mutex<Copy>>,
}

#[derive(Default)]
struct Copy {
    read_at: Option<Timestamp>,
    sites: HashSet<String>,
}

impl RenderMemory {
    pub fn new(db: Pool) -> RenderMemory {
        RenderMemory { db, copy: Arc::default() }
    }

    /// Was the site found to need one lately?
    pub async fn needs(&self, site: &Site, now: Timestamp) -> anyhow::Result<bool> {
        {
            let mut copy = self.copy();
            let fresh = copy.read_at.is_some_and(|at| now.duration_since(at) < FRESH_FOR);
            if fresh {
                return Ok(copy.sites.contains(site.as_str()));
            }
            // Whoever comes next goes by the old copy while this one reads.
            copy.read_at = Some(now);
        }
        let conn = self.db.conn().await?;
        let known = rendering::known(&*conn, now - BELIEVED_FOR).await?;
        drop(conn);
        let mut copy = self.copy();
        copy.sites = known.into_iter().collect();
        Ok(copy.sites.contains(site.as_str()))
    }

    /// Its page said nothing until a browser showed it.
    pub async fn learn(&self, site: &Site, reason: &str, now: Timestamp) -> anyhow::Result<()> {
        self.copy().sites.insert(site.as_str().to_owned());
        let conn = self.db.conn().await?;
        rendering::learn(&*conn, site.as_str(), reason, now).await
    }

    fn copy(&self) -> MutexGuard<'_, Copy> {
        self.copy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
