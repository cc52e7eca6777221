//! Gradient boosting of small decision trees with logistic loss.
//!
//! Features are sorted into at most [`MAX_BINS`] bins, so that a split is found
//! with one histogram per feature (Friedman 2001; Chen & Guestrin 2016 for the
//! regularized gain).

use std::fmt::Write as _;

use crate::random::SeededRandom;

/// Maximum number of bins of a feature.
const MAX_BINS: usize = 48;
/// Minimum gain of a split. Smaller gains are rounding errors.
const MIN_GAIN: f64 = 1e-6;
/// Number of rows from which the borders of bins are taken.
const BIN_SAMPLE: usize = 40_000;

/// Settings of a fit.
#[derive(Debug, Clone, Copy)]
pub struct BoostSettings {
    /// Number of trees.
    pub trees: usize,
    /// Depth of a tree.
    pub depth: usize,
    /// Learning rate: the factor of the values of each tree.
    pub rate: f64,
    /// L2 penalty of the value of a leaf.
    pub penalty: f64,
    /// Minimum sum of the second derivatives of a leaf.
    pub min_leaf: f64,
    /// Share of rows for each tree.
    pub row_share: f64,
    /// Share of features for each tree.
    pub feature_share: f64,
}

/// Whether a higher value of a feature may only raise or only lower the odds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// No constraint.
    #[default]
    Any,
    /// A higher value raises the odds.
    Raises,
    /// A higher value lowers the odds.
    Lowers,
}

impl Direction {
    /// Whether a split with these leaf values is allowed.
    fn allows(self, below: f64, above: f64) -> bool {
        match self {
            Self::Any => true,
            Self::Raises => below <= above,
            Self::Lowers => below >= above,
        }
    }
}

/// Rows to fit: values of the features, answers and weights.
#[derive(Debug, Clone, Default)]
pub struct TrainingRows {
    /// The values of each row.
    pub values: Vec<Vec<f32>>,
    /// The answer of each row: 0 or 1.
    pub answers: Vec<f32>,
    /// The weight of each row.
    pub weights: Vec<f32>,
}

impl TrainingRows {
    /// Adds the rows of `other`.
    pub fn extend(&mut self, other: &Self) {
        self.values.extend_from_slice(&other.values);
        self.answers.extend_from_slice(&other.answers);
        self.weights.extend_from_slice(&other.weights);
    }
}

/// A fitted model: the intercept and the trees in text form.
#[derive(Debug, Clone, Default)]
pub struct FittedTrees {
    /// The intercept.
    pub intercept: f64,
    /// The trees; see `relink_revive`'s module `trees` for the form.
    pub trees: Vec<String>,
}

/// The rows by feature, with bin numbers instead of values.
struct Binned {
    /// For each feature, the borders between its bins.
    borders: Vec<Vec<f32>>,
    /// For each feature, the bin of each row.
    columns: Vec<Vec<u8>>,
}

/// Derivatives of the logistic loss by the log odds, for one row or as the sum of
/// several rows.
#[derive(Debug, Clone, Copy, Default)]
struct Derivatives {
    /// The negative first derivative: the direction that lowers the loss.
    gradient: f64,
    /// The second derivative.
    second: f64,
}

impl Derivatives {
    fn add(&mut self, other: Self) {
        self.gradient += other.gradient;
        self.second += other.second;
    }

    fn minus(self, other: Self) -> Self {
        Self { gradient: self.gradient - other.gradient, second: self.second - other.second }
    }

    /// Returns twice the decrease of the loss if these rows form a leaf with its best value.
    fn score(self, penalty: f64) -> f64 {
        self.gradient * self.gradient / (self.second + penalty)
    }
}

/// The best split of a node.
#[derive(Debug, Clone, Copy)]
struct Split {
    gain: f64,
    feature: usize,
    bin: usize,
}

/// Fits trees.
pub fn fit(
    rows: &TrainingRows,
    settings: &BoostSettings,
    directions: &[Direction],
    seed: u64,
) -> FittedTrees {
    let total: f64 = rows.weights.iter().map(|weight| f64::from(*weight)).sum();
    let weighted_answers = rows.answers.iter().zip(&rows.weights);
    let positive: f64 =
        weighted_answers.map(|(answer, weight)| f64::from(*answer) * f64::from(*weight)).sum();
    let intercept = (positive / (total - positive).max(f64::MIN_POSITIVE)).ln();
    let mut booster = Booster {
        binned: Binned::new(rows),
        scores: vec![intercept; rows.answers.len()],
        derivatives: vec![Derivatives::default(); rows.answers.len()],
        mean_weight: total
            / f64::from(u32::try_from(rows.answers.len().max(1)).unwrap_or(u32::MAX)),
        features: Vec::new(),
        settings,
        directions,
        rows,
    };
    let mut random = SeededRandom::new(seed);
    let trees = (0..settings.trees).map(|_| booster.add_tree(&mut random)).collect();
    FittedTrees { intercept, trees }
}

