//! A forward proxy on loopback for a program that fetches by itself: a browser. Whatever it asks for passes
//! the rules of this module, and what was checked is what is dialled. One for each page, so that a page can be
//! counted, capped and cut off.
//!
//! It must never answer from anywhere but the checked target, and never live longer than its page.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use url::Position;

use super::error::EgressError;
use super::proxy::Route;
use super::target::Target;
use super::tunnel::BoxStream;
use super::{Egress, MIB};

/// How much one page may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    pub requests: u32,
    pub bytes: u64,
}

impl Default for Caps {
    fn default() -> Caps {
        Caps { requests: 300, bytes: 40 * MIB }
    }
}

/// What a page has asked for so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    pub requests: u32,
    pub bytes: u64,
    /// It asked for more than it may, and was cut off.
    pub cut_off: bool,
}

/// An open proxy. It ends, with all that goes through it, when this is dropped.
pub struct Forward {
    pub address: SocketAddr,
    desk: Arc<Desk>,
}

/// Failures that are kept; a page can cause any number.
const MOST_FAILURES: usize = 64;
const CHUNK: usize = 16 * 1024;

struct Desk {
    egress: Egress,
    route: Route,
    caps: Caps,
    requests: AtomicU32,
    bytes: AtomicU64,
    failures: Mutex<Vec<(String, EgressError)>>,
    end: CancellationToken,
}

type Body = BoxBody<Bytes, hyper::Error>;

impl Egress {
    /// Opens a proxy on loopback whose every request leaves by that route.
    pub async fn forward(&self, route: Route, caps: Caps) -> anyhow::Result<Forward> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("opening a local proxy")?;
        let address = listener.local_addr()?;
        let desk = Arc::new(Desk {
            egress: self.clone(),
            route,
            caps,
            requests: AtomicU32::new(0),
            bytes: AtomicU64::new(0),
            failures: Mutex::default(),
            end: CancellationToken::new(),
        });
        tokio::spawn(listen(listener, Arc::clone(&desk)));
        Ok(Forward { address, desk })
    }
}

impl Forward {
    /// Why nothing came from this host (as `host` or `host:port`), if it was us who failed or refused.
    pub fn failure(&self, url: &url::Url) -> Option<EgressError> {
        let wanted = authority(url);
        self.desk.failures().iter().find(|(host, _)| *host == wanted).map(|(_, error)| error.clone())
    }

    /// Everything that was refused or failed, with its host, in order.
    pub fn failures(&self) -> Vec<(String, EgressError)> {
        self.desk.failures().clone()
    }

    pub fn traffic(&self) -> Traffic {
        let (requests, bytes) =
            (self.desk.requests.load(Ordering::Relaxed), self.desk.bytes.load(Ordering::Relaxed));
        Traffic { requests, bytes, cut_off: self.desk.end.is_cancelled() }
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        self.desk.end.cancel();
    }
}

impl Desk {
    fn failures(&self) -> MutexGuard<'_, Vec<(String, EgressError)>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, host: String, error: EgressError) {
        let mut failures = self.failures();
        if failures.len() < MOST_FAILURES {
            failures.push((host, error));
        }
    }

    /// One more request, if the page may.
    fn admits(&self) -> bool {
        self.requests.fetch_add(1, Ordering::Relaxed) < self.caps.requests
    }

    /// Counts what came in; past the cap everything of this page ends.
    fn count(&self, bytes: usize) {
        let bytes = bytes as u64;
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > self.caps.bytes {
            self.end.cancel();
        }
    }
}

async fn listen(listener: TcpListener, desk: Arc<Desk>) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = desk.end.cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => drop(tokio::spawn(converse(stream, Arc::clone(&desk)))),
            // Out of descriptors, most likely: others end, and then there are some.
            Err(error) => {
                tracing::warn!(%error, "a local proxy could not accept");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
}

