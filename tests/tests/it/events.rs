//! Every trigger meets its real `bootstrap`: the samples in `events/`, and the deliveries that go wrong.
//! The binaries run under our own Runtime API, with an emulated AWS and a real Postgres around them.

use std::time::{Duration, Instant};

use emulator::{Emulator, FifoQueue};
use fixture::{JobSite, Receiver, Reply, TestDb, page_task};
use house::deploy::secret;
use house::runtime_api::{Function, Variables};
use house::template::sample;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::gate::Reserve;
use shared::domain::policy::Policy;
use shared::domain::render::Outcome;
use shared::domain::task::{Stage, TaskStatus};
use shared::gate::{DynamoGate, Gate};
use shared::messages::{RenderJob, Rendered};
use shared::queue::{Delivery, Queue, SqsQueue};
use shared::release;
use shared::store::policies;
use shared::store::tasks::{self, NewTask, Task};
use shared::store::webhooks;

/// The key in `events/api.json`.
const SERVICE_KEY: &str = "example-service-key";
const WEBHOOK_SECRET: &str = "a-webhook-secret-of-the-events";

/// What the template would put around the functions.
struct Around {
    emulator: Emulator,
    db: TestDb,
    crawl: FifoQueue,
    render: FifoQueue,
    extract: FifoQueue,
    notify: FifoQueue,
    matches: FifoQueue,
    gate_table: String,
    variables: Variables,
}

