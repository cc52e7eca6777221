//! What is told of the site's own pages: orphans, titles, time and size.

use super::markup::element;
use super::part::Body;
use super::table::{numbers, words};
use super::view::View;
use crate::human::{duration, size};
use crate::site::PageMetric;

pub(super) fn orphans(view: &View) -> Option<Body> {
    let orphans = &view.report.orphans;
    Body::counted(orphans.total, || {
        let columns = [words("page")];
        view.table(
            "In a sitemap, but no page links to them",
            columns,
            &orphans.rows,
            orphans.total,
            |page| [view.addresses.link(page)],
        )
    })
}

pub(super) fn titles(view: &View) -> Option<Body> {
    let titles = &view.report.same_titles;
    Body::counted(titles.total, || {
        let columns = [words("title"), numbers("pages"), words("which")];
        view.table("Most pages first", columns, &titles.rows, titles.total, |row| {
            [
                element("bdi", [], row.title.as_str()),
                row.pages.total.into(),
                view.addresses.pages(&row.pages),
            ]
        })
    })
}

pub(super) fn slowest(view: &View) -> Option<Body> {
    measured(view, "Slowest first", "took", &view.report.slowest, duration)
}

pub(super) fn largest(view: &View) -> Option<Body> {
    measured(view, "Largest first", "size", &view.report.largest, size)
}

fn measured(
    view: &View,
    caption: &'static str,
    measure: &'static str,
    rows: &[PageMetric],
    told: fn(u64) -> String,
) -> Option<Body> {
    Body::counted(rows.len() as u64, || {
        let columns = [words("page"), numbers(measure)];
        view.table(caption, columns, rows, rows.len() as u64, |row| {
            [view.addresses.link(&row.url), told(row.value).into()]
        })
    })
}
