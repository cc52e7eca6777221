//! `check`: checks the links of documents.
//!
//! The *loader* reads the documents and stores their links as targets. The *dispatcher*
//! fetches the targets, at the same time if possible. A *run* is stored under a key made
//! of the inputs and settings, so an interrupted check can be resumed.

mod join;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use jiff::Timestamp;
use relink_frontier::NetworkDoubt;
use relink_model::RunId;
use relink_ports::{CheckedTarget, OpenRun, RunKey, RunState, RunStats, Store, StoreError};

use crate::dispatch::{DispatchEnd, DispatchStart, Dispatcher, ListJob};
use crate::worker::{RunContent, allow_workers};
use crate::{DispatchSettings, Observer, Progress};
use relink_documents::{
    CheckSkipReason, Input, LoadProgress, LoadSettings, LoadSummary, Loader, ResolvedInput,
    may_list_sitemaps, resolve_inputs,
};
use relink_requests::{EngineError, Ports, StopSignal};

/// Settings of a check.
#[derive(Debug, Clone)]
pub struct CheckSettings {
    /// Inputs and how to read them.
    pub load: LoadSettings,
    /// Limits and rules for fetching.
    pub dispatch: DispatchSettings,
    /// Whether to start a new run instead of resuming an unfinished one.
    pub is_fresh: bool,
    /// Further settings that are part of the run key, by name.
    pub scope: BTreeMap<String, String>,
}

/// Why a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckEnd {
    /// Every target is checked.
    Finished,
    /// No host responded, so no target was judged.
    NoNetwork,
    /// Interrupted by the user. The next run with the same key resumes it.
    Interrupted,
}

/// Result of a check.
#[derive(Debug, Clone)]
pub struct CheckOutcome {
    /// The id of the run in the store.
    pub run: RunId,
    /// When the run was first started.
    pub started_at: Timestamp,
    /// Whether the check resumed an unfinished run.
    pub is_resumed: bool,
    /// Whether the check joined the run of another process, which read the documents.
    pub is_joined: bool,
    /// Why the check ended.
    pub end: CheckEnd,
    /// Why failures may be caused by the local network, if that is suspected.
    pub doubt: Option<NetworkDoubt>,
    /// Documents and links that were read.
    pub loaded: LoadSummary,
    /// Statistics of the reported targets.
    reported: RunStats,
}

impl CheckOutcome {
    /// Returns the statistics of the run. A run that was not resumed has
    /// reported and counted all its targets, so only its sources are read from
    /// the store.
    pub async fn stats(&self, store: &dyn Store) -> Result<RunStats, StoreError> {
        if self.end != CheckEnd::Finished || self.is_resumed {
            return store.run_stats(self.run).await;
        }
        let source_stats = store.source_stats(self.run).await?;
        let RunStats { targets, checked, cached, verdicts, .. } = self.reported.clone();
        Ok(RunStats { targets, checked, cached, verdicts, ..source_stats })
    }
}

/// Counts the results that it forwards.
struct CountingObserver<'a> {
    observer: &'a mut dyn Observer,
    reported: RunStats,
}

impl Observer for CountingObserver<'_> {
    fn on_result(&mut self, checked: &CheckedTarget) -> std::io::Result<()> {
        self.reported.targets += 1;
        self.reported.checked += 1;
        self.reported.cached += u64::from(checked.is_cached);
        *self.reported.verdicts.entry(checked.result.verdict).or_default() += 1;
        self.observer.on_result(checked)
    }

    fn on_progress(&mut self, progress: &Progress) {
        self.observer.on_progress(progress);
    }
}

