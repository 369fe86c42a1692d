//! Which system a board runs on, told by its address or by what its page carries. The order of proof: what an
//! operator says, then the address, then the page. A name is never guessed: a system whose board's name cannot be
//! read is found without one.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use url::Url;

use super::{Board, System};

/// Bytes of a page that are searched, and addresses in it that are tried.
const MAX_SEARCHED: usize = 4 * 1024 * 1024;
const MAX_TRIED: usize = 3_000;
const MAX_MARKS: usize = 20_000;

/// A board that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sign {
    pub system: System,
    /// None where the system is certain and the board's name is not there to be read.
    pub board: Option<Board>,
    pub proof: Proof,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    Url,
    /// An address on the page, or a mark of the system in it.
    Page,
}

/// How far a found board may be trusted; only `High` is read without being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

impl Sign {
    fn new(system: System, token: Option<&str>, proof: Proof) -> Sign {
        Sign { system, board: token.and_then(|token| Board::new(system, token).ok()), proof }
    }

    /// High for boards with a structure that holds still (an API, a feed); pages for people are low.
    pub fn confidence(&self) -> Confidence {
        match self.system {
            _ if self.board.is_none() => Confidence::Low,
            System::Sitemap | System::ListPage => Confidence::Low,
            // Any feed may be called `jobs.rss`.
            System::Teamtailor
                if self.board.as_ref().is_some_and(|board| !board.token().ends_with(".teamtailor.com")) =>
            {
                Confidence::Medium
            }
            System::Lever
            | System::Jobvite
            | System::Icims
            | System::JazzHr
            | System::Paylocity
            | System::Phenom
            | System::Google
            | System::Apple => Confidence::Medium,
            _ => Confidence::High,
        }
    }
}

/// The board behind an address.
pub fn of_url(text: &str) -> Option<Sign> {
    let text = text.trim();
    let url = Url::parse(text).or_else(|_| Url::parse(&format!("https://{text}"))).ok()?;
    by_url(&url, Proof::Url)
}

/// Whether an address is one company's board on a host of its system.
pub fn is_hosted(url: &Url) -> bool {
    let Some((host, parts)) = taken_apart(url) else { return false };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match on_shared_host(&host, &parts, url).or_else(|| on_own_name(&host, &parts, url)) {
        // Staff and their papers are there too.
        Some((System::BambooHr, _)) => {
            parts.iter().any(|part| part.contains("careers") || part.contains("jobs"))
        }
        // A board's name that cannot be read from its address is there all the same.
        Some((System::Jobvite, None)) => !parts.is_empty(),
        Some((System::Eightfold, None)) => true,
        Some((_, token)) => token.is_some(),
        None => false,
    }
}

fn taken_apart(url: &Url) -> Option<(String, Vec<String>)> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    let parts = url
        .path_segments()?
        .filter(|part| !part.is_empty())
        .map(|part| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned())
        .collect();
    Some((host, parts))
}

fn by_url(url: &Url, proof: Proof) -> Option<Sign> {
    let (host, parts) = taken_apart(url)?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let found = on_shared_host(&host, &parts, url)
        .or_else(|| on_own_name(&host, &parts, url))
        .or_else(|| by_path(&host, &parts, url));
    found.map(|(system, token)| Sign::new(system, token.as_deref(), proof))
}

type Found = (System, Option<String>);

fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs()
        .find(|(key, value)| key == name && !value.is_empty())
        .map(|(_, value)| value.into_owned())
}

/// `en`, `en-US`, `fr_fr`.
fn is_locale(part: &str) -> bool {
    let two = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic());
    two(part) || part.split_once(['-', '_']).is_some_and(|(language, country)| two(language) && two(country))
}

