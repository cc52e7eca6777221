//! `check`: are the links of these documents alive?

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{ErrandId, RunId};
use relink_ports::{OpenRun, RunPlan, RunState};

use crate::ask::{AskEnd, Asker};
use crate::load::{Loaded, Loader};
use crate::{AskSettings, EngineFault, LoadSettings, Observer, Ports, Stop};

/// Results of an interrupted run are read back this many at a time.
const PAGE: usize = 256;

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
    /// What was read.
    pub loaded: Loaded,
}

/// Checks the links of the inputs.
pub async fn check(
    ports: &Ports,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<Outcome, EngineFault> {
    let run = ports.store.open_run(&plan(settings), settings.is_fresh, ports.now()).await?;
    let loaded = Loader::new(ports, run.id, &settings.load).load(observer, stop).await?;
    report_settled(ports, run.id, observer).await?;
    let end = ask(ports, settings, &run, &loaded, observer, stop).await?;
    let state = match end {
        End::Finished => RunState::Finished,
        End::NoNetwork => RunState::Void,
        End::Interrupted => RunState::Open,
    };
    ports.store.close_run(run.id, state, ports.now()).await?;
    Ok(Outcome { run: run.id, started: run.started, is_resumed: run.is_resumed, end, loaded })
}

fn plan(settings: &CheckSettings) -> RunPlan {
    let scope: Vec<String> =
        settings.scope.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let inputs = settings.load.inputs.iter().map(ToString::to_string).collect();
    RunPlan { command: "check".to_owned(), inputs, scope: scope.join("\n") }
}

async fn ask(
    ports: &Ports,
    settings: &CheckSettings,
    run: &OpenRun,
    loaded: &Loaded,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<End, EngineFault> {
    if loaded.is_interrupted {
        return Ok(End::Interrupted);
    }
    let asker = Asker::new(ports, run, &settings.ask, loaded.pages.clone()).await?;
    Ok(match asker.run(observer, stop).await? {
        AskEnd::Done => End::Finished,
        AskEnd::NoNetwork => End::NoNetwork,
        AskEnd::Stopped => End::Interrupted,
    })
}

/// Reports what needs no asking: local links, what was alive lately, and in a
/// resumed run every target that was settled before.
async fn report_settled(
    ports: &Ports,
    run: RunId,
    observer: &mut dyn Observer,
) -> Result<(), EngineFault> {
    let mut after = ErrandId(0);
    loop {
        let page = ports.store.settled(run, after, PAGE, None).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.errand;
        for settled in &page {
            observer.settled(settled)?;
        }
    }
}
