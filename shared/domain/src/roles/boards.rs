//! How often a scraper should ask the boards it works on, at most. Advice: whoever scrapes elsewhere keeps it.

use serde::Serialize;

/// One board's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct BoardLimit {
    pub source: &'static str,
    pub requests_per_minute: u32,
}

const fn limit(source: &'static str, requests_per_minute: u32) -> BoardLimit {
    BoardLimit { source, requests_per_minute }
}

pub const LIMITS: &[BoardLimit] = &[
    limit("monster", 30),
    limit("indeed", 20),
    limit("glassdoor", 15),
    limit("techfetch", 60),
    limit("dice", 30),
];

/// The limits of the boards that a key may import from.
pub fn limits(allowed: Option<&[String]>) -> Vec<BoardLimit> {
    let may =
        |board: &&BoardLimit| allowed.is_none_or(|allowed| allowed.iter().any(|name| name == board.source));
    LIMITS.iter().filter(may).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_hears_of_its_own_boards() {
        assert_eq!(limits(None).len(), LIMITS.len());
        assert_eq!(limits(Some(&["dice".to_owned(), "other".to_owned()])), [limit("dice", 30)]);
    }
}
