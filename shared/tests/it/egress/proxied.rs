//! Through a proxy: it is told the address that was checked, and never the name; what may not be asked for
//! is not asked for through it either; and a proxy's failure is not the site's.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use fixture::{LoopProxy, Mood, Speaks};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use shared::egress::{Egress, EgressError, Fetched, Hop, Limits, Lookup, Permission, Proxy, Request, Route};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::site::{Site, ok, redirect};
use super::{loopback, private, small};
use fixture::refused::{Row, hostile, hostile_names};

const PUBLIC: &str = "93.184.216.34";
const BOTH: [Speaks; 2] = [Speaks::Http, Speaks::Socks5];

/// An egress that knows `shop.example.com` as a public address, and may dial these proxies and nothing else
/// that is private.
fn through(proxies: &[&LoopProxy], names: &[(&str, IpAddr)]) -> Egress {
    let hosts: Vec<_> = proxies.iter().map(|proxy| proxy.address.to_string()).collect();
    with(private(&hosts), proxies, names, Vec::new())
}

fn with(
    permission: Permission,
    proxies: &[&LoopProxy],
    names: &[(&str, IpAddr)],
    trusted: Vec<CertificateDer<'static>>,
) -> Egress {
    let shop = [("shop.example.com", PUBLIC.parse().unwrap())];
    let table =
        shop.iter().chain(names).map(|(name, ip)| ((*name).to_owned(), vec![SocketAddr::new(*ip, 0)]));
    let limits = Limits { connect: Duration::from_secs(2), ..small() };
    let list: Vec<_> = proxies.iter().map(|proxy| proxy.url()).collect();
    Egress::with_lookup(permission, limits, Lookup::Table(table.collect()))
        .unwrap()
        .with_proxies_trusting(&Proxy::list(&list.join(",")).unwrap(), trusted)
        .unwrap()
}

async fn get(egress: &Egress, url: &str) -> Result<Fetched, EgressError> {
    egress.fetch(Request::get(url).header("x-test", "yes").via(Route::Proxy(0)), |_| Hop::Follow).await
}

async fn code(egress: &Egress, url: &str) -> &'static str {
    get(egress, url).await.expect_err("it must not pass").code()
}

#[tokio::test]
async fn a_proxy_is_told_the_checked_address_and_the_site_its_name() {
    for speaks in BOTH {
        for login in [None, Some(("someone", "pass:w%C3%B6rd"))] {
            let site = Site::saying(ok(&["content-type: text/plain"], b"hello")).await;
            let decoded = login.map(|(user, _)| (user, "pass:wörd"));
            let proxy = LoopProxy::leading_to(speaks, decoded, Some(site.address)).await;
            let egress = through(&[&proxy], &[]);
            let answer = get(&egress, "http://shop.example.com/a?b=c").await.unwrap();
            assert_eq!((answer.status, &answer.body[..]), (200, &b"hello"[..]), "{speaks:?} {login:?}");
            assert_eq!(answer.final_url.as_str(), "http://shop.example.com/a?b=c");
            assert_eq!(proxy.asked(), [format!("{PUBLIC}:80")], "an address, never a name");
            let head = site.heads().remove(0).to_lowercase();
            assert!(head.starts_with("get /a?b=c http/1.1\r\n"), "{head}");
            assert!(head.contains("\r\nhost: shop.example.com\r\n"), "{head}");
            assert!(head.contains("\r\nx-test: yes\r\n") && !head.contains("proxy-"), "{head}");
        }
    }
}

type Greeted = Arc<std::sync::Mutex<Vec<Option<String>>>>;

/// A site that speaks TLS, and what name it was greeted with.
async fn tls_site() -> (SocketAddr, Greeted) {
    let pem = include_bytes!("../../fixtures/tls/shop.example.com.pem");
    let chain = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_slice(pem).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let greeted = Greeted::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, names) = (listener.local_addr().unwrap(), Arc::clone(&greeted));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let name = stream.get_ref().1.server_name().map(str::to_owned);
            names.lock().unwrap().push(name);
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret").await.unwrap();
            stream.shutdown().await.unwrap();
        }
    });
    (address, greeted)
}

#[tokio::test]
async fn tls_is_spoken_with_the_site_by_its_name_through_the_tunnel() {
    let (site, greeted) = tls_site().await;
    let authority =
        CertificateDer::from_pem_slice(include_bytes!("../../fixtures/tls/authority.pem")).unwrap();
    for speaks in BOTH {
        let proxy = LoopProxy::leading_to(speaks, None, Some(site)).await;
        let hosts = private(&[proxy.address.to_string()]);
        let other = [("other.example.com", PUBLIC.parse().unwrap())];
        let trusting = with(hosts.clone(), &[&proxy], &other, vec![authority.clone()]);
        let answer = get(&trusting, "https://shop.example.com/").await.unwrap();
        assert_eq!(answer.body, "secret");
        assert_eq!(proxy.asked(), [format!("{PUBLIC}:443")]);
        assert_eq!(greeted.lock().unwrap().pop().flatten().as_deref(), Some("shop.example.com"));
        // Whoever answers must be who the URL names, and known to somebody we trust.
        assert_eq!(code(&trusting, "https://other.example.com/").await, "tls_failed");
        assert_eq!(code(&through(&[&proxy], &[]), "https://shop.example.com/").await, "tls_failed");
    }
}

