//! A company's page is read by rules first; a model fills in what is open, and nothing depends on it.

use std::time::Duration;

use extractor::Extractor;
use fixture::{ModelServer, Says, TestDb, local_settings, page_task};
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::ai::{Kind, Settings, company};
use shared::blobs::content_hash;
use shared::clock::Clock;
use shared::domain::ids::TaskId;
use shared::domain::task::Stage;
use shared::house::{House, Local, LocalSettings};
use shared::messages::ExtractJob;
use shared::store::ai as store;
use shared::store::tasks;
use uuid::Uuid;

const KINDS: [Kind; 4] = [Kind::Anthropic, Kind::Gemini, Kind::OpenAi, Kind::Bedrock];
/// A thousand tokens in and a hundred out.
const COST: i64 = 1_000 + 5 * 100;

const TEXT: &str = "Lantern makes lamps for harbours and for everybody who comes home late. It was begun in 1911 by two \
    sisters, and 12 people blow glass by the quay every morning before the tide.";

fn page(text: &str) -> String {
    format!(
        "<html><head><meta property=\"og:site_name\" content=\"Lantern Ltd\"></head>\
         <body><main><h1>Hello</h1><p>{text}</p></main></body></html>"
    )
}

/// What the model says: a name that is known already, what the page says, and what it does not.
fn record() -> Value {
    json!({
        "company_name": "Lamps Inc", "industry": "lamps for harbours", "employee_count_range": "12 people",
        "headquarters": null, "about": null, "mission": null, "culture": "everybody is happy here", "founded": 1911,
        "tech_stack": null,
    })
}

struct Room {
    db: TestDb,
    house: House,
    extractor: Extractor,
    _data: tempfile::TempDir,
}

impl Room {
    async fn open(server: Option<(&ModelServer, Kind)>, budget: i64, timeout: Duration) -> Room {
        shared::tls::install_provider();
        let (db, data) = (TestDb::new().await, tempfile::tempdir().unwrap());
        let ai = server.map(|(server, kind)| Settings {
            kind,
            model: "small-1".to_owned(),
            base_url: server.url.clone(),
            key: "key-of-nobody".into(),
            timeout,
            daily_budget: budget,
            price_in: 1.0,
            price_out: 5.0,
        });
        let settings = LocalSettings {
            private_hosts: vec!["127.0.0.0/8".to_owned()],
            connect_limit: Duration::from_secs(1),
            ai,
            ..local_settings(&db, data.path())
        };
        let house = House::Local(Box::new(Local::new(settings).await.unwrap()));
        let extractor = Extractor::new(&house).await.unwrap();
        Room { db, house, extractor, _data: data }
    }

    /// A page that a crawler has stored, read; gives the task and what became of it.
    async fn read(&self, path: &str, target: &str, html: &str) -> (TaskId, String, Value, Value) {
        let now = Clock::System.now();
        let mut task = page_task(&format!("https://lantern.example{path}"));
        task.target_type = target.to_owned();
        let conn = self.db.pool.conn().await.unwrap();
        tasks::insert(&*conn, &task, now).await.unwrap();
        let released = tasks::release(&*conn, &[(task.site.as_str(), 2)], now).await.unwrap();
        let wanted = tasks::wanted(&*conn, task.id, released[0].release_no, Stage::Fetch, now).await.unwrap();
        let tasks::Wanted::Now(plan) = wanted else { panic!("the task wants its page") };
        let until = now + SignedDuration::from_secs(30);
        let visit =
            tasks::claim(&*conn, *plan, Stage::Fetch, Uuid::now_v7(), now, until).await.unwrap().unwrap();
        let hash = content_hash(html.as_bytes());
        let key = self.house.blobs().unwrap().keep(html.to_owned().into(), &hash).await.unwrap();
        let mut fetched = fixture::fetched(&visit, now);
        fetched.learnt = json!({ "raw_key": key.to_string(), "sha256": hash, "status": 200,
            "final_url": task.url, "content_type": "text/html", "fetched_at": now });
        let release_no = tasks::hand_on(&*conn, &[fetched]).await.unwrap()[0].unwrap();
        extractor::extract(&self.extractor, ExtractJob { task_id: task.id, release_no }).await.unwrap();
        let sql = "select status::text, result, meta from tasks where id = $1";
        let row = conn.query_one(sql, &[&task.id.0]).await.unwrap();
        let json = |at: usize| row.get::<_, Option<Value>>(at).unwrap_or_default();
        (task.id, row.get(0), json(1), json(2))
    }
}

