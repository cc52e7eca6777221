//! One page: opened in a context of its own, watched, read and closed.

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
use crate::page_proxy::PageProxy;
use crate::script::{DomContent, DomState, LOOK, WORLD, reading};
use crate::settings::RenderSettings;
use crate::traffic::{PageIds, Traffic};

/// How often a page is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How long reading a page may take, also after its time was up.
const GRACE: Duration = Duration::from_secs(2);

/// Why watching a page ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoadEnd {
    AtRest,
    RequestFlood,
    OutOfTime,
}

/// Opens a page, lets it work, and reads it.
pub(crate) async fn render(
    browser: &Browser,
    dial: Arc<dyn Dial>,
    settings: &RenderSettings,
    request: &RenderRequest,
) -> Result<RenderedPage, RenderError> {
    let start = Instant::now();
    let opening = BrowserPage::open(browser, dial, settings, request);
    let opened = timeout(settings.time, opening).await;
    let (page, mut events) = opened.map_err(|_| RenderError::TimedOut)??;
    let work = page.work(&request.url, settings, start);
    tokio::select! {
        error = page.run_event_loop(&mut events) => Err(error),
        done = work => done,
    }
}

/// An open page. Dropping it closes it, with all that belongs to it.
struct BrowserPage {
    cdp: Cdp,
    names: PageIds,
    traffic: Traffic,
    gate: PageProxy,
    _context: Context,
}

/// What came of sending a page somewhere.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigated {
    error_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    execution_context_id: i64,
}

#[derive(Deserialize)]
struct Evaluated<T> {
    result: Evaluation<T>,
}

#[derive(Deserialize)]
struct Evaluation<T> {
    value: Option<T>,
}

impl BrowserPage {
    /// Opens an empty page with its own gate, and sets its limits.
    async fn open(
        browser: &Browser,
        dial: Arc<dyn Dial>,
        settings: &RenderSettings,
        request: &RenderRequest,
    ) -> Result<(Self, UnboundedReceiver<Event>), RenderError> {
        let cdp = browser.cdp().clone();
        let gate = PageProxy::open(&request.url, request.rights, dial, settings).await;
        let gate = gate.map_err(|error| not_loaded(&error))?;
        let context = Context::create(&cdp, &gate.proxy()).await?;
        let target = context.open_page().await?;
        let session = context.attach(&target).await?;
        let events = cdp.listen(&[&session, context.id()]);
        let names = PageIds { session, target, context: context.id().to_owned() };
        let traffic =
            Traffic::new(cdp.clone(), names.clone(), settings.request_cap, Instant::now());
        let page = Self { cdp, names, traffic, gate, _context: context };
        page.set_limits(browser.user_agent()).await?;
        Ok((page, events))
    }

