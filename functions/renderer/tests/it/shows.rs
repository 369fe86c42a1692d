//! What a browser makes of pages.

use fixture::{JobSite, LoopProxy, Speaks};
use shared::clock::Clock;
use shared::domain::profile::{Kind, Profile};
use shared::domain::region::Region;
use shared::domain::render::{Fault, Outcome};
use shared::egress::Proxy;
use shared::outbound::USER_AGENT;

use crate::room::{How, Room, code, html, job};

#[tokio::test]
async fn a_page_is_read_as_its_scripts_leave_it() {
    let site = JobSite::start("127.0.0.1").await;
    html(
        &site,
        "/jobs/1",
        "<!doctype html><div id=root></div><script>\
         fetch('/api').then(a => a.json()).then(job => root.innerHTML = `<h1>${job.title}</h1>`)</script>",
    );
    site.answers("/api", 200, &[("content-type", "application/json")], r#"{"title":"Lock keeper"}"#);
    let room = Room::new(&[&site]).await;
    let page = room.html(&job(&site.url("/jobs/1"), 20)).await;
    assert!(page.contains("<h1>Lock keeper</h1>") && page.starts_with("<!DOCTYPE html>"), "{page}");
    let agents: Vec<_> = site.hits().iter().map(|hit| hit.headers["user-agent"].clone()).collect();
    assert!(agents.iter().all(|agent| agent == USER_AGENT), "{agents:?}");
    room.end().await;
}

/// One slot is one navigation: where the site or the page leads is told, not followed.
#[tokio::test]
async fn another_navigation_is_told_and_not_made() {
    let site = JobSite::start("127.0.0.1").await;
    site.answers("/old", 302, &[("location", "/new")], "");
    html(&site, "/script", "<p>one moment</p><script>location.href = '/new'</script>");
    html(&site, "/meta", "<meta http-equiv=refresh content='0; url=/new'><p>one moment</p>");
    html(&site, "/new", "<p>here</p>");
    let room = Room::new(&[&site]).await;
    for path in ["/old", "/script", "/meta"] {
        let outcome = room.show(&job(&site.url(path), 20)).await;
        assert_eq!(outcome, Outcome::Moved { url: site.url("/new") }, "{path}");
    }
    assert!(site.hits().iter().all(|hit| hit.path != "/new"), "nobody went there");
    room.end().await;
}

#[tokio::test]
async fn what_is_no_page_is_an_answer() {
    let site = JobSite::start("127.0.0.1").await;
    site.answers("/busy", 503, &[("retry-after", "120")], "later");
    let room = Room::new(&[&site]).await;
    let gone = room.show(&job(&site.url("/nothing"), 20)).await;
    assert!(matches!(gone, Outcome::Shown { status: 404, stored: false, .. }), "{gone:?}");
    let busy = room.show(&job(&site.url("/busy"), 20)).await;
    let Outcome::Shown { status: 503, retry_after: Some(wait), .. } = &busy else { panic!("{busy:?}") };
    assert_eq!(wait, "120");
    // A port that was open a moment ago, and is not any more.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = room.show(&job(&format!("http://{closed}/"), 20)).await;
    assert!(matches!(&nobody, Outcome::Failed { fault: Fault::Refused, .. }), "{nobody:?}");
    room.end().await;
}

#[tokio::test]
async fn it_waits_for_what_it_is_told_to_wait_for() {
    let site = JobSite::start("127.0.0.1").await;
    html(
        &site,
        "/late",
        "<main></main><script>setTimeout(() => { \
        document.querySelector('main').innerHTML = '<article id=job>Lock keeper</article>' }, 700)</script>",
    );
    let room = Room::new(&[&site]).await;
    let mut wanted = job(&site.url("/late"), 20);
    wanted.sight.wait_for_selector = Some("main > #job".into());
    assert!(room.html(&wanted).await.contains("Lock keeper"));
    let mut never = job(&site.url("/late"), 4);
    never.sight.wait_for_selector = Some(".not-there".into());
    assert_eq!(code(&room.show(&never).await), "selector_not_found");
    let mut nonsense = job(&site.url("/late"), 20);
    nonsense.sight.wait_for_selector = Some("<<<".into());
    assert_eq!(code(&room.show(&nonsense).await), "bad_selector");
    room.end().await;
}

#[tokio::test]
async fn it_scrolls_as_far_as_it_is_told_to() {
    let site = JobSite::start("127.0.0.1").await;
    html(
        &site,
        "/list",
        "<div id=list></div><script>let n = 0; const more = () => { for (let i = 0; i < 20; i++) \
        list.insertAdjacentHTML('beforeend', `<p style='height:200px' class=job>${n++}</p>`) }; more(); \
        addEventListener('scroll', () => { if (innerHeight + scrollY >= document.body.offsetHeight - 50) more() })</script>",
    );
    let room = Room::new(&[&site]).await;
    let jobs = async |scrolls: u8| {
        let mut order = job(&site.url("/list"), 20);
        order.sight.max_scrolls = scrolls;
        room.html(&order).await.matches("class=\"job\"").count()
    };
    assert_eq!(jobs(0).await, 20);
    assert!(jobs(3).await >= 60);
    room.end().await;
}

#[tokio::test]
async fn images_and_fonts_are_left_out_unless_asked_for() {
    let site = JobSite::start("127.0.0.1").await;
    html(
        &site,
        "/page",
        "<style>@font-face { font-family: f; src: url(/font.woff2) } p { font-family: f }</style>\
        <p>text</p><img src=/picture.png><script src=/code.js></script>",
    );
    let asked = |path: &str| site.hits().iter().filter(|hit| hit.path == path).count();
    let room = Room::new(&[&site]).await;
    room.html(&job(&site.url("/page"), 20)).await;
    assert_eq!((asked("/picture.png"), asked("/font.woff2"), asked("/code.js")), (0, 0, 1));
    let mut with_images = job(&site.url("/page"), 20);
    with_images.sight.images = true;
    room.html(&with_images).await;
    assert_eq!((asked("/picture.png"), asked("/font.woff2")), (1, 1));
    room.end().await;
}

/// The same profile makes the headers of the plain client and the browser.
#[tokio::test]
async fn a_browser_shows_the_face_it_was_given() {
    let site = JobSite::start("127.0.0.1").await;
    html(
        &site,
        "/me",
        "<pre id=me></pre><script>const o = Intl.DateTimeFormat().resolvedOptions(); \
        me.textContent = [navigator.userAgent, o.timeZone, o.locale, navigator.language, innerWidth, innerHeight].join('|')</script>",
    );
    let room = Room::new(&[&site]).await;
    let face = Profile::draw(Kind::Chromium, Region::named("de"), 7, None);
    let mut order = job(&site.url("/me"), 20);
    order.sight.face = Some(face.clone());
    let page = room.html(&order).await;
    let expected = format!(
        "{}|{}|{}|{}|{}|{}",
        face.user_agent,
        face.timezone,
        face.language,
        face.language,
        face.viewport_width,
        face.viewport_height
    );
    assert!(page.contains(&expected), "{expected} is not in {page}");
    let hit = site.hits().remove(0);
    for (name, value) in face.headers() {
        if ["user-agent", "accept-language", "sec-ch-ua", "sec-ch-ua-platform"].contains(&name.as_str()) {
            assert_eq!(hit.headers[name.as_str()], value.as_str(), "{name}");
        }
    }
    room.end().await;
}

#[tokio::test]
async fn a_page_goes_by_its_own_proxy() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/page", "<p>text</p><script src=/code.js></script>");
    let proxy = LoopProxy::start(Speaks::Http, Some(("someone", "hunter2"))).await;
    let proxies = Proxy::list(&proxy.url()).unwrap();
    let hosts = [site.address.to_string(), proxy.address.to_string()];
    let permission = shared::egress::Permission::with_private_hosts(
        hosts.iter().map(|host| host.parse().unwrap()).collect(),
    );
    let room = Room::allowed(permission, How { proxies, ..How::default() }).await;
    room.html(&job(&site.url("/page"), 20)).await;
    assert!(proxy.asked().is_empty(), "the direct way is direct");
    let mut order = job(&site.url("/page"), 20);
    order.proxy = Some(0);
    room.html(&order).await;
    assert!(!proxy.asked().is_empty());
    assert!(proxy.asked().iter().all(|asked| asked.contains(&site.address.to_string())));
    room.end().await;
}

