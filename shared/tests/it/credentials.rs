//! Logins from the backend: asked for once in five minutes, over the one door, and with patience.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use fixture::JobSite;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use secrecy::ExposeSecret;
use shared::clock::Clock;
use shared::credentials::{Credentials, PAUSES};
use shared::domain::credential::{CredentialUse, How};
use shared::egress::{Egress, Limits, Permission};
use shared::outbound::Backend;

use fixture::refused::{Row, hostile, hostile_names};

const KEY: &str = "backend-key";

fn backend(site: &JobSite) -> Backend {
    Backend { url: site.url(""), key: KEY.into() }
}

fn egress(hosts: &[String]) -> Egress {
    let hosts = hosts.iter().map(|host| host.parse().unwrap()).collect();
    Egress::new(Permission::with_private_hosts(hosts), Limits::default()).unwrap()
}

fn client(site: &JobSite, clock: &Clock) -> Credentials {
    let web = egress(&[site.address.to_string()]);
    let quick = [Duration::from_millis(1); 3];
    Credentials::new(web, Some(&backend(site)), clock.clone()).unwrap().with_pauses(quick)
}

fn path(workspace: &str, provider: &str) -> String {
    format!("/api/v1/workspaces/{workspace}/credentials/{provider}")
}

async fn token(client: &Credentials, workspace: &str, provider: &str) -> Result<String, &'static str> {
    let using = CredentialUse {
        provider: provider.into(),
        how: How::Header,
        name: Some("authorization".into()),
        prefix: None,
    };
    let credential = client.of(workspace, provider).await.map_err(|error| error.code())?;
    Ok(credential.header(&using).map_err(|error| error.code())?.1.expose_secret().to_owned())
}

fn start() -> Clock {
    Clock::manual(Timestamp::from_second(1_800_000_000).unwrap())
}

/// What happens between two questions.
#[derive(Debug, Clone)]
enum Step {
    Wait(i64),
    Ask(usize),
    Forget(usize),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => prop_oneof![4 => 0..400_i64, 1 => 299..=301_i64].prop_map(Step::Wait),
        5 => (0..4_usize).prop_map(Step::Ask),
        1 => (0..4_usize).prop_map(Step::Forget),
    ]
}

/// Within five minutes the held one answers without a call; after that, or when it was forgotten, the
/// backend is asked again, and its newest answer counts.
#[test]
fn property_30_a_credential_is_held_for_its_time_and_no_longer() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let backend = runtime.block_on(JobSite::start("127.0.0.1"));
    let keys = [("w1", "board"), ("w1", "other"), ("w2", "board"), ("w2", "other")];
    let versions = std::cell::Cell::new(0_u64);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(128));
    runner
        .run(&prop::collection::vec(any_step(), 1..40), |steps| {
            let clock = start();
            let client = client(&backend, &clock);
            // Until when each is held, and what it says.
            let mut held: [Option<(Timestamp, String)>; 4] = Default::default();
            for step in steps {
                match step {
                    Step::Wait(seconds) => clock.advance(SignedDuration::from_secs(seconds)),
                    Step::Forget(n) => {
                        client.invalidate(keys[n].0, keys[n].1);
                        held[n] = None;
                    }
                    Step::Ask(n) => {
                        // The backend's answer changes all the time; only a held one stays.
                        versions.set(versions.get() + 1);
                        let version = versions.get();
                        let (workspace, provider) = keys[n];
                        let now = format!("{workspace}-{provider}-{version}");
                        let body = format!(r#"{{"success":true,"data":{{"value":"{now}"}}}}"#);
                        backend.answers(&path(workspace, provider), 200, &[], &body);
                        let before = backend.hits().len();
                        let got = runtime.block_on(token(&client, workspace, provider)).unwrap();
                        let calls = backend.hits().len() - before;
                        match held[n].as_ref().filter(|(until, _)| clock.now() < *until) {
                            Some((_, known)) => prop_assert_eq!((calls, &got), (0, known)),
                            None => {
                                prop_assert_eq!((calls, &got), (1, &now));
                                held[n] = Some((clock.now() + SignedDuration::from_mins(5), now));
                            }
                        }
                    }
                }
            }
            Ok(())
        })
        .unwrap();
    let hits = backend.hits();
    assert!(hits.iter().all(|hit| hit.headers["x-service-key"] == KEY), "the backend knows who asks");
    assert!(hits.len() > 200, "{} calls", hits.len());
}

