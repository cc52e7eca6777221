//! The [`Render`] implementation. The browser is started on first use.

use std::sync::Arc;

use async_trait::async_trait;
use relink_ports::{Dial, Render, RenderError, RenderRequest, RenderedPage};
use tokio::sync::{Mutex, Semaphore};

use crate::browser::Browser;
use crate::page;
use crate::settings::RenderSettings;

/// Renders pages in headless Chromium.
///
/// Must be used within a Tokio runtime. The browser starts with the first page and ends
/// when the renderer is dropped. If the browser crashes, the next page starts a new
/// browser. If the maximum number of pages is open, further calls wait.
pub struct Chromium {
    settings: RenderSettings,
    dial: Arc<dyn Dial>,
    page_slots: Semaphore,
    browser: Mutex<Option<Arc<Browser>>>,
}

impl Chromium {
    /// Creates a renderer without starting the browser. All connections of pages
    /// are opened through `dial`.
    pub fn new(settings: RenderSettings, dial: Arc<dyn Dial>) -> Self {
        let page_slots = Semaphore::new(settings.max_pages.max(1));
        Self { settings, dial, page_slots, browser: Mutex::new(None) }
    }

    /// Returns the running browser, or starts a new browser.
    async fn browser(&self) -> Result<Arc<Browser>, RenderError> {
        let mut browser = self.browser.lock().await;
        if let Some(running) = browser.as_ref().filter(|running| !running.cdp().is_closed()) {
            return Ok(Arc::clone(running));
        }
        // Drop the old browser first, so that two browsers never use memory at the
        // same time.
        *browser = None;
        let started = Arc::new(Browser::start(&self.settings).await?);
        *browser = Some(Arc::clone(&started));
        Ok(started)
    }
}

#[async_trait]
impl Render for Chromium {
    async fn render(&self, page: RenderRequest) -> Result<RenderedPage, RenderError> {
        // The error never occurs, because the semaphore is never closed.
        let _slot = self.page_slots.acquire().await.map_err(|_| RenderError::Crashed)?;
        let browser = self.browser().await?;
        page::render(&browser, Arc::clone(&self.dial), &self.settings, &page).await
    }
}
