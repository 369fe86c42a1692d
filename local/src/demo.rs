//! A small set of invented company sites on loopback, so that a newcomer sees a crawl without the internet.
//! They behave as real ones do: robots.txt, ETags, a closed posting, one that goes away. Never used by a room.

pub mod company;
mod json_ld;
mod page;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use anyhow::Context;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use jiff::civil::Date;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use company::{Company, Fate};

/// A posting that vanishes answers this often before it is gone.
const VANISHES_AFTER: u32 = 1;

/// The running sites; dropping it closes them.
pub struct DemoSite {
    /// One address a company, for the list of private hosts a crawler may visit.
    pub hosts: Vec<SocketAddr>,
    posting_urls: Vec<String>,
    _servers: Vec<AbortOnDropHandle<()>>,
}

impl DemoSite {
    /// Opens every company's site. Postings are dated a few days before `today`.
    pub async fn start(today: Date) -> anyhow::Result<DemoSite> {
        let companies = company::all();
        let listeners = listen(companies.len()).await.context("opening the demo sites on loopback")?;
        let mut site = DemoSite { hosts: Vec::new(), posting_urls: Vec::new(), _servers: Vec::new() };
        for (company, listener) in companies.into_iter().zip(listeners) {
            let host = listener.local_addr()?;
            let slugs = company.postings.iter().map(|posting| &posting.slug);
            site.posting_urls.extend(slugs.map(|slug| format!("http://{host}/jobs/{slug}")));
            site.hosts.push(host);
            let router = router(company, host, today);
            let server = tokio::spawn(async move {
                if let Err(error) = axum::serve(listener, router).await {
                    tracing::warn!(%error, %host, "a demo site ended");
                }
            });
            site._servers.push(AbortOnDropHandle::new(server));
        }
        Ok(site)
    }

    /// Every posting of every company, also the closed ones and those that will vanish.
    pub fn posting_urls(&self) -> &[String] {
        &self.posting_urls
    }

    /// The page of each company that lists its postings.
    pub fn list_urls(&self) -> Vec<String> {
        self.hosts.iter().map(|host| format!("http://{host}/jobs")).collect()
    }
}

/// One loopback address a site, all on one port, as sites have different hosts; where only 127.0.0.1 exists
/// (macOS), one port a site.
async fn listen(count: usize) -> anyhow::Result<Vec<TcpListener>> {
    for _ in 0..10 {
        if let Ok(listeners) = listen_on_aliases(count).await {
            return Ok(listeners);
        }
    }
    let mut listeners = Vec::new();
    for _ in 0..count {
        listeners.push(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?);
    }
    Ok(listeners)
}

async fn listen_on_aliases(count: usize) -> anyhow::Result<Vec<TcpListener>> {
    let mut listeners: Vec<TcpListener> = Vec::new();
    for number in 0..count {
        let port =
            listeners.first().map_or(Ok(0), |first| first.local_addr().map(|address| address.port()))?;
        let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, u8::try_from(number + 2)?));
        listeners.push(TcpListener::bind((address, port)).await?);
    }
    Ok(listeners)
}

struct Site {
    company: Company,
    host: SocketAddr,
    today: Date,
    /// How often each vanishing posting has been fetched.
    fetched: Mutex<HashMap<String, u32>>,
}

impl Site {
    fn is_gone(&self, slug: &str) -> bool {
        let fetched = self.fetched.lock().expect("no holder of this lock panics");
        fetched.get(slug).is_some_and(|times| *times >= VANISHES_AFTER)
    }
}

fn router(company: Company, host: SocketAddr, today: Date) -> Router {
    Router::new()
        .route("/", get(|| async { Redirect::temporary("/jobs") }))
        .route("/jobs", get(list))
        .route("/jobs/{slug}", get(posting))
        .route("/app/{slug}", get(app))
        .route("/apply/{slug}", get(apply))
        .route("/robots.txt", get(robots))
        .route("/sitemap.xml", get(sitemap))
        .with_state(Arc::new(Site { company, host, today, fetched: Mutex::default() }))
}

async fn list(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    let open: Vec<_> = site.company.postings.iter().filter(|posting| !site.is_gone(&posting.slug)).collect();
    answer(&headers, "text/html; charset=utf-8", page::list(&site.company, site.host, &open))
}

async fn posting(State(site): State<Arc<Site>>, Path(slug): Path<String>, headers: HeaderMap) -> Response {
    let Some(posting) = site.company.postings.iter().find(|posting| posting.slug == slug) else {
        return missing(&site);
    };
    if site.is_gone(&slug) {
        return missing(&site);
    }
    if posting.fate == Fate::Vanishes {
        let mut fetched = site.fetched.lock().expect("no holder of this lock panics");
        *fetched.entry(slug).or_default() += 1;
    }
    answer(&headers, "text/html; charset=utf-8", page::posting(&site.company, site.host, posting, site.today))
}

/// The same posting as a page that says nothing until its script has run.
async fn app(State(site): State<Arc<Site>>, Path(slug): Path<String>, headers: HeaderMap) -> Response {
    let Some(posting) = site.company.postings.iter().find(|posting| posting.slug == slug) else {
        return missing(&site);
    };
    let whole = page::posting(&site.company, site.host, posting, site.today);
    let here = whole.replace(&format!("/jobs/{slug}"), &format!("/app/{slug}"));
    answer(&headers, "text/html; charset=utf-8", page::app(&here))
}

async fn apply(State(site): State<Arc<Site>>, Path(slug): Path<String>, headers: HeaderMap) -> Response {
    answer(&headers, "text/html; charset=utf-8", page::apply(&site.company, site.host, &slug))
}

async fn robots(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    let text = format!("User-agent: *\nDisallow: /apply/\n\nSitemap: http://{}/sitemap.xml\n", site.host);
    answer(&headers, "text/plain; charset=utf-8", text)
}

async fn sitemap(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    let open = site.company.postings.iter().filter(|posting| !site.is_gone(&posting.slug));
    let urls: String = open
        .map(|posting| format!("<url><loc>http://{}/jobs/{}</loc></url>\n", site.host, posting.slug))
        .collect();
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
         {urls}</urlset>\n"
    );
    answer(&headers, "application/xml", text)
}

fn missing(site: &Site) -> Response {
    (
        StatusCode::NOT_FOUND,
        [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
        page::missing(&site.company, site.host),
    )
        .into_response()
}

/// The body with its ETag, or 304 when the visitor has it already.
fn answer(headers: &HeaderMap, content_type: &'static str, body: String) -> Response {
    let etag = format!("\"{}\"", hex::encode(&Sha256::digest(&body)[..8]));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let same =
        known.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|tag| tag == etag || tag == "*");
    let common = [(header::ETAG, etag), (header::CACHE_CONTROL, "no-cache".to_owned())];
    if same {
        (StatusCode::NOT_MODIFIED, common).into_response()
    } else {
        (common, [(header::CONTENT_TYPE, content_type)], body).into_response()
    }
}
