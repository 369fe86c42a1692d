//! Bodies: every encoding, every limit, every way to end too early or never.

use std::time::Duration;

use async_compression::Level;
use async_compression::tokio::write::{BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use async_compression::zstd::CParameter;
use shared::egress::{Egress, Limits};
use tokio::io::AsyncWriteExt;

use super::site::{Reply, Site, head, ok};
use super::{code, egress, get, loopback, small};

async fn squeeze(coding: &str, plain: &[u8]) -> Vec<u8> {
    macro_rules! squeezed {
        ($encoder:ident) => {{
            let mut encoder = $encoder::new(Vec::new());
            encoder.write_all(plain).await.unwrap();
            encoder.shutdown().await.unwrap();
            encoder.into_inner()
        }};
    }
    match coding {
        "gzip" | "x-gzip" | "GZIP" => squeezed!(GzipEncoder),
        "br" => squeezed!(BrotliEncoder),
        "zstd" => squeezed!(ZstdEncoder),
        "deflate" => squeezed!(ZlibEncoder),
        "raw deflate" => squeezed!(DeflateEncoder),
        _ => plain.to_vec(),
    }
}

fn page() -> Vec<u8> {
    (0..500_u32)
        .flat_map(|n| format!("<li>Job number {n}: {}</li>\n", n.wrapping_mul(2_654_435_761)).into_bytes())
        .collect()
}

#[tokio::test]
async fn every_encoding_comes_out_as_the_page_that_went_in() {
    let door = egress(loopback());
    for coding in ["identity", "gzip", "x-gzip", "GZIP", "br", "zstd", "deflate", "raw deflate"] {
        let body = squeeze(coding, &page()).await;
        let wire = body.len() as u64;
        let header = format!("content-encoding: {}", coding.trim_start_matches("raw "));
        let site = Site::saying(ok(&[&header], &body)).await;
        let fetched = get(&door, &site.url("/")).await.unwrap();
        assert!(fetched.body == page(), "{coding} changed the page");
        assert_eq!(fetched.wire_bytes, wire, "{coding}");
    }
}

#[tokio::test]
async fn two_layers_and_two_members_are_read_and_three_layers_are_not() {
    let door = egress(loopback());
    let once = squeeze("gzip", &page()).await;
    let twice = squeeze("gzip", &once).await;
    let mixed = squeeze("br", &once).await;
    let members = [squeeze("gzip", &page()[..100]).await, squeeze("gzip", &page()[100..]).await].concat();
    let frames = [squeeze("zstd", &page()[..100]).await, squeeze("zstd", &page()[100..]).await].concat();
    let good: [(&[&str], Vec<u8>); 5] = [
        (&["content-encoding: gzip, gzip"], twice.clone()),
        (&["content-encoding: gzip", "content-encoding: br"], mixed),
        (&["content-encoding: identity, gzip"], once),
        (&["content-encoding: gzip"], members),
        (&["content-encoding: zstd"], frames),
    ];
    for (headers, body) in good {
        let site = Site::saying(ok(headers, &body)).await;
        assert!(get(&door, &site.url("/")).await.unwrap().body == page(), "{headers:?}");
    }
    let thrice = squeeze("gzip", &twice).await;
    let site = Site::saying(ok(&["content-encoding: gzip, gzip, gzip"], &thrice)).await;
    assert_eq!(code(&door, &site.url("/")).await, "bad_encoding");
}

#[tokio::test]
async fn a_body_that_is_not_what_its_header_says_is_an_error_and_an_empty_one_is_empty() {
    let door = egress(loopback());
    let gzip = squeeze("gzip", &page()).await;
    let cut = &gzip[..gzip.len() / 2];
    let wrong: [(&str, &[u8]); 6] = [
        ("gzip", b"<html>"),
        ("gzip", cut),
        ("br", b"\xff\xff\xff\xff"),
        ("zstd", b"<html>"),
        ("deflate", b"<html>"),
        ("compress", b"x"),
    ];
    for (coding, body) in wrong {
        let site = Site::saying(ok(&[&format!("content-encoding: {coding}")], body)).await;
        assert_eq!(code(&door, &site.url("/")).await, "bad_encoding", "{coding}");
    }
    for coding in ["gzip", "br", "zstd", "deflate"] {
        let site = Site::saying(ok(&[&format!("content-encoding: {coding}")], b"")).await;
        assert!(get(&door, &site.url("/")).await.unwrap().body.is_empty(), "{coding}");
    }
}

fn tight() -> Egress {
    let limits = Limits { wire: 10_000, decoded: 20_000, ratio_after: 5_000, ..small() };
    Egress::new(loopback(), limits).unwrap()
}

#[tokio::test]
async fn a_body_may_fill_the_wire_limit_and_not_pass_it() {
    let site = Site::saying(ok(&[], &[b'x'; 10_000])).await;
    assert_eq!(get(&tight(), &site.url("/")).await.unwrap().body.len(), 10_000);
    // No length declared: only the counting can tell.
    let mut open_ended = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    open_ended.extend([b'x'; 10_001]);
    let site = Site::saying(Reply::Bytes(open_ended)).await;
    assert_eq!(code(&tight(), &site.url("/")).await, "too_large");
}

#[tokio::test]
async fn a_declared_length_over_the_limit_is_refused_before_reading() {
    // Were the body waited for, the answer would be a timeout.
    let site = Site::saying(Reply::Silence(head("200 OK", &[], 10_001))).await;
    assert_eq!(code(&tight(), &site.url("/")).await, "too_large");
}

#[tokio::test]
async fn an_endless_body_is_cut_at_the_wire_limit() {
    let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let piece = [b"100\r\n".as_slice(), &[b'x'; 256], b"\r\n"].concat();
    let site = Site::saying(Reply::Endless(chunked, piece)).await;
    assert_eq!(code(&tight(), &site.url("/")).await, "too_large");
    let open_ended = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    let site = Site::saying(Reply::Endless(open_ended, vec![b'x'; 4096])).await;
    assert_eq!(code(&tight(), &site.url("/")).await, "too_large");
}

#[tokio::test]
async fn a_bomb_is_stopped_by_the_ratio_or_by_the_decoded_limit() {
    let zeros = vec![0_u8; 3 << 19];
    let door = egress(loopback());
    for coding in ["gzip", "br", "zstd", "deflate"] {
        let bomb = squeeze(coding, &zeros).await;
        let header = format!("content-encoding: {coding}");
        let site = Site::saying(ok(&[&header], &bomb)).await;
        assert_eq!(code(&door, &site.url("/")).await, "ratio_exceeded", "{coding}");
        // With the ratio out of the way, the size alone must hold.
        let patient = Limits { ratio: u64::MAX, decoded: 1 << 20, ..small() };
        let patient = Egress::new(loopback(), patient).unwrap();
        assert_eq!(code(&patient, &site.url("/")).await, "too_large", "{coding}");
        // And with both out of the way it would all have come.
        let off = Limits { ratio: u64::MAX, decoded: u64::MAX, ..small() };
        let off = Egress::new(loopback(), off).unwrap();
        assert_eq!(get(&off, &site.url("/")).await.unwrap().body.len(), zeros.len(), "{coding}");
    }
}

#[tokio::test]
async fn a_bomb_whose_middle_layer_explodes_is_stopped_there() {
    // Many empty gzip members: much in the middle, nothing at the end.
    let empty = squeeze("gzip", b"").await;
    let middle = empty.repeat(200_000 / empty.len());
    let bomb = squeeze("gzip", &middle).await;
    let site = Site::saying(ok(&["content-encoding: gzip, gzip"], &bomb)).await;
    let limits = Limits { ratio_after: 100_000, ..small() };
    let door = Egress::new(loopback(), limits.clone()).unwrap();
    assert_eq!(code(&door, &site.url("/")).await, "ratio_exceeded");
    let off = Egress::new(loopback(), Limits { ratio: u64::MAX, ..limits }).unwrap();
    assert!(get(&off, &site.url("/")).await.unwrap().body.is_empty());
}

#[tokio::test]
async fn a_zstd_body_may_not_ask_for_a_huge_window() {
    let door = egress(loopback());
    for (log, expected) in [(23, Ok(())), (27, Err("bad_encoding"))] {
        let window = [CParameter::window_log(log)];
        let mut encoder = ZstdEncoder::with_quality_and_params(Vec::new(), Level::Default, &window);
        encoder.write_all(&page()).await.unwrap();
        encoder.shutdown().await.unwrap();
        let site = Site::saying(ok(&["content-encoding: zstd"], &encoder.into_inner())).await;
        let fetched = get(&door, &site.url("/")).await;
        assert_eq!(fetched.map(drop).map_err(|error| error.code()), expected, "window of 2^{log}");
    }
}

#[tokio::test]
async fn a_small_page_may_be_as_repetitive_as_it_likes() {
    let page = vec![b' '; 1 << 20];
    let body = squeeze("gzip", &page).await;
    assert!(body.len() * 100 < page.len(), "it must be over the ratio for this test to say anything");
    let site = Site::saying(ok(&["content-encoding: gzip"], &body)).await;
    assert_eq!(get(&egress(loopback()), &site.url("/")).await.unwrap().body.len(), page.len());
}

#[tokio::test]
async fn a_drip_and_a_silence_end_with_the_total_time() {
    let limits = Limits { total: Duration::from_millis(300), ..Limits::default() };
    let door = Egress::new(loopback(), limits).unwrap();
    let long = head("200 OK", &[], 1_000_000);
    for reply in [
        Reply::Drip(long.clone()),
        Reply::Silence(long),
        Reply::Silence(Vec::new()),
        Reply::Drip(b"HTTP/1.1 200 OK\r\nx-endless: ".to_vec()),
    ] {
        let site = Site::saying(reply.clone()).await;
        assert_eq!(code(&door, &site.url("/")).await, "timeout", "{reply:?}");
    }
}

#[tokio::test]
async fn a_truncated_body_is_an_error_however_it_was_framed() {
    let door = egress(loopback());
    let gzip = squeeze("gzip", &page()).await;
    let mut short = head("200 OK", &[], 100);
    short.extend(b"only this");
    let mut short_gzip = head("200 OK", &["content-encoding: gzip"], gzip.len() + 50);
    short_gzip.extend(&gzip); // a whole gzip stream, but not the whole body
    let brotli = squeeze("br", &page()).await;
    let mut short_brotli = head("200 OK", &["content-encoding: br"], brotli.len() + 50);
    short_brotli.extend(&brotli);
    let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n".to_vec();
    for reply in [short, short_gzip, short_brotli, chunked] {
        let text = String::from_utf8_lossy(&reply[..40]).into_owned();
        let site = Site::saying(Reply::Bytes(reply)).await;
        let error = get(&door, &site.url("/")).await.expect_err(&text);
        assert_eq!((error.code(), error.site_failure()), ("reset", true), "{text}");
    }
}
