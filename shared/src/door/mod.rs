//! What every HTTP room has at its door: a table of routes with who may call each, a request id, the two shapes of
//! an answer. A request that is in no table is not answered.

mod described;
pub mod envelope;
pub mod error;
mod guard;

use axum::Router;
use axum::http::Method;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::MethodRouter;

use crate::clock::Clock;
use crate::gate::Gate;
use crate::scrapers::Scrapers;
use crate::tokens::Callers;

pub use described::described;
pub use error::{ApiError, FieldError};
pub use guard::{Scraper, Who};

/// Who may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Public,
    /// `X-Service-Key`.
    Service,
    /// `Authorization: Bearer` with the admin role.
    Admin,
    ServiceOrAdmin,
    /// `X-Scraper-API-Key`.
    Scraper,
}

/// How often one caller may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    Unlimited,
    PerMinute(u32),
    /// What the house allows a scraper on this one route, counted by itself.
    Scraper,
}

/// One row of a room's table.
pub struct Route<S> {
    pub method: Method,
    pub path: &'static str,
    pub caller: Caller,
    pub body_cap: usize,
    pub rate: Rate,
    pub handler: fn() -> MethodRouter<S>,
}

/// What a door needs to tell callers apart.
#[derive(Clone)]
pub struct Door {
    pub callers: Callers,
    pub gate: Gate,
    pub clock: Clock,
    pub scrapers: Scrapers,
}

/// The routes of one room, each behind its guard. A host puts them into `house`, alone or with those of others.
pub fn open<S>(door: &Door, routes: Vec<Route<S>>, state: S) -> Router
where
    S: Clone + Send + Sync + 'static,
{
    let mut router = Router::new();
    for route in routes {
        let rules = guard::Rules {
            door: door.clone(),
            method: route.method,
            path: route.path,
            caller: route.caller,
            body_cap: route.body_cap,
            rate: route.rate,
        };
        let handler = (route.handler)().layer(from_fn_with_state(rules, guard::admit));
        router = router.route(route.path, handler);
    }
    router.with_state(state)
}

/// Everything a host answers: its rooms' routes, and for anything else an error in the right shape.
pub fn house(rooms: Router) -> Router {
    rooms
        .fallback(|| async { ApiError::NotFound("Route") })
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed })
        .layer(from_fn(guard::announce))
}
