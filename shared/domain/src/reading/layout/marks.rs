//! Words that classes and ids are searched for, all at once and without regard to case.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;

pub struct Marks {
    words: &'static [&'static str],
    automaton: OnceLock<Option<AhoCorasick>>,
}

impl Marks {
    pub const fn new(words: &'static [&'static str]) -> Marks {
        Marks { words, automaton: OnceLock::new() }
    }

    /// Whether one of the words stands anywhere in a name.
    pub fn are_in(&self, names: &str) -> bool {
        let build = || AhoCorasick::builder().ascii_case_insensitive(true).build(self.words).ok();
        self.automaton.get_or_init(build).as_ref().is_some_and(|automaton| automaton.is_match(names))
    }
}
