//! Measures job boards against a folder of real answers and addresses.
//!
//! `<folder>/ats_api/<system>/*` are answers as they came; `<folder>/ats_api/ats_detection/*.csv` are addresses of
//! boards with the system they run on. A miss is an address we say nothing about; wrong is another system.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::table::{Count, Table};
use crate::{Wish, facts};
use anyhow::Context;
use domain::boards::{self, Answer, Board, Detail, ListPage, Listed, System, adapter};

/// Both measures as text.
pub fn report(folder: &Path, wish: &Wish) -> anyhow::Result<String> {
    let folder = folder.join("ats_api");
    let mut out = String::new();
    if folder.join("ats_detection").is_dir() {
        detection(&folder.join("ats_detection"), &mut out, wish)?;
    }
    answers(&folder, &mut out, wish)?;
    Ok(out)
}

/// The system a label means, if it is one of ours.
fn labelled(label: &str) -> Option<System> {
    match label {
        "oracle_hcm" | "oracle-recruiting-cloud" => Some(System::Oracle),
        "startupjobs" => Some(System::Feed),
        label => label
            .parse()
            .ok()
            .filter(|system| !matches!(system, System::Feed | System::Sitemap | System::ListPage)),
    }
}

/// Two systems of one vendor are one answer to the question "which system".
fn vendor(system: System) -> System {
    match system {
        System::EightfoldPcsx => System::Eightfold,
        System::IcimsJibe => System::Icims,
        other => other,
    }
}

#[derive(Default)]
struct Tally {
    right: usize,
    named: usize,
    missed: usize,
    wrong: Vec<String>,
    missed_urls: Vec<String>,
}

fn detection(folder: &Path, out: &mut String, wish: &Wish) -> anyhow::Result<()> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut others: BTreeMap<String, (usize, BTreeMap<&'static str, usize>)> = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("reading {}", folder.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "csv"))
        .collect();
    files.sort();
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let rows = csv(&std::fs::read_to_string(&file)?);
        let Some((head, rows)) = rows.split_first() else { continue };
        let column = |name: &str| head.iter().position(|own| own == name);
        let url = column("board_url").or_else(|| column("url")).context("no column for the url")?;
        let label = column("label_monitor_type");
        for row in rows {
            let Some(url) = row.get(url) else { continue };
            let label = match label {
                Some(label) => row.get(label).map(String::as_str).unwrap_or_default(),
                None => stem.trim_end_matches("_boards"),
            };
            let found = boards::of_url(url);
            let Some(system) = labelled(label) else {
                let entry = others.entry(label.to_owned()).or_default();
                entry.0 += 1;
                if let Some(sign) = found {
                    *entry.1.entry(sign.system.word()).or_default() += 1;
                }
                continue;
            };
            let tally = tallies.entry(system.to_string()).or_default();
            match found {
                None => {
                    tally.missed += 1;
                    tally.missed_urls.push(url.clone());
                }
                Some(sign) if vendor(sign.system) == vendor(system) => {
                    tally.right += 1;
                    tally.named += usize::from(sign.board.is_some());
                }
                Some(sign) => tally.wrong.push(format!("{url} is {label}, taken for {}", sign.system)),
            }
        }
    }
    writeln!(out, "# Which system, from the address alone\n")?;
    writeln!(
        out,
        "| system | addresses | right | with its name | missed | wrong |\n|---|---|---|---|---|---|"
    )?;
    let (mut all, mut right, mut wrong) = (0, 0, 0);
    for (system, tally) in &tallies {
        let count = tally.right + tally.missed + tally.wrong.len();
        (all, right, wrong) = (all + count, right + tally.right, wrong + tally.wrong.len());
        writeln!(
            out,
            "| {system} | {count} | {} | {} | {} | {} |",
            tally.right,
            tally.named,
            tally.missed,
            tally.wrong.len()
        )?;
    }
    let detected = Count { carried: all, right, wrong, missing: all - right - wrong };
    wish.figures.borrow_mut().insert("ats_api.system".to_owned(), detected);
    let share = 100.0 * right as f64 / all.max(1) as f64;
    writeln!(out, "\n{right} of {all} right ({share:.2} %), {wrong} wrong\n")?;
    for tally in tallies.values() {
        for line in &tally.wrong {
            writeln!(out, "wrong: {line}")?;
        }
    }
    for (system, tally) in &tallies {
        for url in &tally.missed_urls {
            writeln!(out, "missed: {system}: {url}")?;
        }
    }
    writeln!(out, "\nLabels without an adapter here, and what we say of their addresses:\n")?;
    for (label, (count, said)) in &others {
        if !said.is_empty() {
            writeln!(out, "{label}: {count} addresses, {said:?}")?;
        }
    }
    Ok(())
}

