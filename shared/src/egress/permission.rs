//! Which private hosts this process may reach: none, or a written list (demos and tests on one machine).
//! It is an argument, never a default; the settings refuse it on Lambda.

use std::net::IpAddr;
use std::str::FromStr;

use anyhow::{Context, bail};
use url::Host;

use super::address::Network;

/// Who may be reached beside the public internet.
#[derive(Debug, Clone, Default)]
pub struct Permission {
    hosts: Vec<PrivateHost>,
}

impl Permission {
    pub fn public_only() -> Permission {
        Permission::default()
    }

    pub fn with_private_hosts(hosts: Vec<PrivateHost>) -> Permission {
        Permission { hosts }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Is exactly this host and port on the list? Then address, port and name rules do not apply to it.
    pub(super) fn covers(&self, host: &Host<&str>, port: u16) -> bool {
        self.hosts.iter().any(|private| match private {
            PrivateHost::Host { host: ours, port: only } => {
                same_host(ours, host) && only.is_none_or(|only| only == port)
            }
            PrivateHost::Network(network) => literal(host).is_some_and(|address| network.contains(address)),
        })
    }

    /// Is this name on the list, on any port? For the resolver, which is not told the port.
    pub(super) fn names(&self, name: &str) -> bool {
        self.hosts.iter().any(|private| {
            matches!(private, PrivateHost::Host { host, .. } if same_host(host, &Host::Domain(name)))
        })
    }

    /// May a public name resolve to this address? Only a network on the list says so; a single listed
    /// address is reached by its literal alone.
    pub(super) fn covers_answer(&self, address: IpAddr) -> bool {
        self.hosts.iter().any(|private| {
            matches!(private, PrivateHost::Network(network) if network.contains(address.to_canonical()))
        })
    }
}

/// One entry of the list: `host`, `host:port` (a name or an address) or a network such as `127.0.0.0/8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrivateHost {
    Host { host: Host<String>, port: Option<u16> },
    Network(Network),
}

impl FromStr for PrivateHost {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<PrivateHost> {
        let wrong = || format!("{text:?} is not a host, host:port or network");
        if let Some((address, prefix)) = text.split_once('/') {
            let address: IpAddr = address.parse().with_context(wrong)?;
            let network = Network::new(address, prefix.parse().with_context(wrong)?);
            return Ok(PrivateHost::Network(network.with_context(wrong)?));
        }
        if let Ok(IpAddr::V6(address)) = text.parse() {
            return Ok(PrivateHost::Host { host: Host::Ipv6(address), port: None });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !text.ends_with(']') => (host, Some(port.parse().with_context(wrong)?)),
            _ => (text, None),
        };
        let host = host.strip_suffix('.').unwrap_or(host);
        if host.is_empty() {
            bail!(wrong());
        }
        Ok(PrivateHost::Host { host: Host::parse(host).with_context(wrong)?, port })
    }
}

fn same_host(ours: &Host<String>, theirs: &Host<&str>) -> bool {
    match (ours, theirs) {
        (Host::Domain(ours), Host::Domain(theirs)) => ours == theirs,
        (Host::Domain(_), _) | (_, Host::Domain(_)) => false,
        (ours, theirs) => literal(ours) == literal(theirs),
    }
}

fn literal<S>(host: &Host<S>) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(IpAddr::V4(*address)),
        Host::Ipv6(address) => Some(IpAddr::V6(*address).to_canonical()),
    }
}
