//! The charset of a page: from bytes to text by BOM, header, meta, then a guess. Never fails:
//! what cannot be decoded becomes U+FFFD.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How far into the page a `<meta charset>` is looked for.
const PRESCAN: usize = 4096;

/// Turns the bytes of a page into text.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    let (encoding, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (encoding, &bytes[length..]),
        None => (detect(bytes, content_type), bytes),
    };
    encoding.decode_without_bom_handling(bytes).0
}

fn detect(bytes: &[u8], content_type: Option<&str>) -> &'static Encoding {
    content_type
        .and_then(from_header)
        .or_else(|| from_meta(&bytes[..bytes.len().min(PRESCAN)]))
        .unwrap_or_else(|| guess(bytes))
}

fn from_header(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        if !name.trim().eq_ignore_ascii_case("charset") {
            return None;
        }
        let label = value.trim().trim_matches(['"', '\'']);
        Encoding::for_label_no_replacement(label.as_bytes())
    })
}

/// A `<meta>` was readable as ASCII, so a claim of UTF-16 inside it is wrong and means UTF-8.
fn from_meta(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.to_ascii_lowercase();
    let mut rest = head.as_slice();
    while let Some(at) = find(rest, b"<meta") {
        rest = &rest[at + 5..];
        let tag = &rest[..find(rest, b">").unwrap_or(rest.len())];
        if let Some(encoding) = find(tag, b"charset").and_then(|at| label_after(&tag[at + 7..])) {
            return Some(match encoding {
                e if e == UTF_16LE || e == UTF_16BE => UTF_8,
                e => e,
            });
        }
    }
    None
}

fn label_after(text: &[u8]) -> Option<&'static Encoding> {
    let text = text.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let text = match text {
        [b'"' | b'\'', rest @ ..] => rest,
        _ => text,
    };
    let end = text
        .iter()
        .position(|b| matches!(b, b'"' | b'\'' | b';' | b'/') || b.is_ascii_whitespace())
        .unwrap_or(text.len());
    Encoding::for_label_no_replacement(&text[..end])
}

/// UTF-8 proves itself; a character cut off at the very end is still UTF-8.
fn guess(bytes: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(bytes) {
        Ok(_) => UTF_8,
        Err(error) if error.error_len().is_none() => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_beats_the_header_and_the_meta() {
        let page = b"\xEF\xBB\xBF<meta charset=windows-1252>\xC5\x99";
        let text = decode(page, Some("text/html; charset=iso-8859-1"));
        assert_eq!(text, "<meta charset=windows-1252>ř");
        assert_eq!(decode(b"\xFF\xFEh\0i\0", None), "hi");
    }

    #[test]
    fn the_header_beats_the_meta() {
        let page = b"<meta charset=windows-1252>\xF8";
        let text = decode(page, Some("text/html; Charset=\"windows-1250\""));
        assert_eq!(text, "<meta charset=windows-1252>ř");
    }

    #[test]
    fn the_meta_is_found_in_both_spellings() {
        assert!(decode(b"<META CHARSET='windows-1250'>\xF8", None).ends_with('ř'));
        let old = b"<meta http-equiv=content-type content=\"text/html; charset=windows-1250\">\xF8";
        assert!(decode(old, None).ends_with('ř'));
        assert!(decode(b"<meta charset=utf-16>\xC5\x99", None).ends_with('ř'));
    }

    #[test]
    fn without_a_word_about_it_utf_8_proves_itself_and_the_rest_is_windows_1252() {
        assert_eq!(decode("Zürich".as_bytes(), None), "Zürich");
        assert_eq!(decode(b"Z\xFCrich \x80", None), "Zürich €");
        assert_eq!(decode(b"ok \xC5", None), "ok \u{FFFD}");
        assert_eq!(decode(b"Z\xFCrich", Some("text/html; charset=nonsense")), "Zürich");
    }
}
