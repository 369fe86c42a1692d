use proptest::prelude::*;

use super::*;

fn page(html: &str) -> Page {
    Page::parse(html.as_bytes(), None).unwrap()
}

fn refused(html: &str) -> &'static str {
    Page::parse(html.as_bytes(), None).unwrap_err().what
}

#[test]
fn visible_text_leaves_out_what_no_reader_sees() {
    let page = page(
        "<html><head><title>T</title><style>b{}</style></head><body><header>Top</header><nav>Menu</nav>
         <main><header><h1>Baker</h1></header><p>Good  <b>bre</b>ad<br>daily</p>
         <script>var x = '<p>no</p>'</script><noscript>no</noscript><template><p>no</p></template>
         <div hidden>no</div><div aria-hidden=TRUE>no</div><p style='color:red; DISPLAY : none'>no</p>
         <p class='x d-none'>no</p></main><footer>Bottom</footer></body></html>",
    );
    assert_eq!(page.visible_text(), "Baker Good bread daily");
    assert_eq!(page.title().as_deref(), Some("T"));
    assert_eq!(page.headings().len(), 1);
}

#[test]
fn unclosed_and_stray_tags_are_tolerated() {
    let page =
        page("<body><p>one<p>two<ul><li>a<li>b</ul></div></span><table><tr><td>x<td>y<tr><td>z</table>end");
    assert_eq!(page.visible_text(), "one two a b x y z end");
    let depth = |text: &str| {
        let id = (0..page.nodes.len()).map(NodeId::at).find(|&id| {
            page.tag(id).is_empty() && page.text[page.nodes[id.index()].from as usize..].starts_with(text)
        });
        page.ancestors(id.unwrap()).count()
    };
    assert_eq!(depth("one"), depth("two"));
    assert_eq!(depth("a"), depth("b"));
    assert_eq!(depth("x"), depth("z"));
    assert_eq!(depth("end"), depth("one") - 1);
}

#[test]
fn an_inline_end_tag_does_not_tear_a_block_and_a_cell_keeps_its_end_tags() {
    let page = page("<b><div id=a>one</b> two</div></b><div id=b><table><td></div>three</table>four</div>");
    let by_id =
        |wanted| page.elements(Page::ROOT).find(|&id| page.attribute(id, "id") == Some(wanted)).unwrap();
    assert_eq!(page.text_of(by_id("a")), "one two");
    assert_eq!(page.text_of(by_id("b")), "three four");
}

#[test]
fn a_page_without_the_end_of_its_head_still_has_a_body() {
    assert_eq!(page("<head><title>T</title><p>text").visible_text(), "text");
    assert_eq!(page("<head>text").visible_text(), "text");
}

#[test]
fn json_ld_is_found_in_any_spelling_of_its_type() {
    let page = page(
        "<script type=application/ld+json>1</script><SCRIPT TYPE='Application/LD+JSON; charset=utf-8'>2</SCRIPT>
         <script type=text/javascript>3</script><script type='application/ld+json'></script>
         <div><script type='application/ld+json'>\"</p>\"",
    );
    assert_eq!(page.json_ld(), ["1", "2", "\"</p>\""]);
}

#[test]
fn the_first_of_two_equal_attributes_counts() {
    let page = page("<p id=a id=b class=c>x</p id=d>");
    let p = page.elements(Page::ROOT).next().unwrap();
    assert_eq!(page.attribute(p, "id"), Some("a"));
    assert_eq!(page.attribute(p, "class"), Some("c"));
}

#[test]
fn depth_is_capped() {
    assert!(Page::parse("<div>".repeat(MAX_DEPTH).as_bytes(), None).is_ok());
    assert_eq!(refused(&"<div>".repeat(MAX_DEPTH + 1)), "depth");
    assert_eq!(refused(&"<div>".repeat(100_000)), "depth");
}

#[test]
fn attributes_are_counted_before_they_are_kept() {
    let tag = |count: usize| format!("<p {}>", (0..count).map(|n| format!("a{n}=1 ")).collect::<String>());
    assert!(Page::parse(tag(MAX_ATTRIBUTES).as_bytes(), None).is_ok());
    assert_eq!(refused(&tag(MAX_ATTRIBUTES + 1)), "attributes");
    assert_eq!(refused(&tag(100_000)), "attributes");
    assert_eq!(refused(&format!("<p {}>", "a=1 ".repeat(100_000))), "attributes");
    assert_eq!(refused(&format!("</p {}>", "a=1 ".repeat(100_000))), "attributes");
    assert!(
        Page::parse("<p a b c></p>".repeat(1_000).as_bytes(), None).is_ok(),
        "a count per tag, not per page"
    );
}

