//! The whole house on an emulated AWS: the real template, the real `bootstrap` binaries, their own roles.

use std::time::{Duration, Instant};

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_sqs::types::QueueAttributeName as Attribute;
use emulator::Emulator;
use fixture::{JobSite, Receiver, TestDb, page_task, posting_page};
use house::deploy::{Deployment, Stack, client, rooms};
use house::{packages, template};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::site::site_key;
use shared::domain::webhook::SigningKey;
use shared::store::tasks;
use shared::tokens::Callers;

const SERVICE_KEY: &str = "a-service-key-of-the-walk";
const SIGNING_KEY: &str = "a-signing-key-of-the-walk";
const WEBHOOK_SECRET: &str = "a-webhook-secret-of-the-walk";
/// Every wait here is for a fact; this is when we stop believing in it.
const PATIENCE: Duration = Duration::from_secs(90);

/// A deployed house with a database of its own.
struct Walk {
    emulator: Emulator,
    db: TestDb,
    stack: Stack,
    http: reqwest::Client,
}

impl Walk {
    /// Deploys the template after `change`. The crawler of this copy may reach the given sites.
    async fn start(sites: &[&JobSite], change: impl FnOnce(&mut Value)) -> Walk {
        let mut template = template::read().unwrap();
        let hosts: Vec<_> = sites.iter().map(|site| site.address.to_string()).collect();
        template["Resources"]["CrawlerFunction"]["Properties"]["Environment"]["Variables"]["ALLOW_PRIVATE_HOSTS"] =
            json!(hosts.join(","));
        for room in ["ApiFunction", "NotifierFunction"] {
            template["Resources"][room]["Properties"]["Environment"]["Variables"]["ALLOW_PRIVATE_HOSTS"] =
                json!("127.0.0.0/8");
        }
        // The clocks are ours: a sweep that comes by itself would do what a test is about to ask for.
        for room in ["DispatcherFunction", "CleanupFunction"] {
            template["Resources"][room]["Properties"]["Events"] = json!({});
        }
        change(&mut template);
        let rooms = rooms(&template);
        let packages = packages::folder(rooms.iter().map(String::as_str)).unwrap();
        let (emulator, db) = (Emulator::start().await.unwrap(), TestDb::new().await);
        let deployment = Deployment {
            packages: &packages,
            database_url: db.url.expose_secret(),
            callers: json!({ "service_keys": [SERVICE_KEY], "admin_signing_key": SIGNING_KEY }),
            webhook_secret: WEBHOOK_SECRET,
            template,
        };
        let stack = Stack::deploy(&emulator, deployment).await.unwrap();
        Walk { emulator, db, stack, http: client().unwrap() }
    }

    /// One call of the HTTP API, as an admin or as a service.
    async fn call(&self, method: Method, path: &str, admin: bool, body: Option<Value>) -> (u16, Value) {
        if admin {
            let callers = Callers::new(&[SERVICE_KEY.into()], SIGNING_KEY.into()).unwrap();
            let token = callers.admin_token("walk", SignedDuration::from_mins(5), Clock::System.now());
            return self
                .call_with(method, path, ("authorization", &format!("Bearer {}", token.unwrap())), body)
                .await;
        }
        self.call_with(method, path, ("x-service-key", SERVICE_KEY), body).await
    }

