//! The numbers and permissions of `template.yaml` hang together. Every guard is also shown a template that
//! is broken in one place, and must refuse it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use house::{deploy::rooms, template};
use serde_json::{Value, json};

type Guard = fn(&Value) -> Result<()>;
/// A pointer into the template, and the value that breaks it; `None` takes the thing away.
type Harm<'a> = (&'a str, Option<Value>);

fn guarded(guard: Guard, harms: &[Harm<'_>]) {
    let whole = template::read().expect("the template is readable");
    guard(&whole).expect("the template keeps its own rule");
    for (at, harm) in harms {
        let mut broken = whole.clone();
        let (parent, key) = at.rsplit_once('/').expect("a pointer has a parent");
        let place = || key.parse::<usize>().expect("a place in a list is a number");
        let parent = broken.pointer_mut(parent).unwrap_or_else(|| panic!("nothing at {at}"));
        match (parent, harm) {
            (Value::Object(all), Some(value)) => drop(all.insert(key.into(), value.clone())),
            (Value::Object(all), None) => assert!(all.remove(key).is_some(), "nothing at {at}"),
            (Value::Array(all), Some(value)) => all[place()] = value.clone(),
            (Value::Array(all), None) => drop(all.remove(place())),
            _ => panic!("{at} is neither in a map nor in a list"),
        }
        assert!(guard(&broken).is_err(), "the guard did not see the harm at {at}");
    }
}

// ------------------------------------------------------------------ reading

fn of_type<'a>(template: &'a Value, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let all = template["Resources"].as_object().into_iter().flatten();
    all.filter(move |(_, thing)| thing["Type"] == kind)
        .map(|(name, thing)| (name.as_str(), &thing["Properties"]))
}

fn functions(template: &Value) -> impl Iterator<Item = (&str, &Value)> {
    of_type(template, "AWS::Serverless::Function")
}

/// What starts a function: its one kind of event, or an address of its own.
fn trigger<'a>(name: &str, function: &'a Value) -> Result<&'a str> {
    let events: Vec<_> = function["Events"].as_object().into_iter().flatten().collect();
    match (events.as_slice(), function["FunctionUrlConfig"].is_object()) {
        ([], true) => Ok("FunctionUrl"),
        ([(_, event), rest @ ..], false) if rest.iter().all(|(_, other)| other["Type"] == event["Type"]) => {
            event["Type"].as_str().with_context(|| format!("{name} has a trigger of no type"))
        }
        _ => bail!("{name} has not one trigger"),
    }
}

fn number(value: &Value, what: &str) -> Result<u64> {
    value.as_u64().with_context(|| format!("{what} is {value}, not a number"))
}

/// The thing named by `!Ref Thing`, `!GetAtt Thing.X`, `!Sub "${Thing.X}…"`, or by the first branch of an `!If`.
fn named(value: &Value) -> Result<&str> {
    if let Some([_, then, _]) = value["Fn::If"].as_array().map(Vec::as_slice) {
        return named(then);
    }
    let name = if let Some(name) = value["Ref"].as_str().or_else(|| value["Fn::GetAtt"][0].as_str()) {
        name
    } else {
        let text = value["Fn::Sub"].as_str().with_context(|| format!("{value} names nothing"))?;
        let inner = text.strip_prefix("${").and_then(|rest| rest.split(['.', '}']).next());
        inner.with_context(|| format!("{text} names nothing"))?
    };
    Ok(name)
}

fn listed(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |all| all.iter().collect())
}

/// Every (function, mapping) of the template.
fn mappings(template: &Value) -> impl Iterator<Item = (&str, &Value, &Value)> {
    functions(template).flat_map(|(name, function)| {
        let events = function["Events"].as_object().into_iter().flatten();
        let queues = events.filter(|(_, event)| event["Type"] == "SQS");
        queues.map(move |(_, event)| (name, function, &event["Properties"]))
    })
}

fn queue<'a>(template: &'a Value, name: &str) -> Result<&'a Value> {
    let queue = &template["Resources"][name];
    ensure!(queue["Type"] == "AWS::SQS::Queue", "{name} is not a queue");
    Ok(&queue["Properties"])
}

/// (queue, its dead letters) for every queue that has any.
fn redrives(template: &Value) -> Result<Vec<(&str, &str)>> {
    let with = of_type(template, "AWS::SQS::Queue").filter(|(_, queue)| queue["RedrivePolicy"].is_object());
    with.map(|(name, queue)| Ok((name, named(&queue["RedrivePolicy"]["deadLetterTargetArn"])?))).collect()
}

/// Whether its role lets it read where the database is.
fn knows_the_database(template: &Value, function: &Value) -> Result<bool> {
    let all = statements(template, function)?;
    let mut things = all.into_iter().flat_map(|statement| listed(&statement["Resource"]));
    Ok(things.any(|thing| named(thing).is_ok_and(|name| name == "DatabaseSecretArn")))
}

