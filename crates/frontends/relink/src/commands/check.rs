//! `relink check`: checks the links of documents.
//!
//! A run ends in *doubt* if the local network may have caused its failures. A *gate*
//! selects the findings that fail the run. A *held* task failed before the network was
//! known to work, so the task has no result yet.

mod baseline;
mod check_revive;

use std::sync::Arc;

use relink_documents::{Diagnostic, Diagnostics, Input};
use relink_engine::{CheckEnd, CheckOutcome, check};
use relink_files::LocalFiles;
use relink_model::RunId;
use relink_ports::Clock as _;
use relink_report::human::{counted, problem};
use relink_requests::{EngineError, Ports, StopSignal};

pub use self::baseline::run as run_baseline;
pub use self::check_revive::dead_pages;
use super::BEFORE_FIRST_TASK;
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

/// The first words of the problem that the loader reports for a table without the column of
/// `--column`.
const NO_COLUMN: &str = "no column";

/// Runs `relink check`.
pub async fn run(args: CheckArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let decay_inputs = args.decay.then(|| args.inputs.clone());
    let mut settings = CheckPlan::resolve(args, clock.now())?;
    settings.gate.read_baseline()?;
    if decay_inputs.is_some() {
        // Reuse no stored result, because stored results lack the scores measured now.
        settings.check.load.fresh_since = jiff::Timestamp::MAX;
    }
    let run = &settings.run;
    let mut ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    ports.files = Arc::new(LocalFiles::new(settings.files.clone()));
    let mut reporter = Reporter::new(run, &global, ports.clock.now())?;
    if let Some(setup) = &settings.revive {
        ports.archives = archives(setup, &ports)?;
        // Dead pages are printed after the search, together with their new URLs.
        reporter = reporter.with_deferred_dead_pages();
    }
    let stop = stop_on_signal();
    if let Some(inputs) = decay_inputs {
        let measure_settings = link_settings(&settings.check.dispatch)?;
        measure_links(&ports, &run.db, &inputs, &measure_settings, &global, &stop).await?;
    }
    let outcome = match check(&ports, &settings.check, &mut reporter, &stop).await {
        Err(EngineError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // The reader of the output, such as `head`, closed the pipe.
            return Ok(Exit::Clean);
        }
        outcome => outcome?,
    };
    if let Some(error) = unread_input_error(&settings, &outcome) {
        wiring::close(ports).await;
        return Err(error);
    }
    if let Some(setup) = settings.revive.as_ref().filter(|_| outcome.end == CheckEnd::Finished) {
        reporter.pause();
        let failures =
            search_dead_pages(&mut ports, setup, &settings.run, outcome.run, &global, &stop).await;
        // Search errors are only warnings, so that the findings are still reported.
        if !global.quiet {
            failures.iter().for_each(CommandError::warn);
        }
    }
    let finished = finish_reports(reporter, &ports, &settings, &outcome, &stop).await?;
    let report_has_problems = matches!(run.format, OutputFormat::Human | OutputFormat::Json);
    if !report_has_problems && !global.quiet {
        print_problems(&outcome.loaded.problems);
    }
    let result = match outcome.end {
        CheckEnd::NoNetwork => Err(no_network_error(&ports, &outcome, &finished).await?),
        CheckEnd::Finished | CheckEnd::Interrupted => Ok(finished.exit),
    };
    wiring::close(ports).await;
    result
}

/// Writes the deferred findings and the end of all reports. Returns the statistics and the
/// exit code of the run.
async fn finish_reports(
    mut reporter: Reporter,
    ports: &Ports,
    settings: &CheckPlan,
    outcome: &CheckOutcome,
    stop: &StopSignal,
) -> Result<FinishedRun, CommandError> {
    reporter.write_deferred(ports, outcome.run).await?;
    let mut finished = finished_run(ports, settings, outcome).await?;
    if stop.is_stopped() {
        finished.exit = Exit::Interrupted;
    }
    reporter.finish(ports, &finished).await?;
    Ok(finished)
}

