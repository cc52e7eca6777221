//! `check`: are the links of these documents alive?

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_frontier::NetworkDoubt;
use relink_model::RunId;
use relink_ports::{OpenRun, RunPlan, RunState, Settled, Store, StoreFault, Tally};

use crate::ask::{AskEnd, Asker, Start};
use crate::load::{self, Found, Loaded, Loader, Loading};
use crate::{AskSettings, EngineFault, Input, LoadSettings, Observer, Ports, Progress, Skip, Stop};

/// What to check, and how.
#[derive(Debug, Clone)]
pub struct CheckSettings {
    /// What to read.
    pub load: LoadSettings,
    /// How to ask.
    pub ask: AskSettings,
    /// Whether to start anew although an unfinished run is there.
    pub is_fresh: bool,
    /// What else decides which run this is, by name.
    pub scope: BTreeMap<String, String>,
}

/// How a check came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every target is settled.
    Finished,
    /// No host answered at all, so nothing was decided.
    NoNetwork,
    /// Somebody stopped it; the next run of the same plan goes on.
    Interrupted,
}

/// A check that has come to an end.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The run in the store.
    pub run: RunId,
    /// When it was first started.
    pub started: Timestamp,
    /// Whether it went on from an interrupted one.
    pub is_resumed: bool,
    /// How it ended.
    pub end: End,
    /// Why failures may be those of our own network.
    pub doubt: Option<NetworkDoubt>,
    /// What was read.
    pub loaded: Loaded,
    /// The targets told, in numbers.
    told: Tally,
}

impl Outcome {
    /// The run in numbers. If it was finished in one go, all its targets were
    /// told and counted on the way.
    pub async fn tally(&self, store: &dyn Store) -> Result<Tally, StoreFault> {
        if self.end != End::Finished || self.is_resumed {
            return store.tally(self.run).await;
        }
        let Tally { targets, settled, cached, words, .. } = self.told.clone();
        Ok(Tally { targets, settled, cached, words, ..store.sources(self.run).await? })
    }
}

/// Counts what it passes on.
struct Counting<'a> {
    observer: &'a mut dyn Observer,
    told: Tally,
}

impl Observer for Counting<'_> {
    fn settled(&mut self, settled: &Settled) -> std::io::Result<()> {
        self.told.targets += 1;
        self.told.settled += 1;
        self.told.cached += u64::from(settled.is_cached);
        *self.told.words.entry(settled.settlement.word).or_default() += 1;
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
    stop: &Stop,
) -> Result<Outcome, EngineFault> {
    let inputs = load::find(ports, &settings.load).await?;
    let run = ports.store.open_run(&plan(settings), settings.is_fresh, ports.now()).await?;
    let loading = Loading::default();
    let loader = Loader::new(ports, run.id, &settings.load, &loading);
    let start = start(ports, settings, &inputs, &run).await;
    let asker = Asker::new(ports, &run, &settings.ask, start, &loading, None);
    let mut counting = Counting { observer, told: Tally::default() };
    let asking = asker.run(&mut counting, stop);
    let (mut read, end) = tokio::try_join!(loader.load(inputs, stop), asking)?;
    if settings.load.reading.remote_anchors {
        let unknown = ports.store.count_unknown_anchors(run.id).await?;
        read.skipped = read.skipped.with(Skip::Anchor, unknown);
    }
    let doubt = match &end {
        AskEnd::InDoubt(doubt) => Some(doubt.clone()),
        _ => None,
    };
    let end = match end {
        AskEnd::Done | AskEnd::InDoubt(_) => End::Finished,
        AskEnd::NoNetwork => End::NoNetwork,
        // Only crawls have an hour to be home, and are turned away.
        AskEnd::Stopped | AskEnd::OutOfTime | AskEnd::Unwelcome { .. } => End::Interrupted,
    };
    let state = match end {
        End::Finished => RunState::Finished,
        End::NoNetwork => RunState::Void,
        End::Interrupted => RunState::Open,
    };
    ports.store.close_run(run.id, state, ports.now()).await?;
    let OpenRun { id: run, started, is_resumed, .. } = run;
    Ok(Outcome { run, started, is_resumed, end, doubt, loaded: read, told: counting.told })
}

/// When asking may begin. On fetched pages an address is found that a later
/// document may name, and an interrupted run may hold errands that nobody
/// names any more; which places are wanted on a page is not known before,
/// either. All that is only known once everything is read.
async fn start(
    ports: &Ports,
    settings: &CheckSettings,
    inputs: &[Found<'_>],
    run: &OpenRun,
) -> Start {
    let load = &settings.load;
    let has_pages = load.inputs.iter().any(|input| matches!(input, Input::Page { .. }));
    if has_pages
        || load.reading.remote_anchors
        || run.is_resumed
        || load::may_list_sitemaps(ports, inputs, load).await
    {
        Start::WhenLoaded
    } else {
        Start::WhileLoading
    }
}

fn plan(settings: &CheckSettings) -> RunPlan {
    let scope: Vec<String> =
        settings.scope.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let inputs = settings.load.inputs.iter().map(ToString::to_string).collect();
    RunPlan { command: "check".to_owned(), inputs, scope: scope.join("\n") }
}