fn statements<'a>(template: &'a Value, function: &Value) -> Result<Vec<&'a Value>> {
    let role = &template["Resources"][named(&function["Role"])?];
    ensure!(role["Type"] == "AWS::IAM::Role", "a function has a role of the template");
    let policies = listed(&role["Properties"]["Policies"]);
    Ok(policies.into_iter().flat_map(|policy| listed(&policy["PolicyDocument"]["Statement"])).collect())
}

// ------------------------------------------------------------------ queues

#[test]
fn a_message_stays_hidden_for_six_timeouts_of_its_reader() {
    fn guard(template: &Value) -> Result<()> {
        ensure!(mappings(template).count() == 5, "five queues are read");
        for (name, function, mapping) in mappings(template) {
            let visibility = &queue(template, named(&mapping["Queue"])?)?["VisibilityTimeout"];
            let timeout = number(&function["Timeout"], "Timeout")?;
            ensure!(
                number(visibility, "VisibilityTimeout")? >= 6 * timeout,
                "{name} is read again too early"
            );
            ensure!(timeout <= 60, "{name} holds its site for too long");
        }
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/CrawlQueue/Properties/VisibilityTimeout", Some(json!(359))),
            ("/Resources/ExtractQueue/Properties/VisibilityTimeout", None),
            ("/Resources/CrawlerFunction/Properties/Timeout", Some(json!(61))),
            ("/Resources/ExtractorFunction/Properties/Events", None),
            ("/Resources/NotifyQueue/Properties/VisibilityTimeout", Some(json!(179))),
            ("/Resources/MatchQueue/Properties/VisibilityTimeout", Some(json!(359))),
        ],
    );
}

#[test]
fn every_queue_is_fifo_and_its_dead_letters_outlive_it() {
    fn guard(template: &Value) -> Result<()> {
        let redrives = redrives(template)?;
        let dead: BTreeSet<_> = redrives.iter().map(|(_, dead)| *dead).collect();
        for (name, all) in of_type(template, "AWS::SQS::Queue") {
            ensure!(all["FifoQueue"] == true, "{name} has no groups");
            ensure!(all["SqsManagedSseEnabled"] == true, "{name} is not encrypted");
            ensure!(dead.contains(name) != all["RedrivePolicy"].is_object(), "{name} loses its dead letters");
        }
        for (name, dead) in redrives {
            let (alive, dead) = (queue(template, name)?, queue(template, dead)?);
            let kept = |queue: &Value| number(&queue["MessageRetentionPeriod"], "MessageRetentionPeriod");
            ensure!(kept(dead)? > kept(alive)?, "a dead letter of {name} is lost before it is seen");
            let receives = number(&alive["RedrivePolicy"]["maxReceiveCount"], "maxReceiveCount")?;
            ensure!(receives >= 100, "{name}: a postponed message would die");
            ensure!(alive["DeduplicationScope"] == "messageGroup", "{name} deduplicates across sites");
            ensure!(alive["FifoThroughputLimit"] == "perMessageGroupId", "{name} is slow for all");
        }
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/CrawlDeadLetterQueue/Properties/FifoQueue", None),
            ("/Resources/CrawlDeadLetterQueue/Properties/MessageRetentionPeriod", Some(json!(345600))),
            ("/Resources/ExtractQueue/Properties/RedrivePolicy", None),
            ("/Resources/ExtractQueue/Properties/RedrivePolicy/maxReceiveCount", Some(json!(99))),
            ("/Resources/CrawlQueue/Properties/DeduplicationScope", Some(json!("queue"))),
            ("/Resources/CrawlQueue/Properties/FifoThroughputLimit", None),
            ("/Resources/ExtractDeadLetterQueue/Properties/SqsManagedSseEnabled", Some(json!(false))),
        ],
    );
}

#[test]
fn a_mapping_hands_over_one_message_and_hears_which_failed() {
    fn guard(template: &Value) -> Result<()> {
        for (name, _, mapping) in mappings(template) {
            ensure!(mapping["BatchSize"] == 1, "{name}: a failure would take others with it");
            ensure!(
                mapping["FunctionResponseTypes"] == json!(["ReportBatchItemFailures"]),
                "{name} cannot postpone"
            );
            let most = number(&mapping["ScalingConfig"]["MaximumConcurrency"], "MaximumConcurrency")?;
            ensure!((2..=1000).contains(&most), "{name}: SQS takes 2 to 1000");
        }
        Ok(())
    }
    let mapping = "/Resources/CrawlerFunction/Properties/Events/Crawl/Properties";
    guarded(
        guard,
        &[
            (&format!("{mapping}/BatchSize"), Some(json!(10))),
            (&format!("{mapping}/FunctionResponseTypes"), None),
            (&format!("{mapping}/ScalingConfig"), None),
            (&format!("{mapping}/ScalingConfig/MaximumConcurrency"), Some(json!(1))),
        ],
    );
}

