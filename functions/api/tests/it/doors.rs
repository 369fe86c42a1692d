//! The table of routes, walked: who gets in, and what is written about it.

use api::{Caller, Rate, routes};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use jiff::SignedDuration;

use crate::bench::{Bench, KEY};

/// Every route × every kind of caller.
#[tokio::test]
async fn every_door_opens_to_its_callers_and_to_nobody_else() {
    let bench = Bench::new().await;
    let admin = format!("Bearer {}", bench.admin_token());
    let old = bench.clock.now() - SignedDuration::from_hours(5);
    let expired = bench.api.callers.admin_token("tester", SignedDuration::from_hours(1), old).unwrap();
    let expired = format!("Bearer {expired}");
    let forged = format!("{admin}x");
    let scraper = bench.scraper("walker").await.0;
    let revoked = bench.scraper("revoked").await;
    bench.admin("POST", &format!("/api/admin/scraper-keys/{}/revoke", revoked.1), "").await;
    let brief = bench.brief_scraper(SignedDuration::from_secs(30)).await;
    bench.clock.advance(SignedDuration::from_secs(31));
    let mistyped = format!("{}x", &scraper[..scraper.len() - 1]);
    // Who, what it sends, what that proves.
    #[derive(Clone, Copy, PartialEq)]
    enum Proof {
        Nothing,
        Service,
        Admin,
        Scraper,
    }
    use Proof::{Admin, Nothing, Service};
    type Visitor<'a> = (&'a str, &'a [(&'a str, &'a str)], Proof);
    let user = "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1Iiwicm9sZSI6InVzZXIifQ.x";
    let callers: [Visitor<'_>; 15] = [
        ("nobody", &[], Nothing),
        ("a scraper", &[("x-scraper-api-key", &scraper)], Proof::Scraper),
        ("a wrong scraper", &[("x-scraper-api-key", "wrong")], Nothing),
        ("a mistyped scraper", &[("x-scraper-api-key", &mistyped)], Nothing),
        ("a revoked scraper", &[("x-scraper-api-key", &revoked.0)], Nothing),
        ("an expired scraper", &[("x-scraper-api-key", &brief)], Nothing),
        ("a scraper that sends its key as a service's", &[("x-service-key", &scraper)], Nothing),
        ("a user", &[("authorization", user)], Nothing),
        ("a wrong key", &[("x-service-key", "wrong")], Nothing),
        ("a service", &[("x-service-key", KEY)], Service),
        ("a service that sends its key as a token", &[("authorization", KEY)], Nothing),
        ("an admin", &[("authorization", &admin)], Admin),
        ("an admin who sends the token as a key", &[("x-service-key", &admin)], Nothing),
        ("an expired admin", &[("authorization", &expired)], Nothing),
        ("a forged admin", &[("authorization", &forged)], Nothing),
    ];
    let mut walked = 0;
    for route in routes() {
        let path = route.path.replace("{task_id}", "x").replace("{job_id}", "x").replace("{id}", "x");
        let path = path.replace("{session_id}", "x");
        for (who, headers, proof) in callers {
            let mut request = Request::builder().method(route.method.clone()).uri(&path);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let status = bench.call(request.body(Body::empty()).unwrap()).await.status;
            let may = match route.caller {
                Caller::Public => true,
                Caller::Service => proof == Service,
                Caller::Admin => proof == Admin,
                Caller::ServiceOrAdmin => matches!(proof, Service | Admin),
                Caller::Scraper => proof == Proof::Scraper,
            };
            assert_eq!(status != StatusCode::UNAUTHORIZED, may, "{} {path} as {who}: {status}", route.method);
            assert!(status.as_u16() < 500, "{} {path} as {who}: {status}", route.method);
            walked += 1;
        }
    }
    assert_eq!(walked, routes().len() * callers.len());
}

#[test]
fn the_description_names_exactly_the_routes_of_the_table() {
    let document = api::document();
    let mut described = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let proofs: Vec<_> = operation["security"]
                .as_array()
                .map(|all| all.iter().flat_map(|one| one.as_object().unwrap().keys().cloned()).collect())
                .unwrap_or_default();
            described.push((method.to_uppercase(), path.clone(), proofs));
        }
    }
    described.sort();
    let mut table: Vec<_> = routes()
        .iter()
        .map(|route| {
            let proofs: Vec<String> = match route.caller {
                Caller::Public => vec![],
                Caller::Service => vec!["service".into()],
                Caller::Admin => vec!["admin".into()],
                Caller::ServiceOrAdmin => vec!["service".into(), "admin".into()],
                Caller::Scraper => vec!["scraper".into()],
            };
            (route.method.to_string(), route.path.to_owned(), proofs)
        })
        .collect();
    table.sort();
    assert_eq!(described, table);
}