/// The state of a fit.
struct Booster<'a> {
    binned: Binned,
    /// The log odds of each row by the trees so far.
    scores: Vec<f64>,
    /// The derivatives of each row at its score.
    derivatives: Vec<Derivatives>,
    /// Weights are divided by their mean, so that the penalty does not depend on their
    /// scale.
    mean_weight: f64,
    /// The features that the current tree may use.
    features: Vec<usize>,
    settings: &'a BoostSettings,
    directions: &'a [Direction],
    rows: &'a TrainingRows,
}

impl Booster<'_> {
    /// Fits one more tree to the derivatives of the loss, and returns its text.
    fn add_tree(&mut self, random: &mut SeededRandom) -> String {
        for (at, row_derivatives) in self.derivatives.iter_mut().enumerate() {
            let weight = f64::from(self.rows.weights[at]) / self.mean_weight;
            let probability = 1.0 / (1.0 + (-self.scores[at]).exp());
            row_derivatives.gradient = weight * (f64::from(self.rows.answers[at]) - probability);
            row_derivatives.second = weight * probability * (1.0 - probability);
        }
        let all = self.binned.columns.len();
        self.features = (0..all).filter(|_| random.chance(self.settings.feature_share)).collect();
        let mut sample: Vec<u32> = (0..u32::try_from(self.scores.len()).unwrap_or(u32::MAX))
            .filter(|_| random.chance(self.settings.row_share))
            .collect();
        let mut text = String::new();
        let mut leaves = Vec::new();
        self.grow(&mut sample, self.settings.depth, &mut text, &mut leaves);
        self.update_scores(&leaves);
        text.trim_end().to_owned()
    }

    /// Grows a subtree. Writes its text and its nodes in preorder.
    fn grow(&self, rows: &mut [u32], depth: usize, text: &mut String, nodes: &mut Vec<GrownNode>) {
        let split = if depth == 0 { None } else { self.best_split(rows) };
        let Some(Split { feature, bin, .. }) = split else {
            let value = self.leaf_value(rows);
            nodes.push(GrownNode::Leaf(value));
            // Writing to a string cannot fail.
            let _ = write!(text, "={value:.3} ");
            return;
        };
        let below = self.binned.borders[feature][bin];
        let _ = write!(text, "{feature}<{below} ");
        let column = &self.binned.columns[feature];
        let middle = partition(rows, |row| usize::from(column[row as usize]) <= bin);
        let at = nodes.len();
        // A placeholder: the index of the right child is known after the left subtree.
        nodes.push(GrownNode::Leaf(0.0));
        let (left, right) = rows.split_at_mut(middle);
        self.grow(left, depth - 1, text, nodes);
        nodes[at] = GrownNode::Split { feature, bin, right_child: nodes.len() };
        self.grow(right, depth - 1, text, nodes);
    }

    /// Returns the value of a leaf with these rows: one step of Newton's method.
    fn leaf_value(&self, rows: &[u32]) -> f64 {
        let mut sum = Derivatives::default();
        for row in rows {
            sum.add(self.derivatives[*row as usize]);
        }
        let value = self.settings.rate * sum.gradient / (sum.second + self.settings.penalty);
        // The text of the tree has three decimals. The fit continues with the rounded value.
        (value * 1000.0).round() / 1000.0
    }

    /// Returns the split of these rows with the greatest gain, over all features.
    fn best_split(&self, rows: &[u32]) -> Option<Split> {
        let mut total = Derivatives::default();
        for row in rows {
            total.add(self.derivatives[*row as usize]);
        }
        let split = |feature: &usize| self.best_split_of_feature(*feature, rows, total);
        let splits = self.features.iter().filter_map(split);
        splits.max_by(|a, b| a.gain.total_cmp(&b.gain))
    }

    /// Returns the border of a feature that splits these rows with the greatest gain. `total` is
    /// the sum of the derivatives of the rows.
    fn best_split_of_feature(
        &self,
        feature: usize,
        rows: &[u32],
        total: Derivatives,
    ) -> Option<Split> {
        let column = &self.binned.columns[feature];
        let mut bins = [Derivatives::default(); MAX_BINS + 1];
        for &row in rows {
            bins[usize::from(column[row as usize])].add(self.derivatives[row as usize]);
        }
        let penalty = self.settings.penalty;
        let direction = self.directions.get(feature).copied().unwrap_or_default();
        let value = |side: Derivatives| side.gradient / (side.second + penalty);
        let mut left = Derivatives::default();
        let mut best: Option<Split> = None;
        let below_last = self.binned.borders[feature].len();
        for (bin, in_bin) in bins.iter().enumerate().take(below_last) {
            left.add(*in_bin);
            let right = total.minus(left);
            if left.second < self.settings.min_leaf || right.second < self.settings.min_leaf {
                continue;
            }
            if !direction.allows(value(left), value(right)) {
                continue;
            }
            let gain = left.score(penalty) + right.score(penalty) - total.score(penalty);
            if gain > best.map_or(MIN_GAIN, |best| best.gain) {
                best = Some(Split { gain, feature, bin });
            }
        }
        best
    }

    /// Adds the value of a new tree to the score of each row.
    fn update_scores(&mut self, nodes: &[GrownNode]) {
        for row in 0..self.scores.len() {
            let mut at = 0;
            let value = loop {
                match nodes[at] {
                    GrownNode::Leaf(value) => break value,
                    GrownNode::Split { feature, bin, right_child } => {
                        let is_below = usize::from(self.binned.columns[feature][row]) <= bin;
                        at = if is_below { at + 1 } else { right_child };
                    }
                }
            };
            self.scores[row] += value;
        }
    }
}

