//! Computes which incidents advance, begin and end after the checks of a run. Reads and stores
//! nothing.
//!
//! An *arrival* is a new or changed record whose locations are checked before it is published.
//! A broken target of arrivals is *filtered*: its incident hides records without delay.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use relink_ports::HarvestTarget;
use relink_report::harvest::StageCountsRow;
use relink_survey::{
    CheckResult, EndReason, Hold, HostChecks, Incident, IncidentOrigin, IncidentSubject, Stage,
    Transition,
};
use serde::{Deserialize, Serialize};

use super::ProviderSettings;
use super::check_run::{CheckScope, RunChecks};

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

/// The id of an incident that is not stored yet.
pub(super) const NEW_INCIDENT: i64 = 0;

/// A change of an incident in this run.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// The id in the store, or [`NEW_INCIDENT`].
    pub(super) id: i64,
    pub(super) state: IncidentState,
    /// The new stage, or `None` if only the date of the last check changed.
    pub(super) transition: Option<Transition>,
}

/// Increments the count of a stage.
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

/// Computes the changes of a run.
pub(super) struct Advance<'a> {
    pub(super) day: Date,
    pub(super) settings: &'a ProviderSettings,
    pub(super) checks: &'a RunChecks,
    /// The targets and hosts for whose records managers have decided that all records are shown or
    /// hidden.
    pub(super) held: &'a HashSet<String>,
    pub(super) hide: HidePermission,
    /// Broken locations of arrivals that are not removed in this run, because too many records
    /// would be hidden.
    pub(super) postponed: HashSet<String>,
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

    /// Adds the change of an open incident, if there is one.
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
            changes.extend(self.open_still_broken(&state, known));
        }
        changes.push(Change { id, state, transition });
    }

    /// Whether a record still has a link to the target or host.
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

    /// Records the result of this run in an incident. Returns the new stage, if it changed.
    fn record_check(&self, state: &mut IncidentState) -> Option<Transition> {
        let result = self.result_of(&state.incident.subject);
        let would_hide = state.incident.stage == Stage::Escalated && result == CheckResult::Broken;
        if would_hide && self.hide == HidePermission::Refused {
            return None;
        }
        if let Some(reason) = self.checks.reasons.get(state.incident.subject.name())
            && result == CheckResult::Broken
        {
            state.reason.clone_from(reason);
        }
        let is_held = self.held.contains(state.incident.subject.name());
        let hold = if is_held { Hold::Overridden } else { Hold::None };
        state.incident.record_check(self.day, result, &self.settings.lifecycle(), hold)
    }

    /// Returns the result of this run for a target or host.
    fn result_of(&self, subject: &IncidentSubject) -> CheckResult {
        match subject {
            IncidentSubject::Target(url) => {
                self.checks.results.get(url).copied().unwrap_or(CheckResult::Unknown)
            }
            IncidentSubject::Host(host) => {
                let result = self.host_checks(host, |_| true).host_result();
                // The check of a submitted record covers few targets of the host. It may show that the
                // host works again, but not that the host is still down.
                let is_conclusive = self.knows_hosts() || result == CheckResult::Alive;
                if is_conclusive { result } else { CheckResult::Unknown }
            }
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
    fn open_still_broken(&self, host: &IncidentState, known: &Covered<'_>) -> Vec<Change> {
        let IncidentSubject::Host(name) = &host.incident.subject else { return Vec::new() };
        let has_no_incident = |url: &str| !known.targets.contains(url) && !self.is_filtered(url);
        let targets = self.checks.hosts.get(name).into_iter().flatten();
        targets
            .filter(|target| self.is_broken(&target.url) && has_no_incident(&target.url))
            .map(|target| {
                let mut state = self.new_state(host.incident.split(&target.url));
                let transition = self.record_check(&mut state);
                Change { id: NEW_INCIDENT, state, transition }
            })
            .collect()
    }

    /// Returns the state of a new incident.
    fn new_state(&self, incident: Incident) -> IncidentState {
        let reason = self.checks.reasons.get(incident.subject.name()).cloned();
        IncidentState { incident, reason: reason.unwrap_or_default(), records: Vec::new() }
    }

    /// Whether a target is confirmed to be broken.
    pub(super) fn is_broken(&self, url: &str) -> bool {
        self.checks.results.get(url) == Some(&CheckResult::Broken)
    }

    /// Whether a target is broken and only arrivals link to it. A target to which other
    /// records also link follows the timetable.
    fn is_filtered(&self, url: &str) -> bool {
        self.is_broken(url) && !self.postponed.contains(url) && self.checks.is_arrival(url)
    }

    /// Opens incidents of filtered targets. If a host has an outage and all its targets are
    /// filtered, the host gets one incident.
    fn open_filtered(
        &self,
        host: &str,
        targets: &[HarvestTarget],
        covered: &Covered<'_>,
        changes: &mut Vec<Change>,
    ) {
        let is_new = |url: &str| self.is_filtered(url) && !covered.targets.contains(url);
        let broken: Vec<&str> =
            targets.iter().map(|target| target.url.as_str()).filter(|url| is_new(url)).collect();
        let open = |subject: IncidentSubject| Change {
            id: NEW_INCIDENT,
            state: self.new_state(Incident::open_hidden(
                subject,
                self.day,
                IncidentOrigin::Arrival,
            )),
            transition: Some(Transition::Filtered),
        };
        let checks = self.host_checks(host, is_new);
        let is_outage = checks.is_outage() && broken.len() == targets.len();
        if is_outage && self.knows_hosts() && !covered.hosts.contains(host) {
            let mut change = open(IncidentSubject::Host(host.to_owned()));
            change.state.reason = outage_reason(checks);
            changes.push(change);
            return;
        }
        let targets = broken.into_iter().map(|url| IncidentSubject::Target(url.to_owned()));
        changes.extend(targets.map(open));
    }

    /// Opens incidents of the other broken targets. If their host has an outage, the host gets
    /// one incident.
    fn open_new(
        &self,
        host: &str,
        targets: &[HarvestTarget],
        covered: &Covered<'_>,
        changes: &mut Vec<Change>,
    ) {
        let has_no_incident = |url: &str| {
            !covered.targets.contains(url)
                && !self.is_filtered(url)
                && !self.postponed.contains(url)
        };
        let checks = self.host_checks(host, has_no_incident);
        if checks.broken == 0 {
            return;
        }
        let open = |incident: Incident| Change {
            id: NEW_INCIDENT,
            state: self.new_state(incident),
            transition: Some(Transition::Reported),
        };
        if checks.is_outage() && self.is_checked_completely(host, targets) {
            let subject = IncidentSubject::Host(host.to_owned());
            let mut change = open(Incident::open(subject, self.day));
            change.state.reason = outage_reason(checks);
            changes.push(change);
            return;
        }
        for target in targets
            .iter()
            .filter(|target| has_no_incident(&target.url) && self.is_broken(&target.url))
        {
            let subject = IncidentSubject::Target(target.url.clone());
            changes.push(open(Incident::open(subject, self.day)));
        }
    }

    /// Whether `checks.hosts` contains all targets of its hosts. After the submission of a
    /// record, it contains only targets of the record.
    fn knows_hosts(&self) -> bool {
        matches!(self.checks.scope, CheckScope::Provider)
    }

    /// Whether the results of this run represent the whole host.
    fn is_checked_completely(&self, host: &str, targets: &[HarvestTarget]) -> bool {
        if !self.knows_hosts() {
            return false;
        }
        self.checks.surveyed.iter().any(|surveyed| surveyed == host)
            || targets.iter().all(|target| self.checks.results.contains_key(&target.url))
    }
}

/// Returns the reason of an outage for the report.
fn outage_reason(checks: HostChecks) -> String {
    format!("all {} checked URLs of the host fail", checks.broken)
}

/// The targets and hosts that have an incident: one that was open before the run or one that
/// changed in the run.
struct Covered<'a> {
    targets: HashSet<&'a str>,
    hosts: HashSet<&'a str>,
}