// ------------------------------------------------------------------ functions

#[test]
fn all_functions_together_leave_postgres_a_connection() {
    fn guard(template: &Value) -> Result<()> {
        let pool = template["Globals"]["Function"]["Environment"]["Variables"]["DATABASE_POOL_SIZE"].as_str();
        let pool: u64 = pool.context("no DATABASE_POOL_SIZE")?.parse()?;
        let mut instances = 0;
        for (name, function) in functions(template) {
            if !knows_the_database(template, function)? {
                continue;
            }
            let mapped = mappings(template).filter(|(reader, ..)| *reader == name);
            let mapped: Vec<_> =
                mapped.map(|(.., mapping)| &mapping["ScalingConfig"]["MaximumConcurrency"]).collect();
            instances += match mapped.as_slice() {
                [one] => number(one, name)?,
                _ => number(&function["ReservedConcurrentExecutions"], name)?,
            };
        }
        let connections = &template["Parameters"]["MaxConnections"];
        ensure!(instances * pool < number(&connections["MinValue"], "MinValue")?, "{instances} x {pool}");
        ensure!(
            connections["Default"].as_u64() >= connections["MinValue"].as_u64(),
            "the default is refused"
        );
        let told =
            template["Outputs"]["DatabaseConnections"]["Value"]["Fn::Sub"].as_str().unwrap_or_default();
        ensure!(told.starts_with(&format!("{} ", instances * pool)), "the output tells another number");
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Globals/Function/Environment/Variables/DATABASE_POOL_SIZE", Some(json!("3"))),
            ("/Resources/ApiFunction/Properties/ReservedConcurrentExecutions", Some(json!(11))),
            ("/Resources/CleanupFunction/Properties/ReservedConcurrentExecutions", None),
            (
                "/Resources/CrawlerFunction/Properties/Events/Crawl/Properties/ScalingConfig/MaximumConcurrency",
                Some(json!(21)),
            ),
            ("/Parameters/MaxConnections/MinValue", Some(json!(114))),
            ("/Parameters/MaxConnections/Default", Some(json!(100))),
        ],
    );
}

#[test]
fn only_the_rooms_that_read_queues_may_loop() {
    fn guard(template: &Value) -> Result<()> {
        for (name, function) in functions(template) {
            let reads = mappings(template).any(|(reader, ..)| reader == name);
            let wanted = if reads { "Allow" } else { "Terminate" };
            ensure!(function["RecursiveLoop"] == wanted, "{name} says {}", function["RecursiveLoop"]);
        }
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/CrawlerFunction/Properties/RecursiveLoop", None),
            ("/Resources/ExtractorFunction/Properties/RecursiveLoop", Some(json!("Terminate"))),
            ("/Resources/ApiFunction/Properties/RecursiveLoop", Some(json!("Allow"))),
        ],
    );
}

#[test]
fn a_function_answers_before_whoever_waits_gives_up() {
    fn guard(template: &Value) -> Result<()> {
        for (name, function) in functions(template) {
            let limit = match trigger(name, function)? {
                "HttpApi" => 29, // the gateway ends at 30
                "SQS" => 60,
                "ScheduleV2" => 300,
                "FunctionUrl" => 150,
                other => bail!("{name} has an unknown trigger {other:?}"),
            };
            ensure!(number(&function["Timeout"], "Timeout")? <= limit, "{name} takes too long");
        }
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/ApiFunction/Properties/Timeout", Some(json!(30))),
            ("/Resources/DispatcherFunction/Properties/Timeout", None),
            ("/Resources/DispatcherFunction/Properties/Events/EveryMinute", None),
            ("/Resources/StreamFunction/Properties/FunctionUrlConfig", None),
            ("/Resources/ApiFunction/Properties/FunctionUrlConfig", Some(json!({ "AuthType": "NONE" }))),
        ],
    );
}

