//! The six things a match is made of. Each is a number from 0 to 1 with the words that made it, or nothing when one
//! of the two sides does not say.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::decide::dice;
use super::matching::{Job, Money, Person};
use super::title::{Seniority, Title};

/// A posting counts as new for a day and as old after a month.
const FRESH_DAYS: f32 = 1.0;
const OLD_DAYS: f32 = 30.0;
/// Words shown for one factor.
const MOST_WORDS: usize = 12;

/// One factor's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub score: f32,
    pub words: Vec<String>,
}

fn answer(score: f32, words: impl IntoIterator<Item = String>) -> Option<Answer> {
    let words = words.into_iter().take(MOST_WORDS).collect();
    Some(Answer { score: score.clamp(0.0, 1.0), words })
}

/// How rare each skill is among jobs: a common one says little.
#[derive(Debug, Clone, Default)]
pub struct Rarity {
    weights: BTreeMap<String, f32>,
    unseen: f32,
}

impl Rarity {
    /// From how many of `jobs` name each skill.
    pub fn of_counts(counts: impl IntoIterator<Item = (String, u32)>, jobs: u32) -> Rarity {
        #[allow(clippy::cast_precision_loss)]
        let weight = |count: u32| (1.0 + jobs as f32 / (1.0 + count as f32)).ln();
        let weights = counts.into_iter().map(|(skill, count)| (skill, weight(count))).collect();
        Rarity { weights, unseen: weight(0) }
    }

    fn weight(&self, skill: &str) -> f32 {
        if self.weights.is_empty() { 1.0 } else { self.weights.get(skill).copied().unwrap_or(self.unseen) }
    }
}

/// Half what the job asks and the person has, half how alike the two lists are, the rare ones counting more.
pub fn skills(person: &BTreeSet<String>, job: &BTreeSet<String>, rarity: &Rarity) -> Option<Answer> {
    if person.is_empty() || job.is_empty() {
        return None;
    }
    let sum =
        |skills: &mut dyn Iterator<Item = &String>| skills.map(|skill| rarity.weight(skill)).sum::<f32>();
    let common = sum(&mut person.intersection(job));
    let (asked, held) = (sum(&mut job.iter()), sum(&mut person.iter()));
    let covered = common / asked;
    let alike = common / (asked * held).sqrt();
    let mut words: Vec<(f32, &String)> =
        person.intersection(job).map(|skill| (rarity.weight(skill), skill)).collect();
    words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    // Lists are never whole: half of what is asked is already a good sign.
    answer(((covered + alike) / 2.0).sqrt(), words.into_iter().map(|(_, skill)| skill.clone()))
}

/// How near the job's title is to the nearest of the titles the person goes by.
pub fn role(person: &[Title], job: &Title) -> Option<Answer> {
    let (near, title) = person
        .iter()
        .map(|title| (nearness(title, job), title))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.key.cmp(&a.1.key)))?;
    answer(near, [title.name.clone(), job.name.clone()])
}

/// Equal keys are one; other technologies are as good as nothing; else the letters, and the head counts most.
pub fn nearness(a: &Title, b: &Title) -> f32 {
    if a.key == b.key {
        return 1.0;
    }
    let letters = dice(&a.key, &b.key);
    let head = dice(&a.head, &b.head);
    let near = 0.65 * letters + 0.35 * head;
    let clash = !a.technologies.is_empty()
        && !b.technologies.is_empty()
        && a.technologies.is_disjoint(&b.technologies);
    if clash { near * 0.3 } else { near * 0.9 }
}

pub fn seniority(person: Option<Seniority>, job: Option<Seniority>) -> Option<Answer> {
    let (person, job) = (person?, job?);
    let apart = (person as i32 - job as i32).abs();
    let score = match apart {
        0 => 1.0,
        1 => 0.6,
        2 => 0.2,
        _ => 0.0,
    };
    answer(score, [person.word().to_owned(), job.word().to_owned()])
}

/// Remote suits whoever wants it; otherwise one of the job's places must be one of those that were named.
pub fn place(person: &Person, job: &Job) -> Option<Answer> {
    if job.remote == Some(true) && person.remote == Some(true) {
        return answer(1.0, ["remote".to_owned()]);
    }
    if person.places.is_empty() {
        // Who wants remote work and nothing else is not served by a desk somewhere.
        return if person.remote == Some(true) && job.remote == Some(false) { answer(0.0, []) } else { None };
    }
    if job.places.is_empty() {
        return if job.remote == Some(true) && person.remote == Some(false) { answer(0.0, []) } else { None };
    }
    let nearest = person
        .places
        .iter()
        .map(|wanted| (job.places.iter().map(|at| wanted.near(at)).fold(0.0, f32::max), &wanted.name))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))?;
    answer(nearest.0, if nearest.0 > 0.0 { vec![nearest.1.clone()] } else { Vec::new() })
}

/// Full when the job may pay what is asked; nothing at seven tenths of it.
pub fn salary(person: Option<&Money>, job: Option<&Money>) -> Option<Answer> {
    let (asked, paid) = (person?, job?);
    // Two amounts of an unknown currency are not comparable either.
    if asked.currency.is_none() || asked.currency != paid.currency {
        return None;
    }
    let least = asked.least.or(asked.most).filter(|amount| *amount > 0.0)?;
    let most = paid.most.or(paid.least).filter(|amount| *amount > 0.0)?;
    #[allow(clippy::cast_possible_truncation)]
    let share = (most / least) as f32;
    answer((share - 0.7) / 0.3, [format!("{most:.0} of {least:.0}")])
}

pub fn recency(since: Option<Timestamp>, now: Timestamp) -> Option<Answer> {
    #[allow(clippy::cast_precision_loss)]
    let days = now.duration_since(since?).as_secs().max(0) as f32 / 86_400.0;
    answer(1.0 - (days - FRESH_DAYS).max(0.0) / (OLD_DAYS - FRESH_DAYS), [format!("{days:.0} days")])
}
