//! The same job on several boards: one cluster, by evidence, and apart again when an admin says so.

use fixture::TestDb;
use serde_json::json;
use shared::domain::ids::ListingId;
use shared::store::clusters::{self, ClusterView, Parted};
use shared::store::listings;
use shared::store::listings::bulk::{NewListing, import};
use shared::store::sightings;

use crate::bulk::{listing, upsert};
use crate::release::now;

const BODY: &str = "You open the gates at dawn, watch the gauge, let the barges through in the order they come and write \
    each of them into the book. In winter you grease the chains, mend the boards and keep the ice away from the sill. \
    We ask for a calm voice and sound sleep; we offer the house beside the lock, firewood and two free days a week.";

/// A copy of one job on a board.
fn copy(source: &str, external_id: &str, city: &str) -> NewListing {
    let mut one = listing(source, external_id);
    one.job.title = "Lock keeper".into();
    one.job.company = Some("Canal Trust Ltd.".into());
    one.job.place = Some(json!({ "city": city, "state_region": null, "country": "GB", "raw": city }));
    one.job.description = Some(BODY.into());
    one
}

async fn ids(db: &TestDb, batch: &[NewListing]) -> Vec<ListingId> {
    let outcome = upsert(db, batch).await;
    let mut kept = [outcome.created, outcome.changed, outcome.refreshed].concat();
    kept.sort_by_key(|one| one.index);
    kept.into_iter().map(|one| one.id).collect()
}

async fn view(db: &TestDb, id: ListingId) -> ClusterView {
    clusters::of_listing(&*db.pool.conn().await.unwrap(), id).await.unwrap().unwrap()
}

async fn events(db: &TestDb, id: ListingId) -> Vec<String> {
    let told = listings::evidence(&*db.pool.conn().await.unwrap(), id, 0, 100).await.unwrap().unwrap();
    told.into_iter().map(|row| row.event).collect()
}

#[tokio::test]
async fn a_copy_on_another_board_joins_the_companys_own_listing() {
    let db = TestDb::new().await;
    let mut pasted = copy("indeed", "jk1", "York");
    pasted.job.title = "LOCK KEEPER (York)".into();
    pasted.job.company = Some("Canal Trust".into());
    pasted.job.description = Some(BODY[..BODY.len() * 2 / 3].to_owned());
    pasted.job.salary = Some(json!({ "min": 30000, "max": null, "currency": "GBP", "period": "year" }));
    pasted.job.provenance = json!({ "salary": "text_rule" });
    let first = ids(&db, &[pasted]).await[0];
    let own = ids(&db, &[copy("greenhouse:canal", "7", "York")]).await[0];
    let elsewhere = ids(&db, &[copy("greenhouse:canal", "8", "Leeds")]).await[0];

    let cluster = view(&db, own).await;
    assert_eq!(cluster.members.iter().map(|one| one.listing_id).collect::<Vec<_>>(), [first, own]);
    assert_eq!(
        (cluster.cluster_id, cluster.head),
        (first, own),
        "named after the oldest, led by the company"
    );
    assert_eq!(cluster.fields["title"].value, "Lock keeper");
    assert_eq!(cluster.fields["description"].listing_id, own);
    let salary = &cluster.fields["salary"];
    assert_eq!((salary.listing_id, salary.method.as_deref()), (first, Some("text_rule")));
    assert_eq!((cluster.links.len(), cluster.links[0].rule.as_str()), (1, "body"));
    assert_eq!(view(&db, elsewhere).await.members.len(), 1, "another city is another job");
    for id in [first, own] {
        assert_eq!(events(&db, id).await, ["created", "merged"]);
        let listed = listings::find(&*db.pool.conn().await.unwrap(), id).await.unwrap().unwrap();
        assert_eq!(listed.cluster_id, first);
    }

    // The company closes it: the copy alone does not keep the job open.
    sightings::close(&*db.pool.conn().await.unwrap(), &[(own, "http_410")], now()).await.unwrap();
    assert!(!view(&db, first).await.is_active);
}

#[tokio::test]
async fn what_an_admin_has_split_stays_apart_until_it_is_undone() {
    let db = TestDb::new().await;
    let found = ids(&db, &[copy("a", "1", "York"), copy("b", "2", "York"), copy("c", "3", "York")]).await;
    assert_eq!(view(&db, found[0]).await.members.len(), 3);
    let split = async |id, undo: bool| {
        let mut conn = db.pool.conn().await.unwrap();
        let transaction = conn.transaction().await.unwrap();
        let parted = if undo {
            clusters::unsplit(&transaction, id, &[], now()).await.unwrap()
        } else {
            clusters::split(&transaction, id, &[], Some("two locks"), now()).await.unwrap()
        };
        transaction.commit().await.unwrap();
        parted
    };
    let sizes = async || {
        let mut sizes = Vec::new();
        for id in &found {
            sizes.push(view(&db, *id).await.members.len());
        }
        sizes
    };
    assert_eq!(split(found[0], false).await, Parted::Done);
    assert_eq!(sizes().await, [1, 2, 2]);
    assert_eq!(events(&db, found[0]).await.last().unwrap(), "split");
    assert_eq!(split(found[0], false).await, Parted::Nothing, "it is alone");

    // Later reads: the same again, with other words, and one more copy that is like all of them.
    let mut again = copy("a", "1", "York");
    again.job.description = Some(format!("{BODY} Come and see us."));
    again.job.fingerprint = "b".into();
    ids(&db, &[again]).await;
    let fourth = ids(&db, &[copy("d", "4", "York")]).await[0];
    let (one, other) = (view(&db, found[0]).await, view(&db, found[1]).await);
    assert_ne!(one.cluster_id, other.cluster_id);
    assert_eq!(one.members.len() + other.members.len(), 4, "the fourth is with one of them");
    assert!(
        [one, other].iter().any(|cluster| cluster.members.iter().any(|member| member.listing_id == fourth))
    );

    assert_eq!(split(found[0], true).await, Parted::Done);
    assert_eq!(sizes().await, [4, 4, 4]);
    assert_eq!(split(found[0], true).await, Parted::Nothing);
    assert_eq!(split(ListingId::fresh(), false).await, Parted::NoListing);
}