#[test]
fn only_the_room_that_waits_has_an_address_of_its_own_and_outlasts_its_callers() {
    fn guard(template: &Value) -> Result<()> {
        for (name, function) in functions(template) {
            let url = &function["FunctionUrlConfig"];
            ensure!(url.is_object() == (name == "StreamFunction"), "{name} has an address, or has none");
        }
        let stream = &template["Resources"]["StreamFunction"]["Properties"];
        let url = &stream["FunctionUrlConfig"];
        ensure!(url["InvokeMode"] == "RESPONSE_STREAM", "it does not stream");
        // The service key is the proof; a browser must not be able to send it from anywhere.
        ensure!(url["AuthType"] == "NONE" && url["Cors"].is_null(), "it asks for another proof");
        ensure!(number(&stream["Timeout"], "Timeout")? >= 120 + 5, "it ends before its callers' time is out");
        ensure!(
            named(&template["Outputs"]["StreamUrl"]["Value"])? == "StreamFunctionUrl",
            "nobody is told where"
        );
        Ok(())
    }
    let stream = "/Resources/StreamFunction/Properties";
    guarded(
        guard,
        &[
            (&format!("{stream}/Timeout"), Some(json!(120))),
            (&format!("{stream}/FunctionUrlConfig/InvokeMode"), Some(json!("BUFFERED"))),
            (&format!("{stream}/FunctionUrlConfig/Cors"), Some(json!({ "AllowOrigins": ["*"] }))),
            ("/Resources/CrawlerFunction/Properties/FunctionUrlConfig", Some(json!({ "AuthType": "NONE" }))),
            ("/Outputs/StreamUrl/Value", Some(json!({ "Ref": "ApiFunction" }))),
        ],
    );
}

#[test]
fn the_clocks_tick_and_do_not_pile_up() {
    fn guard(template: &Value) -> Result<()> {
        for (function, event, rate) in [
            ("DispatcherFunction", "EveryMinute", "rate(1 minute)"),
            ("CleanupFunction", "EveryQuarter", "rate(15 minutes)"),
            ("CleanupFunction", "Midnight", "cron(0 0 * * ? *)"),
        ] {
            let function = &template["Resources"][function]["Properties"];
            let clock = &function["Events"][event];
            ensure!(clock["Type"] == "ScheduleV2", "{event} is no schedule");
            let clock = &clock["Properties"];
            ensure!(clock["ScheduleExpression"] == rate, "{event} ticks at {}", clock["ScheduleExpression"]);
            ensure!(clock["OmitName"] == true, "{event}: two stacks would fight over a name");
            let tries = number(&clock["RetryPolicy"]["MaximumRetryAttempts"], "MaximumRetryAttempts")?;
            ensure!(tries <= 2, "{event} is retried long after its time");
            let tries =
                number(&function["EventInvokeConfig"]["MaximumRetryAttempts"], "MaximumRetryAttempts")?;
            ensure!(tries <= 1, "{event} is retried long after its time");
        }
        Ok(())
    }
    let clock = "/Resources/DispatcherFunction/Properties/Events/EveryMinute/Properties";
    guarded(
        guard,
        &[
            (&format!("{clock}/ScheduleExpression"), Some(json!("rate(1 hour)"))),
            (&format!("{clock}/RetryPolicy"), None),
            (&format!("{clock}/OmitName"), None),
            ("/Resources/CleanupFunction/Properties/EventInvokeConfig", None),
        ],
    );
}

