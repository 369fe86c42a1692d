//! Many listings at once: which rows are fit to be kept, and which of those are new, which are updates of what
//! we have, and which say again what another row of the same batch says. One bad row costs itself and no other.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::Value;

use super::job::JobFields;
use super::{Change, Known, Seen, decide};
use crate::url;

/// By which a listing is known: source and external id.
pub type Key = (String, String);

/// The longest name of a board, with its system.
const MAX_SOURCE: usize = 400;
const MAX_ID: usize = url::MAX_LENGTH;
const MAX_TITLE: usize = 1_000;
const MAX_COMPANY: usize = 500;
const MAX_TEXT: usize = 200;
const MAX_DESCRIPTION: usize = 1024 * 1024;
const MAX_JSON: usize = 64 * 1024;
const MAX_TYPES: usize = 100;

/// Why a row was not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rejected {
    /// Its place in the batch, from 0.
    pub index: usize,
    pub field: &'static str,
    pub message: String,
}

/// The first thing that is wrong with a row, if there is any: field and reason.
pub fn check(source: &str, external_id: &str, job: &JobFields) -> Result<(), (&'static str, String)> {
    text("source", source, MAX_SOURCE, true)?;
    text("external_id", external_id, MAX_ID, true)?;
    text("title", &job.title, MAX_TITLE, true)?;
    address("url", &job.url)?;
    for (field, value, longest) in [
        ("company", &job.company, MAX_COMPANY),
        ("description", &job.description, MAX_DESCRIPTION),
        ("remote", &job.remote, MAX_TEXT),
        ("salary_text", &job.salary_text, MAX_TEXT * 5),
        ("valid_through", &job.valid_through, MAX_TEXT),
    ] {
        if let Some(value) = value {
            text(field, value, longest, false)?;
        }
    }
    if let Some(apply) = &job.apply_url {
        address("apply_url", apply)?;
    }
    if job.employment_type.len() > MAX_TYPES {
        return Err(("employment_type", format!("has more than {MAX_TYPES} values")));
    }
    for word in &job.employment_type {
        text("employment_type", word, MAX_TEXT, false)?;
    }
    for (field, value) in [("place", &job.place), ("salary", &job.salary)] {
        if let Some(value) = value {
            json(field, value)?;
        }
    }
    json("provenance", &job.provenance)?;
    if job.date_posted.is_some_and(|day| !(1990..=2200).contains(&day.year())) {
        return Err(("date_posted", "is not of our time".to_owned()));
    }
    text("extractor_version", &job.extractor_version, MAX_TEXT, true)?;
    text("fingerprint", &job.fingerprint, MAX_TEXT, true)
}

fn text(
    field: &'static str,
    value: &str,
    longest: usize,
    needed: bool,
) -> Result<(), (&'static str, String)> {
    if needed && value.trim().is_empty() {
        return Err((field, "is empty".to_owned()));
    }
    if value.len() > longest {
        return Err((field, format!("is longer than {longest} bytes")));
    }
    if value.contains('\0') {
        return Err((field, "holds a zero character".to_owned()));
    }
    Ok(())
}

fn address(field: &'static str, value: &str) -> Result<(), (&'static str, String)> {
    text(field, value, url::MAX_LENGTH, true)?;
    url::normalise(value).map(drop).map_err(|error| (field, error.to_string()))
}

/// Postgres keeps no zero character in a document either, and a deep one could not be written.
fn json(field: &'static str, value: &Value) -> Result<(), (&'static str, String)> {
    let mut left = vec![(value, 0)];
    let mut size = 0;
    while let Some((value, depth)) = left.pop() {
        size += 8;
        if depth > 16 {
            return Err((field, "is nested too deeply".to_owned()));
        }
        let mut said = |text: &str| {
            size += text.len();
            !text.contains('\0')
        };
        let whole = match value {
            Value::String(text) => said(text),
            Value::Array(items) => {
                left.extend(items.iter().map(|item| (item, depth + 1)));
                true
            }
            Value::Object(parts) => {
                left.extend(parts.values().map(|part| (part, depth + 1)));
                parts.keys().all(|name| said(name))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        };
        if !whole {
            return Err((field, "holds a zero character".to_owned()));
        }
        if size > MAX_JSON {
            return Err((field, format!("is longer than {MAX_JSON} bytes")));
        }
    }
    Ok(())
}

/// One row of a batch, as far as sorting it goes.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    pub source: &'a str,
    pub external_id: &'a str,
    pub fingerprint: &'a str,
    /// How many fields say something.
    pub known: usize,
}

/// What becomes of each row of a batch, by its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sorted {
    /// In the order of their keys, as are the updates: whoever writes in this order never waits in a circle.
    pub new: Vec<usize>,
    pub updates: Vec<(usize, Change)>,
    /// Rows that another one of the batch speaks for, with its place.
    pub skipped: Vec<(usize, usize)>,
}

