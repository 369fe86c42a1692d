//! One page in a browser: a context of its own with its face and its way out, one navigation, patience, and
//! then what stands in its document.

use std::time::{Duration, Instant};

use headless_chrome::protocol::cdp::{
    Browser as Whole, DOM, Emulation, Fetch, Network, Page, Runtime, Target,
};
use serde_json::{Value, json};
use shared::domain::profile::Profile;
use shared::domain::render::{Fault, Sight};
use shared::egress::{Caps, Egress, EgressError, Forward, Route};
use tokio::sync::watch;
use tokio::time::{sleep, timeout_at};
use url::Url;

use crate::watch::{Answer, State, Watch};
use crate::wire::{Wire, WireError};

/// How long a page must be silent to be done, and how long it may take for that after it has loaded.
const QUIET: Duration = Duration::from_millis(150);
const SETTLE_WITHIN: Duration = Duration::from_secs(5);
/// As long as an extractor waits for what it was told to wait for.
const SELECTOR_WITHIN: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(30);
/// What is left of the time to read the document when the page is not done.
const READ_WITHIN: Duration = Duration::from_secs(2);
/// As much as a plain page may decode to.
const LARGEST: usize = 10 * 1024 * 1024;

/// What a page looked like.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    Page { answer: Answer, html: String },
    Moved(Url),
}

/// Why a page was not seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    pub code: &'static str,
    pub text: String,
    pub fault: Fault,
    /// The browser is not to be used again.
    pub broken: bool,
}

impl Trouble {
    pub fn new(code: &'static str, text: impl Into<String>, fault: Fault) -> Trouble {
        Trouble { code, text: text.into(), fault, broken: false }
    }

    fn broken(code: &'static str, text: &str) -> Trouble {
        Trouble { code, text: text.to_owned(), fault: Fault::Ours, broken: true }
    }

    pub fn timeout() -> Trouble {
        let text = "the page did not let itself be read in time";
        Trouble { fault: Fault::Page, ..Trouble::broken("render_timeout", text) }
    }

    pub fn crashed() -> Trouble {
        Trouble::broken("browser_crashed", "the browser crashed while it showed the page")
    }

    pub fn too_much_memory() -> Trouble {
        let text = "the page took more memory than it may";
        Trouble { fault: Fault::Page, ..Trouble::broken("out_of_memory", text) }
    }
}

impl From<WireError> for Trouble {
    fn from(error: WireError) -> Trouble {
        match error {
            WireError::Closed => Trouble::crashed(),
            refused @ WireError::Refused { .. } => Trouble::broken("browser_refused", &refused.to_string()),
        }
    }
}

impl From<EgressError> for Trouble {
    fn from(error: EgressError) -> Trouble {
        let fault = if error.is_refusal() {
            Fault::Refused
        } else if error.is_route_failure() {
            Fault::Route
        } else if error.site_failure() {
            Fault::Site
        } else {
            Fault::Page
        };
        Trouble::new(error.code(), error.to_string(), fault)
    }
}

/// A page that is being shown. Its context is still there until `close`.
pub struct Shown<'b> {
    wire: &'b Wire,
    context: String,
    session: Option<String>,
    forward: Forward,
    state: watch::Receiver<State>,
    /// Until the page is watched.
    tell: Option<watch::Sender<State>>,
}

/// How a page is to be shown.
pub struct Showing<'a> {
    pub sight: &'a Sight,
    pub route: Route,
    pub caps: Caps,
    pub deadline: Instant,
}

