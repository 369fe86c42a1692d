//! What can go wrong on the way out, with a stable code for each.
//! No text here ever holds a URL's query or userinfo: these errors are logged and shown.

use std::error::Error;
use std::io;
use std::net::IpAddr;

/// Why a fetch gave no answer. A status such as 404 or 503 is an answer, not an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    #[error("the URL is longer than {limit} bytes")]
    UrlTooLong { limit: usize },
    #[error("the URL cannot be read: {reason}")]
    BadUrl { reason: String },
    #[error("the scheme {scheme:?} is not allowed")]
    SchemeRefused { scheme: String },
    #[error("a URL with a user name or password is not allowed")]
    UserinfoRefused,
    #[error("port {port} is not allowed")]
    PortRefused { port: u16 },
    #[error("the name {name:?} is not allowed ({rule})")]
    NameRefused { name: String, rule: &'static str },
    #[error("the address {address} is not allowed ({rule})")]
    AddressRefused { address: IpAddr, rule: &'static str },
    #[error("the request header {name:?} is malformed or belongs to egress")]
    BadHeader { name: String },
    #[error("the name {name:?} does not resolve: {reason}")]
    DnsFailed { name: String, reason: String },
    #[error("no connection: {reason}")]
    ConnectFailed { reason: String },
    #[error("no secure connection: {reason}")]
    TlsFailed { reason: String },
    /// The way out is at fault, not the site: there is no way to or into the proxy.
    #[error("the proxy cannot be used: {reason}")]
    ProxyFailed { reason: String },
    /// The proxy answered, and opened no way to the site.
    #[error("the proxy did not reach the site: {reason}")]
    ProxyRefused { reason: String },
    #[error("the time for the request ran out")]
    Timeout,
    #[error("the body is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the body's encoding cannot be read: {reason}")]
    BadEncoding { reason: String },
    #[error("the body decodes to more than {ratio} times its size on the wire")]
    RatioExceeded { ratio: u64 },
    #[error("more than {limit} redirects")]
    TooManyRedirects { limit: usize },
    #[error("a redirect without a readable target")]
    BadRedirect,
    #[error("the connection ended too early: {reason}")]
    Reset { reason: String },
    #[error("the answer is not proper HTTP: {reason}")]
    Protocol { reason: String },
}

impl EgressError {
    /// The name rows, metrics and clients know this error by; it never changes.
    pub fn code(&self) -> &'static str {
        match self {
            EgressError::UrlTooLong { .. } => "url_too_long",
            EgressError::BadUrl { .. } => "bad_url",
            EgressError::SchemeRefused { .. } => "scheme_refused",
            EgressError::UserinfoRefused => "userinfo_refused",
            EgressError::PortRefused { .. } => "port_refused",
            EgressError::NameRefused { .. } => "name_refused",
            EgressError::AddressRefused { .. } => "address_refused",
            EgressError::BadHeader { .. } => "bad_header",
            EgressError::DnsFailed { .. } => "dns_failed",
            EgressError::ConnectFailed { .. } => "connect_failed",
            EgressError::TlsFailed { .. } => "tls_failed",
            EgressError::ProxyFailed { .. } => "proxy_failed",
            EgressError::ProxyRefused { .. } => "proxy_refused",
            EgressError::Timeout => "timeout",
            EgressError::TooLarge { .. } => "too_large",
            EgressError::BadEncoding { .. } => "bad_encoding",
            EgressError::RatioExceeded { .. } => "ratio_exceeded",
            EgressError::TooManyRedirects { .. } => "too_many_redirects",
            EgressError::BadRedirect => "bad_redirect",
            EgressError::Reset { .. } => "reset",
            EgressError::Protocol { .. } => "protocol",
        }
    }

    /// We would not send it: asking again gives the same answer until a rule or the DNS changes.
    pub fn is_refusal(&self) -> bool {
        use EgressError::*;
        matches!(
            self,
            UrlTooLong { .. }
                | BadUrl { .. }
                | SchemeRefused { .. }
                | UserinfoRefused
                | PortRefused { .. }
                | NameRefused { .. }
                | AddressRefused { .. }
                | BadHeader { .. }
        )
    }

    /// The site did not manage to answer: what its circuit counts.
    pub fn site_failure(&self) -> bool {
        use EgressError::*;
        matches!(self, ConnectFailed { .. } | TlsFailed { .. } | Timeout | Reset { .. } | Protocol { .. })
    }

    /// Our own way out failed: the site never heard of us, and another route may do.
    pub fn is_route_failure(&self) -> bool {
        matches!(self, EgressError::ProxyFailed { .. } | EgressError::ProxyRefused { .. })
    }

    /// What a failed exchange inside a tunnel means.
    pub(super) fn from_hyper(error: &hyper::Error) -> EgressError {
        let reason = root_cause(error);
        // Closed before the request was out: hyper calls that cancelled.
        if ended_early(error) || error.is_canceled() || error.is_closed() {
            EgressError::Reset { reason }
        } else {
            EgressError::Protocol { reason }
        }
    }

    /// What a failed TLS handshake inside a tunnel means.
    pub(super) fn from_handshake(error: &io::Error) -> EgressError {
        let reason = error.to_string();
        match find::<rustls::Error>(error) {
            Some(_) => EgressError::TlsFailed { reason },
            None => EgressError::Reset { reason },
        }
    }

    /// What a failed send means. Our own refusal, raised inside the resolver, comes out as itself.
    pub(super) fn from_client(error: &reqwest::Error) -> EgressError {
        let reason = root_cause(error);
        if let Some(own) = find::<EgressError>(error) {
            own.clone()
        } else if error.is_timeout() {
            EgressError::Timeout
        } else if find::<rustls::Error>(error).is_some() {
            EgressError::TlsFailed { reason }
        } else if error.is_connect() {
            EgressError::ConnectFailed { reason }
        } else if ended_early(error) {
            EgressError::Reset { reason }
        } else {
            EgressError::Protocol { reason }
        }
    }

    /// What a failed read of a body means: ours, the connection's, or else the decoder's.
    pub(super) fn from_body(error: &io::Error) -> EgressError {
        if let Some(own) = find::<EgressError>(error) {
            own.clone()
        } else if let Some(client) = find::<reqwest::Error>(error) {
            EgressError::from_client(client)
        } else {
            EgressError::BadEncoding { reason: error.to_string() }
        }
    }
}

fn ended_early(error: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    let cut = |error: &io::Error| {
        matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
    };
    find::<io::Error>(error).is_some_and(cut)
        || find::<hyper::Error>(error).is_some_and(hyper::Error::is_incomplete_message)
}

/// The first error of type `T` in the chain. `io::Error::source` skips the error it wraps, so that one is
/// opened by hand.
fn find<'e, T: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e T> {
    if let Some(found) = error.downcast_ref::<T>() {
        return Some(found);
    }
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    match wrapped {
        Some(inner) => find(inner),
        None => error.source().and_then(find),
    }
}

/// The innermost text. The client's own text is left out because it quotes the whole URL.
fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(Error::source) {
        cause = Some(deeper);
    }
    cause.map_or_else(|| "no further detail".to_owned(), ToString::to_string)
}