/// The slot is over: nobody is asked.
#[tokio::test]
async fn a_page_that_comes_too_late_is_not_asked_for() {
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/page", "<p>text</p>");
    let room = Room::new(&[&site]).await;
    let mut order = job(&site.url("/page"), 20);
    order.navigate_by = Clock::System.now();
    assert_eq!(room.show(&order).await, Outcome::Late);
    assert!(site.hits().is_empty());
    room.end().await;
}

/// Shadow roots are part of what a reader sees; dialogues and downloads hold nobody up.
#[tokio::test]
async fn oddities_of_pages_do_no_harm() {
    let site = JobSite::start("127.0.0.1").await;
    html(
        &site,
        "/shadow",
        "<x-job></x-job><script>document.querySelector('x-job')\
        .attachShadow({ mode: 'open' }).innerHTML = '<h2>Lock keeper</h2>'</script>",
    );
    html(
        &site,
        "/alert",
        "<p>text</p><script>alert(1); confirm(2); prompt(3); window.open('/other')</script>",
    );
    let attachment = [("content-type", "application/octet-stream"), ("content-disposition", "attachment")];
    site.answers("/file", 200, &attachment, "bytes");
    let room = Room::new(&[&site]).await;
    assert!(room.html(&job(&site.url("/shadow"), 20)).await.contains("<h2>Lock keeper</h2>"));
    assert!(room.html(&job(&site.url("/alert"), 20)).await.contains("text"));
    assert_eq!(code(&room.show(&job(&site.url("/file"), 20)).await), "not_a_page");
    assert!(site.hits().iter().all(|hit| hit.path != "/other"), "no window was opened");
    room.end().await;
}
