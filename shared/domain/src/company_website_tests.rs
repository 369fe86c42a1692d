use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::extract::read;

macro_rules! page {
    ($name:literal) => {
        include_bytes!(concat!("../../tests/fixtures/pages/", $name, ".html")).as_slice()
    };
}

fn read_at(bytes: &[u8], url: &str) -> Reading {
    read(
        TargetType::CompanyWebsite,
        bytes,
        Some("text/html"),
        url,
        url,
        "2026-11-16T00:00:00Z".parse().unwrap(),
    )
}

#[test]
fn the_page_s_own_organisation_speaks_first_and_a_bad_value_makes_room_for_the_next() {
    let reading = read_at(page!("company_graph"), "https://www.lantern.example/about");
    assert_eq!((reading.verdict.code, reading.posting), ("read", None));
    assert_eq!(
        reading.result.unwrap(),
        json!({
            "company_name": "Harbour Lantern & Co",
            "description": "We build lamps for harbours.",
            "industry": "Marine lighting",
            "employee_count_range": "51-200",
            "headquarters": { "city": "Galway", "state_region": null, "country": "IE", "raw": "Galway, IE" },
            "contact_email": "hello@lantern.example",
            "contact_phone": "+353 91 555 0100",
            "website_url": "https://www.lantern.example/",
            "about": null, "mission": null, "culture": null, "founded": null, "tech_stack": null, "jobs_url": null,
            "provenance": {
                "company_name": "json_ld", "description": "json_ld", "industry": "json_ld",
                "employee_count_range": "json_ld", "headquarters": "json_ld", "contact_email": "json_ld",
                "contact_phone": "json_ld", "website_url": "json_ld",
            },
        })
    );
}

#[test]
fn a_page_without_data_is_read_by_its_head_its_links_and_its_lines() {
    let result = read_at(page!("company_plain"), "https://candles.example/contact.html").result.unwrap();
    assert_eq!(
        result,
        json!({
            "company_name": "Wick & Wax",
            "description": "Candles, hand-dipped since 1911.",
            "industry": "Candle making",
            "employee_count_range": "11-50",
            "headquarters": { "city": "Sharon", "state_region": "PA", "country": "US",
                "raw": "101 Chestnut Street, Sharon, PA 16146" },
            "contact_email": "post@wickwax.example",
            "contact_phone": "(724) 555-0123",
            "website_url": "https://candles.example/",
            "about": null, "mission": null, "culture": null, "founded": null, "tech_stack": null, "jobs_url": null,
            "provenance": {
                "company_name": "meta", "description": "meta", "industry": "text_rule", "employee_count_range": "text_rule",
                "headquarters": "text_rule", "contact_email": "text_rule", "contact_phone": "text_rule", "website_url": "meta",
            },
        })
    );
}

#[test]
fn a_local_business_says_its_trade_by_its_type() {
    let result = read_at(page!("company_local"), "https://rohr.example/").result.unwrap();
    assert_eq!((&result["company_name"], &result["industry"]), (&json!("Rohr und Söhne"), &json!("Plumber")));
    assert_eq!(result["provenance"]["industry"], "json_ld");
    assert_eq!(result["headquarters"]["city"], "Berlin");
    assert_eq!(result["headquarters"]["country"], "Deutschland");
    assert_eq!(result["contact_phone"], "030 1234567");
    assert_eq!(result["contact_email"], "Post@rohr.example");
}

#[test]
fn a_wall_is_a_wall_and_an_empty_page_is_an_answer() {
    let wall = read_at(page!("bot_wall"), "https://lantern.example/");
    assert_eq!((wall.verdict.code, wall.result), ("bot_wall", None));
    let empty = read_at(b"<p>soon", "https://lantern.example/x");
    assert_eq!(empty.verdict.code, "nothing_found");
    let result = empty.result.unwrap();
    assert_eq!(
        (&result["company_name"], &result["website_url"]),
        (&json!(null), &json!("https://lantern.example/"))
    );
}

#[test]
fn what_is_dropped_is_told() {
    let html = r#"<script type="application/ld+json">{"@type":"Organization","name":"Lantern","telephone":"ring twice"}</script>"#;
    let reading = read_at(html.as_bytes(), "https://lantern.example/");
    assert_eq!(
        reading.verdict_json()["dropped_fields"],
        json!([{ "field": "contact_phone", "reason": "not a telephone number" }])
    );
    assert_eq!(reading.result.unwrap()["company_name"], "Lantern");
}

proptest! {
    #[test]
    fn any_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let reading = read_at(&bytes, "https://lantern.example/");
        prop_assert!(reading.posting.is_none() && reading.fingerprint.is_none());
    }
}
