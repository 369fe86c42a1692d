//! The rules on their own, without a network: the list, the negative controls, the laws.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use shared::egress::{EgressError, Permission, Rules, Target, check_address, check_name};

use super::private;
use fixture::refused::{PUBLIC, Row, hostile};

fn judge(row: &Row, rules: Rules) -> Result<(), EgressError> {
    match row {
        Row::Url(url) => Target::check(url, &Permission::public_only(), rules).map(drop),
        Row::Address(address) => check_address(*address, rules).map(drop),
        Row::Name(name) => check_name(name, rules),
    }
}

#[test]
fn every_row_of_the_hostile_list_is_refused_with_its_code() {
    let rows = hostile();
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(row, code)| match judge(row, Rules::all()) {
            Err(error) if error.code() == *code && error.is_refusal() => None,
            other => Some(format!("{row:?}: expected {code}, was {other:?}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let different: BTreeSet<&Row> = rows.iter().map(|(row, _)| row).collect();
    assert_eq!(different.len(), rows.len(), "a row is there twice");
    assert!(rows.len() >= 220, "only {} rows", rows.len());
}

#[test]
fn every_public_url_is_allowed() {
    let wrong: Vec<String> = PUBLIC
        .iter()
        .filter_map(|url| Target::check(url, &Permission::public_only(), Rules::all()).err())
        .map(|error| error.to_string())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The negative control: a rule that can go without anything passing is no rule.
#[test]
fn without_any_one_rule_a_hostile_row_passes() {
    let rows = hostile();
    let idle: Vec<&str> = Rules::names()
        .into_iter()
        .filter(|name| !rows.iter().any(|(row, _)| judge(row, Rules::without(name)).is_ok()))
        .collect();
    assert!(idle.is_empty(), "these rules hold nothing back on their own: {idle:?}");
    let names: BTreeSet<&str> = Rules::names().into_iter().collect();
    assert_eq!(names.len(), Rules::names().len(), "two rules share a name");
}

#[test]
fn a_target_has_no_fragment_no_last_dot_and_no_disguised_address() {
    let target = |url| {
        let target = Target::check(url, &Permission::public_only(), Rules::all()).unwrap();
        target.into_url().to_string()
    };
    assert_eq!(target("https://EXAMPLE.com./a#b"), "https://example.com/a");
    assert_eq!(target("http://[::ffff:8.8.8.8]/"), "http://8.8.8.8/");
    assert_eq!(target("http://0x08.2056/"), "http://8.0.8.8/");
}

#[test]
fn a_private_host_is_a_host_a_host_with_port_or_a_network() {
    let allows = |host: &str, url: &str| {
        Target::check(url, &private(&[host.to_owned()]), Rules::all()).is_ok_and(|target| target.is_private())
    };
    assert!(allows("127.0.0.2:9000", "http://127.0.0.2:9000/"));
    assert!(!allows("127.0.0.2:9000", "http://127.0.0.2:9001/"));
    assert!(!allows("127.0.0.2:9000", "http://127.0.0.3:9000/"));
    assert!(allows("127.0.0.2", "http://127.0.0.2:1/"));
    assert!(allows("127.0.0.2", "http://[::ffff:127.0.0.2]:1/"));
    assert!(allows("::1", "http://[::1]:9/"));
    assert!(allows("[::1]:9", "http://[::1]:9/"));
    assert!(!allows("[::1]:9", "http://[::1]:8/"));
    assert!(allows("10.0.0.0/8", "http://10.200.0.1:5/"));
    assert!(!allows("10.0.0.0/8", "http://11.0.0.1:5/"));
    assert!(allows("fd00::/8", "http://[fd12::1]:5/"));
    assert!(allows("localhost:3000", "http://LOCALHOST.:3000/"));
    assert!(!allows("localhost:3000", "http://a.localhost:3000/"));
    assert!(!allows("localhost:3000", "ftp://localhost:3000/"));
    assert!(!allows("localhost:3000", "http://a:b@localhost:3000/"));
    for wrong in ["", ":80", "host:port", "10.0.0.0/33", "10.0.0.0/x", "host/8", "a:b:c", "[::1"] {
        assert!(wrong.parse::<shared::egress::PrivateHost>().is_err(), "{wrong:?}");
    }
}

/// The special-purpose table once more, as plain number ranges, so that the code is not its own judge.
const SPECIAL_4: [(u32, u32); 18] = [
    (0x0000_0000, 0x00ff_ffff),
    (0x0a00_0000, 0x0aff_ffff),
    (0x6440_0000, 0x647f_ffff),
    (0x7f00_0000, 0x7fff_ffff),
    (0xa9fe_0000, 0xa9fe_ffff),
    (0xac10_0000, 0xac1f_ffff),
    (0xc000_0000, 0xc000_00ff),
    (0xc000_0200, 0xc000_02ff),
    (0xc01f_c400, 0xc01f_c4ff),
    (0xc034_c100, 0xc034_c1ff),
    (0xc058_6300, 0xc058_63ff),
    (0xc0a8_0000, 0xc0a8_ffff),
    (0xc0af_3000, 0xc0af_30ff),
    (0xc612_0000, 0xc613_ffff),
    (0xc633_6400, 0xc633_64ff),
    (0xcb00_7100, 0xcb00_71ff),
    (0xe000_0000, 0xefff_ffff),
    (0xf000_0000, 0xffff_ffff),
];

fn public_4(address: Ipv4Addr) -> bool {
    !SPECIAL_4.iter().any(|(first, last)| (*first..=*last).contains(&address.to_bits()))
}

fn public_6(address: Ipv6Addr) -> bool {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, ..] => address.to_ipv4_mapped().is_some_and(public_4),
        [0x2001, second, ..] => second >= 0x200 && second != 0xdb8,
        [0x2002, ..] | [0x2620, 0x4f, 0x8000, ..] => false,
        [0x3fff, second, ..] => second >= 0x1000,
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

/// Anything, and often something within a step of an edge.
fn some_v4() -> impl Strategy<Value = Ipv4Addr> {
    let edge = (prop::sample::select(SPECIAL_4.to_vec()), any::<bool>(), -2_i32..=2)
        .prop_map(|((first, last), low, step)| (if low { first } else { last }).wrapping_add_signed(step));
    prop_oneof![any::<u32>(), edge].prop_map(Ipv4Addr::from_bits)
}

fn some_v6() -> impl Strategy<Value = Ipv6Addr> {
    let heads: Vec<u128> = vec![
        0x2000_0000,
        0x2001_0000,
        0x2001_0200,
        0x2001_0db8,
        0x2001_0db9,
        0x2002_0000,
        0x2003_0000,
        0x2620_004f,
        0x3fff_0000,
        0x3fff_1000,
        0x4000_0000,
        0x0064_ff9b,
        0xfc00_0000,
        0xfe80_0000,
    ];
    let edge = (prop::sample::select(heads), -2_i128..=2)
        .prop_map(|(head, step)| (head << 96).wrapping_add_signed(step));
    let unicast = any::<u128>().prop_map(|bits| (bits >> 3) | (1 << 125));
    let near = any::<u32>().prop_map(|low| (0x2001_u128 << 112) | (u128::from(low) << 80));
    prop_oneof![any::<u128>(), unicast, near, edge].prop_map(Ipv6Addr::from_bits)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_ipv4_address_passes_exactly_when_it_is_public(address in some_v4()) {
        prop_assert_eq!(check_address(IpAddr::V4(address), Rules::all()).is_ok(), public_4(address));
    }

    #[test]
    fn an_ipv6_address_passes_exactly_when_it_is_public(address in some_v6()) {
        prop_assert_eq!(check_address(IpAddr::V6(address), Rules::all()).is_ok(), public_6(address));
    }

    #[test]
    fn a_mapped_address_is_its_ipv4_address(address in some_v4()) {
        let plain = check_address(IpAddr::V4(address), Rules::all());
        let mapped = check_address(IpAddr::V6(address.to_ipv6_mapped()), Rules::all());
        prop_assert_eq!(&plain, &mapped);
        let url = |host: String| Target::check(&host, &Permission::public_only(), Rules::all());
        let (plain, mapped) = (url(format!("http://{address}/")), url(format!("http://[::ffff:{address}]/")));
        prop_assert_eq!(plain, mapped);
    }

    #[test]
    fn whatever_the_text_the_check_does_not_panic_and_lets_only_public_addresses_by(
        text in "(https?|ftp|ws)?:?/{0,3}[a-z@]{0,4}[0-9a-fx.:%\\[\\]]{0,24}(:[0-9]{0,5})?/?"
    ) {
        if let Ok(target) = Target::check(&text, &Permission::public_only(), Rules::all()) {
            let public = match target.url().host() {
                Some(url::Host::Ipv4(address)) => public_4(address),
                Some(url::Host::Ipv6(address)) => public_6(address),
                Some(url::Host::Domain(name)) => name.contains('.'),
                None => false,
            };
            prop_assert!(public, "{text} became {}", target.url());
        }
    }
}
