//! Bodies that are small on the wire and huge in memory, or that are not what they are labelled.

use async_compression::Level;
use async_compression::tokio::write::{BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder};
use futures_util::FutureExt;
use tokio::io::AsyncWriteExt;

use super::{Act, answer, good_page, table};

table! {
    gzip_bomb => "ratio_exceeded", encoded("gzip", &gzip(&zeros()));
    brotli_bomb => "ratio_exceeded", encoded("br", &brotli(&zeros()));
    zstd_bomb => "ratio_exceeded", encoded("zstd", &zstd(&zeros()));
    zlib_bomb => "ratio_exceeded", encoded("deflate", &zlib(&zeros()));
    raw_deflate_bomb => "ratio_exceeded", encoded("deflate", &deflate(&zeros()));
    gzip_bomb_in_gzip => "ratio_exceeded", encoded("gzip, gzip", &gzip(&gzip(&zeros())));
    zstd_bomb_in_gzip => "ratio_exceeded", encoded("zstd, gzip", &gzip(&zstd(&zeros())));
    gzip_bomb_in_brotli => "ratio_exceeded", encoded("gzip, br", &brotli(&gzip(&zeros())));
    bomb_in_many_members => "ratio_exceeded", encoded("gzip", &gzip(&vec![0; 64 * 1024]).repeat(100));
    bomb_in_many_frames => "ratio_exceeded", encoded("zstd", &zstd(&vec![0; 64 * 1024]).repeat(100));
    bomb_below_the_ratio => "too_large", encoded("zstd", &zstd(&noise(256 * 1024).repeat(48)));
    bomb_of_many_empty_members => "too_large", encoded("gzip", &gzip(b"").repeat(300_000));
    many_empty_members => "no_posting", encoded("gzip", &gzip(b"").repeat(100_000));
    three_layers => "bad_encoding", encoded("gzip, gzip, gzip", &gzip(&gzip(&gzip(b"page"))));
    a_hundred_layers => "bad_encoding", encoded(&vec!["gzip"; 100].join(", "), &gzip(b"page"));
    unknown_encoding => "bad_encoding", encoded("pack200-gzip", b"page");
    encoding_of_nonsense => "bad_encoding", encoded("\u{fc}\u{fc}", b"page");
    not_gzip_at_all => "bad_encoding", encoded("gzip", good_page().as_bytes());
    not_brotli_at_all => "bad_encoding", encoded("br", &noise(5_000));
    not_zstd_at_all => "bad_encoding", encoded("zstd", good_page().as_bytes());
    cut_gzip => "bad_encoding", { let whole = gzip(good_page().as_bytes()); encoded("gzip", &whole[..whole.len() / 2]) };
    cut_zstd => "bad_encoding", { let whole = zstd(good_page().as_bytes()); encoded("zstd", &whole[..whole.len() / 2]) };
    gzip_with_a_wrong_checksum => "bad_encoding", { let mut whole = gzip(good_page().as_bytes()); let at = whole.len() - 6; whole[at] ^= 1; encoded("gzip", &whole) };
    gzip_with_a_tail => "bad_encoding", encoded("gzip", &[gzip(good_page().as_bytes()), noise(1_000)].concat());
    zstd_with_a_gigabyte_window => "bad_encoding", encoded("zstd", &wide_window());
    gzip_with_an_endless_name => "too_large", Act::flood(super::head("200 OK", &["content-encoding: gzip"], b"\x1f\x8b\x08\x08\0\0\0\0\0\xff"), vec![b'a'; 64 * 1024]);
    identity_twice => "ok", encoded("identity, identity", good_page().as_bytes());
    empty_body_called_gzip => "no_posting", encoded("gzip", b"");
}

fn encoded(coding: &str, body: &[u8]) -> Act {
    Act::close(answer(&["content-type: text/html", &format!("content-encoding: {coding}")], body))
}

fn zeros() -> Vec<u8> {
    vec![0; 2 * 1024 * 1024]
}

/// Bytes that do not compress, the same each time.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}

macro_rules! squeezed {
    ($encoder:ident, $plain:expr) => {{
        let work = async {
            let mut encoder = $encoder::with_quality(Vec::new(), Level::Fastest);
            encoder.write_all($plain).await?;
            encoder.shutdown().await?;
            std::io::Result::Ok(encoder.into_inner())
        };
        work.now_or_never().expect("a vector is always ready").expect("a vector takes everything")
    }};
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    squeezed!(GzipEncoder, plain)
}

fn brotli(plain: &[u8]) -> Vec<u8> {
    squeezed!(BrotliEncoder, plain)
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    squeezed!(ZlibEncoder, plain)
}

fn deflate(plain: &[u8]) -> Vec<u8> {
    squeezed!(DeflateEncoder, plain)
}

fn zstd(plain: &[u8]) -> Vec<u8> {
    zstd::encode_all(plain, 1).expect("a slice can be read")
}

/// A frame that asks for a window of a gigabyte before it says anything.
fn wide_window() -> Vec<u8> {
    let magic = [0x28, 0xB5, 0x2F, 0xFD];
    let (descriptor, window) = (0x00, (30 - 10) << 3);
    let raw_block = [0x21, 0x00, 0x00, b'p', b'a', b'g', b'e'];
    [&magic[..], &[descriptor, window], &raw_block].concat()
}
