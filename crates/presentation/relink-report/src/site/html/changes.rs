//! The section on changes since the previous crawl.

use relink_model::Verdict;

use super::head::timestamp;
use super::markup::{Markup, element};
use super::section::SectionBody;
use super::table::text_column;
use super::view::{View, badge};
use crate::human::grouped;
use crate::site::{Capped, ChangeRow};

/// Returns the content of the section on changes since another crawl.
pub(super) fn body(view: &View) -> Option<SectionBody> {
    let comparison = view.report.comparison.as_ref()?;
    // Name, symbol, caption and rows of each kind of change.
    let lists = [
        ("new", "+", "New: broken now, and not known to work before", &comparison.new),
        ("regressed", "↺", "Regressed: working before, and broken now", &comparison.regressed),
        (
            "fixed",
            "✓",
            "Fixed: broken before, and now working or no longer linked",
            &comparison.fixed,
        ),
    ];
    let since = format!(
        "Compared with crawl {}, started {}.",
        comparison.run,
        timestamp(comparison.started_at)
    );
    let tiles: Markup =
        lists.iter().map(|(name, symbol, _, list)| count_tile(name, symbol, list.total)).collect();
    let mut markup = element("p", [], since);
    markup.push(element("ul", [("class", "tiles")], tiles));
    for (_, _, caption, list) in lists {
        markup.push(change_table(view, caption, list));
    }
    Some(SectionBody { count: None, markup })
}

/// Returns a box with the number of one kind of change.
fn count_tile(name: &str, symbol: &str, count: u64) -> Markup {
    let name = element("span", [("class", "name")], format!("{symbol} {name}"));
    element("li", [("class", "tile")], [name, element("strong", [], grouped(count))])
}

/// Returns the table of one kind of change, if there is any.
fn change_table(view: &View, caption: &'static str, list: &Capped<ChangeRow>) -> Markup {
    if list.total == 0 {
        return Markup::default();
    }
    let columns = [text_column("before"), text_column("now"), text_column("URL")];
    view.table(caption, columns, &list.rows, list.total, |row| {
        let code = row.code.map(|code| format!(" {code}")).unwrap_or_default();
        [
            verdict_cell(row.before),
            [verdict_cell(row.after), element("span", [("class", "quiet")], code)].into(),
            view.urls.link(&row.url),
        ]
    })
}

/// Renders a verdict, or `not linked` if the crawl found no link to the URL.
fn verdict_cell(verdict: Option<Verdict>) -> Markup {
    verdict.map_or_else(|| element("span", [("class", "quiet")], "not linked"), badge)
}