#[test]
fn a_function_is_told_what_it_needs_and_no_secret() {
    fn guard(template: &Value) -> Result<()> {
        let queues = [
            "CRAWL_QUEUE_URL",
            "EXTRACT_QUEUE_URL",
            "NOTIFY_QUEUE_URL",
            "RENDER_QUEUE_URL",
            "MATCH_QUEUE_URL",
        ];
        let model = [
            "AI_PROVIDER",
            "AI_MODEL",
            "AI_BASE_URL",
            "AI_SECRET_ARN",
            "AI_TIMEOUT_SECONDS",
            "AI_DAILY_BUDGET_DOLLARS",
            "AI_DOLLARS_PER_MILLION_TOKENS_IN",
            "AI_DOLLARS_PER_MILLION_TOKENS_OUT",
        ];
        let api = [
            "CALLER_SECRET_ARN",
            "GATE_TABLE",
            "DEFAULT_WEBHOOK_URL",
            "OUTBOUND_SECRET_ARN",
            "MAX_QUEUE_DEPTH",
            "NEXT_ROLE_PER_MINUTE",
            "RAW_BUCKET",
        ];
        let own: BTreeMap<&str, Vec<&str>> = BTreeMap::from([
            ("ApiFunction", [&api[..], &model].concat()),
            ("MatcherFunction", vec!["MATCH_WEIGHTS"]),
            (
                "StreamFunction",
                vec!["CALLER_SECRET_ARN", "GATE_TABLE", "MAX_QUEUE_DEPTH", "DEFAULT_WEBHOOK_URL"],
            ),
            ("CrawlerFunction", vec!["RAW_BUCKET", "GATE_TABLE", "OUTBOUND_SECRET_ARN"]),
            // What it runs is not ours: no database and no secret.
            ("RendererFunction", vec!["RAW_BUCKET", "RENDER_QUEUE_URL"]),
            ("ExtractorFunction", [&["RAW_BUCKET"][..], &model].concat()),
            ("DispatcherFunction", vec!["GATE_TABLE", "OUTBOUND_SECRET_ARN", "MATCH_QUEUE_URL"]),
            (
                "CleanupFunction",
                vec![
                    "CRAWL_DEAD_QUEUE_URL",
                    "RENDER_DEAD_QUEUE_URL",
                    "EXTRACT_DEAD_QUEUE_URL",
                    "NOTIFY_DEAD_QUEUE_URL",
                    "MATCH_DEAD_QUEUE_URL",
                ],
            ),
            // It works on its own queue and on no other.
            ("NotifierFunction", vec!["WEBHOOK_SECRET_ARN"]),
        ]);
        for (name, function) in functions(template) {
            let queues = match name {
                "NotifierFunction" => &queues[2..3],
                "MatcherFunction" => &queues[4..],
                // It asks for pages, and has nothing to say about matches.
                "CrawlerFunction" => &queues[..4],
                // Whoever only takes requests in has nothing to say to the extractor.
                "StreamFunction" | "RendererFunction" => &queues[..1],
                // Only the crawler asks for a page to be rendered; dead letters come from every queue.
                "ExtractorFunction" | "DispatcherFunction" => &queues[..3],
                _ => &queues[..],
            };
            let wanted: BTreeSet<_> = own.get(name).into_iter().flatten().chain(queues).copied().collect();
            let variables = function["Environment"]["Variables"].as_object().context("no variables")?;
            let told: BTreeSet<_> = variables.keys().map(String::as_str).collect();
            ensure!(told == wanted, "{name} is told {told:?}");
            // A reference, never a value.
            variables.values().try_for_each(|value| named(value).map(drop))?;
        }
        let all = &template["Globals"]["Function"]["Environment"]["Variables"];
        let told: BTreeSet<_> =
            all.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let wanted = ["DATABASE_POOL_SIZE", "DATABASE_SECRET_ARN", "FRESHET_HOUSE", "LOG_LEVEL"];
        ensure!(told == BTreeSet::from(wanted), "every function is told {told:?}");
        ensure!(all["FRESHET_HOUSE"] == "aws", "the house is chosen");
        ensure!(named(&all["DATABASE_SECRET_ARN"])? == "DatabaseSecretArn", "the database is a secret");
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/ApiFunction/Properties/Environment/Variables/SIGNING_KEY", Some(json!("hunter2"))),
            ("/Resources/DispatcherFunction/Properties/Environment/Variables/CRAWL_QUEUE_URL", None),
            (
                "/Resources/CrawlerFunction/Properties/Environment/Variables/RAW_BUCKET",
                Some(json!("a-bucket")),
            ),
            ("/Globals/Function/Environment/Variables/DATABASE_URL", Some(json!("postgres://u:p@h/d"))),
        ],
    );
}

// ------------------------------------------------------------------ permissions

#[test]
fn each_function_has_its_own_role_with_exact_actions_on_exact_things() {
    fn guard(template: &Value) -> Result<()> {
        for (name, function) in functions(template) {
            let role = named(&function["Role"])?;
            ensure!(role == name.replace("Function", "Role"), "{name} uses {role}");
            ensure!(function["Policies"].is_null(), "{name}: SAM would ignore its policies");
            let managed = &template["Resources"][role]["Properties"]["ManagedPolicyArns"];
            let only_in_vpc =
                managed["Fn::If"][0] == "InVpc" && managed["Fn::If"][2]["Ref"] == "AWS::NoValue";
            ensure!(managed.is_null() || only_in_vpc, "{role} has a managed policy");
            for statement in statements(template, function)? {
                ensure!(statement["Effect"] == "Allow", "{role}: only what is allowed is written");
                for action in listed(&statement["Action"]) {
                    let action = action.as_str().context("an action is a string")?;
                    ensure!(!action.contains('*'), "{role} may {action}");
                }
                listed(&statement["Resource"]).into_iter().try_for_each(|thing| named(thing).map(drop))?;
            }
        }
        Ok(())
    }
    let statement = "/Resources/CrawlerRole/Properties/Policies/0/PolicyDocument/Statement/0";
    guarded(
        guard,
        &[
            ("/Resources/CrawlerFunction/Properties/Role/Fn::GetAtt", Some(json!(["ApiRole", "Arn"]))),
            ("/Resources/CrawlerFunction/Properties/Role", None),
            (&format!("{statement}/Action"), Some(json!("sqs:*"))),
            (&format!("{statement}/Resource"), Some(json!("*"))),
            (
                "/Resources/ApiRole/Properties/ManagedPolicyArns",
                Some(json!(["arn:aws:iam::aws:policy/Admin"])),
            ),
        ],
    );
}