/// Systems whose boards share hosts and differ in their paths.
fn on_shared_host(host: &str, parts: &[&str], url: &Url) -> Option<Found> {
    let first = || parts.first().map(|part| (*part).to_owned());
    let after = |word: &str| {
        let at = parts.iter().position(|part| part.eq_ignore_ascii_case(word))?;
        parts.get(at + 1).map(|part| (*part).to_owned())
    };
    let after_locale = || parts.iter().find(|part| !is_locale(part)).map(|part| (*part).to_owned());
    Some(match host {
        "boards.greenhouse.io"
        | "job-boards.greenhouse.io"
        | "boards-api.greenhouse.io"
        | "api.greenhouse.io" => (System::Greenhouse, greenhouse(parts, url)),
        "boards.eu.greenhouse.io" | "job-boards.eu.greenhouse.io" | "boards-api.eu.greenhouse.io" => {
            (System::Greenhouse, greenhouse(parts, url).map(|name| format!("eu/{name}")))
        }
        "jobs.lever.co" => (System::Lever, first()),
        "jobs.eu.lever.co" => (System::Lever, first().map(|name| format!("eu/{name}"))),
        "api.lever.co" => (System::Lever, after("postings")),
        "api.eu.lever.co" => (System::Lever, after("postings").map(|name| format!("eu/{name}"))),
        "jobs.ashbyhq.com" => (System::Ashby, first()),
        "api.ashbyhq.com" => (System::Ashby, after("job-board")),
        "jobs.smartrecruiters.com" | "careers.smartrecruiters.com" | "www.smartrecruiters.com" => {
            (System::SmartRecruiters, after("company").or_else(first))
        }
        "api.smartrecruiters.com" => (System::SmartRecruiters, after("companies")),
        "apply.workable.com" => {
            let name = after("accounts").or_else(first);
            (System::Workable, name.filter(|name| !matches!(name.as_str(), "j" | "api")))
        }
        "recruiting.paylocity.com" => (System::Paylocity, after("All")),
        "jobs.jobvite.com" => (System::Jobvite, None), // the name in the address is not the id of the feed
        "app.jobvite.com" => (System::Jobvite, parameter(url, "c")),
        "ats.rippling.com" | "ats.us1.rippling.com" => (System::Rippling, after_locale()),
        "api.rippling.com" => (System::Rippling, after("board")),
        "jobs.gem.com" => (System::Gem, first()),
        "api.gem.com" => (System::Gem, after("v0")),
        // companies with a board of their own
        "www.amazon.jobs" | "amazon.jobs" => (System::Amazon, Some("all".into())),
        "jobs.apple.com" => (System::Apple, Some("all".into())),
        "careers.google.com" => (System::Google, Some("all".into())),
        "www.google.com" | "google.com" if parts.starts_with(&["about", "careers"]) => {
            (System::Google, Some("all".into()))
        }
        "lifeattiktok.com" | "api.lifeattiktok.com" | "careers.tiktok.com" => {
            (System::TikTok, Some("all".into()))
        }
        "careers.roblox.com" => (System::Roblox, Some("all".into())),
        "explore.jobs.netflix.net" | "jobs.netflix.com" => {
            (System::Eightfold, Some("explore.jobs.netflix.net/netflix.com".into()))
        }
        "apply.careers.microsoft.com" => {
            (System::EightfoldPcsx, Some("apply.careers.microsoft.com/microsoft.com".into()))
        }
        "www.anthropic.com" | "anthropic.com" if parts.first() == Some(&"careers") => {
            (System::Greenhouse, Some("anthropic".into()))
        }
        "openai.com" | "www.openai.com" if parts.first() == Some(&"careers") => {
            (System::Ashby, Some("openai".into()))
        }
        _ => return None,
    })
}

/// `boards.greenhouse.io/acme`, `/embed/job_board?for=acme`, `/v1/boards/acme/jobs`.
fn greenhouse(parts: &[&str], url: &Url) -> Option<String> {
    let name = match parts {
        ["embed", ..] => return parameter(url, "for"),
        ["v1", "boards", name, ..] => name,
        [name, ..] => name,
        [] => return None,
    };
    Some((*name).to_owned())
}

