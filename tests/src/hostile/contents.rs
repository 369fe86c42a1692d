//! Things that are not pages, and pages in letters nobody meant.

use super::{Act, answer, good_page, table};

table! {
    an_image => "not_a_page", of("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    an_image_called_a_page => "not_a_page", of("text/html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    a_pdf => "not_a_page", of("application/pdf", b"%PDF-1.7 ...");
    a_pdf_called_a_page => "not_a_page", of("text/html; charset=utf-8", b"%PDF-1.7 ...");
    an_archive => "not_a_page", of("application/zip", b"PK\x03\x04....");
    a_film => "not_a_page", of("video/mp4", b"....ftypisom");
    a_program => "not_a_page", of("application/octet-stream", b"\x7fELF\x02\x01\x01");
    data_instead_of_a_page => "not_a_page", of("application/json", b"{\"jobs\":[]}");
    binary_without_a_type => "not_a_page", Act::close(answer(&[], &[0, 1, 2, 3, 4, 5, 6, 7].repeat(1_000)));
    zeros_called_a_page => "not_a_page", of("text/html", &[0; 100_000]);
    a_page_called_an_image => "ok", of("image/png", good_page().as_bytes());
    a_page_without_a_type => "ok", Act::close(answer(&[], good_page().as_bytes()));
    a_page_of_an_unknown_type => "ok", of("nonsense", good_page().as_bytes());
    a_type_of_ten_kilobytes => "ok", of(&format!("text/html; x={}", "a".repeat(10_000)), good_page().as_bytes());
    two_types => "not_a_page", Act::close(answer(&["content-type: application/pdf", "content-type: text/html"], b"%PDF-1.7"));
    an_empty_page => "no_posting", of("text/html", b"");
    an_unknown_charset => "ok", of("text/html; charset=klingon", good_page().as_bytes());
    a_charset_that_replaces_everything => "ok", of("text/html; charset=iso-2022-kr", good_page().as_bytes());
    utf_7 => "ok", of("text/html; charset=utf-7", good_page().as_bytes());
    broken_utf_8 => "ok", of("text/html; charset=utf-8", &[good_page().as_bytes(), &b"\xc3\x28\xff\xfe".repeat(10_000)].concat());
    called_utf_16_and_is_not => "no_posting", of("text/html; charset=utf-16", good_page().as_bytes());
    utf_16_cut_in_a_letter => "ok", of("text/html", &utf_16(&good_page(), true));
    utf_16_by_its_mark => "ok", of("text/html; charset=utf-8", &utf_16(&good_page(), false));
    three_charsets => "ok", of("text/html; charset=utf-8; charset=koi8-r", good_page().replacen("<head>", "<head><meta charset=big5>", 1).as_bytes());
    a_wall => "bot_wall", of("text/html", b"<title>Just a moment...</title><p>Checking your browser before accessing jobs.example");
}

fn of(kind: &str, body: &[u8]) -> Act {
    Act::close(answer(&[&format!("content-type: {kind}")], body))
}

fn utf_16(text: &str, cut: bool) -> Vec<u8> {
    let mut bytes = b"\xff\xfe".to_vec();
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    if cut {
        bytes.push(b'<');
    }
    bytes
}