#[tokio::test]
async fn a_listing_that_says_something_else_leaves() {
    let db = TestDb::new().await;
    let found = ids(&db, &[copy("a", "1", "York"), copy("b", "2", "York"), copy("c", "3", "York")]).await;
    let mut moved = copy("a", "1", "Leeds");
    moved.job.fingerprint = "b".into();
    ids(&db, &[moved]).await;
    let left = view(&db, found[1]).await;
    assert_eq!((left.cluster_id, left.members.len()), (found[1], 2), "named after the oldest that is left");
    assert_eq!(view(&db, found[0]).await.members.len(), 1);
    let mut nameless = copy("b", "2", "York");
    nameless.job.company = None;
    nameless.job.fingerprint = "b".into();
    ids(&db, &[nameless]).await;
    assert_eq!(view(&db, found[2]).await.members.len(), 1);
    assert_eq!(view(&db, found[1]).await.cluster_id, found[1], "without a company it is nobody's like");
}

/// Boards are read at once, each by a worker of its own: every job ends as one cluster, whoever came first.
#[tokio::test]
async fn workers_that_bring_copies_at_once_make_one_cluster_of_each_job() {
    let db = TestDb::new().await;
    let mut crowd = tokio::task::JoinSet::new();
    for board in 0..6 {
        let pool = db.pool.clone();
        crowd.spawn(async move {
            let mut batch: Vec<_> = (0..30)
                .map(|n| copy(&format!("board{board}"), &n.to_string(), &format!("Town{n}")))
                .collect();
            if board % 2 == 1 {
                batch.reverse();
            }
            for part in batch.chunks(7) {
                import(&pool, part, now()).await.unwrap();
            }
        });
    }
    crowd.join_all().await;
    let conn = db.pool.conn().await.unwrap();
    let sql =
        "select count(*) from (select cluster_id from identities group by cluster_id having count(*) = 6) c";
    assert_eq!(conn.query_one(sql, &[]).await.unwrap().get::<_, i64>(0), 30);
    let oldest = "select count(*) from identities i where cluster_id <> (select min(listing_id::text)::uuid from identities m where m.cluster_id = i.cluster_id)";
    assert_eq!(conn.query_one(oldest, &[]).await.unwrap().get::<_, i64>(0), 0);
}

/// A batch of many companies takes other locks than one of few: they keep each other out all the same.
#[tokio::test]
async fn large_and_small_batches_at_once_make_one_cluster_of_each_job() {
    let db = TestDb::new().await;
    let mut crowd = tokio::task::JoinSet::new();
    for board in 0..6 {
        let pool = db.pool.clone();
        crowd.spawn(async move {
            let mut batch: Vec<_> =
                (0..60).map(|n| copy(&format!("board{board}"), &n.to_string(), "York")).collect();
            for (number, listing) in batch.iter_mut().enumerate() {
                listing.job.company = Some(format!("Company {number}"));
            }
            for part in batch.chunks(if board % 2 == 0 { 60 } else { 5 }) {
                import(&pool, part, now()).await.unwrap();
            }
        });
    }
    crowd.join_all().await;
    let conn = db.pool.conn().await.unwrap();
    let sql =
        "select count(*) from (select cluster_id from identities group by cluster_id having count(*) = 6) c";
    assert_eq!(conn.query_one(sql, &[]).await.unwrap().get::<_, i64>(0), 60);
}

/// The lookup must not grow with the listings.
#[tokio::test]
async fn likes_are_looked_up_by_index() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    conn.batch_execute(
        "insert into listings (id, kind, source, external_id, url, title, first_seen_at, last_seen_at, cluster_id, extractor_version, field_fingerprint)
            select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'job', 's', n::text, 'u', 't', now(), now(), ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'v', 'f'
            from generate_series(1, 20000) n;
        insert into identities (listing_id, cluster_id, company, role, board, standing, block, city_block, requisition_block)
            select id, id, 'c', 'r', 's', 'unknown', hashtextextended(external_id, 0) % 5000, length(external_id), hashtextextended(external_id, 1)
            from listings;
        analyze identities;",
    )
    .await
    .unwrap();
    let (_, sql) =
        shared::store::statements().find(|(name, _)| name.ends_with("clusters::CANDIDATES")).unwrap();
    let plan = conn
        .query(
            &format!("explain {sql}"),
            &[&vec![uuid::Uuid::nil()], &vec![7_i64], &vec![Some(5_i64)], &vec![Some(9_i64)]],
        )
        .await
        .unwrap();
    let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
    assert!(!plan.iter().any(|line| line.contains("Seq Scan")), "{plan:#?}");
}
