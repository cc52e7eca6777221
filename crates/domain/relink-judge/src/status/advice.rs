//! Advice texts that several statuses share.

pub(super) const NOTHING: &str = "Nothing to do: the page is available.";
pub(super) const UNEXPECTED: &str =
    "Open it in a browser, or inform the site's owner: this should not be a final status.";
pub(super) const UPDATE: &str = "Replace the link with the new URL.";
pub(super) const KEEP: &str =
    "Keep the link: the redirect is temporary, and the original URL remains valid.";
pub(super) const CHECK: &str = "Open it in a browser. If it works there, the server rejects requests of programs; if not, check the URL.";
pub(super) const MANUAL: &str = "Check it manually if it matters, or exclude it.";
pub(super) const BROWSER: &str = "Open it in a browser. If it works there, keep the link.";
pub(super) const REPLACE: &str =
    "Link to the page's new URL or to an archived copy, or remove the link.";
pub(super) const SLOWER: &str = "Run the check again later, with a longer `--host-interval`.";
pub(super) const WAIT: &str =
    "Wait: it becomes dead after failing in 3 runs in a row over at least 3 days.";
pub(super) const OWNER: &str = "Inform the site's owner; browsers show the same error.";
pub(super) const PROXY: &str =
    "Check the proxy of your network; the page itself was not requested.";
pub(super) const LEGAL: &str =
    "Check it from another country if it matters, or link to an archived copy.";
pub(super) const NETWORK: &str =
    "Log in to the network and run the check again; the page itself was not requested.";
pub(super) const HTTPS: &str = "Change the scheme of the link to https.";
