//! `site_key`: the one name under which a site is queued, spaced, and cut off when it fails.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;
use url::{Host, Url};

/// The longest group id a FIFO queue takes.
pub const MAX_KEY: usize = 128;

/// Suffixes under which every tenant is a host of its own: `acme.wd5.myworkdayjobs.com` is not
/// `globex.wd1.myworkdayjobs.com`.
const TENANT_SUFFIXES: &[&str] = &[
    "myworkdayjobs.com",
    "myworkdaysite.com",
    "icims.com",
    "oraclecloud.com",
    "ultipro.com",
    "bamboohr.com",
    "recruitee.com",
    "teamtailor.com",
    "personio.de",
    "personio.com",
    "applytojob.com",
    "breezy.hr",
    "eightfold.ai",
    "pinpointhq.com",
    "successfactors.com",
    "successfactors.eu",
    "avature.net",
    "csod.com",
    "phenompeople.com",
];

/// API hosts that many companies share. Each is one site, apart from its registrable domain, however
/// many boards sit on it.
const SHARED_HOSTS: &[&str] = &[
    "boards-api.greenhouse.io",
    "api.lever.co",
    "api.eu.lever.co",
    "api.ashbyhq.com",
    "api.smartrecruiters.com",
    "apply.workable.com",
    "api.rippling.com",
    "api.gem.com",
    "api.hireology.com",
    "app.jobvite.com",
    "www.comeet.co",
    "recruiting.paylocity.com",
];

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NoSite(String);

/// One site. The only way to make one is `site_key`, or reading back what it made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Site(String);

impl Site {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A key read back from where `site_key` once put it.
    pub fn stored(key: String) -> Site {
        Site(key)
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The site a URL belongs to: queue group, release window, gate and circuit share this key.
pub fn site_key(url: &Url) -> Result<Site, NoSite> {
    let port = url
        .port_or_known_default()
        .ok_or_else(|| NoSite(format!("no port is known for {}:", url.scheme())))?;
    let key = match url.host() {
        None => return Err(NoSite("the url has no host".to_owned())),
        // A literal address has no registrable domain; each port is a server of its own.
        Some(Host::Ipv4(address)) => format!("{address}:{port}"),
        Some(Host::Ipv6(address)) => format!("[{address}]:{port}"),
        Some(Host::Domain(name)) => named_site(&name.trim_end_matches('.').to_ascii_lowercase()),
    };
    if key.is_empty() {
        return Err(NoSite("the url has an empty host".to_owned()));
    }
    if key.len() <= MAX_KEY {
        return Ok(Site(key));
    }
    Ok(Site(format!("h:{}", hex::encode(Sha256::digest(key.as_bytes())))))
}

fn named_site(name: &str) -> String {
    if SHARED_HOSTS.contains(&name) {
        return name.to_owned();
    }
    let tenant_of = |suffix: &&&str| {
        name.strip_suffix(**suffix).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    };
    if TENANT_SUFFIXES.iter().find(tenant_of).is_some() {
        return name.to_owned();
    }
    // A public suffix itself, or a name of one label, stands for itself.
    psl::domain_str(name).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(url: &str) -> String {
        site_key(&Url::parse(url).unwrap()).unwrap().0
    }

    #[test]
    fn hosts_of_one_company_are_one_site() {
        assert_eq!(key("https://www.example.com/a"), "example.com");
        assert_eq!(key("http://jobs.example.com:8080/b"), "example.com");
        assert_eq!(key("https://EXAMPLE.com./"), "example.com");
        assert_eq!(key("https://careers.example.co.uk/"), "example.co.uk");
        assert_eq!(key("https://someone.github.io/"), "someone.github.io");
    }

    #[test]
    fn tenants_are_apart_and_shared_hosts_are_one() {
        assert_eq!(key("https://acme.wd5.myworkdayjobs.com/x"), "acme.wd5.myworkdayjobs.com");
        assert_ne!(
            key("https://acme.wd5.myworkdayjobs.com/x"),
            key("https://globex.wd5.myworkdayjobs.com/x")
        );
        assert_eq!(key("https://myworkdayjobs.com/"), "myworkdayjobs.com");
        assert_eq!(key("https://evilmyworkdayjobs.com/"), "evilmyworkdayjobs.com");
        assert_eq!(key("https://boards-api.greenhouse.io/v1/boards/a/jobs"), "boards-api.greenhouse.io");
        assert_eq!(
            key("https://boards-api.greenhouse.io/v1/boards/a"),
            key("https://boards-api.greenhouse.io/v1/boards/b")
        );
    }

    #[test]
    fn literal_addresses_keep_their_port() {
        assert_eq!(key("http://127.0.0.2:9000/a"), "127.0.0.2:9000");
        assert_eq!(key("http://127.0.0.2/a"), "127.0.0.2:80");
        assert_eq!(key("https://[2001:db8::1]/"), "[2001:db8::1]:443");
    }

    #[test]
    fn a_url_without_a_host_has_no_site() {
        assert!(site_key(&Url::parse("mailto:a@b.example").unwrap()).is_err());
    }

    proptest! {
        #[test]
        fn a_key_fits_a_queue_group_and_ignores_path_case_and_scheme(
            labels in prop::collection::vec("[a-z0-9]{1,60}", 1..4), path in "[a-z/]{0,20}"
        ) {
            let host = format!("{}.com", labels.join("."));
            let Ok(plain) = Url::parse(&format!("https://{host}/{path}")) else { return Ok(()) };
            let shouted = Url::parse(&format!("http://{}/", host.to_uppercase())).unwrap();
            let key = site_key(&plain).unwrap();
            prop_assert!(!key.as_str().is_empty() && key.as_str().len() <= MAX_KEY);
            prop_assert_eq!(&key, &site_key(&shouted).unwrap());
        }

        #[test]
        fn long_tenant_names_are_hashed_and_stay_apart(a in "[a-z]{60}", b in "[a-z]{60}", c in "[a-z]{40}") {
            let one = key(&format!("https://{a}.{b}.{c}.myworkdayjobs.com/"));
            let two = key(&format!("https://{b}.{a}.{c}.myworkdayjobs.com/"));
            prop_assert!(one.len() <= MAX_KEY && one.starts_with("h:"));
            prop_assert_eq!(one == two, a == b);
        }
    }
}
