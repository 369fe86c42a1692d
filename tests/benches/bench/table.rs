//! The table that is printed at the end, and kept in `target/bench.txt`.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;

use super::rounds::Pair;

/// Whether much or little is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Good {
    High,
    Low,
}

struct Row {
    what: String,
    unit: &'static str,
    good: Good,
    pair: Pair,
    floor: &'static str,
}

#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl Table {
    /// Our figure beside its floor; `floor` says what that is.
    pub fn row(&mut self, what: &str, unit: &'static str, good: Good, pair: Pair, floor: &'static str) {
        super::process::say(&format!(
            "{what}: {} {unit}, floor {}, ratio {}",
            figure(pair.ours),
            figure(pair.floor),
            share(&pair, good)
        ));
        self.rows.push(Row { what: what.to_owned(), unit, good, pair, floor });
    }

    /// What must be known to read the rows.
    pub fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    pub fn print(&self) -> anyhow::Result<()> {
        let text = self.text()?;
        super::process::say(&text);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench.txt");
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }

    fn text(&self) -> anyhow::Result<String> {
        let cells: Vec<[String; 6]> =
            std::iter::once(["what", "ours", "floor", "unit", "ratio", "the floor is"].map(str::to_owned))
                .chain(self.rows.iter().map(|row| {
                    [
                        row.what.clone(),
                        figure(row.pair.ours),
                        figure(row.pair.floor),
                        row.unit.to_owned(),
                        share(&row.pair, row.good),
                        row.floor.to_owned(),
                    ]
                }))
                .collect();
        let width = |at: usize| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..6).map(width).collect();
        let mut text = String::from("\n");
        for (at, row) in cells.iter().enumerate() {
            let [what, ours, floor, unit, ratio, is] = row;
            let line = format!(
                "{what:<0$}  {ours:>1$}  {floor:>2$}  {unit:<3$}  {ratio:>4$}  {is}",
                widths[0], widths[1], widths[2], widths[3], widths[4]
            );
            writeln!(text, "{}", line.trim_end())?;
            if at == 0 {
                writeln!(text, "{}", "─".repeat(widths.iter().sum::<usize>() + 10))?;
            }
        }
        writeln!(
            text,
            "\nMedians of alternating rounds. A rate is shown as its share of the floor (more is better),"
        )?;
        writeln!(text, "a cost as a multiple of it (less is better).")?;
        for note in &self.notes {
            writeln!(text, "· {note}")?;
        }
        Ok(text)
    }
}

fn share(pair: &Pair, good: Good) -> String {
    match good {
        Good::High => format!("{:.0} %", pair.ratio * 100.0),
        Good::Low => format!("{:.1} ×", pair.ratio),
    }
}

fn figure(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}