fn answers(folder: &Path, out: &mut String, wish: &Wish) -> anyhow::Result<()> {
    writeln!(out, "\n# Answers of boards\n")?;
    writeln!(out, "| file | rows | jobs | total | the page names its system |\n|---|---|---|---|---|")?;
    let mut table = Table::default();
    let mut systems: Vec<_> = std::fs::read_dir(folder)?.filter_map(|entry| entry.ok()).collect();
    systems.sort_by_key(std::fs::DirEntry::file_name);
    let mut shown = String::new();
    for entry in systems {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(system) = labelled(&name).filter(|_| entry.path().is_dir()) else { continue };
        let mut files: Vec<_> = std::fs::read_dir(entry.path())?.filter_map(|entry| entry.ok()).collect();
        files.sort_by_key(std::fs::DirEntry::file_name);
        for file in files {
            let body = std::fs::read(file.path())?;
            let label = format!("{name}/{}", file.file_name().to_string_lossy());
            let (page, how) = match read(system, &body) {
                Ok(read) => read,
                Err(why) => {
                    writeln!(out, "| {label} | {why} | | | |")?;
                    continue;
                }
            };
            let rows = facts::rows(&body);
            for (field, count) in page.jobs.iter().flat_map(|job| facts::judge(job, &rows)) {
                if !rows.is_empty() {
                    table.count(&label, field, count);
                }
            }
            let html = label.ends_with(".html").then(|| {
                let signs =
                    boards::in_page(&String::from_utf8_lossy(&body), "https://company.example/careers");
                let sign = signs.first().map(|sign| vendor(sign.system));
                let right = sign == Some(vendor(system));
                let count = Count {
                    carried: 1,
                    right: usize::from(right),
                    wrong: usize::from(sign.is_some() && !right),
                    missing: usize::from(sign.is_none()),
                };
                table.count(&label, "in_page", count);
                sign.map_or("no".to_owned(), |sign| sign.to_string())
            });
            writeln!(
                out,
                "| {label}{how} | {} | {} | {} | {} |",
                page.rows,
                page.jobs.len(),
                page.total.map(|total| total.to_string()).unwrap_or_default(),
                html.unwrap_or_default(),
            )?;
            for job in page.jobs.iter().take(3) {
                let date = job.posted.map(|day| day.to_string()).unwrap_or_default();
                writeln!(
                    shown,
                    "{label}: {} | {} | {:?} | {} | {date} | {:?} | {:?} | {:?} | text {}",
                    job.external_id,
                    job.title,
                    job.places,
                    job.url.as_deref().unwrap_or_default(),
                    job.remote,
                    job.employment_type,
                    job.salary.as_ref().map(ToString::to_string),
                    job.description.as_ref().map_or(0, String::len),
                )?;
            }
        }
    }
    writeln!(
        out,
        "\nEach job against its own row in the file (pages for people have no rows):\n\n{}",
        table.text()
    )?;
    table.tell("ats_api", wish);
    if wish.verbose {
        writeln!(out, "\n{shown}")?;
    }
    Ok(())
}

/// An answer as a page of the list, or else as the detail of one job.
fn read(system: System, body: &[u8]) -> Result<(ListPage, &'static str), String> {
    let tokens = ["sample.example", "sample.example/a", "sample.example/a/b", "https://sample.example/"];
    let board = tokens.iter().find_map(|token| Board::new(system, token).ok()).ok_or("no board")?;
    let answer = Answer {
        status: 200,
        content_type: None,
        body,
        url: "https://sample.example/",
        at: jiff::Timestamp::UNIX_EPOCH,
    };
    let misfit = match (adapter(system).read)(&board, &answer) {
        Ok(page) => return Ok((page, "")),
        Err(misfit) => misfit,
    };
    if let Detail::Behind { read, .. } = adapter(system).detail {
        let mut job = Listed::default();
        if read(&board, &answer, &mut job).is_ok() {
            if job.external_id.is_empty() {
                job.external_id = serde_json::from_slice::<serde_json::Value>(body)
                    .ok()
                    .and_then(|value| value["id"].as_i64().map(|id| id.to_string()))
                    .unwrap_or_default();
            }
            return Ok((ListPage { jobs: vec![job], rows: 1, ..ListPage::default() }, " (detail)"));
        }
    }
    Err(misfit.to_string())
}

/// Rows of a CSV file; quotes as RFC 4180 has them.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quoted, c) {
            (true, '"') if chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            (_, '"') => quoted = !quoted,
            (false, ',') => row.push(std::mem::take(&mut field)),
            (false, '\r') => {}
            (false, '\n') => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            (_, c) => field.push(c),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    rows
}
