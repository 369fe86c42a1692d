//! Each provider's wire format against a local server that speaks it: answers, broken answers, and no answers; what
//! they cost, and what is not asked twice.

use std::time::Duration;

use fixture::{ModelServer, Says, TestDb};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use shared::ai::company::{self, Shown};
use shared::ai::{Ai, AiError, Choice, Kind, Question, Settings};
use shared::clock::Clock;
use shared::domain::ids::TaskId;
use shared::egress::{Egress, Limits, Permission};
use shared::store::ai as store;

const KINDS: [Kind; 4] = [Kind::Anthropic, Kind::Gemini, Kind::OpenAi, Kind::Bedrock];
const KEY: &str = "key-of-nobody";
const PAGE: &str = "Lantern Ltd makes lamps for harbours. Founded in 1911, it has 12 people and a small shop by the \
    quay where glass is blown every morning before the tide.";

fn record() -> Value {
    json!({
        "company_name": "Lantern Ltd", "industry": "lamps for harbours", "employee_count_range": "12 people",
        "headquarters": null, "about": null, "mission": null, "culture": "everybody is happy here", "founded": 1911, "tech_stack": ["glass", "Rust"],
    })
}

const COST: i64 = 1_000 + 5 * 100;

fn clock() -> Clock {
    Clock::manual("2026-11-16T12:00:00Z".parse().unwrap())
}

fn ai(kind: Kind, server: &ModelServer, db: &TestDb, clock: &Clock, budget: i64) -> Ai {
    let permission = Permission::with_private_hosts(vec!["127.0.0.0/8".parse().unwrap()]);
    let web = Egress::new(permission, Limits::default()).unwrap();
    let settings = Settings {
        kind,
        model: "small-1".to_owned(),
        base_url: server.url.clone(),
        key: KEY.into(),
        timeout: Duration::from_millis(500),
        daily_budget: budget,
        price_in: 1.0,
        price_out: 5.0,
    };
    Ai::new(Some(settings), web, db.pool.clone(), clock.clone()).unwrap()
}

fn question() -> Question<'static> {
    Question { schema: &company::SCHEMA, task: "Fill in.", page: PAGE }
}

