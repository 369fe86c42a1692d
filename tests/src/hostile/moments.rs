//! Silence, drips and sudden ends, at every moment of a conversation, TLS included.

use super::{Act, Case, When, head};

const HTML: &str = "content-type: text/html";

const fn asked(name: &'static str, code: &'static str, act: fn() -> Act) -> Case {
    Case { name, code, scheme: "http", when: When::Asked, act }
}

const fn connected(name: &'static str, code: &'static str, act: fn() -> Act) -> Case {
    Case { name, code, scheme: "http", when: When::Connected, act }
}

const fn secure(name: &'static str, code: &'static str, act: fn() -> Act) -> Case {
    Case { name, code, scheme: "https", when: When::Connected, act }
}

pub static CASES: &[Case] = &[
    asked("silence", "timeout", || Act::hold("")),
    asked("silence_after_the_head", "timeout", || {
        Act::hold(head("200 OK", &[HTML, "content-length: 9"], b""))
    }),
    asked("silence_in_the_body", "timeout", || {
        Act::hold(head("200 OK", &[HTML, "content-length: 9"], b"<p>"))
    }),
    asked("silence_in_the_head", "timeout", || Act::hold("HTTP/1.1 200 OK\r\ncontent-ty")),
    asked("dripping_head", "timeout", || Act::drip("HTTP/1.1 200 OK\r\nx-slow: ", "a")),
    asked("dripping_headers", "timeout", || Act::drip("HTTP/1.1 200 OK\r\n", "x-slow: a\r\n")),
    asked("dripping_body", "timeout", || {
        Act::drip(head("200 OK", &[HTML, "content-length: 100000"], b""), "a")
    }),
    asked("dripping_chunks", "timeout", || {
        Act::drip(head("200 OK", &[HTML, "transfer-encoding: chunked"], b""), "1\r\na\r\n")
    }),
    asked("dripping_without_a_length", "timeout", || Act::drip(head("200 OK", &[HTML], b""), "a")),
    asked("close_before_a_word", "reset", || Act::close("")),
    asked("close_in_the_head", "reset", || Act::close("HTTP/1.1 200 OK\r\ncontent-ty")),
    asked("half_closed_before_a_word", "reset", || Act::half_close("")),
    asked("half_closed_in_the_head", "reset", || Act::half_close("HTTP/1.1 200")),
    asked("half_closed_in_the_body", "reset", || {
        Act::half_close(head("200 OK", &[HTML, "content-length: 9"], b"<p>"))
    }),
    asked("reset_before_a_word", "reset", || Act::reset("")),
    asked("reset_in_the_head", "reset", || Act::reset("HTTP/1.1 200 OK\r\ncontent-ty")),
    asked("reset_after_the_head", "reset", || Act::reset(head("200 OK", &[HTML, "content-length: 9"], b""))),
    asked("reset_in_the_body", "reset", || Act::reset(head("200 OK", &[HTML, "content-length: 9"], b"<p>"))),
    asked("reset_in_a_body_without_a_length", "reset", || Act::reset(head("200 OK", &[HTML], b"<p>text"))),
    connected("reset_when_connected", "reset", || Act::reset("")),
    connected("close_when_connected", "reset", || Act::close("")),
    connected("answer_before_the_question", "protocol", || {
        Act::hold("HTTP/1.1 200 OK\r\ncontent-length: nine\r\n\r\n")
    }),
    secure("tls_silence", "timeout", || Act::hold("")),
    secure("tls_close", "connect_failed", || Act::close("")),
    secure("tls_reset", "connect_failed", || Act::reset("")),
    secure("tls_rubbish", "tls_failed", || Act::hold("\u{fffd}".repeat(1_000))),
    secure("tls_is_plain_http", "tls_failed", || {
        Act::hold(head("400 Bad Request", &["content-length: 0"], b""))
    }),
    secure("tls_alert", "tls_failed", || Act::hold([0x15, 3, 3, 0, 2, 2, 40])),
    secure("tls_flood_of_warnings", "tls_failed", || Act::flood("", [0x15, 3, 3, 0, 2, 1, 90].repeat(1_000))),
    secure("tls_flood_of_empty_records", "tls_failed", || Act::flood("", [0x16, 3, 3, 0, 0].repeat(1_000))),
    secure("tls_flood_of_cipher_changes", "tls_failed", || {
        Act::flood("", [0x14, 3, 3, 0, 1, 1].repeat(1_000))
    }),
    secure("tls_record_of_64_kilobytes", "tls_failed", || {
        Act::flood([0x16, 3, 3, 0xff, 0xff], vec![0; 64 * 1024])
    }),
    secure("tls_message_of_16_megabytes", "tls_failed", || Act::flood(long_message(), full_record())),
    secure("tls_drip", "timeout", || Act::drip([0x16, 3, 3, 0x40, 0, 2, 0, 0x3f, 0xfc], [0])),
    secure("tls_half_a_hello", "timeout", || Act::hold([0x16, 3, 3, 0, 90, 2, 0, 0, 86, 3, 3])),
];

/// The beginning of a server's hello that says it is 16 MB long.
fn long_message() -> Vec<u8> {
    [&[0x16, 3, 3, 0x40, 0, 2, 0xff, 0xff, 0xff][..], &[0; 0x4000 - 4]].concat()
}

fn full_record() -> Vec<u8> {
    [&[0x16, 3, 3, 0x40, 0][..], &[0; 0x4000]].concat()
}
