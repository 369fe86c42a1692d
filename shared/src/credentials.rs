//! Logins that the backend keeps for a workspace: asked for over the one door, held for five minutes, shown
//! to nobody. No value of one is ever formatted, logged or stored.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::clock::Clock;
use crate::domain::credential::{CredentialUse, How};
use crate::egress::{Egress, EgressError, Fetched, Hop, Request};
use crate::outbound::Backend;

/// How long a login is taken for current.
pub const HOLD: SignedDuration = SignedDuration::from_mins(5);
/// Pauses before the tries after the first.
pub const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];
/// One try; four of them and the pauses end before a function does.
const TRY: Duration = Duration::from_secs(5);

/// A login. What it holds depends on the provider.
#[derive(Clone)]
pub struct Credential {
    value: Option<SecretString>,
    username: Option<SecretString>,
    password: Option<SecretString>,
}

/// Why there is no login to be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    #[error("Missing credentials for provider {provider:?}")]
    NotFound { provider: String },
    #[error("the backend's answer for provider {provider:?} cannot be used as a {how}")]
    Unfit { provider: String, how: &'static str },
    #[error("the backend that keeps credentials cannot be asked: {reason}")]
    Unavailable { reason: String },
}

impl CredentialError {
    pub fn code(&self) -> &'static str {
        match self {
            CredentialError::NotFound { .. } => "credential_not_found",
            CredentialError::Unfit { .. } => "credential_unfit",
            CredentialError::Unavailable { .. } => "credential_unavailable",
        }
    }

    /// Waiting may help: the backend could not be asked.
    pub fn may_pass(&self) -> bool {
        matches!(self, CredentialError::Unavailable { .. })
    }
}

type Key = (String, String);
/// One place a key, so that many who want the same login ask once.
type Place = Arc<tokio::sync::Mutex<Option<(Credential, Timestamp)>>>;

pub struct Credentials {
    web: Egress,
    backend: Option<(Url, SecretString)>,
    clock: Clock,
    pauses: [Duration; 3],
    held: Mutex<HashMap<Key, Place>>,
}

impl Credentials {
    /// The backend must be reached encrypted, unless it is on the list of private hosts.
    pub fn new(web: Egress, backend: Option<&Backend>, clock: Clock) -> anyhow::Result<Credentials> {
        let backend = backend.map(|backend| address(&web, backend)).transpose().context("BACKEND_API_URL")?;
        Ok(Credentials { web, backend, clock, pauses: PAUSES, held: Mutex::default() })
    }

    /// For tests, which have no time.
    #[doc(hidden)]
    #[must_use]
    pub fn with_pauses(self, pauses: [Duration; 3]) -> Credentials {
        Credentials { pauses, ..self }
    }

    /// The login of a workspace with a provider; held ones answer for five minutes.
    pub async fn of(&self, workspace: &str, provider: &str) -> Result<Credential, CredentialError> {
        let place = self.place(workspace, provider);
        let mut held = place.lock().await;
        let now = self.clock.now();
        if let Some((credential, until)) = &*held
            && now < *until
        {
            return Ok(credential.clone());
        }
        *held = None;
        let fresh = self.ask(workspace, provider).await?;
        *held = Some((fresh.clone(), self.clock.now() + HOLD));
        Ok(fresh)
    }

    /// The site did not take it: the next one who wants it asks anew.
    pub fn invalidate(&self, workspace: &str, provider: &str) {
        self.places().remove(&(workspace.to_owned(), provider.to_owned()));
    }

    fn place(&self, workspace: &str, provider: &str) -> Place {
        let mut places = self.places();
        let now = self.clock.now();
        // What is over and wanted by nobody goes, so that the map stays as large as what is in use.
        places.retain(|_, place| {
            Arc::strong_count(place) > 1
                || place.try_lock().is_ok_and(|held| held.as_ref().is_some_and(|(_, until)| now < *until))
        });
        Arc::clone(places.entry((workspace.to_owned(), provider.to_owned())).or_default())
    }

    fn places(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Place>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, workspace: &str, provider: &str) -> Result<Credential, CredentialError> {
        let unavailable = |reason: &str| CredentialError::Unavailable { reason: reason.to_owned() };
        let Some((base, key)) = &self.backend else { return Err(unavailable("BACKEND_API_URL is not set")) };
        let not_found = || CredentialError::NotFound { provider: provider.to_owned() };
        let url = credential_url(base, workspace, provider).ok_or_else(not_found)?;
        let mut reason = String::new();
        for pause in std::iter::once(Duration::ZERO).chain(self.pauses) {
            tokio::time::sleep(pause).await;
            let request = Request::get(url.as_str())
                .header("x-service-key", key.expose_secret())
                .header("accept", "application/json");
            let asked = tokio::time::timeout(TRY, self.web.fetch(request, |_| Hop::Stop)).await;
            match asked.unwrap_or(Err(EgressError::Timeout)) {
                Ok(answer) if answer.status == 404 => return Err(not_found()),
                Ok(answer) if answer.status == 200 => {
                    return read(&answer).ok_or_else(|| unavailable("its answer holds no credential"));
                }
                // It does not know us, or leads elsewhere: asking again says the same.
                Ok(answer) if matches!(answer.status, 300..=399 | 401 | 403) => {
                    return Err(unavailable(&format!("it answered {}", answer.status)));
                }
                Ok(answer) => reason = format!("it answered {}", answer.status),
                Err(error) => error.code().clone_into(&mut reason),
            }
            tracing::warn!(provider, reason, "the backend gave no credential");
        }
        Err(unavailable(&reason))
    }
}