#[test]
fn nodes_and_bytes_are_capped() {
    assert_eq!(refused(&"<br>".repeat(MAX_NODES)), "nodes");
    assert!(Page::parse("<br>".repeat(MAX_NODES - 1).as_bytes(), None).is_ok());
    assert_eq!(refused(&" ".repeat(MAX_BYTES + 1)), "bytes");
}

/// What the tokenizer does before it tells us anything is bounded before it begins.
#[test]
fn marks_names_and_kept_attributes_are_counted() {
    assert_eq!(refused(&"&".repeat(250_001)), "references");
    assert!(Page::parse("&".repeat(250_000).as_bytes(), None).is_ok());
    assert_eq!(refused(&"\0".repeat(250_001)), "NUL characters");
    assert_eq!(refused(&format!("<p {}></p>", "a ".repeat(250)).repeat(4_001)), "attributes");
    assert_eq!(refused(&"<".repeat(1_000_001)), "tags");
    let names: String = (0..2_100).map(|n| format!("<x{n}></x{n}>")).collect();
    assert_eq!(refused(&names), "names");
    assert_eq!(refused(&"<b id=a class=b></b>".repeat(150_001)), "attributes");
    assert_eq!(refused(&format!("<meta charset=windows-1252>{}", "x".repeat(MAX_BYTES))), "bytes");
    let grows = [b"<meta charset=windows-1252>".as_slice(), &b"\x80".repeat(MAX_BYTES / 2)].concat();
    assert_eq!(Page::parse(&grows, None).unwrap_err().what, "bytes");
}

#[test]
fn a_name_or_value_beyond_all_use_is_cut() {
    let long = "a".repeat(100_000);
    let page = page(&format!("<{long} class='{long}'>one</{long}>two"));
    let id = page.elements(Page::ROOT).next().unwrap();
    assert_eq!((page.tag(id).len(), page.attribute(id, "class").unwrap().len()), (64, 64 * 1024));
    assert_eq!(page.text_of(id), "one");
}

#[test]
fn end_tags_that_make_us_search_are_charged_to_a_budget() {
    let search = format!("<div><table><td>{}{}", "<b>".repeat(400), "</div>".repeat(200_000));
    assert_eq!(refused(&search), "steps");
    assert!(Page::parse("</b>".repeat(900_000).as_bytes(), None).is_ok(), "stray end tags cost no search");
}

#[test]
fn hostile_shapes_are_read_or_refused_in_linear_time() {
    let shapes = [
        "<".repeat(1_000_000),
        "&".repeat(1_000_000),
        "<!--".repeat(250_000),
        format!("<script>{}", "</scrip".repeat(200_000)),
        format!("<p title='{}", "x".repeat(5_000_000)),
        format!("<p>{}", "word ".repeat(1_000_000)),
        "<p><b><i><a>".repeat(60_000),
        "<li>".repeat(250_000),
        "<table><tr><td>".repeat(200),
        format!("{}{}", "<section>".repeat(500), "<header></header>".repeat(250_000)),
    ];
    for shape in shapes {
        if let Ok(page) = Page::parse(shape.as_bytes(), None) {
            let _ = (
                page.visible_text(),
                page.headings(),
                page.json_ld(),
                page.title(),
                page.posting_block(None),
            );
        }
    }
}

#[test]
fn an_unclosed_script_swallows_the_rest_and_nothing_else() {
    let page = page("<p>seen</p><script type=application/ld+json>{\"a\":1}<p>unseen</p>");
    assert_eq!(page.visible_text(), "seen");
    assert_eq!(page.json_ld(), ["{\"a\":1}<p>unseen</p>"]);
}

proptest! {
    #[test]
    fn any_bytes_can_be_parsed(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        if let Ok(page) = Page::parse(&bytes, None) {
            let _ = (page.visible_text(), page.headings(), page.json_ld(), page.posting_block(None));
        }
    }

    #[test]
    fn any_soup_keeps_subtrees_inside_their_parents(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("<div>"), Just("</div>"), Just("<p>"), Just("</p>"), Just("<b>"), Just("</b>"), Just("<table>"),
                Just("<td>"), Just("</td>"), Just("<tr>"), Just("</table>"), Just("<li>"), Just("<ul>"), Just("</ul>"),
                Just("<h1>"), Just("</h1>"), Just("<a href=x>"), Just("</a>"), Just("<br>"), Just("text"), Just("<head>"),
                Just("<body>"), Just("<script>"), Just("</script>"), Just("<svg/>"), Just("<header>"), Just("<main>"),
            ],
            0..200,
        )
    ) {
        let page = page(&parts.concat());
        for (at, node) in page.nodes.iter().enumerate().skip(1) {
            let parent = &page.nodes[node.parent.index()];
            prop_assert!(node.parent.index() < at && at < node.end as usize && node.end <= parent.end);
        }
        let _ = (page.visible_text(), page.posting_block(Some("text")));
    }
}
