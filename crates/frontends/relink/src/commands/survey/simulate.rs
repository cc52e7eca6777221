//! `relink survey simulate`: compares sampling plans on a catalog with known broken URLs, and
//! with Table 1 of the paper by Le and Shulman.
//!
//! A sampling plan selects the URLs to check. A federation is a catalog with its ground truth:
//! which URLs are broken.

use relink_engine::{CatalogFields, CatalogSource, read_catalog};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_report::human::{counted, grouped};
use relink_survey::simulate::{
    BreakageShape, ComparedRun, Federation, FederationShape, LE_SHULMAN_TABLE_1, compare,
};
use relink_survey::{
    DecaySimulation, DecaySimulationResult, SamplingPlanName, UrlHealth, simulate_decay,
};
use serde_json::{Value, json};

use crate::cli::{BreakageArg, ExplainFormat, SimulateArgs};
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::settings::{catalog_fields, current_dir, database};
use crate::wiring;

/// Shares of URLs that die together with their directory, in percent. Each is simulated.
const PERCENT_BY_DIRECTORY: [u8; 2] = [80, 30];
/// Weekly budget of the decay simulation, as a share of all URLs.
const DECAY_BUDGET: f64 = 0.1;
/// The first 1/4 of the weeks is not counted, because the state at the start is arbitrary.
const WARMUP_FRACTION: u32 = 4;
/// Number of URLs per domain in the decay simulation.
const URLS_PER_DOMAIN: u32 = 200;

/// Runs `relink survey simulate`.
pub async fn run(args: SimulateArgs) -> Result<Exit, CommandError> {
    let federation = load_federation(&args).await?;
    let plans =
        if args.plan.is_empty() { SamplingPlanName::ALL.to_vec() } else { args.plan.clone() };
    let runs = compare(&plans, &federation, args.runs, args.repeat, args.seed);
    let decays = decay_results(&args);
    print(&match args.format {
        ExplainFormat::Human => human_text(&args, &federation, &runs, &decays),
        ExplainFormat::Json => format!("{:#}\n", json_report(&federation, &runs, &decays)),
    })?;
    Ok(Exit::Clean)
}

/// Returns the given catalog with its ground truth, or a random catalog.
async fn load_federation(args: &SimulateArgs) -> Result<Federation, CommandError> {
    let Some(path) = &args.catalog else {
        let default = FederationShape::default();
        let shape = FederationShape {
            urls: args.urls.unwrap_or(default.urls),
            domains: args.domains.unwrap_or(default.domains),
            breakage: match args.breakage {
                BreakageArg::Clustered => BreakageShape::ByDirectory,
                BreakageArg::Scattered => BreakageShape::Scattered,
            },
            ..default
        };
        return Ok(Federation::draw(&shape, args.seed));
    };
    let fields =
        CatalogFields { ground_truth: args.truth_column.clone(), ..catalog_fields(&args.fields) };
    let store = wiring::store_for_reading(&database(None, &current_dir()?)?).await?;
    let disk = LocalFiles::new(LocalFilesSettings::default());
    let source = CatalogSource::File(path.clone());
    let read = read_catalog(&disk, &*store, &source, &fields).await?;
    if !read.has_ground_truth() {
        return Err(CommandError::usage(format!("cannot simulate on `{}`", path.display()))
            .cause("it does not state for every URL whether it is broken")
            .hint(
                "select the column with `--truth-column`; 1, true, yes, broken and dead mean broken",
            ));
    }
    let truth = read.ground_truth();
    Ok(Federation { catalog: read.catalog, ground_truth: truth })
}

/// Simulates weeks in which URLs die and revive, for each value of [`PERCENT_BY_DIRECTORY`].
fn decay_results(args: &SimulateArgs) -> Vec<(u8, DecaySimulationResult)> {
    if args.weeks == 0 {
        return Vec::new();
    }
    let simulate = |percent: u8| {
        let decay = DecaySimulation {
            urls: args.drift_urls,
            domains: (args.drift_urls / URLS_PER_DOMAIN).max(1),
            by_directory: f64::from(percent) / 100.0,
            weeks: args.weeks,
            ignored: args.weeks / WARMUP_FRACTION,
            budget: DECAY_BUDGET,
            ..DecaySimulation::default()
        };
        (percent, simulate_decay(&decay, args.seed))
    };
    PERCENT_BY_DIRECTORY.map(simulate).to_vec()
}

