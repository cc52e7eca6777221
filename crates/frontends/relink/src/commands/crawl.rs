//! `relink crawl`: crawls a site and checks every link on it.
//!
//! A crawl ends in *doubt* if the local network may have caused its failures. A *held* task
//! failed before the network was known to work, so the task has no result yet.

use std::sync::Arc;

use relink_engine::{CrawlEnd, CrawlOutcome, crawl};
use relink_ports::{CheckedTargetQuery, Clock as _, RunSummary};
use relink_report::human::{counted, grouped};
use relink_report::printable;
use relink_requests::{EngineError, Ports};

use super::BEFORE_FIRST_TASK;
use super::export;
use super::signals::stop_on_signal;
use crate::cli::{CrawlArgs, CrawlCommand, GlobalArgs};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::gate::Gate;
use crate::output::{FinishedRun, Reporter, RunDetails, print};
use crate::panic_hook;
use crate::settings::{CrawlPlan, RunSettings, current_dir, database};
use crate::wiring;

/// Maximum number of crawls listed by `status`.
const MAX_LISTED: usize = 20;

/// Runs `relink crawl`.
pub async fn run(args: CrawlArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    if let Some(CrawlCommand::Status { db }) = args.command {
        let db = database(db, &current_dir()?)?;
        let store = wiring::store_for_reading(&db).await?;
        let runs = store.runs(Some("crawl"), MAX_LISTED).await?;
        return print(&status_text(&runs)).map(|()| Exit::Clean);
    }
    let clock = RunClock::start()?;
    let plan = CrawlPlan::resolve(args, clock.now())?;
    let run = &plan.run;
    let ports = wiring::ports_with_browser(run, plan.crawl.render, Arc::new(clock)).await?;
    let mut reporter = Reporter::new(run, &global, ports.clock.now())?;
    let stop = stop_on_signal();
    let outcome = match crawl(&ports, &plan.crawl, &mut reporter, &stop).await {
        Err(EngineError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // The reader of the output, such as `head`, closed the pipe.
            return Ok(Exit::Clean);
        }
        outcome => outcome?,
    };
    let finished = finished_run(&ports, run, &outcome).await?;
    reporter.finish(&ports, &finished).await?;
    for export in &plan.exports {
        export::write(&ports, outcome.run, export).await?;
    }
    match outcome.end {
        CrawlEnd::NoNetwork => Err(no_network_error(&ports, &outcome).await?),
        _ if is_clean_but_empty(&ports, &outcome, finished.exit).await? => {
            Err(empty_crawl_error(&ports, &outcome, plan.crawl.seeds.len()).await?)
        }
        _ => Ok(finished.exit),
    }
}

/// Whether the crawl has no findings because it read no page. Such a crawl is
/// inconclusive.
async fn is_clean_but_empty(
    ports: &Ports,
    outcome: &CrawlOutcome,
    exit: Exit,
) -> Result<bool, CommandError> {
    if exit != Exit::Clean {
        return Ok(false);
    }
    let runs = ports.store.runs(Some("crawl"), usize::MAX).await?;
    Ok(runs.iter().any(|run| run.id == outcome.run && run.pages == 0))
}

/// Returns the error of a crawl that has read no page. The causes say why each start page
/// was not read.
async fn empty_crawl_error(
    ports: &Ports,
    outcome: &CrawlOutcome,
    start_pages: usize,
) -> Result<CommandError, CommandError> {
    let mut error = CommandError::inconclusive("no page was read, so nothing was crawled");
    // The start pages are the first targets of a crawl.
    let query =
        CheckedTargetQuery { limit: start_pages, max_locations: 0, ..CheckedTargetQuery::ALL };
    for start_page in ports.store.checked_targets(outcome.run, query).await? {
        error = error.cause(format!("{}: {}", start_page.url, start_page.result.reason));
    }
    if outcome.end == CrawlEnd::TimeLimitReached {
        error = error.cause("the time limit was reached");
    }
    Ok(error.hint("start at a page that robots.txt allows, or try again later"))
}

/// Returns the statistics and the exit code of a crawl.
async fn finished_run(
    ports: &Ports,
    settings: &RunSettings,
    outcome: &CrawlOutcome,
) -> Result<FinishedRun, CommandError> {
    let stats = ports.store.run_stats(outcome.run).await?;
    let failing = settings.failing(&stats);
    let exit = match outcome.end {
        CrawlEnd::Interrupted => Exit::Interrupted,
        CrawlEnd::NoNetwork => Exit::Inconclusive,
        CrawlEnd::Finished if outcome.doubt.is_some() => Exit::Inconclusive,
        // A site is broken if a large share of its pages returns server errors.
        _ if failing > 0 || outcome.errors.is_broken_site() => Exit::Findings,
        // The host stopped responding, so the site is down.
        CrawlEnd::BlockedByHost { is_silent: true, .. } => Exit::Findings,
        // The host rejects the crawler, so most pages may be unknown.
        CrawlEnd::BlockedByHost { .. } => Exit::Inconclusive,
        CrawlEnd::Finished | CrawlEnd::TimeLimitReached => panic_hook::exit_code(Exit::Clean),
    };
    Ok(FinishedRun {
        judging: settings.judging,
        run: outcome.run,
        started_at: outcome.started_at,
        details: RunDetails::Crawl(Box::new(outcome.clone())),
        stats,
        failing_findings: failing,
        gate: Gate::without_exemptions(&settings.fail_on),
        exit,
        finished_at: ports.clock.now(),
    })
}

/// Returns the error of a crawl without a network, with the first failure as its cause.
async fn no_network_error(
    ports: &Ports,
    outcome: &CrawlOutcome,
) -> Result<CommandError, CommandError> {
    let mut error = CommandError::inconclusive("no host responded, so nothing was crawled");
    let held_tasks = ports.store.held_tasks(outcome.run, BEFORE_FIRST_TASK, 1).await?;
    if let Some((task, probe)) = held_tasks.first() {
        error = error.cause(format!("{}: {}", task.url, probe.outcome));
    }
    Ok(error.hint("check your network connection and the URL"))
}

fn status_text(runs: &[RunSummary]) -> String {
    if runs.is_empty() {
        return "No crawls yet. Start with `relink crawl URL`.\n".to_owned();
    }
    runs.iter().map(status_line).collect()
}

/// Formats a crawl:
/// `#3  https://site.example/  finished 2026-11-16 03:20  864 pages, 1,204 of 1,204 targets`
fn status_line(run: &RunSummary) -> String {
    // A crawl that was closed but not finished was replaced by a newer one.
    let state = match (run.is_finished, run.closed_at) {
        (true, Some(closed)) => format!("finished {}", closed.strftime("%Y-%m-%d %H:%M")),
        (_, Some(closed)) => format!("abandoned {}", closed.strftime("%Y-%m-%d %H:%M")),
        (_, None) => {
            format!(
                "unfinished since {}; run the same command to resume",
                run.started_at.strftime("%Y-%m-%d %H:%M")
            )
        }
    };
    let (checked, targets) = (grouped(run.checked), grouped(run.targets));
    let pages = counted(run.pages, "page");
    let inputs = run.inputs.join(" ");
    format!(
        "#{}  {}  {state}  {pages}, {checked} of {targets} targets\n",
        run.id,
        printable(&inputs)
    )
}
