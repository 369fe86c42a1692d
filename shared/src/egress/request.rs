//! What a caller asks for, and how it goes on the wire: which headers it may set, and which of them
//! follow a redirect to another origin.

use bytes::Bytes;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};

use super::body;
use super::error::EgressError;
use super::proxy::Route;

/// One thing to fetch. Conditional requests are plain headers (`if-none-match`, `if-modified-since`).
/// Not `Debug`: its headers may hold a token.
#[derive(Clone)]
pub struct Request {
    pub url: String,
    pub method: Method,
    pub headers: Vec<(String, String)>,
    /// Read no more of the body than this; the rest is left where it is.
    pub at_most: Option<usize>,
    /// Off: the answer is its status and headers, and the connection ends there.
    pub wants_body: bool,
    pub route: Route,
}

#[derive(Clone)]
pub enum Method {
    Get,
    /// Never follows a redirect by itself: the answer says where it pointed.
    Post(Bytes),
}

impl Request {
    pub fn get(url: impl Into<String>) -> Request {
        Request::new(url, Method::Get)
    }

    pub fn post(url: impl Into<String>, body: impl Into<Bytes>) -> Request {
        Request::new(url, Method::Post(body.into()))
    }

    fn new(url: impl Into<String>, method: Method) -> Request {
        Request {
            url: url.into(),
            method,
            headers: Vec::new(),
            at_most: None,
            wants_body: true,
            route: Route::Direct,
        }
    }

    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The beginning of a body is enough.
    #[must_use]
    pub fn at_most(mut self, bytes: usize) -> Request {
        self.at_most = Some(bytes);
        self
    }

    /// Only the status matters: a body that is endless or slow is not waited for.
    #[must_use]
    pub fn without_body(mut self) -> Request {
        self.wants_body = false;
        self
    }

    /// The way it takes, and with it every redirect that is followed.
    #[must_use]
    pub fn via(mut self, route: Route) -> Request {
        self.route = route;
        self
    }

    /// The caller's headers, parsed, with ours. Those that frame the message or choose the host are not
    /// the caller's to set.
    pub(super) fn header_map(&self) -> Result<HeaderMap, EgressError> {
        let mut map = HeaderMap::new();
        for (name, value) in &self.headers {
            let bad = || EgressError::BadHeader { name: name.clone() };
            let parsed = HeaderName::try_from(name).map_err(|_| bad())?;
            if OURS.contains(&parsed.as_str()) || parsed.as_str().starts_with("proxy-") {
                return Err(bad());
            }
            let mut value = HeaderValue::try_from(value).map_err(|_| bad())?;
            // Kept out of compression tables, and out of whatever prints a header.
            value.set_sensitive(!TRAVELS.contains(&parsed.as_str()));
            map.append(parsed, value);
        }
        map.insert(ACCEPT_ENCODING, HeaderValue::from_static(body::ACCEPT_ENCODING));
        Ok(map)
    }
}

const OURS: [&str; 10] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What another origin may see after a redirect: who we are and what we can read, never a token.
const TRAVELS: [&str; 7] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "from",
    "if-modified-since",
    "if-none-match",
    "user-agent",
];

/// Drops what was meant for the first origin only.
pub(super) fn keep_harmless(headers: &mut HeaderMap) {
    let secret: Vec<HeaderName> =
        headers.keys().filter(|name| !TRAVELS.contains(&name.as_str())).cloned().collect();
    for name in secret {
        headers.remove(name);
    }
}
