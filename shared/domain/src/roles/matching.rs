//! How well a job suits a person: six factors, weighed, and renormalised over those that are known. The answer says
//! what made it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::factors::{self, Answer, Rarity};
use super::spot::Spot;
use super::title::{Seniority, Title};
use crate::texts::skills as taxonomy;

/// From here on a match is worth storing.
pub const WORTH: f32 = 50.0;

/// What each factor counts. Only their proportion matters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    pub skills: f32,
    pub role: f32,
    pub seniority: f32,
    pub place: f32,
    pub salary: f32,
    pub recency: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Weights { skills: 0.40, role: 0.27, seniority: 0.10, place: 0.10, salary: 0.08, recency: 0.05 }
    }
}

impl Weights {
    /// Six numbers in the order of the fields, as an operator writes them.
    pub fn parse(text: &str) -> Result<Weights, String> {
        let numbers: Vec<f32> = text
            .split(',')
            .map(|number| number.trim().parse::<f32>().map_err(|_| format!("{number:?} is not a number")))
            .collect::<Result<_, _>>()?;
        let [skills, role, seniority, place, salary, recency] = numbers[..] else {
            return Err("six numbers are needed: skills, role, seniority, place, salary, recency".to_owned());
        };
        let fine = numbers.iter().all(|number| number.is_finite() && *number >= 0.0);
        if !fine || numbers.iter().sum::<f32>() <= 0.0 {
            return Err("weights are not negative, and one of them is above zero".to_owned());
        }
        Ok(Weights { skills, role, seniority, place, salary, recency })
    }
}

/// An amount a year, between two ends, in a currency that may be unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Money {
    pub least: Option<f64>,
    pub most: Option<f64>,
    pub currency: Option<String>,
}

/// What is known of a person.
#[derive(Debug, Clone, Default)]
pub struct Person {
    /// The current title and the roles that are wanted.
    pub titles: Vec<Title>,
    pub skills: BTreeSet<String>,
    pub seniority: Option<Seniority>,
    pub places: Vec<Spot>,
    pub remote: Option<bool>,
    pub salary: Option<Money>,
}

/// What is known of a job.
#[derive(Debug, Clone)]
pub struct Job {
    pub title: Title,
    pub skills: BTreeSet<String>,
    /// All of them: whoever lives at one of them may take it.
    pub places: Vec<Spot>,
    pub remote: Option<bool>,
    pub salary: Option<Money>,
    pub since: Option<Timestamp>,
}

/// One factor of a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Part {
    /// `skills`, `role`, `seniority`, `place`, `salary` or `recency`.
    pub factor: String,
    /// From 0 to 1.
    pub score: f32,
    /// Its share of the whole, once the unknown factors are left out.
    pub weight: f32,
    /// What made it.
    pub words: Vec<String>,
}

/// A score from 0 to 100 with what made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    pub total: f32,
    pub parts: Vec<Part>,
}

/// Scores one pair. Without skills and without titles there is nothing to say.
pub fn score(
    person: &Person,
    job: &Job,
    rarity: &Rarity,
    weights: &Weights,
    now: Timestamp,
) -> Option<Score> {
    let skills = factors::skills(&person.skills, &job.skills, rarity);
    let role = factors::role(&person.titles, &job.title);
    if skills.is_none() && role.is_none() {
        return None;
    }
    let answers: [(&str, f32, Option<Answer>); 6] = [
        ("skills", weights.skills, skills),
        ("role", weights.role, role),
        ("seniority", weights.seniority, factors::seniority(person.seniority, job.title.seniority)),
        ("place", weights.place, factors::place(person, job)),
        ("salary", weights.salary, factors::salary(person.salary.as_ref(), job.salary.as_ref())),
        ("recency", weights.recency, factors::recency(job.since, now)),
    ];
    let known: f32 =
        answers.iter().filter(|(_, _, answer)| answer.is_some()).map(|(_, weight, _)| weight).sum();
    if known <= 0.0 {
        return None;
    }
    let parts: Vec<Part> = answers
        .into_iter()
        .filter_map(|(factor, weight, answer)| {
            let Answer { score, words } = answer?;
            Some(Part { factor: factor.to_owned(), score, weight: weight / known, words })
        })
        .collect();
    let total = 100.0 * parts.iter().map(|part| part.score * part.weight).sum::<f32>();
    // To a hundredth: what is stored is what was computed.
    Some(Score { total: (total.clamp(0.0, 100.0) * 100.0).round() / 100.0, parts })
}

/// A skill in its one spelling: that of the taxonomy, or as it was written.
pub fn skill(text: &str) -> Option<String> {
    if let Some(known) = taxonomy::canonical(text) {
        return Some(known.name().to_lowercase());
    }
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let plain = plain.trim_matches(|mark: char| matches!(mark, ',' | ';' | '"' | '\''));
    (!plain.is_empty() && plain.len() <= 100).then(|| plain.to_owned())
}

/// The skills that a text names.
pub fn skills_in(text: &str) -> BTreeSet<String> {
    taxonomy::find(text).into_iter().map(|skill| skill.name().to_lowercase()).collect()
}

/// A list of skills, each in its one spelling.
pub fn skills<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    texts.into_iter().filter_map(skill).collect()
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;
