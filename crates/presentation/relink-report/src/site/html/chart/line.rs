//! A line from step to step, with what it rises and falls by.

use super::super::markup::{Markup, element};
use super::{Plot, TOP, at, drawing, label, rule};

/// What the line shows.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Trend {
    /// The names of the steps.
    pub(in super::super) names: Vec<String>,
    /// The value of each step.
    pub(in super::super) values: Vec<u64>,
    /// What is written between a step and the one before.
    pub(in super::super) between: Vec<Option<String>>,
    /// A step to point out, and what to say of it.
    pub(in super::super) mark: Option<(usize, &'static str)>,
}

/// Draws the line.
pub(in super::super) fn trend(says: &str, bottom: &str, trend: &Trend) -> Markup {
    let plot = Plot::new(trend.values.iter().copied().max().unwrap_or(0), trend.values.len());
    let points: Vec<(f64, f64)> = trend
        .values
        .iter()
        .enumerate()
        .map(|(step, value)| (plot.x(step), plot.y(*value)))
        .collect();
    let mut marks = plot.axes(&trend.names, bottom);
    if let Some((step, says)) = trend.mark {
        marks.push(marked(&plot, step, says));
    }
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    marks.push(element("polyline", [("class", "line"), ("points", &path.join(" "))], ""));
    for (x, y) in &points {
        let dot = [("class", "dot"), ("cx", &*at(*x)), ("cy", &*at(*y)), ("r", "3.5")];
        marks.push(element("circle", dot, ""));
    }
    if plot.has_room() {
        marks.push(slopes(&points, &trend.between));
    }
    drawing(super::WIDTH, super::HEIGHT, says, marks)
}

/// What is written beside the line, where it is not crossed by it.
fn slopes(points: &[(f64, f64)], between: &[Option<String>]) -> Markup {
    let pairs = points.windows(2).zip(between.iter().skip(1));
    let slope = |(pair, text): (&[(f64, f64)], &Option<String>)| {
        let [(x1, y1), (x2, y2)] = *pair else { return None };
        let rises = y2 < y1;
        let class = if rises { "side strong" } else { "start strong" };
        let x = f64::midpoint(x1, x2) + if rises { -5.0 } else { 5.0 };
        Some(label(class, x, f64::midpoint(y1, y2) - 3.0, text.as_deref()?))
    };
    pairs.filter_map(slope).collect()
}

fn marked(plot: &Plot, step: usize, says: &str) -> Markup {
    let x = plot.x(step);
    // Written toward the middle, so that it is never cut off.
    let (class, beside) =
        if step * 2 > plot.steps { ("side quiet", -5.0) } else { ("start quiet", 5.0) };
    let line = rule("mark", (x, TOP - 14.0), (x, plot.y(0)));
    [line, label(class, x + beside, TOP - 6.0, says)].into()
}