impl Around {
    async fn new() -> Around {
        let (emulator, db) = (Emulator::ready().await.unwrap(), TestDb::new().await);
        // As short as SQS allows, so that what stays hidden for longer was hidden by the function.
        let visibility = Duration::from_secs(1);
        let crawl = emulator.create_fifo_queue("crawl", visibility, 100).await.unwrap();
        let render = emulator.create_fifo_queue("render", visibility, 100).await.unwrap();
        let extract = emulator.create_fifo_queue("extract", visibility, 100).await.unwrap();
        let notify = emulator.create_fifo_queue("notify", visibility, 100).await.unwrap();
        let matches = emulator.create_fifo_queue("match", visibility, 100).await.unwrap();
        let bucket = emulator.create_bucket("raw").await.unwrap();
        let gate_table = emulator.create_gate_table().await.unwrap();
        let database = json!({ "database_url": db.url.expose_secret() });
        let callers =
            json!({ "service_keys": [SERVICE_KEY], "admin_signing_key": "a-signing-key-for-the-events" });
        let database = secret(&emulator, "database", &database).await.unwrap();
        let callers = secret(&emulator, "callers", &callers).await.unwrap();
        let webhooks = json!({ "webhook_secret": WEBHOOK_SECRET });
        let webhooks = secret(&emulator, "webhooks", &webhooks).await.unwrap();
        let variables = [
            ("FRESHET_HOUSE", "aws"),
            ("LOG_LEVEL", "info"),
            ("DATABASE_POOL_SIZE", "2"),
            ("DATABASE_SECRET_ARN", &database),
            ("CALLER_SECRET_ARN", &callers),
            ("CRAWL_QUEUE_URL", &crawl.url),
            ("CRAWL_DEAD_QUEUE_URL", &crawl.dead_url),
            ("RENDER_QUEUE_URL", &render.url),
            ("RENDER_DEAD_QUEUE_URL", &render.dead_url),
            ("EXTRACT_QUEUE_URL", &extract.url),
            ("EXTRACT_DEAD_QUEUE_URL", &extract.dead_url),
            ("NOTIFY_QUEUE_URL", &notify.url),
            ("NOTIFY_DEAD_QUEUE_URL", &notify.dead_url),
            ("MATCH_QUEUE_URL", &matches.url),
            ("MATCH_DEAD_QUEUE_URL", &matches.dead_url),
            ("WEBHOOK_SECRET_ARN", &webhooks),
            ("RAW_BUCKET", &bucket),
            ("GATE_TABLE", &gate_table),
            ("ALLOW_PRIVATE_HOSTS", "127.0.0.0/8"),
            ("AWS_ENDPOINT_URL", emulator.endpoint()),
            ("AWS_REGION", emulator::REGION),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Around { emulator, db, crawl, render, extract, notify, matches, gate_table, variables }
    }

    async fn start(&self, room: &str) -> Function {
        Function::start(room, &self.variables).await.unwrap()
    }

    fn queue(&self, queue: &FifoQueue) -> Queue {
        Queue::Sqs(SqsQueue::new(self.emulator.sqs(), queue.url.clone()))
    }

    /// Stores a task and releases its site; the answer is the message.
    async fn released(&self, task: &NewTask) -> Delivery {
        let conn = self.db.pool.conn().await.unwrap();
        let (queue, now) = (self.queue(&self.crawl), Clock::System.now());
        tasks::insert(&*conn, task, now).await.unwrap();
        drop(conn);
        assert_eq!(release::site(&self.db.pool, &queue, &task.site, now).await.unwrap(), 1);
        self.received(&queue).await
    }

    async fn received(&self, queue: &Queue) -> Delivery {
        queue.receive(1, Duration::from_secs(5)).await.unwrap().pop().expect("a message")
    }

    async fn row(&self, task: &NewTask) -> Task {
        let conn = self.db.pool.conn().await.unwrap();
        tasks::find(&*conn, task.id).await.unwrap().unwrap()
    }
}

/// A delivery of these messages, shaped like the sample.
fn delivery(room: &str, messages: &[(&str, &str, &str)]) -> Value {
    let mut event = sample(room).unwrap();
    let record = event["Records"][0].clone();
    let records = messages.iter().map(|(id, receipt, body)| {
        let mut record = record.clone();
        record["messageId"] = json!(id);
        record["receiptHandle"] = json!(receipt);
        record["body"] = json!(body);
        record
    });
    event["Records"] = records.collect();
    event
}

fn of(message: &Delivery) -> (&str, &str, &str) {
    (&message.message_id, &message.receipt, &message.body)
}

#[tokio::test]
async fn the_api_takes_its_sample_and_refuses_a_wrong_one() {
    let around = Around::new().await;
    let mut api = around.start("api").await;
    let good = sample("api").unwrap();
    let taken = api.invoke(good.clone()).await.unwrap().unwrap();
    assert_eq!(taken["statusCode"], 202, "{taken}\n{}", api.log());
    let body: Value = serde_json::from_str(taken["body"].as_str().unwrap()).unwrap();
    let message = around.received(&around.queue(&around.crawl)).await;
    assert_eq!(message.group, "jobs.example");
    assert!(message.body.contains(body["data"]["task_id"].as_str().unwrap()), "{}", message.body);

    let mut stranger = good.clone();
    stranger["headers"]["x-service-key"] = json!("some-other-service-key");
    assert_eq!(api.invoke(stranger).await.unwrap().unwrap()["statusCode"], 401);
    let mut wrong = good.clone();
    wrong["body"] = json!("{\"target_type\":\"job_posting\"}");
    wrong["headers"]["content-length"] = json!("29");
    assert_eq!(api.invoke(wrong).await.unwrap().unwrap()["statusCode"], 422);
    // The gateway may send a body in base64; it means the same.
    let mut encoded = good;
    encoded["body"] = json!("e30=");
    encoded["isBase64Encoded"] = json!(true);
    assert_eq!(api.invoke(encoded).await.unwrap().unwrap()["statusCode"], 422, "{{}} lacks every field");
}

#[tokio::test]
async fn the_stream_waits_for_the_page_of_its_sample() {
    let around = Around::new().await;
    let mut stream = around.start("stream").await;
    let mut event = sample("stream").unwrap();
    // Nobody works here: after the five seconds of the sample its caller is told that time is out.
    let answer = stream.invoke(event.clone()).await.unwrap().unwrap();
    assert_eq!(
        (&answer["statusCode"], &answer["streamed"]),
        (&json!(504), &json!(true)),
        "{answer}\n{}",
        stream.log()
    );
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&body["error"], &body["meta"]["type"]),
        (&json!("Task execution timed out"), &json!("TaskTimeoutError"))
    );
    let id = body["meta"]["task_id"].as_str().unwrap().to_owned();
    let message = around.received(&around.queue(&around.crawl)).await;
    assert!(message.body.contains(&id), "the task was made and released: {}", message.body);

    // Sent again it waits for the same task, and somebody ends that one meanwhile.
    let conn = around.db.pool.conn().await.unwrap();
    let end = "update tasks set status = 'success', released_at = null, started_at = created_at,
        ended_at = created_at, result = '{\"job_title\":\"Lock keeper\"}' where id::text = $1";
    assert_eq!(conn.execute(end, &[&id]).await.unwrap(), 1);
    let answer = stream.invoke(event.clone()).await.unwrap().unwrap();
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    assert_eq!(answer["statusCode"], 200, "{answer}");
    assert_eq!(
        (&body["data"]["task_id"], &body["data"]["result"]["job_title"]),
        (&json!(id), &json!("Lock keeper"))
    );

    event["headers"]["x-service-key"] = json!("some-other-service-key");
    assert_eq!(stream.invoke(event.clone()).await.unwrap().unwrap()["statusCode"], 401);
    event["rawPath"] = json!("/api/v1/scrape");
    event["requestContext"]["http"]["path"] = json!("/api/v1/scrape");
    assert_eq!(stream.invoke(event).await.unwrap().unwrap()["statusCode"], 404, "it has one route");
}

