//! The keys of this machine: from the settings, or made once and kept beside the data.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::SignedDuration;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use shared::clock::Clock;
use shared::domain::webhook::SigningKey;
use shared::settings::Env;
use shared::tokens::Callers;

#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    service_key: String,
    admin_signing_key: String,
    /// Missing in a file from before there were webhooks.
    #[serde(default)]
    webhook_secret: String,
}

/// The keys, and the service key to show in an example: only one that was made here, never an operator's.
pub struct Keys {
    pub callers: Callers,
    /// What webhooks are signed with.
    pub webhook_secret: SecretString,
    pub shown: Option<String>,
}

/// Where the data of this machine lives.
pub fn data_folder(env: &Env) -> PathBuf {
    env.optional("FRESHET_DATA").map_or_else(|| PathBuf::from("data"), PathBuf::from)
}

/// `SERVICE_KEYS`, `ADMIN_SIGNING_KEY` and `WEBHOOK_SECRET`; what is not set is made once and kept.
pub fn load(env: &Env, data: &Path) -> anyhow::Result<Keys> {
    let given = env.list("SERVICE_KEYS");
    let (signing, webhooks) = (env.optional("ADMIN_SIGNING_KEY"), env.optional("WEBHOOK_SECRET"));
    if let (false, Some(signing), Some(webhooks)) = (given.is_empty(), &signing, &webhooks) {
        let callers = callers(given, signing.clone())?;
        return Ok(Keys { callers, webhook_secret: webhooks.clone().into(), shown: None });
    }
    let kept = kept(&data.join("keys.json"))?;
    let shown = given.is_empty().then(|| kept.service_key.clone());
    let services = if given.is_empty() { vec![kept.service_key] } else { given };
    Ok(Keys {
        callers: callers(services, signing.unwrap_or(kept.admin_signing_key))?,
        webhook_secret: webhooks.unwrap_or(kept.webhook_secret).into(),
        shown,
    })
}

fn callers(services: Vec<String>, signing: String) -> anyhow::Result<Callers> {
    let services: Vec<_> = services.into_iter().map(Into::into).collect();
    Callers::new(&services, signing.into()).context("SERVICE_KEYS or ADMIN_SIGNING_KEY")
}

fn kept(path: &Path) -> anyhow::Result<Kept> {
    let fresh = || hex::encode(rand::random::<[u8; 24]>());
    let mut kept = match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?,
        Err(_) => Kept {
            service_key: format!("local-{}", fresh()),
            admin_signing_key: fresh(),
            webhook_secret: String::new(),
        },
    };
    if kept.webhook_secret.is_empty() {
        kept.webhook_secret = SigningKey::secret(rand::random());
        keep(path, &kept)?;
        // Of two processes that start together one wins, and both go by what it wrote.
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        kept = serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    }
    Ok(kept)
}

/// Written beside and linked, so that a kill leaves a whole file or none.
fn keep(path: &Path, kept: &Kept) -> anyhow::Result<()> {
    let folder = path.parent().context("the keys have a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let beside = path.with_extension(uuid::Uuid::new_v4().to_string());
    let mut file = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(&beside)?;
    file.write_all(serde_json::to_string_pretty(kept)?.as_bytes())?;
    file.sync_all()?;
    if path.exists() {
        std::fs::rename(&beside, path).with_context(|| format!("writing {}", path.display()))?;
        return Ok(());
    }
    let linked = std::fs::hard_link(&beside, path);
    std::fs::remove_file(&beside)?;
    match linked {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked.with_context(|| format!("writing {}", path.display())),
    }
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
