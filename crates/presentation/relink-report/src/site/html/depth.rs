//! Links and new links against depth (Website Health Analyser, Figs. 6, 7 and
//! 9), and the links that the site's template puts on every page.

use super::chart::{SplitBar, Trend, figure, split_bars, trend};
use super::head::share;
use super::markup::{Markup, element};
use super::part::Body;
use super::table::{numbers, words};
use super::view::View;
use crate::human::{counted, grouped};
use crate::site::DepthRow;

const BOTTOM: &str = "depth (links from the start)";

pub(super) fn body(view: &View) -> Option<Body> {
    let rows = &view.report.depths;
    if rows.is_empty() {
        return None;
    }
    let charts = element("div", [("class", "charts")], [all_links(rows), new_links(view)]);
    let markup = [element("p", [], sentence(view)), figure(charts, caption(), table(view))].into();
    Some(Body { count: None, markup })
}

/// From where little new appears, and how much the template gives.
fn sentence(view: &View) -> String {
    let rows = &view.report.depths;
    let little = match view.report.little_new_from {
        Some(depth) => format!("From depth {depth} on little new appears."),
        None => "New links still appear at the greatest depth that was read.".to_owned(),
    };
    let sum = |of: fn(&DepthRow) -> u64| rows.iter().map(of).fold(0, u64::saturating_add);
    let (all, template) = (sum(|row| row.links), sum(|row| row.template_links));
    format!(
        "{little} {} of {} ({}) stand on nearly every page.",
        grouped(template),
        counted(all, "link"),
        share(template, all)
    )
}

fn all_links(rows: &[DepthRow]) -> Markup {
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
            "the page's own ".into(),
            element("span", [("class", "swatch hatched-swatch")], ""),
            "on nearly every page (hatched)".into(),
        ],
    );
    let says = "Bars of the number of links on the pages of each depth; the table has the numbers";
    element("div", [], [title, split_bars(says, BOTTOM, &bars), key])
}

fn new_links(view: &View) -> Markup {
    let rows = &view.report.depths;
    let mark = view.report.little_new_from.and_then(|from| {
        let step = rows.iter().position(|row| row.depth == from)?;
        Some((step, "little new from here"))
    });
    let line = Trend {
        names: rows.iter().map(|row| row.depth.to_string()).collect(),
        values: rows.iter().map(|row| row.new_links).collect(),
        between: rows.iter().map(|row| row.slope.map(signed)).collect(),
        mark,
    };
    let title = element("h3", [], "New links at each depth, and the slope");
    let says = "A line of the number of new links at each depth; the table has the numbers";
    let key = element(
        "p",
        [("class", "key")],
        "numbers beside the line: how many more or fewer than a depth before",
    );
    element("div", [], [title, trend(says, BOTTOM, &line), key])
}

fn caption() -> Markup {
    "A link is new where it leads to an address that no page read before had linked to.".into()
}

/// `+58`, `−120`.
fn signed(slope: i64) -> String {
    let sign = match slope {
        ..0 => "−",
        0 => "±",
        1.. => "+",
    };
    format!("{sign}{}", grouped(slope.unsigned_abs()))
}

fn table(view: &View) -> Markup {
    let rows = &view.report.depths;
    let columns =
        ["depth", "pages", "links", "on nearly every page", "new links", "slope"].map(numbers);
    view.table("Links by depth", columns, rows, rows.len() as u64, |row| {
        [
            u64::from(row.depth).into(),
            row.pages.into(),
            row.links.into(),
            row.template_links.into(),
            row.new_links.into(),
            row.slope.map_or_else(String::new, signed).into(),
        ]
    })
}

pub(super) fn templates(view: &View) -> Option<Body> {
    let templates = &view.report.templates;
    Body::counted(templates.total, || {
        let columns = [words("address"), numbers("pages it stands on")];
        view.table("Most pages first", columns, &templates.rows, templates.total, |row| {
            [view.addresses.link(&row.url), row.pages.into()]
        })
    })
}
