//! What a board's answer about one job says of its life. A timeout, a refusal or a wall says nothing.

use serde::{Deserialize, Serialize};

/// How a system says that a job is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// Its detail answers 404 or 410 then, and is there otherwise.
    Detail,
    /// Its detail proves life; its absence proves nothing (postings that are not public answer the same).
    DetailProvesLife,
    /// It is no longer in a complete list.
    Absence,
    /// Its page says so.
    Page,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Life {
    Live,
    Gone,
    Unknown,
}

impl Liveness {
    /// What an answer for one job says. `fits` is whether it could be read as that job's detail; `url` is where it
    /// came from in the end.
    pub fn judge(self, status: u16, fits: bool, url: &str) -> Life {
        // Greenhouse sends a closed job to its board, with a word.
        let sent_away =
            url.split_once('?').is_some_and(|(_, query)| query.split('&').any(|p| p == "error=true"));
        match (self, status) {
            (Liveness::Detail, 404 | 410) => Life::Gone,
            (Liveness::Detail, 200..=299) if sent_away => Life::Gone,
            (Liveness::Detail | Liveness::DetailProvesLife, 200..=299) if fits => Life::Live,
            _ => Life::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_word_ends_a_job() {
        let url = "https://boards.example/jobs/1";
        assert_eq!(Liveness::Detail.judge(404, false, url), Life::Gone);
        assert_eq!(Liveness::Detail.judge(200, true, url), Life::Live);
        assert_eq!(Liveness::Detail.judge(200, true, "https://boards.example/acme?error=true"), Life::Gone);
        assert_eq!(Liveness::DetailProvesLife.judge(404, false, url), Life::Unknown);
        assert_eq!(Liveness::DetailProvesLife.judge(200, true, url), Life::Live);
        for status in [0, 401, 403, 429, 500, 503] {
            assert_eq!(Liveness::Detail.judge(status, false, url), Life::Unknown, "{status}");
        }
        assert_eq!(Liveness::Detail.judge(200, false, url), Life::Unknown, "a wall");
        assert_eq!(Liveness::Absence.judge(404, false, url), Life::Unknown);
    }
}
