//! Reading a page that has no markup at all: by what its text says (`Location: Galway`), how it is laid out, and what
//! its title, its address and its lines agree on. Knows languages, never sites. What it cannot tell stays unknown.

mod assemble;
pub mod company;
pub mod content;
pub mod day;
pub mod evidence;
pub mod label;
pub mod lines;
mod marks;
pub mod pairs;
pub mod site_words;
pub mod title;
pub mod where_at;

pub use assemble::{Layout, read};

#[cfg(test)]
mod families_tests;
#[cfg(test)]
mod layout_tests;
