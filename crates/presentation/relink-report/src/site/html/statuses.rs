//! The section on targets by status class.

use super::chart::{HorizontalBar, figure, horizontal_bars};
use super::head::share;
use super::section::SectionBody;
use super::table::{number_column, text_column};
use super::view::View;

/// Returns the content of the section on status classes.
pub(super) fn body(view: &View) -> Option<SectionBody> {
    let statuses = &view.report.statuses;
    if statuses.is_empty() {
        return None;
    }
    let all = statuses.values().copied().fold(0, u64::saturating_add);
    let bars: Vec<HorizontalBar> = statuses
        .iter()
        .map(|(class, count)| HorizontalBar {
            name: class_name(class).to_owned(),
            value: *count,
            class: css_class(class),
        })
        .collect();
    let rows: Vec<(&String, &u64)> = statuses.iter().collect();
    let columns = [
        text_column("class"),
        text_column("meaning"),
        number_column("URLs"),
        number_column("share"),
    ];
    let table =
        view.table("URLs by status class", columns, &rows, rows.len() as u64, |(class, count)| {
            [
                class.as_str().into(),
                meaning(class).into(),
                (**count).into(),
                share(**count, all).into(),
            ]
        });
    let chart = horizontal_bars("Bar chart of the number of URLs per status class", &bars);
    let markup = figure(chart, "URLs by the class of their last status.".into(), table);
    Some(SectionBody { count: None, markup })
}

/// Returns the name of a status class.
fn class_name(class: &str) -> &str {
    if class == "none" { "no response" } else { class }
}

/// Returns the meaning of a status class.
fn meaning(class: &str) -> &'static str {
    match class {
        "1xx" => "informational",
        "2xx" => "success",
        "3xx" => "redirect",
        "4xx" => "client error",
        "5xx" => "server error",
        "none" => "no response, or not fetched",
        _ => "not a standard class",
    }
}

/// Returns the CSS class of a bar.
fn css_class(class: &str) -> &'static str {
    match class {
        "2xx" => "good",
        "4xx" => "bad",
        "5xx" => "poor",
        "3xx" => "filled",
        _ => "dull",
    }
}
