//! What a caller may ask of the scrape service: read once, here, into types that hold no nonsense. Pure.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::{Map, Value};
use url::Url;

use super::fields::{Fields, object};
use crate::domain::policy::Rendering;
use crate::domain::render::{MAX_SCROLLS, Wish};
use crate::domain::site::{Site, site_key};
use crate::domain::target::TargetType;
use crate::domain::url::{MAX_LENGTH, normalise};
use crate::door::FieldError;
use crate::egress::{Permission, Rules, Target as Outside};

const MAX_WORKSPACE: usize = 128;
const MAX_FIELDS: usize = 50;
pub const MAX_TARGETS: usize = 100;
/// Thirty days.
const MAX_AGE: i64 = 30 * 24 * 60 * 60;
const TIMEOUT: std::ops::RangeInclusive<i64> = 5..=120;
const DEFAULT_TIMEOUT: i64 = 60;

const LONGEST_SELECTOR: usize = 500;

const SCRAPE: [&str; 10] = [
    "target_type",
    "target_url",
    "workspace_id",
    "requested_fields",
    "callback_url",
    "max_age",
    "render",
    "wait_for_selector",
    "max_scrolls",
    "images",
];
const BATCH: [&str; 5] = ["targets", "workspace_id", "callback_url", "max_age", "render"];

/// A page to read.
#[derive(Debug, utoipa::ToSchema)]
pub struct ScrapeRequest {
    /// `linkedin_profile`, `company_website`, `job_posting` or `apartment`.
    pub target_type: String,
    /// http or https, at most 2048 characters.
    pub target_url: String,
    pub workspace_id: String,
    /// Only these fields of the result; all of them when left out.
    pub requested_fields: Option<Vec<String>>,
    /// https; told when the job has ended.
    pub callback_url: Option<String>,
    /// Seconds. A page fetched within them for the same workspace is answered from storage.
    pub max_age: Option<i64>,
    /// `auto` (a browser when the page needs one), `always` or `never`; left out, what the site's policy says.
    pub render: Option<String>,
    /// A CSS selector that must match before the page is read. Needs a browser.
    pub wait_for_selector: Option<String>,
    /// 0 to 20: how often the page is scrolled to its end, for lists that grow. Needs a browser.
    pub max_scrolls: Option<i64>,
    /// Let the browser load images, fonts and media as well.
    pub images: Option<bool>,
}

/// A page to read while the caller waits.
#[derive(Debug, utoipa::ToSchema)]
pub struct SyncScrapeRequest {
    /// `linkedin_profile`, `company_website`, `job_posting` or `apartment`.
    pub target_type: String,
    /// http or https, at most 2048 characters.
    pub target_url: String,
    pub workspace_id: String,
    /// Only these fields of the result; all of them when left out.
    pub requested_fields: Option<Vec<String>>,
    /// https; told when the job has ended.
    pub callback_url: Option<String>,
    /// Seconds. A page fetched within them for the same workspace is answered from storage.
    pub max_age: Option<i64>,
    /// `auto` (a browser when the page needs one), `always` or `never`; left out, what the site's policy says.
    pub render: Option<String>,
    /// A CSS selector that must match before the page is read. Needs a browser.
    pub wait_for_selector: Option<String>,
    /// 0 to 20: how often the page is scrolled to its end, for lists that grow. Needs a browser.
    pub max_scrolls: Option<i64>,
    /// Let the browser load images, fonts and media as well.
    pub images: Option<bool>,
    /// 5 to 120, default 60.
    pub timeout_seconds: Option<i64>,
}

/// Up to a hundred pages, taken whole or not at all.
#[derive(Debug, utoipa::ToSchema)]
pub struct BatchScrapeRequest {
    /// 1 to 100.
    pub targets: Vec<ScrapeRequest>,
    /// For targets that name none of their own.
    pub workspace_id: Option<String>,
    /// For targets that name none of their own.
    pub callback_url: Option<String>,
    /// For targets that name none of their own.
    pub max_age: Option<i64>,
    /// For targets that name none of their own.
    pub render: Option<String>,
}

