use proptest::prelude::*;

use super::*;

fn name(url: &str) -> String {
    match of_url(url) {
        None => "nothing".to_owned(),
        Some(sign) => sign.board.map_or(format!("{}:?", sign.system), |board| board.to_string()),
    }
}

#[test]
fn every_address_of_a_board_names_it() {
    for (url, board) in [
        ("https://boards.greenhouse.io/lantern", "greenhouse:lantern"),
        ("https://job-boards.eu.greenhouse.io/lantern/jobs/12", "greenhouse:eu/lantern"),
        ("https://boards.greenhouse.io/embed/job_board?for=lantern&b=1", "greenhouse:lantern"),
        ("https://boards-api.greenhouse.io/v1/boards/lantern/jobs", "greenhouse:lantern"),
        ("jobs.lever.co/Lantern", "lever:Lantern"),
        ("https://jobs.eu.lever.co/lantern/0a1b", "lever:eu/lantern"),
        ("https://jobs.ashbyhq.com/lantern%20works", "ashby:lantern works"),
        ("https://jobs.ashbyhq.com/lantern", "ashby:lantern"),
        ("https://careers.smartrecruiters.com/LanternAG", "smartrecruiters:LanternAG"),
        ("https://jobs.smartrecruiters.com/LanternAG/744-cook", "smartrecruiters:LanternAG"),
        (
            "https://jobs.smartrecruiters.com/oneclick-ui/company/LanternAG/publication/1",
            "smartrecruiters:LanternAG",
        ),
        (
            "https://lantern.wd5.myworkdayjobs.com/en-US/Jobs/job/Graz/Cook_R1",
            "workday:lantern.wd5.myworkdayjobs.com/lantern/Jobs",
        ),
        ("https://lantern.wd103.myworkdayjobs.com/en-us", "workday:?"),
        (
            "https://wd3.myworkdaysite.com/en-US/recruiting/lantern/Jobs/",
            "workday:wd3.myworkdaysite.com/lantern/Jobs",
        ),
        (
            "https://abcd.fa.em2.oraclecloud.com/hcmUI/CandidateExperience/en/sites/CX_2009/requisitions",
            "oracle:abcd.fa.em2.oraclecloud.com/CX_2009",
        ),
        (
            "https://x.fa.ocs.oraclecloud26.com/hcmUI/CandidateExperience/en/sites/CX",
            "oracle:x.fa.ocs.oraclecloud26.com/CX",
        ),
        ("https://talent.lantern.example/en/sites/CX/jobs", "oracle:talent.lantern.example/CX"),
        (
            "https://recruiting2.ultipro.com/LAN1000LAN/JobBoard/313e5d08-aaaa-bbbb-cccc-5f4c983403b7/?q=",
            "ukg:recruiting2.ultipro.com/LAN1000LAN/313e5d08-aaaa-bbbb-cccc-5f4c983403b7",
        ),
        ("https://careers-lantern.icims.com/jobs/search?ss=1", "icims:careers-lantern.icims.com"),
        ("https://lantern.bamboohr.com/careers", "bamboohr:lantern.bamboohr.com"),
        ("https://apply.workable.com/lantern/j/ABC/", "workable:lantern"),
        ("https://apply.workable.com/j/ABC", "workable:?"),
        ("https://lantern.recruitee.com/o/cook", "recruitee:lantern.recruitee.com"),
        ("https://jobs.lantern.example/l/en/", "recruitee:jobs.lantern.example"),
        ("https://lantern.teamtailor.com/jobs", "teamtailor:lantern.teamtailor.com"),
        ("https://career.lantern.example/jobs.rss", "teamtailor:career.lantern.example"),
        ("https://lantern.jobs.personio.de/?language=en", "personio:lantern.jobs.personio.de"),
        ("https://lantern.applytojob.com/apply", "jazzhr:lantern.applytojob.com"),
        (
            "https://recruiting.paylocity.com/Recruiting/Jobs/All/15fca012-aaaa/Lantern-Inc",
            "paylocity:15fca012-aaaa",
        ),
        ("https://lantern.breezy.hr/", "breezy:lantern.breezy.hr"),
        (
            "https://lantern.eightfold.ai/careers?domain=lantern.example",
            "eightfold:lantern.eightfold.ai/lantern.example",
        ),
        ("https://lantern.eightfold.ai/careers", "eightfold:?"),
        ("https://jobs.jobvite.com/lantern/jobs", "jobvite:?"),
        ("https://ats.rippling.com/en-GB/lantern-ltd/jobs", "rippling:lantern-ltd"),
        ("https://lantern.pinpointhq.com", "pinpoint:lantern.pinpointhq.com"),
        ("https://jobs.gem.com/lantern", "gem:lantern"),
        ("https://careers.lantern.example/us/en/search-results?keywords=", "phenom:careers.lantern.example"),
        ("https://www.anthropic.com/careers/jobs", "greenhouse:anthropic"),
        ("https://openai.com/careers/search", "ashby:openai"),
        ("https://www.google.com/about/careers/applications/jobs/results", "google:all"),
        ("https://lantern.example/sitemap_jobs.xml", "sitemap:https://lantern.example/sitemap_jobs.xml"),
    ] {
        assert_eq!(name(url), board, "{url}");
    }
}

