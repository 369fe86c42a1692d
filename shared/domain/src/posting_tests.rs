use proptest::prelude::*;
use serde_json::json;

use super::*;

const PAGE: &str = "http://jobs.kiln.example/o/4711?utm_source=feed#apply";

fn read(value: &Value) -> Posting {
    Posting::from_json_ld(value, PAGE).0
}

#[test]
fn a_full_posting_is_read_with_its_provenance() {
    let posting = read(&json!({
        "@type": "JobPosting",
        "title": "R&amp;D Potter  (m/f/d)",
        "hiringOrganization": {"@type": "Organization", "name": "Kiln &amp; Co"},
        "jobLocation": [
            {"@type": "Place", "address": {"addressLocality": "Graz", "addressCountry": "AT"}},
            {"@type": "Place", "address": {"addressLocality": "Brno", "addressCountry": {"name": "CZ"}}},
        ],
        "baseSalary": {"currency": "EUR", "value": {"minValue": 3000, "maxValue": 3500, "unitText": "MONTH"}},
        "description": "&lt;p&gt;Make bowls.&lt;/p&gt;&lt;p&gt;Fire them.&lt;/p&gt;",
        "employmentType": ["FULL_TIME", "Part-time"],
        "datePosted": "2026-10-01T08:00:00Z",
        "validThrough": "2026-12-01T00:00:00+01:00",
        "identifier": {"@type": "PropertyValue", "name": "Kiln", "value": 4711},
        "url": "/o/4711?utm_medium=x",
        "directApply": "true",
        "potentialAction": {"@type": "ApplyAction", "target": {"urlTemplate": "/o/4711/apply"}},
    }));
    assert_eq!(posting.job_title.as_deref(), Some("R&D Potter (m/f/d)"));
    assert_eq!(posting.company_name.as_deref(), Some("Kiln & Co"));
    assert_eq!(posting.locations.len(), 2);
    assert_eq!(posting.location.as_ref().unwrap().city.as_deref(), Some("Graz"));
    assert_eq!(posting.locations[1].country.as_deref(), Some("CZ"));
    assert_eq!(posting.salary_range.as_deref(), Some("3,000–3,500 EUR per month"));
    assert_eq!(posting.description.as_deref(), Some("Make bowls.\n\nFire them."));
    assert_eq!(posting.employment_type, ["FULL_TIME", "PART_TIME"]);
    assert_eq!(posting.date_posted, Some(jiff::civil::date(2026, 10, 1)));
    assert_eq!(posting.valid_through, Some(ValidThrough::Moment("2026-11-30T23:00:00Z".parse().unwrap())));
    assert_eq!(posting.posting_url.as_deref(), Some("https://jobs.kiln.example/o/4711"));
    assert_eq!(posting.stated_url.as_deref(), Some("https://jobs.kiln.example/o/4711"));
    assert_eq!(posting.apply_url.as_deref(), Some("http://jobs.kiln.example/o/4711/apply"));
    assert_eq!(posting.external_id.as_deref(), Some("4711"));
    assert_eq!(posting.direct_apply, Some(true));
    assert_eq!(posting.remote, None);
    assert_eq!(posting.provenance["job_title"], "json_ld");
    assert_eq!(posting.provenance["posting_url"], "meta");
    assert!(!posting.provenance.contains_key("remote"));
}

/// Incident 17: the missing currency became USD, the missing place "Remote".
#[test]
fn what_is_not_said_stays_unknown() {
    let posting = read(&json!({"@type": "JobPosting", "title": "Potter", "baseSalary": {"value": 100}}));
    assert_eq!(posting.location, None);
    assert_eq!(posting.remote, None);
    assert_eq!(posting.company_name, None);
    assert_eq!(posting.salary.unwrap().currency, None);
    assert_eq!(posting.salary_range.as_deref(), Some("100"));
    let applicants = json!({"applicantLocationRequirements": {"@type": "Country", "name": "Poland"}});
    assert_eq!(read(&applicants).remote, None, "who may apply is not where the work is");
    assert_eq!(read(&applicants).applicant_locations, ["Poland"]);
}

