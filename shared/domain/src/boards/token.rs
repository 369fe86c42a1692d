//! The names of boards. A token becomes part of an address, so each system says what its tokens look like, and
//! nothing else gets in.

use thiserror::Error;
use url::{Host, Url};

use super::System;

const MAX_TOKEN: usize = 300;

/// A token that its system cannot have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{token:?} is no board of {system}: it is written {wanted}")]
pub struct BadToken {
    pub system: System,
    pub token: String,
    pub wanted: &'static str,
}

/// What the parts of a token are, between slashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A public-looking host name in lower case, or an address with a port.
    Host,
    /// A name within one path segment.
    Name,
}

/// How the tokens of a system are written, for people and for the check.
fn shape(system: System) -> (&'static str, &'static [Part]) {
    use Part::{Host, Name};
    match system {
        System::Workday => ("host/tenant/site", &[Host, Name, Name]),
        System::Oracle => ("host/site", &[Host, Name]),
        System::Ukg => ("host/tenant/board", &[Host, Name, Name]),
        System::Eightfold | System::EightfoldPcsx => ("host/domain", &[Host, Name]),
        System::Icims
        | System::IcimsJibe
        | System::Phenom
        | System::BambooHr
        | System::Recruitee
        | System::Teamtailor
        | System::Personio
        | System::JazzHr
        | System::Breezy
        | System::Pinpoint => ("its host", &[Host]),
        System::Greenhouse | System::Lever => ("name, or eu/name", &[Name]),
        System::SmartRecruiters
        | System::Ashby
        | System::Workable
        | System::Paylocity
        | System::Jobvite
        | System::Rippling
        | System::Gem => ("name", &[Name]),
        System::Amazon | System::Google | System::Apple | System::TikTok | System::Roblox => ("all", &[Name]),
        System::Feed | System::Sitemap | System::ListPage => ("an http or https url", &[]),
    }
}

/// The token in its one spelling.
pub fn check(system: System, token: &str) -> Result<String, BadToken> {
    let (wanted, parts) = shape(system);
    let bad = || BadToken { system, token: token.chars().take(MAX_TOKEN).collect(), wanted };
    let token = token.trim();
    if token.is_empty() || token.len() > MAX_TOKEN || token.chars().any(char::is_control) {
        return Err(bad());
    }
    if parts.is_empty() {
        let url = Url::parse(token).map_err(|_| bad())?;
        let plain = matches!(url.scheme(), "http" | "https") && url.username().is_empty();
        return if plain && url.host().is_some() { Ok(url.into()) } else { Err(bad()) };
    }
    let spelt = match (system, token.split_once('/')) {
        (System::Greenhouse | System::Lever, Some(("eu", name))) if is_name(name) => token.to_owned(),
        _ => {
            let given: Vec<&str> = token.split('/').collect();
            if given.len() != parts.len() {
                return Err(bad());
            }
            let read = given.iter().zip(parts).map(|(text, part)| match part {
                Part::Host => host(text),
                Part::Name => is_name(text).then(|| (*text).to_owned()),
            });
            read.collect::<Option<Vec<String>>>().ok_or_else(bad)?.join("/")
        }
    };
    Ok(spelt)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !matches!(text, "." | "..")
        && !text.contains(['/', '\\', '?', '#', '"', '<', '>', ';', '%'])
}

fn host(text: &str) -> Option<String> {
    let url = Url::parse(&format!("https://{text}/")).ok()?;
    let whole = url.path() == "/" && url.query().is_none() && url.username().is_empty();
    let named = match url.host()? {
        Host::Domain(name) => name.contains('.'),
        Host::Ipv4(_) | Host::Ipv6(_) => true,
    };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    (whole && named).then(|| format!("{}{port}", url.host_str().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_what_its_system_has() {
        for (system, token, spelt) in [
            (System::Greenhouse, "lantern", "lantern"),
            (System::Greenhouse, "eu/lantern", "eu/lantern"),
            (System::Lever, "potters&sons", "potters&sons"),
            (
                System::Workday,
                "Lantern.WD5.myworkdayjobs.com/lantern/Jobs",
                "lantern.wd5.myworkdayjobs.com/lantern/Jobs",
            ),
            (System::Pinpoint, "lantern.pinpointhq.com", "lantern.pinpointhq.com"),
            (System::Pinpoint, "127.0.0.1:8080", "127.0.0.1:8080"),
            (System::Feed, "https://lantern.example/jobs.rss", "https://lantern.example/jobs.rss"),
        ] {
            assert_eq!(check(system, token).as_deref(), Ok(spelt), "{token}");
        }
    }

    #[test]
    fn what_could_leave_its_place_in_an_address_is_no_token() {
        for (system, token) in [
            (System::Greenhouse, "../admin"),
            (System::Greenhouse, "a/b"),
            (System::Greenhouse, "us/lantern"),
            (System::Greenhouse, "lantern?x=1"),
            (System::Greenhouse, ""),
            (System::Workday, "lantern.wd5.myworkdayjobs.com/lantern"),
            (System::Pinpoint, "lantern.example@evil.example"),
            (System::Pinpoint, "localhost"),
            (System::Oracle, "host.example/CX_1;x"),
            (System::Feed, "ftp://lantern.example/"),
            (System::Feed, "https://user:pw@lantern.example/"),
        ] {
            assert!(check(system, token).is_err(), "{token}");
        }
        let error = check(System::Workday, "x").unwrap_err().to_string();
        assert_eq!(error, "\"x\" is no board of workday: it is written host/tenant/site");
    }
}
