//! `relink check`: checks the links of documents.

mod baseline;
mod check_revive;

use std::sync::Arc;

use relink_engine::{
    CheckEnd, CheckOutcome, Diagnostic, Diagnostics, EngineError, Input, Ports, StopSignal, check,
};
use relink_files::LocalFiles;
use relink_model::{RunId, TaskId};
use relink_ports::Clock as _;
use relink_report::human::{counted, problem};

pub use self::baseline::run as run_baseline;
pub use self::check_revive::dead_pages;
use super::decay::measure_links;
use super::revive::{archives, engines};
use super::signals::stop_on_signal;
use crate::cli::{CheckArgs, GlobalArgs, OutputFormat};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::gate::Gate;
use crate::output::{FinishedRun, Reporter, RunDetails};
use crate::panic_hook;
use crate::settings::{CheckPlan, ReviveSetup, RunSettings, link_settings};
use crate::wiring;

/// Runs `relink check`.
pub async fn run(args: CheckArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let decay_inputs = args.decay.then(|| args.inputs.clone());
    let mut settings = CheckPlan::resolve(args, clock.now())?;
    settings.gate.read_baseline()?;
    if decay_inputs.is_some() {
        // Stored results do not have the new scores.
        settings.check.load.fresh_since = jiff::Timestamp::MAX;
    }
    let run = &settings.run;
    let mut ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    ports.files = Arc::new(LocalFiles::new(settings.files.clone()));
    let mut reporter = Reporter::new(run, &global, ports.clock.now())?;
    if let Some(setup) = &settings.revive {
        ports.archives = archives(setup, &ports)?;
        reporter = reporter.with_deferred_dead_pages();
    }
    let stop = stop_on_signal();
    if let Some(inputs) = decay_inputs {
        let settings = link_settings(&settings.check.dispatch)?;
        measure_links(&ports, &run.db, &inputs, &settings, &global, &stop).await?;
    }
    let outcome = match check(&ports, &settings.check, &mut reporter, &stop).await {
        Err(EngineError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // The reader closed the pipe.
            return Ok(Exit::Clean);
        }
        outcome => outcome?,
    };
    if let Some(error) = nothing_read(&settings, &outcome) {
        wiring::close(ports).await;
        return Err(error);
    }
    if let Some(setup) = settings.revive.as_ref().filter(|_| outcome.end == CheckEnd::Finished) {
        reporter.pause();
        let failures =
            search_dead_pages(&mut ports, setup, &settings.run, outcome.run, &global, &stop).await;
        // Search errors are warnings: they must not suppress the findings.
        if !global.quiet {
            failures.iter().for_each(CommandError::warn);
        }
    }
    reporter.write_deferred(&ports, outcome.run).await?;
    let mut end = run_end(&ports, &settings, &outcome).await?;
    if stop.is_stopped() {
        end.exit = Exit::Interrupted;
    }
    reporter.finish(&ports, &end).await?;
    let has_problems = matches!(run.format, OutputFormat::Human | OutputFormat::Json);
    if !has_problems && !global.quiet {
        print_problems(&outcome.loaded.problems);
    }
    let ended = match outcome.end {
        CheckEnd::NoNetwork => Err(no_network(&ports, &outcome, &end).await?),
        CheckEnd::Finished | CheckEnd::Interrupted => Ok(end.exit),
    };
    wiring::close(ports).await;
    ended
}

/// Returns the error of a run that read no document, or no table with the column
/// that the user named: success would hide a mistake in the command line.
fn nothing_read(settings: &CheckPlan, outcome: &CheckOutcome) -> Option<CommandError> {
    let (load, loaded) = (&settings.check.load, &outcome.loaded);
    if outcome.end != CheckEnd::Finished || outcome.is_joined {
        return None;
    }
    let is_local = load.inputs.iter().all(|input| matches!(input, Input::Path(_)));
    if is_local && loaded.documents == 0 && loaded.excluded == 0 {
        let error = CommandError::usage("no document to check");
        return Some(match loaded.auxiliary {
            0 => error
                .cause("the inputs contain no file of a known format")
                .hint("use `--hidden`, `--no-ignore` or `--extensions` to read more files"),
            count => error
                .cause(format!("{} of tests and dependencies", counted(count, "document")))
                .hint("use `--no-ignore` to read them"),
        });
    }
    let mut problems = loaded.problems.entries.iter();
    let missing = problems.find(|problem| problem.text.starts_with("no column"));
    let missing = missing.filter(|_| load.read_options.column.is_some() && loaded.links == 0)?;
    let error = CommandError::usage(format!("`{}` has no such column", missing.path));
    Some(error.cause(missing.text.clone()).hint("set `--column` to the name or number of a column"))
}

/// Searches for the dead pages of a run. Returns errors instead of failing.
pub async fn search_dead_pages(
    ports: &mut Ports,
    setup: &ReviveSetup,
    run: &RunSettings,
    id: RunId,
    global: &GlobalArgs,
    stop: &StopSignal,
) -> Vec<CommandError> {
    // Open the engines after the check, so that the index contains its pages.
    let (engines, mut failures) = engines::open_available(setup, &run.db, ports).await;
    ports.search_engines = engines;
    let searched = check_revive::search(ports, &setup.revive, id, global, stop).await;
    failures.extend(searched.err());
    failures
}

/// Prints the problems with documents on stderr. JSON Lines cannot contain them.
#[expect(clippy::print_stderr, reason = "warnings go to stderr")]
fn print_problems(problems: &Diagnostics) {
    for Diagnostic { path, line, text } in &problems.entries {
        eprintln!("warning: {}", problem(path, *line, text));
    }
    if problems.omitted > 0 {
        eprintln!("warning: {} more problems", problems.omitted);
    }
}

async fn run_end(
    ports: &Ports,
    settings: &CheckPlan,
    outcome: &CheckOutcome,
) -> Result<FinishedRun, CommandError> {
    let stats = outcome.stats(&*ports.store).await?;
    let fail_on = &settings.run.fail_on;
    let gated = match outcome.end {
        CheckEnd::Finished => settings.gate.evaluate(ports, outcome.run, fail_on).await?,
        CheckEnd::NoNetwork | CheckEnd::Interrupted => None,
    };
    let (gate, failing) =
        gated.unwrap_or_else(|| (Gate::open(fail_on), settings.run.failing(&stats)));
    let exit = match outcome.end {
        CheckEnd::Interrupted => Exit::Interrupted,
        CheckEnd::NoNetwork => Exit::Inconclusive,
        CheckEnd::Finished if outcome.doubt.is_some() => Exit::Inconclusive,
        CheckEnd::Finished if failing > 0 => Exit::Findings,
        CheckEnd::Finished => panic_hook::exit(Exit::Clean),
    };
    Ok(FinishedRun {
        judging: settings.run.judging,
        run: outcome.run,
        started: outcome.started_at,
        details: RunDetails::Check(Box::new(outcome.clone())),
        stats,
        failing,
        gate,
        exit,
        finished: ports.clock.now(),
    })
}

async fn no_network(
    ports: &Ports,
    outcome: &CheckOutcome,
    end: &FinishedRun,
) -> Result<CommandError, CommandError> {
    let hosts = counted(end.stats.hosts, "host");
    let mut error = CommandError::inconclusive("no host responded, so no page was judged")
        .cause(format!("{hosts} contacted, none could be reached"));
    if let Some((task, probe)) = ports.store.held_tasks(outcome.run, TaskId(0), 1).await?.first() {
        error = error.cause(format!("{}: {}", task.url, probe.outcome));
    }
    Ok(error.hint("check your network connection, or use `--offline` to check local links only"))
}
