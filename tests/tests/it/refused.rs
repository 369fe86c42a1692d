//! What nobody may reach, by every way a request leaves the crawler: as a page, by a redirect, as robots.txt, as a
//! sitemap. Behind each way stands a listener that hears nothing, and is heard of as soon as the guard is open.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use fixture::{JobSite, refused};
use futures_util::StreamExt;
use shared::domain::boards::{Board, System};
use shared::domain::site::site_key;
use shared::domain::url::normalise;
use shared::egress::{Egress, Limits, Lookup, Permission};
use url::Url;

use crate::rooms::Rooms;

/// A public name, as a resolver that lies would have it: it leads to the listener.
const INNER: &str = "http://inner.example.com/secret";
const CONNECT: Duration = Duration::from_secs(2);

/// Rooms that may reach these sites alone.
async fn guarded(sites: &[JobSite], secret: &JobSite) -> Rooms {
    let hosts = sites.iter().map(|site| site.address.to_string().parse().unwrap()).collect();
    rooms(Permission::with_private_hosts(hosts), secret).await
}

/// Rooms whose guard lets all of loopback through.
async fn unguarded(secret: &JobSite) -> Rooms {
    rooms(Permission::with_private_hosts(vec!["127.0.0.0/8".parse().unwrap()]), secret).await
}

async fn rooms(permission: Permission, secret: &JobSite) -> Rooms {
    let names = HashMap::from([("inner.example.com".to_owned(), vec![secret.address])]);
    let web = Egress::with_lookup(permission, Limits::default(), Lookup::Table(names)).unwrap();
    Rooms::behind(web, CONNECT).await
}

async fn listener() -> JobSite {
    let secret = JobSite::start("127.0.0.1").await;
    secret.posts("/secret", "Keeper of Keys");
    secret
}

/// The rows that can be the address of a task at all; the door of the API turns the others away.
fn pages() -> Vec<(String, &'static str)> {
    let is_page =
        |url: &str| normalise(url).is_ok() && Url::parse(url).is_ok_and(|parsed| site_key(&parsed).is_ok());
    refused::urls().into_iter().filter(|(url, _)| is_page(url)).collect()
}

/// The rows that a header can carry and that lead to the same place from wherever they are named: `http:127.0.0.1` on a
/// page is one of the site's own.
fn targets() -> Vec<(String, &'static str)> {
    let site = Url::parse("http://site.example.com/jobs/1").unwrap();
    let is_header = |url: &str| url.bytes().all(|byte| byte.is_ascii_graphic());
    let is_absolute = |url: &str| site.join(url) == Url::parse(url);
    refused::urls().into_iter().filter(|(url, _)| is_header(url) && is_absolute(url)).collect()
}

