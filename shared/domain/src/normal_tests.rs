use crate::reading::method::Method;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::*;
use crate::target::TargetType;

/// What a target type's normaliser makes of raw data, as a caller sees it.
fn shown(target: TargetType, raw: &Raw) -> (Map<String, Value>, Vec<Dropped>) {
    let (value, dropped) = match target {
        TargetType::LinkedinProfile => parts(linkedin_profile(raw)),
        TargetType::CompanyWebsite => parts(company_website(raw)),
        TargetType::JobPosting => parts(job_posting(raw)),
        TargetType::Apartment => parts(apartment(raw, "2026-11-16T00:00:00Z".parse().unwrap())),
    };
    let Value::Object(mut fields) = value else { panic!("a record") };
    assert!(fields.remove("provenance").is_some_and(|origins| origins.is_object()));
    (fields, dropped)
}

fn parts<T: Serialize>(normal: Normal<T>) -> (Value, Vec<Dropped>) {
    (serde_json::to_value(&normal).unwrap(), normal.dropped)
}

/// Whether a record is one of the schema: every name there, nothing else, every type right.
fn holds<T: DeserializeOwned + Serialize>(fields: &Map<String, Value>) -> bool {
    let read: Result<T, _> = serde_json::from_value(Value::Object(fields.clone()));
    read.is_ok_and(|read| serde_json::to_value(read).unwrap() == Value::Object(fields.clone()))
}

fn is_valid(target: TargetType, fields: &Map<String, Value>) -> bool {
    match target {
        TargetType::LinkedinProfile => holds::<LinkedInProfileResult>(fields),
        TargetType::CompanyWebsite => holds::<CompanyWebsiteResult>(fields),
        TargetType::JobPosting => holds::<JobPostingResult>(fields),
        TargetType::Apartment => holds::<ApartmentResult>(fields),
    }
}

/// A field with the raw values that hold up and those that do not.
struct Case {
    target: TargetType,
    field: &'static str,
    good: &'static [&'static str],
    bad: &'static [&'static str],
}

const fn case(
    target: TargetType,
    field: &'static str,
    good: &'static [&'static str],
    bad: &'static [&'static str],
) -> Case {
    Case { target, field, good, bad }
}

const LINES: &[&str] = &["Lantern &amp; Sons", " <b>Wick</b>  Works ", "Úřad ö"];
const PROSE: &[&str] = &["<p>We make light.</p><p>And shade.</p>", "We make light."];
const ADDRESSES: &[&str] = &["http://a.example.com/x?utm_source=y", "www.example.com"];
const NO_ADDRESSES: &[&str] = &["javascript:alert(1)", "ftp://a.example.com/", "not an address"];
const PLACES: &[&str] = &["Graz, Austria", "somewhere"];
use TargetType::{Apartment, CompanyWebsite, JobPosting, LinkedinProfile};
static CASES: &[Case] = &[
    case(LinkedinProfile, "name", LINES, &[]),
    case(LinkedinProfile, "headline", LINES, &[]),
    case(LinkedinProfile, "current_company", LINES, &[]),
    case(LinkedinProfile, "location", PLACES, &[]),
    case(LinkedinProfile, "summary", PROSE, &[]),
    case(LinkedinProfile, "profile_url", ADDRESSES, NO_ADDRESSES),
    case(CompanyWebsite, "company_name", LINES, &[]),
    case(CompanyWebsite, "description", PROSE, &[]),
    case(CompanyWebsite, "industry", LINES, &[]),
    case(CompanyWebsite, "employee_count_range", &["51-200", "7+ people"], &["many", "5 of 6 of 7"]),
    case(CompanyWebsite, "headquarters", PLACES, &[]),
    case(CompanyWebsite, "contact_email", &["mailto:a@b.example"], &["a at b", "@", "logo@2x.png"]),
    case(CompanyWebsite, "contact_phone", &["tel:+1 979 696 0524"], &["12", "1-800-LANTERN"]),
    case(CompanyWebsite, "website_url", ADDRESSES, NO_ADDRESSES),
    case(CompanyWebsite, "about", PROSE, &[]),
    case(CompanyWebsite, "mission", PROSE, &[]),
    case(CompanyWebsite, "culture", PROSE, &[]),
    case(CompanyWebsite, "founded", &["1998", "2004-05-01"], &["long ago", "99999"]),
    case(CompanyWebsite, "tech_stack", &["Rust, Docker and PostgreSQL"], &[]),
    case(CompanyWebsite, "jobs_url", ADDRESSES, NO_ADDRESSES),
    case(JobPosting, "job_title", LINES, &[]),
    case(JobPosting, "company_name", LINES, &[]),
    case(JobPosting, "location", PLACES, &[]),
    case(JobPosting, "salary_range", LINES, &[]),
    case(JobPosting, "description", PROSE, &[]),
    case(JobPosting, "posting_url", ADDRESSES, NO_ADDRESSES),
    case(Apartment, "name", LINES, &[]),
    case(Apartment, "description", PROSE, &[]),
    case(Apartment, "rent", &["€1,200 / month", "980 € kalt"], &["cheap", "1 or 2 or 3", "€3"]),
    case(Apartment, "bedrooms", &["2", "Studio", "1-3 bd"], &["many", "400"]),
    case(Apartment, "bathrooms", &["1", "1.5 ba"], &["many", "1, 2, 3"]),
    case(Apartment, "area", &["58,5 m²", "650 - 1,020 sq ft"], &["58", "large"]),
    case(Apartment, "address", &["Graz, Austria", "12 Quay Lane, Sharon, PA 16146"], &["somewhere"]),
    case(Apartment, "street", LINES, &[]),
    case(Apartment, "postal_code", &["16146", "SG1 2EW"], &["none here", "a"]),
    case(Apartment, "available_from", &["now", "2026-12-01", "ab sofort"], &["soon"]),
    case(Apartment, "amenities", &["Balcony\nLift", "Garden"], &[]),
    case(Apartment, "pet_policy", &["No pets", "true", "Cats welcome"], &["blue"]),
    case(Apartment, "phone", &["tel:+1 979 696 0524"], &["12"]),
    case(Apartment, "listing_url", ADDRESSES, NO_ADDRESSES),
];

