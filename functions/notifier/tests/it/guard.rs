//! Where a webhook may go.

use std::fmt::Write;

use fixture::{Receiver, refused};

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

/// The whole list: every row ends at once, in the words of its refusal, and none is tried again.
#[tokio::test]
async fn no_webhook_goes_to_what_nobody_may_reach() {
    let bench = Bench::new().await;
    let careful = bench.without_permission();
    let mut wrong = String::new();
    // A longer address is no callback at all: the table takes none.
    let rows: Vec<_> = refused::urls().into_iter().filter(|(url, _)| url.len() <= 2_048).collect();
    for (url, code) in &rows {
        let id = bench.owed(url).await;
        bench.work_as(&careful).await;
        let row = bench.row(id).await;
        let error = row.last_error.unwrap_or_default();
        // What is no address is refused before anybody asks where it leads.
        if row.status != "failed" || !(error.starts_with(code) || error.starts_with("bad_url: ")) {
            writeln!(wrong, "{url}: {} with {error} instead of {code}", row.status).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(rows.len() >= 300, "only {} rows", rows.len());
}
