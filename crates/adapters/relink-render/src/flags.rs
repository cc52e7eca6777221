//! Command-line flags of the browser.
//!
//! Each page has its own proxy (see `page_proxy`). These flags ensure that no
//! traffic bypasses it: no UDP, no DNS lookups and no background requests of
//! the browser.

use std::path::Path;

use crate::settings::RenderSettings;

/// Features that send their own requests or waste resources.
const DISABLED_FEATURES: &str = "AutofillServerCommunication,BackForwardCache,\
CertificateTransparencyComponentUpdater,DialMediaRouteProvider,GlobalMediaControls,\
InterestFeedContentSuggestions,IsolateOrigins,MediaRouter,NetworkTimeServiceQuerying,\
OptimizationHints,Prerender2,PreloadTopChromeWebUI,SpareRendererForSitePerProcess,Translate,\
WebRtcHideLocalIpsWithMdns,WebTransport,WebUIOmniboxAimPopup,WebUIOmniboxPopup,\
site-per-process";

/// Flags that do not depend on the settings.
///
/// The proxy in this list is for requests that do not belong to a page. These requests
/// fail, because no server can listen on port 0.
const FIXED_FLAGS: [&str; 38] = [
    "--headless",
    "--remote-debugging-pipe",
    // No traffic bypasses the proxy, not even to loopback addresses.
    "--proxy-server=http://127.0.0.1:0",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-blink-features=WebTransport,WebBluetooth,WebUSB",
    // Deny all permissions without a prompt.
    "--deny-permission-prompts",
    // No background requests.
    "--no-startup-window",
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--safebrowsing-disable-auto-update",
    // No access to the user's keychain, no crash reports, no sound.
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-breakpad",
    "--mute-audio",
    // Nothing is drawn.
    "--disable-gpu",
    "--disable-remote-fonts",
    "--blink-settings=imagesEnabled=false",
    // Containers often have a small `/dev/shm`.
    "--disable-dev-shm-usage",
    // Frames share the process of their page, so that the limits of one process
    // apply to the whole page. The profile contains no data that frames could
    // steal from each other.
    "--disable-site-isolation-trials",
    // Run background pages at full speed.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
];

/// Whether the browser uses its sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// Enabled.
    On,
    /// Disabled. Chromium does not support the sandbox for root.
    Off,
}

/// Returns the command-line arguments of a browser.
pub(crate) fn arguments(
    settings: &RenderSettings,
    profile: &Path,
    sandbox: Sandbox,
) -> Vec<String> {
    let mut arguments: Vec<String> = FIXED_FLAGS.iter().map(|&flag| flag.to_owned()).collect();
    arguments.push(format!("--disable-features={DISABLED_FEATURES}"));
    arguments.push(format!("--user-data-dir={}", profile.display()));
    arguments.push(format!("--js-flags=--max-old-space-size={}", settings.heap_mib()));
    // One process per page, and one process that the browser starts in advance.
    arguments.push(format!("--renderer-process-limit={}", settings.max_pages + 1));
    if sandbox == Sandbox::Off {
        arguments.push("--no-sandbox".to_owned());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(sandbox: Sandbox) -> Vec<String> {
        arguments(&RenderSettings::default(), Path::new("/tmp/p"), sandbox)
    }

    #[test]
    fn sandbox_is_disabled_only_on_request() {
        assert!(!flags(Sandbox::On).iter().any(|flag| flag == "--no-sandbox"));
        assert!(flags(Sandbox::Off).iter().any(|flag| flag == "--no-sandbox"));
    }

    #[test]
    fn arguments_contain_settings() {
        let flags = flags(Sandbox::On).join(" ");
        for flag in ["--user-data-dir=/tmp/p", "--max-old-space-size=256", "process-limit=3"] {
            assert!(flags.contains(flag), "{flag}");
        }
    }

    #[test]
    fn arguments_have_no_duplicate_flags() {
        let mut names: Vec<String> = flags(Sandbox::On)
            .iter()
            .map(|flag| flag.split('=').next().unwrap().to_owned())
            .collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "the browser uses only the last of duplicate flags");
    }
}
