//! Requests, redirects and failures as a server on the wire sees and causes them.

use shared::egress::{Egress, Hop, Limits, Request};
use url::Url;

use super::site::{Reply, Site, head, ok, redirect};
use super::{code, egress, egress_with_names, get, loopback, small};

#[tokio::test]
async fn redirects_are_followed_and_told() {
    let site = Site::start(|head| match head.split(' ').nth(1) {
        Some("/a?x=1") => redirect("b"),
        Some("/b") => redirect("/c#part"),
        _ => ok(&["content-type: text/html", "etag: \"1\""], b"end"),
    })
    .await;
    let fetched = get(&egress(loopback()), &site.url("/a?x=1")).await.unwrap();
    assert_eq!((fetched.status, fetched.body.as_ref()), (200, b"end".as_slice()));
    assert_eq!(fetched.final_url.as_str(), site.url("/c"));
    assert_eq!(fetched.redirects.iter().map(Url::path).collect::<Vec<_>>(), ["/b", "/c"]);
    assert_eq!(fetched.headers.content_type.as_deref(), Some("text/html"));
    assert_eq!(fetched.headers.etag.as_deref(), Some("\"1\""));
    assert_eq!(fetched.redirect_to, None);
    assert!(fetched.first_byte_after <= fetched.total);
}

#[tokio::test]
async fn a_redirect_loop_ends_after_five() {
    let site = Site::saying(redirect("/again")).await;
    assert_eq!(code(&egress(loopback()), &site.url("/")).await, "too_many_redirects");
    assert_eq!(site.visitors().await, 6);
}

#[tokio::test]
async fn a_redirect_the_caller_does_not_want_is_handed_back_unread() {
    let other = Site::saying(ok(&[], b"other site")).await;
    let target = other.url("/next");
    let endless = head("301 Moved", &[&format!("location: {target}"), "retry-after: 7"], 1 << 40);
    let site = Site::saying(Reply::Endless(endless, vec![b'x'; 1000])).await;
    let door = egress(loopback());
    let stop = |to: &Url| if to.port() == Some(other.address.port()) { Hop::Stop } else { Hop::Follow };
    let fetched = door.fetch(Request::get(site.url("/")), stop).await.unwrap();
    assert_eq!(fetched.status, 301);
    assert_eq!(fetched.redirect_to.as_ref().map(Url::as_str), Some(target.as_str()));
    assert_eq!(fetched.final_url.as_str(), site.url("/"));
    assert_eq!(fetched.headers.location.as_deref(), Some(target.as_str()));
    assert_eq!(fetched.headers.retry_after.as_deref(), Some("7"));
    assert!(fetched.body.is_empty() && fetched.redirects.is_empty());
    assert_eq!(other.visitors().await, 0);
}

#[tokio::test]
async fn a_post_is_sent_once_and_follows_nothing() {
    let site = Site::saying(redirect("/elsewhere")).await;
    let request = Request::post(site.url("/hook"), "{}").header("content-type", "application/json");
    let fetched = egress(loopback()).fetch(request, |_| Hop::Follow).await.unwrap();
    assert_eq!(fetched.redirect_to.as_ref().map(Url::path), Some("/elsewhere"));
    assert_eq!(site.visitors().await, 1);
    assert!(site.heads()[0].starts_with("POST /hook HTTP/1.1"));
}

#[tokio::test]
async fn a_redirect_without_a_target_is_an_error() {
    let site = Site::saying(Reply::Bytes(head("302 Found", &[], 0))).await;
    assert_eq!(code(&egress(loopback()), &site.url("/")).await, "bad_redirect");
}

#[tokio::test]
async fn a_token_does_not_travel_to_another_origin() {
    let other = Site::saying(ok(&[], b"")).await;
    let target = other.url("/");
    let site =
        Site::start(
            move |head| {
                if head.starts_with("GET /first") { redirect("/second") } else { redirect(&target) }
            },
        )
        .await;
    let request = Request::get(site.url("/first"))
        .header("authorization", "Bearer secret")
        .header("x-api-key", "secret")
        .header("cookie", "secret=1")
        .header("user-agent", "freshet");
    egress(loopback()).fetch(request, |_| Hop::Follow).await.unwrap();
    let heads = site.heads();
    assert_eq!(heads.len(), 2);
    assert!(heads.iter().all(|head| head.matches("secret").count() == 3), "{heads:?}");
    let other = other.heads().concat();
    assert!(!other.contains("secret") && other.contains("user-agent: freshet"), "{other}");
}

