//! The text of a model, and its figures per site.
//!
//! Columns of the figures, in percent:
//!
//! - TP: right answers for pages with an alias;
//! - WP: wrong answers for pages with an alias;
//! - FP: answers for pages without an alias.
//!
//! Each threshold of the model has its own columns. The last two columns are TP at the lowest
//! thresholds with a precision of 95 % and of 99 %.

use std::fmt::{self, Write as _};

use relink_revive::matching::{AliasModel, feature_names};

use super::boost::FittedTrees;
use super::rounds::{FittedRounds, parallel};
use super::scenario::{Answer, Scenario};
use super::shapes::shapes;
use super::sites::MappedSite;
use super::tiers::{Figures, best_right, figures, half_width};
use crate::random::SeededRandom;

/// Number of synthetic sites that measure a model.
const SYNTHETIC_TESTS: usize = 20;

/// A model in the form that `relink-revive` reads.
pub struct ModelText {
    /// The trees.
    pub rounds: FittedRounds,
    /// Thresholds and calibration.
    pub model: AliasModel,
}

impl fmt::Display for ModelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in feature_names() {
            writeln!(f, "feature {name}")?;
        }
        writeln!(f, "suggest {}", self.model.suggest)?;
        writeln!(f, "automatic {}", self.model.automatic)?;
        for (from, to) in &self.model.calibration {
            writeln!(f, "calibration {from:.4} {to:.4}")?;
        }
        write_trees(f, "pair", &self.rounds.pair)?;
        write_trees(f, "first", &self.rounds.first)?;
        write_trees(f, "second", &self.rounds.second)
    }
}

/// Writes the intercept and the trees of one round.
fn write_trees(f: &mut fmt::Formatter<'_>, name: &str, fitted: &FittedTrees) -> fmt::Result {
    writeln!(f, "{name} {:.4}", fitted.intercept)?;
    fitted.trees.iter().try_for_each(|tree| writeln!(f, "{tree}"))
}

/// Returns the figures of a model on redirect maps, on site shapes and on
/// synthetic sites.
pub fn report(model: &AliasModel, sites: &[MappedSite], seed: u64) -> String {
    let mut text = format!(
        "thresholds {} {}\n{:34} {:>15} {:>6} {:>6} {:>6}   {:>15} {:>6}   TP at 95, 99 %\n",
        model.suggest,
        model.automatic,
        "site",
        "TP %",
        "WP %",
        "FP %",
        "prec.",
        "automatic TP",
        "prec."
    );
    let mut random = SeededRandom::new(seed + 7);
    // The answers on the redirect maps without known aliases.
    let mut plain = Vec::new();
    for site in sites {
        let scenario = &site.scenario;
        for variant in [scenario.clone(), scenario.with_known(0.2, &mut random)] {
            let answers = variant.answers(model);
            text.push_str(&figures_line(&variant.name, &answers, model));
            if variant.name == scenario.name {
                plain.push(answers);
            }
        }
    }
    if plain.len() > 1 {
        text.push_str(&figures_line("all redirect maps", &plain.concat(), model));
    }
    for site in sites {
        let tests = site.synthetic(SYNTHETIC_TESTS, seed + 9000);
        let answers = parallel(tests.len(), |at| tests[at].answers(model));
        text.push_str(&figures_line(
            &format!("{}, synthetic", site.scenario.name),
            &answers.concat(),
            model,
        ));
    }
    let shapes = shapes(seed + 5);
    for shape in &shapes {
        text.push_str(&figures_line(&shape.name, &shape.answers(model), model));
    }
    text
}

/// Returns the figures of redirect maps by models that were fitted without the
/// site, at the thresholds of the model.
pub fn left_out_report(
    model: &AliasModel,
    scenarios: &[Scenario],
    answers: &[Vec<Answer>],
) -> String {
    let maps = scenarios.iter().zip(answers).filter(|(scenario, _)| scenario.is_real);
    let plain = maps.filter(|(scenario, _)| scenario.name == scenario.source_site);
    let line = |(scenario, answers): (&Scenario, &Vec<Answer>)| {
        figures_line(&format!("{}, left out", scenario.name), answers, model)
    };
    plain.map(line).collect()
}

/// Returns a line with the figures of answers, at the thresholds of the model.
fn figures_line(name: &str, answers: &[Answer], model: &AliasModel) -> String {
    let suggest = figures(answers, model.suggest);
    let automatic = figures(answers, model.automatic);
    let interval = |figures: Figures| {
        let half_width = half_width(figures.right, figures.aliases);
        format!("{:.1} ± {half_width:.1}", figures.right)
    };
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{name:34} {:>15} {:>6.1} {:>6.1} {:>6.1}   {:>15} {:>6.1}   {:>5.1} {:>5.1}",
        interval(suggest),
        suggest.wrong,
        suggest.false_answers,
        suggest.precision,
        interval(automatic),
        automatic.precision,
        best_right(answers, 95.0),
        best_right(answers, 99.0),
    );
    text
}
