//! What happens while a page is open, and what we say to it.
//!
//! Requests are let through or not by their kind and number; where they may
//! lead is the gate's decision. Whatever waits for a human gets an answer: a
//! dialog is dismissed, a new window closed.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use relink_ports::RenderError;
use serde::Deserialize;
use serde_json::json;

use crate::cdp::{Cdp, Event};

/// Kinds of resources that no link stands in.
const UNREAD: [&str; 6] = ["Image", "Media", "Font", "TextTrack", "Prefetch", "Manifest"];

/// How the media types of pictures begin.
const PICTURE: &str = "image/";

/// The picture that browsers ask for unasked, and the end of its address.
const ICON: &str = "/favicon.ico";

/// Kinds of requests that stay open for as long as the page does.
const LASTING: [&str; 3] = ["EventSource", "WebSocket", "Ping"];

/// A page that asks so many times more than it may is stopped.
const FLOOD: usize = 4;

/// The page whose events these are.
#[derive(Debug, Clone)]
pub(crate) struct PageIds {
    /// The session we speak with it in.
    pub session: String,
    /// The page, which is also the name of its outermost frame.
    pub target: String,
    /// The browser context that is the page's alone.
    pub context: String,
}

/// Takes in what happens.
pub(crate) struct Traffic {
    cdp: Cdp,
    names: PageIds,
    request_cap: usize,
    tally: Mutex<TrafficStats>,
}

/// What has happened so far.
#[derive(Debug, Clone)]
pub(crate) struct TrafficStats {
    /// Requests not yet answered in full.
    pub under_way: HashSet<String>,
    /// When the last one began or ended.
    pub moved: Instant,
    /// The status of the page's own answer.
    pub status: Option<u16>,
    /// How many requests were let through.
    pub requests: usize,
    /// How many were one too many.
    pub refused: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
    resource_type: String,
    request: Asked,
}

#[derive(Deserialize)]
struct Asked {
    url: String,
    #[serde(default)]
    headers: Headers,
}

#[derive(Default, Deserialize)]
struct Headers {
    #[serde(rename = "Accept")]
    accept: Option<String>,
}

impl Paused {
    /// Whether no link can stand in what is asked for.
    fn is_unread(&self) -> bool {
        let accept = self.request.headers.accept.as_deref().unwrap_or_default();
        UNREAD.contains(&self.resource_type.as_str())
            || accept.starts_with(PICTURE)
            || (self.resource_type == "Other" && self.request.url.ends_with(ICON))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    request_id: String,
    r#type: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Received {
    frame_id: Option<String>,
    r#type: String,
    response: Answered,
}

#[derive(Deserialize)]
struct Answered {
    status: u16,
}

#[derive(Deserialize)]
struct Dialog {
    r#type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_info: Target,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    target_id: String,
    r#type: String,
}

impl Traffic {
    /// Nothing has happened yet.
    pub fn new(cdp: Cdp, names: PageIds, request_cap: usize, now: Instant) -> Self {
        let tally = TrafficStats {
            under_way: HashSet::new(),
            moved: now,
            status: None,
            requests: 0,
            refused: 0,
        };
        Self { cdp, names, request_cap, tally: Mutex::new(tally) }
    }

    /// What has happened so far.
    pub fn tally(&self) -> MutexGuard<'_, TrafficStats> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the page asks and asks.
    pub fn is_flood(&self) -> bool {
        let tally = self.tally();
        tally.requests + tally.refused > self.request_cap.saturating_mul(FLOOD)
    }

    /// Takes in one event. A page that broke down is an error.
    pub fn take(&self, event: &Event) -> Result<(), RenderError> {
        match event.method.as_str() {
            "Fetch.requestPaused" => event.read().map(|paused| self.rule_on(&paused)),
            "Network.requestWillBeSent" => event.read().map(|sent| self.begin(sent)),
            "Network.loadingFinished" | "Network.loadingFailed" => {
                event.read().map(|sent: Sent| self.end(&sent.request_id))
            }
            "Network.responseReceived" => event.read().map(|received| self.note(&received)),
            "Page.javascriptDialogOpening" => event.read().map(|dialog| self.dismiss(&dialog)),
            "Target.targetCreated" => event.read().map(|created| self.close_other(&created)),
            "Inspector.targetCrashed" | "Inspector.detached" => return Err(RenderError::Crashed),
            _ => None,
        };
        Ok(())
    }

    fn rule_on(&self, paused: &Paused) {
        let id = &paused.request_id;
        if self.lets_through(paused) {
            self.send_nowait("Fetch.continueRequest", &json!({ "requestId": id }));
        } else {
            let refusal = json!({ "requestId": id, "errorReason": "BlockedByClient" });
            self.send_nowait("Fetch.failRequest", &refusal);
        }
    }

    fn lets_through(&self, paused: &Paused) -> bool {
        if paused.is_unread() {
            return false;
        }
        let mut tally = self.tally();
        let is_web = ["http://", "https://"].iter().any(|it| paused.request.url.starts_with(it));
        if !is_web || tally.requests >= self.request_cap {
            tally.refused += 1;
            return false;
        }
        tally.requests += 1;
        true
    }

    fn begin(&self, sent: Sent) {
        let mut tally = self.tally();
        tally.moved = Instant::now();
        let kind = sent.r#type.as_deref().unwrap_or_default();
        if !LASTING.contains(&kind) {
            tally.under_way.insert(sent.request_id);
        }
    }

    fn end(&self, request_id: &str) {
        let mut tally = self.tally();
        if tally.under_way.remove(request_id) {
            tally.moved = Instant::now();
        }
    }

    fn note(&self, received: &Received) {
        let is_page = received.frame_id.as_deref() == Some(&self.names.target);
        if is_page && received.r#type == "Document" {
            self.tally().status = Some(received.response.status);
        }
    }

    /// Says no to every question but one: a page that asks whether to leave
    /// it is left.
    fn dismiss(&self, dialog: &Dialog) {
        let accept = dialog.r#type == "beforeunload";
        self.send_nowait("Page.handleJavaScriptDialog", &json!({ "accept": accept }));
    }

    fn close_other(&self, created: &Created) {
        let target = &created.target_info;
        if target.r#type == "page" && target.target_id != self.names.target {
            let close = json!({ "targetId": target.target_id });
            self.cdp.send_nowait(None, "Target.closeTarget", &close);
        }
    }

    fn send_nowait(&self, method: &str, params: &serde_json::Value) {
        self.cdp.send_nowait(Some(&self.names.session), method, params);
    }
}
