use proptest::prelude::*;
use serde_json::json;

use super::*;

fn problems(text: &str) -> Vec<String> {
    let found = PolicyBook::parse(text).unwrap_err();
    found.iter().map(|p| format!("{}:{} {}: {}", p.line, p.column, p.field, p.message)).collect()
}

fn site(name: &str) -> Site {
    site_key(&format!("https://{name}/").parse().unwrap()).unwrap()
}

#[test]
fn the_bundled_book_can_be_kept() {
    let book = PolicyBook::parse(BUNDLED).unwrap();
    let linkedin = book.policy_of(&site("www.linkedin.com")).unwrap();
    assert!(!linkedin.enabled && linkedin.reason.unwrap().contains("LinkedIn"));
    let indeed = book.policy_of(&site("uk.indeed.com")).unwrap();
    assert_eq!((indeed.min_delay_ms, indeed.max_delay_ms, indeed.respect_robots_txt), (1_000, 3_000, true));
    assert_eq!(book.policy_of(&site("example.com")).unwrap(), Policy::default());
}

#[test]
fn an_entry_says_only_what_differs() {
    let text = "domains:\n  default: {window: 5, max_delay_ms: 9000}\n  a.com: {min_delay_ms: 3000}\n";
    let book = PolicyBook::parse(text).unwrap();
    let own = book.policy_of(&site("jobs.a.com")).unwrap();
    assert_eq!(
        (own.window, own.min_delay_ms, own.max_delay_ms, own.tokens_per_interval),
        (5, 3_000, 9_000, 2)
    );
    assert_eq!(book.policy_of(&site("b.com")).unwrap().min_delay_ms, 500);
}

#[test]
fn a_domain_is_its_site() {
    let text = "domains:\n  WWW.Example.co.uk: {window: 3}\n  127.0.0.1:8080: {window: 4}\n  acme.wd5.myworkdayjobs.com: {window: 6}\n";
    let book = PolicyBook::parse(text).unwrap();
    let keys: Vec<_> = book.entries.keys().map(String::as_str).collect();
    assert_eq!(keys, ["127.0.0.1:8080", "acme.wd5.myworkdayjobs.com", "example.co.uk"]);
}

#[test]
fn a_problem_is_named_with_its_line_column_and_field() {
    for (text, expected) in [
        ("", vec!["1:1 : the document is empty"]),
        ("domains: [1]", vec!["1:10 domains: must hold one entry a site"]),
        ("sites: {}", vec!["1:1 sites: is unknown here; policies stand under \"domains\""]),
        ("domains:\n  a.com:\n    window: 0\n", vec!["3:13 a.com.window: must be 1 to 100"]),
        (
            "domains:\n  a.com:\n    min_delay_ms: 3000\n",
            vec!["3:19 a.com.min_delay_ms: must not exceed max_delay_ms"],
        ),
        ("domains:\n  a.com:\n    enabled: false\n", vec!["2:3 a.com.reason: must say why the site is off"]),
        (
            "domains:\n  a.com:\n    allowed_hours: {start: 9, end: 9}\n",
            vec!["3:20 a.com.allowed_hours: start must be 0 to 23, end 0 to 24, and they must differ"],
        ),
        ("domains:\n  a.com: {}\n  www.a.com: {}\n", vec!["3:3 www.a.com: is the same site as in line 2"]),
        ("domains:\n  a.com: {}\n  a.com: {}\n", vec!["3:3 a.com: stands here twice"]),
        (
            "domains:\n  a.com/jobs: {}\n",
            vec!["2:3 a.com/jobs: is no domain, address with port, or \"default\""],
        ),
        ("domains:\n  a.com: &x {}\n  b.com: *x\n", vec!["2:10 : anchors are not taken here"]),
        ("domains: !!map {}\n", vec!["1:10 : tags are not taken here"]),
    ] {
        assert_eq!(problems(text), expected, "{text}");
    }
    let several =
        problems("domains:\n  a.com:\n    windows: 3\n    window: many\n  b.com:\n    render: maybe\n");
    assert_eq!(several.len(), 3, "{several:?}");
    assert!(several[0].starts_with("3:5 a.com.windows: unknown field `windows`"), "{several:?}");
    assert!(several[1].starts_with("4:13 a.com.window: invalid type: string \"many\""), "{several:?}");
    assert!(several[2].starts_with("6:13 b.com.render: unknown variant `maybe`"), "{several:?}");
    let unclosed = problems("domains:\n  a.com: {window: 3\n");
    assert!(unclosed[0].contains("cannot be read"), "{unclosed:?}");
}

