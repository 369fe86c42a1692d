//! Words with a browser, over two pipes that only it and we hold: no port is open that anybody else on the
//! machine could speak to. Names and answers are typed by `headless_chrome`; what it speaks with is not used
//! (decision 20).

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use headless_chrome::protocol::cdp::types::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// A page of the largest size that is read fits into it; more is not listened to.
const LONGEST: usize = 64 * 1024 * 1024;

/// Something a page of the browser tells.
#[derive(Debug)]
pub struct Event {
    pub name: String,
    pub params: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WireError {
    /// The browser is gone, or says what no browser says.
    #[error("the browser is gone")]
    Closed,
    #[error("the browser refused {method}: {reason}")]
    Refused { method: &'static str, reason: String },
}

/// Cheap to clone. It ends when the browser does.
#[derive(Clone)]
pub struct Wire(Arc<Inner>);

struct Inner {
    out: mpsc::UnboundedSender<Vec<u8>>,
    next: AtomicU32,
    waiting: Mutex<HashMap<u32, oneshot::Sender<Result<Value, String>>>>,
    sessions: Mutex<HashMap<String, mpsc::UnboundedSender<Event>>>,
    closed: CancellationToken,
}

#[derive(Deserialize)]
struct Incoming {
    id: Option<u32>,
    #[serde(default)]
    result: Value,
    error: Option<Fault>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

#[derive(Deserialize)]
struct Fault {
    message: String,
}

impl Wire {
    /// Takes our ends of the two pipes.
    pub fn open(to_browser: OwnedFd, from_browser: OwnedFd) -> std::io::Result<Wire> {
        let sender = pipe::Sender::from_owned_fd(to_browser)?;
        let receiver = pipe::Receiver::from_owned_fd(from_browser)?;
        let (out, queued) = mpsc::unbounded_channel();
        let inner = Arc::new(Inner {
            out,
            next: AtomicU32::new(1),
            waiting: Mutex::default(),
            sessions: Mutex::default(),
            closed: CancellationToken::new(),
        });
        tokio::spawn(write(sender, queued, inner.closed.clone()));
        tokio::spawn(read(receiver, Arc::clone(&inner)));
        Ok(Wire(inner))
    }

    /// Asks the browser, or one page of it, and waits for the answer. The caller watches the time.
    pub async fn call<M: Method>(
        &self,
        session: Option<&str>,
        params: Value,
    ) -> Result<M::ReturnObject, WireError> {
        let answer = self.send::<M>(session, params);
        let result = answer.await.map_err(|_| WireError::Closed)?;
        let refused = |reason: String| WireError::Refused { method: M::NAME, reason };
        serde_json::from_value(result.map_err(refused)?).map_err(|error| refused(error.to_string()))
    }

    /// Says something whose answer nobody waits for.
    pub fn say<M: Method>(&self, session: Option<&str>, params: Value) {
        drop(self.send::<M>(session, params));
    }

    fn send<M: Method>(
        &self,
        session: Option<&str>,
        params: Value,
    ) -> oneshot::Receiver<Result<Value, String>> {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        lock(&self.0.waiting).insert(id, answer);
        let mut message = json!({ "id": id, "method": M::NAME });
        message["params"] = params;
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        if self.0.out.send(bytes).is_err() || self.is_closed() {
            lock(&self.0.waiting).remove(&id);
        }
        answered
    }

    /// What a page tells, from now on.
    pub fn listen(&self, session: &str) -> mpsc::UnboundedReceiver<Event> {
        let (tell, told) = mpsc::unbounded_channel();
        lock(&self.0.sessions).insert(session.to_owned(), tell);
        told
    }

    pub fn forget(&self, session: &str) {
        lock(&self.0.sessions).remove(session);
    }

    pub fn is_closed(&self) -> bool {
        self.0.closed.is_cancelled()
    }

    /// Waits until the browser is gone.
    pub async fn closed(&self) {
        self.0.closed.cancelled().await;
    }

    /// Hangs up: both pipes are closed, and the browser ends by itself.
    pub fn close(&self) {
        self.0.end();
    }
}

impl Inner {
    fn end(&self) {
        self.closed.cancel();
        // Whoever waits learns that nobody answers.
        lock(&self.waiting).clear();
        lock(&self.sessions).clear();
    }

    fn hear(&self, message: &[u8]) -> bool {
        let Ok(message) = serde_json::from_slice::<Incoming>(message) else { return false };
        match (message.id, message.method, message.session) {
            (Some(id), ..) => {
                let waiting = lock(&self.waiting).remove(&id);
                if let Some(waiting) = waiting {
                    let result = message.error.map_or(Ok(message.result), |fault| Err(fault.message));
                    drop(waiting.send(result)); // nobody may be waiting any more
                }
            }
            (None, Some(name), Some(session)) => {
                if let Some(listener) = lock(&self.sessions).get(&session) {
                    drop(listener.send(Event { name, params: message.params }));
                }
            }
            _ => {} // of the browser as a whole: nothing we wait for
        }
        true
    }
}

async fn write(
    mut pipe: pipe::Sender,
    mut queued: mpsc::UnboundedReceiver<Vec<u8>>,
    closed: CancellationToken,
) {
    loop {
        let message = tokio::select! {
            message = queued.recv() => message,
            () = closed.cancelled() => return,
        };
        let Some(message) = message else { return };
        let written = tokio::select! {
            written = pipe.write_all(&message) => written,
            () = closed.cancelled() => return,
        };
        if written.is_err() {
            return;
        }
    }
}

async fn read(pipe: pipe::Receiver, inner: Arc<Inner>) {
    let mut pipe = BufReader::with_capacity(64 * 1024, pipe);
    let mut message = Vec::new();
    loop {
        let available = tokio::select! {
            available = pipe.fill_buf() => available,
            () = inner.closed.cancelled() => break,
        };
        let Ok(available) = available else { break };
        if available.is_empty() {
            break;
        }
        let end = available.iter().position(|byte| *byte == 0);
        let part = end.unwrap_or(available.len());
        message.extend_from_slice(&available[..part]);
        pipe.consume(part + usize::from(end.is_some()));
        if message.len() > LONGEST {
            tracing::warn!(bytes = message.len(), "a browser says more than is listened to");
            break;
        }
        if end.is_some() {
            if !inner.hear(&message) {
                break;
            }
            message.clear();
            message.shrink_to(1024 * 1024);
        }
    }
    inner.end();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