impl<'a> Covered<'a> {
    fn new(open: &'a [(i64, IncidentState)], changes: &'a [Change]) -> Self {
        let mut covered = Self { targets: HashSet::new(), hosts: HashSet::new() };
        // An incident that ended in this run still counts, so that no new incident of the same
        // targets begins at once.
        let states =
            open.iter().map(|(_, state)| state).chain(changes.iter().map(|change| &change.state));
        for state in states {
            match &state.incident.subject {
                IncidentSubject::Target(url) => covered.targets.insert(url),
                IncidentSubject::Host(host) => covered.hosts.insert(host),
            };
        }
        covered
    }
}

/// Returns the states of all open incidents after the changes.
pub(super) fn states_after<'a>(
    open: &'a [(i64, IncidentState)],
    changes: &'a [Change],
) -> Vec<&'a IncidentState> {
    let after: HashMap<i64, &IncidentState> = changes
        .iter()
        .filter(|change| change.id != NEW_INCIDENT)
        .map(|change| (change.id, &change.state))
        .collect();
    let remaining = open.iter().map(|(id, state)| after.get(id).copied().unwrap_or(state));
    let new = changes.iter().filter(|change| change.id == NEW_INCIDENT).map(|change| &change.state);
    remaining.chain(new).filter(|state| state.incident.is_open()).collect()
}
