//! A scraper of somebody else's, as `docs/scrapers.md` describes one, at work for three invented people: roles, sessions,
//! imports and matches to look at. Its board is the demo's own companies, copied by a collector.

use std::time::Duration;

use anyhow::Context;
use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::demo::company::{self, Company, Fate, Posting};
use crate::demo_run::Caller;

const KEY: &str = "demo scraper";
const BOARD: &str = "demo-board";
/// Words of a role that say little about it.
const VAGUE: [&str; 4] = ["engineer", "developer", "senior", "manager"];
const LOOK_EVERY: Duration = Duration::from_millis(200);
const LOOKS: usize = 75;

/// Makes the people and the key, scrapes for every role that waits, and tells who suits what.
pub async fn run(service: &Caller, admin: &Caller, today: Date) -> anyhow::Result<()> {
    let people = people(service).await.context("making the people of the demo")?;
    let key = key(admin).await.context("making the demo's scraper key")?;
    let scraper = service.other("x-scraper-api-key", &key);
    crate::say("  An external scraper works on what three people want (docs/scrapers.md):\n");
    let mut posted = false;
    loop {
        let work = scraper.call("GET", "/api/scraper/queue/next-role", None).await?;
        let Some(session) = work["session_id"].as_str() else { break };
        let role = work["role"]["name"].as_str().unwrap_or_default();
        let jobs = jobs(role, today);
        let post = json!({ "session_id": session, "jobs": jobs });
        let answer = scraper.call("POST", "/api/scraper/queue/jobs", Some(post)).await?;
        posted |= answer["matching_triggered"] == true;
        crate::say(&format!(
            "    {role}: {} found, {} imported",
            answer["jobs_found"], answer["jobs_imported"]
        ));
    }
    for (id, name) in people {
        let best = best_match(service, &id, posted).await?;
        crate::say(&format!("    {name} ← {}", best.as_deref().unwrap_or("nothing yet")));
    }
    crate::say("");
    Ok(())
}

/// Who is looking for work; those of an earlier run stay.
async fn people(service: &Caller) -> anyhow::Result<Vec<(String, String)>> {
    let wanted = [
        json!({ "name": "Imke Veldt", "skills": ["Rust", "C"], "locations": ["Rotterdam, Netherlands"],
            "salary_min": 70_000, "salary_currency": "EUR", "preferred_roles": ["Embedded Engineer"] }),
        json!({ "name": "Tomasz Lis", "skills": ["Python", "SQL", "PostgreSQL"], "remote": true,
            "preferred_roles": ["Data Engineer", "Backend Engineer"] }),
        json!({ "name": "Wren Okoro", "skills": ["Kubernetes", "Terraform", "Go"],
            "locations": ["Bristol, United Kingdom"], "preferred_roles": ["Site Reliability Engineer", "Backend Developer"] }),
    ];
    let known = service.call("GET", "/api/candidates?limit=100", None).await?;
    let known = known["candidates"].as_array().cloned().unwrap_or_default();
    let mut people = Vec::new();
    for person in wanted {
        let candidate = match known.iter().find(|one| one["name"] == person["name"]) {
            Some(known) => known.clone(),
            None => service.call("POST", "/api/candidates", Some(person)).await?["candidate"].clone(),
        };
        let text =
            |field: &str| candidate[field].as_str().map(str::to_owned).context("a candidate without it");
        people.push((text("id")?, text("name")?));
    }
    Ok(people)
}

/// A key is shown once, so that of an earlier run is rotated.
async fn key(admin: &Caller) -> anyhow::Result<String> {
    let keys = admin.call("GET", "/api/admin/scraper-keys?limit=100", None).await?;
    let mut keys = keys["keys"].as_array().into_iter().flatten();
    let shown = match keys.find(|key| key["name"] == KEY && key["revoked_at"].is_null()) {
        Some(key) => {
            let path = format!("/api/admin/scraper-keys/{}/rotate", key["id"]);
            admin.call("POST", &path, Some(json!({}))).await?
        }
        None => {
            let wanted = json!({ "name": KEY, "allowed_sources": [BOARD] });
            admin.call("POST", "/api/admin/scraper-keys", Some(wanted)).await?
        }
    };
    shown["api_key"].as_str().map(str::to_owned).context("an answer without a key")
}

/// What the board has for a role.
fn jobs(role: &str, today: Date) -> Vec<Value> {
    let words: Vec<String> = role.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let telling: Vec<&String> = words.iter().filter(|word| !VAGUE.contains(&word.as_str())).collect();
    let suits = |posting: &Posting| {
        let title = posting.title.to_lowercase();
        posting.fate == Fate::Open && telling.iter().any(|word| title.contains(word.as_str()))
    };
    let companies = company::all();
    let postings =
        companies.iter().flat_map(|company| company.postings.iter().map(move |one| (company, one)));
    postings.filter(|(_, posting)| suits(posting)).map(|(company, one)| job(company, one, today)).collect()
}

fn job(company: &Company, posting: &Posting, today: Date) -> Value {
    let text = [&[posting.about.clone()][..], &posting.duties, &posting.asks].concat().join("\n");
    let mut job = json!({
        "external_job_id": posting.slug, "platform": BOARD, "title": posting.title, "company": company.name,
        "job_url": format!("https://demo-board.example.com/view/{}", posting.slug), "description": text,
        "posted_date": today.saturating_sub(posting.posted_days_ago.days()).to_string(),
    });
    if let Some(place) = posting.places.first() {
        job["location"] = json!(format!("{}, {}, {}", place.city, place.region, place.country));
    }
    if !posting.remote.is_empty() {
        job["remote"] = json!(true);
    }
    if let Some(salary) = &posting.salary {
        job["salary_min"] = json!(salary.min);
        job["salary_max"] = json!(salary.max);
        job["salary_currency"] = json!(salary.currency);
        job["salary_period"] = json!(salary.unit.to_lowercase());
    }
    job
}

/// The best match of a person with the words that made it. What was posted a moment ago is waited for.
async fn best_match(service: &Caller, id: &str, wait: bool) -> anyhow::Result<Option<String>> {
    for _ in 0..if wait { LOOKS } else { 1 } {
        let page = service.call("GET", &format!("/api/candidates/{id}/matches?limit=1"), None).await?;
        let best = &page["matches"][0];
        if let (Some(title), Some(score)) = (best["title"].as_str(), best["score"].as_f64()) {
            let parts = best["parts"].as_array().into_iter().flatten();
            let words = parts.flat_map(|part| part["words"].as_array().into_iter().flatten());
            let words: Vec<&str> = words.filter_map(Value::as_str).take(4).collect();
            let company = best["company"].as_str().unwrap_or("?");
            return Ok(Some(format!("{title}, {company}  [{score:.0}: {}]", words.join(", "))));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(None)
}
