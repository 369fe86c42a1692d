use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::extract::read;

fn read_at(bytes: &[u8]) -> Reading {
    let url = "https://homes.example/units/12?utm_source=x";
    read(TargetType::Apartment, bytes, Some("text/html"), url, url, "2026-11-16T00:00:00Z".parse().unwrap())
}

macro_rules! page {
    ($name:literal) => {
        include_bytes!(concat!("../../../tests/fixtures/pages/", $name, ".html")).as_slice()
    };
}

#[test]
fn a_house_is_read_from_its_data() {
    let result = read_at(page!("apartment_data")).result.unwrap();
    assert_eq!(
        result,
        json!({
            "name": "Millrace Lofts",
            "description": "Brick lofts over the old mill race.",
            "rent": { "min": 1450.0, "max": 2300.0, "currency": "USD", "period": "month" },
            "bedrooms": { "min": 0.0, "max": 2.0 },
            "bathrooms": { "min": 1.0, "max": 1.5 },
            "area": { "min": 520.0, "max": 1100.0, "unit": "square_feet" },
            "address": { "city": "Richmond", "state_region": "VA", "country": "US", "raw": "Richmond, VA, US" },
            "street": "14 Millrace Street",
            "postal_code": "23220",
            "available_from": "2026-12-01",
            "amenities": ["Bike room", "Roof deck"],
            "pet_policy": { "allowed": true, "text": "pets allowed" },
            "phone": "(804) 555-0142",
            "listing_url": "https://homes.example/lofts",
            "provenance": {
                "name": "json_ld", "description": "json_ld", "rent": "json_ld", "bedrooms": "json_ld", "bathrooms": "json_ld",
                "area": "json_ld", "address": "json_ld", "street": "json_ld", "postal_code": "json_ld",
                "available_from": "json_ld", "amenities": "json_ld", "pet_policy": "json_ld", "phone": "json_ld",
                "listing_url": "json_ld",
            },
        })
    );
}

#[test]
fn a_page_without_data_is_read_by_its_lines() {
    let result = read_at(page!("apartment_plain")).result.unwrap();
    assert_eq!(result["name"], "Garden flat on Quince Street");
    assert_eq!(result["rent"], json!({ "min": 1275.0, "max": 1275.0, "currency": "USD", "period": "month" }));
    assert_eq!(result["bedrooms"], json!({ "min": 2.0, "max": 2.0 }));
    assert_eq!(result["bathrooms"], json!({ "min": 1.5, "max": 1.5 }));
    assert_eq!(result["area"], json!({ "min": 860.0, "max": 860.0, "unit": "square_feet" }));
    assert_eq!((&result["street"], &result["postal_code"]), (&json!("212 Quince Street"), &json!("45801")));
    assert_eq!((&result["address"]["city"], &result["address"]["country"]), (&json!("Lima"), &json!("US")));
    assert_eq!(result["available_from"], "now");
    assert_eq!(result["amenities"], json!(["Washer and dryer", "Dishwasher", "Off-street parking"]));
    assert_eq!(result["pet_policy"], json!({ "allowed": false, "text": "No pets" }));
    assert_eq!(result["phone"], "(419) 555-0166");
    assert_eq!(result["provenance"]["rent"], "text_rule");
}

#[test]
fn a_german_page_keeps_its_units() {
    let result = read_at(page!("apartment_de")).result.unwrap();
    assert_eq!(result["rent"], json!({ "min": 980.0, "max": 980.0, "currency": "EUR", "period": null }));
    assert_eq!(result["area"], json!({ "min": 58.5, "max": 58.5, "unit": "square_metres" }));
    assert_eq!(result["available_from"], "2027-01-01");
    assert_eq!(result["address"]["country"], "DE");
    assert_eq!(result["pet_policy"]["allowed"], json!(null));
}

#[test]
fn what_is_not_said_stays_null() {
    let reading = read_at(b"<h1>Hello</h1><p>We sell bread for $3 a loaf, 5 days a week.");
    let result = reading.result.unwrap();
    for field in ["rent", "bedrooms", "bathrooms", "area", "address", "available_from", "pet_policy", "phone"]
    {
        assert_eq!(result[field], json!(null), "{field}");
    }
    let html = r#"<script type="application/ld+json">{"@type":"Apartment","name":"A","petsAllowed":"perhaps","floorSize":"70",
        "numberOfBedrooms":"many"}</script>"#;
    let reading = read_at(html.as_bytes());
    assert_eq!(reading.result.as_ref().unwrap()["area"], json!(null), "an area has a unit");
    assert_eq!(reading.dropped.len(), 3, "{:?}", reading.dropped);
}

#[test]
fn rooms_areas_and_pets_in_words() {
    use values::{area, bathrooms, bedrooms, pet_policy};
    let extent = |min, max| Ok(Some(values::Extent { min, max }));
    assert_eq!(bedrooms("Studio"), extent(0.0, 0.0));
    assert_eq!(bedrooms("Studio - 3 Beds"), extent(0.0, 3.0));
    assert_eq!(bedrooms("1–3 bd"), extent(1.0, 3.0));
    assert!(bedrooms("1, 2, 3 or 4").is_err() && bedrooms("400").is_err());
    assert_eq!(bathrooms("1½ baths"), extent(1.5, 1.5));
    assert!(area("70").is_err() && area("0 m²").is_err());
    assert_eq!(area("70 m2").unwrap().unwrap().max, 70.0);
    assert_eq!(area("650 - 1,020 sq. ft.").unwrap().unwrap().max, 1020.0);
    assert_eq!(pet_policy("Cats welcome").unwrap().unwrap().allowed, Some(true));
    assert_eq!(pet_policy("No dogs, cats ok").unwrap().unwrap().allowed, None);
    assert_eq!(pet_policy("no pets").unwrap().unwrap().allowed, Some(false));
    assert!(pet_policy("blue door").is_err());
}

proptest! {
    #[test]
    fn any_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let reading = read_at(&bytes);
        prop_assert!(reading.posting.is_none());
    }

    #[test]
    fn any_text_can_be_a_value(text in ".{0,80}") {
        let now = "2026-11-16T00:00:00Z".parse().unwrap();
        let hint = crate::texts::hint::Hint::default();
        let _ = (values::rent(&text, hint), values::bedrooms(&text), values::area(&text), values::pet_policy(&text));
        let _ = (values::availability(&text, now, hint), values::amenities(&text), values::postal_code(&text));
    }
}
