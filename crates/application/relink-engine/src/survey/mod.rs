//! `survey`: finds most broken URLs of a catalog with few requests.
//!
//! A sampling *plan* of `relink-survey` selects ("draws") the next URLs. They are fetched
//! with the same rate limits and rules as in `check`, and the results are
//! returned to the plan. When a survey is resumed, the plan receives the stored
//! results first.
//!
//! For the plan, a page is broken if its verdict is dead, soft-404, hijacked or
//! failing. A failing page makes its directory suspicious, although it is not a
//! finding before it is confirmed. Blocked pages are not broken, because their
//! state is unknown.
//!
//! With a *budget* (a maximum number of URLs per week), a survey takes as many weeks as it
//! needs. After it is finished, later runs are *re-checks*: a schedule selects the URLs to
//! check this week.
//!
//! A *deferred* URL is drawn, but the plan continues without its result for now.

mod budget;
mod catalog;
mod history;
mod index;
mod report;
mod survey_run;
mod url_selector;

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_frontier::NetworkDoubt;
use relink_judge::is_network_failure;
use relink_model::{RequestRights, RunId, Verdict};
use relink_ports::{CheckedTargetQuery, NewDocument, OpenRun, RunKey, RunState};
use relink_survey::{LeShulman, SamplingPlanName, SurveyLimits, UrlHealth};

pub use self::budget::Budget;
pub use self::catalog::{CatalogError, CatalogFields, CatalogSource, LoadedCatalog, read_catalog};
use self::history::{CheckHistory, WEEK};
use self::index::UrlIndex;
pub use self::report::{BudgetUse, DomainReport, DomainStatus, SurveyReport};
use self::survey_run::SurveyRun;
use self::url_selector::UrlSelector;
use crate::dispatch::{DispatchEnd, DispatchStart, Dispatcher};
use crate::worker::{RunContent, allow_workers};
use crate::{DispatchSettings, Observer};
use relink_documents::LoadProgress;
use relink_requests::{BEFORE_FIRST_TASK, EngineError, Ports, StopSignal};

/// Name of the checkpoint with the seed.
const SEED_CHECKPOINT: &str = "survey-seed";
/// Name of the checkpoint with the deferred URLs.
const DEFERRED_CHECKPOINT: &str = "survey-deferred";
/// Command of surveys in the list of runs.
const COMMAND: &str = "survey";
/// Command of re-checks in the list of runs.
const RECHECK_COMMAND: &str = "survey-watch";
/// Number of targets read from the store at a time.
const PAGE_SIZE: usize = 4096;
/// Maximum number of runs searched for the last finished survey.
const MAX_RUNS: usize = 1000;

/// Share of the broken URLs whose cost is forecast, in percent, unless the user sets another.
const FORECAST_RECALL: f64 = 95.0;

/// Settings of a survey.
#[derive(Debug, Clone)]
pub struct SurveySettings {
    /// The sampling plan.
    pub plan: SamplingPlanName,
    /// Parameters of the plan of Le and Shulman.
    pub le_shulman: LeShulman,
    /// Maximum share of the catalog that is checked, from 0 to 1.
    pub max_share: Option<f64>,
    /// The survey ends when it has found an estimated share of the broken URLs, in percent.
    pub recall: Option<f64>,
    /// Random seed; the start time if `None`.
    pub seed: Option<u64>,
    /// Maximum number of URLs per week.
    pub budget: Option<Budget>,
    /// Permissions of the requests.
    pub rights: RequestRights,
    /// Limits and rules for fetching.
    pub dispatch: DispatchSettings,
    /// Whether to start a new run instead of resuming an unfinished one.
    pub is_fresh: bool,
    /// Further settings that are part of the run key, by name.
    pub scope: BTreeMap<String, String>,
}

/// Why a survey ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurveyEnd {
    /// The plan has no more URLs to fetch.
    Finished,
    /// All URLs that were due this week are checked.
    UpToDate,
    /// The budget of this week is used up. The same command resumes later.
    BudgetSpent,
    /// No host responded, so nothing was judged.
    NoNetwork,
    /// Interrupted by the user. The same command resumes.
    Interrupted,
}