#[test]
fn every_operation_has_a_name_of_its_own() {
    let document = api::document();
    let names: Vec<_> = document["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|item| item.as_object().unwrap().values())
        .map(|operation| operation["operationId"].as_str().unwrap().to_owned())
        .collect();
    let different: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!((names.len(), different.len()), (routes().len(), routes().len()), "{names:?}");
    assert!(names.contains(&"get_api_admin_roles_id".to_owned()));
}

#[test]
fn no_route_takes_a_body_lambda_could_not_carry() {
    assert!(routes().iter().all(|route| route.body_cap <= 4 * 1024 * 1024));
}

#[tokio::test]
async fn a_caller_that_asks_too_often_is_told_when_to_come_back() {
    let bench = Bench::new().await;
    let route = routes().into_iter().find(|route| route.path == "/api/v1/scrape").unwrap();
    let Rate::PerMinute(limit) = route.rate else { panic!("the scrape route has a rate") };
    let who = bench.api.callers.service(KEY.as_bytes()).unwrap();
    for _ in 0..3 {
        bench.api.gate.count(&who, SignedDuration::from_mins(1), bench.clock.now()).await.unwrap();
    }
    let conn = bench.db.pool.conn().await.unwrap();
    let used = i32::try_from(limit).unwrap() - 1;
    conn.execute("update request_counts set count = $1", &[&used]).await.unwrap();
    assert_eq!(
        bench.submit("https://example.com/1").await.status,
        StatusCode::ACCEPTED,
        "the last of the minute"
    );
    let refused = bench.submit("https://example.com/2").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.headers["retry-after"], "61");
    bench.clock.advance(SignedDuration::from_secs(61));
    assert_eq!(bench.submit("https://example.com/2").await.status, StatusCode::ACCEPTED, "a new minute");
}

#[tokio::test]
async fn the_public_doors_answer() {
    let bench = Bench::new().await;
    let get = async |path: &str| bench.call(Request::get(path).body(Body::empty()).unwrap()).await;
    assert_eq!(get("/readiness").await.json()["data"]["ready"], true);
    assert_eq!(get("/health").await.json()["data"]["status"], "ok");
    bench.submit("https://example.com/1").await;
    let metrics = get("/metrics").await.text;
    assert!(metrics.contains("freshet_tasks{status=\"pending\",stage=\"fetch\"} 1"), "{metrics}");
    assert!(metrics.contains("freshet_site_tasks_in_flight{site=\"example.com\"} 1"), "{metrics}");
    assert!(metrics.contains("freshet_queue_depth{queue=\"crawl\"} 1"), "{metrics}");
    let page = get("/").await;
    assert!(page.headers["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
}

#[tokio::test]
async fn without_a_database_it_is_alive_but_not_ready() {
    let bench = Bench::new().await;
    bench.db.pool.close();
    let answer = bench.call(Request::get("/readiness").body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.headers.contains_key("retry-after"));
    let json = answer.json();
    assert_eq!(json["meta"]["code"], "unavailable");
    assert!(
        !answer.text.contains("pool") && !answer.text.contains("connection"),
        "no internals: {}",
        answer.text
    );
}

/// Whatever a guard may answer is described, with its shape.
#[test]
fn the_description_says_how_callers_are_turned_away() {
    let document = api::document();
    for route in routes() {
        let method = route.method.as_str().to_ascii_lowercase();
        let answers = &document["paths"][route.path][&method]["responses"];
        let named =
            |status: &str| answers[status]["content"]["application/json"]["schema"]["$ref"].is_string();
        let place = format!("{method} {}: {answers}", route.path);
        assert!(named("503"), "{place}");
        assert_eq!(named("401"), route.caller != Caller::Public, "{place}");
        assert_eq!(named("429"), route.rate != Rate::Unlimited, "{place}");
        assert!(named("413") || route.method == "GET", "{place}");
        for (status, answer) in answers.as_object().unwrap() {
            assert!(
                status.as_str() < "400" || answer["content"].is_object(),
                "{status} has no shape: {place}"
            );
        }
    }
    assert!(document["components"]["schemas"]["Error"].is_object());
}
