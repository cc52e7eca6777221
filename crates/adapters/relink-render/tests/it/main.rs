//! Integration tests with a real browser and servers on loopback.
//!
//! Each test starts its own browser, so tests do not affect each other.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod executable;
mod interaction;
mod isolation;
mod limits;
mod processes;
mod scripts;

use std::sync::Arc;
use std::time::Duration;

use relink_fetch::Fetcher;
use relink_model::RequestRights;
use relink_ports::{Render, RenderError, RenderRequest, RenderedPage};
use relink_render::{Chromium, RenderSettings};
use url::Url;

/// Starts a browser with a timeout that is long enough for a busy machine.
fn browser() -> Chromium {
    browser_with(long_timeout())
}

/// Creates a renderer with these settings.
fn browser_with(settings: RenderSettings) -> Chromium {
    let fetcher = Fetcher::new(relink_fetch::FetchSettings::default()).unwrap();
    Chromium::new(settings, Arc::new(fetcher))
}

/// Settings with a timeout that is long enough for a busy machine.
fn long_timeout() -> RenderSettings {
    RenderSettings { timeout: Duration::from_secs(30), ..RenderSettings::default() }
}

/// Settings for pages that never become idle.
fn short_timeout() -> RenderSettings {
    RenderSettings { timeout: Duration::from_secs(4), ..RenderSettings::default() }
}

/// Renders a URL as if the user had supplied it.
async fn render_user_supplied(browser: &Chromium, url: Url) -> Result<RenderedPage, RenderError> {
    browser.render(RenderRequest { url, rights: RequestRights::user_supplied() }).await
}

/// Renders a URL as if a page had linked to it.
async fn render_discovered(browser: &Chromium, url: Url) -> Result<RenderedPage, RenderError> {
    browser.render(RenderRequest { url, rights: RequestRights::discovered() }).await
}

/// Returns the document as text.
fn html(rendered: &RenderedPage) -> &str {
    str::from_utf8(&rendered.html).unwrap()
}

/// Checks that the document contains a text.
#[track_caller]
fn check_contains(rendered: &RenderedPage, expect: &str) {
    let html = html(rendered);
    assert!(html.contains(expect), "`{expect}` not found in {html}");
}
