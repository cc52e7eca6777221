//! Advances the incidents of a provider and stores the changes.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use relink_ports::{
    HarvestChanges, HarvestEvent, RecordFilter, StoredIncident, StoredOverride, StoredProvider,
};
use relink_report::harvest::{HarvestRunRow, StageCountsRow};
use relink_survey::{
    CheckResult, EndReason, Hold, HostChecks, Incident, IncidentOrigin, IncidentSubject, Stage,
    Transition,
};
use serde::{Deserialize, Serialize};

use super::check_run::RunChecks;
use super::history::domain_days;
use super::visibility::ViewScope;
use super::{Harvester, ProviderSettings};
use crate::EngineError;
use crate::error::to_json;

/// The user of events that the timetable causes.
pub(super) const TIMETABLE_USER: &str = "relink";
/// Maximum number of record ids stored with an incident.
const MAX_RECORD_IDS: usize = 100;

/// A stored incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncidentState {
    /// The incident.
    #[serde(flatten)]
    pub incident: Incident,
    /// The reason of the last finding.
    pub reason: String,
    /// The ids of the affected records.
    #[serde(default)]
    pub records: Vec<i64>,
}

/// A change of an incident in this run.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) id: i64,
    pub(super) state: IncidentState,
    /// The new stage; `None` if only the date of the last check changed.
    pub(super) transition: Option<Transition>,
}

/// Counts an incident or a change.
pub(super) fn count_stage(counts: &mut StageCountsRow, stage: Stage) {
    let count = match stage {
        Stage::Reported => &mut counts.reported,
        Stage::Escalated => &mut counts.escalated,
        Stage::Hidden => &mut counts.hidden,
        Stage::Restored => &mut counts.restored,
    };
    *count += 1;
}

/// Whether records may be hidden in this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HidePermission {
    Allowed,
    Refused,
}

/// Computes the changes of a run. Pure: reads nothing from the store.
pub(super) struct Advance<'a> {
    pub(super) day: Date,
    pub(super) settings: &'a ProviderSettings,
    pub(super) checks: &'a RunChecks,
    pub(super) overrides: &'a [StoredOverride],
    pub(super) provider: &'a str,
    pub(super) hide: HidePermission,
    /// Incidents whose records were deleted, by id.
    pub(super) deleted: &'a HashSet<i64>,
}

