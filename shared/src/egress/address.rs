//! Which IP addresses are the public internet. Pure; allow-listed, so what nobody thought of is refused.
//! Source: the IANA special-purpose address registries for IPv4 and IPv6, whole, plus multicast.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::error::EgressError;
use super::rules::Rules;

/// A block of addresses: the first `prefix` bits are given, the rest are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// `None` when the prefix is longer than the address.
    pub fn new(address: IpAddr, prefix: u8) -> Option<Network> {
        let longest = if address.is_ipv4() { 32 } else { 128 };
        (prefix <= longest).then_some(Network { address, prefix })
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        let (ours, theirs, width) = match (self.address, address) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => (ours.to_bits().into(), theirs.to_bits().into(), 32),
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => (ours.to_bits(), theirs.to_bits(), 128),
            _ => return false,
        };
        let free_bits = width - u32::from(self.prefix);
        let differing: u128 = ours ^ theirs;
        differing.checked_shr(free_bits).unwrap_or(0) == 0
    }
}

/// One row of the table: a block that is never dialled, and the rule's name.
#[derive(Debug)]
pub struct Refused {
    pub name: &'static str,
    pub network: Network,
}

/// Blocks inside the two outer fences (all of IPv4; 2000::/3 of IPv6) that are not the public internet.
/// No row lies inside another, so each one holds back something that no other does.
pub static REFUSED: &[Refused] = &[
    v4("this_network", [0, 0, 0, 0], 8),
    v4("private_10", [10, 0, 0, 0], 8),
    v4("carrier_grade_nat", [100, 64, 0, 0], 10),
    v4("loopback", [127, 0, 0, 0], 8),
    v4("link_local_and_cloud_metadata", [169, 254, 0, 0], 16),
    v4("private_172", [172, 16, 0, 0], 12),
    v4("ietf_protocol_assignments", [192, 0, 0, 0], 24),
    v4("documentation_1", [192, 0, 2, 0], 24),
    v4("as112", [192, 31, 196, 0], 24),
    v4("automatic_multicast_tunneling", [192, 52, 193, 0], 24),
    v4("six_to_four_relay", [192, 88, 99, 0], 24),
    v4("private_192", [192, 168, 0, 0], 16),
    v4("as112_direct_delegation", [192, 175, 48, 0], 24),
    v4("benchmarking", [198, 18, 0, 0], 15),
    v4("documentation_2", [198, 51, 100, 0], 24),
    v4("documentation_3", [203, 0, 113, 0], 24),
    v4("multicast", [224, 0, 0, 0], 4),
    v4("reserved_and_broadcast", [240, 0, 0, 0], 4),
    v6("ietf_protocol_assignments_6", [0x2001, 0, 0], 23),
    v6("documentation_6", [0x2001, 0xdb8, 0], 32),
    v6("six_to_four", [0x2002, 0, 0], 16),
    v6("as112_direct_delegation_6", [0x2620, 0x4f, 0x8000], 48),
    v6("documentation_6_large", [0x3fff, 0, 0], 20),
];

/// The rule for IPv6 as a whole: loopback, mapped, compatible, NAT64, unique local, link local, multicast
/// and all that is not yet given out lie outside 2000::/3.
pub(super) const OUTSIDE_GLOBAL_UNICAST: &str = "outside_global_unicast_6";
const GLOBAL_UNICAST: Network = v6(OUTSIDE_GLOBAL_UNICAST, [0x2000, 0, 0], 3).network;

const fn v4(name: &'static str, [a, b, c, d]: [u8; 4], prefix: u8) -> Refused {
    Refused { name, network: Network { address: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix } }
}

const fn v6(name: &'static str, [a, b, c]: [u16; 3], prefix: u8) -> Refused {
    let address = Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0);
    Refused { name, network: Network { address: IpAddr::V6(address), prefix } }
}

/// The address to dial, with an IPv4 address in IPv6 clothes (`::ffff:a.b.c.d`) undressed first.
pub fn check(address: IpAddr, rules: Rules) -> Result<IpAddr, EgressError> {
    let address = address.to_canonical();
    let refuse = |rule| Err(EgressError::AddressRefused { address, rule });
    if address.is_ipv6() && !GLOBAL_UNICAST.contains(address) && rules.on(OUTSIDE_GLOBAL_UNICAST) {
        return refuse(OUTSIDE_GLOBAL_UNICAST);
    }
    match REFUSED.iter().find(|row| rules.on(row.name) && row.network.contains(address)) {
        Some(row) => refuse(row.name),
        None => Ok(address),
    }
}
