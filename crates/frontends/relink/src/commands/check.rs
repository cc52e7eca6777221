//! `relink check`: are the links alive?

mod check_revive;

use std::sync::Arc;

use relink_engine::{
    CheckEnd, CheckOutcome, Diagnostic, Diagnostics, EngineError, Ports, StopSignal, check,
};
use relink_model::TaskId;
use relink_ports::Clock as _;
use relink_report::human::{counted, remark};

pub use self::check_revive::dead_pages;
use super::revive::{archives, engines};
use super::signals::stop_on_signal;
use crate::cli::{CheckArgs, GlobalArgs, OutputFormat};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{FinishedRun, Reporter, RunDetails};
use crate::panic_hook;
use crate::settings::{CheckPlan, ReviveSetup, RunSettings};
use crate::wiring;

/// Checks.
pub async fn run(args: CheckArgs, face: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let settings = CheckPlan::resolve(args, clock.now())?;
    let run = &settings.run;
    let mut ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    let mut reporter = Reporter::new(run, &face, ports.clock.now())?;
    if let Some(looking) = &settings.looking {
        ports.archives = archives(looking, &ports)?;
        reporter = reporter.holding_dead_pages();
    }
    let stop = stop_on_signal();
    let outcome = match check(&ports, &settings.check, &mut reporter, &stop).await {
        Err(EngineError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // Whoever read our results has had enough.
            return Ok(Exit::Clean);
        }
        outcome => outcome?,
    };
    if let Some(looking) = settings.looking.as_ref().filter(|_| outcome.end == CheckEnd::Finished) {
        reporter.pause();
        let failures = suggest(&mut ports, looking, &settings.run, &outcome, &face, &stop).await;
        // What is only offered beside the findings must not keep them back.
        if !face.quiet {
            failures.iter().for_each(CommandError::remark);
        }
    }
    reporter.release(&ports, outcome.run).await?;
    let mut end = run_end(&ports, run, &outcome).await?;
    if stop.is_stopped() {
        end.exit = Exit::Interrupted;
    }
    reporter.finish(&ports, &end).await?;
    if run.format == OutputFormat::Jsonl && !face.quiet {
        print_problems(&outcome.loaded.problems);
    }
    let ended = match outcome.end {
        CheckEnd::NoNetwork => Err(no_network(&ports, &outcome, &end).await?),
        CheckEnd::Finished | CheckEnd::Interrupted => Ok(end.exit),
    };
    wiring::close(ports).await;
    ended
}

/// Looks for what is dead, as far as that can be done; says what cannot.
async fn suggest(
    ports: &mut Ports,
    looking: &ReviveSetup,
    run: &RunSettings,
    outcome: &CheckOutcome,
    face: &GlobalArgs,
    stop: &StopSignal,
) -> Vec<CommandError> {
    // Only now does the index know what this check has seen.
    let (engines, mut failures) = engines::open_most(looking, &run.db, ports).await;
    ports.searches = engines;
    let looked = check_revive::look(ports, &looking.revive, outcome.run, face, stop).await;
    failures.extend(looked.err());
    failures
}

/// Says beside the results what could not be read; lines of JSON have no room
/// for it.
#[expect(clippy::print_stderr, reason = "this is what stderr is for")]
fn print_problems(problems: &Diagnostics) {
    for Diagnostic { path, line, text } in &problems.remarks {
        eprintln!("problem: {}", remark(path, *line, text));
    }
    if problems.more > 0 {
        eprintln!("problem: and {} more", problems.more);
    }
}

async fn run_end(
    ports: &Ports,
    settings: &RunSettings,
    outcome: &CheckOutcome,
) -> Result<FinishedRun, CommandError> {
    let tally = outcome.tally(&*ports.store).await?;
    let failing = settings.failing(&tally);
    let exit = match outcome.end {
        CheckEnd::Interrupted => Exit::Interrupted,
        CheckEnd::NoNetwork => Exit::Inconclusive,
        CheckEnd::Finished if outcome.doubt.is_some() => Exit::Inconclusive,
        CheckEnd::Finished if failing > 0 => Exit::Findings,
        CheckEnd::Finished => panic_hook::exit(Exit::Clean),
    };
    Ok(FinishedRun {
        run: outcome.run,
        started: outcome.started,
        details: RunDetails::Check(Box::new(outcome.clone())),
        tally,
        failing,
        exit,
        finished: ports.clock.now(),
    })
}

async fn no_network(
    ports: &Ports,
    outcome: &CheckOutcome,
    end: &FinishedRun,
) -> Result<CommandError, CommandError> {
    let hosts = counted(end.tally.hosts, "host");
    let mut failure = CommandError::undecided("no host answered, so no page was judged")
        .cause(format!("{hosts} asked, none could be reached"));
    if let Some((task, probe)) = ports.store.held_tasks(outcome.run, TaskId(0), 1).await?.first() {
        failure = failure.cause(format!("{}: {}", task.url, probe.outcome));
    }
    Ok(failure.hint("is this machine online? `--offline` checks local links only"))
}
