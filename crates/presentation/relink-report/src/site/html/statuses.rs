//! How many addresses answered with each class of status.

use super::chart::{HorizontalBar, across, figure};
use super::head::share;
use super::part::Body;
use super::table::{numbers, words};
use super::view::View;

pub(super) fn body(view: &View) -> Option<Body> {
    let statuses = &view.report.statuses;
    if statuses.is_empty() {
        return None;
    }
    let all = statuses.values().copied().fold(0, u64::saturating_add);
    let bars: Vec<HorizontalBar> = statuses
        .iter()
        .map(|(class, count)| HorizontalBar {
            name: name(class).to_owned(),
            value: *count,
            class: color(class),
        })
        .collect();
    let rows: Vec<(&String, &u64)> = statuses.iter().collect();
    let columns = [words("class"), words("meaning"), numbers("addresses"), numbers("share")];
    let table = view.table("Answers", columns, &rows, rows.len() as u64, |(class, count)| {
        [class.as_str().into(), meaning(class).into(), (**count).into(), share(**count, all).into()]
    });
    let chart = across("Bars of the number of addresses of each class of status", &bars);
    let markup =
        figure(chart, "Addresses by the last status that they answered with.".into(), table);
    Some(Body { count: None, markup })
}

fn name(class: &str) -> &str {
    if class == "none" { "no answer" } else { class }
}

fn meaning(class: &str) -> &'static str {
    match class {
        "1xx" => "the answer was still to come",
        "2xx" => "it went well",
        "3xx" => "look elsewhere",
        "4xx" => "the address is at error, or we are not let in",
        "5xx" => "the server is at error",
        "none" => "nobody answered, or nobody was asked",
        _ => "outside the standard",
    }
}

/// The class in the style sheet.
fn color(class: &str) -> &'static str {
    match class {
        "2xx" => "good",
        "4xx" => "bad",
        "5xx" => "poor",
        "3xx" => "filled",
        _ => "dull",
    }
}
