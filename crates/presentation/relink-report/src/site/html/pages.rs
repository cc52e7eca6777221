//! The sections on orphans, shared titles, slowest and largest pages.

use super::markup::element;
use super::section::SectionBody;
use super::table::{number_column, text_column};
use super::view::View;
use crate::human::{duration, size};
use crate::site::PageMetric;

/// Returns the content of the section on pages that only a sitemap lists.
pub(super) fn orphans(view: &View) -> Option<SectionBody> {
    let orphans = &view.report.orphans;
    SectionBody::counted(orphans.total, || {
        let columns = [text_column("page")];
        view.table(
            "In a sitemap, but not linked from any page",
            columns,
            &orphans.rows,
            orphans.total,
            |page| [view.urls.link(page)],
        )
    })
}

/// Returns the content of the section on titles shared by several pages.
pub(super) fn titles(view: &View) -> Option<SectionBody> {
    let titles = &view.report.same_titles;
    SectionBody::counted(titles.total, || {
        let columns = [text_column("title"), number_column("pages"), text_column("list of pages")];
        view.table("Most pages first", columns, &titles.rows, titles.total, |row| {
            [
                element("bdi", [], row.title.as_str()),
                row.pages.total.into(),
                view.urls.pages(&row.pages),
            ]
        })
    })
}

/// Returns the content of the section on the slowest pages.
pub(super) fn slowest(view: &View) -> Option<SectionBody> {
    metric_table(view, "Slowest first", "duration", &view.report.slowest, duration)
}

/// Returns the content of the section on the largest pages.
pub(super) fn largest(view: &View) -> Option<SectionBody> {
    metric_table(view, "Largest first", "size", &view.report.largest, size)
}

/// Returns a table of pages with one number each.
fn metric_table(
    view: &View,
    caption: &'static str,
    metric: &'static str,
    rows: &[PageMetric],
    format: fn(u64) -> String,
) -> Option<SectionBody> {
    SectionBody::counted(rows.len() as u64, || {
        let columns = [text_column("page"), number_column(metric)];
        view.table(caption, columns, rows, rows.len() as u64, |row| {
            [view.urls.link(&row.url), format(row.value).into()]
        })
    })
}
