//! The report of a crawl as one self-contained HTML page.
//!
//! The page has no scripts, fonts or images and loads nothing. It can be opened
//! from disk and printed, and supports light and dark mode. All text is escaped
//! ([`markup`]). Every chart has a table with the same data, and no information
//! is shown by color alone.

mod changes;
pub(crate) mod chart;
mod crawl_notes;
mod depth;
mod findings;
mod head;
mod hosts;
mod links;
pub(crate) mod markup;
mod pages;
mod part;
mod priorities;
mod statuses;
pub(crate) mod table;
mod tree;
pub(crate) mod url;
pub(crate) mod view;

use self::markup::{Markup, element, style, void};
use self::part::PARTS;
use self::view::View;
use super::SiteReport;

/// The style sheet.
pub(crate) const STYLE: &str = include_str!("html/style.css");

/// Content security policy: the page may load, run and send nothing.
pub(crate) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                        base-uri 'none'; form-action 'none'";

/// Renders a report as an HTML page.
pub fn html(report: &SiteReport) -> String {
    let view = View::new(report);
    let (mut contents, mut sections, mut empty) =
        (Markup::default(), Markup::default(), Markup::default());
    for part in &PARTS {
        match part.section(&view) {
            Some((entry, section)) => {
                contents.push(entry);
                sections.push(section);
            }
            None => empty.push(element("li", [], part.empty)),
        }
    }
    let main = [head::summary(&view), sections, empty_sections(empty)];
    let body = [
        element("a", [("class", "skip"), ("href", "#content")], "Skip to the report"),
        head::banner(&view),
        element("nav", [("aria-label", "Contents")], element("ol", [], contents)),
        element("main", [("id", "content")], main),
        head::footer(&view),
    ];
    element("html", [("lang", "en")], [preamble(&view), element("body", [], body)]).into_page()
}

/// Returns the head of the page.
fn preamble(view: &View) -> Markup {
    let named = |name, content| void("meta", [("name", name), ("content", content)]);
    element(
        "head",
        [],
        [
            void("meta", [("charset", "utf-8")]),
            void(
                "meta",
                [("http-equiv", "Content-Security-Policy"), ("content", CONTENT_SECURITY_POLICY)],
            ),
            named("viewport", "width=device-width, initial-scale=1"),
            named("color-scheme", "light dark"),
            named("referrer", "no-referrer"),
            named("robots", "noindex"),
            element("title", [], head::title(view)),
            style(STYLE),
        ],
    )
}

/// Renders the list of sections without content.
fn empty_sections(items: Markup) -> Markup {
    if items.is_empty() {
        return items;
    }
    let heading = element("h2", [], "Nothing to report");
    element("section", [("id", "nothing")], [heading, element("ul", [("class", "clean")], items)])
}
