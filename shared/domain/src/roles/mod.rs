//! Titles and roles: what a job is called, cleaned into the one name that everybody who wants it shares, and how well
//! a job suits a person. Pure; nothing here remembers.

pub mod boards;
mod clean;
pub mod decide;
pub mod factors;
pub mod keywords;
pub mod matching;
pub mod posted_job;
pub mod scraper_key;
pub mod spot;
mod synonyms;
mod technology;
pub mod title;
mod words;

pub use decide::{Decision, Known, Method, SUGGEST, decide, likeness};
pub use title::{Seniority, Title};
