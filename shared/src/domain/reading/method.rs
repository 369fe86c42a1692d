//! The ways a field can be found, in the order they are trusted.

use std::fmt;

/// Recorded for each field of a posting as its provenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    JsonLd,
    Microdata,
    Rdfa,
    /// What a framework left for its scripts (`__NEXT_DATA__` and the like).
    EmbeddedState,
    /// OpenGraph and other metas, and the document's title.
    Meta,
    /// An element that says by its name what it holds (`class="job-title"`, `<time>`), or a heading.
    Selectors,
    /// What the text says in so many words: `Location: Galway`.
    TextRule,
    /// The page's address, which is ours.
    Url,
    /// A model said it, in words of the page.
    Model,
}

impl Method {
    pub const fn as_str(self) -> &'static str {
        match self {
            Method::JsonLd => "json_ld",
            Method::Microdata => "microdata",
            Method::Rdfa => "rdfa",
            Method::EmbeddedState => "embedded_state",
            Method::Meta => "meta",
            Method::Selectors => "selectors",
            Method::TextRule => "text_rule",
            Method::Url => "url",
            Method::Model => "model",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
