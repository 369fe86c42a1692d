//! The names of all rules, and which of them are on. In the program every rule is always on;
//! a test takes one away to prove that this rule, and no other, held something back.

use super::{address, target};

/// The rules a check obeys. Only [`Rules::all`] exists outside tests.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    removed: Option<&'static str>,
}

impl Rules {
    pub const fn all() -> Rules {
        Rules { removed: None }
    }

    /// Every rule but one: a negative control, never a setting.
    #[doc(hidden)]
    pub const fn without(name: &'static str) -> Rules {
        Rules { removed: Some(name) }
    }

    /// Every rule there is, each once.
    #[doc(hidden)]
    pub fn names() -> Vec<&'static str> {
        let addresses = address::REFUSED.iter().map(|row| row.name);
        let suffixes = target::RESERVED_SUFFIXES.iter().map(|suffix| suffix.rule);
        addresses
            .chain([address::OUTSIDE_GLOBAL_UNICAST])
            .chain(suffixes)
            .chain(target::OTHER_RULES.iter().copied())
            .collect()
    }

    pub(super) fn on(self, name: &str) -> bool {
        self.removed != Some(name)
    }
}