/// The backend's address, once it is known to be safe to send a key to.
fn address(web: &Egress, backend: &Backend) -> anyhow::Result<(Url, SecretString)> {
    let target = web.check(&backend.url)?;
    ensure!(
        target.url().scheme() == "https" || target.is_private(),
        "it must be https: a key and other people's logins travel there"
    );
    ensure!(target.url().query().is_none(), "it must have no query");
    Ok((target.into_url(), backend.key.clone()))
}

/// `None` for a workspace whose name is no segment of a path.
fn credential_url(base: &Url, workspace: &str, provider: &str) -> Option<Url> {
    if [workspace, provider].iter().any(|part| matches!(*part, "" | "." | "..")) {
        return None;
    }
    let mut url = base.clone();
    // The address may be given with or without the version of the API.
    let root = base.path().trim_end_matches('/').trim_end_matches("/api/v1").to_owned();
    url.set_path(&root);
    url.path_segments_mut().ok()?.pop_if_empty().extend([
        "api",
        "v1",
        "workspaces",
        workspace,
        "credentials",
        provider,
    ]);
    Some(url)
}

/// `{"data": {…}}` as our own API answers, or the object itself. What is wrong with it is not quoted.
fn read(answer: &Fetched) -> Option<Credential> {
    let body: Value = serde_json::from_slice(&answer.body).ok()?;
    let fields = body.get("data").unwrap_or(&body).as_object()?;
    let field = |name: &str| {
        let text = fields.get(name)?.as_str()?;
        (!text.is_empty() && !text.chars().any(char::is_control)).then(|| SecretString::from(text))
    };
    let value = ["value", "token", "access_token", "api_key"].into_iter().find_map(field);
    let (username, password) = (field("username"), field("password"));
    let usable = value.is_some() || password.is_some();
    usable.then_some(Credential { value, username, password })
}

impl Credential {
    /// The one header that carries it, by the site's policy.
    pub fn header(&self, using: &CredentialUse) -> Result<(String, SecretString), CredentialError> {
        let unfit = |how| CredentialError::Unfit { provider: using.provider.clone(), how };
        let name = using.name.clone().unwrap_or_default();
        match using.how {
            How::Header => {
                let value = self.value.as_ref().ok_or_else(|| unfit("header"))?;
                let prefix = using.prefix.as_deref().unwrap_or_default();
                Ok((name, format!("{prefix}{}", value.expose_secret()).into()))
            }
            How::Cookie => {
                let value = self.value.as_ref().ok_or_else(|| unfit("cookie"))?.expose_secret();
                // A semicolon would make another cookie of the rest.
                if value.contains([';', ',', ' ', '"', '\\']) {
                    return Err(unfit("cookie"));
                }
                Ok(("cookie".to_owned(), format!("{name}={value}").into()))
            }
            How::Basic => {
                let password = self.password.as_ref().ok_or_else(|| unfit("basic login"))?.expose_secret();
                let user = self.username.as_ref().map_or("", |user| user.expose_secret());
                let pair = BASE64_STANDARD.encode(format!("{user}:{password}"));
                Ok(("authorization".to_owned(), format!("Basic {pair}").into()))
            }
        }
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credential(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(base: &str, workspace: &str) -> Option<String> {
        credential_url(&base.parse().unwrap(), workspace, "board").map(Into::into)
    }

    #[test]
    fn a_workspace_stays_within_its_segment() {
        let plain = "https://b.example.com/api/v1/workspaces/w1/credentials/board";
        assert_eq!(url("https://b.example.com", "w1").unwrap(), plain);
        assert_eq!(url("https://b.example.com/api/v1/", "w1").unwrap(), plain);
        assert_eq!(
            url("https://b.example.com/x/", "../a?b#c/d").unwrap(),
            "https://b.example.com/x/api/v1/workspaces/..%2Fa%3Fb%23c%2Fd/credentials/board"
        );
        for odd in ["", ".", ".."] {
            assert_eq!(url("https://b.example.com", odd), None);
        }
    }

    #[test]
    fn a_login_is_dressed_as_the_policy_says_and_never_prints() {
        let login = Credential {
            value: Some("hunter2".into()),
            username: Some("me".into()),
            password: Some("pw".into()),
        };
        let using = |how, name: Option<&str>, prefix: Option<&str>| CredentialUse {
            provider: "board".into(),
            how,
            name: name.map(str::to_owned),
            prefix: prefix.map(str::to_owned),
        };
        let dressed = |using: &CredentialUse| {
            let (name, value) = login.header(using).unwrap();
            (name, value.expose_secret().to_owned())
        };
        let bearer = using(How::Header, Some("authorization"), Some("Bearer "));
        assert_eq!(dressed(&bearer), ("authorization".into(), "Bearer hunter2".into()));
        assert_eq!(dressed(&using(How::Cookie, Some("sid"), None)), ("cookie".into(), "sid=hunter2".into()));
        assert_eq!(
            dressed(&using(How::Basic, None, None)),
            ("authorization".into(), "Basic bWU6cHc=".into())
        );
        assert_eq!(format!("{login:?}"), "Credential(…)");
        let two = Credential { value: Some("a; admin=1".into()), username: None, password: None };
        assert_eq!(
            two.header(&using(How::Cookie, Some("sid"), None)).unwrap_err().code(),
            "credential_unfit"
        );
        assert!(two.header(&using(How::Basic, None, None)).is_err());
    }
}
