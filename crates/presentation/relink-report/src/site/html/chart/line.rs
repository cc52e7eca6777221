//! Draws a line chart with the differences between steps.

use super::super::markup::{Markup, element};
use super::{Plot, TOP_MARGIN, coordinate, label, line_element, svg};

/// The data of a line chart.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct LineChart {
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
pub(in super::super) fn line_chart(alt: &str, axis_title: &str, chart: &LineChart) -> Markup {
    let plot = Plot::new(chart.values.iter().copied().max().unwrap_or(0), chart.values.len());
    let points: Vec<(f64, f64)> = chart
        .values
        .iter()
        .enumerate()
        .map(|(step, value)| (plot.x(step), plot.y(*value)))
        .collect();
    let mut marks = plot.axes(&chart.names, axis_title);
    if let Some((step, text)) = chart.mark {
        marks.push(vertical_mark(&plot, step, text));
    }
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    marks.push(element("polyline", [("class", "line"), ("points", &path.join(" "))], ""));
    for (x, y) in &points {
        let dot =
            [("class", "dot"), ("cx", &*coordinate(*x)), ("cy", &*coordinate(*y)), ("r", "3.5")];
        marks.push(element("circle", dot, ""));
    }
    if plot.has_room_for_labels() {
        marks.push(difference_labels(&points, &chart.differences));
    }
    svg(super::WIDTH, super::HEIGHT, alt, marks)
}

/// Draws the labels next to the line, on the side where they do not cross it.
fn difference_labels(points: &[(f64, f64)], differences: &[Option<String>]) -> Markup {
    let pairs = points.windows(2).zip(differences.iter().skip(1));
    let difference_label = |(pair, text): (&[(f64, f64)], &Option<String>)| {
        let [(x1, y1), (x2, y2)] = *pair else { return None };
        // The y axis of SVG points down.
        let rises = y2 < y1;
        let class = if rises { "side strong" } else { "start strong" };
        let x = f64::midpoint(x1, x2) + if rises { -5.0 } else { 5.0 };
        Some(label(class, x, f64::midpoint(y1, y2) - 3.0, text.as_deref()?))
    };
    pairs.filter_map(difference_label).collect()
}

/// Returns a vertical line with a label at a step.
fn vertical_mark(plot: &Plot, step: usize, text: &str) -> Markup {
    let x = plot.x(step);
    // Write toward the middle, so that the label is not clipped.
    let (class, offset) =
        if step * 2 > plot.steps { ("side quiet", -5.0) } else { ("start quiet", 5.0) };
    let line = line_element("mark", (x, TOP_MARGIN - 14.0), (x, plot.y(0)));
    [line, label(class, x + offset, TOP_MARGIN - 6.0, text)].into()
}