/// One connection of the browser; it may carry many requests, each to another host.
async fn converse(stream: TcpStream, desk: Arc<Desk>) {
    let end = desk.end.clone();
    let service = service_fn(move |request| {
        let desk = Arc::clone(&desk);
        async move { Ok::<_, Infallible>(answer(desk, request).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        // A browser that hangs up is no news.
        _ = connection => {}
        () = end.cancelled() => {}
    }
}

async fn answer(desk: Arc<Desk>, request: Request<Incoming>) -> Response<Body> {
    if !desk.admits() {
        return bare(StatusCode::TOO_MANY_REQUESTS);
    }
    let url = match request.method() {
        // A tunnel names host and port alone; the port is what the rules look at.
        &Method::CONNECT => request.uri().authority().map(|authority| format!("https://{authority}/")),
        _ => Some(request.uri().to_string()).filter(|uri| uri.contains("://")),
    };
    let Some(url) = url else { return bare(StatusCode::BAD_REQUEST) };
    let host = url::Url::parse(&url).map(|url| authority(&url)).unwrap_or_default();
    let done = match desk.egress.check(&url) {
        Ok(target) if request.method() == Method::CONNECT => tunnel(&desk, &target, request).await,
        Ok(target) => relay(&desk, &target, request).await,
        Err(error) => Err(error),
    };
    done.unwrap_or_else(|error| {
        let status = if error.is_refusal() { StatusCode::FORBIDDEN } else { StatusCode::BAD_GATEWAY };
        tracing::debug!(host, code = error.code(), "a browser's request was not made");
        desk.failed(host, error);
        bare(status)
    })
}

/// `host:port`, with the usual port written out: a tunnel always names it.
fn authority(url: &url::Url) -> String {
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", url.host_str().unwrap_or_default().trim_end_matches('.'))
}

/// Bytes both ways, from when the browser has taken our word that there is a way.
async fn tunnel(
    desk: &Arc<Desk>,
    target: &Target,
    request: Request<Incoming>,
) -> Result<Response<Body>, EgressError> {
    let far = desk.egress.open(target, desk.route).await?;
    let desk = Arc::clone(desk);
    tokio::spawn(async move {
        let end = desk.end.clone();
        let both = async {
            if let Ok(near) = hyper::upgrade::on(request).await {
                pump(TokioIo::new(near), far, &desk).await;
            }
        };
        tokio::select! {
            () = both => {}
            () = end.cancelled() => {}
        }
    });
    Ok(bare(StatusCode::OK))
}

async fn pump<S>(near: S, far: BoxStream, desk: &Desk)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send,
{
    let (mut from_near, mut to_near) = tokio::io::split(near);
    let (mut from_far, mut to_far) = tokio::io::split(far);
    let out = async {
        // The end of one side is all there is to know.
        drop(tokio::io::copy(&mut from_near, &mut to_far).await);
        drop(to_far.shutdown().await);
    };
    let back = async {
        let mut chunk = vec![0; CHUNK];
        while let Ok(read @ 1..) = from_far.read(&mut chunk).await {
            desk.count(read);
            if to_near.write_all(&chunk[..read]).await.is_err() {
                return;
            }
        }
        drop(to_near.shutdown().await);
    };
    tokio::join!(out, back);
}

/// One request in the clear, on a connection of its own.
async fn relay(
    desk: &Arc<Desk>,
    target: &Target,
    request: Request<Incoming>,
) -> Result<Response<Body>, EgressError> {
    let url = target.url();
    if url.scheme() != "http" {
        return Err(EgressError::SchemeRefused { scheme: url.scheme().to_owned() });
    }
    let stream = desk.egress.open(target, desk.route).await?;
    let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
        .max_headers(desk.egress.limits.headers)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| EgressError::from_hyper(&error))?;
    let end = desk.end.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = connection => {}
            () = end.cancelled() => {}
        }
    });
    let (mut head, body) = request.into_parts();
    let bad = || EgressError::BadUrl { reason: "it cannot be written into a request".to_owned() };
    head.uri = url[Position::BeforePath..Position::AfterQuery].parse().map_err(|_| bad())?;
    head.version = hyper::Version::HTTP_11;
    strip(&mut head.headers);
    let host = HeaderValue::try_from(&url[Position::BeforeHost..Position::AfterPort]).map_err(|_| bad())?;
    head.headers.insert(HOST, host);
    let sent = sender.send_request(Request::from_parts(head, body)).await;
    let (mut head, body) = sent.map_err(|error| EgressError::from_hyper(&error))?.into_parts();
    strip(&mut head.headers);
    let desk = Arc::clone(desk);
    let counted = body.map_frame(move |frame| {
        desk.count(frame.data_ref().map_or(0, Bytes::len));
        frame
    });
    Ok(Response::from_parts(head, counted.boxed()))
}

/// What is meant for the next hop alone, and what the connection names so.
fn strip(headers: &mut HeaderMap) {
    const HOP: [&str; 9] = [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    let named: Vec<HeaderName> = headers
        .get_all("connection")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(',').filter_map(|name| name.trim().parse().ok()))
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP {
        headers.remove(name);
    }
}

fn bare(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Empty::new().map_err(|never| match never {}).boxed());
    *response.status_mut() = status;
    response
}