/// Result of a survey.
#[derive(Debug, Clone)]
pub struct SurveyOutcome {
    /// The id of the run in the store.
    pub run: RunId,
    /// When the run was first started.
    pub started_at: Timestamp,
    /// Whether the survey resumed an unfinished run.
    pub is_resumed: bool,
    /// Why the survey ended.
    pub end: SurveyEnd,
    /// The sampling plan.
    pub plan: SamplingPlanName,
    /// The random seed.
    pub seed: u64,
    /// When the last complete survey ended, if this run was a re-check.
    pub last_survey_at: Option<Timestamp>,
    /// The budget, if there is one.
    pub budget: Option<BudgetUse>,
    /// Why failures may be caused by the local network, if that is suspected.
    pub doubt: Option<NetworkDoubt>,
    /// The report.
    pub report: SurveyReport,
}

/// Surveys a catalog.
pub async fn survey(
    ports: &Ports,
    settings: &SurveySettings,
    loaded: &LoadedCatalog,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<SurveyOutcome, EngineError> {
    let catalog = &loaded.catalog;
    let index = UrlIndex::new(catalog);
    let history = load_history(ports, settings, &index).await?;
    let last_survey = last_survey(ports, settings, loaded).await?;
    let run_key = run_key(settings, loaded, last_survey);
    let run = ports.store.open_run(&run_key, settings.is_fresh, ports.now()).await?;
    let seed = load_seed(ports, settings, &run).await?;
    let now = ports.now();
    // Use only results from before this run: a resumed run continues with the plan with
    // which it was started.
    let selector = if let Some(since) = last_survey {
        let earlier = history.before(run.started_at);
        UrlSelector::recheck(catalog, earlier.schedule(catalog, since, run.started_at))
    } else {
        let known = history.known_broken(run.started_at);
        let limits = limits(settings, catalog.len());
        let parameters = settings.le_shulman;
        UrlSelector::Plan(settings.plan.create_with(parameters, limits, catalog, &known, seed))
    };
    let budget = budget_use(settings, loaded, &history, now);
    let remaining = budget.map(|budget| budget.allowed.saturating_sub(budget.already_used));
    let forecast_recall = settings.recall.unwrap_or(FORECAST_RECALL);
    let mut survey_run = SurveyRun::new(loaded, &index, selector, remaining, forecast_recall);
    start(ports, settings, &run, &mut survey_run).await?;
    // The catalog is loaded already.
    let progress = LoadProgress::default();
    progress.finish_empty();
    let dispatcher = Dispatcher::new(
        ports,
        &run,
        &settings.dispatch,
        DispatchStart::DuringLoading,
        &progress,
        &mut survey_run,
    );
    let dispatch_end = dispatcher.run(observer, stop).await?;
    survey_run.finish();
    let report = SurveyReport::from_run(&survey_run);
    let doubt = match &dispatch_end {
        DispatchEnd::InDoubt(doubt) => Some(doubt.clone()),
        _ => None,
    };
    let end = survey_end(&dispatch_end, &mut survey_run, last_survey);
    ports.store.close_run(run.id, run_state(end, last_survey), ports.now()).await?;
    Ok(SurveyOutcome {
        run: run.id,
        started_at: run.started_at,
        is_resumed: run.is_resumed,
        end,
        plan: settings.plan,
        seed,
        last_survey_at: last_survey,
        budget,
        doubt,
        report,
    })
}

/// Returns the limits of the plan for a catalog with this number of URLs.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count is a count"
)]
fn limits(settings: &SurveySettings, urls: u32) -> SurveyLimits {
    let max_checks = settings.max_share.map(|share| (share * f64::from(urls)).ceil() as u32);
    SurveyLimits { max_checks, recall: settings.recall }
}

