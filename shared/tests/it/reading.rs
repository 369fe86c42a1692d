//! What a reading leaves behind: the fields of jobs and homes, the size of a change, and the numbers of openings.

use fixture::TestDb;
use serde_json::json;
use shared::domain::boards::{Board, Listed};
use shared::domain::change::{Look, spares_dear_work};
use shared::domain::extract;
use shared::domain::fingerprint::page_simhash;
use shared::domain::ids::{ListingId, TaskId};
use shared::domain::listing::{Seen, home};
use shared::domain::target::TargetType;
use shared::sighting::{self, Sighting};
use shared::sources::{self, ListedOn};
use shared::store::listings::{self, JobFields};
use shared::store::pages::{self, Page, Reading};
use shared::store::{clusters, sources as boards};

use crate::release::now;

const URL: &str = "https://loft.example/1";

/// Reads a page as the extractor does, and writes what it says.
async fn read(db: &TestDb, target: TargetType, html: &str) -> Option<ListingId> {
    let sha = format!("{:x}", html.len());
    let reading = extract::read(target, html.as_bytes(), None, URL, URL, now());
    let version = extract::extractor(target).version();
    let job = match (&reading.posting, &reading.home) {
        (Some(posting), _) => JobFields::of(posting, reading.fingerprint.as_deref(), version),
        (None, Some(home)) => home::of(home, version),
        (None, None) => None,
    };
    let conn = db.pool.conn().await.unwrap();
    let page = Page {
        url_key: URL.into(),
        site: "loft.example".into(),
        status: 200,
        final_url: URL.into(),
        content_type: None,
        etag: None,
        last_modified: None,
        content_sha256: Some(sha.clone()),
        raw_key: Some("raw/1".into()),
        simhash: page_simhash(html.as_bytes(), None).map(u64::cast_signed),
        fetched_at: now(),
    };
    pages::save(&*conn, &page).await.unwrap();
    let seen = match reading.verdict.code {
        "closed_notice" => Seen::SaysClosed,
        _ if job.is_some() => Seen::Live,
        _ => Seen::Nothing,
    };
    let sighting = Sighting {
        task_id: TaskId::fresh(),
        url_key: URL,
        about: None,
        fills: false,
        seen,
        rule: reading.verdict.code,
        verdict_code: Some(reading.verdict.code),
        http_status: 200,
        final_url: URL,
        raw_key: Some("raw/1"),
        extractor_version: Some(version),
        job: job.as_ref(),
    };
    let listing_id = sighting::record(&*conn, &sighting, now()).await.unwrap();
    let kept = Reading {
        url_key: URL.into(),
        target_type: target.as_str().into(),
        extractor_version: version.into(),
        content_sha256: sha,
        field_fingerprint: reading.fingerprint.clone(),
        block_fingerprint: reading.block.clone(),
        verdict: reading.verdict_json(),
        result: reading.result.clone(),
        listing_id,
    };
    pages::save_readings(&*conn, &[&kept], now()).await.unwrap();
    listing_id
}

fn job(pay: &str, below: &str) -> String {
    let prose = "Mend the nets of the harbour by hand, with Python and SQL to keep the books of every boat. "
        .repeat(4);
    format!(
        r#"<script type="application/ld+json">{{"@type":"JobPosting","title":"Net Mender","hiringOrganization":"Seine & Co",
        "jobLocation":"Berlin","datePosted":"2026-10-02","baseSalary":"{pay}","description":"{prose}"}}</script>
        <h1>Net Mender</h1><p>{prose}</p><p>{below}</p>"#
    )
}

