//! The one door for all outbound traffic: pages, robots.txt, webhooks, key sets, everything foreign.
//!
//! Architecture invariant: no other module names an HTTP client, a resolver or a socket (a test reads the
//! source for it). Every hop, the first URL and each redirect, passes [`Target::check`]; every name is
//! resolved once, in `resolver`, and what was checked there is what is dialled; every body is read in `body`.

mod address;
mod body;
mod error;
mod fetched;
mod forward;
mod permission;
mod proxied;
mod proxy;
mod request;
mod resolver;
mod rules;
mod target;
mod tunnel;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Client, Response};
use url::Url;

pub use address::Network;
#[doc(hidden)]
pub use address::check as check_address;
pub use error::EgressError;
pub use fetched::{Fetched, ReplyHeaders};
pub use forward::{Caps, Forward, Traffic};
pub use permission::{Permission, PrivateHost};
pub use proxy::{BadProxy, Proxy, Route};
pub use request::{Method, Request};
#[doc(hidden)]
pub use resolver::Lookup;
use resolver::{Resolver, Trust};
#[doc(hidden)]
pub use rules::Rules;
pub use target::Target;
#[doc(hidden)]
pub use target::check_name;
pub use tunnel::{BoxStream, Stream};

const MIB: u64 = 1024 * 1024;
const HTTP2_HEADER_BYTES: u32 = 64 * 1024;
const IDLE: Duration = Duration::from_secs(10);

/// How much of our time and memory a server may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Name, TCP and TLS.
    pub connect: Duration,
    /// The whole call with all redirects and the last byte of the body.
    pub total: Duration,
    pub wire: u64,
    pub decoded: u64,
    /// Decoded bytes per wire byte, looked at once `ratio_after` bytes are decoded.
    pub ratio: u64,
    pub ratio_after: u64,
    pub redirects: usize,
    /// How many header lines an HTTP/1 answer may have.
    pub headers: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(5),
            total: Duration::from_secs(30),
            wire: 5 * MIB,
            decoded: 10 * MIB,
            ratio: 100,
            ratio_after: MIB,
            redirects: 5,
            headers: 100,
        }
    }
}

/// What the caller wants done about a redirect. One that leads to another site must wait for that site's
/// turn, so the crawler stops there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hop {
    Follow,
    Stop,
}

/// The client. Cheap to clone; one per process, so that connections are shared.
#[derive(Clone)]
pub struct Egress {
    public: Client,
    /// For hosts on the private list only; absent without such a list.
    private: Option<Client>,
    /// The operator's proxies; absent without any, and then nothing of them costs anything.
    proxies: Option<Arc<proxied::Proxies>>,
    lookup: Arc<Lookup>,
    permission: Arc<Permission>,
    limits: Arc<Limits>,
}

impl Egress {
    pub fn new(permission: Permission, limits: Limits) -> anyhow::Result<Egress> {
        Egress::with_lookup(permission, limits, Lookup::System)
    }

    /// For tests: a public name that leads where the test wants.
    #[doc(hidden)]
    pub fn with_lookup(permission: Permission, limits: Limits, lookup: Lookup) -> anyhow::Result<Egress> {
        let (permission, lookup) = (Arc::new(permission), Arc::new(lookup));
        let build = |trust| {
            let resolver =
                Resolver { lookup: Arc::clone(&lookup), permission: Arc::clone(&permission), trust };
            client(resolver, &limits).context("building the HTTP client")
        };
        let public = build(Trust::Public)?;
        let private = if permission.is_empty() { None } else { Some(build(Trust::Private)?) };
        Ok(Egress { public, private, proxies: None, lookup, permission, limits: Arc::new(limits) })
    }

    /// The same client with ways through these proxies. One that may not be dialled is named by its place.
    pub fn with_proxies(self, list: &[Proxy]) -> anyhow::Result<Egress> {
        self.with_proxies_trusting(list, Vec::new())
    }

    /// For tests: certificates that are trusted inside a tunnel beside those of the system.
    #[doc(hidden)]
    pub fn with_proxies_trusting(
        mut self,
        list: &[Proxy],
        extra: Vec<rustls::pki_types::CertificateDer<'static>>,
    ) -> anyhow::Result<Egress> {
        for (index, proxy) in list.iter().enumerate() {
            proxy.check(&self.permission).map_err(|problem| BadProxy { index, problem })?;
        }
        if !list.is_empty() {
            let tls = tunnel::trust(extra).context("reading the trusted certificates")?;
            self.proxies = Some(Arc::new(proxied::Proxies { list: list.to_vec(), tls }));
        }
        Ok(self)
    }