#[test]
fn a_function_may_touch_exactly_what_it_is_told_about() {
    fn guard(template: &Value) -> Result<()> {
        for (name, function) in functions(template) {
            let variables = function["Environment"]["Variables"].as_object().context("no variables")?;
            let mut told: BTreeSet<_> = variables.values().map(named).collect::<Result<_>>()?;
            // A number is nothing to touch.
            told.retain(|name| template["Parameters"][*name]["Type"] != "Number");
            if name != "RendererFunction" {
                told.insert("DatabaseSecretArn");
            }
            // Settings, and no things of ours.
            told.retain(|name| {
                !["DefaultWebhookUrl", "AiProvider", "AiModel", "AiBaseUrl", "MatchWeights"].contains(name)
            });
            let log = name.replace("Function", "LogGroup");
            told.insert(&log);
            let things = statements(template, function)?;
            let things = things.into_iter().flat_map(|statement| listed(&statement["Resource"]));
            let allowed: BTreeSet<_> = things.map(named).collect::<Result<_>>()?;
            ensure!(allowed == told, "{name} is told about {told:?} and may touch {allowed:?}");
        }
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/ExtractorRole/Properties/Policies/0/PolicyDocument/Statement/5", None),
            ("/Resources/CrawlerFunction/Properties/Environment/Variables/GATE_TABLE", None),
            ("/Resources/NotifierFunction/Properties/Environment/Variables/WEBHOOK_SECRET_ARN", None),
            ("/Resources/ExtractorFunction/Properties/Environment/Variables/AI_SECRET_ARN", None),
            ("/Resources/ApiFunction/Properties/Environment/Variables/AI_SECRET_ARN", None),
            (
                "/Resources/RendererRole/Properties/Policies/0/PolicyDocument/Statement/2/Resource",
                Some(json!([{ "Ref": "DatabaseSecretArn" }])),
            ),
        ],
    );
}