/// Systems whose boards have host names of their own under the system's name.
fn on_own_name(host: &str, parts: &[&str], url: &Url) -> Option<Found> {
    const SUFFIXES: &[(&str, System)] = &[
        (".icims.com", System::Icims),
        (".bamboohr.com", System::BambooHr),
        (".recruitee.com", System::Recruitee),
        (".teamtailor.com", System::Teamtailor),
        (".jobs.personio.de", System::Personio),
        (".jobs.personio.com", System::Personio),
        (".jobs.personio.es", System::Personio),
        (".applytojob.com", System::JazzHr),
        (".breezy.hr", System::Breezy),
        (".pinpointhq.com", System::Pinpoint),
    ];
    // hosts of the vendor itself
    const NOT_TENANTS: &[&str] = &[
        "www",
        "api",
        "app",
        "help",
        "support",
        "blog",
        "developers",
        "docs",
        "info",
        "status",
        "marketing",
        "assets",
    ];
    if let Some((tenant, system)) =
        SUFFIXES.iter().find_map(|(suffix, system)| Some((host.strip_suffix(suffix)?, *system)))
    {
        let last = tenant.rsplit('.').next().unwrap_or(tenant);
        return (!tenant.is_empty() && !NOT_TENANTS.contains(&last)).then(|| (system, Some(host.to_owned())));
    }
    if let Some(tenant) = host.strip_suffix(".myworkdayjobs.com") {
        let (tenant, pod) = tenant.split_once('.')?;
        let site = match parts {
            ["wday", "cxs", _, site, ..] => Some(*site),
            _ => parts
                .iter()
                .find(|part| !is_locale(part))
                .copied()
                .filter(|part| !matches!(*part, "job" | "wday")),
        };
        let is_pod = pod.strip_prefix("wd").is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
        return is_pod.then(|| (System::Workday, site.map(|site| format!("{host}/{tenant}/{site}"))));
    }
    if host.ends_with(".myworkdaysite.com") {
        let at = parts.iter().position(|part| *part == "recruiting")?;
        let names = parts.get(at + 1).zip(parts.get(at + 2));
        return Some((System::Workday, names.map(|(tenant, site)| format!("{host}/{tenant}/{site}"))));
    }
    if host.starts_with("recruiting") && (host.ends_with(".ultipro.com") || host.ends_with(".ultipro.ca")) {
        let board = match parts {
            [tenant, word, board, ..] if word.eq_ignore_ascii_case("jobboard") => {
                Some(format!("{host}/{tenant}/{board}"))
            }
            _ => None,
        };
        return Some((System::Ukg, board));
    }
    if is_oracle(host) {
        let at = parts.iter().position(|part| *part == "sites")?;
        return Some((System::Oracle, parts.get(at + 1).map(|site| format!("{host}/{site}"))));
    }
    if let Some(tenant) = host.strip_suffix(".eightfold.ai") {
        if matches!(tenant, "www" | "static") {
            return None;
        }
        // the company's domain is asked for in every request, and not in every address
        return Some((System::Eightfold, parameter(url, "domain").map(|domain| format!("{host}/{domain}"))));
    }
    None
}