impl Advance<'_> {
    /// Returns the changes of the open incidents and the new incidents.
    pub(super) fn changes(&self, open: &[(i64, IncidentState)]) -> Vec<Change> {
        let mut changes = Vec::new();
        let known = Covered::new(open, &[]);
        for (id, state) in open {
            self.advance(*id, state, &known, &mut changes);
        }
        let covered = Covered::new(open, &changes);
        let mut new = Vec::new();
        for (host, targets) in &self.checks.hosts {
            self.open_filtered(host, targets, &covered, &mut new);
            if !covered.hosts.contains(host.as_str()) {
                self.open_new(host, targets, &covered, &mut new);
            }
        }
        changes.extend(new);
        changes
    }

    fn advance(
        &self,
        id: i64,
        state: &IncidentState,
        known: &Covered<'_>,
        changes: &mut Vec<Change>,
    ) {
        let mut state = state.clone();
        let before = state.incident.clone();
        let transition = if self.is_in_catalog(&state.incident.subject) {
            self.record_check(&mut state)
        } else {
            let is_deleted = self.deleted.contains(&id);
            let reason = if is_deleted { EndReason::RecordDeleted } else { EndReason::UrlChanged };
            state.incident.close(self.day, reason)
        };
        if state.incident == before {
            return;
        }
        if transition == Some(Transition::Restored) {
            changes.extend(self.split(&state, known));
        }
        changes.push(Change { id, state, transition });
    }

    fn is_in_catalog(&self, subject: &IncidentSubject) -> bool {
        match subject {
            IncidentSubject::Host(host) => self.checks.hosts.contains_key(host),
            IncidentSubject::Target(url) => self
                .checks
                .hosts
                .values()
                .any(|targets| targets.binary_search_by(|it| it.url.as_str().cmp(url)).is_ok()),
        }
    }

    fn record_check(&self, state: &mut IncidentState) -> Option<Transition> {
        let result = self.result(&state.incident.subject);
        let hides = state.incident.stage == Stage::Escalated && result == CheckResult::Broken;
        if hides && self.hide == HidePermission::Refused {
            return None;
        }
        if let Some(reason) = self.checks.reasons.get(state.incident.subject.name())
            && result == CheckResult::Broken
        {
            state.reason.clone_from(reason);
        }
        let hold = self.hold(&state.incident.subject);
        state.incident.record_check(self.day, result, &self.settings.lifecycle(), hold)
    }

    fn result(&self, subject: &IncidentSubject) -> CheckResult {
        match subject {
            IncidentSubject::Target(url) => {
                self.checks.results.get(url).copied().unwrap_or(CheckResult::Unknown)
            }
            IncidentSubject::Host(host) => self.host_checks(host, |_| true).host_result(),
        }
    }

    /// Counts the results of the targets of a host in this run.
    fn host_checks(&self, host: &str, includes: impl Fn(&str) -> bool) -> HostChecks {
        let mut checks = HostChecks::default();
        for target in self.checks.hosts.get(host).into_iter().flatten() {
            if let Some(result) =
                self.checks.results.get(&target.url).filter(|_| includes(&target.url))
            {
                checks.add(*result);
            }
        }
        checks
    }

    /// Returns the incidents of the targets that are still broken after their host has recovered.
    fn split(&self, host: &IncidentState, known: &Covered<'_>) -> Vec<Change> {
        let IncidentSubject::Host(name) = &host.incident.subject else { return Vec::new() };
        let is_free = |url: &str| !known.targets.contains(url) && !self.is_filtered(url);
        let targets = self.checks.hosts.get(name).into_iter().flatten();
        targets
            .filter(|target| self.is_broken(&target.url) && is_free(&target.url))
            .map(|target| {
                let mut state = self.state(host.incident.split(&target.url));
                let transition = self.record_check(&mut state);
                Change { id: 0, state, transition }
            })
            .collect()
    }

    fn state(&self, incident: Incident) -> IncidentState {
        let reason = self.checks.reasons.get(incident.subject.name()).cloned();
        IncidentState { incident, reason: reason.unwrap_or_default(), records: Vec::new() }
    }

    fn is_broken(&self, url: &str) -> bool {
        self.checks.results.get(url) == Some(&CheckResult::Broken)
    }

    /// Whether a location of a new record is broken.
    fn is_filtered(&self, url: &str) -> bool {
        self.checks.arrivals.contains(url) && self.is_broken(url)
    }

    /// Opens incidents of the locations that are broken on arrival. If a host has no other
    /// target and all fail, this is one incident.
    fn open_filtered(
        &self,
        host: &str,
        targets: &[relink_ports::HarvestTarget],
        covered: &Covered<'_>,
        changes: &mut Vec<Change>,
    ) {
        let is_new = |url: &str| self.is_filtered(url) && !covered.targets.contains(url);
        let broken: Vec<&str> =
            targets.iter().map(|it| it.url.as_str()).filter(|url| is_new(url)).collect();
        let open = |subject: IncidentSubject| Change {
            id: 0,
            state: self.state(Incident::open_hidden(subject, self.day, IncidentOrigin::Arrival)),
            transition: Some(Transition::Filtered),
        };
        let checks = self.host_checks(host, is_new);
        if checks.is_outage() && broken.len() == targets.len() && !covered.hosts.contains(host) {
            let mut change = open(IncidentSubject::Host(host.to_owned()));
            change.state.reason = outage_reason(checks);
            changes.push(change);
            return;
        }
        let targets = broken.into_iter().map(|url| IncidentSubject::Target(url.to_owned()));
        changes.extend(targets.map(open));
    }

    fn open_new(
        &self,
        host: &str,
        targets: &[relink_ports::HarvestTarget],
        covered: &Covered<'_>,
        changes: &mut Vec<Change>,
    ) {
        let is_free = |url: &str| !covered.targets.contains(url) && !self.is_filtered(url);
        let checks = self.host_checks(host, is_free);
        if checks.broken == 0 {
            return;
        }
        let open = |incident: Incident| Change {
            id: 0,
            state: self.state(incident),
            transition: Some(Transition::Reported),
        };
        if checks.is_outage() && self.is_checked_completely(host, targets) {
            let subject = IncidentSubject::Host(host.to_owned());
            let mut change = open(Incident::open(subject, self.day));
            change.state.reason = outage_reason(checks);
            changes.push(change);
            return;
        }
        for target in targets.iter().filter(|it| is_free(&it.url) && self.is_broken(&it.url)) {
            let subject = IncidentSubject::Target(target.url.clone());
            changes.push(open(Incident::open(subject, self.day)));
        }
    }

    /// Whether the results of this run represent the whole host.
    fn is_checked_completely(&self, host: &str, targets: &[relink_ports::HarvestTarget]) -> bool {
        self.checks.surveyed.iter().any(|surveyed| surveyed == host)
            || targets.iter().all(|target| self.checks.results.contains_key(&target.url))
    }

    fn hold(&self, subject: &IncidentSubject) -> Hold {
        let host = |url: &str| {
            self.checks.hosts.iter().find(|(_, targets)| {
                targets.binary_search_by(|it| it.url.as_str().cmp(url)).is_ok()
            })
        };
        let domain = match subject {
            IncidentSubject::Host(host) => Some(host.as_str()),
            IncidentSubject::Target(url) => host(url).map(|(host, _)| host.as_str()),
        };
        let applies = |it: &StoredOverride| match it.scope.as_str() {
            "provider" => it.subject == self.provider,
            "domain" => Some(it.subject.as_str()) == domain,
            "target" => it.subject == subject.name(),
            _ => false,
        };
        if self.overrides.iter().any(applies) { Hold::Overridden } else { Hold::None }
    }
}