#[tokio::test]
async fn a_change_is_kept_with_its_size_and_the_block_spares_dear_work() {
    let db = TestDb::new().await;
    let id = read(&db, TargetType::JobPosting, &job("€40,000 per year", "")).await.unwrap();
    let conn = db.pool.conn().await.unwrap();
    let before = pages::look(&*conn, URL, "job_posting").await.unwrap().unwrap();
    assert!(before.block.is_some() && before.simhash.is_some() && before.fields.is_some());

    // other postings below: another page to SimHash, the same posting
    let noisy = job("€40,000 per year", &"Keeper of lamps, weaver of sails, cooper of barrels. ".repeat(12));
    assert_eq!(read(&db, TargetType::JobPosting, &noisy).await, Some(id));
    let now_look = pages::look(&*conn, URL, "job_posting").await.unwrap().unwrap();
    assert!(spares_dear_work(&before, &Look { simhash: before.simhash, ..now_look.clone() }));
    assert_eq!(now_look.block, before.block);

    assert_eq!(read(&db, TargetType::JobPosting, &job("€45,000 per year", "")).await, Some(id));
    let evidence = listings::evidence(&*conn, id, 0, 10).await.unwrap().unwrap();
    let details: Vec<_> = evidence.iter().map(|row| (row.event.as_str(), row.detail.clone())).collect();
    assert_eq!(details[0], ("created", None));
    let noise = details[1].1.as_ref().unwrap();
    assert_eq!((details[1].0, &noise["fields_changed"]), ("refreshed", &json!(false)));
    assert!(noise["page_change"]["bits"].as_i64().unwrap() > 0);
    assert_eq!(details[2].1.as_ref().unwrap()["fields_changed"], true);
    assert!(details[2].1.as_ref().unwrap()["page_change"]["size"].is_string());

    let listing = listings::find(&*conn, id).await.unwrap().unwrap();
    assert_eq!(listing.place.unwrap()["country"], "DE");
    assert!(listing.skills.contains(&"Python".to_owned()) && listing.skills.contains(&"SQL".to_owned()));
    assert_eq!(listing.provenance.unwrap()["skills"], "text_rule");
}

#[tokio::test]
async fn a_home_is_a_listing_of_its_kind_and_its_own_notice_closes_it() {
    let db = TestDb::new().await;
    let home = |more: &str| {
        format!(
            r#"<script type="application/ld+json">{{"@type":"Apartment","name":"Net Loft","numberOfBedrooms":2,
            "address":{{"addressLocality":"Galway","addressCountry":"IE"}},
            "offers":{{"@type":"Offer","price":"1450","priceCurrency":"EUR","unitText":"MONTH"}}}}</script>
            <main><h1>Net Loft</h1>{more}<p>Two rooms above the harbour, with a view of the boats.</p></main>"#
        )
    };
    let id = read(&db, TargetType::Apartment, &home("")).await.unwrap();
    let conn = db.pool.conn().await.unwrap();
    let listing = listings::find(&*conn, id).await.unwrap().unwrap();
    assert_eq!((listing.kind.as_str(), listing.title.as_str()), ("apartment", "Net Loft"));
    let own = listing.apartment.unwrap();
    assert_eq!((&own["rent"]["min"], &own["bedrooms"]["min"]), (&json!(1450.0), &json!(2.0)));
    assert_eq!(listing.provenance.unwrap()["rent"], "json_ld");
    assert_eq!(listings::list(&*conn, None, Some(true), 10).await.unwrap()[0].kind, "apartment");

    let closed = home("<p>This listing is no longer available.</p>");
    assert_eq!(read(&db, TargetType::Apartment, &closed).await, Some(id));
    let listing = listings::find(&*conn, id).await.unwrap().unwrap();
    assert!(!listing.is_active);
    assert_eq!(listing.close_reason.as_deref(), Some("closed_notice"));
}

#[tokio::test]
async fn rows_of_two_boards_are_one_job_by_the_company_of_the_source_and_its_number() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    let row = |id: &str| Listed {
        external_id: id.into(),
        title: "Net Mender".into(),
        url: Some(format!("https://boards.example/{id}")),
        places: vec!["Berlin".into()],
        requisition: Some("R-10042".into()),
        // Nothing is left to be asked behind the list.
        description: Some("Mend the nets of the boats.".into()),
        posted: Some(jiff::civil::date(2026, 11, 2)),
        ..Listed::default()
    };
    let mut ids = Vec::new();
    for (board, id) in [("lever:seine", "a1"), ("ashby:seine", "b2")] {
        let board: Board = board.parse().unwrap();
        boards::add(&*conn, &board, "https://seine.example/jobs", Some("Seine & Co"), now()).await.unwrap();
        let page =
            ListedOn { task_id: TaskId::fresh(), status: 200, url: "https://api.example", raw_key: "raw/2" };
        let recorded = sources::record(&*conn, &board, &[row(id)], &page, now()).await.unwrap();
        assert_eq!(recorded.written, 1);
        clusters::assign(&*conn, &recorded.fresh, now()).await.unwrap();
        let found = listings::list(&*conn, None, None, 10).await.unwrap();
        ids.push(found.iter().find(|listing| listing.external_id == id).unwrap().id);
    }
    let listing = listings::find(&*conn, ids[0]).await.unwrap().unwrap();
    assert_eq!(listing.company.as_deref(), Some("Seine & Co"));
    assert_eq!(listing.requisition.as_deref(), Some("R-10042"));
    let cluster = clusters::of_listing(&*conn, ids[0]).await.unwrap().unwrap();
    assert_eq!(cluster.members.len(), 2);
    assert_eq!(cluster.links[0].rule, "requisition");
}
