//! Each adapter with an answer in its system's shape: what is asked, and what is read.

use serde_json::json;

use super::*;
use crate::location::RemoteKind;

const AT: &str = "2026-11-16T12:00:00Z";

fn answer(body: &str) -> Answer<'_> {
    Answer {
        status: 200,
        content_type: None,
        body: body.as_bytes(),
        url: "https://jobs.lantern.example/",
        at: AT.parse().unwrap(),
    }
}

fn board(name: &str) -> Board {
    name.parse().unwrap()
}

fn page(name: &str, body: &str) -> ListPage {
    let board = board(name);
    (adapter(board.system()).read)(&board, &answer(body)).unwrap_or_else(|misfit| panic!("{name}: {misfit}"))
}

/// `id | title | url | places | day`
fn line(job: &Listed) -> String {
    let day = job.posted.map_or("-".to_owned(), |day| day.to_string());
    let url = job.url.as_deref().unwrap_or("-");
    format!("{} | {} | {url} | {} | {day}", job.external_id, job.title, job.places.join("; "))
}

fn lists(name: &str, body: &str, wanted: &[&str]) -> ListPage {
    let page = page(name, body);
    assert_eq!(page.jobs.iter().map(line).collect::<Vec<_>>(), wanted, "{name}");
    page
}

fn asks(name: &str) -> Ask {
    Walk::new(board(name)).next().unwrap()
}

fn detail(name: &str, job: &mut Listed, body: &str) -> Ask {
    let board = board(name);
    let Detail::Behind { ask, read } = adapter(board.system()).detail else { panic!("{name} has no detail") };
    let asked = ask(&board, job).unwrap();
    read(&board, &answer(body), job).unwrap();
    asked
}

#[test]
fn greenhouse() {
    assert_eq!(
        asks("greenhouse:lantern").url,
        "https://boards-api.greenhouse.io/v1/boards/lantern/jobs?content=true"
    );
    let body = json!({ "jobs": [
        { "id": 7, "title": "Cook &amp; baker", "absolute_url": "https://b.example/7", "location": { "name": "Graz, Austria" },
          "first_published": "2026-11-02T23:50:00-04:00", "updated_at": "2026-11-10T00:00:00Z", "requisition_id": "R-7",
          "company_name": "Lantern ", "content": "&lt;p&gt;We bake.&lt;/p&gt;&lt;p&gt;R&amp;amp;D&lt;/p&gt;",
          "departments": [{ "name": "Kitchen" }], "offices": [] },
        { "id": 8, "title": "Potter", "location": { "name": "Hybrid" }, "offices": [{ "name": "Linz", "location": null }] },
    ], "meta": { "total": 2 } });
    let page = lists(
        "greenhouse:lantern",
        &body.to_string(),
        &["7 | Cook & baker | https://b.example/7 | Graz, Austria | 2026-11-02", "8 | Potter | - | Linz | -"],
    );
    assert_eq!(page.total, Some(2));
    assert_eq!(page.jobs[0].description.as_deref(), Some("We bake.\n\nR&D"));
    assert_eq!(
        (page.jobs[0].company.as_deref(), page.jobs[0].department.as_deref()),
        (Some("Lantern"), Some("Kitchen"))
    );
    assert_eq!(page.jobs[1].remote, Some(RemoteKind::Hybrid));
    let mut job = page.jobs[1].clone();
    let body = json!({ "id": 8, "title": "Potter", "pay_input_ranges": [
        { "min_cents": 5_000_000, "max_cents": 6_000_000, "currency_type": "EUR" }] });
    let asked = detail("greenhouse:eu/lantern", &mut job, &body.to_string());
    assert_eq!(
        asked.url,
        "https://boards-api.eu.greenhouse.io/v1/boards/lantern/jobs/8?pay_transparency=true"
    );
    assert_eq!(job.salary.unwrap().to_string(), "50,000–60,000 EUR");
}

#[test]
fn lever() {
    let ask = asks("lever:eu/potters&sons");
    assert_eq!(ask.url, "https://api.eu.lever.co/v0/postings/potters&sons?mode=json&skip=0&limit=100");
    assert!(ask.headers.contains(&("accept".into(), "application/json".into())));
    let body = json!([{ "id": "0a-1b", "text": "Potter", "hostedUrl": "https://jobs.lever.co/p/0a-1b",
        "categories": { "location": "Graz", "allLocations": ["Graz", "Linz"], "team": "Clay", "commitment": "Full-time" },
        "workplaceType": "on-site", "createdAt": 1_793_620_800_000_i64, "description": "<p>Make bowls.</p>",
        "lists": [{ "text": "You bring", "content": "<li>patience</li>" }], "additional": "",
        "salaryRange": { "min": 40000, "max": 50000, "currency": "EUR", "interval": "per-year-salary" } }]);
    let page = lists(
        "lever:potters",
        &body.to_string(),
        &["0a-1b | Potter | https://jobs.lever.co/p/0a-1b | Graz; Linz | 2026-11-02"],
    );
    let job = &page.jobs[0];
    assert_eq!(job.remote, Some(RemoteKind::OnSite));
    assert_eq!(job.description.as_deref(), Some("Make bowls.\n\nYou bring\n\npatience"));
    assert_eq!(job.salary.as_ref().unwrap().to_string(), "40,000–50,000 EUR per year");
}