#[test]
fn what_only_looks_like_a_board_is_none() {
    for url in [
        "https://greenhouse.io.evil.example/lantern",
        "https://evilgreenhouse.io/lantern",
        "https://www.bamboohr.com/careers",
        "https://www.workday.com/",
        "https://myworkdayjobs.com.example/x",
        "https://lantern.example/careers",
        "https://lantern.example/jobs/search",
        "https://www.google.com/search?q=jobs",
        "https://lantern.oraclecloud.com/",
        // paths that others have as well
        "https://www.lantern.example/en/sites/all",
        "https://www.lantern.example/en/sites/wikipedia/jobs",
        "https://lantern.example/l/en/shop",
        "https://lantern.example/careers?domain=other.example",
        "ftp://jobs.lever.co/lantern",
        "not an address",
        "",
    ] {
        assert_eq!(name(url), "nothing", "{url}");
    }
}

/// `jobs.rss` may be anybody's feed: it is not read without being asked about.
#[test]
fn only_a_feed_under_the_systems_own_name_is_certain() {
    let sure = |url: &str| of_url(url).unwrap().confidence();
    assert_eq!(sure("https://lantern.teamtailor.com/jobs"), Confidence::High);
    assert_eq!(sure("https://career.lantern.example/jobs.rss"), Confidence::Medium);
}

#[test]
fn a_page_that_embeds_a_board_gives_it_away() {
    let first = |html: &str| {
        let signs = in_page(html, "https://www.lantern.example/careers");
        signs
            .into_iter()
            .next()
            .map(|sign| sign.board.map_or(sign.system.to_string(), |board| board.to_string()))
    };
    let found = |html: &str, board: &str| assert_eq!(first(html).as_deref(), Some(board), "{html}");
    found(
        "<script src=\"https://boards.greenhouse.io/embed/job_board/js?for=lantern\"></script>",
        "greenhouse:lantern",
    );
    found("<script>{\"urlToken\":\"lantern\"}</script>", "greenhouse:lantern");
    found("{\"u\":\"https:\\/\\/jobs.lever.co\\/lantern\\/1\"}", "lever:lantern");
    found("<a href='//jobs.ashbyhq.com/lantern?x=1&amp;y=2'>", "ashby:lantern");
    found("<script>var x = {companyEId: 'qAb1'}</script>", "jobvite:qAb1");
    found("<link href=\"https://x.teamtailor-cdn.com/a.css\">", "teamtailor:www.lantern.example");
    found("<script>phApp.ddo = {}</script>", "phenom:www.lantern.example");
    assert_eq!(first("<a href='https://www.lantern.example/jobs'>jobs</a>"), None);
    assert_eq!(first("<p>We use Greenhouse and Lever.</p>"), None);
    found("<a href='/job?gh_jid=12'>Cook</a>", "greenhouse");
    found("<iframe src='/jobs?ashby_jid=ab-1'></iframe>", "ashby");
    found(
        "<a href='https://jobs.smartrecruiters.com/oneclick-ui/company/Lantern/publication/1'>",
        "smartrecruiters:Lantern",
    );
    // named once in a footer, and three times in the list
    let list = "<a href='https://jobs.lever.co/lantern/1'></a>".repeat(3);
    found(&format!("<a href='https://boards.greenhouse.io/other'></a>{list}"), "lever:lantern");
}

proptest! {
    #[test]
    fn any_text_can_be_asked_about(url in "\\PC*", html in "(//|\\\\/|boards\\.greenhouse\\.io|/|\"|'|é|companyEId: '|[a-z])*") {
        let _ = of_url(&url);
        for sign in in_page(&html, &url) {
            prop_assert!(sign.board.is_none_or(|board| board.system() == sign.system));
        }
    }
}