/// A page that may be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    pub target_type: TargetType,
    /// As given: this is what is fetched.
    pub url: String,
    /// Its normal form: this is what the page is known by.
    pub url_key: String,
    pub site: Site,
    pub workspace_id: String,
    pub requested_fields: Option<Vec<String>>,
    pub callback_url: Option<String>,
    pub max_age: Option<SignedDuration>,
    pub wish: Wish,
}

/// Pages that were handed in together.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    pub targets: Vec<Target>,
    pub callback_url: Option<String>,
}

impl Batch {
    /// The workspace of all targets, if they have one in common.
    pub fn workspace_id(&self) -> Option<&str> {
        let first = self.targets.first()?.workspace_id.as_str();
        self.targets.iter().all(|target| target.workspace_id == first).then_some(first)
    }
}

/// A request, or everything that is wrong with it.
pub type Judged<T> = Result<T, Vec<FieldError>>;

pub fn scrape(body: &[u8], callbacks: &Permission) -> Judged<Target> {
    let object = object(body)?;
    let mut errors = Vec::new();
    let fields = Fields::new(&object, String::new(), &SCRAPE, &mut errors);
    let target = target(fields, &Defaults::default(), callbacks);
    whole(target, errors)
}

/// A page, and how long its caller waits.
pub fn sync(body: &[u8], callbacks: &Permission) -> Judged<(Target, Duration)> {
    let object = object(body)?;
    let mut errors = Vec::new();
    let known: Vec<&str> = SCRAPE.into_iter().chain(["timeout_seconds"]).collect();
    let mut fields = Fields::new(&object, String::new(), &known, &mut errors);
    let seconds = match fields.has("timeout_seconds") {
        true => fields.optional_number("timeout_seconds", TIMEOUT),
        false => Some(DEFAULT_TIMEOUT),
    };
    let timeout = seconds.and_then(|seconds| u64::try_from(seconds).ok()).map(Duration::from_secs);
    let target = target(fields, &Defaults::default(), callbacks);
    whole(target.zip(timeout), errors)
}

pub fn batch(body: &[u8], callbacks: &Permission) -> Judged<Batch> {
    let object = object(body)?;
    let mut errors = Vec::new();
    let mut fields = Fields::new(&object, String::new(), &BATCH, &mut errors);
    let defaults = Defaults {
        workspace_id: fields.optional_text("workspace_id", MAX_WORKSPACE),
        max_age: max_age(&mut fields),
        render: rendering(&mut fields),
    };
    let callback_url = callback(&mut fields, callbacks);
    let listed = fields.list("targets", 1..=MAX_TARGETS).unwrap_or_default();
    let mut targets = Vec::with_capacity(listed.len());
    for (at, item) in listed.iter().enumerate() {
        match item {
            Value::Object(object) => targets.extend(of_batch(at, object, &defaults, callbacks, &mut errors)),
            _ => errors.push(FieldError::new(&format!("targets[{at}]"), "must be a JSON object")),
        }
    }
    whole(Some(Batch { targets, callback_url }), errors)
}

fn of_batch(
    at: usize,
    object: &Map<String, Value>,
    defaults: &Defaults,
    callbacks: &Permission,
    errors: &mut Vec<FieldError>,
) -> Option<Target> {
    target(Fields::new(object, format!("targets[{at}]."), &SCRAPE, errors), defaults, callbacks)
}

/// What a batch says for all its targets.
#[derive(Debug, Default)]
struct Defaults {
    workspace_id: Option<String>,
    max_age: Option<SignedDuration>,
    render: Option<Rendering>,
}

fn whole<T>(found: Option<T>, errors: Vec<FieldError>) -> Judged<T> {
    match found {
        Some(found) if errors.is_empty() => Ok(found),
        _ => Err(errors),
    }
}

