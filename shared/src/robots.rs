//! What robots.txt says, as a room sees it: a copy in the process of what the table holds, so that a page of
//! an origin whose file is known costs no question.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::domain::robots_access::Access;
use crate::store::Pool;
use crate::store::robots::{self, Kept};

/// The copies together take about this much at most.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// What an entry takes beside its rules.
const ENTRY: usize = 512;

#[derive(Clone)]
pub struct RobotsFiles {
    db: Pool,
    copies: Arc<Mutex<Copies>>,
}

#[derive(Default)]
struct Copies {
    by_origin: HashMap<String, Arc<Kept>>,
    bytes: usize,
}

impl RobotsFiles {
    pub fn new(db: Pool) -> RobotsFiles {
        RobotsFiles { db, copies: Arc::default() }
    }

    /// What is known of an origin and still to be believed.
    pub async fn of_origin(&self, origin: &str, now: Timestamp) -> anyhow::Result<Option<Arc<Kept>>> {
        let known = self.lock().by_origin.get(origin).cloned();
        if let Some(kept) = known.filter(|kept| now < kept.expires_at) {
            return Ok(Some(kept));
        }
        let conn = self.db.conn().await?;
        let Some(kept) = robots::find(&*conn, origin, now).await? else { return Ok(None) };
        Ok(Some(self.copy(origin, kept)))
    }

    /// Keeps what was learnt, for every process and the next start.
    pub async fn learn(&self, origin: &str, access: Access, now: Timestamp) -> anyhow::Result<Arc<Kept>> {
        let kept = Kept::new(access, now);
        let conn = self.db.conn().await?;
        robots::keep(&*conn, origin, &kept).await?;
        Ok(self.copy(origin, kept))
    }

    fn copy(&self, origin: &str, kept: Kept) -> Arc<Kept> {
        let kept = Arc::new(kept);
        let weight = ENTRY + weight(&kept.access);
        let mut copies = self.lock();
        if copies.bytes + weight > MOST_BYTES {
            // All of it: the table still has what is wanted again.
            *copies = Copies::default();
        }
        copies.bytes += weight;
        if let Some(before) = copies.by_origin.insert(origin.to_owned(), kept.clone()) {
            copies.bytes -= ENTRY + self::weight(&before.access);
        }
        kept
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn weight(access: &Access) -> usize {
    match access {
        Access::Rules(robots) => robots.weight(),
        _ => 0,
    }
}
