//! `check`: are the links of these documents alive?

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_frontier::NetworkDoubt;
use relink_model::RunId;
use relink_ports::{CheckedTarget, OpenRun, RunKey, RunState, RunStats, Store, StoreError};

use crate::dispatch::{DispatchEnd, DispatchStart, Dispatcher};
use crate::load::{self, LoadProgress, LoadSummary, Loader, ResolvedInput};
use crate::{
    CheckSkipReason, DispatchSettings, EngineError, Input, LoadSettings, Observer, Ports, Progress,
    StopSignal,
};

/// What to check, and how.
#[derive(Debug, Clone)]
pub struct CheckSettings {
    /// What to read.
    pub load: LoadSettings,
    /// How to ask.
    pub ask: DispatchSettings,
    /// Whether to start anew although an unfinished run is there.
    pub is_fresh: bool,
    /// What else decides which run this is, by name.
    pub scope: BTreeMap<String, String>,
}

/// How a check came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckEnd {
    /// Every target is settled.
    Finished,
    /// No host answered at all, so nothing was decided.
    NoNetwork,
    /// Somebody stopped it; the next run of the same plan goes on.
    Interrupted,
}

/// A check that has come to an end.
#[derive(Debug, Clone)]
pub struct CheckOutcome {
    /// The run in the store.
    pub run: RunId,
    /// When it was first started.
    pub started: Timestamp,
    /// Whether it went on from an interrupted one.
    pub is_resumed: bool,
    /// How it ended.
    pub end: CheckEnd,
    /// Why failures may be those of our own network.
    pub doubt: Option<NetworkDoubt>,
    /// What was read.
    pub loaded: LoadSummary,
    /// The targets told, in numbers.
    reported: RunStats,
}

impl CheckOutcome {
    /// The run in numbers. If it was finished in one go, all its targets were
    /// told and counted on the way.
    pub async fn tally(&self, store: &dyn Store) -> Result<RunStats, StoreError> {
        if self.end != CheckEnd::Finished || self.is_resumed {
            return store.run_stats(self.run).await;
        }
        let RunStats { targets, checked: settled, cached, verdicts: words, .. } =
            self.reported.clone();
        Ok(RunStats {
            targets,
            checked: settled,
            cached,
            verdicts: words,
            ..store.source_stats(self.run).await?
        })
    }
}

/// Counts what it passes on.
struct CountingObserver<'a> {
    observer: &'a mut dyn Observer,
    reported: RunStats,
}

impl Observer for CountingObserver<'_> {
    fn settled(&mut self, settled: &CheckedTarget) -> std::io::Result<()> {
        self.reported.targets += 1;
        self.reported.checked += 1;
        self.reported.cached += u64::from(settled.is_cached);
        *self.reported.verdicts.entry(settled.result.verdict).or_default() += 1;
        self.observer.settled(settled)
    }

    fn progress(&mut self, progress: &Progress) {
        self.observer.progress(progress);
    }
}

/// Checks the links of the inputs.
///
/// If reading the inputs takes longer than a moment, asking begins meanwhile.
pub async fn check(
    ports: &Ports,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<CheckOutcome, EngineError> {
    let inputs = load::find(ports, &settings.load).await?;
    let run = ports.store.open_run(&plan(settings), settings.is_fresh, ports.now()).await?;
    let loading = LoadProgress::default();
    let loader = Loader::new(ports, run.id, &settings.load, &loading);
    let start = start(ports, settings, &inputs, &run).await;
    let asker = Dispatcher::new(ports, &run, &settings.ask, start, &loading, None);
    let mut counting = CountingObserver { observer, reported: RunStats::default() };
    let asking = asker.run(&mut counting, stop);
    let (mut read, end) = tokio::try_join!(loader.load(inputs, stop), asking)?;
    if settings.load.reading.remote_anchors {
        let unknown = ports.store.count_unknown_anchors(run.id).await?;
        read.skipped = read.skipped.with(CheckSkipReason::Anchor, unknown);
    }
    let doubt = match &end {
        DispatchEnd::InDoubt(doubt) => Some(doubt.clone()),
        _ => None,
    };
    let end = match end {
        DispatchEnd::Done | DispatchEnd::InDoubt(_) => CheckEnd::Finished,
        DispatchEnd::NoNetwork => CheckEnd::NoNetwork,
        // Only crawls have an hour to be home, and are turned away.
        DispatchEnd::Stopped
        | DispatchEnd::TimeLimitReached
        | DispatchEnd::BlockedByHost { .. } => CheckEnd::Interrupted,
    };
    let state = match end {
        CheckEnd::Finished => RunState::Finished,
        CheckEnd::NoNetwork => RunState::NoNetwork,
        CheckEnd::Interrupted => RunState::Open,
    };
    ports.store.close_run(run.id, state, ports.now()).await?;
    let OpenRun { id: run, started, is_resumed, .. } = run;
    Ok(CheckOutcome {
        run,
        started,
        is_resumed,
        end,
        doubt,
        loaded: read,
        reported: counting.reported,
    })
}

/// When asking may begin. On fetched pages an address is found that a later
/// document may name, and an interrupted run may hold tasks that nobody
/// names any more; which places are wanted on a page is not known before,
/// either. All that is only known once everything is read.
async fn start(
    ports: &Ports,
    settings: &CheckSettings,
    inputs: &[ResolvedInput<'_>],
    run: &OpenRun,
) -> DispatchStart {
    let load = &settings.load;
    let has_pages = load.inputs.iter().any(|input| matches!(input, Input::Page { .. }));
    if has_pages
        || load.reading.remote_anchors
        || run.is_resumed
        || load::may_list_sitemaps(ports, inputs, load).await
    {
        DispatchStart::WhenLoaded
    } else {
        DispatchStart::WhileLoading
    }
}

fn plan(settings: &CheckSettings) -> RunKey {
    let scope: Vec<String> =
        settings.scope.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let inputs = settings.load.inputs.iter().map(ToString::to_string).collect();
    RunKey { command: "check".to_owned(), inputs, scope: scope.join("\n") }
}
