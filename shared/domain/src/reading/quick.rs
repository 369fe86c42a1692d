//! The short way for a page whose JSON-LD says everything: its scripts are found in the bytes, and no tree is grown. Only
//! the tree knows which part of a page is the posting's own, so a page with any word of a closing notice in its text goes
//! the long way. Either way gives the same reading.

use memchr::{memchr, memmem};

use crate::change::block;
use crate::extract::Reading;
use crate::identity;
use crate::job_posting::reading;
use crate::json_ld::{self, Found};
use crate::notice::{Visit, standing};
use crate::phrase;
use crate::posting::Posting;
use crate::reading::method::Method;
use crate::visible::{after_tag, raw_end};

/// Scripts of JSON-LD on one page; more is no page to be quick with.
const MAX_SCRIPTS: usize = 20;

/// The reading of a page whose JSON-LD is whole, alone and undoubted.
pub fn read(html: &str, visit: &Visit<'_>) -> Option<Reading> {
    memmem::find(html.as_bytes(), b"JobPosting")?;
    let scripts = scan(html)?;
    let values = json_ld::values(&scripts).ok()?;
    let Found::Posting(value) = json_ld::find(values, visit.final_url, None) else { return None };
    let (posting, dropped) = Posting::from_schema(&value, visit.final_url, Method::JsonLd);
    if !posting.is_whole() || !identity::is_kept(visit.requested_url, visit.final_url, Some(&posting)) {
        return None;
    }
    let verdict = standing(&posting, visit);
    let block = block::of_posting(&posting);
    Some(Reading { block, ..reading(posting, dropped, verdict) })
}

/// The page's JSON-LD; none when it has none, or when its text may hold a notice, or when the bytes alone cannot say
/// where a script ends.
fn scan(html: &str) -> Option<Vec<&str>> {
    let bytes = html.as_bytes();
    let mut scripts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let text = memchr(b'<', &bytes[at..]).map_or(bytes.len(), |found| at + found);
        if text > at {
            let piece = &html[at..text];
            if phrase::may_close(piece) || phrase::may_go_on(piece) {
                return None;
            }
        }
        at = match &bytes[text..] {
            [] => break,
            [b'<', b'!', b'-', b'-', ..] => text + 4 + memmem::find(&bytes[text + 4..], b"-->")? + 3,
            [b'<', b'!' | b'?', ..] => text + 2 + memchr(b'>', &bytes[text + 2..])? + 1,
            [b'<', letter, ..] if letter.is_ascii_alphabetic() => {
                let end = after_tag(bytes, text);
                let tag = &bytes[text + 1..end];
                match raw_name(tag) {
                    None => end,
                    Some(name) => {
                        let close = raw_end(bytes, end, name);
                        if name == b"script" && is_json_ld(tag) {
                            let script = html.get(end..close)?;
                            // `<!--` and `<script` inside change where a script ends
                            if script.contains("<!--") || scripts.len() == MAX_SCRIPTS {
                                return None;
                            }
                            scripts.push(script);
                        }
                        close
                    }
                }
            }
            [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic() => after_tag(bytes, text),
            _ => text + 1,
        };
    }
    (!scripts.is_empty()).then_some(scripts)
}

/// The name of an element whose content is no markup.
fn raw_name(tag: &[u8]) -> Option<&'static [u8]> {
    const RAW: [&[u8]; 9] =
        [b"script", b"style", b"title", b"textarea", b"noscript", b"iframe", b"noembed", b"noframes", b"xmp"];
    RAW.into_iter().find(|name| {
        tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && tag.get(name.len()).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))
    })
}

fn is_json_ld(tag: &[u8]) -> bool {
    memmem::find(tag, b"ld+json").is_some() || memmem::find(&tag.to_ascii_lowercase(), b"ld+json").is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::extract::Extract;
    use crate::job_posting::JobPosting;
    use crate::page::Page;

    const URL: &str = "https://loft.example/jobs/7";
    const WHOLE: &str = r#"{"@type":"JobPosting","title":"Net Mender","hiringOrganization":"Seine & Co",
        "jobLocation":"Sligo, Ireland","datePosted":"2026-10-02","description":"<p>Mend nets. This post has been filled before.</p>"}"#;

    fn visit() -> Visit<'static> {
        Visit { requested_url: URL, final_url: URL, fetched_at: "2026-11-16T00:00:00Z".parse().unwrap() }
    }

    fn page(script: &str, body: &str) -> String {
        format!(
            "<!doctype html><head><title>Net Mender</title><script type=\"application/ld+json\">{script}</script></head><body>{body}</body>"
        )
    }

    fn long(html: &str) -> Reading {
        JobPosting.read(&Page::parse(html.as_bytes(), None).unwrap(), &visit()).unwrap()
    }

    #[test]
    fn a_whole_posting_is_read_without_a_tree_and_reads_the_same() {
        let html = page(
            WHOLE,
            "<h1>Net Mender</h1><p>Seine & Co, Sligo</p><script>let closed = 'no longer'</script>",
        );
        let quick = read(&html, &visit()).unwrap();
        assert_eq!(quick.verdict.code, "live");
        assert_eq!(quick, long(&html));
    }

    #[test]
    fn whatever_may_need_the_tree_goes_the_long_way() {
        for (why, html) in [
            ("a notice", page(WHOLE, "<h1>Net Mender</h1><p>This position has been filled.</p>")),
            ("a gap", page(&WHOLE.replace("datePosted", "x"), "")),
            ("two postings", page(&format!("[{WHOLE},{}]", WHOLE.replace("Mender", "Maker")), "")),
            (
                "in a comment",
                page("{}", &format!("<!--<script type=application/ld+json>{WHOLE}</script>-->")),
            ),
            ("broken", page(&WHOLE.replace("\"title\"", "title"), "")),
            ("none", "<h1>JobPosting</h1>".to_owned()),
        ] {
            assert_eq!(read(&html, &visit()), None, "{why}");
        }
    }

    #[test]
    fn a_notice_in_any_language_is_not_overlooked() {
        for line in phrase::EXAMPLES {
            for shown in [format!("<p>{line}</p>"), format!("<p><b>{}</b></p>", line.to_uppercase())] {
                assert_eq!(read(&page(WHOLE, &shown), &visit()), None, "{shown}");
            }
        }
    }

    proptest! {
        #[test]
        fn both_ways_read_the_same(body in "(<(p|div|nav|b|h1|footer)>|</(p|div|nav|b|h1)>|Net Mender|Seine |filled |<!-- x -->|<br>){0,30}") {
            let html = page(WHOLE, &body);
            if let Some(quick) = read(&html, &visit()) {
                prop_assert_eq!(quick, long(&html));
            }
        }

        #[test]
        fn any_text_can_be_scanned(text in ".*", tags in "[<>/!\"'= a-s&#-]{0,60}") {
            let _ = (scan(&text), scan(&tags), scan(&format!("<script type=ld+json>{tags}")));
        }
    }
}