fn any_target() -> impl Strategy<Value = TargetType> {
    prop::sample::select(TargetType::ALL.to_vec())
}

/// A piece of marked-up text, and what a reader sees of it.
fn any_piece() -> impl Strategy<Value = (String, String)> {
    let tag = prop::sample::select(vec![
        "<b>",
        "</b>",
        "<p class='x'>",
        "</p>",
        "<br/>",
        "<div\nid=a>",
        "</DIV>",
        "<span>",
        "<li>",
        "</ul>",
        "<a href='#'>",
        "<script>evil()</script>",
        "<style>p{}</style>",
        "<!-- no -->",
        "<img src=x>",
    ]);
    let entity = prop::sample::select(vec![
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&#233;", "é"),
        ("&quot;", "\""),
        ("&amp;amp;", "&amp;"),
        ("&nbsp;", " "),
    ]);
    prop_oneof![
        3 => "[a-zA-Z0-9äöüéčß,.()' ]{1,12}".prop_map(|text| (text.clone(), text)),
        2 => tag.prop_map(|tag| (tag.to_owned(), String::new())),
        1 => entity.prop_map(|(raw, seen)| (raw.to_owned(), seen.to_owned())),
    ]
}

fn any_markup() -> impl Strategy<Value = (String, String)> {
    prop::collection::vec(any_piece(), 0..12).prop_map(|pieces| {
        // the tag at the beginning says that it is markup
        let raw = format!("<div>{}</div>", pieces.iter().map(|(raw, _)| raw.as_str()).collect::<String>());
        (raw, pieces.into_iter().map(|(_, seen)| seen).collect())
    })
}