/// A node of a tree in preorder. The left child of a split is the next node, and
/// `right_child` is the index of the right child.
#[derive(Debug, Clone, Copy)]
enum GrownNode {
    Split { feature: usize, bin: usize, right_child: usize },
    Leaf(f64),
}

/// Moves the rows that meet a condition to the front. Returns their number.
fn partition(rows: &mut [u32], is_first: impl Fn(u32) -> bool) -> usize {
    let mut middle = 0;
    for at in 0..rows.len() {
        if is_first(rows[at]) {
            rows.swap(at, middle);
            middle += 1;
        }
    }
    middle
}

impl Binned {
    fn new(rows: &TrainingRows) -> Self {
        let features = rows.values.first().map_or(0, Vec::len);
        let borders: Vec<Vec<f32>> = (0..features).map(|at| borders(rows, at)).collect();
        let columns = borders
            .iter()
            .enumerate()
            .map(|(at, borders)| rows.values.iter().map(|row| bin(borders, row[at])).collect())
            .collect();
        Self { borders, columns }
    }
}

/// Returns the bin of a value: the number of borders that are not above it.
fn bin(borders: &[f32], value: f32) -> u8 {
    u8::try_from(borders.partition_point(|border| *border <= value)).unwrap_or(u8::MAX)
}

/// Returns the borders between the bins of a feature. A value equal to a border
/// belongs to the bin above it.
fn borders(rows: &TrainingRows, feature: usize) -> Vec<f32> {
    let step = rows.values.len().div_ceil(BIN_SAMPLE).max(1);
    let mut values: Vec<f32> = rows.values.iter().step_by(step).map(|row| row[feature]).collect();
    values.sort_unstable_by(f32::total_cmp);
    let mut distinct = values.clone();
    distinct.dedup();
    let middle = |pair: &[f32]| round(f32::midpoint(pair[0], pair[1]));
    let mut borders: Vec<f32> = if distinct.len() <= MAX_BINS {
        distinct.windows(2).map(middle).collect()
    } else {
        (1..MAX_BINS).map(|at| round(values[values.len() * at / MAX_BINS])).collect()
    };
    borders.dedup();
    borders
}

/// Rounds a border to three decimals, to keep the text of the trees short.
fn round(value: f32) -> f32 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fit_separates_an_exclusive_or() {
        let mut rows = TrainingRows::default();
        for at in 0..400_u16 {
            let (first, second) = (at % 2, at / 2 % 2);
            rows.values.push(vec![f32::from(first), f32::from(second), f32::from(at)]);
            rows.answers.push(f32::from(first ^ second));
            rows.weights.push(1.0);
        }
        let settings = BoostSettings {
            trees: 60,
            depth: 3,
            rate: 0.3,
            penalty: 1.0,
            min_leaf: 0.1,
            row_share: 0.8,
            feature_share: 1.0,
        };
        let fitted = fit(&rows, &settings, &[], 1);
        let mut model = relink_revive::matching::BoostedTrees::constant(0.0);
        for tree in &fitted.trees {
            model.add_tree(tree, 3).unwrap();
        }
        for (values, answer) in rows.values.iter().zip(&rows.answers) {
            assert!((model.probability(values) - answer).abs() < 0.2, "{values:?}");
        }
    }
}
