//! What the table of routes says of every route, said in its description as well: who is turned away and how. One place,
//! so that no route forgets what all of them do.

use axum::http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

use super::envelope::Surface;
use super::{Caller, Rate, Route};

/// The description with what the guards before each route answer, the shape of every error, and a name for every
/// operation, `get_api_admin_roles_id`: those that come from the handlers' names (`list`, `one`) are not unique, and
/// generators of clients insist on it.
pub fn described<S>(document: &OpenApi, routes: &[Route<S>]) -> Value {
    let mut all = json!(document);
    for route in routes {
        let method = route.method.as_str().to_ascii_lowercase();
        let item = all["paths"].get_mut(route.path);
        let Some(operation) = item.and_then(|item| item.get_mut(&method)).and_then(Value::as_object_mut)
        else {
            continue; // a test holds that the table and the description are the same
        };
        let words =
            route.path.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let name = std::iter::once(method.as_str()).chain(words).collect::<Vec<_>>().join("_");
        operation.insert("operationId".to_owned(), name.into());
        bound_parameters(operation, route.path);
        let answers = operation.entry("responses").or_insert_with(|| json!({}));
        for (status, why) in guarded(route) {
            let status = status.as_u16().to_string();
            if answers.get(&status).is_none() {
                answers[&status] = json!({ "description": why });
            }
        }
        shape_errors(answers, Surface::of_path(route.path));
    }
    let schemas = &mut all["components"]["schemas"];
    bound_bodies(schemas);
    schemas["Error"] = plain();
    schemas["EnvelopeError"] = enveloped();
    all
}

/// What may come of a request before its handler sees it, or whatever it does.
fn guarded<S>(route: &Route<S>) -> Vec<(StatusCode, &'static str)> {
    let mut answers =
        vec![(StatusCode::SERVICE_UNAVAILABLE, "Not available for the moment; `Retry-After` says when")];
    if route.path.contains('{') {
        answers.push((StatusCode::BAD_REQUEST, "The path cannot be read"));
    }
    if route.caller != Caller::Public {
        answers.push((StatusCode::UNAUTHORIZED, "Nothing proves that the caller may call this"));
    }
    if route.method != Method::GET {
        answers.push((StatusCode::PAYLOAD_TOO_LARGE, "The body is too large"));
    }
    if route.rate != Rate::Unlimited {
        answers.push((StatusCode::TOO_MANY_REQUESTS, "Too many requests; `Retry-After` says when"));
    }
    answers
}

fn shape_errors(answers: &mut Value, surface: Surface) {
    let name = match surface {
        Surface::Envelope => "EnvelopeError",
        Surface::Plain => "Error",
    };
    let schema =
        json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{name}") } } });
    for (status, answer) in answers.as_object_mut().into_iter().flatten() {
        let failed = status.starts_with('4') || status.starts_with('5');
        if failed && answer.get("content").is_none_or(|content| content.as_object().is_none_or(Map::is_empty))
        {
            answer["content"] = schema.clone();
        }
    }
}

/// The bounds that parameters of one name have, everywhere or on one route.
fn bound_parameters(operation: &mut Map<String, Value>, path: &str) {
    for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
        let bounds = match parameter["name"].as_str() {
            Some("limit") => json!({ "minimum": 1, "maximum": 100 }),
            Some("hours") => json!({ "minimum": 1, "maximum": 744 }),
            Some("min_score") => json!({ "minimum": 0, "maximum": 100 }),
            Some("cursor") => json!({ "pattern": cursor(path) }),
            Some("step") => json!({ "enum": ["hour", "day"] }),
            Some("status") => json!({ "enum": states(path) }),
            Some("q") => json!({ "maxLength": 255, "pattern": "^[^\\u0000]*$" }),
            Some("Idempotency-Key") => json!({ "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$" }),
            _ => continue,
        };
        if let (Some(schema), Some(bounds)) = (parameter["schema"].as_object_mut(), bounds.as_object()) {
            schema.extend(bounds.clone());
        }
    }
}

/// What a cursor of a route looks like: the number of a row, or what its list is ordered by and its id.
fn cursor(path: &str) -> &'static str {
    match path {
        "/api/admin/roles" | "/api/admin/scraper-keys" => "^(0|[1-9][0-9]{0,8})$",
        "/api/listings" | "/api/candidates" | "/api/admin/sources" => {
            "^(0|[1-9][0-9]{0,15})_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
        }
        "/api/candidates/{id}/matches" => {
            "^(100|[1-9]?[0-9])([.][0-9]{1,9})?_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
        }
        "/api/scraper-monitoring/sessions" => "^(0|[1-9][0-9]{0,15})_(0|[1-9][0-9]{0,17})$",
        "/api/v1/scrape/jobs/{job_id}/results" => "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        _ => "^(0|[1-9][0-9]{0,17})$",
    }
}

