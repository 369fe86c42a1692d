//! What came back: one answer, and the page of a list that is read from it. An answer that does not fit is a
//! failed page with a reason, never an empty one.

use jiff::Timestamp;
use thiserror::Error;

use super::Listed;
use crate::page::Page;
use crate::{charset, wall};

/// Bytes that are looked at.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// An answer as it came.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    pub status: u16,
    pub content_type: Option<&'a str>,
    pub body: &'a [u8],
    /// Where it came from in the end.
    pub url: &'a str,
    /// When; what "yesterday" counts from.
    pub at: Timestamp,
}

/// A page of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListPage {
    pub jobs: Vec<Listed>,
    /// Rows in the answer, with those that are not shown or could not be read.
    pub rows: u64,
    /// Rows that lack what makes a job: an id and a title.
    pub unread: u64,
    /// How many jobs the board says it has (in the scope that was asked for).
    pub total: Option<u64>,
    /// How many pages it says there are.
    pub pages: Option<u64>,
    /// What comes next, in lists that name it.
    pub next: Option<String>,
    /// The list looks cut off: it holds exactly what such lists hold at most.
    pub cut: bool,
    /// Nothing in it vouches for its being all there is.
    pub unproven: bool,
    pub facets: Vec<Facet>,
}

/// A way to divide the board, with counts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Facet {
    pub name: String,
    pub values: Vec<FacetValue>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FacetValue {
    pub id: String,
    pub count: u64,
}

/// One row of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    Job(Box<Listed>),
    /// There, and not meant to be shown.
    Hidden,
    Unread,
}

impl From<Option<Listed>> for Row {
    fn from(job: Option<Listed>) -> Row {
        job.map_or(Row::Unread, |job| Row::Job(Box::new(job)))
    }
}

impl ListPage {
    pub fn add(&mut self, row: Row) {
        self.rows += 1;
        match row {
            Row::Job(job) => self.jobs.push(*job),
            Row::Hidden => {}
            Row::Unread => self.unread += 1,
        }
    }
}

/// Why an answer is no page of the list.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Misfit {
    #[error("the board answered {0}")]
    Status(u16),
    #[error("the answer is a wall: {0}")]
    Wall(&'static str),
    #[error("the answer is a page for people, not {0}")]
    Page(&'static str),
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    #[error("the answer has no {0}")]
    Lacks(&'static str),
    #[error("the answer has more {0} than we read")]
    TooMuch(&'static str),
}

impl<'a> Answer<'a> {
    /// The text of a JSON answer. A page in its place is a wall or a mistake, whatever its status says.
    pub fn json(&self) -> Result<&'a str, Misfit> {
        let text = self.checked()?;
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text).trim_ascii_start();
        if text.first() == Some(&b'<') {
            return Err(self.wall().map_or(Misfit::Page("data"), Misfit::Wall));
        }
        std::str::from_utf8(text).map_err(|_| Misfit::Unreadable("it is not UTF-8".to_owned()))
    }

    /// The text of an XML answer.
    pub fn xml(&self) -> Result<std::borrow::Cow<'a, str>, Misfit> {
        let bytes = self.checked()?;
        let head = bytes.get(..bytes.len().min(512)).unwrap_or(bytes).to_ascii_lowercase();
        let head = head.trim_ascii_start();
        if head.starts_with(b"<!doctype html") || head.starts_with(b"<html") {
            return Err(self.wall().map_or(Misfit::Page("a feed"), Misfit::Wall));
        }
        let text = charset::decode(bytes, self.content_type.or(declared(head)));
        if text.trim_start_matches('\u{FEFF}').trim_start().starts_with('<') {
            return Ok(text);
        }
        Err(Misfit::Page("a feed"))
    }

    /// The text of a page that is read for what is embedded in it.
    pub fn html(&self) -> Result<std::borrow::Cow<'a, str>, Misfit> {
        let bytes = self.checked()?;
        match self.wall() {
            Some(sign) => Err(Misfit::Wall(sign)),
            None => Ok(charset::decode(bytes, self.content_type)),
        }
    }

    /// The page as a tree.
    pub fn tree(&self) -> Result<Page, Misfit> {
        let bytes = self.checked()?;
        let page = Page::parse(bytes, self.content_type).map_err(|over| Misfit::TooMuch(over.what))?;
        match wall::in_page(&page) {
            Some(sign) => Err(Misfit::Wall(sign)),
            None => Ok(page),
        }
    }

    fn checked(&self) -> Result<&'a [u8], Misfit> {
        if !(200..300).contains(&self.status) {
            return Err(Misfit::Status(self.status));
        }
        if self.body.len() > MAX_BYTES {
            return Err(Misfit::TooMuch("bytes"));
        }
        if self.body.trim_ascii().is_empty() {
            return Err(Misfit::Lacks("content"));
        }
        Ok(self.body)
    }

    fn wall(&self) -> Option<&'static str> {
        wall::on(self.body, self.content_type)
    }
}

/// The charset of `<?xml … encoding="…"?>` as a header would say it.
fn declared(head: &[u8]) -> Option<&'static str> {
    let head = std::str::from_utf8(head.get(..head.len().min(120))?).ok()?;
    let name = head.strip_prefix("<?xml")?.split("encoding=").nth(1)?;
    Some(match name.get(1..)?.split(['"', '\'']).next()? {
        "iso-8859-1" | "latin1" => "text/xml; charset=iso-8859-1",
        "iso-8859-2" => "text/xml; charset=iso-8859-2",
        "windows-1250" => "text/xml; charset=windows-1250",
        "windows-1252" => "text/xml; charset=windows-1252",
        _ => return None,
    })
}
