//! Which role a title belongs to: one that is there, or a new one. Sure only of what is equal after cleaning; what is
//! merely alike is suggested to a person.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::title::Title;

/// From here on two names are shown to an admin as perhaps the same.
pub const SUGGEST: f32 = 0.80;

/// How a title came to its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// An admin said so.
    Correction,
    /// Another name of the role, as it stands.
    Alias,
    /// The same key after cleaning.
    Key,
    /// A model chose among the roles that are alike.
    Model,
    /// Nothing fits: a new role, named by the cleaned title.
    New,
}

impl Method {
    pub fn word(self) -> &'static str {
        match self {
            Method::Correction => "correction",
            Method::Alias => "alias",
            Method::Key => "key",
            Method::Model => "model",
            Method::New => "new",
        }
    }
}

/// A role that is there, by its keys: its own and those of its other names.
#[derive(Debug, Clone)]
pub struct Known<'a, R> {
    pub role: R,
    pub title: &'a Title,
}

/// What was decided, how sure, and by what.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision<R> {
    /// `None`: a new role.
    pub role: Option<R>,
    pub method: Method,
    /// 1 for what is equal; for a new role, how near the nearest one is.
    pub score: f32,
    /// The nearest role, when it is near enough for a person to look.
    pub suggested: Option<R>,
}

/// Decides among the roles there are. The order of the roles does not matter: keys are unique.
pub fn decide<R: Copy + Ord>(title: &Title, known: &[Known<'_, R>]) -> Decision<R> {
    if let Some(same) =
        known.iter().filter(|known| known.title.key == title.key).min_by_key(|known| known.role)
    {
        return Decision { role: Some(same.role), method: Method::Key, score: 1.0, suggested: None };
    }
    let nearest = known
        .iter()
        .map(|known| (likeness(title, known.title), known.role))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let score = nearest.map_or(0.0, |(score, _)| score);
    let suggested = nearest.filter(|(score, _)| *score >= SUGGEST).map(|(_, role)| role);
    Decision { role: None, method: Method::New, score, suggested }
}

/// How alike two titles are, from 0 to 1. Different technologies or different heads: 0, whatever the letters say.
pub fn likeness(a: &Title, b: &Title) -> f32 {
    if a.key == b.key {
        return 1.0;
    }
    if a.technologies != b.technologies || a.head != b.head {
        return 0.0;
    }
    let (a, b) = (a.about.join(" "), b.about.join(" "));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    // Never as sure as equal.
    dice(&a, &b).min(0.94)
}

/// The share of letter triples that two texts have in common.
pub fn dice(a: &str, b: &str) -> f32 {
    let (a, b) = (triples(a), triples(b));
    let total: u32 = a.values().chain(b.values()).sum();
    if total == 0 {
        return 0.0;
    }
    let common: u32 = a.iter().map(|(triple, count)| (*count).min(b.get(triple).copied().unwrap_or(0))).sum();
    // At most a title's length of triples: the numbers are small.
    #[allow(clippy::cast_precision_loss)]
    let share = (2 * common) as f32 / total as f32;
    share
}

fn triples(text: &str) -> HashMap<[char; 3], u32> {
    let mut counts = HashMap::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let marks: Vec<char> = [' '].into_iter().chain(word.chars()).chain([' ']).collect();
        for triple in marks.windows(3) {
            *counts.entry([triple[0], triple[1], triple[2]]).or_insert(0) += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided<'a>(title: &str, roles: &[&'a str]) -> (Option<&'a str>, Option<&'a str>) {
        let titles: Vec<Title> = roles.iter().map(|role| Title::read(role)).collect();
        let known: Vec<_> =
            roles.iter().zip(&titles).map(|(role, title)| Known { role: *role, title }).collect();
        let decision = decide(&Title::read(title), &known);
        (decision.role, decision.suggested)
    }

    #[test]
    fn what_is_equal_after_cleaning_is_the_same_role() {
        let roles =
            ["Python Developer", "Java Developer", "JavaScript Developer", "Data Analyst", "Data Engineer"];
        assert_eq!(decided("Senior Python Dev (Remote)", &roles).0, Some("Python Developer"));
        assert_eq!(decided("Java Engineer III", &roles).0, Some("Java Developer"));
        assert_eq!(decided("JS developer", &roles).0, Some("JavaScript Developer"));
        assert_eq!(decided("Data Scientist", &roles), (None, None));
        assert_eq!(decided("Analyst", &roles), (None, None));
    }

    #[test]
    fn what_is_merely_alike_is_suggested_and_never_merged() {
        let roles = ["Orthodontic Assistant"];
        assert_eq!(decided("Orthodontics Assistant", &roles), (None, Some("Orthodontic Assistant")));
    }

    #[test]
    fn other_technologies_and_other_heads_are_never_alike() {
        let alike = |a: &str, b: &str| likeness(&Title::read(a), &Title::read(b));
        assert!(alike("Java Developer", "JavaScript Developer") < f32::EPSILON);
        assert!(alike("Data Analyst", "Data Engineer") < f32::EPSILON);
        assert!(alike("R Developer", "Ruby Developer") < f32::EPSILON);
    }
}
