//! Whether bytes are a page at all. Servers label pages wrongly more often than they label pictures as
//! pages, so a page's own beginning counts for more than the header; a binary's beginning counts most.

/// How much of a body is looked at.
const HEAD: usize = 1024;

/// What the bytes are instead of a page, if they are none.
pub fn not_a_page(bytes: &[u8], content_type: Option<&str>) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(HEAD)];
    if let Some(what) = binary(head) {
        return Some(what);
    }
    let kind = content_type.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    let kind = kind.trim().to_ascii_lowercase();
    let what = match kind.split_once('/') {
        Some(("image", _)) => "an image",
        Some(("audio" | "video", _)) => "sound or film",
        Some(("font", _)) => "a font",
        Some((_, "pdf")) => "a PDF",
        Some(("application", "octet-stream" | "zip" | "gzip" | "x-tar" | "msword" | "wasm")) => {
            "a binary file"
        }
        Some(("application", "json" | "javascript"))
        | Some(("text", "css" | "javascript" | "csv" | "calendar")) => "data",
        _ => return None,
    };
    (!begins_like_html(head)).then_some(what)
}

fn binary(head: &[u8]) -> Option<&'static str> {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"%PDF-", "a PDF"),
        (b"\x89PNG\r\n", "an image"),
        (b"GIF8", "an image"),
        (b"\xFF\xD8\xFF", "an image"),
        (b"PK\x03\x04", "an archive"),
        (b"\x1F\x8B", "an archive"),
        (b"\x28\xB5\x2F\xFD", "an archive"),
        (b"\x7FELF", "a program"),
        (b"\0asm", "a program"),
    ];
    let known = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, what)| *what);
    let riff = || (head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP")).then_some("an image");
    known.or_else(riff).or_else(|| is_noise(head).then_some("binary data"))
}

/// Text has hardly any control characters. UTF-16 is full of NULs and begins with its mark.
fn is_noise(head: &[u8]) -> bool {
    let marked = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    let control = head.iter().filter(|b| matches!(b, 0..=8 | 14..=26 | 28..=31)).count();
    !marked && control * 10 > head.len()
}

fn begins_like_html(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    [&b"<!doctype html"[..], b"<html", b"<head", b"<body", b"<!--"]
        .iter()
        .any(|start| head.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_page_is_named() {
        for (bytes, kind, what) in [
            (&b"%PDF-1.7"[..], Some("text/html"), "a PDF"),
            (b"\x89PNG\r\n\x1a\n....", Some("text/html"), "an image"),
            (b"\0\x01\x02\x03\x04\x05", None, "binary data"),
            (b"whatever", Some("image/png"), "an image"),
            (b"{\"a\":1}", Some("application/json; charset=utf-8"), "data"),
            (b"whatever", Some("application/octet-stream"), "a binary file"),
        ] {
            assert_eq!(not_a_page(bytes, kind), Some(what));
        }
    }

    #[test]
    fn a_page_under_a_wrong_label_is_a_page() {
        for (bytes, kind) in [
            (&b"<!DOCTYPE HTML><p>x"[..], Some("image/png")),
            (b"\xEF\xBB\xBF \n<html>", Some("application/octet-stream")),
            (b"<p>x", Some("text/plain")),
            (b"<p>x", None),
            (b"", Some("text/html")),
            (b"<p>x", Some("nonsense")),
            (b"\xFF\xFE<\0p\0>\0", None),
            (b"<p>one \0 NUL in a long enough text", Some("text/html")),
        ] {
            assert_eq!(not_a_page(bytes, kind), None, "{kind:?}");
        }
    }
}