/// Converts a verdict to the health of a URL for the plan. Unknown states count
/// as alive.
fn url_health(verdict: Verdict) -> UrlHealth {
    if is_finding(verdict) || verdict == Verdict::Failing {
        UrlHealth::Broken
    } else {
        UrlHealth::Alive
    }
}

/// Whether the verdict is a confirmed finding.
fn is_finding(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked)
}

/// Loads the history of the URLs, if this survey needs it.
async fn load_history(
    ports: &Ports,
    settings: &SurveySettings,
    index: &UrlIndex<'_>,
) -> Result<CheckHistory, EngineError> {
    if settings.budget.is_none() && settings.plan != SamplingPlanName::LeShulman {
        return Ok(CheckHistory::default());
    }
    Ok(CheckHistory::load(&*ports.store, index).await?)
}

/// Returns when the last complete survey ended, if later runs are re-checks
/// because of a budget.
async fn last_survey(
    ports: &Ports,
    settings: &SurveySettings,
    loaded: &LoadedCatalog,
) -> Result<Option<Timestamp>, EngineError> {
    if settings.budget.is_none() || settings.is_fresh {
        return Ok(None);
    }
    let runs = ports.store.runs(Some(COMMAND), MAX_RUNS).await?;
    let is_finished =
        |run: &&relink_ports::RunSummary| run.is_finished && run.inputs == [loaded.label.as_str()];
    Ok(runs.iter().find(is_finished).and_then(|run| run.closed_at))
}

/// Returns the run key. With a budget, a run takes weeks in which the catalog may change,
/// so the key does not contain the content. Without a budget, a changed catalog is a new
/// survey.
fn run_key(
    settings: &SurveySettings,
    loaded: &LoadedCatalog,
    last_survey: Option<Timestamp>,
) -> RunKey {
    let mut scope: Vec<String> =
        settings.scope.iter().map(|(name, value)| format!("{name}={value}")).collect();
    scope.push(format!("plan={}", settings.plan));
    scope.extend(settings.seed.map(|seed| format!("seed={seed}")));
    scope.extend(settings.max_share.map(|share| format!("max-share={share}")));
    scope.extend(settings.recall.map(|recall| format!("find={recall}")));
    match settings.budget {
        Some(_) => scope.push("budget".to_owned()),
        None => scope.push(format!("content={:x}", loaded.content_hash)),
    }
    let command = if last_survey.is_some() { RECHECK_COMMAND } else { COMMAND };
    RunKey {
        command: command.to_owned(),
        inputs: vec![loaded.label.clone()],
        scope: scope.join("\n"),
    }
}

/// Returns the seed of the run, and saves it if it is new.
async fn load_seed(
    ports: &Ports,
    settings: &SurveySettings,
    run: &OpenRun,
) -> Result<u64, EngineError> {
    let stored = ports.store.checkpoint(run.id, SEED_CHECKPOINT).await?;
    if let Some(seed) = stored.and_then(|text| text.parse().ok()) {
        return Ok(seed);
    }
    let seed = settings.seed.unwrap_or_else(|| run.started_at.as_millisecond().unsigned_abs());
    ports.store.save_checkpoint(run.id, SEED_CHECKPOINT, &seed.to_string()).await?;
    Ok(seed)
}

/// Returns the budget, and how much of it was used in the last seven days.
fn budget_use(
    settings: &SurveySettings,
    loaded: &LoadedCatalog,
    history: &CheckHistory,
    now: Timestamp,
) -> Option<BudgetUse> {
    let allowed = settings.budget?.limit(loaded.catalog.len());
    let week_ago = now.checked_sub(WEEK).unwrap_or(Timestamp::MIN);
    Some(BudgetUse { allowed, already_used: history.checks_since(week_ago) })
}

