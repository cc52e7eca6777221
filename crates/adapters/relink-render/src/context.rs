//! A browser context: an isolated profile for one page.
//!
//! Its cookies, caches, connections and proxy are not shared with other pages.

use serde::Deserialize;
use serde_json::json;

use crate::cdp::{CallError, Cdp};

/// A browser context. Dropping it closes its pages.
pub(crate) struct Context {
    cdp: Cdp,
    id: String,
}

/// Result of `Target.createBrowserContext`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContextId {
    browser_context_id: String,
}

/// Result of `Target.createTarget`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetId {
    target_id: String,
}

/// Result of `Target.attachToTarget`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionId {
    session_id: String,
}

impl Context {
    /// Creates a context whose requests all go through `proxy`. Downloads are
    /// denied.
    pub async fn create(cdp: &Cdp, proxy: &str) -> Result<Self, CallError> {
        let params = json!({
            "disposeOnDetach": true,
            "proxyServer": proxy,
            // Also send requests to loopback addresses through the proxy.
            "proxyBypassList": "<-loopback>",
        });
        let created = cdp.call(None, "Target.createBrowserContext", params).await?;
        let id = created.read::<ContextId>()?.browser_context_id;
        let context = Self { cdp: cdp.clone(), id };
        let no_downloads = json!({ "behavior": "deny", "browserContextId": context.id });
        cdp.call(None, "Browser.setDownloadBehavior", no_downloads).await?;
        Ok(context)
    }

    /// Returns the id of the context.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Opens an empty page and returns its target id.
    ///
    /// The page has a window. A `hidden` page would need only a third of the resources,
    /// but for such pages Chromium ignores the flag that disables UDP.
    pub async fn open_page(&self) -> Result<String, CallError> {
        let params = json!({ "url": "about:blank", "browserContextId": self.id });
        let opened = self.cdp.call(None, "Target.createTarget", params).await?;
        Ok(opened.read::<TargetId>()?.target_id)
    }

    /// Attaches to a page and returns the session id.
    pub async fn attach(&self, target: &str) -> Result<String, CallError> {
        let params = json!({ "targetId": target, "flatten": true });
        let attached = self.cdp.call(None, "Target.attachToTarget", params).await?;
        Ok(attached.read::<SessionId>()?.session_id)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let params = json!({ "browserContextId": self.id });
        self.cdp.send_nowait(None, "Target.disposeBrowserContext", &params);
    }
}
