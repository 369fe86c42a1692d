//! What came back.

use std::fmt;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, ETAG, HeaderMap, HeaderName, LAST_MODIFIED, LOCATION, RETRY_AFTER};
use url::Url;

/// Longer than this a header is not what its name says, and nothing we want to store.
const LONGEST_HEADER: usize = 2048;

/// An answer, whatever its status.
pub struct Fetched {
    pub status: u16,
    /// Where the answer came from, after redirects.
    pub final_url: Url,
    pub headers: ReplyHeaders,
    /// Decoded. Empty for a redirect that was not followed.
    pub body: Bytes,
    pub wire_bytes: u64,
    /// When the last request sent got its first answer; the gap to the next one is counted from here.
    pub first_byte: Instant,
    /// The same, from the start of the call.
    pub first_byte_after: Duration,
    pub total: Duration,
    /// The hops taken, without the first URL.
    pub redirects: Vec<Url>,
    /// The redirect that the caller (or the method) did not want followed. It passed the URL rules.
    pub redirect_to: Option<Url>,
}

/// The few headers anybody reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyHeaders {
    pub content_type: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub retry_after: Option<String>,
    pub location: Option<String>,
}

impl ReplyHeaders {
    pub(super) fn read(headers: &HeaderMap) -> ReplyHeaders {
        let text = |name: HeaderName| {
            let value = headers.get(name).filter(|value| value.len() <= LONGEST_HEADER)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        ReplyHeaders {
            content_type: text(CONTENT_TYPE),
            etag: text(ETAG),
            last_modified: text(LAST_MODIFIED),
            retry_after: text(RETRY_AFTER),
            location: text(LOCATION),
        }
    }
}

/// Short on purpose: no page and no query ends up in a log by way of `{:?}`.
impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetched")
            .field("status", &self.status)
            .field("host", &self.final_url.host_str())
            .field("path", &self.final_url.path())
            .field("body_bytes", &self.body.len())
            .field("redirects", &self.redirects.len())
            .finish_non_exhaustive()
    }
}
