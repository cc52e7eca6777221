//! Checks the targets of a run with the rules of `survey`.

use std::collections::{BTreeMap, HashMap, HashSet};

use relink_frontier::external_domain;
use relink_model::{FetchOutcome, Phase, Probe};
use relink_ports::{
    CheckedTarget, CheckedTargetQuery, HarvestTarget, StoredArrival, StoredProvider, StoredRecord,
    TargetCheck,
};
use relink_report::harvest::HarvestRunRow;
use relink_survey::{CheckResult, DomainChecks, MassFailure, SamplingPlanName};
use url::Url;

use super::day_plan::{DayPlan, DayPlanInput};
use super::visibility::RecordView;
use super::{Harvester, HostTargets, ProviderSettings, Results, check_result};
use relink_engine::{LoadedCatalog, Observer, Progress, SurveyEnd, SurveySettings, survey};
use relink_requests::{EngineError, StopSignal};

/// Number of results read from the store at a time.
const RESULT_PAGE: usize = 4_096;

/// The checks of a run.
#[derive(Debug, Default)]
pub(super) struct RunChecks {
    /// The results by URL.
    pub(super) results: Results,
    /// The reasons by URL.
    pub(super) reasons: HashMap<String, String>,
    /// The results that are not stored yet.
    pub(super) unsaved: Vec<TargetCheck>,
    /// Targets whose host name was not resolved.
    pub(super) unresolved: HashSet<String>,
    /// The domains that were surveyed.
    pub(super) surveyed: Vec<String>,
    /// The locations of the arrivals. An *arrival* is a new or changed record.
    pub(super) arrivals: HashSet<String>,
    /// The arrivals with their locations.
    pub(super) arrived: Vec<StoredArrival>,
    /// The targets of the provider, as far as the scope includes them.
    pub(super) hosts: HostTargets,
    /// Which part of the provider is checked.
    pub(super) scope: CheckScope,
}

/// The part of a provider that a check covers.
#[derive(Debug, Default)]
pub(super) enum CheckScope {
    /// All records.
    #[default]
    Provider,
    /// One record before and after its change.
    Records(Vec<StoredRecord>),
}

impl RunChecks {
    /// Adds the result of a target.
    fn add(&mut self, checked: &CheckedTarget) {
        let check = target_check(checked);
        self.results.insert(check.url.clone(), check_result(check.verdict));
        self.reasons.insert(check.url.clone(), check.reason.clone());
        if checked.probe.as_ref().is_some_and(is_unresolved) {
            self.unresolved.insert(check.url.clone());
        }
        self.unsaved.push(check);
    }

    /// Whether all links to this location are from arrivals.
    pub(super) fn is_arrival(&self, url: &str) -> bool {
        self.arrivals.contains(url) && {
            let has_url = |arrival: &&StoredArrival| arrival.urls.iter().any(|other| other == url);
            self.link_count(url) <= self.arrived.iter().filter(has_url).count() as u64
        }
    }

    /// Returns the number of links of records to a target.
    fn link_count(&self, url: &str) -> u64 {
        let find = |targets: &Vec<HarvestTarget>| {
            let index = targets.binary_search_by(|target| target.url.as_str().cmp(url)).ok()?;
            targets.get(index).map(|target| target.links)
        };
        self.hosts.values().find_map(find).unwrap_or_default()
    }

    /// Returns the broken locations of arrivals that are visible now and would be hidden.
    pub(super) fn postponed(&self, view: &RecordView) -> HashSet<String> {
        let hidden = view.newly_hidden_ids();
        let arrivals = self.arrived.iter().filter(|arrival| hidden.contains(&arrival.record));
        let urls = arrivals.flat_map(|arrival| &arrival.urls);
        urls.filter(|url| self.results.get(*url) == Some(&CheckResult::Broken)).cloned().collect()
    }
}

/// Ignores progress. The results are read from the store.
struct SilentObserver;

