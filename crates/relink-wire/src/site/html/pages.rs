//! What is told of the site's own pages: orphans, titles, time and size.

use super::address::more;
use super::markup::{Markup, element};
use super::part::Body;
use super::table::{numbers, words};
use super::view::View;
use crate::human::{duration, size};
use crate::site::{Capped, Measured};

/// Pages of one title that are named.
const TITLED: usize = 10;

pub(super) fn orphans(view: &View) -> Option<Body> {
    let orphans = &view.report.orphans;
    Body::counted(orphans.total, || {
        let columns = [words("page in a sitemap that no page links to")];
        view.table("Orphan pages", columns, &orphans.rows, orphans.total, |page| {
            [view.addresses.link(page)]
        })
    })
}

pub(super) fn titles(view: &View) -> Option<Body> {
    let titles = &view.report.same_titles;
    Body::counted(titles.total, || {
        let columns = [words("title"), numbers("pages"), words("which")];
        view.table("Titles that several pages have", columns, &titles.rows, titles.total, |row| {
            [
                element("bdi", [], row.title.as_str()),
                row.pages.total.into(),
                named(view, &row.pages),
            ]
        })
    })
}

fn named(view: &View, pages: &Capped<String>) -> Markup {
    let shown = &pages.rows[..pages.rows.len().min(TITLED)];
    let lines: Markup =
        shown.iter().map(|page| element("li", [], view.addresses.link(page))).collect();
    let left_out = pages.total.saturating_sub(shown.len() as u64);
    [element("ul", [("class", "spots")], lines), more(left_out, "more")].into()
}

pub(super) fn slowest(view: &View) -> Option<Body> {
    measured(view, "Slowest pages", "took", &view.report.slowest, duration)
}

pub(super) fn largest(view: &View) -> Option<Body> {
    measured(view, "Largest pages", "size", &view.report.largest, size)
}

fn measured(
    view: &View,
    caption: &'static str,
    measure: &'static str,
    rows: &[Measured],
    told: fn(u64) -> String,
) -> Option<Body> {
    Body::counted(rows.len() as u64, || {
        let columns = [words("page"), numbers(measure)];
        view.table(caption, columns, rows, rows.len() as u64, |row| {
            [view.addresses.link(&row.url), told(row.value).into()]
        })
    })
}
