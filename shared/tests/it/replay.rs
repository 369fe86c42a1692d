//! Stored pages, read again: shown first, written when asked, and nothing closed.

use bytes::Bytes;
use fixture::TestDb;
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::blobs::{Blobs, FolderBlobs, content_hash};
use shared::domain::extract::extractor;
use shared::domain::ids::ListingId;
use shared::domain::target::TargetType;
use shared::replay::{self, Cursor, Piece, Wish};
use shared::store::listings::{self, JobFields};
use shared::store::pages::{self, Page, Reading};
use shared::store::sightings::{self, NewListing};

use crate::release::now;

fn html(title: &str, notice: &str) -> String {
    let posting = json!({ "@context": "https://schema.org", "@type": "JobPosting", "title": title,
        "hiringOrganization": { "@type": "Organization", "name": "Canal Trust" }, "description": "Open the gates at dawn." });
    format!(
        "<html><head><script type=\"application/ld+json\">{posting}</script></head>
        <body><main><h1>{title}</h1>{notice}<p>Open the gates at dawn.</p></main></body></html>"
    )
}

struct Archive {
    db: TestDb,
    blobs: Blobs,
    _folder: tempfile::TempDir,
}

impl Archive {
    async fn new() -> Archive {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::Folder(FolderBlobs::new(folder.path().to_owned()).unwrap());
        Archive { db: TestDb::new().await, blobs, _folder: folder }
    }

    /// A page as an older extractor left it, with its listing if it had one.
    async fn page(&self, name: &str, body: &str, listed: bool) -> Option<ListingId> {
        let conn = self.db.pool.conn().await.unwrap();
        let url = format!("https://canal.example/jobs/{name}");
        let hash = content_hash(body.as_bytes());
        let key = self.blobs.keep(Bytes::from(body.to_owned()), &hash).await.unwrap();
        let page = Page {
            url_key: url.clone(),
            site: "canal.example".into(),
            status: 200,
            final_url: url.clone(),
            content_type: Some("text/html".into()),
            etag: None,
            last_modified: None,
            content_sha256: Some(hash.clone()),
            raw_key: Some(key.to_string()),
            simhash: None,
            fetched_at: now(),
        };
        pages::save(&*conn, &page).await.unwrap();
        let job = JobFields {
            url: url.clone(),
            title: "Keeper".into(),
            extractor_version: "job_posting/0".into(),
            fingerprint: "old".into(),
            provenance: json!({}),
            ..JobFields::default()
        };
        let listing_id = match listed {
            true => {
                let id = ListingId::fresh();
                let new = NewListing { id, source: "web", external_id: &url, job: &job, doubtful: false };
                sightings::create(&*conn, &[new], now()).await.unwrap();
                sightings::save_jobs(&*conn, &[(id, &job)]).await.unwrap();
                Some(id)
            }
            false => None,
        };
        let reading = Reading {
            url_key: url,
            target_type: "job_posting".into(),
            extractor_version: "job_posting/0".into(),
            content_sha256: hash,
            field_fingerprint: None,
            block_fingerprint: None,
            verdict: json!({ "state": "active", "code": "live" }),
            result: listed.then(|| json!({ "job_title": "Keeper" })),
            listing_id,
        };
        pages::save_readings(&*conn, &[&reading], now()).await.unwrap();
        listing_id
    }

    async fn piece(&self, after: Option<&Cursor>, limit: i64, dry_run: bool) -> Piece {
        let wish = Wish {
            since: now() - SignedDuration::from_hours(1),
            until: now() + SignedDuration::from_hours(1),
            source: Some("canal.example".into()),
            target: None,
        };
        let at = now() + SignedDuration::from_mins(5);
        replay::piece(&self.db.pool, &self.blobs, &wish, after, limit, dry_run, at).await.unwrap()
    }

    async fn whole(&self) -> Vec<Value> {
        let conn = self.db.pool.conn().await.unwrap();
        let mut all = Vec::new();
        for table in ["readings", "listings", "jobs", "evidence"] {
            let sql =
                format!("select coalesce(jsonb_agg(to_jsonb(t) order by t::text), '[]') from {table} t");
            all.push(conn.query_one(&sql, &[]).await.unwrap().get(0));
        }
        all
    }
}

