//! The part of Lambda's Runtime API that a starting function meets: `GET …/invocation/next`. It is asked
//! once and never answers: from then on the function is warm.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

const TOO_LONG: Duration = Duration::from_secs(20);

pub struct RuntimeApi {
    listener: TcpListener,
}

impl RuntimeApi {
    pub async fn start() -> anyhow::Result<RuntimeApi> {
        Ok(RuntimeApi { listener: TcpListener::bind(("127.0.0.1", 0)).await? })
    }

    pub fn address(&self) -> anyhow::Result<SocketAddr> {
        Ok(self.listener.local_addr()?)
    }

    /// When the function asked for its first event. The connection is kept open by the caller.
    pub async fn first_next(&self) -> anyhow::Result<(Instant, TcpStream)> {
        let asked = async {
            let (mut stream, _) = self.listener.accept().await?;
            stream.set_nodelay(true)?;
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                ensure!(stream.read_buf(&mut head).await? > 0, "the function hung up");
            }
            let at = Instant::now();
            ensure!(
                head.starts_with(b"GET /2018-06-01/runtime/invocation/next "),
                "{}",
                String::from_utf8_lossy(&head)
            );
            Ok((at, stream))
        };
        tokio::time::timeout(TOO_LONG, asked).await.context("the function did not ask for an event")?
    }
}