/// Its layer is built for one kind of processor, and its role reaches into one part of the bucket.
#[test]
fn the_renderer_has_its_browser_and_a_corner_of_the_bucket() {
    fn guard(template: &Value) -> Result<()> {
        let renderer = &template["Resources"]["RendererFunction"]["Properties"];
        ensure!(renderer["Architectures"] == json!(["x86_64"]), "the browser would not start");
        ensure!(named(&renderer["Layers"][0])? == "ChromiumLayer", "there is no browser");
        ensure!(number(&renderer["MemorySize"], "MemorySize")? >= 2_048, "a browser may hold half of it");
        let layer = &template["Resources"]["ChromiumLayer"]["Properties"];
        ensure!(layer["CompatibleArchitectures"] == renderer["Architectures"], "the layer is another's");
        for statement in statements(template, renderer)? {
            let bucket = listed(&statement["Resource"]).into_iter().find(|on| on["Fn::Sub"].is_string());
            let Some(bucket) = bucket else { continue };
            ensure!(bucket["Fn::Sub"] == "${RawBucket.Arn}/rendered/*", "it reaches {bucket}");
            ensure!(statement["Action"] == json!(["s3:PutObject"]), "it only puts");
        }
        let rules =
            listed(&template["Resources"]["RawBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]);
        ensure!(
            rules.iter().any(|rule| rule["Prefix"] == "rendered/" && rule["ExpirationInDays"] == 1),
            "what nobody came for stays"
        );
        Ok(())
    }
    let renderer = "/Resources/RendererFunction/Properties";
    guarded(
        guard,
        &[
            (&format!("{renderer}/Architectures"), Some(json!(["arm64"]))),
            (&format!("{renderer}/Layers"), None),
            (&format!("{renderer}/MemorySize"), Some(json!(1024))),
            (
                "/Resources/RendererRole/Properties/Policies/0/PolicyDocument/Statement/3/Resource/Fn::Sub",
                Some(json!("${RawBucket.Arn}/*")),
            ),
            ("/Resources/RawBucket/Properties/LifecycleConfiguration/Rules/1", None),
        ],
    );
}

#[test]
fn nothing_travels_in_the_clear() {
    fn guard(template: &Value) -> Result<()> {
        let refuses = |policy: &Value, thing: &str| {
            listed(&policy["PolicyDocument"]["Statement"]).into_iter().any(|statement| {
                statement["Effect"] == "Deny"
                    && statement["Condition"]["Bool"]["aws:SecureTransport"] == "false"
                    && listed(&statement["Resource"]).iter().any(|on| named(on).is_ok_and(|on| on == thing))
            })
        };
        let buckets = of_type(template, "AWS::S3::Bucket");
        for (thing, _) in buckets.chain(of_type(template, "AWS::SQS::Queue")) {
            let policies =
                of_type(template, "AWS::S3::BucketPolicy").chain(of_type(template, "AWS::SQS::QueuePolicy"));
            ensure!(
                policies.into_iter().any(|(_, policy)| refuses(policy, thing)),
                "{thing} accepts plain HTTP"
            );
        }
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/RawBucketPolicy", None),
            ("/Resources/ExtractDeadLetterQueuePolicy", None),
            (
                "/Resources/CrawlQueuePolicy/Properties/PolicyDocument/Statement/0/Effect",
                Some(json!("Allow")),
            ),
        ],
    );
}

// ------------------------------------------------------------------ storage

#[test]
fn raw_pages_are_private_encrypted_and_forgotten_in_time() {
    fn guard(template: &Value) -> Result<()> {
        let bucket = &template["Resources"]["RawBucket"]["Properties"];
        for lock in ["BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"] {
            ensure!(bucket["PublicAccessBlockConfiguration"][lock] == true, "{lock} is open");
        }
        let encryption = &bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"][0];
        ensure!(
            encryption["ServerSideEncryptionByDefault"]["SSEAlgorithm"].is_string(),
            "pages lie in the clear"
        );
        let rules = listed(&bucket["LifecycleConfiguration"]["Rules"]);
        let enabled = |wanted: &dyn Fn(&Value) -> bool| {
            rules.iter().any(|rule| rule["Status"] == "Enabled" && wanted(rule))
        };
        ensure!(
            enabled(&|rule| rule["Prefix"] == "raw/" && rule["ExpirationInDays"]["Ref"] == "RawPageDays"),
            "pages are kept for ever"
        );
        ensure!(enabled(&|rule| rule["AbortIncompleteMultipartUpload"].is_object()), "half uploads are kept");
        Ok(())
    }
    let bucket = "/Resources/RawBucket/Properties";
    guarded(
        guard,
        &[
            (&format!("{bucket}/PublicAccessBlockConfiguration/BlockPublicPolicy"), None),
            (&format!("{bucket}/BucketEncryption"), None),
            (&format!("{bucket}/LifecycleConfiguration/Rules/0/Status"), Some(json!("Disabled"))),
            (&format!("{bucket}/LifecycleConfiguration/Rules/2"), None),
        ],
    );
}

#[test]
fn the_gate_cleans_itself_and_can_be_restored() {
    fn guard(template: &Value) -> Result<()> {
        let table = &template["Resources"]["GateTable"]["Properties"];
        ensure!(table["BillingMode"] == "PAY_PER_REQUEST", "the gate is throttled by its own table");
        ensure!(table["KeySchema"] == json!([{ "AttributeName": "pk", "KeyType": "HASH" }]), "the key is pk");
        let ttl = json!({ "AttributeName": "expires_at", "Enabled": true });
        ensure!(table["TimeToLiveSpecification"] == ttl, "old rows stay");
        let restore = &table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"];
        ensure!(*restore == true, "the table cannot be restored");
        ensure!(table["SSESpecification"]["SSEEnabled"] == true, "the table is not encrypted");
        Ok(())
    }
    let table = "/Resources/GateTable/Properties";
    guarded(
        guard,
        &[
            (&format!("{table}/TimeToLiveSpecification/AttributeName"), Some(json!("ttl"))),
            (&format!("{table}/TimeToLiveSpecification"), None),
            (&format!("{table}/PointInTimeRecoverySpecification"), None),
            (&format!("{table}/BillingMode"), Some(json!("PROVISIONED"))),
            (&format!("{table}/SSESpecification"), None),
        ],
    );
}

// ------------------------------------------------------------------ seeing

#[test]
fn every_function_logs_json_into_a_group_that_forgets() {
    fn guard(template: &Value) -> Result<()> {
        for (name, function) in functions(template) {
            ensure!(function["LoggingConfig"]["LogFormat"] == "JSON", "{name} logs plain text");
            let group = named(&function["LoggingConfig"]["LogGroup"])?;
            ensure!(group == name.replace("Function", "LogGroup"), "{name} logs into {group}");
            let group = &template["Resources"][group];
            ensure!(group["Type"] == "AWS::Logs::LogGroup", "{name} logs into a group nobody made");
            let days = number(&group["Properties"]["RetentionInDays"], "RetentionInDays")?;
            ensure!(days <= 90, "{name} logs for ever");
        }
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/ApiLogGroup/Properties/RetentionInDays", None),
            ("/Resources/CrawlerLogGroup", None),
            ("/Resources/CleanupFunction/Properties/LoggingConfig", None),
        ],
    );
}

