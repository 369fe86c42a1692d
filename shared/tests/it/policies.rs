//! Policies and robots.txt as the rooms see them: copies that are true, seeds that overwrite nothing.

use fixture::TestDb;
use jiff::{SignedDuration, Timestamp};
use shared::domain::policy::Policy;
use shared::domain::policy_book::PolicyBook;
use shared::domain::robots_access::Access;
use shared::domain::site::{Site, site_key};
use shared::policies::{FRESH_FOR, Policies};
use shared::robots::RobotsFiles;
use shared::store::{migrate, policies, robots};

fn site(name: &str) -> Site {
    site_key(&format!("https://{name}/").parse().unwrap()).unwrap()
}

fn now() -> Timestamp {
    "2026-11-16T08:00:00Z".parse().unwrap()
}

#[tokio::test]
async fn bundled_policies_come_once_and_overwrite_nothing() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    let linkedin = policies::of_site(&*conn, &site("www.linkedin.com")).await.unwrap();
    assert!(!linkedin.enabled);
    // Taken out by an operator, it stays out, however often the house starts.
    let mut book = policies::book(&*conn).await.unwrap();
    book.entries.remove("linkedin.com");
    policies::replace(&*conn, &book, None, now()).await.unwrap().unwrap();
    migrate::migrate(&db.url).await.unwrap();
    assert_eq!(policies::book(&*conn).await.unwrap(), book);
    // A house from before there were any: what it has stays, the rest comes.
    conn.batch_execute("delete from policies; update policy_book set seeded_at = null").await.unwrap();
    let own = Policy { window: 9, ..Policy::default() };
    policies::set(&*conn, policies::DEFAULT, &own, now()).await.unwrap();
    migrate::migrate(&db.url).await.unwrap();
    assert_eq!(policies::of_site(&*conn, &site("example.com")).await.unwrap(), own);
    assert!(!policies::of_site(&*conn, &site("linkedin.com")).await.unwrap().enabled);
}

#[tokio::test]
async fn a_copy_costs_nothing_for_a_second_and_then_sees_the_edit() {
    let db = TestDb::new().await;
    let conn = db.pool.conn().await.unwrap();
    let (kept, a, t0) = (Policies::new(db.pool.clone()), site("a.com"), now());
    assert_eq!(*kept.of_site(&a, t0).await.unwrap(), Policy::default());
    // By hand, as an operator with SQL would.
    conn.batch_execute("insert into policies values ('a.com', '{\"window\": 7}', now())").await.unwrap();
    let just_before = t0 + FRESH_FOR - SignedDuration::from_millis(1);
    assert_eq!(kept.of_site(&a, just_before).await.unwrap().window, 2, "no question within the second");
    assert_eq!(kept.of_site(&a, t0 + FRESH_FOR).await.unwrap().window, 7);
    assert_eq!(kept.of_site(&site("b.com"), t0 + FRESH_FOR).await.unwrap().window, 2);
    // A row that cannot be kept stops its own site and no other.
    conn.batch_execute("update policies set policy = '{\"window\": 0}' where site = 'a.com'").await.unwrap();
    let later = t0 + FRESH_FOR * 2;
    assert!(kept.of_site(&a, later).await.unwrap_err().to_string().contains("window: must be 1 to 100"));
    assert_eq!(kept.of_site(&site("b.com"), later).await.unwrap().window, 2);
    // Without a database there is no new copy, and no permission by mistake.
    drop(conn);
    db.pool.close();
    assert!(kept.of_site(&a, later + FRESH_FOR).await.is_err());
}

#[tokio::test]
async fn a_crowd_asks_the_database_once() {
    let db = TestDb::new().await;
    let kept = Policies::new(db.pool.clone());
    let mut crowd = tokio::task::JoinSet::new();
    for number in 0..50 {
        let kept = kept.clone();
        crowd.spawn(
            async move { kept.of_site(&site(&format!("s{number}.com")), now()).await.unwrap().window },
        );
    }
    assert!(crowd.join_all().await.into_iter().all(|window| window == 2));
    let conn = db.pool.conn().await.unwrap();
    let book = PolicyBook::parse("domains:\n  default: {window: 3}\n").unwrap();
    let version = policies::version(&*conn).await.unwrap();
    policies::replace(&*conn, &book, Some(version), now()).await.unwrap().unwrap();
    let gone = policies::replace(&*conn, &book, Some(version), now()).await.unwrap().unwrap_err();
    assert!(gone.now > version);
    assert_eq!(kept.of_site(&site("s1.com"), now() + FRESH_FOR).await.unwrap().window, 3);
}

#[tokio::test]
async fn what_a_robots_txt_said_is_kept_for_everybody_and_for_its_time() {
    let db = TestDb::new().await;
    let (one, two) = (RobotsFiles::new(db.pool.clone()), RobotsFiles::new(db.pool.clone()));
    let (origin, t0) = ("https://a.com", now());
    assert!(one.of_origin(origin, t0).await.unwrap().is_none());
    one.learn(origin, Access::of_answer(200, b"user-agent: *\ndisallow: /a\0b"), t0).await.unwrap();
    let seen = two.of_origin(origin, t0).await.unwrap().unwrap();
    assert_eq!(seen, one.of_origin(origin, t0).await.unwrap().unwrap());
    assert!(one.of_origin("http://a.com", t0).await.unwrap().is_none(), "another origin, another file");
    let day = SignedDuration::from_hours(24);
    assert!(two.of_origin(origin, t0 + day - SignedDuration::from_secs(1)).await.unwrap().is_some());
    assert!(two.of_origin(origin, t0 + day).await.unwrap().is_none(), "a day is the longest");
    // What could not be read is asked for again soon.
    one.learn("https://b.com", Access::unreadable("timeout", "late"), t0).await.unwrap();
    assert!(one.of_origin("https://b.com", t0 + SignedDuration::from_secs(61)).await.unwrap().is_none());
    // An older answer does not replace a newer one.
    one.learn(origin, Access::of_answer(404, b""), t0 - SignedDuration::from_secs(9)).await.unwrap();
    let fresh = RobotsFiles::new(db.pool.clone());
    assert_eq!(fresh.of_origin(origin, t0).await.unwrap().unwrap().access.word(), "rules");
    let conn = db.pool.conn().await.unwrap();
    assert_eq!(robots::forget_old(&*conn, t0 + SignedDuration::from_mins(2)).await.unwrap(), 1);
}
