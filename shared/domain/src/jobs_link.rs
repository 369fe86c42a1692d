//! The link from a company's page to its open positions: a job board's own address first, then the company's own
//! page of careers.

use url::Url;

use super::boards;
use super::page::Page;
use super::plain_text::fold;

const MAX_LINKS: usize = 20_000;

/// Where the company lists its open positions.
pub fn find(page: &Page, page_url: &str) -> Option<String> {
    let base = Url::parse(page_url).ok()?;
    let mut own: Option<(u8, Url)> = None;
    for (id, href) in page.links().take(MAX_LINKS) {
        let Ok(target) = base.join(href.trim()) else { continue };
        if !matches!(target.scheme(), "http" | "https") {
            continue;
        }
        if is_board(&target) {
            return Some(target.into());
        }
        let text = || if page.size(id) <= 12 { fold(&page.text_of(id)) } else { String::new() };
        let rank = rank(&target, &base, text);
        if rank > 0 && own.as_ref().is_none_or(|(best, _)| rank > *best) {
            own = Some((rank, target));
        }
    }
    own.map(|(_, target)| target.into())
}

/// Whether an address is a company's board at one of the systems that host them; `boards::detect` has the one table of
/// their hosts.
pub fn is_board(url: &Url) -> bool {
    boards::is_hosted(url)
}

/// How likely a link of the company's own leads to its positions; 0 is not.
fn rank(target: &Url, base: &Url, text: impl Fn() -> String) -> u8 {
    const WORDS: &[&str] = &[
        "careers",
        "career",
        "jobs",
        "join us",
        "we re hiring",
        "work with us",
        "open positions",
        "job openings",
        "vacancies",
        "employment",
        "karriere",
        "stellenangebote",
        "offene stellen",
        "jobs karriere",
        "carrieres",
        "nous rejoindre",
        "recrutement",
        "empleo",
        "trabaja con nosotros",
        "kariera",
        "praca",
        "oferty pracy",
        "kariera v",
        "volna mista",
        "lavora con noi",
        "vacatures",
        "carreiras",
        "join our team",
        "current openings",
        "employment opportunities",
        "career opportunities",
    ];
    const PATHS: &[&str] = &[
        "careers",
        "career",
        "jobs",
        "join-us",
        "karriere",
        "kariera",
        "vacancies",
        "open-positions",
        "employment",
        "stellenangebote",
        "work-with-us",
        "joinus",
        "volna-mista",
        "carrieres",
        "recrutement",
        "empleo",
        "job-openings",
    ];
    let (Some(host), Some(own)) = (target.host_str(), base.host_str()) else { return 0 };
    let bare = |host: &str| host.trim_start_matches("www.").to_ascii_lowercase();
    let (host, own) = (bare(host), bare(own));
    let subdomain =
        ["careers.", "jobs.", "karriere.", "career.", "kariera."].iter().any(|name| host.starts_with(name));
    if subdomain && host.ends_with(own.split_once('.').map_or(own.as_str(), |_| own.as_str())) {
        return 4;
    }
    if host != own {
        return 0;
    }
    let mut segments = target.path_segments().into_iter().flatten().filter(|segment| !segment.is_empty());
    let last = segments.next_back().unwrap_or_default().to_ascii_lowercase();
    let stem = last.split('.').next().unwrap_or_default();
    let by_path = PATHS.contains(&stem);
    let by_text = WORDS.contains(&text().as_str());
    match (by_path, by_text) {
        (true, true) => 3,
        (true, false) => 2,
        (false, true) => 1,
        (false, false) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(html: &str) -> Option<String> {
        find(&Page::parse(html.as_bytes(), None).unwrap(), "https://www.lantern.example/about")
    }

    #[test]
    fn a_board_goes_before_the_company_s_own_page() {
        let html = r#"<nav><a href="/careers/">Careers</a></nav><a href="https://jobs.lever.co/lantern?x=1">See all</a>"#;
        assert_eq!(link(html).as_deref(), Some("https://jobs.lever.co/lantern?x=1"));
        let html = r#"<a href="https://lantern.wd3.myworkdayjobs.com/en-US/External">Jobs</a>"#;
        assert!(link(html).is_some());
    }

    #[test]
    fn the_company_s_own_page_is_found_by_its_path_or_its_words() {
        assert_eq!(
            link(r#"<a href="/team/careers">x</a>"#).as_deref(),
            Some("https://www.lantern.example/team/careers")
        );
        assert_eq!(link("<a href=/x>Join us</a>").as_deref(), Some("https://www.lantern.example/x"));
        assert_eq!(
            link("<a href=/x>Join us</a><a href=/karriere.html>Karriere</a>").as_deref(),
            Some("https://www.lantern.example/karriere.html")
        );
        assert_eq!(
            link("<a href=//careers.lantern.example/>All</a>").as_deref(),
            Some("https://careers.lantern.example/")
        );
    }

    #[test]
    fn other_links_are_none() {
        for html in [
            "<a href=/contact>Contact</a>",
            "<a href='https://jobs.example/board'>Jobs</a>",
            "<a href='https://www.workable.com/'>Powered by Workable</a>",
            "<a href='https://jobs.lever.co/'>Lever</a>",
            "<a href='mailto:jobs@lantern.example'>Careers</a>",
            "<a href='https://lantern.bamboohr.com/login'>Staff</a>",
        ] {
            assert_eq!(link(html), None, "{html}");
        }
    }
}
