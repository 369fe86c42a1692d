//! A web server for tests that says exactly the bytes it is told to, politely or not, and counts who came.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// These bytes, then close.
    Bytes(Vec<u8>),
    /// A head, then one byte at a time for ever: no single read ever waits long.
    Drip(Vec<u8>),
    /// A head, then this piece for ever, as fast as it goes.
    Endless(Vec<u8>, Vec<u8>),
    /// A head, then silence with the connection open.
    Silence(Vec<u8>),
}

/// A running server. Stops when dropped.
pub struct Site {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

const TLS_HANDSHAKE: u8 = 22;
const MARKER: &[u8] = b"GET /marker HTTP/1.1\r\n\r\n";

impl Site {
    /// The closure sees the request's head and says what to do.
    pub async fn start(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (answer, seen) = (Arc::new(answer), Arc::clone(&requests));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                // Noted before anything is read: even a connection that says nothing counts.
                let index = note(&seen);
                tokio::spawn(async move { serve(stream, index, &seen, &*answer).await });
            }
        });
        Site { address, requests, task }
    }

    /// A server that always says the same.
    pub async fn saying(reply: Reply) -> Site {
        Site::start(move |_| reply.clone()).await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads of all requests so far.
    pub fn heads(&self) -> Vec<String> {
        self.requests.lock().expect("no panic").clone()
    }

    /// How many connections came. Connections are accepted in the order they were made, so once a marker of
    /// our own has been answered, every earlier one has been counted: a fact, not a pause.
    #[expect(clippy::disallowed_methods, reason = "the test's own marker must not pass the door it tests")]
    pub async fn visitors(&self) -> usize {
        let mut marker = TcpStream::connect(self.address).await.expect("the site runs");
        marker.write_all(MARKER).await.expect("it reads");
        let mut answer = Vec::new();
        marker.read_to_end(&mut answer).await.expect("it answers");
        let marker = String::from_utf8_lossy(MARKER);
        self.heads().iter().filter(|head| **head != marker).count()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn note(seen: &Mutex<Vec<String>>) -> usize {
    let mut seen = seen.lock().expect("no panic");
    seen.push(String::new());
    seen.len() - 1
}

async fn serve(
    mut stream: TcpStream,
    index: usize,
    seen: &Mutex<Vec<String>>,
    answer: &(dyn Fn(&str) -> Reply + Send + Sync),
) {
    let mut head = Vec::new();
    // A TLS greeting has no end of head; it is answered as it is.
    while !head.windows(4).any(|four| four == b"\r\n\r\n") && head.first() != Some(&TLS_HANDSHAKE) {
        match stream.read_buf(&mut head).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
    let text = String::from_utf8_lossy(&head).into_owned();
    seen.lock().expect("no panic")[index].clone_from(&text);
    let reply = if head == MARKER { Reply::Bytes(Vec::new()) } else { answer(&text) };
    // Errors are the client leaving early, which is what many of these tests want.
    drop(send(&mut stream, reply).await);
}

async fn send(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Bytes(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await
        }
        Reply::Drip(head) => {
            stream.write_all(&head).await?;
            let mut tick = tokio::time::interval(Duration::from_millis(5));
            loop {
                tick.tick().await;
                stream.write_all(b"x").await?;
            }
        }
        Reply::Endless(head, piece) => {
            stream.write_all(&head).await?;
            loop {
                stream.write_all(&piece).await?;
            }
        }
        Reply::Silence(head) => {
            stream.write_all(&head).await?;
            stream.read_to_end(&mut Vec::new()).await.map(drop)
        }
    }
}

/// An answer with a body and the headers given, one per line.
pub fn ok(headers: &[&str], body: &[u8]) -> Reply {
    let mut bytes = head("200 OK", headers, body.len());
    bytes.extend_from_slice(body);
    Reply::Bytes(bytes)
}

pub fn redirect(to: &str) -> Reply {
    Reply::Bytes(head("302 Found", &[&format!("location: {to}")], 0))
}

pub fn head(status: &str, headers: &[&str], length: usize) -> Vec<u8> {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\n{lines}content-length: {length}\r\nconnection: close\r\n\r\n").into_bytes()
}
