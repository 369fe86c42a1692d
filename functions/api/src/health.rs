//! Is it alive, is it ready, and how is it doing?

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use jiff::SignedDuration;
use serde_json::json;
use shared::domain::readiness::{self, RouteHealth};
use shared::store::figures::{self, Figures};
use shared::store::{migrate, renderers, workload};

use crate::envelope::wrapped;
use crate::error::ApiError;
use crate::{Api, Ways};

/// Figures look back this far.
pub const WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// Alive, with the figures of the last hour, the browsers and the ways out.
#[utoipa::path(get, path = "/health", tag = "service",
    responses((status = 200, description = "Alive"), (status = 503, description = "The database does not answer")))]
pub async fn health(State(api): State<Api>) -> Result<Response, ApiError> {
    let figures = last_hour(&api).await?;
    let now = api.clock.now();
    let conn = api.db.conn().await?;
    let work = workload::workload(&*conn, now - WINDOW, now).await?;
    let browsers = renderers::browsers(&*conn, now).await?;
    let open =
        |status: &str| figures.tasks.iter().filter(|(s, _, _)| s == status).map(|(_, _, n)| n).sum::<i64>();
    let data = json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "tasks": { "pending": open("pending"), "processing": open("processing"), "ended_last_hour": figures.ended },
        "queue": {
            "depth": work.queue_depth,
            "waiting_pages": work.waiting_pages,
            "max_waiting_pages": api.max_pending,
            "active_workers": work.active_workers,
            "avg_duration_ms": work.mean_duration_ms,
        },
        "browser_pool": browsers,
        "proxies": routes_health(&api).await?,
        "listings": { "active": figures.listings_active, "closed": figures.listings_closed },
        "dead_letters": figures.dead_letters,
    });
    Ok(wrapped(StatusCode::OK, data, None))
}

/// Ready to take work: the database answers and has the schema this program was built for, a browser is to be
/// had, and there is a way out.
#[utoipa::path(get, path = "/readiness", tag = "service",
    responses((status = 200, description = "Ready"), (status = 503, description = "Not ready; the error says why")))]
pub async fn readiness(State(api): State<Api>) -> Result<Response, ApiError> {
    let conn = api.db.conn().await?;
    if !migrate::is_current(&*conn).await.map_err(ApiError::Unavailable)? {
        return Err(ApiError::Unavailable(anyhow::anyhow!(
            "the database is not migrated: run `freshet migrate`"
        )));
    }
    let browsers = renderers::browsers(&*conn, api.clock.now()).await?;
    let routes = routes_health(&api).await?;
    if let Some(missing) = readiness::missing(browsers, &routes) {
        return Err(ApiError::NotReady(missing.to_owned()));
    }
    let healthy = routes.iter().filter(|route| route.is_healthy).count();
    let data = json!({
        "ready": true,
        // Without a report nobody knows the number, and a browser is started when it is needed.
        "available_browsers": (browsers.renderers > 0).then_some(browsers.available),
        "healthy_routes": healthy,
    });
    Ok(wrapped(StatusCode::OK, data, None))
}

/// The ways to the web and how each is doing.
pub async fn routes_health(api: &Api) -> anyhow::Result<Vec<RouteHealth>> {
    match &api.ways {
        Ways::Known(routes) => Ok(routes.clone()),
        Ways::Proxies(proxies) if proxies.is_empty() => Ok(vec![RouteHealth::direct()]),
        Ways::Proxies(proxies) => Ok(proxies.figures().await?.into_iter().map(RouteHealth::from).collect()),
    }
}

pub async fn last_hour(api: &Api) -> anyhow::Result<Figures> {
    let conn = api.db.conn().await?;
    figures::since(&*conn, api.clock.now() - WINDOW).await
}
