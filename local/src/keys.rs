//! The keys of this machine: from the settings, or made once and kept beside the data.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use shared::clock::Clock;
use shared::settings::Env;
use shared::tokens::Callers;

#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    service_key: String,
    admin_signing_key: String,
}

/// The keys, and the service key to show in an example: only one that was made here, never an operator's.
pub struct Keys {
    pub callers: Callers,
    pub shown: Option<String>,
}

/// Where the data of this machine lives.
pub fn data_folder(env: &Env) -> PathBuf {
    env.optional("FRESHET_DATA").map_or_else(|| PathBuf::from("data"), PathBuf::from)
}

/// `SERVICE_KEYS` and `ADMIN_SIGNING_KEY`; what is not set is made once and kept.
pub fn load(env: &Env, data: &Path) -> anyhow::Result<Keys> {
    let given = env.list("SERVICE_KEYS");
    let signing = env.optional("ADMIN_SIGNING_KEY");
    if let (false, Some(signing)) = (given.is_empty(), &signing) {
        let callers = callers(given, signing.clone())?;
        return Ok(Keys { callers, shown: None });
    }
    let kept = kept(&data.join("keys.json"))?;
    let shown = given.is_empty().then(|| kept.service_key.clone());
    let services = if given.is_empty() { vec![kept.service_key] } else { given };
    Ok(Keys { callers: callers(services, signing.unwrap_or(kept.admin_signing_key))?, shown })
}

fn callers(services: Vec<String>, signing: String) -> anyhow::Result<Callers> {
    let services: Vec<_> = services.into_iter().map(Into::into).collect();
    Callers::new(&services, signing.into()).context("SERVICE_KEYS or ADMIN_SIGNING_KEY")
}

fn kept(path: &Path) -> anyhow::Result<Kept> {
    if let Ok(text) = std::fs::read_to_string(path) {
        return serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()));
    }
    let fresh = || hex::encode(rand::random::<[u8; 24]>());
    let made = Kept { service_key: format!("local-{}", fresh()), admin_signing_key: fresh() };
    let folder = path.parent().context("the keys have a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    // Written beside and renamed, so that a kill leaves a whole file or none.
    let beside = path.with_extension("part");
    let mut file =
        std::fs::OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(serde_json::to_string_pretty(&made)?.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&beside, path).with_context(|| format!("writing {}", path.display()))?;
    Ok(made)
}

/// A token with the admin role, signed by this machine's key.
pub fn admin_token(callers: &Callers, who: &str, hours: i64) -> anyhow::Result<String> {
    callers.admin_token(who, SignedDuration::from_hours(hours), Clock::System.now())
}

pub fn print_admin_token(env: &Env, who: &str, hours: i64) -> anyhow::Result<()> {
    let keys = load(env, &data_folder(env))?;
    crate::say(&admin_token(&keys.callers, who, hours)?);
    Ok(())
}