#[test]
fn json_is_taken_as_it_is() {
    let text = "{\n\t\"domains\":{\"a.com\":{\"window\":3,\"reason\":\"caf\\u00e9 \\\"x\\\"\"}}}";
    let book = PolicyBook::parse(text).unwrap();
    assert_eq!(book.to_json(), serde_json::from_str::<Value>(text).unwrap());
    assert_eq!(
        problems("{\"domains\":{\"a.com\":{\"window\":300}}}"),
        ["1:31 a.com.window: must be 1 to 100"]
    );
}

#[test]
fn what_is_written_without_quotes_keeps_its_meaning() {
    for (text, value) in [
        ("10", json!(10)),
        ("10.5", json!(10.5)),
        ("1e3", json!(1000.0)),
        ("\"10\"", json!("10")),
        ("no", json!("no")),
        (".5", json!(0.5)),
        ("nan", json!("nan")),
        ("~", json!(null)),
        ("True", json!(true)),
        ("1.2.3", json!("1.2.3")),
    ] {
        assert_eq!(policy_text::read(text).unwrap().to_json(), value, "{text}");
    }
}

/// Any policy that can be kept, as sparse as chance has it.
fn any_entry() -> impl Strategy<Value = Map<String, Value>> {
    let delays = (0..5_000_u32, 0..5_000_u32).prop_map(|(min, more)| json!([min, min + more]));
    let hours = (0..=23_u8, 0..=24_u8).prop_filter("differ", |(start, end)| start != end);
    (
        prop::option::of(1..=1_000_u32),
        prop::option::of((0..86_400_000_u64).prop_map(|millis| millis as f64 / 1e3)),
        prop::option::of(delays),
        prop::option::of(hours),
        prop::option::of(any::<bool>()),
        prop::option::of((1..=100_u16, 100..=30_000_u32)),
        prop::option::of(prop::sample::select(vec!["auto", "always", "never"])),
        prop::option::of((any::<bool>(), "\\PC{1,60}x")),
    )
        .prop_map(|(tokens, seconds, delays, hours, robots, ours, render, switch)| {
            let mut entry = Map::new();
            let mut put = |name: &str, value: Option<Value>| {
                if let Some(value) = value {
                    entry.insert(name.to_owned(), value);
                }
            };
            put("tokens_per_interval", tokens.map(Value::from));
            put("interval_seconds", seconds.map(Value::from));
            put("min_delay_ms", delays.as_ref().map(|both| both[0].clone()));
            put("max_delay_ms", delays.as_ref().map(|both| both[1].clone()));
            put("allowed_hours", hours.map(|(start, end)| json!({ "start": start, "end": end })));
            put("respect_robots_txt", robots.map(Value::from));
            put("window", ours.map(|(window, _)| json!(window)));
            put("connect_budget_ms", ours.map(|(_, budget)| json!(budget)));
            put("render", render.map(Value::from));
            put("enabled", switch.as_ref().map(|(enabled, _)| json!(enabled)));
            put("reason", switch.map(|(_, reason)| json!(reason)));
            entry
        })
}

fn any_book() -> impl Strategy<Value = PolicyBook> {
    let name = prop_oneof!["[a-z]{1,10}\\.(com|org|co\\.uk|de)", "127\\.0\\.0\\.[1-9]:[1-9][0-9]{3}"];
    prop::collection::btree_map(name, any_entry(), 0..6).prop_map(|entries| PolicyBook { entries })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// A book that is read, written and read again is the same book, with the same policies.
    #[test]
    fn property_23_a_policy_book_survives_the_round_trip(book in any_book()) {
        let yaml = book.to_yaml();
        let again = PolicyBook::parse(&yaml).map_err(|found| TestCaseError::fail(format!("{found:?} in\n{yaml}")))?;
        for (name, entry) in &book.entries {
            // The policy objects agree, and so do the fields as written (10 and 10.0 are one number).
            prop_assert_eq!(merged(None, Some(entry)), merged(None, again.entries.get(name)), "{}", yaml);
            prop_assert!(entry.keys().eq(again.entries[name].keys()));
        }
        prop_assert_eq!(again.to_yaml(), yaml);
        prop_assert_eq!(&PolicyBook::parse(&again.to_json().to_string()).unwrap(), &again);
        prop_assert_eq!(again.entries.len(), book.entries.len());
    }

    /// Whatever is sent in, the answer is a book or the place of a problem.
    #[test]
    fn no_text_does_harm(text in "(domains|a\\.com|window|[ \\n:{}\\[\\]&*!#\"'|>-]|[0-9a-z]){0,40}") {
        if let Err(found) = PolicyBook::parse(&text) {
            prop_assert!(!found.is_empty() && found.iter().all(|problem| problem.line >= 1 && problem.column >= 1));
        }
    }
}
