//! No page reaches what we may not reach, whatever it asks for with. Each way is shown to lead there when the
//! guard lets it.

use fixture::{JobSite, refused};
use shared::egress::Permission;

use crate::room::{How, Room, html, job};

/// Ways in which a page can ask for something: its markup, with `TARGET` for what it wants.
const WAYS: [(&str, &str); 20] = [
    ("script", "<script src='TARGET'></script>"),
    ("module", "<script type=module>import('TARGET').catch(() => {})</script>"),
    ("image", "<img src='TARGET'>"),
    ("fetch", "<script>fetch('TARGET', { mode: 'no-cors' }).catch(() => {})</script>"),
    ("xhr", "<script>const x = new XMLHttpRequest(); x.open('GET', 'TARGET'); x.send()</script>"),
    ("websocket", "<script>new WebSocket('TARGET'.replace('http', 'ws'))</script>"),
    ("eventsource", "<script>new EventSource('TARGET')</script>"),
    ("iframe", "<iframe src='TARGET'></iframe>"),
    ("nested", "<iframe srcdoc=\"<iframe src='TARGET'></iframe>\"></iframe>"),
    ("stylesheet", "<link rel=stylesheet href='TARGET'>"),
    ("css_import", "<style>@import url('TARGET');</style>"),
    ("css_image", "<style>p { background: url('TARGET') }</style><p>text</p>"),
    (
        "font",
        "<style>@font-face { font-family: f; src: url('TARGET') } p { font-family: f }</style><p>text</p>",
    ),
    ("beacon", "<script>navigator.sendBeacon('TARGET', 'x')</script>"),
    (
        "form",
        "<iframe name=f></iframe><form target=f method=post action='TARGET'></form><script>document.forms[0].submit()</script>",
    ),
    ("object", "<object data='TARGET'></object>"),
    ("video", "<video src='TARGET' autoplay muted></video>"),
    (
        "worker",
        "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('TARGET', { mode: 'no-cors' })\"])))</script>",
    ),
    ("redirect", "<script src='/leads-there?TARGET'></script>"),
    ("service_worker", "<script>navigator.serviceWorker.register('/worker.js?TARGET')</script>"),
];

/// A site with a page for each way, each of which wants something of that host.
async fn site_wanting(host: &str) -> JobSite {
    let site = JobSite::start("127.0.0.1").await;
    for (name, markup) in WAYS {
        let target = format!("http://{host}/{name}");
        html(&site, &format!("/{name}"), &markup.replace("TARGET", &target));
        if name == "redirect" {
            site.answers(&format!("/leads-there?{target}"), 302, &[("location", &target)], "");
        }
        if name == "service_worker" {
            let code = format!("fetch('{target}', {{ mode: 'no-cors' }}).catch(() => {{}})");
            site.answers(&format!("/worker.js?{target}"), 200, &[("content-type", "text/javascript")], &code);
        }
    }
    let all = WAYS.map(|(name, markup)| markup.replace("TARGET", &format!("http://{host}/{name}")));
    html(&site, "/all", &all.concat());
    site
}

/// Every way on a page of its own.
async fn visit_each(room: &Room, site: &JobSite) {
    for (name, _) in WAYS {
        visit(room, &site.url(&format!("/{name}"))).await;
    }
}

async fn visit(room: &Room, url: &str) {
    let mut order = job(url, 60);
    order.sight.images = true;
    room.show(&order).await;
}

#[tokio::test]
async fn nothing_on_a_page_reaches_loopback() {
    let secret = JobSite::start("127.0.0.1").await;
    let port = secret.address.port();
    let hosts = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0"];
    for host in hosts.map(|host| format!("{host}:{port}")) {
        let site = site_wanting(&host).await;
        let room = Room::new(&[&site]).await;
        visit(&room, &site.url("/all")).await;
        if host.starts_with("127.") {
            visit_each(&room, &site).await;
        }
        assert!(site.hits().iter().any(|hit| hit.path == "/all"), "the page was there to ask for {host}");
        room.end().await;
    }
    assert_eq!(secret.requests().len(), 0, "it was reached: {:?}", secret.requests());
}

