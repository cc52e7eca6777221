//! `survey`: most of what is broken in a catalog, with few requests.
//!
//! A sampling plan of `relink-survey` says which URLs to ask next; they are
//! asked as `check` asks, as politely and with the same words, and the answers
//! go back to the plan. What was settled before an interruption is handed to
//! the plan when the survey goes on.
//!
//! For the plan a page is broken if it is dead, a soft-404 or hijacked, and
//! also if it is failing: one that does not answer makes its directory
//! suspicious, though it is no finding before it is confirmed. Blocked pages
//! are not broken, for nothing can be told of them.
//!
//! With a budget a survey takes as many weeks as it needs. Once it has come to
//! its end, later runs ask again what the schedule wants this week.

mod catalog;
mod course;
mod history;
mod index;
mod report;
mod surveyor;

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_frontier::NetworkDoubt;
use relink_judge::is_network_failure;
use relink_model::{RequestRights, RunId, TaskId, Verdict};
use relink_ports::{CheckedTargetQuery, NewDocument, OpenRun, RunKey, RunState};
use relink_survey::{SamplingPlanName, UrlHealth};

pub use self::catalog::{CatalogError, CatalogFields, CatalogSource, LoadedCatalog, read_catalog};
use self::course::UrlSelector;
use self::history::{CheckHistory, WEEK};
use self::index::UrlIndex;
pub use self::report::{BudgetUse, DomainReport, DomainStatus, SurveyReport};
use self::surveyor::SurveyRun;
use crate::dispatch::{DispatchEnd, DispatchStart, Dispatcher};
use crate::load::LoadProgress;
use crate::{DispatchSettings, EngineError, Observer, Ports, StopSignal};

/// The note a survey keeps its seed under.
const SEED: &str = "survey-seed";
/// The note of the URLs whose answers the plan gets out of turn.
const DEFERRED: &str = "survey-deferred";
/// The use case, in the list of runs.
const COMMAND: &str = "survey";
/// The use case of later runs that ask again what is due.
const WATCH: &str = "survey-watch";
/// Targets are read back this many at a time.
const PAGE: usize = 4096;
/// Runs that are looked through for the last whole survey.
const RUNS: usize = 1000;

/// How many URLs may be asked in seven days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// A share of the catalog, 0 to 1.
    Share(f64),
    /// A number of URLs.
    Urls(u32),
}

impl Budget {
    /// How many URLs of so many, at least one.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count is a count"
    )]
    fn of(self, urls: u32) -> u32 {
        match self {
            Self::Share(share) => ((f64::from(urls) * share).floor() as u32).max(1),
            Self::Urls(count) => count,
        }
    }
}

/// How to survey.
#[derive(Debug, Clone)]
pub struct SurveySettings {
    /// By which plan.
    pub plan: SamplingPlanName,
    /// Where chance comes from; the moment it begins, if nobody says.
    pub seed: Option<u64>,
    /// How much may be asked in a week.
    pub budget: Option<Budget>,
    /// What requests for the URLs may do.
    pub rights: RequestRights,
    /// How to ask.
    pub ask: DispatchSettings,
    /// Whether to start anew although an unfinished run is there.
    pub is_fresh: bool,
    /// What else decides which run this is, by name.
    pub scope: BTreeMap<String, String>,
}

/// How a survey came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurveyEnd {
    /// The plan has no more to ask.
    Finished,
    /// What was due this week has been asked.
    UpToDate,
    /// This week's budget is used up; the same command goes on later.
    BudgetSpent,
    /// No host answered at all, so nothing was decided.
    NoNetwork,
    /// Somebody stopped it; the same command goes on.
    Interrupted,
}

/// A survey that has come to an end.
#[derive(Debug, Clone)]
pub struct SurveyOutcome {
    /// The run in the store.
    pub run: RunId,
    /// When it was first started.
    pub started: Timestamp,
    /// Whether it went on from an interrupted one.
    pub is_resumed: bool,
    /// How it ended.
    pub end: SurveyEnd,
    /// By which plan.
    pub plan: SamplingPlanName,
    /// Where its chance came from.
    pub seed: u64,
    /// Since when the catalog is known, if this run only asked again.
    pub surveyed: Option<Timestamp>,
    /// What was allowed, if not everything.
    pub budget: Option<BudgetUse>,
    /// Why failures may be those of our own network.
    pub doubt: Option<NetworkDoubt>,
    /// What came of it.
    pub report: SurveyReport,
}

