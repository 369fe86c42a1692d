//! robots.txt as another crawler reads it: `conformance/*robotstxt*.jsonl`, one JSON object a line with `test`,
//! `robots_txt`, `user_agent`, `url` and `allowed`. Decision 14 says where we read otherwise, and why.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use domain::robots::Robots;
use serde::Deserialize;
use url::Url;

#[derive(Deserialize)]
struct Case {
    test: String,
    robots_txt: String,
    user_agent: String,
    url: String,
    allowed: bool,
}

impl Case {
    /// Bytes beyond ASCII are written as Latin-1, unless a character of the file is beyond that.
    fn file(&self) -> Vec<u8> {
        let latin: Result<Vec<u8>, _> = self.robots_txt.chars().map(|c| u8::try_from(u32::from(c))).collect();
        latin.unwrap_or_else(|_| self.robots_txt.clone().into_bytes())
    }

    fn is_as_written(&self) -> anyhow::Result<bool> {
        let url = Url::parse(&self.url).or_else(|_| Url::parse("https://example.com/"))?;
        let allowed = Robots::parse(&self.file(), &self.user_agent).refusal(&url).is_none();
        Ok(allowed == self.allowed)
    }
}

pub fn report(folder: &Path) -> anyhow::Result<String> {
    let mut out = String::new();
    for entry in std::fs::read_dir(folder.join("conformance"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !(name.contains("robotstxt") && name.ends_with(".jsonl")) {
            continue;
        }
        let (mut right, mut all, mut otherwise) = (0, 0, String::new());
        for line in std::fs::read_to_string(&path)?.lines() {
            let case: Case = serde_json::from_str(line).with_context(|| format!("a case of {name}"))?;
            all += 1;
            if case.is_as_written()? {
                right += 1;
            } else {
                writeln!(otherwise, "  otherwise: {} {} {:?}", case.test, case.url, case.robots_txt)?;
            }
        }
        writeln!(out, "{name}: {right} of {all} as written\n{otherwise}")?;
    }
    Ok(out)
}
