//! What to ask of a board: one request, described.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::form_urlencoded;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What a path segment cannot hold as it stands.
const SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'`')
    .add(b'{')
    .add(b'}');

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    Get,
    Post,
}

/// One request. `body` is JSON and makes it a POST.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Value>,
}

impl Ask {
    /// For JSON; some boards answer with a page for people unless they are told.
    pub fn json(url: impl Into<String>) -> Ask {
        Ask { url: url.into(), headers: vec![("accept".into(), "application/json".into())], body: None }
    }

    /// For whatever stands there: pages and feeds.
    pub fn page(url: impl Into<String>) -> Ask {
        Ask { url: url.into(), headers: Vec::new(), body: None }
    }

    pub fn post(url: impl Into<String>, body: Value) -> Ask {
        let mut ask = Ask::json(url).header("content-type", "application/json");
        ask.body = Some(body);
        ask
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Ask {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn method(&self) -> Method {
        if self.body.is_some() { Method::Post } else { Method::Get }
    }
}

/// A name as one segment of a path.
pub fn segment(name: &str) -> String {
    utf8_percent_encode(name, SEGMENT).to_string()
}

/// `a=1&b=2`, encoded.
pub fn query(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// A host as the origin of its addresses; a literal address is not served over TLS.
pub fn origin(host: &str) -> String {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let literal = host.starts_with('[') || name.parse::<std::net::Ipv4Addr>().is_ok();
    format!("{}://{host}", if literal { "http" } else { "https" })
}
