//! Figures for Prometheus, counted from the rows, so that every instance says the same.

use std::fmt::Error;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use shared::domain::readiness::{Browsers, RouteHealth};
use shared::store::figures::Figures;
use shared::store::workload::{self, SiteWork, Workload};
use shared::store::{renderers, sources};

use crate::Api;
use crate::error::ApiError;
use crate::health::{WINDOW, last_hour, routes_health};

type Labels = Vec<(&'static str, String)>;
type Values = Vec<(Labels, i64)>;

/// Everything there is to say.
struct Said {
    figures: Figures,
    work: Workload,
    sites: Vec<SiteWork>,
    browsers: Browsers,
    routes: Vec<RouteHealth>,
    sources: Vec<(String, i64)>,
    depths: [(&'static str, i64); 3],
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "service",
    responses((status = 200, description = "OpenMetrics, which Prometheus reads",
        content_type = "application/openmetrics-text")))]
pub async fn metrics(State(api): State<Api>) -> Result<Response, ApiError> {
    let (figures, now) = (last_hour(&api).await?, api.clock.now());
    let depths = [
        ("crawl", api.crawl.depth().await?),
        ("render", api.render.depth().await?),
        ("extract", api.extract.depth().await?),
    ];
    let conn = api.db.conn().await?;
    let said = Said {
        figures,
        depths,
        work: workload::workload(&*conn, now - WINDOW, now).await?,
        sites: workload::sites(&*conn, now - WINDOW).await?,
        browsers: renderers::browsers(&*conn, now).await?,
        routes: routes_health(&api).await?,
        sources: sources::by_status(&*conn).await?,
    };
    let text = prometheus(&said).map_err(anyhow::Error::from)?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

fn one(label: &'static str, word: &str, value: i64) -> (Labels, i64) {
    (vec![(label, word.to_owned())], value)
}

fn bare(value: i64) -> Values {
    vec![(vec![], value)]
}

fn prometheus(said: &Said) -> Result<String, Error> {
    let mut registry = Registry::with_prefix("freshet");
    let mut family = |name: &str, help: &str, values: Values| {
        let gauges = Family::<Labels, Gauge>::default();
        for (labels, value) in values {
            gauges.get_or_create(&labels).set(value);
        }
        registry.register(name, help, gauges);
    };
    let Said { figures, work, sites, browsers, routes, sources, depths } = said;

    let by_stage = |(status, stage, count): &(String, String, i64)| {
        (vec![("status", status.clone()), ("stage", stage.clone())], *count)
    };
    let tasks = figures.tasks.iter().map(by_stage).collect();
    family("tasks", "Open tasks, and those that ended in the last hour", tasks);
    family("ended_tasks", "Tasks that ended in the last hour", bare(figures.ended));
    family("waiting_tasks", "Tasks that wait", bare(work.queue_depth));
    family("waiting_pages", "Pages handed in that wait", bare(work.waiting_pages));
    family("active_workers", "Tasks that a worker holds", bare(work.active_workers));
    let mean = work.mean_duration_ms.unwrap_or_default() as i64;
    family("task_duration_milliseconds", "Mean duration of the tasks of the last hour", bare(mean));

    let in_flight = figures.sites.iter().map(|(site, out, _)| one("site", site, *out)).collect();
    family("site_tasks_in_flight", "Tasks in flight at the fifty busiest sites", in_flight);
    let open = figures.sites.iter().map(|(site, _, open)| one("site", site, *open)).collect();
    family("site_tasks_open", "Open tasks of the fifty busiest sites", open);
    let per_site =
        |pick: fn(&SiteWork) -> i64| sites.iter().map(|work| one("site", &work.site, pick(work))).collect();
    let hour = "in the last hour, at the fifty sites with most";
    family("site_tasks_completed", &format!("Tasks completed {hour}"), per_site(|work| work.completed));
    family("site_tasks_failed", &format!("Tasks failed {hour}"), per_site(|work| work.failed));
    family(
        "site_task_duration_milliseconds",
        &format!("Mean duration of tasks {hour}"),
        per_site(|work| work.mean_duration_ms as i64),
    );

    family(
        "browsers",
        "Browsers of the renderers that reported lately",
        vec![one("state", "available", browsers.available), one("state", "in_use", browsers.in_use)],
    );
    family("browser_pages", "Pages those browsers have rendered", bare(browsers.pages_processed));
    family(
        "browsers_recycled",
        "Browsers replaced after their share of pages",
        bare(browsers.recycled_count),
    );
    let per_route = |pick: fn(&RouteHealth) -> i64| {
        routes.iter().map(|route| one("route", &route.index.to_string(), pick(route))).collect()
    };
    family("route_healthy", "Ways to the web: 1 is healthy", per_route(|route| i64::from(route.is_healthy)));
    family("route_successes", "Requests that went well on each way", per_route(|route| route.success_count));
    family("route_failures", "Connections that failed on each way", per_route(|route| route.failure_count));

    let listings = [("active", figures.listings_active), ("closed", figures.listings_closed)];
    family(
        "listings",
        "Listings by state",
        listings.map(|(state, count)| one("state", state, count)).to_vec(),
    );
    let by_status = sources.iter().map(|(status, count)| one("status", status, *count)).collect();
    family("sources", "Boards that are read, by how they are doing", by_status);
    let depths = depths.map(|(queue, depth)| one("queue", queue, depth));
    family("queue_depth", "Messages in a queue, in flight or not", depths.to_vec());
    let refused = figures.refused_spawns.iter().map(|(check, count)| one("check", check, *count)).collect();
    family("refused_spawns", "Spawns that a check refused", refused);
    family("dead_letters", "Messages that were given up", bare(figures.dead_letters));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}
