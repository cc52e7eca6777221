//! Joins a check that another process runs: fetches its pages as a worker does, and
//! reports its results when it ends.

use std::time::Duration;

use relink_ports::{CheckedTargetQuery, OpenRun, RunKey, RunState, RunStats};

use super::{CheckEnd, CheckOutcome};
use crate::worker::{WorkerOptions, help};
use crate::{DispatchSettings, Observer};
use relink_documents::LoadSummary;
use relink_requests::{BEFORE_FIRST_TASK, EngineError, Ports, StopSignal};

/// Pause between two reads of the state of the run.
const STATUS_PAUSE: Duration = Duration::from_millis(500);
/// Number of results read from the store at a time.
const PAGE_SIZE: usize = 256;

/// Helps with the run of another process until it ends, and reports its results.
/// Returns `None` if that process ended without closing the run: the caller can then
/// open it.
pub(super) async fn join(
    ports: &Ports,
    key: &RunKey,
    settings: &DispatchSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<Option<CheckOutcome>, EngineError> {
    let Some(run) = ports.store.unfinished_run(key).await? else { return Ok(None) };
    let options = WorkerOptions { concurrency: settings.concurrency, lease: settings.lease };
    loop {
        help(ports, &run, options, stop).await?;
        let state = ports.store.run_status(run.id).await?.state;
        let end = match state {
            RunState::Finished => CheckEnd::Finished,
            RunState::NoNetwork => CheckEnd::NoNetwork,
            RunState::Open if stop.is_stopped() => CheckEnd::Interrupted,
            // The process that opened the run has ended.
            RunState::Open if !ports.store.is_owned(run.id).await? => return Ok(None),
            // Tasks may be left to other workers, or become due later.
            RunState::Open => {
                tokio::select! {
                    () = stop.stopped() => {}
                    () = tokio::time::sleep(STATUS_PAUSE) => {}
                }
                continue;
            }
        };
        report(ports, &run, observer).await?;
        return Ok(Some(outcome(&run, end)));
    }
}

/// Reports all results of the run.
async fn report(
    ports: &Ports,
    run: &OpenRun,
    observer: &mut dyn Observer,
) -> Result<(), EngineError> {
    let mut after = BEFORE_FIRST_TASK;
    loop {
        let query = CheckedTargetQuery { after, limit: PAGE_SIZE, ..CheckedTargetQuery::ALL };
        let page = ports.store.checked_targets(run.id, query).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.task;
        for checked in &page {
            observer.on_result(checked)?;
        }
    }
}

/// Returns the outcome of a joined run. The other process read the documents, so the
/// summary of documents and links is empty.
fn outcome(run: &OpenRun, end: CheckEnd) -> CheckOutcome {
    CheckOutcome {
        run: run.id,
        started_at: run.started_at,
        is_resumed: true,
        is_joined: true,
        end,
        doubt: None,
        loaded: LoadSummary::default(),
        reported: RunStats::default(),
    }
}
