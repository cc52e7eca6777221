//! Stores the changes of a run and their notifications in one transaction.

use std::collections::HashSet;

use relink_ports::{
    HarvestChanges, HarvestEvent, IncidentFilter, RecordFilter, StoredIncident, StoredOverride,
    StoredProvider, StoredRecord, StoredRecordLink, TargetSelection,
};
use relink_report::harvest::{HarvestRunRow, StageCountsRow};
use relink_survey::{EndReason, IncidentSubject, Stage, Transition};

use super::advance::{Advance, Change, HidePermission, IncidentState, count_stage, states_after};
use super::check_run::{CheckScope, RunChecks};
use super::history::domain_days;
use super::visibility::{RecordView, ViewScope, manager_decision};
use super::{Harvester, ProviderSettings};
use relink_requests::{EngineError, to_json};

/// The user name in events without an action of a manager.
const TIMETABLE_USER: &str = "relink";
/// Maximum number of record ids stored with an incident.
const MAX_RECORD_IDS: usize = 100;

/// The changes that a run stores.
struct RunOutcome {
    changes: Vec<Change>,
    view: RecordView,
    /// The ids of the records that were checked on arrival.
    arrived: Vec<i64>,
}

impl Harvester<'_> {
    /// Returns the open incidents of a provider with their ids.
    pub(super) async fn open_incidents(
        &self,
        provider: i64,
    ) -> Result<Vec<(i64, IncidentState)>, EngineError> {
        let stored = self.store.incidents(provider, IncidentFilter::Open).await?;
        stored.iter().map(|row| Ok((row.id, serde_json::from_str(&row.incident)?))).collect()
    }

    /// Returns the open incidents of the targets and hosts of `records`.
    pub(super) async fn open_incidents_of(
        &self,
        provider: i64,
        records: &[StoredRecord],
    ) -> Result<Vec<(i64, IncidentState)>, EngineError> {
        let links = records.iter().flat_map(|record| &record.links);
        self.open_incidents_of_links(provider, links).await
    }

    /// Returns the open incidents of the targets and hosts of `links`.
    pub(super) async fn open_incidents_of_links(
        &self,
        provider: i64,
        links: impl Iterator<Item = &StoredRecordLink>,
    ) -> Result<Vec<(i64, IncidentState)>, EngineError> {
        let subjects: HashSet<&String> = links.flat_map(|link| [&link.url, &link.host]).collect();
        let subjects: Vec<String> = subjects.into_iter().cloned().collect();
        let stored = self.store.open_incidents_of(provider, &subjects).await?;
        stored.iter().map(|row| Ok((row.id, serde_json::from_str(&row.incident)?))).collect()
    }

    /// Advances the incidents after a run, and stores everything in one transaction.
    pub(super) async fn advance(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        checks: &RunChecks,
        row: &mut HarvestRunRow,
    ) -> Result<(), EngineError> {
        let open = match &checks.scope {
            CheckScope::Provider => self.open_incidents(provider.id).await?,
            CheckScope::Records(records) => self.open_incidents_of(provider.id, records).await?,
        };
        let mut outcome = self.compute_outcome(provider, settings, checks, &open, row).await?;
        self.add_former_records(&mut outcome).await?;
        for change in &mut outcome.changes {
            count_transition(&mut row.changes, change.transition);
            change.state.records = outcome.view.record_ids(&change.state.incident, MAX_RECORD_IDS);
        }
        let RunOutcome { changes, view, arrived } = outcome;
        let days = match checks.scope {
            CheckScope::Provider => {
                domain_days(self.today(), checks, &states_after(&open, &changes), &view)
            }
            // The next run of the provider stores its state.
            CheckScope::Records(_) => Vec::new(),
        };
        let stored = HarvestChanges {
            incidents: changes.iter().map(stored_incident).collect::<Result<_, _>>()?,
            notifications: self.notices(provider, settings, &changes, &view)?,
            visibility: view.changes,
            locations: view.locations,
            arrived,
            days,
            surveyed: checks.surveyed.clone(),
            events: self.events(&changes),
            ..HarvestChanges::default()
        };
        let now = self.ports.now();
        Ok(self.store.apply(provider.id, self.today(), &stored, now).await?)
    }

    /// Adds the records whose changed URL ended an incident: they no longer link to its target.
    async fn add_former_records(&self, outcome: &mut RunOutcome) -> Result<(), EngineError> {
        let is_url_change = |change: &&Change| {
            let end = change.state.incident.end.map(|end| end.reason);
            change.transition.is_some() && end == Some(EndReason::UrlChanged)
        };
        for change in outcome.changes.iter().filter(is_url_change) {
            for id in &change.state.records {
                if let Some(record) =
                    self.record_by_id(*id).await?.filter(|record| !record.is_deleted)
                {
                    outcome.view.add_former(&change.state.incident, &record);
                }
            }
        }
        Ok(())
    }

    async fn record_by_id(&self, id: i64) -> Result<Option<StoredRecord>, EngineError> {
        let filter = RecordFilter { after: id - 1, limit: 1, ..RecordFilter::default() };
        let found = self.store.harvested_records(&filter).await?;
        Ok(found.into_iter().find(|record| record.id == id))
    }

    /// Computes the changes of a run. If they would hide too many records, no record is hidden.
    async fn compute_outcome(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        checks: &RunChecks,
        open: &[(i64, IncidentState)],
        row: &mut HarvestRunRow,
    ) -> Result<RunOutcome, EngineError> {
        let overrides = self.store.overrides(provider.id).await?;
        let deleted = self.deleted_incidents(open, checks).await?;
        let held = self.held_subjects(provider, open, &overrides).await?;
        let mut advance = Advance {
            day: self.today(),
            settings,
            checks,
            held: &held,
            hide: HidePermission::Allowed,
            postponed: HashSet::new(),
            deleted: &deleted,
        };
        let mut changes = advance.changes(open);
        let mut scope = ViewScope::of_run(provider, &overrides, checks);
        let mut view = self.view_of_run(&scope, checks, open, &changes).await?;
        if let Some(refusal) = self.loss_refusal(checks, &view) {
            row.refusals.push(refusal);
            // Compute the changes again without hiding records.
            advance.hide = HidePermission::Refused;
            advance.postponed = checks.postponed(&view);
            scope.postpone(&advance.postponed);
            changes = advance.changes(open);
            view = self.view_of_run(&scope, checks, open, &changes).await?;
        }
        count_arrivals(row, &advance, &view);
        Ok(RunOutcome { changes, view, arrived: scope.arrived_ids() })
    }

    /// Computes the visibility of the records that the changes can affect.
    async fn view_of_run(
        &self,
        scope: &ViewScope<'_>,
        checks: &RunChecks,
        open: &[(i64, IncidentState)],
        changes: &[Change],
    ) -> Result<RecordView, EngineError> {
        let CheckScope::Records(records) = &checks.scope else {
            return self.record_view(scope, open, changes).await;
        };
        let mut selection = TargetSelection::default();
        for change in changes {
            selection.add(&change.state.incident.subject);
        }
        let mut affected = self.store.records_of_targets(scope.provider.id, &selection).await?;
        let is_changed = |id: i64| records.iter().any(|record| record.id == id);
        affected.retain(|record| !is_changed(record.id));
        // `records` has the record before and after its change. The last version is stored.
        affected.extend(records.last().cloned());
        let open = self.open_incidents_of(scope.provider.id, &affected).await?;
        Ok(scope.view(&affected, &open, changes))
    }

    /// Returns an error message if a run would hide more records than the limit allows. The
    /// limit does not apply to a submission, because the provider itself changed the record.
    fn loss_refusal(&self, checks: &RunChecks, view: &RecordView) -> Option<String> {
        if self.options.allows_loss || !matches!(checks.scope, CheckScope::Provider) {
            return None;
        }
        let limit = self.options.loss_limit.check(view.newly_hidden(), view.total).err()?;
        Some(format!("records were not hidden: {limit}"))
    }

    /// Returns the targets and hosts of open incidents for which managers have decided about all
    /// records.
    async fn held_subjects(
        &self,
        provider: &StoredProvider,
        open: &[(i64, IncidentState)],
        overrides: &[StoredOverride],
    ) -> Result<HashSet<String>, EngineError> {
        let mut held = HashSet::new();
        if overrides.is_empty() {
            return Ok(held);
        }
        for (_, state) in open {
            let mut selection = TargetSelection::default();
            selection.add(&state.incident.subject);
            let records = self.store.records_of_targets(provider.id, &selection).await?;
            let is_decided = |record: &StoredRecord| {
                manager_decision(overrides, &provider.name, record).is_some()
            };
            if !records.is_empty() && records.iter().all(is_decided) {
                held.insert(state.incident.subject.name().to_owned());
            }
        }
        Ok(held)
    }

    /// Returns the incidents whose target is gone because all its records were deleted.
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

    /// Whether all records of an incident were deleted.
    async fn are_deleted(&self, records: &[i64]) -> Result<bool, EngineError> {
        for id in records {
            if self.record_by_id(*id).await?.is_some_and(|record| !record.is_deleted) {
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

fn count_arrivals(row: &mut HarvestRunRow, advance: &Advance<'_>, view: &RecordView) {
    let arrivals = &advance.checks.arrivals;
    let is_left_out =
        |url: &&String| advance.is_broken(url) && !advance.postponed.contains(url.as_str());
    row.arrivals.checked = arrivals.len() as u64;
    row.arrivals.left_out = arrivals.iter().filter(is_left_out).count() as u64;
    row.arrivals.held_back = view.held_back;
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

/// Selections by the subject of an incident.
pub(super) trait SelectSubject {
    /// Adds the targets of an incident.
    fn add(&mut self, subject: &IncidentSubject);
}

impl SelectSubject for TargetSelection {
    fn add(&mut self, subject: &IncidentSubject) {
        match subject {
            IncidentSubject::Target(url) => self.urls.push(url.clone()),
            IncidentSubject::Host(host) => self.hosts.push(host.clone()),
        }
    }
}
