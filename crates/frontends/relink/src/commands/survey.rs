//! `relink survey`: finds most broken URLs of a catalog with few requests.

mod analyze;
mod simulate;

use std::sync::Arc;

use relink_engine::{
    EngineError, LoadedCatalog, Ports, SurveyEnd, SurveyOutcome, read_catalog, survey,
};
use relink_model::TaskId;
use relink_report::human::counted;

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
    let read = read_catalog(&*ports.files, &*ports.store, &plan.source, &plan.fields).await?;
    check_domains(&read, &plan.explain)?;
    if !global.quiet {
        print_problems(&read);
    }
    let mut reporter = Reporter::new(run, &global, ports.clock.now())?;
    let stop = stop_on_signal();
    let outcome = match survey(&ports, &plan.survey, &read, &mut reporter, &stop).await {
        Err(EngineError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // The reader closed the pipe.
            return Ok(Exit::Clean);
        }
        outcome => outcome?,
    };
    let end = run_end(&ports, run, &outcome).await?;
    reporter.finish(&ports, &end).await?;
    if run.format == OutputFormat::Human {
        explain(&outcome, &plan.explain)?;
    }
    match outcome.end {
        SurveyEnd::NoNetwork => Err(no_network(&ports, &outcome).await?),
        _ => Ok(end.exit),
    }
}

/// Returns an error if a domain to explain is not in the catalog. This is checked
/// before the survey starts.
fn check_domains(read: &LoadedCatalog, domains: &[String]) -> Result<(), CommandError> {
    let catalog = &read.catalog;
    let exists =
        |name: &String| catalog.domains().any(|domain| catalog.domain_name(domain) == name);
    match domains.iter().find(|name| !exists(name)) {
        None => Ok(()),
        Some(missing) => Err(CommandError::usage(format!("cannot explain `{missing}`"))
            .cause(format!("`{}` has no such domain", read.label))
            .hint("run `relink survey -v` to list all domains")),
    }
}

/// Prints the rows of the catalog that were skipped.
#[expect(clippy::print_stderr, reason = "warnings go to stderr")]
fn print_problems(read: &LoadedCatalog) {
    let shown = |text: &str| relink_report::printable(text).into_owned();
    for (line, text) in &read.problems {
        eprintln!("warning: {}:{line}: {}", shown(&read.label), shown(text));
    }
    let more = read.problem_count - read.problems.len() as u64;
    if more > 0 {
        eprintln!("warning: {} skipped", counted(more, "more row"));
    }
}

fn explain(outcome: &SurveyOutcome, domains: &[String]) -> Result<(), CommandError> {
    let report = &outcome.report;
    for domain in report.domains.iter().filter(|domain| domains.contains(&domain.name)) {
        print(&explain_domain(domain))?;
    }
    Ok(())
}

async fn run_end(
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
            panic_hook::exit(Exit::Clean)
        }
    };
    Ok(FinishedRun {
        judging: settings.judging,
        run: outcome.run,
        started: outcome.started_at,
        details: RunDetails::Survey(Box::new(outcome.clone())),
        stats,
        failing,
        gate: Gate::open(&settings.fail_on),
        exit,
        finished: ports.clock.now(),
    })
}

async fn no_network(ports: &Ports, outcome: &SurveyOutcome) -> Result<CommandError, CommandError> {
    let mut error = CommandError::inconclusive("no host responded, so nothing was surveyed");
    if let Some((task, probe)) = ports.store.held_tasks(outcome.run, TaskId(0), 1).await?.first() {
        error = error.cause(format!("{}: {}", task.url, probe.outcome));
    }
    Ok(error.hint("check your network connection"))
}
