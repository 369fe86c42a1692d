//! Whole pages of invented companies, from bytes to reading.

use proptest::prelude::*;

use super::*;
use crate::location::RemoteKind;

macro_rules! page {
    ($name:literal) => {
        include_bytes!(concat!("../../tests/fixtures/pages/", $name, ".html")).as_slice()
    };
}

fn now() -> Timestamp {
    "2026-11-16T00:00:00Z".parse().unwrap()
}

fn read_at(bytes: &[u8], url: &str) -> Reading {
    read_job_posting(bytes, Some("text/html"), url, url, now())
}

fn read(bytes: &[u8]) -> Reading {
    read_at(bytes, "https://pages.example/jobs/77")
}

fn posting(bytes: &[u8]) -> Posting {
    let reading = read(bytes);
    assert_eq!(
        (reading.verdict.state, reading.verdict.code),
        (State::Active, "live"),
        "{}",
        reading.verdict.reason
    );
    assert!(reading.fingerprint.is_some());
    reading.posting.unwrap()
}

#[test]
fn a_posting_in_a_graph_is_live_though_its_prose_and_the_footer_talk_of_filling() {
    let posting = posting(page!("graph"));
    assert_eq!(posting.job_title.as_deref(), Some("Lighthouse Keeper"));
    assert_eq!(posting.company_name.as_deref(), Some("Harbour Lantern Ltd"));
    let place = posting.location.unwrap();
    assert_eq!(place.raw.as_deref(), Some("Galway, County Galway, IE"));
    assert_eq!(posting.external_id.as_deref(), Some("3301"));
    assert!(
        posting
            .description
            .unwrap()
            .starts_with("Keep the lamp burning and the log written.\n\nThis position")
    );
}

#[test]
fn an_escaped_description_and_three_places_are_read() {
    let posting = posting(page!("escaped_array"));
    assert_eq!(posting.job_title.as_deref(), Some("Orchard Planner (m/w/d)"));
    assert_eq!(posting.company_name.as_deref(), Some("Apfelhof & Söhne"));
    assert_eq!(posting.description.as_deref(), Some("Pläne für 3 Obstgärten.\n\nR&D\nErnte"));
    let cities: Vec<_> = posting.locations.iter().filter_map(|place| place.city.as_deref()).collect();
    assert_eq!(cities, ["Graz", "Linz", "Brno"]);
    assert_eq!(posting.salary_range.as_deref(), Some("3,200–3,900 EUR per month"));
}

#[test]
fn remote_work_is_remote_because_the_page_says_so() {
    let posting = posting(page!("remote"));
    assert_eq!(posting.remote, Some(RemoteKind::Remote));
    assert_eq!(posting.location, None);
    assert_eq!(posting.applicant_locations, ["Canada", "Portugal"]);
    assert_eq!(posting.salary_range.as_deref(), Some("41.50 CAD per hour"));
}

#[test]
fn a_list_is_not_a_posting_unless_the_page_is_one_of_its_members() {
    let list = read_at(page!("list"), "https://tidepool.example/jobs");
    assert_eq!((list.verdict.state, list.verdict.code), (State::Uncertain, "list_page"));
    assert_eq!(list.posting, None);
    let member = read_at(page!("list"), "https://tidepool.example/jobs/3");
    assert_eq!(member.posting.unwrap().job_title.as_deref(), Some("Role 3"));
    assert_eq!(member.verdict.code, "live", "the notices belong to rows of the list");
}

#[test]
fn a_closed_notice_closes_in_six_languages() {
    for (language, bytes) in [
        ("en", page!("closed_en")),
        ("de", page!("closed_de")),
        ("fr", page!("closed_fr")),
        ("es", page!("closed_es")),
        ("pl", page!("closed_pl")),
        ("cs", page!("closed_cs")),
    ] {
        let reading = read(bytes);
        assert_eq!(
            (reading.verdict.state, reading.verdict.code),
            (State::Expired, "closed_notice"),
            "{language}"
        );
        assert!(reading.posting.is_some(), "what a closed posting said stays known");
    }
    let removed = read(page!("removed"));
    assert_eq!((removed.verdict.state, removed.posting), (State::Expired, None));
}