/// Surveys a catalog.
pub async fn survey(
    ports: &Ports,
    settings: &SurveySettings,
    read: &LoadedCatalog,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<SurveyOutcome, EngineError> {
    let index = UrlIndex::new(&read.catalog);
    let history = history(ports, settings, &index).await?;
    let surveyed = last_survey(ports, settings, read).await?;
    let run_plan = run_plan(settings, read, surveyed);
    let run = ports.store.open_run(&run_plan, settings.is_fresh, ports.now()).await?;
    let seed = seed(ports, settings, &run).await?;
    let now = ports.now();
    // What this very run has found is no older knowledge: an interrupted run
    // continues with the plan it began with.
    let course = if let Some(since) = surveyed {
        let earlier = history.before(run.started);
        UrlSelector::watch(&read.catalog, earlier.schedule(&read.catalog, since, run.started))
    } else {
        let known = history.known_broken(run.started);
        UrlSelector::Plan(settings.plan.begin(&read.catalog, &known, seed))
    };
    let budget = budget_use(settings, read, &history, now);
    let left = budget.map(|budget| budget.allowed.saturating_sub(budget.before));
    let mut surveyor = SurveyRun::new(read, &index, course, left);
    begin(ports, settings, &run, &mut surveyor).await?;
    let loading = LoadProgress::default();
    loading.finish_empty();
    let asker =
        Dispatcher::new(ports, &run, &settings.ask, DispatchStart::WhileLoading, &loading, None);
    let ending = asker.led_by(&mut surveyor).run(observer, stop).await?;
    surveyor.finish();
    let report = SurveyReport::of(&surveyor);
    let doubt = match &ending {
        DispatchEnd::InDoubt(doubt) => Some(doubt.clone()),
        _ => None,
    };
    let end = end(&ending, &mut surveyor, surveyed);
    ports.store.close_run(run.id, state(end, surveyed), ports.now()).await?;
    Ok(SurveyOutcome {
        run: run.id,
        started: run.started,
        is_resumed: run.is_resumed,
        end,
        plan: settings.plan,
        seed,
        surveyed,
        budget,
        doubt,
        report,
    })
}

/// What the plan is told of a word. What cannot be told counts as alive.
fn answer(word: Verdict) -> UrlHealth {
    if is_finding(word) || word == Verdict::Failing { UrlHealth::Broken } else { UrlHealth::Alive }
}

/// Whether a page is dead without doubt.
fn is_finding(word: Verdict) -> bool {
    matches!(word, Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked)
}

/// What is remembered, as far as this survey needs it.
async fn history(
    ports: &Ports,
    settings: &SurveySettings,
    index: &UrlIndex<'_>,
) -> Result<CheckHistory, EngineError> {
    if settings.budget.is_none() && settings.plan != SamplingPlanName::LeShulman {
        return Ok(CheckHistory::default());
    }
    Ok(CheckHistory::read(&*ports.store, index).await?)
}

/// When the catalog was last surveyed to the end, if a budget makes later
/// runs go on from there.
async fn last_survey(
    ports: &Ports,
    settings: &SurveySettings,
    read: &LoadedCatalog,
) -> Result<Option<Timestamp>, EngineError> {
    if settings.budget.is_none() || settings.is_fresh {
        return Ok(None);
    }
    let runs = ports.store.runs(Some(COMMAND), RUNS).await?;
    let is_whole =
        |run: &&relink_ports::RunSummary| run.is_finished && run.inputs == [read.label.as_str()];
    Ok(runs.iter().find(is_whole).and_then(|run| run.closed))
}

/// What identifies the run. With a budget it goes on for weeks, in which the
/// catalog may change; without, another catalog is another survey.
fn run_plan(
    settings: &SurveySettings,
    read: &LoadedCatalog,
    surveyed: Option<Timestamp>,
) -> RunKey {
    let mut scope: Vec<String> =
        settings.scope.iter().map(|(name, value)| format!("{name}={value}")).collect();
    scope.push(format!("plan={}", settings.plan));
    scope.extend(settings.seed.map(|seed| format!("seed={seed}")));
    match settings.budget {
        Some(_) => scope.push("budget".to_owned()),
        None => scope.push(format!("content={:x}", read.content)),
    }
    let command = if surveyed.is_some() { WATCH } else { COMMAND };
    RunKey {
        command: command.to_owned(),
        inputs: vec![read.label.clone()],
        scope: scope.join("\n"),
    }
}

/// The seed of the run: the one it began with, or else a new one.
async fn seed(ports: &Ports, settings: &SurveySettings, run: &OpenRun) -> Result<u64, EngineError> {
    let noted = ports.store.checkpoint(run.id, SEED).await?;
    if let Some(seed) = noted.and_then(|text| text.parse().ok()) {
        return Ok(seed);
    }
    let seed = settings.seed.unwrap_or_else(|| run.started.as_millisecond().unsigned_abs());
    ports.store.save_checkpoint(run.id, SEED, &seed.to_string()).await?;
    Ok(seed)
}

fn budget_use(
    settings: &SurveySettings,
    read: &LoadedCatalog,
    history: &CheckHistory,
    now: Timestamp,
) -> Option<BudgetUse> {
    let allowed = settings.budget?.of(read.catalog.len());
    let week_ago = now.checked_sub(WEEK).unwrap_or(Timestamp::MIN);
    Some(BudgetUse { allowed, before: history.asked_since(week_ago) })
}

/// Says where links are stored, and hands the course what is known of this run.
async fn begin(
    ports: &Ports,
    settings: &SurveySettings,
    run: &OpenRun,
    surveyor: &mut SurveyRun<'_>,
) -> Result<(), EngineError> {
    let read = surveyor.read;
    let document = NewDocument { label: read.label.clone(), content: read.content };
    let document = ports.store.load_document(run.id, &document).await?.id;
    // Its links come as they are drawn; what is stored of them stays.
    ports.store.finish_document(document).await?;
    let links = ports.store.run_stats(run.id).await?.links;
    let position = usize::try_from(links).unwrap_or(usize::MAX);
    surveyor.stores_in(document, position, settings.rights);
    if run.is_resumed {
        recall(ports, run.id, surveyor).await?;
        recall_deferred(ports, run.id, surveyor).await?;
        surveyor.replay();
    }
    Ok(())
}

async fn recall(
    ports: &Ports,
    run: RunId,
    surveyor: &mut SurveyRun<'_>,
) -> Result<(), EngineError> {
    let mut query = CheckedTargetQuery { limit: PAGE, locations: 0, ..CheckedTargetQuery::ALL };
    loop {
        let page = ports.store.checked_targets(run, query).await?;
        let Some(last) = page.last() else { break };
        query.after = last.task;
        for settled in &page {
            surveyor.recall(&settled.url, settled.result.verdict);
        }
    }
    let mut after = TaskId(0);
    loop {
        let page = ports.store.site_urls(run, after, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = *last;
        for (_, url) in &page {
            surveyor.recall_unanswered(url);
        }
    }
}

/// Tells a survey which answers its plan gets out of turn.
async fn recall_deferred(
    ports: &Ports,
    run: RunId,
    surveyor: &mut SurveyRun<'_>,
) -> Result<(), EngineError> {
    let noted = ports.store.checkpoint(run, DEFERRED).await?.unwrap_or_default();
    noted.lines().for_each(|url| surveyor.recall_deferred(url));
    let mut after = TaskId(0);
    loop {
        let page = ports.store.held_tasks(run, after, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = last.id;
        let for_neighbors = page.iter().filter(|(_, probe)| !is_network_failure(&probe.outcome));
        for_neighbors.for_each(|(task, _)| surveyor.recall_deferred(&task.url));
    }
}

fn end(
    asked: &DispatchEnd,
    surveyor: &mut SurveyRun<'_>,
    surveyed: Option<Timestamp>,
) -> SurveyEnd {
    match asked {
        DispatchEnd::NoNetwork | DispatchEnd::InDoubt(_) => SurveyEnd::NoNetwork,
        DispatchEnd::Done if surveyor.is_cut_short() => SurveyEnd::BudgetSpent,
        DispatchEnd::Done if surveyed.is_some() => SurveyEnd::UpToDate,
        DispatchEnd::Done => SurveyEnd::Finished,
        // Only crawls have an hour to be home, and are turned away.
        DispatchEnd::Stopped
        | DispatchEnd::TimeLimitReached
        | DispatchEnd::BlockedByHost { .. } => SurveyEnd::Interrupted,
    }
}

/// A survey cut short by its budget goes on; what is due next week is another
/// run.
fn state(end: SurveyEnd, surveyed: Option<Timestamp>) -> RunState {
    match end {
        SurveyEnd::Finished | SurveyEnd::UpToDate => RunState::Finished,
        SurveyEnd::BudgetSpent if surveyed.is_some() => RunState::Finished,
        SurveyEnd::NoNetwork => RunState::NoNetwork,
        SurveyEnd::BudgetSpent | SurveyEnd::Interrupted => RunState::Open,
    }
}