/// Every hostile address under a public name of its own, so that one client can ask for them all.
fn rebound() -> Vec<(String, IpAddr)> {
    let addresses = hostile().into_iter().filter_map(|(row, _)| match row {
        Row::Address(address) => Some(address),
        _ => None,
    });
    addresses.enumerate().map(|(n, address)| (format!("a{n}.example.com"), address)).collect()
}

#[tokio::test]
async fn what_may_not_be_asked_for_is_not_asked_for_through_a_proxy() {
    let (listener, rebound) = (Site::saying(ok(&[], b"secret")).await, rebound());
    let table: Vec<_> = rebound.iter().map(|(name, address)| (name.as_str(), *address)).collect();
    for speaks in BOTH {
        let proxy = LoopProxy::leading_to(speaks, None, Some(listener.address)).await;
        let egress = through(&[&proxy], &table);
        for (row, expected) in hostile() {
            if let Row::Url(url) = row {
                assert_eq!(code(&egress, &url).await, expected, "{url}");
            }
        }
        for (name, address) in &rebound {
            assert_eq!(code(&egress, &format!("http://{name}/")).await, "address_refused", "{address}");
        }
        for name in hostile_names() {
            let error = get(&egress, &format!("http://{name}/")).await.expect_err("it must not pass");
            assert!(error.is_refusal(), "{name}: {error:?}");
        }
        assert_eq!(proxy.visitors(), 0, "not even the proxy heard of it");

        // The door opened: the same proxy leads there.
        let open = with(loopback(), &[&proxy], &[("rebind.example.com", [127, 0, 0, 1].into())], Vec::new());
        assert_eq!(get(&open, "http://rebind.example.com/").await.unwrap().body, "secret");
        assert_eq!(get(&open, &listener.url("/")).await.unwrap().body, "secret");
        assert_eq!(proxy.asked()[0], "127.0.0.1:80");
    }
}

#[tokio::test]
async fn a_redirect_is_checked_before_a_proxy_hears_of_it() {
    let inner = Site::saying(ok(&[], b"secret")).await;
    for (target, expected) in [
        (inner.url("/"), "port_refused"),
        ("http://127.0.0.1/".to_owned(), "address_refused"),
        ("http://rebind.example.com/".to_owned(), "address_refused"),
        ("http://localhost/".to_owned(), "name_refused"),
    ] {
        let outer = Site::saying(redirect(&target)).await;
        let proxy = LoopProxy::leading_to(Speaks::Http, None, Some(outer.address)).await;
        let egress = through(&[&proxy], &[("rebind.example.com", inner.address.ip())]);
        assert_eq!(code(&egress, "http://shop.example.com/").await, expected, "{target}");
        assert_eq!(proxy.asked(), [format!("{PUBLIC}:80")], "the first hop alone");
    }
    assert_eq!(inner.visitors().await, 0);
}

