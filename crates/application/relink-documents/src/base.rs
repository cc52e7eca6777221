//! Base URLs of documents.

use url::Url;

/// Schemes that the HTML standard ignores in a base URL, as if there were none.
const IGNORED: [&str; 2] = ["data", "javascript"];

/// Whether a URL may be the base URL that a document declares.
pub fn is_base(url: &Url) -> bool {
    !IGNORED.contains(&url.scheme())
}
