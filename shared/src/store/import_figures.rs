//! What scrapers imported over time, for a chart.

use jiff::Timestamp;
use serde::Serialize;

use super::args::{Db, args, micros, rows, statements};

/// Scrapers that are shown by name; a chart with more of them cannot be read.
const NAMED: i64 = 5;

statements! {
    IMPORTS = include_str!("sql/imports_over_time.sql");
}

/// How long one bar of the chart is. Days are those of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    Hour,
    Day,
}

impl Step {
    pub fn word(self) -> &'static str {
        match self {
            Step::Hour => "hour",
            Step::Day => "day",
        }
    }
}

/// What one scraper imported in one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Imported {
    /// When the step begins.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Null: all scrapers but the five that imported the most.
    pub scraper_key_id: Option<i32>,
    pub scraper_name: Option<String>,
    pub jobs_imported: i64,
    pub jobs_skipped: i64,
    /// Completed ones.
    pub sessions: i64,
}

/// Oldest first; steps in which nothing was completed are left out.
pub async fn imports(db: &impl Db, since: Timestamp, step: Step) -> anyhow::Result<Vec<Imported>> {
    let found = rows(db, IMPORTS, &args![micros(since), step.word(), NAMED]).await?;
    Ok(found
        .iter()
        .map(|row| Imported {
            at: row.get("at"),
            scraper_key_id: row.get("scraper_key_id"),
            scraper_name: row.get("scraper_name"),
            jobs_imported: row.get("jobs_imported"),
            jobs_skipped: row.get("jobs_skipped"),
            sessions: row.get("sessions"),
        })
        .collect())
}