/// Asks for all of these, and gives those that did not end as they must.
async fn ended_otherwise(rooms: &Rooms, asked: Vec<(String, Vec<&'static str>)>) -> Vec<String> {
    let ended = futures_util::stream::iter(asked).map(|(url, codes)| async move {
        let code = rooms.outcome(&url).await;
        (!codes.contains(&code.as_str())).then(|| format!("{url}: {code} instead of {codes:?}"))
    });
    ended.buffer_unordered(48).filter_map(|wrong| async { wrong }).collect().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_of_the_list_is_fetched() {
    let secret = listener().await;
    let rooms = guarded(&[], &secret).await;
    let mut asked: Vec<_> = pages().into_iter().map(|(url, code)| (url, vec![code])).collect();
    assert!(asked.len() >= 200, "only {} rows can be asked for", asked.len());
    asked.push((INNER.to_owned(), vec!["address_refused"]));
    asked.push((secret.url("/secret"), vec!["port_refused"]));
    let wrong = ended_otherwise(&rooms, asked).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(secret.requests().is_empty(), "it was reached: {:?}", secret.requests());

    let open = unguarded(&secret).await;
    assert_eq!(open.outcome(INNER).await, "ok", "with the guard off it is reached");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_redirect_leads_to_the_list() {
    let (secret, site) = (listener().await, JobSite::start("127.0.0.1").await);
    let mut asked = Vec::new();
    let inner = [(INNER.to_owned(), "address_refused"), (secret.url("/secret"), "port_refused")];
    for (number, (target, code)) in targets().into_iter().chain(inner).enumerate() {
        site.answers(&format!("/jobs/{number}"), 302, &[("location", &target)], "");
        // What is no address at all is a bad redirect before it is a refused one.
        asked.push((site.url(&format!("/jobs/{number}")), vec![code, "bad_redirect"]));
    }
    let (rows, first) = (asked.len(), asked[0].0.clone());
    assert!(rows >= 200, "only {rows} rows can be redirected to");
    let rooms = guarded(std::slice::from_ref(&site), &secret).await;
    let wrong = ended_otherwise(&rooms, asked).await;
    assert!(wrong.is_empty(), "{} of {rows}, beginning with {first}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(site.hits().len(), rows, "each was asked for, and led nowhere");
    assert!(secret.requests().is_empty(), "it was reached: {:?}", secret.requests());

    let open = unguarded(&secret).await;
    open.outcome(&site.url(&format!("/jobs/{}", rows - 2))).await;
    assert_eq!(secret.hits().len(), 1, "with the guard off the redirect leads there");
}

/// A file that is somewhere we may not go is a file we cannot read, and then nothing of the site is fetched.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_robots_txt_is_read_from_the_list() {
    let secret = listener().await;
    let inner = [(INNER.to_owned(), "address_refused"), (secret.url("/secret"), "port_refused")];
    let (mut sites, mut asked) = (Vec::new(), Vec::new());
    for (target, code) in targets().into_iter().chain(inner) {
        let site = JobSite::start("127.0.0.1").await;
        site.answers("/robots.txt", 302, &[("location", &target)], "");
        site.posts("/jobs/1", "Lock Keeper");
        asked.push((site.url("/jobs/1"), vec![code, "bad_redirect"]));
        sites.push(site);
    }
    let rooms = guarded(&sites, &secret).await;
    let wrong = ended_otherwise(&rooms, asked).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for site in &sites {
        assert!(site.requests().iter().all(|hit| hit.path == "/robots.txt"), "{:?}", site.requests());
    }
    assert!(secret.requests().is_empty(), "it was reached: {:?}", secret.requests());

    let open = unguarded(&secret).await;
    let site = &sites[sites.len() - 2];
    open.outcome(&site.url("/jobs/1")).await;
    assert_eq!(secret.requests().len(), 1, "with the guard off the file is asked for there");
}

/// Neither as maps of an index nor by the redirects of maps that are the site's own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_sitemap_leads_to_the_list() {
    let (secret, site) = (listener().await, JobSite::start("127.0.0.1").await);
    let map = |urls: &[String]| {
        let places =
            urls.iter().map(|url| format!("<sitemap><loc>{}</loc></sitemap>", url.replace('&', "&amp;")));
        format!("<sitemapindex>{}</sitemapindex>", places.collect::<String>())
    };
    let rows = targets();
    let foreign: Vec<String> =
        rows.iter().map(|(url, _)| url.clone()).take(150).chain([INNER.to_owned()]).collect();
    let led: Vec<String> =
        rows.into_iter().map(|(url, _)| url).rev().take(59).chain([INNER.to_owned()]).collect();
    let (mut own, mut files) = (0, vec!["/foreign.xml".to_owned()]);
    site.answers("/foreign.xml", 200, &[("content-type", "application/xml")], &map(&foreign));
    // A read gives up after a few maps that fail, so an index has few.
    for (number, targets) in led.chunks(3).enumerate() {
        let mut maps = Vec::new();
        for target in targets {
            site.answers(&format!("/map/{own}.xml"), 302, &[("location", target)], "");
            maps.push(site.url(&format!("/map/{own}.xml")));
            own += 1;
        }
        files.push(format!("/own/{number}.xml"));
        site.answers(&files[number + 1], 200, &[("content-type", "application/xml")], &map(&maps));
    }
    let rooms = guarded(std::slice::from_ref(&site), &secret).await;
    for file in &files {
        let board = Board::new(System::Sitemap, &site.url(file)).unwrap();
        let (_, read) = rooms.read(&board).await;
        assert!(!read.complete, "{file}: what could not be read is missing: {read:?}");
    }
    let asked: HashSet<String> =
        site.hits().into_iter().map(|hit| hit.path).filter(|path| path.starts_with("/map/")).collect();
    assert_eq!(asked.len(), own, "each of its own maps was asked for");
    assert!(secret.requests().is_empty(), "it was reached: {:?}", secret.requests());

    let open = unguarded(&secret).await;
    open.read(&Board::new(System::Sitemap, &site.url(&files[files.len() - 1])).unwrap()).await;
    assert_eq!(secret.hits().len(), 1, "with the guard off the map is asked for there");
}