/// Checks the links of the inputs.
///
/// If reading the inputs takes longer than 250 ms, fetching starts meanwhile. If
/// another process runs the same check, this one joins it.
pub async fn check(
    ports: &Ports,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<CheckOutcome, EngineError> {
    let inputs = resolve_inputs(ports, &settings.load).await?;
    let run = match open_or_join(ports, settings, observer, stop).await? {
        ControlFlow::Continue(run) => run,
        ControlFlow::Break(joined) => return Ok(joined),
    };
    let needs_anchors = settings.load.read_options.remote_anchors;
    let content = if needs_anchors { RunContent::LinksWithAnchors } else { RunContent::Links };
    allow_workers(&*ports.store, run.id, &settings.dispatch, content).await?;
    let progress = LoadProgress::default();
    let loader = Loader::new(ports, run.id, &settings.load, &progress);
    let start = dispatch_start(ports, settings, &inputs, &run).await;
    let mut job = ListJob::default();
    let dispatcher = Dispatcher::new(ports, &run, &settings.dispatch, start, &progress, &mut job);
    let mut counting = CountingObserver { observer, reported: RunStats::default() };
    let dispatching = dispatcher.run(&mut counting, stop);
    let (mut summary, end) = tokio::try_join!(loader.load(inputs, stop), dispatching)?;
    if needs_anchors {
        let unknown = ports.store.count_unchecked_fragments(run.id).await?;
        summary.skipped = summary.skipped.with(CheckSkipReason::Anchor, unknown);
    }
    let (end, doubt) = check_end(end);
    ports.store.close_run(run.id, run_state(end), ports.now()).await?;
    let OpenRun { id: run, started_at, is_resumed, .. } = run;
    Ok(CheckOutcome {
        run,
        started_at,
        is_resumed,
        is_joined: false,
        end,
        doubt,
        loaded: summary,
        reported: counting.reported,
    })
}

/// Opens the run. If another process has it open, joins that run and breaks with its
/// outcome. If that process ends without closing the run, opens the run itself.
async fn open_or_join(
    ports: &Ports,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<ControlFlow<CheckOutcome, OpenRun>, EngineError> {
    let key = run_key(settings);
    loop {
        match ports.store.open_run(&key, settings.is_fresh, ports.now()).await {
            Err(StoreError::RunInUse) => {
                let joined = join::join(ports, &key, &settings.dispatch, observer, stop).await?;
                if let Some(outcome) = joined {
                    return Ok(ControlFlow::Break(outcome));
                }
            }
            opened => return Ok(ControlFlow::Continue(opened?)),
        }
    }
}

/// Returns the end of the check, and the doubt about the local network.
fn check_end(end: DispatchEnd) -> (CheckEnd, Option<NetworkDoubt>) {
    match end {
        DispatchEnd::Done => (CheckEnd::Finished, None),
        DispatchEnd::InDoubt(doubt) => (CheckEnd::Finished, Some(doubt)),
        DispatchEnd::NoNetwork => (CheckEnd::NoNetwork, None),
        // Only crawls have a time limit or stop when a host blocks them.
        DispatchEnd::Stopped
        | DispatchEnd::TimeLimitReached
        | DispatchEnd::BlockedByHost { .. } => (CheckEnd::Interrupted, None),
    }
}

/// Returns the state in which the run is stored. An open run can be resumed.
fn run_state(end: CheckEnd) -> RunState {
    match end {
        CheckEnd::Finished => RunState::Finished,
        CheckEnd::NoNetwork => RunState::NoNetwork,
        CheckEnd::Interrupted => RunState::Open,
    }
}

/// Returns when fetching may start. Fetching waits until all inputs are read if
///
/// - pages or sitemaps are among the inputs, because the loader fetches URLs that are
///   also link targets;
/// - the run is resumed, because some of its tasks may have no link left;
/// - anchors are checked, because the needed anchors are unknown until then.
async fn dispatch_start(
    ports: &Ports,
    settings: &CheckSettings,
    inputs: &[ResolvedInput<'_>],
    run: &OpenRun,
) -> DispatchStart {
    let load = &settings.load;
    let has_pages = load.inputs.iter().any(|input| matches!(input, Input::Page { .. }));
    // Nothing is fetched offline, and the store loads faster undisturbed.
    if load.is_offline
        || has_pages
        || load.read_options.remote_anchors
        || run.is_resumed
        || may_list_sitemaps(ports, inputs, load).await
    {
        DispatchStart::AfterLoading
    } else {
        DispatchStart::DuringLoading
    }
}

/// Returns the key under which the run is stored.
fn run_key(settings: &CheckSettings) -> RunKey {
    let scope: Vec<String> =
        settings.scope.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let inputs = settings.load.inputs.iter().map(ToString::to_string).collect();
    RunKey { command: "check".to_owned(), inputs, scope: scope.join("\n") }
}
