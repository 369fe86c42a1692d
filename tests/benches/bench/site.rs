//! The sites that are crawled, in a process of their own, so that serving is nobody's cost.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, StatusCode, header};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use super::page;
use super::process::{Guarded, say};

/// Sites on loopback; each port is a site.
pub struct Sites {
    pub ports: Vec<u16>,
    _process: Guarded,
}

impl Sites {
    pub fn start(count: usize) -> anyhow::Result<Sites> {
        let mut process = Guarded::role(&["--site", &count.to_string()], |command| {
            command.stdout(Stdio::piped());
        })?;
        let output = process.child().stdout.take().context("a piped output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let ports = line.trim().split(',').map(str::parse).collect::<Result<_, _>>()?;
        Ok(Sites { ports, _process: process })
    }

    /// When each site read the head of each request, in microseconds since the sites were started.
    pub async fn stamps(&self) -> anyhow::Result<Vec<(u16, u64)>> {
        let url = format!("http://127.0.0.1:{}/stamps", self.ports[0]);
        let mut response = super::fetch::client()?.get(url).send().await?;
        let mut text = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            text.extend_from_slice(&chunk);
        }
        let text = String::from_utf8(text)?;
        let stamp = |line: &str| -> anyhow::Result<(u16, u64)> {
            let (site, at) = line.split_once(' ').context("a stamp")?;
            Ok((site.parse()?, at.parse()?))
        };
        text.lines().map(stamp).collect()
    }

    /// Page `number`; neighbours are on different sites.
    pub fn url(&self, number: u64) -> String {
        url(&self.ports, number)
    }
}

pub fn url(ports: &[u16], number: u64) -> String {
    let site = usize::try_from(number).unwrap_or_default() % ports.len();
    format!("http://127.0.0.1:{}/jobs/{number}", ports[site])
}

/// A page of a kilobyte or two.
pub fn small_url(ports: &[u16], number: u64) -> String {
    url(ports, number).replace("/jobs/", "/small/")
}

/// What the sites of this process have seen.
struct Log {
    since: Instant,
    stamps: Mutex<Vec<(u16, u64)>>,
}

/// The role `--site`: says its ports and serves until it is killed.
pub async fn serve(count: usize) -> anyhow::Result<()> {
    let log = Arc::new(Log { since: Instant::now(), stamps: Mutex::default() });
    let mut ports = Vec::new();
    for _ in 0..count {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let (port, log) = (listener.local_addr()?.port(), log.clone());
        ports.push(port.to_string());
        // Without it the last bytes of a page wait for the acknowledgement of the first.
        let prompt = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let router = Router::new().fallback(move |request| answer(request, port, log.clone()));
        tokio::spawn(async move { axum::serve(prompt, router).await });
    }
    say(&ports.join(","));
    std::future::pending().await
}

async fn answer(request: Request, port: u16, log: Arc<Log>) -> Response<Body> {
    let at = log.since.elapsed();
    let authority =
        request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let (folder, number) = request.uri().path()[1..].split_once('/').unwrap_or_default();
    let (status, body) = match (folder, number.parse()) {
        ("jobs", Ok(number)) => (StatusCode::OK, page::job(number, authority)),
        ("small", Ok(number)) => {
            let number: u64 = number;
            let at = u64::try_from(at.as_micros()).unwrap_or(u64::MAX);
            log.stamps.lock().unwrap_or_else(PoisonError::into_inner).push((port, at));
            (StatusCode::OK, fixture::posting_page(&format!("Post {number}")))
        }
        _ if request.uri().path() == "/stamps" => {
            let stamps = log.stamps.lock().unwrap_or_else(PoisonError::into_inner);
            (StatusCode::OK, stamps.iter().map(|(site, at)| format!("{site} {at}\n")).collect())
        }
        _ => (StatusCode::NOT_FOUND, String::new()),
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let html = header::HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, html);
    response
}
