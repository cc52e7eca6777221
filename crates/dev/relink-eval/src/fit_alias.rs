//! `relink-eval fit-alias`: fits the model that matches dead pages with live
//! pages, and prints it with its model card.
//!
//! The live page to which a dead page moved is its *alias*. A *redirect map* lists the old
//! and new URLs of a site: `SITE.pairs.jsonl`. The folder also has the live pages of each
//! site: `SITE.live.jsonl`. There are few redirect maps, so old URLs are also invented for the
//! live pages (module `reorganize`).
//!
//! The model states a probability for each alias. Above a first threshold, the alias is
//! suggested to the user. Above a higher threshold, links are rewritten without review (the
//! *automatic tier*). Both thresholds are set by the answers of models that were fitted
//! without the site. With `--left-out`, the command prints only the figures of each site by a
//! model that was fitted without the site. With `--test`, it also measures sites of another
//! folder.

mod boost;
mod card;
mod fate;
mod plan;
mod reorganize;
mod rounds;
mod scenario;
mod shapes;
mod sites;
mod slugs;
mod tiers;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use relink_revive::matching::AliasModel;

use self::card::ModelText;
use self::rounds::fit_rounds;
use self::scenario::{Answer, Scenario};
use self::sites::{MappedSite, read_sites};
use self::tiers::{calibration, threshold};
use crate::error::EvalError;

/// Precision of suggestions on left-out sites, with a margin.
const SUGGESTION_PRECISION: f64 = 95.5;
/// Precision of the automatic tier on left-out sites, with a margin.
const AUTOMATIC_PRECISION: f64 = 99.3;

/// Arguments of `relink-eval fit-alias`.
#[derive(Args)]
pub struct FitAliasArgs {
    /// Folder with `SITE.pairs.jsonl` and `SITE.live.jsonl`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Number of synthetic reorganizations of each site
    #[arg(long, default_value_t = 170, value_name = "NUMBER")]
    synthetic: usize,
    /// Seed of the random number generator
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Print figures of models fitted without each site instead of the model
    #[arg(long)]
    left_out: bool,
    /// Print figures of the shipped model instead of fitting one
    #[arg(long, conflicts_with = "left_out")]
    shipped: bool,
    /// Print figures of the model in this file instead of fitting one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["left_out", "shipped"])]
    model: Option<PathBuf>,
    /// Minimum probability of a suggestion [default: found on left-out sites]
    #[arg(long, value_name = "PROBABILITY")]
    suggest: Option<f32>,
    /// Minimum probability of the automatic tier [default: found on left-out sites]
    #[arg(long, value_name = "PROBABILITY")]
    automatic: Option<f32>,
    /// Also print figures for the sites of this folder
    #[arg(long, value_name = "DIR")]
    test: Option<PathBuf>,
}

/// Fits the model, or measures the model on sites that were not used for fitting.
pub fn run(args: &FitAliasArgs) -> Result<(), EvalError> {
    let sites = read_sites(&args.folder)?;
    let tests = args.test.as_deref().map(read_sites).transpose()?.unwrap_or_default();
    let mut out = io::stdout().lock();
    if args.left_out {
        for tested_site in &sites {
            let rest: Vec<&MappedSite> = sites
                .iter()
                .filter(|site| site.scenario.source_site != tested_site.scenario.source_site)
                .collect();
            let model = fit(&rest, args).model;
            let text = card::report(&model, std::slice::from_ref(tested_site), args.seed);
            write!(out, "fitted without {}\n{text}", tested_site.scenario.name)?;
            out.flush()?;
        }
        return Ok(());
    }
    let mut left_out_figures = String::new();
    let model = if args.shipped {
        AliasModel::shipped().clone()
    } else if let Some(file) = &args.model {
        read_model(file, args)?
    } else {
        let fitted = fit(&sites.iter().collect::<Vec<_>>(), args);
        out.write_all(fitted.text.to_string().as_bytes())?;
        left_out_figures = fitted.left_out_figures;
        fitted.model
    };
    let text = card::report(&model, &tests, args.seed);
    for line in text.lines().chain(left_out_figures.lines()) {
        writeln!(out, "# {line}")?;
    }
    Ok(())
}

/// A fitted model, and its figures on sites that it was fitted without.
struct FittedModel {
    text: ModelText,
    model: AliasModel,
    left_out_figures: String,
}

/// Reads a model. Thresholds on the command line replace those of the file.
fn read_model(file: &Path, args: &FitAliasArgs) -> Result<AliasModel, EvalError> {
    let text = fs::read_to_string(file).map_err(|error| EvalError::File(file.to_owned(), error))?;
    let model = AliasModel::parse(&text).ok_or_else(|| EvalError::Model(file.to_owned()))?;
    Ok(AliasModel {
        suggest: args.suggest.unwrap_or(model.suggest),
        automatic: args.automatic.unwrap_or(model.automatic),
        ..model
    })
}

/// Fits a model on some sites and sets its thresholds.
fn fit(sites: &[&MappedSite], args: &FitAliasArgs) -> FittedModel {
    let scenarios = scenarios(sites, args);
    let (rounds, answers) = fit_rounds(&scenarios, args.seed);
    let groups = groups(&scenarios, answers.clone());
    let model = AliasModel {
        calibration: calibration(&groups),
        suggest: args.suggest.unwrap_or_else(|| threshold(&groups, SUGGESTION_PRECISION)),
        automatic: args.automatic.unwrap_or_else(|| threshold(&groups, AUTOMATIC_PRECISION)),
        ..rounds.model()
    };
    let left_out_figures = card::left_out_report(&model, &scenarios, &answers);
    FittedModel { text: ModelText { rounds, model: model.clone() }, model, left_out_figures }
}

/// Returns the real and synthetic scenarios for fitting.
fn scenarios(sites: &[&MappedSite], args: &FitAliasArgs) -> Vec<Scenario> {
    let mut all = Vec::new();
    for (site, seed) in sites.iter().zip(args.seed..) {
        all.extend(site.variants(seed));
        all.extend(site.synthetic(args.synthetic, seed + 100));
    }
    all.retain(|scenario| !scenario.dead.is_empty() && !scenario.live.is_empty());
    all
}

/// Groups answers for the thresholds: for each site, a group of the answers on its redirect map,
/// and a group of the answers on its synthetic reorganizations.
fn groups(scenarios: &[Scenario], answers: Vec<Vec<Answer>>) -> Vec<Vec<Answer>> {
    let mut groups: std::collections::BTreeMap<(bool, &str), Vec<Answer>> =
        std::collections::BTreeMap::new();
    for (scenario, answers) in scenarios.iter().zip(answers) {
        groups.entry((scenario.is_real, &scenario.source_site)).or_default().extend(answers);
    }
    groups.into_values().collect()
}
