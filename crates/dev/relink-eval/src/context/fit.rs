//! Fits the context score and measures its reliability.
//!
//! The *context* of a page is the rest of its collection. The score is the probability
//! that a candidate does not belong to the context: an unweighted logistic regression,
//! fitted by Newton's method. A *family* is a group of related collections. Every figure
//! is computed with families left out: the score of a candidate comes from a model that
//! was not trained on collections of its family.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use relink_change::{ContextFlag, Fit, ScoreModel};

use super::JudgedCandidate;
use super::read::Label;

/// Number of coefficients of [`ScoreModel`].
const INPUTS: usize = 6;

/// Steps of Newton's method. It converges in fewer than ten.
const STEPS: usize = 50;

/// Ridge penalty. Keeps the coefficients finite if the data is separable.
const RIDGE: f64 = 0.05;

/// Number of classes of the reliability table.
const CLASSES: usize = 5;

/// A candidate with its label.
struct Example<'p> {
    family: &'p str,
    label: Label,
    fit: Fit,
}

impl Example<'_> {
    /// Returns the target of the regression: 1 if the candidate is of another collection.
    fn target(&self) -> f64 {
        f64::from(u8::from(self.label != Label::Same))
    }
}

/// Returns a report: the model trained on all data, and the figures with families left
/// out.
pub(super) fn report(judged: &[JudgedCandidate<'_>]) -> String {
    let labeled = judged.iter().filter(|judged| judged.page.label != Label::Unknown);
    let mut examples: Vec<Example<'_>> = labeled
        .filter_map(|judged| {
            let (family, label) = (judged.page.family.as_str(), judged.page.label);
            judged.fit.map(|fit| Example { family, label, fit })
        })
        .collect();
    // There are separate models for users with one and with several collections.
    if examples.iter().any(|example| example.fit.rival.is_some()) {
        examples.retain(|example| example.fit.rival.is_some());
    }
    let model = train(&examples.iter().collect::<Vec<_>>());
    let mut text = format!("{model:?} from {} candidates\n", examples.len());
    let families: BTreeSet<&str> = examples.iter().map(|example| example.family).collect();
    let mut scored: Vec<(&Example<'_>, ScoreModel)> = Vec::new();
    for family in families {
        let (inside, outside): (Vec<_>, Vec<_>) =
            examples.iter().partition(|example| example.family == family);
        let model = train(&outside);
        scored.extend(inside.into_iter().map(|example| (example, model)));
    }
    let probability = |(example, model): &(&Example<'_>, ScoreModel)| {
        (model.score(example.fit).probability(), example.target())
    };
    let probabilities: Vec<(f64, f64)> = scored.iter().map(probability).collect();
    write_reliability(&probabilities, &mut text);
    for label in [Label::Same, Label::Near, Label::Far] {
        let with_label = || scored.iter().filter(|(example, _)| example.label == label);
        let flagged = with_label()
            .filter(|(example, model)| model.score(example.fit).flag() == ContextFlag::OutOfPlace)
            .count();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "flagged {label:?}: {flagged} of {}", with_label().count());
    }
    text
}

/// Writes the reliability table and the expected calibration error, from pairs of the
/// stated probability and the target.
fn write_reliability(probabilities: &[(f64, f64)], text: &mut String) {
    let _ = writeln!(text, "stated       pages  stated  true");
    let mut error = 0.0;
    for class in 0..CLASSES {
        let bound = |at: usize| number(at) / number(CLASSES);
        let (low, high) = (bound(class), bound(class + 1));
        let is_inside = |stated: f64| stated >= low && (stated < high || class + 1 == CLASSES);
        let inside: Vec<&(f64, f64)> =
            probabilities.iter().filter(|(stated, _)| is_inside(*stated)).collect();
        if inside.is_empty() {
            continue;
        }
        let count = number(inside.len());
        let stated = inside.iter().map(|(stated, _)| stated).sum::<f64>() / count;
        let actual = inside.iter().map(|(_, actual)| actual).sum::<f64>() / count;
        error += count / number(probabilities.len()) * (stated - actual).abs();
        let _ = writeln!(text, "{low:.1} to {high:.1} {count:>8}   {stated:.3} {actual:.3}");
    }
    let _ = writeln!(text, "calibration error {error:.3}");
}

/// Fits a logistic regression by Newton's method: each step solves a linear system with the
/// gradient and the Hessian of the loss.
fn train(examples: &[&Example<'_>]) -> ScoreModel {
    let mut model = [0.0; INPUTS];
    for _ in 0..STEPS {
        let (mut gradient, mut hessian) = ([0.0; INPUTS], [[0.0; INPUTS]; INPUTS]);
        for example in examples {
            let inputs = ScoreModel::inputs(example.fit);
            let sum: f64 = inputs.iter().zip(model).map(|(input, weight)| input * weight).sum();
            let stated = 1.0 / (1.0 + (-sum).exp());
            for row in 0..INPUTS {
                gradient[row] += (stated - example.target()) * inputs[row];
                for column in 0..INPUTS {
                    hessian[row][column] += stated * (1.0 - stated) * inputs[row] * inputs[column];
                }
            }
        }
        for at in 0..INPUTS {
            hessian[at][at] += RIDGE;
            gradient[at] += RIDGE * model[at];
        }
        let step = solve(hessian, gradient);
        model.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    let [intercept, distance, deviation, nearer_rival, farther_rival, others] = model;
    ScoreModel { intercept, distance, deviation, nearer_rival, farther_rival, others }
}

/// Solves a linear system by Gaussian elimination. The matrix is positive
/// definite.
fn solve(mut matrix: [[f64; INPUTS]; INPUTS], mut values: [f64; INPUTS]) -> [f64; INPUTS] {
    for pivot in 0..INPUTS {
        for row in pivot + 1..INPUTS {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let upper = matrix[pivot];
            matrix[row].iter_mut().zip(upper).for_each(|(cell, above)| *cell -= factor * above);
            values[row] -= factor * values[pivot];
        }
    }
    for row in (0..INPUTS).rev() {
        let known: f64 = (row + 1..INPUTS).map(|column| matrix[row][column] * values[column]).sum();
        values[row] = (values[row] - known) / matrix[row][row];
    }
    values
}

#[expect(clippy::cast_precision_loss, reason = "a data set has fewer than 2^52 pages")]
fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solve_returns_the_solution() {
        let solved = solve(
            [
                [2.0, 1.0, 0.0, 0.0, 0.0, 0.0],
                [1.0, 3.0, 1.0, 0.0, 0.0, 0.0],
                [0.0, 1.0, 4.0, 0.0, 0.0, 0.0],
                [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
                [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            ],
            [4.0, 10.0, 14.0, 4.0, 5.0, 6.0],
        );
        for (value, expect) in solved.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) {
            assert!((value - expect).abs() < 1e-9);
        }
    }

    #[test]
    fn train_separates_near_from_far() {
        let example = |label, distance| Example {
            family: "",
            label,
            fit: Fit { distance, deviation: distance, rival: None },
        };
        let examples = [
            example(Label::Same, 0.5),
            example(Label::Same, 1.0),
            example(Label::Far, 2.0),
            example(Label::Near, 3.0),
        ];
        let model = train(&examples.iter().collect::<Vec<_>>());
        let score = |at: usize| model.score(examples[at].fit).probability();
        assert!(score(1) < 0.5 && score(2) > 0.5);
    }

    #[test]
    fn correct_probabilities_have_no_calibration_error() {
        let mut text = String::new();
        write_reliability(&[(0.5, 0.0), (0.5, 1.0), (1.0, 1.0)], &mut text);
        assert!(text.ends_with("calibration error 0.000\n"), "{text}");
    }
}