/// Sorts a batch: new, updates of existing listings, and rows that repeat another of the batch. Of rows with one
/// key the one that knows most is taken, then the later one.
pub fn deduplicate(batch: &[Item<'_>], existing: &HashMap<Key, Known>) -> Sorted {
    let mut kept: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (at, item) in batch.iter().enumerate() {
        let best = kept.entry((item.source, item.external_id)).or_insert(at);
        if item.known >= batch[*best].known {
            *best = at;
        }
    }
    let mut sorted = Sorted::default();
    for ((source, external_id), at) in &kept {
        let key = ((*source).to_owned(), (*external_id).to_owned());
        match existing.get(&key) {
            None => sorted.new.push(*at),
            Some(known) => {
                sorted.updates.push((*at, decide(Some(known), Seen::Live, Some(batch[*at].fingerprint))));
            }
        }
    }
    for (at, item) in batch.iter().enumerate() {
        let taken = kept[&(item.source, item.external_id)];
        if taken != at {
            sorted.skipped.push((at, taken));
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn potter() -> JobFields {
        JobFields {
            url: "https://kiln.example/7".into(),
            title: "Potter".into(),
            provenance: json!({}),
            extractor_version: "job_posting/1".into(),
            fingerprint: "a".into(),
            ..JobFields::default()
        }
    }

    #[test]
    fn a_bad_row_is_named_by_its_field() {
        assert_eq!(check("web", "7", &potter()), Ok(()));
        type Spoil = fn(&mut JobFields);
        let wrong: [(&str, Spoil); 10] = [
            ("title", |job| job.title = "  ".into()),
            ("title", |job| job.title = "a\0b".into()),
            ("url", |job| job.url = "ftp://kiln.example/7".into()),
            ("url", |job| job.url = "nonsense".into()),
            ("apply_url", |job| job.apply_url = Some("javascript:alert(1)".into())),
            ("company", |job| job.company = Some("x".repeat(501))),
            ("place", |job| job.place = Some(json!({"city": ["\0"]}))),
            ("salary", |job| job.salary = Some(json!({"\0": 1}))),
            ("date_posted", |job| job.date_posted = Some(jiff::civil::date(-4000, 1, 1))),
            ("fingerprint", |job| job.fingerprint = String::new()),
        ];
        for (field, change) in wrong {
            let mut job = potter();
            change(&mut job);
            assert_eq!(check("web", "7", &job).unwrap_err().0, field);
        }
        assert_eq!(check("", "7", &potter()).unwrap_err().0, "source");
        assert_eq!(check("web", &"7".repeat(MAX_ID + 1), &potter()).unwrap_err().0, "external_id");
    }

    #[test]
    fn deep_documents_are_refused_without_recursion() {
        let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
        let job = JobFields { salary: Some(deep), ..potter() };
        assert_eq!(check("web", "7", &job).unwrap_err().0, "salary");
    }

    #[test]
    fn a_batch_is_sorted_into_new_updates_and_repeats() {
        let item = |external_id, fingerprint, known| Item { source: "web", external_id, fingerprint, known };
        let known = |active, fingerprint: &str| Known {
            is_active: active,
            fingerprint: fingerprint.into(),
            page: None,
        };
        let key = |id: &str| ("web".to_owned(), id.to_owned());
        let existing = HashMap::from([
            (key("b"), known(true, "1")),
            (key("c"), known(true, "1")),
            (key("d"), known(false, "1")),
        ]);
        let batch = [
            item("z", "1", 1),
            item("b", "1", 1),
            item("c", "2", 1),
            item("d", "1", 1),
            item("a", "1", 3),
            item("a", "2", 2),
        ];
        let sorted = deduplicate(&batch, &existing);
        assert_eq!(sorted.new, [4, 0], "by key, and the row that knows more");
        assert_eq!(
            sorted.updates,
            [
                (1, Change::Refresh { changed: false }),
                (2, Change::Refresh { changed: true }),
                (3, Change::Reopen { changed: false }),
            ]
        );
        assert_eq!(sorted.skipped, [(5, 4)]);
    }

    proptest! {
        /// Every row is in exactly one of the three, no key is written twice, and the writes are in order.
        #[test]
        fn no_row_is_lost_or_written_twice(
            rows in prop::collection::vec(("[ab]", "[a-d]", "[xy]", 0_usize..3), 0..30),
            there in prop::collection::hash_map(("[ab]", "[a-d]"), (any::<bool>(), "[xy]"), 0..6),
        ) {
            let existing = there
                .into_iter()
                .map(|(key, (is_active, fingerprint))| (key, Known { is_active, fingerprint, page: None }))
                .collect();
            let batch: Vec<_> = rows
                .iter()
                .map(|(source, external_id, fingerprint, known)| Item { source, external_id, fingerprint, known: *known })
                .collect();
            let sorted = deduplicate(&batch, &existing);
            let written: Vec<usize> = sorted.new.iter().copied().chain(sorted.updates.iter().map(|(at, _)| *at)).collect();
            let mut all: Vec<usize> = written.iter().copied().chain(sorted.skipped.iter().map(|(at, _)| *at)).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..batch.len()).collect::<Vec<_>>());
            let key = |at: &usize| (batch[*at].source, batch[*at].external_id);
            let keys: std::collections::BTreeSet<_> = written.iter().map(key).collect();
            prop_assert_eq!(keys.len(), written.len());
            prop_assert!(sorted.new.is_sorted_by_key(key) && sorted.updates.is_sorted_by_key(|(at, _)| key(at)));
            for (at, taken) in &sorted.skipped {
                prop_assert_eq!(key(at), key(taken));
                prop_assert!(written.contains(taken) && batch[*at].known <= batch[*taken].known);
            }
        }
    }
}