impl<'b> Shown<'b> {
    /// Makes an empty context whose only way out is a proxy of its own.
    pub async fn open(wire: &'b Wire, web: &Egress, showing: &Showing<'_>) -> Result<Shown<'b>, Trouble> {
        let ours = |error: anyhow::Error| Trouble::new("no_local_proxy", format!("{error:#}"), Fault::Ours);
        let forward = web.forward(showing.route, showing.caps).await.map_err(ours)?;
        let context = json!({
            "proxyServer": format!("http://{}", forward.address),
            "proxyBypassList": "<-loopback>",
            "disposeOnDetach": true,
        });
        let context = wire.call::<Target::CreateBrowserContext>(None, context).await?.browser_context_id;
        let (tell, state) = watch::channel(State::new());
        Ok(Shown { wire, context, session: None, forward, state, tell: Some(tell) })
    }

    /// Goes there, waits until the page is done, and reads it.
    pub async fn look(&mut self, showing: &Showing<'_>) -> Result<Seen, Trouble> {
        let sight = showing.sight;
        let frame = self.prepare(sight).await?;
        self.navigate(&sight.url, &frame).await?;
        let until = showing.deadline.checked_sub(READ_WITHIN).unwrap_or(showing.deadline);
        let after = self.wait(until, |state| state.loaded || state.moved.is_some()).await;
        if let Some(url) = &after.moved {
            return moved(url);
        }
        let answer = self.answer(&sight.url)?;
        if !(200..300).contains(&answer.status) {
            return Ok(Seen::Page { answer, html: String::new() });
        }
        let world = self.world(&frame).await?;
        self.settle(&world, until).await?;
        if let Some(selector) = &sight.wait_for_selector {
            self.wait_for(&world, selector, until).await?;
        }
        for _ in 0..sight.max_scrolls {
            if Instant::now() >= until || !self.scroll(&world, until).await? {
                break;
            }
        }
        if let Some(url) = self.state.borrow().moved.clone() {
            return moved(&url);
        }
        if self.forward.traffic().cut_off {
            return Err(Trouble::new("too_large", "the page loads more than it may", Fault::Page));
        }
        let html = self.html().await?;
        Ok(Seen::Page { answer, html })
    }

    /// Ends when the page has crashed. Whoever looks at it need not wait for answers that never come.
    pub fn crash(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut state = self.state.clone();
        // Nobody is left to tell: the wire has ended, and that is one too.
        async move { drop(state.wait_for(|state| state.crashed).await) }
    }

    /// When the site had certainly seen the navigation, if it did.
    pub fn seen(&self) -> Option<Instant> {
        self.state.borrow().seen
    }

    /// Was the site asked at all?
    pub fn asked(&self) -> bool {
        self.state.borrow().asked
    }

    /// Takes the context away, and with it everything of the page.
    pub async fn close(self) -> Result<(), WireError> {
        if let Some(session) = &self.session {
            self.wire.forget(session);
        }
        let context = json!({ "browserContextId": self.context });
        self.wire.call::<Target::DisposeBrowserContext>(None, context).await.map(drop)
    }

    /// An empty page with the face that it shows. Returns its frame.
    async fn prepare(&mut self, sight: &Sight) -> Result<String, Trouble> {
        let wire = self.wire;
        let (width, height) = match &sight.face {
            Some(face) => (face.viewport_width, face.viewport_height),
            None => (1366, 768),
        };
        let target = json!({
            "url": "about:blank", "browserContextId": self.context, "width": width, "height": height,
        });
        let frame = wire.call::<Target::CreateTarget>(None, target).await?.target_id;
        let attach = json!({ "targetId": frame, "flatten": true });
        let session = wire.call::<Target::AttachToTarget>(None, attach).await?.session_id;
        let told = wire.listen(&session);
        self.session = Some(session.clone());
        let state = self.tell.take().ok_or_else(Trouble::crashed)?;
        let watch = Watch {
            wire: wire.clone(),
            session: session.clone(),
            main_frame: frame.clone(),
            images: sight.images,
            state,
        };
        tokio::spawn(watch.follow(told));
        let on = Some(session.as_str());
        let downloads = json!({ "behavior": "deny", "browserContextId": self.context });
        tokio::try_join!(
            wire.call::<Page::Enable>(on, json!({})),
            wire.call::<Network::Enable>(on, json!({})),
            wire.call::<Fetch::Enable>(on, json!({ "patterns": patterns(sight.images) })),
            wire.call::<Whole::SetDownloadBehavior>(None, downloads),
        )?;
        if let Some(face) = &sight.face {
            self.wear(face, on).await?;
        }
        Ok(frame)
    }

    /// Browser, screen, clock, language and place, as the plain client's headers say them.
    async fn wear(&self, face: &Profile, on: Option<&str>) -> Result<(), Trouble> {
        let wire = self.wire;
        let screen = json!({
            "width": face.viewport_width, "height": face.viewport_height, "deviceScaleFactor": 1, "mobile": false,
        });
        tokio::try_join!(
            wire.call::<Emulation::SetUserAgentOverride>(on, agent_of(face)),
            wire.call::<Emulation::SetDeviceMetricsOverride>(on, screen),
            wire.call::<Emulation::SetTimezoneOverride>(on, json!({ "timezoneId": face.timezone })),
            wire.call::<Emulation::SetLocaleOverride>(on, json!({ "locale": face.language })),
        )?;
        if let Some(place) = face.geolocation {
            let place = json!({ "latitude": place.latitude, "longitude": place.longitude, "accuracy": 50 });
            let grant = json!({ "permissions": ["geolocation"], "browserContextId": self.context });
            tokio::try_join!(
                wire.call::<Emulation::SetGeolocationOverride>(on, place),
                wire.call::<Whole::GrantPermissions>(None, grant),
            )?;
        }
        Ok(())
    }

    /// Returns when the document has begun to come, or has been sent elsewhere.
    async fn navigate(&mut self, url: &str, frame: &str) -> Result<(), Trouble> {
        let wire = self.wire;
        let session = self.session.clone();
        let going = wire.call::<Page::Navigate>(session.as_deref(), json!({ "url": url, "frameId": frame }));
        let mut state = self.state.clone();
        let gone = tokio::select! {
            gone = going => gone?,
            _ = state.wait_for(|state| state.moved.is_some()) => return Ok(()),
        };
        let Some(problem) = gone.error_text.filter(|_| state.borrow().moved.is_none()) else { return Ok(()) };
        if let Some(error) = Url::parse(url).ok().and_then(|url| self.forward.failure(&url)) {
            return Err(error.into());
        }
        Err(not_shown(&problem))
    }

    /// The answer to the navigation; ours, when it was our proxy that gave it.
    fn answer(&self, url: &str) -> Result<Answer, Trouble> {
        if let Some(error) = Url::parse(url).ok().and_then(|url| self.forward.failure(&url)) {
            return Err(error.into());
        }
        let state = self.state.borrow();
        state
            .answer
            .clone()
            .ok_or_else(|| Trouble::new("timeout", "the site did not answer in time", Fault::Site))
    }

    /// Waits for a fact, or until then.
    async fn wait(&self, until: Instant, fact: impl Fn(&State) -> bool) -> State {
        let mut state = self.state.clone();
        // What has not happened by then is looked at as it is.
        drop(timeout_at(until.into(), state.wait_for(fact)).await);
        state.borrow().clone()
    }

    /// Lets scripts have their say: until nothing is under way and nothing stirs for a moment.
    async fn settle(&self, world: &World, until: Instant) -> Result<(), Trouble> {
        const RUNS: &str = "[...document.scripts].some(s => !s.type || /javascript|module/.test(s.type))";
        if self.evaluate(world, RUNS).await? != Value::Bool(true) {
            return Ok(());
        }
        self.calm(until).await;
        Ok(())
    }

    async fn calm(&self, until: Instant) {
        let until = until.min(Instant::now() + SETTLE_WITHIN);
        loop {
            let before = self.wait(until, |state| state.in_flight.is_empty() || state.moved.is_some()).await;
            if before.moved.is_some() || Instant::now() >= until {
                return;
            }
            let mut state = self.state.clone();
            let stirs = state.wait_for(|state| state.stirred != before.stirred);
            if tokio::time::timeout(QUIET, stirs).await.is_err() {
                return;
            }
        }
    }

    async fn wait_for(&self, world: &World, selector: &str, until: Instant) -> Result<(), Trouble> {
        let until = until.min(Instant::now() + SELECTOR_WITHIN);
        let look = format!("document.querySelector({}) !== null", Value::from(selector));
        loop {
            match self.evaluate(world, &look).await? {
                Value::Bool(true) => return Ok(()),
                // It goes elsewhere, and that is what is told.
                _ if self.state.borrow().moved.is_some() => return Ok(()),
                Value::Bool(false) => {}
                _ => {
                    let text = format!("{selector:?} is no selector");
                    return Err(Trouble::new("bad_selector", text, Fault::Page));
                }
            }
            if Instant::now() >= until {
                let text = format!("nothing on the page matches {selector:?}");
                return Err(Trouble::new("selector_not_found", text, Fault::Page));
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// To the end of the page. Returns whether it has grown since.
    async fn scroll(&self, world: &World, until: Instant) -> Result<bool, Trouble> {
        const HEIGHT: &str = "document.documentElement.scrollHeight";
        let before = self.evaluate(world, HEIGHT).await?;
        self.evaluate(world, "window.scrollTo(0, document.documentElement.scrollHeight)").await?;
        sleep(QUIET).await;
        self.calm(until).await;
        Ok(self.evaluate(world, HEIGHT).await? != before)
    }

    /// A world beside the page's own scripts, which cannot change what things mean in it.
    async fn world(&self, frame: &str) -> Result<World, Trouble> {
        let made = json!({ "frameId": frame, "worldName": "freshet" });
        let made = self.wire.call::<Page::CreateIsolatedWorld>(self.session.as_deref(), made).await?;
        Ok(World(made.execution_context_id))
    }

    async fn evaluate(&self, world: &World, expression: &str) -> Result<Value, Trouble> {
        let asked =
            json!({ "expression": expression, "contextId": world.0, "returnByValue": true, "silent": true });
        match self.wire.call::<Runtime::Evaluate>(self.session.as_deref(), asked).await {
            Ok(answered) => Ok(answered.result.value.unwrap_or_default()),
            // The page went on to another document, and its world with it.
            Err(WireError::Refused { .. }) => Ok(Value::Null),
            Err(error) => Err(error.into()),
        }
    }

    /// The whole document as it stands now, shadows included.
    async fn html(&self) -> Result<String, Trouble> {
        let on = self.session.as_deref();
        let root = self.wire.call::<DOM::GetDocument>(on, json!({ "depth": 0 })).await?.root.node_id;
        let asked = json!({ "nodeId": root, "includeShadowDOM": true });
        let html = self.wire.call::<DOM::GetOuterHTML>(on, asked).await?.outer_html;
        if html.len() > LARGEST {
            let text = format!("the document is larger than {LARGEST} bytes");
            return Err(Trouble::new("too_large", text, Fault::Page));
        }
        Ok(html)
    }
}

struct World(u32);

fn moved(url: &str) -> Result<Seen, Trouble> {
    let bad = || Trouble::new("bad_redirect", "the page leads to something that is no address", Fault::Page);
    Url::parse(url).map(Seen::Moved).map_err(|_| bad())
}

/// Only these are held up for a word of ours; everything else goes straight to the page's proxy.
fn patterns(images: bool) -> Value {
    let held: &[&str] = if images { &["Document"] } else { &["Document", "Image", "Font", "Media"] };
    held.iter().map(|kind| json!({ "urlPattern": "*", "resourceType": kind })).collect()
}

/// What the browser says went wrong, where our proxy knows of nothing.
fn not_shown(problem: &str) -> Trouble {
    let (code, fault) = match problem {
        "net::ERR_ABORTED" => ("not_a_page", Fault::Page),
        "net::ERR_UNSAFE_PORT" => ("port_refused", Fault::Refused),
        "net::ERR_TIMED_OUT" | "net::ERR_CONNECTION_TIMED_OUT" => ("timeout", Fault::Site),
        "net::ERR_EMPTY_RESPONSE" | "net::ERR_CONNECTION_RESET" | "net::ERR_CONNECTION_CLOSED" => {
            ("reset", Fault::Site)
        }
        problem if problem.starts_with("net::ERR_CERT_") || problem.starts_with("net::ERR_SSL_") => {
            ("tls_failed", Fault::Site)
        }
        _ => ("not_shown", Fault::Site),
    };
    Trouble::new(code, format!("the browser could not show it: {problem}"), fault)
}

/// The same words that the plain client sends as headers.
fn agent_of(face: &Profile) -> Value {
    let headers = face.headers();
    let header = |wanted: &str| {
        headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.trim_matches('"').to_owned())
    };
    let brands: Vec<Value> = header("sec-ch-ua")
        .unwrap_or_default()
        .split(", ")
        .filter_map(|brand| brand.split_once(";v="))
        .map(|(brand, version)| {
            json!({ "brand": brand.trim_matches('"'), "version": version.trim_matches('"') })
        })
        .collect();
    // The browser writes the weights itself.
    let spoken = header("accept-language").unwrap_or_else(|| face.language.clone());
    let languages: Vec<&str> = spoken.split(',').filter_map(|each| each.split(';').next()).collect();
    json!({
        "userAgent": face.user_agent,
        "acceptLanguage": languages.join(","),
        "userAgentMetadata": {
            "brands": brands,
            "platform": header("sec-ch-ua-platform").unwrap_or_else(|| "Linux".to_owned()),
            "platformVersion": "", "architecture": "x86", "model": "", "mobile": false,
        },
    })
}
