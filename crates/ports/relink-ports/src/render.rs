//! Letting a browser build a page.
//!
//! Some pages are written by their scripts: what the server sends is a shell
//! without links. A renderer loads such a page as a reader would and hands
//! over what then stands in it. What that says is for others to read.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use relink_model::RequestRights;
use thiserror::Error;
use url::Url;

/// A page to build.
#[derive(Debug, Clone)]
pub struct RenderRequest {
    /// The URL to load: the one at the end of the redirects, where they are
    /// known. The browser asks for it anew, whatever was fetched before.
    pub url: Url,
    /// What the browser may reach: what the page itself requests has the same
    /// rights on the page's own host and port, and none elsewhere.
    pub rights: RequestRights,
}

/// A page as its scripts left it.
#[derive(Debug, Clone)]
pub struct RenderedPage {
    /// Where the page says it is, after redirects of servers and scripts.
    pub url: Url,
    /// The status of the answer the page came with, if it was an HTTP answer.
    pub status: Option<u16>,
    /// The title as shown.
    pub title: String,
    /// The document as HTML in UTF-8, shadow trees included as templates.
    pub html: Bytes,
    /// What was left out, if anything.
    pub truncation: Option<Truncation>,
    /// How many requests the page made.
    pub requests: usize,
    /// How many of them were refused, by the address policy or by a cap.
    pub refused: usize,
    /// How long it all took.
    pub took: Duration,
}

/// Why a page may be incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Truncation {
    /// It was still at work when its time was up.
    Time,
    /// It was longer than the cap.
    Size,
    /// It asked for more than the cap.
    Requests,
}

/// A page could not be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenderError {
    /// No browser is installed, or none where the user said.
    #[error("no browser was found{}", named(.searched.as_deref()))]
    NoBrowser {
        /// The one the user named, if any.
        searched: Option<String>,
    },
    /// The browser is there and does not start.
    #[error("the browser does not start: {reason}")]
    LaunchFailed {
        /// What it said last, or what the system says.
        reason: String,
    },
    /// The page could not be loaded. This says no more about the page than
    /// that; a fetch can tell how it ended.
    #[error("the page was not loaded: {reason}")]
    LoadFailed {
        /// What the browser or the address policy says.
        reason: String,
    },
    /// The browser, or the part of it that had this page, broke down or was
    /// stopped because it took too much memory. The next page is not affected.
    #[error("the browser broke down over the page")]
    Crashed,
    /// The page was stopped when its time was up and could not even be read.
    #[error("the page kept the browser busy beyond its time")]
    TimedOut,
}

impl RenderError {
    /// The way out, if there is one that the user can take.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoBrowser { .. } => Some(
                "install one with `apt install chromium`, or name one with \
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

fn named(looked_for: Option<&str>) -> String {
    looked_for.map(|path| format!(" at `{path}`")).unwrap_or_default()
}

/// Builds pages in a browser.
#[async_trait]
pub trait Render: Send + Sync {
    /// Loads a page, lets its scripts work until they rest or their time is
    /// up, and reads what stands there then.
    async fn render(&self, page: RenderRequest) -> Result<RenderedPage, RenderError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_browser_is_told_with_the_way_out() {
        let error = RenderError::NoBrowser { searched: None };
        assert_eq!(error.to_string(), "no browser was found");
        assert!(error.hint().unwrap().contains("apt install chromium"));
        let error = RenderError::NoBrowser { searched: Some("/opt/chrome".to_owned()) };
        assert_eq!(error.to_string(), "no browser was found at `/opt/chrome`");
    }
}