fn outage_reason(checks: HostChecks) -> String {
    format!("all {} checked URLs of the host fail", checks.broken)
}

/// The targets and hosts of open incidents.
struct Covered<'a> {
    targets: HashSet<&'a str>,
    hosts: HashSet<&'a str>,
}

impl<'a> Covered<'a> {
    fn new(open: &'a [(i64, IncidentState)], changes: &'a [Change]) -> Self {
        let mut covered = Self { targets: HashSet::new(), hosts: HashSet::new() };
        // An incident that ended in this run still covers its targets: they were judged by it.
        let states = open.iter().map(|(_, state)| state).chain(changes.iter().map(|it| &it.state));
        for state in states {
            match &state.incident.subject {
                IncidentSubject::Target(url) => covered.targets.insert(url),
                IncidentSubject::Host(host) => covered.hosts.insert(host),
            };
        }
        covered
    }
}

impl Harvester<'_> {
    /// Returns the open incidents of a provider with their ids.
    pub(super) async fn open_incidents(
        &self,
        provider: i64,
    ) -> Result<Vec<(i64, IncidentState)>, EngineError> {
        let stored = self.store.incidents(provider, true).await?;
        stored.iter().map(|it| Ok((it.id, serde_json::from_str(&it.incident)?))).collect()
    }

    /// Advances the incidents after a run, and stores everything in one transaction.
    pub(super) async fn advance(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        checks: &RunChecks,
        row: &mut HarvestRunRow,
    ) -> Result<(), EngineError> {
        let open = self.open_incidents(provider.id).await?;
        let overrides = self.store.overrides(provider.id).await?;
        let deleted = self.deleted_incidents(&open, checks).await?;
        let mut advance = Advance {
            day: self.today(),
            settings,
            checks,
            overrides: &overrides,
            provider: &provider.name,
            hide: HidePermission::Allowed,
            deleted: &deleted,
        };
        let mut changes = advance.changes(&open);
        let scope = ViewScope { provider, overrides: &overrides, arrived: &checks.arrived };
        let mut view = self.record_view(&scope, &open, &changes).await?;
        let limit = self.options.loss_limit.check(view.newly_hidden(), view.total);
        if let Err(limit) = limit
            && !self.options.allows_loss
        {
            row.refusals.push(format!("records were not hidden: {limit}"));
            advance.hide = HidePermission::Refused;
            changes = advance.changes(&open);
            view = self.record_view(&scope, &open, &changes).await?;
        }
        let left_out = checks.arrivals.iter().filter(|url| advance.is_broken(url)).count();
        row.arrivals.checked = checks.arrivals.len() as u64;
        (row.arrivals.left_out, row.arrivals.held_back) = (left_out as u64, view.held_back);
        for change in &mut changes {
            count_transition(&mut row.changes, change.transition);
            change.state.records = view.record_ids(&change.state.incident, MAX_RECORD_IDS);
        }
        let stored = HarvestChanges {
            incidents: changes.iter().map(stored_incident).collect::<Result<_, _>>()?,
            notifications: self.notices(provider, settings, &changes, &view)?,
            visibility: view.changes.clone(),
            locations: view.locations.clone(),
            arrived: checks.arrived.clone(),
            days: domain_days(self.today(), checks, &states_after(&open, &changes), &view),
            surveyed: checks.surveyed.clone(),
            events: self.events(&changes),
            ..HarvestChanges::default()
        };
        let now = self.ports.now();
        Ok(self.store.apply(provider.id, self.today(), &stored, now).await?)
    }

    /// Returns the incidents whose target is gone because all of its records were deleted.
    async fn deleted_incidents(
        &self,
        open: &[(i64, IncidentState)],
        checks: &RunChecks,
    ) -> Result<HashSet<i64>, EngineError> {
        let known: HashSet<&str> =
            checks.hosts.values().flatten().map(|target| target.url.as_str()).collect();
        let mut deleted = HashSet::new();
        for (id, state) in open {
            let is_gone = match &state.incident.subject {
                IncidentSubject::Target(url) => !known.contains(url.as_str()),
                IncidentSubject::Host(host) => !checks.hosts.contains_key(host),
            };
            if is_gone && self.are_deleted(&state.records).await? {
                deleted.insert(*id);
            }
        }
        Ok(deleted)
    }

    async fn are_deleted(&self, records: &[i64]) -> Result<bool, EngineError> {
        for id in records {
            let filter = RecordFilter { after: id - 1, limit: 1, ..RecordFilter::default() };
            let found = self.store.harvested_records(&filter).await?;
            if found.iter().any(|record| record.id == *id && !record.is_deleted) {
                return Ok(false);
            }
        }
        Ok(!records.is_empty())
    }

    /// Returns the history entries of the changes.
    fn events(&self, changes: &[Change]) -> Vec<HarvestEvent> {
        let event = |change: &Change| {
            change.transition?;
            Some(HarvestEvent {
                at: self.ports.now(),
                user: TIMETABLE_USER.to_owned(),
                kind: change.state.incident.stage.to_string(),
                subject: change.state.incident.subject.name().to_owned(),
                text: event_text(&change.state),
            })
        };
        changes.iter().filter_map(event).collect()
    }
}

