//! A browser context: a profile within the browser for one page.
//!
//! It has its own cookies, caches, connections and proxy, and shares none of
//! them with other pages.

use serde::Deserialize;
use serde_json::json;

use crate::cdp::{CallError, Cdp};

/// A context; dropping it closes all that is open in it.
pub(crate) struct Context {
    cdp: Cdp,
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContextId {
    browser_context_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetId {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionId {
    session_id: String,
}

impl Context {
    /// Makes one whose requests all go through `proxy`, where nothing can be
    /// downloaded.
    pub async fn create(cdp: &Cdp, proxy: &str) -> Result<Self, CallError> {
        let shape = json!({
            "disposeOnDetach": true,
            "proxyServer": proxy,
            "proxyBypassList": "<-loopback>",
        });
        let made = cdp.call(None, "Target.createBrowserContext", shape).await?;
        let id = made.read::<ContextId>()?.browser_context_id;
        let context = Self { cdp: cdp.clone(), id };
        let no_downloads = json!({ "behavior": "deny", "browserContextId": context.id });
        cdp.call(None, "Browser.setDownloadBehavior", no_downloads).await?;
        Ok(context)
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Opens an empty page in it; returns its name.
    ///
    /// The page is in a window, though one without (`hidden`) costs a third:
    /// there the browser forgets that datagrams are off.
    pub async fn open_page(&self) -> Result<String, CallError> {
        let shape = json!({ "url": "about:blank", "browserContextId": self.id });
        let opened = self.cdp.call(None, "Target.createTarget", shape).await?;
        Ok(opened.read::<TargetId>()?.target_id)
    }

    /// Takes up a session with a page; returns the session's name.
    pub async fn attach(&self, target: &str) -> Result<String, CallError> {
        let shape = json!({ "targetId": target, "flatten": true });
        let attached = self.cdp.call(None, "Target.attachToTarget", shape).await?;
        Ok(attached.read::<SessionId>()?.session_id)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let which = json!({ "browserContextId": self.id });
        self.cdp.send_nowait(None, "Target.disposeBrowserContext", &which);
    }
}