/// A page whose script asks for each row of the list at that port, and says when it has heard of all of them.
fn asks_for_the_list(site: &JobSite, port: u16) -> Vec<String> {
    let rows: Vec<String> = refused::urls().into_iter().map(|(url, _)| url).collect();
    assert!(rows.len() >= 300, "only {} rows", rows.len());
    let mut pages = Vec::new();
    for (number, rows) in rows.chunks(100).enumerate() {
        let script = format!(
            "<script>const at_port = row => {{
                try {{ const url = new URL(row); url.port = {port}; return url.href }} catch {{ return row }}
            }};
            const asked = {}.map(row => fetch(at_port(row), {{ mode: 'no-cors' }}).catch(() => null));
            Promise.all(asked).then(() => document.body.innerHTML = '<p id=told>all asked</p>')</script>",
            serde_json::to_string(rows).unwrap().replace('<', "\\u003c")
        );
        pages.push(format!("/asks/{number}"));
        html(site, &pages[number], &script);
    }
    pages
}

async fn visit_until_told(room: &Room, site: &JobSite, pages: &[String]) {
    for page in pages {
        let mut order = job(&site.url(page), 40);
        order.sight.wait_for_selector = Some("#told".to_owned());
        assert!(room.html(&order).await.contains("all asked"), "{page}");
    }
}

/// The whole list by the script of a page, at the port of a listener on loopback; in the control it hears of the many
/// rows that are loopback in disguise.
#[tokio::test]
async fn no_script_reaches_what_nobody_may_reach() {
    let (secret, site) = (JobSite::start("127.0.0.1").await, JobSite::start("127.0.0.1").await);
    let pages = asks_for_the_list(&site, secret.address.port());
    let room = Room::new(&[&site]).await;
    visit_until_told(&room, &site, &pages).await;
    assert!(secret.requests().is_empty(), "it was reached: {:?}", secret.requests());
    room.end().await;

    let both = vec![site.address.to_string().parse().unwrap(), secret.address.to_string().parse().unwrap()];
    let open = Room::allowed(Permission::with_private_hosts(both), How::default()).await;
    visit_until_told(&open, &site, &pages).await;
    let reached = secret.requests().len();
    assert!(reached >= 20, "with the guard off only {reached} rows led there");
    open.end().await;
}

/// The way that goes round every proxy: a packet that a peer connection sends to find out its own address.
#[tokio::test]
async fn no_peer_connection_sends_a_packet() {
    let ear = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    ear.set_nonblocking(true).unwrap();
    let site = JobSite::start("127.0.0.1").await;
    let page = format!(
        "<script>(async () => {{
            const peer = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:{}' }}] }});
            peer.createDataChannel('x');
            const gathered = new Promise(done => peer.onicegatheringstatechange = () =>
                peer.iceGatheringState === 'complete' && done());
            await peer.setLocalDescription(await peer.createOffer());
            await Promise.race([gathered, new Promise(done => setTimeout(done, 3000))]);
            document.body.innerHTML = '<p id=told>' + peer.localDescription.type + '</p>';
        }})()</script>",
        ear.local_addr().unwrap()
    );
    html(&site, "/peer", &page);
    let room = Room::new(&[&site]).await;
    let mut order = job(&site.url("/peer"), 30);
    order.sight.wait_for_selector = Some("#told".to_owned());
    assert!(room.html(&order).await.contains(">offer</p>"), "the page had a connection to try with");
    let heard = ear.recv(&mut [0; 64]);
    assert!(heard.is_err(), "a packet of {heard:?} bytes came");
    room.end().await;
}

/// The control: with the guard open for that host, every one of these ways leads there.
#[tokio::test]
async fn with_the_guard_off_every_way_leads_there() {
    let secret = JobSite::start("127.0.0.1").await;
    let site = site_wanting(&secret.address.to_string()).await;
    let both = vec![site.address.to_string().parse().unwrap(), secret.address.to_string().parse().unwrap()];
    let room = Room::allowed(Permission::with_private_hosts(both), How::default()).await;
    visit_each(&room, &site).await;
    let reached: Vec<String> = secret.requests().into_iter().map(|hit| hit.path).collect();
    for (name, _) in WAYS {
        assert!(reached.contains(&format!("/{name}")), "{name} did not lead there: {reached:?}");
    }
    room.end().await;
}

/// The navigation itself, in the words of the refusal.
#[tokio::test]
async fn a_navigation_is_refused_in_the_same_words_as_a_plain_request() {
    let room = Room::allowed(Permission::public_only(), How::default()).await;
    for (url, code) in [
        ("http://127.0.0.1:8080/", "address_refused"),
        ("http://169.254.169.254/latest/meta-data/", "address_refused"),
        ("http://localhost/", "name_refused"),
        ("https://10.0.0.7/", "address_refused"),
        ("http://93.184.216.34:2375/", "port_refused"),
    ] {
        let outcome = room.show(&job(url, 20)).await;
        assert_eq!(crate::room::code(&outcome), code, "{url}");
    }
    room.end().await;
}
