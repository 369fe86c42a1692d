//! Data that stands in a page's scripts: the JSON after a marker, found without running anything. Linear.

/// The first JSON object or array after the marker, as it stands. Only white space, `=`, `:` and `(` may come
/// between.
pub fn json_after<'a>(html: &'a str, marker: &str) -> Option<&'a str> {
    let mut rest = html;
    while let Some(at) = rest.find(marker) {
        rest = &rest[at + marker.len()..];
        let text = rest.trim_start_matches([' ', '\n', '\r', '\t', '=', ':', '(']);
        if text.starts_with(['{', '[']) {
            return balanced(text);
        }
    }
    None
}

/// From an opening bracket to the one that closes it.
pub fn balanced(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            b'"' => {
                // a string: whatever is in it does not count
                loop {
                    match bytes.next()?.1 {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_json_after_a_marker_is_found_whole() {
        let html = r#"<script>window.data = {"a":"}\"{","b":[1,{}]}; window.data.more = 1;</script>"#;
        assert_eq!(json_after(html, "window.data"), Some(r#"{"a":"}\"{","b":[1,{}]}"#));
        assert_eq!(json_after("data: none; data: [1]", "data"), Some("[1]"));
        assert_eq!(json_after("data = {", "data"), None);
        assert_eq!(json_after("data = [\"", "data"), None);
    }

    proptest! {
        #[test]
        fn any_page_can_be_searched(text in "[\\[\\]{}\"\\\\a= é]*") {
            if let Some(found) = json_after(&text, "a") {
                prop_assert!(text.contains(found));
            }
        }
    }
}
