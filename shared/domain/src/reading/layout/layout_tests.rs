//! Pages without any markup, of invented boards in several languages and several tastes of table.

use jiff::Timestamp;
use proptest::prelude::*;

use crate::extract::{Reading, read_job_posting};
use crate::notice::State;
use crate::posting::Posting;

const PROSE: &str = "You mend the nets of six boats from October to March, in a dry loft above the harbour, and you keep the \
    book of every mesh. We bring twine, tea and a stove that draws well in any wind. You bring patience, strong fingers, and a \
    liking for quiet company. Whoever has worked with cotton, hemp or nylon before will find the rest easy to learn here.";

fn read_at(html: &str, url: &str) -> Reading {
    let now: Timestamp = "2026-11-16T00:00:00Z".parse().unwrap();
    read_job_posting(html.as_bytes(), Some("text/html; charset=utf-8"), url, url, now)
}

fn read(html: &str) -> Reading {
    read_at(html, "https://board.example/jobs/77")
}

fn posting(html: &str) -> Posting {
    let reading = read(html);
    assert_eq!(
        (reading.verdict.state, reading.verdict.code),
        (State::Active, "live"),
        "{}",
        reading.verdict.reason
    );
    reading.posting.unwrap()
}

/// Title, company, place, day.
fn core(posting: &Posting) -> [Option<String>; 4] {
    [
        posting.job_title.clone(),
        posting.company_name.clone(),
        posting.location.as_ref().and_then(|place| place.raw.clone()),
        posting.date_posted.map(|day| day.to_string()),
    ]
}

fn expected(title: &str, company: &str, place: &str, day: &str) -> [Option<String>; 4] {
    [title, company, place, day].map(|text| Some(text.to_owned()))
}

#[test]
fn a_table_of_facts_beside_a_title_in_a_span() {
    let html = format!(
        "<title>Find work - Net Mender Jobs in Sligo, Ireland - Seine & Co</title><table><tr><td><table>
        <tr><td>Company:</td><td><a href=/c>Seine & Co</a></td></tr><tr><td>Fax:</td><td></td></tr>
        <tr><td>Location:</td><td>Sligo, Ireland</td></tr><tr><td>Base pay:</td><td>€14.50 per hour</td></tr>
        <tr><td>Job type:</td><td>Part-time</td></tr><tr><td>Posted:</td><td>3 October 2026</td></tr>
        <tr><td>Reference:</td><td>NM-12</td></tr></table></td><td><span class=job_title>Net Mender</span>
        <a href=/apply>Apply now</a><p>Job description</p><div>{PROSE}</div></td></tr></table>"
    );
    let posting = posting(&html);
    assert_eq!(core(&posting), expected("Net Mender", "Seine & Co", "Sligo, Ireland", "2026-10-03"));
    assert_eq!(posting.salary_range.as_deref(), Some("14.50 EUR per hour"));
    assert_eq!(posting.employment_type, ["PART_TIME"]);
    assert_eq!(posting.external_id.as_deref(), Some("NM-12"));
    assert!(posting.description.as_deref().unwrap().contains("keep the book of every mesh"));
    let by = |field: &str| posting.provenance[field].as_str();
    assert_eq!(
        (by("company_name"), by("date_posted"), by("posting_url")),
        ("text_rule", "text_rule", "meta")
    );
}

#[test]
fn a_definition_list_under_a_heading() {
    let html = format!(
        "<html lang=en><title>Net Mender Job in Boston, MA US</title><div id=top>Seine & Co</div><h2>Job summary</h2><dl>
        <dt>Company<dd>Seine & Co<dt>Location<dd>Boston, MA 02108<dt>Salary<dd><dt>Posted<dd>10/03/2026</dl>
        <h1>Net Mender</h1><h2>About the job</h2><div><p>{PROSE}</p></div><a href=/apply>Apply</a>"
    );
    assert_eq!(core(&posting(&html)), expected("Net Mender", "Seine & Co", "Boston, MA 02108", "2026-10-03"));
}

#[test]
fn headings_in_a_row_that_the_document_s_title_repeats() {
    let html = format!(
        "<title>Search - Net Mender - Seine & Co - Galway, IE - Boards R Us</title><h1><a href=/>Boards R Us</a></h1><div>
        <h3>Net Mender</h3><h4>Seine & Co</h4><h5>Galway, Galway County, Ireland</h5></div>
        <table><tr><th>Job ID:<td>12<tr><th>Posted:<td>October 3, 2026</table>
        <div><p>{PROSE}</p><p>Qualifications:</p><ul><li>patience</li></ul></div>"
    );
    let posting = posting(&html);
    assert_eq!(
        core(&posting),
        expected("Net Mender", "Seine & Co", "Galway, Galway County, Ireland", "2026-10-03")
    );
}

