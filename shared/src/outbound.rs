//! How we go out, as the operator set it: by which proxies, under which name, and with whose logins.

use anyhow::{Context, bail};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value;

use crate::domain::profile::Identity;
use crate::egress::Proxy;
use crate::settings::Env;

/// How we introduce ourselves. The first word is the one that robots.txt knows us by.
pub const USER_AGENT: &str =
    concat!("Freshet/", env!("CARGO_PKG_VERSION"), " (listings that are still true)");

/// Small, and there for everybody.
const PROBE_URL: &str = "https://example.com/";

#[derive(Clone, Default)]
pub struct Outbound {
    pub proxies: Vec<Proxy>,
    /// What an unhealthy proxy must bring back to be trusted again.
    pub probe_url: String,
    pub identity: Identity,
    pub backend: Option<Backend>,
}

/// Where logins are kept, and the key to them.
#[derive(Clone)]
pub struct Backend {
    pub url: String,
    pub key: SecretString,
}

/// The settings as they are written: variables on one machine, a secret on AWS.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct Written {
    /// As `PROXY_ENDPOINTS` has it, or the list itself.
    proxy_endpoints: Option<Value>,
    proxy_probe_url: Option<String>,
    identity: Option<String>,
    backend_api_url: Option<String>,
    backend_service_key: Option<SecretString>,
}

impl Outbound {
    pub fn of(env: &Env) -> anyhow::Result<Outbound> {
        Written {
            proxy_endpoints: env.optional("PROXY_ENDPOINTS").map(Value::String),
            proxy_probe_url: env.optional("PROXY_PROBE_URL"),
            identity: env.optional("IDENTITY"),
            backend_api_url: env.optional("BACKEND_API_URL"),
            backend_service_key: env.optional("BACKEND_SERVICE_KEY").map(SecretString::from),
        }
        .checked()
    }
}

impl Written {
    /// What is malformed is named by its setting; nothing that may be secret is quoted.
    pub fn checked(self) -> anyhow::Result<Outbound> {
        let proxies = match &self.proxy_endpoints {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(text)) => Proxy::list(text).context("PROXY_ENDPOINTS")?,
            Some(list @ Value::Array(_)) => Proxy::list(&list.to_string()).context("PROXY_ENDPOINTS")?,
            Some(_) => bail!("PROXY_ENDPOINTS is neither a text nor a list"),
        };
        let identity = match self.identity.as_deref().map(str::trim) {
            None | Some("") => Identity::Own,
            Some(word) => word.parse().map_err(|why| anyhow::anyhow!("IDENTITY: {why}"))?,
        };
        let key = self.backend_service_key.filter(|key| !key.expose_secret().trim().is_empty());
        let url = self.backend_api_url.filter(|url| !url.trim().is_empty());
        let backend = match (url, key) {
            (None, None) => None,
            (Some(url), Some(key)) => Some(Backend { url: url.trim().to_owned(), key }),
            (Some(_), None) => bail!("BACKEND_API_URL is set and BACKEND_SERVICE_KEY is not"),
            (None, Some(_)) => bail!("BACKEND_SERVICE_KEY is set and BACKEND_API_URL is not"),
        };
        let probe_url = self.proxy_probe_url.filter(|url| !url.trim().is_empty());
        Ok(Outbound {
            proxies,
            probe_url: probe_url.unwrap_or_else(|| PROBE_URL.to_owned()),
            identity,
            backend,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&'static str, &str)]) -> anyhow::Result<Outbound> {
        Outbound::of(&Env::of(pairs.iter().map(|(name, value)| (*name, (*value).to_owned()))))
    }

    #[test]
    fn without_settings_we_go_by_ourselves_and_under_our_own_name() {
        let plain = of(&[]).unwrap();
        assert!(plain.proxies.is_empty() && plain.backend.is_none());
        assert_eq!(plain.identity, Identity::Own);
    }

    #[test]
    fn what_is_wrong_is_named_and_not_quoted() {
        let problem = |pairs: &[(&'static str, &str)]| format!("{:#}", of(pairs).err().unwrap());
        assert_eq!(
            problem(&[("PROXY_ENDPOINTS", "http://a.example.com,gopher://u:hunter2@b.example.com")]),
            "PROXY_ENDPOINTS: entry 1: the scheme must be http, https or socks5"
        );
        assert_eq!(problem(&[("IDENTITY", "chrome")]), "IDENTITY: it is \"own\" or \"profile\"");
        let lone = problem(&[("BACKEND_SERVICE_KEY", "hunter2")]);
        assert_eq!(lone, "BACKEND_SERVICE_KEY is set and BACKEND_API_URL is not");
    }

    #[test]
    fn a_secret_says_the_same_as_the_variables() {
        let secret = r#"{"database_url":"postgres://…","proxy_endpoints":[{"url":"http://a.example.com","region":"de"}],
            "identity":"profile","backend_api_url":"https://backend.example.com","backend_service_key":"k"}"#;
        let read = serde_json::from_str::<Written>(secret).unwrap().checked().unwrap();
        assert_eq!((read.proxies.len(), read.identity), (1, Identity::Profile));
        assert_eq!(read.backend.unwrap().url, "https://backend.example.com");
        let none = serde_json::from_str::<Written>(r#"{"database_url":"postgres://…"}"#).unwrap().checked();
        assert!(none.unwrap().proxies.is_empty());
    }
}