#[tokio::test]
async fn queue_rooms_take_their_samples() {
    let around = Around::new().await;
    for room in ["crawler", "extractor", "notifier"] {
        let mut function = around.start(room).await;
        // Its task is not in the table: a message that came too late is done with.
        let answer = function.invoke(sample(room).unwrap()).await.unwrap();
        assert_eq!(answer, Ok(json!({ "batchItemFailures": [] })), "{room}\n{}", function.log());
    }
}

/// Its message is gone before the page is asked for: delivered again, nothing is asked for again.
#[tokio::test]
async fn the_renderer_takes_its_sample_once() {
    let around = Around::new().await;
    let queue = around.queue(&around.render);
    let body = sample("renderer").unwrap()["Records"][0]["body"].as_str().unwrap().to_owned();
    let job: RenderJob = serde_json::from_str(&body).unwrap();
    queue.send(&[job.outgoing().unwrap()]).await.unwrap();
    let message = around.received(&queue).await;
    let mut renderer = around.start("renderer").await;
    let event = delivery("renderer", &[of(&message)]);
    let done = Ok(json!({ "batchItemFailures": [] }));
    assert_eq!(renderer.invoke(event.clone()).await.unwrap(), done, "{}", renderer.log());
    let said = around.received(&around.queue(&around.crawl)).await;
    let said: Rendered = serde_json::from_str(&said.body).unwrap();
    assert_eq!(
        (said.task_id, &said.rendered),
        (job.task_id, &Outcome::Late),
        "the sample's slot is long over"
    );
    let kept = json!({ "batchItemFailures": [{ "itemIdentifier": message.message_id }] });
    assert_eq!(renderer.invoke(event).await.unwrap(), Ok(kept), "{}", renderer.log());
}

/// The whole way on Lambda: the crawler sends the page, the renderer shows it, the crawler takes it in.
#[tokio::test]
async fn a_page_is_rendered_between_two_calls_of_the_crawler() {
    let around = Around::new().await;
    let site = JobSite::start("127.0.0.1").await;
    let page = fixture::posting_page("Lock keeper").replace('`', "'").replace("</script>", "<\\/script>");
    let shell = format!("<div id=root></div><script>document.write(`{page}`)</script>");
    site.answers("/jobs/1", 200, &[("content-type", "text/html")], &shell);
    let at_once = Policy {
        tokens_per_interval: 1_000,
        interval_seconds: 0.0,
        min_delay_ms: 0,
        max_delay_ms: 0,
        ..Policy::default()
    };
    let conn = around.db.pool.conn().await.unwrap();
    policies::set(&*conn, policies::DEFAULT, &at_once, Clock::System.now()).await.unwrap();
    drop(conn);
    let task = page_task(&site.url("/jobs/1"));
    let (crawl, render) = (around.queue(&around.crawl), around.queue(&around.render));
    let mut crawler = around.start("crawler").await;
    let done = Ok(json!({ "batchItemFailures": [] }));
    let mut message = around.released(&task).await;
    // Plain first: the page says nothing, and comes again with a slot for a browser.
    for _ in 0..3 {
        assert_eq!(
            crawler.invoke(delivery("crawler", &[of(&message)])).await.unwrap(),
            done,
            "{}",
            crawler.log()
        );
        crawl.ack(&message).await.unwrap();
        if render.depth().await.unwrap() > 0 {
            break;
        }
        message = around.received(&crawl).await;
    }
    let message = around.received(&render).await;
    let mut renderer = around.start("renderer").await;
    let event = delivery("renderer", &[of(&message)]);
    assert_eq!(renderer.invoke(event).await.unwrap(), done, "{}", renderer.log());
    let message = around.received(&crawl).await;
    assert_eq!(
        crawler.invoke(delivery("crawler", &[of(&message)])).await.unwrap(),
        done,
        "{}",
        crawler.log()
    );
    assert_eq!(around.row(&task).await.stage, Stage::Extract, "{}", crawler.log());
}

