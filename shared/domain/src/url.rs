//! The normal form of a URL: what a listing is known by. For identity and output only; what is
//! fetched is the URL as given. Normalising twice changes nothing.

pub mod tracking;

use std::borrow::Cow;

use ::url::Url;
use thiserror::Error;

use tracking::is_tracking;

/// Longer ones are refused everywhere in Freshet.
pub const MAX_LENGTH: usize = 2048;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadUrl {
    #[error("the URL is longer than {MAX_LENGTH} characters")]
    TooLong,
    #[error("the URL cannot be read")]
    Unreadable,
    #[error("the URL is neither http nor https")]
    Scheme,
    #[error("the URL carries a user name or password")]
    Userinfo,
}

/// The normal form as text.
pub fn normalise(url: &str) -> Result<String, BadUrl> {
    normalise_url(url).map(String::from)
}

/// https, lower-case host without default port and trailing dot, no tracking parameters, sorted query,
/// one spelling of percent-encoding, no fragment unless it is a route (`#!`, `#/`).
pub fn normalise_url(url: &str) -> Result<Url, BadUrl> {
    if url.len() > MAX_LENGTH {
        return Err(BadUrl::TooLong);
    }
    let mut url = Url::parse(url.trim()).map_err(|_| BadUrl::Unreadable)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BadUrl::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BadUrl::Userinfo);
    }
    secure(&mut url)?;
    let path = without_session(&respell(url.path())).into_owned();
    url.set_path(&path);
    let query = tidy_query(url.query().unwrap_or_default(), url.host_str().unwrap_or_default(), url.path());
    url.set_query(query.as_deref());
    if !url.fragment().is_some_and(|fragment| fragment.starts_with(['!', '/'])) {
        url.set_fragment(None);
    }
    if url.as_str().len() > MAX_LENGTH {
        return Err(BadUrl::TooLong);
    }
    Ok(url)
}

fn secure(url: &mut Url) -> Result<(), BadUrl> {
    let host = url.host_str().ok_or(BadUrl::Unreadable)?;
    if host.ends_with('.') {
        let bare = host.trim_end_matches('.').to_owned();
        url.set_host(Some(&bare)).map_err(|_| BadUrl::Unreadable)?;
    }
    url.set_scheme("https").map_err(|()| BadUrl::Scheme)?;
    if url.port() == Some(443) {
        url.set_port(None).map_err(|()| BadUrl::Unreadable)?;
    }
    Ok(())
}

/// A path without the session that some servers write into it (`/job;jsessionid=1F/7`).
fn without_session(path: &str) -> Cow<'_, str> {
    const SESSION: &str = ";jsessionid=";
    let at = |text: &str| text.to_ascii_lowercase().find(SESSION);
    if at(path).is_none() {
        return Cow::Borrowed(path);
    }
    let kept = path.split('/').map(|segment| at(segment).map_or(segment, |end| &segment[..end]));
    Cow::Owned(kept.collect::<Vec<_>>().join("/"))
}

/// Without empty and tracking parameters, sorted by name; parameters of one name keep their order.
fn tidy_query(query: &str, host: &str, path: &str) -> Option<String> {
    let mut parameters: Vec<String> = query.split('&').filter(|part| !part.is_empty()).map(respell).collect();
    for parameter in &mut parameters {
        if let Some(end) = second_query(parameter, host, path) {
            parameter.truncate(end);
        }
    }
    parameters.retain(|part| !part.is_empty() && !is_tracking(name_of(part), host, path));
    parameters.sort_by(|a, b| name_of(a).cmp(name_of(b)));
    (!parameters.is_empty()).then(|| parameters.join("&"))
}

/// Where a second query of tracking was glued on (`?id=7?utm_source=x`).
fn second_query(parameter: &str, host: &str, path: &str) -> Option<usize> {
    let marks = parameter.match_indices('?').chain(parameter.match_indices("%3F"));
    let tracking = marks.filter(|(at, mark)| {
        let rest = &parameter[at + mark.len()..];
        let name = rest.split(['=', '?']).next().unwrap_or_default();
        let name = name.split("%3F").next().unwrap_or_default();
        is_tracking(name, host, path)
    });
    tracking.map(|(at, _)| at).min()
}

fn name_of(parameter: &str) -> &str {
    parameter.split_once('=').map_or(parameter, |(name, _)| name)
}

