//! Clusters and replay through their doors.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use shared::domain::ids::ListingId;
use shared::store::listings::JobFields;
use shared::store::listings::bulk::{NewListing, Why, import};

use crate::bench::{Answer, Bench};

const BODY: &str = "You open the gates at dawn, watch the gauge, let the barges through in the order they come and write \
    each of them into the book. In winter you grease the chains, mend the boards and keep the ice away from the sill.";

async fn copies(bench: &Bench) -> Vec<ListingId> {
    let copy = |source: &str| NewListing {
        source: source.to_owned(),
        external_id: "7".into(),
        job: JobFields {
            url: format!("https://{source}.example/7"),
            title: "Lock keeper".into(),
            company: Some("Canal Trust".into()),
            place: Some(json!({ "city": "York" })),
            description: Some(BODY.into()),
            provenance: json!({}),
            extractor_version: "list/1".into(),
            fingerprint: "a".into(),
            ..JobFields::default()
        },
        why: Why { rule: "list_read".into(), ..Why::default() },
    };
    let batch = [copy("one"), copy("two")];
    let outcome = import(&bench.db.pool, &batch, bench.clock.now()).await.unwrap();
    outcome.created.iter().map(|kept| kept.id).collect()
}

async fn admin(bench: &Bench, path: &str, body: &Value) -> Answer {
    let token = format!("Bearer {}", bench.admin_token());
    let request = Request::post(path).header("authorization", token).body(Body::from(body.to_string()));
    bench.call(request.unwrap()).await
}

#[tokio::test]
async fn a_cluster_is_shown_split_and_put_together_again() {
    let bench = Bench::new().await;
    let ids = copies(&bench).await;
    let path = format!("/api/listings/{}/cluster", ids[0]);
    let shown = bench.get(&path).await;
    assert_eq!(shown.status, StatusCode::OK, "{}", shown.text);
    assert_eq!(shown.json()["members"].as_array().unwrap().len(), 2);
    assert_eq!(shown.json()["fields"]["title"]["value"], "Lock keeper");
    assert_eq!(shown.json()["links"][0]["rule"], "body");

    let wish = json!({ "listing_id": ids[0], "reason": "two locks" });
    let split = admin(&bench, "/api/admin/clusters/split", &wish).await;
    assert_eq!((split.status, split.json()["members"].as_array().unwrap().len()), (StatusCode::OK, 1));
    assert_eq!(split.json()["splits"][0]["reason"], "two locks");
    let undone = admin(&bench, "/api/admin/clusters/unsplit", &json!({ "listing_id": ids[0] })).await;
    assert_eq!(undone.json()["members"].as_array().unwrap().len(), 2, "{}", undone.text);
}

#[tokio::test]
async fn a_wish_that_makes_no_sense_is_named_and_changes_nothing() {
    let bench = Bench::new().await;
    let ids = copies(&bench).await;
    for (body, status, word) in [
        (json!({}), 422, "listing_id"),
        (json!({ "listing_id": "x" }), 422, "listing_id"),
        (json!({ "listing_id": ids[0], "from": ["x"] }), 422, "from"),
        (json!({ "listing_id": ids[0], "from": [ListingId::fresh()] }), 422, "from"),
        (json!({ "listing_id": ids[0], "form": [] }), 422, "form"),
        (json!({ "listing_id": ids[0], "reason": "x".repeat(1_001) }), 422, "reason"),
        (json!({ "listing_id": ListingId::fresh() }), 404, "Listing"),
    ] {
        let answer = admin(&bench, "/api/admin/clusters/split", &body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.text.contains(word)),
            (status, true),
            "{body}: {}",
            answer.text
        );
    }
    assert_eq!(
        bench.get(&format!("/api/listings/{}/cluster", ids[0])).await.json()["members"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        bench.get(&format!("/api/listings/{}/cluster", ListingId::fresh())).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn a_replay_is_asked_for_in_pieces() {
    let bench = Bench::new().await;
    let since = json!({ "since": "2026-11-01T00:00:00Z" });
    let answer = admin(&bench, "/api/admin/replay", &since).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!((&answer.json()["tally"]["pages"], &answer.json()["next"]), (&json!(0), &Value::Null));
    for (body, word) in [
        (json!({}), "since"),
        (json!({ "since": "yesterday" }), "since"),
        (json!({ "since": "2026-11-01T00:00:00Z", "limit": 101 }), "limit"),
        (json!({ "since": "2026-11-01T00:00:00Z", "cursor": "x" }), "cursor"),
        (json!({ "since": "2026-11-01T00:00:00Z", "target_type": "poem" }), "target_type"),
    ] {
        let answer = admin(&bench, "/api/admin/replay", &body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.text.contains(word)),
            (422, true),
            "{body}: {}",
            answer.text
        );
    }
}
