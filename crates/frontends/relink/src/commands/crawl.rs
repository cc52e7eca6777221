//! `relink crawl`: the whole health of a site.

use std::sync::Arc;

use relink_engine::{CrawlEnd, CrawlOutcome, EngineError, Ports, crawl};
use relink_model::TaskId;
use relink_ports::{CheckedTargetQuery, Clock as _, RunSummary};
use relink_report::human::{counted, grouped};
use relink_report::printable;

use super::export;
use super::signals::stop_on_signal;
use crate::cli::{CrawlArgs, CrawlCommand, GlobalArgs};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{FinishedRun, Reporter, RunDetails, print};
use crate::panic_hook;
use crate::settings::{CrawlPlan, RunSettings, current_folder, database};
use crate::wiring;

/// Crawls that are listed.
const LISTED: usize = 20;

/// Crawls, or tells of crawls.
pub async fn run(args: CrawlArgs, face: GlobalArgs) -> Result<Exit, CommandError> {
    if let Some(CrawlCommand::Status { db }) = args.command {
        let db = database(db, &current_folder()?)?;
        let store = wiring::store_for_reading(&db).await?;
        let runs = store.runs(Some("crawl"), LISTED).await?;
        return print(&status(&runs)).map(|()| Exit::Clean);
    }
    let clock = RunClock::start()?;
    let plan = CrawlPlan::resolve(args, clock.now())?;
    let run = &plan.run;
    let ports = wiring::ports_with_browser(run, plan.crawl.render, Arc::new(clock)).await?;
    let mut reporter = Reporter::new(run, &face, ports.clock.now())?;
    let stop = stop_on_signal();
    let outcome = match crawl(&ports, &plan.crawl, &mut reporter, &stop).await {
        Err(EngineError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // Whoever read our results has had enough.
            return Ok(Exit::Clean);
        }
        outcome => outcome?,
    };
    let end = run_end(&ports, run, &outcome).await?;
    reporter.finish(&ports, &end).await?;
    for wanted in &plan.exports {
        export::write(&ports, outcome.run, wanted).await?;
    }
    match outcome.end {
        CrawlEnd::NoNetwork => Err(no_network(&ports, &outcome).await?),
        _ if has_read_nothing(&ports, &outcome, end.exit).await? => {
            Err(nothing_read(&ports, &outcome, plan.crawl.seeds.len()).await?)
        }
        _ => Ok(end.exit),
    }
}

/// Whether a crawl without findings has read no page at all, which says nothing
/// about the site.
async fn has_read_nothing(
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

/// The failure of a crawl that has read no page, with the reasons of its start
/// pages.
async fn nothing_read(
    ports: &Ports,
    outcome: &CrawlOutcome,
    seeds: usize,
) -> Result<CommandError, CommandError> {
    let mut failure = CommandError::undecided("no page was read, so nothing was crawled");
    let query = CheckedTargetQuery { limit: seeds, locations: 0, ..CheckedTargetQuery::ALL };
    for start in ports.store.checked_targets(outcome.run, query).await? {
        failure = failure.cause(format!("{}: {}", start.url, start.result.reason));
    }
    if outcome.end == CrawlEnd::TimeLimitReached {
        failure = failure.cause("the time was up");
    }
    Ok(failure.hint("start at a page that its host lets programs read, or try again later"))
}

async fn run_end(
    ports: &Ports,
    settings: &RunSettings,
    outcome: &CrawlOutcome,
) -> Result<FinishedRun, CommandError> {
    let tally = ports.store.run_stats(outcome.run).await?;
    let failing = settings.failing(&tally);
    let exit = match outcome.end {
        CrawlEnd::Interrupted => Exit::Interrupted,
        CrawlEnd::NoNetwork => Exit::Inconclusive,
        CrawlEnd::Finished if outcome.doubt.is_some() => Exit::Inconclusive,
        _ if failing > 0 || outcome.errors.is_serious() => Exit::Findings,
        // The site is down, as far as can be said from here.
        CrawlEnd::BlockedByHost { is_silent: true, .. } => Exit::Findings,
        // Most of the site may not have been seen.
        CrawlEnd::BlockedByHost { .. } => Exit::Inconclusive,
        CrawlEnd::Finished | CrawlEnd::TimeLimitReached => panic_hook::exit(Exit::Clean),
    };
    Ok(FinishedRun {
        run: outcome.run,
        started: outcome.started,
        details: RunDetails::Crawl(Box::new(outcome.clone())),
        tally,
        failing,
        exit,
        finished: ports.clock.now(),
    })
}

async fn no_network(ports: &Ports, outcome: &CrawlOutcome) -> Result<CommandError, CommandError> {
    let mut failure = CommandError::undecided("no host answered, so nothing was crawled");
    if let Some((task, probe)) = ports.store.held_tasks(outcome.run, TaskId(0), 1).await?.first() {
        failure = failure.cause(format!("{}: {}", task.url, probe.outcome));
    }
    Ok(failure.hint("is this machine online, and the address right?"))
}

fn status(runs: &[RunSummary]) -> String {
    if runs.is_empty() {
        return "No site was crawled yet. Begin with `relink crawl URL`.\n".to_owned();
    }
    runs.iter().map(status_line).collect()
}

/// `#3  https://site.example/  finished 2026-11-16 03:20  864 pages, 1,204 of 1,204 targets`
fn status_line(run: &RunSummary) -> String {
    let state = match (run.is_finished, run.closed) {
        (true, Some(closed)) => format!("finished {}", closed.strftime("%Y-%m-%d %H:%M")),
        (_, Some(closed)) => format!("given up {}", closed.strftime("%Y-%m-%d %H:%M")),
        (_, None) => {
            format!(
                "unfinished since {}; the same command goes on",
                run.started.strftime("%Y-%m-%d %H:%M")
            )
        }
    };
    let (settled, targets) = (grouped(run.checked), grouped(run.targets));
    let pages = counted(run.pages, "page");
    let inputs = run.inputs.join(" ");
    format!(
        "#{}  {}  {state}  {pages}, {settled} of {targets} targets\n",
        run.id,
        printable(&inputs)
    )
}
