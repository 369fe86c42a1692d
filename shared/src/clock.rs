//! The one place that asks for the time.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;

/// Where time comes from: the system, or a test's hand.
#[derive(Debug, Clone)]
pub enum Clock {
    System,
    Manual(Arc<Mutex<Timestamp>>),
}

impl Clock {
    pub fn manual(start: Timestamp) -> Clock {
        Clock::Manual(Arc::new(Mutex::new(start)))
    }

    pub fn now(&self) -> Timestamp {
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is the one place")]
            Clock::System => Timestamp::now(),
            Clock::Manual(at) => *at.lock().unwrap_or_else(std::sync::PoisonError::into_inner),
        }
    }

    /// Moves a manual clock forward; the system's cannot be moved.
    pub fn advance(&self, by: jiff::SignedDuration) {
        if let Clock::Manual(at) = self {
            *at.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += by;
        }
    }
}
