//! The states that this process wrote last. They are proposals, never truth: whoever acts on one swaps
//! against its version, and reads anew when that fails.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::Versioned;
use crate::domain::site::Site;

/// Far shorter than a row lives, so that a version is never met again on another state.
const FRESH: SignedDuration = SignedDuration::from_mins(5);
/// More sites than one process visits within that time.
const MOST: usize = 20_000;

#[derive(Clone, Default)]
pub struct Known(Arc<Mutex<HashMap<Site, (Versioned, Timestamp)>>>);

impl Known {
    pub fn get(&self, site: &Site, now: Timestamp) -> Option<Versioned> {
        let held = self.all().get(site).cloned();
        held.filter(|(_, since)| now.duration_since(*since).abs() < FRESH).map(|(state, _)| state)
    }

    pub fn set(&self, site: &Site, state: Versioned, now: Timestamp) {
        let mut all = self.all();
        if all.len() >= MOST {
            all.retain(|_, (_, since)| now.duration_since(*since).abs() < FRESH);
        }
        if all.len() < MOST || all.contains_key(site) {
            all.insert(site.clone(), (state, now));
        }
    }

    pub fn forget(&self, site: &Site) {
        self.all().remove(site);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Site, (Versioned, Timestamp)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
