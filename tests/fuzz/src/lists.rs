//! Lists of jobs as boards give them: feeds, sitemaps, pages of links, and the JSON of every system, through the walk.
//! The first line of an input names the board; what follows is its answer, sent again until the walk is over.

use std::collections::HashSet;

use domain::boards::{Answer, Board, Detail, Listed, System, Walk, adapter, in_page};
use jiff::Timestamp;

use crate::targets::Target;

pub static FEEDS: Target = Target {
    name: "feeds",
    seeds: &[
        "feed\n<?xml version=\"1.0\"?><rss><channel><item><title>Cook</title><link>https://a.example/1</link><guid>1</guid><pubDate>Mon, 02 Nov 2026 10:00:00 +0000</pubDate><description><![CDATA[<p>Soup</p>]]></description></item></channel></rss>",
        "feed\n<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><id>t:1</id><title>Cook</title><link href=\"https://a.example/1\"/><updated>2026-11-02T10:00:00Z</updated></entry></feed>",
        "feed\n<jobs><job><id>7</id><name>Cook</name><url>https://a.example/7</url><city>Graz</city></job></jobs>",
        "sitemap\n<urlset><url><loc>https://a.example/jobs/1</loc><lastmod>2026-11-02</lastmod></url></urlset>",
        "list_page\n<ul><li><a href=\"/jobs/1\">Cook</a> Graz<li><a href=\"/jobs/2\">Baker</a> Linz</ul><a rel=next href=\"?page=2\">next</a>",
        "greenhouse\n{\"jobs\":[{\"id\":1,\"title\":\"Cook\",\"absolute_url\":\"https://a.example/1\",\"location\":{\"name\":\"Graz\"},\"updated_at\":\"2026-11-02T10:00:00Z\",\"content\":\"&lt;p&gt;Soup\"}],\"meta\":{\"total\":1}}",
        "lever\n[{\"id\":\"a-b\",\"text\":\"Cook\",\"hostedUrl\":\"https://a.example/1\",\"categories\":{\"location\":\"Graz\"},\"createdAt\":1793620800000}]",
        "ashby\n{\"jobs\":[{\"id\":\"x\",\"title\":\"Cook\",\"location\":\"Graz\",\"publishedAt\":\"2026-11-02T10:00:00Z\",\"jobUrl\":\"https://a.example/x\",\"isListed\":true}]}",
        "workday\n{\"total\":2,\"jobPostings\":[{\"title\":\"Cook\",\"externalPath\":\"/job/Graz/Cook_R1\",\"locationsText\":\"2 Locations\",\"postedOn\":\"Posted 3 Days Ago\",\"bulletFields\":[\"R1\"]}],\"facets\":[{\"facetParameter\":\"c\",\"values\":[{\"id\":\"1\",\"count\":2}]}]}",
        "smartrecruiters\n{\"totalFound\":1,\"offset\":0,\"limit\":100,\"content\":[{\"id\":\"1\",\"name\":\"Cook\",\"releasedDate\":\"2026-11-02T10:00:00.000Z\",\"location\":{\"city\":\"Graz\",\"country\":\"at\"}}]}",
        "oracle\n{\"items\":[{\"TotalJobsCount\":1,\"requisitionList\":[{\"Id\":\"1\",\"Title\":\"Cook\",\"PostedDate\":\"2026-11-02\",\"PrimaryLocation\":\"Graz\"}]}]}",
        "recruitee\n{\"offers\":[{\"id\":1,\"title\":\"Cook\",\"careers_url\":\"https://a.example/o/1\",\"city\":\"Graz\",\"published_at\":\"2026-11-02 10:00:00 UTC\"}]}",
        "rippling\n[{\"uuid\":\"u\",\"name\":\"Cook\",\"url\":\"https://a.example/u\",\"workLocation\":{\"label\":\"Graz\"}}]",
        "eightfold\n{\"count\":1,\"positions\":[{\"id\":1,\"name\":\"Cook\",\"location\":\"Graz\",\"t_create\":1793620800}]}",
        "pinpoint\n{\"data\":[{\"id\":\"1\",\"title\":\"Cook\",\"url\":\"https://a.example/1\",\"location\":{\"name\":\"Graz\"}}]}",
    ],
    words: &[
        "greenhouse\n",
        "lever\n",
        "workable\n",
        "ukg\n",
        "icims\n",
        "icims_jibe\n",
        "phenom\n",
        "bamboohr\n",
        "teamtailor\n",
        "personio\n",
        "jazzhr\n",
        "paylocity\n",
        "breezy\n",
        "eightfold_pcsx\n",
        "jobvite\n",
        "gem\n",
        "amazon\n",
        "google\n",
        "apple\n",
        "tiktok\n",
        "roblox\n",
        "<item>",
        "</item>",
        "<entry>",
        "<job>",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE x [<!ENTITY a \"b\">]>",
        "&a;",
        "\"jobs\":[",
        "\"total\":",
        "\"id\":",
        "\"title\":",
        "\"location\":",
        "null",
        "[[[[",
        "{\"",
        "10000",
        "2000",
    ],
    most: 16_000,
    pages: false,
    read: |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let (name, body) = text.split_once('\n').unwrap_or(("feed", &text));
        let system: System = name.trim().parse().unwrap_or(System::Feed);
        walk(&board(system)?, body.as_bytes())
    },
};

