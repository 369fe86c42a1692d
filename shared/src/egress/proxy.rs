//! The operator's proxies: read from a setting, checked, and never shown. What a proxy is called (its URL)
//! is a secret as a whole: user, password, and often the host name too.

use std::fmt;

use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::{Host, Url};

use super::address;
use super::permission::Permission;
use super::rules::Rules;
use super::target::check_name;
use crate::domain::region::Region;

/// More than this nobody rotates, and one look at their health stays one look.
const MOST: usize = 100;

/// The way a request takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Route {
    #[default]
    Direct,
    /// Through the proxy at this place of the list.
    Proxy(usize),
}

/// One proxy.
#[derive(Clone)]
pub struct Proxy {
    pub(super) speaks: Speaks,
    pub(super) host: Host<String>,
    pub(super) port: u16,
    pub(super) login: Option<Login>,
    pub region: Option<Region>,
}

/// What is spoken with a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaks {
    Http,
    /// The same, inside TLS.
    Https,
    Socks5,
}

#[derive(Clone)]
pub(super) struct Login {
    pub user: SecretString,
    pub password: SecretString,
}

/// Says which entry is wrong and how, and quotes nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {index}: {problem}")]
pub struct BadProxy {
    pub index: usize,
    pub problem: &'static str,
}

impl Proxy {
    /// Reads the whole setting: addresses with commas between them, or JSON: a list of addresses and of
    /// `{"url": …, "region": …}`. Entries are counted from 0, as `/health` counts them.
    pub fn list(setting: &str) -> Result<Vec<Proxy>, BadProxy> {
        let entries = entries(setting)?;
        if entries.len() > MOST {
            return Err(BadProxy { index: MOST, problem: "at most 100 proxies can be listed" });
        }
        let mut proxies: Vec<Proxy> = Vec::new();
        for (index, (url, region)) in entries.into_iter().enumerate() {
            let bad = |problem| BadProxy { index, problem };
            let proxy = Proxy::read(&url, region.as_deref()).map_err(bad)?;
            if proxies.iter().any(|other| other.id() == proxy.id()) {
                return Err(bad("it is listed before"));
            }
            proxies.push(proxy);
        }
        Ok(proxies)
    }

    fn read(text: &str, region: Option<&str>) -> Result<Proxy, &'static str> {
        let url = Url::parse(text.trim()).map_err(|_| "it is not a URL")?;
        let (speaks, usual) = match url.scheme() {
            "http" => (Speaks::Http, 80),
            "https" => (Speaks::Https, 443),
            "socks5" | "socks5h" => (Speaks::Socks5, 1080),
            _ => return Err("the scheme must be http, https or socks5"),
        };
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err("a proxy has no path, query or fragment");
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or("it has no host")?;
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        // The URL parser knows numbers in IPv4 clothes only for http; this knows them for every scheme.
        let host = Host::parse(&host).map_err(|_| "its host cannot be read")?;
        let login = match (url.username(), url.password()) {
            ("", None) => None,
            (user, password) => {
                Some(Login { user: decoded(user)?, password: decoded(password.unwrap_or(""))? })
            }
        };
        let region = match region {
            Some(code) => Some(Region::named(code).ok_or("its region is not a known one")?),
            None => None,
        };
        Ok(Proxy { speaks, host, port: url.port().unwrap_or(usual), login, region })
    }

    /// What is spoken with it: the only part of it that may be shown.
    pub fn protocol(&self) -> &'static str {
        match self.speaks {
            Speaks::Http => "http",
            Speaks::Https => "https",
            Speaks::Socks5 => "socks5",
        }
    }

    /// A name for it that says nothing of it, the same in every process; another password is not another
    /// proxy.
    pub fn id(&self) -> String {
        let user = self.login.as_ref().map_or("", |login| login.user.expose_secret());
        let whole = format!("{:?} {user} {} {}", self.speaks, self.host, self.port);
        hex::encode(&Sha256::digest(whole.as_bytes())[..8])
    }

    /// A proxy is dialled like any other host: it must be public, or on the private list. Its port is the
    /// operator's to choose.
    pub(super) fn check(&self, permission: &Permission) -> Result<(), &'static str> {
        let (host, rules) = (borrowed(&self.host), Rules::all());
        if permission.covers(&host, self.port) {
            return Ok(());
        }
        let refused = match host {
            Host::Domain(name) => check_name(name, rules).is_err(),
            Host::Ipv4(address) => address::check(address.into(), rules).is_err(),
            Host::Ipv6(address) => address::check(address.into(), rules).is_err(),
        };
        if refused { Err("it is not a public host, and not on the list of private ones") } else { Ok(()) }
    }
}

pub(super) fn borrowed(host: &Host<String>) -> Host<&str> {
    match host {
        Host::Domain(name) => Host::Domain(name.as_str()),
        Host::Ipv4(address) => Host::Ipv4(*address),
        Host::Ipv6(address) => Host::Ipv6(*address),
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("speaks", &self.speaks)
            .field("region", &self.region.map(|region| region.code))
            .finish_non_exhaustive()
    }
}

fn decoded(text: &str) -> Result<SecretString, &'static str> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_| "its login is not UTF-8")?;
    // SOCKS5 counts a login's length in one byte.
    if text.len() > 255 || text.chars().any(char::is_control) {
        return Err("its login is too long or holds control characters");
    }
    Ok(text.into_owned().into())
}

