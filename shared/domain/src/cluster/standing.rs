//! Whose word a listing is. The company's own board says what is true; a board that collects from others
//! repeats it, late and shortened.

use super::key::company_key;
use crate::boards::System;

/// In the order of whom to believe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Collects postings of others.
    Aggregator,
    /// A page of which we know neither.
    Unknown,
    /// The company's own site, or the applicant system it posts to.
    FirstParty,
}

impl Standing {
    pub fn word(self) -> &'static str {
        match self {
            Standing::Aggregator => "aggregator",
            Standing::Unknown => "unknown",
            Standing::FirstParty => "first_party",
        }
    }

    /// Read back from where it was put.
    pub fn stored(word: &str) -> Standing {
        match word {
            "aggregator" => Standing::Aggregator,
            "first_party" => Standing::FirstParty,
            _ => Standing::Unknown,
        }
    }
}

/// Applicant systems: each board on them belongs to one company.
const SYSTEMS: &[&str] = &[
    "myworkdayjobs.com",
    "myworkdaysite.com",
    "workday.com",
    "greenhouse.io",
    "lever.co",
    "ashbyhq.com",
    "smartrecruiters.com",
    "icims.com",
    "oraclecloud.com",
    "taleo.net",
    "ultipro.com",
    "ukg.com",
    "bamboohr.com",
    "recruitee.com",
    "teamtailor.com",
    "personio.de",
    "personio.com",
    "applytojob.com",
    "jazz.co",
    "breezy.hr",
    "eightfold.ai",
    "pinpointhq.com",
    "successfactors.com",
    "successfactors.eu",
    "avature.net",
    "csod.com",
    "phenompeople.com",
    "jobvite.com",
    "rippling.com",
    "rippling-ats.com",
    "paylocity.com",
    "workable.com",
    "gem.com",
    "hireology.com",
    "comeet.co",
    "comeet.com",
    "dayforcehcm.com",
    "adp.com",
    "paycomonline.net",
    "hrmdirect.com",
    "jobylon.com",
    "factorialhr.com",
    "join.com",
    "welcomekit.co",
];

/// Sources of others' making that are a company's own board, beside the systems that have an adapter.
const OTHER_SOURCES: &[&str] = &["taleo", "successfactors", "avature", "netflix", "company"];

/// Whether each board on a system belongs to one company (`greenhouse:kiln`). A feed, a sitemap and a list page are
/// whoever's they are.
fn is_own_board(system: System) -> bool {
    !matches!(system, System::Feed | System::Sitemap | System::ListPage)
}

/// Sites that collect. The first label, whatever the country after it (`indeed.de`, `de.indeed.com`).
const AGGREGATORS: &[&str] = &[
    "indeed",
    "linkedin",
    "glassdoor",
    "ziprecruiter",
    "monster",
    "careerbuilder",
    "simplyhired",
    "dice",
    "stepstone",
    "xing",
    "adzuna",
    "jooble",
    "talent",
    "neuvoo",
    "jora",
    "seek",
    "totaljobs",
    "reed",
    "cv-library",
    "jobs",
    "jobscz",
    "pracuj",
    "startupjobs",
    "infojobs",
    "hh",
    "naukri",
    "foundit",
    "wellfound",
    "angel",
    "remoteok",
    "weworkremotely",
    "builtin",
    "themuse",
    "whatjobs",
    "jobleads",
    "careerjet",
    "trovit",
    "jobrapido",
    "hotjobs",
    "nettemps",
    "jobcircle",
    "jobtarget",
    "techcentric",
    "efinancialcareers",
    "stackoverflow",
    "welcometothejungle",
    "kununu",
    "meinestadt",
    "arbeitsagentur",
    "apec",
    "hellowork",
    "usajobs",
    "theladders",
    "snagajob",
    "lensa",
    "jobget",
    "handshake",
];

pub fn standing(source: &str, host: &str, company: &str) -> Standing {
    let name = source.split([':', '/']).next().unwrap_or_default().to_ascii_lowercase();
    let own = name.parse::<System>().is_ok_and(is_own_board);
    if own || OTHER_SOURCES.contains(&name.as_str()) {
        return Standing::FirstParty;
    }
    if AGGREGATORS.contains(&name.as_str()) {
        return Standing::Aggregator;
    }
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let under =
        |suffix: &&str| host.strip_suffix(*suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    if SYSTEMS.iter().any(under) {
        return Standing::FirstParty;
    }
    let Some(own) = psl::domain_str(&host).and_then(|domain| domain.split('.').next()) else {
        return Standing::Unknown;
    };
    // Its own site: `kiln.example` and `kiln-careers.example` of Kiln, before a board that has the same name.
    let squeezed: String = company.split(' ').collect();
    let label: String =
        company_key(&own.replace('-', " ")).split(' ').filter(|word| !is_careers(word)).collect();
    if squeezed.len() >= 3 && label == squeezed {
        return Standing::FirstParty;
    }
    if AGGREGATORS.contains(&own) { Standing::Aggregator } else { Standing::Unknown }
}

fn is_careers(word: &str) -> bool {
    matches!(word, "careers" | "career" | "jobs" | "karriere" | "kariera")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_with_an_adapter_is_a_company_s_own_board() {
        for system in System::ALL {
            let expected = if is_own_board(*system) { Standing::FirstParty } else { Standing::Unknown };
            assert_eq!(standing(&format!("{system}:kiln"), "kiln.example", "nobody"), expected, "{system}");
        }
        assert_eq!(standing("icims_jibe:kiln", "", "kiln"), Standing::FirstParty);
        assert_eq!(standing("eightfold_pcsx:kiln", "", "kiln"), Standing::FirstParty);
    }
}
