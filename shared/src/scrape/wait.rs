//! Callers that wait for their task. One loop asks for all of them, in one query, at pauses that grow with the
//! patience of whoever came last; when nobody waits it is not there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::domain::ids::TaskId;
use crate::store::Pool;

const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// Where callers wait. Cheap to clone; one per process.
#[derive(Clone)]
pub struct Waiter {
    inner: Arc<Inner>,
}

struct Inner {
    db: Pool,
    calls: Mutex<Calls>,
    /// Questions asked so far.
    looks: AtomicU64,
    /// Somebody came: what seemed a fair pause may be too long.
    stir: Notify,
}

#[derive(Default)]
struct Calls {
    waiting: HashMap<TaskId, Vec<Call>>,
    looping: bool,
}

struct Call {
    since: Instant,
    tell: oneshot::Sender<()>,
}

impl Waiter {
    pub fn new(db: Pool) -> Waiter {
        Waiter {
            inner: Arc::new(Inner {
                db,
                calls: Mutex::default(),
                looks: AtomicU64::new(0),
                stir: Notify::new(),
            }),
        }
    }

    /// How often the rows were looked at, for all callers together.
    pub fn looks(&self) -> u64 {
        self.inner.looks.load(Ordering::Relaxed)
    }

    /// Waits until the task has ended, but no longer than this. Returns whether it has.
    pub async fn ended(&self, id: TaskId, patience: Duration) -> bool {
        let (tell, told) = oneshot::channel();
        let begin = {
            let mut calls = self.inner.lock();
            calls.waiting.entry(id).or_default().push(Call { since: Instant::now(), tell });
            !std::mem::replace(&mut calls.looping, true)
        };
        if begin {
            tokio::spawn(look(self.inner.clone()));
        } else {
            self.inner.stir.notify_one();
        }
        matches!(tokio::time::timeout(patience, told).await, Ok(Ok(())))
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who still waits, and how long to pause before asking again; nothing when nobody does.
    fn wanted(&self) -> Option<(Vec<TaskId>, Duration)> {
        let mut calls = self.lock();
        calls.waiting.retain(|_, waiting| {
            waiting.retain(|call| !call.tell.is_closed());
            !waiting.is_empty()
        });
        let latest = calls.waiting.values().flatten().map(|call| call.since).max();
        calls.looping = latest.is_some();
        let pause = latest?.elapsed().div_f32(4.0).clamp(SHORTEST, LONGEST);
        Some((calls.waiting.keys().copied().collect(), pause))
    }

    fn tell(&self, ended: &[TaskId]) {
        let mut calls = self.lock();
        for call in ended.iter().filter_map(|id| calls.waiting.remove(id)).flatten() {
            // Whoever has gone meanwhile need not hear it.
            let _ = call.tell.send(());
        }
    }
}

async fn look(inner: Arc<Inner>) {
    while let Some((ids, pause)) = inner.wanted() {
        inner.looks.fetch_add(1, Ordering::Relaxed);
        match ended(&inner.db, &ids).await {
            Ok(ended) => inner.tell(&ended),
            // Whoever waits runs out of patience sooner or later; the next look may go well.
            Err(error) => tracing::warn!(error = format!("{error:#}"), "looking after waiting calls failed"),
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = async { inner.stir.notified().await; tokio::time::sleep(SHORTEST).await } => {}
        }
    }
}

async fn ended(db: &Pool, ids: &[TaskId]) -> anyhow::Result<Vec<TaskId>> {
    let conn = db.conn().await?;
    crate::store::jobs::ended_tasks(&*conn, ids).await
}
