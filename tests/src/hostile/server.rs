//! A raw server on loopback that misbehaves as its case says. `/good` is a good page and `/robots.txt` is
//! not there, so that a worker can be seen to go on with the very site that hurt it.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::{Act, Case, Then, When, answer, good_page, head};

/// Nobody waits longer than this for a peer that went away.
const PATIENCE: Duration = Duration::from_secs(60);

/// One case, served on an address of its own: each is a site by itself.
pub struct Server {
    pub case: &'static Case,
    pub address: SocketAddr,
    work: JoinHandle<()>,
}

impl Server {
    pub async fn start(case: &'static Case) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let work = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    drop(tokio::time::timeout(PATIENCE, serve(case, stream)).await);
                });
            }
        });
        Server { case, address, work }
    }

    pub fn url(&self) -> String {
        format!("{}://{}/jobs/{}", self.case.scheme, self.address, self.case.name)
    }

    /// A page of the same site that is as it should be; a server that misbehaves before it is asked has none.
    pub fn good_url(&self) -> Option<String> {
        (self.case.when == When::Asked).then(|| format!("http://{}/good", self.address))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.work.abort();
    }
}

async fn serve(case: &Case, mut stream: TcpStream) -> std::io::Result<()> {
    if case.when == When::Connected {
        return act(stream, (case.act)()).await;
    }
    loop {
        let Some(path) = path_of_request(&mut stream).await? else { return Ok(()) };
        match path.as_str() {
            "/good" => {
                let page = answer(&["content-type: text/html; charset=utf-8"], good_page().as_bytes());
                stream.write_all(&page).await?;
            }
            "/robots.txt" => stream.write_all(&head("404 Not Found", &["content-length: 0"], b"")).await?,
            _ => return act(stream, (case.act)()).await,
        }
    }
}

/// Reads one head. Nothing, when the peer is gone.
async fn path_of_request(stream: &mut TcpStream) -> std::io::Result<Option<String>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await? == 0 || head.len() > 64 * 1024 {
            return Ok(None);
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head);
    Ok(head.split(' ').nth(1).map(str::to_owned))
}

async fn act(mut stream: TcpStream, act: Act) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.write_all(&act.say).await?;
    match act.then {
        Then::Close => stream.shutdown().await?,
        Then::Reset => {
            // what was said should arrive before the reset does
            tokio::time::sleep(Duration::from_millis(50)).await;
            stream.set_zero_linger()?;
        }
        Then::Hold => drain(&mut stream).await?,
        Then::HalfClose => {
            stream.shutdown().await?;
            drain(&mut stream).await?;
        }
        Then::Repeat(again, pause) => loop {
            stream.write_all(&again).await?;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        },
    }
    Ok(())
}

/// Until the other side has had enough.
async fn drain(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut rest = [0; 4096];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}
