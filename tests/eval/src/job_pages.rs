//! Job pages: `job_pages/expected.jsonl` names a file, its site and the fields that are known of it. Single postings are
//! measured by field; list pages must not become a posting; where a page has JSON-LD every field must equal it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use domain::extract::{Reading, read_job_posting};
use domain::json_ld::{self, Found};
use domain::page::Page;
use domain::posting::Posting;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::table::{Count, Table, Target};
use crate::{Section, Wish, same, say};

const TARGETS: &[Target] = &[
    Target { field: "title", right: 95.0, wrong: 5.0 },
    Target { field: "company", right: 85.0, wrong: 5.0 },
    Target { field: "location", right: 85.0, wrong: 5.0 },
    Target { field: "date", right: 80.0, wrong: 5.0 },
];

/// One line of `expected.jsonl`.
#[derive(Debug, Deserialize)]
struct Truth {
    file: String,
    site: String,
    #[serde(default)]
    jsonld_jobposting: bool,
    #[serde(default)]
    expected: Option<Map<String, Value>>,
}

pub fn measure(folder: &Path, wish: &Wish) -> anyhow::Result<Section> {
    let path = folder.join("job_pages/expected.jsonl");
    if !path.is_file() {
        return Ok(Section::Absent(path));
    }
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let mut tally = Tally::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let truth: Truth =
            serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), number + 1))?;
        if wish.site.as_ref().is_some_and(|site| !truth.site.contains(site.as_str())) {
            continue;
        }
        tally.page(&path.with_file_name(&truth.file), &truth, wish)?;
    }
    say("## job_pages: single postings\n");
    tally.table.print(TARGETS);
    tally.table.tell("job_pages", wish);
    tally.print();
    Ok(Section::Measured)
}