impl Observer for SilentObserver {
    fn on_result(&mut self, _: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}

impl Harvester<'_> {
    /// Checks the due targets. Returns `None` if the network is in doubt or the user stopped
    /// the run. Then no incident may advance, and no result is stored, because the next run must
    /// compare its results with those of the last reliable run.
    pub(super) async fn check_due(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<Option<RunChecks>, EngineError> {
        let hosts = self.host_targets(provider.id).await?;
        let surveyed = self.store.surveyed_domains(provider.id).await?.into_iter().collect();
        let incidents = self.open_incidents(provider.id).await?;
        let decay = self.store.domain_decay(provider.id).await?.into_iter().collect();
        let arrived = self.store.arrivals(provider.id).await?;
        let arrivals = arrived.iter().flat_map(|arrival| arrival.urls.iter().cloned()).collect();
        let input = DayPlanInput {
            day: self.today(),
            lifecycle: settings.lifecycle(),
            survey_every: settings.survey_every,
            decay: &decay,
            budget: settings.budget,
            surveyed: &surveyed,
            incidents: &incidents,
            arrivals: &arrivals,
        };
        let plan = DayPlan::new(&hosts, &input);
        let mut checks = RunChecks {
            hosts,
            arrivals: plan.arrivals.iter().cloned().collect(),
            arrived,
            ..RunChecks::default()
        };
        let label = format!("harvest {}", provider.name);
        let is_done = self.check_plan(&label, &plan, settings, &mut checks, row, stop).await?
            && self.check_missing(&label, &input, &mut checks, row, stop).await?;
        if !is_done || self.is_mass_failure(&checks, row) {
            return Ok(None);
        }
        self.save(&mut checks).await?;
        Ok(Some(checks))
    }

    /// Checks the targets of the plan.
    async fn check_plan(
        &self,
        label: &str,
        plan: &DayPlan,
        settings: &ProviderSettings,
        checks: &mut RunChecks,
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        Ok(self.check_urls(label, &plan.arrivals, checks, row, stop).await?
            && self.check_urls(label, &plan.due, checks, row, stop).await?
            && self.survey_domains(label, plan, settings, checks, row, stop).await?
            && self.check_recovered(label, &plan.outages, checks, row, stop).await?)
    }

    /// Whether most domains fail although the user has not confirmed such a loss. The network is
    /// then in doubt.
    fn is_mass_failure(&self, checks: &RunChecks, row: &mut HarvestRunRow) -> bool {
        if self.options.allows_loss {
            return false;
        }
        row.doubt = mass_failure(checks)
            .map(|failure| format!("{failure}; if this is right, confirm it with `--allow-loss`"));
        row.doubt.is_some()
    }

    /// Stores the results.
    pub(super) async fn save(&self, checks: &mut RunChecks) -> Result<(), EngineError> {
        let unsaved = std::mem::take(&mut checks.unsaved);
        for page in unsaved.chunks(RESULT_PAGE) {
            self.store.save_target_checks(page).await?;
        }
        Ok(())
    }

    /// Checks URLs. Returns false if the network is in doubt or the user stopped the run.
    pub(super) async fn check_urls(
        &self,
        label: &str,
        urls: &[String],
        checks: &mut RunChecks,
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        let settings = self.survey_settings(SamplingPlanName::Full);
        self.survey_urls(label, urls, &settings, checks, row, stop).await
    }

    /// Surveys the domains of the plan. Returns false if the survey did not finish.
    async fn survey_domains(
        &self,
        label: &str,
        plan: &DayPlan,
        settings: &ProviderSettings,
        checks: &mut RunChecks,
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        let (name, le_shulman) = settings.sampling_plan();
        let survey = SurveySettings { le_shulman, ..self.survey_settings(name) };
        let is_done = self.survey_urls(label, &plan.sampled, &survey, checks, row, stop).await?;
        checks.surveyed.clone_from(&plan.domains);
        Ok(is_done)
    }

    /// Checks all targets of a host whose outage has ended, because each of them may have its own
    /// state.
    pub(super) async fn check_recovered(
        &self,
        label: &str,
        outages: &[String],
        checks: &mut RunChecks,
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        let is_alive = |url: &str| checks.results.get(url) == Some(&CheckResult::Alive);
        let mut urls = Vec::new();
        for targets in outages.iter().filter_map(|host| checks.hosts.get(host)) {
            if targets.iter().any(|target| is_alive(&target.url)) {
                let unchecked =
                    targets.iter().filter(|target| !checks.results.contains_key(&target.url));
                urls.extend(unchecked.map(|target| target.url.clone()));
            }
        }
        self.check_urls(label, &urls, checks, row, stop).await
    }

    /// Checks the targets of due incidents that the sampling plan did not select. A record is
    /// hidden only after a check of its own target.
    async fn check_missing(
        &self,
        label: &str,
        input: &DayPlanInput<'_>,
        checks: &mut RunChecks,
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        let due = input.due_targets();
        let targets = checks.hosts.values().flatten().map(|target| &target.url);
        let missing: Vec<String> = targets
            .filter(|url| due.contains(url.as_str()) && !checks.results.contains_key(*url))
            .cloned()
            .collect();
        self.check_urls(label, &missing, checks, row, stop).await
    }

    fn survey_settings(&self, plan: SamplingPlanName) -> SurveySettings {
        SurveySettings {
            plan,
            le_shulman: relink_survey::LeShulman::default(),
            max_share: None,
            recall: None,
            seed: None,
            budget: None,
            rights: self.options.rights,
            dispatch: self.options.dispatch,
            is_fresh: false,
            // A run of another day does not continue an unfinished one.
            scope: BTreeMap::from([("day".to_owned(), self.today().to_string())]),
        }
    }

    async fn survey_urls(
        &self,
        label: &str,
        urls: &[String],
        settings: &SurveySettings,
        checks: &mut RunChecks,
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        if urls.is_empty() {
            return Ok(true);
        }
        let catalog = LoadedCatalog::from_urls(label, urls.iter().map(String::as_str));
        let outcome = survey(self.ports, settings, &catalog, &mut SilentObserver, stop).await?;
        match outcome.end {
            SurveyEnd::NoNetwork => {
                let doubt = outcome.doubt.map_or_else(
                    || "no host responded, so the local network is in doubt".to_owned(),
                    |doubt| doubt.to_string(),
                );
                row.doubt = Some(doubt);
                return Ok(false);
            }
            SurveyEnd::Interrupted => {
                row.errors.push("interrupted; the next run continues".to_owned());
                return Ok(false);
            }
            SurveyEnd::Finished | SurveyEnd::UpToDate | SurveyEnd::BudgetSpent => {}
        }
        let counts = outcome.report.domain_counts;
        row.survey.checked += u64::from(outcome.report.checked);
        if settings.plan != SamplingPlanName::Full {
            row.survey.ok += counts.accepted;
            row.survey.suspicious += counts.suspicious;
            row.survey.broken += counts.broken;
        }
        self.collect(outcome.run, checks).await?;
        Ok(true)
    }

    /// Reads the results of a run.
    async fn collect(
        &self,
        run: relink_model::RunId,
        checks: &mut RunChecks,
    ) -> Result<(), EngineError> {
        let mut query =
            CheckedTargetQuery { limit: RESULT_PAGE, max_locations: 0, ..CheckedTargetQuery::ALL };
        loop {
            let page = self.ports.store.checked_targets(run, query).await?;
            let Some(last) = page.last() else { return Ok(()) };
            query.after = last.task;
            for checked in &page {
                checks.add(checked);
            }
        }
    }
}

/// Whether the host name of a request was not resolved.
fn is_unresolved(probe: &Probe) -> bool {
    matches!(probe.outcome, FetchOutcome::DnsFailed(_) | FetchOutcome::TimedOut(Phase::Dns))
}

/// Returns the failure of most registrable domains, if there is one. Hosts of the local network
/// do not count.
fn mass_failure(checks: &RunChecks) -> Option<MassFailure> {
    let mut domains: BTreeMap<String, DomainChecks> = BTreeMap::new();
    for target in checks.hosts.values().flatten() {
        let Some(now) = checks.results.get(&target.url) else { continue };
        let url = Url::parse(&target.url).ok();
        let Some(domain) = url.as_ref().and_then(external_domain) else { continue };
        let is_resolved = !checks.unresolved.contains(&target.url);
        domains.entry(domain).or_default().add(target.verdict.map(check_result), *now, is_resolved);
    }
    MassFailure::of(&domains.into_values().collect::<Vec<_>>())
}

/// Returns the result of a target as it is stored.
fn target_check(checked: &CheckedTarget) -> TargetCheck {
    let result = &checked.result;
    TargetCheck {
        url: checked.url.clone(),
        verdict: result.verdict,
        reason: result.reason.clone(),
        checked_at: result.checked_at,
    }
}
