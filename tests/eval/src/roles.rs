//! Role normalising and matching, measured on a folder of title files: `role_norm*.tsv` with `roles.tsv`,
//! `pairs*.tsv`, `esco_pairs*.tsv`, `onet_match*.json`. A file that is not there is left out.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use domain::roles::factors::{Rarity, nearness};
use domain::roles::matching::{Job, Person, WORTH, Weights, score, skills};
use domain::roles::{Known, Title, decide};
use jiff::Timestamp;
use serde_json::Value;

use crate::Wish;

/// Everything the folder allows to measure, with the first mistakes of each.
pub fn report(folder: &Path, wish: &Wish) -> anyhow::Result<String> {
    let mut out = String::new();
    let folder = &folder.join("titles");
    let shown = if wish.verbose { usize::MAX } else { 5 };
    for file in files(folder, "role_norm", "tsv")? {
        normalising(&mut out, folder, &file, shown)?;
    }
    for prefix in ["pairs", "esco_pairs"] {
        for file in files(folder, prefix, "tsv")? {
            pairs(&mut out, &file, shown)?;
        }
    }
    for file in files(folder, "onet_match", "json")? {
        matching(&mut out, &file)?;
    }
    Ok(out)
}

fn files(folder: &Path, prefix: &str, ending: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(prefix) && name.ends_with(&format!(".{ending}")) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The rows below the first, cut at tabs.
fn table(path: &Path) -> anyhow::Result<Vec<Vec<String>>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

fn share(right: usize, all: usize) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let share = if all == 0 { 0.0 } else { 100.0 * right as f64 / all as f64 };
    share
}

/// Each title against the list of roles: the right one, or a new one.
fn normalising(out: &mut String, folder: &Path, file: &Path, shown: usize) -> anyhow::Result<()> {
    let roles: Vec<String> =
        table(&folder.join("roles.tsv"))?.into_iter().filter_map(|mut row| row.pop()).collect();
    let titles: Vec<Title> = roles.iter().map(|role| Title::read(role)).collect();
    let known: Vec<Known<'_, usize>> =
        titles.iter().enumerate().map(|(role, title)| Known { role, title }).collect();
    let (mut right, mut wrong_merges, mut unstable) = (0, 0, 0);
    let (mut kinds, mut mistakes): (HashMap<String, (usize, usize)>, Vec<String>) = Default::default();
    let rows = table(file)?;
    for row in &rows {
        let [title, canonical, kind] = &row[..] else { continue };
        let read = Title::read(title);
        unstable += usize::from(Title::read(&read.name).key != read.key);
        let decision = decide(&read, &known);
        let got = decision.role.map_or("NEW", |role| roles[role].as_str());
        let entry = kinds.entry(kind.clone()).or_default();
        entry.1 += 1;
        if got == canonical {
            (right, entry.0) = (right + 1, entry.0 + 1);
        } else {
            wrong_merges += usize::from(got != "NEW");
            mistakes.push(format!("    {title:?} [{}] → {got:?}, not {canonical:?}", read.key));
        }
    }
    writeln!(
        out,
        "{}: {:.1} % of {} decisions right, {wrong_merges} wrong merges, {unstable} names with another key",
        name(file),
        share(right, rows.len()),
        rows.len()
    )?;
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort();
    for (kind, (right, all)) in kinds {
        writeln!(out, "  {kind}: {right} of {all}")?;
    }
    mistakes.iter().take(shown).try_for_each(|line| writeln!(out, "{line}"))?;
    let mut by_key: HashMap<&str, &str> = HashMap::new();
    for (role, title) in roles.iter().zip(&titles) {
        if let Some(other) = by_key.insert(&title.key, role) {
            writeln!(out, "    {role:?} and {other:?} have the same key {:?}", title.key)?;
        }
    }
    Ok(())
}

