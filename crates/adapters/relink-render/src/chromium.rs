//! The port's implementation: one browser, started when first needed.

use std::sync::Arc;

use async_trait::async_trait;
use relink_ports::{Dial, Render, RenderError, RenderRequest, RenderedPage};
use tokio::sync::{Mutex, Semaphore};

use crate::browser::Browser;
use crate::page;
use crate::settings::RenderSettings;

/// Builds pages in headless Chromium.
///
/// Must be used within a Tokio runtime. The browser starts with the first page
/// and ends when this is dropped; if it breaks down, the next page gets a new
/// one. More pages than may be open at once wait their turn.
pub struct Chromium {
    settings: RenderSettings,
    dial: Arc<dyn Dial>,
    places: Semaphore,
    browser: Mutex<Option<Arc<Browser>>>,
}

impl Chromium {
    /// Nothing is started yet. Whatever a page asks for is reached through
    /// `dial`, and in no other way.
    pub fn new(settings: RenderSettings, dial: Arc<dyn Dial>) -> Self {
        let places = Semaphore::new(settings.pages.max(1));
        Self { settings, dial, places, browser: Mutex::new(None) }
    }

    /// The browser that runs, or a new one.
    async fn browser(&self) -> Result<Arc<Browser>, RenderError> {
        let mut browser = self.browser.lock().await;
        if let Some(running) = browser.as_ref().filter(|it| !it.cdp().is_over()) {
            return Ok(Arc::clone(running));
        }
        // The old one goes first: two would need the memory of two.
        *browser = None;
        let started = Arc::new(Browser::start(&self.settings).await?);
        *browser = Some(Arc::clone(&started));
        Ok(started)
    }
}

#[async_trait]
impl Render for Chromium {
    async fn render(&self, page: RenderRequest) -> Result<RenderedPage, RenderError> {
        // The semaphore is never closed; were it, there would be no browser.
        let _place = self.places.acquire().await.map_err(|_| RenderError::Crashed)?;
        let browser = self.browser().await?;
        page::render(&browser, Arc::clone(&self.dial), &self.settings, &page).await
    }
}
