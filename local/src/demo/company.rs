//! The invented companies and their postings, read from `demo/companies.json`.

use serde::Deserialize;

#[derive(Deserialize)]
pub struct Company {
    pub name: String,
    pub tagline: String,
    pub accent: String,
    /// The body's class in `page.css`.
    pub look: String,
    pub shape: Shape,
    pub postings: Vec<Posting>,
}

/// The ways real sites put a JobPosting into a page.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    Plain,
    /// Among other things in an `@graph`.
    Graph,
    /// In an array beside a breadcrumb.
    Array,
    /// With the description's HTML escaped once more.
    Escaped,
}

#[derive(Deserialize)]
pub struct Posting {
    pub slug: String,
    pub title: String,
    pub posted_days_ago: i64,
    pub places: Vec<Place>,
    /// Countries somebody may work from; empty when the job is not remote.
    pub remote: Vec<String>,
    pub salary: Option<Salary>,
    pub employment: Vec<String>,
    pub about: String,
    pub duties: Vec<String>,
    pub asks: Vec<String>,
    pub fate: Fate,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Open,
    /// The page stays and says that nobody can apply any more.
    Closed,
    /// The page is gone after its first fetch.
    Vanishes,
}

#[derive(Deserialize)]
pub struct Place {
    pub city: String,
    pub region: String,
    pub country: String,
}

#[derive(Deserialize)]
pub struct Salary {
    pub min: f64,
    pub max: f64,
    pub currency: String,
    pub unit: String,
}

pub fn all() -> Vec<Company> {
    serde_json::from_str(include_str!("../../demo/companies.json"))
        .expect("companies.json is ours, and a test reads it")
}