fn event_text(state: &IncidentState) -> String {
    match state.incident.end.map(|end| end.reason) {
        None => state.reason.clone(),
        Some(EndReason::WorkingAgain) => "works again".to_owned(),
        Some(EndReason::UrlChanged) => "the provider changed the URL".to_owned(),
        Some(EndReason::RecordDeleted) => "the provider deleted the records".to_owned(),
    }
}

fn count_transition(counts: &mut StageCountsRow, transition: Option<Transition>) {
    let stage = match transition {
        None => return,
        Some(Transition::Reported) => Stage::Reported,
        Some(Transition::Escalated) => Stage::Escalated,
        Some(Transition::Hidden | Transition::Filtered) => Stage::Hidden,
        Some(Transition::Restored) => Stage::Restored,
    };
    count_stage(counts, stage);
}

/// Converts a change to a row of the store.
pub(super) fn stored_incident(change: &Change) -> Result<StoredIncident, EngineError> {
    Ok(StoredIncident {
        id: change.id,
        stage: change.state.incident.stage.to_string(),
        is_open: change.state.incident.is_open(),
        incident: to_json(&change.state)?,
    })
}

/// Returns the states of all open incidents after the changes.
pub(super) fn states_after<'a>(
    open: &'a [(i64, IncidentState)],
    changes: &'a [Change],
) -> Vec<&'a IncidentState> {
    let after: HashMap<i64, &IncidentState> =
        changes.iter().filter(|it| it.id > 0).map(|it| (it.id, &it.state)).collect();
    let kept = open.iter().map(|(id, state)| after.get(id).copied().unwrap_or(state));
    let new = changes.iter().filter(|it| it.id == 0).map(|it| &it.state);
    kept.chain(new).filter(|state| state.incident.is_open()).collect()
}
