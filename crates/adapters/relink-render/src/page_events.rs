//! Handles the events of an open page.
//!
//! A request is blocked if its resource type cannot contain links, if it does
//! not use HTTP, or if the page has reached its maximum number of requests.
//! `page_proxy` decides which hosts the other requests may reach. Dialogs are
//! dismissed and new windows are closed, because no user can interact with
//! them.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use relink_ports::RenderError;
use serde::Deserialize;
use serde_json::json;

use crate::cdp::{Cdp, Event};

/// Resource types that cannot contain links.
const IRRELEVANT_TYPES: [&str; 6] = ["Image", "Media", "Font", "TextTrack", "Prefetch", "Manifest"];

/// Prefix of the media types of images.
const IMAGE_PREFIX: &str = "image/";

/// URL suffix of the icon that browsers request on their own.
const ICON_SUFFIX: &str = "/favicon.ico";

/// Resource types of background requests. A page can be idle while they are
/// open.
const BACKGROUND_TYPES: [&str; 3] = ["EventSource", "WebSocket", "Ping"];

/// A page is stopped when it has sent more than its maximum number of requests times this
/// factor. Until then, requests above the maximum are only blocked.
const FLOOD_FACTOR: usize = 4;

/// Identifiers of a page in the `DevTools` protocol.
#[derive(Debug, Clone)]
pub(crate) struct PageIds {
    /// The session.
    pub session: String,
    /// The target, which is also the id of the main frame.
    pub target: String,
    /// The browser context, which contains only this page.
    pub context: String,
}

/// Event handler of a page.
pub(crate) struct PageEventHandler {
    cdp: Cdp,
    ids: PageIds,
    max_requests: usize,
    stats: Mutex<RequestStats>,
}

/// Statistics of the requests of a page.
#[derive(Debug, Clone)]
pub(crate) struct RequestStats {
    /// Ids of the requests whose response is not complete.
    pub in_flight: HashSet<String>,
    /// Time at which the last request started or finished.
    pub changed_at: Instant,
    /// Status of the page's own response.
    pub status: Option<u16>,
    /// Number of allowed requests.
    pub requests: usize,
    /// Number of requests that were blocked because the maximum was reached or
    /// because they do not use HTTP.
    pub blocked: usize,
}

/// Parameters of `Fetch.requestPaused`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PausedRequest {
    request_id: String,
    resource_type: String,
    request: RequestInfo,
}

#[derive(Deserialize)]
struct RequestInfo {
    url: String,
    #[serde(default)]
    headers: Headers,
}

#[derive(Default, Deserialize)]
struct Headers {
    #[serde(rename = "Accept")]
    accept: Option<String>,
}

impl PausedRequest {
    /// Whether the response cannot contain links. The `Accept` header
    /// shows that an image is requested, even if the resource type is another.
    fn is_irrelevant(&self) -> bool {
        let accept = self.request.headers.accept.as_deref().unwrap_or_default();
        IRRELEVANT_TYPES.contains(&self.resource_type.as_str())
            || accept.starts_with(IMAGE_PREFIX)
            || (self.resource_type == "Other" && self.request.url.ends_with(ICON_SUFFIX))
    }
}

/// Parameters of the events at the start of a request (`Network.requestWillBeSent`) and at its
/// end (`Network.loadingFinished`, `Network.loadingFailed`).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestEvent {
    request_id: String,
    r#type: Option<String>,
}

/// Parameters of `Network.responseReceived`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseReceived {
    frame_id: Option<String>,
    r#type: String,
    response: ResponseInfo,
}

#[derive(Deserialize)]
struct ResponseInfo {
    status: u16,
}

/// Parameters of `Page.javascriptDialogOpening`.
#[derive(Deserialize)]
struct Dialog {
    r#type: String,
}

/// Parameters of `Target.targetCreated`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetCreated {
    target_info: Target,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    target_id: String,
    r#type: String,
}

impl PageEventHandler {
    /// Creates a handler.
    pub fn new(cdp: Cdp, ids: PageIds, max_requests: usize, now: Instant) -> Self {
        let stats = RequestStats {
            in_flight: HashSet::new(),
            changed_at: now,
            status: None,
            requests: 0,
            blocked: 0,
        };
        Self { cdp, ids, max_requests, stats: Mutex::new(stats) }
    }