/// Registers the catalog in the store, restores the state of a resumed run, and lets workers
/// join.
async fn start(
    ports: &Ports,
    settings: &SurveySettings,
    run: &OpenRun,
    survey_run: &mut SurveyRun<'_>,
) -> Result<(), EngineError> {
    let loaded = survey_run.loaded;
    let (label, content_hash) = (loaded.label.clone(), loaded.content_hash);
    let document = NewDocument { label, content_hash, revision: None };
    let document = ports.store.load_document(run.id, &document).await?.id;
    // Links are added as URLs are drawn. Those of an earlier part of the run stay stored.
    ports.store.finish_document(document).await?;
    let links = ports.store.run_stats(run.id).await?.links;
    let position = usize::try_from(links).unwrap_or(usize::MAX);
    survey_run.set_document(document, position, settings.rights);
    if run.is_resumed {
        restore_results(ports, run.id, survey_run).await?;
        restore_deferred(ports, run.id, survey_run).await?;
        survey_run.replay();
    }
    allow_workers(&*ports.store, run.id, &settings.dispatch, RunContent::Samples).await
}

/// Restores the results of a resumed run, and the targets without a result.
async fn restore_results(
    ports: &Ports,
    run: RunId,
    survey_run: &mut SurveyRun<'_>,
) -> Result<(), EngineError> {
    let mut query =
        CheckedTargetQuery { limit: PAGE_SIZE, max_locations: 0, ..CheckedTargetQuery::ALL };
    loop {
        let page = ports.store.checked_targets(run, query).await?;
        let Some(last) = page.last() else { break };
        query.after = last.task;
        for checked in &page {
            survey_run.restore_result(&checked.url, checked.result.verdict);
        }
    }
    let mut after = BEFORE_FIRST_TASK;
    loop {
        let page = ports.store.site_urls(run, after, PAGE_SIZE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = *last;
        for (_, url) in &page {
            survey_run.restore_pending_task(url);
        }
    }
}

/// Restores the deferred URLs of a resumed run.
async fn restore_deferred(
    ports: &Ports,
    run: RunId,
    survey_run: &mut SurveyRun<'_>,
) -> Result<(), EngineError> {
    let stored = ports.store.checkpoint(run, DEFERRED_CHECKPOINT).await?.unwrap_or_default();
    stored.lines().for_each(|url| survey_run.restore_deferred(url));
    let mut after = BEFORE_FIRST_TASK;
    loop {
        let page = ports.store.held_tasks(run, after, PAGE_SIZE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = last.id;
        // A held page waits for other pages of its directory. Held network failures are
        // not deferred.
        let held_pages = page.iter().filter(|(_, probe)| !is_network_failure(&probe.outcome));
        held_pages.for_each(|(task, _)| survey_run.restore_deferred(&task.url));
    }
}

/// Returns why the survey ended.
fn survey_end(
    dispatch_end: &DispatchEnd,
    survey_run: &mut SurveyRun<'_>,
    last_survey: Option<Timestamp>,
) -> SurveyEnd {
    match dispatch_end {
        DispatchEnd::NoNetwork | DispatchEnd::InDoubt(_) => SurveyEnd::NoNetwork,
        DispatchEnd::Done if survey_run.is_budget_spent() => SurveyEnd::BudgetSpent,
        DispatchEnd::Done if last_survey.is_some() => SurveyEnd::UpToDate,
        DispatchEnd::Done => SurveyEnd::Finished,
        // Only crawls have a time limit or stop when a host blocks them.
        DispatchEnd::Stopped
        | DispatchEnd::TimeLimitReached
        | DispatchEnd::BlockedByHost { .. } => SurveyEnd::Interrupted,
    }
}

/// Returns the state to store. A survey that used up its budget stays open. A re-check is
/// finished, because the next week is a new run.
fn run_state(end: SurveyEnd, last_survey: Option<Timestamp>) -> RunState {
    match end {
        SurveyEnd::Finished | SurveyEnd::UpToDate => RunState::Finished,
        SurveyEnd::BudgetSpent if last_survey.is_some() => RunState::Finished,
        SurveyEnd::NoNetwork => RunState::NoNetwork,
        SurveyEnd::BudgetSpent | SurveyEnd::Interrupted => RunState::Open,
    }
}