#[tokio::test]
async fn every_provider_is_asked_in_its_own_way_and_the_same_question_once() {
    for kind in KINDS {
        let (db, clock) = (TestDb::new().await, clock());
        let server = ModelServer::start(kind, "company", Says::Record(record())).await;
        let ai = ai(kind, &server, &db, &clock, 1_000_000);
        let task = TaskId(uuid::Uuid::now_v7());
        let first = ai.ask(Some(task), &question()).await.unwrap().unwrap().unwrap();
        assert_eq!(Value::Object(first.fields.clone()), record(), "{kind:?}");
        assert_eq!((first.tokens.input, first.tokens.output, first.micros), (1_000, 100, COST));
        let second = ai.ask(Some(task), &question()).await.unwrap().unwrap().unwrap();
        assert!(second.cached && second.fields == first.fields);
        assert_eq!(server.asked(), 1, "{kind:?}");

        let heard = server.last();
        let header =
            |name: &str| heard.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let schema = match kind {
            Kind::Anthropic => {
                assert_eq!((heard.path.as_str(), header("x-api-key")), ("/v1/messages", KEY));
                assert_eq!(header("anthropic-version"), "2023-06-01");
                assert_eq!(heard.body["tool_choice"]["name"], "company");
                &heard.body["tools"][0]["input_schema"]
            }
            Kind::Gemini => {
                assert_eq!(heard.path, "/v1beta/models/small-1:generateContent");
                assert_eq!(header("x-goog-api-key"), KEY);
                assert_eq!(heard.body["generationConfig"]["responseMimeType"], "application/json");
                &heard.body["generationConfig"]["responseSchema"]
            }
            Kind::OpenAi => {
                assert_eq!(heard.path, "/v1/chat/completions");
                assert_eq!(header("authorization"), format!("Bearer {KEY}"));
                assert_eq!(heard.body["response_format"]["json_schema"]["strict"], true);
                &heard.body["response_format"]["json_schema"]["schema"]
            }
            Kind::Bedrock => {
                assert_eq!(heard.path, "/model/small-1/converse");
                assert_eq!(header("authorization"), format!("Bearer {KEY}"));
                assert_eq!(heard.body["toolConfig"]["toolChoice"]["tool"]["name"], "company");
                &heard.body["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"]
            }
        };
        assert!(schema["properties"]["founded"].is_object(), "{kind:?}: {schema}");
        assert!(heard.body.to_string().contains("makes lamps for harbours"));

        let total = store::of_task(&*db.pool.conn().await.unwrap(), task).await.unwrap();
        assert_eq!((total.calls, total.tokens_in, total.tokens_out, total.micros), (2, 1_000, 100, COST));
        assert_eq!(ai.spent(clock.now()).await.unwrap(), COST);
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_none_and_is_paid_for_and_not_kept() {
    let mut unfit = record();
    unfit["founded"] = json!("1911");
    let mut extra = record();
    extra["ceo"] = json!("Mara");
    for kind in KINDS {
        let (db, clock) = (TestDb::new().await, clock());
        let server = ModelServer::start(kind, "company", Says::Record(unfit.clone())).await;
        let ai = ai(kind, &server, &db, &clock, 1_000_000);
        let ask = async || ai.ask(None, &question()).await.unwrap().unwrap().unwrap_err();
        assert_eq!(
            ask().await.to_string(),
            "the answer does not fit the schema: founded: not a whole number"
        );
        server.now_says(Says::Record(extra.clone()));
        assert_eq!(ask().await.code(), "ai_unfit");
        server.now_says(Says::BrokenRecord);
        assert_eq!(ask().await.code(), "ai_malformed", "{kind:?}");
        assert_eq!(ai.spent(clock.now()).await.unwrap(), 3 * COST, "{kind:?}");
        for reply in ["", "<html>", "[]", "{}", "{\"choices\":{}}", "null"] {
            server.now_says(Says::Bytes(reply));
            assert_eq!(ask().await.code(), "ai_malformed", "{kind:?} {reply}");
        }
        assert_eq!(server.asked(), 9, "nothing of it was kept");
        server.now_says(Says::Record(record()));
        assert!(ai.ask(None, &question()).await.unwrap().unwrap().is_ok());
    }
}

#[tokio::test]
async fn a_provider_that_does_not_answer_costs_what_it_may_have_cost() {
    for kind in KINDS {
        let (db, clock) = (TestDb::new().await, clock());
        let server = ModelServer::start(kind, "company", Says::Status(429)).await;
        let ai = ai(kind, &server, &db, &clock, 1_000_000);
        let ask = async || ai.ask(None, &question()).await.unwrap().unwrap().unwrap_err();
        assert_eq!(ask().await, AiError::RateLimited);
        for status in [500, 401, 404] {
            server.now_says(Says::Status(status));
            assert_eq!(ask().await, AiError::Refused(status));
        }
        assert_eq!(ai.spent(clock.now()).await.unwrap(), 0, "a refusal is free");
        server.now_says(Says::Silence);
        assert_eq!(ask().await, AiError::Timeout);
        assert!(ai.spent(clock.now()).await.unwrap() > COST, "it may have been counted");
    }
}

#[tokio::test]
async fn a_day_has_its_budget_and_the_next_day_its_own() {
    let (db, clock) = (TestDb::new().await, clock());
    let server = ModelServer::start(Kind::OpenAi, "company", Says::Record(record())).await;
    // room for one question at its worst, and not for a second beside it
    let ai = ai(Kind::OpenAi, &server, &db, &clock, 12_500);
    let other = |page: &'static str| Question { page, ..question() };
    assert!(ai.ask(None, &question()).await.unwrap().unwrap().is_ok());
    let mut refused = 0;
    for page in ["a a a a", "b b b b", "c c c c", "d d d d", "e e e e"] {
        refused +=
            usize::from(ai.ask(None, &other(page)).await.unwrap().unwrap() == Err(AiError::OverBudget));
    }
    assert!(refused > 0, "the budget ends");
    assert_eq!(server.asked(), 6 - refused, "what is over the budget is not asked");
    assert!(ai.spent(clock.now()).await.unwrap() <= 12_500);
    assert!(ai.ask(None, &question()).await.unwrap().unwrap().unwrap().cached, "what is known is free");
    clock.advance(SignedDuration::from_hours(24));
    assert!(ai.ask(None, &other("f f f f")).await.unwrap().unwrap().is_ok());
}

#[tokio::test]
async fn many_at_once_never_spend_more_than_the_day_has() {
    let (db, clock) = (TestDb::new().await, clock());
    let server = ModelServer::start(Kind::Gemini, "company", Says::Record(record())).await;
    let ai = ai(Kind::Gemini, &server, &db, &clock, 30_000);
    let pages: Vec<String> = (0..20).map(|n| format!("page number {n}")).collect();
    let asks = pages.iter().map(|page| {
        let ai = ai.clone();
        async move { ai.ask(None, &Question { page, ..question() }).await.unwrap().unwrap().is_ok() }
    });
    let answered = futures_util::future::join_all(asks).await.into_iter().filter(|ok| *ok).count();
    assert!((1..20).contains(&answered), "{answered}");
    let spent = ai.spent(clock.now()).await.unwrap();
    assert_eq!(spent, COST * i64::try_from(answered).unwrap());
    assert!(spent <= 30_000);
}

#[tokio::test]
async fn what_the_page_does_not_say_is_not_taken_and_what_is_known_is_not_changed() {
    let (db, clock) = (TestDb::new().await, clock());
    let server = ModelServer::start(Kind::Anthropic, "company", Says::Record(record())).await;
    let ai = ai(Kind::Anthropic, &server, &db, &clock, 1_000_000);
    let mut known = json!({ "company_name": "Lantern", "provenance": {} });
    for field in company::SCHEMA.fields.iter().filter(|field| field.name != "company_name") {
        known[field.name] = Value::Null;
    }
    let shown =
        |text: &str| Shown::of(format!("<main><p>{text}</p></main>").as_bytes(), None, &known).unwrap();
    let (task, key) = (TaskId::fresh(), "https://lantern.example/");
    let asked = company::ask(&ai, task, key, &known, &shown(PAGE)).await.unwrap().unwrap();
    assert_eq!(
        Value::Object(asked.fields.clone()),
        json!({ "industry": "lamps for harbours", "employee_count_range": "12", "founded": 1911 })
    );
    assert_eq!((asked.outcome, asked.micros), ("answered", COST));

    // What counts by itself is no reason to ask again, and neither is the same page; another text is.
    let again = company::ask(&ai, task, key, &known, &shown(&format!("{PAGE} 9 people viewed this."))).await;
    let again = again.unwrap().unwrap();
    assert_eq!((again.outcome, again.micros, again.fields), ("spared", 0, asked.fields));
    assert_eq!(server.asked(), 1);
    let changed = shown(&PAGE.replace("a small shop", "two small shops"));
    assert_eq!(company::ask(&ai, task, key, &known, &changed).await.unwrap().unwrap().outcome, "answered");
    assert_eq!(server.asked(), 2);
    assert_eq!(company::ask(&Ai::None, task, key, &known, &shown(PAGE)).await.unwrap(), None);
    let total = store::of_task(&*db.pool.conn().await.unwrap(), task).await.unwrap();
    assert_eq!((total.calls, total.micros), (3, 2 * COST));

    let much_later = clock.now() + SignedDuration::from_hours(24 * 500);
    let conn = db.pool.conn().await.unwrap();
    assert_eq!(store::forget(&*conn, clock.now()).await.unwrap(), 0);
    assert_eq!(store::forget(&*conn, much_later).await.unwrap(), 2 + 1 + 3, "answers, the look, the calls");
}

#[tokio::test]
async fn a_role_is_chosen_among_those_shown_or_is_new() {
    let roles = [(7_u32, "Software Engineer"), (9, "Data Analyst")];
    for kind in KINDS {
        let (db, clock) = (TestDb::new().await, clock());
        let says = |choice: &str, name: Value| Says::Record(json!({ "choice": choice, "new_name": name }));
        let server = ModelServer::start(kind, "role", says("r2", Value::Null)).await;
        let ai = ai(kind, &server, &db, &clock, 1_000_000);
        let choose = async |title: &str| ai.choose_role(None, title, &roles).await.unwrap().unwrap();
        assert_eq!(choose("Analyst of data").await, Ok(Choice::Existing(9)), "{kind:?}");
        let heard = server.last();
        let body = heard.body.to_string();
        assert!(body.contains("r1: Software Engineer") && body.contains("Title: Analyst of data"), "{body}");
        assert!(body.contains("[\"r1\",\"r2\",\"new\"]"), "{kind:?}: {body}");
        server.now_says(says("new", json!("Lamp Maker")));
        assert_eq!(choose("Senior lamp maker").await, Ok(Choice::New("Lamp Maker".to_owned())));
        for (at, unfit) in [says("r3", Value::Null), says("new", Value::Null), says("new", json!("-"))]
            .into_iter()
            .enumerate()
        {
            server.now_says(unfit);
            assert_eq!(choose(&format!("Title {at}")).await.unwrap_err().code(), "ai_unfit", "{kind:?} {at}");
        }
        server.now_says(Says::Record(json!({ "choice": null, "new_name": "x" })));
        assert_eq!(choose("No choice").await.unwrap_err().code(), "ai_unfit");
    }
    assert_eq!(Ai::None.choose_role(None, "x", &roles).await.unwrap(), None);
}

#[tokio::test]
async fn a_key_travels_encrypted_or_to_a_host_of_our_own() {
    let db = TestDb::new().await;
    let web = || Egress::new(Permission::default(), Limits::default()).unwrap();
    let settings = |url: &str| Settings {
        kind: Kind::OpenAi,
        model: "m".to_owned(),
        base_url: url.to_owned(),
        key: KEY.into(),
        timeout: Duration::from_secs(1),
        daily_budget: 1,
        price_in: 0.0,
        price_out: 0.0,
    };
    for url in ["http://models.example.com", "http://127.0.0.1:1", "file:///x", "models"] {
        let refused = Ai::new(Some(settings(url)), web(), db.pool.clone(), clock());
        let error = refused.err().unwrap_or_else(|| panic!("{url}")).to_string();
        assert!(error.contains("AI_BASE_URL") && !error.contains(KEY), "{error}");
    }
    assert!(Ai::new(Some(settings("https://models.example.com")), web(), db.pool.clone(), clock()).is_ok());
    let _: Timestamp = clock().now();
}
