//! Thresholds, calibration and figures from answers on left-out sites.

use super::scenario::Answer;

/// Share of dead pages with an alias.
const ALIAS_SHARE: f64 = 0.25;
/// Number of points of the calibration.
const POINTS: usize = 16;

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
    let share = |count: usize, all: usize| percent(count, all);
    let with_alias: Vec<&Answer> = answers.iter().filter(|it| it.has_alias).collect();
    let given = |it: &&&Answer| it.probability >= threshold;
    let right = with_alias.iter().filter(given).filter(|it| it.is_right).count();
    let wrong = with_alias.iter().filter(given).filter(|it| !it.is_right).count();
    let without: Vec<&Answer> = answers.iter().filter(|it| !it.has_alias).collect();
    let false_answers = without.iter().filter(given).count();
    let mut figures = Figures {
        right: share(right, with_alias.len()),
        wrong: share(wrong, with_alias.len()),
        false_answers: share(false_answers, without.len()),
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
    let is_precise = |it: &f32| mean_precision(groups, *it) >= min_precision;
    thresholds().find(is_precise).unwrap_or(1.0)
}

/// Returns thresholds with even steps of the log odds, rounded to six decimals.
fn thresholds() -> impl Iterator<Item = f32> {
    let log_odds = (-60..180_i16).map(|at| f32::from(at) / 20.0);
    log_odds.map(|it| (1e6 / (1.0 + (-it).exp())).round() / 1e6)
}

/// Returns the highest share of right answers at a precision, over all
/// thresholds: how well the probabilities rank answers, whatever the threshold.
pub fn best_right(answers: &[Answer], min_precision: f64) -> f64 {
    let all = thresholds().map(|it| figures(answers, it));
    all.filter(|it| it.precision >= min_precision).map(|it| it.right).fold(0.0, f64::max)
}

/// Returns the precision at the mean shares of the groups.
fn mean_precision(groups: &[Vec<Answer>], threshold: f32) -> f64 {
    let mut mean = Figures::default();
    for group in groups {
        let one = figures(group, threshold);
        mean.right += one.right;
        mean.wrong += one.wrong;
        mean.false_answers += one.false_answers;
    }
    precision(mean)
}

/// Returns probabilities and shares of right answers, made monotonic by pooling
/// adjacent violators.
pub fn calibration(groups: &[Vec<Answer>]) -> Vec<(f32, f32)> {
    let mut points: Vec<(f32, f64, f64)> = Vec::new();
    for group in groups {
        let aliases = group.iter().filter(|it| it.has_alias).count();
        let [alias, none] = [
            ALIAS_SHARE / to_f64(aliases.max(1)),
            (1.0 - ALIAS_SHARE) / to_f64((group.len() - aliases).max(1)),
        ];
        let weighted = |it: &Answer| {
            let weight = if it.has_alias { alias } else { none };
            (it.probability, weight, if it.is_right { weight } else { 0.0 })
        };
        points.extend(group.iter().filter(|it| it.probability > 0.02).map(weighted));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = points.len().div_ceil(POINTS).max(1);
    let mut blocks: Vec<(f64, f64, f64)> = Vec::new();
    for chunk in points.chunks(size) {
        let weight: f64 = chunk.iter().map(|it| it.1).sum();
        let right: f64 = chunk.iter().map(|it| it.2).sum();
        let middle = chunk.iter().map(|it| f64::from(it.0) * it.1).sum::<f64>();
        blocks.push((middle, weight, right));
        pool(&mut blocks);
    }
    let point = |(middle, weight, right): &(f64, f64, f64)| {
        let weight = weight.max(f64::MIN_POSITIVE);
        #[expect(clippy::cast_possible_truncation, reason = "probabilities")]
        let pair = ((middle / weight) as f32, (right / weight) as f32);
        pair
    };
    let inner = blocks.iter().map(point);
    std::iter::once((0.0, 0.0)).chain(inner).chain([(1.0, 0.999)]).collect()
}

/// Merges the last blocks until their shares grow.
fn pool(blocks: &mut Vec<(f64, f64, f64)>) {
    while let [.., before, last] = blocks.as_mut_slice() {
        if before.2 * last.1 <= last.2 * before.1 {
            return;
        }
        *before = (before.0 + last.0, before.1 + last.1, before.2 + last.2);
        blocks.pop();
    }
}

#[expect(clippy::cast_precision_loss, reason = "groups are small")]
fn to_f64(count: usize) -> f64 {
    count as f64
}
