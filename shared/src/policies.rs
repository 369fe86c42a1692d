//! The policies as a room sees them: a copy in the process, compared with the database once a second, so that
//! an edit is seen within about a second and no page pays for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::domain::policy::Policy;
use crate::domain::policy_book::{DEFAULT, PolicyBook};
use crate::domain::site::Site;
use crate::store::{Pool, policies};

/// How long the copy is used before it is compared.
pub const FRESH_FOR: SignedDuration = SignedDuration::from_secs(1);

#[derive(Clone)]
pub struct Policies {
    db: Pool,
    copy: Arc<Mutex<Option<Copy>>>,
    /// One comparison at a time; everybody else goes on with the copy there is.
    comparing: Arc<tokio::sync::Mutex<()>>,
}

struct Copy {
    version: i64,
    compared_at: Timestamp,
    book: PolicyBook,
    /// By the name of the entry, worked out when first asked for.
    known: HashMap<String, Arc<Policy>>,
}

impl Policies {
    pub fn new(db: Pool) -> Policies {
        Policies { db, copy: Arc::default(), comparing: Arc::default() }
    }

    /// The policy that holds for a site. A row that cannot be kept is an error, for its own site only.
    pub async fn of_site(&self, site: &Site, now: Timestamp) -> anyhow::Result<Arc<Policy>> {
        if let Some(policy) = self.known(site, Some(now)) {
            return policy;
        }
        let turn = match self.comparing.try_lock() {
            Ok(turn) => turn,
            Err(_) => match self.known(site, None) {
                Some(policy) => return policy,
                None => self.comparing.lock().await, // there is no copy yet
            },
        };
        if self.known(site, Some(now)).is_none() {
            self.compare(now).await?;
        }
        drop(turn);
        self.known(site, None).unwrap_or_else(|| Err(anyhow::anyhow!("the policies were read and are gone")))
    }

    /// From the copy, if there is one that is fresh at `now`, or any at all.
    fn known(&self, site: &Site, now: Option<Timestamp>) -> Option<anyhow::Result<Arc<Policy>>> {
        let mut copy = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = copy.as_mut()?;
        if now.is_some_and(|now| now.duration_since(copy.compared_at).abs() >= FRESH_FOR) {
            return None;
        }
        // Sites without an entry of their own share the default's.
        let entry = if copy.book.entries.contains_key(site.as_str()) { site.as_str() } else { DEFAULT };
        if let Some(policy) = copy.known.get(entry) {
            return Some(Ok(policy.clone()));
        }
        Some(match copy.book.policy_of(site) {
            Ok(policy) => {
                let policy = Arc::new(policy);
                copy.known.insert(entry.to_owned(), policy.clone());
                Ok(policy)
            }
            Err(problem) => Err(anyhow::anyhow!("the policy of {site} cannot be kept: {problem}")),
        })
    }

    async fn compare(&self, now: Timestamp) -> anyhow::Result<()> {
        let conn = self.db.conn().await?;
        let version = policies::version(&*conn).await?;
        {
            let mut copy = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(copy) = copy.as_mut().filter(|copy| copy.version == version) {
                copy.compared_at = now;
                return Ok(());
            }
        }
        let book = policies::book(&*conn).await?;
        let fresh = Copy { version, compared_at: now, book, known: HashMap::new() };
        *self.copy.lock().unwrap_or_else(PoisonError::into_inner) = Some(fresh);
        Ok(())
    }
}