#[tokio::test]
async fn a_dry_run_shows_the_change_and_writes_nothing() {
    let archive = Archive::new().await;
    archive.page("1", &html("Lock keeper", ""), true).await;
    archive.page("2", "<html><body><p>nothing of note here at all</p></body></html>", false).await;
    let before = archive.whole().await;
    let piece = archive.piece(None, 100, true).await;
    assert_eq!((piece.tally.pages, piece.tally.differ, piece.kept), (2, 1, 0));
    assert_eq!(piece.tally.fields["job_title"].changed, 1);
    let company = piece.tally.fields["company_name"];
    assert_eq!((company.before, company.after, company.gained), (0, 1, 1));
    assert_eq!(piece.tally.verdicts["live → no_posting"], 1);
    let title = piece.examples[0].fields.iter().find(|diff| diff.field == "job_title").unwrap();
    assert_eq!((&title.before, &title.after), (&json!("Keeper"), &json!("Lock keeper")));
    assert_eq!(archive.whole().await, before);
}

#[tokio::test]
async fn a_replay_writes_readings_and_fields_with_evidence_and_closes_nothing() {
    let archive = Archive::new().await;
    let changed = archive.page("1", &html("Lock keeper", ""), true).await.unwrap();
    let closed =
        archive.page("2", &html("Lock keeper", "<p>This position has been filled.</p>"), true).await.unwrap();
    archive.page("3", &html("Weir keeper", ""), false).await;
    let piece = archive.piece(None, 100, false).await;
    assert_eq!((piece.kept, piece.listings), (3, 2));
    let conn = archive.db.pool.conn().await.unwrap();
    let version = extractor(TargetType::JobPosting).version();

    let listing = listings::find(&*conn, changed).await.unwrap().unwrap();
    assert_eq!((listing.title.as_str(), listing.extractor_version.as_str()), ("Lock keeper", version));
    assert_eq!((listing.times_seen, listing.last_seen_at), (1, now()), "nobody has looked at the site");
    let told = listings::evidence(&*conn, changed, 0, 10).await.unwrap().unwrap();
    assert_eq!((told.len(), told[0].event.as_str(), told[0].rule.as_str()), (1, "reread", "replay"));
    assert_eq!(told[0].detail.as_ref().unwrap()["from_version"], "job_posting/0");

    let listing = listings::find(&*conn, closed).await.unwrap().unwrap();
    assert!(listing.is_active, "a stored page closes nothing");
    assert_eq!(listing.verification_status, "nominated");

    let reading =
        pages::reading(&*conn, "https://canal.example/jobs/3", "job_posting").await.unwrap().unwrap();
    assert_eq!(reading.extractor_version, version);
    let found = listings::find(&*conn, reading.listing_id.unwrap()).await.unwrap().unwrap();
    assert_eq!((found.title.as_str(), found.verification_status.as_str()), ("Weir keeper", "nominated"));

    // Once more: there is nothing left to change.
    let before = archive.whole().await[1].clone();
    let again = archive.piece(None, 100, false).await;
    assert_eq!((again.tally.differ, again.listings), (0, 0));
    assert_eq!(archive.whole().await[1], before);
}

#[tokio::test]
async fn a_replay_goes_on_where_it_was_stopped() {
    let archive = Archive::new().await;
    for name in ["1", "2", "3", "4", "5"] {
        archive.page(name, &html("Lock keeper", ""), true).await;
    }
    let (mut after, mut pages, mut pieces): (Option<Cursor>, u64, u64) = (None, 0, 0);
    loop {
        let piece = archive.piece(after.as_ref(), 2, true).await;
        (pages, pieces) = (pages + piece.tally.pages, pieces + 1);
        let Some(next) = piece.next else { break };
        let cursor: Cursor = next.parse().unwrap();
        assert_eq!(cursor.to_string(), next);
        after = Some(cursor);
    }
    assert_eq!((pages, pieces), (5, 3));
    assert!("7~job".parse::<Cursor>().is_err() && "".parse::<Cursor>().is_err());
}

#[tokio::test]
async fn a_page_that_is_no_longer_stored_is_counted_and_left() {
    let archive = Archive::new().await;
    archive.page("1", &html("Lock keeper", ""), true).await;
    let conn = archive.db.pool.conn().await.unwrap();
    let key = format!("raw/ab/ab{}.zst", "0".repeat(62));
    conn.execute("update pages set raw_key = $1", &[&key]).await.unwrap();
    let piece = archive.piece(None, 10, false).await;
    assert_eq!((piece.missing, piece.tally.pages, piece.kept), (1, 0, 0));
}