#[test]
fn ashby() {
    assert_eq!(
        asks("ashby:lantern").url,
        "https://api.ashbyhq.com/posting-api/job-board/lantern?includeCompensation=true"
    );
    let body = json!({ "jobs": [
        { "id": "a1", "title": "Cook ", "location": "Graz", "secondaryLocations": [{ "location": "Linz" }],
          "publishedAt": "2026-11-02T22:43:56+00:00", "isListed": true, "isRemote": true, "workplaceType": "Hybrid",
          "jobUrl": "https://jobs.ashbyhq.com/lantern/a1", "employmentType": "FullTime", "descriptionHtml": "<p>Hi</p>",
          "compensation": { "compensationTiers": [{ "components": [
              { "compensationType": "Salary", "interval": "1 YEAR", "currencyCode": "CAD", "minValue": 100, "maxValue": 200 },
              { "compensationType": "EquityPercentage", "minValue": 1 }] }] } },
        { "id": "a2", "title": "Ghost", "isListed": false },
    ] });
    let page = lists(
        "ashby:lantern",
        &body.to_string(),
        &["a1 | Cook | https://jobs.ashbyhq.com/lantern/a1 | Graz; Linz | 2026-11-02"],
    );
    assert_eq!((page.rows, page.unread), (2, 0));
    assert_eq!(page.jobs[0].remote, Some(RemoteKind::Hybrid), "the word counts, not the flag");
    assert_eq!(page.jobs[0].salary.as_ref().unwrap().to_string(), "100–200 CAD per year");
}

#[test]
fn smartrecruiters() {
    assert_eq!(
        asks("smartrecruiters:LanternAG").url,
        "https://api.smartrecruiters.com/v1/companies/LanternAG/postings?limit=100&offset=0"
    );
    let body = json!({ "offset": 0, "limit": 100, "totalFound": 1, "content": [
        { "id": "744", "name": "Cook", "ref": "https://api.smartrecruiters.com/v1/x", "refNumber": "R7",
          "company": { "identifier": "LanternAG", "name": "Lantern" }, "releasedDate": "2026-11-02T10:00:00.000Z",
          "location": { "city": "Graz", "region": "Styria", "country": "at", "remote": false },
          "typeOfEmployment": { "label": "Full-time" }, "function": { "label": "Kitchen" } }] });
    let page = lists(
        "smartrecruiters:LanternAG",
        &body.to_string(),
        &["744 | Cook | https://jobs.smartrecruiters.com/LanternAG/744 | Graz, Styria, at | 2026-11-02"],
    );
    assert_eq!((page.total, page.jobs[0].remote), (Some(1), None));
    let mut job = page.jobs[0].clone();
    let body = json!({ "id": "744", "name": "Cook", "postingUrl": "https://jobs.smartrecruiters.com/LanternAG/744-cook",
        "jobAd": { "sections": { "jobDescription": { "text": "<p>Cook.</p>" }, "qualifications": { "text": "Salt" } } } });
    let asked = detail("smartrecruiters:LanternAG", &mut job, &body.to_string());
    assert_eq!(asked.url, "https://api.smartrecruiters.com/v1/companies/LanternAG/postings/744");
    assert_eq!(job.url.as_deref(), Some("https://jobs.smartrecruiters.com/LanternAG/744-cook"));
    assert_eq!(job.description.as_deref(), Some("Cook.\n\nSalt"));
}

