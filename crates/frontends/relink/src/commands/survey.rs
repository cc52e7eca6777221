//! `relink survey`: most of what is broken in a catalogue, with few requests.

mod analyze;
mod simulate;

use std::sync::Arc;

use relink_engine::{
    EngineFault, Ports, ReadCatalogue, SurveyEnd, SurveyOutcome, read_catalogue, survey,
};
use relink_model::ErrandId;
use relink_report::human::counted;

use super::signals::stop_on_signal;
use crate::cli::{Face, Format, SurveyArgs, SurveyCommand};
use crate::clock::RunClock;
use crate::failure::{Exit, Failure};
use crate::output::{Reporter, RunEnd, Story, explain_domain, print};
use crate::panic_hook;
use crate::settings::{RunSettings, SurveyPlan};
use crate::wiring;

/// Surveys, or tells of catalogues.
pub async fn run(args: SurveyArgs, face: Face) -> Result<Exit, Failure> {
    match args.command {
        Some(SurveyCommand::Analyze(args)) => analyze::run(args).await,
        Some(SurveyCommand::Simulate(args)) => simulate::run(args).await,
        None => run_survey(args, face).await,
    }
}

async fn run_survey(args: SurveyArgs, face: Face) -> Result<Exit, Failure> {
    let clock = RunClock::start()?;
    let plan = SurveyPlan::resolve(args)?;
    let run = &plan.run;
    let ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    let read = read_catalogue(&*ports.files, &*ports.store, &plan.source, &plan.fields).await?;
    check_domains(&read, &plan.explain)?;
    if !face.quiet {
        tell_problems(&read);
    }
    let mut reporter = Reporter::new(run, &face, ports.clock.now())?;
    let stop = stop_on_signal();
    let outcome = match survey(&ports, &plan.survey, &read, &mut reporter, &stop).await {
        Err(EngineFault::Output(fault)) if fault.kind() == std::io::ErrorKind::BrokenPipe => {
            // Whoever read our results has had enough.
            return Ok(Exit::Clean);
        }
        outcome => outcome?,
    };
    let end = run_end(&ports, run, &outcome).await?;
    reporter.finish(&ports, &end).await?;
    if run.format == Format::Human {
        explain(&outcome, &plan.explain)?;
    }
    match outcome.end {
        SurveyEnd::NoNetwork => Err(no_network(&ports, &outcome).await?),
        _ => Ok(end.exit),
    }
}

/// Domains to explain must be there; better said now than after an hour.
fn check_domains(read: &ReadCatalogue, domains: &[String]) -> Result<(), Failure> {
    let catalogue = &read.catalogue;
    let is_there =
        |wanted: &String| catalogue.domains().any(|domain| catalogue.domain_name(domain) == wanted);
    match domains.iter().find(|wanted| !is_there(wanted)) {
        None => Ok(()),
        Some(missing) => Err(Failure::usage(format!("cannot explain `{missing}`"))
            .cause(format!("`{}` has no such domain", read.label))
            .hint("`relink survey -v` tells of every domain")),
    }
}

/// Says beside the results what was not taken from the catalogue.
#[expect(clippy::print_stderr, reason = "this is what stderr is for")]
fn tell_problems(read: &ReadCatalogue) {
    let shown = |text: &str| relink_report::printable(text).into_owned();
    for (line, text) in &read.problems {
        eprintln!("problem: {}:{line}: {}", shown(&read.label), shown(text));
    }
    let more = read.problem_count - read.problems.len() as u64;
    if more > 0 {
        eprintln!("problem: and {} more", counted(more, "row"));
    }
}

fn explain(outcome: &SurveyOutcome, domains: &[String]) -> Result<(), Failure> {
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
) -> Result<RunEnd, Failure> {
    let tally = ports.store.tally(outcome.run).await?;
    let failing = settings.failing(&tally);
    let exit = match outcome.end {
        SurveyEnd::Interrupted => Exit::Interrupted,
        SurveyEnd::NoNetwork => Exit::Undecided,
        _ if failing > 0 => Exit::Findings,
        SurveyEnd::Finished | SurveyEnd::UpToDate | SurveyEnd::BudgetSpent => {
            panic_hook::exit(Exit::Clean)
        }
    };
    Ok(RunEnd {
        run: outcome.run,
        started: outcome.started,
        story: Story::Survey(Box::new(outcome.clone())),
        tally,
        failing,
        exit,
        finished: ports.clock.now(),
    })
}

async fn no_network(ports: &Ports, outcome: &SurveyOutcome) -> Result<Failure, Failure> {
    let mut failure = Failure::undecided("no host answered, so nothing was surveyed");
    if let Some((errand, probe)) = ports.store.held(outcome.run, ErrandId(0), 1).await?.first() {
        failure = failure.cause(format!("{}: {}", errand.url, probe.ending));
    }
    Ok(failure.hint("is this machine online?"))
}