/// `ehzq.fa.us2.oraclecloud.com`, `x.fa.ocs.oraclecloud26.com`, `x.fa.ocs.oraclecloud.eu`.
fn is_oracle(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let (_, name) = (labels.next(), labels.next());
    let numbered = |name: &str| {
        name.strip_prefix("oraclecloud")
            .is_some_and(|rest| rest.len() <= 2 && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    name.is_some_and(numbered) && labels.any(|label| label == "fa")
}

/// Boards on a company's own host, told by a path that only one system has; and feeds.
fn by_path(host: &str, parts: &[&str], url: &Url) -> Option<Found> {
    match parts {
        // Oracle: /en/sites/CX_1/…, /hcmUI/CandidateExperience/en/sites/CX_1
        ["hcmUI", "CandidateExperience", _, "sites", site, ..] => {
            return Some((System::Oracle, Some(format!("{host}/{site}"))));
        }
        [locale, "sites", site, rest @ ..]
            if is_locale(locale)
                && (site.starts_with("CX") || is_for_jobs(host) || rest.first() == Some(&"requisitions")) =>
        {
            return Some((System::Oracle, Some(format!("{host}/{site}"))));
        }
        // Recruitee: /l/en/o/some-job; `/l/en` alone is anybody's
        ["l", locale, rest @ ..]
            if is_locale(locale) && (is_for_jobs(host) || rest.first() == Some(&"o")) =>
        {
            return Some((System::Recruitee, Some(host.to_owned())));
        }
        // Eightfold: /careers?domain=acme.com
        ["careers", ..] if parameter(url, "domain").is_some_and(|domain| is_of_domain(host, &domain)) => {
            let domain = parameter(url, "domain")?;
            return Some((System::Eightfold, Some(format!("{host}/{domain}"))));
        }
        // Phenom: /us/en/search-results
        [country, language, "search-results", ..]
            if is_locale(language) && (is_locale(country) || *country == "global") =>
        {
            return Some((System::Phenom, Some(host.to_owned())));
        }
        _ => {}
    }
    if let Some(name) = parts.last() {
        if name.ends_with(".rss") || name.ends_with(".atom") {
            let system = if *name == "jobs.rss" { System::Teamtailor } else { System::Feed };
            let token = if system == System::Teamtailor { host.to_owned() } else { url.to_string() };
            return Some((system, Some(token)));
        }
        if name.contains("sitemap") && name.ends_with(".xml") {
            return Some((System::Sitemap, Some(url.to_string())));
        }
    }
    None
}

/// A host whose very name says what it is for.
fn is_for_jobs(host: &str) -> bool {
    let name = host.split('.').next().unwrap_or_default();
    host.split('.').count() > 2
        && matches!(
            name,
            "careers" | "career" | "jobs" | "job" | "karriere" | "talent" | "werkenbij" | "join"
        )
}

/// Whether a host belongs to the company whose domain an address names: they share the company's name.
fn is_of_domain(host: &str, domain: &str) -> bool {
    let name = domain.split('.').next().unwrap_or_default().to_ascii_lowercase();
    domain.contains('.') && !name.is_empty() && host.split('.').any(|label| label == name)
}

/// What follows a mark of a system in a page.
const NAMED: &[(&str, System)] = &[
    ("\"urlToken\":\"", System::Greenhouse),
    ("\"boardToken\":\"", System::Greenhouse),
    ("boardToken: \"", System::Greenhouse),
    ("boardToken: '", System::Greenhouse),
    ("smartrecruiters.com/oneclick-ui/company/", System::SmartRecruiters),
    ("companyEId: '", System::Jobvite),
    ("companyEId: \"", System::Jobvite),
    ("companyEId\":\"", System::Jobvite),
];

/// Marks that stand only in the pages of a system, which then is on the page's own host.
const HOSTED: &[(&str, System)] = &[
    ("recruiteecdn.com", System::Recruitee),
    ("window.recruitee", System::Recruitee),
    ("teamtailor-cdn.com", System::Teamtailor),
    ("phApp.ddo", System::Phenom),
    ("phenompeople.com", System::Phenom),
];

/// Marks that name a system and not the board.
const NAMELESS: &[(&str, System)] =
    &[("gh_jid=", System::Greenhouse), ("ashby_jid=", System::Ashby), ("workdaycdn.com", System::Workday)];

/// The boards a page speaks of, the likeliest first: most often named, and in the order they come.
pub fn in_page(html: &str, page_url: &str) -> Vec<Sign> {
    let end = (0..=html.len().min(MAX_SEARCHED)).rev().find(|at| html.is_char_boundary(*at)).unwrap_or(0);
    let html = &html[..end];
    let own = Url::parse(page_url).ok();
    let host = own.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
    let mut votes: HashMap<(System, Option<String>), (usize, usize)> = HashMap::new();
    let mut vote = |system: System, board: Option<Board>, at: usize, weight: usize| {
        let name = board.map(|board| board.token().to_owned());
        let entry = votes.entry((system, name)).or_insert((0, at));
        entry.0 += weight;
    };
    for (at, text) in addresses(html).take(MAX_TRIED) {
        let Ok(url) = Url::parse(&text) else { continue };
        if url.host_str() == Some(host) {
            continue; // the page's own links say nothing that its address does not
        }
        // feeds and sitemaps are everywhere; they are no mark of a job board
        if let Some(sign) = by_url(&url, Proof::Page)
            && !matches!(
                sign.system,
                System::Feed | System::Sitemap | System::Phenom | System::Amazon | System::Google
            )
        {
            vote(sign.system, sign.board, at, 2);
        }
    }
    for (mark, system) in NAMED {
        for (at, _) in html.match_indices(mark).take(20) {
            let name = html.get(at + mark.len()..).unwrap_or_default();
            let name = name.split(['"', '\'', '/', '?', '&']).next().unwrap_or_default();
            if let Ok(board) = Board::new(*system, name) {
                vote(*system, Some(board), at, 3);
            }
        }
    }
    for (mark, system) in HOSTED {
        if let Some(at) = html.find(mark) {
            vote(*system, Board::new(*system, host).ok(), at, 3);
        }
    }
    for (mark, system) in NAMELESS {
        if let Some(at) = html.find(mark) {
            vote(*system, None, at, 1);
        }
    }
    let mut signs: Vec<_> = votes.into_iter().collect();
    signs.sort_by_key(|((_, name), (count, at))| (name.is_none(), std::cmp::Reverse(*count), *at));
    signs.into_iter().map(|((system, name), _)| Sign::new(system, name.as_deref(), Proof::Page)).collect()
}

/// Absolute addresses in a page, in links and in scripts (where slashes may be escaped).
fn addresses(html: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let marks = html.match_indices("//").take(MAX_MARKS).chain(html.match_indices("\\/\\/").take(MAX_MARKS));
    marks.filter_map(move |(at, mark)| {
        let rest = html.get(at + mark.len()..)?;
        let end = rest.bytes().take(600).position(|b| {
            matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`' | b')' | b'|') || b.is_ascii_whitespace()
        })?;
        let text = rest.get(..end)?.replace("\\/", "/").replace("\\u002F", "/").replace("&amp;", "&");
        let text = text.trim_end_matches('\\');
        text.contains('.').then(|| (at, format!("https://{text}")))
    })
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
