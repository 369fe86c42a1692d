//! What an answer means for its task. Pure.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use shared::blobs::content_hash;
use shared::domain::gate::retry_after;
use shared::domain::site::{Site, site_key};
use shared::domain::wall;
use shared::egress::{EgressError, Fetched};
use shared::store::pages::Page;
use shared::store::tasks::Visit;
use url::Url;

/// A task follows at most this many redirects, one slot each.
pub const MAX_REDIRECTS: i64 = 5;

/// A page with new bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPage {
    pub sha256: String,
    pub body: bytes::Bytes,
    pub status: u16,
    pub final_url: String,
    pub content_type: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Bytes that we do not hold yet.
    Changed(Box<NewPage>),
    /// The page as we hold it: `rule` says how we know.
    Same { rule: &'static str },
    /// The page is elsewhere.
    Moved { url: String, site: Site, redirects: i64 },
    /// 404 or 410: evidence that what was there is gone.
    Gone { status: u16 },
    /// The site's answer, and it is not a page.
    Refused { status: u16, pushback: Option<Option<SignedDuration>> },
    /// We never went there: the address may not be fetched.
    Forbidden { code: Cow<'static, str>, text: String },
    /// The site never heard of us: the way out failed.
    Unrouted { code: Cow<'static, str>, text: String },
    /// No answer worth the name.
    Failed { code: Cow<'static, str>, text: String, site_failure: bool },
}

pub fn judge(
    visit: &Visit,
    held: Option<&Page>,
    conditional: bool,
    fetched: &Result<Fetched, EgressError>,
    now: Timestamp,
) -> Outcome {
    let fetched = match fetched {
        Ok(fetched) => fetched,
        Err(error) if error.is_refusal() => {
            return Outcome::Forbidden { code: error.code().into(), text: error.to_string() };
        }
        Err(error) if error.is_route_failure() => {
            return Outcome::Unrouted { code: error.code().into(), text: error.to_string() };
        }
        Err(error) => {
            let site_failure = error.site_failure();
            return Outcome::Failed { code: error.code().into(), text: error.to_string(), site_failure };
        }
    };
    if let Some(url) = &fetched.redirect_to {
        return moved(visit, url);
    }
    match fetched.status {
        304 if conditional => Outcome::Same { rule: "not_modified" },
        // It says "unchanged" of something we did not ask about: no answer at all.
        304 => Outcome::Failed {
            code: "unexpected_304".into(),
            text: "the site answered 304 to an unconditional request".to_owned(),
            site_failure: false,
        },
        200..=299 => changed(held, new_page(fetched)),
        status => {
            answered(status, fetched.headers.retry_after.as_deref().and_then(|value| retry_after(value, now)))
        }
    }
}

/// A page that asks whether we are human: whatever its status, it counts for the circuit.
pub fn is_wall(fetched: &Fetched) -> bool {
    (200..300).contains(&fetched.status)
        && wall::on(&fetched.body, fetched.headers.content_type.as_deref()).is_some()
}

/// An answer that is not a page, and how long the site asks us to stay away.
pub fn answered(status: u16, wait: Option<SignedDuration>) -> Outcome {
    match status {
        404 | 410 => Outcome::Gone { status },
        status => Outcome::Refused { status, pushback: matches!(status, 429 | 503).then_some(wait) },
    }
}

fn new_page(fetched: &Fetched) -> NewPage {
    NewPage {
        sha256: content_hash(&fetched.body),
        body: fetched.body.clone(),
        status: fetched.status,
        final_url: fetched.final_url.to_string(),
        content_type: fetched.headers.content_type.clone(),
        etag: fetched.headers.etag.clone(),
        last_modified: fetched.headers.last_modified.clone(),
    }
}

/// A page, if it is not the one we hold.
pub fn changed(held: Option<&Page>, page: NewPage) -> Outcome {
    let same =
        |held: &&Page| held.content_sha256.as_ref() == Some(&page.sha256) && held.final_url == page.final_url;
    if held.filter(same).is_some() {
        return Outcome::Same { rule: "identical_bytes" };
    }
    Outcome::Changed(Box::new(page))
}

/// To be asked for elsewhere, if that is not once too often.
pub fn moved(visit: &Visit, url: &Url) -> Outcome {
    let redirects = visit.plan.pipeline_state["redirects"].as_i64().unwrap_or_default() + 1;
    let failed = |code: &'static str, text: &str| Outcome::Failed {
        code: code.into(),
        text: text.to_owned(),
        site_failure: false,
    };
    if redirects > MAX_REDIRECTS {
        return failed("too_many_redirects", "the site redirected more than 5 times");
    }
    match site_key(url) {
        Ok(site) => Outcome::Moved { url: url.to_string(), site, redirects },
        Err(_) => failed("bad_redirect", "the site redirected to something that is no address"),
    }
}

impl Outcome {
    /// What the circuit counts: connect errors, timeouts and 5xx. A 404 is an answer.
    pub fn is_site_failure(&self) -> bool {
        match self {
            Outcome::Failed { site_failure, .. } => *site_failure,
            Outcome::Refused { status, .. } => *status >= 500,
            _ => false,
        }
    }

    pub fn pushback(&self) -> Option<Option<SignedDuration>> {
        match self {
            Outcome::Refused { pushback, .. } => *pushback,
            _ => None,
        }
    }

    pub fn word(&self) -> &str {
        match self {
            Outcome::Changed(_) => "changed",
            Outcome::Same { rule } => rule,
            Outcome::Moved { .. } => "moved",
            Outcome::Gone { .. } => "gone",
            Outcome::Refused { .. } => "refused",
            Outcome::Forbidden { code, .. }
            | Outcome::Unrouted { code, .. }
            | Outcome::Failed { code, .. } => code,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use bytes::Bytes;
    use serde_json::json;
    use shared::blobs::BlobKey;
    use shared::domain::ids::TaskId;
    use shared::domain::task::TaskKind;
    use shared::egress::ReplyHeaders;
    use shared::store::tasks::Plan;

    use super::*;

    fn visit(redirects: i64) -> Visit {
        let url = "https://a.com/1".to_owned();
        Visit {
            plan: Plan {
                id: TaskId::fresh(),
                kind: TaskKind::Page,
                url_key: url.clone(),
                site: site_key(&url.parse().unwrap()).unwrap(),
                url,
                target_type: "job_posting".into(),
                workspace_id: None,
                release_no: 1,
                attempts: 0,
                pipeline_state: if redirects == 0 { json!({}) } else { json!({ "redirects": redirects }) },
                request_id: None,
                batch_id: None,
                has_callback: false,
                started_at: None,
            },
            fence: 1,
            crashes: 0,
        }
    }

    fn answer(status: u16) -> Fetched {
        Fetched {
            status,
            final_url: "https://a.com/1".parse().unwrap(),
            headers: ReplyHeaders::default(),
            body: Bytes::from_static(b"page"),
            wire_bytes: 4,
            first_byte: Instant::now(),
            first_byte_after: Duration::ZERO,
            total: Duration::ZERO,
            redirects: Vec::new(),
            redirect_to: None,
        }
    }

    fn held() -> Page {
        Page {
            url_key: "https://a.com/1".into(),
            site: "a.com".into(),
            status: 200,
            final_url: "https://a.com/1".into(),
            content_type: None,
            etag: Some("v1".into()),
            last_modified: None,
            content_sha256: Some(content_hash(b"page")),
            raw_key: Some(BlobKey::of_content(b"page").to_string()),
            simhash: None,
            fetched_at: now(),
        }
    }

    fn now() -> Timestamp {
        "2026-11-16T08:00:00Z".parse().unwrap()
    }

    #[test]
    fn a_304_counts_only_when_we_asked() {
        let asked = judge(&visit(0), Some(&held()), true, &Ok(answer(304)), now());
        assert_eq!(asked, Outcome::Same { rule: "not_modified" });
        let unasked = judge(&visit(0), Some(&held()), false, &Ok(answer(304)), now());
        assert_eq!(unasked.word(), "unexpected_304");
    }

    #[test]
    fn the_same_bytes_at_another_address_are_another_page() {
        assert_eq!(judge(&visit(0), Some(&held()), false, &Ok(answer(200)), now()).word(), "identical_bytes");
        let mut elsewhere = answer(200);
        elsewhere.final_url = "https://a.com/other".parse().unwrap();
        assert_eq!(judge(&visit(0), Some(&held()), false, &Ok(elsewhere), now()).word(), "changed");
        assert_eq!(judge(&visit(0), None, false, &Ok(answer(200)), now()).word(), "changed");
    }

    /// The promise, at the door: of all answers only 404 and 410 are evidence that a page is gone.
    #[test]
    fn only_404_and_410_are_gone() {
        for status in (200..=599).filter(|status| *status != 304) {
            let outcome = judge(&visit(0), None, false, &Ok(answer(status)), now());
            assert_eq!(matches!(outcome, Outcome::Gone { .. }), matches!(status, 404 | 410), "{status}");
            assert_eq!(outcome.is_site_failure(), status >= 500, "{status}");
            assert_eq!(outcome.pushback().is_some(), matches!(status, 429 | 503), "{status}");
        }
        let unknown = EgressError::DnsFailed { name: "a.com".into(), reason: "no answer".into() };
        for error in [EgressError::Timeout, unknown] {
            assert!(!matches!(judge(&visit(0), None, false, &Err(error), now()), Outcome::Gone { .. }));
        }
    }

    /// A proxy that fails is no news of the site: neither its circuit nor its listing hears of it.
    #[test]
    fn a_failed_way_out_is_not_the_sites_failure() {
        let failed = EgressError::ProxyFailed { reason: "it answered nothing".into() };
        let refused = EgressError::ProxyRefused { reason: "it answered 502".into() };
        for error in [failed, refused] {
            let outcome = judge(&visit(0), None, false, &Err(error), now());
            assert!(matches!(outcome, Outcome::Unrouted { .. }) && !outcome.is_site_failure(), "{outcome:?}");
        }
    }

    #[test]
    fn the_sixth_redirect_is_one_too_many() {
        let mut moved = answer(302);
        moved.redirect_to = Some("https://b.com/2".parse().unwrap());
        let moved = Ok(moved);
        let fifth = judge(&visit(4), None, false, &moved, now());
        assert!(
            matches!(&fifth, Outcome::Moved { site, redirects: 5, .. } if site.as_str() == "b.com"),
            "{fifth:?}"
        );
        assert_eq!(judge(&visit(5), None, false, &moved, now()).word(), "too_many_redirects");
    }
}