fn solid(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Property 31: whatever was found, the result fits the schema; text has neither tags nor white space
    /// around it, and says what a reader of the markup sees, its entities decoded once.
    #[test]
    fn property_31_any_raw_data_becomes_a_record_of_the_schema(
        target in any_target(), values in prop::collection::vec((0..8_usize, any_markup()), 0..12), noise in ".{0,40}",
    ) {
        let texts = ["name", "headline", "current_company", "summary", "company_name", "description", "industry",
            "job_title", "salary_range"];
        let mut raw = Raw::default();
        let mut first: BTreeMap<&str, String> = BTreeMap::new();
        for (at, (markup, seen)) in &values {
            let field = target.fields()[at % target.fields().len()];
            raw.offer(field, Method::TextRule, Some(markup.as_str()));
            if !crate::shape::says_nothing(&squeezed(seen)) {
                first.entry(field).or_insert_with(|| seen.clone());
            }
        }
        for field in target.fields() {
            raw.offer(field, Method::Meta, Some(noise.as_str()));
        }
        let (fields, _) = shown(target, &raw);
        prop_assert!(is_valid(target, &fields), "{:?}", fields);
        for (field, value) in &fields {
            let Some(text) = value.as_str() else { continue };
            prop_assert_eq!(text.trim(), text);
            prop_assert!(!text.is_empty());
            if let Some(seen) = first.get(field.as_str()).filter(|_| texts.contains(&field.as_str())) {
                prop_assert_eq!(solid(text), solid(seen), "{}", field);
            }
        }
    }

    /// Property 32: what does not hold up is dropped and named; everything else stays.
    #[test]
    fn property_32_a_bad_field_takes_no_other_with_it(
        target in any_target(), picks in prop::collection::vec((0..4_u8, any::<prop::sample::Index>()), 8),
    ) {
        let mut raw = Raw::default();
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for (case, (pick, index)) in CASES.iter().filter(|case| case.target == target).zip(picks) {
            let long = "x".repeat(MAX_LINE + 1);
            match pick {
                0 => {}
                1 if !case.bad.is_empty() => {
                    raw.offer(case.field, Method::TextRule, Some(*index.get(case.bad)));
                    bad.push(case.field);
                }
                1 if case.good == LINES || case.good == PLACES => {
                    raw.offer(case.field, Method::TextRule, Some(long));
                    bad.push(case.field);
                }
                // a bad value first, then a good one: the good one counts
                2 if !case.bad.is_empty() => {
                    raw.offer(case.field, Method::TextRule, Some(*index.get(case.bad)));
                    raw.offer(case.field, Method::TextRule, Some(*index.get(case.good)));
                    good.push(case.field);
                }
                _ => {
                    raw.offer(case.field, Method::TextRule, Some(*index.get(case.good)));
                    good.push(case.field);
                }
            }
        }
        let (fields, dropped) = shown(target, &raw);
        prop_assert!(is_valid(target, &fields));
        let known: Vec<&str> =
            fields.iter().filter(|(_, value)| !value.is_null()).map(|(field, _)| field.as_str()).collect();
        good.sort_unstable();
        bad.sort_unstable();
        prop_assert_eq!(known, good);
        let mut named: Vec<&str> = dropped.iter().map(|dropped| dropped.field.as_str()).collect();
        named.sort_unstable();
        prop_assert_eq!(named, bad);
        prop_assert!(dropped.iter().all(|dropped| !dropped.reason.is_empty()));
    }

    /// Property 33: https, and nothing that only tells where a visitor came from.
    #[test]
    fn property_33_an_address_is_https_and_carries_no_tracking(
        scheme in prop::sample::select(vec!["http://", "https://", "HTTP://", "//", ""]), host in "[a-z]{2,8}\\.[a-z]{2,4}",
        path in "(/[a-zA-Z0-9_-]{1,6}){0,3}", kept in prop::collection::vec("[a-c]{1,3}=[a-z0-9]{0,4}", 0..4),
        tracking in prop::collection::vec(
            prop::sample::select(vec!["utm_source", "utm_medium", "UTM_Campaign", "fbclid", "gclid", "msclkid", "mc_eid"]), 0..4),
    ) {
        let mut query: Vec<String> = kept.clone();
        query.extend(tracking.iter().map(|name| format!("{name}=z")));
        query.reverse();
        let raw = if query.is_empty() { format!("{scheme}{host}{path}") } else { format!("{scheme}{host}{path}?{}", query.join("&")) };
        let address = web_address(&raw).unwrap().unwrap();
        prop_assert!(address.starts_with(&format!("https://{host}/")), "{}", address);
        let left = address.split_once('?').map_or("", |(_, query)| query);
        let mut left: Vec<&str> = left.split('&').filter(|part| !part.is_empty()).collect();
        left.sort_unstable();
        let mut kept: Vec<&str> = kept.iter().map(String::as_str).collect();
        kept.sort_unstable();
        prop_assert_eq!(left, kept);
    }

    /// Property 34: a place always keeps the text it was written as. Its parts come from that text; what the text leaves
    /// out may come from the gazetteer, but only around a smaller part that the text names.
    #[test]
    fn property_34_a_place_has_its_parts_and_its_raw_text(
        any_text in "\\PC{0,60}", city in "[A-Z][a-zéü]{2,9}", region in prop::sample::select(vec!["CA", "Bavaria", "New York", "ON"]),
        country in prop::sample::select(vec!["Germany", "United States", "AT", "Česko", "UK"]), shape in 0..3_u8,
    ) {
        let read = plain_text::line(&any_text);
        let said = place::read(&read);
        for part in [said.city, said.state_region, said.country].into_iter().flatten() {
            prop_assert!(!part.is_empty() && read.contains(&part), "{} in {}", part, read);
        }
        if let Some(place) = written_place(&any_text).unwrap() {
            prop_assert_eq!(place.raw.as_deref(), Some(any_text.as_str()));
            let parts = [place.city, place.state_region, place.country];
            if let Some(smallest) = parts.iter().flatten().next() {
                prop_assert!(read.contains(smallest), "{} in {}", smallest, read);
            }
        } else {
            prop_assert!(shape::says_nothing(&plain_text::line(&any_text)));
        }
        let (written, parts) = match shape {
            0 => (format!("{city}, {region}, {country}"), (Some(city), Some(region), Some(country))),
            1 => (format!("{city}, {country}"), (Some(city), None, Some(country))),
            _ => (country.to_owned(), (None, None, Some(country))),
        };
        let place = written_place(&written).unwrap().unwrap();
        prop_assert_eq!(place.raw, Some(written));
        prop_assert_eq!(
            (place.city, place.state_region.as_deref(), place.country.as_deref()), parts
        );
    }

    /// Property 35: a result survives the wire. Every field is known in most cases: what is null survives anything.
    #[test]
    fn property_35_a_result_is_the_same_after_a_round_trip(
        texts in prop::collection::vec(prop::option::of("\\PC{0,30}"), 8), place in prop::option::of(".{0,30}"),
        picks in prop::collection::vec(prop::option::weighted(0.8, any::<prop::sample::Index>()), CASES.len()),
    ) {
        let mut raw = Raw::default();
        for target in [LinkedinProfile, CompanyWebsite, JobPosting] {
            for (field, text) in target.fields().iter().zip(&texts) {
                raw.offer(field, Method::TextRule, text.clone());
            }
        }
        for field in ["location", "headquarters"] {
            raw.offer(field, Method::TextRule, place.as_deref().map(place::read));
        }
        for (case, pick) in CASES.iter().zip(&picks) {
            raw.offer(case.field, Method::Selectors, pick.as_ref().map(|pick| *pick.get(case.good)));
        }
        round_trip(&linkedin_profile(&raw));
        round_trip(&company_website(&raw));
        round_trip(&job_posting(&raw));
    }
}