fn board(system: System) -> Result<Board, String> {
    let tokens = [
        "all",
        "acme",
        "jobs.acme.example",
        "jobs.acme.example/a",
        "jobs.acme.example/a/b",
        "https://acme.example/jobs",
    ];
    let made = tokens.iter().rev().find_map(|token| Board::new(system, token).ok());
    made.ok_or_else(|| format!("{system} has no board"))
}

/// The same answer to everything that is asked, as long as a patient reader would ask.
fn walk(board: &Board, body: &[u8]) -> Result<String, String> {
    let at = Timestamp::from_second(1_800_000_000).unwrap_or_default();
    let url = "https://jobs.acme.example/list";
    let answer = Answer { status: 200, content_type: None, body, url, at };
    let mut walk = Walk::new(board.clone());
    let (mut ids, mut shape) = (HashSet::new(), format!("{} ", board.system()));
    for _ in 0..4 {
        if walk.next().is_none() {
            break;
        }
        let taken = walk.take(&answer);
        for job in &taken.jobs {
            if job.external_id.is_empty() || !ids.insert(job.external_id.clone()) {
                return Err(format!("{:?} came twice, or has no id", job.external_id));
            }
            let _ = job.posting(board, None);
        }
        let first = taken.jobs.first().cloned().unwrap_or_default();
        shape += &format!(
            "{} {} {:?} ",
            taken.jobs.len().min(3),
            known(&first),
            taken.misfit.map(|m| m.to_string().len())
        );
        let put_away = serde_json::to_string(&walk).map_err(|error| error.to_string())?;
        let again: Walk = serde_json::from_str(&put_away).map_err(|error| error.to_string())?;
        if again != walk {
            return Err("a walk that was put away is another one".to_owned());
        }
    }
    let certificate = walk.certificate();
    if certificate.complete != certificate.reasons.is_empty() {
        return Err(format!("complete, or for a reason not: {certificate:?}"));
    }
    if certificate.complete && certificate.unique_seen != ids.len() as u64 {
        return Err(format!("{} jobs and {certificate:?}", ids.len()));
    }
    if let Detail::Behind { read, .. } = adapter(board.system()).detail {
        let mut job = Listed::default();
        shape += &format!("{} {}", read(board, &answer, &mut job).is_ok(), known(&job));
    }
    let signs = in_page(&String::from_utf8_lossy(body), url);
    Ok(format!("{shape} {:?} {:?}", certificate.reasons, signs.first().map(|sign| sign.system)))
}

/// Which fields a job has.
fn known(job: &Listed) -> String {
    format!(
        "{}{}{}{}{}{}",
        u8::from(job.url.is_some()),
        u8::from(!job.places.is_empty()),
        u8::from(job.posted.is_some()),
        u8::from(job.description.is_some()),
        u8::from(job.salary.is_some()),
        u8::from(job.remote.is_some())
    )
}
