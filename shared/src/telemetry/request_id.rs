//! Puts the id of the request on every line, first, whichever span knows it. A line that belongs to no request
//! says so with null.

use std::fmt;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// The field by which a span names its request.
const FIELD: &str = "request.id";

/// The request of a span.
struct RequestOf(String);

/// Remembers the request of each span that names one.
pub struct Remember;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Remember {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        keep(&context, id, |found| attributes.record(found));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        keep(&context, id, |found| values.record(found));
    }
}

fn keep<S>(context: &Context<'_, S>, id: &Id, read: impl FnOnce(&mut Found))
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let mut found = Found(None);
    read(&mut found);
    if let (Some(request), Some(span)) = (found.0, context.span(id)) {
        span.extensions_mut().replace(RequestOf(request));
    }
}

struct Found(Option<String>);

impl Visit for Found {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == FIELD {
            self.0 = Some(format!("{value:?}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == FIELD {
            self.0 = Some(value.to_owned());
        }
    }
}

/// The lines of another format, with the request put in front.
pub struct WithRequest<F>(pub F);

impl<S, N, F> FormatEvent<S, N> for WithRequest<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        let request = context
            .event_scope()
            .into_iter()
            .flatten()
            .find_map(|span| span.extensions().get::<RequestOf>().map(|request| request.0.clone()));
        let rest = line.strip_prefix('{').unwrap_or(&line);
        match request {
            // An id is letters, digits and hyphens; anything else would not be one.
            Some(id) if id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') => {
                write!(writer, "{{\"request_id\":\"{id}\",{rest}")
            }
            _ => write!(writer, "{{\"request_id\":null,{rest}"),
        }
    }
}
