//! The book of policies through its door.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use shared::domain::site::site_key;
use shared::store::policies;

use crate::bench::{Answer, Bench};

const PATH: &str = "/api/admin/policies";

async fn call(bench: &Bench, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let token = format!("Bearer {}", bench.admin_token());
    let mut request = Request::builder().method(method).uri(PATH).header("authorization", token);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    bench.call(request.body(Body::from(body.to_owned())).unwrap()).await
}

fn tag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_book_is_shown_replaced_and_holds_at_once() {
    let bench = Bench::new().await;
    let shown = call(&bench, "GET", &[], "").await;
    assert_eq!(shown.headers["content-type"], "application/yaml");
    assert!(shown.text.contains("linkedin.com:") && shown.text.contains("enabled: false"), "{}", shown.text);

    // What is shown can be sent back.
    let same = call(&bench, "PUT", &[("if-match", &tag(&shown))], &shown.text).await;
    assert_eq!((same.status, &same.text), (StatusCode::OK, &shown.text));
    assert_ne!(tag(&same), tag(&shown), "a new version");

    let text = "domains:\n  default: {window: 5}\n  www.a.com:\n    min_delay_ms: 100\n    # a comment\n    allowed_hours: {start: 22, end: 6}\n";
    let put = call(&bench, "PUT", &[("content-type", "application/yaml")], text).await;
    assert_eq!(put.status, StatusCode::OK, "{}", put.text);
    assert_eq!(
        put.text,
        "domains:\n  a.com:\n    allowed_hours:\n      end: 6\n      start: 22\n    min_delay_ms: 100\n  default:\n    window: 5\n"
    );
    let conn = bench.db.pool.conn().await.unwrap();
    let site = site_key(&"https://jobs.a.com/".parse().unwrap()).unwrap();
    let policy = policies::of_site(&*conn, &site).await.unwrap();
    assert_eq!((policy.window, policy.min_delay_ms, policy.max_delay_ms), (5, 100, 2_000));

    let shown = call(&bench, "GET", &[("accept", "application/json")], "").await;
    assert_eq!(shown.json()["domains"]["a.com"]["allowed_hours"]["start"], 22);
    assert_eq!(tag(&shown), tag(&put));
    let json = call(&bench, "PUT", &[("content-type", "application/json")], &shown.text).await;
    assert_eq!(json.json(), shown.json());
}

#[tokio::test]
async fn a_mistake_is_pointed_at_and_changes_nothing() {
    let bench = Bench::new().await;
    let before = call(&bench, "GET", &[], "").await;
    let text = "domains:\n  default:\n    window: 2\n  a.com:\n    window: 0\n  b.com:\n    speed: 9\n";
    let refused = call(&bench, "PUT", &[], text).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let answer = refused.json();
    assert_eq!(answer["code"], "validation_error");
    let error = &answer["errors"][0];
    assert_eq!(
        (&error["line"], &error["column"], &error["field"]),
        (&7.into(), &5.into(), &"b.com.speed".into())
    );
    let refused = call(&bench, "PUT", &[], &text.replace("speed: 9", "window: 9")).await.json();
    assert_eq!(refused["errors"][0]["line"], 5, "{refused}");
    for (kind, body, line) in [
        ("application/json", "{\"domains\":\n {\"a.com\": }}", 2),
        ("application/json", "domains: {}", 1),
        ("application/yaml", "domains:\n  a.com: [", 2),
        ("application/yaml", "", 1),
    ] {
        let refused = call(&bench, "PUT", &[("content-type", kind)], body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert!(refused.json()["errors"][0]["line"].as_i64().unwrap() >= line, "{}", refused.text);
    }
    let after = call(&bench, "GET", &[], "").await;
    assert_eq!((tag(&after), after.text), (tag(&before), before.text));
}

#[tokio::test]
async fn of_two_who_edit_the_same_book_one_is_told() {
    let bench = Bench::new().await;
    let seen = tag(&call(&bench, "GET", &[], "").await);
    let book = |window: u8| format!("domains:\n  default: {{window: {window}}}\n");
    let (one, two) = (book(3), book(4));
    let first = [("if-match", seen.as_str())];
    let (one, two) = tokio::join!(call(&bench, "PUT", &first, &one), call(&bench, "PUT", &first, &two));
    let mut statuses = [one.status, two.status];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::PRECONDITION_FAILED]);
    let late = if one.status == StatusCode::OK { two } else { one };
    assert_eq!(late.json()["code"], "precondition_failed");
    let now = tag(&call(&bench, "GET", &[], "").await);
    assert_eq!(tag(&late), now, "it says where the book is");
    assert_eq!(call(&bench, "PUT", &[("if-match", &now)], &book(5)).await.status, StatusCode::OK);
    assert_eq!(call(&bench, "PUT", &[("if-match", "*")], &book(6)).await.status, StatusCode::OK);
    assert_eq!(
        call(&bench, "PUT", &[("if-match", "rubbish")], &book(7)).await.status,
        StatusCode::PRECONDITION_FAILED
    );
}
