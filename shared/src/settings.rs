//! The environment, turned into types once, at start. A missing or malformed value stops the program and
//! names the variable.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use anyhow::{Context, bail};

/// The variables a program was started with.
#[derive(Clone, Default)]
pub struct Env(BTreeMap<String, String>);

/// Which house this is. Said explicitly, never guessed from what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HouseKind {
    Aws,
    Local,
}

impl Env {
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn of_process() -> Env {
        Env(std::env::vars().collect())
    }

    pub fn of(pairs: impl IntoIterator<Item = (&'static str, String)>) -> Env {
        Env(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// A value that must be there. Empty counts as missing.
    pub fn required(&self, name: &str) -> anyhow::Result<String> {
        self.optional(name).with_context(|| format!("{name} is not set"))
    }

    pub fn optional(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|value| !value.trim().is_empty()).cloned()
    }

    /// A value of a type, or the default when it is not set.
    pub fn parsed<T: FromStr<Err: Display>>(&self, name: &str, default: T) -> anyhow::Result<T> {
        match self.optional(name) {
            None => Ok(default),
            Some(value) => {
                value.trim().parse().map_err(|error| anyhow::anyhow!("{name} is malformed: {error}"))
            }
        }
    }

    /// A comma-separated list; empty when it is not set.
    pub fn list(&self, name: &str) -> Vec<String> {
        let value = self.optional(name).unwrap_or_default();
        value.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
    }

    pub fn house(&self) -> anyhow::Result<HouseKind> {
        match self.required("FRESHET_HOUSE")?.as_str() {
            "aws" => Ok(HouseKind::Aws),
            "local" => Ok(HouseKind::Local),
            other => bail!("FRESHET_HOUSE is {other:?}; it is \"aws\" or \"local\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_malformed_is_named() {
        let env = Env::of([
            ("DATABASE_POOL_SIZE", "many".into()),
            ("EMPTY", "  ".into()),
            ("FRESHET_HOUSE", "moon".into()),
        ]);
        assert_eq!(env.required("RAW_BUCKET").unwrap_err().to_string(), "RAW_BUCKET is not set");
        assert_eq!(env.required("EMPTY").unwrap_err().to_string(), "EMPTY is not set");
        let error = env.parsed("DATABASE_POOL_SIZE", 2_usize).unwrap_err().to_string();
        assert_eq!(error, "DATABASE_POOL_SIZE is malformed: invalid digit found in string");
        assert_eq!(env.parsed("UNSET", 2_usize).unwrap(), 2);
        assert!(env.house().unwrap_err().to_string().starts_with("FRESHET_HOUSE is \"moon\""));
    }

    #[test]
    fn a_list_is_split_and_trimmed() {
        let env = Env::of([("KEYS", " a, b ,,c".into())]);
        assert_eq!(env.list("KEYS"), ["a", "b", "c"]);
        assert!(env.list("NONE").is_empty());
    }
}
