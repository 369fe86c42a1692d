//! Failures of a task that a caller who waits is told with a status of their own. Every other failure is the
//! site's answer, and an answer is a result.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ServiceFailure {
    PoolExhausted,
    CircuitOpen,
    NoHealthyProxies,
    CredentialNotFound,
    TaskTimeout,
}

impl ServiceFailure {
    pub const ALL: [ServiceFailure; 5] = [
        ServiceFailure::PoolExhausted,
        ServiceFailure::CircuitOpen,
        ServiceFailure::NoHealthyProxies,
        ServiceFailure::CredentialNotFound,
        ServiceFailure::TaskTimeout,
    ];

    /// The `error_code` of a task that ended with it.
    pub fn code(self) -> &'static str {
        match self {
            ServiceFailure::PoolExhausted => "pool_exhausted",
            ServiceFailure::CircuitOpen => "circuit_open",
            ServiceFailure::NoHealthyProxies => "no_healthy_proxies",
            ServiceFailure::CredentialNotFound => "credential_not_found",
            ServiceFailure::TaskTimeout => "task_timeout",
        }
    }

    pub fn of_code(code: &str) -> Option<ServiceFailure> {
        ServiceFailure::ALL.into_iter().find(|failure| failure.code() == code)
    }

    /// The name clients know it by.
    pub fn name(self) -> &'static str {
        match self {
            ServiceFailure::PoolExhausted => "PoolExhaustedError",
            ServiceFailure::CircuitOpen => "CircuitOpenError",
            ServiceFailure::NoHealthyProxies => "NoHealthyProxiesError",
            ServiceFailure::CredentialNotFound => "CredentialNotFoundError",
            ServiceFailure::TaskTimeout => "TaskTimeoutError",
        }
    }

    pub fn message(self) -> &'static str {
        match self {
            ServiceFailure::PoolExhausted => "Browser pool exhausted — no instances available",
            ServiceFailure::CircuitOpen => "Circuit breaker open for target domain",
            ServiceFailure::NoHealthyProxies => "No healthy proxies available",
            ServiceFailure::CredentialNotFound => "Missing credentials for provider",
            ServiceFailure::TaskTimeout => "Task execution timed out",
        }
    }

    pub fn http_status(self) -> u16 {
        match self {
            ServiceFailure::PoolExhausted
            | ServiceFailure::CircuitOpen
            | ServiceFailure::NoHealthyProxies => 503,
            ServiceFailure::CredentialNotFound => 502,
            ServiceFailure::TaskTimeout => 504,
        }
    }
}