#[test]
fn closed_phrases_all_over_the_page_but_not_in_the_block_close_nothing() {
    let posting = posting(page!("closed_elsewhere"));
    assert_eq!(posting.salary_range.as_deref(), Some("34,000 GBP per year"));
}

#[test]
fn a_wall_a_past_date_and_unreadable_data_are_uncertain() {
    for (bytes, code) in [
        (page!("bot_wall"), "bot_wall"),
        (page!("valid_through"), "valid_through_passed"),
        (page!("broken_beyond_repair"), "no_posting"),
    ] {
        let verdict = read(bytes).verdict;
        assert_eq!((verdict.state, verdict.code), (State::Uncertain, code));
    }
}

#[test]
fn broken_json_is_repaired_where_that_is_safe() {
    let posting = posting(page!("broken_json"));
    assert_eq!(posting.company_name.as_deref(), Some("O'Tick & Tock"));
    assert_eq!(posting.description.as_deref(), Some("Wind them. Oil them."));
}

#[test]
fn old_charsets_are_read() {
    assert_eq!(posting(page!("windows_1250")).job_title.as_deref(), Some("Řidič žací sekačky"));
    let posting = posting(page!("windows_1252"));
    assert_eq!(posting.company_name.as_deref(), Some("Four à Chaux"));
    assert_eq!(posting.salary_range.as_deref(), Some("2,000 EUR"));
}

#[test]
fn another_posting_s_fields_do_not_become_ours() {
    let moved = read_job_posting(
        page!("remote"),
        None,
        "https://a.example/jobs/1",
        "https://a.example/jobs/2",
        now(),
    );
    assert_eq!((moved.verdict.code, moved.posting, moved.fingerprint), ("identity_lost", None, None));
}

#[test]
fn a_page_over_a_limit_is_a_reading() {
    let reading = read("<div>".repeat(100_000).as_bytes());
    assert_eq!(reading.verdict.code, "too_complex");
    assert_eq!(reading.too_complex, Some(TooComplex { what: "depth" }));
}

/// Rotating recommendations move the SimHash; the field fingerprint stays, and moves with a field.
#[test]
fn the_fingerprint_follows_the_posting_and_not_the_page() {
    let text = std::str::from_utf8(page!("graph")).unwrap();
    let fingerprint = |html: &str| read(html.as_bytes()).fingerprint.unwrap();
    let noisy = text.replace(
        "</main>",
        "<section><h2>Similar jobs</h2><p>Tide Reader, seen 17 times today</p></section></main>",
    );
    assert_eq!(fingerprint(&noisy), fingerprint(text));
    let simhash = |html: &str| crate::fingerprint::page_simhash(html.as_bytes(), None);
    assert_ne!(simhash(&noisy), simhash(text));
    assert_ne!(fingerprint(&text.replace("Galway", "Sligo")), fingerprint(text));
}

#[test]
fn the_registry_has_every_target_type_once() {
    for &target in TargetType::ALL {
        assert_eq!(extractor(target).target(), target);
        assert!(extractor(target).version().starts_with(target.as_str()));
    }
    assert_eq!(REGISTRY.len(), TargetType::ALL.len());
}

