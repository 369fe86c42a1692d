//! External scrapers at the door: whose key this is, and how often it was used. Uses are counted in memory and written
//! down in groups, so that no request pays for a write of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::domain::roles::scraper_key::Presented;
use crate::store::Pool;
use crate::store::role_queue::LEASE;
use crate::store::scraper_keys::{self, ScraperKey};

/// What the seed's limit is; an operator may set another.
pub const PER_MINUTE: u32 = 60;
/// How long uses gather before they are written down. What a killed process had gathered is lost.
const GATHERED: SignedDuration = SignedDuration::from_secs(10);

/// Cheap to clone; the clones count together.
#[derive(Clone)]
pub struct Scrapers {
    db: Pool,
    /// Roles that one key may ask for in a minute.
    pub per_minute: u32,
    /// How long a role is theirs after a sign of life.
    pub lease: SignedDuration,
    uses: Arc<Mutex<Uses>>,
}

#[derive(Default)]
struct Uses {
    gathered: HashMap<i32, (i64, Timestamp)>,
    written_at: Option<Timestamp>,
}

impl Scrapers {
    pub fn new(db: Pool, per_minute: u32) -> Scrapers {
        Scrapers { db, per_minute, lease: LEASE, uses: Arc::default() }
    }

    /// With another time for a role than the usual hour.
    #[must_use]
    pub fn with_lease(self, lease: SignedDuration) -> Scrapers {
        Scrapers { lease, ..self }
    }

    /// Whose key this is, if it is one of ours that lives. A text that cannot be a key costs no query.
    pub async fn prove(&self, presented: &[u8], now: Timestamp) -> anyhow::Result<Option<ScraperKey>> {
        let Some(presented) = std::str::from_utf8(presented).ok().and_then(Presented::parse) else {
            return Ok(None);
        };
        let conn = self.db.conn().await?;
        let found = scraper_keys::find(&*conn, presented.public_id, now).await?;
        drop(conn);
        let Some((key, _)) = found.filter(|(_, sha256)| presented.is(sha256)) else { return Ok(None) };
        self.used(key.id, now).await;
        Ok(Some(key))
    }

    /// Counts a use; from time to time one request writes down what all have gathered.
    async fn used(&self, key: i32, now: Timestamp) {
        let due = {
            let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
            let entry = uses.gathered.entry(key).or_insert((0, now));
            *entry = (entry.0 + 1, now.max(entry.1));
            uses.written_at.is_none_or(|at| now.duration_since(at) >= GATHERED).then(|| uses.take(now))
        };
        if let Some(due) = due {
            self.write(due).await;
        }
    }

    /// Writes down what was gathered, for whoever wants to see it now.
    pub async fn flush(&self, now: Timestamp) {
        let due = self.uses.lock().unwrap_or_else(PoisonError::into_inner).take(now);
        self.write(due).await;
    }

    async fn write(&self, due: Vec<(i32, i64, Timestamp)>) {
        if due.is_empty() {
            return;
        }
        let written = async { scraper_keys::used(&*self.db.conn().await?, &due).await };
        // A count is not worth a failed request.
        if let Err(error) = written.await {
            tracing::warn!(error = format!("{error:#}"), "counting the uses of keys failed");
        }
    }
}

impl Uses {
    fn take(&mut self, now: Timestamp) -> Vec<(i32, i64, Timestamp)> {
        self.written_at = Some(now);
        let mut taken: Vec<_> = self.gathered.drain().map(|(id, (count, at))| (id, count, at)).collect();
        // In one order everywhere, so that two processes never wait for one another.
        taken.sort_unstable_by_key(|(id, ..)| *id);
        taken
    }
}