    /// Would this URL be asked for, as far as its text tells? What a name leads to shows only in `fetch`.
    pub fn check(&self, url: &str) -> Result<Target, EgressError> {
        Target::check(url, &self.permission, Rules::all())
    }

    /// Fetches one URL. Redirects of a GET are followed while `on_redirect` agrees; it sees only targets
    /// that passed the URL rules. Their bodies are not read.
    pub async fn fetch(
        &self,
        request: Request,
        on_redirect: impl Fn(&Url) -> Hop,
    ) -> Result<Fetched, EgressError> {
        let whole = Box::pin(self.walk(request, on_redirect));
        tokio::time::timeout(self.limits.total, whole).await.map_err(|_| EgressError::Timeout)?
    }

    async fn walk(
        &self,
        request: Request,
        on_redirect: impl Fn(&Url) -> Hop,
    ) -> Result<Fetched, EgressError> {
        let start = Instant::now();
        let mut headers = request.header_map()?;
        let mut target = self.check(&request.url)?;
        let mut redirects = Vec::new();
        loop {
            let response = self.send(&target, &request, &headers).await?;
            let first_byte = Instant::now();
            let mut fetched = Fetched {
                status: response.status().as_u16(),
                final_url: target.url().clone(),
                headers: ReplyHeaders::read(response.headers()),
                body: bytes::Bytes::new(),
                wire_bytes: 0,
                first_byte,
                first_byte_after: first_byte - start,
                total: Duration::ZERO,
                redirects,
                redirect_to: None,
            };
            if !request.wants_body
                && (!is_redirect(fetched.status) || matches!(request.method, Method::Post(_)))
            {
                fetched.total = start.elapsed();
                return Ok(fetched);
            }
            if !is_redirect(fetched.status) {
                let body = body::read(response, &self.limits, request.at_most).await?;
                (fetched.body, fetched.wire_bytes) = (body.decoded, body.wire_bytes);
                fetched.total = start.elapsed();
                return Ok(fetched);
            }
            let next = self.next_target(target.url(), &response)?;
            if matches!(request.method, Method::Post(_)) || on_redirect(next.url()) == Hop::Stop {
                fetched.redirect_to = Some(next.into_url());
                fetched.total = start.elapsed();
                return Ok(fetched);
            }
            redirects = fetched.redirects;
            if redirects.len() == self.limits.redirects {
                return Err(EgressError::TooManyRedirects { limit: self.limits.redirects });
            }
            if next.url().origin() != target.url().origin() {
                request::keep_harmless(&mut headers);
            }
            redirects.push(next.url().clone());
            target = next;
        }
    }

    async fn send(
        &self,
        target: &Target,
        asked: &Request,
        headers: &HeaderMap,
    ) -> Result<Response, EgressError> {
        if let Route::Proxy(at) = asked.route {
            return self.send_through(at, target, &asked.method, headers).await;
        }
        let client = self.private.as_ref().filter(|_| target.is_private()).unwrap_or(&self.public);
        let request = match &asked.method {
            Method::Get => client.get(target.url().clone()),
            Method::Post(body) => client.post(target.url().clone()).body(body.clone()),
        };
        let sent = request.headers(headers.clone()).send().await;
        sent.map_err(|error| EgressError::from_client(&error))
    }

    /// Where a redirect leads, judged like any first URL.
    fn next_target(&self, here: &Url, response: &Response) -> Result<Target, EgressError> {
        let location = response.headers().get(LOCATION).ok_or(EgressError::BadRedirect)?;
        let location = std::str::from_utf8(location.as_bytes()).map_err(|_| EgressError::BadRedirect)?;
        let next = here.join(location).map_err(|_| EgressError::BadRedirect)?;
        self.check(next.as_str())
    }
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// A client with nothing of its own will: no proxy from the environment, no redirects, no cookies, no
/// referer, no decoding, no second try.
#[expect(clippy::disallowed_methods, reason = "this is the one client; every use of it is behind the checks")]
fn client(resolver: Resolver, limits: &Limits) -> anyhow::Result<Client> {
    // The second call in a process fails, and that is fine: ring is already in place.
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = Client::builder()
        .dns_resolver(resolver)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(limits.connect)
        .pool_max_idle_per_host(1)
        .pool_idle_timeout(IDLE)
        .http1_max_headers(limits.headers)
        .http2_max_header_list_size(HTTP2_HEADER_BYTES)
        .build()?;
    Ok(client)
}
