//! Many listings at once: partial success, repeats, and crowds that bring the same.

use fixture::TestDb;
use serde_json::json;
use shared::store::listings::bulk::{NewListing, Outcome, Why, import, upsert_many};
use shared::store::listings::{self, JobFields};
use shared::store::sightings;

use crate::release::now;

pub fn listing(source: &str, external_id: &str) -> NewListing {
    NewListing {
        source: source.to_owned(),
        external_id: external_id.to_owned(),
        job: JobFields {
            url: format!("https://{}.example/jobs/{external_id}", source.replace(':', "-")),
            title: format!("Lock keeper {external_id}"),
            provenance: json!({}),
            extractor_version: "list/1".into(),
            fingerprint: "a".into(),
            ..JobFields::default()
        },
        why: Why { rule: "list_read".into(), ..Why::default() },
    }
}

pub async fn upsert(db: &TestDb, batch: &[NewListing]) -> Outcome {
    let mut conn = db.pool.conn().await.unwrap();
    let transaction = conn.transaction().await.unwrap();
    let outcome = upsert_many(&transaction, batch, now()).await.unwrap();
    transaction.commit().await.unwrap();
    outcome
}

async fn number(db: &TestDb, sql: &str) -> i64 {
    db.pool.conn().await.unwrap().query_one(sql, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn five_bad_rows_of_a_hundred_cost_five() {
    let db = TestDb::new().await;
    let mut batch: Vec<_> = (0..100).map(|n| listing("board", &format!("{n:03}"))).collect();
    batch[3].job.title = " ".into();
    batch[17].job.url = "ftp://board.example/17".into();
    batch[40].external_id = String::new();
    batch[41].job.description = Some("zero \0 character".into());
    batch[99].job.place = Some(json!({ "city": "zero \u{0}" }));
    let outcome = upsert(&db, &batch).await;
    assert_eq!(outcome.created.len(), 95);
    let rejected: Vec<_> = outcome.rejected.iter().map(|bad| (bad.index, bad.field)).collect();
    assert_eq!(
        rejected,
        [(3, "title"), (17, "url"), (40, "external_id"), (41, "description"), (99, "place")]
    );
    assert!(outcome.rejected.iter().all(|bad| !bad.message.is_empty()));
    assert_eq!(number(&db, "select count(*) from listings l join jobs j on j.listing_id = l.id").await, 95);
    assert_eq!(
        number(&db, "select count(*) from evidence where event = 'created' and rule = 'list_read'").await,
        95
    );
}

#[tokio::test]
async fn what_is_seen_again_is_refreshed_changed_or_reopened() {
    let db = TestDb::new().await;
    let mut batch: Vec<_> = (0..4).map(|n| listing("board", &format!("{n}"))).collect();
    batch[1].job.employment_type = vec!["FULL_TIME".into(), "with \"quotes\"".into()];
    let first = upsert(&db, &batch).await;
    let id = |at: usize| first.created.iter().find(|kept| kept.index == at).unwrap().id;
    let conn = db.pool.conn().await.unwrap();
    sightings::close(&*conn, &[(id(3), "http_404")], now()).await.unwrap();
    batch[2].job.title = "Head lock keeper".into();
    batch[2].job.fingerprint = "b".into();
    let again = upsert(&db, &batch).await;
    assert!(again.created.is_empty() && again.rejected.is_empty());
    assert_eq!(again.changed.iter().map(|kept| (kept.index, kept.id)).collect::<Vec<_>>(), [(2, id(2))]);
    assert_eq!(again.refreshed.len(), 3);
    let found = listings::find(&*conn, id(1)).await.unwrap().unwrap();
    assert_eq!((found.times_seen, found.employment_type), (2, batch[1].job.employment_type.clone()));
    assert_eq!(listings::find(&*conn, id(2)).await.unwrap().unwrap().title, "Head lock keeper");
    assert!(listings::find(&*conn, id(3)).await.unwrap().unwrap().is_active);
    let told = listings::evidence(&*conn, id(3), 0, 10).await.unwrap().unwrap();
    assert_eq!(told.iter().map(|row| row.event.as_str()).collect::<Vec<_>>(), ["created", "reopened"]);
    let told = listings::evidence(&*conn, id(2), 0, 10).await.unwrap().unwrap();
    assert_eq!(told[1].detail, Some(json!({ "fields_changed": true })));
}

#[tokio::test]
async fn of_rows_with_one_key_the_richer_is_taken() {
    let db = TestDb::new().await;
    let mut rich = listing("board", "7");
    rich.job.company = Some("Kiln".into());
    let outcome = upsert(&db, &[rich, listing("board", "7"), listing("other", "7")]).await;
    assert_eq!(outcome.created.len(), 2);
    assert_eq!(outcome.skipped, [(1, 0)]);
}

/// Workers that bring the same rows in other orders neither wait in a circle nor make anything twice.
#[tokio::test]
async fn a_crowd_that_brings_the_same_makes_it_once() {
    let db = TestDb::new().await;
    let mut crowd = tokio::task::JoinSet::new();
    for worker in 0..6 {
        let pool = db.pool.clone();
        crowd.spawn(async move {
            let mut batch: Vec<_> = (0..300).map(|n| listing("board", &format!("{n}"))).collect();
            batch.iter_mut().for_each(|one| one.job.company = Some(format!("Company {}", one.external_id)));
            if worker % 2 == 1 {
                batch.reverse();
            }
            import(&pool, &batch, now()).await.unwrap()
        });
    }
    let outcomes = crowd.join_all().await;
    assert_eq!(outcomes.iter().map(|outcome| outcome.created.len()).sum::<usize>(), 300);
    assert_eq!(outcomes.iter().map(|outcome| outcome.refreshed.len()).sum::<usize>(), 5 * 300);
    assert_eq!(number(&db, "select count(*) from listings where times_seen = 6").await, 300);
}