#[tokio::test]
async fn clock_rooms_take_their_samples() {
    let around = Around::new().await;
    let answers = [
        (
            "dispatcher",
            json!({ "sites": 0, "released": 0, "extracts": 0, "webhooks": 0, "matches": 0, "reads": 0, "checks": 0 }),
        ),
        ("cleanup", json!({ "dead_letters": 0, "sessions_timed_out": 0, "roles_reset": 0 })),
    ];
    for (room, expected) in answers {
        let mut function = around.start(room).await;
        let answer = function.invoke(sample(room).unwrap()).await.unwrap();
        assert_eq!(answer, Ok(expected), "{room}\n{}", function.log());
        if room == "cleanup" {
            let midnight = function.invoke(json!({ "run": "new_day" })).await.unwrap();
            let expected = json!({ "roles_reset_to_pending": 0, "skills_counted": 1 });
            assert_eq!(midnight, Ok(expected), "{}", function.log());
        }
    }
}

/// A run that is gone has nothing left to do: its message is done with.
#[tokio::test]
async fn the_matcher_takes_its_sample_and_works_off_a_run() {
    let around = Around::new().await;
    let mut matcher = around.start("matcher").await;
    let done = json!({ "batchItemFailures": [] });
    assert_eq!(
        matcher.invoke(sample("matcher").unwrap()).await.unwrap(),
        Ok(done.clone()),
        "{}",
        matcher.log()
    );
    let conn = around.db.pool.conn().await.unwrap();
    let lost = "with c as (insert into candidates (id, created_at, updated_at) values (gen_random_uuid(), now(), now())
            returning id)
        insert into match_runs (id, candidate_id, created_at, touched_at)
        select gen_random_uuid(), id, '2020-01-01', '2020-01-01' from c";
    conn.execute(lost, &[]).await.unwrap();
    let mut dispatcher = around.start("dispatcher").await;
    let swept = dispatcher.invoke(sample("dispatcher").unwrap()).await.unwrap().unwrap();
    assert_eq!(swept["matches"], 1, "{swept}\n{}", dispatcher.log());
    let queue = around.queue(&around.matches);
    let message = around.received(&queue).await;
    assert_eq!(
        matcher.invoke(delivery("matcher", &[of(&message)])).await.unwrap(),
        Ok(done),
        "{}",
        matcher.log()
    );
    let open = conn.query_one("select count(*) from match_runs where ended_at is null", &[]).await.unwrap();
    assert_eq!(open.get::<_, i64>(0), 0);
}

