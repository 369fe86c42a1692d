//! One request through a proxy: the target is resolved and checked here, the tunnel leads to exactly that
//! address, and what comes back is read like any other answer.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper_util::rt::TokioIo;
use reqwest::Response;
use reqwest::header::{HOST, HeaderMap, HeaderValue};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use super::error::EgressError;
use super::proxy::{Proxy, Route, borrowed};
use super::resolver::{Resolver, Trust};
use super::target::Target;
use super::tunnel::{self, BoxStream};
use super::{Egress, Method};

/// The proxies and the TLS that is spoken through them.
pub(super) struct Proxies {
    pub list: Vec<Proxy>,
    pub tls: TlsConnector,
}

impl Egress {
    /// A plain byte stream to the target, by that route. For what is not a request of ours: the tunnels of
    /// a browser.
    pub async fn open(&self, target: &Target, route: Route) -> Result<BoxStream, EgressError> {
        self.open_by(target, route, Instant::now() + self.limits.connect).await
    }

    async fn open_by(&self, target: &Target, route: Route, by: Instant) -> Result<BoxStream, EgressError> {
        let resolved = timeout_at(by, self.addresses_of(target)).await;
        let mut addresses = resolved.map_err(|_| EgressError::Timeout)??;
        let Route::Proxy(at) = route else {
            let dialled = timeout_at(by, tunnel::dial(&addresses)).await.map_err(|_| EgressError::Timeout)?;
            let failed = |error: std::io::Error| EgressError::ConnectFailed { reason: error.to_string() };
            return Ok(Box::new(dialled.map_err(failed)?));
        };
        // Most proxies have no way to IPv6.
        addresses.sort_by_key(SocketAddr::is_ipv6);
        let none = || EgressError::ConnectFailed { reason: "no address".to_owned() };
        let to = addresses.first().copied().ok_or_else(none)?;
        let (proxy, tls) = self.proxy(at)?;
        let through = async {
            let near = self.addresses_of_proxy(proxy).await?;
            tunnel::through(proxy, &near, to, tls).await
        };
        // Up to here nobody but the proxy can be slow.
        timeout_at(by, through).await.map_err(|_| failed("it did not answer in time"))?
    }

    /// One request through the proxy. Name, proxy, tunnel and TLS share the time that a direct connection
    /// has.
    pub(super) async fn send_through(
        &self,
        at: usize,
        target: &Target,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Response, EgressError> {
        let by = Instant::now() + self.limits.connect;
        let stream = self.open_by(target, Route::Proxy(at), by).await?;
        let (_, tls) = self.proxy(at)?;
        let secured = timeout_at(by, secured(tls, target.url(), stream)).await;
        let stream = secured.map_err(|_| EgressError::Timeout)??;
        let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
            .max_headers(self.limits.headers)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| EgressError::from_hyper(&error))?;
        // Ends with the request: nobody else holds the sender, and a dropped body closes the stream.
        tokio::spawn(connection);
        let request = request(target.url(), method, headers)?;
        let answer = sender.send_request(request).await.map_err(|error| EgressError::from_hyper(&error))?;
        Ok(answer.map(reqwest::Body::wrap).into())
    }

    fn proxy(&self, at: usize) -> Result<(&Proxy, &TlsConnector), EgressError> {
        let known = self.proxies.as_ref().and_then(|proxies| Some((proxies.list.get(at)?, &proxies.tls)));
        known.ok_or_else(|| failed("there is no such proxy"))
    }

    /// What would be dialled for a target: resolved once, every answer checked.
    async fn addresses_of(&self, target: &Target) -> Result<Vec<SocketAddr>, EgressError> {
        let url = target.url();
        let port = url.port_or_known_default().unwrap_or(0);
        let literal = |address: IpAddr| Ok(vec![SocketAddr::new(address.to_canonical(), port)]);
        match url.host() {
            Some(Host::Ipv4(address)) => literal(address.into()),
            Some(Host::Ipv6(address)) => literal(address.into()),
            Some(Host::Domain(name)) => {
                let trust = if target.is_private() { Trust::Private } else { Trust::Public };
                let mut answers = self.resolver(trust).answers(name).await?;
                for answer in &mut answers {
                    // A table of names may bring its own port, for URLs that name none.
                    if url.port().is_some() || answer.port() == 0 {
                        answer.set_port(port);
                    }
                }
                Ok(answers)
            }
            None => Err(EgressError::BadUrl { reason: "no host".to_owned() }),
        }
    }

    /// The proxy's own address passes the same rules; what is wrong with it is not the page's fault, and
    /// is not quoted.
    async fn addresses_of_proxy(&self, proxy: &Proxy) -> Result<Vec<SocketAddr>, EgressError> {
        proxy.check(&self.permission).map_err(failed)?;
        let host = borrowed(&proxy.host);
        let name = match host {
            Host::Ipv4(address) => return Ok(vec![(address, proxy.port).into()]),
            Host::Ipv6(address) => {
                return Ok(vec![SocketAddr::new(IpAddr::V6(address).to_canonical(), proxy.port)]);
            }
            Host::Domain(name) => name,
        };
        let trust = if self.permission.covers(&host, proxy.port) { Trust::Private } else { Trust::Public };
        match self.resolver(trust).answers(name).await {
            Ok(answers) => {
                Ok(answers.into_iter().map(|answer| SocketAddr::new(answer.ip(), proxy.port)).collect())
            }
            Err(error) if error.is_refusal() => {
                Err(failed("its name leads to an address that is not allowed"))
            }
            Err(_) => Err(failed("its name does not resolve")),
        }
    }

    fn resolver(&self, trust: Trust) -> Resolver {
        Resolver { lookup: Arc::clone(&self.lookup), permission: Arc::clone(&self.permission), trust }
    }
}

fn failed(reason: &str) -> EgressError {
    EgressError::ProxyFailed { reason: reason.to_owned() }
}

/// TLS to the site's own name, when the URL asks for it.
async fn secured(tls: &TlsConnector, url: &Url, stream: BoxStream) -> Result<BoxStream, EgressError> {
    let Some(host) = url.host().filter(|_| url.scheme() == "https") else { return Ok(stream) };
    tunnel::secure(tls, &host, stream).await.map_err(|error| EgressError::from_handshake(&error))
}

fn request(
    url: &Url,
    method: &Method,
    headers: &HeaderMap,
) -> Result<hyper::Request<Full<Bytes>>, EgressError> {
    let bad = || EgressError::BadUrl { reason: "it cannot be written into a request".to_owned() };
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let (verb, body) = match method {
        Method::Get => (hyper::Method::GET, Bytes::new()),
        Method::Post(body) => (hyper::Method::POST, body.clone()),
    };
    let mut request =
        hyper::Request::builder().method(verb).uri(path).body(Full::new(body)).map_err(|_| bad())?;
    *request.headers_mut() = headers.clone();
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    request.headers_mut().insert(HOST, HeaderValue::try_from(host).map_err(|_| bad())?);
    Ok(request)
}