/// Two titles: one role or two.
fn pairs(out: &mut String, file: &Path, shown: usize) -> anyhow::Result<()> {
    let mut kinds: HashMap<String, (usize, usize)> = HashMap::new();
    let mut mistakes = Vec::new();
    for row in table(file)? {
        let [a, b, same, kind] = &row[..] else { continue };
        let merged = Title::read(a).key == Title::read(b).key;
        let entry = kinds.entry(format!("{kind} (same = {same})")).or_default();
        entry.1 += 1;
        entry.0 += usize::from(merged);
        if merged && same == "0" {
            mistakes.push(format!("    merged: {a:?} and {b:?} [{}]", Title::read(a).key));
        }
    }
    writeln!(out, "{}: {} wrong merges", name(file), mistakes.len())?;
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort();
    for (kind, (merged, all)) in kinds {
        writeln!(out, "  {kind}: {merged} of {all} merged")?;
    }
    mistakes.iter().take(shown).try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}

/// The order of the jobs for each person: NDCG at 10, and what the threshold keeps.
fn matching(out: &mut String, file: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let cases: Vec<Value> = serde_json::from_str(&text).context("reading the cases")?;
    let words = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut counts: HashMap<String, u32> = HashMap::new();
    let mut jobs = 0;
    for job in cases.iter().flat_map(|case| case["jobs"].as_array().into_iter().flatten()) {
        jobs += 1;
        for skill in skills(words(&job["skills"]).iter().map(String::as_str)) {
            *counts.entry(skill).or_default() += 1;
        }
    }
    let rarity = Rarity::of_counts(counts, jobs);
    let (mut sum, mut kept) = (0.0, HashMap::<i64, (usize, usize)>::new());
    let mut titles_only = 0.0;
    for case in &cases {
        let title = Title::read(case["candidate"]["title"].as_str().unwrap_or_default());
        let person = Person {
            titles: vec![title.clone()],
            skills: skills(words(&case["candidate"]["skills"]).iter().map(String::as_str)),
            ..Person::default()
        };
        let (mut ranked, mut by_title) = (Vec::<(f32, i64)>::new(), Vec::<(f32, i64)>::new());
        for job in case["jobs"].as_array().into_iter().flatten() {
            let rel = job["rel"].as_i64().unwrap_or_default();
            let job = Job {
                title: Title::read(job["title"].as_str().unwrap_or_default()),
                skills: skills(words(&job["skills"]).iter().map(String::as_str)),
                places: Vec::new(),
                remote: None,
                salary: None,
                since: None,
            };
            let score = score(&person, &job, &rarity, &Weights::default(), Timestamp::UNIX_EPOCH);
            let total = score.map_or(0.0, |score| score.total);
            ranked.push((total, rel));
            by_title.push((nearness(&title, &job.title), rel));
            let entry = kept.entry(rel).or_default();
            entry.1 += 1;
            entry.0 += usize::from(total >= WORTH);
        }
        sum += ndcg(&mut ranked);
        titles_only += ndcg(&mut by_title);
    }
    #[allow(clippy::cast_precision_loss)]
    let count = cases.len().max(1) as f64;
    writeln!(
        out,
        "{}: NDCG@10 {:.3} over {} people (titles alone {:.3})",
        name(file),
        sum / count,
        cases.len(),
        titles_only / count
    )?;
    let mut kept: Vec<_> = kept.into_iter().collect();
    kept.sort_unstable();
    for (rel, (kept, all)) in kept {
        writeln!(out, "  grade {rel}: {:.1} % of {all} at {WORTH} or more", share(kept, all))?;
    }
    Ok(())
}

fn ndcg(ranked: &mut [(f32, i64)]) -> f64 {
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let gain = |list: &[i64]| -> f64 {
        list.iter()
            .take(10)
            .enumerate()
            .map(|(at, rel)| {
                #[allow(clippy::cast_precision_loss)]
                let (rel, at) = (*rel as f64, at as f64);
                (rel.exp2() - 1.0) / (at + 2.0).log2()
            })
            .sum()
    };
    let got: Vec<i64> = ranked.iter().map(|(_, rel)| *rel).collect();
    let mut best = got.clone();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let ideal = gain(&best);
    if ideal > 0.0 { gain(&got) / ideal } else { 0.0 }
}

fn name(file: &Path) -> String {
    file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
