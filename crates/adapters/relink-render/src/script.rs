//! What we ask a page about itself.
//!
//! Both questions run in a world of their own, where a page that has changed
//! the meaning of `document` or `Array` has no say.

use serde::Deserialize;

/// The name of that world.
pub(crate) const WORLD: &str = "relink";

/// How a page looks at a glance: where it is, and how much stands in it.
pub(crate) const LOOK: &str = "({
    isLoaded: document.readyState === 'complete',
    look: [
        performance.timeOrigin,
        document.URL.length,
        document.getElementsByTagName('*').length,
        document.links.length,
    ].join(),
})";

/// The answer to [`LOOK`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomState {
    /// Whether all that the page came with is there.
    pub is_loaded: bool,
    /// The glance; that it changed is all it tells.
    pub look: String,
}

/// All that stands in a page, shadow trees included, up to `cap` characters.
///
/// What is cut in the middle of a character, or was never valid, comes out as
/// a replacement character, for it could not be sent otherwise.
pub(crate) fn reading(cap: usize) -> String {
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
        title: document.title.slice(0, {TITLE_CAP}).toWellFormed(),
        html: html.slice(0, {cap}).toWellFormed(),
        isCut: html.length > {cap},
    }};
}})()"
    )
}

/// The most characters of a title.
const TITLE_CAP: usize = 1000;

/// The answer to [`reading`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomContent {
    /// Where the page says it is.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The document.
    pub html: String,
    /// Whether there was more.
    pub is_truncated: bool,
}
