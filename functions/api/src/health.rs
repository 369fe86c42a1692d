//! Is it alive, is it ready, and how is it doing?

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::SignedDuration;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use serde_json::json;
use shared::store::figures::{self, Figures};
use shared::store::migrate;

use crate::Api;
use crate::envelope::wrapped;
use crate::error::ApiError;

type Labels = Vec<(&'static str, String)>;

/// Alive, with the figures of the last hour.
#[utoipa::path(get, path = "/health", tag = "service",
    responses((status = 200, description = "Alive"), (status = 503, description = "The database does not answer")))]
pub async fn health(State(api): State<Api>) -> Result<Response, ApiError> {
    let figures = last_hour(&api).await?;
    let open =
        |status: &str| figures.tasks.iter().filter(|(s, _, _)| s == status).map(|(_, _, n)| n).sum::<i64>();
    let data = json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "tasks": { "pending": open("pending"), "processing": open("processing"), "ended_last_hour": figures.ended },
        "listings": { "active": figures.listings_active, "closed": figures.listings_closed },
        "dead_letters": figures.dead_letters,
    });
    Ok(wrapped(StatusCode::OK, data, None))
}

/// Ready to take work: the database answers and has the schema this program was built for.
#[utoipa::path(get, path = "/readiness", tag = "service",
    responses((status = 200, description = "Ready"), (status = 503, description = "Not ready; the error says why")))]
pub async fn readiness(State(api): State<Api>) -> Result<Response, ApiError> {
    let conn = api.db.conn().await?;
    if !migrate::is_current(&*conn).await.map_err(ApiError::Unavailable)? {
        return Err(ApiError::Unavailable(anyhow::anyhow!(
            "the database is not migrated: run `freshet migrate`"
        )));
    }
    Ok(wrapped(StatusCode::OK, json!({ "ready": true }), None))
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "service",
    responses((status = 200, description = "Prometheus text format", content_type = "text/plain")))]
pub async fn metrics(State(api): State<Api>) -> Result<Response, ApiError> {
    let depths = [("crawl", api.crawl.depth().await?), ("extract", api.extract.depth().await?)];
    let text = prometheus(&last_hour(&api).await?, depths).map_err(anyhow::Error::from)?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

async fn last_hour(api: &Api) -> anyhow::Result<Figures> {
    let conn = api.db.conn().await?;
    figures::since(&*conn, api.clock.now() - SignedDuration::from_hours(1)).await
}

fn prometheus(figures: &Figures, depths: [(&str, i64); 2]) -> Result<String, std::fmt::Error> {
    let mut registry = Registry::with_prefix("freshet");
    let mut family = |name: &str, help: &str, values: Vec<(Labels, i64)>| {
        let gauges = Family::<Labels, Gauge>::default();
        for (labels, value) in values {
            gauges.get_or_create(&labels).set(value);
        }
        registry.register(name, help, gauges);
    };
    let by_stage = |(status, stage, count): &(String, String, i64)| {
        (vec![("status", status.clone()), ("stage", stage.clone())], *count)
    };
    family(
        "tasks",
        "Open tasks, and those that ended in the last hour",
        figures.tasks.iter().map(by_stage).collect(),
    );
    family("ended_tasks", "Tasks that ended in the last hour", vec![(vec![], figures.ended)]);
    let mean = if figures.ended == 0 { 0.0 } else { figures.busy_seconds / figures.ended as f64 * 1e3 };
    family(
        "task_duration_milliseconds",
        "Mean duration of the tasks of the last hour",
        vec![(vec![], mean as i64)],
    );
    let listings = [("active", figures.listings_active), ("closed", figures.listings_closed)];
    let listings = listings.map(|(state, count)| (vec![("state", state.to_owned())], count));
    family("listings", "Listings by state", listings.to_vec());
    let in_flight = figures.sites.iter().map(|(site, out, _)| (vec![("site", site.clone())], *out)).collect();
    family("site_tasks_in_flight", "Tasks in flight at the fifty busiest sites", in_flight);
    let open = figures.sites.iter().map(|(site, _, open)| (vec![("site", site.clone())], *open)).collect();
    family("site_tasks_open", "Open tasks of the fifty busiest sites", open);
    let depths = depths.map(|(queue, depth)| (vec![("queue", queue.to_owned())], depth));
    family("queue_depth", "Messages in a queue, in flight or not", depths.to_vec());
    let refused =
        figures.refused_spawns.iter().map(|(code, count)| (vec![("check", code.clone())], *count)).collect();
    family("refused_spawns", "Spawns that a check refused", refused);
    family("dead_letters", "Messages that were given up", vec![(vec![], figures.dead_letters)]);
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}
