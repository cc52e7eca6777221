//! The sections on links and new links by depth (Website Health Analyser, Figs. 6, 7
//! and 9), and on links that occur on nearly every page.

use super::chart::{LineChart, SplitBar, figure, line_chart, split_bars};
use super::head::share;
use super::markup::{Markup, element};
use super::section::SectionBody;
use super::table::{number_column, text_column};
use super::view::View;
use crate::human::{counted, grouped};
use crate::site::DepthRow;

/// The label of the horizontal axis.
const AXIS_TITLE: &str = "depth (links from the start)";

/// Returns the content of the section on depth.
pub(super) fn body(view: &View) -> Option<SectionBody> {
    let rows = &view.report.depths;
    if rows.is_empty() {
        return None;
    }
    let charts =
        element("div", [("class", "charts")], [all_links_chart(rows), new_links_chart(view)]);
    let figure = figure(charts, caption(), depth_table(view));
    let markup = [element("p", [], saturation_sentence(view)), figure].into();
    Some(SectionBody { count: None, markup })
}

/// States the saturation depth, from which few new links appear, and the share of links that
/// occur on nearly every page.
fn saturation_sentence(view: &View) -> String {
    let rows = &view.report.depths;
    let saturation = match view.report.saturation_depth {
        Some(depth) => format!("Few new links appear from depth {depth} on."),
        None => "New links still appear at the greatest depth that was read.".to_owned(),
    };
    let sum =
        |value_of: fn(&DepthRow) -> u64| rows.iter().map(value_of).fold(0, u64::saturating_add);
    let links = sum(|row| row.links);
    let template_links = sum(|row| row.template_links);
    format!(
        "{saturation} {} of {} ({}) occur on nearly every page.",
        grouped(template_links),
        counted(links, "link"),
        share(template_links, links)
    )
}

/// Returns a chart of all links by depth.
fn all_links_chart(rows: &[DepthRow]) -> Markup {
    let bars: Vec<SplitBar> = rows
        .iter()
        .map(|row| SplitBar {
            name: row.depth.to_string(),
            filled: row.links.saturating_sub(row.template_links),
            hatched: row.template_links.min(row.links),
        })
        .collect();
    let title = element("h3", [], "Links on the pages of each depth");
    let key = element(
        "p",
        [("class", "key")],
        [
            element("span", [("class", "swatch filled-swatch")], ""),
            "own links of the page ".into(),
            element("span", [("class", "swatch hatched-swatch")], ""),
            "on nearly every page (hatched)".into(),
        ],
    );
    let label = "Bar chart of the number of links by depth; the table has the numbers";
    element("div", [], [title, split_bars(label, AXIS_TITLE, &bars), key])
}

/// Returns a chart of new links by depth.
fn new_links_chart(view: &View) -> Markup {
    let rows = &view.report.depths;
    let mark = view.report.saturation_depth.and_then(|from| {
        let step = rows.iter().position(|row| row.depth == from)?;
        Some((step, "few new links from here"))
    });
    let line = LineChart {
        names: rows.iter().map(|row| row.depth.to_string()).collect(),
        values: rows.iter().map(|row| row.new_links).collect(),
        differences: rows.iter().map(|row| row.slope.map(with_sign)).collect(),
        mark,
    };
    let title = element("h3", [], "New links at each depth, and the slope");
    let label = "Line chart of the number of new links by depth; the table has the numbers";
    let key = element(
        "p",
        [("class", "key")],
        "numbers next to the line: difference from the previous depth",
    );
    element("div", [], [title, line_chart(label, AXIS_TITLE, &line), key])
}

/// Explains the counted links.
fn caption() -> Markup {
    "A link is new if no page read before links to the same URL.".into()
}

/// Formats a number with its sign: `+58`, `−120`.
fn with_sign(slope: i64) -> String {
    let sign = match slope {
        ..0 => "−",
        0 => "±",
        1.. => "+",
    };
    format!("{sign}{}", grouped(slope.unsigned_abs()))
}

/// Returns the table of the numbers in both charts.
fn depth_table(view: &View) -> Markup {
    let rows = &view.report.depths;
    let columns = ["depth", "pages", "links", "on nearly every page", "new links", "slope"]
        .map(number_column);
    view.table("Links by depth", columns, rows, rows.len() as u64, |row| {
        [
            u64::from(row.depth).into(),
            row.pages.into(),
            row.links.into(),
            row.template_links.into(),
            row.new_links.into(),
            row.slope.map_or_else(String::new, with_sign).into(),
        ]
    })
}

/// Returns the content of the section on links that occur on nearly every page.
pub(super) fn templates(view: &View) -> Option<SectionBody> {
    let templates = &view.report.templates;
    SectionBody::counted(templates.total, || {
        let columns = [text_column("URL"), number_column("pages")];
        view.table("Most pages first", columns, &templates.rows, templates.total, |row| {
            [view.urls.link(&row.url), row.pages.into()]
        })
    })
}