#[test]
fn what_the_prose_says_of_another_place_and_day_is_not_believed_over_the_board_s_own() {
    let html = format!(
        "<title>'Net Mender' in Sligo, Ireland job posted by Seine & Co</title><h3>Net Mender</h3><i>Posted:&nbsp; October 3, 2026</i>
        <div>{PROSE}<p>Primary Location : Cork, Ireland</p><p>Posting Date : Nov 1, 2026</p><p>{PROSE}</p></div>
        <table><tr><td><b>Location:</b><td>Sligo, Ireland<tr><td><b>Company:</b><td>Seine & Co</table>"
    );
    assert_eq!(core(&posting(&html)), expected("Net Mender", "Seine & Co", "Sligo, Ireland", "2026-10-03"));
}

#[test]
fn other_languages_and_newer_tastes() {
    let german = format!(
        "<html lang=de><title>Netzflicker (m/w/d) bei Seine GmbH</title><main><h1>Netzflicker (m/w/d)</h1><div><span class=label>Unternehmen</span>
        <span>Seine GmbH</span></div><div><b>Standort:</b> Kiel, Deutschland</div><p>Veröffentlicht am 03.10.2026</p>
        <h2>Ihre Aufgaben</h2><p>{PROSE}</p><a href=/x>Jetzt bewerben</a></main>"
    );
    assert_eq!(
        core(&posting(&german)),
        expected("Netzflicker (m/w/d)", "Seine GmbH", "Kiel, Deutschland", "2026-10-03")
    );
    let czech = format!(
        "<html lang=cs><title>Opravář sítí – Síťovna s.r.o.</title><div><h1>Opravář sítí</h1><p>Síťovna s.r.o.</p>
        <p><a href='https://maps.example/?q=1'>Nábřežní 12/4, Brno – Komín</a></p><p>Zveřejněno: 3. října 2026</p><a href=/x>Odpovědět</a></div>
        <div><p>Pracovní nabídka</p><p>{PROSE}</p></div>"
    );
    assert_eq!(
        core(&posting(&czech)),
        expected("Opravář sítí", "Síťovna s.r.o.", "Nábřežní 12/4, Brno – Komín", "2026-10-03")
    );
    let french = format!(
        "<html lang=fr><title>Ramendeur chez Seine SARL | Emplois du port</title><h1>Ramendeur</h1><ul><li><strong>Entreprise</strong> Seine SARL</li>
        <li><strong>Lieu</strong> Brest, France</li><li>Publiée il y a 3 jours</li></ul><h3>Vos missions</h3><p>{PROSE}</p><button>Postuler</button>"
    );
    assert_eq!(core(&posting(&french)), expected("Ramendeur", "Seine SARL", "Brest, France", "2026-11-13"));
}

#[test]
fn a_list_of_postings_is_not_a_posting() {
    let row = |at: usize| {
        format!(
            "<li><h3><a href=/jobs/{at}>Net Mender {at}</a></h3><p>Seine & Co, Sligo</p><p>{PROSE}</p></li>"
        )
    };
    let rows: String = (1..=8).map(row).collect();
    for head in ["<h1>Jobs in Sligo</h1>", "<h1>Net Mender</h1>", ""] {
        let html = format!(
            "<title>Net Mender jobs in Sligo</title>{head}<p>Location: Sligo</p><ul>{rows}</ul><a href=/x>Apply</a>"
        );
        let reading = read_at(&html, "https://board.example/jobs");
        assert_eq!((reading.verdict.code, reading.posting), ("list_page", None), "{head}");
    }
}

#[test]
fn other_pages_are_no_postings() {
    for html in [
        format!("<title>Our loft</title><h1>Our loft</h1><p>{PROSE}</p><p>{PROSE}</p>"),
        format!("<title>Seine & Co</title><h1>Careers</h1><p>{PROSE}</p><a href=/jobs>See our jobs</a>"),
        format!(
            "<title>Contact</title><h1>Contact us</h1><p>Company: Seine & Co</p><p>Phone: 1</p><p>{PROSE}</p>"
        ),
        "<title>Net Mender</title><h1>Net Mender</h1>".to_owned(),
    ] {
        let reading = read_at(&html, "https://seine.example/about");
        assert_eq!((reading.verdict.code, reading.posting), ("no_posting", None), "{html}");
    }
}

fn page_with(before: &str, inside: &str, after: &str) -> String {
    format!(
        "<title>Net Mender at Seine & Co</title><body><table><tr><td width=20%>{before}</td><td>{inside}<h1>Net Mender</h1>
        <table><tr><td>Company<td>Seine & Co<tr><td>Location<td>Sligo, Ireland</table><h3>Requirements</h3><div><p>{PROSE}</p></div>
        <a href=/x>Apply now</a></td></tr></table>{after}"
    )
}

