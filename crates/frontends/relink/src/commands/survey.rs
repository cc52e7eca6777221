//! `relink survey`: finds most broken URLs of a catalog with few requests.
//!
//! A catalog is a list of URLs. A held task failed before the network was known to work, so
//! the task has no result yet.

mod analyze;
mod simulate;

use std::sync::Arc;

use relink_engine::{LoadedCatalog, SurveyEnd, SurveyOutcome, read_catalog, survey};
use relink_report::human::counted;
use relink_report::printable;
use relink_requests::{EngineError, Ports};

use super::BEFORE_FIRST_TASK;
use super::signals::stop_on_signal;
use crate::cli::{GlobalArgs, OutputFormat, SurveyArgs, SurveyCommand};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::gate::Gate;
use crate::output::{FinishedRun, Reporter, RunDetails, explain_domain, print};
use crate::panic_hook;
use crate::settings::{RunSettings, SurveyPlan};
use crate::wiring;

/// Runs `relink survey` or one of its subcommands.
pub async fn run(args: SurveyArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    match args.command {
        Some(SurveyCommand::Analyze(args)) => analyze::run(args).await,
        Some(SurveyCommand::Simulate(args)) => simulate::run(args).await,
        None => run_survey(args, global).await,
    }
}

async fn run_survey(args: SurveyArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let plan = SurveyPlan::resolve(args)?;
    let run = &plan.run;
    let ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    let catalog = read_catalog(&*ports.files, &*ports.store, &plan.source, &plan.fields).await?;
    check_domains(&catalog, &plan.explain)?;
    if !global.quiet {
        print_problems(&catalog);
    }
    let mut reporter = Reporter::new(run, &global, ports.clock.now())?;
    let stop = stop_on_signal();
    let outcome = match survey(&ports, &plan.survey, &catalog, &mut reporter, &stop).await {
        Err(EngineError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // The reader of the output, such as `head`, closed the pipe.
            return Ok(Exit::Clean);
        }
        outcome => outcome?,
    };
    let finished = finished_run(&ports, run, &outcome).await?;
    reporter.finish(&ports, &finished).await?;
    if run.format == OutputFormat::Human {
        print_domain_details(&outcome, &plan.explain)?;
    }
    match outcome.end {
        SurveyEnd::NoNetwork => Err(no_network_error(&ports, &outcome).await?),
        _ => Ok(finished.exit),
    }
}

/// Returns an error if a domain of `--explain` is not in the catalog. Called before the
/// first request.
fn check_domains(loaded: &LoadedCatalog, domains: &[String]) -> Result<(), CommandError> {
    let catalog = &loaded.catalog;
    let is_in_catalog =
        |name: &String| catalog.domains().any(|domain| catalog.domain_name(domain) == name);
    match domains.iter().find(|name| !is_in_catalog(name)) {
        None => Ok(()),
        Some(missing) => Err(CommandError::usage(format!("cannot explain `{missing}`"))
            .cause(format!("`{}` has no such domain", loaded.label))
            .hint("run `relink survey -v` to list all domains")),
    }
}

/// Prints the rows of the catalog that were skipped.
#[expect(clippy::print_stderr, reason = "warnings go to stderr")]
fn print_problems(loaded: &LoadedCatalog) {
    for (line, text) in &loaded.problems {
        eprintln!("warning: {}:{line}: {}", printable(&loaded.label), printable(text));
    }
    let more = loaded.problem_count - loaded.problems.len() as u64;
    if more > 0 {
        eprintln!("warning: {} skipped", counted(more, "more row"));
    }
}

/// Prints the details of the domains of `--explain`.
fn print_domain_details(outcome: &SurveyOutcome, domains: &[String]) -> Result<(), CommandError> {
    let report = &outcome.report;
    for domain in report.domains.iter().filter(|domain| domains.contains(&domain.name)) {
        print(&explain_domain(domain))?;
    }
    Ok(())
}

/// Returns the statistics and the exit code of a survey.
async fn finished_run(
    ports: &Ports,
    settings: &RunSettings,
    outcome: &SurveyOutcome,
) -> Result<FinishedRun, CommandError> {
    let stats = ports.store.run_stats(outcome.run).await?;
    let failing = settings.failing(&stats);
    let exit = match outcome.end {
        SurveyEnd::Interrupted => Exit::Interrupted,
        SurveyEnd::NoNetwork => Exit::Inconclusive,
        _ if failing > 0 => Exit::Findings,
        SurveyEnd::Finished | SurveyEnd::UpToDate | SurveyEnd::BudgetSpent => {
            panic_hook::exit_code(Exit::Clean)
        }
    };
    Ok(FinishedRun {
        judging: settings.judging,
        run: outcome.run,
        started_at: outcome.started_at,
        details: RunDetails::Survey(Box::new(outcome.clone())),
        stats,
        failing_findings: failing,
        gate: Gate::without_exemptions(&settings.fail_on),
        exit,
        finished_at: ports.clock.now(),
    })
}

/// Returns the error of a survey without a network, with the first failure as its cause.
async fn no_network_error(
    ports: &Ports,
    outcome: &SurveyOutcome,
) -> Result<CommandError, CommandError> {
    let mut error = CommandError::inconclusive("no host responded, so nothing was surveyed");
    let held_tasks = ports.store.held_tasks(outcome.run, BEFORE_FIRST_TASK, 1).await?;
    if let Some((task, probe)) = held_tasks.first() {
        error = error.cause(format!("{}: {}", task.url, probe.outcome));
    }
    Ok(error.hint("check your network connection"))
}
