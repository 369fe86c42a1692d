use serde_json::json;

use super::*;

fn nobody() -> Permission {
    Permission::public_only()
}

fn good() -> Value {
    json!({ "target_type": "job_posting", "target_url": "https://example.com/1", "workspace_id": "w" })
}

fn with(field: &str, value: Value) -> Vec<u8> {
    let mut body = good();
    body[field] = value;
    body.to_string().into_bytes()
}

fn named<T: std::fmt::Debug>(judged: Judged<T>) -> Vec<String> {
    judged.unwrap_err().into_iter().map(|error| error.field).collect()
}

#[test]
fn each_type_has_fields_of_its_own() {
    let ask = |kind: &str, field: &str| {
        let mut body = good();
        body["target_type"] = json!(kind);
        body["requested_fields"] = json!([field]);
        scrape(body.to_string().as_bytes(), &nobody())
    };
    for &kind in TargetType::ALL {
        for field in kind.fields() {
            assert!(ask(kind.word(), field).is_ok(), "{kind} has {field}");
        }
    }
    let error = ask("linkedin_profile", "job_title").unwrap_err().remove(0);
    assert_eq!(error.field, "requested_fields[0]");
    assert_eq!(
        error.message,
        "unknown field \"job_title\"; known: name, headline, current_company, location, summary, profile_url"
    );
}

#[test]
fn a_callback_is_https_and_public_unless_it_is_allowed_by_name() {
    let asked = |url: &str, allowed: &Permission| scrape(&with("callback_url", json!(url)), allowed);
    assert!(asked("https://hooks.example.com/a?b=c", &nobody()).is_ok());
    for (url, said) in [
        ("http://hooks.example.com/", "must be https"),
        ("https://127.0.0.1/", "not allowed"),
        ("https://[::1]/", "not allowed"),
        ("https://169.254.169.254/", "not allowed"),
        ("https://localhost/", "not allowed"),
        ("https://me:pw@hooks.example.com/", "user name or password"),
        ("https://hooks.example.com:22/", "port 22"),
        ("ftp://hooks.example.com/", "scheme"),
        ("hooks", "cannot be read"),
    ] {
        let error = asked(url, &nobody()).unwrap_err().remove(0);
        assert_eq!(error.field, "callback_url");
        assert!(error.message.contains(said), "{url}: {}", error.message);
    }
    let ours = Permission::with_private_hosts(vec!["127.0.0.1:9000".parse().unwrap()]);
    assert!(asked("http://127.0.0.1:9000/hook", &ours).is_ok());
    assert!(asked("http://127.0.0.1:9001/hook", &ours).is_err());
    assert!(asked("http://hooks.example.com/", &ours).is_err(), "still https for everybody else");
}

#[test]
fn times_have_bounds() {
    for (seconds, good) in [(0, true), (1, true), (2_592_000, true), (-1, false), (2_592_001, false)] {
        assert_eq!(scrape(&with("max_age", json!(seconds)), &nobody()).is_ok(), good, "{seconds}");
    }
    for (seconds, good) in
        [(json!(5), true), (json!(120), true), (json!(4), false), (json!(121), false), (json!("9"), false)]
    {
        assert_eq!(sync(&with("timeout_seconds", seconds.clone()), &nobody()).is_ok(), good, "{seconds}");
    }
    assert_eq!(sync(&with("max_age", json!(9)), &nobody()).unwrap().1, Duration::from_secs(60));
    assert_eq!(named(scrape(&with("timeout_seconds", json!(9)), &nobody())), ["timeout_seconds"]);
}

#[test]
fn a_batch_names_the_target_that_is_wrong() {
    let mut bad = good();
    bad["target_url"] = json!("nowhere");
    bad["colour"] = json!("red");
    let body = json!({ "targets": [good(), bad, 7, { "target_type": "recipe" }], "callback_url": "http://a.example.com/" });
    let errors = named(batch(body.to_string().as_bytes(), &nobody()));
    assert_eq!(
        errors,
        [
            "callback_url",
            "targets[1].colour",
            "targets[1].target_url",
            "targets[2]",
            "targets[3].target_type",
            "targets[3].workspace_id",
            "targets[3].target_url"
        ]
    );
}

#[test]
fn a_batch_has_one_to_a_hundred_targets_and_lends_them_what_they_lack() {
    let of = |count: usize| {
        let targets =
            vec![json!({ "target_type": "job_posting", "target_url": "https://example.com/1" }); count];
        let body = json!({ "targets": targets, "workspace_id": "ours", "max_age": 60 });
        batch(body.to_string().as_bytes(), &nobody())
    };
    assert_eq!(named(of(0)), ["targets"]);
    assert_eq!(named(of(101)), ["targets"]);
    let all = of(100).unwrap();
    assert_eq!((all.targets.len(), all.workspace_id()), (100, Some("ours")));
    assert_eq!(all.targets[7].max_age, Some(SignedDuration::from_secs(60)));
    assert_eq!(named(batch(b"{}", &nobody())), ["targets"]);
    assert_eq!(named(batch(br#"{"targets":{}}"#, &nobody())), ["targets"]);
}