#[test]
fn workday() {
    const NAME: &str = "workday:lantern.wd5.myworkdayjobs.com/lantern/Jobs";
    let ask = asks(NAME);
    assert_eq!(ask.url, "https://lantern.wd5.myworkdayjobs.com/wday/cxs/lantern/Jobs/jobs");
    assert_eq!(ask.body, Some(json!({ "appliedFacets": {}, "limit": 20, "offset": 0, "searchText": "" })));
    let body = json!({ "total": 41, "jobPostings": [
        { "title": "Cook", "externalPath": "/job/Graz/Cook_R-0042-1", "locationsText": "Graz", "postedOn": "Posted 14 Days Ago" },
        { "title": "Potter", "externalPath": "/job/Linz/Potter_JR7", "locationsText": "3 Locations", "postedOn": "Posted 30+ Days Ago" },
    ], "facets": [
        { "facetParameter": "timeType", "values": [{ "id": "f", "count": 40 }, { "id": "p", "count": 1 }] },
        { "facetParameter": "locationMainGroup", "values": [
            { "facetParameter": "countries", "values": [{ "id": "at", "count": 41 }] },
            { "facetParameter": "locations", "values": [{ "id": "g", "count": 21 }, { "id": "l", "count": 20 }] }] },
    ] });
    let page = lists(
        NAME,
        &body.to_string(),
        &[
            "/job/Graz/Cook_R-0042-1 | Cook | https://lantern.wd5.myworkdayjobs.com/Jobs/job/Graz/Cook_R-0042-1 | Graz | 2026-11-02",
            "/job/Linz/Potter_JR7 | Potter | https://lantern.wd5.myworkdayjobs.com/Jobs/job/Linz/Potter_JR7 |  | -",
        ],
    );
    assert_eq!(page.total, Some(41));
    assert_eq!(page.jobs[0].requisition.as_deref(), Some("R-0042"));
    let facets: Vec<_> = page.facets.iter().map(|facet| (facet.name.as_str(), facet.values.len())).collect();
    assert_eq!(facets, [("timeType", 2), ("countries", 1), ("locations", 2)]);
    let mut job = page.jobs[1].clone();
    let body = json!({ "jobPostingInfo": { "title": "Potter", "location": "Linz", "additionalLocations": ["Graz"],
        "startDate": "2026-10-01", "timeType": "Full time", "jobReqId": "JR7", "jobDescription": "<p>Bowls</p>" } });
    let asked = detail(NAME, &mut job, &body.to_string());
    assert_eq!(asked.url, "https://lantern.wd5.myworkdayjobs.com/wday/cxs/lantern/Jobs/job/Linz/Potter_JR7");
    assert_eq!(job.places, ["Linz", "Graz"]);
    assert_eq!(job.posted.unwrap().to_string(), "2026-10-01");
}

