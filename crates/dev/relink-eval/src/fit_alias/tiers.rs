//! Thresholds, calibration and figures from answers on left-out sites.
//!
//! The answers come from models that were fitted without the site, so that the figures
//! hold for new sites.

use super::scenario::Answer;

/// Share of dead pages with an alias.
const ALIAS_SHARE: f64 = 0.25;
/// Number of points of the calibration, before points are merged.
const POINTS: usize = 16;
/// Minimum probability of answers that are calibrated. Without this limit, most points would be
/// at lower probabilities, because most answers are.
const MIN_CALIBRATED: f32 = 0.02;

/// Shares of answers at a threshold, in percent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// Right answers, as share of pages with an alias.
    pub right: f64,
    /// Wrong answers, as share of pages with an alias.
    pub wrong: f64,
    /// Answers, as share of pages without alias.
    pub false_answers: f64,
    /// Share of right answers if a quarter of the pages has an alias.
    pub precision: f64,
    /// Number of pages with an alias.
    pub aliases: usize,
    /// Number of pages without alias.
    pub deleted: usize,
}

/// Returns the figures of answers at a threshold.
pub fn figures(answers: &[Answer], threshold: f32) -> Figures {
    let with_alias: Vec<&Answer> = answers.iter().filter(|answer| answer.has_alias).collect();
    let is_given = |answer: &&&Answer| answer.probability >= threshold;
    let right = with_alias.iter().filter(is_given).filter(|answer| answer.is_right).count();
    let wrong = with_alias.iter().filter(is_given).filter(|answer| !answer.is_right).count();
    let without: Vec<&Answer> = answers.iter().filter(|answer| !answer.has_alias).collect();
    let false_answers = without.iter().filter(is_given).count();
    let mut figures = Figures {
        right: percent(right, with_alias.len()),
        wrong: percent(wrong, with_alias.len()),
        false_answers: percent(false_answers, without.len()),
        precision: 0.0,
        aliases: with_alias.len(),
        deleted: without.len(),
    };
    figures.precision = precision(figures);
    figures
}

#[expect(clippy::cast_precision_loss, reason = "figures have one decimal")]
fn percent(count: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { 100.0 * count as f64 / all as f64 }
}

/// Returns the precision if a quarter of the pages has an alias.
pub fn precision(figures: Figures) -> f64 {
    let good = ALIAS_SHARE * figures.right;
    let bad = ALIAS_SHARE * figures.wrong + (1.0 - ALIAS_SHARE) * figures.false_answers;
    if good + bad > 0.0 { 100.0 * good / (good + bad) } else { 100.0 }
}

/// Returns the half width of the 95 % interval of a share in percent, by
/// Agresti and Coull.
pub fn half_width(share: f64, count: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "figures have one decimal")]
    let all = count as f64 + 4.0;
    let middle = (share / 100.0 * (all - 4.0) + 2.0) / all;
    100.0 * 1.96 * (middle * (1.0 - middle) / all).sqrt()
}

/// Returns the lowest threshold from which answers of all groups reach a
/// precision, where each group has equal weight.
pub fn threshold(groups: &[Vec<Answer>], min_precision: f64) -> f32 {
    let is_precise = |threshold: &f32| mean_precision(groups, *threshold) >= min_precision;
    thresholds().find(is_precise).unwrap_or(1.0)
}

/// Returns thresholds with even steps of the log odds, rounded to six decimals.
fn thresholds() -> impl Iterator<Item = f32> {
    let log_odds = (-60..180_i16).map(|at| f32::from(at) / 20.0);
    log_odds.map(|log_odds| (1e6 / (1.0 + (-log_odds).exp())).round() / 1e6)
}

/// Returns the highest share of right answers of all thresholds with at least this precision.
/// It measures how well the probabilities rank answers, without a fixed threshold.
pub fn best_right(answers: &[Answer], min_precision: f64) -> f64 {
    let all = thresholds().map(|threshold| figures(answers, threshold));
    let precise = all.filter(|figures| figures.precision >= min_precision);
    precise.map(|figures| figures.right).fold(0.0, f64::max)
}

/// Returns the precision at the mean shares of the groups.
fn mean_precision(groups: &[Vec<Answer>], threshold: f32) -> f64 {
    let mut mean = Figures::default();
    // The precision depends only on the ratios of the shares, so their sums suffice.
    for group in groups {
        let group_figures = figures(group, threshold);
        mean.right += group_figures.right;
        mean.wrong += group_figures.wrong;
        mean.false_answers += group_figures.false_answers;
    }
    precision(mean)
}

/// Answers of similar probability, as sums of their weights.
#[derive(Clone, Copy, Default)]
struct Block {
    /// Sum of weight times probability.
    probability: f64,
    weight: f64,
    /// Weight of the right answers.
    right: f64,
}

impl Block {
    fn plus(self, other: Self) -> Self {
        Self {
            probability: self.probability + other.probability,
            weight: self.weight + other.weight,
            right: self.right + other.right,
        }
    }

    /// Returns the mean probability and the share of right answers.
    #[expect(clippy::cast_possible_truncation, reason = "probabilities")]
    fn point(&self) -> (f32, f32) {
        let weight = self.weight.max(f64::MIN_POSITIVE);
        ((self.probability / weight) as f32, (self.right / weight) as f32)
    }
}

/// Returns the points of the calibration curve: pairs of a probability and the share of right
/// answers. Adjacent blocks whose shares decrease are merged, so that the curve is monotonic
/// (isotonic regression by pooling adjacent violators).
pub fn calibration(groups: &[Vec<Answer>]) -> Vec<(f32, f32)> {
    let mut answers: Vec<(f32, Block)> = Vec::new();
    for group in groups {
        let aliases = group.iter().filter(|answer| answer.has_alias).count();
        // In each group, a quarter of the total weight belongs to pages with an alias.
        let alias_weight = ALIAS_SHARE / to_f64(aliases.max(1));
        let deleted_weight = (1.0 - ALIAS_SHARE) / to_f64((group.len() - aliases).max(1));
        let weighted = |answer: &Answer| {
            let weight = if answer.has_alias { alias_weight } else { deleted_weight };
            let block = Block {
                probability: f64::from(answer.probability) * weight,
                weight,
                right: if answer.is_right { weight } else { 0.0 },
            };
            (answer.probability, block)
        };
        let calibrated = group.iter().filter(|answer| answer.probability > MIN_CALIBRATED);
        answers.extend(calibrated.map(weighted));
    }
    answers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = answers.len().div_ceil(POINTS).max(1);
    let mut blocks: Vec<Block> = Vec::new();
    for chunk in answers.chunks(size) {
        blocks.push(chunk.iter().fold(Block::default(), |sum, (_, block)| sum.plus(*block)));
        merge_decreasing(&mut blocks);
    }
    let inner = blocks.iter().map(Block::point);
    std::iter::once((0.0, 0.0)).chain(inner).chain([(1.0, 0.999)]).collect()
}

/// Merges the last block into the previous block as long as the last block has a lower share of
/// right answers.
fn merge_decreasing(blocks: &mut Vec<Block>) {
    while let [.., before, last] = blocks.as_mut_slice() {
        // Compares the shares without a division by a weight that may be 0.
        if before.right * last.weight <= last.right * before.weight {
            return;
        }
        *before = before.plus(*last);
        blocks.pop();
    }
}

#[expect(clippy::cast_precision_loss, reason = "groups are small")]
fn to_f64(count: usize) -> f64 {
    count as f64
}