fn states(path: &str) -> &'static [&'static str] {
    match path {
        "/api/admin/webhooks" => &["pending", "delivered", "failed", "stopped"],
        "/api/scraper-monitoring/sessions" => &["in_progress", "completed", "failed", "timeout", "released"],
        _ => &["pending", "processing", "completed"],
    }
}

/// What the handlers hold bodies to, where a type does not say it.
fn bound_bodies(schemas: &mut Value) {
    let text = |most: u32| json!({ "maxLength": most, "pattern": "^[^\\u0000]*$" });
    let words = |most: u32, length: u32| json!({ "maxItems": most, "items": { "type": "string", "maxLength": length, "pattern": "^[^\\u0000]*$" } });
    let priorities = ["urgent", "high", "normal", "low"];
    let bounds = [
        ("RoleRequest", "name", json!({ "minLength": 1, "maxLength": 255, "pattern": "^[^\\u0000]*$" })),
        ("RoleRequest", "priority", json!({ "enum": ["urgent", "high", "normal", "low", null] })),
        ("PriorityRequest", "priority", json!({ "enum": priorities })),
        (
            "KeyRequest",
            "name",
            json!({ "maxLength": 100, "pattern": "^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$" }),
        ),
        ("RotateRequest", "grace_hours", json!({ "minimum": 0, "maximum": 720 })),
        ("ReplayRequest", "limit", json!({ "minimum": 1, "maximum": 100 })),
        ("CandidateRequest", "name", text(200)),
        ("CandidateRequest", "current_title", text(255)),
        ("CandidateRequest", "specializations", text(500)),
        ("CandidateRequest", "skills", words(100, 100)),
        ("CandidateRequest", "tech_stack", words(100, 100)),
        ("CandidateRequest", "locations", words(20, 300)),
        ("CandidateRequest", "salary_min", json!({ "minimum": 0, "maximum": 1e12 })),
        ("CandidateRequest", "salary_currency", json!({ "pattern": "^[A-Z]{3}$" })),
        ("CandidateRequest", "preferred_roles", words(20, 255)),
        ("PostedJobs", "jobs", json!({ "maxItems": 1_000 })),
        ("Ending", "reason", json!({ "pattern": "^[^\\u0000]*$" })),
        ("Ending", "error", json!({ "pattern": "^[^\\u0000]*$" })),
        ("BatchScrapeRequest", "targets", json!({ "minItems": 1, "maxItems": 100 })),
        ("ScrapeRequest", "max_scrolls", json!({ "minimum": 0, "maximum": 20 })),
        ("SyncScrapeRequest", "max_scrolls", json!({ "minimum": 0, "maximum": 20 })),
        ("SyncScrapeRequest", "timeout_seconds", json!({ "minimum": 5, "maximum": 120 })),
    ];
    for (schema, property, bounds) in bounds {
        // Each room describes its own bodies only.
        let found =
            schemas.get_mut(schema).and_then(|schema| schema.get_mut("properties")?.get_mut(property));
        if let (Some(property), Some(bounds)) = (found.and_then(Value::as_object_mut), bounds.as_object()) {
            property.extend(bounds.clone());
        }
    }
}

fn plain() -> Value {
    json!({
        "type": "object", "required": ["error", "code"],
        "properties": {
            "error": { "type": "string", "description": "A sentence for people" },
            "code": { "type": "string", "description": "Stable, for programs" },
            "errors": { "type": "array", "items": { "$ref": "#/components/schemas/FieldError" } },
        },
    })
}

fn enveloped() -> Value {
    json!({
        "type": "object", "required": ["success", "error", "meta"],
        "properties": {
            "success": { "type": "boolean" },
            "data": {},
            "error": { "type": "string", "description": "A sentence for people" },
            "meta": {
                "type": "object", "required": ["code"],
                "properties": {
                    "code": { "type": "string", "description": "Stable, for programs" },
                    "type": { "type": "string" },
                    "task_id": { "type": "string" },
                    "errors": { "type": "array", "items": { "$ref": "#/components/schemas/FieldError" } },
                },
            },
        },
    })
}
