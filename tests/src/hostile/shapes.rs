//! Pages that are quadratic, explosive or merely enormous for a careless parser, each with what a careful
//! one makes of it: `too_complex`, or the ordinary verdict of a page with that content.

/// The largest page that egress hands on.
const MOST: usize = 10 * 1024 * 1024;

/// A hostile page.
pub struct Shape {
    pub name: &'static str,
    /// The verdict's code when it is read as a job posting.
    pub code: &'static str,
    pub make: fn() -> Vec<u8>,
}

macro_rules! shapes {
    ($($name:ident => $code:literal, $make:expr;)+) => {
        /// Every shape, largest allowed size unless its point is another.
        pub static SHAPES: &[Shape] = &[
            $(Shape { name: stringify!($name), code: $code, make: || $make },)+
        ];
    };
}

shapes! {
    deep_divs => "too_complex", full("<div>");
    deep_inline => "too_complex", full("<b>");
    deep_lists => "too_complex", full("<ul><li>");
    deep_tables => "too_complex", full("<table><tr><td>");
    deep_just_allowed => "no_posting", nested(500, "<div>", "word ", "</div>");
    many_attributes => "too_complex", around("<p ", &numbered(" a", "=1"), ">");
    many_equal_attributes => "too_complex", around("<p ", &full(" id=a"), ">");
    attributes_on_an_end_tag => "too_complex", around("</p ", &full(" a=1"), ">");
    attributes_up_to_the_cap => "too_complex", full(&format!("<p {}></p>", "class=a id=b style=c href=d ".repeat(60)));
    kept_attributes_everywhere => "too_complex", full("<b id=a class=b type=c name=d role=e href=f lang=g style=h rel=i content=j></b>");
    megabyte_attribute => "no_posting", around("<p title=\"", &full("x"), "\">text");
    megabyte_kept_attribute => "no_posting", around("<p class=\"", &full("x "), "\">text");
    megabyte_style => "no_posting", around("<p style=\"", &full("a:b;"), "\">text");
    unclosed_attribute => "no_posting", around("<p title='", &full("x"), "");
    unclosed_tag => "no_posting", around("<p ", &full(" "), "");
    long_tag_name => "no_posting", around("<", &full("a"), ">text");
    many_tag_names => "too_complex", closed_numbered();
    comment_never_closed => "no_posting", around("<!--", &full("x"), "");
    comments_everywhere => "too_complex", full("<!---->");
    comment_dashes => "no_posting", around("<!--", &full("-"), "");
    comment_starts => "too_complex", full("<!--");
    bogus_comments => "too_complex", full("<?x>");
    cdata_never_closed => "no_posting", around("<svg><![CDATA[", &full("]]"), "");
    doctypes => "no_posting", full("<!doctype html>");
    ampersands => "too_complex", full("&");
    numeric_references => "too_complex", full("&#65;");
    huge_numeric_reference => "no_posting", around("&#", &full("9"), ";");
    entity_flood => "too_complex", full("&lt;");
    longest_entity_prefixes => "too_complex", full("&CounterClockwiseContourIntegra");
    ampersands_in_an_attribute => "too_complex", around("<p title=\"", &full("&"), "\">");
    less_thans => "too_complex", full("<");
    stray_end_tags => "too_complex", full("</b>");
    end_tags_that_search => "too_complex", [b"<div><table><td>".to_vec(), "<b>".repeat(400).into_bytes(), full("</div>")].concat();
    misnested_formatting => "too_complex", full("<b><i><a></b></i>");
    adoption_agency => "too_complex", full("<a><p></a>");
    foster_parents => "too_complex", around("<table>", &full("<b>x<tr>"), "");
    paragraphs_never_closed => "too_complex", full("<p>");
    items_never_closed => "too_complex", full("<li>");
    options => "too_complex", around("<select>", &full("<option>x"), "");
    selects_in_selects => "too_complex", full("<select>");
    templates => "too_complex", full("<template>");
    svg_and_math => "too_complex", full("<svg><math>");
    foreign_self_closing => "too_complex", around("<svg>", &full("<g/>"), "");
    framesets => "too_complex", full("<frameset><frame>");
    headings_in_headings => "too_complex", full("<h1>x<h2>y");
    headings => "too_complex", full("<h1>Cook</h1>");
    sections_with_headers => "too_complex", [b"<section>".repeat(500), full("<header></header>")].concat();
    forms => "too_complex", full("<form>");
    plaintext => "too_complex", around("<plaintext>", &full("<b>"), "");
    giant_text => "no_posting", full("word ");
    giant_word => "no_posting", full("x");
    short_lines => "too_complex", full("a<br>");
    only_spaces => "no_posting", full(" ");
    only_newlines => "no_posting", full("\r\n");
    null_bytes => "not_a_page", full("\0");
    null_bytes_in_text => "too_complex", around(&"text ".repeat(300), &full("a\0"), "");
    invalid_utf_8 => "too_complex", full_of(b"<p>\xFF\xC0\x80");
    three_bytes_for_one => "too_complex", around("<meta charset=windows-1252>", &full_of(b"\x80"), "");
    utf_16 => "too_complex", [b"\xFF\xFE".to_vec(), full_of(b"<\0b\0>\0")].concat();
    scripts => "too_complex", full("<script></script>");
    script_never_closed => "too_complex", around("<script>", &full("</scrip"), "");
    script_escapes => "too_complex", around("<script><!--<script>", &full("--><!--"), "");
    json_ld_of_ten_megabytes => "too_complex", json_ld(&format!("\"{}\"", "x".repeat(MOST - 100)));
    json_ld_of_many_zeros => "too_complex", json_ld(&format!("[{}0]", "0,".repeat(MOST / 2 - 100)));
    json_ld_of_many_objects => "too_complex", json_ld(&format!("[{}0]", "{},".repeat(MOST / 3 - 100)));
    json_ld_of_small_objects => "no_posting", json_ld(&format!("[{}0]", "{\"@type\":\"JobPosting\"},".repeat(19_000)));
    json_ld_deep => "no_posting", json_ld(&"[".repeat(300_000));
    json_ld_deep_objects => "no_posting", json_ld(&"{\"a\":".repeat(19_000));
    json_ld_escapes => "no_posting", json_ld(&format!("\"{}\"", "\\u0041".repeat(600_000)));
    json_ld_control_characters => "no_posting", json_ld(&format!("{{\"a\":\"{}\"}}", "\n".repeat(3_900_000)));
    json_ld_scripts => "too_complex", full("<script type=application/ld+json>{\"@type\":\"JobPosting\",\"title\":\"a\"}</script>");
    json_ld_equal_postings => "live", [posting(""), b"<script type=application/ld+json>".to_vec(), format!("[{}0]", "{\"@type\":\"Offer\"},".repeat(15_000)).into_bytes(), b"</script>".to_vec()].concat();
    json_ld_description_of_tags => "live", posting(&"<p>".repeat(400_000));
    json_ld_description_of_references => "live", posting(&"&amp;".repeat(150_000));
    json_ld_places => "live", posting_with(&format!("\"jobLocation\":[{}\"Graz\"]", "\"Graz, Austria\",".repeat(100_000)));
    json_ld_employment_types => "live", posting_with(&format!("\"employmentType\":\"{}\"", "a,".repeat(190_000)));
    classes => "no_posting", around("<p class='", &full("hidden-no "), "'>text");
    similar_jobs => "too_complex", full("<div><h2>Similar jobs</h2><a href=x>y</a></div>");
    notices => "too_complex", around("<h1>Cook</h1>", &full("<p>we may say that this was filled"), "");
    mail_signs => "no_posting", around("<p>", &full("a@"), "");
    digits => "no_posting", around("<p>", &full("+1 2-"), "");
    copyright_signs => "no_posting", around("<p>", &full("©"), "");
}

