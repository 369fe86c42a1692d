//! What a caller asks for, and how it goes on the wire: which headers it may set, and which of them
//! follow a redirect to another origin.

use bytes::Bytes;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};

use super::body;
use super::error::EgressError;

/// One thing to fetch. Conditional requests are plain headers (`if-none-match`, `if-modified-since`).
/// Not `Debug`: its headers may hold a token.
#[derive(Clone)]
pub struct Request {
    pub url: String,
    pub method: Method,
    pub headers: Vec<(String, String)>,
}

#[derive(Clone)]
pub enum Method {
    Get,
    /// Never follows a redirect by itself: the answer says where it pointed.
    Post(Bytes),
}

impl Request {
    pub fn get(url: impl Into<String>) -> Request {
        Request { url: url.into(), method: Method::Get, headers: Vec::new() }
    }

    pub fn post(url: impl Into<String>, body: impl Into<Bytes>) -> Request {
        Request { url: url.into(), method: Method::Post(body.into()), headers: Vec::new() }
    }

    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.headers.push((name.into(), value.into()));
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
            map.append(parsed, HeaderValue::try_from(value).map_err(|_| bad())?);
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
