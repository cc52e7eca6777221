//! Checks the targets of a run with the rules of `survey`.

use std::collections::{BTreeMap, HashMap, HashSet};

use relink_ports::{
    CheckedTarget, CheckedTargetQuery, HarvestTarget, StoredArrival, StoredProvider, StoredRecord,
    TargetCheck,
};
use relink_report::harvest::HarvestRunRow;
use relink_survey::{CheckResult, SamplingPlanName};

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
    /// The domains that were surveyed.
    pub(super) surveyed: Vec<String>,
    /// The locations of the arrivals: the new and changed records.
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
    /// Whether only arrivals have this location.
    pub(super) fn is_arrival(&self, url: &str) -> bool {
        self.arrivals.contains(url) && {
            let has_url = |it: &&StoredArrival| it.urls.iter().any(|own| own == url);
            self.links(url) <= self.arrived.iter().filter(has_url).count() as u64
        }
    }

    /// Returns the number of links of records to a target.
    fn links(&self, url: &str) -> u64 {
        let find = |targets: &Vec<HarvestTarget>| {
            let index = targets.binary_search_by(|it| it.url.as_str().cmp(url)).ok()?;
            targets.get(index).map(|target| target.links)
        };
        self.hosts.values().find_map(find).unwrap_or_default()
    }

    /// Returns the broken locations of arrivals that are visible now and would be hidden.
    pub(super) fn postponed(&self, view: &RecordView) -> HashSet<String> {
        let hidden = view.newly_hidden_ids();
        let arrivals = self.arrived.iter().filter(|it| hidden.contains(&it.record));
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
    /// the run; then no incident may advance.
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
        let arrivals = arrived.iter().flat_map(|it| it.urls.iter().cloned()).collect();
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
        let is_done = self.check_urls(&label, &plan.arrivals, &mut checks, row, stop).await?
            && self.check_urls(&label, &plan.due, &mut checks, row, stop).await?
            && self.survey_domains(&label, &plan, settings, &mut checks, row, stop).await?
            && self.check_recovered(&label, &plan.outages, &mut checks, row, stop).await?
            && self.check_missing(&label, &input, &mut checks, row, stop).await?;
        Ok(is_done.then_some(checks))
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

    /// Reads the results of a run and stores them with the targets.
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
            let stored: Vec<TargetCheck> = page.iter().map(target_check).collect();
            self.store.save_target_checks(&stored).await?;
            for check in stored {
                checks.results.insert(check.url.clone(), check_result(check.verdict));
                checks.reasons.insert(check.url, check.reason);
            }
        }
    }
}

fn target_check(checked: &CheckedTarget) -> TargetCheck {
    let result = &checked.result;
    TargetCheck {
        url: checked.url.clone(),
        verdict: result.verdict,
        reason: result.reason.clone(),
        checked_at: result.checked_at,
    }
}