#[tokio::test]
async fn a_missing_one_is_missing_at_once_and_a_silent_backend_is_asked_four_times() {
    assert_eq!(PAUSES.map(|pause| pause.as_secs()), [1, 2, 4]);
    let (site, clock) = (JobSite::start("127.0.0.1").await, start());
    let client = client(&site, &clock);
    assert_eq!(token(&client, "w", "none").await, Err("credential_not_found"));
    assert_eq!(site.hits().len(), 1);

    site.answers(&path("w", "board"), 503, &[], "later");
    assert_eq!(token(&client, "w", "board").await, Err("credential_unavailable"));
    assert_eq!(site.hits().len(), 1 + 4);

    // A failure is not held.
    site.answers(&path("w", "board"), 200, &[], r#"{"token":"t"}"#);
    assert_eq!(token(&client, "w", "board").await.as_deref(), Ok("t"));

    for (answer, calls) in [(r#"{"data":{}}"#, 1), ("not json: s3cret", 1), (r#"{"value":"a\r\nb"}"#, 1)] {
        site.answers(&path("w", "odd"), 200, &[], answer);
        let before = site.hits().len();
        assert_eq!(token(&client, "w", "odd").await, Err("credential_unavailable"));
        assert_eq!(site.hits().len() - before, calls);
    }
    site.answers(&path("w", "locked"), 401, &[], "");
    let before = site.hits().len();
    assert_eq!(token(&client, "w", "locked").await, Err("credential_unavailable"));
    assert_eq!(site.hits().len() - before, 1, "it does not know us, and will not next second");
}

#[tokio::test]
async fn a_crowd_that_wants_the_same_one_asks_once() {
    let (site, clock) = (JobSite::start("127.0.0.1").await, start());
    site.answers(&path("w", "board"), 200, &[], r#"{"value":"v"}"#);
    let client = Arc::new(client(&site, &clock));
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let client = Arc::clone(&client);
        crowd.spawn(async move { token(&client, "w", "board").await });
    }
    assert!(crowd.join_all().await.iter().all(|got| got.as_deref() == Ok("v")));
    assert_eq!(site.hits().len(), 1);
}

/// The credential URL is a way in like any other, and a key travels on it.
#[tokio::test]
async fn the_backend_must_be_public_and_encrypted_or_listed() {
    let site = JobSite::start("127.0.0.1").await;
    site.answers(&path("w", "board"), 200, &[], r#"{"value":"v"}"#);
    let public = egress(&[]);
    let open = |url: &str| {
        let backend = Backend { url: url.to_owned(), key: KEY.into() };
        Credentials::new(public.clone(), Some(&backend), start()).map(drop).map_err(|e| format!("{e:#}"))
    };
    for (row, _) in hostile() {
        let url = match row {
            Row::Url(url) => url,
            Row::Name(name) if !hostile_names().contains(&name) => continue,
            Row::Name(name) => format!("https://{name}/"),
            Row::Address(IpAddr::V4(address)) => format!("https://{address}/"),
            Row::Address(IpAddr::V6(address)) => format!("https://[{address}]/"),
        };
        assert!(open(&url).is_err(), "{url}");
    }
    assert!(open(&site.url("")).is_err());
    let clear = open("http://backend.example.com").unwrap_err();
    assert!(clear.starts_with("BACKEND_API_URL: it must be https"), "{clear}");
    assert!(open("https://backend.example.com").is_ok());
    assert!(site.hits().is_empty(), "nobody ever came");

    let listed = client(&site, &start());
    assert_eq!(token(&listed, "w", "board").await.as_deref(), Ok("v"));
    assert_eq!(site.hits().len(), 1);
}

/// A backend that leads elsewhere does not lead our key there.
#[tokio::test]
async fn a_redirect_of_the_backend_is_not_followed() {
    let (site, other) = (JobSite::start("127.0.0.1").await, JobSite::start("127.0.0.2").await);
    other.answers("/", 200, &[], r#"{"value":"v"}"#);
    site.answers(&path("w", "board"), 302, &[("location", &other.url("/"))], "");
    let web = egress(&[site.address.to_string(), other.address.to_string()]);
    let client = Credentials::new(web, Some(&backend(&site)), start()).unwrap();
    assert_eq!(token(&client, "w", "board").await, Err("credential_unavailable"));
    assert!(other.hits().is_empty());
}

#[tokio::test]
async fn without_a_backend_there_are_no_credentials() {
    let client = Credentials::new(egress(&[]), None, start()).unwrap();
    assert_eq!(token(&client, "w", "board").await, Err("credential_unavailable"));
}