#[tokio::test]
async fn the_request_says_what_the_caller_said_and_which_encodings_we_read() {
    let site = Site::saying(Reply::Bytes(head("304 Not Modified", &["etag: \"1\""], 9_000_000))).await;
    let request = Request::get(site.url("/p?q=1")).header("if-none-match", "\"1\"");
    let fetched = egress(loopback()).fetch(request, |_| Hop::Follow).await.unwrap();
    assert_eq!((fetched.status, fetched.body.len(), fetched.wire_bytes), (304, 0, 0));
    let heads = site.heads().concat();
    assert!(heads.starts_with("GET /p?q=1 HTTP/1.1\r\n"), "{heads}");
    for line in
        ["if-none-match: \"1\"", "accept-encoding: gzip, br, zstd", &format!("host: {}", site.address)]
    {
        assert!(heads.contains(&format!("{line}\r\n")), "{line} is missing in {heads}");
    }
    assert!(!heads.contains("referer") && !heads.contains("cookie"), "{heads}");
}

#[tokio::test]
async fn headers_that_frame_the_message_or_name_the_host_are_not_the_callers() {
    let site = Site::saying(ok(&[], b"")).await;
    let door = egress(loopback());
    let wrong = [
        ("Host", "internal"),
        ("content-length", "5"),
        ("transfer-encoding", "chunked"),
        ("accept-encoding", "identity"),
        ("Proxy-Authorization", "x"),
        ("a b", "x"),
        ("x-a", "b\r\nhost: c"),
    ];
    for (name, value) in wrong {
        let request = Request::get(site.url("/")).header(name, value);
        let error = door.fetch(request, |_| Hop::Follow).await.unwrap_err();
        assert_eq!(error.code(), "bad_header", "{name}");
    }
    assert_eq!(site.visitors().await, 0);
}

#[tokio::test]
async fn each_failure_has_its_own_code() {
    let closed = {
        let site = Site::saying(ok(&[], b"")).await;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        drop(site);
        listener.local_addr().unwrap() // dropped here: nobody listens
    };
    let door = egress_with_names(loopback(), &[]);
    let many: Vec<String> = (0..200).map(|n| format!("x-{n}: 1")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let plain = Site::saying(Reply::Bytes(b"this is no TLS\r\n\r\n".to_vec())).await;
    let sites = [
        (Site::saying(Reply::Bytes(Vec::new())).await, "reset"),
        (Site::saying(Reply::Bytes(b"HTTP/1.1 200".to_vec())).await, "reset"),
        (Site::saying(Reply::Bytes(b"SSH-2.0-OpenSSH_9.9\r\n\r\n".to_vec())).await, "protocol"),
        (Site::saying(Reply::Bytes(head("200 OK", &many, 0))).await, "protocol"),
    ];
    for (site, expected) in &sites {
        assert_eq!(code(&door, &site.url("/")).await, *expected);
        assert_eq!(site.visitors().await, 1, "a failed request is not sent again");
    }
    assert_eq!(code(&door, &format!("http://{closed}/")).await, "connect_failed");
    assert_eq!(code(&door, &format!("https://{}/", plain.address)).await, "tls_failed");
    assert_eq!(code(&door, "http://nowhere.example.com/").await, "dns_failed");
}

#[tokio::test]
async fn an_answer_may_have_as_many_headers_as_the_limit_says() {
    let lines: Vec<String> = (0..18).map(|n| format!("x-{n}: 1")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let site = Site::saying(Reply::Bytes(head("200 OK", &lines, 0))).await; // 20 with the two of `head`
    for (headers, expected) in [(20, Ok(200)), (19, Err("protocol"))] {
        let door = Egress::new(loopback(), Limits { headers, ..small() }).unwrap();
        let fetched = get(&door, &site.url("/")).await;
        assert_eq!(fetched.map(|fetched| fetched.status).map_err(|error| error.code()), expected);
    }
}

#[tokio::test]
async fn no_error_quotes_the_query_or_the_password() {
    let garbage = Site::saying(Reply::Bytes(b"rubbish\r\n\r\n".to_vec())).await;
    let closed = Site::saying(Reply::Bytes(Vec::new())).await;
    let door = egress(loopback());
    let urls = [
        garbage.url("/?token=hunter2"),
        closed.url("/?token=hunter2"),
        format!("https://{}/?token=hunter2", garbage.address),
        "http://user:hunter2@example.com/".to_owned(),
        "http://[::1/?token=hunter2".to_owned(),
        "http://example.com:81/?token=hunter2".to_owned(),
        "ftp://example.com/?token=hunter2".to_owned(),
        "http://localhost/?token=hunter2".to_owned(),
    ];
    for url in urls {
        let error = get(&door, &url).await.unwrap_err();
        assert!(!format!("{error} {error:?} {error:#}").contains("hunter2"), "{error:?}");
    }
}
