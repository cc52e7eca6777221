//! Fits the three rounds of the matcher.
//!
//! A *scenario* is a site with dead pages, live pages and the true alias of each dead
//! page: a real redirect map or an invented reorganization. A round gives every
//! candidate a probability. The next round also sees the *votes*: what the earlier round
//! answered for the other dead pages of the site.
//!
//! Scenarios are divided into folds, one for each site that their pages come from. The
//! votes of a scenario come from models that were fitted without its fold. Otherwise
//! the next round would learn to trust answers that were only memorized. The thresholds are
//! set by the answers of the same models.

use relink_revive::matching::{AliasModel, BoostedTrees, Rounds, SiteMatcher, feature_names};

use super::boost::{BoostSettings, Direction, FittedTrees, TrainingRows, fit};
use super::scenario::{Answer, Scenario, Truth, normalize};

/// Number of folds if all scenarios come from one site.
const FOLDS_OF_ONE_SITE: usize = 3;
/// Maximum number of dead pages of a scenario that are used for fitting.
const MAX_PAGES: usize = 160;
/// Maximum number of dead pages of a redirect map that are used for fitting.
const MAX_REAL_PAGES: usize = 900;
/// Maximum number of wrong candidates per dead page that are used for fitting.
const MAX_WRONG: usize = 7;
/// Share of dead pages with an alias, estimated from the figures of the FABLE paper.
const ALIAS_SHARE: f32 = 0.25;
/// Weight of a redirect map in comparison with a synthetic site of its size.
const REAL_WEIGHT: f32 = 3.0;

/// Settings of the pair model, which only selects the candidates and gives the first votes.
const PAIR_SETTINGS: BoostSettings = BoostSettings {
    trees: 100,
    depth: 4,
    rate: 0.15,
    penalty: 5.0,
    min_leaf: 5.0,
    row_share: 0.5,
    feature_share: 0.5,
};

/// Settings of the models with votes.
const ROUND_SETTINGS: BoostSettings = BoostSettings {
    trees: 160,
    depth: 4,
    rate: 0.1,
    penalty: 5.0,
    min_leaf: 5.0,
    row_share: 0.5,
    feature_share: 0.35,
};

/// The fitted rounds.
#[derive(Debug, Clone, Default)]
pub struct FittedRounds {
    /// The pair model.
    pub pair: FittedTrees,
    /// The first round with votes.
    pub first: FittedTrees,
    /// The later rounds.
    pub second: FittedTrees,
}

impl FittedRounds {
    /// Returns the model without calibration.
    pub fn model(&self) -> AliasModel {
        AliasModel {
            pair: trees(&self.pair),
            first: trees(&self.first),
            second: trees(&self.second),
            ..AliasModel::default()
        }
    }
}

/// Ends of the names of features that can only raise the odds.
const RAISING: [&str; 20] = [
    "Linear",
    "LinearPair",
    "SlugEqual",
    "TitleEqual",
    "TitleUnique",
    "SlugUnique",
    "IdsShared",
    "LogOdds",
    "Lead",
    "Mutual",
    "TopCluster",
    "ProgramConfidence",
    "Votes",
    "Share",
    "Rate",
    "KnownAliases",
    "RewriteCommon",
    "SlugTrigramSimilarity",
    "TitleSimilarity",
    "SlugToTitle",
];
/// Names of features that can only lower the odds.
const LOWERING: [&str; 4] =
    ["OtherDeadPageBest", "OtherDeadPageSameFolder", "Rank", "FolderOverlap"];

/// Returns the constraint of a feature. A constraint that must hold on every site is
/// not learned from the few sites of the data.
fn direction(name: &str) -> Direction {
    if name.starts_with("Site") || name.starts_with("Sibling") {
        Direction::Any
    } else if RAISING.iter().any(|end| name.ends_with(end)) {
        Direction::Raises
    } else if LOWERING.contains(&name) {
        Direction::Lowers
    } else {
        Direction::Any
    }
}

/// Reads fitted trees.
fn trees(fitted: &FittedTrees) -> BoostedTrees {
    #[expect(clippy::cast_possible_truncation, reason = "log odds are small")]
    let mut model = BoostedTrees::constant(fitted.intercept as f32);
    let features = feature_names().len();
    for tree in &fitted.trees {
        model.add_tree(tree, features).expect("the fit writes valid trees");
    }
    model
}