#[test]
fn a_notice_closes_only_in_the_posting_s_own_block() {
    for notice in [
        "This job has expired.",
        "Diese Stelle ist leider nicht mehr verfügbar.",
        "Cette offre n’est plus disponible",
        "Esta oferta ya no está disponible",
        "Ta oferta pracy jest już nieaktualna",
        "Nabídka již není aktuální",
    ] {
        let own = read(&page_with("", &format!("<span><font color=red>{notice}</font></span>"), ""));
        assert_eq!((own.verdict.state, own.verdict.code), (State::Expired, "closed_notice"), "{notice}");
        assert!(own.posting.is_some(), "what a closed posting said stays known");
        let links: String = (0..8).map(|at| format!("<p><a href=/j/{at}>Cook {at}</a></p>")).collect();
        let similar =
            format!("<b>Similar jobs</b><div><a href=/1>Cook</a> <span>{notice}</span></div>{links}");
        for (where_, html) in [
            ("sidebar", page_with(&format!("{links}<p>{notice}</p>"), "", "")),
            (
                "recommendation",
                page_with("", "", &format!("<div class=recommended-jobs><p>Cook: {notice}</p></div>")),
            ),
            ("similar", page_with("", "", &similar)),
            ("footer", page_with("", "", &format!("<footer><p>{notice}</p></footer>"))),
        ] {
            let reading = read(&html);
            assert_eq!(reading.verdict.code, "live", "{where_}: {notice}: {}", reading.verdict.reason);
        }
    }
}

#[test]
fn gaps_of_the_data_are_filled_and_nothing_in_it_is_changed() {
    let data = r#"{"@type":"JobPosting","title":"Net Mender","hiringOrganization":"Seine & Co"}"#;
    let html = format!(
        "<script type=application/ld+json>{data}</script><title>Net Mender</title><h1>Net Mender</h1>
        <dl><dt>Company<dd>Somebody Else<dt>Location<dd>Sligo, Ireland<dt>Posted<dd>3 October 2026</dl><p>{PROSE}</p>"
    );
    let posting = posting(&html);
    assert_eq!(core(&posting), expected("Net Mender", "Seine & Co", "Sligo, Ireland", "2026-10-03"));
    assert_eq!(posting.provenance["company_name"], "json_ld");
    assert_eq!(posting.provenance["location"], "text_rule");
}

#[test]
fn marked_up_pages_are_read_by_their_markup() {
    let html = format!(
        "<title>x</title><div itemscope itemtype='http://schema.org/JobPosting'><h1 itemprop=title>Net Mender</h1>
        <span itemprop=hiringOrganization itemscope><b itemprop=name>Seine & Co</b></span><meta itemprop=datePosted content=2026-10-03>
        <p itemprop=jobLocation>Sligo, Ireland</p><div itemprop=description><p>{PROSE}</p></div></div>"
    );
    let marked = posting(&html);
    assert_eq!(core(&marked), expected("Net Mender", "Seine & Co", "Sligo, Ireland", "2026-10-03"));
    assert!(
        marked.provenance.iter().all(|(field, by)| field == "posting_url" || by == "microdata"),
        "{:?}",
        marked.provenance
    );
    let html = html.replace(
        "itemscope itemtype='http://schema.org/JobPosting'",
        "vocab='https://schema.org/' typeof=JobPosting",
    );
    let html = html
        .replace("itemprop=hiringOrganization itemscope", "property=hiringOrganization typeof=Organization")
        .replace("itemprop=", "property=");
    let marked = posting(&html);
    assert_eq!(core(&marked), expected("Net Mender", "Seine & Co", "Sligo, Ireland", "2026-10-03"));
    assert_eq!(marked.provenance["description"], "rdfa");
}

#[test]
fn a_page_that_repeats_itself_endlessly_is_read_in_time() {
    let rows = "<tr><td>Location:<td>Sligo<td>".repeat(20_000);
    let deep = "<div class=company-title><b>Posted:</b>".repeat(400);
    let one_row = format!("<table><tr>{}", "<td>Location<td>Posted".repeat(10_000));
    for html in [rows, deep.repeat(20), one_row, "<p>Similar jobs<p><a href=x>y</a>".repeat(20_000)] {
        let _ = read(&html);
    }
}

proptest! {
    #[test]
    fn any_layout_gives_a_reading(
        html in "(<(p|div|td|tr|table|dl|dt|dd|b|h1|h2|a href=x|span class=company|title|time datetime=2026-10-02|li)>|</(p|div|table|dl|b|h1|a|span|title)>|Location: |Posted |Company|Sligo, IE |3 days ago|Net Mender |é){0,60}"
    ) {
        let _ = read(&html);
    }

    #[test]
    fn any_bytes_give_a_reading(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let now: Timestamp = "2026-11-16T00:00:00Z".parse().unwrap();
        let _ = read_job_posting(&bytes, None, "https://board.example/jobs/77", "https://board.example/jobs/77", now);
    }
}