#[tokio::test]
async fn an_unreadable_message_fails_alone() {
    let around = Around::new().await;
    let site = JobSite::start("127.0.0.1").await;
    site.posts("/jobs/1", "Lock keeper");
    let task = page_task(&site.url("/jobs/1"));
    let message = around.released(&task).await;
    let mut crawler = around.start("crawler").await;
    let event = delivery("crawler", &[("bad", "none", "{\"task_id\":7}"), of(&message)]);
    let answer = crawler.invoke(event).await.unwrap();
    assert_eq!(
        answer,
        Ok(json!({ "batchItemFailures": [{ "itemIdentifier": "bad" }] })),
        "{}",
        crawler.log()
    );
    let row = around.row(&task).await;
    assert_eq!((row.status, row.stage), (TaskStatus::Processing, Stage::Extract));
    assert_eq!(site.hits().len(), 1);

    // The same at the extractor, with the message that the crawler sent it.
    let message = around.received(&around.queue(&around.extract)).await;
    let mut extractor = around.start("extractor").await;
    let event = delivery("extractor", &[of(&message), ("bad", "none", "")]);
    let answer = extractor.invoke(event).await.unwrap();
    let failed = json!({ "batchItemFailures": [{ "itemIdentifier": "bad" }] });
    assert_eq!(answer, Ok(failed), "{}", extractor.log());
    let row = around.row(&task).await;
    assert_eq!(
        (row.status, row.result.unwrap()["job_title"].as_str()),
        (TaskStatus::Success, Some("Lock keeper"))
    );
}

#[tokio::test]
async fn a_message_that_comes_too_early_is_hidden_and_reported_failed() {
    let around = Around::new().await;
    let site = JobSite::start("127.0.0.1").await;
    let task = page_task(&site.url("/jobs/1"));
    // Somebody holds the site's slot and may take half a minute to use it.
    let gate = Gate::Dynamo(DynamoGate::new(around.emulator.dynamodb(), around.gate_table.clone()));
    let slow = Policy { connect_budget_ms: 30_000, ..Policy::default() };
    let slot = gate.reserve(&task.site, &slow, Clock::System.now(), 0.0).await.unwrap();
    assert!(matches!(slot, Reserve::Granted(_)));
    let mut crawler = around.start("crawler").await;
    let message = around.released(&task).await;
    let received = Instant::now();
    let answer = crawler.invoke(delivery("crawler", &[of(&message)])).await.unwrap();
    let failed = json!({ "batchItemFailures": [{ "itemIdentifier": message.message_id }] });
    assert_eq!(answer, Ok(failed), "{}", crawler.log());
    assert!(site.hits().is_empty());
    assert_eq!(around.row(&task).await.status, TaskStatus::Pending, "it was never claimed");

    // Past the queue's own visibility it would be back, had the function not hidden it.
    tokio::time::sleep(Duration::from_millis(1_500).saturating_sub(received.elapsed())).await;
    let queue = around.queue(&around.crawl);
    assert!(queue.receive(1, Duration::ZERO).await.unwrap().is_empty(), "it is hidden");
    assert_eq!(queue.depth().await.unwrap(), 1, "and still there");
}

/// The notifier sends once, and a retry is a message in a group of its own that stays hidden until its time.
#[tokio::test]
async fn a_webhook_goes_out_and_its_retry_waits_in_the_queue() {
    let around = Around::new().await;
    let receiver = Receiver::start("127.0.0.1").await;
    receiver.answers("/hook", [Reply::Status(500), Reply::Status(200)]);
    let task = page_task("https://jobs.example/posts/1");
    let conn = around.db.pool.conn().await.unwrap();
    tasks::insert(&*conn, &task, Clock::System.now()).await.unwrap();
    webhooks::call_back(&*conn, task.id, &receiver.url("/hook")).await.unwrap();
    let end = "update tasks set status = 'failed', ended_at = now(), error = 'it is gone' where id = $1";
    conn.execute(end, &[&task.id]).await.unwrap();
    let mut dispatcher = around.start("dispatcher").await;
    let swept = dispatcher.invoke(sample("dispatcher").unwrap()).await.unwrap().unwrap();
    assert_eq!(swept["webhooks"], 1, "{swept}\n{}", dispatcher.log());

    let queue = around.queue(&around.notify);
    let message = around.received(&queue).await;
    assert_eq!(message.group, format!("to:{}", receiver.address));
    let mut notifier = around.start("notifier").await;
    let answer = notifier.invoke(delivery("notifier", &[of(&message)])).await.unwrap();
    assert_eq!(answer, Ok(json!({ "batchItemFailures": [] })), "{}", notifier.log());
    queue.ack(&message).await.unwrap();
    assert_eq!(receiver.calls().len(), 1);

    let retry = around.received(&queue).await;
    assert!(message.body.contains(&retry.group), "a group of its own: {}", retry.group);
    let early = notifier.invoke(delivery("notifier", &[of(&retry)])).await.unwrap();
    let failed = json!({ "batchItemFailures": [{ "itemIdentifier": retry.message_id }] });
    assert_eq!(early, Ok(failed), "{}", notifier.log());
    assert_eq!(receiver.calls().len(), 1, "not before its time");
    let again = around.received(&queue).await;
    assert_eq!(again.body, retry.body);
    let answer = notifier.invoke(delivery("notifier", &[of(&again)])).await.unwrap();
    assert_eq!(answer, Ok(json!({ "batchItemFailures": [] })), "{}", notifier.log());
    let calls = receiver.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(
        (calls[0].header("webhook-id"), &calls[0].body),
        (calls[1].header("webhook-id"), &calls[1].body)
    );
    assert!(!notifier.log().contains(WEBHOOK_SECRET), "the secret is in the log");
}

