//! Can the service do what it is asked for? Browsers and ways out, as they were last heard of.

use serde::{Deserialize, Serialize};

/// The browsers of all renderers that reported lately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Browsers {
    /// Renderers that reported. None may be running: on Lambda one is started when it is needed.
    pub renderers: i64,
    pub total: i64,
    pub available: i64,
    pub in_use: i64,
    pub pages_processed: i64,
    pub recycled_count: i64,
}

impl Browsers {
    /// No report is no bad news.
    pub fn are_available(self) -> bool {
        self.renderers == 0 || self.available > 0
    }
}

/// One way to the web. Proxies go by their place in the list: their addresses hold secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteHealth {
    pub index: usize,
    /// `direct`, `http` or `socks5`.
    pub protocol: String,
    pub region: Option<String>,
    pub is_healthy: bool,
    pub success_count: i64,
    pub failure_count: i64,
}

impl RouteHealth {
    /// Without a proxy there is one way, and nothing that could be wrong with it by itself.
    pub fn direct() -> RouteHealth {
        RouteHealth {
            index: 0,
            protocol: "direct".to_owned(),
            region: None,
            is_healthy: true,
            success_count: 0,
            failure_count: 0,
        }
    }
}

/// What is missing, or nothing.
pub fn missing(browsers: Browsers, routes: &[RouteHealth]) -> Option<&'static str> {
    if !browsers.are_available() {
        return Some("Browser pool exhausted — no instances available");
    }
    (!routes.iter().any(|route| route.is_healthy)).then_some("No healthy proxies available")
}