    /// One call, with this header as the proof of who calls.
    async fn call_with(
        &self,
        method: Method,
        path: &str,
        (header, value): (&str, &str),
        body: Option<Value>,
    ) -> (u16, Value) {
        let mut request = self.http.request(method, format!("{}{path}", self.stack.api_url));
        request = request.header(header, value);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        #[expect(clippy::disallowed_methods, reason = "our own emulator answers, not the web")]
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(json!(text)))
    }

    async fn get(&self, path: &str) -> Value {
        let (status, body) = self.call(Method::GET, path, false, None).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Hands in a page; the answer is the task's id.
    async fn scrape(&self, url: &str) -> String {
        self.scrape_and_tell(url, None).await
    }

    async fn scrape_and_tell(&self, url: &str, callback_url: Option<&str>) -> String {
        let mut body = json!({ "target_type": "job_posting", "target_url": url, "workspace_id": "walk" });
        if let Some(callback_url) = callback_url {
            body["callback_url"] = json!(callback_url);
        }
        let (status, answer) = self.call(Method::POST, "/api/v1/scrape", false, Some(body)).await;
        assert_eq!((status, &answer["data"]["status"]), (202, &json!("queued")), "{answer}");
        answer["data"]["task_id"].as_str().unwrap().to_owned()
    }

    /// The task when it has ended.
    async fn ended(&self, task: &str) -> Value {
        let (since, path) = (Instant::now(), format!("/api/v1/scrape/{task}"));
        loop {
            let answer = self.get(&path).await;
            if answer["data"]["status"] == "completed" || answer["data"]["status"] == "failed" {
                return answer;
            }
            if since.elapsed() > PATIENCE {
                panic!("{answer}\n{}", self.story().await);
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// What the rooms and the emulator wrote: what a failed walk is understood by.
    async fn story(&self) -> String {
        let mut story = String::new();
        for room in ["api", "crawler", "extractor", "notifier", "matcher", "dispatcher", "cleanup"] {
            let log = self.stack.log(&self.emulator, room).await.unwrap_or_else(|error| error.to_string());
            // Every look at the task was answered, too: that is no part of it.
            let lines = log.lines().filter(|line| line.contains("level") && !line.contains("\"answered\""));
            story.push_str(&format!("--- {room}\n{}\n", lines.collect::<Vec<_>>().join("\n")));
        }
        story + "--- emulator\n" + &self.emulator.log()
    }

    async fn evidence(&self, listing: &str) -> Vec<Value> {
        let page = self.get(&format!("/api/listings/{listing}/evidence")).await;
        page["evidence"].as_array().unwrap().clone()
    }

    /// Waits until nothing is in the queues, hidden or not.
    async fn queues_are_empty(&self) {
        let since = Instant::now();
        for queue in [
            "CrawlQueueUrl",
            "ExtractQueueUrl",
            "NotifyQueueUrl",
            "MatchQueueUrl",
            "CrawlDeadLetterQueueUrl",
            "ExtractDeadLetterQueueUrl",
        ] {
            let url = self.stack.output(queue).unwrap();
            while self.depth(url).await > 0 {
                if since.elapsed() > PATIENCE {
                    panic!("{queue} does not empty\n{}", self.story().await);
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }

    async fn depth(&self, url: &str) -> u64 {
        let names =
            [Attribute::ApproximateNumberOfMessages, Attribute::ApproximateNumberOfMessagesNotVisible];
        let found = self.emulator.sqs().get_queue_attributes().queue_url(url);
        let found = found.set_attribute_names(Some(names.to_vec())).send().await.unwrap();
        let all = found.attributes().unwrap();
        names.iter().map(|name| all[name].parse::<u64>().unwrap()).sum()
    }
}

#[tokio::test]
async fn a_page_walks_through_the_house_on_aws() {
    let site = JobSite::start("127.0.0.1").await;
    let swept = JobSite::start("127.0.0.2").await;
    let walk = Walk::start(&[&site, &swept], |_| ()).await;
    let html = [("content-type", "text/html; charset=utf-8"), ("etag", "\"first\"")];
    site.answers("/jobs/1", 200, &html, &posting_page("Lock keeper"));

    // In through the gateway, out as a listing.
    let receiver = Receiver::start("127.0.0.1").await;
    let hook = receiver.url("/hook");
    let task = walk.ended(&walk.scrape_and_tell(&site.url("/jobs/1"), Some(&hook)).await).await;
    assert_eq!(task["data"]["status"], "completed", "{task}\n{}", walk.story().await);
    assert_eq!(task["data"]["result"]["job_title"], "Lock keeper");
    let listing = task["data"]["listing_id"].as_str().unwrap();
    let shown = walk.get(&format!("/api/listings/{listing}")).await;
    assert_eq!((&shown["title"], &shown["is_active"]), (&json!("Lock keeper"), &json!(true)));
    let evidence = walk.evidence(listing).await;
    assert_eq!(events(&evidence), ["created"]);

    // Whoever handed it in is told, with a signature.
    let told = receiver.called(1).await.remove(0);
    assert_eq!(
        (&told.json()["job_id"], &told.json()["status"]),
        (&task["data"]["task_id"], &json!("completed"))
    );
    let key = SigningKey::new(WEBHOOK_SECRET.to_owned().into()).unwrap();
    let at = Timestamp::from_second(told.header("webhook-timestamp").parse().unwrap()).unwrap();
    for (name, value) in key.headers(told.header("webhook-id").parse().unwrap(), at, &told.body) {
        assert_eq!(told.header(name), value);
    }

    // What it left behind: the page as it was, the gate of its site, and nothing in the queues.
    let key = evidence[0]["raw_key"].as_str().unwrap();
    let bucket = walk.stack.output("RawBucketName").unwrap();
    let stored = walk.emulator.s3().get_object().bucket(bucket).key(key).send().await.unwrap();
    let packed = stored.body.collect().await.unwrap().into_bytes();
    let page = zstd::decode_all(packed.as_ref()).unwrap();
    assert_eq!(String::from_utf8(page).unwrap(), posting_page("Lock keeper"));
    let gate = gate_of(&walk, &site).await;
    // One slot for robots.txt, one for the page.
    assert_eq!((&gate["fence"], gate["grants"].as_array().map(Vec::len)), (&json!(2), Some(2)), "{gate}");
    walk.queues_are_empty().await;
    assert_eq!(site.hits().len(), 1);

    // Again: the site says 304, and the listing is refreshed without a new page.
    let task = walk.ended(&walk.scrape(&site.url("/jobs/1")).await).await;
    assert_eq!(task["meta"]["answered_from"], "not_modified", "{task}");
    let evidence = walk.evidence(listing).await;
    assert_eq!(events(&evidence), ["created", "refreshed"]);
    assert_eq!((&evidence[1]["http_status"], evidence[1]["raw_key"].as_str()), (&json!(304), Some(key)));

    // A further request within ten seconds is one too many: its message waits in the queue. Then the posting
    // is gone, and that closes the listing.
    site.answers("/jobs/1", 404, &[], "gone");
    let task = walk.ended(&walk.scrape(&site.url("/jobs/1")).await).await;
    assert_eq!((&task["data"]["status"], &task["meta"]["code"]), (&json!("failed"), &json!("http_404")));
    let hits = site.hits();
    assert_eq!(hits.len(), 3);
    assert!(hits[2].at - hits[0].at >= Duration::from_secs(10), "two requests in ten seconds");
    assert!(walk.emulator.log().contains("1 partial failures"), "it was put off by its message");
    assert_eq!(events(&walk.evidence(listing).await), ["created", "refreshed", "closed"]);
    let shown = walk.get(&format!("/api/listings/{listing}")).await;
    assert_eq!((&shown["is_active"], &shown["close_reason"]), (&json!(false), &json!("http_404")));

    a_posted_job_reaches_who_wants_it(&walk).await;
    a_lost_release_is_swept(&walk, &swept).await;
    a_dead_letter_reaches_the_admin(&walk).await;
    walk.queues_are_empty().await;
}

/// An external scraper's job: through the queue of the matcher to the person who wants its role.
async fn a_posted_job_reaches_who_wants_it(walk: &Walk) {
    let person = json!({ "name": "Imke", "skills": ["Rust"], "preferred_roles": ["Embedded Engineer"] });
    let (status, saved) = walk.call(Method::POST, "/api/candidates", false, Some(person)).await;
    assert_eq!(status, 201, "{saved}");
    let wish = json!({ "name": "walk" });
    let (status, shown) = walk.call(Method::POST, "/api/admin/scraper-keys", true, Some(wish)).await;
    assert_eq!(status, 201, "{shown}");
    let scraper = ("x-scraper-api-key", shown["api_key"].as_str().unwrap());
    let (status, work) = walk.call_with(Method::GET, "/api/scraper/queue/next-role", scraper, None).await;
    assert_eq!((status, &work["role"]["name"]), (200, &json!("Embedded Engineer")), "{work}");
    let post = json!({ "session_id": work["session_id"], "jobs": [{ "external_job_id": "7", "platform": "dice",
        "title": "Embedded Engineer", "company": "Lantern", "skills": ["Rust", "C"],
        "job_url": "https://www.dice.com/job-detail/7" }] });
    let (status, answer) = walk.call_with(Method::POST, "/api/scraper/queue/jobs", scraper, Some(post)).await;
    assert_eq!((status, &answer["jobs_imported"]), (200, &json!(1)), "{answer}");
    let (since, id) = (Instant::now(), saved["candidate"]["id"].as_str().unwrap());
    loop {
        let page = walk.get(&format!("/api/candidates/{id}/matches")).await;
        if let Some(best) = page["matches"].get(0) {
            assert_eq!((&best["title"], &best["source"]), (&json!("Embedded Engineer"), &json!("dice")));
            assert!(best["score"].as_f64().unwrap() >= 50.0, "{best}");
            return;
        }
        if since.elapsed() > PATIENCE {
            panic!("nobody was matched\n{}", walk.story().await);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// A task whose message was never sent: the dispatcher sends it.
async fn a_lost_release_is_swept(walk: &Walk, site: &JobSite) {
    site.posts("/jobs/2", "Ferry hand");
    let task = page_task(&site.url("/jobs/2"));
    let conn = walk.db.pool.conn().await.unwrap();
    tasks::insert(&*conn, &task, Clock::System.now()).await.unwrap();
    drop(conn);
    let tick = sample("dispatcher");
    let swept = walk.stack.invoke(&walk.emulator, "DispatcherFunction", &tick).await.unwrap();
    assert_eq!(
        swept,
        json!({ "sites": 1, "released": 1, "extracts": 0, "webhooks": 0, "matches": 0, "reads": 0, "checks": 0 })
    );
    let ended = walk.ended(&task.id.to_string()).await;
    assert_eq!(ended["data"]["result"]["job_title"], "Ferry hand", "{ended}");
    assert_eq!(site.hits().len(), 1);
    let again = walk.stack.invoke(&walk.emulator, "DispatcherFunction", &tick).await.unwrap();
    assert_eq!(
        again,
        json!({ "sites": 0, "released": 0, "extracts": 0, "webhooks": 0, "matches": 0, "reads": 0, "checks": 0 }),
        "nothing is left to sweep"
    );
}

/// A message nobody could read: cleanup keeps it where an admin sees it, and can throw it away.
async fn a_dead_letter_reaches_the_admin(walk: &Walk) {
    let dead = walk.stack.output("CrawlDeadLetterQueueUrl").unwrap();
    let send = walk.emulator.sqs().send_message().queue_url(dead).message_body("not for reading");
    send.message_group_id("nowhere").message_deduplication_id("once").send().await.unwrap();
    let cleaned = walk.stack.invoke(&walk.emulator, "CleanupFunction", &sample("cleanup")).await.unwrap();
    assert_eq!(cleaned, json!({ "dead_letters": 1, "sessions_timed_out": 0, "roles_reset": 0 }));
    let list = "/api/admin/dead-letters";
    assert_eq!(walk.call(Method::GET, list, false, None).await.0, 401, "a service is no admin");
    let (_, page) = walk.call(Method::GET, list, true, None).await;
    let letter = &page["dead_letters"][0];
    assert_eq!((&letter["queue"], &letter["body"]), (&json!("crawl"), &json!("not for reading")), "{page}");
    let (status, _) = walk.call(Method::DELETE, &format!("{list}/{}", letter["id"]), true, None).await;
    assert!((200..300).contains(&status), "{status}");
    let (_, page) = walk.call(Method::GET, list, true, None).await;
    assert_eq!(page["dead_letters"], json!([]));
}

/// The negative control of every role: the functions have no rights but those that are written down.
#[tokio::test]
async fn without_its_right_to_the_gate_the_crawler_asks_no_site() {
    let site = JobSite::start("127.0.0.1").await;
    site.posts("/jobs/1", "Lock keeper");
    let walk = Walk::start(&[&site], |template| {
        let policy = &mut template["Resources"]["CrawlerRole"]["Properties"]["Policies"][0];
        let statements = policy["PolicyDocument"]["Statement"].as_array_mut().unwrap();
        let before = statements.len();
        statements.retain(|statement| statement["Sid"] != "Gate");
        assert_eq!(statements.len(), before - 1);
    })
    .await;
    let task = walk.scrape(&site.url("/jobs/1")).await;
    let since = Instant::now();
    while !walk.stack.log(&walk.emulator, "crawler").await.unwrap().contains("AccessDenied") {
        if since.elapsed() > PATIENCE {
            panic!("nobody was denied\n{}", walk.story().await);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(walk.get(&format!("/api/v1/scrape/{task}")).await["data"]["status"], "queued");
    assert!(site.hits().is_empty(), "a site was asked without its gate");
}

/// What the gate remembers of a site.
async fn gate_of(walk: &Walk, site: &JobSite) -> Value {
    let key = format!("site#{}", site_key(&site.url("/").parse().unwrap()).unwrap());
    let table = walk.stack.output("GateTableName").unwrap();
    let found = walk.emulator.dynamodb().get_item().table_name(table).key("pk", AttributeValue::S(key));
    let item = found.send().await.unwrap().item.expect("the gate knows the site");
    serde_json::from_str(item["state"].as_s().unwrap()).unwrap()
}

fn events(evidence: &[Value]) -> Vec<&str> {
    evidence.iter().map(|row| row["event"].as_str().unwrap()).collect()
}

fn sample(room: &str) -> Value {
    template::sample(room).unwrap()
}

#[tokio::test]
async fn the_emulator_keeps_the_promises_of_fifo() {
    let emulator = Emulator::ready().await.unwrap();
    let queue = emulator.create_fifo_queue("walk", Duration::from_secs(1), 100).await.unwrap();
    let send = |group: &str, id: &str| {
        emulator
            .sqs()
            .send_message()
            .queue_url(&queue.url)
            .message_group_id(group)
            .message_deduplication_id(id)
            .message_body(id)
            .send()
    };
    for (group, id) in [("a", "a1"), ("a", "a2"), ("b", "b1"), ("a", "a1")] {
        send(group, id).await.unwrap();
    }
    let receive = || async {
        let got = emulator.sqs().receive_message().queue_url(&queue.url).send().await.unwrap();
        got.messages().iter().map(|message| message.body().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(receive().await, ["a1"]);
    assert_eq!(receive().await, ["b1"], "group a is locked while a1 is out");
    assert!(receive().await.is_empty(), "and a1 was sent once");
}