/// One spelling of percent-encoding: letters, digits and `-._~` plain, hex in upper case, a lone `%`
/// encoded (or the next pass would read it together with what follows).
fn respell(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let pair = bytes.get(at..at + 2).and_then(|pair| Some((hex(pair[0])?, hex(pair[1])?)));
        let Some((high, low)) = pair else {
            out.extend_from_slice(b"%25");
            continue;
        };
        at += 2;
        let decoded = high << 4 | low;
        if decoded.is_ascii_alphanumeric() || matches!(decoded, b'-' | b'.' | b'_' | b'~') {
            out.push(decoded);
        } else {
            out.extend_from_slice(format!("%{decoded:02X}").as_bytes());
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(url: &str, expected: &str) {
        assert_eq!(normalise(url).as_deref(), Ok(expected), "{url}");
    }

    #[test]
    fn scheme_host_port_and_fragment_take_one_form() {
        same("HTTP://Jobs.Example.COM:80/a", "https://jobs.example.com/a");
        same("https://jobs.example.com.:443", "https://jobs.example.com/");
        same("http://jobs.example.com:443/a", "https://jobs.example.com/a");
        same("http://jobs.example.com:8080/a/", "https://jobs.example.com:8080/a/");
        same("https://jobs.example.com/a#apply", "https://jobs.example.com/a");
        same("https://jobs.example.com/#/job/7", "https://jobs.example.com/#/job/7");
        same("https://jobs.example.com/#!job=7", "https://jobs.example.com/#!job=7");
        same("https://b\u{fc}cher.example/", "https://xn--bcher-kva.example/");
    }

    #[test]
    fn tracking_goes_and_content_stays() {
        same("https://a.example/j?utm_source=x&id=7&UTM_Campaign=y&fbclid=z", "https://a.example/j?id=7");
        same(
            "https://a.example/j?ref=7&source=8&src=9&from=1",
            "https://a.example/j?from=1&ref=7&source=8&src=9",
        );
        same(
            "https://boards.greenhouse.io/acme/jobs/7?gh_src=1&src=2&gh_jid=7",
            "https://boards.greenhouse.io/acme/jobs/7?gh_jid=7",
        );
        same("https://notgreenhouse.io/?src=2", "https://notgreenhouse.io/?src=2");
        same("https://jobs.lever.co/acme/7?lever-source=x&source=y", "https://jobs.lever.co/acme/7");
        same("https://a.example/j?utm_source=x", "https://a.example/j");
        same("https://a.example/j?id=7?utm_source=x&b=1", "https://a.example/j?b=1&id=7");
        same("https://a.example/j?id=7%3futm_source%3Dx", "https://a.example/j?id=7");
        same("https://a.example/j?q=who?", "https://a.example/j?q=who?");
        same("https://a.example/c;JSESSIONID=1F2.n/job;v=2", "https://a.example/c/job;v=2");
    }

    #[test]
    fn the_query_is_sorted_by_name_and_repeated_names_keep_their_order() {
        same("https://a.example/?b=2&a=2&a=1&&b=1", "https://a.example/?a=2&a=1&b=2&b=1");
        same("https://a.example/?", "https://a.example/");
    }

    #[test]
    fn percent_encoding_has_one_spelling() {
        same("https://a.example/%7ejob/%c3%bc/%2f?q=%61%2b", "https://a.example/~job/%C3%BC/%2F?q=a%2B");
        same("https://a.example/%2%45", "https://a.example/%252E");
        same("https://a.example/x/%2e%2e/y", "https://a.example/y");
    }

    #[test]
    fn what_is_not_a_web_address_is_refused() {
        assert_eq!(normalise("ftp://a.example/"), Err(BadUrl::Scheme));
        assert_eq!(normalise("javascript:alert(1)"), Err(BadUrl::Scheme));
        assert_eq!(normalise("https://me:secret@a.example/"), Err(BadUrl::Userinfo));
        assert_eq!(normalise("/jobs/7"), Err(BadUrl::Unreadable));
        assert_eq!(normalise(&format!("https://a.example/{}", "x".repeat(MAX_LENGTH))), Err(BadUrl::TooLong));
        let grows = format!("https://a.example/{}", "ü".repeat(900));
        assert_eq!(normalise(&grows), Err(BadUrl::TooLong), "the normal form keeps the limit too");
    }

    proptest! {
        #[test]
        fn normalising_twice_changes_nothing(
            scheme in "https?", host in "[a-zA-Z0-9]{1,8}(\\.[a-z]{2,5}){1,2}\\.{0,2}", port in "(:(80|443|8080))?",
            rest in "(/[a-z%0-9A-F.~ü ']{0,8}(;jsessionid=[a-z]{0,3})?){0,4}(\\?([a-c%0-9A-F=&+;'ü?]|utm_|gclid|%3F){0,20})?(#[!/a-z%]{0,9})?",
        ) {
            if let Ok(once) = normalise(&format!("{scheme}://{host}{port}{rest}")) {
                prop_assert_eq!(normalise(&once), Ok(once.clone()));
            }
        }

        #[test]
        fn any_text_is_normalised_or_refused(text in ".*") {
            if let Ok(once) = normalise(&text) {
                prop_assert_eq!(normalise(&once), Ok(once.clone()));
            }
        }
    }
}
