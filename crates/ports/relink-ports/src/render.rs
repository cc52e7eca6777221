//! Rendering of pages in a browser.
//!
//! Some pages are built by scripts: the HTML of the server has no links. A
//! renderer loads such a page and returns the document that the scripts have built. It does
//! not parse or judge the document.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use relink_model::RequestRights;
use thiserror::Error;
use url::Url;

/// A page to render.
#[derive(Debug, Clone)]
pub struct RenderRequest {
    /// The URL to load, after known redirects. The browser requests this URL again.
    pub url: Url,
    /// The rights of the page. Subresources on the host and port of the page have the same
    /// rights; other subresources have none.
    pub rights: RequestRights,
}

/// A rendered page.
#[derive(Debug, Clone)]
pub struct RenderedPage {
    /// The URL after redirects of servers and scripts.
    pub url: Url,
    /// The status of the page, if it is an HTTP response.
    pub status: Option<u16>,
    /// The title.
    pub title: String,
    /// The document as HTML in UTF-8, with shadow trees as templates.
    pub html: Bytes,
    /// The limit that was exceeded, if any.
    pub truncation: Option<Truncation>,
    /// The number of requests of the page.
    pub requests: usize,
    /// The number of requests blocked by the address policy or a limit.
    pub blocked_requests: usize,
    /// The duration of the rendering.
    pub duration: Duration,
}

/// A limit that makes a page incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Truncation {
    /// The time limit.
    Time,
    /// The size limit.
    Size,
    /// The limit of requests or traffic.
    Requests,
}

/// An error while rendering a page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenderError {
    /// No browser is installed, or none at the configured path.
    #[error("browser not found{}", at_path(.searched.as_deref()))]
    NoBrowser {
        /// The configured path, if any.
        searched: Option<String>,
    },
    /// The browser does not start.
    #[error("cannot start the browser: {reason}")]
    LaunchFailed {
        /// The last output of the browser, or the error of the system.
        reason: String,
    },
    /// The page could not be loaded. A fetch of the URL gives the exact
    /// outcome.
    #[error("cannot load the page: {reason}")]
    LoadFailed {
        /// The error of the browser or the address policy.
        reason: String,
    },
    /// The browser or its renderer process crashed or exceeded the memory
    /// limit. The next page is not affected.
    #[error("the browser crashed while loading the page")]
    Crashed,
    /// The time limit was reached and the document could not be read.
    #[error("page did not finish loading in time")]
    TimedOut,
}

impl RenderError {
    /// Returns a hint for the user, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoBrowser { .. } => Some(
                "install one with `apt install chromium`, or set \
                 `RELINK_BROWSER=/path/to/chromium`",
            ),
            Self::LaunchFailed { reason } if reason.contains("sandbox") => Some(
                "the browser's sandbox needs unprivileged user namespaces; \
                 allow them on this system",
            ),
            _ => None,
        }
    }
}

/// Formats the configured path for an error message, such as `` at `/opt/chrome` ``.
fn at_path(searched: Option<&str>) -> String {
    searched.map(|path| format!(" at `{path}`")).unwrap_or_default()
}

/// Renders pages in a browser.
#[async_trait]
pub trait Render: Send + Sync {
    /// Loads a page, waits until its scripts are idle or the time limit is
    /// reached, and returns the document.
    async fn render(&self, page: RenderRequest) -> Result<RenderedPage, RenderError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_browser_has_a_hint() {
        let error = RenderError::NoBrowser { searched: None };
        assert_eq!(error.to_string(), "browser not found");
        assert!(error.hint().unwrap().contains("apt install chromium"));
        let error = RenderError::NoBrowser { searched: Some("/opt/chrome".to_owned()) };
        assert_eq!(error.to_string(), "browser not found at `/opt/chrome`");
    }
}
