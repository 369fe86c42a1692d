//! The API called as its own description says, and as it does not say, for every kind of caller: no answer is a fault of
//! ours, and none is undocumented. `make api-fuzz` does the same for longer (`API_FUZZ_EXAMPLES`).

use std::path::{Path, PathBuf};
use std::time::Duration;

use secrecy::SecretString;
use shared::clock::Clock;
use shared::domain::policy::Policy;
use shared::domain::roles::scraper_key::NewKey;
use shared::settings::Env;
use shared::store::scraper_keys;
use shared::tokens::Callers;

use crate::house::{HouseProcess, KEY};

// Every check it has is on by default; a flag that says so would overrule what the settings below switch off.

/// For each operation, in `make test`.
const EXAMPLES: &str = "15";
/// The same requests every time, unless somebody asks for others.
const SEED: &str = "4711";

/// Where a request of the right form may still be wrong: a time that has passed, an address that is no board, a name
/// that names nothing, a key that was used before. What is refused there must be documented all the same.
const MEANING: [&str; 11] = [
    "/api/admin/sources",
    "/api/admin/roles",
    "/api/admin/roles/{id}/merge",
    "/api/admin/scraper-keys",
    "/api/admin/scraper-keys/{id}/expire",
    "/api/admin/scraper-keys/{id}/rotate",
    "/api/admin/replay",
    "/api/admin/policies",
    "/api/candidates",
    "/api/candidates/{id}",
    "/api/scraper/queue/jobs",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_is_one_that_the_description_promises() {
    let mut house = HouseProcess::new(&[], &Policy::default()).await;
    house.set("NEXT_ROLE_PER_MINUTE", "1000000");
    house.set("BROWSER", "/nowhere");
    house.start().await;
    let conn = house.db.pool.conn().await.unwrap();
    // Far from the numbers that are tried, so that nobody revokes the key that is called with.
    conn.batch_execute("alter table scraper_keys alter column id restart with 2000000000").await.unwrap();
    let (now, key) = (Clock::System.now(), NewKey::new(&rand::random()));
    scraper_keys::create(&*conn, "fuzz", None, &key, None, "tests", now).await.unwrap();
    for name in ["Glazier", "Baker", "Cooper", "Platform Engineer"] {
        shared::store::roles::create(&*conn, name, "normal", now).await.unwrap();
    }
    let callers = Callers::new(&[SecretString::from(KEY)], "a-signing-key-for-tests".into()).unwrap();
    let token = callers.admin_token("fuzz", jiff::SignedDuration::from_hours(1), now).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("schemathesis.toml");
    std::fs::write(&settings, settings_of(&token, &key.text)).unwrap();
    let env = Env::of_process();
    let examples = env.optional("API_FUZZ_EXAMPLES").unwrap_or(EXAMPLES.to_owned());
    let seed = env.optional("API_FUZZ_SEED").unwrap_or(SEED.to_owned());
    let mut command = tokio::process::Command::new(schemathesis());
    command
        .current_dir(folder.path())
        .arg("--config-file")
        .arg(&settings)
        .arg("run")
        .arg(house.url("/openapi.json"))
        .args(["--max-examples", &examples, "--seed", &seed, "--workers", "1"])
        .args(["--continue-on-failure", "--no-color", "--request-timeout", "30", "--warnings", "off"])
        .kill_on_drop(true);
    let run = tokio::time::timeout(Duration::from_secs(1_500), command.output()).await;
    let run = run.expect("it ends").expect("schemathesis runs: scripts/setup python");
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{said}\n{}", String::from_utf8_lossy(&run.stderr));
    show(&said);
    house.kill();
}

/// What whoever waited for the long run wants to see.
#[expect(clippy::print_stdout, reason = "figures of a run that somebody asked for")]
fn show(said: &str) {
    if let Some(at) = said.find(" SUMMARY ") {
        println!("{}", &said[at..]);
    }
}

fn settings_of(token: &str, key: &str) -> String {
    let mut text = format!(
        "[auth.openapi.service]\napi_key = \"{KEY}\"\n\
         [auth.openapi.admin]\nbearer = \"{token}\"\n\
         [auth.openapi.scraper]\napi_key = \"{key}\"\n"
    );
    for path in MEANING {
        text.push_str(&format!(
            "[[operations]]\ninclude-path = \"{path}\"\nchecks.positive_data_acceptance.enabled = false\n"
        ));
    }
    text.push_str(
        "[[operations]]\ninclude-path-regex = \"^/api/v1/scrape\"\nchecks.positive_data_acceptance.enabled = false\n",
    );
    text
}

fn schemathesis() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin/schemathesis")
}