/// Addresses with their regions. What cannot be read is not quoted.
fn entries(setting: &str) -> Result<Vec<(String, Option<String>)>, BadProxy> {
    let setting = setting.trim();
    if !setting.starts_with('[') {
        let addresses = setting.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        return Ok(addresses.map(|entry| (entry.to_owned(), None)).collect());
    }
    let list: Vec<Value> = serde_json::from_str(setting)
        .map_err(|_| BadProxy { index: 0, problem: "the list is not readable JSON" })?;
    let read = |(index, entry): (usize, &Value)| {
        let bad = |problem| BadProxy { index, problem };
        match entry {
            Value::String(url) => Ok((url.clone(), None)),
            Value::Object(fields) => {
                if fields.keys().any(|key| key != "url" && key != "region") {
                    return Err(bad("it has a field that is not url or region"));
                }
                let url = fields.get("url").and_then(Value::as_str).ok_or_else(|| bad("it has no url"))?;
                let region = match fields.get("region") {
                    None | Some(Value::Null) => None,
                    Some(region) => Some(region.as_str().ok_or_else(|| bad("its region is not a string"))?),
                };
                Ok((url.to_owned(), region.map(str::to_owned)))
            }
            _ => Err(bad("it is neither an address nor an object")),
        }
    };
    list.iter().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Proxy {
        Proxy::list(text).unwrap().remove(0)
    }

    fn problem(text: &str) -> String {
        Proxy::list(text).unwrap_err().to_string()
    }

    #[test]
    fn both_forms_are_read() {
        let listed = Proxy::list("http://u:p%40ss@proxy.example.com:3128, socks5://198.100.1.1").unwrap();
        assert_eq!((listed[0].speaks, listed[0].port), (Speaks::Http, 3128));
        assert_eq!(listed[0].login.as_ref().unwrap().password.expose_secret(), "p@ss");
        assert_eq!((listed[1].speaks, listed[1].port), (Speaks::Socks5, 1080));
        assert_eq!(listed[1].host, Host::<String>::Ipv4([198, 100, 1, 1].into()));
        let json = r#"[{"url":"https://proxy.example.com","region":"DE"},"http://other.example.com:8000"]"#;
        let listed = Proxy::list(json).unwrap();
        assert_eq!((listed[0].port, listed[0].region.unwrap().code), (443, "de"));
        assert_eq!((listed[1].port, listed[1].region), (8000, None));
        assert!(Proxy::list("").unwrap().is_empty() && Proxy::list("[]").unwrap().is_empty());
    }

    #[test]
    fn a_bad_entry_is_named_by_its_place_and_nothing_of_it_is_quoted() {
        let good = "http://u:hunter2@a.example.com";
        for (bad, expected) in [
            ("ftp://u:hunter2@b.example.com", "entry 1: the scheme must be http, https or socks5"),
            ("hunter2", "entry 1: it is not a URL"),
            ("http://u:hunter2@b.example.com/path", "entry 1: a proxy has no path, query or fragment"),
            ("http://u:hunter2@a.example.com:80", "entry 1: it is listed before"),
            ("http://u:other@a.example.com:80", "entry 1: it is listed before"),
            (
                "http://u:hunter2%00@b.example.com",
                "entry 1: its login is too long or holds control characters",
            ),
        ] {
            assert_eq!(problem(&format!("{good},{bad}")), expected);
        }
        for (json, expected) in [
            (
                r#"[{"url":"http://hunter2.example.com","region":"atlantis"}]"#,
                "entry 0: its region is not a known one",
            ),
            (r#"["http://a.example.com",{"region":"de"}]"#, "entry 1: it has no url"),
            (
                r#"[{"url":"http://a.example.com","password":"hunter2"}]"#,
                "entry 0: it has a field that is not url or region",
            ),
            (r#"[{"url":"http://hunter2"#, "entry 0: the list is not readable JSON"),
            (r#"[7]"#, "entry 0: it is neither an address nor an object"),
        ] {
            assert_eq!(problem(json), expected);
        }
    }

    #[test]
    fn a_proxy_never_prints_itself() {
        let proxy = one("socks5://someone:hunter2@secret-host.example.com:1081");
        let shown = format!("{proxy:?} {}", proxy.id());
        for secret in ["someone", "hunter2", "secret-host", "1081"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn an_id_stays_when_the_password_changes_and_not_when_the_user_does() {
        let id = |text| one(text).id();
        assert_eq!(id("http://u:one@a.example.com:80"), id("http://u:two@A.example.com.:80"));
        assert_ne!(id("http://u:one@a.example.com:80"), id("http://v:one@a.example.com:80"));
        assert_ne!(id("http://u:one@a.example.com:80"), id("socks5://u:one@a.example.com:80"));
    }

    #[test]
    fn a_proxy_must_be_public_or_listed() {
        let listed = Permission::with_private_hosts(vec!["127.0.0.1:3128".parse().unwrap()]);
        for private in [
            "http://127.0.0.1:3128",
            "socks5://127.0.0.1:3128",
            "socks5://2130706433:3128",
            "socks5://0x7f.1:3128",
            "http://[::ffff:127.0.0.1]:3128",
        ] {
            assert!(one(private).check(&Permission::public_only()).is_err(), "{private}");
            assert!(one(private).check(&listed).is_ok(), "{private}");
        }
        for refused in
            ["http://localhost:3128", "socks5://10.0.0.7", "http://169.254.169.254", "http://proxy:3128"]
        {
            assert!(one(refused).check(&listed).is_err(), "{refused}");
        }
        assert!(one("http://proxy.example.com:3128").check(&Permission::public_only()).is_ok());
    }
}