    /// Returns the statistics so far.
    pub fn stats(&self) -> MutexGuard<'_, RequestStats> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the page has sent more than [`FLOOD_FACTOR`] times its maximum
    /// number of requests.
    pub fn is_flood(&self) -> bool {
        let stats = self.stats();
        stats.requests + stats.blocked > self.max_requests.saturating_mul(FLOOD_FACTOR)
    }

    /// Handles one event. Ignores events with invalid parameters. Fails if the
    /// page has crashed.
    pub fn handle(&self, event: &Event) -> Result<(), RenderError> {
        match event.method.as_str() {
            "Fetch.requestPaused" => event.read().map(|paused| self.continue_or_block(&paused)),
            "Network.requestWillBeSent" => event.read().map(|sent| self.request_started(sent)),
            "Network.loadingFinished" | "Network.loadingFailed" => {
                event.read().map(|sent: RequestEvent| self.request_finished(&sent.request_id))
            }
            "Network.responseReceived" => {
                event.read().map(|received| self.record_status(&received))
            }
            "Page.javascriptDialogOpening" => event.read().map(|dialog| self.dismiss(&dialog)),
            "Target.targetCreated" => event.read().map(|created| self.close_window(&created)),
            "Inspector.targetCrashed" | "Inspector.detached" => return Err(RenderError::Crashed),
            _ => None,
        };
        Ok(())
    }

    /// Continues or blocks a paused request.
    fn continue_or_block(&self, paused: &PausedRequest) {
        let id = &paused.request_id;
        if self.count_request(paused) {
            self.send_nowait("Fetch.continueRequest", &json!({ "requestId": id }));
        } else {
            let params = json!({ "requestId": id, "errorReason": "BlockedByClient" });
            self.send_nowait("Fetch.failRequest", &params);
        }
    }

    /// Counts a request as allowed or blocked, and returns whether it is allowed.
    /// Requests for irrelevant types are blocked but not counted, because every page has
    /// them.
    fn count_request(&self, paused: &PausedRequest) -> bool {
        if paused.is_irrelevant() {
            return false;
        }
        let mut stats = self.stats();
        let is_http =
            ["http://", "https://"].iter().any(|scheme| paused.request.url.starts_with(scheme));
        if !is_http || stats.requests >= self.max_requests {
            stats.blocked += 1;
            return false;
        }
        stats.requests += 1;
        true
    }

    /// Records the start of a request. Background requests do not count as in flight,
    /// because a page can be idle while they are open.
    fn request_started(&self, sent: RequestEvent) {
        let mut stats = self.stats();
        stats.changed_at = Instant::now();
        let kind = sent.r#type.as_deref().unwrap_or_default();
        if !BACKGROUND_TYPES.contains(&kind) {
            stats.in_flight.insert(sent.request_id);
        }
    }

    /// Records the end of a request.
    fn request_finished(&self, request_id: &str) {
        let mut stats = self.stats();
        if stats.in_flight.remove(request_id) {
            stats.changed_at = Instant::now();
        }
    }

    /// Records the status of the page's own response.
    fn record_status(&self, received: &ResponseReceived) {
        let is_page = received.frame_id.as_deref() == Some(&self.ids.target);
        if is_page && received.r#type == "Document" {
            self.stats().status = Some(received.response.status);
        }
    }

    /// Dismisses a dialog. Only a `beforeunload` dialog is accepted, because
    /// dismissing it would cancel the navigation.
    fn dismiss(&self, dialog: &Dialog) {
        let accept = dialog.r#type == "beforeunload";
        self.send_nowait("Page.handleJavaScriptDialog", &json!({ "accept": accept }));
    }

    /// Closes a new window.
    fn close_window(&self, created: &TargetCreated) {
        let target = &created.target_info;
        if target.r#type == "page" && target.target_id != self.ids.target {
            let params = json!({ "targetId": target.target_id });
            self.cdp.send_nowait(None, "Target.closeTarget", &params);
        }
    }

    fn send_nowait(&self, method: &str, params: &serde_json::Value) {
        self.cdp.send_nowait(Some(&self.ids.session), method, params);
    }
}
