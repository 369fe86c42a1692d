//! Measures what is read against a folder of pages whose truth is known. Each section is one file that looks for its
//! own part of the folder, prints its figures, or says that the part is not there.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::ensure;

mod ats;
mod job_pages;
mod near_duplicates;
mod other_pages;
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
    ("ats_api", |folder, _| reported(folder, "ats_api", ats::report)),
    ("near_duplicates", |folder, _| reported(folder, "near_duplicates", near_duplicates::report)),
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
    Ok(())
}

/// A program whose product is what it prints.
#[expect(clippy::print_stdout, reason = "a program whose product is what it prints")]
pub fn say(text: &str) {
    println!("{text}");
}
