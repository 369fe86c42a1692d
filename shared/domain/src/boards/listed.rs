//! A job as a board lists it: what the list says, and nothing that it does not say.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::location::RemoteKind;
use crate::salary::Salary;
use crate::url::MAX_LENGTH;

/// Places of one job that are kept.
const MAX_PLACES: usize = 500;
/// An id is a key; a longer one is no id.
const MAX_ID: usize = 2_048;
const MAX_TITLE: usize = 500;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// What the board knows the job by; with the board's name it is the listing's key.
    pub external_id: String,
    /// Empty where the list names none (a sitemap); its page must be read first.
    pub title: String,
    /// Where a person reads it. Absent where the board does not say and it cannot be known.
    pub url: Option<String>,
    /// As the board writes them.
    pub places: Vec<String>,
    pub posted: Option<Date>,
    pub closes: Option<Date>,
    pub company: Option<String>,
    pub department: Option<String>,
    /// As the board writes it.
    pub employment_type: Option<String>,
    pub remote: Option<RemoteKind>,
    pub salary: Option<Salary>,
    pub salary_text: Option<String>,
    /// Plain text with its paragraphs.
    pub description: Option<String>,
    /// The employer's own number for the opening.
    pub requisition: Option<String>,
    pub apply_url: Option<String>,
    /// What a request for the detail needs, where that is not the id.
    pub detail_path: Option<String>,
}

impl Listed {
    /// A row with an id and a title is a job; without them it cannot be kept apart from others, or shown.
    pub fn new(id: Option<String>, title: Option<String>) -> Option<Listed> {
        let external_id = id.filter(|id| !id.is_empty() && id.len() <= MAX_ID)?;
        let mut title = title.filter(|title| !title.is_empty())?;
        if let Some((end, _)) = title.char_indices().nth(MAX_TITLE) {
            title.truncate(end);
        }
        Some(Listed { external_id, title, ..Listed::default() })
    }

    /// A posting known by its address alone.
    pub fn by_address(id: String, url: String) -> Listed {
        Listed { external_id: id, url: Some(url), ..Listed::default() }
    }

    /// Adds a place once.
    pub fn add_place(&mut self, place: Option<String>) {
        if let Some(place) = place
            && self.places.len() < MAX_PLACES
            && !self.places.contains(&place)
        {
            self.places.push(place);
        }
    }

    #[must_use]
    pub fn at(mut self, places: impl IntoIterator<Item = String>) -> Listed {
        for place in places {
            self.add_place(Some(place));
        }
        self
    }

    #[must_use]
    pub fn with_url(mut self, url: Option<String>) -> Listed {
        self.url = url.filter(|url| url.len() <= MAX_LENGTH);
        self
    }

    /// The same job once more, as some boards list it per place: what the other row knows is added.
    pub fn merge(&mut self, other: Listed) {
        fn fill<T>(mine: &mut Option<T>, theirs: Option<T>) {
            if mine.is_none() {
                *mine = theirs;
            }
        }
        for place in other.places {
            self.add_place(Some(place));
        }
        if self.title.is_empty() {
            self.title = other.title;
        }
        fill(&mut self.url, other.url);
        fill(&mut self.posted, other.posted);
        fill(&mut self.closes, other.closes);
        fill(&mut self.company, other.company);
        fill(&mut self.department, other.department);
        fill(&mut self.employment_type, other.employment_type);
        fill(&mut self.remote, other.remote);
        fill(&mut self.salary, other.salary);
        fill(&mut self.salary_text, other.salary_text);
        fill(&mut self.description, other.description);
        fill(&mut self.requisition, other.requisition);
        fill(&mut self.apply_url, other.apply_url);
        fill(&mut self.detail_path, other.detail_path);
    }
}
