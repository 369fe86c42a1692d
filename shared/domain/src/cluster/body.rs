//! Whether two descriptions are of one text. A board that repeats a posting cuts it, wraps it and adds to it; so
//! what is measured is how much of the shorter text is found in the longer one, in runs of four words.
//! Decision 30 has the figures.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use siphasher::sip::SipHasher;

use crate::plain_text::fold;

/// Words that are compared; an honest description has a few hundred.
const MAX_WORDS: usize = 10_000;
/// How much text is looked at for them.
const MAX_TEXT: usize = 256 * 1024;
/// Words in a run.
const RUN: usize = 4;
/// A shorter text than so many runs proves nothing.
pub const FEWEST_RUNS: usize = 24;
/// From here on two bodies agree.
pub const AGREES: f64 = 0.75;

/// The runs of a description, hashed.
pub struct Body(HashSet<u64>);

impl Body {
    pub fn of(text: &str) -> Body {
        let folded = fold(&text[..text.floor_char_boundary(MAX_TEXT)]);
        let words: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).take(MAX_WORDS).collect();
        Body(
            words
                .windows(RUN)
                .map(|run| {
                    let mut hasher = SipHasher::default();
                    run.hash(&mut hasher);
                    hasher.finish()
                })
                .collect(),
        )
    }

    /// The part of the shorter body that the longer one has, 0 to 1; none when there is too little to compare.
    pub fn agreement(&self, other: &Body) -> Option<f64> {
        let (short, long) = if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        if short.0.len() < FEWEST_RUNS {
            return None;
        }
        let shared = short.0.iter().filter(|run| long.0.contains(run)).count();
        Some(shared as f64 / short.0.len() as f64)
    }
}
