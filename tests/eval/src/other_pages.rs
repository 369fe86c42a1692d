//! Pages of other kinds (companies, terms, policies) read as job pages: none of them may become a posting.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use domain::extract::read_job_posting;

use crate::{Section, Wish, say};

const PARTS: &[&str] = &["company_pages", "near_duplicates/ota_series"];

pub fn measure(folder: &Path, wish: &Wish) -> anyhow::Result<Section> {
    let parts: Vec<PathBuf> =
        PARTS.iter().map(|part| folder.join(part)).filter(|part| part.is_dir()).collect();
    if parts.is_empty() {
        return Ok(Section::Absent(folder.join(PARTS[0])));
    }
    say("## pages of other kinds\n");
    for part in parts {
        let (mut pages, mut taken) = (0, Vec::new());
        for file in html_below(&part)? {
            let bytes = fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
            let url =
                format!("https://pages.example/{}", file.file_name().unwrap_or_default().to_string_lossy());
            let reading =
                read_job_posting(&bytes, Some("text/html"), &url, &url, "2026-11-16T00:00:00Z".parse()?);
            pages += 1;
            if let Some(posting) = reading.posting {
                taken.push(format!("{} ({:?})", file.display(), posting.job_title));
            }
        }
        say(&format!("{}: {pages} pages, taken for a posting: {}", part.display(), taken.len()));
        for file in taken.iter().filter(|_| wish.verbose) {
            say(&format!("  {file}"));
        }
    }
    say("");
    Ok(Section::Measured)
}

/// The pages in a folder and the folders in it, in order.
fn html_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("listing {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "html" || kind == "htm") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
