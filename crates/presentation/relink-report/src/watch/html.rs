//! HTML pages of collections: the review, and the stops of a path.
//!
//! A page contains no scripts, fonts or image files and loads nothing from the network. It
//! supports light and dark mode. Colors only repeat information. All text is escaped.

use crate::human::shown_url;
use crate::site::html::markup::{Markup, element, style, void};
use crate::site::html::url::is_safe_link;

/// The style sheet.
const STYLE: &str = include_str!("style.css");

/// Content security policy: the page may load, run and send nothing.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                                       base-uri 'none'; form-action 'none'";

/// Renders a complete page.
pub(super) fn page(title: &str, body: impl Into<Markup>) -> String {
    let meta = |name, content| void("meta", [("name", name), ("content", content)]);
    let head = element(
        "head",
        [],
        [
            void("meta", [("charset", "utf-8")]),
            void(
                "meta",
                [("http-equiv", "Content-Security-Policy"), ("content", CONTENT_SECURITY_POLICY)],
            ),
            meta("viewport", "width=device-width, initial-scale=1"),
            meta("color-scheme", "light dark"),
            meta("referrer", "no-referrer"),
            meta("robots", "noindex"),
            element("title", [], title),
            style(STYLE),
        ],
    );
    element("html", [("lang", "en")], [head, element("body", [], body)]).into_page()
}

/// Renders a URL as a link, or as text if a link is not safe. `text` replaces the URL unless
/// it is empty.
pub(super) fn link(url: &str, text: &str) -> Markup {
    let shown = if text.is_empty() { shown_url(url) } else { text.to_owned() };
    if !is_safe_link(url) {
        return element("span", [], shown);
    }
    element("a", [("href", url), ("rel", "noreferrer noopener")], shown)
}

/// Renders a list of short facts.
pub(super) fn facts(facts: impl IntoIterator<Item = String>) -> Markup {
    let items: Markup = facts.into_iter().map(|fact| element("li", [], fact)).collect();
    element("ul", [("class", "facts")], items)
}
