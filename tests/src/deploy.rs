//! The real template with the real `bootstrap` binaries, deployed on the emulator.
//!
//! What differs from AWS is in `fit`, all of it: where the code lies, the architecture, the routes of the
//! HTTP API (the emulator does not read them from SAM's OpenAPI body), the layer (the browser of this machine is
//! used), the rules that refuse plain HTTP
//! (the emulator enforces them, and speaks plain HTTP), and the right to send a batch (on AWS whoever
//! may send a message may send ten; the emulator asks for a right of its own).

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use emulator::{Emulator, unique};
use serde_json::{Value, json};
use url::form_urlencoded;

const DEPLOY_LIMIT: Duration = Duration::from_secs(60);

/// What a deployment is given from outside.
pub struct Deployment<'a> {
    /// The folder of the packages, see `packages::folder`: `<room>/bootstrap.zip`.
    pub packages: &'a Path,
    pub database_url: &'a str,
    /// `{"service_keys": […], "admin_signing_key": …}`
    pub callers: Value,
    pub webhook_secret: &'a str,
    /// The template, after whatever a test wants to change in it.
    pub template: Value,
}

/// A deployed stack.
#[derive(Debug)]
pub struct Stack {
    pub name: String,
    /// Where the HTTP API answers. Append a path that starts with `/`.
    pub api_url: String,
    pub outputs: BTreeMap<String, String>,
}

impl Stack {
    /// Puts the packages into a bucket, the secrets into Secrets Manager, and makes the stack.
    pub async fn deploy(emulator: &Emulator, deployment: Deployment<'_>) -> anyhow::Result<Self> {
        let name = unique("freshet");
        let code = emulator.create_bucket("code").await?;
        let mut template = deployment.template;
        for room in rooms(&template) {
            let package = deployment.packages.join(&room).join("bootstrap.zip");
            let body = tokio::fs::read(&package)
                .await
                .with_context(|| format!("no {}: run `make test`", package.display()))?;
            // Not by the SDK: without optimisation its checksums take seconds for a package.
            let url = format!("{}/{code}/{room}.zip", emulator.endpoint());
            let put = client()?.put(url).header("authorization", as_owner("s3")).body(body);
            good(put.send().await?, "S3").await?;
        }
        let secrets = Secrets {
            database: secret(emulator, "database", &json!({ "database_url": deployment.database_url }))
                .await?,
            callers: secret(emulator, "callers", &deployment.callers).await?,
            webhooks: secret(emulator, "webhooks", &json!({ "webhook_secret": deployment.webhook_secret }))
                .await?,
        };
        fit(&mut template, &code);
        create(emulator, &name, &template, &secrets).await?;
        let outputs = wait(emulator, &name).await?;
        let api_url = api_url(emulator, &outputs)?;
        Ok(Self { name, api_url, outputs })
    }

    /// One output of the template.
    pub fn output(&self, key: &str) -> anyhow::Result<&str> {
        Ok(self.outputs.get(key).with_context(|| format!("the stack has no output {key}"))?)
    }

    /// What a room logged so far, line by line, from the log group that the template gives it.
    pub async fn log(&self, emulator: &Emulator, room: &str) -> anyhow::Result<String> {
        let question = json!({ "logGroupName": format!("/freshet/{}/{room}", self.name) });
        let answer = client()?
            .post(emulator.endpoint())
            .header("authorization", as_owner("logs"))
            .header("content-type", "application/x-amz-json-1.1")
            .header("x-amz-target", "Logs_20140328.FilterLogEvents")
            .body(question.to_string())
            .send()
            .await?;
        let found: Value = serde_json::from_str(&good(answer, "CloudWatch Logs").await?)?;
        let events = found["events"].as_array().into_iter().flatten();
        Ok(events.filter_map(|event| event["message"].as_str()).collect::<Vec<_>>().join("\n"))
    }

