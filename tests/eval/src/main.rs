//! Measures what is read against a folder of pages whose truth is known. Each section is one file that looks for its
//! own part of the folder, prints its figures, or says that the part is not there.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};

use crate::table::Count;

mod ats;
mod company_pages;
mod facts;
mod job_pages;
mod near_duplicates;
mod other_pages;
mod robots;
mod roles;
mod same;
mod table;

/// What a section found.
pub enum Section {
    Measured,
    /// The folder has no such part; the path that was looked for.
    Absent(PathBuf),
}

type Measure = fn(&Path, &Wish) -> anyhow::Result<Section>;

const SECTIONS: &[(&str, Measure)] = &[
    ("job_pages", job_pages::measure),
    ("other_pages", other_pages::measure),
    ("company_pages", company_pages::measure),
    ("ats_api", |folder, wish| reported(folder, "ats_api", |folder| ats::report(folder, wish))),
    ("near_duplicates", |folder, _| reported(folder, "near_duplicates", near_duplicates::report)),
    ("conformance", |folder, _| reported(folder, "conformance", robots::report)),
    ("titles", |folder, wish| reported(folder, "titles", |folder| roles::report(folder, wish))),
];

/// A section that writes its figures as one text.
fn reported(
    folder: &Path,
    part: &str,
    report: impl Fn(&Path) -> anyhow::Result<String>,
) -> anyhow::Result<Section> {
    let path = folder.join(part);
    if !path.is_dir() {
        return Ok(Section::Absent(path));
    }
    say(&format!("## {part}\n\n{}", report(folder)?));
    Ok(Section::Measured)
}

/// What the caller wants to see beside the figures.
#[derive(Debug, Default)]
pub struct Wish {
    /// Every value that is wrong or missing.
    pub verbose: bool,
    /// Only sites whose name contains this.
    pub site: Option<String>,
    /// `title=0.95`: at least this share right, of every section that measures the field; `ats_api.title` is of one.
    pub at_least: Vec<(String, f64)>,
    /// What was measured, by section and field.
    pub figures: RefCell<BTreeMap<String, Count>>,
}

impl Wish {
    /// The thresholds that are missed, in words. One that nothing was measured for is missed too.
    fn missed(&self) -> Vec<String> {
        let figures = self.figures.borrow();
        let mut missed = Vec::new();
        for (field, share) in &self.at_least {
            let of = |name: &str| name == field || name.split_once('.').is_some_and(|(_, own)| own == field);
            let measured: Vec<_> =
                figures.iter().filter(|(name, count)| of(name) && count.carried > 0).collect();
            if measured.is_empty() {
                missed.push(format!("{field}: nothing was measured"));
            }
            for (name, count) in measured {
                let right = count.right as f64 / count.carried as f64;
                if right < *share {
                    missed.push(format!("{name}: {right:.3} right, wanted {share}"));
                }
            }
        }
        missed
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("eval: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let mut wish = Wish::default();
    let mut folder = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--verbose" => wish.verbose = true,
            "--site" => wish.site = arguments.next(),
            "--at-least" => {
                let text = arguments.next().context("--at-least wants field=share")?;
                let (field, share) = text.split_once('=').context("--at-least is written field=share")?;
                wish.at_least.push((field.to_owned(), share.parse().context("a share is from 0 to 1")?));
            }
            option if option.starts_with("--") => bail!("{option} is no option"),
            _ => folder = Some(PathBuf::from(argument)),
        }
    }
    let folder = folder.unwrap_or_default();
    ensure!(folder.is_dir(), "no folder {}: say `make eval DATA=<folder>`", folder.display());
    for (name, measure) in SECTIONS {
        if let Section::Absent(path) = measure(&folder, &wish)? {
            say(&format!("## {name}\n\nnot in this folder ({} is missing)\n", path.display()));
        }
    }
    let missed = wish.missed();
    ensure!(missed.is_empty(), "below what was wanted: {}", missed.join("; "));
    Ok(())
}

/// A program whose product is what it prints.
#[expect(clippy::print_stdout, reason = "a program whose product is what it prints")]
pub fn say(text: &str) {
    println!("{text}");
}

#[cfg(test)]
#[path = "eval_tests.rs"]
mod tests;
