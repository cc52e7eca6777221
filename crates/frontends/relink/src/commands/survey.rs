//! `relink survey`: most of what is broken in a catalog, with few requests.

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
use crate::output::{FinishedRun, Reporter, RunDetails, explain_domain, print};
use crate::panic_hook;
use crate::settings::{RunSettings, SurveyPlan};
use crate::wiring;

/// Surveys, or tells of catalogs.
pub async fn run(args: SurveyArgs, face: GlobalArgs) -> Result<Exit, CommandError> {
    match args.command {
        Some(SurveyCommand::Analyze(args)) => analyze::run(args).await,
        Some(SurveyCommand::Simulate(args)) => simulate::run(args).await,
        None => run_survey(args, face).await,
    }
}

async fn run_survey(args: SurveyArgs, face: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let plan = SurveyPlan::resolve(args)?;
    let run = &plan.run;
    let ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    let read = read_catalog(&*ports.files, &*ports.store, &plan.source, &plan.fields).await?;
    check_domains(&read, &plan.explain)?;
    if !face.quiet {
        print_problems(&read);
    }
    let mut reporter = Reporter::new(run, &face, ports.clock.now())?;
    let stop = stop_on_signal();
    let outcome = match survey(&ports, &plan.survey, &read, &mut reporter, &stop).await {
        Err(EngineError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // Whoever read our results has had enough.
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

/// Domains to explain must be there; better said now than after an hour.
fn check_domains(read: &LoadedCatalog, domains: &[String]) -> Result<(), CommandError> {
    let catalog = &read.catalog;
    let is_there =
        |wanted: &String| catalog.domains().any(|domain| catalog.domain_name(domain) == wanted);
    match domains.iter().find(|wanted| !is_there(wanted)) {
        None => Ok(()),
        Some(missing) => Err(CommandError::usage(format!("cannot explain `{missing}`"))
            .cause(format!("`{}` has no such domain", read.label))
            .hint("`relink survey -v` tells of every domain")),
    }
}

/// Says beside the results what was not taken from the catalog.
#[expect(clippy::print_stderr, reason = "this is what stderr is for")]
fn print_problems(read: &LoadedCatalog) {
    let shown = |text: &str| relink_report::printable(text).into_owned();
    for (line, text) in &read.problems {
        eprintln!("problem: {}:{line}: {}", shown(&read.label), shown(text));
    }
    let more = read.problem_count - read.problems.len() as u64;
    if more > 0 {
        eprintln!("problem: and {} more", counted(more, "row"));
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
    let tally = ports.store.run_stats(outcome.run).await?;
    let failing = settings.failing(&tally);
    let exit = match outcome.end {
        SurveyEnd::Interrupted => Exit::Interrupted,
        SurveyEnd::NoNetwork => Exit::Inconclusive,
        _ if failing > 0 => Exit::Findings,
        SurveyEnd::Finished | SurveyEnd::UpToDate | SurveyEnd::BudgetSpent => {
            panic_hook::exit(Exit::Clean)
        }
    };
    Ok(FinishedRun {
        run: outcome.run,
        started: outcome.started,
        details: RunDetails::Survey(Box::new(outcome.clone())),
        tally,
        failing,
        exit,
        finished: ports.clock.now(),
    })
}

async fn no_network(ports: &Ports, outcome: &SurveyOutcome) -> Result<CommandError, CommandError> {
    let mut failure = CommandError::undecided("no host answered, so nothing was surveyed");
    if let Some((task, probe)) = ports.store.held_tasks(outcome.run, TaskId(0), 1).await?.first() {
        failure = failure.cause(format!("{}: {}", task.url, probe.outcome));
    }
    Ok(failure.hint("is this machine online?"))
}
