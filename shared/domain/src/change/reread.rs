//! What another extractor makes of a stored page: field by field against what was read before, and how many
//! pages say each field, before and after.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

/// Shown of a long value.
const SHOWN: usize = 160;

/// What became of one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    Gained,
    Lost,
    Changed,
}

/// One field that is read differently.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct FieldDiff {
    pub field: String,
    pub turn: Turn,
    pub before: Value,
    pub after: Value,
}

/// How pages say a field, before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Fill {
    pub before: u64,
    pub after: u64,
    pub gained: u64,
    pub lost: u64,
    pub changed: u64,
}

/// What was counted over many pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Tally {
    pub pages: u64,
    /// Pages of which some field is read differently.
    pub differ: u64,
    pub fields: BTreeMap<String, Fill>,
    /// Verdicts that are others than before, as `before → after`.
    pub verdicts: BTreeMap<String, u64>,
}

/// Two results of one page, each an object of fields or nothing. Provenance is how, not what.
pub fn diff(before: Option<&Value>, after: Option<&Value>) -> Vec<FieldDiff> {
    let mut diffs = Vec::new();
    for field in names(before, after) {
        let (old, new) = (said(before, &field), said(after, &field));
        let turn = match (old, new) {
            (None, Some(_)) => Turn::Gained,
            (Some(_), None) => Turn::Lost,
            (Some(old), Some(new)) if old != new => Turn::Changed,
            _ => continue,
        };
        let value = |value: Option<&Value>| value.map_or(Value::Null, shortened);
        diffs.push(FieldDiff { before: value(old), after: value(new), field, turn });
    }
    diffs
}

impl Tally {
    /// Counts one page.
    pub fn count(&mut self, before: Option<&Value>, after: Option<&Value>, diffs: &[FieldDiff]) {
        self.pages += 1;
        self.differ += u64::from(!diffs.is_empty());
        for field in names(before, after) {
            let fill = self.fields.entry(field.clone()).or_default();
            fill.before += u64::from(said(before, &field).is_some());
            fill.after += u64::from(said(after, &field).is_some());
        }
        for diff in diffs {
            let fill = self.fields.entry(diff.field.clone()).or_default();
            match diff.turn {
                Turn::Gained => fill.gained += 1,
                Turn::Lost => fill.lost += 1,
                Turn::Changed => fill.changed += 1,
            }
        }
    }

    pub fn verdict(&mut self, before: &str, after: &str) {
        if before != after {
            *self.verdicts.entry(format!("{before} → {after}")).or_default() += 1;
        }
    }

    /// Both together.
    pub fn add(&mut self, other: &Tally) {
        self.pages += other.pages;
        self.differ += other.differ;
        for (field, more) in &other.fields {
            let fill = self.fields.entry(field.clone()).or_default();
            fill.before += more.before;
            fill.after += more.after;
            fill.gained += more.gained;
            fill.lost += more.lost;
            fill.changed += more.changed;
        }
        for (verdict, count) in &other.verdicts {
            *self.verdicts.entry(verdict.clone()).or_default() += count;
        }
    }

    /// A table for people.
    pub fn table(&self) -> String {
        let mut lines = vec![format!(
            "{:<22} {:>8} {:>8} {:>8} {:>8} {:>8}",
            "field", "before", "after", "gained", "lost", "changed"
        )];
        let percent = |count: u64| {
            if self.pages == 0 {
                "-".to_owned()
            } else {
                format!("{:.1} %", 100.0 * count as f64 / self.pages as f64)
            }
        };
        for (field, fill) in &self.fields {
            lines.push(format!(
                "{field:<22} {:>8} {:>8} {:>8} {:>8} {:>8}",
                percent(fill.before),
                percent(fill.after),
                fill.gained,
                fill.lost,
                fill.changed
            ));
        }
        lines.extend(self.verdicts.iter().map(|(verdict, count)| format!("verdict {verdict}: {count}")));
        lines.join("\n")
    }
}

fn names(before: Option<&Value>, after: Option<&Value>) -> BTreeSet<String> {
    [before, after]
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .flat_map(|fields| fields.keys())
        .filter(|name| *name != "provenance")
        .cloned()
        .collect()
}

/// A field that says something.
fn said<'a>(result: Option<&'a Value>, field: &str) -> Option<&'a Value> {
    let value = result?.get(field)?;
    let empty = match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    (!empty).then_some(value)
}

fn shortened(value: &Value) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => value.to_string(),
        small => return small.clone(),
    };
    if text.len() <= SHOWN {
        return value.clone();
    }
    Value::String(format!("{}… ({} bytes)", &text[..text.floor_char_boundary(SHOWN)], text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_gained_lost_and_changed() {
        let before = json!({"job_title": "Potter", "salary": null, "location": {"city": "Graz"}, "description": "x".repeat(300), "provenance": {"a": "b"}});
        let after = json!({"job_title": "Head potter", "salary": {"min": 1}, "location": null, "description": "y".repeat(300), "provenance": {}});
        let diffs = diff(Some(&before), Some(&after));
        let turns: Vec<_> = diffs.iter().map(|diff| (diff.field.as_str(), diff.turn)).collect();
        assert_eq!(
            turns,
            [
                ("description", Turn::Changed),
                ("job_title", Turn::Changed),
                ("location", Turn::Lost),
                ("salary", Turn::Gained)
            ]
        );
        assert!(diffs[0].after.as_str().unwrap().len() < 200, "a long value is shown in part");
        let mut tally = Tally::default();
        tally.count(Some(&before), Some(&after), &diffs);
        tally.count(None, Some(&after), &diff(None, Some(&after)));
        tally.verdict("live", "no_posting");
        let mut both = tally.clone();
        both.add(&tally);
        assert_eq!((both.pages, both.differ), (4, 4));
        assert_eq!(both.fields["salary"], Fill { before: 0, after: 4, gained: 4, lost: 0, changed: 0 });
        assert!(tally.table().contains("job_title") && tally.table().contains("live → no_posting: 1"));
        assert_eq!(tally.fields.get("provenance"), None);
    }

    #[test]
    fn the_same_reading_has_no_diff() {
        let one = json!({"job_title": "Potter", "employment_type": []});
        assert!(diff(Some(&one), Some(&json!({"job_title": "Potter", "salary": null}))).is_empty());
        assert!(diff(None, None).is_empty());
    }
}
