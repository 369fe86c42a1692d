//! From a string to a URL we are willing to ask for. Pure, and the only way to a [`Target`]: first URLs and
//! every redirect pass here. Names are judged by their text only; the resolver judges where they lead.

use std::net::IpAddr;

use url::{Host, Url};

use super::address;
use super::error::EgressError;
use super::permission::Permission;
use super::rules::Rules;

const LONGEST_URL: usize = 2048;
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;
const PORTS: [u16; 4] = [80, 443, 8080, 8443];

/// A suffix that never means a public host, and the rule's name.
#[derive(Debug)]
pub(super) struct Reserved {
    pub rule: &'static str,
    pub suffix: &'static str,
}

pub(super) static RESERVED_SUFFIXES: &[Reserved] = &[
    Reserved { rule: "localhost", suffix: "localhost" },
    Reserved { rule: "local", suffix: "local" },
    Reserved { rule: "internal", suffix: "internal" },
    Reserved { rule: "home_arpa", suffix: "home.arpa" },
    Reserved { rule: "test", suffix: "test" },
    Reserved { rule: "example", suffix: "example" },
    Reserved { rule: "invalid", suffix: "invalid" },
    Reserved { rule: "onion", suffix: "onion" },
];

const LENGTH: &str = "length";
const SCHEME: &str = "scheme";
const USERINFO: &str = "userinfo";
const PORT: &str = "port";
const SINGLE_LABEL: &str = "single_label";
const NUMERIC_LAST_LABEL: &str = "numeric_last_label";
const NAME_CHARACTERS: &str = "name_characters";
const NAME_LENGTH: &str = "name_length";

pub(super) const OTHER_RULES: [&str; 8] =
    [LENGTH, SCHEME, USERINFO, PORT, SINGLE_LABEL, NUMERIC_LAST_LABEL, NAME_CHARACTERS, NAME_LENGTH];

/// A URL that passed every rule. Without fragment, without the dot after the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
    private: bool,
}

impl Target {
    /// Reads and judges a URL; the order is that of the rules, and the first doubt refuses.
    pub fn check(text: &str, permission: &Permission, rules: Rules) -> Result<Target, EgressError> {
        check_length(text, rules)?;
        let mut url = Url::parse(text).map_err(|error| bad_url(&error))?;
        check_length(url.as_str(), rules)?; // percent-encoding and punycode make it longer
        if !matches!(url.scheme(), "http" | "https") && rules.on(SCHEME) {
            return Err(EgressError::SchemeRefused { scheme: url.scheme().to_owned() });
        }
        if (!url.username().is_empty() || url.password().is_some()) && rules.on(USERINFO) {
            return Err(EgressError::UserinfoRefused);
        }
        url.set_fragment(None);
        tidy_host(&mut url)?;
        let host = url.host().ok_or_else(|| bad_url(&url::ParseError::EmptyHost))?;
        let port = url.port_or_known_default().unwrap_or(0);
        if permission.covers(&host, port) {
            return Ok(Target { url, private: true });
        }
        if !PORTS.contains(&port) && rules.on(PORT) {
            return Err(EgressError::PortRefused { port });
        }
        match host {
            Host::Domain(name) => check_name(name, rules)?,
            Host::Ipv4(address) => drop(address::check(IpAddr::V4(address), rules)?),
            Host::Ipv6(address) => drop(address::check(IpAddr::V6(address), rules)?),
        }
        Ok(Target { url, private: false })
    }

    pub fn url(&self) -> &Url {
        &self.url
    }

    pub fn into_url(self) -> Url {
        self.url
    }

    /// It is on the list of private hosts.
    pub fn is_private(&self) -> bool {
        self.private
    }
}

fn check_length(text: &str, rules: Rules) -> Result<(), EgressError> {
    if text.len() > LONGEST_URL && rules.on(LENGTH) {
        return Err(EgressError::UrlTooLong { limit: LONGEST_URL });
    }
    Ok(())
}

/// Strips one trailing dot (two are no name, and must not turn into one), and writes an IPv4 address in IPv6 clothes as what it is.
fn tidy_host(url: &mut Url) -> Result<(), EgressError> {
    match url.host() {
        Some(Host::Domain(name)) if name.ends_with('.') && !name.ends_with("..") => {
            let name = name[..name.len() - 1].to_owned();
            url.set_host(Some(&name)).map_err(|error| bad_url(&error))
        }
        Some(Host::Ipv6(address)) => {
            let plain = IpAddr::V6(address).to_canonical();
            url.set_ip_host(plain).map_err(|()| bad_url(&url::ParseError::InvalidIpv6Address))
        }
        _ => Ok(()),
    }
}

/// May this name be asked for at all? Expects it in lower case and punycode, as the URL parser leaves it.
#[doc(hidden)]
pub fn check_name(name: &str, rules: Rules) -> Result<(), EgressError> {
    let labels: Vec<&str> = name.split('.').collect();
    let last = labels.last().copied().unwrap_or_default();
    let broken = if labels.iter().any(|label| !is_label(label)) && rules.on(NAME_CHARACTERS) {
        Some(NAME_CHARACTERS)
    } else if (name.len() > LONGEST_NAME || labels.iter().any(|label| label.len() > LONGEST_LABEL))
        && rules.on(NAME_LENGTH)
    {
        Some(NAME_LENGTH)
    } else if labels.len() < 2 && rules.on(SINGLE_LABEL) {
        Some(SINGLE_LABEL)
    } else if is_number(last) && rules.on(NUMERIC_LAST_LABEL) {
        Some(NUMERIC_LAST_LABEL)
    } else {
        RESERVED_SUFFIXES
            .iter()
            .find(|reserved| rules.on(reserved.rule) && is_under(name, reserved.suffix))
            .map(|reserved| reserved.rule)
    };
    match broken {
        Some(rule) => Err(EgressError::NameRefused { name: name.to_owned(), rule }),
        None => Ok(()),
    }
}

/// Letters, digits, hyphens, and the underscore that some real hosts have; never empty.
fn is_label(label: &str) -> bool {
    !label.is_empty()
        && label
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_')
}

fn is_number(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_under(name: &str, suffix: &str) -> bool {
    name.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn bad_url(error: &url::ParseError) -> EgressError {
    EgressError::BadUrl { reason: error.to_string() }
}
