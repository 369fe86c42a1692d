//! Figures by site and field, as a table for people.

use std::collections::BTreeMap;

use crate::{Wish, say};

/// What came of one field on some pages.
#[derive(Debug, Default, Clone, Copy)]
pub struct Count {
    /// Pages that carry the field, by their truth.
    pub carried: usize,
    pub right: usize,
    /// Present and not right, also where the page carries none.
    pub wrong: usize,
    pub missing: usize,
}

impl Count {
    pub fn add(&mut self, other: Count) {
        self.carried += other.carried;
        self.right += other.right;
        self.wrong += other.wrong;
        self.missing += other.missing;
    }

    pub fn found(self) -> usize {
        self.right + self.wrong
    }
}

/// At least so many of the pages that carry the field right, at most so many wrong; in percent.
pub struct Target {
    pub field: &'static str,
    pub right: f64,
    pub wrong: f64,
}

#[derive(Debug, Default)]
pub struct Table {
    rows: BTreeMap<(String, &'static str), Count>,
}

impl Table {
    pub fn count(&mut self, site: &str, field: &'static str, count: Count) {
        self.rows.entry((site.to_owned(), field)).or_default().add(count);
    }

    /// Hands the sum of each field to whoever holds it against a threshold.
    pub fn tell(&self, section: &str, wish: &Wish) {
        for ((_, field), count) in &self.rows {
            wish.figures.borrow_mut().entry(format!("{section}.{field}")).or_default().add(*count);
        }
    }

    /// Every row, by site and field.
    pub fn text(&self) -> String {
        let head = format!(
            "{:<24} {:<12} {:>7} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}",
            "site", "field", "carried", "found", "right", "wrong", "missing", "right %", "wrong %"
        );
        let rows = self.rows.iter().map(|((site, field), count)| row(site, field, *count));
        std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
    }

    pub fn print(&self, targets: &[Target]) {
        say(&format!("{}\n", self.text()));
        for target in targets {
            let mut all = Count::default();
            for ((_, field), count) in &self.rows {
                if *field == target.field {
                    all.add(*count);
                }
            }
            let met = percent(all.right, all.carried) >= target.right
                && percent(all.wrong, all.carried.max(all.found())) <= target.wrong;
            let judged = match (all.carried, met) {
                (0, _) => "nothing to measure",
                (_, true) => "met",
                (_, false) => "NOT met",
            };
            say(&format!(
                "{}   target: right ≥ {:.0} %, wrong ≤ {:.0} %: {judged}",
                row("all", target.field, all),
                target.right,
                target.wrong
            ));
        }
        say("");
    }
}

fn row(site: &str, field: &str, count: Count) -> String {
    format!(
        "{site:<24} {field:<12} {:>7} {:>6} {:>6} {:>6} {:>8} {:>8.1} {:>8.1}",
        count.carried,
        count.found(),
        count.right,
        count.wrong,
        count.missing,
        percent(count.right, count.carried),
        percent(count.wrong, count.carried.max(count.found())),
    )
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
