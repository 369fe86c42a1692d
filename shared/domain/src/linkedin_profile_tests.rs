use serde_json::json;

use super::*;
use crate::extract::read;

macro_rules! page {
    ($name:literal) => {
        include_bytes!(concat!("../../tests/fixtures/pages/", $name, ".html")).as_slice()
    };
}

const URL: &str = "https://www.linkedin.com/in/mara-lindqvist-example?trk=people";

fn read_at(bytes: &[u8], url: &str) -> Reading {
    read(
        TargetType::LinkedinProfile,
        bytes,
        Some("text/html"),
        url,
        url,
        "2026-11-16T00:00:00Z".parse().unwrap(),
    )
}

#[test]
fn the_person_of_the_page_is_read_and_not_the_one_who_writes_about_it() {
    let reading = read_at(page!("profile_graph"), URL);
    assert_eq!((reading.verdict.code, reading.posting), ("read", None));
    assert_eq!(
        reading.result.unwrap(),
        json!({
            "name": "Mara Lindqvist",
            "headline": "Keeper of tide tables at Tidepool Institute",
            "current_company": "Tidepool Institute",
            "location": { "city": "Gothenburg, Västra Götaland County, Sweden", "state_region": null, "country": "SE",
                "raw": "Gothenburg, Västra Götaland County, Sweden, SE" },
            "summary": "I keep & check tide tables.\nSince 2011.",
            "profile_url": "https://www.linkedin.com/in/mara-lindqvist-example",
            "provenance": { "name": "json_ld", "headline": "selectors", "current_company": "json_ld", "location": "json_ld",
                "summary": "json_ld", "profile_url": "json_ld" },
        })
    );
}

#[test]
fn without_data_the_card_and_the_head_are_read_and_masked_values_are_unknown() {
    let result =
        read_at(page!("profile_card"), "https://www.linkedin.com/in/jonas-brandt-example").result.unwrap();
    assert_eq!(result["name"], "Jonas Brandt");
    assert_eq!(result["headline"], "Boatbuilder");
    assert_eq!(result["current_company"], "Brandt Boats");
    assert_eq!(result["location"]["city"], "Rostock");
    assert_eq!(result["location"]["country"], "Germany");
    assert_eq!(result["summary"], "I build boats that float.\nMostly in winter.");
    assert_eq!(result["provenance"]["headline"], "meta");
}

#[test]
fn a_page_that_asks_for_a_sign_in_is_a_wall() {
    let reading = read_at(page!("profile_wall"), URL);
    assert_eq!((reading.verdict.code, reading.result), ("bot_wall", None));
}