/// The setting itself is a way in: a proxy must be public, or on the private list.
#[tokio::test]
async fn a_proxy_setting_leads_nowhere_private() {
    let listener = Site::saying(ok(&[], b"secret")).await;
    let port = listener.address.port();
    let public = SocketAddr::new(PUBLIC.parse().unwrap(), 0);
    let shop = ("shop.example.com".to_owned(), vec![public]);
    let names = rebound().into_iter().map(|(name, address)| (name, vec![SocketAddr::new(address, 0)]));
    let table = names.chain([shop.clone()]).collect();
    let egress = Egress::with_lookup(Permission::public_only(), small(), Lookup::Table(table)).unwrap();
    for scheme in ["http", "https", "socks5"] {
        let literals = rebound().into_iter().map(|(_, address)| match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
        for host in literals.chain(hostile_names()) {
            let refused = match Proxy::list(&format!("{scheme}://{host}:{port}")) {
                Err(_) => true,
                Ok(list) => egress.clone().with_proxies(&list).is_err(),
            };
            assert!(refused, "{scheme}://{host}");
        }
    }
    // By a public name that leads there.
    let named: Vec<_> = rebound().iter().map(|(name, _)| format!("http://{name}:{port}")).collect();
    for hundred in named.chunks(100) {
        let egress = egress.clone().with_proxies(&Proxy::list(&hundred.join(",")).unwrap()).unwrap();
        for (at, name) in hundred.iter().enumerate() {
            let request = Request::get("http://shop.example.com/").via(Route::Proxy(at));
            let error = egress.fetch(request, |_| Hop::Follow).await.expect_err("it must not pass");
            assert_eq!(error.code(), "proxy_failed", "{name}");
        }
    }
    assert_eq!(listener.visitors().await, 0);

    // On the list, by its address and by its name.
    let proxy = LoopProxy::leading_to(Speaks::Http, None, Some(listener.address)).await;
    let named = format!("proxy.example.com:{}", proxy.address.port());
    let permission = private(&[proxy.address.to_string(), named.clone()]);
    let table = [shop, ("proxy.example.com".to_owned(), vec![proxy.address])];
    let egress = Egress::with_lookup(permission, small(), Lookup::Table(table.into())).unwrap();
    for setting in [format!("http://{named}"), proxy.url()] {
        let egress = egress.clone().with_proxies(&Proxy::list(&setting).unwrap()).unwrap();
        assert_eq!(get(&egress, "http://shop.example.com/").await.unwrap().body, "secret");
    }
    assert_eq!(proxy.visitors(), 2);
}

#[tokio::test]
async fn a_proxys_failure_is_told_from_the_sites() {
    let site = Site::saying(ok(&[], b"hello")).await;
    for speaks in BOTH {
        let proxy = LoopProxy::leading_to(speaks, Some(("u", "right")), Some(site.address)).await;
        let egress = through(&[&proxy], &[]);
        for (mood, expected) in [
            (Mood::CannotReach, "proxy_refused"),
            (Mood::Hangs, "proxy_failed"),
            (Mood::HangsUp, "proxy_failed"),
            (Mood::Babbles, "proxy_failed"),
        ] {
            proxy.is_in(mood);
            let error = get(&egress, "http://shop.example.com/").await.unwrap_err();
            assert_eq!(error.code(), expected, "{speaks:?} {mood:?}");
            assert!(error.is_route_failure() && !error.site_failure() && !error.is_refusal(), "{error:?}");
        }
        proxy.is_in(Mood::Works);
        assert!(get(&egress, "http://shop.example.com/").await.is_ok(), "and it works again");

        let wrong = Proxy::list(&proxy.url().replace("right", "wrong")).unwrap();
        let asked = proxy.asked().len();
        let egress = egress.with_proxies(&wrong).unwrap();
        let error = get(&egress, "http://shop.example.com/").await.unwrap_err();
        assert_eq!(error.code(), "proxy_failed");
        assert!(!format!("{error} {error:?}").contains("wrong"), "{error:?}");
        assert_eq!(proxy.asked().len(), asked, "it was not let in");
    }
    // Nobody at the proxy's address.
    let gone = LoopProxy::start(Speaks::Http, None).await;
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let egress = with(private(&[closed.to_string()]), &[], &[], Vec::new());
    let egress = egress.with_proxies(&Proxy::list(&format!("http://{closed}")).unwrap()).unwrap();
    assert_eq!(code(&egress, "http://shop.example.com/").await, "proxy_failed");
    // The site's own failure, through a proxy that works.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dropping = silent.local_addr().unwrap();
    tokio::spawn(async move { while silent.accept().await.is_ok() {} });
    let proxy = LoopProxy::leading_to(Speaks::Http, None, Some(dropping)).await;
    assert_eq!(code(&through(&[&proxy], &[]), "http://shop.example.com/").await, "reset");
    assert_eq!(gone.visitors(), 0);
}

#[tokio::test]
async fn limits_hold_inside_a_tunnel() {
    let large = Site::start(|_| {
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        super::site::Reply::Endless(head, [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat())
    })
    .await;
    let proxy = LoopProxy::leading_to(Speaks::Socks5, None, Some(large.address)).await;
    assert_eq!(code(&through(&[&proxy], &[]), "http://shop.example.com/").await, "too_large");
}

#[tokio::test]
async fn a_stream_for_a_browser_leads_to_the_same_checked_address() {
    let site = Site::saying(ok(&[], b"hello")).await;
    let proxy = LoopProxy::leading_to(Speaks::Http, None, Some(site.address)).await;
    let egress = with(loopback(), &[&proxy], &[], Vec::new());
    for (route, url) in [(Route::Direct, site.url("/")), (Route::Proxy(0), "http://shop.example.com/".into())]
    {
        let mut stream = egress.open(&egress.check(&url).unwrap(), route).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("hello"), "{answer}");
    }
    let unknown = egress.open(&egress.check("http://shop.example.com/").unwrap(), Route::Proxy(7)).await;
    assert_eq!(unknown.err().unwrap().code(), "proxy_failed");
}