    /// Calls a function as a clock would, and waits for its answer.
    pub async fn invoke(&self, emulator: &Emulator, function: &str, event: &Value) -> anyhow::Result<Value> {
        let form = [
            ("Action".to_owned(), "DescribeStackResource"),
            ("StackName".to_owned(), self.name.as_str()),
            ("LogicalResourceId".to_owned(), function),
        ];
        let found = cloudformation(emulator, &form).await?;
        let name = between(&found, "PhysicalResourceId").next().context("the function has a name")?;
        let url = format!("{}/2015-03-31/functions/{name}/invocations", emulator.endpoint());
        let answer = client()?
            .post(url)
            .header("authorization", as_owner("lambda"))
            .header("content-type", "application/json")
            .body(event.to_string())
            .send()
            .await?;
        let text = good(answer, function).await?;
        serde_json::from_str(&text).with_context(|| format!("{function} answers {text:?}"))
    }
}

struct Secrets {
    database: String,
    callers: String,
    webhooks: String,
}

/// The rooms of a template: `CrawlerFunction` is `crawler`.
pub fn rooms(template: &Value) -> Vec<String> {
    let resources = template["Resources"].as_object().into_iter().flatten();
    resources
        .filter(|(_, thing)| thing["Type"] == "AWS::Serverless::Function")
        .map(|(name, _)| name.trim_end_matches("Function").to_lowercase())
        .collect()
}

/// Keeps a value in Secrets Manager; the answer is its ARN.
pub async fn secret(emulator: &Emulator, purpose: &str, value: &Value) -> anyhow::Result<String> {
    let made = aws_sdk_secretsmanager::Client::new(emulator.sdk())
        .create_secret()
        .name(unique(purpose))
        .secret_string(value.to_string())
        .send()
        .await?;
    made.arn.context("a secret has an arn")
}

fn fit(template: &mut Value, code: &str) {
    for room in rooms(template) {
        let function = format!("{}{}Function", room[..1].to_uppercase(), &room[1..]);
        template["Resources"][function]["Properties"]["CodeUri"] = json!(format!("s3://{code}/{room}.zip"));
    }
    let Some(resources) = template["Resources"].as_object_mut() else { return };
    // The emulator runs functions on this machine, with the browser that is here.
    resources.remove("ChromiumLayer");
    if let Some(renderer) =
        resources.get_mut("RendererFunction").and_then(|all| all["Properties"].as_object_mut())
    {
        renderer.remove("Layers");
    }
    resources.retain(|_, thing| {
        thing["Type"] != "AWS::SQS::QueuePolicy" && thing["Type"] != "AWS::S3::BucketPolicy"
    });
    for (_, role) in resources.iter_mut().filter(|(_, thing)| thing["Type"] == "AWS::IAM::Role") {
        let policies = role["Properties"]["Policies"].as_array_mut().into_iter().flatten();
        let statements =
            policies.filter_map(|policy| policy["PolicyDocument"]["Statement"].as_array_mut()).flatten();
        let actions = statements.filter_map(|statement| statement["Action"].as_array_mut());
        for actions in actions.filter(|actions| actions.contains(&json!("sqs:SendMessage"))) {
            actions.push(json!("sqs:SendMessageBatch"));
        }
    }
    resources.insert(
        "EmulatorIntegration".into(),
        json!({
            "Type": "AWS::ApiGatewayV2::Integration",
            "Properties": {
                "ApiId": { "Ref": "HttpApi" },
                "IntegrationType": "AWS_PROXY",
                "IntegrationUri": { "Fn::GetAtt": ["ApiFunction", "Arn"] },
                "PayloadFormatVersion": "2.0",
            },
        }),
    );
    resources.insert(
        "EmulatorRoute".into(),
        json!({
            "Type": "AWS::ApiGatewayV2::Route",
            "Properties": {
                "ApiId": { "Ref": "HttpApi" },
                "RouteKey": "$default",
                "Target": { "Fn::Sub": "integrations/${EmulatorIntegration}" },
            },
        }),
    );
}

