//! A crawled site as one page that needs nothing else.
//!
//! No script, no font, no picture and no request: the page opens from a disk,
//! prints, and follows the reader's choice of light or dark. What strangers
//! wrote cannot break out of its place ([`markup`]). Every chart has a table
//! that says the same, and no color says what a word does not.

mod address;
mod changes;
mod chart;
mod crawl;
mod depth;
mod findings;
mod first;
mod head;
mod hosts;
mod links;
mod markup;
mod pages;
mod part;
mod statuses;
mod table;
mod tree;
mod view;

use self::markup::{Markup, element, style, void};
use self::part::PARTS;
use self::view::View;
use super::SiteReport;

/// What the page looks like.
const STYLE: &str = include_str!("html/style.css");

/// Nothing may be loaded, run or sent, whatever slips into the page.
const SECURITY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                        base-uri 'none'; form-action 'none'";

/// The page of a report.
pub fn html(report: &SiteReport) -> String {
    let view = View::of(report);
    let (mut contents, mut sections, mut clean) =
        (Markup::default(), Markup::default(), Markup::default());
    for part in &PARTS {
        match part.section(&view) {
            Some((entry, section)) => {
                contents.push(entry);
                sections.push(section);
            }
            None => clean.push(element("li", [], part.empty)),
        }
    }
    let main = [head::summary(&view), sections, nothing_to_say(clean)];
    let body = [
        element("a", [("class", "skip"), ("href", "#content")], "Skip to the report"),
        head::banner(&view),
        element("nav", [("aria-label", "Contents")], element("ol", [], contents)),
        element("main", [("id", "content")], main),
        head::footer(&view),
    ];
    element("html", [("lang", "en")], [preamble(&view), element("body", [], body)]).into_page()
}

fn preamble(view: &View) -> Markup {
    let named = |name, content| void("meta", [("name", name), ("content", content)]);
    element(
        "head",
        [],
        [
            void("meta", [("charset", "utf-8")]),
            void("meta", [("http-equiv", "Content-Security-Policy"), ("content", SECURITY)]),
            named("viewport", "width=device-width, initial-scale=1"),
            named("color-scheme", "light dark"),
            named("referrer", "no-referrer"),
            named("robots", "noindex"),
            element("title", [], head::title(view)),
            style(STYLE),
        ],
    )
}

/// What was looked for and is not there.
fn nothing_to_say(clean: Markup) -> Markup {
    if clean.is_empty() {
        return clean;
    }
    let heading = element("h2", [], "Nothing to report");
    element("section", [("id", "nothing")], [heading, element("ul", [("class", "clean")], clean)])
}
