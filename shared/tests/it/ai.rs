//! Each provider's wire format against a local server that speaks it: answers, broken answers, and no answers; what
//! they cost, and what is not asked twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use fixture::TestDb;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use shared::ai::{Ai, AiError, Kind, Question, Settings, company};
use shared::clock::Clock;
use shared::domain::ids::TaskId;
use shared::egress::{Egress, Limits, Permission};
use shared::store::ai as store;

const KINDS: [Kind; 4] = [Kind::Anthropic, Kind::Gemini, Kind::OpenAi, Kind::Bedrock];
const KEY: &str = "key-of-nobody";
const PAGE: &str = "Lantern Ltd makes lamps for harbours. Founded in 1911, it has twelve people and a small shop by the \
    quay where glass is blown every morning before the tide.";

/// What the server says next.
#[derive(Clone)]
enum Says {
    Record(Value),
    /// In the provider's wrapping, but no JSON inside.
    BrokenRecord,
    Bytes(&'static str),
    Status(u16),
    Silence,
}

struct Heard {
    path: String,
    headers: HeaderMap,
    body: Value,
}

/// A provider on loopback.
struct Server {
    url: String,
    says: Arc<Mutex<Says>>,
    heard: Arc<Mutex<Vec<Heard>>>,
}

type Shared = (Kind, Arc<Mutex<Says>>, Arc<Mutex<Vec<Heard>>>);

impl Server {
    async fn start(kind: Kind, says: Says) -> Server {
        let (says, heard) = (Arc::new(Mutex::new(says)), Arc::new(Mutex::new(Vec::new())));
        let state: Shared = (kind, Arc::clone(&says), Arc::clone(&heard));
        let router = Router::new().fallback(answer).with_state(state);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Server { url, says, heard }
    }

    fn now_says(&self, says: Says) {
        *self.says.lock().unwrap() = says;
    }

    fn asked(&self) -> usize {
        self.heard.lock().unwrap().len()
    }
}

async fn answer(
    State((kind, says, heard)): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, String) {
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    heard.lock().unwrap().push(Heard { path: uri.path().to_owned(), headers, body });
    let says = says.lock().unwrap().clone();
    let text = match says {
        Says::Record(record) => wrapped(kind, Some(&record)),
        Says::BrokenRecord => wrapped(kind, None),
        Says::Bytes(bytes) => bytes.to_owned(),
        Says::Status(status) => return (StatusCode::from_u16(status).unwrap(), "{}".to_owned()),
        Says::Silence => std::future::pending().await,
    };
    (StatusCode::OK, text)
}

/// A record as each provider sends it, for 1,000 tokens in and 100 out.
fn wrapped(kind: Kind, record: Option<&Value>) -> String {
    let text = record.map_or("{\"company_name\": ".to_owned(), Value::to_string);
    let whole = match kind {
        Kind::Anthropic => {
            let part = match record {
                Some(record) => json!({ "type": "tool_use", "id": "t1", "name": "company", "input": record }),
                None => json!({ "type": "text", "text": text }),
            };
            json!({ "type": "message", "content": [part], "stop_reason": "tool_use",
                "usage": { "input_tokens": 1000, "output_tokens": 100 } })
        }
        Kind::Gemini => json!({
            "candidates": [{ "content": { "role": "model", "parts": [{ "text": text }] }, "finishReason": "STOP" }],
            "usageMetadata": { "promptTokenCount": 1000, "candidatesTokenCount": 60, "thoughtsTokenCount": 40 } }),
        Kind::OpenAi => json!({
            "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 1000, "completion_tokens": 100 } }),
        Kind::Bedrock => {
            let part = match record {
                Some(record) => {
                    json!({ "toolUse": { "toolUseId": "t1", "name": "company", "input": record } })
                }
                None => json!({ "text": text }),
            };
            json!({ "output": { "message": { "role": "assistant", "content": [part] } }, "stopReason": "tool_use",
                "usage": { "inputTokens": 1000, "outputTokens": 100 } })
        }
    };
    whole.to_string()
}

fn record() -> Value {
    json!({
        "company_name": "Lantern Ltd", "industry": "lamps for harbours", "employee_count_range": "twelve people",
        "mission": null, "culture": "everybody is happy here", "founded": 1911, "tech_stack": ["glass", "Rust"],
    })
}

const COST: i64 = 1_000 + 5 * 100;

fn clock() -> Clock {
    Clock::manual("2026-11-16T12:00:00Z".parse().unwrap())
}

fn ai(kind: Kind, server: &Server, db: &TestDb, clock: &Clock, budget: i64) -> Ai {
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
        let server = Server::start(kind, Says::Record(record())).await;
        let ai = ai(kind, &server, &db, &clock, 1_000_000);
        let task = TaskId(uuid::Uuid::now_v7());
        let first = ai.ask(Some(task), &question()).await.unwrap().unwrap().unwrap();
        assert_eq!(Value::Object(first.fields.clone()), record(), "{kind:?}");
        assert_eq!((first.tokens.input, first.tokens.output, first.micros), (1_000, 100, COST));
        let second = ai.ask(Some(task), &question()).await.unwrap().unwrap().unwrap();
        assert!(second.cached && second.fields == first.fields);
        assert_eq!(server.asked(), 1, "{kind:?}");

        let heard = server.heard.lock().unwrap().pop().unwrap();
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
        let server = Server::start(kind, Says::Record(unfit.clone())).await;
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
        let server = Server::start(kind, Says::Status(429)).await;
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
    let server = Server::start(Kind::OpenAi, Says::Record(record())).await;
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
    let server = Server::start(Kind::Gemini, Says::Record(record())).await;
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
    let server = Server::start(Kind::Anthropic, Says::Record(record())).await;
    let ai = ai(Kind::Anthropic, &server, &db, &clock, 1_000_000);
    let known = json!({ "company_name": "Lantern", "industry": null, "employee_count_range": null, "mission": null,
        "culture": null, "founded": null, "tech_stack": null });
    let filled = company::fill(&ai, None, &known, PAGE).await.unwrap().unwrap();
    assert_eq!(
        Value::Object(filled),
        json!({ "industry": "lamps for harbours", "employee_count_range": "twelve people", "founded": 1911,
            "tech_stack": ["glass"] })
    );
    assert!(company::fill(&Ai::None, None, &known, PAGE).await.unwrap().unwrap().is_empty());
    assert_eq!(server.asked(), 1);
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