/// As many as fit.
fn full(piece: &str) -> Vec<u8> {
    full_of(piece.as_bytes())
}

fn full_of(piece: &[u8]) -> Vec<u8> {
    piece.repeat((MOST - 16 * 1024) / piece.len())
}

fn around(before: &str, middle: &[u8], after: &str) -> Vec<u8> {
    [before.as_bytes(), middle, after.as_bytes()].concat()
}

fn nested(depth: usize, open: &str, text: &str, close: &str) -> Vec<u8> {
    let one = [open.repeat(depth), text.to_owned(), close.repeat(depth)].concat();
    one.repeat(290_000 / (depth + 1)).into_bytes()
}

fn numbered(before: &str, after: &str) -> Vec<u8> {
    (0..500_000).map(|n| format!("{before}{n}{after}")).collect::<String>().into_bytes()
}

fn closed_numbered() -> Vec<u8> {
    (0..400_000).map(|n| format!("<x{n}></x{n}>")).collect::<String>().into_bytes()
}

fn json_ld(json: &str) -> Vec<u8> {
    format!("<script type=application/ld+json>{json}</script><p>text").into_bytes()
}

fn posting(description: &str) -> Vec<u8> {
    posting_with(&format!("\"description\":\"{description}\""))
}

fn posting_with(members: &str) -> Vec<u8> {
    json_ld(&format!("{{\"@type\":\"JobPosting\",\"title\":\"Cook\",{members}}}"))
}