/// Returns the number of broken URLs.
fn broken_count(federation: &Federation) -> u64 {
    federation.ground_truth.iter().filter(|health| **health == UrlHealth::Broken).count() as u64
}

fn human_text(
    args: &SimulateArgs,
    federation: &Federation,
    runs: &[ComparedRun],
    decays: &[(u8, DecaySimulationResult)],
) -> String {
    let catalog = &federation.catalog;
    let mut text = format!(
        "{} on {}, {} broken ({:.2} %); means of {}\n\n",
        counted(catalog.len().into(), "URL"),
        counted(catalog.domains().len() as u64, "domain"),
        grouped(broken_count(federation)),
        100.0 * share(broken_count(federation), catalog.len()),
        counted(args.repeat.max(1).into(), "repetition"),
    );
    text += "plan        run  checked %  found %  rate %  interval held %   Table 1: checked %  found %  rate %\n";
    text.extend(runs.iter().map(run_line));
    if !decays.is_empty() {
        text.extend([format!(
            "\nDecay over {}, {}, at most {:.0} % of {} checked per week:\n",
            counted(args.weeks.into(), "week"),
            "deaths 0.35 % per week, revivals 0.23 %",
            100.0 * DECAY_BUDGET,
            counted(args.drift_urls.into(), "URL"),
        )]);
    }
    for (percent, outcome) in decays {
        text.extend([format!(
            "  {percent} % of deaths by directory: {:.2} % undetected, {:.1} % checked per week, {:.1} % dead\n",
            outcome.undetected, outcome.requests, outcome.dead
        )]);
    }
    text
}

/// Returns `part / all`, or 0 if `all` is 0.
fn share(part: u64, all: u32) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a part of a count of URLs")]
    let part = part as f64;
    part / f64::from(all.max(1))
}

/// Formats a row of the table: a run, and the same run in the paper.
fn run_line(run: &ComparedRun) -> String {
    let line = format!(
        "{:<10}  {:>3}  {:>9.2}  {:>7.2}  {:>6.2}  {:>15.0}",
        run.plan.as_str(),
        run.run,
        run.checked,
        run.found,
        run.rate,
        run.coverage
    );
    match run_of_paper(run) {
        None => format!("{line}\n"),
        Some(paper) => {
            format!("{line}   {:>18.2}  {:>7.2}  {:>6.2}\n", paper.checked, paper.found, paper.rate)
        }
    }
}

/// Returns the corresponding run of the paper, which only has runs of its own plan.
fn run_of_paper(run: &ComparedRun) -> Option<relink_survey::simulate::PaperRun> {
    if run.plan != SamplingPlanName::LeShulman {
        return None;
    }
    let index = usize::try_from(run.run.checked_sub(1)?).ok()?;
    LE_SHULMAN_TABLE_1.get(index).copied()
}

fn json_report(
    federation: &Federation,
    runs: &[ComparedRun],
    decays: &[(u8, DecaySimulationResult)],
) -> Value {
    let run_row = |run: &ComparedRun| {
        let paper = run_of_paper(run);
        json!({
            "plan": run.plan.as_str(),
            "run": run.run,
            "checked": run.checked,
            "found": run.found,
            "rate": run.rate,
            "interval_held": run.coverage,
            "paper": paper.map(|paper| {
                json!({ "checked": paper.checked, "found": paper.found, "rate": paper.rate })
            }),
        })
    };
    let decay_row = |(percent, outcome): &(u8, DecaySimulationResult)| {
        json!({
            "by_directory": percent,
            "undetected": outcome.undetected,
            "requests": outcome.requests,
            "dead": outcome.dead,
        })
    };
    json!({
        "urls": federation.catalog.len(),
        "domains": federation.catalog.domains().len(),
        "broken": broken_count(federation),
        "runs": runs.iter().map(run_row).collect::<Vec<_>>(),
        "drift": decays.iter().map(decay_row).collect::<Vec<_>>(),
    })
}
