//! Loads one page in its own browser context, waits until the page is idle, reads its
//! document and closes the page.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use relink_ports::{Dial, RenderError, RenderRequest, RenderedPage, Truncation};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{sleep, timeout, timeout_at};
use url::Url;

use crate::browser::Browser;
use crate::cdp::{CallError, Cdp, Event, Reply};
use crate::context::Context;
use crate::idle::IdleDetector;
use crate::page_events::{PageEventHandler, PageIds};
use crate::page_proxy::PageProxy;
use crate::script::{DOM_STATE, DomContent, DomState, WORLD, dom_content};
use crate::settings::RenderSettings;

/// Interval at which the state of a page is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum time for reading a page, in addition to its loading time.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// Reason why loading ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoadEnd {
    /// The page is idle.
    Idle,
    /// The page has sent too many requests.
    RequestFlood,
    /// The time limit was reached.
    TimedOut,
}

/// Opens a page, loads it and reads it.
pub(crate) async fn render(
    browser: &Browser,
    dial: Arc<dyn Dial>,
    settings: &RenderSettings,
    request: &RenderRequest,
) -> Result<RenderedPage, RenderError> {
    let start = Instant::now();
    let opening = BrowserPage::open(browser, dial, settings, request);
    let opened = timeout(settings.timeout, opening).await;
    let (page, mut events) = opened.map_err(|_| RenderError::TimedOut)??;
    let loading = page.load(&request.url, settings, start);
    // The event loop ends only if the page crashes.
    tokio::select! {
        error = page.run_event_loop(&mut events) => Err(error),
        result = loading => result,
    }
}

/// An open page. Dropping it also drops the browser context and the proxy. This closes
/// the page and its connections.
struct BrowserPage {
    cdp: Cdp,
    ids: PageIds,
    event_handler: PageEventHandler,
    proxy: PageProxy,
    _context: Context,
}

/// Result of `Page.navigate`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigation {
    error_text: Option<String>,
}

/// Result of `Page.createIsolatedWorld`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    execution_context_id: i64,
}

/// Result of `Runtime.evaluate`.
#[derive(Deserialize)]
struct EvaluateReply<T> {
    result: Evaluation<T>,
}

/// The value of an evaluated expression.
#[derive(Deserialize)]
struct Evaluation<T> {
    value: Option<T>,
}

impl BrowserPage {
    /// Opens an empty page with its own proxy and configures it.
    async fn open(
        browser: &Browser,
        dial: Arc<dyn Dial>,
        settings: &RenderSettings,
        request: &RenderRequest,
    ) -> Result<(Self, UnboundedReceiver<Event>), RenderError> {
        let cdp = browser.cdp().clone();
        let proxy = PageProxy::start(&request.url, request.rights, dial, settings).await;
        let proxy = proxy.map_err(|error| load_failed(&error))?;
        let context = Context::create(&cdp, &proxy.url()).await?;
        let target = context.open_page().await?;
        let session = context.attach(&target).await?;
        let events = cdp.listen(&[&session, context.id()]);
        let ids = PageIds { session, target, context: context.id().to_owned() };
        let event_handler =
            PageEventHandler::new(cdp.clone(), ids.clone(), settings.max_requests, Instant::now());
        let page = Self { cdp, ids, event_handler, proxy, _context: context };
        page.configure(browser.user_agent()).await?;
        Ok((page, events))
    }

