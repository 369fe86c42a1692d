//! Who may see a workspace's login, and in which clothes it travels. Pure; the secret itself is elsewhere.

use serde::{Deserialize, Serialize};
use url::Url;

use super::site::{Site, site_key};

/// How a site's policy says that its pages are fetched with the caller's own login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialUse {
    /// The name the backend keeps it under.
    pub provider: String,
    #[serde(rename = "use")]
    pub how: How,
    /// Of the header or the cookie; `basic` has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Put before the value of a header, such as `Bearer `.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    Header,
    Cookie,
    Basic,
}

/// Headers that a login has no business in: they choose the host, frame the message or say who we are.
const NOT_FOR_LOGINS: [&str; 8] =
    ["host", "connection", "content-length", "transfer-encoding", "upgrade", "te", "user-agent", "cookie"];

impl CredentialUse {
    /// What is wrong with it, if anything.
    pub fn problem(&self) -> Option<&'static str> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
        if self.provider.is_empty() || self.provider.len() > 64 || !self.provider.chars().all(plain) {
            return Some("provider must be 1 to 64 of a-z, 0-9, - and _");
        }
        let name = self.name.as_deref();
        let refused = |name: &str| {
            let name = name.to_ascii_lowercase();
            NOT_FOR_LOGINS.contains(&name.as_str()) || name.starts_with("proxy-") || name.starts_with("sec-")
        };
        match (self.how, name) {
            (How::Basic, Some(_)) => Some("basic has no name"),
            (How::Basic, None) => self.prefix.is_some().then_some("only a header has a prefix"),
            (_, None) => Some("a header or cookie needs a name"),
            (_, Some(name)) if !is_token(name) => Some("the name must be a token"),
            (How::Header, Some(name)) if refused(name) => Some("that header is not for logins"),
            (How::Header, _) => match &self.prefix {
                Some(prefix) if prefix.len() > 32 || !prefix.chars().all(|c| (' '..='~').contains(&c)) => {
                    Some("the prefix must be at most 32 printable characters")
                }
                _ => None,
            },
            (How::Cookie, _) => self.prefix.is_some().then_some("only a header has a prefix"),
        }
    }
}

/// A token as RFC 9110 has it.
fn is_token(text: &str) -> bool {
    let mark = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty()
        && text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || mark(byte))
}

/// May a request for `fetched` carry the login that `site`'s policy names, when the caller handed in
/// `given`? Only to that site, at the very origin the caller named, and encrypted (a host on the private
/// list, for demos and tests, may do without).
pub fn may_carry(given: &str, fetched: &str, site: &Site, private_host: bool) -> bool {
    let (Ok(given), Ok(fetched)) = (Url::parse(given), Url::parse(fetched)) else { return false };
    let encrypted = fetched.scheme() == "https" || private_host;
    encrypted && given.origin() == fetched.origin() && site_key(&fetched).is_ok_and(|key| key == *site)
}

/// The key of a page that was fetched with a workspace's login: nobody else's page, reading or listing has
/// it, because every other key is an address.
pub fn private_page_key(workspace: &str, url_key: &str) -> String {
    // The length keeps `a` + `b:c` and `a:b` + `c` apart.
    format!("{PRIVATE}{}:{workspace}:{url_key}", workspace.len())
}

const PRIVATE: &str = "private:";

/// Is this the key of a page that belongs to one workspace? Nothing public may be made from it.
pub fn is_private_page(key: &str) -> bool {
    key.starts_with(PRIVATE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn using(how: How, name: Option<&str>, prefix: Option<&str>) -> CredentialUse {
        CredentialUse {
            provider: "board".into(),
            how,
            name: name.map(str::to_owned),
            prefix: prefix.map(str::to_owned),
        }
    }

    #[test]
    fn a_use_is_written_in_few_words_and_nonsense_is_named() {
        let read: CredentialUse = serde_json::from_str(
            r#"{"provider":"board","use":"header","name":"authorization","prefix":"Bearer "}"#,
        )
        .unwrap();
        assert_eq!(read, using(How::Header, Some("authorization"), Some("Bearer ")));
        assert_eq!(read.problem(), None);
        for fine in [using(How::Cookie, Some("session"), None), using(How::Basic, None, None)] {
            assert_eq!(fine.problem(), None, "{fine:?}");
        }
        for bad in [
            using(How::Header, None, None),
            using(How::Header, Some("Host"), None),
            using(How::Header, Some("Proxy-Authorization"), None),
            using(How::Header, Some("a b"), None),
            using(How::Header, Some("x"), Some("a\r\nb")),
            using(How::Cookie, Some("a;b"), None),
            using(How::Cookie, Some("a"), Some("b")),
            using(How::Basic, Some("x"), None),
            CredentialUse { provider: "../admin".into(), ..using(How::Basic, None, None) },
        ] {
            assert!(bad.problem().is_some(), "{bad:?}");
        }
        assert!(
            serde_json::from_str::<CredentialUse>(r#"{"provider":"a","use":"basic","user":"x"}"#).is_err()
        );
    }

    #[test]
    fn a_login_goes_to_its_own_origin_only_and_encrypted() {
        let site = site_key(&"https://example.com".parse().unwrap()).unwrap();
        let to = |given: &str, fetched: &str| may_carry(given, fetched, &site, false);
        assert!(to("https://www.example.com/a", "https://www.example.com/a"));
        assert!(to("https://www.example.com/a", "https://www.example.com/login?next=a"));
        assert!(!to("http://www.example.com/a", "http://www.example.com/a"), "in the clear");
        assert!(!to("https://www.example.com/a", "http://www.example.com/a"), "a step down");
        assert!(!to("http://www.example.com/a", "https://www.example.com/a"), "another origin");
        assert!(!to("https://www.example.com/a", "https://cdn.example.com/a"), "another host");
        assert!(!to("https://www.example.com/a", "https://www.example.com:8443/a"), "another port");
        assert!(!to("https://evil.com/a", "https://evil.com/a"), "not the policy's site");
        let local = site_key(&"http://127.0.0.1:9000".parse().unwrap()).unwrap();
        let listed =
            |private| may_carry("http://127.0.0.1:9000/a", "http://127.0.0.1:9000/b", &local, private);
        assert!(listed(true) && !listed(false));
    }

    proptest! {
        #[test]
        fn private_keys_are_apart_from_addresses_and_from_each_other(
            a in "[a-z:/0-9]{0,12}", b in "[a-z:/0-9]{0,12}", x in "https://[a-z:/0-9]{0,12}", y in "https://[a-z:/0-9]{0,12}"
        ) {
            prop_assert_eq!(private_page_key(&a, &x) == private_page_key(&b, &y), a == b && x == y);
            prop_assert!(is_private_page(&private_page_key(&a, &x)));
            prop_assert!(!is_private_page(&x));
        }
    }
}
