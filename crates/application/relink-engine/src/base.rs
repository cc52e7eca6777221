//! What a document says its links are relative to.

use url::Url;

/// Schemes that the HTML standard ignores in a base: it then is as if none were
/// named.
const IGNORED: [&str; 2] = ["data", "javascript"];

/// Whether links may be relative to this address.
pub(crate) fn is_base(url: &Url) -> bool {
    !IGNORED.contains(&url.scheme())
}
