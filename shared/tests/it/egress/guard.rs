//! The guard against listeners that count: closed, nobody comes; opened, somebody does.

use std::net::{Ipv4Addr, SocketAddr};

use shared::egress::Permission;

use super::site::{Site, ok, redirect};
use super::{code, egress, egress_with_names, get, loopback, private};

#[tokio::test]
async fn a_literal_loopback_url_is_never_dialled() {
    let site = Site::saying(ok(&[], b"secret")).await;
    let guarded = egress(Permission::public_only());
    assert_eq!(code(&guarded, &site.url("/")).await, "port_refused");
    assert_eq!(code(&guarded, "http://127.0.0.1/").await, "address_refused");
    assert_eq!(site.visitors().await, 0);

    let open = egress(loopback());
    assert_eq!(get(&open, &site.url("/")).await.unwrap().body, "secret");
    assert_eq!(site.visitors().await, 1);
}

#[tokio::test]
async fn a_public_name_that_leads_to_loopback_is_never_dialled() {
    let site = Site::saying(ok(&[], b"secret")).await;
    let names: &[(&str, &[SocketAddr])] = &[("rebind.example.com", &[site.address])];
    let guarded = egress_with_names(Permission::public_only(), names);
    assert_eq!(code(&guarded, "http://rebind.example.com/").await, "address_refused");
    assert_eq!(code(&guarded, "http://rebind.example.com./").await, "address_refused");
    assert_eq!(site.visitors().await, 0);

    let open = egress_with_names(loopback(), names);
    assert_eq!(get(&open, "http://rebind.example.com/").await.unwrap().body, "secret");
    assert_eq!(site.visitors().await, 1);
}

#[tokio::test]
async fn a_name_that_leads_to_a_mapped_loopback_address_is_never_dialled() {
    let site = Site::saying(ok(&[], b"secret")).await;
    let mapped = SocketAddr::new(Ipv4Addr::LOCALHOST.to_ipv6_mapped().into(), site.address.port());
    let names: &[(&str, &[SocketAddr])] = &[("mapped.example.com", &[mapped])];
    let guarded = egress_with_names(Permission::public_only(), names);
    assert_eq!(code(&guarded, "http://mapped.example.com/").await, "address_refused");
    assert_eq!(site.visitors().await, 0);

    let open = egress_with_names(loopback(), names);
    assert_eq!(get(&open, "http://mapped.example.com/").await.unwrap().status, 200);
    assert_eq!(site.visitors().await, 1);
}

#[tokio::test]
async fn one_private_answer_among_public_ones_refuses_them_all() {
    let site = Site::saying(ok(&[], b"secret")).await;
    let public: SocketAddr = "8.8.8.8:0".parse().unwrap();
    for answers in [[site.address, public], [public, site.address]] {
        let names: &[(&str, &[SocketAddr])] = &[("mixed.example.com", &answers)];
        let guarded = egress_with_names(Permission::public_only(), names);
        assert_eq!(code(&guarded, "http://mixed.example.com/").await, "address_refused");
    }
    assert_eq!(site.visitors().await, 0);

    // The loopback answer first, so that nothing is sent to the public one.
    let names: &[(&str, &[SocketAddr])] = &[("mixed.example.com", &[site.address, public])];
    let open = egress_with_names(loopback(), names);
    assert_eq!(get(&open, "http://mixed.example.com/").await.unwrap().body, "secret");
    assert_eq!(site.visitors().await, 1);
}

#[tokio::test]
async fn a_redirect_is_checked_like_a_first_url() {
    let inner = Site::saying(ok(&[], b"secret")).await;
    let targets = [
        (inner.url("/"), "port_refused"),
        ("http://127.0.0.1/".to_owned(), "address_refused"),
        ("//[::1]/".to_owned(), "address_refused"),
        ("http://inner.example.com/".to_owned(), "address_refused"),
        ("http://localhost/".to_owned(), "name_refused"),
        ("file:///etc/passwd".to_owned(), "scheme_refused"),
        ("http://a:b@example.com/".to_owned(), "userinfo_refused"),
        (format!("/{}", "a".repeat(3000)), "url_too_long"),
        ("http://[".to_owned(), "bad_redirect"),
    ];
    let names: &[(&str, &[SocketAddr])] = &[("inner.example.com", &[inner.address])];
    for (target, expected) in &targets {
        let outer = Site::saying(redirect(target)).await;
        let guarded = egress_with_names(private(&[outer.address.to_string()]), names);
        assert_eq!(code(&guarded, &outer.url("/")).await, *expected, "{target}");
        assert_eq!(outer.visitors().await, 1);
    }
    assert_eq!(inner.visitors().await, 0);

    for target in [inner.url("/"), "http://inner.example.com/".to_owned()] {
        let outer = Site::saying(redirect(&target)).await;
        let open = egress_with_names(loopback(), names);
        assert_eq!(get(&open, &outer.url("/")).await.unwrap().body, "secret");
    }
    assert_eq!(inner.visitors().await, 2);
}

#[tokio::test]
async fn a_private_name_is_private_on_its_own_port_only() {
    let site = Site::saying(ok(&[], b"demo")).await;
    let (port, names): (u16, &[(&str, &[SocketAddr])]) =
        (site.address.port(), &[("demo.local", &[site.address]), ("shop.example.com", &[site.address])]);
    let hosts = [format!("demo.local:{port}"), format!("Shop.Example.com.:{port}")];
    let egress = egress_with_names(private(&hosts), names);
    assert_eq!(code(&egress, "http://demo.local/").await, "name_refused");
    assert_eq!(code(&egress, "http://shop.example.com/").await, "address_refused");
    assert_eq!(code(&egress, &site.url("/")).await, "port_refused");
    assert_eq!(site.visitors().await, 0);
    for name in ["demo.local", "shop.example.com"] {
        assert_eq!(get(&egress, &format!("http://{name}:{port}/")).await.unwrap().body, "demo");
    }
    assert_eq!(site.visitors().await, 2);
}

#[tokio::test]
async fn a_listed_name_is_looked_up_by_the_system() {
    let site = Site::saying(ok(&[], b"demo")).await;
    let url = format!("http://localhost:{}/", site.address.port());
    assert_eq!(code(&egress(Permission::public_only()), &url).await, "port_refused");
    assert_eq!(code(&egress(Permission::public_only()), "http://localhost/").await, "name_refused");
    assert_eq!(site.visitors().await, 0);
    assert_eq!(get(&egress(private(&["localhost".to_owned()])), &url).await.unwrap().body, "demo");
    assert_eq!(site.visitors().await, 1);
}

/// A proxy from the environment would be dialled instead of the checked address. The environment belongs to
/// the process, so the check runs in a child that has one.
#[tokio::test]
async fn a_proxy_in_the_environment_is_not_used() {
    let proxy = Site::saying(ok(&[], b"proxied")).await;
    let child = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "egress::guard::a_literal_loopback_url_is_never_dialled"])
        .envs(["http_proxy", "HTTP_PROXY", "ALL_PROXY"].map(|name| (name, proxy.url(""))))
        .output()
        .await
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"));
    assert_eq!(proxy.visitors().await, 0);
}