#[test]
fn oracle() {
    const NAME: &str = "oracle:lantern.fa.us2.oraclecloud.com/CX_1";
    let url = asks(NAME).url;
    assert!(url.starts_with("https://lantern.fa.us2.oraclecloud.com/hcmRestApi/resources/latest/"), "{url}");
    assert!(url.contains("expand=requisitionList.secondaryLocations"), "{url}");
    assert!(url.contains("finder=findReqs%3BsiteNumber%3DCX_1%2Climit%3D100%2Coffset%3D0"), "{url}");
    let body = json!({ "items": [{ "TotalJobsCount": 1, "requisitionList": [
        { "Id": "77", "Title": "Cook", "PostedDate": "2026-11-02", "PrimaryLocation": "Graz, Austria",
          "secondaryLocations": [{ "Name": "Linz, Austria" }], "WorkplaceTypeCode": "ORA_HYBRID" }] }] });
    let page = lists(
        NAME,
        &body.to_string(),
        &[
            "77 | Cook | https://lantern.fa.us2.oraclecloud.com/hcmUI/CandidateExperience/en/sites/CX_1/job/77 | \
         Graz, Austria; Linz, Austria | 2026-11-02",
        ],
    );
    assert_eq!((page.total, page.jobs[0].remote), (Some(1), Some(RemoteKind::Hybrid)));
    assert_eq!(self::page(NAME, r#"{"items":[{"TotalJobsCount":0}]}"#).rows, 0);
    let mut job = page.jobs[0].clone();
    let body = json!({ "items": [{ "Id": "77", "Title": "Cook", "ExternalDescriptionStr": "<p>Cook</p>" }] });
    let asked = detail(NAME, &mut job, &body.to_string());
    assert!(
        asked.url.contains("recruitingCEJobRequisitionDetails?") && asked.url.contains("Id%3D%2277%22"),
        "{}",
        asked.url
    );
    assert_eq!(job.description.as_deref(), Some("Cook"));
}

#[test]
fn ukg() {
    const NAME: &str = "ukg:recruiting2.ultipro.com/LAN1000/b-1";
    let ask = asks(NAME);
    assert_eq!(
        ask.url,
        "https://recruiting2.ultipro.com/LAN1000/JobBoard/b-1/JobBoardView/LoadSearchResults"
    );
    assert_eq!(ask.body.unwrap()["opportunitySearch"]["Top"], 50);
    let body = json!({ "totalCount": 1, "opportunities": [{ "Id": "o-1", "Title": "Cook", "RequisitionNumber": "COOK1",
        "FullTime": true, "PostedDate": "2026-11-02T04:00:00Z", "JobCategoryName": "Kitchen",
        "Locations": [{ "Address": { "City": "Graz", "State": { "Name": "Styria" }, "Country": { "Name": "Austria" } } }] }] });
    let page = lists(
        NAME,
        &body.to_string(),
        &[
            "o-1 | Cook | https://recruiting2.ultipro.com/LAN1000/JobBoard/b-1/OpportunityDetail?opportunityId=o-1 | \
         Graz, Styria, Austria | 2026-11-02",
        ],
    );
    assert_eq!(page.jobs[0].employment_type.as_deref(), Some("Full time"));
}

#[test]
fn icims() {
    const NAME: &str = "icims:careers-lantern.icims.com";
    assert_eq!(asks(NAME).url, "https://careers-lantern.icims.com/jobs/search?ss=1&pr=0&in_iframe=1");
    let html = "<html><h2>Search Results Page 1 of 4</h2><ul class='iCIMS_JobsTable'><li><div><span>Job Locations</span>\
        <span>AT-Graz</span></div><a class='iCIMS_Anchor' title='12 - Cook' href='https://careers-lantern.icims.com/jobs/12/cook/job?in_iframe=1'>\
        <span class='sr-only'>Job Title</span><h3>Cook</h3></a><dl><dt>Job ID</dt><dd><span>2026-12</span></dd></dl></li></ul></html>";
    let page =
        lists(NAME, html, &["12 | Cook | https://careers-lantern.icims.com/jobs/12/cook/job | AT-Graz | -"]);
    assert_eq!((page.pages, page.jobs[0].requisition.as_deref()), (Some(4), Some("2026-12")));
    let none = "<html><body><div class='iCIMS_MainWrapper'>Sorry, no jobs were found</div></body></html>";
    assert_eq!(self::page(NAME, none).rows, 0);
    let board = board(NAME);
    let other = "<html><body><p>Our new careers page is elsewhere</p></body></html>";
    assert!((adapter(board.system()).read)(&board, &answer(other)).is_err());
}

#[test]
fn icims_jibe() {
    const NAME: &str = "icims_jibe:jobs.lantern.example";
    assert_eq!(asks(NAME).url, "https://jobs.lantern.example/api/jobs?page=1");
    let body = json!({ "totalCount": 1, "jobs": [{ "data": { "slug": "12", "req_id": "12", "title": "Cook",
        "full_location": "Graz, Austria", "posted_date": "2026-11-02T10:00:00+0000", "description": "<b>Cook</b>" } }] });
    lists(
        NAME,
        &body.to_string(),
        &["12 | Cook | https://jobs.lantern.example/jobs/12 | Graz, Austria | 2026-11-02"],
    );
}

#[test]
fn phenom() {
    const NAME: &str = "phenom:careers.lantern.example";
    let ask = asks(NAME);
    assert_eq!(ask.url, "https://careers.lantern.example/widgets");
    assert_eq!(ask.body.unwrap()["ddoKey"], "refineSearch");
    let jobs = json!([{ "jobSeqNo": "LANT7EN", "jobId": "7", "title": "Cook &amp; baker", "location": "Graz, Austria",
        "postedDate": "2026-11-02T09:54:06.573+0000", "locale": "en_GLOBAL", "type": "Full-Time" }]);
    let wanted = [
        "LANT7EN | Cook & baker | https://careers.lantern.example/global/en/job/7 | Graz, Austria | 2026-11-02",
    ];
    let widget = json!({ "refineSearch": { "status": 200, "totalHits": 1, "data": { "jobs": jobs } } });
    assert_eq!(lists(NAME, &widget.to_string(), &wanted).total, Some(1));
    let eager = json!({ "eagerLoadRefineSearch": { "totalHits": 52, "data": { "jobs": jobs } } });
    let html = format!("<!doctype html><script>phApp.ddo = {eager}; phApp.x = {{}};</script>");
    assert_eq!(lists(NAME, &html, &wanted).total, Some(52));
    let plain = json!({ "totalJob": 9, "jobs": [{ "uniqueID": "U7", "requisitionID": "7", "title": "Cook",
        "locations": [{ "locationText": "Graz, 8010, AT" }], "originalURL": "cook/job/U7" }] });
    lists(
        NAME,
        &plain.to_string(),
        &["U7 | Cook | https://careers.lantern.example/cook/job/U7 | Graz, 8010, AT | -"],
    );
}

#[test]
fn bamboohr() {
    const NAME: &str = "bamboohr:lantern.bamboohr.com";
    assert_eq!(asks(NAME).url, "https://lantern.bamboohr.com/careers/list");
    let body = json!({ "meta": { "totalCount": 1 }, "result": [{ "id": "86", "jobOpeningName": "Cook", "departmentLabel": "Kitchen ",
        "employmentStatusLabel": "Full Time", "location": { "city": "Graz", "state": "Styria" }, "locationType": "0" }] });
    let page = lists(
        NAME,
        &body.to_string(),
        &["86 | Cook | https://lantern.bamboohr.com/careers/86 | Graz, Styria | -"],
    );
    assert_eq!(page.jobs[0].remote, Some(RemoteKind::OnSite));
    let mut job = page.jobs[0].clone();
    let body = json!({ "result": { "jobOpening": { "jobOpeningName": "Cook", "description": "<p>Cook</p>", "datePosted": "2026-11-02" } } });
    assert_eq!(
        detail(NAME, &mut job, &body.to_string()).url,
        "https://lantern.bamboohr.com/careers/86/detail"
    );
    assert_eq!(job.posted.unwrap().to_string(), "2026-11-02");
}

#[test]
fn workable() {
    let ask = asks("workable:lantern");
    assert_eq!(ask.url, "https://apply.workable.com/api/v3/accounts/lantern/jobs");
    let body = json!({ "total": 2, "nextPage": "t1", "results": [{ "shortcode": "AB12", "title": "Cook", "published": "2026-11-02T00:00:00.000Z",
        "location": { "city": "Graz", "region": "Styria", "country": "Austria" }, "workplace": "remote", "department": ["Kitchen"] }] });
    let page = lists(
        "workable:lantern",
        &body.to_string(),
        &["AB12 | Cook | https://apply.workable.com/lantern/j/AB12/ | Graz, Styria, Austria | 2026-11-02"],
    );
    assert_eq!((page.next.as_deref(), page.jobs[0].department.as_deref()), (Some("t1"), Some("Kitchen")));
    let widget = json!({ "name": "Lantern", "jobs": [{ "shortcode": "AB12", "title": "Cook", "telecommuting": true,
        "url": "https://apply.workable.com/j/AB12", "published_on": "2026-11-02", "created_at": "2026-10-01",
        "locations": [{ "country": "Spain", "city": "" }] }] });
    let page = lists(
        "workable:lantern",
        &widget.to_string(),
        &["AB12 | Cook | https://apply.workable.com/j/AB12 | Spain | 2026-11-02"],
    );
    assert_eq!(page.jobs[0].remote, Some(RemoteKind::Remote));
}

#[test]
fn recruitee() {
    const NAME: &str = "recruitee:jobs.lantern.example";
    assert_eq!(asks(NAME).url, "https://jobs.lantern.example/api/offers/");
    let body = json!({ "offers": [
        { "id": 27, "title": "Cook", "status": "published", "careers_url": "https://jobs.lantern.example/o/cook",
          "location": "Graz, Austria", "locations": [{ "city": "Graz" }, { "city": "Linz", "country": "Austria" }],
          "published_at": "2026-11-02 10:10:39 UTC", "hybrid": true, "remote": false,
          "salary": { "min": "60000", "max": "75000", "period": "year", "currency": "EUR" } },
        { "id": 28, "title": "Draft", "status": "draft" },
    ] });
    let page = lists(
        NAME,
        &body.to_string(),
        &["27 | Cook | https://jobs.lantern.example/o/cook | Graz, Austria; Linz, Austria | 2026-11-02"],
    );
    assert_eq!(page.jobs[0].remote, Some(RemoteKind::Hybrid));
    assert_eq!(page.jobs[0].salary.as_ref().unwrap().to_string(), "60,000–75,000 EUR per year");
}

#[test]
fn feeds() {
    assert_eq!(asks("teamtailor:jobs.lantern.example").url, "https://jobs.lantern.example/jobs.rss");
    let rss = "<?xml version='1.0'?><rss xmlns:tt='x'><channel><title>Lantern</title><item><title>Cook &amp; baker</title>\
        <description>&lt;p&gt;We bake&lt;/p&gt;</description><pubDate>Mon, 02 Nov 2026 10:00:00 +0100</pubDate>\
        <link>https://jobs.lantern.example/jobs/7-cook</link><remoteStatus>hybrid</remoteStatus><guid>u-7</guid><tt:locations>\
        <tt:location><tt:name>HQ</tt:name><tt:city>Graz</tt:city><tt:country>Austria</tt:country></tt:location></tt:locations>\
        <tt:department>Kitchen</tt:department></item></channel></rss>";
    let page = lists(
        "teamtailor:jobs.lantern.example",
        rss,
        &["u-7 | Cook & baker | https://jobs.lantern.example/jobs/7-cook | Graz, Austria | 2026-11-02"],
    );
    assert_eq!(
        (page.jobs[0].remote, page.jobs[0].description.as_deref()),
        (Some(RemoteKind::Hybrid), Some("We bake"))
    );

    assert_eq!(
        asks("personio:lantern.jobs.personio.de").url,
        "https://lantern.jobs.personio.de/xml?language=en"
    );
    let xml = "<workzag-jobs><position><id>7</id><subcompany>Lantern GmbH</subcompany><office>Graz</office><department>Kitchen</department>\
        <name>Cook</name><employmentType>permanent</employmentType><createdAt>2026-11-02T08:00:00+00:00</createdAt><jobDescriptions>\
        <jobDescription><name>Tasks</name><value><![CDATA[<ul><li>bake</li></ul>]]></value></jobDescription></jobDescriptions></position></workzag-jobs>";
    let page = lists(
        "personio:lantern.jobs.personio.de",
        xml,
        &["7 | Cook | https://lantern.jobs.personio.de/job/7 | Graz | 2026-11-02"],
    );
    assert_eq!(page.jobs[0].description.as_deref(), Some("Tasks\n\nbake"));
    assert_eq!(page.jobs[0].company.as_deref(), Some("Lantern GmbH"));

    assert_eq!(asks("jobvite:qAb1").url, "https://app.jobvite.com/CompanyJobs/Xml.aspx?c=qAb1");
    let xml = "<result><job><id>oX1</id><title>Cook</title><category>Kitchen</category><jobtype>Full-Time</jobtype><location>Graz, Austria</location>\
        <date>11/2/2026</date><detail-url>https://jobs.jobvite.com/l/job/oX1</detail-url><description>Bake</description></job></result>";
    lists(
        "jobvite:qAb1",
        xml,
        &["oX1 | Cook | https://jobs.jobvite.com/l/job/oX1 | Graz, Austria | 2026-11-02"],
    );

    let atom = "<feed><link rel='next' href='/jobs.atom?page=2'/><entry><id>e1</id><title>Cook</title><link href='/jobs/1'/>\
        <published>2026-11-02T00:00:00Z</published></entry></feed>";
    let page = lists(
        "feed:https://lantern.example/jobs.atom",
        atom,
        &["e1 | Cook | https://lantern.example/jobs/1 |  | 2026-11-02"],
    );
    assert_eq!(page.next.as_deref(), Some("https://lantern.example/jobs.atom?page=2"));

    let offers = "<offers><offer><id>9</id><cities><city>Brno, Česko</city><city>Praha, Česko</city></cities><position><![CDATA[Kuchař]]></position>\
        <url>\n https://x.example/9 \n</url><startup>Lampa</startup></offer></offers>";
    lists(
        "feed:https://x.example/feed.xml",
        offers,
        &["9 | Kuchař | https://x.example/9 | Brno, Česko; Praha, Česko | -"],
    );
    let offers = json!({ "offers": [{ "id": "9", "cities": ["Brno", "Praha"], "position": "Kuchař", "url": "https://x.example/9" }] });
    lists(
        "feed:https://x.example/feed.json",
        &offers.to_string(),
        &["9 | Kuchař | https://x.example/9 | Brno; Praha | -"],
    );
    let feed = json!({ "version": "https://jsonfeed.org/version/1.1", "title": "Jobs", "items": [
        { "id": "a", "url": "https://x.example/a", "title": "Cook", "date_published": "2026-11-02T10:00:00Z", "content_html": "<p>Bake</p>" }] });
    lists(
        "feed:https://x.example/feed.json",
        &feed.to_string(),
        &["a | Cook | https://x.example/a |  | 2026-11-02"],
    );
    assert_eq!(self::page("feed:https://x.example/feed.json", "{\"jobs\":[]}").rows, 0);
    let board = board("feed:https://x.example/feed.xml");
    assert!((adapter(System::Feed).read)(&board, &answer("{\"error\":\"gone\"}")).is_err());
    assert!((adapter(System::Feed).read)(&board, &answer("<html><body>moved</body></html>")).is_err());
    assert!((adapter(System::Feed).read)(&board, &answer("<unknown/>")).is_err());
}

#[test]
fn boards_in_pages() {
    assert_eq!(asks("jazzhr:lantern.applytojob.com").url, "https://lantern.applytojob.com/apply");
    let html = "<ul class='list-group'><li class='list-group-item'><h4><a href='https://lantern.applytojob.com/apply/aBcD1234/Cook?source=x'>Cook</a></h4>\
        <ul><li><i class='fa fa-map-marker'></i>Graz, ST</li><li><i class='fa fa-sitemap'></i>Kitchen</li></ul></li></ul><a href='/apply/'>all</a>";
    let page = lists(
        "jazzhr:lantern.applytojob.com",
        html,
        &["aBcD1234 | Cook | https://lantern.applytojob.com/apply/aBcD1234/Cook | Graz, ST | -"],
    );
    assert_eq!(page.jobs[0].department.as_deref(), Some("Kitchen"));

    let data = json!({ "ModuleTitle": "Lantern Inc", "Jobs": [{ "JobId": 41, "JobTitle": "Cook", "LocationName": "Hybrid",
        "PublishedDate": "2026-11-02T11:27:44-05:00", "JobLocation": { "City": "Graz", "State": "ST", "Country": "AUT" } }] });
    let html = format!("<!doctype html><script>\nwindow.pageData = {data};\n</script>");
    let page = lists(
        "paylocity:15fca012",
        &html,
        &[
            "41 | Cook | https://recruiting.paylocity.com/Recruiting/Jobs/Details/41 | Graz, ST, AUT | 2026-11-02",
        ],
    );
    assert_eq!(page.jobs[0].remote, Some(RemoteKind::Hybrid));
    assert_eq!(page.jobs[0].company.as_deref(), Some("Lantern Inc"));

    let html = "<nav><a href='/jobs/x1'>no</a></nav><main><ul>\
        <li class='row'><a href='/jobs/cook-17'><h3>Cook</h3></a><span class='job-location'>Graz</span><time datetime='2026-11-02'>2 Nov</time></li>\
        <li class='row'><a href='/jobs/potter-18'><h3>Potter</h3></a><span class='job-location'>Linz</span></li></ul>\
        <p><a href='/about'>About us</a> <a href='/jobs?page=2' rel=next>More</a></p></main>";
    let page = lists(
        "list_page:https://jobs.lantern.example/jobs",
        html,
        &[
            "https://jobs.lantern.example/jobs/cook-17 | Cook | https://jobs.lantern.example/jobs/cook-17 | Graz | 2026-11-02",
            "https://jobs.lantern.example/jobs/potter-18 | Potter | https://jobs.lantern.example/jobs/potter-18 | Linz | -",
        ],
    );
    assert_eq!(page.next.as_deref(), Some("https://jobs.lantern.example/jobs?page=2"));
}

#[test]
fn smaller_boards() {
    assert_eq!(asks("breezy:lantern.breezy.hr").url, "https://lantern.breezy.hr/json");
    let body = json!([{ "id": "b1", "name": "Cook", "url": "https://lantern.breezy.hr/p/b1-cook", "published_date": "2026-11-02T10:00:00.000Z",
        "type": { "name": "Full-Time" }, "location": { "name": "Graz, AT", "is_remote": false }, "department": "Kitchen", "salary": "€20 / hr" }]);
    lists(
        "breezy:lantern.breezy.hr",
        &body.to_string(),
        &["b1 | Cook | https://lantern.breezy.hr/p/b1-cook | Graz, AT | 2026-11-02"],
    );

    assert_eq!(
        asks("rippling:lantern").url,
        "https://api.rippling.com/platform/api/ats/v1/board/lantern/jobs"
    );
    let mut job = Listed::new(Some("u1".into()), Some("Cook".into())).unwrap();
    let body = json!({ "uuid": "u1", "name": "Cook", "workLocations": ["Graz"], "createdOn": "2026-11-02", "employmentType": { "label": "SALARIED_FT" },
        "description": { "company": "<p>Lamps</p>", "role": "<p>Cook</p>" },
        "payRangeDetails": [{ "rangeStart": 40000, "rangeEnd": 50000, "currency": "EUR", "frequency": "YEAR" }] });
    detail("rippling:lantern", &mut job, &body.to_string());
    assert_eq!(job.description.as_deref(), Some("Lamps\n\nCook"));
    assert_eq!(job.salary.unwrap().to_string(), "40,000–50,000 EUR per year");

    let body = json!({ "data": [{ "id": "p1", "title": "Cook", "path": "/en/postings/p1", "workplace_type": "remote", "location": { "name": "Austria" },
        "compensation_minimum": 1.0, "compensation_maximum": 2.0, "compensation_visible": false, "deadline_at": "2026-12-01T00:00:00Z" }] });
    let page = lists(
        "pinpoint:lantern.pinpointhq.com",
        &body.to_string(),
        &["p1 | Cook | https://lantern.pinpointhq.com/en/postings/p1 | Austria | -"],
    );
    assert_eq!(
        (page.jobs[0].salary.as_ref(), page.jobs[0].closes.unwrap().to_string()),
        (None, "2026-12-01".to_owned())
    );

    let body = json!([{ "id": "g1", "title": "Cook", "absolute_url": "https://jobs.gem.com/l/g1", "location": { "name": "Graz" }, "first_published_at": "2026-11-02" }]);
    lists("gem:lantern", &body.to_string(), &["g1 | Cook | https://jobs.gem.com/l/g1 | Graz | 2026-11-02"]);
}

#[test]
fn eightfold() {
    const CLASSIC: &str = "eightfold:lantern.eightfold.ai/lantern.example";
    assert_eq!(
        asks(CLASSIC).url,
        "https://lantern.eightfold.ai/api/apply/v2/jobs?domain=lantern.example&start=0&num=10&sort_by=timestamp"
    );
    let body = json!({ "count": 1, "positions": [{ "id": 109, "name": "Cook", "location": "Graz", "locations": ["Graz", "Linz"],
        "t_create": 1_793_620_800, "canonicalPositionUrl": "https://lantern.eightfold.ai/careers/job/109" }] });
    lists(
        CLASSIC,
        &body.to_string(),
        &["109 | Cook | https://lantern.eightfold.ai/careers/job/109 | Graz; Linz | 2026-11-02"],
    );
    const PCSX: &str = "eightfold_pcsx:jobs.lantern.example/lantern.example";
    assert!(
        asks(PCSX)
            .url
            .starts_with("https://jobs.lantern.example/api/pcsx/search?domain=lantern.example&query=&")
    );
    let body = json!({ "data": { "count": 1, "positions": [{ "id": 109, "name": "Cook", "locations": ["Graz"], "postedTs": 1_793_620_800,
        "positionUrl": "/careers/job/109", "workLocationOption": "hybrid" }] } });
    let page = lists(
        PCSX,
        &body.to_string(),
        &["109 | Cook | https://jobs.lantern.example/careers/job/109 | Graz | 2026-11-02"],
    );
    assert_eq!(page.jobs[0].remote, Some(RemoteKind::Hybrid));
    // each says who must use the other
    let board = board(CLASSIC);
    let refused = Answer { status: 403, ..answer(r#"{"message":"Not authorized for PCSX"}"#) };
    assert_eq!((adapter(System::Eightfold).read)(&board, &refused), Err(Misfit::Status(403)));
}

#[test]
fn companies_with_a_board_of_their_own() {
    assert!(asks("amazon:all").url.contains("/en/search.json?result_limit=100&offset=0&"));
    let body = json!({ "hits": 10_000, "jobs": [{ "id": "uu-id", "id_icims": "277", "title": "Cook", "job_path": "/en/jobs/277/cook",
        "normalized_location": "Graz, AUT", "posted_date": "November  2, 2026", "description": "Cook<br/>well" }],
        "facets": { "normalized_country_code_facet": [{ "USA": 9000 }, { "AUT": 2000 }] } });
    let page = lists(
        "amazon:all",
        &body.to_string(),
        &["277 | Cook | https://www.amazon.jobs/en/jobs/277/cook | Graz, AUT | 2026-11-02"],
    );
    assert_eq!(page.facets[0].values.len(), 2);

    let ask = asks("tiktok:all");
    assert!(ask.headers.contains(&("website-path".into(), "tiktok".into())));
    let body = json!({ "data": { "count": 1, "job_post_list": [{ "id": "75", "title": "Cook", "description": "Cook",
        "city_info": { "en_name": "Graz", "parent": { "en_name": "Austria" } } }] } });
    lists(
        "tiktok:all",
        &body.to_string(),
        &["75 | Cook | https://lifeattiktok.com/search/75 | Graz, Austria | -"],
    );

    let body = json!([{ "id": 5, "title": "Cook", "location": "Graz", "department": "Kitchen" }]);
    lists("roblox:all", &body.to_string(), &["5 | Cook | https://careers.roblox.com/jobs/5 | Graz | -"]);

    let data = json!({ "loaderData": { "search": { "totalRecords": 1, "searchResults": [{ "positionId": "2001", "postingTitle": "Cook",
        "transformedPostingTitle": "cook", "postDateInGMT": "2026-11-02T00:00:00Z", "locations": [{ "name": "Graz" }] }] } } });
    let html = format!(
        "<script>window.__staticRouterHydrationData = JSON.parse({});</script>",
        json!(data.to_string())
    );
    lists(
        "apple:all",
        &html,
        &["2001 | Cook | https://jobs.apple.com/en-us/details/2001/cook | Graz | 2026-11-02"],
    );

    let data = json!([
        [[
            "99",
            "Cook",
            "https://g.example/apply",
            [null, "<p>Bake</p>"],
            [null, "<p>Salt</p>"],
            null,
            null,
            "Google",
            null,
            [["Graz, Austria"]],
            [null, "<p>About</p>"],
            null,
            [1_793_620_800]
        ]],
        null,
        1,
        20
    ]);
    let html = format!(
        "<script>AF_initDataCallback({{key: 'ds:1', hash: '3', data:{data}, sideChannel: {{}}}});</script>"
    );
    let page = lists(
        "google:all",
        &html,
        &[
            "99 | Cook | https://www.google.com/about/careers/applications/jobs/results/99 | Graz, Austria | 2026-11-02",
        ],
    );
    assert_eq!(page.total, Some(1));
    assert_eq!(page.jobs[0].description.as_deref(), Some("About\n\nBake\n\nSalt"));
}

#[test]
fn an_answer_that_does_not_fit_says_so() {
    let misfit = |name: &str, body: &str| {
        let board = board(name);
        (adapter(board.system()).read)(&board, &answer(body)).unwrap_err().to_string()
    };
    assert_eq!(misfit("greenhouse:lantern", "{\"positions\":[]}"), "the answer has no jobs");
    assert_eq!(misfit("greenhouse:lantern", "<p>hello</p>"), "the answer is a page for people, not data");
    assert!(misfit("greenhouse:lantern", "{\"jobs\":[").starts_with("the answer cannot be read"));
    assert_eq!(misfit("paylocity:x", "<p>hello</p>"), "the answer has no window.pageData");
    let wall = "<html><head><title>Just a moment...</title></head><body>verify you are human</body></html>";
    for name in
        ["greenhouse:lantern", "paylocity:x", "icims:jobs.lantern.example", "feed:https://lantern.example/x"]
    {
        assert!(misfit(name, wall).starts_with("the answer is a wall"), "{name}");
    }
}