#[tokio::test]
async fn a_model_fills_in_what_is_open_and_says_so() {
    for kind in KINDS {
        let server = ModelServer::start(kind, "company", Says::Record(record())).await;
        let room = Room::open(Some((&server, kind)), 1_000_000, Duration::from_secs(5)).await;
        let (task, status, result, meta) = room.read("/", "company_website", &page(TEXT)).await;
        assert_eq!(status, "success", "{kind:?}");
        assert_eq!(result["company_name"], "Lantern Ltd", "{kind:?}: what is known stays");
        assert_eq!((&result["industry"], &result["founded"]), (&json!("lamps for harbours"), &json!(1911)));
        assert_eq!(result["culture"], Value::Null, "the page does not say it");
        let origins = &result["provenance"];
        assert_eq!((&origins["company_name"], &origins["founded"]), (&json!("meta"), &json!("model")));
        assert_eq!(meta["ai"]["outcome"], "answered", "{kind:?}: {meta}");
        assert_eq!((&meta["ai"]["micros"], &meta["ai"]["tokens_in"]), (&json!(COST), &json!(1_000)));
        let total = store::of_task(&*room.db.pool.conn().await.unwrap(), task).await.unwrap();
        assert_eq!((total.calls, total.tokens_in, total.tokens_out, total.micros), (1, 1_000, 100, COST));

        // The same text again, and the same text with another counter: nobody is asked.
        let (_, _, again, meta) = room.read("/", "company_website", &page(TEXT)).await;
        assert_eq!((&again["founded"], &meta["ai"]["outcome"]), (&json!(1911), &json!("spared")));
        let counted = page(&format!("{TEXT} 77 people viewed this."));
        assert_eq!(room.read("/", "company_website", &counted).await.3["ai"]["outcome"], "spared");
        assert_eq!(server.asked(), 1, "{kind:?}");
        let other = page(&TEXT.replace("two sisters", "three sisters"));
        assert_eq!(room.read("/", "company_website", &other).await.3["ai"]["outcome"], "answered");
        // Another page with the same text is the same question.
        assert_eq!(room.read("/about", "company_website", &page(TEXT)).await.3["ai"]["outcome"], "cached");
        assert_eq!(server.asked(), 2, "{kind:?}");
    }
}

#[tokio::test]
async fn a_model_that_fails_costs_the_page_nothing() {
    let server = ModelServer::start(Kind::OpenAi, "company", Says::Status(500)).await;
    let room = Room::open(Some((&server, Kind::OpenAi)), 1_000_000, Duration::from_millis(300)).await;
    let mut unfit = record();
    unfit["founded"] = json!("long ago");
    let failures = [
        (Says::Status(500), "ai_refused"),
        (Says::Status(429), "ai_rate_limited"),
        (Says::Record(unfit), "ai_unfit"),
        (Says::BrokenRecord, "ai_malformed"),
        (Says::Bytes("<html>"), "ai_malformed"),
        (Says::Silence, "ai_timeout"),
    ];
    for (says, outcome) in failures {
        server.now_says(says);
        let (_, status, result, meta) = room.read("/", "company_website", &page(TEXT)).await;
        assert_eq!(
            (status.as_str(), &result["company_name"]),
            ("success", &json!("Lantern Ltd")),
            "{outcome}"
        );
        assert_eq!((&result["industry"], &meta["ai"]["outcome"]), (&Value::Null, &json!(outcome)));
    }
    server.now_says(Says::Record(record()));
    let (_, _, result, _) = room.read("/", "company_website", &page(TEXT)).await;
    assert_eq!(result["founded"], 1911, "a failure is not kept");
}

#[tokio::test]
async fn over_the_budget_nobody_is_asked_and_pages_are_read_on() {
    let server = ModelServer::start(Kind::Gemini, "company", Says::Record(record())).await;
    let room = Room::open(Some((&server, Kind::Gemini)), 1_000, Duration::from_secs(5)).await;
    let (_, status, result, meta) = room.read("/", "company_website", &page(TEXT)).await;
    assert_eq!((status.as_str(), &meta["ai"]["outcome"]), ("success", &json!("ai_over_budget")));
    assert_eq!((&result["company_name"], server.asked()), (&json!("Lantern Ltd"), 0));
}

#[tokio::test]
async fn only_companies_are_asked_about_and_only_where_there_is_a_provider() {
    let server = ModelServer::start(Kind::Bedrock, "company", Says::Record(record())).await;
    let room = Room::open(Some((&server, Kind::Bedrock)), 1_000_000, Duration::from_secs(5)).await;
    let (_, status, _, meta) =
        room.read("/jobs/1", "job_posting", &fixture::posting_page("Glass blower")).await;
    assert_eq!((status.as_str(), &meta["ai"]), ("success", &Value::Null));
    assert_eq!(server.asked(), 0);
    let alone = Room::open(None, 0, Duration::from_secs(5)).await;
    let (_, status, result, meta) = alone.read("/", "company_website", &page(TEXT)).await;
    assert_eq!((status.as_str(), &meta["ai"]), ("success", &Value::Null));
    assert!(result["company_name"] == "Lantern Ltd" && company::open_fields(&result).contains(&"industry"));
}

/// With a provider that never answers the page is saved all the same, in the time that is left.
#[tokio::test]
async fn what_is_left_of_the_lease_is_all_a_model_gets() {
    let server = ModelServer::start(Kind::Anthropic, "company", Says::Silence).await;
    let mut room = Room::open(Some((&server, Kind::Anthropic)), 1_000_000, Duration::from_secs(30)).await;
    let begun = Clock::System.now();
    room.extractor.ai = room.extractor.ai.within(Duration::from_millis(200));
    let (_, status, _, meta) = room.read("/", "company_website", &page(TEXT)).await;
    assert_eq!((status.as_str(), &meta["ai"]["outcome"]), ("success", &json!("ai_timeout")));
    assert!(Clock::System.now().duration_since(begun) < SignedDuration::from_secs(20));
}
