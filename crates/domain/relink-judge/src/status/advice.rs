//! What to do about a status, in sentences that many statuses share.

pub(super) const NOTHING: &str = "Nothing to do: the page is there.";
pub(super) const ODD: &str =
    "Open it in a browser, or tell the site's owner: a page should not end with this status.";
pub(super) const UPDATE: &str = "Replace the link by the new address.";
pub(super) const KEEP: &str =
    "Keep the link: the redirect is temporary, and the first address is still the one to use.";
pub(super) const CHECK: &str = "Open it in a browser. If it works there, the server dislikes plain requests; if not, check the address.";
pub(super) const BY_HAND: &str = "Check it by hand if it matters, or exclude it.";
pub(super) const BROWSER: &str = "Open it in a browser. If it is there, leave the link as it is.";
pub(super) const REPLACE: &str =
    "Link to the page's new address or to an archived copy, or remove the link.";
pub(super) const SLOWER: &str = "Ask again later, and more slowly.";
pub(super) const WAIT: &str = "Wait: it counts as dead only after failing for days.";
pub(super) const OWNER: &str = "Tell the site's owner; until then readers see the same error.";
pub(super) const PROXY: &str = "Check the network's proxy; the page itself was not asked.";
pub(super) const LEGAL: &str =
    "Check it from another place if it matters, or link to an archived copy.";
pub(super) const NETWORK: &str =
    "Log in to the network and run again; the page itself was not asked.";
pub(super) const HTTPS: &str = "Write the link with https.";
