//! What asking for a robots.txt came to, and how long that is believed.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use url::Url;

use super::robots::{PRODUCT, Robots, Rule};

/// A file follows at most this many redirects; behind more there is none, says the RFC.
pub const MOST_HOPS: u32 = 5;
/// The longest a file is believed without asking again.
pub const KEEP: SignedDuration = SignedDuration::from_hours(24);
/// A file that could not be read is asked for again after this.
pub const KEEP_UNREADABLE: SignedDuration = SignedDuration::from_secs(60);

/// What an origin lets us do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Access {
    Rules(Robots),
    /// There is no file: everything is allowed.
    NoFile {
        why: String,
    },
    /// Nobody knows what the file says: nothing is allowed until we do.
    Unreadable {
        code: String,
        why: String,
    },
    /// The file is said to be elsewhere, and the next request goes there.
    Moved {
        url: String,
        hops: u32,
    },
}

/// May this address be fetched?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave<'a> {
    /// Yes, with this gap at least.
    Granted(Option<SignedDuration>),
    Forbidden(&'a Rule),
    Unknown {
        code: &'a str,
        why: &'a str,
    },
    /// The file has to be asked for at this address first.
    Ask {
        url: &'a str,
        hops: u32,
    },
}

impl Access {
    /// What an answer means. A redirect is told by `moved`.
    pub fn of_answer(status: u16, body: &[u8]) -> Access {
        match status {
            200..=299 => Access::Rules(Robots::parse(body, PRODUCT)),
            429 | 500..=599 => Access::unreadable("robots_unreachable", &format!("it answered {status}")),
            400..=499 => Access::NoFile { why: format!("it answered {status}") },
            _ => Access::unreadable("robots_unreachable", &format!("it answered {status}")),
        }
    }

    pub fn moved(url: &Url, hops_before: u32) -> Access {
        if hops_before >= MOST_HOPS {
            return Access::NoFile { why: format!("it is behind more than {MOST_HOPS} redirects") };
        }
        Access::Moved { url: url.to_string(), hops: hops_before + 1 }
    }

    pub fn unreadable(code: &str, why: &str) -> Access {
        Access::Unreadable { code: code.to_owned(), why: why.to_owned() }
    }

    pub fn expires_at(&self, read_at: Timestamp) -> Timestamp {
        read_at
            + match self {
                // A hop may have to wait long for its slot; forgotten meanwhile, the walk would never end.
                Access::Rules(_) | Access::NoFile { .. } | Access::Moved { .. } => KEEP,
                Access::Unreadable { .. } => KEEP_UNREADABLE,
            }
    }

    pub fn leave(&self, url: &Url) -> Leave<'_> {
        match self {
            Access::Rules(robots) => match robots.refusal(url) {
                Some(rule) => Leave::Forbidden(rule),
                None => Leave::Granted(robots.crawl_delay()),
            },
            Access::NoFile { .. } => Leave::Granted(None),
            Access::Unreadable { code, why } => Leave::Unknown { code, why },
            Access::Moved { url, hops } => Leave::Ask { url, hops: *hops },
        }
    }

    pub fn word(&self) -> &'static str {
        match self {
            Access::Rules(_) => "rules",
            Access::NoFile { .. } => "no_file",
            Access::Unreadable { .. } => "unreadable",
            Access::Moved { .. } => "moved",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_lets_us_do() {
        let url = Url::parse("https://a.com/x").unwrap();
        for status in 100..=999 {
            let access = Access::of_answer(status, b"user-agent: *\ndisallow: /x");
            let expected = match status {
                200..=299 => "rules",
                429 => "unreadable",
                400..=499 => "no_file",
                _ => "unreadable",
            };
            assert_eq!(access.word(), expected, "{status}");
            let leave = access.leave(&url);
            assert_eq!(matches!(leave, Leave::Granted(_)), expected == "no_file", "{status}");
            let kept = access.expires_at(Timestamp::UNIX_EPOCH).duration_since(Timestamp::UNIX_EPOCH);
            assert!(kept <= SignedDuration::from_hours(24));
        }
    }

    #[test]
    fn the_sixth_redirect_leads_to_no_file() {
        let url = Url::parse("https://a.com/elsewhere").unwrap();
        assert!(matches!(Access::moved(&url, 4), Access::Moved { hops: 5, .. }));
        assert!(matches!(Access::moved(&url, 5), Access::NoFile { .. }));
    }

    #[test]
    fn it_reads_back_as_it_was_stored() {
        let robots = Robots::parse(
            b"user-agent: *\ndisallow: /a\ncrawl-delay: 2.5\nsitemap: https://a.com/s",
            PRODUCT,
        );
        for access in [
            Access::Rules(robots),
            Access::NoFile { why: "it answered 404".into() },
            Access::unreadable("timeout", "the time ran out"),
            Access::Moved { url: "https://a.com/".into(), hops: 2 },
        ] {
            let stored = serde_json::to_value(&access).unwrap();
            assert_eq!(serde_json::from_value::<Access>(stored).unwrap(), access);
        }
    }
}
