//! Logs: one JSON object a line, with the fields of every span around it. No URL queries, page bodies or
//! secrets are ever put into a field.

pub mod ended;
mod request_id;

use std::fs::File;
use std::path::Path;
use std::sync::Mutex;

use anyhow::Context;
use tracing::Subscriber;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::{Format, JsonFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::settings::Env;

/// Starts logging to standard error at `LOG_LEVEL` (default `info`). A second start changes nothing.
pub fn start(env: &Env) -> anyhow::Result<()> {
    start_with(env, std::io::stderr)
}

/// The same, into a file that grows.
pub fn start_in_file(env: &Env, path: &Path) -> anyhow::Result<()> {
    let file = File::options().create(true).append(true).open(path);
    start_with(env, Mutex::new(file.with_context(|| format!("opening the log {}", path.display()))?))
}

fn start_with<W>(env: &Env, writer: W) -> anyhow::Result<()>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let level = env.optional("LOG_LEVEL").unwrap_or_else(|| "info".to_owned());
    let filter = EnvFilter::try_new(&level).with_context(|| format!("LOG_LEVEL is malformed: {level:?}"))?;
    drop(lines(filter, writer).try_init());
    Ok(())
}

/// What writes the lines.
pub fn lines<W>(filter: EnvFilter, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let json = Format::default().json().flatten_event(true).with_current_span(false).with_span_list(true);
    let lines = tracing_subscriber::fmt::layer()
        .fmt_fields(JsonFields::new())
        .event_format(request_id::WithRequest(json))
        .with_writer(writer);
    tracing_subscriber::registry().with(filter).with(request_id::Remember).with(lines)
}

/// A URL as it may be logged: without query, fragment and user.
pub fn loggable(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let plain = &url[..end];
    match plain.split_once("://").map(|(scheme, rest)| (scheme, rest.split_once('/').unwrap_or((rest, "")))) {
        Some((scheme, (host, path))) if host.contains('@') => {
            let host = host.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}/{path}")
        }
        _ => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logged_url_has_no_query_fragment_or_user() {
        assert_eq!(loggable("https://a.example/jobs?token=secret#x"), "https://a.example/jobs");
        assert_eq!(loggable("https://me:pw@a.example/jobs"), "https://a.example/jobs");
        assert_eq!(loggable("https://a.example"), "https://a.example");
        assert_eq!(loggable("https://a.example/@handle"), "https://a.example/@handle");
    }
}
