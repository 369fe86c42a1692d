//! A byte stream to a checked address: dialled by us, or through a proxy that is told the address and never
//! the name, so that it cannot resolve to another one. The name stays between us and the site, for TLS and
//! `Host`.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::{CertificateDer, ServerName};
use secrecy::ExposeSecret;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Host;

use super::error::EgressError;
use super::proxy::{Login, Proxy, Speaks};

/// An HTTP proxy's answer to CONNECT has a head and nothing else; a longer one is no such answer.
const LONGEST_HEAD: usize = 8 * 1024;

/// Something to read from and write to.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

pub type BoxStream = Box<dyn Stream>;

/// The first of these that answers.
pub(super) async fn dial(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut last = io::Error::other("no address");
    for address in addresses {
        #[expect(clippy::disallowed_methods, reason = "the one place that dials, and only what was checked")]
        match TcpStream::connect(address).await {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// TLS with the trust of the system, as the plain client has it. Only HTTP/1.1 is spoken through a proxy.
pub(super) fn trust(extra: Vec<CertificateDer<'static>>) -> Result<TlsConnector, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(extra, Arc::clone(&provider))?;
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous() // the name of the door to a verifier of one's own; this one is the system's
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// TLS to whoever the URL names, over a stream that leads there.
pub(super) async fn secure(
    tls: &TlsConnector,
    host: &Host<&str>,
    stream: BoxStream,
) -> io::Result<BoxStream> {
    let name = match host {
        Host::Domain(name) => ServerName::try_from((*name).to_owned()).map_err(io::Error::other)?,
        Host::Ipv4(address) => ServerName::from(IpAddr::V4(*address)),
        Host::Ipv6(address) => ServerName::from(IpAddr::V6(*address)),
    };
    Ok(Box::new(tls.connect(name, stream).await?))
}

/// A tunnel through the proxy at `addresses` to `to`. The caller watches the time.
pub(super) async fn through(
    proxy: &Proxy,
    addresses: &[SocketAddr],
    to: SocketAddr,
    tls: &TlsConnector,
) -> Result<BoxStream, EgressError> {
    let plain: BoxStream = Box::new(dial(addresses).await.map_err(|_| failed("no connection to it"))?);
    match proxy.speaks {
        Speaks::Http => connect(plain, proxy.login.as_ref(), to).await,
        Speaks::Https => {
            // Its own text would name the host.
            let secure = secure(tls, &super::proxy::borrowed(&proxy.host), plain).await;
            let stream = secure.map_err(|_| failed("no secure connection to it"))?;
            connect(stream, proxy.login.as_ref(), to).await
        }
        Speaks::Socks5 => socks5(plain, proxy.login.as_ref(), to).await,
    }
}

fn failed(reason: &str) -> EgressError {
    EgressError::ProxyFailed { reason: reason.to_owned() }
}

fn unreached(reason: String) -> EgressError {
    EgressError::ProxyRefused { reason }
}

fn broken(_: io::Error) -> EgressError {
    failed("it ended the connection")
}

/// CONNECT, also for port 80: a request in absolute form would make the proxy write the address into
/// `Host`, and the site would not know which of its names was meant.
async fn connect(
    mut stream: BoxStream,
    login: Option<&Login>,
    to: SocketAddr,
) -> Result<BoxStream, EgressError> {
    let mut head = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n");
    if let Some(login) = login {
        let pair = format!("{}:{}", login.user.expose_secret(), login.password.expose_secret());
        head.push_str(&format!("Proxy-Authorization: Basic {}\r\n", BASE64_STANDARD.encode(pair)));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await.map_err(broken)?;
    let answer = read_head(&mut stream).await?;
    match status(&answer) {
        Some(200..=299) => Ok(stream),
        Some(407) => Err(failed("it does not accept our login")),
        Some(status) => Err(unreached(format!("it answered {status}"))),
        None => Err(failed("its answer is not HTTP")),
    }
}

/// Up to the empty line and not a byte further: what follows belongs to the tunnel.
async fn read_head(stream: &mut BoxStream) -> Result<Vec<u8>, EgressError> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == LONGEST_HEAD {
            return Err(failed("its answer is too long"));
        }
        head.push(stream.read_u8().await.map_err(broken)?);
    }
    Ok(head)
}

fn status(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head.split(|byte| *byte == b'\r').next()?).ok()?;
    let rest = line.strip_prefix("HTTP/1.")?;
    rest.split(' ').nth(1)?.parse().ok().filter(|status| (100..=599).contains(status))
}

const SOCKS: u8 = 5;
const NO_LOGIN: u8 = 0;
const USER_AND_PASSWORD: u8 = 2;

/// RFC 1928, with the login of RFC 1929.
async fn socks5(
    mut stream: BoxStream,
    login: Option<&Login>,
    to: SocketAddr,
) -> Result<BoxStream, EgressError> {
    let methods: &[u8] = if login.is_some() { &[NO_LOGIN, USER_AND_PASSWORD] } else { &[NO_LOGIN] };
    let mut greeting = vec![SOCKS, u8::try_from(methods.len()).unwrap_or_default()];
    greeting.extend_from_slice(methods);
    stream.write_all(&greeting).await.map_err(broken)?;
    let mut chosen = [0; 2];
    stream.read_exact(&mut chosen).await.map_err(broken)?;
    match (chosen, login) {
        ([SOCKS, NO_LOGIN], _) => {}
        ([SOCKS, USER_AND_PASSWORD], Some(login)) => log_in(&mut stream, login).await?,
        ([SOCKS, _], _) => return Err(failed("it does not accept our login")),
        _ => return Err(failed("its answer is not SOCKS5")),
    }
    let mut ask = vec![SOCKS, 1, 0];
    match to.ip() {
        IpAddr::V4(address) => {
            ask.push(1);
            ask.extend_from_slice(&address.octets());
        }
        IpAddr::V6(address) => {
            ask.push(4);
            ask.extend_from_slice(&address.octets());
        }
    }
    ask.extend_from_slice(&to.port().to_be_bytes());
    stream.write_all(&ask).await.map_err(broken)?;
    let mut answer = [0; 4];
    stream.read_exact(&mut answer).await.map_err(broken)?;
    match answer {
        [SOCKS, 0, _, kind] => skip_bound_address(&mut stream, kind).await.map(|()| stream),
        [SOCKS, code, ..] => Err(unreached(format!("it answered {code}"))),
        _ => Err(failed("its answer is not SOCKS5")),
    }
}

async fn log_in(stream: &mut BoxStream, login: &Login) -> Result<(), EgressError> {
    let mut words = vec![1];
    for secret in [&login.user, &login.password] {
        let word = secret.expose_secret().as_bytes();
        words.push(u8::try_from(word.len()).map_err(|_| failed("our login is too long for it"))?);
        words.extend_from_slice(word);
    }
    stream.write_all(&words).await.map_err(broken)?;
    let mut answer = [0; 2];
    stream.read_exact(&mut answer).await.map_err(broken)?;
    if answer[1] == 0 { Ok(()) } else { Err(failed("it does not accept our login")) }
}

/// The address the proxy dials from: of no use to us, but in the way.
async fn skip_bound_address(stream: &mut BoxStream, kind: u8) -> Result<(), EgressError> {
    let length = match kind {
        1 => 4,
        4 => 16,
        3 => usize::from(stream.read_u8().await.map_err(broken)?),
        _ => return Err(failed("its answer is not SOCKS5")),
    };
    let mut rest = vec![0; length + 2];
    stream.read_exact(&mut rest).await.map_err(broken)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_from_a_proper_line_only() {
        assert_eq!(status(b"HTTP/1.1 200 Connection established\r\n\r\n"), Some(200));
        assert_eq!(status(b"HTTP/1.0 407 Who are you\r\n\r\n"), Some(407));
        for bad in [&b"SSH-2.0-x\r\n"[..], b"HTTP/1.1\r\n", b"HTTP/1.1 abc\r\n", b"HTTP/1.1 999 x\r\n", b""] {
            assert_eq!(status(bad), None);
        }
    }
}
