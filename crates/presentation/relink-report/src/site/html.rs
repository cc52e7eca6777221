//! The report of a crawl as one self-contained HTML page.
//!
//! The page contains no scripts, fonts or image files and loads nothing from the network. It
//! supports printing, and light and dark mode. All text is escaped ([`markup`]). Every chart
//! has a table with the same data, and colors only repeat information.

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
mod priorities;
mod section;
mod statuses;
pub(crate) mod table;
mod tree;
pub(crate) mod url;
pub(crate) mod view;

use self::markup::{Markup, element, style, void};
use self::section::SECTIONS;
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
    let mut contents = Markup::default();
    let mut sections = Markup::default();
    let mut empty_notes = Markup::default();
    for section in &SECTIONS {
        match section.render(&view) {
            Some((entry, markup)) => {
                contents.push(entry);
                sections.push(markup);
            }
            None => empty_notes.push(element("li", [], section.empty)),
        }
    }
    let main = [head::summary(&view), sections, empty_sections(empty_notes)];
    let body = [
        element("a", [("class", "skip"), ("href", "#content")], "Skip to the report"),
        head::banner(&view),
        element("nav", [("aria-label", "Contents")], element("ol", [], contents)),
        element("main", [("id", "content")], main),
        head::footer(&view),
    ];
    element("html", [("lang", "en")], [head_element(&view), element("body", [], body)]).into_page()
}

/// Returns the `head` element of the page.
fn head_element(view: &View) -> Markup {
    let meta = |name, content| void("meta", [("name", name), ("content", content)]);
    element(
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