#[test]
fn remote_is_taken_where_it_is_said() {
    assert_eq!(read(&json!({"jobLocationType": "TELECOMMUTE"})).remote, Some(RemoteKind::Remote));
    assert_eq!(read(&json!({"jobLocation": "Remote - Europe"})).remote, Some(RemoteKind::Remote));
    assert_eq!(read(&json!({"jobLocation": "Remoteville"})).remote, None);
}

#[test]
fn a_malformed_field_is_absent_and_the_rest_stands() {
    let posting = read(&json!({
        "title": ["Potter"], "hiringOrganization": [{"name": "Kiln"}], "datePosted": "last week", "validThrough": 7,
        "jobLocation": 7.5, "baseSalary": {"value": {"minValue": {}}}, "employmentType": {}, "identifier": [],
        "url": "javascript:alert(1)", "directApply": "perhaps", "description": null,
    }));
    assert_eq!(posting.job_title.as_deref(), Some("Potter"));
    assert_eq!(posting.company_name.as_deref(), Some("Kiln"));
    assert_eq!((posting.date_posted, posting.valid_through, posting.salary), (None, None, None));
    assert_eq!((posting.stated_url, posting.external_id, posting.direct_apply), (None, None, None));
    assert_eq!(read(&json!({"hiringOrganization": "Kiln"})).company_name.as_deref(), Some("Kiln"));
    assert_eq!(read(&json!({"datePosted": "05/06/2026"})).date_posted, None, "May or June?");
    assert_eq!(read(&json!({"datePosted": "2026/06/05"})).date_posted, Some(jiff::civil::date(2026, 6, 5)));
}

#[test]
fn pay_in_words_is_shown_and_not_interpreted() {
    let posting = read(&json!({"baseSalary": "nach Kollektivvertrag"}));
    assert_eq!(posting.salary_range.as_deref(), Some("nach Kollektivvertrag"));
    assert_eq!(posting.salary, None);
    assert_eq!(read(&json!({"baseSalary": "0"})).salary_range, None);
}

#[test]
fn a_day_is_over_when_it_is_over_everywhere() {
    let day = ValidThrough::Day(jiff::civil::date(2026, 11, 10));
    assert!(!day.is_before("2026-11-11T11:59:59Z".parse().unwrap()));
    assert!(day.is_before("2026-11-11T12:00:00Z".parse().unwrap()));
}

#[test]
fn the_list_of_fields_is_the_record_s_own() {
    let Value::Object(record) = serde_json::to_value(Posting::default()).unwrap() else { panic!() };
    let mut names: Vec<&str> =
        record.keys().map(String::as_str).filter(|name| *name != "provenance").collect();
    let mut fields = Posting::FIELDS.to_vec();
    names.sort_unstable();
    fields.sort_unstable();
    assert_eq!(names, fields);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(json!("2026-11-02T00:00:00")),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        let name = prop_oneof![
            Just("value"),
            Just("@value"),
            Just("name"),
            Just("address"),
            Just("addressLocality"),
            Just("addressCountry"),
            Just("minValue"),
            Just("currency"),
            Just("unitText"),
            Just("target"),
            Just("url"),
            Just("@type"),
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((name, inner), 0..4).prop_map(|pairs| pairs
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect::<Map<_, _>>()
                .into()),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_a_partial_posting_that_survives_a_round_trip(
        title in any_json(), place in any_json(), pay in any_json(), id in any_json(), until in any_json(), action in any_json(),
    ) {
        let posting = read(&json!({
            "title": title, "jobLocation": place, "baseSalary": pay, "identifier": id, "validThrough": until,
            "potentialAction": action, "hiringOrganization": title, "employmentType": place, "description": id,
        }));
        let text = serde_json::to_string(&posting).unwrap();
        prop_assert_eq!(serde_json::from_str::<Posting>(&text).unwrap(), posting);
    }
}
