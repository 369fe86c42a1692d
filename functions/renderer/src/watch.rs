//! What a page tells while it is shown, and what is answered at once: which of its requests may go, and that a
//! dialogue is closed.

use std::collections::HashSet;
use std::time::Instant;

use headless_chrome::protocol::cdp::{Fetch, Page};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use crate::wire::{Event, Wire};

/// The answer to the navigation.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub url: String,
    pub retry_after: Option<String>,
}

/// How a page stands.
#[derive(Debug, Clone)]
pub struct State {
    /// The navigation has been let go.
    pub asked: bool,
    pub answer: Option<Answer>,
    /// When the site had certainly seen the navigation.
    pub seen: Option<Instant>,
    /// Where the page was sent, by the site or by itself.
    pub moved: Option<String>,
    pub loaded: bool,
    pub crashed: bool,
    pub in_flight: HashSet<String>,
    /// Counts what its requests do, so that quiet can be told from noise.
    pub stirred: u64,
}

/// Follows one page until its wire ends.
pub struct Watch {
    pub wire: Wire,
    pub session: String,
    pub main_frame: String,
    /// Images, fonts and media may go too.
    pub images: bool,
    pub state: watch::Sender<State>,
}

impl State {
    pub fn new() -> State {
        State {
            asked: false,
            answer: None,
            seen: None,
            moved: None,
            loaded: false,
            crashed: false,
            in_flight: HashSet::new(),
            stirred: 0,
        }
    }
}

impl Watch {
    pub async fn follow(self, mut told: mpsc::UnboundedReceiver<Event>) {
        while let Some(event) = told.recv().await {
            self.hear(&event);
        }
        self.state.send_modify(|state| state.crashed = true);
    }

    fn hear(&self, event: &Event) {
        let params = &event.params;
        let text = |field: &str| params[field].as_str().unwrap_or_default();
        match event.name.as_str() {
            "Fetch.requestPaused" => self.decide(params),
            "Network.requestWillBeSent" => self.state.send_modify(|state| {
                state.in_flight.insert(text("requestId").to_owned());
                state.stirred += 1;
            }),
            "Network.loadingFinished" | "Network.loadingFailed" => self.state.send_modify(|state| {
                state.in_flight.remove(text("requestId"));
                state.stirred += 1;
            }),
            "Network.responseReceived"
                if text("type") == "Document" && text("frameId") == self.main_frame =>
            {
                self.state.send_modify(|state| {
                    state.answer.get_or_insert_with(|| answer(&params["response"]));
                    state.seen.get_or_insert_with(Instant::now);
                });
            }
            "Page.loadEventFired" => self.state.send_modify(|state| state.loaded = true),
            "Page.javascriptDialogOpening" => {
                self.wire
                    .say::<Page::HandleJavaScriptDialog>(Some(&self.session), json!({ "accept": false }));
            }
            "Inspector.targetCrashed" | "Inspector.detached" => {
                self.state.send_modify(|state| state.crashed = true);
            }
            _ => {}
        }
    }

    /// One navigation is what the slot is for; a second one, by redirect or by script, is not made.
    fn decide(&self, params: &Value) {
        let kind = params["resourceType"].as_str().unwrap_or_default();
        let main = kind == "Document" && params["frameId"].as_str() == Some(self.main_frame.as_str());
        if main && self.state.borrow().asked {
            let url = params["request"]["url"].as_str().unwrap_or_default().to_owned();
            let get = params["request"]["method"].as_str() == Some("GET");
            self.state.send_modify(|state| {
                state.seen.get_or_insert_with(Instant::now);
                if get {
                    state.moved.get_or_insert(url);
                }
            });
            return self.fail(params, "Aborted");
        }
        if main {
            self.state.send_modify(|state| state.asked = true);
        } else if matches!(kind, "Image" | "Font" | "Media") && !self.images {
            return self.fail(params, "BlockedByClient");
        }
        self.wire
            .say::<Fetch::ContinueRequest>(Some(&self.session), json!({ "requestId": params["requestId"] }));
    }

    fn fail(&self, params: &Value, reason: &str) {
        let answer = json!({ "requestId": params["requestId"], "errorReason": reason });
        self.wire.say::<Fetch::FailRequest>(Some(&self.session), answer);
    }
}

fn answer(response: &Value) -> Answer {
    let headers = response["headers"].as_object();
    let retry_after = headers
        .and_then(|headers| headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after")))
        .and_then(|(_, value)| value.as_str());
    Answer {
        status: response["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or_default(),
        url: response["url"].as_str().unwrap_or_default().to_owned(),
        retry_after: retry_after.map(|value| value.chars().take(100).collect()),
    }
}