/// A page that states only the fields whose bit is set, and the names of those fields.
fn page_stating(target: TargetType, mask: u8) -> (String, Vec<&'static str>) {
    let all: &[(&str, &str)] = match target {
        TargetType::LinkedinProfile => &[
            ("name", r#""name":"Mara Lindqvist""#),
            ("headline", r#""headline":"Keeper of tides""#),
            ("current_company", r#""worksFor":{"@type":"Organization","name":"Tidepool"}"#),
            ("location", r#""address":{"@type":"PostalAddress","addressLocality":"Galway"}"#),
            ("summary", r#""description":"I keep tide tables.""#),
        ],
        TargetType::CompanyWebsite => &[
            ("company_name", r#""name":"Lantern Ltd""#),
            ("description", r#""description":"We make lamps.""#),
            ("industry", r#""industry":"Lighting""#),
            ("employee_count_range", r#""numberOfEmployees":12"#),
            ("headquarters", r#""address":"Galway, Ireland""#),
            ("contact_email", r#""email":"hello@lantern.example""#),
            ("contact_phone", r#""telephone":"+353 91 555 0100""#),
        ],
        TargetType::JobPosting => &[
            ("job_title", r#""title":"Lighthouse Keeper""#),
            ("company_name", r#""hiringOrganization":"Lantern Ltd""#),
            ("location", r#""jobLocation":"Galway, Ireland""#),
            ("salary_range", r#""baseSalary":{"currency":"EUR","value":34000}"#),
            ("description", r#""description":"Keep the lamp burning.""#),
        ],
        TargetType::Apartment => &[
            ("name", r#""name":"Quay flat""#),
            ("bedrooms", r#""numberOfBedrooms":2"#),
            ("bathrooms", r#""numberOfBathroomsTotal":1"#),
            ("area", r#""floorSize":{"value":61,"unitCode":"MTK"}"#),
            ("address", r#""address":"Galway, Ireland""#),
            ("amenities", r#""amenityFeature":["Balcony"]"#),
            ("pet_policy", r#""petsAllowed":false"#),
            ("rent", r#""offers":{"@type":"Offer","price":1200,"priceCurrency":"EUR"}"#),
        ],
    };
    let kind = match target {
        TargetType::LinkedinProfile => "Person",
        TargetType::CompanyWebsite => "Organization",
        TargetType::JobPosting => "JobPosting",
        TargetType::Apartment => "Apartment",
    };
    let stated: Vec<_> =
        all.iter().enumerate().filter(|(at, _)| mask & (1 << at) != 0).map(|(_, one)| one).collect();
    let json: String = stated.iter().map(|(_, json)| format!(",{json}")).collect();
    // somebody without a name is nobody: the data is not taken for the page's own
    let known = stated.iter().map(|(field, _)| *field);
    let known = match target {
        TargetType::JobPosting | TargetType::Apartment => known.collect(),
        _ if mask & 1 == 0 => Vec::new(),
        _ => known.collect(),
    };
    (format!("<script type=application/ld+json>{{\"@type\":\"{kind}\"{json}}}</script><p>text"), known)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Property 13: what is not on the page is null, and the rest is there.
    #[test]
    fn property_13_a_missing_field_is_null_and_never_a_failure(
        target in prop::sample::select(TargetType::ALL.to_vec()), mask in any::<u8>(),
    ) {
        let (html, stated) = page_stating(target, mask);
        let url = "https://pages.example/in/77";
        let reading = super::read(target, html.as_bytes(), Some("text/html"), url, url, now());
        let result = reading.result.unwrap();
        for field in target.fields() {
            let value = result.get(field);
            prop_assert!(value.is_some(), "{} is left out", field);
            // these follow from others
            if field.ends_with("_url") || matches!(*field, "locations" | "salary" | "remote") {
                continue;
            }
            let empty = value.is_some_and(|value| value.is_null() || *value == serde_json::json!([]));
            prop_assert_eq!(empty, !stated.contains(field), "{}: {:?}", field, value);
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_give_a_reading(bytes in proptest::collection::vec(any::<u8>(), 0..1_000)) {
        prop_assert_ne!(read(&bytes).verdict.state, State::Active);
    }

    #[test]
    fn any_json_ld_gives_a_reading(json in "[\\[{]?[\"@typeJobPosting:,{}\\[\\]a-c0-9 ]{0,80}") {
        let html = format!("<script type=application/ld+json>{json}</script>");
        prop_assert_ne!(read(html.as_bytes()).verdict.state, State::Expired);
    }
}
