//! Draws a line chart with the differences between steps.

use super::super::markup::{Markup, element};
use super::{Plot, TOP, coordinate, label, rule, svg};

/// The data of a line chart.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Trend {
    /// The labels of the steps.
    pub(in super::super) names: Vec<String>,
    /// The value of each step.
    pub(in super::super) values: Vec<u64>,
    /// The label between each step and the previous one.
    pub(in super::super) differences: Vec<Option<String>>,
    /// A step to highlight, and its label.
    pub(in super::super) mark: Option<(usize, &'static str)>,
}

/// Draws a line chart.
pub(in super::super) fn trend(alt: &str, axis_title: &str, trend: &Trend) -> Markup {
    let plot = Plot::new(trend.values.iter().copied().max().unwrap_or(0), trend.values.len());
    let points: Vec<(f64, f64)> = trend
        .values
        .iter()
        .enumerate()
        .map(|(step, value)| (plot.x(step), plot.y(*value)))
        .collect();
    let mut marks = plot.axes(&trend.names, axis_title);
    if let Some((step, text)) = trend.mark {
        marks.push(marked(&plot, step, text));
    }
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    marks.push(element("polyline", [("class", "line"), ("points", &path.join(" "))], ""));
    for (x, y) in &points {
        let dot =
            [("class", "dot"), ("cx", &*coordinate(*x)), ("cy", &*coordinate(*y)), ("r", "3.5")];
        marks.push(element("circle", dot, ""));
    }
    if plot.has_room_for_labels() {
        marks.push(slopes(&points, &trend.differences));
    }
    svg(super::WIDTH, super::HEIGHT, alt, marks)
}

/// Draws the labels next to the line, on the side where they do not cross it.
fn slopes(points: &[(f64, f64)], differences: &[Option<String>]) -> Markup {
    let pairs = points.windows(2).zip(differences.iter().skip(1));
    let slope = |(pair, text): (&[(f64, f64)], &Option<String>)| {
        let [(x1, y1), (x2, y2)] = *pair else { return None };
        // The y axis of SVG points down.
        let rises = y2 < y1;
        let class = if rises { "side strong" } else { "start strong" };
        let x = f64::midpoint(x1, x2) + if rises { -5.0 } else { 5.0 };
        Some(label(class, x, f64::midpoint(y1, y2) - 3.0, text.as_deref()?))
    };
    pairs.filter_map(slope).collect()
}

/// Returns a vertical line with a label at a step.
fn marked(plot: &Plot, step: usize, text: &str) -> Markup {
    let x = plot.x(step);
    // Write toward the middle, so that the label is not clipped.
    let (class, offset) =
        if step * 2 > plot.steps { ("side quiet", -5.0) } else { ("start quiet", 5.0) };
    let line = rule("mark", (x, TOP - 14.0), (x, plot.y(0)));
    [line, label(class, x + offset, TOP - 6.0, text)].into()
}
