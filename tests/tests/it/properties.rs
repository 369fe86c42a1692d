//! The numbered properties of the scrape service: each has a test that carries its number, so that none can be
//! lost with the file it was in.

use std::collections::BTreeSet;
use std::path::Path;

const PROPERTIES: std::ops::RangeInclusive<u8> = 1..=43;

/// The numbers that tests of this source carry: `fn property_07_…` below a `#[test]`, and run by default.
fn numbers(source: &str) -> BTreeSet<u8> {
    let (mut is_test, mut is_ignored) = (false, false);
    let mut found = BTreeSet::new();
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            is_ignored |= line.starts_with("#[ignore");
            continue;
        }
        if line.starts_with("//") {
            continue;
        }
        let name = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn property_");
        let number = name.and_then(|name| name.split_once('_')).filter(|(digits, _)| digits.len() == 2);
        if let Some(number) = number.and_then(|(digits, _)| digits.parse().ok())
            && is_test
            && !is_ignored
        {
            found.insert(number);
        }
        (is_test, is_ignored) = (false, false);
    }
    found
}

fn in_folder(folder: &Path, found: &mut BTreeSet<u8>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") {
            in_folder(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.extend(numbers(&std::fs::read_to_string(&path).expect("a source is text")));
        }
    }
}

#[test]
fn every_numbered_property_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut found = BTreeSet::new();
    for folder in ["shared", "functions", "local", "tests"] {
        in_folder(&root.join(folder), &mut found);
    }
    let missing: Vec<u8> = PROPERTIES.filter(|number| !found.contains(number)).collect();
    assert!(missing.is_empty(), "no test carries the number of the properties {missing:?}");
    assert!(found.iter().all(|number| PROPERTIES.contains(number)), "there are no others: {found:?}");
}

#[test]
fn only_a_test_that_runs_counts() {
    let counts = |source: &str| numbers(source).into_iter().collect::<Vec<_>>();
    assert_eq!(
        counts("#[test]\nfn property_07_a() {}\n    #[tokio::test]\n    async fn property_12_b() {"),
        [7, 12]
    );
    assert_eq!(counts("#[test]\n/// Why.\n#[should_panic]\nfn property_07_a() {}"), [7]);
    for source in [
        "fn property_07_a() {}",
        "#[test]\nfn other() {}\nfn property_07_a() {}",
        "#[test]\n// fn property_07_a() {}",
        "#[test]\n#[ignore = \"slow\"]\nfn property_07_a() {}",
        "#[test]\nfn property_list_a() {}",
        "#[test]\nfn property_7_a() {}",
    ] {
        assert!(counts(source).is_empty(), "{source}");
    }
}
