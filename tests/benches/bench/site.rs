//! The sites that are crawled, in a process of their own, so that serving is nobody's cost.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

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

    /// Page `number`; neighbours are on different sites.
    pub fn url(&self, number: u64) -> String {
        url(&self.ports, number)
    }
}

pub fn url(ports: &[u16], number: u64) -> String {
    let site = usize::try_from(number).unwrap_or_default() % ports.len();
    format!("http://127.0.0.1:{}/jobs/{number}", ports[site])
}

/// The role `--site`: says its ports and serves until it is killed.
pub async fn serve(count: usize) -> anyhow::Result<()> {
    let mut ports = Vec::new();
    for _ in 0..count {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        ports.push(listener.local_addr()?.port().to_string());
        // Without it the last bytes of a page wait for the acknowledgement of the first.
        let prompt = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        tokio::spawn(async move { axum::serve(prompt, Router::new().fallback(answer)).await });
    }
    say(&ports.join(","));
    std::future::pending().await
}

async fn answer(request: Request) -> Response<Body> {
    let authority =
        request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let number = request.uri().path().strip_prefix("/jobs/").and_then(|number| number.parse().ok());
    let (status, body) = match number {
        Some(number) => (StatusCode::OK, page::job(number, authority)),
        None => (StatusCode::NOT_FOUND, String::new()),
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let html = header::HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, html);
    response
}