/// Returns an error if the run read no document, or if the input table lacks the column of
/// `--column`. Without the error, the user would not notice the mistake in the command line.
fn unread_input_error(settings: &CheckPlan, outcome: &CheckOutcome) -> Option<CommandError> {
    let (load, loaded) = (&settings.check.load, &outcome.loaded);
    // A joined run was started by another process, which read the documents.
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
                .cause(format!(
                    "the inputs contain only {} of tests or dependencies",
                    counted(count, "document")
                ))
                .hint("use `--no-ignore` to read them"),
        });
    }
    if load.read_options.column.is_none() || loaded.links > 0 {
        return None;
    }
    let mut problems = loaded.problems.entries.iter();
    let problem = problems.find(|problem| problem.text.starts_with(NO_COLUMN))?;
    let error = CommandError::usage(format!("`{}` has no such column", problem.path))
        .cause(problem.text.clone())
        .hint("set `--column` to the name or number of a column");
    Some(error)
}

/// Searches for new URLs of the dead pages of a run. An unavailable search engine does not
/// stop the search. Returns all errors.
pub async fn search_dead_pages(
    ports: &mut Ports,
    setup: &ReviveSetup,
    settings: &RunSettings,
    run: RunId,
    global: &GlobalArgs,
    stop: &StopSignal,
) -> Vec<CommandError> {
    // Open the engines after the check, so that the local index contains the checked pages.
    let (engines, mut failures) = engines::open_available(setup, &settings.db, ports).await;
    ports.search_engines = engines;
    let result = check_revive::search(ports, &setup.revive, run, global, stop).await;
    failures.extend(result.err());
    failures
}

/// Prints the problems with documents on stderr.
#[expect(clippy::print_stderr, reason = "warnings go to stderr")]
fn print_problems(problems: &Diagnostics) {
    for Diagnostic { path, line, text } in &problems.entries {
        eprintln!("warning: {}", problem(path, *line, text));
    }
    if problems.omitted > 0 {
        eprintln!("warning: {} more problems", problems.omitted);
    }
}

/// Returns the statistics and the exit code of a run.
async fn finished_run(
    ports: &Ports,
    settings: &CheckPlan,
    outcome: &CheckOutcome,
) -> Result<FinishedRun, CommandError> {
    let stats = outcome.stats(&*ports.store).await?;
    let fail_on = &settings.run.fail_on;
    let gate_result = match outcome.end {
        CheckEnd::Finished => settings.gate.evaluate(ports, outcome.run, fail_on).await?,
        CheckEnd::NoNetwork | CheckEnd::Interrupted => None,
    };
    let (gate, failing_findings) = match gate_result {
        Some((gate, failing_findings)) => (gate, failing_findings),
        None => (Gate::without_exemptions(fail_on), settings.run.failing(&stats)),
    };
    let exit = match outcome.end {
        CheckEnd::Interrupted => Exit::Interrupted,
        CheckEnd::NoNetwork => Exit::Inconclusive,
        CheckEnd::Finished if outcome.doubt.is_some() => Exit::Inconclusive,
        CheckEnd::Finished if failing_findings > 0 => Exit::Findings,
        CheckEnd::Finished => panic_hook::exit_code(Exit::Clean),
    };
    Ok(FinishedRun {
        judging: settings.run.judging,
        run: outcome.run,
        started_at: outcome.started_at,
        details: RunDetails::Check(Box::new(outcome.clone())),
        stats,
        failing_findings,
        gate,
        exit,
        finished_at: ports.clock.now(),
    })
}

/// Returns the error of a run without a network, with the first failure as its cause.
async fn no_network_error(
    ports: &Ports,
    outcome: &CheckOutcome,
    finished: &FinishedRun,
) -> Result<CommandError, CommandError> {
    let hosts = counted(finished.stats.hosts, "host");
    let mut error = CommandError::inconclusive("no host responded, so no page was judged")
        .cause(format!("{hosts} contacted, none could be reached"));
    let held_tasks = ports.store.held_tasks(outcome.run, BEFORE_FIRST_TASK, 1).await?;
    if let Some((task, probe)) = held_tasks.first() {
        error = error.cause(format!("{}: {}", task.url, probe.outcome));
    }
    Ok(error.hint("check your network connection, or use `--offline` to check local links only"))
}
