//! The command line that keeps a browser to itself.
//!
//! Each page gets a proxy of ours (see `gate`). What is here sees to it that
//! nothing goes past that: no datagrams, no look-ups of names, no requests of
//! the browser's own making.

use std::path::Path;

use crate::settings::RenderSettings;

/// Features that ask servers for things no page asked for, or that only cost.
const DISABLED_FEATURES: &str = "AutofillServerCommunication,BackForwardCache,\
CertificateTransparencyComponentUpdater,DialMediaRouteProvider,GlobalMediaControls,\
InterestFeedContentSuggestions,IsolateOrigins,MediaRouter,NetworkTimeServiceQuerying,\
OptimizationHints,Prerender2,PreloadTopChromeWebUI,SpareRendererForSitePerProcess,Translate,\
WebRtcHideLocalIpsWithMdns,WebTransport,WebUIOmniboxAimPopup,WebUIOmniboxPopup,\
site-per-process";

/// What every browser of ours is started with.
///
/// The proxy named here is for what belongs to no page, and there is none:
/// nothing can listen at port 0.
const FIXED: [&str; 38] = [
    "--headless",
    "--remote-debugging-pipe",
    // Nothing goes past the proxy, loopback included.
    "--proxy-server=http://127.0.0.1:0",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-blink-features=WebTransport,WebBluetooth,WebUSB",
    // Nothing is permitted, and nobody asked.
    "--deny-permission-prompts",
    // Nothing that no page asked for.
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
    // No keys of the user, no reports of crashes, no sound.
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-breakpad",
    "--mute-audio",
    // No picture is ever drawn. Containers often have a small `/dev/shm`.
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-remote-fonts",
    // Frames share the process of their page, so that a page is one process
    // to cap. There is nothing in a profile that one could take from another.
    "--disable-site-isolation-trials",
    "--blink-settings=imagesEnabled=false",
    // A page works as if it were looked at.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
];

/// Whether the browser may shut its parts off from the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// As it should be.
    On,
    /// It cannot be had where we are root.
    Off,
}

/// The arguments to start a browser with.
pub(crate) fn arguments(
    settings: &RenderSettings,
    profile: &Path,
    sandbox: Sandbox,
) -> Vec<String> {
    let mut arguments: Vec<String> = FIXED.iter().map(|&flag| flag.to_owned()).collect();
    arguments.push(format!("--disable-features={DISABLED_FEATURES}"));
    arguments.push(format!("--user-data-dir={}", profile.display()));
    arguments.push(format!("--js-flags=--max-old-space-size={}", settings.heap_mib()));
    // One process for each page, and one that the browser keeps in hand.
    arguments.push(format!("--renderer-process-limit={}", settings.pages + 1));
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
    fn the_sandbox_goes_only_where_it_must() {
        assert!(!flags(Sandbox::On).iter().any(|it| it == "--no-sandbox"));
        assert!(flags(Sandbox::Off).iter().any(|it| it == "--no-sandbox"));
    }

    #[test]
    fn settings_become_flags() {
        let flags = flags(Sandbox::On).join(" ");
        for flag in ["--user-data-dir=/tmp/p", "--max-old-space-size=256", "process-limit=3"] {
            assert!(flags.contains(flag), "{flag}");
        }
    }

    #[test]
    fn no_flag_is_given_twice() {
        let mut names: Vec<String> =
            flags(Sandbox::On).iter().map(|it| it.split('=').next().unwrap().to_owned()).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "the browser would drop all but the last");
    }
}
