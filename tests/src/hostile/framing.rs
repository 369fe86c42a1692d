//! Heads and lengths that lie, contradict each other, or never end.

use super::{Act, answer, good_page, head, table};

const HTML: &str = "content-type: text/html";
const CHUNKED: &str = "transfer-encoding: chunked";

table! {
    length_too_long => "reset", Act::close(head("200 OK", &[HTML, "content-length: 100000"], b"<p>that was all"));
    length_too_short => "no_posting", Act::hold(head("200 OK", &[HTML, "content-length: 20"], good_page().as_bytes()));
    length_too_short_with_an_answer_behind => "no_posting", Act::hold([head("200 OK", &[HTML, "content-length: 9"], b"<p>text</"), answer(&[HTML], b"<h1>not what you asked for</h1>")].concat());
    length_of_ten_gigabytes => "too_large", Act::hold(head("200 OK", &[HTML, "content-length: 10737418240"], b"<p>"));
    length_beyond_all_numbers => "protocol", Act::hold(head("200 OK", &[HTML, "content-length: 99999999999999999999999999"], b"<p>"));
    length_below_zero => "protocol", Act::hold(head("200 OK", &[HTML, "content-length: -1"], b"<p>"));
    length_in_words => "protocol", Act::hold(head("200 OK", &[HTML, "content-length: plenty"], b"<p>"));
    two_lengths => "protocol", Act::hold(head("200 OK", &[HTML, "content-length: 3", "content-length: 7"], b"<p>text"));
    length_and_chunks => "ok", Act::close(head("200 OK", &[HTML, "content-length: 3", CHUNKED], &chunked(good_page().as_bytes())));
    chunked_twice => "no_posting", Act::close(head("200 OK", &[HTML, CHUNKED, CHUNKED], &chunked(b"<p>text")));
    unknown_transfer_encoding => "no_posting", Act::close(head("200 OK", &[HTML, "transfer-encoding: cobblestones"], b"<p>text"));
    no_length_and_no_end => "too_large", Act::flood(head("200 OK", &[HTML], b""), b"<p>text".repeat(1_000));
    endless_chunks => "too_large", Act::flood(head("200 OK", &[HTML, CHUNKED], b""), chunk(&b"<p>text".repeat(1_000)));
    endless_tiny_chunks => "too_large", Act::flood(head("200 OK", &[HTML, CHUNKED], b""), chunk(b"x").repeat(10_000));
    endless_chunk_extension => "protocol", Act::flood(head("200 OK", &[HTML, CHUNKED], b"1;"), vec![b'a'; 64 * 1024]);
    endless_trailers => "protocol", Act::flood(head("200 OK", &[HTML, CHUNKED], b"0\r\n"), b"x-trailer: y\r\n".repeat(1_000));
    chunk_size_in_words => "protocol", Act::hold(head("200 OK", &[HTML, CHUNKED], b"many\r\n<p>"));
    chunk_size_beyond_all_numbers => "protocol", Act::hold(head("200 OK", &[HTML, CHUNKED], b"FFFFFFFFFFFFFFFFFF\r\n<p>"));
    chunk_size_of_all_memory => "reset", Act::close(head("200 OK", &[HTML, CHUNKED], b"FFFFFFFFFFFFFFF0\r\n<p>"));
    chunk_size_below_zero => "protocol", Act::hold(head("200 OK", &[HTML, CHUNKED], b"-1\r\n<p>"));
    chunk_without_its_end => "protocol", Act::hold(head("200 OK", &[HTML, CHUNKED], b"3\r\n<p>xx0\r\n\r\n"));
    chunks_cut_short => "reset", Act::close(head("200 OK", &[HTML, CHUNKED], b"64\r\n<p>text"));
    chunks_without_the_last => "reset", Act::close(head("200 OK", &[HTML, CHUNKED], &chunk(b"<p>text")));
    ten_megabyte_header => "protocol", Act::hold(format!("HTTP/1.1 200 OK\r\nx-long: {}\r\n\r\n", "a".repeat(10 * 1024 * 1024)));
    endless_header => "protocol", Act::flood("HTTP/1.1 200 OK\r\nx-long: ", vec![b'a'; 64 * 1024]);
    ten_thousand_headers => "protocol", Act::hold(head("200 OK", &vec!["x-many: headers"; 10_000], b""));
    endless_headers => "protocol", Act::flood("HTTP/1.1 200 OK\r\n", b"x-many: headers\r\n".repeat(1_000));
    endless_status_line => "protocol", Act::flood("HTTP/1.1 200 ", vec![b'O'; 64 * 1024]);
    header_with_a_null => "protocol", Act::hold(head("200 OK", &["x-null: a\0b"], b""));
    header_without_a_colon => "protocol", Act::hold(head("200 OK", &["no colon here"], b""));
    header_without_a_name => "protocol", Act::hold(head("200 OK", &[": value"], b""));
    folded_header => "protocol", Act::hold(head("200 OK", &["x-folded: a\r\n b"], b""));
    page_without_a_head => "protocol", Act::close(good_page());
    rubbish => "protocol", Act::close("\u{fffd}\u{0}\u{1}".repeat(1_000));
    another_protocol => "protocol", Act::hold("SSH-2.0-OpenSSH_9.9\r\n");
    version_nine => "protocol", Act::hold("HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n");
    status_of_words => "protocol", Act::hold("HTTP/1.1 yes OK\r\ncontent-length: 0\r\n\r\n");
    status_of_four_digits => "protocol", Act::hold("HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n");
    status_zero => "protocol", Act::hold("HTTP/1.1 000 OK\r\ncontent-length: 0\r\n\r\n");
    status_999 => "http_999", Act::close(head("999 Request denied", &["content-length: 0"], b""));
    continue_for_ever => "timeout", Act::drip("", "HTTP/1.1 100 Continue\r\n\r\n");
    flood_of_continue => "timeout", Act::drip("", b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000));
    early_hints_then_a_page => "ok", Act::close([head("103 Early Hints", &["link: </a.css>"], b""), answer(&[HTML], good_page().as_bytes())].concat());
    switching_protocols => "http_101", Act::hold(head("101 Switching Protocols", &["upgrade: websocket", "connection: upgrade"], b""));
    not_modified_unasked => "unexpected_304", Act::close(head("304 Not Modified", &[], b""));
    no_content_with_content => "no_posting", Act::hold(head("204 No Content", &["content-length: 9"], b"<p>text</"));
}

fn chunk(body: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n"].concat()
}

fn chunked(body: &[u8]) -> Vec<u8> {
    [chunk(body), b"0\r\n\r\n".to_vec()].concat()
}