#[tokio::test]
async fn a_missing_variable_stops_a_function_and_is_named() {
    let around = Around::new().await;
    let all = ["FRESHET_HOUSE", "DATABASE_SECRET_ARN"];
    let own: [(&str, &[&str]); 8] = [
        (
            "api",
            &[
                "CRAWL_QUEUE_URL",
                "RENDER_QUEUE_URL",
                "EXTRACT_QUEUE_URL",
                "NOTIFY_QUEUE_URL",
                "MATCH_QUEUE_URL",
                "GATE_TABLE",
                "CALLER_SECRET_ARN",
            ],
        ),
        ("stream", &["CRAWL_QUEUE_URL", "GATE_TABLE", "CALLER_SECRET_ARN"]),
        (
            "crawler",
            &[
                "CRAWL_QUEUE_URL",
                "RENDER_QUEUE_URL",
                "EXTRACT_QUEUE_URL",
                "NOTIFY_QUEUE_URL",
                "GATE_TABLE",
                "RAW_BUCKET",
            ],
        ),
        ("extractor", &["EXTRACT_QUEUE_URL", "NOTIFY_QUEUE_URL", "RAW_BUCKET"]),
        ("notifier", &["NOTIFY_QUEUE_URL", "WEBHOOK_SECRET_ARN"]),
        ("matcher", &["MATCH_QUEUE_URL"]),
        ("dispatcher", &["CRAWL_QUEUE_URL", "EXTRACT_QUEUE_URL", "NOTIFY_QUEUE_URL", "MATCH_QUEUE_URL"]),
        (
            "cleanup",
            &[
                "CRAWL_DEAD_QUEUE_URL",
                "EXTRACT_DEAD_QUEUE_URL",
                "NOTIFY_DEAD_QUEUE_URL",
                "MATCH_DEAD_QUEUE_URL",
            ],
        ),
    ];
    for (room, own) in own {
        for missing in all.iter().chain(own) {
            let mut variables = around.variables.clone();
            variables.remove(*missing);
            let mut function = Function::start(room, &variables).await.unwrap();
            let status = function.ended().await.unwrap();
            let log = function.log();
            assert!(!status.success() && log.contains(&format!("{missing} is not set")), "{room}: {log}");
        }
    }
}

#[tokio::test]
async fn a_function_runs_in_no_house_but_aws() {
    let around = Around::new().await;
    let by_name = around.emulator.endpoint().replace("127.0.0.1", "localhost");
    let wrong = [
        ("FRESHET_HOUSE", "local", "run `freshet serve` instead"),
        ("FRESHET_HOUSE", "moon", "FRESHET_HOUSE is \"moon\""),
        ("DATABASE_POOL_SIZE", "many", "DATABASE_POOL_SIZE is malformed"),
        // Only an endpoint at a loopback address is an emulator: elsewhere private hosts stay closed.
        ("AWS_ENDPOINT_URL", &by_name, "ALLOW_PRIVATE_HOSTS is set"),
    ];
    for (name, value, said) in wrong {
        let mut variables = around.variables.clone();
        variables.insert(name.to_owned(), value.to_owned());
        let mut crawler = Function::start("crawler", &variables).await.unwrap();
        let status = crawler.ended().await.unwrap();
        assert!(!status.success() && crawler.log().contains(said), "{name}={value}: {}", crawler.log());
    }
}