#[derive(Default)]
struct Tally {
    table: Table,
    verdicts: BTreeMap<(String, &'static str), usize>,
    methods: BTreeMap<String, usize>,
    lists: Vec<(String, bool)>,
    json_ld: (usize, Vec<String>),
    micros: Vec<(u128, usize)>,
}

impl Tally {
    fn page(&mut self, path: &Path, truth: &Truth, wish: &Wish) -> anyhow::Result<()> {
        let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        let url = address(truth, &bytes);
        let now: Timestamp = "2026-11-16T00:00:00Z".parse()?;
        let started = Instant::now();
        let reading = read_job_posting(&bytes, Some("text/html"), &url, &url, now);
        self.micros.push((started.elapsed().as_micros(), bytes.len()));
        *self.verdicts.entry((truth.site.clone(), reading.verdict.code)).or_default() += 1;
        if wish.verbose {
            say(&format!("-- {} {} {}", truth.file, reading.verdict.code, brief(&reading)));
        }
        if is_list(&truth.file) {
            self.lists.push((truth.file.clone(), reading.posting.is_none()));
            return Ok(());
        }
        let nobody = Posting::default();
        let posting = reading.posting.as_ref().unwrap_or(&nobody);
        for origin in posting.provenance.iter().map(|(field, origin)| format!("{field} by {origin}")) {
            *self.methods.entry(origin).or_default() += 1;
        }
        if truth.jsonld_jobposting {
            self.equal_to_json_ld(&truth.file, &bytes, &url, posting);
        }
        let Some(expected) = &truth.expected else { return Ok(()) };
        let raw = posting.location.as_ref().and_then(|place| place.raw.as_deref());
        let day = posting.date_posted.map(|day| day.to_string());
        let fields: [(&'static str, &[&str], Option<&str>, Same); 4] = [
            ("title", &["title"], posting.job_title.as_deref(), same::title),
            ("company", &["company", "company_name"], posting.company_name.as_deref(), same::text),
            ("location", &["location", "location_raw", "locations_raw"], raw, same::place),
            ("date", &["date_posted"], day.as_deref(), same_day),
        ];
        for (field, names, ours, same) in fields {
            let Some(known) = names.iter().find_map(|name| expected.get(*name)) else { continue };
            let known = texts(known);
            let count = judge(&known, ours, same);
            if wish.verbose && (count.wrong > 0 || count.missing > 0) {
                say(&format!("   {field}: {ours:?}, expected {known:?}"));
            }
            self.table.count(&truth.site, field, count);
        }
        if let Some(parts) = expected.get("description_html__contains") {
            let text = posting.description.as_deref().unwrap_or_default();
            let inside = texts(parts).iter().all(|part| contains(text, part));
            let count = Count {
                carried: 1,
                right: usize::from(inside),
                wrong: usize::from(!inside && !text.is_empty()),
                missing: usize::from(text.is_empty()),
            };
            self.table.count(&truth.site, "description", count);
        }
        Ok(())
    }

    /// What the page's own JSON-LD says must be what is read.
    fn equal_to_json_ld(&mut self, file: &str, bytes: &[u8], url: &str, posting: &Posting) {
        let Ok(page) = Page::parse(bytes, Some("text/html")) else { return };
        let values = json_ld::values(&page.json_ld()).unwrap_or_default();
        let Found::Posting(value) = json_ld::find(values, url, None) else { return };
        let (stated, _) = Posting::from_json_ld(&value, url);
        let as_json = |posting: &Posting| serde_json::to_value(posting).unwrap_or_default();
        let (ours, theirs) = (as_json(posting), as_json(&stated));
        self.json_ld.0 += 1;
        for field in stated.known_fields().filter(|field| ours[*field] != theirs[*field]) {
            self.json_ld.1.push(format!("{file}: {field}"));
        }
    }

    fn print(&self) {
        say("verdicts:");
        for ((site, code), pages) in &self.verdicts {
            say(&format!("  {site:<24} {code:<22} {pages:>4}"));
        }
        say("\nfields of single postings by the method that found them:");
        for (method, pages) in &self.methods {
            say(&format!("  {method:<40} {pages:>4}"));
        }
        let taken: Vec<&str> =
            self.lists.iter().filter(|(_, kept)| !kept).map(|(file, _)| file.as_str()).collect();
        say(&format!("\nlist pages: {}, taken for a posting: {} {taken:?}", self.lists.len(), taken.len()));
        say(&format!(
            "pages with JSON-LD: {}, fields that differ from it: {:?}",
            self.json_ld.0, self.json_ld.1
        ));
        let mut micros: Vec<u128> = self.micros.iter().map(|(micros, _)| *micros).collect();
        micros.sort_unstable();
        let bytes: usize = self.micros.iter().map(|(_, bytes)| bytes).sum();
        if let Some(median) = micros.get(micros.len() / 2) {
            say(&format!(
                "time: {median} µs a page in the middle, {} µs at most, {} KB on average (a build without optimisation)\n",
                micros.last().unwrap_or(median),
                bytes / 1024 / micros.len()
            ));
        }
    }
}

type Same = fn(&str, &str) -> bool;

fn judge(known: &[String], ours: Option<&str>, same: Same) -> Count {
    let right = ours.is_some_and(|ours| known.iter().any(|known| same(ours, known)));
    Count {
        carried: usize::from(!known.is_empty()),
        right: usize::from(right),
        wrong: usize::from(ours.is_some() && !right),
        missing: usize::from(ours.is_none() && !known.is_empty()),
    }
}

fn same_day(ours: &str, expected: &str) -> bool {
    same::day(expected).is_some_and(|day| day.to_string() == ours)
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// Whether a text holds a piece of HTML, compared without tags and marks.
fn contains(text: &str, html: &str) -> bool {
    use domain::plain_text::{fold, from_html};
    fold(text).contains(&fold(&from_html(html)))
}

fn is_list(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name = name.split_once('_').filter(|(hash, _)| hash.len() == 8).map_or(name, |(_, rest)| rest);
    ["more", "listing", "search", "jobs.html"].iter().any(|start| name.starts_with(start))
        || file.starts_with("jobylon/")
}

/// The page's own address: the one its truth names, or its `<base>`, or its canonical one.
fn address(truth: &Truth, bytes: &[u8]) -> String {
    let stated = truth.expected.as_ref().and_then(|expected| expected.get("url")?.as_str());
    let stated = stated.filter(|url| !url.contains("example.com")).map(str::to_owned);
    let from_page = || {
        let page = Page::parse(bytes, Some("text/html")).ok()?;
        page.meta("og:url").or_else(|| page.canonical().map(str::to_owned))
    };
    stated
        .or_else(from_page)
        .filter(|url| url.starts_with("http"))
        .unwrap_or_else(|| format!("https://{}.example/jobs/1", truth.site))
}

fn brief(reading: &Reading) -> String {
    let Some(posting) = &reading.posting else { return "no posting".to_owned() };
    format!(
        "{:?} | {:?} | {:?} | {:?} | {:?} | {:?} | {} characters",
        posting.job_title,
        posting.company_name,
        posting.location.as_ref().and_then(|place| place.raw.as_deref()),
        posting.date_posted.map(|day| day.to_string()),
        posting.salary_range,
        posting.employment_type,
        posting.description.as_deref().unwrap_or_default().chars().count()
    )
}