fn target(mut fields: Fields<'_, '_>, defaults: &Defaults, callbacks: &Permission) -> Option<Target> {
    let target_type = target_type(&mut fields);
    let workspace_id = match &defaults.workspace_id {
        Some(workspace) if !fields.has("workspace_id") => Some(workspace.clone()),
        _ => fields.text("workspace_id", MAX_WORKSPACE),
    };
    let requested_fields = fields.optional_words("requested_fields", MAX_FIELDS, |word| {
        match target_type.map(TargetType::fields) {
            Some(known) if !known.contains(&word) => {
                Err(format!("unknown field {word:?}; known: {}", known.join(", ")))
            }
            _ => Ok(()),
        }
    });
    let url = fields.text("target_url", MAX_LENGTH);
    let place = url.as_deref().and_then(|url| place(&mut fields, url));
    let callback_url = callback(&mut fields, callbacks);
    let max_age = max_age(&mut fields).or(defaults.max_age);
    let wish = wish(&mut fields, defaults.render);
    let (url_key, site) = place?;
    Some(Target {
        target_type: target_type?,
        url: url?,
        url_key,
        site,
        workspace_id: workspace_id?,
        requested_fields,
        callback_url,
        max_age,
        wish,
    })
}

fn target_type(fields: &mut Fields<'_, '_>) -> Option<TargetType> {
    let word = fields.text("target_type", 64)?;
    let found = word.parse().ok();
    if found.is_none() {
        let known: Vec<&str> = TargetType::ALL.iter().map(|kind| kind.word()).collect();
        let known = known.join(", ");
        fields.wrong("target_type", format!("{word:?} is not a known target type; known: {known}"));
    }
    found
}

fn max_age(fields: &mut Fields<'_, '_>) -> Option<SignedDuration> {
    fields.optional_number("max_age", 0..=MAX_AGE).map(SignedDuration::from_secs)
}

fn rendering(fields: &mut Fields<'_, '_>) -> Option<Rendering> {
    let word = fields.optional_text("render", 16)?;
    let found = match word.as_str() {
        "auto" => Some(Rendering::Auto),
        "always" => Some(Rendering::Always),
        "never" => Some(Rendering::Never),
        _ => None,
    };
    if found.is_none() {
        fields.wrong("render", "must be auto, always or never");
    }
    found
}

/// How the page is to be made readable.
fn wish(fields: &mut Fields<'_, '_>, default: Option<Rendering>) -> Wish {
    let scrolls = fields.optional_number("max_scrolls", 0..=i64::from(MAX_SCROLLS)).unwrap_or_default();
    let wish = Wish {
        render: rendering(fields).or(default),
        wait_for_selector: fields.optional_text("wait_for_selector", LONGEST_SELECTOR),
        max_scrolls: u8::try_from(scrolls).unwrap_or_default(),
        images: fields.optional_truth("images").unwrap_or_default(),
    };
    if wish.render == Some(Rendering::Never) && wish.needs_browser() {
        fields.wrong("render", "must not be never: waiting for a selector and scrolling need a browser");
    }
    wish
}

/// What the page is known by, and whose turn it waits for.
fn place(fields: &mut Fields<'_, '_>, text: &str) -> Option<(String, Site)> {
    let judged = || -> Result<(String, Site), String> {
        let url = Url::parse(text).map_err(|error| format!("not a URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("must be http or https, not {:?}", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold a user name or password".to_owned());
        }
        let site = site_key(&url).map_err(|why| why.to_string())?;
        let key = normalise(text).map_err(|why| why.to_string())?;
        Ok((key, site))
    };
    judged().map_err(|problem| fields.wrong("target_url", problem)).ok()
}

/// Judged by the rules of egress, as far as its text tells; where its name leads shows when it is called.
/// Only a private host that is allowed by name may be told in the clear.
fn callback(fields: &mut Fields<'_, '_>, allowed: &Permission) -> Option<String> {
    let text = fields.optional_text("callback_url", MAX_LENGTH)?;
    match Outside::check(&text, allowed, Rules::all()) {
        Ok(target) if target.url().scheme() == "https" || target.is_private() => return Some(text),
        Ok(_) => fields.wrong("callback_url", "must be https"),
        Err(refusal) => fields.wrong("callback_url", refusal.to_string()),
    }
    None
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