    async fn set_limits(&self, user_agent: &str) -> Result<(), CallError> {
        let limits = [
            ("Inspector.enable", json!({})),
            ("Page.enable", json!({})),
            // No body is kept for us; what we want is in the document.
            ("Network.enable", json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 })),
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            ("Emulation.setUserAgentOverride", json!({ "userAgent": user_agent })),
            ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })),
        ];
        for (method, params) in limits {
            self.call(method, params).await?;
        }
        Ok(())
    }

    /// Takes in what happens, until the page breaks down.
    async fn run_event_loop(&self, events: &mut UnboundedReceiver<Event>) -> RenderError {
        while let Some(event) = events.recv().await {
            if let Err(error) = self.traffic.take(&event) {
                return error;
            }
        }
        RenderError::Crashed
    }

    /// Goes to `url`, waits until the page rests or its time is up, reads it.
    async fn work(
        &self,
        url: &Url,
        settings: &RenderSettings,
        start: Instant,
    ) -> Result<RenderedPage, RenderError> {
        let deadline = (start + settings.time).into();
        let gone = timeout_at(deadline, self.go_to(url)).await;
        gone.map_err(|_| RenderError::TimedOut)??;
        let watched = match timeout_at(deadline, self.watch()).await {
            Ok(watched) => watched?,
            Err(_) => LoadEnd::OutOfTime,
        };
        if watched != LoadEnd::AtRest {
            self.stop();
        }
        let read = timeout(GRACE, self.read(settings.html_cap)).await;
        let reading = read.map_err(|_| RenderError::TimedOut)??;
        self.finish(reading, watched, settings.html_cap, start)
    }

    async fn go_to(&self, url: &Url) -> Result<(), RenderError> {
        let reply = self.call("Page.navigate", json!({ "url": url.as_str() })).await?;
        match reply.read::<Navigated>()?.error_text {
            None => Ok(()),
            // What our own connecting says tells more than what the browser
            // makes of a connection without an answer.
            Some(said) => Err(match self.gate.home_ending() {
                Some(ending) => not_loaded(&ending),
                None => not_loaded(&said),
            }),
        }
    }

    async fn watch(&self) -> Result<LoadEnd, CallError> {
        let mut stillness = IdleDetector::new(Instant::now());
        loop {
            if let Some(DomState { look, is_loaded }) = self.ask(LOOK).await? {
                stillness.see_document(look, is_loaded, Instant::now());
            }
            {
                let tally = self.traffic.tally();
                stillness.see_network(tally.under_way.len(), tally.moved);
            }
            if self.traffic.is_flood() {
                return Ok(LoadEnd::RequestFlood);
            }
            if stillness.is_at_rest(Instant::now()) {
                return Ok(LoadEnd::AtRest);
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Ends all scripts, those too that are in the midst of a loop.
    fn stop(&self) {
        let session = Some(self.names.session.as_str());
        let off = json!({ "value": true });
        self.cdp.send_nowait(session, "Emulation.setScriptExecutionDisabled", &off);
        self.cdp.send_nowait(session, "Runtime.terminateExecution", &json!({}));
        self.cdp.send_nowait(session, "Page.stopLoading", &json!({}));
    }

    async fn read(&self, cap: usize) -> Result<DomContent, CallError> {
        loop {
            if let Some(reading) = self.ask(&reading(cap)).await? {
                return Ok(reading);
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    fn finish(
        &self,
        reading: DomContent,
        watched: LoadEnd,
        cap: usize,
        start: Instant,
    ) -> Result<RenderedPage, RenderError> {
        let url = Url::parse(&reading.url).ok().filter(|url| url.scheme().starts_with("http"));
        let url = url.ok_or_else(|| not_loaded(&format!("it led to `{}`", reading.url)))?;
        let is_long = reading.is_truncated || reading.html.len() > cap;
        let mut html = reading.html;
        html.truncate(html.floor_char_boundary(cap));
        let tally = self.traffic.tally();
        let cut = match watched {
            LoadEnd::OutOfTime => Some(Truncation::Time),
            _ if is_long => Some(Truncation::Size),
            _ => (tally.refused > 0).then_some(Truncation::Requests),
        };
        Ok(RenderedPage {
            url,
            status: tally.status,
            title: reading.title,
            html: Bytes::from(html),
            truncation: cut,
            requests: tally.requests,
            refused: tally.refused + self.gate.refused(),
            took: start.elapsed(),
        })
    }

    /// Asks the page something in our own world; `None` where the page is
    /// just being replaced by another.
    async fn ask<T: DeserializeOwned>(&self, question: &str) -> Result<Option<T>, CallError> {
        match self.try_ask(question).await {
            Err(CallError::Refused(_)) => Ok(None),
            answer => answer,
        }
    }

    async fn try_ask<T: DeserializeOwned>(&self, question: &str) -> Result<Option<T>, CallError> {
        let frame = json!({ "frameId": self.names.target, "worldName": WORLD });
        let world = self.call("Page.createIsolatedWorld", frame).await?.read::<World>()?;
        let question = json!({
            "expression": question,
            "contextId": world.execution_context_id,
            "returnByValue": true,
        });
        let reply = self.call("Runtime.evaluate", question).await?;
        Ok(reply.read::<Evaluated<T>>()?.result.value)
    }

    async fn call(&self, method: &str, params: Value) -> Result<Reply, CallError> {
        self.cdp.call(Some(&self.names.session), method, params).await
    }
}

impl Drop for BrowserPage {
    fn drop(&mut self) {
        self.cdp.leave(&[&self.names.session, &self.names.context]);
    }
}

impl From<CallError> for RenderError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Gone => Self::Crashed,
            CallError::Refused(reason) => Self::LoadFailed { reason },
        }
    }
}

fn not_loaded(reason: &dyn ToString) -> RenderError {
    RenderError::LoadFailed { reason: reason.to_string() }
}