fn squeezed(text: &str) -> String {
    plain_text::squeeze(text)
}

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(normal: &Normal<T>) {
    let text = serde_json::to_string(normal).unwrap();
    let read: Normal<T> = serde_json::from_str(&text).unwrap();
    assert_eq!((&read.fields, &read.provenance), (&normal.fields, &normal.provenance));
}

#[test]
fn every_field_of_every_schema_has_its_cases() {
    for target in [LinkedinProfile, CompanyWebsite] {
        let cases: Vec<&str> =
            CASES.iter().filter(|case| case.target == target).map(|case| case.field).collect();
        assert_eq!(cases, target.fields());
    }
    let (core, _) = shown(JobPosting, &Raw::default());
    assert!(core.keys().all(|field| JobPosting.fields().contains(&field.as_str())));
}

#[test]
fn the_most_trusted_value_that_holds_up_is_taken_and_named() {
    let mut raw = Raw::default();
    raw.offer("contact_email", Method::JsonLd, Some("nobody"));
    raw.offer("contact_email", Method::Selectors, Some("mailto:hello@lantern.example"));
    raw.offer("contact_email", Method::TextRule, Some("other@lantern.example"));
    raw.offer("company_name", Method::JsonLd, Some(" N/A "));
    let normal = company_website(&raw);
    assert_eq!(normal.fields.contact_email.as_deref(), Some("hello@lantern.example"));
    assert_eq!(normal.provenance["contact_email"], "selectors");
    assert_eq!((normal.fields.company_name, normal.dropped), (None, vec![]));
}
