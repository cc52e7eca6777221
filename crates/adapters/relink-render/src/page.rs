//! One page: opened in a context of its own, watched, read and closed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use relink_ports::{Cut, Dial, RenderFault, RenderRequest, Rendered};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{sleep, timeout, timeout_at};
use url::Url;

use crate::browser::Browser;
use crate::cdp::{CallFault, Cdp, Event, Reply};
use crate::context::Context;
use crate::gate::Gate;
use crate::script::{LOOK, Look, Reading, WORLD, reading};
use crate::settings::Settings;
use crate::stillness::Stillness;
use crate::traffic::{Names, Traffic};

/// How often a page is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// How long reading a page may take, also after its time was up.
const GRACE: Duration = Duration::from_secs(2);

/// Why watching a page ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watched {
    AtRest,
    Flooding,
    OutOfTime,
}

/// Opens a page, lets it work, and reads it.
pub(crate) async fn render(
    browser: &Browser,
    dial: Arc<dyn Dial>,
    settings: &Settings,
    request: &RenderRequest,
) -> Result<Rendered, RenderFault> {
    let start = Instant::now();
    let opening = Page::open(browser, dial, settings, request);
    let opened = timeout(settings.time, opening).await;
    let (page, mut events) = opened.map_err(|_| RenderFault::TimedOut)??;
    let work = page.work(&request.url, settings, start);
    tokio::select! {
        fault = page.pump(&mut events) => Err(fault),
        done = work => done,
    }
}

/// An open page. Dropping it closes it, with all that belongs to it.
struct Page {
    cdp: Cdp,
    names: Names,
    traffic: Traffic,
    gate: Gate,
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

impl Page {
    /// Opens an empty page with its own gate, and sets its limits.
    async fn open(
        browser: &Browser,
        dial: Arc<dyn Dial>,
        settings: &Settings,
        request: &RenderRequest,
    ) -> Result<(Self, UnboundedReceiver<Event>), RenderFault> {
        let cdp = browser.cdp().clone();
        let gate = Gate::open(&request.url, request.rights, dial, settings).await;
        let gate = gate.map_err(|fault| not_loaded(&fault))?;
        let context = Context::create(&cdp, &gate.proxy()).await?;
        let target = context.open_page().await?;
        let session = context.attach(&target).await?;
        let events = cdp.listen(&[&session, context.id()]);
        let names = Names { session, target, context: context.id().to_owned() };
        let traffic =
            Traffic::new(cdp.clone(), names.clone(), settings.request_cap, Instant::now());
        let page = Self { cdp, names, traffic, gate, _context: context };
        page.set_limits(browser.user_agent()).await?;
        Ok((page, events))
    }

    async fn set_limits(&self, user_agent: &str) -> Result<(), CallFault> {
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
    async fn pump(&self, events: &mut UnboundedReceiver<Event>) -> RenderFault {
        while let Some(event) = events.recv().await {
            if let Err(fault) = self.traffic.take(&event) {
                return fault;
            }
        }
        RenderFault::Crashed
    }

    /// Goes to `url`, waits until the page rests or its time is up, reads it.
    async fn work(
        &self,
        url: &Url,
        settings: &Settings,
        start: Instant,
    ) -> Result<Rendered, RenderFault> {
        let deadline = (start + settings.time).into();
        let gone = timeout_at(deadline, self.go_to(url)).await;
        gone.map_err(|_| RenderFault::TimedOut)??;
        let watched = match timeout_at(deadline, self.watch()).await {
            Ok(watched) => watched?,
            Err(_) => Watched::OutOfTime,
        };
        if watched != Watched::AtRest {
            self.stop();
        }
        let read = timeout(GRACE, self.read(settings.html_cap)).await;
        let reading = read.map_err(|_| RenderFault::TimedOut)??;
        self.finish(reading, watched, settings.html_cap, start)
    }

    async fn go_to(&self, url: &Url) -> Result<(), RenderFault> {
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

    async fn watch(&self) -> Result<Watched, CallFault> {
        let mut stillness = Stillness::new(Instant::now());
        loop {
            if let Some(Look { look, is_loaded }) = self.ask(LOOK).await? {
                stillness.see_document(look, is_loaded, Instant::now());
            }
            {
                let tally = self.traffic.tally();
                stillness.see_network(tally.under_way.len(), tally.moved);
            }
            if self.traffic.is_flood() {
                return Ok(Watched::Flooding);
            }
            if stillness.is_at_rest(Instant::now()) {
                return Ok(Watched::AtRest);
            }
            sleep(GLANCE).await;
        }
    }

    /// Ends all scripts, those too that are in the midst of a loop.
    fn stop(&self) {
        let session = Some(self.names.session.as_str());
        let off = json!({ "value": true });
        self.cdp.tell(session, "Emulation.setScriptExecutionDisabled", &off);
        self.cdp.tell(session, "Runtime.terminateExecution", &json!({}));
        self.cdp.tell(session, "Page.stopLoading", &json!({}));
    }

    async fn read(&self, cap: usize) -> Result<Reading, CallFault> {
        loop {
            if let Some(reading) = self.ask(&reading(cap)).await? {
                return Ok(reading);
            }
            sleep(GLANCE).await;
        }
    }

    fn finish(
        &self,
        reading: Reading,
        watched: Watched,
        cap: usize,
        start: Instant,
    ) -> Result<Rendered, RenderFault> {
        let url = Url::parse(&reading.url).ok().filter(|url| url.scheme().starts_with("http"));
        let url = url.ok_or_else(|| not_loaded(&format!("it led to `{}`", reading.url)))?;
        let is_long = reading.is_cut || reading.html.len() > cap;
        let mut html = reading.html;
        html.truncate(html.floor_char_boundary(cap));
        let tally = self.traffic.tally();
        let cut = match watched {
            Watched::OutOfTime => Some(Cut::Time),
            _ if is_long => Some(Cut::Size),
            _ => (tally.refused > 0).then_some(Cut::Requests),
        };
        Ok(Rendered {
            url,
            status: tally.status,
            title: reading.title,
            html: Bytes::from(html),
            cut,
            requests: tally.requests,
            refused: tally.refused + self.gate.refused(),
            took: start.elapsed(),
        })
    }

    /// Asks the page something in our own world; `None` where the page is
    /// just being replaced by another.
    async fn ask<T: DeserializeOwned>(&self, question: &str) -> Result<Option<T>, CallFault> {
        match self.try_ask(question).await {
            Err(CallFault::Refused(_)) => Ok(None),
            answer => answer,
        }
    }

    async fn try_ask<T: DeserializeOwned>(&self, question: &str) -> Result<Option<T>, CallFault> {
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

    async fn call(&self, method: &str, params: Value) -> Result<Reply, CallFault> {
        self.cdp.call(Some(&self.names.session), method, params).await
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.cdp.leave(&[&self.names.session, &self.names.context]);
    }
}

impl From<CallFault> for RenderFault {
    fn from(fault: CallFault) -> Self {
        match fault {
            CallFault::Gone => Self::Crashed,
            CallFault::Refused(reason) => Self::NotLoaded { reason },
        }
    }
}

fn not_loaded(reason: &dyn ToString) -> RenderFault {
    RenderFault::NotLoaded { reason: reason.to_string() }
}
