//! The renderer with a real browser, against servers on loopback.
//!
//! Each test starts a browser of its own, so that none can spoil another.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod caps;
mod finding;
mod manners;
mod processes;
mod scripts;
mod walls;

use std::sync::Arc;
use std::time::Duration;

use relink_fetch::Fetcher;
use relink_model::RequestRights;
use relink_ports::{Render, RenderError, RenderRequest, RenderedPage};
use relink_render::{Chromium, RenderSettings};
use url::Url;

/// A browser with patience enough for a busy machine.
fn browser() -> Chromium {
    browser_with(patient())
}

fn browser_with(settings: RenderSettings) -> Chromium {
    let fetcher = Fetcher::new(relink_fetch::FetchSettings::default()).unwrap();
    Chromium::new(settings, Arc::new(fetcher))
}

fn patient() -> RenderSettings {
    RenderSettings { time: Duration::from_secs(30), ..RenderSettings::default() }
}

/// For pages that never come to rest.
fn impatient() -> RenderSettings {
    RenderSettings { time: Duration::from_secs(4), ..RenderSettings::default() }
}

/// Renders as if the user had named the URL.
async fn named(browser: &Chromium, url: Url) -> Result<RenderedPage, RenderError> {
    browser.render(RenderRequest { url, rights: RequestRights::named_by_user() }).await
}

/// Renders as if a page had named the URL.
async fn found(browser: &Chromium, url: Url) -> Result<RenderedPage, RenderError> {
    browser.render(RenderRequest { url, rights: RequestRights::discovered() }).await
}

/// The document as text.
fn html(rendered: &RenderedPage) -> &str {
    str::from_utf8(&rendered.html).unwrap()
}

/// That a page says this, where it says what it found.
#[track_caller]
fn check_says(rendered: &RenderedPage, expect: &str) {
    let html = html(rendered);
    assert!(html.contains(expect), "no `{expect}` in {html}");
}