#[test]
fn somebody_is_told_of_dead_letters_errors_standstill_and_loops() {
    fn guard(template: &Value) -> Result<()> {
        let watched = |metric: &str, thing: &str| {
            of_type(template, "AWS::CloudWatch::Alarm").any(|(_, alarm)| {
                alarm["MetricName"] == metric
                    && named(&alarm["Dimensions"][0]["Value"]).is_ok_and(|on| on == thing)
                    && alarm["AlarmActions"]["Fn::If"][0] == "HasAlarmTopic"
            })
        };
        for (name, _) in functions(template) {
            ensure!(watched("Errors", name), "nobody sees the errors of {name}");
        }
        for (_, dead) in redrives(template)? {
            ensure!(watched("ApproximateNumberOfMessagesVisible", dead), "nobody looks into {dead}");
        }
        ensure!(watched("ApproximateAgeOfOldestMessage", "CrawlQueue"), "a standstill is silent");
        ensure!(watched("NumberOfMessagesSent", "CrawlQueue"), "a loop is silent");
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/CrawlDeadLetterAlarm", None),
            ("/Resources/ExtractDeadLetterAlarm/Properties/AlarmActions", None),
            ("/Resources/DispatcherErrorAlarm", None),
            ("/Resources/NotifyDeadLetterAlarm", None),
            ("/Resources/NotifierErrorAlarm", None),
            ("/Resources/MatchDeadLetterAlarm", None),
            ("/Resources/MatcherErrorAlarm", None),
            ("/Resources/CrawlAgeAlarm", None),
            ("/Resources/ReleaseRateAlarm/Properties/MetricName", Some(json!("NumberOfMessagesReceived"))),
        ],
    );
}

// ------------------------------------------------------------------ rooms

#[test]
fn a_room_has_one_word_in_the_template_the_folders_and_the_events() {
    fn guard(template: &Value) -> Result<()> {
        let rooms: BTreeSet<_> = rooms(template).into_iter().collect();
        let mut folders = BTreeSet::new();
        for entry in std::fs::read_dir(template::root().join("functions"))? {
            folders.insert(entry?.file_name().to_string_lossy().into_owned());
        }
        let mut events = BTreeSet::new();
        for entry in std::fs::read_dir(template::root().join("events"))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            events.insert(name.strip_suffix(".json").context("an event is JSON")?.to_owned());
        }
        ensure!(rooms == folders, "the template has {rooms:?}, functions/ has {folders:?}");
        ensure!(rooms == events, "the template has {rooms:?}, events/ has {events:?}");
        for (name, function) in functions(template) {
            let room = name.trim_end_matches("Function").to_lowercase();
            ensure!(function["CodeUri"] == format!("functions/{room}"), "{name} is built from elsewhere");
            let build = &template["Resources"][name]["Metadata"];
            ensure!(build["BuildMethod"] == "rust-cargolambda", "{name} is not built");
            ensure!(build["BuildProperties"]["Binary"] == room, "{name} is another binary");
        }
        Ok(())
    }
    guarded(
        guard,
        &[
            ("/Resources/CrawlerFunction", None),
            ("/Resources/DecayFunction", Some(json!({ "Type": "AWS::Serverless::Function" }))),
            ("/Resources/ApiFunction/Properties/CodeUri", Some(json!("functions/crawler"))),
            ("/Resources/ApiFunction/Metadata/BuildProperties/Binary", None),
        ],
    );
}

#[test]
fn a_sample_event_looks_like_its_trigger() {
    let whole = template::read().unwrap();
    for (name, function) in functions(&whole) {
        let room = name.trim_end_matches("Function").to_lowercase();
        let text = std::fs::read_to_string(template::root().join(format!("events/{room}.json"))).unwrap();
        let event: Value = serde_json::from_str(&text).unwrap();
        match trigger(name, function).unwrap() {
            kind @ ("HttpApi" | "FunctionUrl") => {
                assert_eq!(event["version"], "2.0");
                let host = event["requestContext"]["domainName"].as_str().unwrap();
                assert_eq!(host.contains(".lambda-url."), kind == "FunctionUrl", "{host}");
                assert_eq!(event["requestContext"]["http"]["path"], event["rawPath"]);
                let body = event["body"].as_str().unwrap();
                assert_eq!(event["headers"]["content-length"], body.len().to_string());
            }
            "SQS" => {
                let records = event["Records"].as_array().unwrap();
                assert_eq!(records.len(), 1, "BatchSize is 1");
                let attributes = &records[0]["attributes"];
                for name in ["ApproximateReceiveCount", "MessageGroupId", "MessageDeduplicationId"] {
                    assert!(attributes[name].is_string(), "{room} has no {name}");
                }
                let arn = records[0]["eventSourceARN"].as_str().unwrap();
                let (_, _, mapping) = mappings(&whole).find(|(reader, ..)| *reader == name).unwrap();
                let queue = named(&mapping["Queue"]).unwrap();
                assert!(arn.ends_with(&format!("-{queue}.fifo")), "{arn} is not {queue}");
                let body: Value = serde_json::from_str(records[0]["body"].as_str().unwrap()).unwrap();
                match room.as_str() {
                    "notifier" => assert!(body["delivery_id"].is_string()),
                    "matcher" => {
                        assert!(body["run_id"].is_string() && body["event"]["name"] == "jobs/imported");
                    }
                    _ => assert!(body["task_id"].is_string() && body["release_no"].is_u64()),
                }
            }
            _ => assert_eq!(event["source"], "aws.scheduler"),
        }
    }
}
