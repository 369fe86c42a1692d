//! Two that wanted the same rows: one of them lost, and goes again. Nothing of it was written.

use tokio_postgres::error::SqlState;

/// Times that a write which lost to another is tried.
pub const TRIES: usize = 4;

/// Whether a write failed only because of another one: a deadlock, a lock that was not to be had in time.
pub fn lost_to_another(error: &anyhow::Error) -> bool {
    let codes =
        [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE, SqlState::LOCK_NOT_AVAILABLE];
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<tokio_postgres::Error>())
        .any(|error| error.code().is_some_and(|code| codes.contains(code)))
}

/// Does a write, again if it lost to another. `work` begins anew each time: a whole transaction.
pub async fn again<T, F>(mut work: impl FnMut() -> F) -> anyhow::Result<T>
where
    F: Future<Output = anyhow::Result<T>>,
{
    for _ in 1..TRIES {
        match work().await {
            Err(error) if lost_to_another(&error) => {
                tracing::debug!(error = format!("{error:#}"), "a write lost to another and goes again");
            }
            done => return done,
        }
    }
    work().await
}
