//! Where a webhook may go.

use fixture::Receiver;

use crate::bench::Bench;

/// The addresses of a private network, told by any name, are not called; with the permission they are.
#[tokio::test]
async fn private_and_plain_addresses_are_refused_at_once() {
    let (bench, receiver) = (Bench::new().await, Receiver::start("127.0.0.1").await);
    let careful = bench.without_permission();
    for (url, code) in [
        (receiver.url("/hook"), "port_refused"),
        ("http://127.0.0.1/hook".to_owned(), "address_refused"),
        ("https://127.0.0.1/hook".to_owned(), "address_refused"),
        ("https://[::ffff:127.0.0.1]/hook".to_owned(), "address_refused"),
        ("https://169.254.169.254/latest/".to_owned(), "address_refused"),
        ("https://localhost/hook".to_owned(), "name_refused"),
        ("https://hooks.internal/hook".to_owned(), "name_refused"),
        ("https://me:pw@example.com/hook".to_owned(), "userinfo_refused"),
        ("http://example.com/hook".to_owned(), "scheme_refused"),
        ("ftp://example.com/hook".to_owned(), "scheme_refused"),
        ("not an address".to_owned(), "bad_url"),
    ] {
        let id = bench.owed(&url).await;
        bench.work_as(&careful).await;
        let row = bench.row(id).await;
        assert_eq!(row.status, "failed", "{url}: trying again would change nothing");
        let error = row.last_error.unwrap();
        assert!(error.starts_with(&format!("{code}: ")), "{url}: {error}");
        assert!(!error.contains("pw"), "{error}");
    }
    assert!(receiver.calls().is_empty());
    let id = bench.owed(&receiver.url("/hook")).await;
    bench.work().await;
    assert_eq!(bench.row(id).await.status, "delivered", "with the permission it is called");
}
