//! Scripts that read the state and content of a page.
//!
//! The scripts run in an isolated world, which has its own global objects. Pages that
//! redefine `document` or `Array` do not affect it.

use serde::Deserialize;

/// Name of the isolated world.
pub(crate) const WORLD: &str = "relink";

/// Script that returns the loading state and a fingerprint of the document. The
/// fingerprint changes if the page, its URL, or its number of elements or links changes.
pub(crate) const DOM_STATE: &str = "({
    isLoaded: document.readyState === 'complete',
    fingerprint: [
        performance.timeOrigin,
        document.URL.length,
        document.getElementsByTagName('*').length,
        document.links.length,
    ].join(),
})";

/// Result of [`DOM_STATE`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomState {
    /// Whether the page and its resources are loaded.
    pub is_loaded: bool,
    /// Fingerprint of the document. It is only compared for equality.
    pub fingerprint: String,
}

/// Returns a script that serializes the document, including shadow trees, up to
/// `max_length` UTF-16 code units. `getHTML` returns only the content of the root
/// element, so its own tags are added.
///
/// Invalid Unicode, such as a character cut in the middle, becomes a
/// replacement character, because it cannot be encoded.
pub(crate) fn dom_content(max_length: usize) -> String {
    format!(
        "(() => {{
    const shadows = [];
    const search = (tree) => {{
        for (const element of tree.querySelectorAll('*')) {{
            if (element.shadowRoot) {{
                shadows.push(element.shadowRoot);
                search(element.shadowRoot);
            }}
        }}
    }};
    search(document);
    const root = document.documentElement;
    const empty = root ? root.cloneNode(false).outerHTML : '';
    const end = empty.lastIndexOf('</');
    const inner = root ? root.getHTML({{ shadowRoots: shadows }}) : '';
    const html = '<!DOCTYPE html>' + empty.slice(0, end) + inner + empty.slice(end);
    return {{
        url: document.URL.toWellFormed(),
        title: document.title.slice(0, {MAX_TITLE_LENGTH}).toWellFormed(),
        html: html.slice(0, {max_length}).toWellFormed(),
        isTruncated: html.length > {max_length},
    }};
}})()"
    )
}

/// Maximum length of a title in UTF-16 code units.
const MAX_TITLE_LENGTH: usize = 1000;

/// Result of [`dom_content`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomContent {
    /// Current URL of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// Serialized document.
    pub html: String,
    /// Whether the document was longer.
    pub is_truncated: bool,
}