    /// Subscribes to events, sets the user agent and pauses requests until
    /// [`PageEventHandler`] allows them.
    async fn configure(&self, user_agent: &str) -> Result<(), CallError> {
        let calls = [
            ("Inspector.enable", json!({})),
            ("Page.enable", json!({})),
            // Do not buffer response bodies, because only the document is read.
            ("Network.enable", json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 })),
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            ("Emulation.setUserAgentOverride", json!({ "userAgent": user_agent })),
            ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })),
        ];
        for (method, params) in calls {
            self.call(method, params).await?;
        }
        Ok(())
    }

    /// Processes events until the page crashes.
    async fn run_event_loop(&self, events: &mut UnboundedReceiver<Event>) -> RenderError {
        while let Some(event) = events.recv().await {
            if let Err(error) = self.event_handler.handle(&event) {
                return error;
            }
        }
        RenderError::Crashed
    }

    /// Navigates to `url`, waits until the page is idle or a limit is reached, and reads
    /// the document.
    async fn load(
        &self,
        url: &Url,
        settings: &RenderSettings,
        start: Instant,
    ) -> Result<RenderedPage, RenderError> {
        let deadline = (start + settings.timeout).into();
        let navigated = timeout_at(deadline, self.navigate(url)).await;
        navigated.map_err(|_| RenderError::TimedOut)??;
        let end = match timeout_at(deadline, self.wait_until_idle()).await {
            Ok(end) => end?,
            Err(_) => LoadEnd::TimedOut,
        };
        if end != LoadEnd::Idle {
            self.stop();
        }
        let content = timeout(READ_TIMEOUT, self.read(settings.max_html_bytes)).await;
        let content = content.map_err(|_| RenderError::TimedOut)??;
        self.finish(content, end, settings.max_html_bytes, start)
    }

    /// Navigates to a URL and waits for the start of its response.
    async fn navigate(&self, url: &Url) -> Result<(), RenderError> {
        let reply = self.call("Page.navigate", json!({ "url": url.as_str() })).await?;
        match reply.read::<Navigation>()?.error_text {
            None => Ok(()),
            // The outcome of the proxy's connection is more specific than the
            // browser's error for a closed connection.
            Some(error) => Err(match self.proxy.page_host_outcome() {
                Some(outcome) => load_failed(&outcome),
                None => load_failed(&error),
            }),
        }
    }

    /// Waits until the document and the network have been unchanged for a while, or the
    /// page sends too many requests.
    async fn wait_until_idle(&self) -> Result<LoadEnd, CallError> {
        let mut detector = IdleDetector::new(Instant::now());
        loop {
            if let Some(DomState { fingerprint, is_loaded }) = self.evaluate(DOM_STATE).await? {
                detector.record_document(fingerprint, is_loaded, Instant::now());
            }
            {
                let stats = self.event_handler.stats();
                detector.record_network(stats.in_flight.len(), stats.changed_at);
            }
            if self.event_handler.is_flood() {
                return Ok(LoadEnd::RequestFlood);
            }
            if detector.is_idle(Instant::now()) {
                return Ok(LoadEnd::Idle);
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Stops all scripts, including scripts in an endless loop.
    fn stop(&self) {
        let session = Some(self.ids.session.as_str());
        let params = json!({ "value": true });
        self.cdp.send_nowait(session, "Emulation.setScriptExecutionDisabled", &params);
        self.cdp.send_nowait(session, "Runtime.terminateExecution", &json!({}));
        self.cdp.send_nowait(session, "Page.stopLoading", &json!({}));
    }

    /// Reads the document. Tries again while another document is being loaded.
    async fn read(&self, max_bytes: usize) -> Result<DomContent, CallError> {
        loop {
            if let Some(content) = self.evaluate(&dom_content(max_bytes)).await? {
                return Ok(content);
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Combines the document and the statistics of the page.
    fn finish(
        &self,
        content: DomContent,
        end: LoadEnd,
        max_bytes: usize,
        start: Instant,
    ) -> Result<RenderedPage, RenderError> {
        let url = Url::parse(&content.url).ok().filter(|url| url.scheme().starts_with("http"));
        let url = url.ok_or_else(|| load_failed(&format!("it navigated to `{}`", content.url)))?;
        let is_too_long = content.is_truncated || content.html.len() > max_bytes;
        let mut html = content.html;
        html.truncate(html.floor_char_boundary(max_bytes));
        let stats = self.event_handler.stats();
        // After `LoadEnd::RequestFlood`, `blocked` is positive, because requests above
        // `max_requests` are blocked.
        let truncation = match end {
            LoadEnd::TimedOut => Some(Truncation::Time),
            _ if is_too_long => Some(Truncation::Size),
            _ => (stats.blocked > 0).then_some(Truncation::Requests),
        };
        Ok(RenderedPage {
            url,
            status: stats.status,
            title: content.title,
            html: Bytes::from(html),
            truncation,
            requests: stats.requests,
            blocked_requests: stats.blocked + self.proxy.refused_connections(),
            duration: start.elapsed(),
        })
    }

    /// Evaluates a script in the isolated world, where scripts of the page cannot change
    /// its functions. Returns `None` while another document is being loaded.
    async fn evaluate<T: DeserializeOwned>(&self, script: &str) -> Result<Option<T>, CallError> {
        match self.try_evaluate(script).await {
            Err(CallError::Refused(_)) => Ok(None),
            result => result,
        }
    }

    /// Evaluates a script once.
    async fn try_evaluate<T: DeserializeOwned>(
        &self,
        script: &str,
    ) -> Result<Option<T>, CallError> {
        let frame = json!({ "frameId": self.ids.target, "worldName": WORLD });
        let world = self.call("Page.createIsolatedWorld", frame).await?.read::<World>()?;
        let params = json!({
            "expression": script,
            "contextId": world.execution_context_id,
            "returnByValue": true,
        });
        let reply = self.call("Runtime.evaluate", params).await?;
        Ok(reply.read::<EvaluateReply<T>>()?.result.value)
    }

    async fn call(&self, method: &str, params: Value) -> Result<Reply, CallError> {
        self.cdp.call(Some(&self.ids.session), method, params).await
    }
}

impl Drop for BrowserPage {
    fn drop(&mut self) {
        self.cdp.unlisten(&[&self.ids.session, &self.ids.context]);
    }
}

impl From<CallError> for RenderError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Closed => Self::Crashed,
            CallError::Refused(reason) => Self::LoadFailed { reason },
        }
    }
}

fn load_failed(reason: &dyn ToString) -> RenderError {
    RenderError::LoadFailed { reason: reason.to_string() }
}