async fn create(emulator: &Emulator, name: &str, template: &Value, secrets: &Secrets) -> anyhow::Result<()> {
    let template = template.to_string();
    let parameters = [
        ("DatabaseSecretArn", secrets.database.as_str()),
        ("CallerSecretArn", secrets.callers.as_str()),
        ("WebhookSecretArn", secrets.webhooks.as_str()),
        ("Architecture", "x86_64"),
    ];
    let mut form = vec![
        ("Action".to_owned(), "CreateStack"),
        ("StackName".to_owned(), name),
        ("TemplateBody".to_owned(), &template),
        ("Capabilities.member.1".to_owned(), "CAPABILITY_IAM"),
        ("Capabilities.member.2".to_owned(), "CAPABILITY_AUTO_EXPAND"),
    ];
    for (at, (key, value)) in (1..).zip(parameters) {
        form.push((format!("Parameters.member.{at}.ParameterKey"), key));
        form.push((format!("Parameters.member.{at}.ParameterValue"), value));
    }
    cloudformation(emulator, &form).await?;
    Ok(())
}

async fn wait(emulator: &Emulator, name: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let since = Instant::now();
    let form = [("Action".to_owned(), "DescribeStacks"), ("StackName".to_owned(), name)];
    loop {
        let answer = cloudformation(emulator, &form).await?;
        match between(&answer, "StackStatus").next() {
            Some("CREATE_COMPLETE") => {
                let keys = between(&answer, "OutputKey").map(str::to_owned);
                let values = between(&answer, "OutputValue").map(str::to_owned);
                return Ok(keys.zip(values).collect());
            }
            Some("CREATE_IN_PROGRESS") if since.elapsed() < DEPLOY_LIMIT => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            _ => {
                let form = [("Action".to_owned(), "DescribeStackEvents"), ("StackName".to_owned(), name)];
                let events = cloudformation(emulator, &form).await.unwrap_or_default();
                let reasons: Vec<_> = between(&events, "ResourceStatusReason").collect();
                bail!("the stack was not made: {reasons:?}\n{answer}");
            }
        }
    }
}

/// The name in the output does not resolve on every machine, and `/health` under it is the
/// emulator's own: the path form reaches the function always.
fn api_url(emulator: &Emulator, outputs: &BTreeMap<String, String>) -> anyhow::Result<String> {
    let url = outputs.get("ApiUrl").context("the stack has no output ApiUrl")?;
    let id = url.strip_prefix("http://").and_then(|rest| rest.split('.').next());
    let id = id.with_context(|| format!("no API id in {url}"))?;
    Ok(format!("{}/_aws/execute-api/{id}/$default", emulator.endpoint()))
}

/// One call in the Query protocol. The SDK of CloudFormation would cost a minute of every cold build for
/// these three calls, and the emulator does not check the owner's signature.
async fn cloudformation(emulator: &Emulator, form: &[(String, &str)]) -> anyhow::Result<String> {
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.append_pair("Version", "2010-05-15").extend_pairs(form);
    let answer = client()?
        .post(emulator.endpoint())
        .header("content-type", "application/x-www-form-urlencoded")
        .header("authorization", as_owner("cloudformation"))
        .body(body.finish())
        .send()
        .await?;
    good(answer, "CloudFormation").await
}

/// The text of an answer, if it is a good one.
async fn good(answer: reqwest::Response, who: &str) -> anyhow::Result<String> {
    let (status, failed) = (answer.status(), answer.headers().contains_key("x-amz-function-error"));
    #[expect(clippy::disallowed_methods, reason = "our own emulator answers, not the web")]
    let text = answer.text().await?;
    if !status.is_success() || failed {
        bail!("{who} says {status}: {text}");
    }
    Ok(text)
}

/// A signature in form only: the emulator reads whose it is and for which service, and checks no more.
fn as_owner(service: &str) -> String {
    format!(
        "AWS4-HMAC-SHA256 Credential=test/20260101/{}/{service}/aws4_request, SignedHeaders=host, Signature=none",
        emulator::REGION
    )
}

/// A client for loopback in tests; the web is reached through egress only.
#[expect(clippy::disallowed_methods, reason = "a test calls its own emulator")]
pub fn client() -> anyhow::Result<reqwest::Client> {
    // A second installation is refused, and the first one is the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(60)).build()?)
}

/// The texts between `<tag>` and `</tag>`: all the XML these answers need.
fn between<'a>(xml: &'a str, tag: &str) -> impl Iterator<Item = &'a str> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    xml.split(&open).skip(1).filter_map(|rest| rest.split(&close).next()).collect::<Vec<_>>().into_iter()
}
