//! Company pages: `company_pages/*_entities.jsonl` names a page and what people marked on it. A field is right when it is
//! one of the marked entities of its kind.

use std::fs;
use std::path::Path;

use anyhow::Context;
use domain::extract::read;
use domain::plain_text::fold;
use domain::target::TargetType;
use serde::Deserialize;
use serde_json::Value;

use crate::table::{Count, Table};
use crate::{Section, Wish, say};

#[derive(Deserialize)]
struct Truth {
    file: String,
    host: String,
    entities: Vec<(String, String)>,
}

pub fn measure(folder: &Path, wish: &Wish) -> anyhow::Result<Section> {
    let part = folder.join("company_pages");
    if !part.is_dir() {
        return Ok(Section::Absent(part));
    }
    let mut files: Vec<_> =
        fs::read_dir(&part)?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.retain(|path| path.to_string_lossy().ends_with("_entities.jsonl"));
    files.sort();
    let mut table = Table::default();
    for file in files {
        let set = file.file_stem().unwrap_or_default().to_string_lossy().replace("_entities", "");
        let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let truth: Truth = serde_json::from_str(line).with_context(|| file.display().to_string())?;
            page(folder, &set, &truth, &mut table, wish)?;
        }
    }
    say("## company_pages\n");
    table.print(&[]);
    table.tell("company_pages", wish);
    Ok(Section::Measured)
}

fn page(folder: &Path, set: &str, truth: &Truth, table: &mut Table, wish: &Wish) -> anyhow::Result<()> {
    let path = folder.join(&truth.file);
    let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
    let url =
        format!("https://{}/", if truth.host.contains(".html") { "pages.example" } else { &truth.host });
    let reading = read(
        TargetType::CompanyWebsite,
        &bytes,
        Some("text/html"),
        &url,
        &url,
        "2026-11-16T00:00:00Z".parse()?,
    );
    let result = reading.result.unwrap_or_default();
    let of = |kinds: &[&str]| -> Vec<&str> {
        truth
            .entities
            .iter()
            .filter(|(kind, _)| kinds.contains(&kind.as_str()))
            .map(|(_, text)| text.as_str())
            .collect()
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    type Same = fn(&str, &str) -> bool;
    let fields: [(&'static str, Option<String>, Vec<&str>, Same); 4] = [
        ("company_name", text(&result["company_name"]), of(&["ORG", "SUBJ"]), same_name),
        ("contact_email", text(&result["contact_email"]), of(&["EMAIL"]), |a, b| {
            a.eq_ignore_ascii_case(b.trim())
        }),
        ("contact_phone", text(&result["contact_phone"]), of(&["TEL"]), same_phone),
        ("headquarters", text(&result["headquarters"]["city"]), of(&["CITY"]), |a, b| fold(a) == fold(b)),
    ];
    for (field, ours, known, same) in fields {
        let right = ours.as_deref().is_some_and(|ours| known.iter().any(|known| same(ours, known)));
        // What nobody marked cannot be judged.
        if known.is_empty() {
            continue;
        }
        let count = Count {
            carried: 1,
            right: usize::from(right),
            wrong: usize::from(ours.is_some() && !right),
            missing: usize::from(ours.is_none()),
        };
        if wish.verbose && count.right == 0 {
            say(&format!("   {} {field}: {ours:?}, marked {known:?}", truth.file));
        }
        table.count(set, field, count);
    }
    Ok(())
}

/// Legal forms and marks do not make another company.
fn same_name(ours: &str, known: &str) -> bool {
    const FORMS: &[&str] = &["inc", "llc", "ltd", "pty", "co", "corp", "gmbh", "company", "the"];
    let bare = |text: &str| {
        let folded = fold(text);
        folded.split(' ').filter(|word| !FORMS.contains(word)).collect::<Vec<_>>().join(" ")
    };
    !bare(ours).is_empty() && bare(ours) == bare(known)
}

fn same_phone(ours: &str, known: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let (ours, known) = (digits(ours), digits(known));
    known.len() >= 7 && (ours.ends_with(&known) || known.ends_with(&ours) && ours.len() >= 7)
}