/// Fits all rounds. Also returns the answers for every scenario by models that
/// were fitted without its fold.
pub fn fit_rounds(scenarios: &[Scenario], seed: u64) -> (FittedRounds, Vec<Vec<Answer>>) {
    let directions: Vec<Direction> = feature_names().iter().map(|it| direction(it)).collect();
    // The last fold, `fold_count`, leaves no scenario out. It fits the full model.
    let fold_of = fold_numbers(scenarios);
    let fold_count = fold_of.iter().max().map_or(0, |last| last + 1);
    let mut full = FittedRounds::default();
    let mut folds = vec![FittedRounds::default(); fold_count];
    for round in [Rounds::None, Rounds::Pair, Rounds::First] {
        let models: Vec<AliasModel> = folds.iter().map(FittedRounds::model).collect();
        let rows = parallel(scenarios.len(), |at| {
            training_rows(&scenarios[at], &models[fold_of[at]], round)
        });
        let settings = if round == Rounds::None { &PAIR_SETTINGS } else { &ROUND_SETTINGS };
        let fitted = parallel(fold_count + 1, |fold| {
            let mut all = TrainingRows::default();
            for (_, rows) in rows.iter().enumerate().filter(|(at, _)| fold_of[*at] != fold) {
                all.extend(rows);
            }
            fit(&all, settings, &directions, seed)
        });
        for (target, fitted) in folds.iter_mut().chain([&mut full]).zip(fitted) {
            match round {
                Rounds::None => target.pair = fitted,
                Rounds::Pair => target.first = fitted,
                Rounds::First | Rounds::All => target.second = fitted,
            }
        }
    }
    let models: Vec<AliasModel> = folds.iter().map(FittedRounds::model).collect();
    let answers = parallel(scenarios.len(), |at| scenarios[at].answers(&models[fold_of[at]]));
    (full, answers)
}

/// Returns the fold of each scenario.
fn fold_numbers(scenarios: &[Scenario]) -> Vec<usize> {
    let mut sites: Vec<&str> =
        scenarios.iter().map(|scenario| scenario.source_site.as_str()).collect();
    sites.sort_unstable();
    sites.dedup();
    if sites.len() < 2 {
        return (0..scenarios.len()).map(|at| at % FOLDS_OF_ONE_SITE).collect();
    }
    let position =
        |scenario: &Scenario| sites.iter().position(|site| *site == scenario.source_site);
    scenarios.iter().map(|scenario| position(scenario).unwrap_or(0)).collect()
}

/// Computes a list on two threads, in order.
pub fn parallel<T: Send>(count: usize, compute: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if at >= count {
                return done;
            }
            done.push((at, compute(at)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut all = work();
        all.extend(other.join().expect("the fit does not panic"));
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, value)| value).collect()
}

/// Returns the candidates of a scenario as rows. Each row has the features of one candidate, and
/// whether the candidate is the alias.
fn training_rows(scenario: &Scenario, model: &AliasModel, rounds: Rounds) -> TrainingRows {
    scenario.with_matcher(model, rounds, |matcher| {
        let pages: Vec<usize> = usable_pages(scenario);
        let is_moved = |at: &&usize| matches!(scenario.dead[**at].truth, Truth::Moved(_));
        let moved = pages.iter().filter(is_moved).count();
        let [moved_weight, deleted_weight] =
            page_weights(moved, pages.len() - moved, scenario.is_real);
        let mut rows = TrainingRows::default();
        for at in pages {
            let truth = scenario.dead[at].target();
            let weight = if truth.is_some() { moved_weight } else { deleted_weight };
            add_page(&mut rows, scenario, matcher, (at, truth, weight), rounds);
        }
        rows
    })
}

/// Adds the candidates of one dead page, which is given by its position, its alias and the weight
/// of its rows.
fn add_page(
    rows: &mut TrainingRows,
    scenario: &Scenario,
    matcher: &SiteMatcher<'_>,
    (at, truth, weight): (usize, Option<String>, f32),
    rounds: Rounds,
) {
    let mut wrong = 0;
    for (live, values) in matcher.candidate_features(at) {
        let is_alias = truth.as_ref().is_some_and(|it| *it == normalize(&scenario.live[live].0));
        wrong += usize::from(!is_alias);
        if !is_alias && wrong > MAX_WRONG && rounds != Rounds::None {
            continue;
        }
        rows.values.push(values);
        rows.answers.push(if is_alias { 1.0 } else { 0.0 });
        rows.weights.push(weight);
    }
}

/// Returns the positions of dead pages to fit, evenly spread.
fn usable_pages(scenario: &Scenario) -> Vec<usize> {
    let is_usable = |at: &usize| scenario.dead[*at].truth != Truth::Merged;
    let pages: Vec<usize> = (0..scenario.dead.len()).filter(is_usable).collect();
    let max = if scenario.is_real { MAX_REAL_PAGES } else { MAX_PAGES };
    let step = pages.len().div_ceil(max).max(1);
    pages.into_iter().step_by(step).collect()
}

/// Returns the weight of a moved page and the weight of a deleted page. The weight of a site is
/// the square root of its number of pages, so that large sites do not dominate.
fn page_weights(moved: usize, deleted: usize, is_real: bool) -> [f32; 2] {
    #[expect(clippy::cast_precision_loss, reason = "sites are small")]
    let [moved, deleted] = [moved as f32, deleted as f32];
    let site_weight = (moved + deleted).sqrt() * if is_real { REAL_WEIGHT } else { 1.0 };
    let moved_weight = if moved > 0.0 { site_weight * ALIAS_SHARE / moved } else { 0.0 };
    let deleted_weight =
        if deleted > 0.0 { site_weight * (1.0 - ALIAS_SHARE) / deleted } else { 0.0 };
    // If a site has few pages of one kind, these pages must not dominate: limit their weight to
    // three times the mean weight.
    let limit = site_weight / (moved + deleted).max(1.0) * 3.0;
    [moved_weight.min(limit), deleted_weight.min(limit)]
}
