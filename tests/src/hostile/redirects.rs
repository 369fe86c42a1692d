//! Redirects that never end or lead where nobody may go.

use super::{Act, head, table};

table! {
    redirect_to_itself => "too_many_redirects", to("");
    redirect_for_ever => "too_many_redirects", to("deeper/");
    redirect_to_private_10 => "address_refused", to("http://10.0.0.1/jobs");
    redirect_to_private_192 => "address_refused", to("http://192.168.1.1/");
    redirect_to_loopback => "address_refused", to("http://127.0.0.1:8080/");
    redirect_to_metadata => "address_refused", to("http://169.254.169.254/latest/meta-data/");
    redirect_to_loopback_6 => "address_refused", to("http://[::1]/");
    redirect_to_mapped_address => "address_refused", to("http://[::ffff:10.0.0.1]/");
    redirect_to_octal_address => "address_refused", to("http://0177.0.0.1/");
    redirect_to_one_number => "address_refused", to("http://2130706433/");
    redirect_to_localhost => "name_refused", to("http://localhost/");
    redirect_to_internal_name => "name_refused", to("http://vault.internal/");
    redirect_to_a_file => "scheme_refused", to("file:///etc/passwd");
    redirect_to_gopher => "scheme_refused", to("gopher://127.0.0.1:6379/_FLUSHALL");
    redirect_to_script => "scheme_refused", to("javascript:alert(1)");
    redirect_to_data => "scheme_refused", to("data:text/html,<h1>here</h1>");
    redirect_with_a_password => "userinfo_refused", to("http://me:secret@jobs.example.com/");
    redirect_to_another_port => "port_refused", to("http://jobs.example.com:22/");
    redirect_to_nowhere => "bad_redirect", Act::close(head("302 Found", &["content-length: 0"], b""));
    redirect_to_rubbish => "bad_redirect", to("http://[not an address/");
    redirect_to_bytes => "bad_redirect", Act::close([&b"HTTP/1.1 302 Found\r\nlocation: http://\xff\xfe/\r\ncontent-length: 0\r\n\r\n"[..]].concat());
    redirect_beyond_all_length => "url_too_long", to(&format!("/{}", "a".repeat(5_000)));
    redirect_with_an_endless_body => "address_refused", Act::flood(head("302 Found", &["location: http://10.0.0.1/"], b""), vec![b'a'; 64 * 1024]);
}

fn to(location: &str) -> Act {
    Act::close(head("302 Found", &[&format!("location: {location}"), "content-length: 0"], b""))
}
