//! A Lambda Runtime API of our own that hosts one real `bootstrap` on loopback: what AWS does between a
//! trigger and a function, with nothing in between that could hide what the function answers.

use std::collections::HashMap;
use std::fs::File;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path as UrlPath, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use serde_json::Value;
use shared::clock::Clock;
use tempfile::NamedTempFile;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

use crate::packages;

/// What the template gives most functions; none of ours may need it for a sample event.
const TIMEOUT: Duration = Duration::from_secs(60);
const VERSION: &str = "/2018-06-01/runtime";

/// The variables of a function.
pub type Variables = HashMap<String, String>;

/// A function that runs. Dropped, it is killed.
pub struct Function {
    child: Child,
    events: mpsc::UnboundedSender<Invocation>,
    /// What it wrote.
    log: NamedTempFile,
}

struct Invocation {
    event: Value,
    answer: oneshot::Sender<Result<Value, Value>>,
}

struct Runtime {
    events: tokio::sync::Mutex<mpsc::UnboundedReceiver<Invocation>>,
    waiting: Mutex<HashMap<String, oneshot::Sender<Result<Value, Value>>>>,
}

impl Function {
    /// Starts a room's real `bootstrap` with these variables and no others.
    pub async fn start(room: &str, variables: &Variables) -> anyhow::Result<Function> {
        let (events, received) = mpsc::unbounded_channel();
        let runtime = Runtime { events: received.into(), waiting: Mutex::default() };
        let router = Router::new()
            .route(&format!("{VERSION}/invocation/next"), get(next))
            .route(&format!("{VERSION}/invocation/{{id}}/response"), post(response))
            .route(&format!("{VERSION}/invocation/{{id}}/error"), post(error))
            .with_state(Arc::new(runtime));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        // Small answers on one connection: without this each waits 40 ms for the one before.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let log = NamedTempFile::new()?;
        let child = spawn(room, &address.to_string(), variables, log.as_file())?;
        Ok(Function { child, events, log })
    }

    /// Hands it an event; the answer, or the error it reported.
    pub async fn invoke(&mut self, event: Value) -> anyhow::Result<Result<Value, Value>> {
        let (answer, mut answered) = oneshot::channel();
        self.events.send(Invocation { event, answer }).ok().context("the runtime API is gone")?;
        let until = Instant::now() + TIMEOUT;
        loop {
            match tokio::time::timeout(Duration::from_millis(100), &mut answered).await {
                Ok(answer) => return answer.context("the runtime API is gone"),
                Err(_) if Instant::now() > until => bail!("no answer in time\n{}", self.log()),
                Err(_) => {
                    if let Some(status) = self.child.try_wait()? {
                        bail!("it ended ({status}) before it answered\n{}", self.log());
                    }
                }
            }
        }
    }

    /// Waits until it ends by itself.
    pub async fn ended(&mut self) -> anyhow::Result<ExitStatus> {
        let until = Instant::now() + TIMEOUT;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        bail!("it does not end\n{}", self.log())
    }

    /// What it wrote so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log.path()).unwrap_or_default()
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(room: &str, api: &str, variables: &Variables, log: &File) -> anyhow::Result<Child> {
    let bootstrap = packages::bootstrap(room)?;
    Command::new(&bootstrap)
        .env_clear()
        .env("AWS_LAMBDA_RUNTIME_API", api)
        .env("AWS_LAMBDA_FUNCTION_NAME", room)
        .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512")
        .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
        .env("AWS_LAMBDA_LOG_GROUP_NAME", room)
        .env("AWS_LAMBDA_LOG_STREAM_NAME", room)
        .envs(variables)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log.try_clone()?)
        .spawn()
        .with_context(|| format!("starting {}", bootstrap.display()))
}

/// Holds the function's question until there is an event.
async fn next(State(runtime): State<Arc<Runtime>>) -> Result<(HeaderMap, String), StatusCode> {
    let invocation = runtime.events.lock().await.recv().await.ok_or(StatusCode::GONE)?;
    let id = uuid::Uuid::new_v4().to_string();
    let deadline = Clock::System.now().as_millisecond() + TIMEOUT.as_millis() as i64;
    let mut headers = HeaderMap::new();
    let mut set = |name, value: &str| {
        headers.insert(name, HeaderValue::from_str(value).expect("digits and letters"));
    };
    set("lambda-runtime-aws-request-id", &id);
    set("lambda-runtime-deadline-ms", &deadline.to_string());
    set("lambda-runtime-invoked-function-arn", "arn:aws:lambda:us-east-1:123456789012:function:test");
    set("lambda-runtime-trace-id", "Root=1-00000000-000000000000000000000000");
    set("content-type", "application/json");
    lock(&runtime).insert(id, invocation.answer);
    Ok((headers, invocation.event.to_string()))
}

async fn response(
    State(runtime): State<Arc<Runtime>>,
    UrlPath(id): UrlPath<String>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let streamed =
        headers.get("lambda-runtime-function-response-mode").is_some_and(|mode| mode == "streaming");
    let what = if streamed { streamed_answer(&body) } else { serde_json::from_slice(&body).ok() };
    answer(&runtime, &id, what.ok_or(Value::Null))
}

/// A streamed answer is a prelude, eight NULs and the body; here it takes the shape of one that is not streamed.
fn streamed_answer(bytes: &[u8]) -> Option<Value> {
    let gap = bytes.windows(8).position(|window| window == [0; 8])?;
    let mut whole: Value = serde_json::from_slice(&bytes[..gap]).ok()?;
    whole["body"] = Value::String(String::from_utf8(bytes[gap + 8..].to_vec()).ok()?);
    whole["streamed"] = Value::Bool(true);
    Some(whole)
}

async fn error(State(runtime): State<Arc<Runtime>>, UrlPath(id): UrlPath<String>, body: Bytes) -> StatusCode {
    answer(&runtime, &id, Err(serde_json::from_slice(&body).unwrap_or_default()))
}

fn answer(runtime: &Runtime, id: &str, what: Result<Value, Value>) -> StatusCode {
    let Some(waiting) = lock(runtime).remove(id) else { return StatusCode::NOT_FOUND };
    // Nobody may be waiting any more.
    let _ = waiting.send(what);
    StatusCode::ACCEPTED
}

fn lock(
    runtime: &Runtime,
) -> std::sync::MutexGuard<'_, HashMap<String, oneshot::Sender<Result<Value, Value>>>> {
    runtime.waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
