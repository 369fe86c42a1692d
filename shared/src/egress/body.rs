//! Reading a foreign body: chunk by chunk, counted on the wire and after every decoder.
//! Nothing here may hold more than the limits allow, whatever the headers claim.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use async_compression::tokio::bufread::{
    BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder,
};
use async_compression::zstd::DParameter;
use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader, ReadBuf};
use tokio_util::io::StreamReader;

use super::Limits;
use super::error::EgressError;

/// What we can read, as we tell the server.
pub(super) const ACCEPT_ENCODING: &str = "gzip, br, zstd";
const MOST_LAYERS: usize = 2;
/// What one chunk counts for at least: five million chunks of one byte are work for seconds.
const SMALLEST_CHARGE: u64 = 64;
/// 8 MiB, the window that RFC 8878 asks HTTP clients to support; the format allows gigabytes.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A body as the page meant it, and what it took on the wire.
pub(super) struct Body {
    pub decoded: Bytes,
    pub wire_bytes: u64,
}

/// Reads the whole body within the limits, or says which one it broke; or only its beginning.
pub(super) async fn read(
    response: reqwest::Response,
    limits: &Limits,
    at_most: Option<usize>,
) -> Result<Body, EgressError> {
    let too_large = EgressError::TooLarge { limit: limits.wire };
    if at_most.is_none() && response.content_length().is_some_and(|declared| declared > limits.wire) {
        return Err(too_large);
    }
    let codings = codings(response.headers())?;
    let count = Arc::new(AtomicU64::new(0));
    let charged = AtomicU64::new(0);
    let counted = response.bytes_stream().map_err(io::Error::other).and_then(|chunk| {
        let length = chunk.len() as u64;
        count.fetch_add(length, Ordering::Relaxed);
        let charge = length.max(SMALLEST_CHARGE);
        let seen = charged.fetch_add(charge, Ordering::Relaxed) + charge;
        let over = (seen > limits.wire).then(|| io::Error::other(too_large.clone()));
        std::future::ready(over.map_or(Ok(chunk), Err))
    });
    let mut wire = StreamReader::new(Box::pin(counted));
    let decoded = decode(&mut wire, &codings, &count, limits, at_most)
        .await
        .map_err(|error| EgressError::from_body(&error))?;
    Ok(Body { decoded, wire_bytes: count.load(Ordering::Relaxed) })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Brotli,
    Zstd,
    Deflate,
}

/// The encodings in the order they were applied.
fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, EgressError> {
    let mut codings = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let text = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        for word in text.split(',').map(str::trim) {
            codings.push(match word {
                "" | "identity" => continue,
                "gzip" | "x-gzip" => Coding::Gzip,
                "br" => Coding::Brotli,
                "zstd" => Coding::Zstd,
                "deflate" => Coding::Deflate,
                _ => return Err(EgressError::BadEncoding { reason: "an unknown encoding".to_owned() }),
            });
        }
    }
    if codings.len() > MOST_LAYERS {
        return Err(EgressError::BadEncoding { reason: format!("more than {MOST_LAYERS} layers") });
    }
    Ok(codings)
}

type Reader<'r> = Box<dyn AsyncBufRead + Send + Unpin + 'r>;

async fn decode<W>(
    wire: &mut W,
    codings: &[Coding],
    count: &Arc<AtomicU64>,
    limits: &Limits,
    at_most: Option<usize>,
) -> io::Result<Bytes>
where
    W: AsyncBufRead + Send + Unpin,
{
    if wire.fill_buf().await?.is_empty() {
        return Ok(Bytes::new()); // an empty body is empty in every encoding
    }
    let bounded = |inner| -> Reader<'_> {
        Box::new(BufReader::new(Bounded { inner, produced: 0, wire: Arc::clone(count), limits }))
    };
    let mut reader: Reader<'_> = bounded(Box::new(&mut *wire));
    for coding in codings.iter().rev() {
        reader = bounded(decoder(*coding, reader).await?);
    }
    let mut decoded = BytesMut::new();
    while reader.read_buf(&mut decoded).await? > 0 {
        if let Some(enough) = at_most.filter(|most| decoded.len() >= *most) {
            decoded.truncate(enough);
            return Ok(decoded.freeze());
        }
    }
    drop(reader);
    // A decoder stops at its own end; the rest must still arrive, or the body was cut.
    loop {
        let rest = wire.fill_buf().await?.len();
        if rest == 0 {
            return Ok(decoded.freeze());
        }
        wire.consume(rest);
    }
}

async fn decoder<'r>(
    coding: Coding,
    mut reader: Reader<'r>,
) -> io::Result<Box<dyn AsyncRead + Send + Unpin + 'r>> {
    Ok(match coding {
        Coding::Gzip => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            Box::new(decoder)
        }
        Coding::Brotli => Box::new(BrotliDecoder::new(reader)),
        Coding::Zstd => {
            let window = DParameter::window_log_max(ZSTD_WINDOW_LOG);
            let mut decoder = ZstdDecoder::with_params(reader, &[window]);
            decoder.multiple_members(true);
            Box::new(decoder)
        }
        Coding::Deflate => {
            // The standard says zlib; half of the web sends it raw.
            let mut head = Vec::with_capacity(2);
            (&mut reader).take(2).read_to_end(&mut head).await?;
            let zlib = is_zlib(&head);
            let whole = io::Cursor::new(head).chain(reader);
            if zlib { Box::new(ZlibDecoder::new(whole)) } else { Box::new(DeflateDecoder::new(whole)) }
        }
    })
}

fn is_zlib(head: &[u8]) -> bool {
    matches!(head, [method, flags] if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0)
}

/// A layer that may only produce so much, in all and against what came over the wire. It sits behind every
/// decoder, so that a bomb inside a bomb is stopped at the first bang.
struct Bounded<'r> {
    inner: Box<dyn AsyncRead + Send + Unpin + 'r>,
    produced: u64,
    wire: Arc<AtomicU64>,
    limits: &'r Limits,
}

impl AsyncRead for Bounded<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        self.produced += (buf.filled().len() - before) as u64;
        let Limits { decoded, ratio, ratio_after, .. } = *self.limits;
        let allowed = self.wire.load(Ordering::Relaxed).saturating_mul(ratio);
        Poll::Ready(if self.produced > decoded {
            Err(io::Error::other(EgressError::TooLarge { limit: decoded }))
        } else if self.produced > ratio_after && self.produced > allowed {
            Err(io::Error::other(EgressError::RatioExceeded { ratio }))
        } else {
            Ok(())
        })
    }
}
